"""Targets that are written in two ways and mean the same; and those that do not."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar import SynchronousParser
from induction import Corpus, induce_from_terms, same_meaning
from induction.terms.meanings import canonical
from tests.induction.terms.test_gaps import relative_pairs
from treewright.verbs.translate import scored

DATA = os.environ.get("TREEWRIGHT_DATA")

SAME = {
    "references": (
        "adore ( agent = Emma , theme = drink ( nmod^ = like ( agent = Noah , theme = ^ ) ) )",
        "adore ( agent = Emma , theme = drink ( nmod = like ( agent = Noah , theme = drink ) ) )",
    ),
    "order of roles": (
        "give ( agent = A ( nmod = run ( theme = A , agent = B ) ) , theme = B )",
        "give ( theme = B , agent = A ( nmod = run ( agent = B , theme = A ) ) )",
    ),
    "a question": ("? ( ^ = see ( agent = ^ ) )", "see ( agent = ? )"),
    "conjuncts": (
        "( lambda $0 e ( and ( flight $0 ) ( from $0 a : ci ) ( to $0 b : ci ) ) )",
        "( lambda $0 e ( and ( to $0 b : ci ) ( flight $0 ) ( from $0 a : ci ) ) )",
    ),
    "conjuncts in conjuncts, and twice": (
        "( and ( a x ) ( and ( b x ) ( c x ) ) ( a x ) )", "( and ( c x ) ( b x ) ( a x ) )",
    ),
    "names of variables": (
        "( lambda $0 e ( exists $1 ( and ( mountain $1 ) ( loc $1 $0 ) ) ) )",
        "( lambda $5 e ( exists $2 ( and ( loc $2 $5 ) ( mountain $2 ) ) ) )",
    ),
    "one conjunct": ("( lambda $0 e ( and ( a $0 ) ) )", "( lambda $1 e ( a $1 ) )"),
    "a variable without its sign": ("( lambda x e ( a x ) )", "( lambda $0 e ( a $0 ) )"),
    "the most": ("( max $0 ( price $0 ) )", "( max $1 ( price $1 ) )"),
    "a head that is a list": ("( ( and b a ) $0 ( c ) )", "( ( and a b ) $0 ( c ) )"),
    "the original form of COGS": (
        "* cat ( x _ 1 ) ; eat . agent ( x _ 2 , x _ 1 ) AND eat . theme ( x _ 2 , x _ 4 )",
        "* cat ( x _ 1 ) ; eat . theme ( x _ 2 , x _ 4 ) AND eat . agent ( x _ 2 , x _ 1 )",
    ),
}  # fmt: skip
OTHER = {
    "order of tokens": ("I_JUMP I_WALK", "I_WALK I_JUMP"),
    "another referent": (
        "see ( theme = cat ( nmod^ = run ( agent = ^ ) ) )",
        "see ( theme = cat ( nmod = run ( agent = dog ) ) )",
    ),
    "the variable of another binder": (
        "( lambda $0 e ( exists $1 ( loc $1 $0 ) ) )",
        "( lambda $0 e ( exists $1 ( loc $0 $1 ) ) )",
    ),
    "arguments of a relation": ("( and ( next_to a b ) )", "( and ( next_to b a ) )"),
    "arguments of one role": ("a ( in = b , in = c )", "a ( in = c , in = b )"),
    "roles alone": ("LAMBDA eat ( agent , theme )", "LAMBDA eat ( theme , agent )"),
    "or for and": ("( and ( a x ) ( b x ) )", "( or ( a x ) ( b x ) )"),
    "a bracket too few": ("( and ( a x ) ( b x )", "( and ( b x ) ( a x )"),
}


@pytest.mark.parametrize("name", SAME)
def test_two_writings_of_one_meaning(name: str) -> None:
    one, other = SAME[name]
    assert one != other
    assert same_meaning(one, other)
    assert same_meaning(one.split(), other)


@pytest.mark.parametrize("name", OTHER)
def test_two_meanings(name: str) -> None:
    assert not same_meaning(*OTHER[name])


def test_a_binder_inside_another_of_the_same_name() -> None:
    inner = "( lambda $0 e ( and ( a $0 ) ( exists $0 ( exists $1 ( r $0 $1 ) ) ) ) )"
    assert same_meaning(
        inner,
        inner.replace("( exists $0 ( exists $1 ( r $0 $1", "( exists $3 ( exists $4 ( r $3 $4"),
    )
    assert not same_meaning(inner, inner.replace("r $0 $1", "r $1 $0"))


def test_an_expression_that_is_too_deep_is_its_words() -> None:
    deep = "( and " * 500 + "x" + " )" * 500
    assert canonical(deep) == tuple(deep.split())
    term = "a ( b = " * 5000 + "c" + " )" * 5000
    assert canonical(term) == tuple(term.split())


EXPRESSIONS = st.recursive(
    st.sampled_from(["a", "b", "$0", "$1"]),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["and", "or", "r"]), st.lists(inner, min_size=1, max_size=4)).map(
            lambda made: f"( {made[0]} {' '.join(made[1])} )"
        ),
        st.tuples(st.sampled_from(["lambda $0 e", "exists $1"]), inner).map(
            lambda made: f"( {made[0]} {made[1]} )"
        ),
    ),
    max_leaves=12,
)


@given(EXPRESSIONS)
def test_the_canonical_writing_stays(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text)
    assert same_meaning(text, text)


def test_score_resolves_references() -> None:
    """Answers with references are right where the pairs write the noun a second time."""
    pairs = relative_pairs()
    found = induce_from_terms(pairs)
    assert any("^" in rule.target for rule in found.grammar.rules)
    few = pairs[::7]
    corpus = Corpus.from_columns(text=[s for s, _ in few], target=[t for _, t in few])
    facts = scored(SynchronousParser(found.grammar), corpus)
    assert facts["exact"] == facts["derivable"] == facts["pairs"] == len(few)
    assert facts["word for word"] < len(few)


@pytest.mark.skipif(DATA is None, reason="TREEWRIGHT_DATA is not set")
def test_every_target_of_the_corpora_means_itself_and_its_conjuncts_are_a_set() -> None:
    atis = gzip.decompress((Path(DATA or "") / "atis" / "atis-logic.txt.gz").read_bytes()).decode()
    targets = [line.split(" ||| ")[1] for line in atis.splitlines()]
    assert all(same_meaning(one, canonical(one)) for one in targets)
    assert len({canonical(one) for one in targets}) < len(set(targets))
