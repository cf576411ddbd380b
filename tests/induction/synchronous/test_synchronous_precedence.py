"""The order of application: against trying all orders, and on languages with one."""

import itertools
import warnings

import numpy as np
import pytest

from grammar.synchronous.forest import CodedRule, CodedRules, Coder, pair_forest, source_forest
from grammar.synchronous.parsing import SynchronousParser
from grammar.synchronous.rule import SynchronousRule
from induction.synchronous import precedence
from induction.synchronous.division.rules import RuleCounts, divided_rules
from induction.synchronous.induce import induce_synchronous
from induction.synchronous.precedence import (
    Readings,
    _Trial,
    always_later,
    children_in_order,
    found_orders,
    order_shares,
    ordered_children,
    read_sources,
    tried_orders,
)
from induction.synchronous.report import RoteWarning
from induction.synchronous.search import coded_rules
from induction.synchronous.types import Families, Forests, pack_forests
from induction.synchronous.unification import Coded, arity
from scan.languages.tasks import named_task

RULES = (
    "NT_1 or NT_2 ### ( NT_1 | NT_2 )",
    "NT_1 and NT_2 ### ( NT_1 & NT_2 )",
    "NT_1 NT_2 ### NT_1 NT_2",
    "NT_1 no ### NO NT_1",
)
LONG = ("a", "or", "b", "and", "c", "or", "a")
WORDS = ("a ### A", "b ### B", "c ### C")


def problem(
    rules: tuple[str, ...], pairs: list[tuple[str, str]]
) -> tuple[list[Coded], Families, Forests, Readings]:
    code = Coder()
    written = [SynchronousRule.parse(rule) for rule in (*rules, *WORDS)]
    coded = [(code.side(rule.source), code.side(rule.target)) for rule in written]
    families = Families.of(range(len(coded)), [arity(rule[0]) for rule in coded])
    given = [(code.words(s.split()), code.words(t.split())) for s, t in pairs]
    numbered = coded_rules(coded)
    forests = pack_forests([pair_forest(numbered, *pair) for pair in given], families)
    return coded, families, forests, read_sources(numbered, families, forests, given)


def test_and_binds_more_tightly_where_pairs_say_so() -> None:
    for tight, loose in ((0, 1), (1, 0)):
        targets = ["( ( A | B ) & C )", "( A | ( B & C ) )"]
        pairs = [("a or b and c", targets[tight]), ("a", "A"), ("b", "B"), ("c", "C")]
        _, families, forests, readings = problem(RULES[:2], pairs)
        order = tried_orders(readings, forests, families, [0] * 5).best[0]
        assert order[loose] > order[tight] > 0 == max(order[2:])


PAIRS = [
    ("a and b c", "( A & B C )"), ("a no and b", "( NO A & B )"),
    ("a or b and c", "( ( A | B ) & C )"),
    ("a b no", "A NO B"), ("a", "A"), ("b", "B"), ("c", "C"), ("a b or c", "( A B | C )"),
]  # fmt: skip


def test_the_order_is_the_best_of_all() -> None:
    for count in range(2, len(PAIRS) + 1):
        _, families, forests, readings = problem(RULES, PAIRS[:count])
        trial = _Trial(readings, forests, families)
        functions = np.flatnonzero(families.arity).tolist()
        best = max(trial.score(order) for order in itertools.permutations(functions))
        found = tried_orders(readings, forests, families, [0] * len(RULES + WORDS)).best[0]
        assert trial.score(sorted(functions, key=found.__getitem__)) == best


def test_of_many_functions_the_first_guess_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precedence, "_MOST_FUNCTIONS", 1)
    # and no order is tried beside it
    monkeypatch.setattr(precedence, "_TRIED", 1)
    _, families, forests, readings = problem(RULES, PAIRS)
    for guess in itertools.permutations(range(4)):
        start = [*guess, 0, 0, 0]
        order = tried_orders(readings, forests, families, start).best[0]
        assert sorted(range(4), key=order.__getitem__) == sorted(range(4), key=start.__getitem__)


def test_orders_that_no_pair_tells_apart_are_all_given() -> None:
    for count in range(2, len(PAIRS) + 1):
        _, families, forests, readings = problem(RULES, PAIRS[:count])
        trial = _Trial(readings, forests, families)
        functions = np.flatnonzero(families.arity).tolist()
        scores = {order: trial.score(order) for order in itertools.permutations(functions)}
        best = max(scores.values())
        orders = tried_orders(readings, forests, families, [0] * len(RULES + WORDS))
        found = orders.best
        assert len(orders.right) == sum(score[0] == best[0] for score in scores.values())
        ranked = [tuple(sorted(functions, key=order.__getitem__)) for order in found]
        assert set(ranked) == {order for order, score in scores.items() if score[:2] == best[:2]}
        evidence = [scores[order][2] for order in ranked]
        assert evidence == sorted(evidence, reverse=True)


def test_pairs_read_right_are_those_whose_best_reading_is_the_target() -> None:
    """The columns say what the single best derivation, searched for plainly, says."""
    _, families, forests, readings = problem(RULES, PAIRS)
    trial = _Trial(readings, forests, families)
    whole = {forests.family[e] for e, node in enumerate(forests.node) if node in forests.root}
    never = [family for family in range(len(families.size)) if family not in whole]
    assert never  # the rule is the last one of no pair
    for ranked in itertools.permutations(np.flatnonzero(families.arity).tolist()):
        shares = order_shares(trial.order(ranked), families)
        shares[0, never] *= 1e-4
        exact = 0.0
        for i in range(len(readings.forest)):
            mine = readings.pair == i
            values = np.array([best(readings, shares, 0, n) for n in readings.root[mine]])
            right = readings.right[mine].astype(bool)
            top = np.isclose(values, values.max(), rtol=1e-9)
            exact += (top & right).any() / top.sum()
        assert trial.score(ranked)[0] == pytest.approx(exact, abs=1e-5)


