"""Sentences from a grammar: exact samples as Arrow strings, with the derivation of each."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np
import pyarrow as pa

from grammar.arrays import Bytes, LongArray, pack_strings
from grammar.brackets import write_words
from grammar.counter_rng import stream_key
from grammar.derivations import AncestralSampler, Derivations, derivation_trees
from grammar.errors import OptionError
from grammar.grammar import Grammar
from grammar.lengths import LengthSampler
from grammar.tree import Tree
from grammar.treebank import Treebank
from induction.binarise import unbinarise
from induction.corpus import PROVENANCE, Corpus
from induction.normalise import expand_unaries

__all__ = ["Derivable", "sample_sentences", "sentence_batches", "sentence_trees"]

VERSION = "1"
"""Raised whenever the same seed would give other bytes."""
_BATCH = 16_384
_LARGEST = 2**63 - 1


class _Sampler(Protocol):
    def draw(self, key: np.uint64, first: int, count: int) -> Derivations: ...


class Derivable(Protocol):
    """A grammar whose derivations are, one to one, those of a PCFG.

    Tree-substitution grammars (:class:`grammar.tsg.TreeSubstitutionGrammar`) and lexicalised PCFGs
    (:class:`grammar.lexicalised.LexicalisedGrammar`) are such.
    """

    @property
    def family(self) -> str:
        """What kind of grammar it is; names its samples and their random numbers."""

    @property
    def pcfg(self) -> Grammar:
        """The PCFG."""

    def tree_of(self, rules: Iterable[int]) -> Tree:
        """Return the tree of a derivation of the PCFG, given as rule numbers in preorder."""


def sample_sentences(
    grammar: Grammar | Derivable,
    n: int,
    *,
    seed: int = 0,
    start: int = 0,
    length: tuple[int, int] | None = None,
    trees: bool = False,
    workers: int = 1,
    batch_size: int = _BATCH,
) -> Corpus:
    """Draw n independent sentences, each with exactly its probability under the grammar.

    Example i is a function of (seed, i) alone; being independent draws, examples may repeat.

    Parameters
    ----------
    grammar : Grammar or Derivable
        A PCFG, or a grammar that has one as its view, such as a tree-substitution grammar.
    n : int
        How many.
    seed, start : int
        Examples ``start`` to ``start + n - 1`` of the stream ``seed``.
    length : (int, int), optional
        Condition exactly on this many words, both ends included; also works for grammars that
        are not tight.
    trees : bool
        Add the column ``tree``: trees of the grammar itself, not of its view. Binarisation and
        joined unaries are undone.
    workers, batch_size : int
        Threads, and examples a task; neither changes the result.

    Returns
    -------
    Corpus
        Columns ``id``, ``text``, ``tree`` if asked for, and ``provenance`` with the grammar's
        family as the method, the rule numbers of the PCFG's derivation in preorder, and its
        natural log-probability.

    Raises
    ------
    NotTightError
        If no length is given and derivations may never end.
    LengthBandError
        If the grammar has no sentence with such a length.
    OptionError
        If an option is out of range, or trees are asked of a grammar that has rules with an empty
        right-hand side (brackets cannot show a node with nothing below it).

    Examples
    --------
    >>> grammar = Grammar.parse("S -> 'very' S [0.5] | 'good' [0.5]")
    >>> sample_sentences(grammar, 3, length=(2, 3)).column("text")
    ['very good', 'very very good', 'very very good']
    """
    batches = sentence_batches(
        grammar, n, seed=seed, start=start, length=length, trees=trees, workers=workers,
        batch_size=batch_size,
    )  # fmt: skip
    return Corpus(pa.concat_tables(batches))


def sentence_batches(
    grammar: Grammar | Derivable,
    n: int,
    *,
    seed: int = 0,
    start: int = 0,
    length: tuple[int, int] | None = None,
    trees: bool = False,
    workers: int = 1,
    batch_size: int = _BATCH,
) -> Iterator[pa.Table]:
    """Yield the table of :func:`sample_sentences` in batches, in order, in constant memory."""
    for name, value, least in (
        ("n", n, 0), ("start", start, 0), ("workers", workers, 1), ("batch_size", batch_size, 1)
    ):  # fmt: skip
        if value < least:
            raise OptionError(f"{name} is {value}", hint=f"give a number of {least} or more")
    key = stream_key(seed, grammar.family)
    if start > _LARGEST - n:
        raise OptionError(
            "the number of the last example is above 2**63 - 1", hint="use a smaller start"
        )
    pcfg = grammar if isinstance(grammar, Grammar) else grammar.pcfg
    if trees:
        _check_shown(pcfg)
    sampler: _Sampler = AncestralSampler(pcfg) if length is None else LengthSampler(pcfg, *length)
    vocabulary = pack_strings(pcfg.rules.words)

    def batch(first: int) -> pa.Table:
        count = min(batch_size, start + n - first)
        draws = sampler.draw(key, first, count)
        columns = {
            "id": pa.array([str(i) for i in range(first, first + count)], pa.string()),
            "text": _strings(*write_words(draws.words, draws.word_offsets, *vocabulary)),
        }
        if trees:
            columns["tree"] = sentence_trees(grammar, draws).brackets().cast(pa.string())
        columns["provenance"] = _provenance(draws, grammar.family, seed, first)
        return pa.table(columns)

    firsts = range(start, start + n, batch_size) or range(start, start + 1)
    if workers == 1:
        return map(batch, firsts)
    return _in_threads(batch, firsts, workers)


def sentence_trees(grammar: Grammar | Derivable, derivations: Derivations) -> Treebank:
    """Return the trees of derivations, with binarisation and joined unaries undone.

    The derivations are of the grammar or, if it is none itself, of its PCFG.

    Raises
    ------
    OptionError
        If the grammar has rules with an empty right-hand side.
    """
    if isinstance(grammar, Grammar):
        _check_shown(grammar)
        made = derivation_trees(grammar, derivations)
    else:
        _check_shown(grammar.pcfg)
        ends = itertools.pairwise(derivations.rule_offsets.tolist())
        rules = derivations.rules.tolist()
        made = Treebank.from_trees(grammar.tree_of(rules[begin:end]) for begin, end in ends)
    return expand_unaries(unbinarise(made))


def _check_shown(grammar: Grammar) -> None:
    empty = np.flatnonzero(np.diff(grammar.rules.offsets) == 0)
    if len(empty):
        raise OptionError(
            "trees cannot show a rule with an empty right-hand side",
            where=str(grammar.production(int(empty[0]))),
            hint="sample without trees, or write a grammar without such rules",
        )


def _in_threads(
    batch: Callable[[int], pa.Table], firsts: range, workers: int
) -> Iterator[pa.Table]:
    with ThreadPoolExecutor(workers) as pool:
        waiting = [pool.submit(batch, first) for first in firsts[: 2 * workers]]
        for first in itertools.chain(firsts[2 * workers :], itertools.repeat(None)):
            if not waiting:
                return
            yield waiting.pop(0).result()
            if first is not None:
                waiting.append(pool.submit(batch, first))


def _strings(data: Bytes, offsets: LongArray) -> pa.StringArray:
    narrow = pa.py_buffer(offsets.astype(np.int32))
    return pa.StringArray.from_buffers(len(offsets) - 1, narrow, pa.py_buffer(data))


def _provenance(draws: Derivations, method: str, seed: int, first: int) -> pa.StructArray:
    count = len(draws)
    empty = pa.array(np.zeros(count + 1, np.int32))
    lists = {
        "parents": pa.ListArray.from_arrays(empty, pa.array([], pa.string())),
        "spans": pa.ListArray.from_arrays(
            empty, pa.array([], PROVENANCE.field("spans").type.value_type)
        ),
        "rules": pa.ListArray.from_arrays(
            pa.array(draws.rule_offsets.astype(np.int32)), pa.array(draws.rules)
        ),
    }
    values = {
        "method": pa.repeat(method, count),
        "version": pa.repeat(VERSION, count),
        "seed": pa.repeat(pa.scalar(seed, pa.int64()), count),
        "index": pa.array(np.arange(first, first + count)),
        **lists,
        "log_probability": pa.array(draws.log_probability),
    }
    fields = [PROVENANCE.field(i) for i in range(PROVENANCE.num_fields)]
    return pa.StructArray.from_arrays([values[f.name] for f in fields], fields=fields)
