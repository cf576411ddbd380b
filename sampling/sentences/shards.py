"""Sentences drawn by workers: a part of a stream is a function of the grammar, the seed and i."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from grammar.engines.engine import Engine
from grammar.engines.units import Kept, Unit, opened
from grammar.opening import open_grammar
from grammar.pcfg.derivable import Derivable
from induction.corpus.pieces import Piece, write_piece
from sampling.sentences.sentences import sentence_batches, sentence_tables

__all__ = ["kept_grammar", "sentence_pieces"]

_A_UNIT = 16_384
_DRAW = "sampling.sentences.shards:drawn_piece"


def kept_grammar(grammar: Any, engine: Engine) -> Kept:
    """Save a grammar for workers: losslessly, whatever file it came from."""
    return engine.keep(grammar.save, grammar.codec.suffixes[0])


def sentence_pieces(
    grammar: Derivable,
    n: int,
    engine: Engine,
    *,
    lines: str | None = None,
    start: int = 0,
    **how: Any,
) -> Iterator[Piece]:
    """Let workers draw the sentences of :func:`~sampling.sentences.sentences.sentence_batches`.

    Parameters
    ----------
    grammar : Derivable
        What is drawn from.
    n, start : int
        Sentences ``start`` to ``start + n - 1``.
    engine : Engine
        Who draws.
    lines : str, optional
        A format of lines, if pieces are to be in one; else they are Arrow files.
    **how
        The options of :func:`~sampling.sentences.sentences.sentence_tables`.

    Raises
    ------
    NotTightError, LengthBandError, OptionError
        As ``sentence_batches``, before any are drawn.
    """
    # before any worker is told, what is asked for is checked here
    first = pa.concat_tables(sentence_batches(grammar, 0, start=start + n, **how))
    if not n:
        return iter([write_piece(first, engine.new_file(), lines)])
    kept, stop = kept_grammar(grammar, engine), start + n
    part = {"lines": lines, **how}
    return engine.map(
        Unit(_DRAW, (kept,), part, at, min(_A_UNIT, stop - at), out=engine.new_file())
        for at in range(start, stop, _A_UNIT)
    )


def drawn_piece(unit: Unit) -> Piece:
    """Do a unit of :func:`sentence_pieces`."""
    how = dict(unit.part)
    lines = how.pop("lines")
    table = _tables(unit.given[0], **how)(unit.first, unit.count)
    return write_piece(table, unit.out, lines)


@functools.lru_cache(maxsize=4)
def _tables(kept: Kept, **how: Any) -> Callable[[int, int], pa.Table]:
    return sentence_tables(opened(kept, open_grammar), **how)
