"""What every family of grammars keeps to: file, graph, rules, check, look and picture."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from grammar import Grammar, OptionError, SchemaError, Tree, Weighted, open_grammar
from grammar.opening import FAMILIES, family_of
from grammar.rng import stream_key
from grammar.sampling_kernels.ancestral import AncestralSampler, derivation_trees
from grammar.saving.array_file import save_arrays
from tests.checksums import without_seal
from tests.grammar.strategies import grammars

SAVED = Path(__file__).parents[1] / "guards" / "saved"
FILES = {
    "pcfg": "pcfg.json.gz",
    "pcfg in text": "pcfg-text.txt",
    "tsg": "double-dop.json.gz",
    "lpcfg": "lpcfg.json.gz",
    "synchronous": "synchronous.json.gz",
    "synchronous in text": "synchronous-text.txt",
    "terms": "terms.json.gz",
    "latent": "latent.arrow",
}
"""Of each family, a file that an earlier version saved."""


@pytest.fixture(scope="module", params=FILES)
def grammar(request: pytest.FixtureRequest) -> Any:
    return open_grammar(SAVED / FILES[request.param])


def test_it_is_a_grammar_of_its_family(grammar: Weighted) -> None:
    assert isinstance(grammar, Weighted)
    found = grammar.graph.graph["family"]
    assert found == grammar.family
    name = getattr(grammar.codec, "schema", grammar.family)
    assert family_of(name) is type(grammar)


def test_what_is_saved_is_opened_and_equal(grammar: Weighted, tmp_path: Path) -> None:
    for suffix in grammar.codec.suffixes:
        path = tmp_path / f"grammar{suffix}"
        grammar.save(path)
        opened = open_grammar(path)
        assert type(opened) is type(grammar)
        assert (opened.start, len(opened)) == (grammar.start, len(grammar))
        texts = [opened.rule_text(number) for number in range(len(opened))]
        assert texts == [grammar.rule_text(number) for number in range(len(grammar))]
        counted = not hasattr(grammar, "to_text") or suffix.startswith(".json")
        if counted:  # the notation has no counts
            assert opened == grammar
            assert type(grammar).load(path) == grammar
            assert nx.utils.graphs_equal(opened.graph, grammar.graph)


def test_notes_are_kept_in_files(grammar: Weighted, tmp_path: Path) -> None:
    noted = grammar.noted(method="by hand").noted(options={"length": "2:5"}, known=["0f"])
    assert dict(grammar.notes) == {}
    assert noted != grammar
    path = tmp_path / f"grammar{grammar.codec.suffixes[0]}"
    noted.save(path)
    opened = open_grammar(path)
    assert opened == noted
    assert opened.notes == {"method": "by hand", "options": {"length": "2:5"}, "known": ["0f"]}
    if path.suffix == ".json":
        assert opened.graph.graph["notes"] == dict(noted.notes)
        broken = tmp_path / "broken.json"
        broken.write_text(without_seal(path).replace('"notes": {', '"notes": [], "x": {'))
        with pytest.raises(SchemaError, match="notes: a list is not a mapping"):
            open_grammar(broken)


def test_equal_grammars_are_saved_as_equal_bytes(grammar: Weighted, tmp_path: Path) -> None:
    suffix = grammar.codec.suffixes[0]
    grammar.save(tmp_path / f"one{suffix}")
    open_grammar(tmp_path / f"one{suffix}").save(tmp_path / f"two{suffix}")
    assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()


@pytest.mark.parametrize("suffix", [".arrow", ".json", ".json.gz", ".txt", ".parquet", ".v2"])
def test_a_name_that_says_something_else_is_refused(
    grammar: Weighted, suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"grammar{suffix}"
    if suffix in grammar.codec.suffixes:
        return
    with pytest.raises(OptionError, match="is not saved under such a name") as caught:
        grammar.save(path)
    assert all(each in str(caught.value) for each in grammar.codec.suffixes)
    assert not path.exists()


def test_every_rule_has_a_text_and_no_other_number_has(grammar: Weighted) -> None:
    assert all(grammar.rule_text(number) for number in range(len(grammar)))
    for number in (len(grammar), -1):
        with pytest.raises(IndexError):
            grammar.rule_text(number)


def test_the_graph_is_frozen_and_in_the_layout(grammar: Weighted) -> None:
    graph = grammar.graph
    assert nx.is_frozen(graph)
    assert grammar.graph is graph
    assert graph.nodes[f"symbol:{grammar.start}"]["kind"] == "symbol"
    rules = [node for node, kind in graph.nodes(data="kind") if kind == "rule"]
    assert len(rules) == len(grammar)
    sums: dict[str, float] = {}
    for rule in rules:
        [(symbol, _, weight)] = graph.in_edges(rule, data="weight")
        sums[symbol] = sums.get(symbol, 0.0) + weight
    assert np.allclose(list(sums.values()), 1.0)


def test_it_shows_itself(grammar: Weighted, tmp_path: Path) -> None:
    look = grammar.describe(top=3)
    assert look.family == grammar.family
    assert repr(look).startswith("family ")
    assert "<pre>family" in look._repr_html_()
    json.dumps(look.to_dict())
    assert look.to_dict(details=False).items() < look.to_dict().items()
    look.draw(str(tmp_path / "look.svg"))
    assert "<svg" in (tmp_path / "look.svg").read_text(encoding="utf-8")
    assert "<svg" in grammar._repr_svg_()
    with pytest.raises(OptionError, match="has no symbol 'no such symbol'"):
        grammar.describe("no such symbol")


def test_its_repr_is_one_short_line(grammar: Weighted) -> None:
    assert repr(grammar).startswith(type(grammar).__name__)
    assert len(repr(grammar)) < 300
    assert "\n" not in repr(grammar)


def test_it_is_checked(grammar: Weighted) -> None:
    report = grammar.check()
    json.dumps(report.to_dict())
    lines = dict(report.lines())
    assert re.match(r"[\d,]+ ", lines["rules"])
    assert lines["rules"].split()[0].replace(",", "").isdecimal()


def test_it_is_exported_for_other_tools(grammar: Weighted, tmp_path: Path) -> None:
    grammar.write_graphml(tmp_path / "g.graphml")
    graph = nx.read_graphml(tmp_path / "g.graphml", force_multigraph=True)
    assert len(graph) == len(grammar.graph)
    assert graph.number_of_edges() == grammar.graph.number_of_edges()


def test_a_grammar_equals_no_other_and_has_no_hash(grammar: Weighted) -> None:
    assert grammar == grammar
    assert grammar != Grammar.parse("NONE -> 'nothing' [1]")
    assert grammar != "a grammar"
    with pytest.raises(TypeError, match="unhashable"):
        hash(grammar)


def test_a_view_as_a_pcfg_has_the_derivations(grammar: Weighted) -> None:
    pcfg = grammar.pcfg
    if grammar.family in ("synchronous", "latent"):
        assert pcfg is None
        return
    drawn = AncestralSampler(pcfg).draw(stream_key(0, "contract"), 0, 5)
    for begin, end in zip(drawn.rule_offsets, drawn.rule_offsets[1:], strict=False):
        rules = drawn.rules[begin:end].tolist()
        tree = grammar.tree_of(rules)
        assert tree.leaves() == pcfg.tree_of(rules).leaves()
        what, texts = grammar.used(rules)
        assert what in ("rules", "fragments")
        assert texts
        with pytest.raises(OptionError):
            grammar.tree_of(rules[:-1])
    with pytest.raises(OptionError, match="uses rule"):
        grammar.used([len(pcfg)])


@given(grammars(empty_rules=False))
def test_trees_of_a_pcfg_are_those_of_its_derivations(grammar: Grammar) -> None:
    if not grammar.check().tight or not np.isfinite(grammar.check().expected_length):
        return
    drawn = AncestralSampler(grammar).draw(stream_key(1, "trees"), 0, 4)
    expected = list(derivation_trees(grammar, drawn))
    bounds = zip(drawn.rule_offsets, drawn.rule_offsets[1:], strict=False)
    made = [grammar.tree_of(drawn.rules[begin:end].tolist()) for begin, end in bounds]
    assert made == expected
    assert all(isinstance(tree, Tree) for tree in made)


# --- opening -----------------------------------------------------------------------------------


def test_every_family_of_the_table_is_a_class_that_says_so() -> None:
    for name in FAMILIES:
        found = family_of(name)
        assert name in (found.family, getattr(getattr(found, "codec", None), "schema", name))


def test_weights_are_normalised_only_where_they_can_be(tmp_path: Path) -> None:
    path = tmp_path / "counts.txt"
    path.write_text("S -> 'a' [3] | 'b' [1]")
    assert open_grammar(path, normalise=True).weight.tolist() == [0.75, 0.25]
    path.write_text("walk ### WALK [3]\nrun ### RUN [1]")
    assert sorted(open_grammar(path, normalise=True).weight.tolist()) == [0.25, 0.75]
    for name in ("tsg", "lpcfg", "latent"):
        with pytest.raises(OptionError, match="cannot be normalised"):
            open_grammar(SAVED / FILES[name], normalise=True)


def test_a_file_that_holds_no_grammar_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    path.write_text(json.dumps({"schema": "treewright.grammar/1", "family": "odd", "start": "S",
                                "nodes": [], "edges": []}))  # fmt: skip
    with pytest.raises(SchemaError, match="unknown family 'odd'"):
        open_grammar(path)
    save_arrays(tmp_path / "a.arrow", "treewright.spans/0", {}, {})
    with pytest.raises(SchemaError, match=r"'treewright.spans/0', and 'treewright.spans/1' is"):
        open_grammar(tmp_path / "a.arrow")
    save_arrays(tmp_path / "b.arrow", "another program's", {}, {})
    with pytest.raises(SchemaError, match='its schema is "another program\'s"'):
        open_grammar(tmp_path / "b.arrow")


def test_an_arrow_file_with_another_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "parser.json"
    path.write_bytes((SAVED / FILES["latent"]).read_bytes())
    with pytest.raises(SchemaError, match="this is an Arrow file") as caught:
        open_grammar(path)
    assert "name it .arrow" in str(caught.value)


def test_a_graph_of_another_family_is_refused() -> None:
    graph = open_grammar(SAVED / FILES["tsg"]).graph
    with pytest.raises(SchemaError, match="of the family 'tsg', not 'pcfg'"):
        Grammar.from_graph(graph)


@pytest.mark.parametrize("name", ["train.csv", "train.jsonl.gz", "trees.mrg"])
def test_a_corpus_is_no_grammar_and_says_what_makes_one(tmp_path, name):
    (tmp_path / name).write_text("text,label\n")
    with pytest.raises(SchemaError, match="a corpus, by its name") as caught:
        open_grammar(tmp_path / name)
    assert f"treewright induce {tmp_path / name} -o" in caught.value.hint
