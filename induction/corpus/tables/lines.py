"""Lines of text that are more than texts: labels of fastText before them, or columns of a table.

References
----------
https://fasttext.cc/docs/en/supervised-tutorial.html
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa

from grammar.errors import CorpusError
from grammar.messages import tell
from induction.corpus.column_names import LABEL_NAMES, TEXT_NAMES
from induction.corpus.tables.separators import SIGNS, widths

__all__ = ["format_of_lines", "labelled_lines", "sign_of_table"]

_LABEL = "__label__"
_LABELS = re.compile(rf"(?<!\S){_LABEL}(\S+)(?:\s+|$)")
_PAIR = re.compile(r"IN:\s.*\sOUT:\s.*")
_TREE = re.compile(r"\((?:[^\s()]+ )? ?\(.*\)\s*\)")
_TREE_LABEL = re.compile(r"\(([^\s()]*)")
_FEWEST = 2
_BEGINNING = 1 << 18
_LOOKED_AT = 1_000


def format_of_lines(data: bytes) -> str | None:
    r"""Return the format that all lines are of: jsonl, scan, sst or brackets; else None.

    >>> format_of_lines(b"IN: jump OUT: I_JUMP\n"), format_of_lines(b"(3 (2 A) (4 gem))\n")
    ('scan', 'sst')
    >>> format_of_lines(b"(S (NP We) (VP slept))\n"), format_of_lines(b"(so far) fine\n")
    ('brackets', None)
    """
    text = data[:_BEGINNING].decode("utf-8-sig", errors="replace")
    lines = [line.strip() for line in text.split("\n")[:_LOOKED_AT] if line.strip()]
    if len(data) > _BEGINNING:
        lines = lines[:-1]
    if not lines:
        return None
    if all(line[:2] == '{"' and line[-1] == "}" for line in lines):
        return "jsonl"
    if all(map(_PAIR.fullmatch, lines)):
        return "scan"
    if not all(_TREE.fullmatch(line) and line.count("(") == line.count(")") for line in lines):
        return None
    are_classes = all(map(str.isdigit, _TREE_LABEL.findall("\n".join(lines))))
    return "sst" if are_classes else "brackets"


def labelled_lines(lines: Sequence[str], path: str) -> pa.Table | None:
    """Return texts and their labels, if every line has labels as fastText writes them.

    A line with several has them in ``labels``; otherwise there is one ``label`` each.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     labelled_lines(["__label__pos a film", "__label__neg a bad one"], "a.txt").to_pydict()
    a.txt is read as lines of fastText: the label is what stands behind __label__
    {'text': ['a film', 'a bad one'], 'label': ['pos', 'neg']}
    """
    if not lines or not all(_LABEL in line for line in lines if line.strip()):
        return None
    labels = [_LABELS.findall(line) for line in lines]
    if not any(labels) or not all(found for found, line in zip(labels, lines, strict=True) if line):
        return None
    tell(f"{path} is read as lines of fastText: the label is what stands behind {_LABEL}")
    texts = pa.array([_LABELS.sub("", line).strip() for line in lines], pa.string())
    if all(len(found) <= 1 for found in labels):
        single = [found[0] if found else None for found in labels]
        return pa.table({"text": texts, "label": pa.array(single, pa.string())})
    return pa.table({"text": texts, "labels": pa.array(labels, pa.list_(pa.string()))})


def sign_of_table(lines: Sequence[str], path: str) -> str | None:
    """Return what parts the columns of lines that are a table with usual names; None of texts.

    Raises
    ------
    CorpusError
        If a tab or ``|`` stands in every line as often, and no names are above.
    """
    there = [line.removesuffix("\r") for line in lines[:_LOOKED_AT] if line.strip()]
    if len(there) < _FEWEST:
        return None
    named = {name for group in (*TEXT_NAMES, *LABEL_NAMES) for name in group}
    for sign in (",", *SIGNS):
        if not all(sign in line for line in there):
            continue
        found = set(widths("\n".join(there), sign, quoted=sign != "\t"))
        cells = [cell.strip().strip('"').casefold() for cell in there[0].split(sign)]
        if found == {len(cells)} and named.issuperset(cells):
            return sign
        if sign in "\t|" and len(found) == 1:
            raise _a_table(SIGNS[sign], path)
    if all(line.count("::") == 1 for line in there):
        raise _a_table("'::'", path)
    return None


def _a_table(sign: str, path: str) -> CorpusError:
    return CorpusError(
        f"every line is parted by {sign}: this is a table, and no text",
        where=path,
        hint="put the names of its columns above, such as label and text, with a tab or a comma "
        "between, and name it .tsv or .csv; or say that lines are texts: --format text",
    )
