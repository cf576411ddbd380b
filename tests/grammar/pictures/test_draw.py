"""Pictures: layouts keep their promises, both formats hold every text, faults leave no file."""

import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise
from pathlib import Path

import networkx as nx
import nltk
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import BracketError, OptionError, OutputError
from grammar.pictures.neighbourhood import (
    draw_neighbourhood,
    neighbourhood_layout,
    neighbourhood_svg,
    spread,
)
from grammar.pictures.svg import SUFFIXES, elide, text_width
from grammar.trees.draw import draw_tree, draw_trees, tree_layout, tree_svg
from grammar.trees.tree import Tree

SVG = "{http://www.w3.org/2000/svg}"
NEAR = 1e-6

TEXT = st.text(st.sampled_from("abWi.$&<>\"'|^@-猫é́ع"), min_size=1, max_size=12)
WORDS = st.lists(TEXT, min_size=1, max_size=3)
TREES = st.recursive(
    st.builds(lambda label, words: Tree(label, tuple(words)), TEXT, WORDS),
    lambda inner: st.builds(
        lambda label, children: Tree(label, tuple(children)),
        TEXT,
        st.lists(inner | TEXT, min_size=1, max_size=4),
    ),
    max_leaves=12,
)

SLEPT = Tree("S", (Tree("NP", (Tree("PRP", ("We",)),)), Tree("VP", (Tree("VBD", ("slept",)),))))
ODD = Tree("NP|<X>@S", (Tree("NNP", ("AT&T",)), Tree("$", ("$", "5$")), Tree("NN", ("语法树",))))


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def png_size(path: Path) -> tuple[int, int]:
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", data[16:24])  # type: ignore[return-value]


# --- trees


@given(TREES)
def test_parents_stand_in_the_middle_of_their_children(tree: Tree) -> None:
    for node in tree_layout(tree):
        if node.children:
            first, last = node.children[0], node.children[-1]
            assert first.x - NEAR <= node.x <= last.x + NEAR
            assert node.x == pytest.approx((first.x + last.x) / 2)
            assert all(child.y > node.y for child in node.children)


@given(TREES)
def test_subtrees_of_sisters_do_not_overlap_and_hold_their_texts(tree: Tree) -> None:
    for node in tree_layout(tree):
        assert min(node.left, node.right) >= node.width / 2 - NEAR
        for left, right in pairwise(node.children):
            assert left.x + left.right < right.x - right.left
        for child in node.children:
            assert node.x - node.left <= child.x - child.left + NEAR
            assert child.x + child.right <= node.x + node.right + NEAR


@given(TREES)
def test_words_stand_in_order_and_spans_are_those_of_the_tree(tree: Tree) -> None:
    nodes = tree_layout(tree)
    words = [node for node in nodes if node.is_word]
    assert tuple(word.text for word in words) == tree.leaves()
    for left, right in pairwise(words):
        assert left.x + left.width / 2 < right.x - right.width / 2
    spans = tuple((node.text, node.start, node.end) for node in nodes if not node.is_word)
    assert spans == tree.spans()


@given(TREES)
def test_svg_is_xml_with_every_label_and_word_on_the_page(tree: Tree) -> None:
    svg = tree_svg(tree)
    root = ET.fromstring(svg)
    assert sorted(texts(svg)) == sorted([*tree.leaves(), *(node.label for node in tree.nodes())])
    assert root.findtext(f"{SVG}title") == " ".join(tree.leaves())
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for text in root.iter(f"{SVG}text"):
        reach = text_width(text.text or "", float(text.attrib["font-size"])) / 2
        assert reach <= float(text.attrib["x"]) <= width - reach
        assert 0 < float(text.attrib["y"]) < height
    assert svg == tree_svg(tree)


def test_a_chain_deeper_than_the_recursion_limit_is_drawn() -> None:
    tree = Tree("X", ("deep",))
    for _ in range(2 * sys.getrecursionlimit()):
        tree = Tree("X", (tree,))
    assert len({node.x for node in tree_layout(tree)}) == 1


def test_what_xml_cannot_hold_is_replaced() -> None:
    assert texts(tree_svg(Tree("X", ("a\x00b\n\ud800",)))) == ["X", "a\ufffdb\ufffd\ufffd"]


def coloured(svg: str, colour: str) -> list[str]:
    elements = ET.fromstring(svg).iter(f"{SVG}text")
    return [e.text or "" for e in elements if e.attrib["fill"] == colour]


def test_highlights_colour_whole_spans_and_words() -> None:
    assert coloured(tree_svg(SLEPT, highlight=[(1, 2)]), "#c2410c") == ["VP", "VBD", "slept"]
    assert coloured(tree_svg(SLEPT, highlight={"We"}), "#c2410c") == ["NP", "PRP", "We"]
    assert coloured(tree_svg(SLEPT, highlight="We"), "#c2410c") == ["NP", "PRP", "We"]
    assert tree_svg(SLEPT, highlight=["absent"]) == tree_svg(SLEPT)


