"""ATIS: questions to an airline's information system, with logical forms.

References
----------
- Dahl et al. (1994), *Expanding the scope of the ATIS task: the ATIS-3 corpus*, HLT: the questions.
- Zettlemoyer & Collins (2007), *Online learning of relaxed CCG grammars for parsing to logical
  form*, EMNLP-CoNLL: the logical forms.
- Finegan-Dollak et al. (2018), *Improving text-to-SQL evaluation methodology*, ACL: the file.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from grammar.errors import CorpusError
from grammar.files import PathLike, read_text
from induction.corpus.corpus import Corpus
from induction.corpus.sources import data_file

__all__ = ["FOLDS", "atis", "fold", "read_atis", "read_lines"]

FOLDS = 5
"""Parts for cross-validation."""


def atis() -> Corpus:
    """Return the questions that are below ``TREEWRIGHT_DATA``, see :func:`read_atis`.

    Raises
    ------
    MissingDataError
        If the file is not there.
    CorpusError
        If a line is malformed.
    """
    return read_atis(data_file("atis/atis-logic.txt.gz"))


def read_atis(path: PathLike) -> Corpus:
    """Read a file of lines ``question ||| logical form`` (``.gz`` is unzipped).

    Some published forms lack brackets at their ends: these are added. Otherwise a form is left as
    it is.

    Returns
    -------
    Corpus
        Columns ``id`` (the line, from 1), ``text`` and ``target``. Blank lines are passed over.

    Raises
    ------
    UnreadableInputError
        If the file cannot be read.
    CorpusError
        If the file has no lines, or one has not two sides or more closing brackets than opening
        ones.
    """
    return read_lines(
        path,
        _sides,
        wrong="not a line of ATIS",
        hint="write a question and a logical form with ' ||| ' between them",
    )


def _sides(line: str) -> tuple[str, str] | None:
    sides = [" ".join(side.split()) for side in line.split("|||")]
    missing = sides[-1].split().count("(") - sides[-1].split().count(")")
    if len(sides) != 2 or not all(sides) or missing < 0:
        return None
    return sides[0], sides[1] + " )" * missing


def read_lines(
    path: PathLike, read: Callable[[str], tuple[str, str] | None], *, wrong: str, hint: str
) -> Corpus:
    """Read a file of questions with targets, one a line; blank lines are passed over.

    Parameters
    ----------
    path : path
        Of the file; ``.gz`` is unzipped.
    read : callable
        Returns the text and the target of a line; None if it is none.
    wrong, hint : str
        What a line that is none is called, and what to write.

    Returns
    -------
    Corpus
        Columns ``id`` (the line, from 1), ``text`` and ``target``.

    Raises
    ------
    UnreadableInputError
        If the file cannot be read.
    CorpusError
        If the file has no lines, or one is none.
    """
    rows = []
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        sides = read(line)
        if sides is None:
            raise CorpusError(f"{wrong}: {line[:60]!r}", where=f"{path}:{number}", hint=hint)
        rows.append((str(number), *sides))
    if not rows:
        raise CorpusError("the file has no lines", where=str(path), hint="check the path")
    ids, texts, targets = zip(*rows, strict=True)
    return Corpus.from_columns(id=ids, text=texts, target=targets)


def fold(corpus: Corpus, number: int) -> tuple[Corpus, Corpus]:
    """Return the training and the test part of a fold: every fifth question is tested.

    >>> questions = Corpus.from_columns(text=list("abcdefg"), target=list("ABCDEFG"))
    >>> [part.column("text") for part in fold(questions, 1)]
    [['a', 'c', 'd', 'e', 'f'], ['b', 'g']]
    """
    tested = [row % FOLDS == number for row in range(len(corpus))]
    kept = [not asked for asked in tested]
    train, test = (Corpus(corpus.table.filter(pa.array(rows))) for rows in (kept, tested))
    return train, test
