"""What every method keeps: its grammar is saved, opened, sampled without the corpus, and looked at.

The corpora are parts of those of the guards, so a method that is added is asked for in both.
"""

from __future__ import annotations

import functools
import json
import warnings
from pathlib import Path
from typing import Any

import networkx as nx
import pyarrow as pa
import pytest

from grammar.codecs import ArrayCodec
from grammar.errors import MissingDataError, OptionError, SchemaError
from grammar.opening import open_grammar
from grammar.weighted import Weighted
from induction.corpus.corpus import Corpus
from sampling.method import METHODS, induce
from sampling.opening import open_sampler
from sampling.stream import Sampler
from tests.guards.golden import METHODS_TRIED, corpora


@functools.cache
def held() -> dict[str, Corpus]:
    return {name: Corpus(corpus.table.slice(0, 120)) for name, corpus in corpora().items()}


@functools.cache
def induced(name: str) -> Sampler:
    method, corpus, options = METHODS_TRIED[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return induce(method, held()[corpus], **options)
        except MissingDataError as error:
            pytest.skip(f"{error.what}")


def saved(grammar: Any, folder: Path) -> Path:
    path = folder / f"grammar{grammar.codec.suffixes[0]}"
    grammar.save(path)
    return path


def test_every_method_is_asked() -> None:
    tried = {method for method, _, _ in METHODS_TRIED.values()}
    with_models = {name for name, method in METHODS.items() if method.needs_model}
    assert tried == set(METHODS) - with_models  # those are asked in tests/sampling/neural


@pytest.mark.parametrize("name", METHODS_TRIED)
def test_a_saved_grammar_opens_as_it_was(name: str, tmp_path: Path) -> None:
    sampler = induced(name)
    grammar = sampler.grammar
    assert isinstance(sampler, Sampler)
    assert isinstance(grammar, Weighted)
    assert sampler.method == METHODS_TRIED[name][0]
    opened = open_grammar(saved(grammar, tmp_path))
    assert type(opened) is type(grammar)
    assert opened == grammar
    assert nx.is_frozen(opened.graph)
    assert nx.utils.graphs_equal(opened.graph, grammar.graph)
    assert len(opened) == len(grammar) > 0


@pytest.mark.parametrize("name", METHODS_TRIED)
def test_an_opened_grammar_is_sampled_to_the_same_bytes(name: str, tmp_path: Path) -> None:
    sampler = induced(name)
    path = saved(sampler.grammar, tmp_path)
    opened = open_sampler(path)
    assert type(opened) is type(sampler)
    assert repr(opened) == repr(sampler)
    assert opened.count() == sampler.count()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = sampler.sample(30, seed=3).table
        assert opened.sample(30, seed=3).table.equals(whole)
        assert open_sampler(path).sample(8, seed=3, start=20).table.equals(whole.slice(20, 8))
        assert opened.sample(9, seed=4).table.equals(sampler.sample(9, seed=4).table)
        tables = list(opened.batches(30, seed=3, workers=2, batch_size=7))
        assert all(table.num_rows == 7 for table in tables[:-1])
        assert pa.concat_tables(tables).equals(whole)


@pytest.mark.parametrize("name", METHODS_TRIED)
def test_a_grammar_is_looked_at_and_says_each_rule_of_an_example(name: str) -> None:
    grammar = induced(name).grammar
    look = grammar.describe(top=3)
    assert json.loads(json.dumps(look.to_dict()))["family"] == grammar.family
    assert look.lines()
    symbols = {n for _, n in grammar.graph.nodes(data="name") if f"symbol:{n}" in grammar.graph}
    assert grammar.start in symbols
    for symbol in sorted(symbols)[:3]:
        assert grammar.describe(symbol, top=2).lines()
    with pytest.raises(OptionError, match="has no symbol"):
        grammar.describe("no such symbol")
    assert grammar.check().to_dict()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = induced(name).sample(20, seed=1)
    for row in made:
        rules = row["provenance"]["rules"] or []
        what, said = grammar.used(rules)
        assert what
        assert len(said) == len(rules)
        assert all(said)
        assert all(grammar.rule_text(number) for number in rules)
    for number in (-1, len(grammar)):
        with pytest.raises(IndexError):
            grammar.rule_text(number)


@pytest.mark.parametrize("name", METHODS_TRIED)
def test_the_suffix_of_a_file_is_what_is_in_it(name: str, tmp_path: Path) -> None:
    grammar = induced(name).grammar
    other = ".json" if isinstance(grammar.codec, ArrayCodec) else ".arrow"
    with pytest.raises(OptionError, match="not saved under such a name"):
        grammar.save(tmp_path / f"grammar{other}")
    assert not list(tmp_path.iterdir())
    with pytest.raises(SchemaError, match="of the method"):
        METHODS["treemix" if name.startswith("sub2") else "sub2"].sampler(grammar)
