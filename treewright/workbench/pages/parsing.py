"""Parsing: the best trees of a sentence, side by side, and how probable each span is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from grammar.chart.heat_map import heat_map_svg, posteriors_of_spans
from grammar.chart.parses import CoarseTree, NoParse
from grammar.errors import OptionError
from grammar.trees.draw import tree_picture
from induction.parsers.protocol import ScoringParser, is_scoring
from treewright.workbench.answers import Page, answered, picture
from treewright.workbench.opened import ENGLISH, Opened
from treewright.workbench.parameters import Parameters

__all__ = ["parsing_page"]

_MOST_CHARACTERS, _MOST_TREES, _MOST_WORDS = 600, 12, 40


def parsing_page(opened: Opened, asked: Parameters) -> Page:
    """Show the most probable trees of a sentence."""
    grammars = {ENGLISH: "English (the parser that ships)"}
    grammars |= {name: item.name for name, item in opened.of_kind("grammar")}
    sentence = asked.text("sentence", most=_MOST_CHARACTERS)
    grammar = asked.choice("grammar", grammars, ENGLISH)
    trees = asked.number("trees", 3, least=1, most=_MOST_TREES)
    values = {
        "grammars": grammars,
        "grammar": grammar,
        "sentence": sentence,
        "trees": trees,
        "most": _MOST_TREES,
        "most_characters": _MOST_CHARACTERS,
    }
    if not sentence:
        return Page("parse.html", values)
    return answered("parse.html", values, lambda: _parses(opened.parser(grammar), sentence, trees))


def _parses(parser: Any, sentence: str, trees: int) -> Mapping[str, Any]:
    if not is_scoring(parser):
        raise OptionError("this parser knows no probabilities", hint="choose another grammar")
    found = next(iter(parser.kbest_each([sentence], trees)))
    if isinstance(found, NoParse):
        return {"parses": [], "reason": found.reason}
    best = found[0].log_probability
    coarse = next((each.tree.reason for each in found if isinstance(each.tree, CoarseTree)), "")
    parses = [
        {
            "picture": picture(tree_picture(each.tree)),
            "log_probability": each.log_probability,
            "ratio": math.exp(each.log_probability - best),
            "brackets": str(each.tree),
        }
        for each in found
    ]
    chart = _chart(parser, sentence, list(found[0].tree.leaves()))
    return {"parses": parses, "coarse": coarse, "chart": chart}


def _chart(parser: ScoringParser, sentence: str, words: Sequence[str]) -> Markup | None:
    """Return a picture of how probable each span is; None if there is nothing to draw."""
    spans = next(iter(parser.spans_each([sentence])))
    if isinstance(spans, NoParse) or not spans or len(words) > _MOST_WORDS:
        return None
    drawn = heat_map_svg(posteriors_of_spans(words, spans))
    return Markup(drawn.replace("<svg ", '<svg class="fits" ', 1))
