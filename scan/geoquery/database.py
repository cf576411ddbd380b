"""The database of GeoQuery, to compare SQL queries by their answers.

The published dump is read into an SQLite database in memory. Queries come from models, so they may
be anything: only reading is allowed, and a query that takes too long is given up.

References
----------
Finegan-Dollak et al. (2018), ACL: the dump. Zhong et al. (2017), *Seq2SQL*: execution accuracy.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter

from grammar.errors import CorpusError
from grammar.files import read_text
from induction.corpus.sources import data_file

__all__ = ["GeoDatabase"]

_DUMP = "geoquery/text2sql/geography-db.sql"
_STATEMENT = re.compile(r"^(CREATE TABLE .*?^\)|INSERT INTO [^\n]*;$)", re.MULTILINE | re.DOTALL)
_READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION)
_STEPS = 2_000_000
"""Virtual machine instructions of SQLite after which a query is given up."""

Answer = Counter[tuple[object, ...]]


class GeoDatabase:
    """The tables of GeoQuery.

    Raises
    ------
    MissingDataError
        If the dump is not below ``TREEWRIGHT_DATA``.
    CorpusError
        If the dump cannot be read as tables.
    """

    def __init__(self) -> None:
        path = data_file(_DUMP)
        self._connection = sqlite3.connect(":memory:")
        statements = _STATEMENT.findall(read_text(path))
        try:
            for statement in statements:
                self._connection.execute(statement)
        except sqlite3.Error as error:
            statements = []
            reason = f": {error}"
        else:
            reason = ""
        if not statements:
            raise CorpusError(
                f"not the dump of the database{reason}",
                where=str(path),
                hint="fetch the file again",
            )
        self._connection.set_authorizer(
            lambda action, *_: sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY
        )
        self._connection.set_progress_handler(lambda: 1, _STEPS)

    def answer(self, query: str) -> Answer | None:
        """Return the rows that a query in tokens finds, each with how often; None if it fails.

        The order of the rows is left out.
        """
        # SQLite reads names in double quotation marks as columns, if there are such
        text = re.sub(
            r'" ([^"]*) "', lambda name: f"'{name[1].replace(chr(39), chr(39) * 2)}'", query
        )
        try:
            return Counter(self._connection.execute(text).fetchall())
        except (sqlite3.Error, sqlite3.Warning):
            return None

    def same_answer(self, query: str, gold: str) -> bool:
        """Say whether two queries are the same word by word, or find the same rows.

        Two of the published queries fail in SQLite: one has ``> ALL``, the other a wrong alias.
        """
        if query == gold:
            return True
        found = self.answer(query)
        return found is not None and found == self.answer(gold)
