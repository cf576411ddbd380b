"""Augmentation in one call: from a corpus and an expression of methods to new examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, overload

import pyarrow as pa
from numpy.typing import NDArray

from grammar.errors import CorpusError, OptionError, UnreadableInputError
from grammar.foreign_names.attributes import no_attribute
from induction.corpus.corpus import Corpus, corpus_hint
from induction.corpus.huggingface import to_dataset
from induction.corpus.inputs.in_memory import texts_of
from induction.corpus.tables.class_names import class_names_of
from sampling.method import METHODS
from sampling.pipeline.manifest import manifest_of
from sampling.pipeline.pipeline import Pipeline
from sampling.pipeline.report import Report
from sampling.pipeline.settings import METHOD, read_settings, with_options_apart
from sampling.pipeline.sources import read_source
from sampling.stream import Sampler, ShortfallWarning, warn_of

__all__ = ["Augmentation", "augment"]

_WRITTEN = {"save", "to_csv", "to_json", "to_jsonl", "to_parquet", "to_file", "write"}
_SHOWN = {"summary", "stats", "statistics", "describe", "info"}


@dataclass(frozen=True, eq=False, repr=False)
class Augmentation:
    """New examples, and what is to be said about them.

    Attributes
    ----------
    corpus : Corpus
        The new examples (behind the originals, if those were kept).
    report : Report
        What was requested and made, duplicates, leakage, and the reasons of a shortfall.
    manifest : dict
        Everything that decides the result, as JSON can hold it.
    class_names : tuple of str
        Of classes that a ``datasets.Dataset`` numbers; :meth:`to_dataset` keeps them.

    Examples
    --------
    >>> from induction import read_reviews
    >>> from sampling import augment
    >>> made = augment(read_reviews()[:20], "aeda", n=5)
    >>> print(made.report)
    5 of 5 new examples
      aeda: 5 of 5; drawn: 5 made
    """

    corpus: Corpus
    report: Report
    manifest: dict[str, Any]
    class_names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Augmentation({self.report!r}, {self.corpus!r})"

    def __len__(self) -> int:
        return len(self.corpus)

    def __getitem__(self, index: Any) -> Any:
        return self.corpus[index]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.corpus)

    if not TYPE_CHECKING:  # of a type checker, what is not there is an error

        def __getattr__(self, name: str) -> Any:
            hint = corpus_hint(name, of="made.corpus")
            if name in _WRITTEN:
                hint = "write_corpus(made.corpus, 'new.csv') writes it"
            elif name in _SHOWN:
                hint = "print(made.report) says what was made"
            elif not name.startswith("_") and hasattr(Corpus, name):
                hint = f"made.corpus.{name} has it"
            raise no_attribute(self, name, hint)

    def to_pandas(self) -> Any:
        """Return the new examples as a frame (as :meth:`induction.Corpus.to_pandas`)."""
        return self.corpus.to_pandas()

    def to_polars(self) -> Any:
        """Return the new examples as a frame (as :meth:`induction.Corpus.to_polars`)."""
        return self.corpus.to_polars()

    def to_dataset(self) -> Any:
        """Return the new examples as a data set (as :meth:`induction.Corpus.to_dataset`).

        Classes are numbers with names where they were so in the data set that was augmented.
        """
        return to_dataset(self.corpus)

    def _repr_html_(self) -> str:
        return f"{self.report._repr_html_()}{self.corpus._repr_html_()}"


_BESIDES = ("test", "text", "label", "on_error", "workers")


class _Series(Protocol):
    """A series of pandas or polars."""

    def to_list(self) -> list[Any]: ...


@overload
def augment(
    corpus: list[str] | tuple[str, ...] | _Series | NDArray[Any], method: str = ..., **given: Any
) -> list[str]: ...
@overload
def augment(corpus: Any, method: str = ..., **given: Any) -> Augmentation: ...
def augment(
    corpus: Any,
    method: str = METHOD,
    *others: Any,
    test: Any = None,
    text: str | None = None,
    label: str | None = None,
    on_error: str = "stop",
    workers: int = 1,
    **settings: Any,
) -> Augmentation | list[str]:
    """Make new examples from a corpus; from texts alone, new texts.

    Parameters
    ----------
    corpus : Corpus, or data of any kind
        The originals, with the columns that the methods need: a file, a frame, a data set, a list
        (:func:`~induction.corpus.formats.read_corpus`), or one text. A list, series or array of
        texts has texts alone. Where labels are names, true
        or false, or numbers, so are those of the new examples; distributions are over the classes
        in their order. Other columns travel to the new examples from their first parent; an
        example whose label is mixed has what all its parents share.
    method : str
        What to make (see :func:`~sampling.expression.read_expression`): a method, with
        options in parentheses; ``a | b``, b applied to what a makes; ``0.7*a + 0.3*b``, a mixture.
    test : Corpus, or data of any kind, optional
        Texts to look for among the new ones; they are counted, or left out (``drop_leaked``).
    text, label : str, optional
        The columns of texts and classes, where their names do not tell.
    on_error : {"stop", "skip"}
        Whether rows that cannot be used are an error, or are left out: ``corpus.skipped`` has them.
    workers : int
        Threads; they change nothing.
    **settings
        Fields of :class:`~sampling.pipeline.settings.Settings`: how many (``n``, ``times``,
        ``per_class``, ``balance``, ``length``), ``dedup``, ``threshold``, ``drop_leaked``,
        ``keep_originals``, ``columns``, ``options`` of the methods, ``seed``; and options of the
        methods themselves.

    Returns
    -------
    Augmentation, or list of str
        The new examples with their report; of a text, or a list, series or array of texts, the new
        texts alone.

    Warns
    -----
    ShortfallWarning
        If fewer examples exist than were asked for, with the reason.

    Raises
    ------
    OptionError
        If the expression or a setting cannot be used.
    CorpusError
        If the corpus is not valid or a method cannot use it.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["a b c d", "e f g h"], label=[0, 1])
    >>> made = augment(corpus, "0.5*aeda + 0.5*shuffle | aeda", n=4)
    >>> made.corpus.column("id")[:2], len(made.corpus)
    (['aeda-0-0', 'aeda-0-1'], 4)
    >>> print(made.report)
    4 of 4 new examples
      aeda: 2 of 2; drawn: 2 made
      shuffle | aeda: 2 of 2; drawn: 2 made
    >>> augment("a good film that ends well", "worddrop", n=2)
    ['good film that ends well', 'a good film that well']
    """
    if others or not isinstance(method, str):
        method = _name_of(method, others)
    for name in settings.keys() & _OF_LABELS:
        raise OptionError(f"augment has no option {name!r}", hint=_WITH_LABELS)
    settings = with_options_apart(method, settings, _BESIDES)
    if isinstance(corpus, str) and not corpus.strip():
        raise CorpusError("the text is empty", hint="give a text with words, or leave it out")
    if isinstance(corpus, Iterator) and not hasattr(corpus, "read"):
        corpus = list(corpus)  # it can be looked at once
    plain = texts_of(corpus)
    corpus = corpus if plain is None else plain
    asked = read_settings({"method": method, **settings}, _BESIDES)
    try:
        given = read_source(corpus, {"text": text, "label": label}, on_error=on_error)
    except UnreadableInputError as error:
        if not isinstance(corpus, str):
            raise
        hint = f"{error.hint}; a text of one word goes into a list: [{corpus!r}]"
        raise UnreadableInputError(error.what, where=error.where, hint=hint) from None
    tests = None if test is None else read_source(test, on_error=on_error)
    pipeline = Pipeline(given, asked, test=tests, workers=workers)
    tables = list(pipeline.run())
    made = Corpus(pa.concat_tables(tables).combine_chunks(), skipped=given.skipped)
    report = pipeline.report()
    if report.shortfall:
        warn_of(ShortfallWarning(report.shortfall))
    if plain is not None:
        texts: list[str] = made.column("text")
        return texts
    return Augmentation(made, report, manifest_of(pipeline), class_names_of(given.table))


_OF_LABELS = {"labels", "y", "target", "targets"}
_WITH_LABELS = "augment({'text': texts, 'label': labels}, 'eda', n=10)"


def _name_of(method: Any, others: Sequence[Any]) -> str:
    """Return the name of a method that is given as its class (else OptionError)."""
    if len(others) == 1 and isinstance(others[0], int) and isinstance(method, str):
        raise OptionError("the number is given by its name", hint=f"augment(..., n={others[0]})")
    if not others and isinstance(method, type) and issubclass(method, Sampler):
        return method.method
    if not others and isinstance(method, list | tuple) and METHODS.keys() >= {*map(str, method)}:
        mixture = " + ".join(map(str, method))
        chain = " | ".join(map(str, method))
        raise OptionError(
            "several methods are one expression",
            hint=f"method={mixture!r} draws from each, and method={chain!r} applies one after the "
            "other",
        )
    raise OptionError("texts and their labels are one corpus", hint=_WITH_LABELS)
