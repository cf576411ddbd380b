"""Sentences from a grammar: exact samples as Arrow strings, with the derivation of each."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import LongArray, pack_strings
from grammar.errors import OptionError
from grammar.formats.characters import token_of_characters
from grammar.messages import tell
from grammar.options import names_keywords
from grammar.pcfg.constructions import holding
from grammar.pcfg.derivable import Derivable
from grammar.pcfg.grammar import as_grammar
from grammar.pcfg.spelling import Spacing
from grammar.rng import stream_key
from grammar.rules.rules import RuleTable
from grammar.sampling_kernels.ancestral import AncestralSampler, Derivations, derivation_trees
from grammar.sampling_kernels.lengths import LengthSampler
from grammar.trees.brackets import write_words
from grammar.trees.surfaces import surface_of
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.trees.binarise import unbinarise, written_label
from induction.trees.normalise import chain_parts, expand_unaries
from sampling.examples.provenance import example_table
from sampling.examples.splicing import as_lists, as_strings
from sampling.sentences.conditioned import ConditionedDraws
from sampling.stream import plain_batches

__all__ = [
    "derivation_table",
    "generate",
    "labels_of",
    "sample_sentences",
    "sentence_batches",
    "sentence_tables",
    "sentence_trees",
    "text_writer",
]

VERSION = "2"
"""Raised whenever the same seed would give other bytes."""
_BATCH = 16_384
_LARGEST = 2**63 - 1


class _Sampler(Protocol):
    def draw(self, key: np.uint64, first: int, count: int) -> Derivations: ...


_BAND = "give a band: length=(1, 20)"


@names_keywords(max_length=_BAND, min_length=_BAND, max_len=_BAND)
def sample_sentences(
    grammar: Derivable,
    n: int,
    *,
    seed: int = 0,
    start: int = 0,
    length: tuple[int, int] | None = None,
    containing: str | Sequence[str] = (),
    flat: bool = False,
    trees: bool = False,
    spacing: Spacing = "words",
    workers: int = 1,
) -> Corpus:
    """Draw n independent sentences, each with exactly its probability under the grammar.

    Example i is a function of (seed, i) alone; being independent draws, examples may repeat.

    Parameters
    ----------
    grammar : Derivable
        A PCFG (of NLTK, too), or a grammar that has one as its view, such as a tree-substitution
        grammar.
    n : int
        How many.
    seed, start : int
        Examples ``start`` to ``start + n - 1`` of the stream ``seed``.
    length : (int, int), optional
        Condition exactly on this many words, both ends included; also works for grammars that
        are not tight.
    containing : str or sequence of str
        Condition exactly on trees in which each pattern has a hit: a construction or a word, as
        for :meth:`~grammar.Treebank.search`. Relations lead down, or to the label of a sister or
        parent.
    flat : bool
        Give all lengths of the band equal probability.
    trees : bool
        Add the column ``tree``: trees of the grammar itself, not of its view. Binarisation and
        joined unaries are undone.
    spacing : {"words", "characters"}
        Whether there is a space between words, or nothing: ``characters`` is for grammars of
        programs, read from a notation such as ANTLR.
    workers : int
        Threads; they do not change the result.

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
    PatternError
        If what is to be contained is no pattern, or cannot be asked of a grammar.
    EmptyLanguageError
        If no tree of the grammar contains it.
    OptionError
        If an option is out of range.

    Examples
    --------
    >>> from grammar import Grammar
    >>> grammar = Grammar.parse("S -> 'very' S [0.5] | 'good' [0.5]")
    >>> sample_sentences(grammar, 3, length=(2, 3)).column("text")
    ['very good', 'very very good', 'very very good']
    >>> sample_sentences(grammar, 2, containing="S < very < (S < very)").column("text")
    ['very very very very good', 'very very very very very good']
    """
    grammar = as_grammar(grammar)
    batches = sentence_batches(
        grammar, n, seed=seed, start=start, length=length, containing=containing, flat=flat,
        trees=trees, spacing=spacing, workers=workers,
    )  # fmt: skip
    return Corpus(pa.concat_tables(batches))


@names_keywords(
    max_length=_BAND,
    min_length=_BAND,
    max_len=_BAND,
    depth="sentences are drawn by their probability, and not all of them up to a depth; "
    "length=(1, 8) bounds their words; NLTK lists all: from nltk.parse.generate import generate; "
    "generate(grammar.to_nltk(), depth=5)",
)
def generate(
    grammar: Any,
    n: int = 10,
    *,
    seed: int = 0,
    length: tuple[int, int] | None = None,
) -> list[str]:
    """Draw sentences from a grammar, each with exactly its probability.

    Parameters
    ----------
    grammar : grammar, path, or text
        A grammar, a file with one, or rules in the notation; those of ``nltk.PCFG`` too.
    n : int
        How many.
    seed : int
        Which stream.
    length : (int, int), optional
        Condition exactly on this many words, both ends included.

    Raises
    ------
    NotTightError, LengthBandError, OptionError
        As :func:`sample_sentences`, which keeps trees and derivations, too.

    Examples
    --------
    >>> generate("S -> 'very' S [0.5] | 'good' [0.5]", 2, length=(2, 3))
    ['very good', 'very very good']
    """
    texts: list[str] = sample_sentences(grammar, n, seed=seed, length=length).column("text")
    return texts


def sentence_batches(
    grammar: Derivable,
    n: int,
    *,
    start: int = 0,
    workers: int = 1,
    batch_size: int = _BATCH,
    **how: Any,
) -> Iterator[pa.Table]:
    """Yield the table of :func:`sample_sentences` in batches, in order, in constant memory.

    The options are those of :func:`sentence_tables`; ``batch_size`` examples are a task of a
    thread, which does not change the result.
    """
    if start > _LARGEST - n:
        raise OptionError(
            "the number of the last example is above 2**63 - 1", hint="use a smaller start"
        )
    drawn = sentence_tables(grammar, **how)
    return plain_batches(drawn, n, start=start, workers=workers, batch_size=batch_size)


def sentence_tables(
    grammar: Derivable,
    *,
    seed: int = 0,
    length: tuple[int, int] | None = None,
    containing: str | Sequence[str] = (),
    flat: bool = False,
    trees: bool = False,
    spacing: Spacing = "words",
) -> Callable[[int, int], pa.Table]:
    """Return what makes the table of sentences from their first number and how many there are.

    Raises
    ------
    TreewrightError
        As :func:`sample_sentences`.
    """
    key = stream_key(seed, grammar.family)
    pcfg = grammar.pcfg
    if length is not None and np.shape(length) != (2,):
        raise OptionError(f"length={length!r} is no band", hint="for example length=(1, 20)")
    if flat and length is None:
        raise OptionError("flat needs a length band", hint="for example length=(1, 20)")
    sampler: _Sampler
    if containing:
        sampler = _containing(grammar, containing, length, flat=flat)
    elif length is None:
        sampler = AncestralSampler(pcfg)
    else:
        sampler = LengthSampler(pcfg, *length, flat=flat)
    write = text_writer(pcfg.rules, spacing)

    def table(first: int, count: int) -> pa.Table:
        draws = sampler.draw(key, first, count)
        numbers = np.arange(first, first + count)
        return derivation_table(grammar, draws, numbers, write, seed=seed, trees=trees)

    return table


class _Restored:
    """Draws under conditions, as derivations of the grammar given."""

    def __init__(self, draws: ConditionedDraws) -> None:
        self._draws = draws

    def draw(self, key: np.uint64, first: int, count: int) -> Derivations:
        return self._draws.restored(self._draws.draw(key, first, count))


def _containing(
    grammar: Derivable,
    patterns: str | Sequence[str],
    length: tuple[int, int] | None,
    *,
    flat: bool,
) -> _Restored:
    """Return what draws trees with hits of patterns, in trees as they are written."""
    wanted = (patterns,) if isinstance(patterns, str) else tuple(patterns)
    held = holding(grammar, wanted, labels_of)
    return _Restored(ConditionedDraws(grammar.pcfg, None, length, held=held, flat=flat))


def labels_of(name: str) -> list[str]:
    """Return the labels that a node has in :func:`sentence_trees`: none, one, or a chain.

    >>> labels_of("NP^<S>"), labels_of("VP|<NP>"), labels_of("S+VP")
    (['NP'], [], ['S', 'VP'])
    """
    label = written_label(name)
    return [] if label is None else chain_parts(label)


def derivation_table(
    grammar: Derivable,
    derivations: Derivations,
    numbers: LongArray,
    write: Callable[[Derivations], pa.Array],
    *,
    seed: int,
    trees: bool,
) -> pa.Table:
    """Return derivations as examples with these numbers; ``write`` makes their texts."""
    columns = {
        "id": pa.array([str(i) for i in numbers.tolist()], pa.string()),
        "text": write(derivations),
    }
    if trees:
        columns["tree"] = sentence_trees(grammar, derivations).brackets().cast(pa.string())
    return example_table(
        grammar.family,
        VERSION,
        seed,
        numbers,
        columns,
        rules=as_lists(derivations.rules, derivations.rule_offsets),
        log_probability=derivations.log_probability,
    )


def text_writer(rules: RuleTable, spacing: Spacing) -> Callable[[Derivations], pa.Array]:
    """Return what makes the texts of derivations (OptionError if there is no such spacing).

    It is told if a space comes between words that hold their own, as those of GBNF do, or between
    the characters of a token.
    """
    words = rules.words
    if spacing not in get_args(Spacing):
        raise OptionError(
            f"unknown spacing {spacing!r}", hint=f"choose from {', '.join(get_args(Spacing))}"
        )
    if spacing == "words":
        if (own := next((word for word in words if word != word.strip(" \t\n")), None)) is not None:
            tell(
                f"words of the grammar hold their own white space, such as {own!r}, and a space is "
                "put between words, too: --spacing characters (in Python spacing='characters') "
                "puts none there"
            )
        elif (token := token_of_characters(rules)) is not None:
            tell(
                f"tokens of {token[0]} are several words of the grammar, such as {token[1]!r}, and "
                "a space is put between words: --spacing characters (in Python "
                "spacing='characters') puts none there"
            )
        vocabulary = pack_strings(map(surface_of, words))
        return lambda draws: as_strings(*write_words(draws.words, draws.word_offsets, *vocabulary))
    named = pa.array(words, pa.string())
    return lambda draws: pc.binary_join(
        as_lists(named.take(pa.array(draws.words)), draws.word_offsets), ""
    )


def sentence_trees(grammar: Derivable, derivations: Derivations) -> Treebank:
    """Return the trees of derivations, with binarisation and joined unaries undone.

    The derivations are of the grammar's PCFG, which may be itself. A node without words is
    ``(NP (-NONE- *))``.
    """
    if grammar.pcfg is grammar:
        made = derivation_trees(grammar.pcfg, derivations)
    else:
        ends = itertools.pairwise(derivations.rule_offsets.tolist())
        rules = derivations.rules.tolist()
        made = Treebank.from_trees(grammar.tree_of(rules[begin:end]) for begin, end in ends)
    return expand_unaries(unbinarise(made))
