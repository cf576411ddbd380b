"""Files of pairs at the command line: ``IN: ... OUT: ...`` lines, or a corpus with targets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from induction.corpus.corpus import Corpus

__all__ = [
    "PairsFile",
    "check_pair_output",
    "read_pair_file",
    "write_pair_file",
    "write_pair_tables",
]


PairsFile = Annotated[str, typer.Argument(help="Pairs: 'IN: ... OUT: ...' lines, or a corpus.")]


def read_pair_file(
    path: str, *, format: str | None = None, text: str | None = None, on_error: str = "stop"
) -> Corpus:
    """Read pairs: lines if the name ends in ``.txt`` or is ``-``, else any format of corpora.

    Parameters
    ----------
    path : str
        The file.
    format, text, on_error : str, optional
        As :func:`~induction.corpus.formats.read_corpus` takes them; pairs with an empty side are
        left out, too.

    Raises
    ------
    UnreadableInputError, CorpusError
        If the file cannot be read, a line is no pair, or there is no column ``target``.
    """
    from grammar.errors import located
    from induction.corpus.formats import read_corpus
    from induction.corpus.inputs.skipping import without_faults
    from induction.corpus.pairs import check_pairs

    is_lines = path == "-" or Path(path.removesuffix(".gz")).suffix in (".txt", "")
    known = format or ("scan" if is_lines else None)
    corpus = read_corpus(path, format=known, text=text, on_error=on_error)
    with located(path):
        corpus.arrow("target")
        return without_faults(corpus, check_pairs) if on_error == "skip" else corpus


def write_pair_file(pairs: Corpus, path: str) -> None:
    """Write pairs, as lines if the name ends in ``.txt``."""
    write_pair_tables([pairs.table], path)


def write_pair_tables(tables: Iterable[pa.Table], path: str) -> int:
    """Write tables of pairs one after the other; return the number of pairs."""
    from induction.corpus.formats import write_batches

    return write_batches(tables, path, format=_format(path))


def check_pair_output(path: str) -> None:
    """Refuse a name that tells no format."""
    from induction.corpus.formats import check_output

    check_output(path, format=_format(path))


def _format(path: str) -> str | None:
    return "scan" if Path(path).suffix == ".txt" else None
