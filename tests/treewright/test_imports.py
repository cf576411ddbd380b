"""What a verb imports is what it needs: a first run must not wait for libraries of other verbs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {
    "datasets", "lemminflect", "matplotlib", "networkx", "nltk", "numba", "pyarrow", "scipy",
    "scipy.stats", "sklearn", "spacy", "tokenizers", "torch", "transformers",
}  # fmt: skip
"""Libraries that take a tenth of a second or more to import; pandas is imported by pyarrow."""

GRAMMARS = {"networkx", "numba", "pyarrow", "scipy"}
"""What all work with grammars needs."""

PROGRAM = """
import sys
from treewright.cli import main

sys.argv = ["treewright", *sys.argv[1:]]
try:
    main()
finally:
    print("\\n".join(sys.modules), file=open("modules.txt", "w"))
"""

REVIEWS = "text,label\n" + "".join(
    f"the {noun} was {word} and the plot was {word},{label}\n"
    for noun in ("film", "cast", "story", "music")
    for word, label in (("good", 1), ("bad", 0), ("moving", 1), ("dull", 0))
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("imports")
    (made / "reviews.csv").write_text(REVIEWS)
    (made / "g.txt").write_text("S -> 'a' S [0.5] | 'b' [0.5]\n")
    (made / "lines.txt").write_text("The plot was good.\n")
    return made


@pytest.mark.parametrize(
    ("line", "needed"),
    [
        ("--help", set()),
        ("methods", GRAMMARS),
        ("induce embedded -o out.json --force", GRAMMARS),
        ("sample g.txt -n 5", GRAMMARS),
        ("parse g.txt lines.txt", GRAMMARS),
        ("parse english lines.txt", GRAMMARS),
        ("augment reviews.csv -m worddrop -n 4 -o drop.csv --force", GRAMMARS),
        ("augment reviews.csv -n 4 -o new.csv --force", GRAMMARS),
    ],
)
def test_heavy_libraries_of_a_verb(line: str, needed: set[str], folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *line.split()],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stderr
    modules = set((folder / "modules.txt").read_text().split())
    assert modules & HEAVY <= needed
