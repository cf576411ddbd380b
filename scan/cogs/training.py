"""A model that writes terms, trained on pairs and on those that an induced grammar adds.

It writes the short form of terms (:mod:`scan.cogs.tokens`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grammar.errors import TreewrightError
from grammar.synchronous.grammar import SynchronousGrammar
from induction.terms.terms import Term
from scan.cogs.augmentation import Amounts, agreement, draw_pairs
from scan.cogs.conversion import with_small_article
from scan.cogs.tokens import from_short, to_short

if TYPE_CHECKING:
    from scan.models.config import TrainingConfig
    from scan.models.files import TrainedModel
    from scan.models.training import Progress

__all__ = ["TermModel", "model_answers", "train_on_terms"]

_AUDITED = 2_000


@dataclass(frozen=True)
class TermModel:
    """A trained model and what it was trained on.

    Attributes
    ----------
    trained : TrainedModel
        Reads sentences, writes the short form of terms.
    made : list of (str, str)
        Sentences and terms that the grammar added.
    agreeing : float
        Share of them that the grammar parses back to their terms.
    seconds : float
        Wall time of training, the last run of it if it was interrupted.
    """

    trained: TrainedModel
    made: list[tuple[str, str]]
    agreeing: float
    seconds: float


def train_on_terms(
    pairs: Iterable[tuple[str, str]],
    grammar: SynchronousGrammar | None,
    *,
    config: TrainingConfig,
    amounts: Amounts | None = None,
    checkpoint: Path | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> TermModel:
    """Draw pairs from a grammar, if there is one, and train on them and the given ones.

    Parameters
    ----------
    pairs : iterable of (str, str)
        Sentences and terms.
    grammar : SynchronousGrammar or None
        Where more come from.
    config : TrainingConfig
        How to train; its seed is that of drawing, too.
    amounts : Amounts, optional
        How many are drawn.
    checkpoint, on_progress
        As in :func:`scan.models.training.train`.

    Raises
    ------
    OptionError
        If the checkpoint belongs to another run.
    """
    from scan.models.training import train

    made, agreeing = [], 1.0
    if grammar is not None:
        made = draw_pairs(grammar, seed=config.seed, amounts=amounts)
        agreeing = agreement(grammar, made[:: max(1, len(made) // _AUDITED)])
    began = time.monotonic()
    trained = train(
        _short(pairs),
        augmented=_short(made),
        config=config,
        checkpoint=checkpoint,
        on_progress=on_progress,
    )
    return TermModel(trained, made, agreeing, round(time.monotonic() - began, 1))


def model_answers(trained: TrainedModel, texts: Iterable[str]) -> list[Term | None]:
    """Return what a model writes for each sentence; None where it is no term."""
    written = trained.decode([with_small_article(text) for text in texts])
    return [_read(found.target) if found.finished else None for found in written]


def _read(text: str) -> Term | None:
    try:
        return from_short(text)
    except TreewrightError:
        return None


def _short(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(source, to_short(Term.parse(term))) for source, term in pairs]
