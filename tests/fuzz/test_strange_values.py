"""Values that libraries refuse with errors of their own: deep ones, long numbers, halves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grammar.errors import TreewrightError
from grammar.opening import open_grammar
from grammar.pcfg.grammar import Grammar
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.corpus.formats import read_corpus
from sampling.expression import MOST_NESTED, read_expression
from sampling.pipeline.manifest import read_manifest
from sampling.pipeline.settings import read_toml

DEEP = "[" * 5000 + "]" * 5000
LONG = "9" * 5000
WORD = "1\ta\ta\tX\tX\t_\t{}\troot\t_\t_\n\n"

FILES = {
    "deep.csv": f'text,tokens\na,"{DEEP}"\n',
    "open.csv": 'text,tokens\na,"' + "[" * 5000 + '"\n',
    "header.csv": 'text,"label\n' + "a,1\n" * 50_000,
    "large.csv": 'id,text,provenance\n1,a,"{""method"": ""x"", ""index"": 9' + "9" * 30 + '}"\n',
    "deep.conllu": f"# label = {DEEP}\n{WORD.format(0)}",
    "long.conllu": WORD.format(LONG),
    "bytes.conllu": b"# text = \xff\n" + WORD.format(0).encode(),
    "null.jsonl": "null\n",
    "first.jsonl": '\n null\n{"text": "a"}\n',
    "deep.jsonl": '{"text": "a", "x": ' + '{"a":' * 5000 + "1" + "}" * 5001 + "\n",
    "d.hf/dataset_dict.json": DEEP,
    "e.hf/dataset_dict.json": b"\xff\xfe",
    "f.hf/dataset_dict.json": LONG,
}
TEXTS: dict[str, tuple[Callable[[str], Any], str]] = {
    "deep expression": (read_expression, "(" * 5000 + "eda" + ")" * 5000),
    "long weight": (read_expression, f"{LONG}*eda"),
    "long option": (read_expression, f"eda(alpha_sr={LONG})"),
    "half a character in a tree": (Tree.parse, "(S \ud800)"),
    "half a character in a treebank": (Treebank.parse, "(S a)\n(S \ud800)"),
    "half a character in a grammar": (Grammar.parse, "S -> '\ud800' [x]"),
    "long weight of a rule": (Grammar.parse, f"S -> 'a' [{LONG}]"),
    "no weight of a rule": (Grammar.parse, "S -> 'a' [1/0]"),
}
OTHERS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a.toml": (read_toml, f"a={DEEP}"),
    "b.toml": (read_toml, f"[augment]\nn={LONG}"),
    "a.manifest.json": (read_manifest, DEEP),
    "b.manifest.json": (read_manifest, LONG),
    "a.json": (open_grammar, DEEP),
    "b.json": (open_grammar, f'{{"schema": {LONG}}}'),
    "c.json": (open_grammar, '{"schema": "\\ud800"}'),
}


@pytest.mark.parametrize("name", FILES)
def test_a_corpus_with_a_strange_value_is_refused_by_its_name(tmp_path, name):
    data, path = FILES[name], tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    opened = path.parent if path.name == "dataset_dict.json" else path
    with pytest.raises(TreewrightError, match=opened.stem) as caught:
        read_corpus(opened)
    assert caught.value.hint


@pytest.mark.parametrize("name", TEXTS)
def test_a_strange_text_is_refused(name):
    read, text = TEXTS[name]
    with pytest.raises(TreewrightError) as caught:
        read(text)
    assert caught.value.hint
    assert len(str(caught.value)) < 20_000


@pytest.mark.parametrize("name", OTHERS)
def test_a_strange_file_is_refused_by_its_name(tmp_path, name):
    read, text = OTHERS[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(TreewrightError, match=name):
        read(tmp_path / name)


def test_parentheses_may_be_nested_as_deep_as_is_said():
    for depth in (MOST_NESTED, MOST_NESTED + 1):
        text = "(" * depth + "eda" + ")" * depth
        if depth == MOST_NESTED:
            assert str(read_expression(text)) == "eda"
        else:
            with pytest.raises(TreewrightError, match="parentheses"):
                read_expression(text)
