"""The verb scan interpret, and training files that scan train refuses."""

import io
import json
import sys

import pytest

from treewright.cli import main


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str, verb: str = "interpret") -> int:
    monkeypatch.setattr(sys, "argv", ["treewright", "scan", verb, *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


def test_a_command_is_interpreted(monkeypatch, capsys):
    assert run(monkeypatch, "jump left twice") == 0
    assert capsys.readouterr().out == "I_TURN_LEFT I_JUMP I_TURN_LEFT I_JUMP\n"


def test_commands_come_from_standard_input_a_line_each(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"walk\nturn left\n")))
    assert run(monkeypatch, "-") == 0
    assert capsys.readouterr().out == "I_WALK\nI_TURN_LEFT\n"


def test_facts_are_json(monkeypatch, capsys):
    assert run(monkeypatch, "walk", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"command": "walk", "actions": ["I_WALK"]}


@pytest.mark.parametrize(
    ("command", "message"), [("jmup twice", "'jump'"), ("twice walk", "hint"), ("", "hint")]
)
def test_what_is_no_command_is_one_message(monkeypatch, capsys, command, message):
    assert run(monkeypatch, command) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("treewright: ")
    assert message in err


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("IN: walk OUT: W\n\nIN: run\n", "pairs.txt:3: not a SCAN pair: 'IN: run'"),
        ("", "pairs.txt: there are no training pairs"),
        ("IN: walk OUT: W\nIN: run OUT: R\nIN: walk OUT: V\n",
         "pairs.txt:1, example '1' and pairs.txt:3, example '3': 'walk' has two targets: "
         "'W' and 'V'"),
    ],
)  # fmt: skip
def test_faulty_training_pairs_are_one_message(monkeypatch, capsys, tmp_path, lines, message):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.txt").write_text(lines)
    assert run(monkeypatch, "pairs.txt", "-o", "model.safetensors", verb="train") == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"treewright: {message}\n  hint: ")
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.txt"]
