"""Lines of text that are more than texts: labels of fastText before them, or columns of a table.

References
----------
https://fasttext.cc/docs/en/supervised-tutorial.html
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from grammar.errors import CorpusError
from grammar.messages import heard_by, tell
from induction.corpus.column_names import LABEL_NAMES, PAIR_NAMES, TEXT_NAMES
from induction.corpus.tables.headless import is_row
from induction.corpus.tables.layout import bars_for_tabs
from induction.corpus.tables.separators import SIGNS, beginning, records_of, widths

__all__ = [
    "classes_before",
    "format_of_lines",
    "has_classes",
    "is_table",
    "labelled_lines",
    "refuse_namespaces",
    "sign_of_table",
]

_LABEL = "__label__"
_LABELS = re.compile(rf"(?<!\S){_LABEL}(\S+)(?:\s+|$)")
_PAIR = re.compile(r"IN:\s.*\sOUT:\s.*")
_TREE = re.compile(r"\((?:[^\s()]+ )? ?\(.*\)\s*\)")
_SENTENCE_BEHIND = re.compile(r"\)\t[^()\t]+$")
"""Words behind a tree, which has their places (an older form of discbracket)."""
_NAME_BEFORE = re.compile(r"^[^\s()]+\t(?=\()")
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
    lines = [
        _SENTENCE_BEHIND.sub(")", _NAME_BEFORE.sub("", line.strip()))
        for line in text.split("\n")[:_LOOKED_AT]
        if line.strip()
    ]
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


@dataclass(frozen=True)
class _Before:
    """What may stand before the text of each line."""

    pattern: re.Pattern[str]
    what: str
    alone: bool = False
    """Whether the pattern says enough, however often each class comes again."""
    read: bool = True
    """Whether it is sure enough to be read; else it is told."""
    named: bool = False
    """Whether a name stands before the class, which no other line has."""


_TREC = _Before(
    re.compile(r"([A-Z]+):[a-z]+\s+(\S.*)"), "a class and a finer one, as TREC has", alone=True
)
_MALLET = _Before(
    re.compile(r"[A-Za-z](?=[^\d\s]*\d)[\w./-]*+\s+(\S+)\s+(\S.*)"),
    "its name and a class, as Mallet has",
    named=True,
)
_BEFORE = (
    _TREC,
    _MALLET,
    _Before(re.compile(r"([+-]?\d{1,3})\s+(\S.*)"), "the number of a class"),
    _Before(re.compile(r"([A-Z]{2,})\s+(\S*[a-z].*)"), "a class in capitals"),
    _Before(
        re.compile(r"([^\W_][\w-]*?)\s*(?::|,|;|=>|--)\s*(\S.*)"),
        "one of few words and a sign, as a class may",
        read=False,
    ),
)
"""The first that all lines have counts; few words come again and again as classes."""
_FEW = 60
_FEATURES = re.compile(r"[+-]?\d+(?:\.\d+)?(?:\s+\d+:\S+)+\s*")
_NAMESPACE = re.compile(r"[+-]?\d+(?:\.\d+)?(?: [\d.]+)? (?:'\S+ ?)?\|[A-Za-z]\S* ")
_OF_OTHERS = {
    re.compile(
        r"[\w:./-]+\(\S+-\d+'*, \S+-\d+'*\)"
    ): "a dependency (Stanford's typed dependencies)",
    re.compile(r"[a-z]\w*\(.*\)\."): "a fact of Prolog",
    re.compile(r"\S+(?:\s+\S+){2,}\s+(?:\([\w-]+)?\*\)*\s*"): "a word with its roles (CoNLL-2005)",
}
"""What lines are that are no texts."""
_TOKEN = re.compile(r"[^\s,;]+[,;](?:[BIESLU]-\S+|O)")
_SUBTITLE = re.compile(r"(?:\d+:)?\d\d:\d\d[,.]\d{3} --> (?:\d+:)?\d\d:\d\d[,.]\d{3}.*")
_RELATION = re.compile(r'\d+\t"(?>.*?<e1>)(?>.*?</e1>)(?>.*?<e2>).*"')
_ABSTRACT = re.compile(r"\d+\|[ta]\|.*")
_ASPECT = re.compile(r".*\$T\$.*")
_TAGGED = re.compile(
    r"\S+([/_|])[A-Z][A-Z0-9$-]*|(\W)[/_|]\2|\S*\w/[a-z][a-z$*+-]*|\W{1,2}/\W{1,2}"
)
"""Words with their tags; those of Brown's corpus are in small letters."""


