"""The files of tests that corpora change: ``python -m tests.with_data JUNIT_XML``.

Given what a run without corpora reports, it prints the files in which a test was skipped for want
of them, and those that speak of corpora or WordNet themselves, since they may try something else
where these are. All other tests do the same with corpora and without.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
WANTED = re.compile(r"TREEWRIGHT_DATA|NLTK|WordNet", re.IGNORECASE)


def files_with_data(report: Path) -> list[str]:
    """Return the files of tests, named from the root, to try again where corpora are."""
    return sorted({*_skipped(report), *_speaking()})


def _skipped(report: Path) -> Iterator[str]:
    for case in ElementTree.parse(report).iter("testcase"):
        for skip in case.iter("skipped"):
            if WANTED.search(f"{skip.get('message')} {skip.text}"):
                # a module that is skipped as a whole has its name in the other place
                yield _file_of(case.get("classname") or case.get("name", ""))


def _file_of(module: str) -> str:
    """Return the file of a test by its module, behind which the name of a class may stand."""
    parts = module.split(".")
    while parts:
        path = Path(*parts).with_suffix(".py")
        if (ROOT / path).is_file():
            return path.as_posix()
        parts.pop()
    raise ValueError(f"{module} is no module of tests")


def _speaking() -> Iterator[str]:
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if WANTED.search(path.read_text("utf-8")):
            yield path.relative_to(ROOT).as_posix()


if __name__ == "__main__":
    print(" ".join(files_with_data(Path(sys.argv[1]))))
