"""The one exception tree of the toolkit.

Every error raised on purpose is a :class:`TreewrightError` and says three things: *what* is
wrong, *where* it is (a file, line and column, or a symbol), and *how* to mend it. The command
line prints exactly ``str(error)``; callers of the library can catch the whole tree or a branch.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Self

__all__ = [
    "BracketError",
    "ChartGrammarError",
    "CorpusError",
    "EmptyLanguageError",
    "EmptyTreebankError",
    "EngineError",
    "LengthBandError",
    "MismatchError",
    "MissingDataError",
    "NotAllowedError",
    "NotTightError",
    "NotationError",
    "NothingNewError",
    "OptionError",
    "OutputError",
    "PatternError",
    "SchemaError",
    "StartSymbolError",
    "SynchronousRuleError",
    "TrainingError",
    "TreewrightError",
    "UnreadableInputError",
    "WeightError",
    "located",
    "to_install",
]


class TreewrightError(Exception):
    """Base of every error that this toolkit raises on purpose.

    Parameters
    ----------
    what : str
        The fault, as a sentence without a full stop.
    where : str, optional
        File, line and column, symbol or rule: whatever locates the fault.
    hint : str, optional
        How to correct it.

    Examples
    --------
    >>> print(TreewrightError("closing bracket without an opening one", where="a.mrg:3:14",
    ...                       hint="delete it, or open a bracket before it"))
    a.mrg:3:14: closing bracket without an opening one
      hint: delete it, or open a bracket before it
    """

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(what, where, hint)
        self.what = what
        self.where = where
        self.hint = hint

    def __reduce__(self) -> tuple[Any, ...]:
        # errors of workers come from other processes
        return _again, (type(self), self.what, self.where, self.hint)

    def __str__(self) -> str:
        message = f"{self.where}: {self.what}" if self.where else self.what
        return f"{message}\n  hint: {self.hint}" if self.hint else message


class BracketError(TreewrightError, ValueError):
    """A bracketed tree is malformed: unbalanced, empty, or followed by stray text.

    >>> from grammar import Tree
    >>> Tree.parse("(S (NP we)")
    Traceback (most recent call last):
    ...
    grammar.errors.BracketError: ...
    """


class NotationError(TreewrightError, ValueError):
    """A grammar written as text does not follow the notation.

    >>> from grammar import Grammar
    >>> Grammar.parse("S => NP VP")
    Traceback (most recent call last):
    ...
    grammar.errors.NotationError: ...
    """


class PatternError(TreewrightError, ValueError):
    """A search pattern does not follow the notation, or asks for too much.

    >>> from grammar import Treebank
    >>> Treebank.parse("(S (NP we))").search("NP << (")
    Traceback (most recent call last):
    ...
    grammar.errors.PatternError: ...
    """


class SchemaError(TreewrightError, ValueError):
    """A saved file has another schema, another version, or lacks a part it must have.

    >>> import json, pathlib, tempfile
    >>> from grammar import Grammar
    >>> place = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(place.name, "g.json")
    >>> _ = file.write_text(json.dumps({"schema": "other/1"}))
    >>> Grammar.load(file)
    Traceback (most recent call last):
    ...
    grammar.errors.SchemaError: ...
    >>> place.cleanup()
    """


class WeightError(TreewrightError, ValueError):
    """Rule weights are negative, not a number, infinite, or do not sum to one.

    >>> from grammar import Grammar
    >>> Grammar.parse("S -> 'a' [0.5]")
    Traceback (most recent call last):
    ...
    grammar.errors.WeightError: ...
    """


class SynchronousRuleError(TreewrightError, ValueError):
    """The two sides of a synchronous rule do not fit together.

    >>> from grammar import SynchronousGrammar
    >>> SynchronousGrammar.parse("NT_1 twice ### NT_2 NT_2")
    Traceback (most recent call last):
    ...
    grammar.errors.SynchronousRuleError: ...
    """


class StartSymbolError(TreewrightError, ValueError):
    r"""The start symbol of a grammar has no rules.

    >>> from grammar import Grammar
    >>> Grammar.parse("%start X\nS -> 'a'")
    Traceback (most recent call last):
    ...
    grammar.errors.StartSymbolError: ...
    """


class NotTightError(TreewrightError, ValueError):
    """Unbounded samples were asked of a grammar whose derivations may never end.

    >>> from grammar import Grammar
    >>> from sampling import sample_sentences
    >>> endless = Grammar.parse("S -> S S [3/4] | 'a' [1/4]")
    >>> sample_sentences(endless, 1)
    Traceback (most recent call last):
    ...
    grammar.errors.NotTightError: ...
    """


class LengthBandError(TreewrightError, ValueError):
    """No sentence of the grammar has a length in the requested band.

    >>> from grammar import Grammar
    >>> from sampling import sample_sentences
    >>> short = Grammar.parse("S -> 'a' [1]")
    >>> sample_sentences(short, 1, length=(5, 9))
    Traceback (most recent call last):
    ...
    grammar.errors.LengthBandError: ...
    """


class EmptyLanguageError(TreewrightError, ValueError):
    """No sentence satisfies what was asked for.

    >>> from grammar import Grammar, automata, intersect
    >>> grammar = Grammar.parse("S -> 'a' [1]")
    >>> intersect(grammar, automata.contains("b"))
    Traceback (most recent call last):
    ...
    grammar.errors.EmptyLanguageError: ...
    """


class EmptyTreebankError(TreewrightError, ValueError):
    """A treebank holds no trees, so nothing can be learnt from it.

    >>> from grammar import Treebank
    >>> from induction import induce_pcfg
    >>> induce_pcfg(Treebank([]))
    Traceback (most recent call last):
    ...
    grammar.errors.EmptyTreebankError: ...
    """


class MismatchError(TreewrightError, ValueError):
    """Gold and predicted trees are not of the same sentences.

    >>> from grammar import Treebank, evalb
    >>> evalb(Treebank.parse("(S (NP we))"), Treebank.parse("(S (NP we)) (S (NP we))"))
    Traceback (most recent call last):
    ...
    grammar.errors.MismatchError: ...
    """


class ChartGrammarError(TreewrightError, ValueError):
    r"""A grammar has rules that charts cannot hold: empty ones, or unary cycles without exit.

    >>> from grammar import Grammar, Parser
    >>> Parser(Grammar.parse("S -> A [1]\nA -> S [1/2] | A [1/2]"))
    Traceback (most recent call last):
    ...
    grammar.errors.ChartGrammarError: ...
    """


class CorpusError(TreewrightError, ValueError):
    """A corpus lacks a column, or a column holds values of the wrong kind.

    >>> from induction import Corpus
    >>> Corpus.from_columns(text=["we ran"], label=[0, 1])
    Traceback (most recent call last):
    ...
    grammar.errors.CorpusError: ...
    """


class NothingNewError(CorpusError):
    """A corpus has no material of which a method could make a new example.

    >>> from induction import Corpus
    >>> from sampling import Sub2
    >>> alone = Corpus.from_columns(text=["we ran"], tree=["(S (NP we) (VP ran))"])
    >>> Sub2.induce(alone, phrase=True, label=True)
    Traceback (most recent call last):
    ...
    grammar.errors.NothingNewError: ...
    """

    @classmethod
    def because(cls, why: str, hint: str) -> Self:
        """Return the error; ``why`` names the requirement that left nothing."""
        return cls(f"no new example can be made: {why}", hint=hint)


class OptionError(TreewrightError, ValueError):
    """An argument or option has a value that cannot be used.

    >>> from sampling import AEDA
    >>> from induction import Corpus
    >>> AEDA.induce(Corpus.from_columns(text=["we ran"]), faithful="book")
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: ...
    """


class TrainingError(TreewrightError, ArithmeticError):
    """Training cannot go on: the loss is no number any more."""


class MissingDataError(TreewrightError, LookupError):
    """A corpus or word list is not installed on this machine.

    >>> from induction import read_treebank
    >>> read_treebank("nltk:no-such-corpus")
    Traceback (most recent call last):
    ...
    grammar.errors.MissingDataError: ...
    """


class EngineError(TreewrightError, RuntimeError):
    """A part of the work could not be done by any worker."""

    @classmethod
    def of_deaths(cls, unit: str, times: int) -> Self:
        """Return the error of a unit that workers died of."""
        return cls(
            f"the process that worked on it died {times} times",
            where=unit,
            hint="it may need more memory than there is: use fewer workers, or the engine threads",
        )


class NotAllowedError(TreewrightError, RuntimeError):
    """A file asks for what only the person of this run can allow.

    >>> raise NotAllowedError("the manifest names an address", hint="add --allow-network")
    Traceback (most recent call last):
    ...
    grammar.errors.NotAllowedError: the manifest names an address
      hint: add --allow-network
    """


class UnreadableInputError(TreewrightError, OSError):
    """An input file is missing, unreadable, or not UTF-8 text.

    >>> from induction import read_corpus
    >>> read_corpus("no-such-file.csv")
    Traceback (most recent call last):
    ...
    grammar.errors.UnreadableInputError: ...
    """


class OutputError(TreewrightError, OSError):
    """An output path cannot be written.

    >>> from grammar import Grammar
    >>> Grammar.parse("S -> 'a' [1]").save("no-such-folder/g.json")
    Traceback (most recent call last):
    ...
    grammar.errors.OutputError: ...
    """


def _again(kind: type[TreewrightError], what: str, where: str | None, hint: str | None) -> Any:
    return kind(what, where=where, hint=hint)


@cache
def to_install(extra: str) -> str:
    """Return the command that installs an extra of this package, from where the package is from.

    pip notes the folder, file or repository that a package was installed from (PEP 610); a package
    from the index has no such note.

    >>> to_install("neural").startswith("pip install 'treewright[neural]")
    True
    """
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        told = json.loads(distribution("treewright").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        told = {}
    url, repository = told.get("url"), told.get("vcs_info")
    if url and repository:
        url = f"{repository['vcs']}+{url}@{repository['commit_id']}"
    return "pip install " + shlex.quote(f"treewright[{extra}]" + (f" @ {url}" if url else ""))


@contextmanager
def located(source: str) -> Iterator[None]:
    """Put the name of a source before the place that errors raised inside name.

    >>> with located("wsj.json"):
    ...     raise WeightError("the weight -1 is not a probability", where="S -> NP VP")
    Traceback (most recent call last):
    ...
    grammar.errors.WeightError: wsj.json, S -> NP VP: the weight -1 is not a probability
    """
    try:
        yield
    except TreewrightError as error:
        where = f"{source}, {error.where}" if error.where else source
        raise type(error)(error.what, where=where, hint=error.hint) from None
