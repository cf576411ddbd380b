"""A classifier as a folder for others: ``model.onnx``, its tokenizer if it has one, and a card."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from classifiers.export.card import card_text
from classifiers.export.tfidf import tfidf_graph
from classifiers.networks.finetuning import FineTuned
from classifiers.training.frozen import FrozenClassifier, TfidfClassifier
from classifiers.training.train import Classifier
from grammar.errors import MissingDataError, OptionError, to_install
from grammar.files import PathLike
from grammar.saving.folders import save_folder

__all__ = ["export_onnx"]

SCHEMA = "treewright.onnx/1"
_GRAPH = "model.onnx"


def export_onnx(
    model: Classifier, folder: PathLike, facts: Mapping[str, Any] | None = None
) -> None:
    """Write a trained classifier as an ONNX model, from texts to probabilities, with a card.

    Parameters
    ----------
    model : Classifier
        What a trainer returned: a TF-IDF model, a head on a frozen encoder, or an encoder that was
        trained.
    folder : str or path
        It gets ``model.onnx``, the files of the tokenizer, and ``README.md``, which says how to ask
        the model. It appears when it is complete.
    facts : mapping, optional
        What the card says, as in :func:`~classifiers.saving.save_classifier`.

    Raises
    ------
    MissingDataError
        If ``onnx`` is not installed.
    OptionError
        If this kind of classifier cannot be exported.
    OutputError
        If the folder cannot be written.

    Notes
    -----
    A TF-IDF model reads texts in lower case with single spaces. A model on an encoder reads what
    the tokenizer of the folder makes of texts. Probabilities equal those of the classifier to five
    digits where it computes in float32; in bfloat16 they differ more.

    Examples
    --------
    >>> from classifiers import train
    >>> from induction import Corpus
    >>> model = train(Corpus.from_columns(text=["fine", "poor"], label=["good", "bad"]))
    >>> export_onnx(model, "exported")  # doctest: +SKIP
    """
    if importlib.util.find_spec("onnx") is None:
        raise MissingDataError(
            "writing ONNX needs what is not installed: onnx",
            hint=to_install("onnx"),
        )
    if not isinstance(model, TfidfClassifier | FrozenClassifier | FineTuned):
        raise OptionError(
            f"a {type(model).__name__} cannot be exported to ONNX",
            hint="train with encoder='tfidf', or with an encoder and head='linear'",
        )

    def write(part: Path) -> dict[str, Any]:
        inputs = _write(model, part)
        return {
            "inputs": inputs, "classes": list(model.classes), "config": asdict(model.config),
            "facts": dict(facts or {}),
        }  # fmt: skip

    save_folder(folder, SCHEMA, write, card_text)


def _write(model: TfidfClassifier | FrozenClassifier | FineTuned, folder: Path) -> list[str]:
    """Write the graph and what it needs; return the names of its inputs."""
    if isinstance(model, TfidfClassifier):
        (folder / _GRAPH).write_bytes(tfidf_graph(model).SerializeToString())
        return ["text"]
    from classifiers.export.encoders import write_graph

    model.encoder.tokenizer.save_pretrained(folder)
    return write_graph(model, folder / _GRAPH)
