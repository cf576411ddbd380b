"""Drawings of aligned derivations: both trees, and a link from each node to its copies."""

import re
from pathlib import Path

import pytest

from grammar.errors import OptionError
from grammar.synchronous.drawing import derivation_svg, derivation_trees, draw_pair_derivation
from grammar.synchronous.grammar import SynchronousGrammar

GRAMMAR = SynchronousGrammar.parse("""
%start S
S -> V_1 after V_2 ### V_2 V_1 [1]
V -> V_1 twice ### V_1 V_1 [0.5]
V -> walk ### WALK [0.5]
""")
DERIVATION = (0, 1, 2, 2)


def test_trees_of_both_sides() -> None:
    source, target = derivation_trees(GRAMMAR, DERIVATION)
    assert str(source) == "(S (V (V walk) twice) after (V walk))"
    assert str(target) == "(S (V WALK) (V (V WALK) (V WALK)))"


def test_words_and_links_are_drawn() -> None:
    svg = derivation_svg(GRAMMAR, DERIVATION)
    assert [svg.count(f">{word}<") for word in ("walk", "WALK", "twice", "after")] == [2, 3, 1, 1]
    # below the root: "walk twice" once, its "walk" twice, the other "walk" once
    assert len(re.findall('stroke="#e3a17f"', svg)) == 4


def test_the_narrower_side_stands_over_the_middle_of_the_other() -> None:
    grammar = SynchronousGrammar.parse("S -> V_1 ### V_1 V_1 V_1 V_1 V_1\nV -> walk ### WALK")
    ends = re.findall(r'd="M([\d.]+) [\d.]+ L([\d.]+) .*#e3a17f', derivation_svg(grammar, (0, 1)))
    [above] = {float(start) for start, _ in ends}
    copies = [float(end) for _, end in ends]
    assert len(copies) == 5
    assert abs(above - (min(copies) + max(copies)) / 2) < 1


def test_saved_as_a_picture(tmp_path: Path) -> None:
    draw_pair_derivation(GRAMMAR, DERIVATION, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    draw_pair_derivation(GRAMMAR, DERIVATION, tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text() == derivation_svg(GRAMMAR, DERIVATION)


def test_what_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="suffix"):
        draw_pair_derivation(GRAMMAR, DERIVATION, tmp_path / "a.pdf")
    with pytest.raises(OptionError, match="derivation"):
        derivation_svg(GRAMMAR, (0, 1))
    with pytest.raises(OptionError, match="derivation"):
        derivation_svg(GRAMMAR, ())
