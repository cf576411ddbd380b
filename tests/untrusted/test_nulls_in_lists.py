"""A null within lists of words, tags or spans: refused where it stands, by every way in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from grammar.errors import CorpusError, TreewrightError
from induction.corpus.corpus import Corpus
from induction.corpus.entities.columns import with_spans
from induction.corpus.formats import read_corpus
from sampling.pipeline.augment import augment
from tests.untrusted.rows_on_disk import write_array, write_arrow, write_lines, write_parquet

WORDS = ["Ann", "so", "left"]
NULL = ["Ann", None, "left"]
BY_WORD = {"tokens": WORDS, "tags": ["N", "A", "V"], "heads": [3, 3, 0], "deprels": ["a", "b", "c"]}
ROWS: dict[str, dict[str, Any]] = {
    **{name: {"text": "Ann so left", **BY_WORD, name: [own[0], None, own[2]]}
       for name, own in BY_WORD.items()},
    "tokens without a text": {"tokens": NULL},
    "words without a text": {"words": NULL},
    "tags of spans": {"tokens": WORDS, "ner_tags": ["B-PER", None, "O"]},
    "tokens with tags of spans": {"tokens": NULL, "ner_tags": ["B-PER", "O", "O"]},
    "spans": {"text": "Ann so left", "spans": [{"start": 0, "end": 3, "label": "P"}, None]},
    "start of a span": {"text": "Ann so", "spans": [{"start": None, "end": 3, "label": "P"}]},
    "label of a span": {"text": "Ann so", "spans": [{"start": 0, "end": 3, "label": None}]},
    "classes": {"text": "Ann so left", "labels": ["x", None]},
    "shares": {"text": "Ann so left", "label": [0.5, None]},
}  # fmt: skip
ROWS_OF_TOOLS: dict[str, dict[str, Any]] = {
    "label of a triple": {"text": "Ann so", "label": [[0, 3, None]]},
    "end of a triple": {"text": "Ann so", "label": [[0, None, "P"]]},
    "triples": {"text": "Ann so", "entities": [[0, 3, "P"], None]},
    "tokens of Prodigy": {"text": "Ann", "_input_hash": 1, "tokens": [None]},
    "spans of Prodigy": {"text": "Ann", "_input_hash": 1, "spans": [None]},
    "results of Label Studio": {"data": {"text": "Ann"}, "annotations": [{"result": [None]}]},
}


def _whole(value: Any) -> Any:
    """Return a row with a value of its kind wherever one is missing."""
    others = {"start": 0, "end": 1, "label": "P"}
    if isinstance(value, dict):
        return {n: others.get(n, n) if v is None else _whole(v) for n, v in value.items()}
    if not isinstance(value, list):
        return value
    kept = [_whole(one) for one in value if one is not None]
    return kept + kept[-1:] * (len(value) - len(kept)) if kept and len(kept) > 1 else kept


def _frame(rows: list[Any], path: Path) -> Any:
    return pytest.importorskip("pandas").DataFrame(rows)


def _dataset(rows: list[Any], path: Path) -> Any:
    return pytest.importorskip("datasets").Dataset(pa.Table.from_pylist(rows))


WAYS: dict[str, Callable[[list[Any], Path], Any]] = {
    "lines": write_lines, "array": write_array, "parquet": write_parquet,
    "arrow": write_arrow, "frame": _frame,
    "dataset": _dataset, "dictionaries": lambda rows, path: rows,
    "table": lambda rows, path: pa.Table.from_pylist(rows),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ROWS)
def test_a_null_in_a_list_is_refused(name: str, way: str, tmp_path: Path) -> None:
    data = WAYS[way]([ROWS[name]], tmp_path / "a")
    with pytest.raises(CorpusError) as caught:
        read_corpus(data)
    assert caught.value.where
    assert caught.value.hint


@pytest.mark.parametrize("name", ROWS_OF_TOOLS)
@pytest.mark.parametrize("way", ["lines", "array"])
def test_a_null_in_an_export_is_refused(name: str, way: str, tmp_path: Path) -> None:
    whole = _whole(ROWS_OF_TOOLS[name])
    data = WAYS[way]([whole, ROWS_OF_TOOLS[name]], tmp_path / "a")
    with pytest.raises(CorpusError) as caught:
        read_corpus(data)
    assert caught.value.where


@pytest.mark.parametrize("way", ["lines", "array"])
@pytest.mark.parametrize("name", [*BY_WORD, "tags of spans", "tokens without a text"])
def test_a_row_with_a_null_in_a_list_is_left_out(name: str, way: str, tmp_path: Path) -> None:
    sound = {"text": "Ann so left", **BY_WORD} if name in BY_WORD else {
        "tokens": WORDS, "ner_tags": ["B-PER", "I-PER", "O"]
    }  # fmt: skip
    data = WAYS[way]([ROWS[name], sound], tmp_path / "a")
    corpus = read_corpus(data, on_error="skip")
    assert corpus.column("tokens") == [WORDS]
    assert [one.where for one in corpus.skipped] == [
        f"{data}:1" if way == "lines" else f"{data}, row 1"
    ]


@pytest.mark.parametrize("way", ["lines", "array"])
def test_a_row_that_is_none_of_its_tool_is_left_out(way: str, tmp_path: Path) -> None:
    rows = [
        {"text": "Ann left", "label": [[0, 3, "P"]]},
        {"text": "so", "label": [[0, 2, None]]},
        {"text": "Bo", "label": [[0, 2, "P"]]},
    ]
    data = WAYS[way](rows, tmp_path / "a")
    corpus = read_corpus(data, on_error="skip")
    assert corpus.column("text") == ["Ann left", "Bo"]
    [skipped] = corpus.skipped
    assert skipped.where == (f"{data}:2" if way == "lines" else f"{data}, row 2")
    assert corpus.where(1).startswith(f"{data}:3" if way == "lines" else f"{data}, row 3")


@pytest.mark.parametrize("method", ["aeda", "sub2", "switchout"])
@pytest.mark.parametrize("name", BY_WORD)
def test_a_null_in_a_table_of_the_caller_is_refused(name: str, method: str) -> None:
    """A corpus around a table is not read, and what reaches kernels is checked all the same."""
    corpus = Corpus.from_columns(
        text=["Ann so left"] * 2, **{n: [v] * 2 for n, v in BY_WORD.items()}
    )
    values = pa.array([BY_WORD[name], ROWS[name][name]], corpus.arrow(name).type)
    at = corpus.names.index(name)
    table = corpus.table.set_column(at, name, values).slice(1)
    with pytest.raises(TreewrightError, match="missing"):
        augment(Corpus(table), method, n=1)


def test_nulls_of_other_rows_of_a_slice_do_not_count() -> None:
    tokens = pa.array([["a", None], ["b", "c"], None]).slice(1, 1)
    assert Corpus.from_columns(text=["b c"], tokens=tokens).column("tokens") == [["b", "c"]]


def test_tags_that_are_null_make_no_spans() -> None:
    corpus = Corpus.from_columns(text=["a b"], tokens=[["a", "b"]]).with_column(
        "ner_tags", [["B-X", None]]
    )
    with pytest.raises(CorpusError, match="None"):
        with_spans(corpus, "ner_tags")
