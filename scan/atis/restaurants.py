"""Restaurants: questions to a database of restaurants, with queries as forms like those of ATIS.

References
----------
- Tang & Mooney (2000), *Automated construction of database interfaces: integrating statistical and
  relational learning for semantic parsing*, EMNLP: the questions.
- Finegan-Dollak et al. (2018), *Improving text-to-SQL evaluation methodology*, ACL: the file.
"""

from __future__ import annotations

import re

from grammar.files import PathLike
from induction.corpus.corpus import Corpus
from induction.corpus.sources import data_file
from scan.atis.data import read_lines

__all__ = ["read_restaurants", "restaurants"]

_LINE = re.compile(
    r"parse\(\[(?P<words>[^]]+)\],select\(\[(?P<columns>[^]]+)\],\((?P<where>.+?)\)+[.,]"
)
_WORD = re.compile(r"'((?:[^']|'')*)'|([^,']+)")
_VARIABLE = r"([A-Z_]\w*)"
_CONDITION = re.compile(rf"([a-z]\w*)\({_VARIABLE}\)")
_VALUE = re.compile(rf"const\({_VARIABLE},([a-z]+)\((?:'((?:[^']|'')*)'|([^()']+))\)")


def restaurants() -> Corpus:
    """Return the questions that are below ``TREEWRIGHT_DATA``, see :func:`read_restaurants`.

    Raises
    ------
    MissingDataError
        If the file is not there.
    CorpusError
        If a line is malformed.
    """
    return read_restaurants(data_file("atis/restaurants.txt.gz"))


def read_restaurants(path: PathLike) -> Corpus:
    """Read a file of lines ``parse([words], select([columns], (conditions))).`` of Prolog.

    What is selected and each condition on a column become conjuncts about one variable, so that
    :func:`induction.terms.meanings.same_meaning` compares them as a set, and the steps of ATIS
    apply: ``select([house_no], (locations_city_name(A), const(A, cityid('palo alto'))))`` is
    ``( lambda $0 e ( and ( house_no $0 ) ( locations_city_name $0 palo_alto : cityid ) ) )``.

    Returns
    -------
    Corpus
        Columns ``id`` (the line, from 1), ``text`` and ``target``. Blank lines are passed over.

    Raises
    ------
    UnreadableInputError
        If the file cannot be read.
    CorpusError
        If the file has no lines, or one is no such query.
    """
    return read_lines(
        path,
        _question,
        wrong="not a query of restaurants",
        hint="write parse([words], select([columns], (column(A), const(A, kind(value))))).",
    )


def _question(line: str) -> tuple[str, str] | None:
    """Return the text and the form of a line; None if it is none, or a variable has no value."""
    found = _LINE.fullmatch(re.sub(r"([,(]) +", r"\1", line.strip()))
    if found is None:
        return None
    words = [a.replace("''", "'") or b for a, b in _WORD.findall(found["words"])]
    values = {
        variable: f"{'_'.join((quoted.replace(chr(39) * 2, chr(39)) or plain).split())} : {kind}"
        for variable, kind, quoted, plain in _VALUE.findall(found["where"] + ")")
    }
    columns = {variable: column for column, variable in _CONDITION.findall(found["where"] + ")")}
    if not values or columns.keys() != values.keys():
        return None
    asked = re.sub(r"\(\*?(\w*)\)", r"_\1", found["columns"]).split(",")
    parts = [f"( {column.rstrip('_')} $0 )" for column in asked]
    parts += [f"( {column} $0 {values[variable]} )" for variable, column in columns.items()]
    return " ".join(words), f"( lambda $0 e ( and {' '.join(parts)} ) )"
