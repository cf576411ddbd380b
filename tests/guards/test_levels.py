"""Code for each level of processors makes the bytes that native code makes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from grammar.kernels.processors import LEVELS, Level, fitting_levels

HERE = Path(__file__).parent
METHODS = ("sub2", "worddrop")
FAMILY = "pcfg"

PROGRAM = """
import json, sys, tempfile
from pathlib import Path
from tests.guards import golden

corpora = golden.corpora()
made = {name: golden.outputs(name, corpora) for name in sys.argv[2:]}
suffix, make = next(row[1:] for row in golden.families(corpora) if row[0] == sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    path = golden.saved(sys.argv[1], suffix, make, Path(folder))
    made[sys.argv[1]] = golden.digest_of_file(path)
print(json.dumps(made))
"""


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_outputs_are_those_recorded(level: Level, tmp_path: Path) -> None:
    if level not in fitting_levels():
        pytest.skip("this processor has another level")
    # so that nothing is found but what this run compiles, or what ships for the level
    here = {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(HERE.parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, FAMILY, *METHODS],
        env={**os.environ, **level.environment, **here},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    recorded = json.loads((HERE / "golden.json").read_text(encoding="utf-8"))["anywhere"]
    assert made == {
        **{name: recorded["methods"][name] for name in METHODS},
        FAMILY: recorded["files"][FAMILY],
    }
