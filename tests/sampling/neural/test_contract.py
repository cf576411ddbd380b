"""What every method with a model keeps, and what its options do; the models are tiny."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest

from grammar.errors import CorpusError, MissingDataError, OptionError, SchemaError
from grammar.messages import heard_by
from grammar.opening import open_grammar
from induction.corpus.corpus import Corpus
from sampling.examples.labels import check_corpus
from sampling.explanations.explain import explain
from sampling.method import METHODS, induce
from sampling.opening import open_sampler
from sampling.pipeline.augment import augment
from sampling.stream import Sampler

TRIED: dict[str, dict[str, Any]] = {"linda": {"beams": 1}, "ctxsub": {}, "ssmba": {},
    "backtranslation": {"least": 0, "ratio": 9.0}, "prompted": {"pieces": 40},
}  # fmt: skip
EXERCISED: dict[str, list[dict[str, Any]]] = {
    "linda": [
        {"mix": "same"}, {"mix": "cross"}, {"low": 0.5}, {"high": 0.5}, {"spread": 0.5},
        {"temperature": 0.2}, {"beams": 8},
    ],
    "ctxsub": [{"share": 0.6}, {"draw": "best"}, {"top": 2}, {"label": True}],
    "backtranslation": [
        {"temperature": 0.0}, {"temperature": 0.0, "beams": 1}, {"least": 24}, {"ratio": 0.2},
    ],
    "prompted": [{"shown": 3}, {"temperature": 0.3}, {"pieces": 12}, {"soft": False}],
    "ssmba": [{"share": 0.6}, {"masked": 0.0}, {"steps": 3}, {"top": 2}],
}  # fmt: skip
MODELS = (
    "model", "teacher", "device", "back", "endpoint", "key", "tries", "seconds", "prices",
    "skeletons",
)  # fmt: skip
"""Options whose values are models or places, or about these; they are tried by themselves."""


def test_every_method_with_a_model_is_asked() -> None:
    assert set(TRIED) == {name for name, method in METHODS.items() if method.needs_model}


@pytest.fixture(params=TRIED)
def sampler(request: pytest.FixtureRequest, corpus: Corpus) -> Sampler:
    return induced(request, request.param, corpus)


def induced(request: Any, name: str, corpus: Corpus, **options: Any) -> Sampler:
    models = request.getfixturevalue("models")
    return induce(name, corpus, **{**models[name], **TRIED[name], **options})


def quietly(sampler: Sampler, n: int, **which: Any) -> pa.Table:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sampler.sample(n, **which).table


def test_a_saved_grammar_gives_the_same_bytes_without_the_corpus(
    sampler: Sampler, tmp_path: Path
) -> None:
    path = tmp_path / "grammar.arrow"
    sampler.grammar.save(path)
    grammar = open_grammar(path)
    assert grammar == sampler.grammar
    assert nx.utils.graphs_equal(grammar.graph, sampler.grammar.graph)
    opened = open_sampler(path)
    assert repr(opened) == repr(sampler)
    assert opened.count() == sampler.count()
    whole = quietly(sampler, 6, seed=3)
    assert whole.num_rows >= 4
    assert quietly(opened, 6, seed=3).equals(whole)
    assert quietly(opened, 2, seed=3, start=2).equals(whole.slice(2, 2))
    assert not quietly(opened, 4, seed=4).column("text").equals(whole.slice(0, 4).column("text"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tables = list(opened.batches(6, seed=3, workers=2, batch_size=4))
    assert pa.concat_tables(tables).equals(whole)


def test_examples_are_new_valid_and_say_what_made_them(sampler: Sampler, corpus: Corpus) -> None:
    made = Corpus(quietly(sampler, 6, seed=1))
    check_corpus(made)
    texts = made.column("text")
    assert len(set(texts)) == len(texts)
    assert not set(texts) & set(corpus.column("text"))
    by_id = dict(zip(corpus.column("id"), corpus.column("text"), strict=True))
    for row in made:
        used = sampler.grammar.used(row["provenance"]["rules"])[1]
        parents = [by_id[name] for name in row["provenance"]["parents"]]
        assert [f"a text -> {text}" for text in parents] == used[1 : 1 + len(parents)]
        assert row["provenance"]["log_probability"] <= 0
        assert explain(made, row["id"], source=corpus).passages


def test_a_grammar_is_looked_at(sampler: Sampler) -> None:
    grammar = sampler.grammar
    look = grammar.describe(top=3)
    assert json.loads(json.dumps(look.to_dict()))["family"] == grammar.family
    assert grammar.check().to_dict()
    for number in (-1, len(grammar)):
        with pytest.raises(IndexError):
            grammar.rule_text(number)


@pytest.mark.parametrize("name", TRIED)
def test_a_pair_is_made_of_the_sides_of_its_parents(
    request: pytest.FixtureRequest, corpus: Corpus, name: str
) -> None:
    pairs = corpus.with_column("text_pair", corpus.column("text")[::-1])
    made = Corpus(quietly(induced(request, name, pairs), 4))
    assert len(made)
    assert all(made.column("text_pair"))
    check_corpus(made)


@pytest.mark.parametrize(
    ("name", "options"), [(name, row) for name, rows in EXERCISED.items() for row in rows]
)
def test_an_option_changes_what_is_made(
    request: pytest.FixtureRequest, corpus: Corpus, name: str, options: dict[str, Any]
) -> None:
    made = quietly(induced(request, name, corpus, **options), 6)
    check_corpus(Corpus(made))
    assert not made.equals(quietly(induced(request, name, corpus), 6))


@pytest.mark.parametrize("name", TRIED)
def test_every_option_is_exercised(name: str) -> None:
    for option in METHODS[name].options:
        values = [row[option.name] for row in EXERCISED[name] if option.name in row]
        if option.name not in MODELS:
            assert values, f"{name}: {option.name}"
            assert option.choices is None or {*values} >= {*option.choices} - {option.default}


@pytest.mark.parametrize("name", TRIED)
def test_a_teacher_labels_what_is_made(
    request: pytest.FixtureRequest, corpus: Corpus, name: str, tmp_path: Path
) -> None:
    def teacher(texts: list[str]) -> Any:
        return np.array([[0.25, 0.75] if "a" in text else [1.0, 0.0] for text in texts])

    sampler = induced(request, name, corpus, teacher=teacher)
    for row in Corpus(quietly(sampler, 4)):
        assert row["label"] == ([0.25, 0.75] if "a" in row["text"] else [1.0, 0.0])
    with pytest.raises(OptionError, match="a function cannot be saved"):
        sampler.grammar.save(tmp_path / "g.arrow")
    for wrong in (lambda texts: [[0.5, 0.2]] * len(texts), lambda texts: [1.0], 3):
        with pytest.raises(OptionError, match="teacher"):
            quietly(induced(request, name, corpus, teacher=wrong), 1)
    folder = str(request.getfixturevalue("classifier_folder"))
    made = Corpus(quietly(induced(request, name, corpus, teacher=folder), 3))
    assert all(sum(label) == pytest.approx(1) for label in made.column("label"))


@pytest.mark.parametrize("name", TRIED)
def test_augment_takes_it_in_an_expression(
    request: pytest.FixtureRequest, corpus: Corpus, name: str
) -> None:
    given = {**request.getfixturevalue("models")[name], **TRIED[name]}
    said = ", ".join(f"{key}={value!r}" for key, value in given.items())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with heard_by(lambda message: None):
            made = augment(corpus, f"{name}({said})", n=4, seed=2)
            again = augment(corpus, f"{name}({said})", n=4, seed=2, workers=2)
    assert len(made.corpus)
    assert made.corpus.table.equals(again.corpus.table)


@pytest.mark.parametrize("name", TRIED)
def test_bad_input_is_told(
    request: pytest.FixtureRequest, corpus: Corpus, name: str, tmp_path: Path
) -> None:
    with pytest.raises(OptionError, match="needs"):
        induce(name, corpus)
    with pytest.raises(MissingDataError, match="no such folder"):
        induced(request, name, corpus, model=f"{tmp_path}/nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingDataError, match=r"config\.json is missing"):
        induced(request, name, corpus, model=str(tmp_path / "empty"))
    with pytest.raises(MissingDataError, match="save_pretrained"):
        induced(request, name, corpus, model="nobody/no-such-model")
    other = request.getfixturevalue("classifier_folder")
    with pytest.raises(OptionError, match="is not an? "):
        induced(request, name, corpus, model=str(other))
    with pytest.raises(CorpusError, match="the text is empty"):
        induced(request, name, Corpus.from_columns(text=["one", " "]))
    long = Corpus.from_columns(text=[*corpus.column("text")[:3], "word " * 300])
    said: list[str] = []
    with heard_by(said.append):
        assert len(induced(request, name, long).grammar.hosts) == 3
    assert said == [f"{name} leaves out 1 texts that are longer than the model"]
    with pytest.raises(CorpusError, match="not longer than the model"):
        induced(request, name, Corpus.from_columns(text=["word " * 300] * 2))


def test_a_model_that_was_changed_is_refused(
    request: pytest.FixtureRequest, sampler: Sampler, tmp_path: Path
) -> None:
    changed = type(sampler.grammar)(**{**vars_of(sampler.grammar), "weights": "another"})
    with pytest.raises(SchemaError, match="weights of the model are not those"):
        quietly(type(sampler)(changed), 1)


def vars_of(grammar: Any) -> dict[str, Any]:
    return {name: getattr(grammar, name) for name in type(grammar).__dataclass_fields__}


def test_libraries_that_are_missing_are_named(
    monkeypatch: pytest.MonkeyPatch, corpus: Corpus
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    for name in TRIED:
        given = {"model": "somewhere"}
        if name == "backtranslation":
            given["back"] = "somewhere"
        with pytest.raises(MissingDataError, match=r"needs the library torch") as caught:
            induce(name, corpus, **given)
        assert "treewright[neural]" in str(caught.value)
