"""The command line is a door, too: no verb runs the code of a model folder, whoever says yes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.checksums import sealed_again

from .conftest import EXAMPLES

pytest.importorskip("torch")
pytest.importorskip("transformers")

VERBS: dict[str, tuple[str, list[str]]] = {
    "classify train": ("encoder", ["few.csv", "--encoder", "{}", "--steps", "2", "-o", "out"]),
    "classify evaluate": ("classifier", ["{}", "few.csv"]),
    "classify predict": ("classifier", ["{}", "few.csv", "-o", "out.csv"]),
    "structured train": ("encoder", [
        "tags", "few.conllu", "--encoder", "{}", "--steps", "1", "-o", "out"]),
    "structured predict": ("tagger", ["{}", "few.conllu", "-o", "out.conllu"]),
    "linda train": ("seq2seq", ["few.csv", "--model", "{}", "--steps", "1", "-o", "out"]),
    "linda interpolate": ("linda", ["{}", "a film", "a plot"]),
    "augment ctxsub": ("masked", ["ctxsub(model='{}')"]),
    "augment ssmba": ("masked", ["ssmba(model='{}')"]),
    "augment prompted": ("causal", ["prompted(model='{}')"]),
    "augment backtranslation": ("seq2seq", ["backtranslation(model='{0}',back='{0}')"]),
    "augment linda": ("linda", ["linda(model='{}')"]),
    "augment fluent": ("causal", ["fluent(aeda,model='{}')"]),
    "augment teacher": ("classifier of others", ["ctxsub(model='{masked}',teacher='{}')"]),
}  # fmt: skip
FEW = "text,label\n" + "".join(f"{t},{y}\n" for t, y in zip(*EXAMPLES.values(), strict=True))
CONLLU = "1\tgood\tgood\tADJ\t_\t_\t2\tamod\t_\t_\n2\tfilm\tfilm\tNOUN\t_\t_\t0\troot\t_\t_\n\n"


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_runs_the_code_of_a_folder(
    verb: str, plain: dict[str, Path], armed: Callable[[str], Path], saved: dict[str, Path],
    mark: Path, watched: list[str], run: Any, tmp_path: Path,
) -> None:  # fmt: skip
    kind, arguments = VERBS[verb]
    folder = tmp_path / "evil"
    if kind in saved:
        shutil.copytree(saved[kind], folder)
        settings = armed("encoder") / "config.json"
        shutil.copyfile(settings.with_name("payload.py"), folder / "payload.py")
        held = json.loads((folder / "config.json").read_text())
        told = {key: json.loads(settings.read_text())[key] for key in ("auto_map", "model_type")}
        (folder / "config.json").write_text(json.dumps(held | told))
        sealed_again(folder)
    else:
        armed(kind.partition(" ")[0]).rename(folder)
    (tmp_path / "few.csv").write_text(FEW)
    (tmp_path / "few.conllu").write_text(CONLLU)
    filled = [one.format(folder, masked=plain["masked"]) for one in arguments]
    if verb.startswith("augment"):
        filled = ["few.csv", "-m", *filled, "-n", "2", "-o", "out.csv"]
    done = run(*(["augment"] if verb.startswith("augment") else verb.split()), *filled,
               stdin=b"y\n" * 9)  # fmt: skip
    assert done.code == 1, done.err
    assert "config.json" in done.err
    assert "custom code: 'auto_map'" in done.err
    assert "Traceback" not in done.err
    assert not mark.exists()
    assert not list(tmp_path.glob("out*"))
    assert watched == []


def test_a_yes_on_standard_input_runs_nothing(
    armed: Callable[[str], Path], mark: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "treewright", "linda", "interpolate", armed("seq2seq"), "a", "b"],
        input=b"y\n" * 9, capture_output=True, check=False, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert done.returncode == 1
    assert b"custom code: 'auto_map'" in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"[y/N]" not in done.stdout + done.stderr
    assert not mark.exists()
