"""What every method of augmentation offers, and the methods by name.

A method is a class with ``induce(corpus, **options)``, which gives a sampler: a value with a
``grammar`` to look at, ``count()``, and ``sample(n, seed=..., start=...)``. Options are declared
once, as fields of a dataclass made with :func:`option`; the command line, the checks and the help
are driven by those fields.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import inspect
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import MISSING, dataclass
from types import MappingProxyType
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
import pyarrow as pa

from grammar.errors import OptionError
from induction.corpus import Corpus

__all__ = [
    "METHODS",
    "Method",
    "Option",
    "Sampler",
    "batch_bounds",
    "find_method",
    "in_threads",
    "induce",
    "method_named",
    "option",
    "options_of",
    "read_options",
    "sample_batches",
    "whole_number",
]

T = TypeVar("T")
BATCH = 65_536
_UNSET: Any = object()


@runtime_checkable
class Sampler(Protocol):
    """What ``induce`` of every method returns.

    ``grammar`` can be inspected (``.graph`` is a networkx graph), saved, and sampled without the
    corpus. Example i of a seed depends on the grammar, the seed and i alone.
    """

    grammar: Any

    def count(self) -> int:
        """Return how many substitutions the grammar licenses (distinct examples: at most that)."""
        ...

    def sample(self, n: int, *, seed: int = 0, start: int = 0) -> Corpus:
        """Return n distinct new examples with provenance, or all there are and a warning."""
        ...


@dataclass(frozen=True)
class Option:
    """One option of a method: its name, its default in either mode, and what it means."""

    name: str
    default: Any
    code: Any
    kind: str
    help: str
    source: str
    choices: tuple[Any, ...] | None
    least: float | None
    most: float | None


@dataclass(frozen=True)
class Method:
    """A method of augmentation by name; its class is imported when it is asked for."""

    name: str
    title: str
    module: str
    qualname: str

    @property
    def sampler(self) -> Any:
        """The class with ``induce``."""
        return getattr(importlib.import_module(self.module), self.qualname)

    @property
    def options(self) -> tuple[Option, ...]:
        """The options of ``induce``, in the order of their declaration."""
        declared = getattr(self.sampler, "Options", None)
        return options_of(declared) if declared else _options_of_signature(self.sampler.induce)


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        name: Method(name, title, module, qualname)
        for name, title, module, qualname in (
            ("sub2", "substructure substitution (Shi et al. 2021)", "sampling.sub2", "Sub2"),
            ("treemix", "constituents exchanged, labels mixed (Zhang et al. 2022)",
             "sampling.treemix", "TreeMix"),
            ("randmix", "random spans exchanged, labels mixed (Zhang et al. 2022)",
             "sampling.randmix", "RandMix"),
            ("geca", "good-enough compositional augmentation (Andreas 2020)",
             "sampling.geca", "GECA"),
            ("geca-stream", "geca for corpora of millions (Andreas 2020)",
             "sampling.geca_stream", "GECAStream"),
            ("grammar", "sentences of the grammar of a treebank",
             "sampling.grammar_sampling", "GrammarSampler"),
            ("alp", "lexicalised frames exchanged and refilled (Kim et al. 2022)",
             "sampling.alp", "ALP"),
            ("eda", "easy data augmentation (Wei & Zou 2019)", "sampling.eda", "EDA"),
            ("aeda", "punctuation inserted (Karimi et al. 2021)", "sampling.aeda", "AEDA"),
            ("random-word", "random words replaced by random words",
             "sampling.token_noise", "RandomWord"),
            ("switchout", "a random number of words replaced (Wang et al. 2018)",
             "sampling.switchout", "SwitchOut"),
            ("worddrop", "words dropped (Sennrich et al. 2016)", "sampling.word_drop", "WordDrop"),
            ("shuffle", "words, constituents or dependents in another order",
             "sampling.shuffling", "Shuffle"),
        )
    }
)  # fmt: skip
"""Every method by its name."""


def option(
    default: Any,
    help: str,
    *,
    source: str = "",
    code: Any = _UNSET,
    choices: Iterable[Any] | None = None,
    least: float | None = None,
    most: float | None = None,
) -> Any:
    """Declare an option as a field of a dataclass.

    Parameters
    ----------
    default : object
        The paper's value.
    help : str
        What it means, in one or two sentences.
    source : str
        Section or equation of the paper.
    code : object, optional
        The value under ``faithful="code"``, where the released program differs.
    choices, least, most : optional
        The values that can be used.
    """
    metadata = {
        "help": help,
        "source": source,
        "code": default if code is _UNSET else code,
        "choices": None if choices is None else tuple(choices),
        "least": least,
        "most": most,
    }
    return dataclasses.field(default=default, metadata=metadata)


def options_of(declared: type) -> tuple[Option, ...]:
    """Return the options that a dataclass declares."""
    return tuple(
        Option(field.name, field.default, kind=str(field.type), **field.metadata)
        for field in dataclasses.fields(declared)
    )


def read_options(declared: type[T], given: Mapping[str, Any], method: str) -> T:
    """Check the options given to a method, and fill in the rest from its mode.

    Raises
    ------
    OptionError
        If an option is unknown (the nearest one is named) or has a value that cannot be used.
    """
    known = {o.name: o for o in options_of(declared)}
    refuse_unknown(given, known, method)
    for name, value in given.items():
        _check_value(known[name], value)
    mode = given.get("faithful", "paper")
    rest = {name: o.code if mode == "code" else o.default for name, o in known.items()}
    return declared(**{**rest, **given})


def refuse_unknown(given: Iterable[str], known: Iterable[str], method: str) -> None:
    """Raise :class:`~grammar.errors.OptionError` for the first name that is not known."""
    known = sorted(known)
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1, 0.5)
            raise OptionError(
                f"{method} has no option {name!r}",
                hint=f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}",
            )


def find_method(name: str) -> Method:
    """Return a method by its name.

    Raises
    ------
    OptionError
        If there is none; the hint names the nearest.

    Examples
    --------
    >>> find_method("treemix").title
    'constituents exchanged, labels mixed (Zhang et al. 2022)'
    """
    return method_named(name, METHODS)


def method_named(name: str, known: Mapping[str, T]) -> T:
    """Return what a table of methods has under a name (raises like :func:`find_method`)."""
    if name not in known:
        near = difflib.get_close_matches(str(name).lower(), known, 1, 0.5)
        raise OptionError(
            f"unknown method {name!r}",
            hint=f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}",
        )
    return known[name]


def induce(name: str, corpus: Corpus, **options: Any) -> Sampler:
    """Induce the sampler of a method by its name (raises like the method's ``induce``).

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["walk", "jump", "walk twice"])
    >>> induce("geca", corpus, gaps=1).sample(1).column("text")
    ['jump twice']
    """
    method = find_method(name)
    refuse_unknown(options, (o.name for o in method.options), name)
    sampler: Sampler = method.sampler.induce(corpus, **options)
    return sampler


def sample_batches(
    sampler: Sampler,
    n: int,
    *,
    seed: int = 0,
    start: int = 0,
    workers: int = 1,
    batch_size: int = BATCH,
) -> Iterator[pa.Table]:
    """Yield the table of ``sampler.sample(n)`` in batches, in order; the rows do not depend on how.

    Samplers that have a method ``batches`` of their own are streamed in constant memory.
    """
    for name, value in (("n", n), ("start", start)):
        whole_number(name, value, 0)
    for name, value in (("workers", workers), ("batch_size", batch_size)):
        whole_number(name, value, 1)
    streamed = getattr(sampler, "batches", None)
    if streamed is not None:
        yield from streamed(n, seed=seed, start=start, workers=workers, batch_size=batch_size)
        return
    table = sampler.sample(n, seed=seed, start=start).table
    for first in range(0, max(table.num_rows, 1), batch_size):
        yield table.slice(first, batch_size)


def batch_bounds(
    n: int, *, seed: int, start: int, workers: int, batch_size: int
) -> Iterator[tuple[int, int]]:
    """Check a request for batches, and return where each begins and ends.

    There is always one, which is empty if ``n`` is 0, so that a table has its columns.

    Raises
    ------
    OptionError
        If one of them is not a whole number, of zero or more (``n``, ``start``, ``seed``), or of
        one or more (``workers``, ``batch_size``).

    Examples
    --------
    >>> list(batch_bounds(5, seed=0, start=2, workers=1, batch_size=3))
    [(2, 5), (5, 7)]
    >>> list(batch_bounds(0, seed=0, start=2, workers=1, batch_size=3))
    [(2, 2)]
    """
    for name, value in (("n", n), ("start", start), ("seed", seed)):
        whole_number(name, value, 0)
    for name, value in (("workers", workers), ("batch_size", batch_size)):
        whole_number(name, value, 1)
    stop = start + n
    return ((at, min(at + batch_size, stop)) for at in range(start, stop, batch_size) or (start,))


def in_threads(tasks: Iterable[Any], workers: int) -> Iterator[Any]:
    """Call functions without arguments in threads and yield their results in order.

    At most two tasks a worker are under way, so a long stream is never held at once.
    """
    if workers == 1:
        yield from (task() for task in tasks)
        return
    tasks = iter(tasks)
    with ThreadPoolExecutor(workers) as pool:
        waiting = [pool.submit(task) for task in itertools.islice(tasks, 2 * workers)]
        while waiting:
            yield waiting.pop(0).result()
            waiting += [pool.submit(task) for task in itertools.islice(tasks, 1)]


def whole_number(name: str, value: Any, least: int) -> None:
    """Refuse what is not a whole number of ``least`` or more (OptionError)."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise OptionError(
            f"{name}={value!r} is not a whole number >= {least}", hint=f"for example {name}={least}"
        )


