"""The examples run from top to bottom."""

import os
import subprocess
import sys
from pathlib import Path

STORY = Path(__file__).parents[2] / "examples" / "scan_story.py"


def test_the_story_is_told_of_another_split_where_data_are_absent(tmp_path: Path) -> None:
    absent = {name: value for name, value in os.environ.items() if name != "TREEWRIGHT_DATA"}
    told = subprocess.run(
        [sys.executable, str(STORY), "--fast", "--split", "mcd1", "--folder", "pictures"],
        env=absent,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stderr
    for line in (
        "so this is the story of the split length instead",
        "== The 20 rules",
        "NT_1 twice ### NT_1 NT_1",
        "best parse exact on 49 of 49 test commands",
        "the interpreter agrees with 100.00%",
        "exact match on the test commands",
    ):
        assert line in told.stdout, line
    pictures = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    assert pictures == ["derivation.svg", "learning-curve.png", "rules.svg"]
    assert ">I_JUMP<" in (tmp_path / "pictures" / "rules.svg").read_text()


def test_the_story_is_cut_into_cells() -> None:
    lines = STORY.read_text("utf-8").splitlines()
    cells = [line for line in lines if line.startswith("# %% ")]
    assert len(cells) == len(set(cells)) >= 8
