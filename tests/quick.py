"""The tests of what was changed: ``make quick``, or ``python -m tests.quick [FILES]``.

A test file is chosen if it was changed itself, or imports a module of a folder in which a module
was changed. The doctests of a changed module are run. Without FILES, what differs from the last
commit was changed.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]


def changed_files() -> list[str]:
    """Return the Python files that differ from the last commit, new ones too."""
    listed = (
        ("git", "diff", "--name-only", "--diff-filter=d", "HEAD"),
        ("git", "ls-files", "--others", "--exclude-standard"),
    )
    found: list[str] = []
    for command in listed:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        found += done.stdout.split("\n")
    return sorted({name for name in found if name.endswith(".py")})


def chosen(changed: Iterable[str], tests: Iterable[str]) -> list[str]:
    """Return the files to try: changed modules and tests, and tests that import what is near them.

    Parameters
    ----------
    changed : iterable of str
        Files, named from the root.
    tests : iterable of str
        All files of tests.
    """
    found = set(changed)
    folders = {PurePosixPath(name).parent for name in found if not name.startswith("tests/")}
    for test in tests:
        if any(folder in folders for folder in _folders_used(test)):
            found.add(test)
    return sorted(found)


def _folders_used(test: str) -> Iterator[PurePosixPath]:
    for node in ast.walk(ast.parse((ROOT / test).read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield PurePosixPath(*node.module.split(".")[:-1])
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield PurePosixPath(*alias.name.split(".")[:-1])


def all_tests() -> list[str]:
    """Return all files of tests, named from the root."""
    found = (ROOT / "tests").rglob("test_*.py")
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def main() -> int:
    """Run the tests that are chosen; return what pytest returns."""
    files = chosen(sys.argv[1:] or changed_files(), all_tests())
    if not files:
        print("nothing differs from the last commit")
        return 0
    options = ["-n", "logical", "--maxprocesses", "4", "--dist", "worksteal", "-q"]
    command = [sys.executable, "-m", "pytest", *options, *files]
    return subprocess.run(command, cwd=ROOT).returncode


if __name__ == "__main__":
    raise SystemExit(main())