def classes_before(lines: Sequence[str], path: str) -> pa.Table | None:
    """Return texts and the classes that stand before them; None if there are none for sure.

    It is told, and so is what is likely: then the words stay in the texts.

    Raises
    ------
    CorpusError
        If lines are features with numbers (LIBSVM), or their words have tags.

    Examples
    --------
    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     table = classes_before(["NUM:count How many ?", "NUM:date When ?"] * 2, "t")
    each line of t begins with a class and a finer one, as TREC has: read as the column 'class'
    the finer class is the column 'fine': --label fine reads that
    >>> table.to_pylist()[0]
    {'text': 'How many ?', 'class': 'NUM', 'fine': 'NUM:count'}
    """
    there = [line for line in lines if line.strip()]
    if len(there) < _FEWEST:
        return None
    _refuse_annotated(there[:_LOOKED_AT], path)
    for before in _BEFORE:
        if not all(before.pattern.fullmatch(line.strip()) for line in there[:_LOOKED_AT]):
            continue
        found = [before.pattern.fullmatch(line.strip()) for line in lines]
        if not all(match or not line.strip() for match, line in zip(found, lines, strict=True)):
            continue
        kinds = {match[1] for match in found if match}
        if not before.alone and not 1 < len(kinds) <= min(_FEW, (len(there) + 1) // 2):
            if kinds == {str(number) for number in range(1, len(there) + 1)}:
                tell(f"each line of {path} begins with its number, which stays in the text")
            continue
        before_class = [line.split(maxsplit=1)[0] if line.strip() else None for line in lines]
        if before.named and len({*before_class} - {None}) < len(there):
            continue
        told = f"each line of {path} begins with {before.what}"
        if not before.read:
            tell(f"{told}; if it is one, put label and text above, as a .tsv has them, with tabs")
            return None
        tell(f"{told}: read as the column 'class'")
        table = pa.table(
            {
                "text": pa.array([match[2] if match else "" for match in found], pa.string()),
                "class": pa.array([match and match[1] for match in found], pa.string()),
            }
        )
        if before is _TREC:
            table = table.append_column("fine", pa.array(before_class, pa.string()))
            tell("the finer class is the column 'fine': --label fine reads that")
        elif before.named:
            table = table.append_column("name", pa.array(before_class, pa.string()))
        return table
    return None


def has_classes(data: bytes, path: str) -> bool:
    r"""Say whether each line of a file begins with its class, for sure.

    >>> has_classes(b"__label__pos a film\n__label__neg a book\n", "a.train")
    True

    Raises
    ------
    CorpusError
        If they are no texts, as :func:`classes_before` says.
    """
    lines = beginning(data).split("\n")[:_LOOKED_AT]
    with heard_by(lambda message: None):
        return labelled_lines(lines, path) is not None or classes_before(lines, path) is not None


def refuse_namespaces(lines: Sequence[str], path: str) -> None:
    """Refuse lines of features behind a bar and a name, which are no table.

    Raises
    ------
    CorpusError
        If all are such lines.
    """
    there = [line for line in lines[:_LOOKED_AT] if line.strip()]
    if len(there) >= _FEWEST and all(map(_NAMESPACE.match, there)):
        raise CorpusError(
            "every line holds a number, a bar, and the name of features (Vowpal Wabbit)",
            where=path,
            hint="write the class, a tab and the text, without the bar and the name behind it",
        )


def _refuse_annotated(lines: Sequence[str], path: str) -> None:
    """Refuse lines whose words are features, or have tags: a text would hold what is none."""
    if all(map(_FEATURES.fullmatch, lines)):
        raise CorpusError(
            "every line holds features with numbers (LIBSVM), and no text",
            where=path,
            hint="read the texts that they were made from",
        )
    if all(_TOKEN.fullmatch(line.strip()) for line in lines):
        raise CorpusError(
            "every line is a word and its tag, with a sign between",
            where=path,
            hint="put a tab between them, and name it .conll",
        )
    for pattern, what in _OF_OTHERS.items():
        if all(pattern.fullmatch(line.strip()) for line in lines):
            raise CorpusError(
                f"every line is {what}, and no text",
                where=path,
                hint="read the sentences that it is about, or say that lines are texts: "
                "--format text",
            )
    for pattern, what in (
        (_SUBTITLE, "subtitles with their times"),
        (_RELATION, "sentences with their relations, as SemEval-2010 has them"),
        (_ABSTRACT, "titles and abstracts with their entities, as PubTator has them"),
        (_ASPECT, "sentences with $T$ in the place of an aspect, the aspect, and its class"),
    ):
        if any(pattern.fullmatch(line.strip()) for line in lines[:_FEWEST]):
            raise CorpusError(
                f"the lines are {what}",
                where=path,
                hint="write a text and its label a row as .tsv or .csv, or texts alone a line",
            )
    # phrases stand in square brackets in the tagged files of the Penn Treebank
    words = [word for line in lines for word in line.split() if word.strip("[]=")]
    if words and all(map(_TAGGED.fullmatch, words)):
        raise CorpusError(
            f"every word has a tag behind it, as {words[0]!r}",
            where=path,
            hint="write a token and its tag a line, with a tab between, and name it .conll; or say "
            "that lines are texts: --format text",
        )


def sign_of_table(lines: Sequence[str], path: str, of_file: str | None = None) -> str | None:
    """Return what parts the columns of lines that are a table with usual names; None of texts.

    Parameters
    ----------
    lines : sequence of str
        Of the file.
    path : str
        For messages.
    of_file : str, optional
        What the file has where ``lines`` have tabs.

    Raises
    ------
    CorpusError
        If a tab or ``|`` stands in every line as often, and no names are above; or the columns are
        those of CoNLL-U Plus.
    """
    there = [line.removesuffix("\r") for line in lines[:_LOOKED_AT] if line.strip()]
    below = [*itertools.dropwhile(lambda line: line.startswith("#"), there)]
    has_comments = _FEWEST <= len(below) < len(there) and "\t" not in there[0]
    if there and there[0].startswith("# global.columns"):
        raise CorpusError(
            "this is CoNLL-U Plus, with columns of its own",
            where=path,
            hint="keep the first ten columns, if they are those of CoNLL-U: cut -f1-10 IN > "
            "OUT.conllu",
        )
    if has_comments and all("\t" in line for line in below):
        raise _a_table(f"{SIGNS[chr(9)]}, below its comments", path)
    if len(there) < _FEWEST:
        return None
    named = {name for group in (*TEXT_NAMES, *LABEL_NAMES) for name in group}
    for sign in (",", *SIGNS):
        if not all(sign in line for line in there):
            continue
        found = set(widths("\n".join(there), sign, quoted=sign != "\t"))
        cells = [_plain(cell) for cell in there[0].split(sign)]
        if found == {len(cells)} and (named.issuperset(cells) or _are_of_pairs(cells)):
            return sign
        if sign in "\t|" and len(found) == 1:
            are_names = len({*cells}) == len(cells) and named.intersection(cells)
            if are_names or is_row(list(records_of("\n".join(there), sign, quoted=sign != "\t"))):
                return sign
            raise _a_table(of_file or SIGNS[sign], path)
    if all(line.count("::") == 1 for line in there):
        raise _a_table("'::'", path)
    return None


def is_table(data: bytes, path: str) -> bool:
    r"""Say whether each line of a file is a row of a table with tabs, or ``|||``.

    >>> is_table(b"ham\tsee you there\nspam\twin a prize\nham\tso do I\n", "SMSSpam")
    True

    Raises
    ------
    CorpusError
        If it is one, and its first line may be a row or the names of columns.
    """
    lines = beginning(data).split("\n")[:_LOOKED_AT]
    with heard_by(lambda message: None):
        bars = bars_for_tabs(lines)
        sign = sign_of_table(bars or lines, path, "'|||'" if bars else None)
        return sign == "\t"  # other signs part what is no table, too


def _plain(cell: str) -> str:
    name = cell.removeprefix("\ufeff").strip().strip('"').casefold()
    return name.replace(" ", "_").replace("-", "_")


def _are_of_pairs(names: Sequence[str]) -> bool:
    """Say whether names are of pairs of texts with classes, beside whatever others."""
    usual = {name for group in LABEL_NAMES for name in group}
    return bool(usual.intersection(names)) and any(set(pair) <= {*names} for pair in PAIR_NAMES)


def _a_table(sign: str, path: str) -> CorpusError:
    return CorpusError(
        f"every line is parted by {sign}: this is a table, and no text",
        where=path,
        hint="if its first line names its columns, name it .tsv, or .csv; else put names above, "
        "such as label and text, with a tab or a comma between; or say that lines are texts: "
        "--format text",
    )
