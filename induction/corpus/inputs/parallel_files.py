"""Texts in one file and their classes in another, or a file a class, a text a line.

``train_text.txt`` stands beside ``train_labels.txt``, and ``mapping.txt`` names the numbers
(TweetEval); ``rt-polarity.pos`` stands beside ``rt-polarity.neg`` (Pang & Lee).

References
----------
Barbieri et al. 2020, TweetEval, https://github.com/cardiffnlp/tweeteval. Pang & Lee 2005.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from glob import escape
from pathlib import Path

import pyarrow as pa

from grammar.errors import CorpusError
from grammar.files import other_encoding, read_text
from grammar.messages import tell
from grammar.storage.location import is_url
from induction.corpus.rows import Asked, Rows

__all__ = ["rows_of_file_beside", "rows_of_parallel_files", "rows_of_translations"]

_TEXTS = re.compile(r"(.*_|)texts?\.txt")
_POLARITIES = (".neg", ".pos")
_NAMES = "mapping.txt"
_CODES = (
    "af am ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl gu ha he hi hr hu hy "
    "id is it ja ka kk km kn ko lo lt lv mk ml mn mr ms my ne nl no pl ps pt ro ru si sk sl so sq "
    "sr sv sw ta te th tl tr uk ur uz vi xh yo zh zu"
)
_LANGUAGES = frozenset(_CODES.split())
"""Codes of ISO 639-1, as names of files of parallel texts have them."""


def rows_of_parallel_files(asked: Asked) -> Rows | None:
    """Return the texts and classes of a folder of such files; None of another folder. It is told.

    Of several parts the one for training is read.

    Raises
    ------
    CorpusError
        If files differ in their number of lines, or several parts are none for training.
    UnreadableInputError
        If a file cannot be read, or is not UTF-8.
    """
    if is_url(asked.path):
        return None
    root = Path(asked.path)
    parts = {file: beside for file in sorted(root.glob("*.txt")) if (beside := _labels_of(file))}
    if parts:
        training = [file for file in parts if file.name.startswith("train")]
        if len(parts) > 1 and len(training) != 1:
            raise CorpusError(
                f"the folder holds several parts: {', '.join(file.name for file in parts)}",
                where=asked.path,
                hint=f"name one of them, such as {next(iter(parts))}",
            )
        chosen = training[0] if training else next(iter(parts))
        others = [file.name for file in parts if file != chosen]
        rest = f"; not of {', '.join(others)}, which may be named" if others else ""
        return _of_two(chosen, parts[chosen], asked, rest)
    both = {file.suffix: file for file in root.iterdir() if file.suffix in _POLARITIES}
    if len(both) == len(_POLARITIES) and len({file.stem for file in both.values()}) == 1:
        return _of_polarities(both, asked)
    return None


def rows_of_file_beside(asked: Asked) -> Rows | None:
    """Return the texts of a file with the classes that stand in a file beside it, if one does.

    Raises
    ------
    CorpusError, UnreadableInputError
        As :func:`rows_of_parallel_files`.
    """
    if is_url(asked.path):
        return None
    beside = _labels_of(Path(asked.path))
    return None if beside is None else _of_two(Path(asked.path), beside, asked, "")


def rows_of_translations(asked: Asked) -> Rows | None:
    """Return the lines of a file with those of the file beside it that is its translation.

    Both have the name of a language behind one stem (``corpus.en``, ``corpus.de``), as Moses has
    them, and as many lines. It is told.

    Raises
    ------
    CorpusError
        If there are several such files.
    UnreadableInputError
        If one cannot be read, or is not UTF-8.
    """
    if is_url(asked.path) or (file := Path(asked.path)).suffix[1:] not in _LANGUAGES:
        return None
    beside = [
        one
        for one in sorted(file.parent.glob(f"{escape(file.stem)}.??"))
        if one.suffix[1:] in _LANGUAGES and one.name != file.name
    ]
    lines = _lines(file, asked) if beside and file.is_file() else []
    others = {one: own for one in beside if len(own := _lines(one, asked)) == len(lines)}
    if not lines or not others:
        return None
    if len(others) > 1:
        raise CorpusError(
            f"several files beside it may be its translation: {', '.join(o.name for o in others)}",
            where=asked.path,
            hint="write a source and its target a line as .tsv, under the names text and target",
        )
    ((target, own),) = others.items()
    tell(f"each line of {file} is a text, and that of {target.name} its target")
    table = pa.table({"text": lines, "target": own})
    return Rows(table, lambda row: f"{os.fspath(file)}:{row + 1}", untyped=True)


def _labels_of(file: Path) -> Path | None:
    """Return the file of the classes of a file of texts, if it is one and there is one."""
    match = _TEXTS.fullmatch(file.name)
    names = (f"{match[1]}{kind}.txt" for kind in ("labels", "label")) if match else ()
    return next((file.with_name(name) for name in names if file.with_name(name).is_file()), None)


def _lines(file: Path, asked: Asked) -> list[str]:
    # not splitlines: it would break lines at characters such as U+2028 too
    with other_encoding(asked.encoding):
        text = read_text(file).replace("\r\n", "\n").removesuffix("\n")
    return text.split("\n") if text else []


def _of_two(texts: Path, labels: Path, asked: Asked, rest: str) -> Rows:
    lines, classes = _lines(texts, asked), [one.strip() for one in _lines(labels, asked)]
    if len(lines) != len(classes):
        raise CorpusError(
            f"{texts.name} has {len(lines):,} lines, and {labels.name} has {len(classes):,}",
            where=asked.path,
            hint="give a line in both for each text; --format text reads a file of texts alone",
        )
    mapping = texts.with_name(_NAMES)
    names = _names(_lines(mapping, asked)) if mapping.is_file() else {}
    told = f", named as {_NAMES} says" if names else ""
    tell(f"the texts of {texts} have the classes of {labels.name}{told}{rest}")
    table = pa.table({"text": lines, "label": [names.get(one, one) for one in classes]})
    return Rows(table, lambda row: f"{os.fspath(texts)}:{row + 1}", untyped=True)


def _names(lines: list[str]) -> Mapping[str, str]:
    """Return what numbers of classes are called, a number and a name a line.

    >>> _names(["0\\tanger", "1\\tjoy"])
    {'0': 'anger', '1': 'joy'}
    """
    pairs = [line.split(maxsplit=1) for line in lines if line.strip()]
    return {one[0]: one[1].strip() for one in pairs if len(one) == 2}


def _of_polarities(both: Mapping[str, Path], asked: Asked) -> Rows:
    rows = [
        (line, suffix[1:], f"{both[suffix]}:{number}")
        for suffix in _POLARITIES
        for number, line in enumerate(_lines(both[suffix], asked), start=1)
    ]
    tell(
        f"each line of {both['.pos'].name} and {both['.neg'].name} is a text, and pos, neg classes"
    )
    table = pa.table({"text": [row[0] for row in rows], "label": [row[1] for row in rows]})
    return Rows(table, lambda row: rows[row][2])
