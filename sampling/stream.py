"""The stream of a method: distinct new examples, each a function of the seed and its number alone.

A method is its options, ``induce(corpus)``, and three functions: *attempt* draws rows, *hash* tells
which of them are equal, *write* makes a table of them. All the rest is here, once: which attempts
give new examples, when a search has become vain and why, batches, threads, and where to go on.

A sampler whose kernels find the distinct examples by themselves gives a :class:`Stream` of its own
in place of :class:`Attempts`.
"""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar.arrays import BoolArray, FloatArray, LongArray
from grammar.engines.engine import Engine
from grammar.engines.threads import ahead, in_threads
from grammar.engines.units import Kept, Unit
from grammar.errors import OptionError, SchemaError
from grammar.foreign_names.attributes import Hints, NamesOfOthers, attribute_hint, no_attribute
from grammar.foreign_names.keywords import keyword_here
from grammar.hashing import Keys, absent, added, members, new_set
from grammar.options import names_keywords, read_options, whole_number
from grammar.progress import stages
from grammar.rng import stream_key, uniforms, uniforms_of
from grammar.storage.permissions import Permissions, current, files_say
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from induction.corpus.pieces import Piece, read_piece
from sampling.examples.class_names import (
    check_names,
    class_names,
    label_kind,
    named,
    number_classes,
)
from sampling.examples.entities import refuse_spans
from sampling.examples.other_columns import tell_losses, tell_mixing

__all__ = [
    "RIVALS",
    "Attempts",
    "Resampled",
    "Sampler",
    "Search",
    "Shortfall",
    "ShortfallWarning",
    "Stream",
    "chosen_by_weight",
    "hosts_in_turn",
    "in_groups",
    "in_rounds",
    "method_of",
    "plain_batches",
    "shortfalls_heard",
    "warn_of",
]

BATCH = 65_536
CHUNK = 4096
_AHEAD = 8
_BYTES_AT_ONCE = 32 << 20
"""Attempts of so many bytes are made at a time, where texts are long."""
RIVALS = 16
"""So many hosts are compared, where several draws of each are."""
OF_SENTENCES = ("grammar", "names")
"""Methods whose grammars are of families that derive sentences."""
_EXAMPLES = "sampling.opening:examples_piece"
Columns = tuple[NDArray[Any], ...]
"""What is kept of drawn examples until they are written: arrays with one row an example."""


@dataclass(frozen=True)
class Shortfall:
    """Why a stream has no more examples.

    Attributes
    ----------
    made : int
        How many it gave.
    why : str
        The end of a sentence that begins "n examples were asked for, but".
    attempts : int, optional
        How many attempts were made.
    passed_over : mapping of str to int
        How many of them gave nothing, by reason.
    """

    made: int
    why: str
    attempts: int | None = None
    passed_over: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        reasons = "; ".join(f"{count:,} {name}" for name, count in self.passed_over.items())
        return self.why + (f" ({reasons})" if reasons else "")


class ShortfallWarning(UserWarning):
    """Fewer distinct new examples were found than asked for; those found are returned.

    ``shortfall`` is the reason as a value, where a stream gave it.

    >>> import warnings
    >>> from induction import Corpus
    >>> from sampling import WordDrop
    >>> sampler = WordDrop.induce(Corpus.from_columns(text=["we ran home"]), p=0.5)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     few = len(sampler.sample(100))
    >>> few < 100, caught[0].category.__name__
    (True, 'ShortfallWarning')
    """

    def __init__(self, message: str, shortfall: Shortfall | None = None) -> None:
        super().__init__(message)
        self.shortfall = shortfall


_HEARD: ContextVar[Callable[[ShortfallWarning], object] | None] = ContextVar("heard", default=None)


@contextmanager
def shortfalls_heard(listener: Callable[[ShortfallWarning], object]) -> Iterator[None]:
    """Give warnings of the block that there are fewer examples to a function instead.

    Python's filters of warnings are of the whole process, and this is of one thread.

    >>> with shortfalls_heard(print):
    ...     warn_of(ShortfallWarning("only 3 were found"))
    only 3 were found
    """
    mark = _HEARD.set(listener)
    try:
        yield
    finally:
        _HEARD.reset(mark)


def warn_of(shortfall: ShortfallWarning, *, stacklevel: int = 2) -> None:
    """Warn that there are fewer examples, or tell whoever hears of it."""
    listener = _HEARD.get()
    if listener is None:
        warnings.warn(shortfall, stacklevel=stacklevel + 1)
    else:
        listener(shortfall)


