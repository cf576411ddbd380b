"""Grammars that carry knowledge: names of classes, written rules, and frames of a treebank."""

from __future__ import annotations

import itertools
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import CorpusError, NotationError, OptionError, StartSymbolError
from grammar.messages import heard_by
from grammar.pcfg.grammar import Grammar
from grammar.rules.notation import parse_productions
from grammar.rules.rules import Nonterminal
from induction import Corpus
from sampling.expression import read_expression, read_step
from sampling.names.files import parse_names
from sampling.names.method import TEMPLATES, Names, names_grammar
from sampling.opening import open_sampler
from sampling.pipeline.augment import augment
from sampling.sentences.frames import with_frames
from sampling.sentences.method import GrammarSampler
from sampling.sentences.written import join_starts
from sampling.stream import ShortfallWarning

WORDS = st.text("abcde", min_size=1, max_size=3)
NAMES = st.lists(
    st.lists(WORDS, min_size=1, max_size=2).map(" ".join), min_size=1, max_size=4, unique=True
)
SHAPES = ("NAME", "so NAME .", "NAME or NAME")


def everything(sampler: Any, n: int = 10_000) -> list[dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        return list(sampler.sample(n))


@settings(max_examples=20, deadline=None)
@given(first=NAMES, second=NAMES, templates=st.sets(st.sampled_from(SHAPES), min_size=1))
def test_all_texts_of_templates_and_names_are_made_once(
    first: list[str], second: list[str], templates: set[str]
) -> None:
    expected = defaultdict(set)
    for label, names in (("one", first), ("two", second)):
        for template in templates:
            for filled in itertools.product(names, repeat=template.split().count("NAME")):
                words = iter(filled)
                text = [next(words) if w == "NAME" else w for w in template.split()]
                expected[" ".join(text)].add(label)
    shapes = " | ".join(templates)
    sampler = Names.of(one=", ".join(first), two=", ".join(second), templates=shapes)
    rows = everything(sampler)
    assert sorted(row["text"] for row in rows) == sorted(expected)
    assert all(row["label"] in expected[row["text"]] for row in rows)


def test_a_request_for_more_than_there_are_ends_in_an_honest_shortfall() -> None:
    with pytest.warns(ShortfallWarning, match="only 12 distinct new ones were found"):
        made = Names.of(good="fine", bad="poor").sample(13)
    assert len(made) == 2 * len(TEMPLATES)


def test_texts_of_the_corpus_are_not_new() -> None:
    corpus = Corpus.from_columns(text=["it is fine .", "x"], label=["good", "bad"])
    texts = [row["text"] for row in everything(Names.induce(corpus, good="fine", bad="poor"))]
    assert len(texts) == 11
    assert "it is fine ." not in texts


@pytest.mark.parametrize("labels", [["neg", "pos"], [False, True], [3, 7], [0, 1]])
def test_classes_come_back_as_the_corpus_has_them(labels: list[Any]) -> None:
    corpus = Corpus.from_columns(text=["a", "b"], label=labels)
    names = {str(labels[0]): "poor", str(labels[1]): "fine"}
    for row in augment(corpus, f"names({_given(names)})", n=8).corpus:
        assert row["label"] == labels["fine" in row["text"]]


def test_names_of_numbered_classes_count_in_the_order_in_which_they_are_written() -> None:
    corpus = Corpus.from_columns(text=["a", "b"], label=[0, 1])
    heard: list[str] = []
    with heard_by(heard.append):
        made = augment(corpus, "names(positive=fine, negative=poor)", n=8).corpus
    assert any("0 is positive, 1 is negative" in message for message in heard)
    assert all(row["label"] == ("poor" in row["text"]) for row in made)


def _given(names: dict[str, str]) -> str:
    return ", ".join(f'"{label}"="{value}"' for label, value in names.items())


def test_the_grammar_is_one_like_every_other(tmp_path: Path) -> None:
    sampler = Names.of(good="fine, very good", bad="poor")
    assert sampler.grammar.check().tight
    sampler.grammar.save(tmp_path / "names.json")
    again = open_sampler(tmp_path / "names.json")
    assert isinstance(again, Names)
    assert again.sample(9, seed=3).table == sampler.sample(9, seed=3).table
    sampler.grammar.save(tmp_path / "names.txt")
    text = (tmp_path / "names.txt").read_text()
    (tmp_path / "more.txt").write_text(text.replace("[0.5]", "[0.25]", 1).replace("0.5", "0.75", 1))
    assert open_sampler(tmp_path / "more.txt").sample(5)


def test_neighbours_come_from_wordnet_and_belong_to_one_class() -> None:
    from grammar.errors import MissingDataError

    try:
        sampler = Names.of(good="wonderful", bad="terrible", neighbours=5, templates="NAME")
    except MissingDataError as error:
        pytest.skip(error.what)
    rows = everything(sampler)
    assert len(rows) > 2
    assert len({row["text"] for row in rows}) == len(rows)


def test_labels_that_are_words_are_names_where_nothing_is_named() -> None:
    corpus = Corpus.from_columns(text=["x", "y"], label=["Sci/Tech", "world_news"])
    rows = everything(Names.induce(corpus, templates="so NAME"))
    texts = {(row["text"], row["label"]) for row in rows}
    assert texts == {("so science", "Sci/Tech"), ("so technology", "Sci/Tech"),
                     ("so world news", "world_news")}  # fmt: skip
    with pytest.raises(OptionError, match="'c1' does not say in words"):
        Names.induce(Corpus.from_columns(text=["x", "y"], label=["c1", "c2"]))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, OptionError, "at least two classes"),
        ({"good": "fine"}, OptionError, "at least two classes"),
        ({"good": "fine", "bad": " , "}, OptionError, "the class 'bad' has no names"),
        ({"good": "a", "bad": "b", "templates": "x"}, OptionError, "has no NAME"),
    ],
)
def test_what_says_too_little_is_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Names.of(**options)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"good": "a", "bad": "b", "so-so": "c"}, "'so-so' is none of bad, good"),
        ({"good": "a", "poor": "b"}, "'poor' is none of bad, good"),
    ],
)
def test_classes_must_be_those_of_the_corpus(names: dict[str, str], message: str) -> None:
    corpus = Corpus.from_columns(text=["a", "b"], label=["good", "bad"])
    with pytest.raises(CorpusError, match=message):
        Names.induce(corpus, **names)


