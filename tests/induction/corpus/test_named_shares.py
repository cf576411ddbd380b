"""Labels that are distributions: the names of their classes stand in CSV and TSV."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classifiers import read_examples
from grammar.errors import CorpusError
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus, write_corpus

SHARES = [[0.25, 0.75], None, [1.0, 0.0]]


def corpus(classes: tuple[str, ...]) -> Corpus:
    labels = pa.array(SHARES, pa.list_(pa.float32()))
    return replace(Corpus.from_columns(text=["a", "b", "c"], label=labels), classes=classes)


@pytest.mark.parametrize("ending", ["csv", "tsv"])
@pytest.mark.parametrize("classes", [("pos", "neg"), ('a "b", c', "{x}"), ("1", "0"), ()])
def test_what_is_written_is_read(tmp_path: Path, classes: tuple[str, ...], ending: str) -> None:
    file = tmp_path / f"x.{ending}"
    write_corpus(corpus(classes), file)
    again = read_corpus(file)
    assert again.table.equals(corpus(classes).table)
    assert again.classes == classes


def test_the_names_stand_in_the_cells(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    write_corpus(corpus(("neg", "pos")), file)
    lines = file.read_text().splitlines()
    assert lines[1] == '0,a,"{""neg"": 0.25, ""pos"": 0.75}"'
    assert lines[2] == "1,b,"


@given(st.lists(st.text("ab{}[]\",:\\ \n'é", min_size=1), min_size=2, max_size=4, unique=True))
def test_any_names_are_given_back(names: list[str]) -> None:
    import tempfile

    shares = pa.array([[1 / len(names)] * len(names)], pa.list_(pa.float32()))
    given = replace(Corpus.from_columns(text=["a"], label=shares), classes=tuple(names))
    with tempfile.TemporaryDirectory() as folder:
        write_corpus(given, f"{folder}/x.csv")
        again = read_corpus(f"{folder}/x.csv")
    assert again.classes == tuple(names)
    assert again.column("label") == given.column("label")


def test_shares_by_name_are_read_from_anything(tmp_path: Path) -> None:
    rows = [{"text": "a", "label": {"pos": 0.5, "neg": 0.5}}, {"text": "b", "label": {"pos": 1}}]
    read = read_corpus(rows)
    assert read.classes == ("pos", "neg")
    assert read.column("label") == [[0.5, 0.5], [1.0, 0.0]]
    examples = read_examples(rows)
    assert examples.classes == ("pos", "neg")
    (tmp_path / "x.jsonl").write_text('{"text": "a", "label": {"pos": 0.5, "neg": 0.25}}\n')
    with pytest.raises(CorpusError, match="does not sum to 1"):
        read_corpus(tmp_path / "x.jsonl")


def test_classes_that_look_like_shares_stay_names(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("text,label\na,{x}\nb,{y}\n")
    assert read_corpus(file).column("label") == ["{x}", "{y}"]


@pytest.mark.parametrize("workers", [(), ("--workers", "2")])
def test_mixed_examples_have_the_names_of_their_classes(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    from typer.testing import CliRunner

    from treewright.cli import app

    source = tmp_path / "in.csv"
    lines = [f"a {w} film {k},{['bad', 'good'][k % 2]}" for k, w in enumerate("abcdefgh")]
    source.write_text("\n".join(["text,sentiment", *lines]) + "\n")
    output = tmp_path / "out.csv"
    way = ["augment", str(source), "-o", str(output), "-m", "randmix", "-n", "6", *workers]
    done = CliRunner().invoke(app, way)
    assert done.exit_code == 0, done.output
    made = read_corpus(output)
    assert made.classes == ("bad", "good")
    assert '{""bad"": ' in output.read_text()
    again = CliRunner().invoke(
        app, ["augment", str(output), "-o", str(tmp_path / "2.csv"), "-m", "shuffle", "-n", "4"]
    )
    assert again.exit_code == 0, again.output
    assert read_corpus(tmp_path / "2.csv").classes == ("bad", "good")
