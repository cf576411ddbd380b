"""Trained classifiers on the disk: a folder of Hugging Face, or one file of arrays; no pickle.

A classifier on an encoder is a folder: the encoder with its weights as trained (``AutoModel`` and
``AutoTokenizer`` open it), the head (``head.safetensors``), what is needed beside
(``treewright.json``: recipe, classes, a hash of the weights) and a card (``README.md``). A TF-IDF
model is a folder too, with its arrays in ``tfidf.arrow``; a network on words has its weights in
``head.safetensors`` and its words in ``words.arrow``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifiers.card import card_text
from classifiers.folders import (
    arrays_of,
    damage_told,
    read_facts,
    read_head,
    save_folder,
    write_encoder,
    write_head,
)
from classifiers.networks.finetuning import FineTuned
from classifiers.networks.from_scratch import FromScratch
from classifiers.recipe import Recipe, read_recipe
from classifiers.training.frozen import FrozenClassifier, TfidfClassifier, linear_model, vectoriser
from classifiers.training.train import Classifier
from grammar.files import PathLike
from grammar.saving.array_checks import check_counts
from grammar.saving.array_file import load_arrays, save_arrays

__all__ = ["facts_of", "open_classifier", "save_classifier"]

SCHEMA, TFIDF_SCHEMA = "treewright.classifier/1", "treewright.tfidf/1"
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
        What the card says beside the recipe and the classes: ``data``, ``manifest``,
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
        kind, recipe = _write(model, part)
        return {
            "kind": kind, "classes": list(model.classes), "recipe": asdict(recipe),
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
    """
    held, place = facts_of(folder), Path(folder)
    with damage_told(place, held, "the classifier", _HINT):
        recipe = read_recipe(**held["recipe"])
        opened: Classifier = _OPENERS[held["kind"]](place, recipe, tuple(held["classes"]), device)
        return opened


def facts_of(folder: PathLike) -> dict[str, Any]:
    """Return what the folder of a classifier says of it (raises as :func:`open_classifier`)."""
    return read_facts(folder, SCHEMA, "a classifier", "treewright classify train")


def _write(model: Any, folder: Path) -> tuple[str, Recipe]:
    if isinstance(model, TfidfClassifier):
        _write_tfidf(model, folder / _ARRAYS)
        return "tfidf", Recipe(encoder="tfidf", strength=float(model.model.C))
    if isinstance(model, FrozenClassifier):
        write_encoder(model.encoder, model.encoder.model, folder, model.classes)
        write_head(_linear_arrays(model.model), folder)
        return "frozen", model.recipe
    if isinstance(model, FineTuned):
        write_encoder(model.encoder, model.whole_encoder(), folder, model.classes)
        write_head(arrays_of(model.model.head), folder)
        return "fine-tuned", model.recipe
    write_head(arrays_of(model.model), folder)
    if isinstance(model, FromScratch):
        save_arrays(folder / _WORDS, WORDS_SCHEMA, {}, {"words": list(model.words)})
        return "from scratch", model.recipe
    write_encoder(model.encoder, model.encoder.model, folder, model.classes)
    return "perceptron", model.recipe


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


def _open_tfidf(folder: Path, recipe: Recipe, classes: tuple[str, ...], device: str) -> Classifier:
    _, held = load_arrays(
        folder / _ARRAYS, TFIDF_SCHEMA, what="weights of a TF-IDF model", hint=_HINT
    )
    words = vectoriser(vocabulary=held["terms"])
    check_counts("idf", held["idf"])
    words.idf_ = held["idf"]
    head = {name: np.asarray(held[name]) for name in ("weight", "bias", "present")}
    head["weight"] = head["weight"].reshape(len(head["bias"]), len(held["terms"]))
    return TfidfClassifier(classes, words, linear_model(recipe.strength, len(classes), **head))


def _open_frozen(folder: Path, recipe: Recipe, classes: tuple[str, ...], device: str) -> Classifier:
    from classifiers.encoders.opening import open_encoder

    encoder = open_encoder(os.fspath(folder), device=device)
    return FrozenClassifier(
        encoder,
        recipe,
        classes,
        linear_model(recipe.strength, len(classes), **read_head(folder, _HINT)),
    )


def _open_tuned(folder: Path, recipe: Recipe, classes: tuple[str, ...], device: str) -> Classifier:
    import torch

    from classifiers.encoders.opening import open_encoder
    from classifiers.networks.model import TextModel

    encoder = open_encoder(os.fspath(folder), device=device)
    model = TextModel(encoder, recipe, len(classes)).to(encoder.device)
    model.head.load_state_dict({k: torch.tensor(v) for k, v in read_head(folder, _HINT).items()})
    return FineTuned(encoder=encoder, recipe=recipe, classes=classes, model=model.eval())


def _open_perceptron(
    folder: Path, recipe: Recipe, classes: tuple[str, ...], device: str
) -> Classifier:
    import torch

    from classifiers.encoders.opening import open_encoder
    from classifiers.networks.perceptron import Perceptron, PerceptronClassifier

    encoder = open_encoder(os.fspath(folder), device=device)
    width = encoder.width * (2 if recipe.pooling == "ends" else 1)
    model = Perceptron(encoder.depth + 1, width, len(classes), recipe)
    model.load_state_dict({k: torch.tensor(v) for k, v in read_head(folder, _HINT).items()})
    return PerceptronClassifier(encoder=encoder, recipe=recipe, classes=classes, model=model.eval())


def _open_from_scratch(
    folder: Path, recipe: Recipe, classes: tuple[str, ...], device: str
) -> Classifier:
    import torch

    from classifiers.networks.from_scratch import FromScratch, WordModel
    from sampling.neural.opening import device_named

    _, held = load_arrays(folder / _WORDS, WORDS_SCHEMA, what="words of a classifier", hint=_HINT)
    words = tuple(held["words"])
    if not all(isinstance(word, str) for word in words):
        raise TypeError("its words are no texts")
    model = WordModel(len(words), len(classes), recipe)
    model.load_state_dict({k: torch.tensor(v) for k, v in read_head(folder, _HINT).items()})
    model = model.to(device_named(device)).eval()
    return FromScratch(recipe=recipe, classes=classes, model=model, words=words)


_OPENERS: Mapping[str, Any] = {
    "tfidf": _open_tfidf,
    "frozen": _open_frozen,
    "fine-tuned": _open_tuned,
    "perceptron": _open_perceptron,
    "from scratch": _open_from_scratch,
}
