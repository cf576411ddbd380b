"""MixText: labels of unlabelled texts are guessed at each update, and everything is mixed.

A guess is the mean of what the model says of a text and of its paraphrases, made harder. The text
and its paraphrases are learnt with it, mixed with other examples inside the encoder.

References
----------
Chen et al. 2020, MixText: Linguistically-Informed Interpolation of Hidden Space for Semi-Supervised
Text Classification, sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from classifiers.examples import Examples
from classifiers.mixing.options import Mixing
from classifiers.networks.batches import Batches, Read, order_of_examples
from classifiers.networks.finetuning import FineTuned
from classifiers.networks.loop import Course
from classifiers.networks.losses import sharpened
from classifiers.networks.model import TextModel
from classifiers.networks.network import fitted
from classifiers.semi_supervised.options import SemiSupervised
from classifiers.training.train import Training
from grammar.errors import OptionError
from induction.corpus.corpus import Corpus
from sampling.neural.threads import seeded

__all__ = ["MIXED", "GuessingModel", "guessed", "mixtext", "paraphrased"]

MIXED = Mixing(mix="tmix", alpha=0.75)
"""How examples are mixed if nothing else is asked for: the values of MixText's program."""
Text = str | tuple[str, str]


def guessed(shares: Tensor, groups: Tensor, temperature: float) -> Tensor:
    """Return the guess for each row: the mean over its group, made harder.

    Parameters
    ----------
    shares : Tensor, shape (rows, classes)
        What the model says of texts and of their paraphrases.
    groups : int64 tensor, shape (rows,)
        Which text each is, or is a paraphrase of.
    temperature : float
        See :func:`~classifiers.networks.losses.sharpened`.

    Examples
    --------
    >>> shares = torch.tensor([[0.8, 0.2], [0.7, 0.3], [0.5, 0.5]])
    >>> guessed(shares, torch.tensor([4, 4, 7]), 0.5)
    tensor([[0.9000, 0.1000],
            [0.9000, 0.1000],
            [0.5000, 0.5000]])
    """
    _, place = torch.unique(groups, return_inverse=True)
    sums = torch.zeros(int(place.max()) + 1, shares.shape[1], device=shares.device)
    sums = sums.index_add(0, place, shares)
    counts = torch.bincount(place)[:, None]
    return sharpened(sums / counts, temperature)[place]


class GuessingModel(TextModel):
    """A classifier that guesses the labels of unlabelled texts when it learns."""

    options: SemiSupervised
    rises: int

    def forward(
        self,
        labels: Tensor | None = None,
        weights: Tensor | None = None,
        new: Tensor | None = None,
        mixture: dict[str, Tensor] | None = None,
        groups: Tensor | None = None,
        update: Tensor | None = None,
        **inputs: Tensor,
    ) -> dict[str, Tensor]:
        """Return the scores of the classes and the loss, after labels were guessed.

        ``groups`` has -1 for labelled examples; ``update`` the number of the update.
        """
        inputs.pop("num_items_in_batch", None)
        if labels is None or groups is None or update is None:
            return super().forward(labels, weights, new, mixture, **inputs)
        rows = groups >= 0
        if bool(rows.any()):
            labels = labels.clone()
            labels[rows] = self._guessed(groups[rows], {k: v[rows] for k, v in inputs.items()})
        share = min(1.0, (int(update[0]) + 1) / self.rises)
        # the merged loss: that of the labelled ones, and that of the others times its weight
        self.training_config = replace(
            self.training_config, gamma=self.options.unlabelled_weight * share
        )
        return super().forward(labels, weights, new, mixture, **inputs)

    def _guessed(self, groups: Tensor, inputs: dict[str, Tensor]) -> Tensor:
        learning = self.training
        self.eval()
        with torch.no_grad():
            shares = self._logits(self.vectors(inputs)).float().softmax(1)
        self.train(learning)
        return guessed(shares, groups, self.options.temperature)


class _Groups(Batches):
    """Batches in which every unlabelled text is followed by its paraphrases."""

    def __init__(
        self, groups: Sequence[int], leading: int, training: Training, read: Read,
        examples: Examples, mixing: Mixing,
    ) -> None:  # fmt: skip
        assert training.encoder is not None
        config = training.config
        super().__init__(read, examples, config, mixing=mixing, depth=training.encoder.depth)
        # paraphrases come with their texts, and never by themselves
        self.order = order_of_examples(examples.take(range(leading)), config)
        self.groups = torch.tensor(list(groups))
        self.after: dict[int, list[int]] = {}
        for row in range(leading, len(groups)):
            self.after.setdefault(groups[row], []).append(row)

    def __call__(self, places: Sequence[int]) -> dict[str, Any]:
        """Return the batch of some places in the order."""
        rows = [self.order[place] for place in places]
        rows = [one for row in rows for one in (row, *self.after.get(int(self.groups[row]), ()))]
        update = places[0] // self.size
        made = self.batch(rows, update)
        return {
            **made, "groups": self.groups[torch.tensor(rows)],
            "update": torch.full((len(rows),), update),
        }  # fmt: skip


