"""Trained classifiers on the disk: a folder of Hugging Face, or one file of arrays; no pickle.

A classifier on an encoder is a folder: the encoder with its weights as trained (``AutoModel`` and
``AutoTokenizer`` open it), the head (``head.safetensors``), what is needed beside
(``treewright.json``: config, classes, digests of all files) and a card (``README.md``). A TF-IDF
model is a folder too, with its arrays in ``tfidf.arrow``; a network on words has its weights in
``head.safetensors`` and its words in ``words.arrow``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classifiers.card import card_text
from classifiers.config import TrainingConfig, read_config
from classifiers.folders import (
    arrays_of,
    damage_told,
    facts_of_model,
    read_head,
    write_encoder,
    write_head,
)
from classifiers.networks.finetuning import FineTuned
from classifiers.networks.from_scratch import FromScratch
from classifiers.training.frozen import (
    NGRAMS,
    STRENGTH,
    FrozenClassifier,
    TfidfClassifier,
    linear_model,
    vectoriser,
)
from classifiers.training.sigmoids import sigmoid_head
from classifiers.training.train import Classifier
from grammar.files import PathLike
from grammar.saving.array_checks import check_counts
from grammar.saving.array_file import load_arrays, save_arrays
from grammar.saving.folders import save_folder

__all__ = ["facts_of", "open_classifier", "save_classifier"]

SCHEMA, TFIDF_SCHEMA = "treewright.classifier/2", "treewright.tfidf/1"
WORDS_SCHEMA = "treewright.words/1"
_ARRAYS, _WORDS = "tfidf.arrow", "words.arrow"
_HINT = "train it again: treewright classify train"


def save_classifier(
    model: Classifier, folder: PathLike, facts: Mapping[str, Any] | None = None
) -> None:
    """Save a trained classifier as a folder with a card.

    Parameters
    ----------
    model : Classifier
        What a trainer returned.
    folder : str or path
        It appears when it is complete, in the place of an older one.
    facts : mapping, optional
        What the card says beside the config and the classes: ``data``, ``manifest``,
        ``unlabelled``, ``training``, ``scores``, and ``label_kind``, the type of the labels.

    Raises
    ------
    OutputError
        If the folder cannot be written.

    Examples
    --------
    >>> from classifiers.examples import read_examples
    >>> from classifiers.training.frozen import train_tfidf
    >>> from induction import Corpus
    >>> import tempfile
    >>> few = read_examples(Corpus.from_columns(text=["fine", "poor"], label=["good", "bad"]))
    >>> with tempfile.TemporaryDirectory() as place:
    ...     save_classifier(train_tfidf(few), f"{place}/model")
    ...     opened = open_classifier(f"{place}/model")
    ...     sorted(os.listdir(f"{place}/model"))
    ['README.md', 'tfidf.arrow', 'treewright.json']
    >>> opened.classes, opened.probabilities(["fine"]).argmax(1)
    (('bad', 'good'), array([1]))
    """

    def write(part: Path) -> dict[str, Any]:
        kind, config = _write(model, part)
        return {
            "kind": kind, "classes": list(model.classes), "config": asdict(config),
            "facts": dict(facts or {}),
        }  # fmt: skip

    save_folder(folder, SCHEMA, write, card_text)


def open_classifier(folder: PathLike, *, device: str = "auto") -> Classifier:
    """Open a classifier that :func:`save_classifier` wrote; nothing of it is executed.

    Raises
    ------
    UnreadableInputError
        If there is no such folder.
    SchemaError
        If it holds something else, or is damaged.
    MissingDataError
        If a library is missing.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classifiers import read_config, read_examples, save_classifier, trainer
    >>> from induction import Corpus
    >>> corpus = Corpus.from_columns(text=["so good", "so bad"] * 4, label=["pos", "neg"] * 4)
    >>> model = trainer(read_config(encoder="tfidf"))(read_examples(corpus))
    >>> place = tempfile.TemporaryDirectory()
    >>> folder = pathlib.Path(place.name, "model")
    >>> save_classifier(model, folder)
    >>> open_classifier(folder).classes
    ('neg', 'pos')
    >>> place.cleanup()
    """
    held, place = facts_of(folder), Path(folder)
    with damage_told(place, held, "the classifier", _HINT) as files:
        found = _Found(place, files, read_config(**held["config"]), tuple(held["classes"]), device)
        opened: Classifier = _OPENERS[held["kind"]](found)
        # what is opened is frozen, and says nothing of the labels itself
        object.__setattr__(opened, "label_kind", held["facts"].get("label_kind"))
        return opened


def facts_of(folder: PathLike) -> dict[str, Any]:
    """Return what the folder of a classifier says of it (raises as :func:`open_classifier`)."""
    return facts_of_model(folder, SCHEMA, "a classifier", "treewright classify train")


def _write(model: Any, folder: Path) -> tuple[str, TrainingConfig]:
    if isinstance(model, TfidfClassifier):
        _write_tfidf(model, folder / _ARRAYS)
        return "tfidf", model.config
    if isinstance(model, FrozenClassifier):
        write_encoder(model.encoder, model.encoder.model, folder, model.classes)
        write_head(_linear_arrays(model.model), folder)
        return "frozen", model.config
    if isinstance(model, FineTuned):
        write_encoder(model.encoder, model.whole_encoder(), folder, model.classes)
        write_head(arrays_of(model.model.head), folder)
        return "fine-tuned", model.config
    write_head(arrays_of(model.model), folder)
    if isinstance(model, FromScratch):
        save_arrays(folder / _WORDS, WORDS_SCHEMA, {}, {"words": list(model.words)})
        return "from scratch", model.config
    write_encoder(model.encoder, model.encoder.model, folder, model.classes)
    return "perceptron", model.config


def _write_tfidf(model: TfidfClassifier, path: Path) -> None:
    terms = model.vectoriser.get_feature_names_out().tolist()
    head = _linear_arrays(model.model)
    columns = {"terms": terms, "idf": model.vectoriser.idf_, **head}
    save_arrays(path, TFIDF_SCHEMA, {}, {name: np.ravel(v) if name != "terms" else v
                                        for name, v in columns.items()})  # fmt: skip


def _linear_arrays(model: Any) -> dict[str, NDArray[Any]]:
    return {
        "weight": np.asarray(model.coef_),  # with their precision: rounding would change answers
        "bias": np.asarray(model.intercept_),
        "present": np.asarray(model.classes_, np.int64),
    }


class _Found(NamedTuple):
    """What is opened: a folder, which of its files may be read, and what it says."""

    folder: Path
    files: dict[str, Path]
    config: TrainingConfig
    classes: tuple[str, ...]
    device: str

    def encoder(self) -> Any:
        from classifiers.encoders.opening import open_encoder

        return open_encoder(os.fspath(self.folder), device=self.device, files=self.files)

    def linear(self, head: Mapping[str, Any]) -> Any:
        if self.config.multilabel:
            return sigmoid_head(len(self.classes), **head)
        return linear_model(self.config.C or STRENGTH, len(self.classes), **head)

    def loaded(self, model: Any) -> Any:
        import torch

        head = read_head(self.files, _HINT)
        model.load_state_dict({name: torch.tensor(array) for name, array in head.items()})
        return model


def _open_tfidf(found: _Found) -> Classifier:
    _, held = load_arrays(
        found.files[_ARRAYS], TFIDF_SCHEMA, what="weights of a TF-IDF model", hint=_HINT
    )
    words = vectoriser(found.config.ngrams or NGRAMS, held["terms"])
    check_counts("idf", held["idf"])
    words.idf_ = held["idf"]
    head = {name: np.asarray(held[name]) for name in ("weight", "bias", "present")}
    head["weight"] = head["weight"].reshape(len(head["bias"]), len(held["terms"]))
    model = found.linear(head)
    return TfidfClassifier(found.config, found.classes, words, model)


def _open_frozen(found: _Found) -> Classifier:
    head = read_head(found.files, _HINT)
    model = found.linear(head)
    return FrozenClassifier(found.encoder(), found.config, found.classes, model)


def _open_tuned(found: _Found) -> Classifier:
    from classifiers.networks.model import TextModel

    encoder = found.encoder()
    model = TextModel(encoder, found.config, len(found.classes)).to(encoder.device)
    found.loaded(model.head)
    return FineTuned(
        encoder=encoder, config=found.config, classes=found.classes, model=model.eval()
    )


def _open_perceptron(found: _Found) -> Classifier:
    from classifiers.networks.perceptron import Perceptron, PerceptronClassifier

    encoder = found.encoder()
    width = encoder.width * (2 if found.config.pooled == "ends" else 1)
    model = Perceptron(encoder.depth + 1, width, len(found.classes), found.config)
    return PerceptronClassifier(
        encoder=encoder,
        config=found.config,
        classes=found.classes,
        model=found.loaded(model).eval(),
    )


def _open_from_scratch(found: _Found) -> Classifier:
    from classifiers.networks.from_scratch import FromScratch, WordModel
    from sampling.neural.opening import device_named

    _, held = load_arrays(
        found.files[_WORDS], WORDS_SCHEMA, what="words of a classifier", hint=_HINT
    )
    words = tuple(held["words"])
    if not all(isinstance(word, str) for word in words):
        raise TypeError("its words are no texts")
    model = found.loaded(WordModel(len(words), len(found.classes), found.config))
    model = model.to(device_named(found.device)).eval()
    return FromScratch(config=found.config, classes=found.classes, model=model, words=words)


_OPENERS: Mapping[str, Any] = {
    "tfidf": _open_tfidf,
    "frozen": _open_frozen,
    "fine-tuned": _open_tuned,
    "perceptron": _open_perceptron,
    "from scratch": _open_from_scratch,
}