def test_what_is_the_whole_of_no_pair_makes_no_sentence() -> None:
    """Else each pair has a second reading, without the marks of a sentence, that is as good."""
    rules = "NT_1 then NT_2 ### ^ NT_1 NT_2 $", "NT_1 then NT_2 ### NT_1 NT_2"
    pairs = [("a then b", "^ A B $"), ("b then a then c", "^ B A C $")]
    _, families, forests, readings = problem(rules, pairs)
    trial = _Trial(readings, forests, families)
    assert trial.score((1, 0))[:2] == (2.0, 0.0)


def best(readings: Readings, shares: np.ndarray, slot: int, node: int) -> float:
    """Return the value of the best derivation of a node in a slot, by plain recursion."""
    found = 0.0
    for e in np.flatnonzero(readings.node == node):
        value = shares[slot, readings.family[e]]
        for k in range(readings.children[e], readings.children[e + 1]):
            value *= best(readings, shares, readings.slot[k], readings.child[k])
        found = max(found, value)
    return found


def test_what_is_seen_agrees_with_the_order() -> None:
    _, families, forests, readings = problem(RULES, PAIRS)
    seen, shares = ordered_children(readings, forests, families)
    assert shares.shape == seen.shape == (families.slots, len(families.size))
    assert shares[seen > 0].min() >= 1e-2  # nothing stands below what applies before it


def test_a_source_has_all_its_targets() -> None:
    code = Coder()
    rules = CodedRules(
        CodedRule.of(i, code.side(r.source), code.side(r.target))
        for i, r in enumerate(map(SynchronousRule.parse, (*RULES[:2], *WORDS)))
    )
    made = source_forest(rules, code.words(LONG), most_nodes=1000)
    assert made is not None
    forest, roots = made
    assert len({forest.nodes[root][3] for root in roots}) == len(roots) == 5  # Catalan number
    assert source_forest(rules, code.words(LONG), most_nodes=8) is None


def test_queries_of_invented_languages_are_parsed_in_the_right_order() -> None:
    right = total = 0
    for seed in range(100, 106):
        _, parts = named_task(f"invented-{seed}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RoteWarning)
            parser = SynchronousParser(induce_synchronous(parts.train).grammar)
        for source, target in zip(*map(parts.test.column, ("text", "target")), strict=True):
            right += parser.translations(source.split())[0].target == tuple(target.split())
            total += 1
    assert right >= 0.95 * total


def test_what_applies_later_by_every_order_is_later_by_each() -> None:
    for count in range(2, len(PAIRS) + 1):
        _, families, forests, readings = problem(RULES, PAIRS[:count])
        orders = tried_orders(readings, forests, families, [0] * len(RULES + WORDS)).right
        later = always_later(orders, families)
        assert not later[0].any()
        owner = np.repeat(np.arange(len(families.size)), families.arity)
        for (slot, above), below in itertools.product(enumerate(owner, 1), range(len(owner))):
            if below < len(families.size):
                assert later[slot, below] == all(order[below] > order[above] for order in orders)


AROUND = (
    "NT_1 NT_2 ### NT_2 NT_1", "NT_1 around NT_2 ### NT_2 NT_1 NT_2 NT_1", "turn NT_1 ### NT_1",
    "around NT_1 ### NT_1 NT_1 NT_1", "opposite NT_1 ### NT_1 NT_1",
)  # fmt: skip


def test_a_slot_does_not_get_what_gives_a_pair_another_target() -> None:
    """``around b`` stands behind ``turn``, but ``a around b`` is not ``a`` with ``around b``."""
    pairs = [("a b", "B A"), ("a c", "C A"), ("a around b", "B A B A"), ("a around c", "C A C A"),
             ("turn b", "B"), ("turn c", "C"), ("turn around b", "B B B"),
             ("turn around c", "C C C"), ("turn opposite b", "B B"), ("a opposite b", "B B A"),
             ("a opposite c", "C C A")]  # fmt: skip
    coded, families, forests, readings = problem(AROUND, pairs)
    orders = found_orders(readings, forests, families)
    later = always_later(orders.right, families)
    written = [SynchronousRule.parse(rule) for rule in (*AROUND, *WORDS)]
    code = Coder()
    for rule in written:  # characters as in the problem
        code.side(rule.source), code.side(rule.target)
    given = [(code.words(s.split()), code.words(t.split())) for s, t in pairs]
    shapes = [pair_forest(coded_rules(coded), *pair) for pair in given]
    sources = [source.split() for source, _ in pairs]
    counts = RuleCounts(written, families, *children_in_order(orders.best[0], forests, families))
    wrong = ["a", "around", "b"], ["B", "B", "B", "A"]
    for refuted, derived in ((later, False), (np.zeros_like(later), True)):
        said: list[str] = []
        core = divided_rules(counts, shapes, sources, refuted).core(said.append)
        assert not said
        parser = SynchronousParser(core)
        assert parser.is_derivable(*wrong) == derived
        assert all(parser.is_derivable(s.split(), t.split()) for s, t in pairs)


def test_of_many_functions_none_is_always_later(monkeypatch: pytest.MonkeyPatch) -> None:
    _, families, forests, readings = problem(RULES, PAIRS)
    orders = tried_orders(readings, forests, families, [0] * len(RULES + WORDS)).right
    assert always_later(orders, families).any()
    monkeypatch.setattr(precedence, "_TRIED", 12)  # of four functions in any place
    assert not always_later(orders, families).any()
