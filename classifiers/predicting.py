"""What every classifier that is trained can do besides naming probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from classifiers.config import TrainingConfig
from classifiers.examples import THRESHOLD
from grammar.foreign_names.attributes import Hints, attribute_hint, no_attribute
from sampling.examples.class_names import named

__all__ = ["Predicting", "kind_of_classes", "typed_classes"]

_OF_OTHERS: Hints = {
    "classifier.probabilities(texts) gives the probability of each class": (
        *("predict_proba", "predict_probs", "predict_log_proba", "decision_function"),
    ),
    "score(classifier, data) of treewright gives accuracy and all other scores": (
        *("score", "evaluate", "test", "accuracy"),
    ),
    "save_classifier(classifier, folder) saves it": (
        *("save", "save_pretrained", "push_to_hub", "save_model"),
    ),
    "classifier.classes has them": ("classes_", "labels", "label_names"),
    "train(data) of treewright trains one": ("fit", "learn", "partial_fit"),
}
"""What classifiers of scikit-learn and setfit have, and what gives it here."""


_KINDS = {"b": "bool", "i": "int64", "u": "int64", "f": "double"}


def typed_classes(names: Sequence[str], kind: str | None) -> NDArray[Any]:
    """Return classes as values of the type that labels had; names, where that has no such value.

    >>> typed_classes(("1", "5"), "int64").tolist(), typed_classes(("1", "x"), "int64").tolist()
    ([1, 5], ['1', 'x'])
    """
    if kind not in _KINDS.values() or (kind == "bool" and not {*names} <= {"False", "True"}):
        return np.array(names)
    try:
        values = named(pa.array(range(len(names)), pa.int64()), names, str(kind))
    except pa.ArrowInvalid:  # numbers of classes that have names
        return np.array(names)
    return np.asarray(values.to_numpy(zero_copy_only=False))


def kind_of_classes(classes: NDArray[Any]) -> str:
    """Return the type of classes, as :func:`typed_classes` takes it.

    >>> kind_of_classes(np.array([1, 5])), kind_of_classes(np.array(["a", "b"], object))
    ('int64', 'string')
    """
    return _KINDS.get(np.array(classes.tolist()).dtype.kind, "string")


class Predicting:
    """A classifier that names classes by their probabilities."""

    config: TrainingConfig
    classes: tuple[str, ...]
    label_kind: str | None = None
    """The type that labels had, as a saved classifier says it; none: names."""

    if not TYPE_CHECKING:  # of a type checker, what is not there is an error

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name, attribute_hint(name, _OF_OTHERS))

    @property
    def multilabel(self) -> bool:
        """Whether it names sets of classes."""
        return self.config.multilabel

    def predict(self, texts: Any) -> NDArray[Any]:
        """Return the most probable class of each text; one text is one.

        A classifier that was opened names classes by values of the type that labels had: names,
        numbers, true and false. Where it names sets of classes, these are sets of those with a
        probability of a half or more.
        """
        listed = [texts] if isinstance(texts, str) else list(texts)
        told: NDArray[np.float64] = self.probabilities(listed)
        names = typed_classes(self.classes, self.label_kind)
        if not self.multilabel:
            return np.asarray(names[told.argmax(1)])
        made = np.empty(len(told), object)
        made[:] = [set(names[row >= THRESHOLD].tolist()) for row in told]
        return made

    def probabilities(self, texts: Any) -> NDArray[np.float64]:
        """Return the probability of every class, float64 of shape (texts, classes)."""
        raise NotImplementedError
