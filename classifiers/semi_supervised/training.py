"""One door to semi-supervised training: the options say which."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from classifiers.config import TFIDF
from classifiers.examples import Examples, refuse_multilabel
from classifiers.networks.finetuning import key_of
from classifiers.semi_supervised.mixtext import mixtext
from classifiers.semi_supervised.options import NO, SemiSupervised
from classifiers.semi_supervised.self_training import Round, self_train
from classifiers.training.train import Classifier, Training
from grammar.errors import CorpusError, OptionError
from grammar.files import made_folder

__all__ = ["train_semi"]


def train_semi(
    training: Training,
    labelled: Examples,
    texts: Sequence[str | tuple[str, str]],
    options: SemiSupervised,
    *,
    held: Examples | None = None,
    folder: Path | None = None,
    on_round: Callable[[Round], None] | None = None,
    on_update: Callable[[int, float], None] | None = None,
) -> Classifier:
    """Train a classifier on labelled examples and unlabelled texts.

    Parameters
    ----------
    training : Training
        What trains (:func:`~classifiers.training.train.trainer`).
    labelled : Examples
        Labelled examples.
    texts : sequence of str or (str, str)
        Unlabelled ones.
    options : SemiSupervised
        Which method, and how.
    held : Examples, optional
        What chooses the number of steps.
    folder : path, optional
        Where states are kept: a training that was stopped goes on, with the same result.
    on_round, on_update : callable, optional
        Told of each round, and of each update of MixText.

    Raises
    ------
    CorpusError
        If there are no unlabelled texts.
    OptionError
        If the method needs an encoder that learns, or any encoder, and there is none.

    Examples
    --------
    >>> from classifiers.examples import read_examples
    >>> from classifiers.config import TrainingConfig
    >>> from classifiers.training.train import trainer
    >>> from induction import Corpus
    >>> few = read_examples(Corpus.from_columns(text=["a good film", "a bad film"], label=[1, 0]))
    >>> options = SemiSupervised(semi="self-training", rounds=1, take=1.0)
    >>> texts = ["good acting", "bad acting", "good plot", "bad plot"]
    >>> model = train_semi(trainer(TrainingConfig(encoder="tfidf")), few, texts, options)
    >>> model.probabilities(["good plot"]).argmax(1)
    array([1])
    """
    if options.semi == NO:
        raise OptionError(
            "semi='none' learns from no unlabelled texts", hint="semi='self-training'"
        )
    if not texts:
        raise CorpusError("there are no unlabelled texts", hint="give at least one")
    if options.semi == "ust" and training.config.encoder == TFIDF:
        raise OptionError(
            "ust needs what has dropout: it names texts with dropout", hint="use self-training"
        )
    refuse_multilabel(labelled, options.semi, "train without unlabelled texts")
    training = training.fitted(labelled)  # once, and not in every round
    key = ""
    if folder is not None:
        key = _key(training, labelled, texts, options, held)
        folder = made_folder(folder)
    if options.semi == "mixtext":
        return mixtext(
            training, labelled, texts, options, held=held, key=key, on_update=on_update,
            checkpoint=None if folder is None else folder / "training.safetensors",
        )  # fmt: skip
    return self_train(
        training, labelled, texts, options, held=held, folder=folder, key=key, on_round=on_round
    )


def _key(
    training: Training,
    labelled: Examples,
    texts: Sequence[str | tuple[str, str]],
    options: SemiSupervised,
    held: Examples | None,
) -> str:
    parts = [labelled, held, asdict(options), list(texts)]
    return key_of(training.encoder, training.config, training.mixing, parts)