def test_the_narrowest_highlight_wins() -> None:
    svg = tree_svg(SLEPT, highlight={(0, 2): "#112233", "We": "#445566"})
    assert coloured(svg, "#112233") == ["S", "VP", "VBD", "slept"]
    assert coloured(svg, "#445566") == ["NP", "PRP", "We"]


@pytest.mark.parametrize("wrong", [[(0, 3)], [(1, 1)], (0, 2), [(0, 1, 2)], [(-1, 1)], [None]])
def test_a_highlight_outside_the_tree_is_refused(wrong: list) -> None:
    with pytest.raises(OptionError, match="neither a word nor a span"):
        tree_svg(SLEPT, highlight=wrong)


def test_an_unknown_colour_is_refused() -> None:
    with pytest.raises(OptionError, match="#rrggbb"):
        tree_svg(SLEPT, highlight={(0, 1): '"/><script>'})


# --- files


@pytest.mark.filterwarnings("ignore:Glyph")  # a machine need not have a Chinese font
def test_png_and_svg_share_one_layout(tmp_path: Path) -> None:
    draw_tree(ODD, tmp_path / "odd.svg")
    draw_tree(ODD, tmp_path / "odd.PNG")
    svg = (tmp_path / "odd.svg").read_text("utf-8")
    assert svg == tree_svg(ODD)
    page = ET.fromstring(svg).attrib
    width, height = png_size(tmp_path / "odd.PNG")
    assert (width, height) == pytest.approx(
        (2 * float(page["width"]), 2 * float(page["height"])), abs=2
    )
    assert (tmp_path / "odd.PNG").stat().st_size > 5_000


