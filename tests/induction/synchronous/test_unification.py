"""Rules of rules: what is put together is taken apart again."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from grammar.synchronous.occurrence import FIRST_WORD
from induction.synchronous.unification import Coded, canonical, has_slot, unifiers

A, B, X, Y = map(chr, range(FIRST_WORD, FIRST_WORD + 4))


@st.composite
def rules(draw: st.DrawFn, *, slots: int) -> Coded:
    """A canonical rule with so many slots, which its target has once or twice."""
    names = [chr(k) for k in range(1, slots + 1)]
    source = "".join(draw(st.permutations([*names, *draw(st.lists(st.sampled_from([A, B])))])))
    copies = draw(st.lists(st.sampled_from(names), max_size=1)) if names else []
    words = draw(st.lists(st.sampled_from([X, Y])))
    found = canonical(source, "".join(draw(st.permutations([*names, *copies, *words]))))
    assume(found is not None and all(found) and not (len(source) == 1 and has_slot(source)))
    assert found is not None
    return found


def put(outer: Coded, slot: str, inner: Coded) -> Coded:
    """Return a rule with another one in a slot."""
    shifted = {k: k + 0x40 for k in range(1, 0x40)}
    source, target = (side.translate(shifted) for side in inner)
    made = canonical(outer[0].replace(slot, source), outer[1].replace(slot, target))
    assert made is not None
    return made


@given(rules(slots=2), st.sampled_from("\x01\x02"), rules(slots=1) | rules(slots=0))
def test_what_is_put_into_a_slot_is_found(outer: Coded, slot: str, inner: Coded) -> None:
    assert inner in unifiers(put(outer, slot, inner), outer, max_slots=4)


@given(
    rules(slots=2) | rules(slots=1),
    st.data(),
    rules(slots=2) | rules(slots=1) | rules(slots=0),
    rules(slots=2) | rules(slots=1) | rules(slots=0),
)
def test_what_is_found_makes_the_rule(
    outer: Coded, data: st.DataObject, inner: Coded, other: Coded
) -> None:
    made = put(outer, data.draw(st.sampled_from(sorted(set(outer[0]) & set("\x01\x02")))), inner)
    for known in (outer, inner, other):
        for found in unifiers(made, known, max_slots=4):
            ways = [put(known, slot, found) for slot in known[0] if has_slot(slot)]
            ways += [put(found, slot, known) for slot in found[0] if has_slot(slot)]
            assert made in ways


@given(rules(slots=2), st.sampled_from("\x01\x02"), rules(slots=1) | rules(slots=0))
def test_where_a_rule_stands_once_there_is_a_slot(outer: Coded, slot: str, inner: Coded) -> None:
    """Its words are those of no other part."""
    apart = str.maketrans({A: "\u0a00", B: "\u0b00", X: "\u0c00", Y: "\u0d00"})
    source, target = inner[0].translate(apart), inner[1].translate(apart)
    assume(any(not has_slot(c) for c in source) and any(not has_slot(c) for c in target))
    assume(outer[1].count(slot) == 1)
    made = put(outer, slot, (source, target))
    assert outer in unifiers(made, (source, target), max_slots=4)
