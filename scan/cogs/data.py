"""COGS: sentences of a small English grammar, their logical forms, and 21 kinds of generalisation.

References
----------
Kim & Linzen (2020), *COGS: a compositional generalization challenge based on semantic
interpretation*, EMNLP.
"""

from __future__ import annotations

from grammar.errors import CorpusError, OptionError
from grammar.files import PathLike, read_text
from induction.corpus.corpus import Corpus
from induction.corpus.sources import data_file

__all__ = ["CATEGORIES", "LEXICAL", "PARTS", "STRUCTURAL", "cogs", "read_cogs", "read_tabbed"]

PARTS = ("train", "dev", "test", "gen")

STRUCTURAL: tuple[str, ...] = ("cp_recursion", "pp_recursion", "obj_pp_to_subj_pp")
"""Categories of ``gen`` that need known words in structures that were never seen."""

LEXICAL: tuple[str, ...] = (
    "subj_to_obj_common",
    "subj_to_obj_proper",
    "obj_to_subj_common",
    "obj_to_subj_proper",
    "prim_to_subj_common",
    "prim_to_subj_proper",
    "prim_to_obj_common",
    "prim_to_obj_proper",
    "prim_to_inf_arg",
    "active_to_passive",
    "passive_to_active",
    "obj_omitted_transitive_to_transitive",
    "unacc_to_transitive",
    "do_dative_to_pp_dative",
    "pp_dative_to_do_dative",
    "only_seen_as_transitive_subj_as_unacc_subj",
    "only_seen_as_unacc_subj_as_obj_omitted_transitive_subj",
    "only_seen_as_unacc_subj_as_unerg_subj",
)
"""Categories of ``gen`` that need a word in a known structure in which it was never seen."""

CATEGORIES: tuple[str, ...] = LEXICAL + STRUCTURAL
"""The 21 categories of ``gen``, 1,000 sentences each."""

_TRAINING = (
    "in_distribution",
    "primitive",
    *(
        f"exposure_example_{kind}"
        for kind in (
            "active",
            "do_dative",
            "obj_common",
            "obj_omitted_transitive",
            "obj_proper",
            "passive",
            "pp_dative",
            "subj_common",
            "subj_proper",
            "transitive_subj",
            "unacc",
            "unacc_subj",
        )
    ),
)


def cogs(part: str) -> Corpus:
    """Return a published part of COGS.

    Parameters
    ----------
    part : {"train", "dev", "test", "gen"}
        24,155, 3,000, 3,000 and 21,000 sentences.

    Returns
    -------
    Corpus
        Columns ``id`` (the part and the line), ``text``, ``target`` (the original logical form)
        and ``category``.

    Raises
    ------
    OptionError
        If there is no such part.
    MissingDataError
        If the files are not below ``TREEWRIGHT_DATA``.
    CorpusError
        If a line is malformed (see :func:`read_cogs`).
    """
    if part not in PARTS:
        raise OptionError(f"COGS has no part {part!r}", hint=f"choose from {', '.join(PARTS)}")
    corpus = read_cogs(data_file(f"cogs/{part}.tsv.gz"))
    return corpus.with_column("id", [f"{part}-{line}" for line in corpus.column("id")])


def read_cogs(path: PathLike) -> Corpus:
    """Read a file of lines ``sentence TAB logical form TAB category`` (``.gz`` is unzipped).

    Parameters
    ----------
    path : path or "-"
        ``-`` is standard input. Blank lines are passed over.

    Returns
    -------
    Corpus
        Columns ``id`` (the line, from 1), ``text``, ``target`` and ``category``.

    Raises
    ------
    UnreadableInputError
        If the file cannot be read.
    CorpusError
        If the file has no lines, or one has not three columns or an unknown category.
    """
    corpus = read_tabbed(path, "COGS", "category")
    known = {*CATEGORIES, *_TRAINING}
    for number, category in zip(corpus.column("id"), corpus.column("category"), strict=True):
        if category not in known:
            raise CorpusError(
                f"unknown category {category!r}",
                where=f"{path}:{number}",
                hint=f"categories are {', '.join((*_TRAINING, *CATEGORIES))}",
            )
    return corpus


def read_tabbed(path: PathLike, benchmark: str, third: str) -> Corpus:
    """Read lines of a sentence, its logical form and a third column, with tabs between them.

    Parameters
    ----------
    path : path or "-"
        Blank lines are passed over; ``.gz`` is unzipped.
    benchmark, third : str
        What messages call the lines, and the third column.

    Returns
    -------
    Corpus
        Columns ``id`` (the line, from 1), ``text``, ``target`` and ``category``.

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
                f"not a line of {benchmark}: {line[:60]!r}",
                where=f"{path}:{number}",
                hint=f"write sentence, logical form and {third} with tabs between them",
            )
        rows.append((str(number), *columns))
    if not rows:
        raise CorpusError("the file has no lines", where=str(path), hint="check the path")
    names = ("id", "text", "target", "category")
    return Corpus.from_columns(**dict(zip(names, zip(*rows, strict=True), strict=True)))
