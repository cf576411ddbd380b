"""Relative clauses and questions: references, gaps, and forms of words."""

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.chart.parses import NoParse
from grammar.synchronous.parsing import SynchronousParser
from induction.terms.alignment import TermPair
from induction.terms.induce import TermInduction, induce_from_terms
from induction.terms.references import References, find_references, without_references
from induction.terms.terms import Argument, Term
from sampling.sentences.pairs import sample_pairs
from scan.cogs.augmentation import focused, recursions

NAMES = {"ann": "Ann", "bob": "Bob", "eve": "Eve"}
NOUNS = ("cat", "dog", "box", "cup")
VERBS = {"liked": "like", "saw": "see", "held": "hold", "drew": "draw"}
GAVE = {"gave": "give", "sent": "send", "lent": "lend"}


def phrases() -> Iterator[tuple[str, str]]:
    yield from NAMES.items()
    for noun in NOUNS:
        yield f"the {noun}", f"* {noun}"
    for noun in NOUNS[:2]:
        yield f"a {noun}", noun


def different(*chosen: tuple[str, str]) -> bool:
    return len({meaning.split()[-1] for _, meaning in chosen}) == len(chosen)


def relative_pairs() -> list[tuple[str, str]]:
    """Clauses, relative clauses without their subject or object, and questions for either."""
    pairs = [(verb, verb) for verb in (*VERBS.values(), *GAVE.values(), "say", "know")]
    things = list(itertools.product(phrases(), phrases()))
    for i, ((s, x), (o, y)) in enumerate(things):
        if not different((s, x), (o, y)):
            continue
        for past, verb in VERBS.items():
            pairs.append((f"{s} {past} {o} .", f"{verb} ( agent = {x} , theme = {y} )"))
            pairs.append((f"{s} was {past} by {o} .", f"{verb} ( theme = {x} , agent = {y} )"))
        for past, verb in GAVE.items():
            roles = f"agent = {x} , theme = {y} , recipient = Zoe"
            pairs.append((f"{s} {past} {o} to zoe .", f"{verb} ( {roles} )"))
        past, verb = list(VERBS.items())[i % 4]
        pairs.append((f"zoe said that {s} {past} {o} .",
            f"say ( agent = Zoe , ccomp = {verb} ( agent = {x} , theme = {y} ) )"))  # fmt: skip
        pairs.append((f"zoe knew that {s} {past} {o} .",
            f"know ( agent = Zoe , ccomp = {verb} ( agent = {x} , theme = {y} ) )"))  # fmt: skip
        pairs.append((f"who {past} {o} ?", f"{verb} ( agent = ? , theme = {y} )"))
        for asked in ("who", "what"):
            pairs.append((f"{asked} did {s} {verb} ?", f"{verb} ( agent = {x} , theme = ? )"))
        if y.startswith("*"):
            inner = f"{verb} ( agent = {x} , theme = {y} )"
            modified = f"{y} ( nmod = {inner} )"
            pairs.append((f"zoe found {o} that {s} {past} .",
                f"find ( agent = Zoe , theme = {modified} )"))  # fmt: skip
            inner = f"{verb} ( agent = {y} , theme = {x} )"
            modified = f"{y} ( nmod = {inner} )"
            pairs.append((f"zoe found {o} that {past} {s} .",
                f"find ( agent = Zoe , theme = {modified} )"))  # fmt: skip
    return pairs


@pytest.fixture(scope="module")
def found() -> TermInduction:
    return induce_from_terms(relative_pairs())


@pytest.fixture(scope="module")
def parser(found: TermInduction) -> SynchronousParser:
    return SynchronousParser(found.grammar)


def meaning(parser: SynchronousParser, sentence: str) -> str | None:
    best = parser.translations(sentence.split())
    if isinstance(best, NoParse):
        return None
    return str(without_references(Term.parse(best[0].target)))


# --- references ---------------------------------------------------------------------------------


def terms() -> st.SearchStrategy[Term]:
    labels = st.sampled_from([("a",), ("b",), ("*", "a"), ("?",)])
    roles = st.sampled_from(["r", "s", "nmod"])
    return st.recursive(
        labels.map(Term),
        lambda below: st.builds(
            lambda label, given: Term(label, tuple(Argument(role, value) for role, value in given)),
            labels,
            st.lists(st.tuples(roles, below), min_size=1, max_size=3),
        ),
        max_leaves=12,
    )


