"""Labels that are sets of classes (multi-label): read, carried, divided, and never mixed."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from classifiers.examples import read_examples
from classifiers.training.strategies import divide
from grammar.errors import CorpusError
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus, write_corpus
from sampling.examples.labels import read_labels
from sampling.method import induce

SETS = [["x", "y"], ["y"], []]
TEXTS = [f"a {w} film is here and there , they {v} it" for w in ("bad", "good", "dull", "new")
         for v in ("saw", "like", "made")]  # fmt: skip


def corpus() -> Corpus:
    """Return texts of which one of four combinations of two words is in no set."""
    numbers = [0, 0, 2, 0, 2, 1, 1, 2, 1, 2, 2]
    return Corpus.from_columns(text=TEXTS[:4] + TEXTS[5:], label=[SETS[k] for k in numbers])


def test_lists_of_names_are_read_and_written(tmp_path: Path) -> None:
    lines = tmp_path / "in.jsonl"
    lines.write_text('{"text": "a", "labels": ["x", "y"]}\n{"text": "b", "labels": []}\n')
    given = read_corpus(lines)
    assert given.column("label") == [["x", "y"], []]
    for name in ("out.jsonl", "out.csv", "out.parquet"):
        write_corpus(given, tmp_path / name)
        again = read_corpus(tmp_path / name)
        assert again.column("label") == [["x", "y"], []]
        assert again.arrow("label").type == pa.list_(pa.string())


def test_lists_of_names_in_csv_are_read(tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    file.write_text('text,label\na film,"[""a"",""b""]"\nb film,"[""a""]"\n')
    assert read_corpus(file).column("label") == [["a", "b"], ["a"]]


def test_columns_of_0_and_1_are_read_as_sets_where_they_are_named(tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    file.write_text("text,toxic,insult\nso bad,1,1\nso good,0,0\nso so,0,1\n")
    given = read_corpus(file, label="toxic,insult")
    assert given.column("label") == [["toxic", "insult"], [], ["insult"]]
    file.write_text("text,toxic,insult\nso bad,1,2\n")
    with pytest.raises(CorpusError, match="'insult' holds '2'"):
        read_corpus(file, label="toxic,insult")


@pytest.mark.parametrize("label", [["x", "x"], ["x", ""]])
def test_no_set_holds_a_class_twice_or_without_a_name(label: list[str]) -> None:
    with pytest.raises(CorpusError, match="is there twice|has no name"):
        read_corpus([{"text": "a", "label": label}])


def test_sets_are_no_distributions() -> None:
    labels = read_labels(corpus())
    assert labels.sets is not None
    assert labels.sets[1:4] == (("x", "y"), (), ("x", "y"))
    assert labels.soft is None
    keys = labels.keys()
    assert keys[0] == keys[1] != keys[2]
    with pytest.raises(CorpusError, match="multi-label"):
        labels.distributions([0])


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("eda", {"alpha_sr": 0, "alpha_ri": 0}),
        ("aeda", {}),
        ("shuffle", {}),
        ("worddrop", {}),
        ("switchout", {}),
        ("random-word", {}),
        ("sub2", {"phrase": False, "length": True, "max_words": 3}),
        ("geca", {"gaps": 1, "size": 2, "window": 1}),
        ("geca-stream", {"gaps": 1, "size": 2, "window": 1}),
        ("fluent", {"of": "random-word", "candidates": 2}),
    ],
)
def test_methods_carry_sets_and_exchange_between_equal_ones(
    method: str, options: dict[str, Any], tmp_path: Path
) -> None:
    given = corpus()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sampler = induce(method, given, **options)
        made = sampler.sample(10)
        sampler.grammar.save(tmp_path / f"g{sampler.grammar.codec.suffixes[0]}")
    assert len(made)
    of_id = dict(enumerate(given.column("label")))
    for row in made:
        parents = [of_id[int(parent)] for parent in row["provenance"]["parents"]]
        assert all(parent == row["label"] for parent in parents), method


@pytest.mark.parametrize("method", ["treemix", "randmix", "grammar"])
def test_methods_that_mix_or_need_one_class_refuse_sets(method: str) -> None:
    trees = [
        "(S " + " ".join(f"(P (X {w}))" for w in text.split()) + ")"
        for text in corpus().column("text")
    ]
    with pytest.raises(CorpusError, match="multi-label") as caught:
        induce(method, corpus().with_column("tree", trees)).sample(2)
    assert "one class" in str(caught.value)


def test_divisions_keep_the_share_of_each_set() -> None:
    even = Corpus.from_columns(text=TEXTS, label=[SETS[k % 3] for k in range(12)])
    parts = divide(even, "train-val", lambda given: given)
    for part in (parts.learn, parts.choose):
        held = part.column("label")
        assert [held.count(names) for names in SETS] == [2, 2, 2]


def test_classifiers_read_sets_as_a_matrix() -> None:
    examples = read_examples(corpus())
    assert examples.multilabel
    assert examples.labels[1:4].tolist() == [[1, 1], [0, 0], [1, 1]]


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_sets_go_through_the_whole_pipeline(tmp_path: Path, ending: str) -> None:
    from sampling.pipeline.augment import augment

    made = augment(corpus(), "worddrop | aeda", n=5, keep_originals=True, dedup="minhash", seed=3)
    parents = dict(zip(corpus().column("id"), corpus().column("label"), strict=True))
    file = tmp_path / f"out.{ending}"
    write_corpus(made.corpus, file)
    again = read_corpus(file)
    assert len(again) == len(corpus()) + 5
    for identifier, label, record in zip(
        *(again.column(name) for name in ("id", "label", "provenance")), strict=True
    ):
        origin = identifier if record is None else record["parents"][0]
        assert label == parents[origin]


@pytest.mark.parametrize("asked", [{"balance": True}, {"per_class": 2}])
def test_sets_are_no_classes_to_balance_by(asked: dict[str, Any]) -> None:
    from sampling.pipeline.augment import augment

    with pytest.raises(CorpusError, match="no classes to balance or count by") as error:
        augment(corpus(), "worddrop", **asked)
    assert "n or times" in str(error.value.hint)
