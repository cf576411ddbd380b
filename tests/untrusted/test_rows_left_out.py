"""Bad rows of every kind in every format are left out, each with its place and the reason."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from grammar.errors import TreewrightError, UnreadableInputError
from induction.corpus.formats import read_corpus
from induction.corpus.tables.kinds import DEEPEST
from sampling.pipeline.sources import read_source, write_skipped


class Kind(NamedTuple):
    """A format: its ending, the lines above its rows, good rows, and bad ones by what they are."""

    suffix: str
    above: bytes
    good: bytes
    bad: dict[str, bytes]
    format: str | None = None


GOOD = b'{"text": "a film", "label": "x", "n": 1, "tokens": ["a", "film"], "heads": [0, 1]}\n'
ROW = GOOD.strip()


def _row(old: bytes, new: bytes) -> bytes:
    assert old in ROW
    return ROW.replace(old, new) + b"\n"


JSON = {
    "a lone surrogate": _row(b"a film", b"a \\ud800 film"),
    "a surrogate in a name": _row(b'"n"', b'"n\\udc00"'),
    "no UTF-8": _row(b"a film", b"a film \xff"),
    "no UTF-8 outside of a text": _row(b"1", b"\xff"),
    "no JSON": ROW[:-9] + b"\n",
    "an array": b'["a"]\n',
    "a text": b'"a"\n',
    "a number": b"3\n",
    "nothing": b"null\n",
    "two objects": ROW + b" " + ROW + b"\n",
    "more behind": ROW + b" x\n",
    "a text that is a number": _row(b'"text": "a film"', b'"text": 3'),
    "a text that is a list": _row(b'"text": "a film"', b'"text": ["a"]'),
    "a text that is an object": _row(b'"text": "a film"', b'"text": {"a": 1}'),
    "a label that is a list": _row(b'"x"', b'["x"]'),
    "a label that is a number": _row(b'"x"', b"3"),
    "another kind": _row(b'"n": 1', b'"n": "one"'),
    "an object without fields": _row(b'"n": 1', b'"n": {}'),
    "another kind within": _row(b'["a", "film"]', b'["a", 1]'),
    "too deep": _row(b'"n": 1', b'"m": ' + b"[" * DEEPEST + b"]" * DEEPEST),
    "far too deep": _row(b'"n": 1', b'"m": ' + b"[" * 99_999 + b"]" * 99_999),
    "a large number": _row(b'"n": 1', b'"n": 9223372036854775808'),
    "a huge number": _row(b'"n": 1', b'"n": ' + b"9" * 9999),
    "a number beyond all": _row(b'"n": 1', b'"n": 1e999'),
    "two values": _row(b'"n": 1', b'"n": 1, "n": 2'),
    "a sign that no text has": _row(b"a film", b"a film \x00"),
    "no text": _row(b'"text": "a film", ', b""),
    "an empty text": _row(b"a film", b" "),
    "no label": _row(b'"x"', b"null"),
    "heads outside": _row(b"[0, 1]", b"[0, 9]"),
    "heads beyond all": _row(b"[0, 1]", b"[0, 99999999999]"),
    "fewer heads": _row(b"[0, 1]", b"[0]"),
}
CELLS = {
    "fewer cells": b"a b\n", "more cells": b"a b,x,1,2\n", "no UTF-8": b"a \xff b,x,1\n",
    "half a character": b"a \xed\xa0\x80 b,x,1\n", "no text": b",x,1\n", "no label": b"a b,,1\n",
}  # fmt: skip
WORDS = b"1\tdogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n2\tran\trun\tVERB\tVBD\t_\t0\troot\t_\t_\n\n"
SENTENCES = {
    "fewer fields": b"1\tdogs\tdog\n\n",
    "a head outside": WORDS.replace(b"\t2\tnsubj", b"\t9\tnsubj"),
    "a head that is no number": WORDS.replace(b"\t2\tnsubj", b"\tx\tnsubj"),
    "a head beyond all": WORDS.replace(b"\t2\tnsubj", b"\t" + b"9" * 5000 + b"\tnsubj"),
    "a circle": WORDS.replace(b"\t0\troot", b"\t1\troot"),
    "a number left out": WORDS.replace(b"2\tran", b"5\tran"),
    "no UTF-8": WORDS.replace(b"dogs", b"d\xff"),
}
KINDS = [
    Kind(".jsonl", b"", GOOD, JSON),
    Kind(".csv", b"text,label,n\n", b"a good film %d,x,1\n", CELLS),
    Kind(".tsv", b"text\tlabel\tn\n", b"a good film %d\tx\t1\n",
         {name: row.replace(b",", b"\t") for name, row in CELLS.items()}),
    Kind(".txt", b"", b"a good film %d\n",
         {"no UTF-8": b"a \xff\n", "nothing": b"\n", "white space": b" \t\n"}),
    Kind(".mrg", b"", b"(S (A a) (B b%d))\n",
         {"never closed": b"(S (A a)\n", "closed twice": b"(S (A a)))\n", "empty": b"(S ())\n",
          "no UTF-8": b"(S (A \xff))\n"}),
    Kind(".sst", b"", b"(3 (2 a) (4 b%d))\n",
         {"never closed": b"(3 (2 a)\n", "closed twice": b"(3 (2 a)))\n", "empty": b"(3 ())\n",
          "no class": b"(x (2 a))\n", "no tree": b"a word\n", "no UTF-8": b"(3 (2 \xff))\n"}),
    Kind(".conllu", b"", WORDS, SENTENCES),
    Kind(".conll", b"", b"Ann\tB-P\nleft\tO\n\n",
         {"one column": b"Ann\n\n", "no tag": b"Ann\tX-P\n\n", "no UTF-8": b"A\xff\tO\n\n"}),
    Kind(".scan", b"", b"IN: walk OUT: WALK\n",
         {"no target": b"IN: walk\n", "no pair": b"walk\n", "empty": b"IN:  OUT: \n",
          "no UTF-8": b"IN: w\xff OUT: W\n"}, "scan"),
]  # fmt: skip
CASES = [
    pytest.param(kind, name, id=f"{kind.suffix} {name}") for kind in KINDS for name in kind.bad
]


@pytest.mark.parametrize("place", [0, 1, 3])
@pytest.mark.parametrize(("kind", "name"), CASES)
def test_a_bad_row_is_left_out_and_said(tmp_path, kind, name, place):
    path = tmp_path / f"a{kind.suffix}"
    rows = [kind.good.replace(b"%d", b"%d" % number) for number in range(3)]
    rows.insert(place, kind.bad[name])
    path.write_bytes(kind.above + b"".join(rows))
    corpus = read_source(path, format=kind.format, on_error="skip")
    assert len(corpus) == 3
    [skipped] = corpus.skipped
    assert str(path) in skipped.where
    assert skipped.why
    line = (kind.above + b"".join(rows[:place])).count(b"\n") + 1
    assert skipped.where.partition(", example")[0] in (
        f"{path}:{line}",
        f"{path}, tree {place + 1}",
    )
    written = write_skipped(corpus.skipped, tmp_path / "new.jsonl")
    held = json.loads((tmp_path / str(written)).read_text("utf-8"))
    assert held["where"] == skipped.where


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.suffix)
def test_without_bad_rows_none_is_left_out(tmp_path, kind):
    path = tmp_path / f"a{kind.suffix}"
    path.write_bytes(kind.above + b"".join(kind.good.replace(b"%d", b"%d" % n) for n in range(3)))
    one = read_source(path, format=kind.format, on_error="skip")
    assert not one.skipped
    assert one.table.equals(read_source(path, format=kind.format).table)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.suffix)
def test_a_file_without_any_good_row_is_refused(tmp_path, kind):
    path = tmp_path / f"a{kind.suffix}"
    path.write_bytes(kind.above + kind.bad["no UTF-8"] * 2)
    with pytest.raises(TreewrightError):
        read_source(path, format=kind.format, on_error="skip")


def test_a_file_in_another_encoding_is_said_to_be_one(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("a good film\na bad one\n".encode("utf-16-le"))
    with pytest.raises(UnreadableInputError, match="UTF-16 without a mark") as caught:
        read_corpus(path, on_error="skip")
    assert "--encoding utf-16-le" in caught.value.hint
    path.write_bytes("a good film\na bad one\n".encode("utf-16"))
    assert read_corpus(path, on_error="skip").column("text") == ["a good film", "a bad one"]
    header = tmp_path / "a.csv"
    header.write_bytes(b"text,l\xffbel\na,b\n")
    with pytest.raises(UnreadableInputError, match="is not utf-8 text"):
        read_corpus(header, on_error="skip")


def test_most_rows_say_what_a_column_holds(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = [{"text": "a", "n": "1"}, *({"text": "b", "n": k} for k in range(3)), {"text": "c"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus = read_corpus(path, on_error="skip")
    assert corpus.column("n") == [0, 1, 2, None]
    assert [one.why for one in corpus.skipped] == ["'n' is a text, and in most rows a number"]