_KINDS: Mapping[str, Any] = {"bool": bool, "int": int, "float": (int, float), "str": str}


def _check_value(o: Option, value: Any) -> None:
    kinds = [part.strip() for part in o.kind.split("|")]
    if value is None and "None" in kinds:
        return
    if o.choices is not None and (isinstance(value, bool) or value not in o.choices):
        raise OptionError(
            f"{o.name}={value!r} is not known", hint=f"use one of {', '.join(map(str, o.choices))}"
        )
    checked = [kind for kind in kinds if kind in _KINDS]
    if checked and not any(_is(kind, value) for kind in checked):
        raise OptionError(
            f"{o.name}={value!r} is not of the kind {o.kind}", hint=f"for example {o.default!r}"
        )
    if isinstance(value, int | float) and (
        math.isnan(value)
        or (o.least is not None and value < o.least)
        or (o.most is not None and value > o.most)
    ):
        bounds = f"from {o.least}" + ("" if o.most is None else f" to {o.most}")
        raise OptionError(f"{o.name}={value!r} is out of range", hint=f"use a number {bounds}")


def _is(kind: str, value: Any) -> bool:
    if isinstance(value, bool):
        return kind == "bool"
    return isinstance(value, _KINDS[kind])


def _options_of_signature(function: Any) -> tuple[Option, ...]:
    parameters = inspect.signature(function).parameters.values()
    return tuple(
        Option(p.name, p.default, p.default, str(p.annotation), "", "", None, None, None)
        for p in parameters
        if p.kind is p.KEYWORD_ONLY and p.default is not MISSING
    )
