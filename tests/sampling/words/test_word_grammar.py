"""Grammars of methods that edit words: their rules, their files, and files that are damaged."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import CorpusError, OptionError, SchemaError
from grammar.saving.array_file import load_arrays, save_arrays
from induction.corpus.corpus import Corpus
from sampling import AEDA, EDA, RandomWord, Shuffle, SwitchOut, WordDrop, explain, open_sampler
from sampling.method import induce
from sampling.words.grammar import EDIT, START, WordGrammar

GIVEN: dict[str, tuple[str, dict[str, Any]]] = {
    "delete": ("eda", {"alpha_sr": 0, "alpha_ri": 0, "alpha_rs": 0}),
    "swap or delete": ("eda", {"alpha_sr": 0, "alpha_ri": 0}),
    "aeda": ("aeda", {}),
    "random-word": ("random-word", {"draw": "unigram"}),
    "switchout": ("switchout", {"target": True}),
    "drop": ("worddrop", {"p": 0.3}),
    "blank": ("worddrop", {"p": 0.3, "blank": "<unk>"}),
    "shuffle": ("shuffle", {}),
}
words = st.text("abcé漢,.", min_size=1, max_size=3)
texts = st.lists(st.lists(words, min_size=2, max_size=5).map(" ".join), min_size=2, max_size=4)


def small() -> Corpus:
    return Corpus.from_columns(
        text=["a sad film", "one of the best films", "no"],
        label=[0, 1, 0],
        target=["x y", "y", "z"],
        text_pair=["p", "q", "r"],
    )


@given(rows=texts, name=st.sampled_from(sorted(GIVEN)), seed=st.integers(0, 9))
@settings(max_examples=60)
def test_what_is_saved_is_what_was_induced(
    rows: list[str], name: str, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    method, options = GIVEN[name]
    try:
        corpus = Corpus.from_columns(text=rows, target=rows, text_pair=rows[::-1])
        sampler = induce(method, corpus, distinct=False, **options)
    except CorpusError:
        return
    path = tmp_path_factory.mktemp("grammar") / "grammar.arrow"
    sampler.grammar.save(path)
    opened = open_sampler(path)
    assert opened.grammar == sampler.grammar
    assert opened.grammar.options == {**sampler.grammar.options, "distinct": False}
    assert opened.sample(10, seed=seed).table.equals(sampler.sample(10, seed=seed).table)
    numbers = [0, len(rows) - 1, 0]
    varied = sampler.vary(numbers, seed=seed, epoch=2).table
    assert opened.vary(numbers, seed=seed, epoch=2).table.equals(varied)
    other = induce(method, corpus, distinct=True, **options).grammar
    assert other != sampler.grammar


@pytest.mark.parametrize("name", sorted(GIVEN))
def test_weights_sum_to_one_and_every_rule_is_in_the_graph(name: str) -> None:
    method, options = GIVEN[name]
    grammar = induce(method, small(), **options).grammar
    sums: dict[str, float] = defaultdict(float)
    rules = {f"rule:{number}" for number in range(len(grammar))}
    for symbol, rule, weight in grammar.graph.edges(data="weight"):
        if weight is not None:
            sums[symbol] += weight
            rules.remove(rule)
    assert not rules
    assert sums == {symbol: pytest.approx(1) for symbol in sums}
    assert {f"symbol:{START}", f"symbol:{EDIT}"} <= sums.keys()
    findings = grammar.check().to_dict()
    assert findings["proper"]
    assert not findings["unreachable"]


def said(grammar: WordGrammar) -> list[str]:
    return [grammar.rule_text(number) for number in range(len(grammar))]


def test_operations_are_rules() -> None:
    assert said(WordDrop.induce(small(), p=0.25, blank="<unk>").grammar)[:4] == [
        "blank -> <unk>", "an edit -> drop words", "each word -> drop it", "each word -> keep it",
    ]  # fmt: skip
    shuffled = Shuffle.induce(small()).grammar
    assert said(shuffled) == [
        "an edit -> reorder words", "each group -> 3 words in any order",
        "each group -> 5 words in any order", "a text -> a sad film",
        "a text -> one of the best films",
    ]  # fmt: skip
    assert [rule.weight for rule in shuffled.operations] == [1, 0.5, 0.5]
    edits = EDA.induce(small(), alpha_sr=0, alpha_ri=0, alpha_rd=0.2).grammar.operations
    assert [(rule.symbol, rule.weight) for rule in edits] == [
        ("an edit", 0.5), ("an edit", 0.5), ("each word", 0.2), ("each word", 0.8),
    ]  # fmt: skip
    tree = "(S (A a) (B (C b) (D c) (E d)))"
    corpus = Corpus.from_columns(text=["a b c d"], tree=[tree])
    assert said(Shuffle.induce(corpus, structure="tree", rate=0.5).grammar) == [
        "an edit -> reorder children", "each group -> 2 children in any order",
        "each group -> 3 children in any order", "each group -> the order as it is",
        "a text -> a b c d",
    ]  # fmt: skip


def test_words_that_can_be_put_in_are_rules() -> None:
    assert AEDA.induce(small(), marks=".;").grammar.choices("gap") == {".": 0.5, ";": 0.5}
    drawn = RandomWord.induce(small(), draw="unigram").grammar
    assert sum(drawn.choices("word").values()) == pytest.approx(1)
    assert drawn.describe("word", top=2).details["rules of word"] == [
        "of [0.111111]", "best [0.111111]",
    ]  # fmt: skip
    switched = SwitchOut.induce(small(), target=True).grammar
    assert set(switched.choices("word of a target")) == {"x", "y", "z"}
    with pytest.raises(KeyError):
        switched.choices("verb")
    tagged = Corpus.from_columns(text=["a b", "c d"], tags=[["X", "Y"], ["X", "X"]])
    by_tag = RandomWord.induce(tagged, same_tag=True).grammar
    assert by_tag.describe("a replaced word").details["rules of a replaced word"] == ["X [1]"]


def test_a_word_may_have_the_name_of_a_symbol() -> None:
    corpus = Corpus.from_columns(text=["edit an text a", "each word"])
    grammar = RandomWord.induce(corpus).grammar
    assert {"word:edit", "symbol:an edit", "symbol:word"} <= set(grammar.graph)


def test_a_grammar_knows_the_parents_of_its_examples() -> None:
    sampler = WordDrop.induce(small(), p=0.5)
    made = sampler.sample(1)
    told = explain(made, made.column("id")[0], grammar=sampler.grammar)
    assert not told.note
    assert told.passages[0].text == small()[int(made[0]["provenance"]["parents"][0])]["text"]


def test_what_is_looked_for_and_missing_is_said() -> None:
    with pytest.raises(OptionError, match="no symbol 'an edt'.*\n.*an edit"):
        AEDA.induce(small()).grammar.describe("an edt")


DAMAGE: dict[str, Any] = {
    "hosts": np.array([0, 3]),
    "offsets": np.array([0, 99]),
    "form": np.full(9, 77, np.int32),
    "ends": np.linspace(1, 0, 9),
    "replaced": np.zeros(3, np.int32),
    "inserted": np.full(9, 5, np.int32),
    "names": ["one", "two"],
    "vocabulary": ["one"],
    "examples": np.zeros(2),
}


@pytest.mark.parametrize("column", sorted(DAMAGE))
def test_files_whose_columns_do_not_fit_are_refused(column: str, tmp_path: Path) -> None:
    path = tmp_path / "grammar.arrow"
    RandomWord.induce(small()).grammar.save(path)
    facts, columns = load_arrays(path, "treewright.words/1", what="", hint="")
    assert WordGrammar.from_arrays(facts, dict(columns)) is not None
    for changed in ({**columns, column: DAMAGE[column]}, {**columns, column: []}):
        save_arrays(path, "treewright.words/1", facts, changed)
        with pytest.raises(SchemaError, match="damaged"):
            open_sampler(path)
    del columns[column]
    save_arrays(path, "treewright.words/1", facts, columns)
    with pytest.raises(SchemaError, match="damaged"):
        open_sampler(path)


def test_options_of_a_file_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "grammar.arrow"
    RandomWord.induce(small()).grammar.save(path)
    facts, columns = load_arrays(path, "treewright.words/1", what="", hint="")
    facts["options"]["replaced"] = 0
    save_arrays(path, "treewright.words/1", facts, columns)
    with pytest.raises(SchemaError, match="replaced=0 is out of range"):
        open_sampler(path)
