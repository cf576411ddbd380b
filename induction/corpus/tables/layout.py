"""Tables with more than rows: comments above them, frames, names again, columns without names.

Spreadsheets, Markdown and people who join files leave these. They are left out, and it is told.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.errors import CorpusError
from grammar.messages import tell
from induction.corpus.column_names import LABEL_NAMES, TEXT_NAMES

__all__ = [
    "bars_for_tabs",
    "refuse_aligned",
    "rows_of_markdown",
    "with_column_names",
    "without_comments",
    "without_headers",
    "without_spaces_around",
    "without_spaces_before",
    "without_title",
]

_USUAL = {name for group in (*TEXT_NAMES, *LABEL_NAMES) for name in group}
_BETWEEN = re.compile(r"[,;|\t]")
_RULE = re.compile(rb"\|[ :|-]*-[ :|-]*\|\s*")
_WITHOUT_SPACE = re.compile(rb"[^ \n]\||\|[^ \r\n]")
_BARS = " ||| "
_BEGINNING = 1 << 16
_MOST_ABOVE = 10
_FEWEST = 2
_ALIGNED = re.compile(r"\s{2,}")


def without_comments(data: bytes, path: str) -> bytes:
    r"""Return a table with empty lines for comments above its names; it is told.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     without_comments(b"# made in 2020\ntext,label\nso,1\n", "a.csv")
    a.csv begins with 1 lines of comments (#), which are left out
    b'\ntext,label\nso,1\n'
    """
    bare = data.removeprefix(codecs.BOM_UTF8)
    if not bare.startswith(b"#"):
        return data
    begin = count = 0
    while bare[begin : begin + 1] == b"#":
        begin = bare.find(b"\n", begin) + 1 or len(bare)
        count += 1
    names = bare[begin : begin + 4096].partition(b"\n")[0].decode("utf-8", errors="replace")
    if not any(cell.strip(' "\r').casefold() in _USUAL for cell in _BETWEEN.split(names)):
        return data
    tell(f"{path} begins with {count:,} lines of comments (#), which are left out")
    return b"\n" * count + bare[begin:]


def without_title(data: bytes, path: str) -> bytes:
    r"""Return a table with empty lines for a title above its names; it is told.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     without_title(b"Guests of 2024\n\ntext,label\nso,1\n", "a.csv")
    a.csv has 2 lines above the names of its columns, which are left out: 'Guests of 2024'
    b'\n\ntext,label\nso,1\n'
    """
    lines = data.removeprefix(codecs.BOM_UTF8)[:_BEGINNING].split(b"\n")[:_MOST_ABOVE]
    shown = [line.decode("utf-8", errors="replace").strip() for line in lines]
    for at, line in enumerate(shown):
        cells = _BETWEEN.split(line)
        if len(cells) > 1:
            usual = sum(cell.strip(' "').casefold() in _USUAL for cell in cells)
            if not at or usual < _FEWEST or not shown[0]:
                return data
            tell(
                f"{path} has {at:,} lines above the names of its columns, which are left out: "
                f"{shown[0]!r:.60}"
            )
            begin = sum(len(above) + 1 for above in lines[:at])
            return b"\n" * at + data.removeprefix(codecs.BOM_UTF8)[begin:]
    return data


def rows_of_markdown(data: bytes, path: str) -> bytes | None:
    r"""Return a table of Markdown as CSV, a line for a line; None of another table. It is told.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     rows_of_markdown(b"| text | label |\n|------|---:|\n| so, so | 1 |\n", "a.csv")
    a.csv is read as a table of Markdown
    b'text,label\n\n"so, so",1\n'
    """
    lines = data.removeprefix(codecs.BOM_UTF8).rstrip().split(b"\n")
    rule = next((at for at, line in enumerate(lines) if _RULE.fullmatch(line)), None)
    if rule is None or not all(
        line.strip().startswith(b"|") and line.strip().endswith(b"|")
        for line in lines
        if line.strip()
    ):
        return None
    tell(f"{path} is read as a table of Markdown")
    made = io.StringIO(newline="")
    rows = csv.writer(made, lineterminator="\n")
    for at, line in enumerate(lines):
        if at == rule or not line.strip():
            made.write("\n")
            continue
        cells = re.split(r"(?<!\\)\|", line.decode("utf-8", errors="replace").strip()[1:-1])
        rows.writerow([cell.strip().replace(r"\|", "|") for cell in cells])
    return made.getvalue().encode()


def without_spaces_around(data: bytes, sign: str) -> bytes:
    r"""Return a table with ``|`` between its columns, without a space around each, if all have one.

    >>> without_spaces_around(b"text | label\nso | 1\n", "|")
    b'text|label\nso|1\n'
    >>> without_spaces_around(b"text|label\nso | 1\n", "|")
    b'text|label\nso | 1\n'
    """
    if sign != "|" or b'"' in data or _WITHOUT_SPACE.search(data):
        return data
    return re.sub(rb" *\| *", b"|", data)


def without_spaces_before(table: pa.Table, path: str) -> pa.Table:
    """Return a table without the spaces that stand behind all signs between columns; it is told.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     made = without_spaces_before(pa.table({"text": ["so"], " label": [" 1"]}), "a.csv")
    a.csv: spaces before the cells of 'label' are left out
    >>> made.to_pylist()
    [{'text': 'so', 'label': '1'}]
    """
    names = [*table.column_names]
    for at in range(1, len(names) if table.num_rows else 0):
        column = table.column(at)
        are_named = names[at].startswith(" ") or re.fullmatch(r"text|label|column\d+", names[at])
        if are_named and pc.all(pc.starts_with(column, " ")).as_py():
            names[at] = names[at].strip()
            table = table.set_column(at, names[at], pc.utf8_ltrim(column, " "))
            tell(f"{path}: spaces before the cells of {names[at]!r} are left out")
    return table


def bars_for_tabs(lines: Sequence[str]) -> list[str] | None:
    """Return lines with tabs where all have ``|||`` as often, with spaces around; else None.

    >>> bars_for_tabs(["a film ||| 1", "so ||| 0"])
    ['a film\\t1', 'so\\t0']
    """
    counts = {line.count(_BARS) for line in lines if line.strip()}
    if len(counts) != 1 or counts == {0} or any("\t" in line for line in lines):
        return None
    return [line.replace(_BARS, "\t") for line in lines]


def refuse_aligned(names: Sequence[str], path: str) -> None:
    """Refuse a table whose columns are parted by spaces that align them.

    Raises
    ------
    CorpusError
        If its only name is several usual ones.
    """
    cells = _ALIGNED.split(names[0].strip()) if len(names) == 1 else []
    if len(cells) > 1 and _USUAL.intersection(map(str.casefold, cells)):
        raise CorpusError(
            f"spaces align its columns {', '.join(map(repr, cells))}",
            where=path,
            hint="write a tab or a comma between columns (pandas: to_csv, not to_string)",
        )


def with_column_names(names: Sequence[str]) -> list[str]:
    """Return names for all columns of a table, where several have none; the first may be an index.

    >>> with_column_names(["v1", "v2", "", ""]), with_column_names(["", "text", ""])
    (['v1', 'v2', 'column3', 'column4'], ['', 'text', 'column3'])
    """
    return [name or (f"column{at + 1}" if at else "") for at, name in enumerate(names)]


def without_headers(
    table: pa.Table, names: Sequence[str], path: str
) -> tuple[pa.Table, np.ndarray | None]:
    """Return a table without empty columns that have no name, and without its names among rows.

    What is left out is told. The numbers of the rows that are kept are given if not all are.

    >>> from grammar.messages import heard_by
    >>> given = pa.table({"text": ["so", "text"], "label": ["1", "label"], "column3": ["", ""]})
    >>> with heard_by(print):
    ...     without_headers(given, ["text", "label", ""], "a.csv")[0].to_pylist()
    a.csv: the column 3 has no name and is empty: it is left out
    a.csv: 1 rows repeat the names of the columns, and are left out
    [{'text': 'so', 'label': '1'}]
    """
    given = table.column_names
    empty = [
        at
        for at, name in enumerate(names)
        if not name and at and not pc.any(pc.not_equal(table.column(at), "")).as_py()
    ]
    if empty:
        numbers = ", ".join(str(at + 1) for at in empty)
        are = "the column {} has no name and is empty: it is"
        are = are if len(empty) == 1 else "the columns {} have no names and are empty: they are"
        tell(f"{path}: {are.format(numbers)} left out")
        table = table.select([at for at in range(len(given)) if at not in empty])
    again = pc.equal(table.column(0), names[0])
    if len(names) < 2 or not names[0] or not pc.any(again).as_py():
        return table, None
    for at, name in enumerate(names):
        if at not in empty and at:
            again = pc.and_(again, pc.equal(table.column(given[at]), name))
    kept = np.flatnonzero(~again.to_numpy())
    if len(kept) == table.num_rows:
        return table, None
    left = table.num_rows - len(kept)
    tell(f"{path}: {left:,} rows repeat the names of the columns, and are left out")
    return table.take(pa.array(kept)), kept
