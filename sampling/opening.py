"""Samplers from saved grammars: the file says of which method it is.

What one person induced another can sample, without the corpus and without knowing how it was made.
"""

from __future__ import annotations

from grammar.engines.units import Unit, opened
from grammar.errors import SchemaError, located
from grammar.files import PathLike
from grammar.opening import open_grammar
from grammar.storage.permissions import files_say
from induction.corpus.pieces import Piece, write_piece
from sampling.method import METHODS
from sampling.stream import Sampler, method_of

__all__ = ["examples_piece", "open_sampler"]


def open_sampler(path: PathLike) -> Sampler:
    """Return the sampler of a grammar that ``sampler.grammar.save`` wrote.

    It gives the same bytes as the sampler that was induced. An endpoint is asked, and a model is
    fetched, that the file names only within :func:`grammar.allowing`.

    Parameters
    ----------
    path : str or path
        A grammar of any method; or any grammar of sentences, sampled as by the defaults of the
        method ``grammar``.

    Raises
    ------
    UnreadableInputError
        If the file cannot be read.
    SchemaError
        If it holds something else, or is damaged.
    OptionError
        If the options that it holds are none of its method.
    CorpusError
        If its examples have targets, which need an executor: use the ``load`` of the method.

    Examples
    --------
    >>> import tempfile
    >>> from induction import Corpus
    >>> from sampling import WordDrop
    >>> induced = WordDrop.induce(Corpus.from_columns(text=["a b c", "d e"]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     induced.grammar.save(f"{folder}/edits.arrow")
    ...     opened = open_sampler(f"{folder}/edits.arrow")
    >>> opened
    WordDrop(WordGrammar(worddrop: 2 texts that can be edited, 0 classes of words, 5 rules))
    >>> opened.sample(3).table == induced.sample(3).table
    True
    """
    grammar = open_grammar(path)
    method = method_of(grammar)
    if method not in METHODS:
        raise SchemaError(
            f"a grammar of the family {grammar.family!r} is of no method of augmentation",
            where=str(path),
            hint=f"save that of a sampler, with grammar.save; there are {', '.join(METHODS)}",
        )
    kind = METHODS[method].sampler
    with located(str(path)), files_say():
        sampler: Sampler = kind.opened(grammar)
    return sampler


def examples_piece(unit: Unit) -> Piece:
    """Write the examples of a stretch of a stream: a unit of :meth:`Sampler.pieces`."""
    sampler = opened(unit.given[0], open_sampler)
    table = sampler.examples(unit.rows, unit.part["seed"], unit.numbers)
    return write_piece(table.combine_chunks(), unit.out, unit.part["lines"])
