"""Grammars of walks in files: the same bytes without the corpus, and damage is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from grammar.errors import SchemaError
from grammar.opening import open_grammar
from grammar.saving.array_file import load_arrays, save_arrays
from induction.corpus.corpus import Corpus
from sampling.geca.stream import GECAStream
from sampling.geca.walk_grammar import WalkGrammar

SCHEMA = WalkGrammar.codec.schema
WORDS = ("a", "b", "c", "d", "é")
TEXTS = [f"{x} {y}  {z}" for x in WORDS for y in WORDS for z in WORDS][::3]
SINGLES = Corpus.from_columns(
    text=TEXTS, label=[[i % 2 * 1.0, 1.0 - i % 2] for i in range(len(TEXTS))]
)
PAIRS = Corpus.from_columns(
    id=[f"x{i}" for i in range(len(TEXTS))],
    text=TEXTS,
    target=[" ".join(text.upper().split()[::-1]) for text in TEXTS],
    label=[i % 3 for i in range(len(TEXTS))],
)
OPTIONS = {"gaps": 2, "size": 1, "window": None, "max_count": None}


def sampler(corpus: Corpus) -> GECAStream:
    options = OPTIONS if "target" in corpus.names else {"window": 1, "max_count": None}
    return GECAStream.induce(corpus, **options)


@pytest.mark.parametrize("corpus", [SINGLES, PAIRS], ids=["singles", "pairs"])
def test_an_opened_grammar_gives_the_same_bytes(corpus: Corpus, tmp_path: Path) -> None:
    induced = sampler(corpus)
    induced.grammar.save(tmp_path / "walks.arrow")
    opened = open_grammar(tmp_path / "walks.arrow")
    assert opened == induced.grammar
    assert nx.utils.graphs_equal(opened.graph, induced.grammar.graph)
    for asked in ({"n": 30}, {"n": 10, "start": 12}, {"n": 10, "seed": 4}):
        assert GECAStream(opened).sample(**asked).table == induced.sample(**asked).table


@pytest.mark.parametrize("corpus", [SINGLES, PAIRS], ids=["singles", "pairs"])
def test_rules_are_told_as_the_graph_has_them(corpus: Corpus) -> None:
    grammar = sampler(corpus).grammar
    told = {f"rule:{number}": grammar.rule_text(number) for number in range(len(grammar))}
    shown = {
        rule: data.get("pattern", data.get("text"))
        for rule, data in grammar.graph.nodes(data=True)
        if data["kind"] == "rule"
    }
    assert {rule: told[rule] for rule in shown} == shown
    with pytest.raises(IndexError):
        grammar.rule_text(len(grammar))
    assert f"rules of {grammar.start}" in grammar.describe(top=3).details


def test_a_context_and_a_filler_are_told_as_patterns() -> None:
    corpus = Corpus.from_columns(text=["the wug  sang", "the cat sang", "a wug slept"])
    made = GECAStream.induce(corpus, window=1, size=1)
    row = made.sample(1)[0]
    context, filler = map(made.grammar.rule_text, row["provenance"]["rules"])
    assert row["text"] == context.replace("⟨0⟩", filler.removeprefix("⟨0⟩ "))


def damaged(columns: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return columns that do not fit the others, one at a time."""
    found: list[tuple[str, Any]] = []
    for name, column in columns.items():
        if not isinstance(column, np.ndarray):
            continue
        for value in (-2, 2**30):
            if column.dtype != np.uint8:
                spoilt = column.copy()
                spoilt[len(spoilt) // 2] = value
                found.append((name, spoilt))
        found.append((name, column[:-1]))
    found.append(("names", columns["names"][:-1]))
    found.append(("sizes", columns["sizes"] + 1))
    return found


@pytest.mark.parametrize("corpus", [SINGLES, PAIRS], ids=["singles", "pairs"])
def test_a_damaged_file_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "walks.arrow"
    sampler(corpus).grammar.save(path)
    facts, columns = load_arrays(path, SCHEMA, what="", hint="")
    for name, column in damaged(columns):
        save_arrays(path, SCHEMA, facts, {**columns, name: column})
        with pytest.raises(SchemaError, match="the file is damaged"):
            open_grammar(path)
    for name in columns:
        if not name.endswith("_1"):
            save_arrays(path, SCHEMA, facts, {n: c for n, c in columns.items() if n != name})
            with pytest.raises(SchemaError, match="the file is damaged"):
                open_grammar(path)


def test_words_are_parted_by_ascii_white_space_alone() -> None:
    corpus = Corpus.from_columns(text=["the\u00a0wug sang", "a cat sang", "the\u00a0wug slept"])
    made = GECAStream.induce(corpus, window=1, size=2).sample(1)
    assert made.column("text") == ["a cat slept"]
