"""GeoQuery: 880 questions about the geography of the United States, and what they mean.

There are several representations of the meaning, each from its own published files below
``TREEWRIGHT_DATA``:

==========  ============================================================  =====================
``funql``   ``answer ( capital ( loc_2 ( stateid ( ' texas ' ) ) ) )``    Kate et al. 2005
``lambda``  ``( capital:c s0 )``, question words are stems, entities      Dong & Lapata 2016
            are typed marks on both sides (as published)
``logic``   ``( A , ( _capital ( A ) , _loc ( A , B ) , ... ) )``         Finegan-Dollak et al.
``sql``     ``SELECT STATEalias0.CAPITAL FROM STATE AS STATEalias0 ...``  Finegan-Dollak et al.
``prolog``  ``_answer ( A , ( _capital ( A ) , ... ) )``                  Jia & Liang 2016
==========  ============================================================  =====================

Targets are space-separated tokens; brackets and quotation marks are tokens of their own, so
that the words of a name stand alone and can be copied from the question.

References
----------
- Zelle & Mooney (1996), AAAI: the data. Kate et al. (2005), AAAI: FunQL.
- Jia & Liang (2016), ACL; Dong & Lapata (2016), ACL: their versions.
- Finegan-Dollak et al. (2018), *Improving text-to-SQL evaluation methodology*, ACL: query split.
- Andreas (2020), ACL: names put back into ``logic`` and ``sql``.
- Shaw et al. (2021), ACL, and Herzig & Berant (2021), ACL: template and length splits of FunQL.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from grammar.errors import CorpusError, OptionError
from grammar.files import encode, read_text
from grammar.saving.value_checks import ANY, read_declared
from induction.corpus.corpus import Corpus
from induction.corpus.sources import data_file

__all__ = ["REPRESENTATIONS", "SPLITS", "GeoQuery", "geoquery", "template"]

REPRESENTATIONS = ("funql", "lambda", "logic", "sql", "prolog")
"""Names of the representations."""

SPLITS = ("question", "query", "length")
"""Names of the splits."""

TEST_SHARE, DEV_SHARE = 0.31, 0.07
"""Least share of the questions in the test and in the development part of a split by templates."""
HELD_OUT = 60
"""Training questions that make the development part where none is published."""

_DIGITS = 9
_SENTENCE = {"question-split": str, "text": str, "variables": {ANY: str}}
_PARTS = ("train", "dev", "test")
_OTHER_NAMES = {"template": "query"}
_TEXT2SQL = {
    "sql": "geoquery/text2sql/geography.json",
    "logic": "geoquery/text2sql/non-sql-data/geography-logic.txt",
}
_TABLES = {
    "lambda": "geoquery/geo880_lambda/{part}.txt",
    "prolog": "geoquery/geo880_prolog/geo880_{part}.tsv",
}
_TABLE_PARTS = {"lambda": ("train", "test"), "prolog": ("train600", "test280")}


@dataclass(frozen=True, eq=False)
class GeoQuery:
    """One representation, in parts with the columns ``id``, ``text``, ``target``, ``template``.

    ``template`` is the target with its names taken out: questions with one template ask the same
    of different places.
    """

    representation: str
    split: str
    train: Corpus
    dev: Corpus
    test: Corpus


class _Row(NamedTuple):
    """A question, its meaning, and the parts it is in by question and by query, if published."""

    id: str
    text: str
    target: str
    template: str
    question: str
    query: str


def geoquery(representation: str, split: str) -> GeoQuery:
    """Return a representation of GeoQuery in a split.

    Parameters
    ----------
    representation : str
        One of :data:`REPRESENTATIONS`.
    split : str
        One of :data:`SPLITS`; ``template`` is another name of ``query``.

    Returns
    -------
    GeoQuery
        Its training, development and test part.

    Raises
    ------
    OptionError
        If there is no representation or split of that name; the nearest one is suggested.
    MissingDataError
        If the files are not there.
    CorpusError, SchemaError
        If a file has another form.
    UnreadableInputError
        If it is not text.

    Examples
    --------
    >>> geoquery("sequel", "question")
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: unknown representation 'sequel' of GeoQuery
      hint: did you mean 'sql'? Choose from funql, lambda, logic, sql, prolog

    Notes
    -----
    - ``question``: as published; questions of one template are on both sides. Where no development
      part is published, it is 60 training questions, chosen by a hash.
    - ``query``: no template is in two parts. As published for ``sql`` and ``logic``. For the
      others, templates are put in the order of a hash and fill the test part (31 % of the
      questions), then the development part (7 %): the sizes of Herzig & Berant's template split
      (276, 60, 544 for training), whose lists of questions are not in the data.
    - ``length``: the questions with the shorter half of the targets are in training, less the
      longest 60 of them for development; ties are broken by the hash. Shaw et al. halve it so.
    """
    split = _OTHER_NAMES.get(split, split)
    _check("representation", representation, REPRESENTATIONS)
    _check("split", split, SPLITS)
    rows = _read(representation)
    parts = _SPLITTERS[split](rows)
    corpora = [_corpus([row for row, part in zip(rows, parts, strict=True) if part == name])
               for name in _PARTS]  # fmt: skip
    return GeoQuery(representation, split, *corpora)


def template(representation: str, target: str) -> str:
    """Return a target without its names.

    Examples
    --------
    >>> template("funql", "answer ( size ( stateid ( ' new mexico ' ) ) )")
    "answer ( size ( stateid ( ' NAME ' ) ) )"
    >>> template("prolog", "_const ( B , _stateid ( new mexico ) )")
    '_const ( B , _stateid ( NAME ) )'
    >>> template("sql", 'WHERE STATEalias0.STATE_NAME = " new mexico "')
    'WHERE STATEalias0.STATE_NAME = " NAME "'
    """
    pattern, empty = _NAMES.get(representation, ("(?!)", ""))
    return re.sub(pattern, empty, target)


_LOGIC_NAME = (r"(_\w+id \() [^()]* \)", r"\1 NAME )")
_NAMES = {
    "funql": (r"' [^']* '", "' NAME '"),
    "sql": (r'" [^"]* "', '" NAME "'),
    "logic": _LOGIC_NAME,
    "prolog": _LOGIC_NAME,
}


def _check(kind: str, name: str, names: tuple[str, ...]) -> None:
    if name in names:
        return
    near = difflib.get_close_matches(str(name).lower(), names, n=1, cutoff=0.4)
    guess = f"did you mean {near[0]!r}? " if near else ""
    raise OptionError(
        f"unknown {kind} {name!r} of GeoQuery", hint=f"{guess}Choose from {', '.join(names)}"
    )


# --- reading -----------------------------------------------------------------------------------


def _read(representation: str) -> list[_Row]:
    if representation in _TEXT2SQL:
        return _read_text2sql(representation)
    if representation == "funql":
        return _read_funql()
    return _read_tables(representation)


def _read_funql() -> list[_Row]:
    folder = "geoquery/geo880_funql/"
    questions, queries, tested = (
        read_text(data_file(folder + name)).strip("\n").split("\n")
        for name in ("questions.txt", "queries.funql", "test_indexes.txt")
    )
    if len(questions) != len(queries):
        raise CorpusError(
            f"{len(questions)} questions but {len(queries)} queries",
            where=str(data_file(folder + "questions.txt")),
            hint="the two files must have a line for a line",
        )
    if wrong := [line for line in tested if not line.isdecimal() or len(line) > _DIGITS]:
        raise CorpusError(
            f"not the number of a question: {wrong[0][:60]!r}",
            where=str(data_file(folder + "test_indexes.txt")),
            hint="write one number a line, counted from 0",
        )
    test = set(map(int, tested))
    return [
        _row("funql", str(number), question, query, "test" if number in test else "train")
        for number, (question, query) in enumerate(zip(questions, queries, strict=True))
    ]


def _read_tables(representation: str) -> list[_Row]:
    rows = []
    for part, file in zip(("train", "test"), _TABLE_PARTS[representation], strict=True):
        path = data_file(_TABLES[representation].format(part=file))
        for number, line in enumerate(read_text(path).rstrip("\n").split("\n"), start=1):
            sides = line.split("\t")
            if len(sides) != 2:
                raise CorpusError(
                    f"not a question, a tab and a form: {line[:60]!r}",
                    where=f"{path}:{number}",
                    hint="write each pair on one line",
                )
            rows.append(_row(representation, f"{part}-{number}", sides[0], sides[1], part))
    return rows


def _read_text2sql(representation: str) -> list[_Row]:
    path = data_file(_TEXT2SQL[representation])
    entries = read_declared(
        path,
        [{"query-split": str, "sentences": [_SENTENCE], representation: [str]}],
        what="the text2sql data",
        hint="fetch the file again",
    )
    # the first of several forms is the one to learn, as in the programs of the authors
    return [
        _filled(representation, f"{number}-{place}", form, sentence, entry["query-split"])
        for number, entry in enumerate(entries)
        for form in entry[representation][:1]
        for place, sentence in enumerate(entry["sentences"])
    ]


def _filled(representation: str, id: str, form: str, sentence: dict[str, Any], query: str) -> _Row:
    """Put the names back where the data has variables, as Andreas (2020) does."""
    text = sentence["text"]
    for variable, name in sentence["variables"].items():
        text, form = text.replace(variable, name), form.replace(variable, name)
    encode(text + form, f"{_TEXT2SQL[representation]}, question {id}")  # no half of a character
    return _row(representation, id, text, form, sentence["question-split"], query)


def _row(
    representation: str, id: str, text: str, form: str, question: str, query: str = ""
) -> _Row:
    apart = r"([()'\",])" if representation == "funql" else r"([()\"])"
    target = " ".join(re.sub(apart, r" \1 ", form).split())
    question_words = " ".join(text.lower().split())
    return _Row(id, question_words, target, template(representation, target), question, query)


def _corpus(rows: list[_Row]) -> Corpus:
    return Corpus.from_columns(
        id=[row.id for row in rows],
        text=[row.text for row in rows],
        target=[row.target for row in rows],
        template=[row.template for row in rows],
    )


# --- splitting ---------------------------------------------------------------------------------


def _by_question(rows: Sequence[_Row]) -> list[str]:
    parts = [row.question for row in rows]
    if "dev" in parts:
        return parts
    training = [place for place, part in enumerate(parts) if part == "train"]
    for place in sorted(training, key=lambda place: _hash(rows[place].id))[:HELD_OUT]:
        parts[place] = "dev"
    return parts


def _by_query(rows: Sequence[_Row]) -> list[str]:
    if all(row.query for row in rows):
        return [row.query for row in rows]
    counts = Counter(row.template for row in rows)
    part_of: dict[str, str] = {}
    wanted = [("test", TEST_SHARE * len(rows)), ("dev", DEV_SHARE * len(rows))]
    for form in sorted(counts, key=_hash):
        while wanted and wanted[0][1] <= 0:
            wanted.pop(0)
        part_of[form] = wanted[0][0] if wanted else "train"
        if wanted:
            wanted[0] = (wanted[0][0], wanted[0][1] - counts[form])
    return [part_of[row.template] for row in rows]


def _by_length(rows: Sequence[_Row]) -> list[str]:
    order = sorted(
        range(len(rows)), key=lambda place: (len(rows[place].target.split()), _hash(rows[place].id))
    )
    half = (len(rows) + 1) // 2
    parts = ["test"] * len(rows)
    for rank, place in enumerate(order[:half]):
        parts[place] = "train" if rank < half - HELD_OUT else "dev"
    return parts


_SPLITTERS: dict[str, Callable[[Sequence[_Row]], list[str]]] = {
    "question": _by_question,
    "query": _by_query,
    "length": _by_length,
}


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
