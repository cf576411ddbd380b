"""Measures of derivations: how probable they are, and whether a parser finds the same trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from grammar.arrays import BoolArray, FloatArray, LongArray
from grammar.chart.parses import NoParse
from grammar.errors import CorpusError
from grammar.trees.evaluation import evalb
from grammar.trees.tree import Tree
from induction.corpus.corpus import Corpus
from induction.corpus.tree_files import trees_of_corpus
from induction.parsers.corpora import parse_texts
from induction.parsers.protocol import TextParser, aligned_treebank

__all__ = ["Reparsed", "log_probabilities", "reparse"]


@dataclass(frozen=True, eq=False)
class Reparsed:
    """What a parser made of the chosen examples.

    Attributes
    ----------
    parsed : bool[examples]
        Which of them have a parse.
    agreeing, brackets : float64[examples] or None
        Of each sentence, twice the brackets in both trees, and those in either, added up: F1 is the
        ratio of their sums. None if the corpus has no trees.
    """

    parsed: BoolArray
    agreeing: FloatArray | None
    brackets: FloatArray | None


def log_probabilities(corpus: Corpus) -> FloatArray:
    """Return the natural logarithm of the probability of each derivation, from ``provenance``.

    Raises
    ------
    CorpusError
        If there is no provenance, or an example has no probability.

    Examples
    --------
    >>> log_probabilities(Corpus.from_columns(text=["a"], provenance=[{"log_probability": -2.5}]))
    array([-2.5])
    """
    column = corpus.arrow("provenance").combine_chunks().field("log_probability")
    values = pc.fill_null(column, float("nan")).to_numpy(zero_copy_only=False)
    missing = int(np.count_nonzero(np.isnan(values)))
    if missing:
        raise CorpusError(
            f"the provenance of {missing:,} examples has no log-probability",
            hint="use a method that draws from a weighted grammar",
        )
    return np.asarray(values, np.float64)


def reparse(corpus: Corpus, parser: TextParser, rows: LongArray) -> Reparsed:
    """Parse the chosen examples, and compare the trees with those of the corpus as evalb does.

    Where the corpus has trees, their words are parsed, else the texts as the parser splits them.

    Raises
    ------
    CorpusError, BracketError
        If an example has no tree, though others do.
    """
    chosen = Corpus(corpus.table.take(rows))
    if "tree" not in corpus.names:
        results = list(parse_texts(chosen.column("text"), parser))
        return Reparsed(_parsed(results), None, None)
    gold = trees_of_corpus(chosen)
    results = list(parse_texts([list(words) for words in gold.sentences()], parser))
    scores = evalb(gold, aligned_treebank(results)).sentences
    agreeing = np.array([2.0 * score.matched for score in scores])
    brackets = np.array([float(score.gold + score.predicted) for score in scores])
    return Reparsed(_parsed(results), agreeing, brackets)


def _parsed(results: Sequence[Tree | NoParse]) -> BoolArray:
    return np.array([not isinstance(result, NoParse) for result in results], np.bool_)