def test_a_class_of_the_corpus_without_names_is_refused() -> None:
    corpus = Corpus.from_columns(text=["a", "b", "c"], label=["x", "y", "z"])
    with pytest.raises(CorpusError, match="'z' is missing among x, y"):
        Names.induce(corpus, x="a", y="b")


@pytest.mark.parametrize("text", ["good fine", "good:", ": fine", "good: fine"])
def test_a_damaged_file_of_names_says_where(text: str) -> None:
    with pytest.raises(NotationError, match=r"n\.txt"):
        parse_names(text, source="n.txt")


# --- expressions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("grammar(a/b.txt)", "grammar(file='a/b.txt')"),
        ("grammar(labelled.txt, trees=false)", "grammar(file='labelled.txt', trees=false)"),
        ("names('my names')", "names(file='my names')"),
        ("names(b='x, y', a=z)", "names(b='x, y', a=z)"),
        ("names('Sci/Tech'=space, Sports=ball)", "names('Sci/Tech'=space, Sports=ball)"),
    ],
)
def test_expressions_name_files_and_classes(text: str, written: str) -> None:
    assert str(read_expression(text)) == written
    assert read_step(written) == read_step(text)


@pytest.mark.parametrize("text", ["treemix(a.txt)", "sub2('x')", "names(a.txt, b.txt)"])
def test_files_are_taken_by_some_methods_only(text: str) -> None:
    with pytest.raises(OptionError):
        read_expression(text)


# --- written grammars --------------------------------------------------------------------------


