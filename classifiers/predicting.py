"""What every classifier that is trained can do besides naming probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classifiers.config import TrainingConfig
from classifiers.examples import THRESHOLD
from grammar.foreign_names.attributes import Hints, attribute_hint, no_attribute

__all__ = ["Predicting"]

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


class Predicting:
    """A classifier that names classes by their probabilities."""

    config: TrainingConfig
    classes: tuple[str, ...]

    if not TYPE_CHECKING:  # of a type checker, what is not there is an error

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name, attribute_hint(name, _OF_OTHERS))

    @property
    def multilabel(self) -> bool:
        """Whether it names sets of classes."""
        return self.config.multilabel

    def predict(self, texts: Any) -> NDArray[Any]:
        """Return the most probable class of each text; one text is one.

        Where it names sets of classes, these are sets of those with a probability of a half or
        more.
        """
        listed = [texts] if isinstance(texts, str) else list(texts)
        told: NDArray[np.float64] = self.probabilities(listed)
        names = np.array(self.classes)
        if not self.multilabel:
            return np.asarray(names[told.argmax(1)])
        made = np.empty(len(told), object)
        made[:] = [set(names[row >= THRESHOLD].tolist()) for row in told]
        return made

    def probabilities(self, texts: Any) -> NDArray[np.float64]:
        """Return the probability of every class, float64 of shape (texts, classes)."""
        raise NotImplementedError
