"""Covers and mutations: recounted by plain walks, bounded, reproducible, and of the grammar."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from grammar.errors import NothingNewError, NotTightError, OptionError
from grammar.pcfg.cover import covering_derivations
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.mutation import mutations
from grammar.pcfg.rule_pairs import Targets, What, slots_of, usable_rules, words_of
from grammar.pcfg.shortest import shortest_derivations
from grammar.rules.rules import Nonterminal
from tests.grammar.formats.published import PUBLISHED
from tests.grammar.strategies import grammars

WHAT = st.sampled_from(["rules", "pairs"])
Rules = tuple[int, ...]


def walked(grammar: Grammar, derivation: Rules) -> tuple[set[tuple[int, int, int]], list[str]]:
    """Return (rule above, place of the child, rule) of each rule, and the words; by recursion."""
    rules, pairs, words = iter(derivation), set(), []

    def below(symbol: str, above: int, place: int) -> None:
        rule = next(rules)
        lhs, rhs = grammar.rules.sides(rule)
        assert lhs.name == symbol
        pairs.add((above, place, rule))
        for i, child in enumerate(rhs):
            if isinstance(child, Nonterminal):
                below(child.name, rule, i)
            else:
                words.append(child)

    below(grammar.start, -1, 0)
    assert next(rules, None) is None
    return pairs, words


def possible(grammar: Grammar) -> set[tuple[int, int, int]]:
    """Return all pairs that derivations have, found from the start symbol downwards."""
    ends = np.isfinite(shortest_derivations(grammar).of_rule)
    of = {name: [p for p in range(len(grammar)) if grammar.rules.sides(p)[0].name == name]
          for name in grammar.rules.nonterminals}  # fmt: skip
    waiting, found = [(-1, 0, grammar.start)], set()
    while waiting:
        above, place, name = waiting.pop()
        for rule in of[name]:
            if ends[rule] and (above, place, rule) not in found:
                found.add((above, place, rule))
                waiting += [
                    (rule, i, child.name)
                    for i, child in enumerate(grammar.rules.sides(rule)[1])
                    if isinstance(child, Nonterminal)
                ]
    return found


@settings(max_examples=150, deadline=None)
@given(grammars(), WHAT, st.integers(0, 3), st.sampled_from([1, 6, 30]))
def test_a_cover_uses_all_that_can_be_used(
    grammar: Grammar, what: What, seed: int, max_size: int
) -> None:
    made = list(covering_derivations(grammar, what, seed=seed, max_size=max_size))
    of_one = [walked(grammar, rules)[0] for rules in made]
    targets = possible(grammar)
    if what == "rules":
        of_one, targets = [{r for *_, r in one} for one in of_one], {r for *_, r in targets}  # type: ignore[misc]
    assert set.union(*of_one) == targets
    seen: set[object] = set()
    for one in of_one:
        assert one - seen, "a derivation covers nothing new"
        seen |= one
    assert len(made) <= len(targets)
    assert made == list(covering_derivations(grammar, what, seed=seed, max_size=max_size))


@settings(max_examples=60, deadline=None)
@given(grammars(), WHAT, st.integers(5, 40))
def test_only_the_first_target_may_exceed_the_size(
    grammar: Grammar, what: What, max_size: int
) -> None:
    def sizes(most: int) -> list[int]:
        made = covering_derivations(grammar, what, max_size=most)
        return [len(rules) + len(words_of(grammar, rules)) for rules in made]

    # with no room each derivation is as short as its target allows
    needed = sizes(1)
    assert needed == sorted(needed)
    assert max(sizes(max_size)) <= max(max_size, needed[-1])


@settings(max_examples=100, deadline=None)
@given(grammars(), WHAT)
def test_targets_are_those_of_plain_walks(grammar: Grammar, what: What) -> None:
    targets = Targets.of(grammar, what)
    every = possible(grammar)
    wanted = {r for *_, r in every} if what == "rules" else every
    assert targets.wanted.sum() == len(wanted)
    assert set(np.flatnonzero(usable_rules(grammar)).tolist()) == {r for *_, r in every}
    made = list(covering_derivations(grammar, what))[:2]
    walks = [walked(grammar, rules) for rules in made]
    pairs = set.union(*(pairs for pairs, _ in walks))
    covered = targets.covered(made)
    assert covered.sum() == len({r for *_, r in pairs} if what == "rules" else pairs)
    assert not (covered & ~targets.wanted).any()
    for rules, (_, words) in zip(made, walks, strict=True):
        assert [grammar.rules.words[word] for word in words_of(grammar, rules)] == words
        assert len(slots_of(grammar, rules)) == len(rules)


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_grammars_need_few_sentences(name: str) -> None:
    grammar = PUBLISHED[name]
    rules, pairs = (list(covering_derivations(grammar, what)) for what in ("rules", "pairs"))
    assert len(rules) <= usable_rules(grammar).sum() / 3
    assert len(pairs) <= Targets.of(grammar, "pairs").wanted.sum() / 2
    seeds = {tuple(covering_derivations(grammar, seed=seed)) for seed in range(4)}
    assert len(seeds) > 1


def test_names_of_targets_and_what_cannot_be_covered() -> None:
    grammar = Grammar.parse("S -> A 'x' A [1] \n A -> 'a' [0.5] | 'b' [0.5] | 'c' [0]")
    pairs = Targets.of(grammar, "pairs")
    assert [pairs.text(target) for target in np.flatnonzero(pairs.wanted)] == [
        "S -> A 'x' A, child 1: A -> 'a'",
        "S -> A 'x' A, child 1: A -> 'b'",
        "S -> A 'x' A, child 3: A -> 'a'",
        "S -> A 'x' A, child 3: A -> 'b'",
        "start: S -> A 'x' A",
    ]
    rules = Targets.of(grammar, "rules")
    assert [rules.text(target) for target in np.flatnonzero(rules.wanted)] == [
        "A -> 'a'", "A -> 'b'", "S -> A 'x' A"
    ]  # fmt: skip
    assert len(list(covering_derivations(grammar))) == 1
    with pytest.raises(OptionError, match="'words' cannot be covered"):
        covering_derivations(grammar, "words")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="max_size=0"):
        covering_derivations(grammar, max_size=0)
    with pytest.raises(NotTightError, match="no derivation from S ends"):
        covering_derivations(Grammar.parse("S -> S 'a' [1]"))


@settings(max_examples=100, deadline=None)
@given(grammars(), st.integers(0, 5), st.sampled_from([1, 10]))
def test_mutations_are_other_derivations(grammar: Grammar, seed: int, max_rules: int) -> None:
    given_rules = next(covering_derivations(grammar, max_size=20))
    starts = grammar.rules.starts
    lhs = grammar.rules.lhs
    open_symbols = np.diff(starts)[lhs[list(given_rules)]] > 1
    assume(open_symbols.any())
    try:
        made = list(mutations(grammar, given_rules, 8, seed=seed, max_rules=max_rules))
    except NothingNewError:
        assume(False)
    for rules in made:
        walked(grammar, rules)
        assert rules != given_rules
        # what is before and after the subtree is kept
        both = zip(rules, given_rules, strict=False)
        same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], both))
        assert lhs[rules[same]] == lhs[given_rules[same]]
    later = mutations(grammar, given_rules, 3, seed=seed, start=5, max_rules=max_rules)
    assert made[5:] == list(later)


def test_mutations_reach_every_subtree_and_other_rule() -> None:
    grammar = Grammar.parse("S -> A A [1] \n A -> 'a' [0.5] | 'b' [0.25] | 'c' [0.25] | 'd' [0]")
    rules = {grammar.rule_text(i): i for i in range(len(grammar))}
    a, b, c, top = (rules[name] for name in ("A -> 'a'", "A -> 'b'", "A -> 'c'", "S -> A A"))
    made = list(mutations(grammar, (top, a, b), 4000, seed=1))
    expected = {(top, b, b): 0.25, (top, c, b): 0.25, (top, a, a): 1 / 3, (top, a, c): 1 / 6}
    assert set(made) == set(expected)
    for one, share in expected.items():
        assert abs(made.count(one) / 4000 - share) < 0.03


def test_what_cannot_be_mutated() -> None:
    grammar = Grammar.parse("S -> 'a' B [1] \n B -> 'b' [1] | 'c' [0]")
    with pytest.raises(NothingNewError, match="no symbol of the derivation has another rule"):
        mutations(grammar, (2, 0), 1)
    for wrong in ((0,), (2, 0, 0), (9,), ()):
        with pytest.raises(OptionError):
            mutations(grammar, wrong, 1)
    with pytest.raises(OptionError, match="n=-1"):
        mutations(grammar, (2, 0), -1)
