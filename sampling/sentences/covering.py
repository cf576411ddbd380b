"""Test inputs as sentences: few that use every rule of a grammar, and mutations of one."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.pcfg.cover import covering_derivations
from grammar.pcfg.derivable import Derivable
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.mutation import mutations
from grammar.pcfg.rule_pairs import What, words_of
from grammar.pcfg.spelling import Spacing
from grammar.sampling_kernels.ancestral import Derivations
from induction.corpus.corpus import Corpus
from sampling.sentences.sentences import derivation_table, text_writer

__all__ = ["cover", "covering_batches", "mutate"]

_BATCH = 1024


def cover(
    grammar: Derivable,
    what: What = "rules",
    *,
    seed: int = 0,
    max_size: int = 100,
    trees: bool = False,
    spacing: Spacing = "words",
) -> Corpus:
    """Return few sentences whose derivations together use every rule, or every pair of rules.

    Rules that no sentence uses are left out.

    Parameters
    ----------
    grammar : Derivable
        A PCFG, or a grammar that has one as its view. It need not be tight.
    what : {"rules", "pairs"}
        Cover every rule, or every rule in every child of a rule where it may stand.
    seed : int
        Decides between rules that lead to equally short derivations.
    max_size : int
        Rules and words of a derivation, at most; more only where one rule or pair needs more.
    trees : bool
        Add the column ``tree``.
    spacing : {"words", "characters"}
        Whether there is a space between words, or nothing.

    Returns
    -------
    Corpus
        As :func:`sample_sentences` returns it: the rules of each derivation are in ``provenance``.

    Raises
    ------
    NotTightError
        If no derivation ends.
    OptionError
        If an option is out of range.

    Examples
    --------
    >>> grammar = Grammar.parse("S -> 'very' S [0.5] | 'good' [0.25] | 'bad' [0.25]")
    >>> cover(grammar).column("text")
    ['very good', 'bad']
    """
    batches = covering_batches(
        grammar, what, seed=seed, max_size=max_size, trees=trees, spacing=spacing
    )
    return Corpus(pa.concat_tables(batches))


def covering_batches(
    grammar: Derivable,
    what: What = "rules",
    *,
    seed: int = 0,
    max_size: int = 100,
    trees: bool = False,
    spacing: Spacing = "words",
) -> Iterator[pa.Table]:
    """Yield the table of :func:`cover` in batches, in order."""
    made = covering_derivations(grammar.pcfg, what, seed=seed, max_size=max_size)
    return _tables(grammar, made, seed=seed, trees=trees, spacing=spacing)


def mutate(
    grammar: Derivable,
    derivation: Sequence[int],
    n: int = 10,
    *,
    seed: int = 0,
    start: int = 0,
    max_rules: int = 50,
    trees: bool = False,
    spacing: Spacing = "words",
) -> Corpus:
    """Return sentences in whose derivations one subtree is another derivation of its symbol.

    Parameters
    ----------
    grammar : Derivable
        A PCFG, or a grammar that has one as its view. It need not be tight.
    derivation : sequence of int
        Rules in preorder: those in the ``provenance`` of a sentence, or of a parse.
    n, seed, start : int
        Mutations ``start`` to ``start + n - 1``; each depends on the derivation, the seed and its
        number alone. They may repeat.
    max_rules : int
        A new subtree that reaches this number of rules ends by shortest derivations.
    trees, spacing
        As for :func:`cover`.

    Raises
    ------
    OptionError
        If the rules are not a whole derivation, or a number is out of range.
    NothingNewError
        If no symbol of the derivation has another rule that ends.

    Examples
    --------
    >>> from grammar import Parser
    >>> grammar = Grammar.parse("S -> 'very' S [0.5] | 'good' [0.25] | 'bad' [0.25]")
    >>> given = Parser(grammar).viterbi("very very good")
    >>> mutate(grammar, given.rules, 3).column("text")
    ['bad', 'very good', 'very very very good']
    """
    made = mutations(grammar.pcfg, derivation, n, seed=seed, start=start, max_rules=max_rules)
    how: dict[str, Any] = {"seed": seed, "trees": trees, "spacing": spacing, "start": start}
    return Corpus(pa.concat_tables(_tables(grammar, made, **how)))


def _tables(
    grammar: Derivable,
    made: Iterable[tuple[int, ...]],
    *,
    seed: int,
    trees: bool,
    spacing: Spacing,
    start: int = 0,
) -> Iterator[pa.Table]:
    write = text_writer(grammar.pcfg.rules, spacing)
    waiting, first = iter(made), start
    while True:
        batch = list(itertools.islice(waiting, _BATCH))
        if batch or first == start:  # one table at least, which may be empty
            numbers = np.arange(first, first + len(batch))
            draws = _derivations(grammar.pcfg, batch)
            yield derivation_table(grammar, draws, numbers, write, seed=seed, trees=trees)
        first += len(batch)
        if len(batch) < _BATCH:
            return


def _derivations(grammar: Grammar, made: Sequence[tuple[int, ...]]) -> Derivations:
    """Return derivations as columns."""
    words = [words_of(grammar, rules) for rules in made]
    log_weight = grammar.compiled.log_weight
    return Derivations(
        np.array([word for row in words for word in row], np.int32),
        np.cumsum([0, *map(len, words)], dtype=np.int64),
        np.array([rule for row in made for rule in row], np.int32),
        np.cumsum([0, *map(len, made)], dtype=np.int64),
        np.array([log_weight[list(rules)].sum() for rules in made], np.float64),
    )