@given(terms())
def test_what_is_written_with_references_comes_back(term: Term) -> None:
    references = References(frozenset({"nmod"}), frozenset({"?"}))
    assert without_references(references.write(term)) == term


def test_references_are_read_off_the_pairs(found: TermInduction) -> None:
    pairs = [TermPair(tuple(s.split()), Term.parse(t)) for s, t in relative_pairs()]
    assert find_references(pairs) == References(frozenset({"nmod"}), frozenset({"?"}))
    plain = [p for p in pairs if "nmod" not in p.term.words and "?" not in p.term.words]
    assert not find_references(plain)


# --- gaps ---------------------------------------------------------------------------------------


def test_every_training_pair_is_parsed_back(parser: SynchronousParser) -> None:
    pairs = relative_pairs()[::17]
    assert [(s, t) for s, t in pairs if meaning(parser, s) != t] == []


UNSEEN = [
    ("the cat that ann saw held bob .",
     "hold ( agent = * cat ( nmod = see ( agent = Ann , theme = * cat ) ) , theme = Bob )"),
    ("ann saw the cat that the dog that bob drew held .",
     "see ( agent = Ann , theme = * cat ( nmod = hold ( agent = * dog ( nmod = draw "
     "( agent = Bob , theme = * dog ) ) , theme = * cat ) ) )"),
    ("zoe found the cat that was drew by ann .",
     "find ( agent = Zoe , theme = * cat ( nmod = draw ( theme = * cat , agent = Ann ) ) )"),
    ("ann saw the cup that bob gave to zoe .",
     "see ( agent = Ann , theme = * cup ( nmod = give "
     "( agent = Bob , theme = * cup , recipient = Zoe ) ) )"),
    ("what did ann give to zoe ?", "give ( agent = Ann , theme = ? , recipient = Zoe )"),
    ("what did zoe say that ann saw ?",
     "say ( agent = Zoe , ccomp = see ( agent = Ann , theme = ? ) )"),
    ("what was held by bob ?", "hold ( theme = ? , agent = Bob )"),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "expected"), UNSEEN)
def test_a_clause_with_a_gap_is_a_clause(
    parser: SynchronousParser, sentence: str, expected: str
) -> None:
    assert meaning(parser, sentence) == expected


def test_what_is_asked_below_did_has_its_form(parser: SynchronousParser) -> None:
    assert meaning(parser, "what did ann gave to zoe ?") is None
    assert meaning(parser, "ann saw the cup that bob give to zoe .") is None


def test_a_word_seen_alone_is_used_as_what_means_the_same(parser: SynchronousParser) -> None:
    assert meaning(parser, "give") == "give"
    assert meaning(parser, "the give saw bob .") is None
    assert meaning(parser, "zoe found give .") is None


def test_a_word_of_whose_meaning_nothing_is_known_may_be_a_noun() -> None:
    found = induce_from_terms([*relative_pairs(), ("shark", "shark")])
    parser = SynchronousParser(found.grammar)
    assert meaning(parser, "the shark saw bob .") == "see ( agent = * shark , theme = Bob )"


def test_what_a_form_was_not_seen_with_weighs_little_there(found: TermInduction) -> None:
    asked = [rule.weight for rule in found.grammar if rule.rule.lhs == "P3a"]
    *unseen, seen = sorted(asked)
    assert len(unseen) > 3
    assert max(unseen) == min(unseen) < 0.02
    assert seen > 0.85


def test_each_way_of_nesting_can_be_drawn_alone(found: TermInduction) -> None:
    ways = recursions(found.grammar)
    assert ("P2", "P3") in ways
    alone = focused(found.grammar, ("P2", "P3"))
    nested = sample_pairs(alone, 100, seed=0, depth=(9, 9)).column("text")
    assert sum(text.count(" that ") >= 3 for text in nested) > 50


def test_without_evidence_there_are_no_gaps() -> None:
    plain = [(s, t) for s, t in relative_pairs() if "nmod" not in t and "?" not in t]
    found = induce_from_terms(plain)
    assert all("^" not in str(rule.rule) for rule in found.grammar)
