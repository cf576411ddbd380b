"""The source distribution and the wheel: both build, and pass the checks of the package index."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("grammar", "induction", "sampling", "scan", "classifiers", "treewright")


def run(*arguments: str, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_distributions_pass_the_checks_of_the_index(tmp_path: Path) -> None:
    source, made = tmp_path / "source", tmp_path / "dist"
    source.mkdir()
    ignored = shutil.ignore_patterns("__pycache__", "*.kernels")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, source / package, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    run("build", "--no-isolation", "--outdir", str(made), folder=source)
    files = sorted(str(file) for file in made.iterdir())
    assert [Path(file).suffix for file in files] == [".whl", ".gz"]
    run("twine", "check", "--strict", *files, folder=source)
    run("check_wheel_contents", "--config", str(source / "pyproject.toml"), files[0], folder=source)
