"""The card of an exported classifier: what it is, how to ask it, what it was made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any

from classifiers.card import card_rows
from classifiers.config import TFIDF

__all__ = ["card_text"]


def card_text(held: Mapping[str, Any]) -> str:
    """Return the card as Markdown.

    Parameters
    ----------
    held : mapping
        ``inputs``, ``classes``, ``config`` and ``facts``
        (:func:`~classifiers.card.card_text`).
    """
    return "\n".join(_lines(held)) + "\n"


def _lines(held: Mapping[str, Any]) -> Iterator[str]:
    classes, config = held["classes"], held["config"]
    words = held["inputs"] == ["text"]
    yield from ("---", "library_name: onnx", "pipeline_tag: text-classification", "---", "")
    yield from (f"# A text classifier of {len(classes)} classes, in ONNX", "")
    yield "Output `probabilities` has a column for each class, in this order:"
    yield from ("", *(f"{number}. {name}" for number, name in enumerate(classes)), "")
    if config.get("multilabel"):
        yield from ("A text is of any number of classes (multi-label).", "")
    yield from ("## How to ask it", "", "```python")
    yield from (_ASK_WORDS if words else _ASK_PIECES).format(config["max_length"]).splitlines()
    yield "```"
    if words:
        yield from ("", 'Join the two texts of a pair by `" ||| "`.')
    yield from card_rows(held["facts"], config, tfidf=words)
    yield from ("", "## Licence", "", _licence(config["encoder"]))


_ASK_WORDS = """\
import onnxruntime

session = onnxruntime.InferenceSession("model.onnx")
texts = [" ".join(text.lower().split()) for text in ["a fine film"]]
probabilities = session.run(None, {{"text": texts}})[0]"""
_ASK_PIECES = """\
import onnxruntime
from transformers import AutoTokenizer

session = onnxruntime.InferenceSession("model.onnx")
tokenizer = AutoTokenizer.from_pretrained(".")
pieces = tokenizer(
    ["a fine film"], padding=True, truncation=True, max_length={}, return_tensors="np"
)
probabilities = session.run(None, dict(pieces))[0]"""


def _licence(encoder: str) -> str:
    """Say under which licence that stands which the classifier is built on."""
    if encoder == TFIDF:
        return "It is built on its training data alone. Their licence applies."
    try:
        found = metadata(encoder)
    except (PackageNotFoundError, ValueError):
        found = None
    fields = () if found is None else ("License-Expression", "License")
    named = next((found[field] for field in fields if found and field in found), None)
    known = f"The package `{encoder}` states: {named}." if named else "It is not known here."
    return (
        f"The weights of the encoder `{encoder}` are part of this model, so their licence applies. "
        f"{known} The licence of the training data applies, too."
    )
