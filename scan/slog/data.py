"""SLOG: COGS with relative clauses, questions, and 17 kinds of structures to generalise to.

References
----------
Li, Donatelli, Koller, Linzen, Yao & Kim (2023), *SLOG: a structural generalization benchmark for
semantic parsing*, EMNLP.
"""

from __future__ import annotations

from grammar.errors import CorpusError, OptionError
from grammar.files import PathLike, read_text
from induction.corpus.corpus import Corpus
from induction.corpus.sources import data_file

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
    rows: list[tuple[str, ...]] = []
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        columns = tuple(column.strip() for column in line.split("\t"))
        if len(columns) != 3 or not all(columns):
            raise CorpusError(
                f"not a line of SLOG: {line[:60]!r}",
                where=f"{path}:{number}",
                hint="write sentence, logical form and kind with tabs between them",
            )
        rows.append((str(number), *columns))
    if not rows:
        raise CorpusError("the file has no lines", where=str(path), hint="check the path")
    names = ("id", "text", "target", "category")
    return Corpus.from_columns(**dict(zip(names, zip(*rows, strict=True), strict=True)))
