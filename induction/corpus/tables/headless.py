"""Tables whose first line is a row like the others, as many files of the field are: no names."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from grammar.errors import OptionError
from grammar.messages import tell
from induction.corpus.column_names import LABEL_NAMES, LONG, PAIR_NAMES, TEXT_NAMES, is_longest

__all__ = ["LOOKED_AT", "is_row", "names_of_rows"]

Records = Sequence[Sequence[str]]

_USUAL = {
    "id", "tree", "tokens", "tags", "target", "text_pair",
    *(name for group in (*TEXT_NAMES, *LABEL_NAMES, *PAIR_NAMES) for name in group),
}  # fmt: skip
LOOKED_AT = 1_000
"""So many rows say whether the first is one."""
_LONGEST_NAME = 6
_MOST_CLASSES = 1_000
_PAIR = 2
_LETTERS_OF_CLASSES = 2
"""Numbers of classes have no more digits, on average."""
_ARE_IDS = 20
"""So many values, no two of them alike, are no classes."""
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:,\d+)*")
_ENDS = frozenset(".!?…")
_NOTHING = frozenset({"na", "nan", "none", "null", "nil", "missing", "inf"})
_BEGINS_WITH_DIGITS = re.compile(r"[+-]?\d+(?:[\W_].*|\Z)", re.DOTALL)


def is_row(records: Records, named: Collection[str] = ()) -> bool:
    """Say whether the first record of a table is a row, for sure, and no names of columns.

    Such a row has a number in a column of numbers, a sentence, or a value that its column has
    again.

    Parameters
    ----------
    records : sequence of sequence of str
        The first ones of the file.
    named : collection of str
        Names that a person gave: who names a column of the first line has seen names there.

    Examples
    --------
    >>> is_row([["3", "Stocks fall"], ["4", "Stocks rise"]])
    True
    >>> is_row([["stars", "note"], ["4", "Stocks rise"]])
    False
    """
    if not records or not records[0]:
        return False
    first = [cell.strip() for cell in records[0]]
    if any(_plain(cell) in _USUAL or cell in named for cell in first):
        return False
    below = [row for row in records[1:LOOKED_AT] if len(row) == len(first)]
    columns = [[row[at].strip() for row in below] for at in range(len(first))]
    if any(map(_is_name_of_numbers, first, columns)):
        return False
    if any(len(cell.split()) > _LONGEST_NAME for cell in first):
        return True
    if len(first) == 1:
        return False
    return all(len(cell.split()) >= LONG for cell in first) or any(
        _is_sentence(cell)
        or (_NUMBER.fullmatch(cell) and below and all(map(_is_number, column)))
        or (cell and cell in column)
        for cell, column in zip(first, columns, strict=True)
    )


def _plain(name: str) -> str:
    return name.casefold().replace(" ", "_").replace("-", "_")


def _is_sentence(cell: str) -> bool:
    """Say whether a cell has the words and the end of a sentence.

    >>> _is_sentence('He said "so it is."'), _is_sentence("No. of stars")
    (True, False)
    """
    return len(cell.split()) >= LONG and cell.rstrip("\"')]”’ ")[-1:] in _ENDS


def _is_name_of_numbers(cell: str, below: Sequence[str]) -> bool:
    """Say whether a word stands above dates, times or other numbers alone.

    >>> _is_name_of_numbers("Timestamp", ["2024/05/01 10:11", "2024/05/02 9:30"])
    True
    >>> _is_name_of_numbers("na", ["1", "2"]), _is_name_of_numbers("gj04", ["1", "2"])
    (False, False)
    """
    is_word = cell.isalpha() and cell.casefold() not in _NOTHING
    return is_word and len(below) > 1 and all(map(_BEGINS_WITH_DIGITS.match, below))


def _is_number(cell: str) -> bool:
    return not cell or _NUMBER.fullmatch(cell) is not None


@dataclass(frozen=True)
class _Column:
    """What its cells say of a column: how many words they have, and how many differ."""

    words: float
    letters: float
    kinds: int
    rows: int
    is_of_digits: bool

    @property
    def is_text(self) -> bool:
        return self.words >= LONG

    @property
    def may_be_classes(self) -> bool:
        """Whether values come again often enough to be classes."""
        some = 1 < self.kinds <= min(_MOST_CLASSES, (self.rows + 1) // 2)
        return not self.is_text and some

    @property
    def may_be_digits_of_classes(self) -> bool:
        """Whether values of one sign come again at all: enough in few rows, if no other do."""
        return not self.is_text and self.letters <= 1 < self.kinds < self.rows < _ARE_IDS

    @property
    def are_numbers_of_rows(self) -> bool:
        return self.is_of_digits and self.tells_rows_apart and self.letters > _LETTERS_OF_CLASSES

    @property
    def tells_rows_apart(self) -> bool:
        return not self.is_text and self.kinds == self.rows


def names_of_rows(records: Records, path: str, sign: str) -> list[str]:
    """Return names for the columns of a table without names; it is told what is read as what.

    Raises
    ------
    OptionError
        If values do not say which column holds the texts and which the classes. The hint has a
        line of names that fits.

    Examples
    --------
    >>> from grammar.messages import heard_by
    >>> rows = [["ham", "see you there"], ["spam", "win a prize"], ["ham", "so do I"]]
    >>> with heard_by(print):
    ...     names_of_rows(rows, "a.tsv", chr(9))
    a.tsv has no line of names: text is read from column 2, label from column 1
    ['label', 'text']
    """
    width = len(records[0])
    whole = [row for row in records if len(row) == width]
    columns = [_column([row[at] for row in whole]) for at in range(width)]
    texts = [at for at, one in enumerate(columns) if one.is_text]
    longest = is_longest([columns[at].words for at in texts])
    text = None if longest is None else texts[longest]
    may_be = [at for at, one in enumerate(columns) if one.may_be_classes] or [
        at for at, one in enumerate(columns) if one.may_be_digits_of_classes
    ]
    classes = _numbered(columns, whole, may_be, text)
    others = [one for at, one in enumerate(columns) if at != text and not one.is_text]
    alone = not classes and all(one.tells_rows_apart or one.kinds == 1 for one in others)
    alone = alone and (len(whole) >= _ARE_IDS or width == 1)
    names = [f"column{at}" for at in range(1, width + 1)]
    if text is not None and (len(classes) == 1 or alone):
        names[text] = "text"
        told = f"text is read from column {text + 1}"
        if classes:
            names[classes[0]] = "label"
            told += f", label from column {classes[0] + 1}"
        tell(f"{path} has no line of names: {told}")
        return names
    raise _refused(records[0], _proposed(columns, names, texts, classes), path, sign)


def _numbered(
    columns: Sequence[_Column], rows: Records, classes: Sequence[int], text: int | None
) -> Sequence[int]:
    """Return the only columns of small whole numbers among those that may hold the classes.

    CoLA has one before the text, beside the source of a sentence and a mark; LIAR has counts behind
    it.
    """
    numbers = [at for at in classes if all(row[at].strip().isdigit() for row in rows)]
    few = [at for at in numbers if columns[at].letters <= 1]
    is_alone = len(few) == 1 == len(numbers)
    return few if is_alone and (text is None or few[0] < text) else classes


def _column(cells: Sequence[str]) -> _Column:
    words = sum(len(cell.split()) for cell in cells) / len(cells)
    letters = sum(map(len, cells)) / len(cells)
    digits = all(cell.strip().isdigit() for cell in cells)
    return _Column(words, letters, len(set(cells)), len(cells), digits)


def _proposed(
    columns: Sequence[_Column], names: list[str], texts: Sequence[int], classes: Sequence[int]
) -> list[str]:
    """Return names that a person may begin with: of the longest column, and of a short one."""
    text = max(texts or range(len(columns)), key=lambda at: columns[at].words)
    short = [at for at in classes or range(len(columns)) if at != text and at not in texts]
    if len(texts) == len(columns) == _PAIR:
        return ["text", "text_pair"]
    if not classes and len(texts) == _PAIR:  # sentences and their meanings, as COGS has them
        names[texts[0]], names[texts[1]] = "text", "target"
        return names
    names[text] = "text"
    if short:
        chosen = min(short, key=lambda at: _unlike_classes(columns[at]))
        names[chosen] = "id" if columns[chosen].are_numbers_of_rows else "label"
    return names


def _unlike_classes(column: _Column) -> tuple[bool, bool, int, float]:
    """Order columns: those of one value come last, and before them numbers of several digits."""
    is_count = column.is_of_digits and column.letters > 1
    return column.kinds == 1, is_count, column.kinds, column.letters


def _refused(first: Sequence[str], names: Sequence[str], path: str, sign: str) -> OptionError:
    value = max(first, key=len) if len(first) == 1 else next(filter(None, first), "")
    parts = "tabs" if sign == "\t" else repr(sign)
    between = "" if sign == "," or len(names) == 1 else f" (with {parts} for commas)"
    return OptionError(
        f"the first line seems to be no line of names, but a row: {value!r:.60}",
        where=path,
        hint=f"put a line of names above it, such as {','.join(names)}{between}; in Python "
        f"names={list(names)!r}",
    )