def mixtext(
    training: Training,
    labelled: Examples,
    texts: Sequence[Text],
    options: SemiSupervised,
    *,
    held: Examples | None = None,
    checkpoint: Path | None = None,
    key: str = "",
    on_update: Callable[[int, float], None] | None = None,
) -> FineTuned:
    """Train a classifier by MixText.

    Parameters
    ----------
    training : Training
        With an encoder that learns. Its ``share`` of each batch are unlabelled texts, each of
        which its paraphrases follow; its ``mixing`` is :data:`MIXED` if it has none.
    labelled : Examples
        Labelled examples.
    texts : sequence of str or (str, str)
        Unlabelled ones.
    options : SemiSupervised
        Paraphrases, temperature, and the weight of guessed labels.
    held, checkpoint, on_update
        See :func:`~classifiers.networks.finetuning.fine_tune`.
    key : str
        A hash of all that decides the result.

    Raises
    ------
    OptionError
        If the encoder does not learn; or a paraphrasing method cannot do without labels.

    Notes
    -----
    As in the paper guesses have no gradient; they are made without dropout. The paper's further
    loss on the entropy of unlabelled texts is left out. Texts without a label of their own are
    mixed with any of the batch.
    """
    config, encoder = training.config, training.encoder
    if encoder is None or config.train == "frozen":
        raise OptionError(
            "mixtext needs an encoder that learns",
            hint="use train='top_layers' or train='whole'; or self-training",
        )
    mixing = training.mixing if training.mixing.used else MIXED
    like, of = paraphrased(texts, options, config.seed)
    everything, groups = _together(labelled, texts, like, of)
    leading = len(labelled) + len(texts)
    with seeded(config.seed, encoder.device):
        model = GuessingModel(encoder, config, len(labelled.classes), mixing).to(encoder.device)
        model.options, model.rises = options, max(1, round(options.ramp_up * config.steps))
        blank = FineTuned(encoder=encoder, config=config, classes=labelled.classes, model=model)
        read = blank.read(everything.texts)
        batches = _Groups(groups, leading, training, read, everything, mixing)
        return fitted(
            blank, batches, Course(checkpoint=checkpoint, key=key, on_update=on_update), held
        )


def paraphrased(
    texts: Sequence[Text], options: SemiSupervised, seed: int
) -> tuple[list[Text], list[int]]:
    """Return paraphrases, and of which text each is one.

    Raises
    ------
    OptionError
        If the texts are pairs, or the method needs more than texts.

    Examples
    --------
    >>> options = SemiSupervised(paraphrase="shuffle", paraphrases=1)
    >>> paraphrased(["one two three", "four five six"], options, 0)
    (['three two one', 'six five four'], [0, 1])
    """
    from sampling.pipeline.augment import augment
    from sampling.stream import shortfalls_heard

    if not options.paraphrases:
        return [], []
    if not all(isinstance(text, str) for text in texts):
        raise OptionError("pairs of texts have no paraphrases", hint="use paraphrases=0")
    corpus = Corpus.from_columns(id=list(map(str, range(len(texts)))), text=list(texts))
    with shortfalls_heard(_fine):
        made = augment(
            corpus, options.paraphrase, times=options.paraphrases, seed=seed, columns="none"
        ).corpus
    found: dict[int, list[Text]] = {}
    for row in made:
        mine = found.setdefault(int(row["provenance"]["parents"][0]), [])
        if len(mine) < options.paraphrases:
            mine.append(row["text"])
    pairs = [(text, of) for of in sorted(found) for text in found[of]]
    return [text for text, _ in pairs], [of for _, of in pairs]


def _fine(shortfall: object) -> None:
    """Do nothing: fewer paraphrases are fine."""


def _together(
    labelled: Examples, texts: Sequence[Text], like: Sequence[Text], of: Sequence[int]
) -> tuple[Examples, list[int]]:
    """Return labelled examples, unlabelled ones and paraphrases, and the group of each."""
    count, classes = len(texts) + len(like), len(labelled.classes)
    unknown = Examples(
        (*texts, *like), np.full((count, classes), 1 / classes, np.float32),
        np.ones(count, np.float32), np.ones(count, np.bool_), labelled.classes,
    )  # fmt: skip
    given = replace(labelled, new=np.zeros(len(labelled), np.bool_))
    return given.with_new(unknown), [-1] * len(labelled) + [*range(len(texts)), *of]