class Stream(Protocol):
    """The new examples of one seed, in their order; ``made`` is how many it has given."""

    made: int

    def take(self, count: int) -> Columns:
        """Return the next examples; fewer than ``count`` only if there are no more."""
        ...

    def shortfall(self) -> Shortfall:
        """Say why there are no more."""
        ...


class Search:
    """Attempts, the first of which are made, until ``patience`` of them in a row are vain.

    A search ends at an attempt, wherever chunks end, so that examples do not depend on these.
    """

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self.made = 0
        self.vain = False
        self._last = -1

    def goes_on(self, found: LongArray, size: int) -> tuple[LongArray, int]:
        """Make a chunk of attempts, some of which gave something, as far as there is patience.

        Returns
        -------
        found, size
            Those before the end, and how many attempts are made up to there.
        """
        numbers = np.concatenate(([self._last], self.made + found))
        gaps = np.diff(numbers, append=self.made + size)
        late = np.flatnonzero(gaps > self.patience)
        if len(late):
            self.vain, found = True, found[: late[0]]
            size = int(numbers[late[0]]) + 1 + self.patience - self.made
        self._last = int(numbers[len(found)])
        self.made += size
        return found, size


class Attempts:
    """The attempts of one seed that gave new examples.

    An attempt is passed over if the sampler refuses it, or if its hash was there before (of a
    sampler that repeats: if it is one of the corpus). The stream ends where as many attempts in a
    row as the sampler's ``patience`` gave nothing.
    """

    def __init__(self, sampler: Sampler, seed: int) -> None:
        self.sampler = sampler
        self.seed = seed
        self.made = 0
        self.passed_over: dict[str, int] = {}
        self._known: Keys | None = None
        self._accepted = 0
        if sampler.distinct:
            known = np.fromiter(sampler.known(), np.uint64)
            self._known, self._accepted = new_set(known, len(known)), len(known)
        self.wanted = 0
        """How many accepted ones are still asked for: what costs something is made for no more."""
        self._search = Search(sampler.patience)
        self._waiting: list[Columns] = []

    def take(self, count: int) -> Columns:
        """Return the next accepted attempts; fewer than ``count`` only if there are no more."""
        if not self._waiting:
            self._waiting = [tuple(column[:0] for column in self.chunk(self._search.made))]
        waiting = sum(len(columns[0]) for columns in self._waiting)
        while waiting < count and not self._search.vain:
            self.wanted = count - waiting
            columns = self._extended()
            self._waiting.append(columns)
            waiting += len(columns[0])
        joined = tuple(np.concatenate(parts) for parts in zip(*self._waiting, strict=True))
        self._waiting = [tuple(column[count:] for column in joined)]
        self.made += min(count, waiting)
        return tuple(column[:count] for column in joined)

    def of_next_chunk(self) -> tuple[Columns, bool]:
        """Return those of the next chunk of attempts that are accepted; say too if it is the last.

        So whoever takes them knows which attempts they are of.
        """
        self.wanted = self.sampler.at_once
        columns = self._extended()
        self.made += len(columns[0])
        return columns, self._search.vain

    def shortfall(self) -> Shortfall:
        """Say how many examples were found, and after how many vain attempts the search ended."""
        why = (
            f"only {self.made:,} distinct new ones were found: {self.sampler.patience:,} attempts "
            "in a row made none"
        )
        return Shortfall(self.made, why, self._search.made, self.passed_over)

    def chunk(self, first: int) -> Columns:
        """Return the next attempts, from number ``first`` on, as arguments of ``attempt``."""
        return (np.arange(first, first + self.sampler.at_once, dtype=np.int64),)

    def given(self, columns: Columns) -> None:
        """Hear which of those taken were given by whoever chooses among them."""

    def told(self, drawn: Any, columns: Columns, accepted: LongArray) -> None:
        """Hear which attempts of a chunk were accepted, before the next chunk is asked for."""

    def _extended(self) -> Columns:
        """Make the next chunk of attempts and return those accepted."""
        columns = self.chunk(self._search.made)
        drawn = self.sampler.attempt(self.seed, *columns)
        usable = np.ones(len(columns[0]), np.bool_)
        reasons = {}
        for reason, refused in self.sampler.refused(drawn).items():
            reasons[reason] = usable & refused
            usable &= ~refused
        if self._known is not None:
            rows = np.flatnonzero(usable)
            usable[rows] = self._new(self.sampler.hash(drawn, rows))
            reasons["not new"] = np.zeros_like(usable)
            reasons["not new"][rows] = ~usable[rows]
        rows, made = self._search.goes_on(np.flatnonzero(usable), len(usable))
        for reason, passed in reasons.items():
            self.passed_over[reason] = self.passed_over.get(reason, 0) + int(passed[:made].sum())
        self.told(drawn, columns, rows)
        return tuple(column[rows] for column in columns)

    def _new(self, hashes: Keys) -> BoolArray:
        assert self._known is not None
        if self.sampler.repeats:
            return absent(self._known, hashes)
        room = 2 * (self._accepted + len(hashes))
        if len(self._known) < room:
            self._known = new_set(members(self._known), room)
        new = added(self._known, hashes)
        self._accepted += int(np.count_nonzero(new))
        return new


