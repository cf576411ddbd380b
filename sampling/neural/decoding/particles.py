"""Sequential Monte Carlo over subword tokens: texts distributed as model times grammar.

Particles are texts that are begun. Each step draws the next token of each by the model's
probability times what the token leaves of the grammar's mass: the locally optimal proposal of the
target twisted by that mass (Doucet & Johansen 2009, section 4; Lew et al. 2023; Loula et al. 2025).
Its normaliser multiplies the weight. Where the effective sample size is below half of the
particles, they are resampled, before they draw.

Particles that have the same tokens share one row of the model, so that it reads nothing twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from grammar.arrays import FloatArray, LongArray
from sampling.neural.decoding.language import END, State, TextLanguage

if TYPE_CHECKING:
    from sampling.neural.causal.prefixes import ReadPrefixes

__all__ = ["Drawn", "draw_text", "resampled"]


class Drawn(NamedTuple):
    """A text that was drawn.

    Attributes
    ----------
    tokens : tuple of int
        Its tokens, without that which ends it.
    state : State
        The one in which it ended.
    log_model : float
        The model's log-probability of its tokens and its end.
    log_weight : float
        The logarithm of the mean weight of the particles.
    """

    tokens: tuple[int, ...]
    state: State
    log_model: float
    log_weight: float


@dataclass(frozen=True, eq=False)
class _Text:
    """A text that is begun, and the row in which the model has read it.

    ``log_probability`` are those of the tokens that may come next.
    """

    language: TextLanguage
    state: State
    tokens: tuple[int, ...]
    log_model: float
    row: int
    following: FloatArray

    @cached_property
    def _log_chance(self) -> FloatArray:
        """The logarithm of the model's probability of each choice times its ratio."""
        choices = self.language.choices(self.state)
        chance: FloatArray = self.following[choices.tokens].astype(np.float64) + choices.log_ratio
        return chance

    @cached_property
    def log_total(self) -> float:
        """The logarithm of their sum: what the weight of a particle is multiplied by."""
        if not len(self._log_chance):
            return -np.inf
        return float(np.logaddexp.reduce(self._log_chance))

    @cached_property
    def _cumulative(self) -> FloatArray:
        sums: FloatArray = np.cumsum(np.exp(self._log_chance - self.log_total))
        return sums

    def choice(self, uniform: float) -> int:
        """Return the choice that a number from [0, 1) draws."""
        sums = self._cumulative
        found = int(np.searchsorted(sums, uniform * sums[-1], side="right"))
        return min(found, len(sums) - 1)

    def extended(self, choice: int, row: int, following: FloatArray) -> _Text:
        """Return the text with one more token, which the model has read in this row, or ended."""
        choices = self.language.choices(self.state)
        token, state = int(choices.tokens[choice]), choices.state(choice)
        tokens = self.tokens if state.node == END else (*self.tokens, token)
        log_model = self.log_model + float(self.following[token])
        return _Text(self.language, state, tokens, log_model, row, following)

    def next_token(self, choice: int) -> int:
        """Return the token of a choice; -1 where it ends the text."""
        choices = self.language.choices(self.state)
        return -1 if choices.nodes[choice] == END else int(choices.tokens[choice])

    @property
    def ended(self) -> bool:
        return self.state.node == END


def draw_text(begun: ReadPrefixes, language: TextLanguage, uniforms: FloatArray) -> Drawn | None:
    """Draw a text with particles; None if none of them ended.

    Parameters
    ----------
    begun : ReadPrefixes
        One row, behind which texts stand; it is left as it is.
    language : TextLanguage
        Which texts there are, and their masses.
    uniforms : float64[steps + 1, particles + 1]
        Numbers from [0, 1). A row is for a step: one number for each particle, and one for
        resampling. The last row draws the particle that is returned.
    """
    particles = uniforms.shape[1] - 1
    read = begun.branch(np.zeros(1, np.int64))
    start = _Text(language, language.start(), (), 0.0, 0, read.following[0])
    texts = [start] * particles
    log_weight: FloatArray = np.full(particles, language.log_total)
    for step in uniforms[:-1]:
        log_weight += [0.0 if text.ended else text.log_total for text in texts]
        if (best := log_weight.max()) == -np.inf:
            return None
        weight = np.exp(log_weight - best)
        if 2 * weight.sum() ** 2 < particles * (weight**2).sum():
            texts = [texts[k] for k in resampled(weight, step[-1]).tolist()]
            log_weight = np.full(particles, best + np.log(weight.mean()))
        going = [
            not text.ended and log > -np.inf for text, log in zip(texts, log_weight, strict=True)
        ]
        if not any(going):
            break
        texts = _longer(read, texts, going, step[:-1].tolist())
    return _chosen(texts, log_weight, float(uniforms[-1, 0]))


def resampled(weight: FloatArray, uniform: float) -> LongArray:
    """Return which particles go on, as many as there are (systematic resampling).

    >>> resampled(np.array([1.0, 0.0, 3.0, 0.0]), 0.5).tolist()
    [0, 2, 2, 2]
    """
    sums = np.cumsum(weight)
    places = (np.arange(len(weight)) + uniform) / len(weight) * sums[-1]
    found: LongArray = np.searchsorted(sums, places, side="right")
    return np.minimum(found, np.flatnonzero(weight)[-1])


def _longer(
    read: ReadPrefixes, texts: Sequence[_Text], going: Sequence[bool], uniforms: Sequence[float]
) -> list[_Text]:
    """Return the texts, of which those that go on have one more token; the model reads it."""
    drawn = [
        (text, text.choice(uniform)) if goes else None
        for text, goes, uniform in zip(texts, going, uniforms, strict=True)
    ]
    different = dict.fromkeys(one for one in drawn if one is not None)
    unread = [one for one in different if one[0].next_token(one[1]) >= 0]
    if unread:
        rows = np.array([text.row for text, _ in unread], np.int64)
        if not np.array_equal(rows, np.arange(len(read.following))):
            read.keep(rows)
        read.extend(np.array([text.next_token(choice) for text, choice in unread], np.int64))
    row_of = {one: row for row, one in enumerate(unread)}
    made = {}
    for text, choice in different:
        row = row_of.get((text, choice), -1)
        following = text.following if row < 0 else read.following[row]
        made[text, choice] = text.extended(choice, row, following)
    return [text if one is None else made[one] for text, one in zip(texts, drawn, strict=True)]


def _chosen(texts: Sequence[_Text], log_weight: FloatArray, uniform: float) -> Drawn | None:
    """Draw one of the texts that have ended by its weight."""
    log = np.where([text.ended for text in texts], log_weight, -np.inf)
    if (best := log.max()) == -np.inf:
        return None
    weight = np.exp(log - best)
    sums = np.cumsum(weight)
    found = int(np.searchsorted(sums, uniform * sums[-1], side="right"))
    text = texts[min(found, int(np.flatnonzero(weight)[-1]))]
    log_mean = float(best + np.log(weight.mean()))
    return Drawn(text.tokens, text.state, text.log_model, log_mean)
