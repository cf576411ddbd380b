"""Formats of other tools that are read here and not written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grammar.errors import TreewrightError
from grammar.opening import open_grammar
from induction.corpus.readers import read_treebank
from tests.fuzz.kinds import Format, Make, Use

_CONLLX = "1\tAnn\tAnn\tNNP\tNNP\t_\t2\tsubj\t_\t_\n2\tleft\tleave\tVBD\tVBD\t_\t0\troot\t_\t_\n\n"
_TREES = {
    "export": "#FORMAT 3\n#BOS 1\nso\tA\t--\tMO\t500\nbad\tB\t--\tHD\t500\n"
    ",\t$,\t--\t--\t0\nwe\tP\t--\tSB\t500\n#500\tS\t--\t--\t0\n#EOS 1\n",
    "xml": '<?xml version="1.0"?><corpus><body><s id="s1"><graph root="n1"><terminals>'
    '<t id="t1" word="so" pos="A"/><t id="t2" word="it" pos="P"/></terminals><nonterminals>'
    '<nt id="n1" cat="S"><edge label="HD" idref="t1"/><edge label="SB" idref="t2"/></nt>'
    "</nonterminals></graph></s></body></corpus>",
    "dbr": "(S (VP (V 0=saw) (P 2=it)) (N 1=we))\n(S (V 0=so))\n",
}
_FEATURES = "S -> NP[N=?n] V[N=?n]\nNP[N=s] -> 'it'\nV[N=s] -> 'ran'\n"


def _write(content: str) -> Make:
    return lambda path: path.write_text(content, encoding="utf-8")


def formats_of_others(use_corpus: Use) -> Iterator[Format]:
    """Yield the formats; ``use_corpus`` reads a corpus and all its rows."""
    yield Format("words.conllx", _write(_CONLLX * 3), use_corpus)
    rows = {
        "array.json": [{"text": "a good film", "label": "x"}, {"text": "so bad", "label": "y"}],
        "split.json": {"columns": ["text", "label"], "data": [["a film", 1], ["so bad", 0]]},
        "columns.json": {"text": {"0": "a film", "1": "so bad"}, "label": {"0": 1, "1": 0}},
        "studio.json": [
            {"data": {"text": "Ann left"}, "annotations": [{"result": [
                {"type": "labels", "value": {"start": 0, "end": 3, "labels": ["PER"]}}]}]}
        ],
        "snips.json": {"Play": [{"data": [{"text": "by "}, {"text": "Ann", "entity": "who"}]}]},
        "spacy.json": [{"paragraphs": [{"sentences": [{"tokens": [
            {"orth": "Ann", "tag": "NNP", "ner": "U-PER"}, {"orth": "left", "tag": "VBD"}]}]}]}],
        "viewer.json": {"rows": [{"row_idx": 0, "row": {"text": "a film", "label": 1}}]},
        "intents.json": {"intents": [{"tag": "hi", "patterns": ["hello", "so"], "responses": []}]},
        "parts.json": {"train": [["a good film", "x"], ["so bad", "y"]], "val": [["so", "x"]]},
        "classes.json": {"x": ["a good film", "a book"], "y": ["so bad"]},
        "squad.json": {"data": [{"title": "T", "paragraphs": [{"context": "Ann left.", "qas": [
            {"id": "q", "question": "Who left?", "answers": []}]}]}]},
        "turks.json": [{"content": "Ann left", "annotation": [
            {"label": ["PER"], "points": [{"start": 0, "end": 2}]}]}],
    }  # fmt: skip
    for name, value in rows.items():
        yield Format(name, _write(json.dumps(value)), use_corpus)
    lines: dict[str, dict[str, Any]] = {
        "doccano": {"text": "Ann left", "label": [[0, 3, "PER"]]},
        "prodigy": {"text": "Ann left", "_input_hash": 1, "answer": "accept",
                    "spans": [{"start": 0, "end": 3, "label": "PER"}]},
        "ner_tags": {"tokens": ["Ann", "left"], "ner_tags": ["B-PER", "O"]},
        "sets": {"text": "a good film", "labels": ["x", "y"]},
    }  # fmt: skip
    for name, line in lines.items():
        yield Format(f"{name}.jsonl", _write(f"{json.dumps(line)}\n" * 3), use_corpus)
    words = "Sentence #,Word,POS,Tag\ns1,Ann,NNP,B-PER\n,left,VBD,O\ns2,so,RB,O\n"
    yield Format("words.csv", _write(words), use_corpus)
    cells = "Sentence,POS,Tag\nAnn left,\"['NNP', 'VBD']\",\"['B-PER', 'O']\"\n"
    yield Format("lists.csv", _write(cells), use_corpus)
    yield Format("io.conll", _write("Ann\tPER\nleft\tO\n\nEU\tORG\n" * 2), use_corpus)
    yield Format("mallet.txt", _write("a1 x a film\na2 y so bad\na3 x it\na4 y a b\n"), use_corpus)
    yield Format("chunks.txt", _write("(S (NP Ann/NNP) left/VBD)\n(())\n"), use_corpus)
    yield Format("fasttext.txt", _write("__label__x a film\n__label__y so bad\n"), use_corpus)
    yield Format("markdown.csv", _write("| text | label |\n|--|--|\n| a film | 1 |\n"), use_corpus)
    yield Format(
        "cells.csv", _write('# so\ntext,label\nAnn left,"[[0, 3, ""PER""]]"\n'), use_corpus
    )
    yield Format("malt.conll", _write("Go\tV\t0\troot\nhome\tR\t1\tadv\n\n" * 3), use_corpus)
    yield Format("pipe.csv", _write("text|label\na film|1\nso bad|0\n"), use_corpus)
    for ending, text in _TREES.items():
        yield Format(f"trees.{ending}", _write(text), _use_treebank)
    yield Format(
        "features.fcfg",
        _write(_FEATURES),
        lambda path: open_grammar(path, backbone=True).describe(),
    )


def _use_treebank(path: Path) -> None:
    for way in ("refuse", "split", "raise"):
        try:
            read_treebank(path, discontinuous=way).sentences()
        except TreewrightError:
            if way == "raise":
                raise
