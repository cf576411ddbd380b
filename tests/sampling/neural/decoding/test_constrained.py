"""Constrained decoding: its distribution against enumeration, its bias, its limits and faults."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

from grammar.errors import OptionError, SchemaError
from grammar.pcfg.grammar import Grammar
from sampling.neural.decoding.constrained import generate_constrained
from sampling.stream import ShortfallWarning
from tests.sampling.neural.decoding.conftest import log_sum, opened, sentences

FINITE = Grammar.parse(
    """
    S -> A B [0.6] | A [0.3] | 'ab' 'a' [0.1]
    A -> 'a' [0.5] | 'ab' [0.2] | 'aba' [0.3]
    B -> 'b' [0.9] | 'at' [0.1]
    """
)
RECURSIVE = Grammar.parse("S -> 'ab' S [0.3] | 'b' [0.4] | 'ts' S 'a' [0.3]")


def exact(
    folder: Path, grammar: Grammar, lead: str, prompt: str = "", weighted: bool = True
) -> tuple[dict[str, float], float]:
    """Return model times grammar, normalised, and the logarithm of the normaliser."""
    causal = opened(folder)
    before = causal.pieces([prompt])[0] if prompt else []
    logs = {
        text: log_sum(causal, lead + text, before) + (math.log(p) if weighted else 0.0)
        for text, p in sentences(grammar, 2).items()
    }
    log_total = float(np.logaddexp.reduce(list(logs.values())))
    return {text: math.exp(log - log_total) for text, log in logs.items()}, log_total


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("prompt", ["", "st:"])
@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_texts_are_distributed_as_model_times_grammar(
    kind: str, prompt: str, weighted: bool, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(f"{kind}_folder")
    lead = " " if prompt or kind == "llama" else ""
    expected, log_total = exact(folder, FINITE, lead, prompt, weighted)
    made = generate_constrained(
        str(folder), FINITE, prompt, 1500, particles=64, weighted=weighted, max_tokens=12,
        device="cpu",
    )
    counts = Counter(one.text for one in made)
    assert counts.keys() <= expected.keys()
    table = [(counts[text], 1500 * share) for text, share in expected.items()]
    often = [row for row in table if row[1] >= 5]
    rest = np.sum([row for row in table if row[1] < 5] or [(0, 0)], axis=0)
    rows = np.array([*often, rest] if rest[1] >= 5 else often)
    assert chisquare(rows[:, 0], rows[:, 1] * rows[:, 0].sum() / rows[:, 1].sum()).pvalue > 1e-3
    assert made.log_normaliser == pytest.approx(log_total, abs=0.05)
