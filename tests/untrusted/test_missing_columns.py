"""A table without the column that is asked of it: an error that names the columns there are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from classifiers.examples import read_examples
from classifiers.structured.learning import train_structured
from classifiers.training.frozen import train_tfidf
from grammar.errors import CorpusError, TreewrightError
from induction.corpus.corpus import Corpus
from induction.corpus.entities.columns import tags_of_spans
from induction.corpus.entities.spacy_docs import docs_of_corpus
from induction.corpus.formats import FORMATS, read_corpus, write_corpus
from induction.parsers.trees import treebank_of
from sampling.quality.measures.fidelity import training_loss_ratio
from scan.cogs.conversion import convert
from tests.untrusted.rows_on_disk import write_array, write_arrow, write_lines, write_parquet
from treewright.cli import app


def _csv(rows: list[Any], path: Path) -> Path:
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    path.with_suffix(".csv").write_text("".join(f"{line}\n" for line in lines))
    return path.with_suffix(".csv")


def _dataset(rows: list[Any], path: Path) -> Path:
    datasets = pytest.importorskip("datasets")
    datasets.Dataset(pa.Table.from_pylist(rows)).save_to_disk(str(path.with_suffix(".hf")))
    return path.with_suffix(".hf")


WAYS: dict[str, Callable[[list[Any], Path], Path]] = {
    "csv": _csv, "json": write_array, "jsonl": write_lines, "parquet": write_parquet,
    "arrow": write_arrow, "hf": _dataset,
}  # fmt: skip
NO_TEXT = [{"alpha": 1, "beta": 2}, {"alpha": 3, "beta": 4}]
TEXT = [{"text": "we ran", "beta": 1}, {"text": "we slept", "beta": 2}]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_named", [False, True])
def test_a_table_without_texts_names_its_columns(way: str, is_named: bool, tmp_path: Path) -> None:
    path = WAYS[way](NO_TEXT, tmp_path / "a")
    given = {"json": "jsonl"}.get(way, way) if is_named else None
    with pytest.raises(CorpusError, match=r"no column 'text'") as caught:
        read_corpus(path, format=given)
    assert str(caught.value.where).endswith("columns 'alpha', 'beta'")
    assert "--text" in str(caught.value.hint)


ENDING = {"label": "", "tags": ""}
VERBS = {
    "target": "scan augment {} -o {}",
    "tree": "compare {} embedded",
    "label": "classify train {} -o {} --encoder tfidf",
    "spans": "augment {} -m mention-replacement -n 2 -o {}",
    "tags": "structured train tags {} -o {}",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("column", VERBS)
def test_a_verb_names_the_column_that_it_lacks(column: str, way: str, tmp_path: Path) -> None:
    if column == "tree" and way in ("json", "arrow"):
        pytest.skip("such a file is a grammar to the verb")
    path = WAYS[way](TEXT, tmp_path / "a")
    command = VERBS[column].format(path, tmp_path / f"made{ENDING.get(column, '.jsonl')}")
    done = CliRunner().invoke(app, command.split())
    assert isinstance(done.exception, TreewrightError), done.exception
    assert f"no column {column!r}" in done.exception.what
    assert "text" in str(done.exception.where)


@pytest.mark.parametrize("form", [name for name in FORMATS if FORMATS[name].needs])
def test_a_format_names_the_column_that_it_is_made_of(form: str, tmp_path: Path) -> None:
    corpus = Corpus.from_columns(text=["we ran"], label=["x"])
    with pytest.raises(CorpusError, match=f"no column {FORMATS[form].needs!r}") as caught:
        write_corpus(corpus, tmp_path / "a.x", format=form)
    assert "text, label" in str(caught.value.where)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("way", ["hf", "parquet", "csv", "jsonl"])
def test_trees_of_a_table_are_induced_from(way: str, tmp_path: Path) -> None:
    rows = [{"text": "we ran", "tree": "(S (P we) (V ran))"}] * 2
    made = tmp_path / "g.json"
    done = CliRunner().invoke(
        app, ["induce", str(WAYS[way](rows, tmp_path / "a")), "-o", str(made)]
    )
    assert done.exit_code == 0, done.exception
    assert made.exists()


WHOLE: dict[str, list[Any]] = {
    "text": ["Ann left", "so we ran"],
    "tokens": [["Ann", "left"], ["so", "we", "ran"]],
    "tags": [["N", "V"], ["A", "P", "V"]],
    "spans": [[{"start": 0, "end": 3, "label": "P"}], []],
    "tree": ["(S (N Ann) (V left))", "(S (A so) (P we) (V ran))"],
    "target": ["leave ( agent = Ann )", "run ( agent = we )"],
    "label": [0, 1],
}
USES: dict[str, tuple[Callable[[Corpus], object], tuple[str, ...]]] = {
    "documents of spaCy": (docs_of_corpus, ("text", "tokens", "tags", "spans")),
    "tags of spans": (tags_of_spans, ("text",)),
    "trees of tokens": (treebank_of, ("tokens",)),
    "examples": (read_examples, ("text", "label")),
    "a parser": (lambda corpus: train_structured("constituency", corpus), ("tree",)),
    "a tagger": (lambda corpus: train_structured("tags", corpus), ("tags",)),
    "meanings": (lambda corpus: convert(corpus, "original"), ("text", "target")),
    "quality": (lambda corpus: training_loss_ratio(corpus, corpus), ("text",)),
}
MISSING = [(use, name) for use, (_, names) in USES.items() for name in names]


@pytest.mark.parametrize(("use", "name"), MISSING)
def test_a_value_that_is_missing_is_named(use: str, name: str) -> None:
    if use == "documents of spaCy":
        pytest.importorskip("spacy")
    kept = {n: v for n, v in WHOLE.items() if (use, name) != ("trees of tokens", n) or n != "tree"}
    if use == "trees of tokens":
        del kept["tree"]
    corpus = Corpus.from_columns(**{**kept, name: [WHOLE[name][0], None]})
    with pytest.raises(TreewrightError, match=r"missing|None") as caught:
        USES[use][0](corpus)
    assert caught.value.where


def test_texts_without_a_word_train_nothing() -> None:
    examples = read_examples(Corpus.from_columns(text=[" ", ""], label=["x", "y"]))
    with pytest.raises(CorpusError, match="no text has a word"):
        train_tfidf(examples)


@pytest.mark.parametrize("name", ["a.conllu", "a.conll", "a.sst", "a.bilou", "a.conllx"])
@pytest.mark.parametrize("data", ["", "\n\n", " \n"])
def test_an_empty_file_has_no_rows_to_skip(name: str, data: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(data)
    try:
        assert len(read_corpus(tmp_path / name, on_error="skip")) == 0
    except TreewrightError as error:
        assert error.hint  # noqa: PT017