def test_png_is_deterministic_and_bounded(tmp_path: Path) -> None:
    wide = Tree("X", tuple(f"word{i}" for i in range(250)))
    draw_tree(wide, tmp_path / "a.png")
    draw_tree(wide, tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert max(png_size(tmp_path / "a.png")) <= 16_001


@pytest.mark.parametrize("name", ["tree.gif", "tree", "tree.svg.gz"])
def test_another_suffix_is_refused_with_those_supported(tmp_path: Path, name: str) -> None:
    for draw in (
        lambda path: draw_tree(SLEPT, path),
        lambda path: draw_trees([SLEPT], path),
        lambda path: draw_neighbourhood(noun_phrases(), "NP", path),
    ):
        with pytest.raises(OptionError, match=r"\*\.svg or \*\.png"):
            draw(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_fault_while_painting_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    def fail(canvas: FigureCanvasAgg, path: Path, **options: object) -> None:
        path.write_bytes(b"half")
        raise RuntimeError("out of paint")

    target = tmp_path / "tree.png"
    target.write_bytes(b"old")
    monkeypatch.setattr(FigureCanvasAgg, "print_png", fail)
    with pytest.raises(RuntimeError, match="out of paint"):
        draw_tree(SLEPT, target)
    assert [path.name for path in tmp_path.iterdir()] == ["tree.png"]
    assert target.read_bytes() == b"old"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_missing_folder_is_one_clear_error(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(OutputError, match="cannot write"):
        draw_tree(SLEPT, tmp_path / "nowhere" / f"tree{suffix}")


def test_svg_needs_no_plotting_library() -> None:
    code = (
        "import sys; from grammar import Tree; Tree('X', ('a',))._repr_svg_();"
        "sys.exit('matplotlib' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- galleries


def test_a_gallery_holds_every_tree_and_title_in_order(tmp_path: Path) -> None:
    trees = [Tree("S", tuple(f"w{i}.{k}" for k in range(1 + 3 * (i % 4)))) for i in range(10)]
    draw_trees(trees, tmp_path / "all.svg", titles=[f"sample {i}" for i in range(10)])
    svg = (tmp_path / "all.svg").read_text("utf-8")
    shown = texts(svg)
    assert [t for t in shown if t.startswith("sample")] == [f"sample {i}" for i in range(10)]
    assert [t for t in shown if t.startswith("w")] == [w for tree in trees for w in tree.leaves()]
    cards = [box for box in boxes(svg) if box[2] > 30 and box[3] > 30]
    assert len(cards) == 10
    assert not any(overlap(*pair) for pair in combinations(cards, 2))
    draw_trees(iter(trees), tmp_path / "all.png")
    assert min(png_size(tmp_path / "all.png")) > 200


def test_a_long_title_is_cut_within_its_card(tmp_path: Path) -> None:
    draw_trees([SLEPT], tmp_path / "one.svg", titles=["so long a title " * 20])
    svg = (tmp_path / "one.svg").read_text("utf-8")
    (title,) = (text for text in texts(svg) if "title" in text)
    assert title.endswith("…")
    assert text_width(title, 13, bold=True) <= max(width for _, _, width, _ in boxes(svg))


def test_galleries_refuse_nothing_and_miscounted_titles(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no tree"):
        draw_trees([], tmp_path / "none.svg")
    with pytest.raises(OptionError, match="1 titles for 2 trees"):
        draw_trees([SLEPT, SLEPT], tmp_path / "two.svg", titles=["a"])


def boxes(svg: str) -> list[tuple[float, float, float, float]]:
    rects = [r.attrib for r in ET.fromstring(svg).iter(f"{SVG}rect") if "x" in r.attrib]
    return [tuple(float(r[k]) for k in ("x", "y", "width", "height")) for r in rects]  # type: ignore[misc]


def overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    across = a[0] < b[0] + b[2] and b[0] < a[0] + a[2]
    return across and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


# --- neighbourhoods


def and_or_graph(rules: list[tuple[str, list[str], float]]) -> nx.MultiDiGraph:
    """Words are written in lower case, symbols not."""
    graph = nx.MultiDiGraph(family="pcfg", start=rules[0][0])

    def node(name: str) -> str:
        kind = "word" if name.islower() else "symbol"
        graph.add_node(f"{kind}:{name}", kind=kind, name=name)
        return f"{kind}:{name}"

    for i, (lhs, rhs, weight) in enumerate(rules):
        graph.add_node(f"rule:{i}", kind="rule")
        graph.add_edge(node(lhs), f"rule:{i}", weight=weight, count=round(100 * weight))
        for position, child in enumerate(rhs):
            graph.add_edge(f"rule:{i}", node(child), position=position)
    return graph


def noun_phrases() -> nx.MultiDiGraph:
    many = [("NP", ["DT", f"N{i}"], 0.3 / 30) for i in range(30)]
    return and_or_graph(
        [
            ("NP", ["NP", "CC", "NP"], 0.2),
            ("NP", ["DT", "NN"], 0.5),
            *many,
            ("DT", ["the"], 0.75),
            ("DT", ["a"], 0.25),
            ("NN", ["fish"], 1.0),
        ]
    )


def rows(graph: nx.MultiDiGraph, symbol: str, top: int = 12, depth: int = 1) -> list[list[str]]:
    layers, _ = neighbourhood_layout(graph, symbol, top, depth)
    return [[item.text for item in layer] for layer in layers]


def test_the_most_probable_rules_come_first_and_the_rest_is_counted() -> None:
    assert rows(noun_phrases(), "NP", top=3)[1] == ["DT NN", "NP CC NP", "DT N0", "29 more rules"]
    svg = neighbourhood_svg(noun_phrases(), "NP", top=3)
    assert "3 of 32 rules of NP shown; 29 not shown, with 29.0% of the probability" in texts(svg)
    assert "0.290" in texts(svg)


def test_legends_without_a_rest() -> None:
    assert "all 2 rules of DT" in texts(neighbourhood_svg(noun_phrases(), "DT"))
    assert "the only rule of NN" in texts(neighbourhood_svg(noun_phrases(), "NN"))
    assert "N3 has no rules" in texts(neighbourhood_svg(noun_phrases(), "N3"))


def test_children_are_shared_and_recursion_is_marked_not_followed() -> None:
    children = rows(noun_phrases(), "NP", depth=9)[2]
    assert len(children) == len(set(children)) == 14  # DT NN NP CC and ten of N0 N1 ...
    svg = neighbourhood_svg(noun_phrases(), "NP", depth=9)
    assert texts(svg).count("NP ↺") == 1
    assert texts(svg).count("DT") == 1


def test_depth_opens_symbols_among_the_children() -> None:
    assert len(rows(noun_phrases(), "NP", depth=1)) == 3
    layers = rows(noun_phrases(), "NP", top=2, depth=2)
    assert sorted(layers[3]) == ["'a'", "'fish'", "'the'"]
    assert sorted(layers[4]) == ["a", "fish", "the"]
    assert len(rows(noun_phrases(), "NP", depth=5)) == 5  # no symbol is left to open


def test_a_rule_with_its_own_text_shows_that() -> None:
    graph = and_or_graph([("S", ["NP"], 0.5), ("S", [], 0.5)])
    graph.nodes["rule:0"]["text"] = "S -> (S NP (VP 'ran'))"
    assert rows(graph, "S")[1] == ["(S NP (VP 'ran'))", "ε"]


SYMBOLS = st.sampled_from("ABCDE")
RULES = st.lists(
    st.tuples(
        SYMBOLS,
        st.lists(
            SYMBOLS | st.sampled_from(["x", "<y&$>", "incomprehensibilities" * 3]), max_size=9
        ),
        st.floats(0, 1),
    ),
    min_size=1,
    max_size=25,
)


@settings(deadline=None)
@given(RULES, st.integers(1, 6), st.integers(1, 3))
def test_boxes_never_overlap_and_texts_fit(rules: list, top: int, depth: int) -> None:
    graph = and_or_graph(rules)
    svg = neighbourhood_svg(graph, rules[0][0], top=top, depth=depth)
    assert svg == neighbourhood_svg(graph, rules[0][0], top=top, depth=depth)
    frames = boxes(svg)
    assert not any(overlap(*pair) for pair in combinations(frames, 2))
    page = ET.fromstring(svg).attrib
    assert all(x >= 0 and x + width <= float(page["width"]) for x, _, width, _ in frames)
    assert all(y >= 0 and y + height <= float(page["height"]) for _, y, _, height in frames)


def test_neighbourhood_files(tmp_path: Path) -> None:
    draw_neighbourhood(noun_phrases(), "NP", tmp_path / "np.svg")
    assert (tmp_path / "np.svg").read_text("utf-8") == neighbourhood_svg(noun_phrases(), "NP")
    draw_neighbourhood(noun_phrases(), "NP", tmp_path / "np.png")
    assert min(png_size(tmp_path / "np.png")) > 300


def test_an_unknown_symbol_suggests_near_names() -> None:
    with pytest.raises(OptionError, match="try NP"):
        neighbourhood_svg(noun_phrases(), "np")
    with pytest.raises(OptionError, match="try NP, CC"):
        neighbourhood_svg(noun_phrases(), "quite another")


@pytest.mark.parametrize("option", ["top", "depth"])
def test_numbers_out_of_range_are_refused(option: str) -> None:
    with pytest.raises(OptionError, match=f"{option}=0"):
        neighbourhood_svg(noun_phrases(), "NP", **{option: 0})


@given(st.lists(st.tuples(st.floats(-99, 99), st.floats(1, 30)), max_size=12))
def test_spread_keeps_distance_and_moves_no_more_than_needed(pairs: list) -> None:
    pairs.sort()
    wanted, sizes = [w for w, _ in pairs], [s for _, s in pairs]
    centres = spread(wanted, sizes)
    gaps = [(a + b) / 2 for a, b in pairwise(sizes)]
    assert all(b - a >= gap - NEAR for (a, b), gap in zip(pairwise(centres), gaps, strict=True))
    # optimal: every run of touching boxes stays at its mean, and would not drift apart
    start = 0
    for end in range(1, len(pairs) + 1):
        if end == len(pairs) or centres[end] - centres[end - 1] > gaps[end - 1] + NEAR:
            moves = [c - w for c, w in zip(centres[start:end], wanted[start:end], strict=True)]
            assert sum(moves) == pytest.approx(0, abs=1e-6)
            assert all(sum(moves[:k]) <= NEAR for k in range(1, len(moves)))
            start = end


# --- text


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_widths_are_estimated_rather_wide(weight: str) -> None:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(family="DejaVu Sans", weight=weight)
    samples = "We comparative linguistics NP-SBJ|<DT-NN>@S^VP WHADJP $5,000.00 JJ ill mmm été Ünî"
    for sample in samples.split():
        box = TextPath((0, 0), sample, size=100, prop=font).get_extents()
        estimate = text_width(sample, 100, bold=weight == "bold")
        assert 0.95 * box.width <= estimate <= 1.25 * box.width + 25


@given(TEXT, st.floats(20, 200))
def test_elided_text_fits(text: str, width: float) -> None:
    assert text_width(elide(text, width, 12), 12) <= max(width, text_width("…", 12))


def test_brackets_and_trees_of_nltk_are_drawn(tmp_path: Path) -> None:
    brackets = "(S (NP we) (VP slept))"
    own = Tree.parse(brackets)
    for tree in (own, brackets, nltk.Tree.fromstring(brackets)):
        assert draw_tree(tree) == tree_svg(tree) == tree_svg(own)
        assert draw_tree(tree, tmp_path / "a.svg") is None
        assert (tmp_path / "a.svg").read_text() == tree_svg(own)
        for trees in ([tree, tree], tree):
            draw_trees(trees, tmp_path / "b.svg")
            assert (tmp_path / "b.svg").read_text().count("slept") >= 1
    with pytest.raises(OptionError, match="there are 2 trees"):
        draw_tree(brackets * 2)
    draw_trees(brackets * 2, tmp_path / "c.svg")
    for strange in ("we slept", 7, None):
        with pytest.raises(BracketError, match="neither a treebank nor a tree"):
            draw_tree(strange, tmp_path / "d.svg")
    assert not (tmp_path / "d.svg").exists()
