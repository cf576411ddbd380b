"""Recognising what others write ends, whatever stands in the text: each of these once did not."""

from __future__ import annotations

from pathlib import Path

import pytest

from grammar.errors import BracketError, CorpusError, NotationError
from grammar.pcfg.grammar import Grammar
from grammar.rules.features import backbone_of
from grammar.rules.foreign import foreign_notation
from induction.corpus.formats import read_corpus
from induction.corpus.readers import read_treebank

MANY = 200_000
TEXTS = {
    "empty lines": "a\n" + "\n" * MANY + "!",
    "spaces": " " * MANY + "!",
    "rules without an end": "a:\n" * (MANY // 3),
    "equations without an end": "a=\n" * (MANY // 3),
    "brackets that do not close": "a[" * (MANY // 2),
    "arrows": "'a' -> " * (MANY // 7),
    "comments": "#\n" * (MANY // 2) + "!",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_is_no_grammar_is_refused(name: str) -> None:
    with pytest.raises(NotationError):
        Grammar.parse(TEXTS[name])


def test_only_the_beginning_of_a_text_tells_its_notation() -> None:
    assert foreign_notation("root ::= [a-c]+\n" * 9) is not None
    assert foreign_notation("x\n" * MANY + "root ::= [a-c]+\n") is None


def test_signs_of_logic_that_do_not_close_are_no_features() -> None:
    assert backbone_of("<" * MANY) == "<" * MANY


def test_a_sentence_of_thousands_of_signs_keeps_them_at_the_top(tmp_path: Path) -> None:
    path = tmp_path / "a.export"
    signs = ",\tT\t--\t--\t0\n" * 20_000
    path.write_text(
        f"#FORMAT 3\n#BOS 1\na\tT\t--\t--\t500\n{signs}b\tT\t--\t--\t500\n"
        "#500\tS\t--\t--\t0\n#EOS 1\n"
    )
    with pytest.raises(BracketError, match="do not stand side by side"):
        read_treebank(path)
    assert len(read_treebank(path, discontinuous="split")[0].leaves()) == 20_002


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"columns": ["text"], "data": [1, 2]}', "row 1 of 'data' is no list of 1 values"),
        ('{"columns": ["text", "label"], "data": [["a", 1], ["b"]]}', "row 2 of 'data'"),
        ('{"columns": [["text"]], "data": [["a"]]}', "a name in 'columns' is no text"),
        ('[{"data": {"text": "a"}, "annotations": ["x"]}]', "of another form"),
        ('[{"data": {"text": "a"}, "annotations": [{"result": [{"value": 1}]}]}]', "another form"),
        ('[{"text": "a", "_input_hash": 1}, ["b"]]', "of another form|not an array of objects"),
        ('[["a", {"cats": {"x": 1}}], ["b", 1]]', "of another form|not an array of objects"),
        ('[["a", {"cats": [1]}]]', "of another form"),
    ],
)
def test_json_of_another_form_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(CorpusError, match=message):
        read_corpus(path)
