"""Span grammars whose columns do not fit each other are refused when they are opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grammar.opening import open_grammar
from induction.corpus.readers import read_reviews
from sampling.spans.grammar import SpanGrammar
from sampling.spans.treemix import TreeMix

GRAMMAR: Any = TreeMix.induce(read_reviews()[:40]).grammar
FACTS, COLUMNS = GRAMMAR.to_arrays()
SITES = len(COLUMNS["example"])


@pytest.mark.parametrize(
    ("name", "row", "value", "said"),
    [
        ("example", 0, 40, "example: a number"),
        ("example", 0, 39, "do not follow each other"),
        ("start", 3, 10**6, "start: a number"),
        ("end", 3, 0, "a span is not in its text"),
        ("node", 3, 10**6, "node: a number"),
        ("node", 3, 0, "a node is not above the words of its span"),
        ("of_site", 3, -1, "what has no substitutes is a source"),
        ("fillers", 3, SITES, "fillers: a number"),
        ("weight", 0, 2.0, "weight: not probabilities"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, row: int, value: float, said: str) -> None:
    columns = {key: np.array(held) if key != "examples" else held for key, held in COLUMNS.items()}
    columns[name][row] = value
    with pytest.raises(ValueError, match=said):
        SpanGrammar.from_arrays(FACTS, columns)


def test_a_place_without_fillers_is_no_host() -> None:
    columns = dict(COLUMNS)
    pool = int(columns["of_site"][0])
    offsets = np.array(columns["offsets"])
    kept = np.r_[0 : offsets[pool], offsets[pool + 1] : offsets[-1]]
    offsets[pool + 1 :] -= offsets[pool + 1] - offsets[pool]
    columns |= {"offsets": offsets} | {name: columns[name][kept] for name in ("fillers", "weight")}
    with pytest.raises(ValueError, match="a source has no substitutes"):
        SpanGrammar.from_arrays(FACTS, columns)


def test_what_was_saved_is_opened(tmp_path: Path) -> None:
    GRAMMAR.save(tmp_path / "g.arrow")
    assert open_grammar(tmp_path / "g.arrow").to_arrays()[0] == FACTS