class Resampled:
    """One of so many examples of a sampler each, chosen by its weight.

    Sampling-importance-resampling (Rubin 1987): choice i is among examples ``i * draws`` to
    ``(i + 1) * draws - 1`` of the seed. Behind the sampler's own columns stands one of what the
    choice adds to the log-probability: that of its weight, over the mean weight of the draws.

    Parameters
    ----------
    sampler : Sampler
        What draws.
    seed : int
        Of its stream.
    tilt : Tilt
        Its ``log_weights`` of a table are the logarithms of the weights, -inf to refuse an
        example, ``draws`` how many one is chosen of, and ``at_once`` how many are weighed at a
        time.
    """

    def __init__(self, sampler: Sampler, seed: int, tilt: Any) -> None:
        self.made = 0
        self._sampler, self._seed, self._tilt = sampler, seed, tilt
        self._stream = sampler.stream(seed)
        self._key = stream_key(seed, f"{sampler.method} resampled")
        self._search = Search(sampler.patience)
        self._waiting: Columns = ()

    def take(self, count: int) -> Columns:
        """Return the next choices; fewer only if there are no more."""
        parts = [self._waiting] if self._waiting else []
        waiting = sum(len(part[0]) for part in parts)
        while not parts or waiting < count:
            part, ended = self._chosen()
            parts.append(part)
            waiting += len(part[0])
            if ended:
                break
        joined = tuple(np.concatenate(column) for column in zip(*parts, strict=True))
        self._waiting = tuple(column[count:] for column in joined)
        self.made += min(count, waiting)
        return tuple(column[:count] for column in joined)

    def shortfall(self) -> Shortfall:
        """Say why there are no more."""
        draws = f", each of {self._tilt.draws}" if self._tilt.draws > 1 else ""
        if self._search.vain:
            why = f"only {self.made:,} were found{draws}: the last draws were all refused"
        else:
            why = f"only {self.made:,} can be chosen{draws}: {self._stream.shortfall().why}"
        return Shortfall(self.made, why, self._stream.made)

    def _chosen(self) -> tuple[Columns, bool]:
        """Choose among the next draws; say too whether there are no more."""
        draws, first = self._tilt.draws, self._search.made
        # no more than are asked for at a time, where each takes long
        groups = max(1, min(self._tilt.at_once, self._sampler.batch) // draws)
        columns = self._stream.take(groups * draws)
        size = len(columns[0])
        table = self._sampler.table(columns, self._seed, np.arange(size, dtype=np.int64))
        weights = np.full(groups * draws, -np.inf)
        weights[:size] = self._tilt.log_weights(table)
        weights = weights.reshape(groups, draws)
        good = np.flatnonzero(weights.max(axis=1) > -np.inf)
        mine, _ = self._search.goes_on(good, groups)
        k, added = chosen_by_weight(weights[mine], uniforms(self._key, first, groups)[mine])
        kept = tuple(column[mine * draws + k] for column in columns)
        return (*kept, added), size < groups * draws or self._search.vain


def chosen_by_weight(weights: FloatArray, u: FloatArray) -> tuple[LongArray, FloatArray]:
    """Choose one of each row by its weight.

    Parameters
    ----------
    weights : float64[rows, draws]
        Their logarithms; rows of which none is above -inf must not be there.
    u : float64[rows]
        From [0, 1).

    Returns
    -------
    k : int64[rows]
        The draws that are chosen.
    added : float64[rows]
        The logarithm of the weight of each over the mean weight of its row.

    Examples
    --------
    >>> k, added = chosen_by_weight(np.log([[3.0, 1.0], [1.0, 1.0]]), np.array([0.7, 0.7]))
    >>> k.tolist(), added.round(3).tolist()
    ([0, 1], [0.405, 0.0])
    """
    highest = weights.max(axis=1, keepdims=True, initial=-np.inf)
    ends = np.cumsum(np.exp(weights - highest), axis=1)
    draws = weights.shape[1]
    k = np.minimum((ends <= u[:, None] * ends[:, -1:]).sum(axis=1), draws - 1)
    total = ends.max(axis=1, initial=0.0)  # the last, where there are any
    mean = highest[:, 0] + np.log(total / draws)
    return k, weights[np.arange(len(k)), k] - mean


_OF_OTHERS: Hints = {
    "sampler.sample(10) draws examples, and treewright.augment(text, 'eda', n=3) texts of one": (
        *("augment", "generate", "transform", "draw", "apply", "fit_transform", "augment_many"),
    ),
    "sampler.grammar.save('grammar.json') saves what it learnt": ("save", "to_file", "dump"),
}
"""What augmenters of other libraries have, and what gives it here."""
_MADE_ELSEWHERE: Hints = {
    "induce(texts) of the class makes one": ("fit", "from_texts", "train", "from_corpus", "learn"),
    "open_sampler('grammar.json') opens one that was saved": ("load", "from_pretrained", "open"),
}
"""What makes augmenters in other libraries."""


class Sampler(metaclass=NamesOfOthers):
    """What ``induce`` of every method returns: a grammar, and the stream of its examples.

    ``grammar`` can be looked at, saved, and sampled again without the corpus. Example i of a seed
    depends on the grammar, the seed and i alone. A method gives ``induce``, :meth:`count`,
    :meth:`attempt`, :meth:`hash` and :meth:`write`.

    Parameters
    ----------
    grammar : Weighted
        Induced by the method of the class, or opened.

    Raises
    ------
    SchemaError
        If the grammar is of another method, or its notes of classes are damaged.
    OptionError
        If an option of the grammar is unknown, or has a value that cannot be used.

    Examples
    --------
    >>> from induction import Corpus
    >>> from sampling import WordDrop
    >>> sampler: Sampler = WordDrop.induce(Corpus.from_columns(text=["we ran"]), p=0.5)
    >>> sorted(sampler.sample(2).column("text"))
    ['ran', 'we']
    """

    _made_elsewhere: ClassVar[Hints] = _MADE_ELSEWHERE

    if not TYPE_CHECKING:  # of a type checker, what is not there is an error

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name, attribute_hint(name, _OF_OTHERS))

    method: ClassVar[str]
    Options: ClassVar[Any] = None
    """The dataclass of its options; those that a grammar holds are read by it."""
    version: ClassVar[str] = "1"
    grammar: Any
    distinct: bool = True
    """Whether every example is new, and given once."""
    repeats: bool = False
    """Whether new examples may be given again; see :meth:`repeating`."""
    explained_as: ClassVar[str] = "parents"
    """What an explanation shows: ``words`` that were edited, ``spans`` exchanged between host and
    donor (``mixed spans`` if labels are mixed, ``holes`` if there may be several), or ``parents``
    (``mixed parents`` if labels are mixed).
    """
    carries_spans: ClassVar[bool] = False
    """Whether new examples have the column ``spans``; other methods refuse it."""
    by_host: bool = False
    """Whether it takes hosts in turn where it is tilted, and so many draws of one as are asked."""
    rivals: int = RIVALS
    """So many hosts in turn are then about equally long; see :func:`hosts_in_turn`."""
    is_written: bool = False
    """Whether it draws words one by one, so that a language model may; see :meth:`written_by`."""
    patience: int = 32 * CHUNK
    """How many attempts in a row without a new example end a stream."""
    at_once: int = CHUNK
    """How many attempts are made at a time; it changes nothing."""
    batch: int = BATCH
    """So many examples may be asked for at a time; where each takes long, few, so that a person
    sees them come, and a stopped run goes on from the last of them."""
    given: Corpus | None = None
    """What it was induced from, until it is said what of it new examples do not have."""
    allowed: Permissions | None = Permissions()
    """What was allowed when its grammar was opened, whose options are the word of a file; None if
    it was induced, with the options of whoever called."""
    _left: tuple[int, Stream] | None = None

    def __init_subclass__(cls, **of_class: Any) -> None:
        """Let every ``induce`` take whatever a person has, and ``__init__`` say if it is meant."""
        super().__init_subclass__(**of_class)
        if "induce" in vars(cls):
            cls.induce = classmethod(_of_whatever(vars(cls)["induce"].__func__))  # type: ignore[method-assign, assignment]
        if "__init__" in vars(cls):
            cls.__init__ = _of_a_grammar(vars(cls)["__init__"])  # type: ignore[method-assign]

    def __init__(self, grammar: Any) -> None:
        if method_of(grammar) != self.method:
            raise SchemaError(
                f"a grammar of the method {method_of(grammar)!r}, not {self.method!r}",
                hint="give it to the sampler of its own method",
            )
        check_names(grammar.notes)
        self.options: Any = self.options_of(grammar)
        self.grammar = grammar
        self.allowed = current().of_files

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.grammar!r})"

    def as_allowed(self) -> AbstractContextManager[None]:
        """Give a block in which no more is done than is allowed: the word of a file is no order."""
        return nullcontext() if self.allowed is None else files_say(self.allowed)

    def cost(self, n: int) -> str:
        """Say what so many examples cost, beside time; nothing if that is all."""
        return ""

    def prepare(self, n: int) -> None:
        """Hear how many examples are wanted, before any is drawn: say what they cost, if anything.

        Raises
        ------
        NotAllowedError
            If it is more than this run allows.
        """

    @property
    def written_version(self) -> str | None:
        """The version that examples have in their provenance; None if one is to be looked at."""
        return None

    @classmethod
    def opened(cls, grammar: Any) -> Sampler:
        """Return the sampler of a grammar of the method, where it has several kinds of them."""
        return cls(grammar)

    @classmethod
    def options_of(cls, grammar: Any) -> Any:
        """Read the options that a grammar was induced with; a file may hold any value."""
        given = getattr(grammar, "options", {})
        return cls.Options and read_options(cls.Options, given, cls.method)

    @classmethod
    def needs_trees(cls, options: Mapping[str, Any]) -> bool:
        """Say whether the method, with these options, goes by trees; texts without are parsed."""
        return False

    @classmethod
    def check_requirements(cls, options: Mapping[str, Any]) -> None:
        """Refuse a method that needs what is not installed, before anything is made ready.

        Raises
        ------
        MissingDataError
            It says what is missing, and how to install it.
        """

    @classmethod
    def asks_wordnet(cls, options: Mapping[str, Any]) -> bool:
        """Say whether the method, with these options, takes synonyms from WordNet if it has it."""
        return False

    @classmethod
    def recombines(cls, options: Mapping[str, Any]) -> bool:
        """Say whether the method, with these options, makes examples from those of the corpus."""
        return True

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> Sampler:
        """Induce the grammar of the method from a corpus, and return its sampler."""
        raise NotImplementedError

    def count(self) -> int:
        """Return an upper bound of the number of distinct new examples."""
        raise NotImplementedError

    def attempt(self, seed: int, numbers: LongArray, *beside: NDArray[Any]) -> Any:
        """Draw; row r is a function of the grammar, the seed and row r of the columns alone."""
        raise NotImplementedError

    def refused(self, drawn: Any) -> Mapping[str, BoolArray]:
        """Return which rows are no examples, by reason."""
        return {}

    def hash(self, drawn: Any, rows: LongArray) -> NDArray[np.uint64]:
        """Return a number for each of these rows, equal if their examples are."""
        raise NotImplementedError

    def known(self) -> Iterable[int]:
        """Return the hashes of what is not to be given as new."""
        return ()

    def write(self, drawn: Any, seed: int, index: LongArray) -> pa.Table:
        """Return drawn rows as examples with these numbers."""
        raise NotImplementedError

    def stream(self, seed: int) -> Stream:
        """Return the examples of a seed from the first on."""
        return Attempts(self, seed)

    def repeating(self, at_once: int) -> Self:
        """Return a sampler of the same grammar whose attempts may give an example again.

        So many attempts are made at a time. Methods that count off what they can make give each
        example once all the same.
        """
        made = copy.copy(self)
        made.repeats, made.at_once, made._left = True, at_once, None
        return made

    def tilted(self, seed: int, tilt: Any) -> Stream:
        """Return the examples of a seed by the sampler's distribution times the weight of a tilt.

        Behind the columns of :meth:`stream` stands one of what is to be added to the
        log-probability of each example.
        """
        return Resampled(self, seed, tilt)

    def under(self, tilt: Any) -> Sampler | None:
        """Return a sampler of the same grammar that weighs every choice, where a method has one."""
        return None

    def keep_in(self, file: Path) -> None:
        """Keep what takes long in a file, and take what a run that was stopped left there."""

    def written_by(self, model: Any) -> Sampler:
        """Return a sampler in which a language model has a say in each word, where one is drawn.

        ``model`` reads along (``sampling.alp.writing.Reader``).
        """
        return self

    def check_score(self, score: Any) -> None:
        """Refuse a score of seams that cannot be of the grammar's examples (SchemaError)."""

    def own_score(self, kind: str) -> Any:
        """Learn a score from what the grammar holds, where a method knows how; else None."""
        return None

    def table(self, columns: Columns, seed: int, index: LongArray) -> pa.Table:
        """Return what a stream gave as examples with these numbers.

        Attempts are drawn once more: to keep their numbers takes less memory than what they drew.
        """
        return self.write(self.attempt(seed, *columns), seed, index)

    def examples(self, columns: Columns, seed: int, index: LongArray) -> pa.Table:
        """Return the table of the method, in which classes have the names that they were given."""
        with self.as_allowed():
            table = self.table(columns, seed, index)
        notes = getattr(self.grammar, "notes", {})
        if "classes" in notes and "label" in table.column_names:
            at, label = table.column_names.index("label"), table.column("label")
            if pa.types.is_integer(label.type):
                label = named(label, tuple(notes["classes"]), notes["class_kind"])
                table = table.set_column(at, "label", label)
        given = vars(self).pop("given", None)  # in one step: other threads come here, too
        if given is not None:
            tell_losses(self.method, given, table)
            tell_mixing(self.method, given, table.schema, notes.get("classes", ()))
        return table

    @names_keywords()
    def sample(self, n: int, *, seed: int = 0, start: int = 0) -> Corpus:
        """Draw distinct new examples.

        Example i is a function of the grammar, the seed and i alone: ``sample(10)`` followed by
        ``sample(10, start=10)`` is ``sample(20)``.

        Parameters
        ----------
        n : int
            How many.
        seed : int
            Which stream of examples.
        start : int
            How many to skip.

        Returns
        -------
        Corpus
            Columns of the corpus as far as the method keeps them, and ``provenance``: parents,
            spans put in, rules of the grammar, and the natural logarithm of the probability of the
            draws.

        Warns
        -----
        ShortfallWarning
            If fewer are found; those are returned.

        Raises
        ------
        OptionError
            If ``n``, ``seed`` or ``start`` is not a whole number of zero or more.
        """
        tables = list(self.batches(n, seed=seed, start=start))
        return Corpus(pa.concat_tables(tables))

    def batches(
        self,
        n: int,
        *,
        seed: int = 0,
        start: int = 0,
        workers: int = 1,
        batch_size: int = BATCH,
        engine: Engine | None = None,
    ) -> Iterator[pa.Table]:
        """Yield the table of :meth:`sample` in batches; neither they nor workers change a row.

        There is always one batch, which may be empty, so that a table has its columns. Examples are
        made by threads, or by the workers of an engine that is given; which attempts are new is
        found out here.
        """
        _check_request(n=n, seed=seed, start=start, workers=workers, batch_size=batch_size)
        if engine is not None and engine.apart:
            self.examples(self.stream(seed).take(0), seed, np.zeros(0, np.int64))  # says losses
            return map(read_piece, self.pieces(n, engine, seed=seed, start=start, size=batch_size))
        if engine is not None:
            workers = engine.workers
        tasks = (
            functools.partial(self.examples, columns, seed, index)
            for columns, index in self._stretches(n, seed, start, batch_size, workers)
        )
        return in_threads(tasks, workers)

    def pieces(
        self,
        n: int,
        engine: Engine,
        *,
        seed: int = 0,
        start: int = 0,
        size: int = BATCH,
        lines: str | None = None,
    ) -> Iterator[Piece]:
        """Let workers write the tables of :meth:`batches`: as lines of a format, or Arrow files."""
        asked = Unit(_EXAMPLES, (self.kept(engine),), {"seed": seed, "lines": lines})
        return engine.map(self.units(n, engine, asked, start=start, size=size))

    def kept(self, engine: Engine) -> Kept:
        """Write the grammar for the workers of an engine."""
        return engine.keep(self.grammar.save, self.grammar.codec.suffixes[0])

    def units(
        self, n: int, engine: Engine, asked: Unit, *, start: int = 0, size: int = BATCH
    ) -> Iterator[Unit]:
        """Yield the units of so many examples, which are as ``asked`` but for rows and numbers.

        Which attempts are new is found out here; of each unit the rows are those of the stream of
        the seed that its part names.
        """
        seed, workers = asked.part["seed"], engine.workers
        for columns, index in self._stretches(n, seed, start, size, workers):
            first = int(index[0]) if len(index) else start
            yield replace(asked, first=first, count=len(index), rows=columns, out=engine.new_file())

    def _stretches(
        self, n: int, seed: int, start: int, size: int, workers: int
    ) -> Iterator[tuple[Columns, LongArray]]:
        """Yield what the stream gives, and the numbers of these examples; at least one stretch.

        Beside several workers a thread draws ahead of them. What it has to say is said here, where
        somebody listens.
        """
        with self.as_allowed():
            self.prepare(n if _has_come_to(self._left, seed, start) else start + n)
        drawn = self._taken(n, seed, start, size)
        for stretch in ahead(drawn, _AHEAD) if workers > 1 else drawn:
            if isinstance(stretch, Shortfall):
                _warn(n, start, stretch)
            else:
                yield stretch

    def _taken(
        self, n: int, seed: int, start: int, size: int
    ) -> Iterator[tuple[Columns, LongArray] | Shortfall]:
        """Yield stretches of the stream, and behind them why there are no more."""
        first = start
        with self.as_allowed():
            stream = self._opened(seed, start)
        while True:
            wanted = min(size, start + n - first)
            with self.as_allowed():
                columns = stream.take(wanted)
            made = len(columns[0])
            if made or first == start:
                yield columns, np.arange(first, first + made)
            first += made
            if made < wanted:
                yield stream.shortfall()
                return
            if first == start + n:
                self._left = seed, stream  # only now: two generators must not share a stream
                return

    def _opened(self, seed: int, start: int) -> Stream:
        """Return the stream of a seed after its first ``start`` examples."""
        left = vars(self).pop("_left", None)  # in one step: two threads must not share a stream
        if left is not None and _has_come_to(left, seed, start):
            return left[1]
        stream = self.stream(seed)
        while stream.made < start and len(stream.take(min(BATCH, start - stream.made))[0]):
            pass
        return stream


