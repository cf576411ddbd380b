"""Choosing words by what stands beside them: a model of the bigrams of ALP's texts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from induction.language.ngram_counts import UNKNOWN
from sampling.alp.grammar import ALPGrammar
from sampling.alp.kernels import Fit
from sampling.joins.kernels import Automaton
from sampling.joins.score import Tilt
from sampling.joins.sentences import Rows, Sentences

__all__ = ["fit_of", "no_fit", "sentences_of_grammar"]


def sentences_of_grammar(grammar: ALPGrammar) -> Sentences:
    """Return the words of the sentences of a grammar, in small letters."""
    offsets = np.concatenate(([0], np.cumsum(grammar.texts.words)))
    codes = np.asarray(grammar.texts.form[: offsets[-1]], np.int32)
    return Sentences.of([Rows(codes, [form.lower() for form in grammar.forms], offsets)])


def fit_of(grammar: ALPGrammar, tilt: Tilt) -> Fit:
    """Return how words are chosen under a tilt whose score has a model of words."""
    words = tilt.score.words
    forms = pa.array([form.lower() for form in grammar.forms], pa.string())
    found = pc.index_in(forms, value_set=pa.array(words.names, pa.string()))
    numbers = found.fill_null(UNKNOWN).to_numpy(zero_copy_only=False).astype(np.int32)
    power = float(tilt.power * tilt.score.weights[0])
    # one draw would be no choice; two draws of a power of 0 are one
    return Fit(words.automaton, numbers, power, max(tilt.draws, 2))


def no_fit() -> Fit:
    """Return what leaves every word as it was drawn."""
    ints, floats = np.zeros(1, np.int64), np.zeros(1)
    nothing = Automaton(ints, np.zeros(1, np.int32), ints, floats, floats, 0, 0, 2)
    return Fit(nothing, np.zeros(1, np.int32), 0.0, 1)
