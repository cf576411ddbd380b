"""Words that open and close are found in the pairs, and no rule has one without the other."""

import itertools

from induction.synchronous.induce import induce_synchronous
from induction.synchronous.lexicon import brackets, is_balanced

NUMBERS = {"two": "2", "three": "3", "four": "4"}
PLACES = ("tree", "well", "rock")


def directions() -> list[tuple[str, str]]:
    """Pairs such as ``dig at two west of the tree ### DIG [ TREE X 2 ]``; few are alike."""
    near = [(f"the {p}", p.upper()) for p in PLACES]
    far = [(f"{n} west of {s}", f"{t} X {d}") for n, d in NUMBERS.items() for s, t in near]
    further = [(f"{n} north of {s}", f"{t} Y {d}") for n, d in NUMBERS.items() for s, t in far]
    return [(f"dig at {s}", f"DIG [ {t} ]") for s, t in [*near, *far, *further]]


def test_brackets_are_found_only_where_all_texts_agree() -> None:
    nested = ["f(g(a))", "f(a)", "g(f(b))"] * 4
    assert brackets(nested) == {("(", ")")}
    assert brackets([*nested, "a("]) == frozenset()
    assert brackets([*nested, ")a("]) == frozenset()


def test_few_texts_say_nothing_of_brackets() -> None:
    assert brackets(["f(a)"] * 9) == frozenset()
    assert ("(", ")") in brackets(["f(a)"] * 10)


def test_no_rule_has_one_bracket_without_the_other() -> None:
    found = induce_synchronous(directions())
    targets = ["".join(map(str, rule.target)) for rule in found.rules.rules]
    assert any("[" in target for target in targets)
    assert all(is_balanced(target, [("[", "]")]) for target in targets)


def test_without_licensing_brackets_are_words() -> None:
    pairs = [
        (f"{a} {b}", f"( {a.upper()} {b.upper()} )") for a, b in itertools.product("abcd", "xyzw")
    ]
    with_, without = (induce_synchronous(pairs, licensing=each) for each in (True, False))
    assert len(with_.rules) == 9
    assert with_.explained.underivable == without.explained.underivable == 0
