"""A classifier of texts as scikit-learn has them, with new examples where these help."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from classifiers.choice import Choice
from classifiers.config import TFIDF, TrainingConfig, read_config
from classifiers.examples import THRESHOLD, Examples, read_examples
from classifiers.export.saving import export_onnx
from classifiers.predicting import kind_of_classes, typed_classes
from classifiers.saving import save_classifier
from classifiers.scores import members, names_sets, score
from classifiers.selection import auto
from classifiers.training.train import Classifier, trainer
from grammar.errors import CorpusError, OptionError
from grammar.files import PathLike
from grammar.foreign_names.attributes import Hints, NamesOfOthers, attribute_hint, no_attribute
from grammar.options import names_keywords
from grammar.trees.given import is_name_of_file
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from induction.corpus.inputs.class_sets import Sets, is_sets, sets_of
from sampling.examples.class_names import label_kind

__all__ = ["TextClassifier"]

AUTO = "auto"
_OF_OTHERS: Hints = {
    "classifier.score(data) gives accuracy and all other scores": (
        *("evaluate", "test", "accuracy", "metrics", "report", "classification_report"),
    ),
    "classifier.save(folder) saves it": (
        *("push_to_hub", "save_pretrained", "save_model", "export", "to_disk", "dump"),
    ),
    "classifier.predict([text])[0] is the class of a text": (
        *("predict_one", "classify", "predict_text", "predict_label"),
    ),
    "classifier.predict(texts) gives classes": (
        *("classify_many", "predict_many", "transform", "predict_batch", "pipe", "fit_predict"),
    ),
    "classifier.predict_proba(texts) gives the probability of each class": (
        *("predict_probs", "prob_classify", "predict_log_proba", "decision_function", "logits"),
    ),
    "classifier.classes_ has them": ("labels", "label_names", "id2label", "labels_", "categories"),
    "classifier.fit(texts, labels), or train(data) of treewright, trains one": (
        *("train_on", "learn_from", "update", "partial_fit", "fine_tune", "finetune"),
    ),
}
"""What classifiers of setfit, transformers, NLTK and fastText have, and what gives it here."""
_MADE_ELSEWHERE: Hints = {
    "open_classifier(folder) opens one that was saved": (
        *("load", "from_pretrained", "from_file", "load_model", "from_disk", "open", "read"),
    ),
    "train(data) of treewright trains one": ("train", "from_data", "from_dataset", "from_corpus"),
}


class TextClassifier(ClassifierMixin, BaseEstimator, metaclass=NamesOfOthers):  # type: ignore[misc]
    """A classifier of texts, in scikit-learn's manner.

    It stands in a ``Pipeline``, in ``GridSearchCV`` and ``cross_val_score``; new examples are made
    of what it is fitted to, and never of what it is tested on.

    Parameters
    ----------
    encoder : str
        ``tfidf``, or an encoder of Hugging Face (:func:`~classifiers.config.read_config`).
    augment : str, optional
        ``auto``: what the labelled examples speak for, or none
        (:func:`~classifiers.selection.auto`). Or an expression of methods, which makes as many new
        examples as there are labelled ones (:func:`sampling.augment`).
    names : str, path or mapping, optional
        With ``auto``: a file with what the classes are called, or the names themselves, as
        ``{"positive": "good, great", "negative": "bad, poor"}``.
    train : {"top_layers", "whole", "frozen"}
        What of an encoder learns.
    C : float, optional
        ``C`` of logistic regression; none: fitted by cross-validation within the training part.
    class_weight : {"fitted", "none", "balanced"}
        Whether all classes weigh alike.
    seed : int
        Of all draws.
    config : mapping, optional
        Further fields of the config.
    threshold : float
        Of sets of classes: from this probability on, a text is of a class.
    at_least_one : bool
        Of sets of classes: whether the most probable class is named where no other is.

    Attributes
    ----------
    classes_ : array
        The classes, as they were given; of an indicator matrix, the numbers of its columns.
    model_ : Classifier
        What was trained.
    choice_ : Choice or None
        With ``augment="auto"`` the choice, and the evidence for it.

    Examples
    --------
    >>> texts, labels = ["a fine film", "a poor film"] * 3, ["good", "bad"] * 3
    >>> model = TextClassifier(augment="aeda").fit(texts, labels)
    >>> model.predict(["fine"]).tolist(), model.score(texts, labels)
    (['good'], 1.0)
    >>> from sklearn.model_selection import cross_val_score
    >>> cross_val_score(TextClassifier(), texts, labels, cv=3).tolist()
    [1.0, 1.0, 1.0]

    A text may be of any number of classes:

    >>> sets = [{"film", "good"}, {"film", "bad"}] * 3
    >>> model = TextClassifier().fit(texts, sets)
    >>> [sorted(one) for one in model.predict(["a fine film"])]
    [['film', 'good']]
    """

    _made_elsewhere: ClassVar[Hints] = _MADE_ELSEWHERE

    @names_keywords(max_iter="give it as a further field of the config: config={'steps': 400}")
    def __init__(
        self,
        encoder: str = TFIDF,
        *,
        augment: str | None = None,
        names: PathLike | Mapping[str, str] | None = None,
        train: str = "top_layers",
        C: float | None = None,  # noqa: N803
        class_weight: str = "fitted",
        seed: int = 0,
        config: Mapping[str, Any] | None = None,
        threshold: float = THRESHOLD,
        at_least_one: bool = False,
    ) -> None:
        self.encoder = encoder
        self.augment = augment
        self.names = names
        self.train = train
        self.C = C
        self.class_weight = class_weight
        self.seed = seed
        self.config = config
        self.threshold = threshold
        self.at_least_one = at_least_one

    if not TYPE_CHECKING:  # of a type checker, what is not there is an error

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name, attribute_hint(name, _OF_OTHERS))

        def __call__(self, texts: Any) -> Any:
            """Refuse a call, as pipelines of transformers are called (raises TypeError)."""
            raise TypeError(
                "a classifier is no function\n  hint: classifier.predict(texts) gives classes, and "
                "classifier.predict_proba(texts) their probabilities"
            )

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Learn texts with their classes.

        Parameters
        ----------
        X : list, array or series of str
            Texts; or of pairs of texts.
        y : list, array or series
            A class each: names, numbers, true and false. Or classes, any number of them each: sets
            or lists, or a matrix of 0 and 1 with one column a class.

        Raises
        ------
        CorpusError
            If there is no class for each text, or one class alone.
        OptionError, MissingDataError
            If a parameter cannot be used, or the encoder is not there.
        """
        if y is None:
            raise CorpusError(
                "there are no classes",
                hint="classifier.learn(read_corpus(data)) learns labelled data, and "
                "classifier.fit(texts, labels) texts with a class each",
            )
        texts = _listed(X)
        if is_sets(y):
            return self._fit_sets(texts, sets_of(y))
        labels = column_or_1d(y)
        if len(texts) != len(labels):
            raise CorpusError(f"{len(labels)} classes for {len(texts)} texts", hint="give one each")
        check_classification_targets(labels)
        classes, numbers = np.unique(labels, return_inverse=True)
        named = [str(one) for one in classes.tolist()]
        self.learn(_corpus(texts, [named[i] for i in numbers.tolist()]))
        self._name(classes)
        return self

    def _fit_sets(self, texts: list[Any], given: Sets) -> Self:
        """Learn texts with any number of classes each."""
        if len(texts) != len(given.sets):
            raise CorpusError(
                f"{len(given.sets)} sets of classes for {len(texts)} texts", hint="give one each"
            )
        names = [[str(one) for one in own] for own in given.sets]
        self.learn(_corpus(texts, pa.array(names, pa.list_(pa.string()))))
        self._indicators = given.indicators
        self._name(np.array(given.classes))
        return self

    def _name(self, classes: NDArray[Any]) -> None:
        """Call the classes as they were given; probabilities are in the order of their names."""
        known = {name: place for place, name in enumerate(self.model_.classes)}
        self._order = [known.get(str(one), -1) for one in classes.tolist()]
        self.classes_: NDArray[Any] = classes

    def learn(self, corpus: Corpus) -> Self:
        """Learn a corpus: labels may be distributions, and its columns take part in new examples.

        Classes are values of the column ``label``: names, numbers, true and false.

        Raises
        ------
        CorpusError, OptionError, MissingDataError
            As :meth:`fit`.
        """
        training = trainer(self._config())
        examples = read_examples(corpus)
        self.choice_: Choice | None = None
        if self.augment == AUTO:
            self.choice_ = auto(
                corpus, training, names=self.names, seed=self.seed
            )  # fmt: skip
            examples = self.choice_.examples(corpus, seed=self.seed)
        elif self.augment is not None:
            examples = self._with_new(corpus, examples)
        self.model_: Classifier = training(examples)
        self._data = {
            "examples": int((~examples.new).sum()),
            "new examples": int(examples.new.sum()),
        }
        self._indicators = False
        self.classes_ = typed_classes(self.model_.classes, label_kind(corpus))
        self._order = list(range(len(self.classes_)))
        return self

    def _with_new(self, corpus: Corpus, examples: Examples) -> Examples:
        from sampling.pipeline.augment import augment

        assert self.augment is not None
        made = augment(corpus, self.augment, times=1, seed=self.seed, columns="none").corpus
        return examples.with_new(read_examples(made, classes=examples.classes))

    def _config(self) -> TrainingConfig:
        return read_config(
            **{
                "encoder": self.encoder, "train": self.train, "C": self.C,
                "class_weight": self.class_weight, "seed": self.seed, **(self.config or {}),
            }
        )  # fmt: skip

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes."""
        return tuple(map(str, self.classes_.tolist()))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the probability of every class, of shape (texts, classes), as ``classes_``."""
        check_is_fitted(self)
        told = self.model_.probabilities(_listed(X))
        # a column of an indicator matrix that no example has is of a class that nothing is known of
        return np.hstack((told, np.zeros((len(told), 1))))[:, self._order]

    def probabilities(self, texts: Any) -> NDArray[np.float64]:
        """Return the same (:meth:`predict_proba`), as all classifiers here are asked for it."""
        return self.predict_proba(texts)

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the most probable class of each text; one text is one.

        Where classes were given as sets, these are sets; where they were given as a matrix of 0 and
        1, such a matrix.
        """
        told = self.predict_proba(X)
        if not self.multilabel:
            return np.asarray(self.classes_[told.argmax(1)])
        mine = members(told, threshold=self.threshold, at_least_one=self.at_least_one)
        if self._indicators:
            return mine.astype(np.int64)
        made = np.empty(len(mine), object)
        made[:] = [set(self.classes_[own].tolist()) for own in mine]
        return made

    @property
    def multilabel(self) -> bool:
        """Whether it names sets of classes."""
        return names_sets(self.model_)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:  # noqa: N803
        """Return accuracy on texts and their classes; or of labelled data all scores.

        The accuracy of sets of classes is that of whole sets (subset accuracy).

        Parameters
        ----------
        X : texts, or without ``y`` labelled data of any kind
            What is to be named.
        y : list, array or series, optional
            A class each.
        sample_weight : array, optional
            How much each counts.

        Returns
        -------
        float, or Scores without ``y``
        """
        if y is None:
            check_is_fitted(self)
            return score(
                self.model_, X, threshold=self.threshold, at_least_one=self.at_least_one
            )  # fmt: skip
        if is_sets(y):
            told, true = self.predict(X), sets_of(y)
            if self._indicators and true.indicators:
                right = (told == true.matrix).all(1)
            else:
                own = zip(sets_of(told).sets, true.sets, strict=True)
                right = np.array([set(one) == set(other) for one, other in own])
            return float(np.average(right, weights=sample_weight))
        return super().score(X, self._as_known(y), sample_weight)

    def _as_known(self, y: Any) -> Any:
        """Return classes of which none is known as the known ones of the same names ("5" for 5)."""
        check_is_fitted(self)
        listed = np.asarray(y).tolist()
        known = {str(one): one for one in self.classes_.tolist()}
        if not isinstance(listed, list) or set(known.values()) & set(listed):
            return y
        made = [known.get(str(one)) for one in listed]
        if None in made and isinstance(listed[0], str) != isinstance(self.classes_[0], str):
            raise CorpusError(
                f"the class {listed[made.index(None)]!r} is none of {', '.join(known)}",
                hint="give classes as classifier.classes_ has them",
            )
        return y if None in made else made

    def save(self, folder: PathLike) -> None:
        """Save as a folder with a card (:func:`~classifiers.saving.save_classifier`)."""
        check_is_fitted(self)
        save_classifier(self.model_, folder, {"label_kind": kind_of_classes(self.classes_)})

    def to_onnx(self, folder: PathLike) -> None:
        """Write an ONNX model with a card (:func:`~classifiers.export.saving.export_onnx`)."""
        check_is_fitted(self)
        export_onnx(self.model_, folder, {"data": self._data})

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags


def _corpus(texts: list[Any], labels: Any) -> Corpus:
    columns: dict[str, Any] = {"text": texts, "label": labels}
    if texts and not isinstance(texts[0], str):
        columns["text"], columns["text_pair"] = map(list, zip(*texts, strict=True))
    return Corpus.from_columns(**columns)


def _listed(texts: Any) -> list[Any]:
    """Return texts as a list; one text is one."""
    if isinstance(texts, os.PathLike) or (is_name_of_file(texts) and os.path.isfile(str(texts))):
        raise OptionError(
            f"{str(texts)!r} is the name of a file, and no text",
            hint=f"read it: classifier.predict(read_corpus({str(texts)!r}))",
        )
    if isinstance(texts, Corpus | Mapping) or hasattr(texts, "columns"):
        corpus = read_corpus(texts)  # a frame would give the names of its columns
        pairs = "text_pair" in corpus.names
        own = [corpus.column(name) for name in ("text", *["text_pair"] * pairs)]
        texts = [*zip(*own, strict=True)] if pairs else own[0]
    listed = [texts] if isinstance(texts, str) else list(texts)
    for number, text in enumerate(listed):
        parts = (text,) if isinstance(text, str) else tuple(text) if np.iterable(text) else (text,)
        if len(parts) > 2 or not parts or not all(isinstance(part, str) for part in parts):
            raise CorpusError(
                f"text {number} is {text!r}, and no text", hint="give strings, or pairs of them"
            )
        listed[number] = str(text) if isinstance(text, str) else tuple(map(str, parts))
    return listed
