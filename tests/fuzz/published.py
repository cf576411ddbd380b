"""Published sets of pairs as they lie in a folder of corpora: COGS, SLOG, GeoQuery."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from induction.corpus.corpus import Corpus
from scan.cogs.data import read_cogs
from scan.geoquery.data import SPLITS, geoquery
from scan.slog.data import read_slog
from tests.fuzz.kinds import Format, Make, Use

__all__ = ["published_formats"]

_COGS = "A dog ran .\t* dog ( x _ 1 )\tin_distribution\nEmma\tEmma\tprimitive\n"
_QUESTIONS = "where is m0\t( lambda $0 e ( loc:t m0 $0 ) )\nhow long is r0\t( len:i r0 )\n"
_QUERIES = [
    {
        "query-split": split,
        "sentences": [
            {"question-split": split, "text": "how big is s0", "variables": {"s0": "ohio"}}
        ],
        "sql": ["SELECT AREA FROM STATE WHERE NAME = s0"],
        "logic": ["answer ( A , size ( s0 , A ) )"],
    }
    for split in ("train", "dev", "test")
]
_INDEXED = "geoquery/geo880_funql/"


def published_formats() -> Iterator[Format]:
    """Yield a format for each file that the readers of these sets read."""
    yield Format("cogs.tsv", _write(_COGS * 3), lambda path: _shown(read_cogs(path)))
    yield Format("slog.tsv", _write(_COGS * 3), lambda path: _shown(read_slog(path)))
    tables = ["geoquery/geo880_lambda/train.txt", "geoquery/geo880_lambda/test.txt"]
    yield Format("questions.tsv", _write(_QUESTIONS * 3), _in_place("lambda", tables))
    for name, kind in (("geography.json", "sql"), ("non-sql-data/geography-logic.txt", "logic")):
        use = _in_place(kind, [f"geoquery/text2sql/{name}"])
        yield Format(f"queries-{kind}.json", _write(json.dumps(_QUERIES)), use)
    indexed = {"questions.txt": "how big\nhow long\n", "queries.funql": "answer(a)\nanswer(b)\n"}
    held = {f"{_INDEXED}{name}": text for name, text in indexed.items()}
    yield Format(
        "indexes.txt", _write("1\n"), _in_place("funql", [f"{_INDEXED}test_indexes.txt"], held)
    )


def _write(text: str) -> Make:
    return lambda path: path.write_text(text, encoding="utf-8")


def _shown(corpus: Corpus) -> None:
    corpus.table.validate(full=True)
    for row in itertools.islice(corpus, 20):
        repr(row)


def _in_place(kind: str, names: list[str], others: dict[str, str] | None = None) -> Use:
    """Return what reads a file of GeoQuery where it belongs, in every split."""

    def use(path: Path) -> None:
        folder = path.parent / f"{path.stem}.data"
        held = {name: path.read_bytes() for name in names}
        held |= {name: text.encode() for name, text in (others or {}).items()}
        for name, data in held.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        with mock.patch.dict(os.environ, {"TREEWRIGHT_DATA": str(folder)}):
            for split in SPLITS:
                _shown(geoquery(kind, split).train)

    return use
