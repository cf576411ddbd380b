"""Augmentation in scikit-learn's manner, and as a function of batches of a data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from grammar.errors import CorpusError, OptionError
from grammar.options import options_of
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from induction.corpus.inputs.in_memory import rows_in_memory
from induction.corpus.inputs.names import renamed_by_use
from sampling.pipeline.augment import augment
from sampling.pipeline.settings import METHOD, Settings

__all__ = ["TextAugmenter"]


class TextAugmenter:
    """New examples behind the old ones: ``fit_resample(X, y)``, or ``datasets.map``.

    Parameters
    ----------
    method : str
        What to make, as for :func:`~sampling.pipeline.augment.augment`.
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
    """

    def __init__(
        self,
        method: str = METHOD,
        *,
        text: str | None = None,
        label: str | None = None,
        on_error: str = "stop",
        **settings: Any,
    ) -> None:
        known = {o.name for o in options_of(Settings)} - {"keep_originals", "method"}
        if unknown := settings.keys() - known:
            raise OptionError(
                f"unknown settings: {', '.join(sorted(unknown))}",
                hint=f"there are {', '.join(sorted(known))}",
            )
        self.method = method
        self.text = text
        self.label = label
        self.on_error = on_error
        self.settings = settings

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.settings.items())
        return f"TextAugmenter({self.method!r}{given})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, as scikit-learn asks for them."""
        own = {"method": self.method, "text": self.text, "label": self.label}
        return {**own, "on_error": self.on_error, **self.settings}

    def set_params(self, **params: Any) -> Self:
        """Set parameters, and return this."""
        changed = {**self.get_params(), **params}
        TextAugmenter.__init__(self, **changed)
        return self

    def fit_resample(self, X: Any, y: Any = None) -> tuple[Any, Any]:  # noqa: N803
        """Return the examples with new ones behind them.

        Parameters
        ----------
        X : list of str, array, series, or frame
            Texts; of a frame, other columns travel to the new rows.
        y : list, array or series, optional
            A class each.

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
        table = rows_in_memory(X).table
        names = own = self._names(table)
        if y is not None:
            classes = y.tolist() if hasattr(y, "tolist") else list(y)
            if len(classes) != table.num_rows:
                raise CorpusError(
                    f"{len(classes)} classes for {table.num_rows} texts", hint="give one each"
                )
            held = [name for name in table.column_names if names.get(name, name) != "label"]
            table = table.select(held)
            names = {old: new for old, new in names.items() if new != "label"}
            corpus = read_corpus(table, rename=names, label="").with_column("label", classes)
        else:
            corpus = read_corpus(table, rename=names, label="")
        made = self._augmented(corpus)
        return self._like(X, made, own), None if y is None else _labels_like(y, made)

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Return a batch of columns with the new examples behind the old ones."""
        table = rows_in_memory(dict(batch)).table
        names = self._names(table)
        made = self._augmented(read_corpus(table, rename=names, label=""))
        return {name: made.column(names.get(name, name)) for name in batch}

    def _names(self, table: Any) -> dict[str, str]:
        return renamed_by_use(table, {}, self.text, self.label)

    def _augmented(self, corpus: Corpus) -> Corpus:
        return augment(
            corpus, self.method, on_error=self.on_error, keep_originals=True, **self.settings
        ).corpus

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
        return _of_kind(given, made.column("text"))


def _labels_like(given: Any, made: Corpus) -> Any:
    labels = made.column("label")
    if labels and isinstance(labels[0], list):
        return np.array(labels, np.float32)
    return _of_kind(given, labels)


def _of_kind(given: Any, values: list[Any]) -> Any:
    if isinstance(given, np.ndarray):
        return np.array(values, given.dtype if given.dtype.kind != "U" else None)
    if hasattr(given, "to_list") and hasattr(given, "name"):  # a series
        return type(given)(values, name=given.name)
    return values
