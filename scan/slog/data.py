"""SLOG: COGS with relative clauses, questions, and 17 kinds of structures to generalise to.

References
----------
Li, Donatelli, Koller, Linzen, Yao & Kim (2023), *SLOG: a structural generalization benchmark for
semantic parsing*, EMNLP.
"""

from __future__ import annotations

from grammar.errors import OptionError
from grammar.files import PathLike
from induction.corpus.corpus import Corpus
from induction.corpus.sources import data_file
from scan.cogs.data import read_tabbed

__all__ = ["PARTS", "read_slog", "slog"]

PARTS = ("train", "dev")


def slog(part: str) -> Corpus:
    """Return a published part of SLOG, with variable-free logical forms.

    Parameters
    ----------
    part : {"train", "dev"}
        32,755 and 4,046 sentences. The generalisation set is not looked for: give its file to
        :func:`read_slog`.

    Returns
    -------
    Corpus
        Columns ``id`` (the part and the line), ``text``, ``target`` and ``category``.

    Raises
    ------
    OptionError
        If there is no such part.
    MissingDataError
        If the files are not below ``TREEWRIGHT_DATA``.
    CorpusError
        If a line is malformed (see :func:`read_slog`).
    """
    if part not in PARTS:
        raise OptionError(
            f"SLOG has no part {part!r} here",
            hint=f"choose from {', '.join(PARTS)}, or give a file of lines with tabs",
        )
    corpus = read_slog(data_file(f"slog/{part}.tsv.gz"))
    return corpus.with_column("id", [f"{part}-{line}" for line in corpus.column("id")])


def read_slog(path: PathLike) -> Corpus:
    """Read a file of lines ``sentence TAB logical form TAB kind`` (``.gz`` is unzipped).

    Returns
    -------
    Corpus
        Columns ``id`` (the line, from 1), ``text``, ``target`` and ``category``. Blank lines are
        passed over.

    Raises
    ------
    UnreadableInputError
        If the file cannot be read.
    CorpusError
        If the file has no lines, or one has not three columns.
    """
    return read_tabbed(path, "SLOG", "kind")
