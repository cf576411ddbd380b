"""Galleries of fragments, pictures of derivations, and bars."""

from __future__ import annotations

import re

import pytest

from grammar.errors import OptionError, OutputError
from grammar.pictures.bar_chart import draw_bars
from grammar.trees.draw import draw_trees
from grammar.trees.fragment import Fragment
from grammar.trees.gallery import COLOURS, SITE, draw_derivation, draw_fragments
from grammar.trees.tree import Tree

TEXT = re.compile(r'<text x="([\d.]+)" y="([\d.]+)" .*?fill="(#\w+)"(.*?)text-anchor.*?>([^<]*)</')
DERIVATION = [
    Fragment.parse("(S (NP ) (VP (V saw) (NP )))"),
    Fragment.parse("(NP we)"),
    Fragment.parse("(NP (NP ) (PP up))"),
    Fragment.parse("(NP stars)"),
]


def texts(path) -> list[tuple[str, str, bool]]:
    """Return text, colour and weight of every label."""
    return [(t, colour, "bold" in rest) for _, _, colour, rest, t in TEXT.findall(path.read_text())]


def test_sites_are_marked_by_place_and_not_by_name(tmp_path):
    # a word that is spelt like a site
    fragments = [Fragment("S", (*Fragment.parse("(S (NP ))").children, "NP↓"))]
    draw_fragments(fragments, tmp_path / "g.svg", ["0.5"])
    found = texts(tmp_path / "g.svg")
    assert [colour == SITE for text, colour, _ in found if text == "NP↓"] == [True, False]
    assert ("0.5", "#5b6875", True) in found


def test_labels_above_words_alone_are_light(tmp_path):
    draw_fragments(DERIVATION[:1], tmp_path / "g.svg")
    bold = {text: heavy for text, _, heavy in texts(tmp_path / "g.svg")}
    assert bold == {"S": True, "NP↓": False, "VP": True, "V": False, "saw": False}


def test_a_derivation_shows_each_fragment_in_its_colour(tmp_path):
    draw_derivation(DERIVATION, tmp_path / "d.svg")
    colours = [(text, colour) for text, colour, _ in texts(tmp_path / "d.svg")]
    first, second, third, fourth = COLOURS[:4]
    assert colours == [
        ("S", first), ("NP", second), ("we", second), ("VP", first), ("V", first), ("saw", first),
        ("NP", third), ("NP", fourth), ("stars", fourth), ("PP", third), ("up", third),
    ]  # fmt: skip
    # the page, and a mark where each fragment begins
    assert (tmp_path / "d.svg").read_text().count("<rect") == 1 + len(DERIVATION)


def test_neighbouring_colours_differ():
    assert len(set(COLOURS)) == len(COLOURS)


def test_bars_are_as_long_as_their_values_and_ordered(tmp_path):
    draw_bars({"NP": 2, "VP": 8, "S": 4}, tmp_path / "b.svg", "states")
    svg = (tmp_path / "b.svg").read_text()
    names = [text for text, _, heavy in texts(tmp_path / "b.svg") if heavy]
    widths = [float(w) for w in re.findall(r'<rect x="[\d.]+" .*?width="([\d.]+)"', svg)]
    assert names == ["states", "VP", "S", "NP"]
    assert widths == pytest.approx([420, 210, 105])
    draw_bars({f"L{i}": i for i in range(70)}, tmp_path / "b.svg", "states")
    assert "10 more, with 9 or fewer" in (tmp_path / "b.svg").read_text()


def test_trees_stand_side_by_side(tmp_path):
    tree = Tree.parse("(S (NP (DT the) (NN company)) (VP (VBD said) (NP (NNS profits))))")
    draw_trees([tree] * 5, tmp_path / "t.svg", titles="12345")
    svg = (tmp_path / "t.svg").read_text()
    frames = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"', svg)
    rows = [y for _, y, _ in frames]
    assert [rows.count(y) for y in dict.fromkeys(rows)] == [3, 2]
    # a short last row is not stretched
    assert len({width for _, _, width in frames}) == 1


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_both_formats(tmp_path, suffix):
    draw_fragments(DERIVATION, tmp_path / f"g.{suffix}")
    draw_derivation(DERIVATION, tmp_path / f"d.{suffix}")
    draw_bars({"NP": 1}, tmp_path / f"b.{suffix}", "one")
    assert all(path.stat().st_size > 500 for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("fragments", "message"),
    [
        (DERIVATION[:3], "a site NP stays open"),
        ([*DERIVATION, DERIVATION[1]], "there is no site for (NP we)"),
        ([DERIVATION[0], Fragment.parse("(X a)"), DERIVATION[3]], "do not fit"),
    ],
)
def test_what_is_no_derivation_is_refused(tmp_path, fragments, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        draw_derivation(fragments, tmp_path / "d.svg")
    assert not list(tmp_path.iterdir())


def test_bad_paths_and_titles_are_refused(tmp_path):
    with pytest.raises(OptionError, match="suffix '.pdf'"):
        draw_fragments(DERIVATION, tmp_path / "g.pdf")
    with pytest.raises(OptionError, match="suffix '.pdf'"):
        draw_derivation(DERIVATION, tmp_path / "g.pdf")
    with pytest.raises(OptionError, match="suffix ''"):
        draw_bars({"NP": 1}, tmp_path / "bars", "one")
    with pytest.raises(OutputError, match="cannot write"):
        draw_fragments(DERIVATION, tmp_path / "none" / "g.svg")
    with pytest.raises(OptionError, match="1 titles for 4 fragments"):
        draw_fragments(DERIVATION, tmp_path / "g.svg", ["one"])
    assert not list(tmp_path.iterdir())
