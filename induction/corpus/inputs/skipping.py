"""Rows that cannot be used, left out with the reason instead of an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.errors import CorpusError
from grammar.messages import heard_by
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.corpus.inputs.columns import corpus_of_rows, renamed
from induction.corpus.rows import Asked, Rows, Skipped
from induction.corpus.tables.kinds import plain_table
from induction.corpus.validity import faults_of

__all__ = ["sound_corpus", "without_faults"]


def sound_corpus(rows: Rows, asked: Asked) -> Corpus:
    """Return the rows that can be read; those that cannot are in ``skipped``.

    Raises
    ------
    CorpusError, OptionError
        If the columns are at fault, or no row can be used.
    """
    rows = replace(rows, table=plain_table(rows.table, asked.path))
    if rows.skipped and not rows.table.num_rows:
        raise _nothing_left(rows.skipped[0].why, rows.skipped[0].where)
    corpus_of_rows(replace(rows, table=rows.table.slice(0, 0)), asked)  # it tells what is read

    def check(first: int, stop: int) -> None:
        with heard_by(lambda message: None):
            # copied: Arrow casts what lies around the lists of a slice, too
            table = rows.table.take(pa.array(np.arange(first, stop)))
            part = replace(rows, table=table)
            _refuse_absent(corpus_of_rows(part, asked))

    found = faults_of(check, 0, rows.table.num_rows)
    found |= _bad_ids(rows.table, asked, found)
    kept = np.setdiff1d(np.arange(rows.table.num_rows), sorted(found))
    if found and not len(kept):
        first = min(found)
        raise _nothing_left(found[first], rows.where(first))
    with heard_by(lambda message: None):
        part = Rows(
            rows.table.take(pa.array(kept)), lambda row: rows.where(kept[row]), rows.untyped
        )
        corpus = corpus_of_rows(part, asked)
        if "id" not in renamed(part.table, asked).column_names:
            # by the place among all rows, so that whoever reads them all finds the same ones
            corpus = corpus.with_column("id", [str(row) for row in kept])
    skipped = (*rows.skipped, *_skipped(rows.table, found, rows.where))
    return replace(corpus, places=part.where, skipped=skipped)


def _nothing_left(why: str, where: str) -> CorpusError:
    return CorpusError(
        f"no row can be used: {why}",
        where=where,
        hint="leave --on-error skip out to see how to correct it",
    )


def without_faults(corpus: Corpus, check: Callable[[Corpus], object]) -> Corpus:
    """Return a corpus without the rows that a check refuses; these are added to ``skipped``."""

    def check_part(first: int, stop: int) -> None:
        check(Corpus(corpus.table.slice(first, stop - first)))

    found = faults_of(check_part, 0, len(corpus))
    if not found:
        return corpus
    kept = [row for row in range(len(corpus)) if row not in found]
    if not kept:
        check(corpus)
    places = corpus.places
    return Corpus(
        corpus.table.take(pa.array(kept, pa.int64())),
        None if places is None else lambda row: places(kept[row]),
        (*corpus.skipped, *_skipped(corpus.table, found, corpus.where)),
    )


def _refuse_absent(corpus: Corpus) -> None:
    """Refuse texts that are missing or empty, labels that are missing, and malformed trees."""
    texts = corpus.arrow("text")
    blank = pc.fill_null(pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(texts)), 0), True)
    if pc.any(blank).as_py():
        raise CorpusError("the text is missing or empty")
    if "label" in corpus.names:
        label = corpus.arrow("label")
        empty = pc.equal(label, "") if pa.types.is_string(label.type) else pa.scalar(False)
        if pc.any(pc.or_(label.is_null(), pc.fill_null(empty, True))).as_py():
            raise CorpusError("the label is missing")
    for name in ("tree", "tree_pair"):
        if name in corpus.names:
            trees = corpus.column(name)
            if not all(tree and not tree.isspace() for tree in trees):
                raise CorpusError(f"the value of {name!r} is missing")
            if len(Treebank.parse("\n".join(trees))) != len(trees):
                raise CorpusError(f"the value of {name!r} is not one tree")


def _bad_ids(table: pa.Table, asked: Asked, found: dict[int, str]) -> dict[int, str]:
    """Return the rows whose id is there twice among the others."""
    name = next((old for old, new in asked.rename.items() if new == "id"), "id")
    if name not in table.column_names:
        return {}
    first: set[object] = set()
    bad = {}
    for row, value in enumerate(table.column(name).to_pylist()):
        if row in found:
            continue
        if value in first:
            bad[row] = f"the id {value!r} is there twice"
        first.add(value)
    return bad


def _skipped(
    table: pa.Table, found: dict[int, str], where: Callable[[int], str]
) -> Sequence[Skipped]:
    held = table.take(pa.array(sorted(found), pa.int64())).to_pylist()
    return [
        Skipped(where(row), found[row], one) for row, one in zip(sorted(found), held, strict=True)
    ]
