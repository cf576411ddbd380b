"""One cell of an experiment: a split, a method of augmentation, a seed.

The method sees training pairs only. What it makes is audited by the interpreter, never labelled
or filtered by it. Test pairs are read once, after training has stopped on training exact match.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from induction.corpus.corpus import Corpus
from scan.augmenters import HALF_OF_SCAN, find_augmenter
from scan.generator import verify
from scan.models.batches import HELD_OUT, random_stream
from scan.splits import split

if TYPE_CHECKING:
    from scan.models.config import TrainingConfig
    from scan.models.files import TrainedModel
    from scan.models.training import Progress

__all__ = ["Outcome", "augment_pairs", "hold_out", "run", "unique_pairs"]


@dataclass(frozen=True)
class Outcome:
    """What one training run found.

    Attributes
    ----------
    split, method, seed
        The cell.
    train_pairs, synthetic_pairs, test_pairs : int
        Distinct pairs.
    agreeing : float
        Share of the synthetic pairs that agree with the interpreter (1 if there are none).
    sampled_tests : int
        Distinct test commands that occur among the synthetic ones.
    steps : int
        Updates until training stopped.
    train_exact, test_exact : float
        Exact match over all training (and synthetic) pairs, and over the test pairs.
    unsampled_exact : float or None
        Exact match over the test commands that were never sampled; None if all were.
    seconds : float
        Wall time of augmentation and training.
    """

    split: str
    method: str
    seed: int
    train_pairs: int
    synthetic_pairs: int
    test_pairs: int
    agreeing: float
    sampled_tests: int
    steps: int
    train_exact: float
    test_exact: float
    unsampled_exact: float | None
    seconds: float

    def to_json(self) -> str:
        """Return the outcome as one JSON object."""
        return json.dumps(asdict(self), indent=2) + "\n"


def unique_pairs(corpus: Corpus) -> list[tuple[str, str]]:
    """Return the distinct (text, target) pairs, in order.

    >>> unique_pairs(Corpus.from_columns(text=["walk", "walk"], target=["I_WALK", "I_WALK"]))
    [('walk', 'I_WALK')]
    """
    texts, targets = corpus.complete("text"), corpus.complete("target")
    return list(dict.fromkeys(zip(texts, targets, strict=True)))


def hold_out(train: Corpus, lines: int, seed: int) -> tuple[Corpus, Corpus]:
    """Set training lines aside at random.

    Parameters
    ----------
    train : Corpus
        Training pairs as published. Of a line that is repeated, copies may stay.
    lines : int
        How many to set aside.
    seed : int
        Which ones is a function of it.

    Returns
    -------
    (Corpus, Corpus)
        The lines that stay, in order, and those set aside.

    Examples
    --------
    >>> train = Corpus.from_columns(text=["a", "b", "c"], target=["A", "B", "C"])
    >>> rest, aside = hold_out(train, 1, seed=0)
    >>> len(rest), len(aside)
    (2, 1)
    """
    order = random_stream(seed, HELD_OUT, 0).permutation(len(train))
    parts = np.sort(order[lines:]), order[:lines]
    rest, aside = (Corpus(train.table.take(pa.array(rows))) for rows in parts)
    return rest, aside


def augment_pairs(train: Corpus, method: str, *, n: int | None = None, seed: int = 0) -> Corpus:
    """Make new pairs from training pairs alone.

    Parameters
    ----------
    train : Corpus
        Training pairs as published, repeated ones included: TreeMix draws from all lines alike.
    method : str
        A name in :data:`scan.augmenters.AUGMENTERS`.
    n : int, optional
        How many pairs at most; by default somewhat less than half of the commands of SCAN.

    Raises
    ------
    OptionError
        If there is no such method.
    """
    return find_augmenter(method).make(train, HALF_OF_SCAN if n is None else n, seed)


def run(
    split_name: str,
    method: str,
    *,
    config: TrainingConfig,
    n: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> tuple[Outcome, TrainedModel]:
    """Augment, train and test one cell; ``config.seed`` is the seed of all of it."""
    from scan.models.training import exact_match, train

    data = split(split_name)
    began = time.monotonic()
    lines, aside = hold_out(data.train, find_augmenter(method).held_out, config.seed)
    synthetic = augment_pairs(lines, method, n=n, seed=config.seed)
    pairs, made, test = map(unique_pairs, (lines, synthetic, data.test))
    validation = list(zip(aside.column("text"), aside.column("target"), strict=True))
    trained = train(
        pairs, augmented=made, validation=validation, config=config, on_progress=on_progress
    )
    seconds = time.monotonic() - began
    sampled = {text for text, _ in made}
    unsampled = [pair for pair in test if pair[0] not in sampled]
    outcome = Outcome(
        split=split_name,
        method=method,
        seed=config.seed,
        train_pairs=len(pairs),
        synthetic_pairs=len(made),
        test_pairs=len(test),
        agreeing=verify(synthetic).rate if made else 1.0,
        sampled_tests=len(test) - len(unsampled),
        steps=trained.history[-1].update,
        train_exact=trained.history[-1].exact_match,
        test_exact=exact_match(trained, test),
        unsampled_exact=exact_match(trained, unsampled) if unsampled else None,
        seconds=round(seconds, 1),
    )
    return outcome, trained
