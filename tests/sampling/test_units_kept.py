"""What belongs together in a source is in a new text whole or not at all, whatever the method."""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grammar.errors import CorpusError, TreewrightError
from induction.corpus.corpus import Corpus
from induction.corpus.text.tokens import tokenise
from induction.corpus.text.units import units
from sampling.method import induce
from sampling.words.eda import EDA

# each has a sign that plain words have not; none is part of another
EACH = [
    "€51", "52%", "$ 53", "54 %", "§55", "56 kg", "57:30", "58.5 %", "[MOSK]", "<url>", "{nyx}",
    "{{ xy }}", "%(s)s", "#tynt", "@myx", "J.K.", "L. M.", "5 p.m.", "👍🏽", "👩‍🚀", "🇩🇪",
    "fe\u0301d",    "59,1 €", "https://x.org/?q=1", "mu@x.org", ":smily:",
]  # fmt: skip
WORDS = ["a", "bad", "cab", "dad", "had", "fed", "beef", "egg"]
PLAIN = re.compile(r"[a-hn \"(),.;:?!A-H-]*")
METHODS: list[tuple[str, dict[str, Any]]] = [
    ("eda", {"alpha_sr": 0, "alpha_ri": 0, "alpha_rd": 0}),
    ("eda", {"alpha_sr": 0, "alpha_ri": 0, "alpha_rs": 0, "alpha_rd": 0.5}),
    ("eda", {"alpha_sr": 0, "alpha_ri": 0, "repair": "none"}),
    ("aeda", {}),
    ("shuffle", {}),
    ("worddrop", {"p": 0.5}),
    ("worddrop", {"p": 0.5, "blank": "bed"}),
    ("random-word", {"replaced": 3}),
    ("switchout", {"inverse_temperature": 0.1}),
    ("randmix", {"threshold": 0.6}),
    ("sub2", {"backbone": "balanced", "phrase": True, "repair": "article,capital,spacing"}),
    ("sub2", {"phrase": False, "length": True, "max_words": 2}),
    ("geca", {"gaps": 1, "size": 2, "window": 1}),
    ("geca-stream", {"gaps": 1, "size": 2, "window": 1}),
    ("fluent", {"of": "random-word", "candidates": 2}),
]
BY_TREES: list[tuple[str, dict[str, Any]]] = [
    ("treemix", {"low": 0.01, "high": 0.9}),
    ("sub2", {"phrase": True, "label": True}),
    ("shuffle", {"structure": "tree"}),
    ("shuffle", {}),
    ("eda", {"alpha_sr": 0, "alpha_ri": 0, "alpha_rd": 0}),
    ("random-word", {"replaced": 2}),
]


@st.composite
def texts(draw: st.DrawFn) -> str:
    pieces = [*draw(st.lists(st.sampled_from(WORDS), min_size=3, max_size=5))]
    pieces += draw(st.lists(st.sampled_from(EACH), min_size=1, max_size=3, unique=True))
    pieces = draw(st.permutations(pieces))
    ends = [draw(st.sampled_from(["", "", ",", ")", "!", " ;"])) for _ in pieces]
    return " ".join(piece + end for piece, end in zip(pieces, ends, strict=True))


def left_over(made: str, sources: list[str]) -> str:
    """Return what is left of a text without what belongs together in the sources."""
    whole = {text[a:b] for text in sources for a, b in units(text)}
    for unit in sorted(whole, key=len, reverse=True):
        made = made.replace(unit, "")
    return made


def check(method: str, options: dict[str, Any], corpus: Corpus) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = induce(method, corpus, **options).sample(8)
        except TreewrightError:
            return  # there is nothing to exchange
    sources = corpus.column("text")
    for text in made.column("text"):
        assert PLAIN.fullmatch(left_over(text, sources)), (method, text, sources)


@settings(suppress_health_check=list(HealthCheck), max_examples=10)
@pytest.mark.parametrize(("method", "options"), METHODS)
@given(st.lists(texts(), min_size=3, max_size=5, unique=True))
def test_what_belongs_together_is_whole_or_not_there(
    method: str, options: dict[str, Any], rows: list[str]
) -> None:
    check(method, options, Corpus.from_columns(text=rows, label=[k % 2 for k in range(len(rows))]))


@settings(suppress_health_check=list(HealthCheck), max_examples=10)
@pytest.mark.parametrize(("method", "options"), BY_TREES)
@given(st.lists(texts(), min_size=3, max_size=5, unique=True))
def test_trees_part_nothing_that_belongs_together(
    method: str, options: dict[str, Any], rows: list[str]
) -> None:
    trees = [_tree(tokenise(text).words) for text in rows]
    labels = [k % 2 for k in range(len(rows))]
    check(method, options, Corpus.from_columns(text=rows, tree=trees, label=labels))


def _tree(words: tuple[str, ...]) -> str:
    """Return a tree that goes to the right: every stretch up to the end is a constituent."""
    leaves = [f"(X {word})" for word in words]
    tree = leaves.pop()
    while leaves:
        tree = f"(P {leaves.pop()} {tree})"
    return tree


def test_the_sign_of_a_number_moves_with_it() -> None:
    text = "It costs $5.99 (about €5,50) -- 50% off! see §4 %s [MASK]"
    corpus = Corpus.from_columns(text=[text])
    made = induce("eda", corpus, alpha_sr=0, alpha_ri=0, alpha_rd=0).sample(20).column("text")
    for unit in ("$5.99", "€5,50", "50%", "§4", "%s", "[MASK]"):
        assert all(unit in new for new in made)


def test_tags_get_no_synonyms() -> None:
    corpus = Corpus.from_columns(text=["so #blessed by cafe\u0301"])
    words = EDA.induce(corpus, alpha_sr=0, alpha_ri=0).texts.kinds
    assert {*words} == {"so", "#blessed", "by", "cafe\u0301"}


def test_texts_without_spaces_are_refused_and_go_with_tokens() -> None:
    text, tokens = (
        "今天天气真不错，我们去公园。",
        [*["今天", "天气", "真", "不错", "，", "我们", "去", "公园", "。"]],
    )
    for method in ("eda", "aeda", "shuffle", "worddrop", "switchout", "random-word", "randmix"):
        options = {"alpha_sr": 0, "alpha_ri": 0} if method == "eda" else {}
        with pytest.raises(CorpusError, match="no spaces between words"):
            induce(method, Corpus.from_columns(text=[text, text[::-1]], label=[0, 1]), **options)
        both = Corpus.from_columns(
            text=[text, "".join(tokens[::-1])], tokens=[tokens, tokens[::-1]], label=[0, 1]
        )
        for new in induce(method, both, **options).sample(5).column("text"):
            assert " " not in new
    for method in ("geca", "geca-stream", "treemix", "grammar"):
        with pytest.raises(CorpusError, match="no spaces between words"):
            induce(method, Corpus.from_columns(text=[text, text[::-1]], label=[0, 1]))
