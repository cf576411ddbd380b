"""Heat maps of posteriors: what they show, and that they show it in the right place."""

from __future__ import annotations

import re

import pytest

from grammar import Grammar
from grammar.chart.heat_map import colour_of, draw_heat_map, heat_map_svg, posteriors_of_spans
from grammar.chart.parser import Parser
from grammar.chart.parses import Span
from grammar.errors import OptionError, OutputError
from tests.treewright import test_command_line

run = test_command_line.run

GRAMMAR = """\
S -> NP VP [1]
VP -> 'saw' NP [0.5] | VP PP [0.5]
NP -> 'we' [0.5] | 'stars' [0.25] | NP PP [0.25]
PP -> 'with' NP [1]
"""
SENTENCE = ["we", "saw", "stars", "with", "stars"]
BOX = re.compile(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" .*?fill="(#\w+)"')
TEXT = re.compile(r'<text x="([\d.]+)" y="([\d.]+)" .*?>([^<]*)</text>')


@pytest.fixture(scope="module")
def posteriors():
    return Parser(Grammar.parse(GRAMMAR)).posteriors(SENTENCE)


def pyramid(svg: str, words: int) -> dict[tuple[int, int], str]:
    """Return the colour of each span, read off where its box lies."""
    boxes = [(float(y), float(x), fill) for x, y, _, fill in BOX.findall(svg)]
    boxes = boxes[: words * (words + 1) // 2]
    rows = sorted({y for y, _, _ in boxes})
    return {
        (start, start + words - row): fill
        for row, y in enumerate(rows)
        for start, (_, fill) in enumerate(sorted((x, f) for other, x, f in boxes if other == y))
    }


def test_each_span_has_the_colour_of_its_most_probable_label(posteriors):
    colours = pyramid(heat_map_svg(posteriors), len(SENTENCE))
    best: dict[tuple[int, int], float] = {}
    for span in posteriors:
        best.setdefault((span.start, span.end), span.probability)
    assert len(colours) == 15
    assert colours == {place: colour_of(best.get(place, 0.0)) for place in colours}
    assert colours[0, 5] == colour_of(1) != colours[0, 2] == colour_of(0)
    assert colours[1, 3] == colour_of(2 / 3)


def test_one_label_alone(posteriors):
    colours = pyramid(heat_map_svg(posteriors, "NP"), len(SENTENCE))
    table = posteriors.table("NP")
    assert colours == {place: colour_of(table[place]) for place in colours}
    assert "probability of NP" in heat_map_svg(posteriors, "NP")


def test_labels_stand_above_the_middle_of_their_words(posteriors):
    texts = TEXT.findall(heat_map_svg(posteriors))
    place = {text: float(x) for x, _, text in texts if text in ("we", "saw", "PP", "with")}
    stars = sorted(float(x) for x, _, text in texts if text == "stars")
    assert place["PP"] == pytest.approx((place["with"] + stars[1]) / 2, abs=0.2)
    assert [text for _, _, text in texts].count("0.67") == 1
    assert [text for _, _, text in texts].count("0.33") == 1


def test_labels_share_a_cell_if_there_is_room():
    spans = [Span("S", 0, 2, 0.9), Span("VP", 0, 2, 0.8), Span("X", 0, 2, 0.1)]
    assert ">S VP<" in heat_map_svg(posteriors_of_spans(["considerable", "b"], spans))
    spans[1] = Span("VERBPHRASE", 0, 2, 0.8)
    assert ">S<" in heat_map_svg(posteriors_of_spans(["a", "b"], spans))


@pytest.mark.parametrize("words", [1, 2, 3, 30])
def test_nothing_lies_outside_the_picture_or_over_the_legend(words):
    sentence = ["word"] * words
    spans = [Span("TOP", 0, words, 1.0)]
    svg = heat_map_svg(posteriors_of_spans(sentence, spans))
    width, height = map(float, re.search(r'width="([\d.]+)" height="([\d.]+)"', svg).groups())
    boxes = [(float(x), float(y), float(w)) for x, y, w, _ in BOX.findall(svg)]
    assert all(x >= 0 and x + w <= width and 0 <= y < height for x, y, w in boxes)
    legend = next((float(x), float(y)) for x, y, text in TEXT.findall(svg) if "prob" in text)
    cells = boxes[:-5]
    right = max(x + w for x, _, w in boxes[-5:])
    assert not [c for c in cells if c[0] < right and legend[1] - 45 < c[1] < legend[1] + 30]


def test_colours_grow_darker():
    shades = [sum(int(colour_of(i / 20)[j : j + 2], 16) for j in (1, 3, 5)) for i in range(21)]
    assert shades == sorted(shades, reverse=True)
    assert len(set(shades)) == 21


def test_png_and_svg(posteriors, tmp_path):
    draw_heat_map(posteriors, tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
    draw_heat_map(posteriors, tmp_path / "chart.svg", "VP")
    assert (tmp_path / "chart.svg").read_text() == heat_map_svg(posteriors, "VP")


@pytest.mark.parametrize(
    ("label", "path", "kind", "message"),
    [
        ("NPP", "a.svg", OptionError, "no span can have the label 'NPP'\n  hint: try PP, NP"),
        (None, "a.pdf", OptionError, "cannot draw to the suffix '.pdf'"),
        (None, "none/a.svg", OutputError, "cannot write"),
        (None, "none/a.png", OutputError, "cannot write"),
    ],
)
def test_bad_input_is_one_error(posteriors, tmp_path, label, path, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        draw_heat_map(posteriors, tmp_path / path, label)
    assert not list(tmp_path.iterdir())


def test_very_long_sentences_are_refused():
    found = posteriors_of_spans(["a"] * 81, [Span("S", 0, 81, 1.0)])
    with pytest.raises(OptionError, match="81 words would be too large"):
        heat_map_svg(found)


# --- the verb ----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_parse_draws_the_chart_of_a_sentence(run, tmp_path, suffix):
    (tmp_path / "g.txt").write_text(GRAMMAR)
    line = " ".join(SENTENCE).encode()
    done = run("parse", "g.txt", "--heat-map", f"chart.{suffix}", stdin=line)
    assert done.code == 0
    assert done.out.startswith("(S (NP we)")
    assert done.err == f"drawn in chart.{suffix}\n"
    picture = (tmp_path / f"chart.{suffix}").read_bytes()
    assert picture.startswith(b"\x89PNG") if suffix == "png" else b">0.67<" in picture


@pytest.mark.parametrize(
    ("lines", "plot", "message"),
    [
        (
            b"we saw stars\nwe saw stars\n",
            "a.svg",
            "a heat map shows one sentence, and there are 2",
        ),
        (b"", "a.svg", "a heat map shows one sentence, and there are 0"),
        (b"we saw stars\n", "a.gif", "cannot draw to the suffix '.gif'"),
        (b"we saw stars\n", "none/a.svg", "none/a.svg: cannot write"),
    ],
)
def test_what_cannot_be_drawn_is_one_message(run, tmp_path, lines, plot, message):
    (tmp_path / "g.txt").write_text(GRAMMAR)
    done = run("parse", "g.txt", "--heat-map", plot, stdin=lines)
    assert done.code == 1
    assert done.err.startswith("treewright: ")
    assert message in done.err
    assert done.out == ""
    assert test_command_line.names(tmp_path) == {"g.txt"}


def test_a_sentence_without_a_parse_has_no_heat_map(run, tmp_path):
    (tmp_path / "g.txt").write_text(GRAMMAR)
    done = run("parse", "g.txt", "--heat-map", "a.svg", stdin=b"we we\n")
    assert (done.code, done.out) == (0, "(())\n")
    assert "there are no spans to draw" in done.err
    assert test_command_line.names(tmp_path) == {"g.txt"}
