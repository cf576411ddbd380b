"""What parts the columns of a file of lines, whatever its name says; and how quotes are written."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections.abc import Iterator, Sequence

from grammar.errors import CorpusError
from grammar.messages import tell
from induction.corpus.column_names import LABEL_NAMES, TEXT_NAMES

__all__ = [
    "SIGNS",
    "beginning",
    "declared_separator",
    "escapes_quotes",
    "quotes_cells",
    "records_of",
    "separator_of",
    "widths",
]

SIGNS = {
    "\t": "tabs", "|": "'|'", ";": "semicolons", "^": "'^'", "~": "'~'", "\x01": "\\x01",
    "\x1f": "\\x1f",
}  # fmt: skip
"""What parts columns where a comma does not, and what it is called."""
_RARE = (" ", ":", "/", "#", "!", "\\", "&", "@", "\xa6", "\xa7")
"""They part columns only where all names that they part are usual ones."""
_SEP = re.compile(r'"?sep=(.)"?\s*')
_USUAL = {"id", *(name for group in (*TEXT_NAMES, *LABEL_NAMES) for name in group)}
_LOOKED_AT = 1_000
_BEGINNING = 1 << 20


def widths(text: str, sign: str, *, quoted: bool = True) -> list[int]:
    r"""Return how many columns the first rows of a text have, if a sign parts them.

    >>> widths('a|b\n"c|d"|e\n', "|"), widths("a|b\n", ";")
    ([2, 2], [1])
    """
    records = records_of(text, sign, quoted=quoted)
    try:
        return [len(row) for row in itertools.islice(records, _LOOKED_AT)]
    except csv.Error:
        return []


def records_of(text: str, sign: str, *, quoted: bool = True) -> Iterator[list[str]]:
    r"""Return the records of a table, without empty lines (raises ``csv.Error``, when it is read).

    >>> list(records_of('a|b\n"c|d"|e\n', "|"))
    [['a', 'b'], ['c|d', 'e']]
    """
    lines = io.StringIO(text, newline="")
    if quoted:
        return filter(None, csv.reader(lines, delimiter=sign))
    return filter(None, csv.reader(lines, delimiter=sign, quoting=csv.QUOTE_NONE))


def quotes_cells(data: bytes, path: str) -> bool:
    r"""Say whether a table with tabs quotes its cells as CSV does: only so are all rows whole.

    It is told, if it does; and if it may.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     quotes_cells(b'text\tlabel\n"a\tb"\t1\n', "a.tsv")
    a.tsv quotes cells as CSV does
    True
    >>> quotes_cells(b'text\tlabel\n"so" it is\t1\n', "a.tsv")
    False
    """
    if b'"' not in data:
        return False
    text = beginning(data)
    if len(set(widths(text, "\t"))) != 1 or _fault(text, "\t", escaped=False) is not None:
        return False
    header = text.lstrip().partition("\n")[0].rstrip().split("\t")
    plain = set(widths(text, "\t", quoted=False))
    if plain != {len(header)} or all(map(_is_quoted, header)):
        tell(f"{path} quotes cells as CSV does")
        return True
    cells = (cell for row in records_of(text, "\t", quoted=False) for cell in row)
    if any(_is_quoted(cell) and '""' in cell[1:-1] for cell in cells):
        tell(
            f"{path} has cells within quotes, which are kept; if it quotes them as CSV does: "
            "--format csv"
        )
    return False


def separator_of(data: bytes, usual: str, path: str, names: Sequence[str] | None = None) -> str:
    r"""Return the sign between columns: the usual one, or another that parts all rows alike.

    What is not the usual one is told.

    Parameters
    ----------
    data : bytes
        Of the file.
    usual : str
        A comma, or a tab.
    path : str
        For messages.
    names : sequence of str, optional
        Of the columns, if the file does not name them.

    Raises
    ------
    CorpusError
        If there is one column by the usual sign, its name holds another sign, and so do all rows,
        but not as often.

    Examples
    --------
    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     separator_of(b"text|label\na film|1\n", ",", "a.csv")
    columns of a.csv are separated by '|'
    '|'
    """
    text = beginning(data)
    first = text.lstrip().partition("\n")[0].rstrip()
    if usual in first:
        return _uniform(text, usual, path, names) or usual
    for sign in _RARE if names is None else ():
        cells = [cell.strip('"').casefold() for cell in first.split(sign)]
        if len(cells) > 1 and _USUAL.issuperset(cells) and set(widths(text, sign)) == {len(cells)}:
            tell(f"columns of {path} are separated by {sign!r}")
            return sign
    if (uniform := _uniform(text, usual, path, names)) is not None:
        return uniform
    there = [sign for sign in SIGNS if sign in first and sign != usual]
    for sign in there:
        if sign * 2 in first:
            raise CorpusError(
                f"its columns seem to be separated by {sign * 2!r}, more than one sign",
                where=path,
                hint="write a single sign between columns, such as a comma",
            )
    if names is None and usual == "," and ";" in there:
        tell(f"columns of {path} are separated by {SIGNS[';']}")
        return ";"  # a row of another width is an error that names it
    rows = [line for line in text.split("\n") if line.strip()][:_LOOKED_AT]
    for sign in there:
        if names is None and len(rows) > 1 and all(sign in row for row in rows):
            raise CorpusError(
                f"the file has one column, {first.strip()!r:.60}, and {SIGNS[sign]} in all rows, "
                "though not in all as many",
                where=path,
                hint="correct the rows, so that all have as many columns, or quote what holds it",
            )
    return usual


def _is_quoted(cell: str) -> bool:
    return len(cell) > 2 and cell[0] == cell[-1] == '"' and '"' not in cell[1:-1].replace('""', "")


def _uniform(text: str, usual: str, path: str, names: Sequence[str] | None) -> str | None:
    """Return a sign that parts all rows alike, where the usual one does not; it is told."""
    found = widths(text, usual)
    if len(set(found)) == 1 and found[0] > 1:
        return None
    first = text.lstrip().partition("\n")[0].rstrip()
    for sign in SIGNS:
        if sign == usual or sign not in first or sign * 2 in first:
            continue
        found = widths(text, sign)
        wanted = len(names) if names else found[0] if found else 0
        if wanted > 1 and set(found) == {wanted}:
            tell(f"columns of {path} are separated by {SIGNS[sign]}")
            return sign
    return None


def declared_separator(data: bytes) -> tuple[bytes, str | None]:
    r"""Return data without a first line that declares what parts columns, as Excel writes it.

    An empty line stands in its place, so that all others keep their numbers.

    >>> declared_separator(b"sep=;\ntext;label\n")
    (b'\ntext;label\n', ';')
    """
    bare = data.removeprefix(codecs.BOM_UTF8)
    first = bare[:80].partition(b"\n")[0]
    match = _SEP.fullmatch(first.decode(errors="replace"))
    if match is None:
        return data, None
    return bare[len(first) :], match[1]


def beginning(data: bytes) -> str:
    r"""Return the first lines of a file, whole ones.

    >>> beginning(b"text\nso")
    'text\nso'
    """
    part = data[:_BEGINNING]
    if len(data) > _BEGINNING:
        part = part[: part.rfind(b"\n") + 1]
    return part.decode("utf-8-sig", errors="replace")


def escapes_quotes(data: bytes, sign: str, path: str) -> bool:
    r"""Say whether quotes in quoted cells are written with a backslash, and not twice.

    It is told, if they are.

    Raises
    ------
    CorpusError
        If there are such quotes, and rows are not whole in either way.

    Examples
    --------
    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     escapes_quotes(b'text,label\n"so \\"good\\", yes",1\n', ",", "a.csv")
    a.csv writes a quote within quotes as \"
    True
    >>> escapes_quotes(b'path,label\n"C:\\",1\n', ",", "a.csv")
    False
    """
    if b'\\"' not in data:
        return False
    text = data.decode("utf-8-sig", errors="replace")
    fault = _fault(text, sign, escaped=False)
    if fault is None:
        return False
    if _fault(text, sign, escaped=True) is None:
        tell(f'{path} writes a quote within quotes as \\"')
        return True
    raise CorpusError(
        "a quote is neither doubled nor is a backslash before each",
        where=f"{path}:{fault}",
        hint='within quotes write a quote twice, as in "he said ""so"" to me"',
    )


def _fault(text: str, sign: str, *, escaped: bool) -> int | None:
    """Return the line of the first row that is not whole; None if all are."""
    records = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=sign,
        escapechar="\\" if escaped else None,
        strict=True,
    )
    width, line = 0, 1
    try:
        for row in records:
            width = width or len(row)
            if row and len(row) != width:
                return line
            line = records.line_num + 1
    except csv.Error:
        return max(records.line_num, 1)
    return None
