"""Augmentation in scikit-learn's manner, and as a function of batches of a data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MethodType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa

from grammar.errors import CorpusError, OptionError
from grammar.foreign_names.attributes import Hints, attribute_hint, no_attribute
from grammar.options import options_of, refuse_unknown
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from induction.corpus.inputs.class_sets import (
    Sets,
    is_frame,
    is_matrix,
    is_sets,
    of_kind,
    sets_of,
)
from induction.corpus.inputs.in_memory import rows_in_memory
from induction.corpus.inputs.names import renamed_by_use
from sampling.examples.labels import is_soft
from sampling.expression import options_taken, read_expression
from sampling.pipeline.augment import augment
from sampling.pipeline.settings import METHOD, Settings

__all__ = ["TextAugmenter"]

_BELOW = "estimator__"
_OWN = ("method", "estimator", "text", "label", "on_error")
_OF_OTHERS: Hints = {
    "fit_resample(texts, labels) gives examples": (
        *("transform", "fit_transform", "resample", "sample", "generate", "fit_sample"),
    ),
    "treewright.augment(texts, 'eda', n=10) gives new texts, and fit_resample(texts, labels) "
    "gives examples": ("augment", "augment_many", "augment_text", "augment_texts", "apply"),
    "treewright.split(data, test_size=0.2) makes two parts": ("split",),
    "leave it out: the result is of the kind of X": ("set_output",),
}
"""What steps of pipelines and other augmenters have."""


class _WithEstimator:
    """A method, or an attribute of the estimator, that is there only beside an estimator.

    scikit-learn asks with ``hasattr`` what an object is.
    """

    def __init__(self, own: Callable[..., Any] | None = None) -> None:
        self._own = own
        self.__doc__ = own.__doc__ if own else None

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        estimator = getattr(instance, "estimator_", instance.estimator)
        if estimator is None:
            raise AttributeError(f"{owner.__name__!r} has no {self._name!r} without an estimator")
        return (
            getattr(estimator, self._name) if self._own is None else MethodType(self._own, instance)
        )


class TextAugmenter:
    """New examples behind the old ones: ``fit_resample(X, y)``, or ``datasets.map``.

    With an estimator it is a classifier of scikit-learn itself, which learns from the examples with
    new ones behind them, and predicts with none: the last step of a ``Pipeline``, or what
    ``GridSearchCV`` searches for. (A step in the middle of a pipeline cannot give it more rows.)

    Parameters
    ----------
    method : str
        What to make, as for :func:`~sampling.pipeline.augment.augment`.
    estimator : estimator of scikit-learn, optional
        What learns, such as ``make_pipeline(TfidfVectorizer(), LogisticRegression())``.
    text, label : str, optional
        The columns of texts and classes, where their names do not tell.
    on_error : {"stop", "skip"}
        Whether texts and labels that cannot be used are an error, or are left out.
    **settings
        Fields of :class:`~sampling.pipeline.settings.Settings`: ``n``, ``times``, ``balance``,
        ``seed``, ...

    Examples
    --------
    >>> augmenter = TextAugmenter("aeda", n=1)
    >>> texts, labels = augmenter.fit_resample(["a good film", "a bad film"], ["pos", "neg"])
    >>> len(texts), labels
    (3, ['pos', 'neg', 'neg'])
    >>> augmenter({"sentence": ["a good film", "a bad film"], "stars": [5, 1]})["stars"]
    [5, 1, 1]

    In ``datasets``: ``dataset.map(augmenter, batched=True)``; each batch is augmented by itself.

    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> model = TextAugmenter("aeda", make_pipeline(TfidfVectorizer(), LogisticRegression()))
    >>> model.fit(["a good film", "a bad film"], ["pos", "neg"]).predict(["good"]).tolist()
    ['pos']
    """

    if not TYPE_CHECKING:  # of a type checker, what is not there is an error

        def __getattr__(self, name: str) -> Any:
            hint, why = attribute_hint(name, _OF_OTHERS), ""
            if isinstance(vars(type(self)).get(name), _WithEstimator):
                why = " without an estimator"
                hint = (
                    "fit_resample(texts, labels) gives examples; or give an estimator, as in "
                    f"{type(self).__name__}('aeda', model)"
                )
            raise no_attribute(self, name, hint, why)

    def __init__(
        self,
        method: str = METHOD,
        estimator: Any = None,
        *,
        text: str | None = None,
        label: str | None = None,
        on_error: str = "stop",
        **settings: Any,
    ) -> None:
        known = {o.name for o in options_of(Settings)} - {"keep_originals", "method"}
        if settings.keys() - known:
            refuse_unknown(settings, _known_with(method, known), type(self).__name__)
        self.method = method
        self.estimator = estimator
        self.text = text
        self.label = label
        self.on_error = on_error
        self.settings = settings

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.settings.items())
        return f"TextAugmenter({self.method!r}{given})"

    def __str__(self) -> str:
        """Say how it is used, which scikit-learn's pipelines show of a step that is no transformer.

        >>> print(TextAugmenter("eda"))  # doctest: +ELLIPSIS
        TextAugmenter('eda') (gives more rows than it gets, as imblearn's Pipeline takes them; ...
        """
        if self.estimator is not None:
            return repr(self)
        return (
            f"{self!r} (gives more rows than it gets, as imblearn's Pipeline takes them; in one of "
            f"scikit-learn it takes what follows: TextAugmenter({self.method!r}, "
            "make_pipeline(TfidfVectorizer(), LogisticRegression())))"
        )

    predict = _WithEstimator()
    predict_proba = _WithEstimator()
    predict_log_proba = _WithEstimator()
    decision_function = _WithEstimator()
    score = _WithEstimator()
    classes_ = _WithEstimator()
    n_features_in_ = _WithEstimator()
    feature_names_in_ = _WithEstimator()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, as scikit-learn asks for them."""
        own = {"method": self.method, "estimator": self.estimator}
        own |= {"text": self.text, "label": self.label, "on_error": self.on_error}
        if deep and hasattr(self.estimator, "get_params"):
            below = self.estimator.get_params()
            own |= {f"{_BELOW}{name}": value for name, value in below.items()}
        return {**own, **self.settings}

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of the estimator as ``estimator__C``, and return this."""
        below = {n.removeprefix(_BELOW): v for n, v in params.items() if n.startswith(_BELOW)}
        own = {name: value for name, value in params.items() if not name.startswith(_BELOW)}
        TextAugmenter.__init__(self, **{**self.get_params(deep=False), **own})
        if below and self.estimator is not None:
            self.estimator.set_params(**below)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.base import BaseEstimator

        known = self.estimator if hasattr(self.estimator, "__sklearn_tags__") else BaseEstimator()
        return known.__sklearn_tags__()

    @_WithEstimator
    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803
        """Fit the estimator to the examples with new ones behind them.

        Raises
        ------
        OptionError
            If the method mixes labels, which estimators do not take.
        """
        from sklearn.base import clone

        given = _Classes.of(y)
        texts, made = self._with_new(X, given)
        if is_soft(made.arrow("label").type):
            raise OptionError(
                f"the method {self.method!r} gives examples of several classes at once",
                hint="use one that keeps classes, such as eda, or sub2(label=true)",
            )
        self.estimator_ = clone(self.estimator).fit(texts, given.like(made))
        return self

    def fit_resample(self, X: Any, y: Any = None) -> tuple[Any, Any]:  # noqa: N803
        """Return the examples with new ones behind them.

        Parameters
        ----------
        X : list of str, array, series, or frame
            Texts; of a frame, other columns travel to the new rows.
        y : list, array, series or frame, optional
            A class each; or sets of classes, or a matrix of 0 and 1 with one column a class.

        Returns
        -------
        X, y
            Of the kinds that were given. Where the method mixes labels, ``y`` is an array with a
            row of probabilities an example, in the order of the classes.

        Raises
        ------
        CorpusError, OptionError
            As :func:`~sampling.pipeline.augment.augment`.
        """
        given = None if y is None else _Classes.of(y)
        texts, made = self._with_new(X, given)
        return texts, None if given is None else given.like(made)

    def _with_new(self, texts: Any, given: _Classes | None) -> tuple[Any, Corpus]:
        """Return texts with new ones behind them, of the kind that was given, and all examples."""
        table = rows_in_memory(texts).table
        names = self._names(table)
        made = self._resampled(table, names, given)
        return self._like(texts, made, names), made

    def _resampled(self, table: Any, names: dict[str, str], given: _Classes | None) -> Corpus:
        """Return the examples of a table with new ones behind them."""
        if given is not None:
            if len(given.column) != table.num_rows:
                raise CorpusError(
                    f"{len(given.column)} classes for {table.num_rows} texts", hint="give one each"
                )
            held = [name for name in table.column_names if names.get(name, name) != "label"]
            table = table.select(held)
            names = {old: new for old, new in names.items() if new != "label"}
        corpus = read_corpus(table, rename=names, label="")
        if given is not None:
            corpus = corpus.with_column("label", given.column)
        return augment(
            corpus, self.method, on_error=self.on_error, keep_originals=True, **self.settings
        ).corpus

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Return a batch of columns with the new examples behind the old ones.

        Raises
        ------
        CorpusError
            If it is one row, as ``datasets.map`` gives it where batches are not asked for.
        """
        if any(isinstance(value, str) for value in batch.values()):
            raise CorpusError(
                "this is one row, which cannot become several",
                hint="ask for batches: dataset.map(augmenter, batched=True)",
            )
        table = rows_in_memory(dict(batch)).table
        names = self._names(table)
        label = next((name for name in batch if names.get(name, name) == "label"), None)
        if label is None or not is_sets(batch[label]):
            made = self._resampled(table, names, None)
            return {name: made.column(names.get(name, name)) for name in batch}
        given = _Classes.of(batch[label])
        made = self._resampled(table, names, given)
        columns = {name: made.column(names.get(name, name)) for name in batch}
        return {**columns, label: given.like(made)}

    def _names(self, table: Any) -> dict[str, str]:
        return renamed_by_use(table, {}, self.text, self.label)

    @staticmethod
    def _like(given: Any, made: Corpus, names: Mapping[str, str]) -> Any:
        if hasattr(given, "columns") and hasattr(given, "assign"):  # a frame of pandas
            own = [names.get(str(name), str(name)) for name in given.columns]
            frame = made.table.select(own).to_pandas()
            frame.columns = given.columns
            return frame
        if hasattr(given, "columns") or isinstance(given, Mapping):
            columns = given.columns if hasattr(given, "columns") else list(given)
            held = {name: made.column(names.get(str(name), str(name))) for name in columns}
            return type(given)(held)
        return of_kind(given, made.column("text"))


def _known_with(method: str, known: set[str]) -> set[str]:
    """Return the names of settings with those of the methods' own options."""
    return known.union(_OWN, *options_taken(read_expression(method)).values())


@dataclass(frozen=True)
class _Classes:
    """The classes of texts as they were given, and as a column of labels."""

    given: Any
    column: Any
    sets: Sets | None = None

    @classmethod
    def of(cls, given: Any) -> _Classes:
        """Return classes: one each, sets, a matrix of 0 and 1, or of shares that sum to 1."""
        if not is_sets(given):
            if is_matrix(given):  # of a single column
                return cls(given, np.asarray(given).ravel().tolist())
            return cls(given, given.tolist() if hasattr(given, "tolist") else list(given))
        if (shares := _shares(given)) is not None:
            return cls(given, shares)
        sets = sets_of(given)
        return cls(given, pa.array(sets.names, pa.list_(pa.string())), sets)

    def like(self, made: Corpus) -> Any:
        """Return the classes of examples in the form of those that were given."""
        labels = made.column("label")
        if self.sets is not None:
            return self.sets.like(labels)
        if is_soft(made.arrow("label").type):
            return np.array(labels, np.float32)
        if is_frame(self.given):
            return type(self.given)({self.given.columns[0]: labels})
        if is_matrix(self.given):
            return np.array(labels).reshape(-1, 1)
        return of_kind(self.given, labels)


def _shares(given: Any) -> list[list[float]] | None:
    """Return distributions over classes: fractions, of which each row sums to 1; else None."""
    if hasattr(given, "toarray") or is_frame(given):
        return None
    rows = np.asarray(given) if is_matrix(given) else None
    if rows is None and all(isinstance(row, list | tuple | np.ndarray) for row in given):
        same = len({*map(len, given)}) == 1
        rows = np.array([*map(list, given)]) if same else None
    if rows is None or rows.dtype.kind != "f" or not rows.size:
        return None
    whole = (rows >= 0).all() and np.allclose(rows.sum(1), 1, atol=1e-4)
    return [[float(one) for one in row] for row in rows] if whole else None
