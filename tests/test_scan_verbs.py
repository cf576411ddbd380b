"""The verb scan interpret: actions of commands, and what is said of a word that SCAN lacks."""

import io
import json
import sys

import pytest

from treewright.cli import main


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["treewright", "scan", "interpret", *arguments])
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