def test_a_written_grammar_has_a_start_symbol_a_class(tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("pos -> 'so' X | 'fine'\nneg -> 'poor' X\nX -> '!' | '.'\n")
    corpus = Corpus.from_columns(text=["a", "b"], label=["neg", "pos"])
    sampler = GrammarSampler.induce(corpus, file=str(tmp_path / "g.txt"))
    found = {(row["text"], row["label"]) for row in everything(sampler)}
    texts = {"so !": "pos", "so .": "pos", "fine": "pos", "poor !": "neg", "poor .": "neg"}
    assert found == set(texts.items())
    assert not GrammarSampler.needs_trees({"file": str(tmp_path / "g.txt")})


def test_rules_of_the_start_symbol_say_how_probable_classes_are() -> None:
    rules, _ = parse_productions("CLASSES -> p [0.9] | n [0.1]\n p -> 'a'\n n -> 'b'")
    grammar = join_starts(rules, {"p": 1, "n": 0})
    shares = {str(p.rhs[0]): p.weight for p in grammar.productions("CLASSES")}
    assert shares == {"p^<label-1>": 0.9, "n^<label-0>": 0.1}


TREES = [
    "(S (NP (DT the) (NN dog)) (VP (VBD was) (ADJP (JJ red))))",
    "(S (NP (PRP it)) (VP (VBD ran)))",
    "(S (NP (DT the) (JJ old) (NN cat)) (VP (VBD slept)))",
    "(S (NP (PRP it)) (VP (VBD was) (ADJP (RB very) (JJ old))))",
]


def test_frames_come_from_the_corpus_and_fillers_from_the_person(tmp_path: Path) -> None:
    rules = "pos -> {S^pos}\nneg -> NP 'was' BAD\n{JJ^pos} -> 'lovely'\nBAD -> 'bad' | 'dull'\n"
    (tmp_path / "g.txt").write_text(rules)
    corpus = Corpus.from_columns(text=["a", "b", "c", "d"], tree=TREES, label=["pos", "neg"] * 2)
    sampler = GrammarSampler.induce(corpus, file=str(tmp_path / "g.txt"), trees=True)
    rows = everything(sampler)
    assert all(row["text"].split().count("lovely") == (row["label"] == "pos") for row in rows)
    assert {"it was lovely", "the lovely cat ran"} <= {row["text"] for row in rows}
    assert all("^" not in row["tree"] for row in rows)


def derivations(grammar: Grammar, symbol: Any) -> list[tuple[tuple[str, ...], float]]:
    """All sentences of a symbol of a grammar without recursion, with their probabilities."""
    if not isinstance(symbol, Nonterminal):
        return [((symbol,), 1.0)]
    made = []
    for p in grammar.productions(symbol.name):
        for parts in itertools.product(*(derivations(grammar, child) for child in p.rhs)):
            words = tuple(word for words, _ in parts for word in words)
            made.append((words, p.weight * float(np.prod([share for _, share in parts]))))
    return made


def test_a_place_is_as_probable_as_the_grammar_of_the_corpus_has_it() -> None:
    """Against all derivations of a small grammar, each with one use of A marked and replaced."""
    own = Grammar.parse("S -> N A [0.3] | A A [0.5] | N [0.2]\nA -> 'r' [1]\nN -> 'x' | A")
    slow: dict[tuple[str, ...], float] = defaultdict(float)
    for words, share in derivations(own, Nonterminal("S")):
        for at in [at for at, word in enumerate(words) if word == "r"]:
            slow[(*words[:at], "good", *words[at + 1 :])] += share
    total = sum(slow.values())
    rules, _ = parse_productions("top -> {S^m}\n{A^m} -> 'good'")
    made = Grammar.from_productions(with_frames(rules, own), start="top")
    fast: dict[tuple[str, ...], float] = defaultdict(float)
    for words, share in derivations(made, Nonterminal("top")):
        fast[words] += share
    assert fast == pytest.approx({words: share / total for words, share in slow.items()})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("top -> ZZ", "the symbol 'ZZ' has no rules"),
        ("top -> {S^m}", "has no place for what was written for 'm'"),
    ],
)
def test_a_symbol_that_nobody_knows_is_refused(text: str, message: str) -> None:
    own = Grammar.parse("S -> 'a'")
    with pytest.raises(StartSymbolError, match=message):
        with_frames(parse_productions(text)[0], own)


def test_names_can_be_numbered_by_hand() -> None:
    grammar = names_grammar({"b": ["x"], "a": ["y"]}, ["NAME"], numbers={"b": 0, "a": 1})
    assert grammar.productions("b^<label-0>")
    assert len(grammar) == 6