def _has_come_to(left: tuple[int, Stream] | None, seed: int, start: int) -> bool:
    """Say whether a stream that was left is of a seed, and has come to an example."""
    return left is not None and left[0] == seed and left[1].made == start


def _at_once(given: Corpus) -> int:
    """Return how many attempts have room in memory together, by the length of the texts."""
    mean = given.table.nbytes // max(len(given), 1)
    return max(1, _BYTES_AT_ONCE // max(mean, 1))


_NO_GRAMMAR = (str, list, tuple, dict, Corpus, int, float)


def _is_no_grammar(grammar: Any = None, **_: Any) -> bool:
    is_frame = type(grammar).__module__.partition(".")[0] in ("pandas", "polars", "datasets")
    return grammar is None or is_frame or isinstance(grammar, _NO_GRAMMAR)


def _no_grammar(cls: type[Sampler], options: Mapping[str, Any]) -> OptionError:
    """Return what is to be raised where a sampler is made of options, or texts, alone."""
    known = {one.name for one in fields(cls.Options)}
    meant = {keyword_here(one, known) or one: value for one, value in options.items()}
    chosen = ", ".join(
        f"{one}={value}"
        for one, value in meant.items()
        if one in known and isinstance(value, int | float)
    )
    spec = f"{cls.method}({chosen})" if chosen else cls.method
    more = f", not of {next(iter(options))}=" if options else ""
    induced = f"{cls.__name__}.induce(texts{', ' if chosen else ''}{chosen})"
    return OptionError(
        f"{cls.__name__} is made of a grammar{more}",
        hint=f"augment(texts, {spec!r}, n=10); or {induced}.sample(10)",
    )


def _of_a_grammar(init: Callable[..., None]) -> Callable[..., None]:
    """Return an ``__init__`` that names ``induce`` where no grammar is given, or texts are.

    Augmenters of other libraries are made of options alone.
    """

    @functools.wraps(init)
    def made(self: Sampler, *given: Any, **named: Any) -> None:
        if type(self).Options is not None and _is_no_grammar(*given[:1], **named):
            raise _no_grammar(type(self), {one: named[one] for one in named if one != "grammar"})
        init(self, *given, **named)

    return made


def _of_whatever(induce: Callable[..., Any]) -> Callable[..., Any]:
    """Return an ``induce`` that reads what it is given and numbers the classes.

    The grammar notes the names of the classes, so that a saved one gives them back too.
    """

    @functools.wraps(induce)
    def reading(cls: type[Sampler], corpus: Any, *values: Any, **options: Any) -> Any:
        given = read_corpus(corpus)
        if not cls.carries_spans:
            refuse_spans(given, cls.method, "it does not know where they are in new texts")
        names = class_names(given, classes=options.get("classes"))
        sampler = induce(cls, number_classes(given, names), *values, **options)
        sampler.allowed = None  # options are those of the caller
        if names:
            sampler.grammar = sampler.grammar.noted(
                classes=list(names), class_kind=label_kind(given)
            )
        sampler.given = given
        sampler.at_once = min(sampler.at_once, _at_once(given))
        return sampler

    return reading


def plain_batches(
    drawn: Callable[[int, int], pa.Table],
    n: int,
    *,
    start: int = 0,
    workers: int = 1,
    batch_size: int = BATCH,
) -> Iterator[pa.Table]:
    """Yield tables of draws that may repeat, in batches, as :meth:`Sampler.batches` does.

    Parameters
    ----------
    drawn : callable
        Takes the number of the first draw and how many, and returns their table.

    Raises
    ------
    OptionError
        As :meth:`Sampler.batches`.

    Examples
    --------
    >>> drawn = lambda first, count: pa.table({"id": range(first, first + count)})
    >>> [table.column("id").to_pylist() for table in plain_batches(drawn, 3, start=5, batch_size=2)]
    [[5, 6], [7]]
    """
    _check_request(n=n, start=start, workers=workers, batch_size=batch_size)
    stop = start + n
    firsts = stages(range(start, stop, batch_size) or range(start, start + 1), "drawing batches")
    tasks = (functools.partial(drawn, at, min(batch_size, stop - at)) for at in firsts)
    return in_threads(tasks, workers)


def _check_request(**numbers: int) -> None:
    for name, value in numbers.items():
        whole_number(name, value, 1 if name in ("workers", "batch_size") else 0)


def method_of(grammar: Any) -> str:
    """Return the method that samples a grammar, if there is one.

    Families of methods say it themselves; of a grammar that derives sentences the notes say it,
    and without notes it is of ``grammar``.
    """
    noted = grammar.notes.get("method", "grammar") if grammar.pcfg is not None else ""
    of_sentences = noted if noted in OF_SENTENCES else ""
    return str(getattr(grammar, "method", of_sentences))


def _warn(n: int, start: int, shortfall: Shortfall) -> None:
    asked = f"{n} examples" + (f" from number {start}" if start else "")
    warn_of(ShortfallWarning(f"{asked} were asked for, but {shortfall}", shortfall), stacklevel=3)


def hosts_in_turn(
    key: np.uint64,
    numbers: LongArray,
    length: LongArray,
    of_host: int = 1,
    rivals: int = RIVALS,
) -> LongArray:
    """Return the host of each attempt: so many attempts in a row are of one.

    Where they are several, hosts are compared (:class:`Resampled`), and short ones would win. So
    as many as there are ``rivals`` in turn are about equally long; a few of a round, which are too
    many for that, are left out.

    >>> hosts_in_turn(np.uint64(1), np.arange(6), np.array([9, 5, 7]), of_host=2).tolist()
    [0, 0, 1, 1, 2, 2]
    """
    turns = numbers // of_host
    if of_host == 1 or len(length) < rivals:
        return in_rounds(key, turns, len(length))
    rank = np.argsort(np.argsort(length, kind="stable"), kind="stable")
    return in_groups(key, turns, rank, rivals)


def in_rounds(key: np.uint64, numbers: LongArray, size: int) -> LongArray:
    """Return which of so many things each attempt takes: all, round after round.

    Each round has an order of its own, which depends on the key and the round alone.

    >>> key = np.uint64(1)
    >>> in_rounds(key, np.arange(6), 3).tolist(), in_rounds(key, np.array([4]), 3).tolist()
    ([0, 1, 2, 2, 0, 1], [0])
    """

    def order(number: int) -> LongArray:
        return np.argsort(uniforms_of(key, number, size), kind="stable")

    return _ordered(numbers, size, order)


def in_groups(key: np.uint64, numbers: LongArray, rank: LongArray, size: int) -> LongArray:
    """Return which thing each attempt takes: groups of neighbours, round after round.

    Groups are of things whose ranks are near each other, in every round others, and come in random
    order. What is too much for groups of one size is left out of the round.

    >>> in_groups(np.uint64(1), np.arange(12), np.arange(13), 4).reshape(3, 4).tolist()
    [[0, 1, 2, 3], [7, 6, 12, 11], [9, 10, 4, 8]]
    """
    whole = len(rank) - len(rank) % size

    def order(number: int) -> LongArray:
        chance, jitter = uniforms_of(key, number, 2 * len(rank)).reshape(2, -1)
        kept = np.argsort(chance, kind="stable")[:whole]
        near = np.argsort(rank[kept] + 2 * size * jitter[kept], kind="stable")
        groups = kept[near].reshape(-1, size)
        return groups[np.argsort(chance[groups[:, 0]], kind="stable")].ravel()

    return _ordered(numbers, whole, order)


def _ordered(numbers: LongArray, size: int, order: Callable[[int], LongArray]) -> LongArray:
    """Return what each attempt takes, by the order of its round."""
    taken = np.empty(len(numbers), np.int64)
    rounds = numbers // size
    for number in np.unique(rounds).tolist():
        mine = rounds == number
        taken[mine] = order(number)[numbers[mine] % size]
    return taken
