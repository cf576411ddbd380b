"""Words with tags from elsewhere: what they say of words, and how a lexicon takes it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from grammar import Treebank
from grammar.errors import OptionError
from induction import induce_parser, induce_pcfg
from induction.counts.lexicon import HEARD, Lexicon
from induction.counts.open_words import with_classes
from induction.counts.tagged_words import RARE, TaggedWords
from induction.parsers.chart import ChartTextParser

TAGS = ("DT", "NN", "VB")
TOKENS = st.lists(
    st.tuples(st.text("abS-1", min_size=1, max_size=6), st.sampled_from((*TAGS, "XX"))), max_size=30
)


def slow_share(tokens: list[tuple[str, str]], word: str) -> list[float]:
    """The formulas of the module, as they stand."""
    counts = {w: [0.0] * len(TAGS) for w, t in tokens if t in TAGS}
    for w, t in tokens:
        if t in TAGS:
            counts[w][TAGS.index(t)] += 1

    def shapes(w: str) -> list[str]:
        shape = "small"
        if any(c.isdigit() for c in w):
            shape = "digit"
        elif w[0].isupper():
            shape = "capitals" if len(w) > 1 and w.isupper() else "capital"
        hyphen = ["-"] if "-" in w[1:-1] else []
        ends = [f"~{w[-k:].lower()}" for k in range(1, min(5, len(w) - 1) + 1)]
        return [shape, *(shape + h for h in hyphen), *(shape + "".join(hyphen) + e for e in ends)]

    share = [1 / len(TAGS)] * len(TAGS)
    for shape in shapes(word):
        alike = [c for w, c in counts.items() if shape in shapes(w) and sum(c) <= RARE]
        if not alike:
            break
        seen = [sum(column) for column in zip(*alike, strict=True)]
        share = [(s + 2 * p) / (sum(seen) + 2) for s, p in zip(seen, share, strict=True)]
    own = counts.get(word, [0.0] * len(TAGS))
    return [(c + p) / (sum(own) + 1) for c, p in zip(own, share, strict=True)]


@given(TOKENS, st.text("abS-1", min_size=1, max_size=6))
def test_shares_are_those_of_the_formulas(tokens: list[tuple[str, str]], word: str) -> None:
    share, _ = TaggedWords.of(tokens, TAGS).share(word)
    assert share == pytest.approx(slow_share(tokens, word))
    assert share.sum() == pytest.approx(1.0)


def test_tags_of_others_stand_for_ours() -> None:
    known = TaggedWords.of([("x", "NOUN"), ("x", "Q")], TAGS, {"NOUN": "NN"})
    assert known.share("x")[1] == 1.0
    assert known.share("x")[0].argmax() == 1


def test_a_lexicon_hears_of_words_that_it_lacks() -> None:
    counts = sp.csr_array(np.array([[4.0, 0, 0, 0], [0, 1, 3, 0], [0, 0, 0, 2.0]]))
    plain = Lexicon(("the", "dog", "run"), counts)
    tagged = TaggedWords.of([("ran", "VB")] * 9 + [("dog", "VB")] * 9, TAGS)
    lexicon = plain.with_tagged_words(tagged, np.array([0, 1, 3, 4]))
    row = lexicon.emission(["the", "ran"])[1]
    assert row.argmax() == 3
    heard, before = lexicon.emission(["dog"])[0], plain.emission(["dog"])[0]
    assert heard[3] > before[3]
    assert heard[2] < before[2]
    assert HEARD < 9  # what is heard weighs no more than that


def test_a_parser_refuses_words_with_other_tags() -> None:
    parser = induce_parser(Treebank.parse("(S (N we) (V swim))"), models=1, rounds=0)
    with pytest.raises(OptionError, match="the words have the tags"):
        parser.with_tagged_words(TaggedWords.of([("we", "X")], ["X"]))


def test_a_pcfg_without_classes_parses_new_words() -> None:
    treebank = Treebank.parse(
        "(S (N we) (V swim)) (S (N we) (V ran)) (S (N they) (V waved)) (S (N we) (V ran))"
    )
    grammar = induce_pcfg(treebank)
    parser = ChartTextParser(grammar)
    known, new = list(parser.kbest_each(["we ran", "they dived"], 1))
    assert known[0].log_probability == pytest.approx(np.log(3 / 4 * 1 / 2))
    assert str(new[0].tree) == "(TOP (S (N they) (V dived)))"
    opened = with_classes(grammar)
    for lhs in ("N", "V"):
        assert sum(rule.weight for rule in opened.productions(lhs)) == pytest.approx(1.0)
