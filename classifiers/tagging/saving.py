"""Trained perceptrons on the disk: a folder with their weights, a seal and a card; no pickle.

The features and weights of a tagger are in ``perceptron.arrow``; which tag may follow which is not
kept, for it follows from what the tagger is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from classifiers.folders import damage_told, facts_of_model
from classifiers.tagging.features import Features
from classifiers.tagging.parts_of_speech import WordTagger
from classifiers.tagging.perceptron import Weights
from classifiers.tagging.tagger import EntityTagger
from grammar.arrays import FloatArray
from grammar.errors import OptionError
from grammar.files import PathLike
from grammar.saving.array_file import load_arrays, save_arrays
from grammar.saving.folders import save_folder, schema_of

__all__ = ["Tagger", "holds_tagger", "kind_of", "open_tagger", "save_tagger"]

SCHEMA, _WEIGHTS_SCHEMA = "treewright.tagger/2", "treewright.perceptron/1"
_WEIGHTS = "perceptron.arrow"
_VERB = "treewright structured train --learner perceptron"
_KINDS: Mapping[str, type[WordTagger] | type[EntityTagger]] = {
    kind.task: kind for kind in (WordTagger, EntityTagger)
}

Tagger: TypeAlias = WordTagger | EntityTagger


def save_tagger(tagger: Tagger, folder: PathLike, facts: Mapping[str, Any] | None = None) -> None:
    """Save a tagger as a folder with a card.

    Parameters
    ----------
    tagger : WordTagger or EntityTagger
        What was trained.
    folder : str or path
        It appears when it is complete, in the place of an older one.
    facts : mapping, optional
        What the card says of the data and of scores.

    Raises
    ------
    OutputError
        If the folder cannot be written.

    Examples
    --------
    >>> from induction import Corpus
    >>> import tempfile
    >>> corpus = Corpus.from_columns(text=["we left"], tags=[["PRON", "VERB"]])
    >>> with tempfile.TemporaryDirectory() as place:
    ...     save_tagger(WordTagger.train(corpus), f"{place}/tagger")
    ...     open_tagger(f"{place}/tagger").tag(corpus).column("tags")
    [['PRON', 'VERB']]
    """

    def write(part: Path) -> dict[str, Any]:
        columns = {
            "features": list(tagger.features.numbers),
            "emitted": tagger.weights.emitted.ravel(),
            "follows": tagger.weights.follows.ravel(),
        }
        save_arrays(part / _WEIGHTS, _WEIGHTS_SCHEMA, {}, columns)
        return {"task": tagger.task, "names": list(tagger.names), "facts": dict(facts or {})}

    save_folder(folder, SCHEMA, write, _card)


def open_tagger(folder: PathLike) -> Tagger:
    """Open a tagger that :func:`save_tagger` wrote; nothing of it is executed.

    Raises
    ------
    UnreadableInputError
        If there is no such folder.
    SchemaError
        If it holds something else, or is damaged.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classifiers import EntityTagger, save_tagger
    >>> from induction import Corpus
    >>> spans = [[{"start": 0, "end": 3, "label": "PER"}], [{"start": 4, "end": 6, "label": "PER"}]]
    >>> corpus = Corpus.from_columns(text=["Ann left .", "see Bo now ."], spans=spans)
    >>> place = tempfile.TemporaryDirectory()
    >>> folder = pathlib.Path(place.name, "tagger")
    >>> save_tagger(EntityTagger.train(corpus), folder)
    >>> open_tagger(folder).tag(corpus)[0]["spans"]
    [{'start': 0, 'end': 3, 'label': 'PER'}]
    >>> place.cleanup()
    """
    held = facts_of_model(folder, SCHEMA, "a tagger", _VERB)
    again = f"train it again: {_VERB}"
    with damage_told(Path(folder), held, "the tagger", again) as files:
        _, arrays = load_arrays(
            files[_WEIGHTS], _WEIGHTS_SCHEMA, what="weights of a tagger", hint=again
        )
        kind, names = _KINDS[held["task"]], _names("names", held["names"])
        known = _names("features", arrays["features"])
        if len(arrays["follows"]) < len(names) ** 2:  # before so large a table is made
            raise ValueError("follows: there are not the weights of so many names")
        may = kind.following(len(names))
        weights = Weights(
            _weights("emitted", arrays["emitted"], (len(known), may.shape[1])),
            _weights("follows", arrays["follows"], may.shape),
            may,
        )
        return kind(names, Features({name: number for number, name in enumerate(known)}), weights)


def kind_of(task: str) -> type[WordTagger] | type[EntityTagger]:
    """Return what learns a task without an encoder (raises OptionError if nothing does)."""
    if task not in _KINDS:
        raise OptionError(
            f"no perceptron is there for {task}", hint=f"it learns {' and '.join(_KINDS)}"
        )
    return _KINDS[task]


def holds_tagger(folder: PathLike) -> bool:
    """Say whether a folder says of itself that a tagger without an encoder is in it."""
    return schema_of(folder) == SCHEMA


def _names(what: str, held: Any) -> tuple[str, ...]:
    if not isinstance(held, list) or not all(isinstance(name, str) for name in held):
        raise TypeError(f"its {what} are no texts")
    if not held or len({*held}) != len(held):
        raise ValueError(f"one of its {what} is missing, or is there twice")
    return tuple(held)


def _weights(what: str, held: Any, shape: tuple[int, ...]) -> FloatArray:
    values = np.asarray(held)
    if values.dtype != np.float64 or values.size != np.prod(shape):
        raise ValueError(f"{what}: there are not the weights of {shape[0]} by {shape[1]}")
    if not np.isfinite(values).all():
        raise ValueError(f"{what}: a weight is not finite")
    return np.ascontiguousarray(values.reshape(shape))


def _card(held: Mapping[str, Any]) -> str:
    lines = [f"# A perceptron of treewright: {held['task']}", "", f"- {', '.join(held['names'])}"]
    lines += [f"- {name}: {value}" for name, value in held["facts"].items()]
    lines += ["", "Open it with `classifiers.open_tagger`, or `treewright structured predict`.", ""]
    return "\n".join(lines)
