"""What a saved grammar says of itself is checked where it is opened, whatever its seal."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from grammar.errors import OptionError, SchemaError, TreewrightError
from grammar.opening import open_grammar
from grammar.saving.array_file import load_arrays, save_arrays
from grammar.weighted import Weighted
from induction.corpus.corpus import Corpus
from sampling.method import induce
from sampling.opening import open_sampler

CORPUS = Corpus.from_columns(
    text=["the old dog saw a cat", "a bird heard the young fox", "we slept"],
    label=[0, 1, 1],
    tree=["(S (NP (DT the) (JJ old) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat))))",
          "(S (NP (DT a) (NN bird)) (VP (VBD heard) (NP (DT the) (JJ young) (NN fox))))",
          "(S (NP (PRP we)) (VP (VBD slept)))"],
)  # fmt: skip
OTHERS = Corpus.from_columns(
    text=["walk twice", "jump twice", "walk", "look twice"], label=[0, 1, 0, 1]
)
MADE: dict[str, tuple[str, Corpus, dict[str, Any]]] = {
    "sub2": ("sub2", CORPUS, {"phrase": True}),
    "treemix": ("treemix", CORPUS, {"low": 0.0, "high": 1.0}),
    "aeda": ("aeda", OTHERS, {}),
    "alp": ("alp", Corpus(pa.concat_tables([CORPUS.table] * 2)), {"synonym": 0.0, "quantile": 0.0}),
    "alp-code": ("alp", Corpus(pa.concat_tables([CORPUS.table] * 2)), {"faithful": "code"}),
    "fluent": ("fluent", CORPUS, {"of": "treemix(low=0, high=1)", "candidates": 4}),
    "geca-stream": ("geca-stream", OTHERS, {"size": 1, "window": 1, "gaps": 1, "labels": "source"}),
}
ANYTHING = (None, True, -1, 2**70, 0.5, float("nan"), "", "\ud800", "x", [], [[]], {}, {"a": {}})


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("saved")
    paths = {}
    for name, (method, corpus, options) in MADE.items():
        paths[name] = folder / f"{name}.arrow"
        induce(method, corpus, **options).grammar.save(paths[name])
    return paths


def changed(
    whole: Path, folder: Path, change: Callable[[dict[str, Any], dict[str, Any]], None]
) -> Path:
    """Write a saved grammar again, with a valid seal, after a change of its facts or columns."""
    with pa.OSFile(str(whole)) as source:
        schema = pa.ipc.open_file(source).schema.metadata[b"schema"].decode()
    facts, columns = load_arrays(whole, schema, what="", hint="")
    change(facts, columns)
    path = folder / f"changed-{whole.name}"
    save_arrays(path, schema, facts, columns)
    return path


def used(path: Path) -> None:
    sampler = open_sampler(path)
    sampler.grammar.describe()
    sampler.sample(2)


@pytest.mark.parametrize("name", MADE)
def test_a_grammar_that_is_sealed_anew_is_as_it_was(name, saved, tmp_path):
    used(changed(saved[name], tmp_path, lambda facts, columns: None))


@pytest.mark.parametrize("name", MADE)
def test_any_value_in_any_fact_is_used_or_refused_as_ours(name, saved, tmp_path):
    """Each field of the facts, and of the mappings in them, is of each kind once."""
    facts, _ = _read(saved[name])
    for path in _fields(facts):
        for value in ANYTHING:

            def change(facts, columns, path=path, value=value):
                holder = facts
                for key in path[:-1]:
                    holder = holder[key]
                holder[path[-1]] = copy.deepcopy(value)

            damaged = changed(saved[name], tmp_path, change)
            said = damaged.name
            try:
                open_sampler(damaged)
            except TreewrightError as error:
                said = str(error)
            assert damaged.name in said, (path, value)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    with pa.OSFile(str(path)) as source:
        schema = pa.ipc.open_file(source).schema.metadata[b"schema"].decode()
    return load_arrays(path, schema, what="", hint="")


def _fields(value: Any) -> list[tuple[Any, ...]]:
    if not isinstance(value, dict):
        return []
    inner = [(key, *rest) for key, held in value.items() for rest in _fields(held)]
    return [(key,) for key in value] + inner


@pytest.mark.parametrize(
    ("name", "field", "value", "said"),
    [
        ("treemix", "options", 0, "facts.options: 0 is not a mapping"),
        ("treemix", "columns", [{}, "label"], r"facts.columns\[0\]: a dict is not a text"),
        ("treemix", "method", {}, "facts.method: a dict is not a text"),
        ("treemix", "method", "aeda", "method: 'aeda' is no method whose grammars"),
        ("treemix", "columns", ["text", "stars"], "columns: there is no 'stars'"),
        ("treemix", "sides", 2**40, "facts.sides: 1099511627776 is not a whole number from 1 to 2"),
        ("alp-code", "classes", {"classes": [0]}, "facts.classes: a dict is not a list"),
        ("alp-code", "classes", [[0] * 9, None], "facts.classes"),
        ("alp-code", "classes", [], "facts.classes: a list of 0 values"),
        ("aeda", "operations", [["an edit", "x", "1", []]], r"facts.operations\[0\]\[2\]: '1' is"),
        ("fluent", "kind", "language model", "facts.kind: 'language model' is not one of"),
        ("fluent", "suffix", "/../x.arrow", "facts.suffix"),
    ],
)  # fmt: skip
def test_a_fact_of_another_kind_is_named(name, field, value, said, saved, tmp_path):
    def change(facts, columns):
        facts[field] = value

    path = changed(saved[name], tmp_path, change)
    with pytest.raises(SchemaError, match=said) as caught:
        open_sampler(path)
    assert path.name in str(caught.value)
    with pytest.raises(SchemaError):
        open_grammar(path)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("low", "x", "options.low: low='x' is not of the kind float"),
        ("same_label", "../x", "options.same_label"),
        ("strict", 0.3, "options.strict"),
        ("mix", "none", "options.mix: mix='none' is not known"),
        ("high", 10**400, "options.high"),
        ("classes", {"a": 1}, "options.classes: a dict is not a single value"),
    ],
)  # fmt: skip
def test_an_option_that_cannot_be_used_is_named_with_its_file(option, value, said, saved, tmp_path):
    def change(facts, columns):
        facts["options"][option] = value

    path = changed(saved["treemix"], tmp_path, change)
    with pytest.raises(SchemaError, match=said):
        open_grammar(path)


def test_an_option_of_another_version_is_refused_by_the_sampler(saved, tmp_path):
    def change(facts, columns):
        facts["options"]["mixture"] = 1

    path = changed(saved["treemix"], tmp_path, change)
    assert isinstance(open_grammar(path), Weighted)
    with pytest.raises(OptionError, match="treemix has no option 'mixture'"):
        open_sampler(path)


@pytest.mark.parametrize(
    ("name", "column", "value", "said"),
    [
        ("treemix", "start", np.zeros(3, np.int64), "start: of the type int64, not int32"),
        ("treemix", "example", pa.array(["a"]), "example: of the type text, not int32"),
        ("treemix", "surplus", np.zeros(1), "the column 'surplus' is not known"),
        ("aeda", "examples", pa.array([1, 2]), "examples: of the type int64, not rows"),
        ("aeda", "examples", pa.array([{"id": "1"}]), "the corpus has no column 'text'|no column"),
        ("alp-code", "phrases", pa.array([None, "a"]), "phrases: of the type text or null"),
    ],
)  # fmt: skip
def test_a_column_of_another_type_is_named(name, column, value, said, saved, tmp_path):
    def change(facts, columns):
        columns[column] = value

    with pytest.raises(SchemaError, match=said):
        open_grammar(changed(saved[name], tmp_path, change))


def test_sentences_of_a_score_are_those_of_the_examples(saved, tmp_path):
    def change(facts, columns):
        columns["words tokens"] = np.append(columns["words tokens"], np.array([3, 2], np.int32))
        ends = columns["words offsets"]
        columns["words offsets"] = np.append(ends, ends[-1] + 2)

    with pytest.raises(SchemaError, match="not those of the examples"):
        open_sampler(changed(saved["fluent"], tmp_path, change))
