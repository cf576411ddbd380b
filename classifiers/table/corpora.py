"""Data sets that are known by name, as they lie in a folder of data."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from classifiers.table.passages import brown, gum
from classifiers.table.rows import Parts, Rows, divided, drawn

__all__ = ["CORPORA"]

AG_CLASSES = ("World", "Sports", "Business", "Sci/Tech")
HELD_OUT = {"trec": 800, "subj": 2000, "imdb": 500}


def _sst2(root: Path) -> Parts:
    names = {"0": "negative", "1": "positive"}

    def rows(part: str) -> Rows:
        lines = gzip.decompress((root / "sst2" / f"stsa.binary.{part}.gz").read_bytes())
        return [(line[2:], names[line[0]]) for line in lines.decode("latin-1").split("\n") if line]

    return rows("train"), {"test": rows("test")}


def _reviews(root: Path) -> Rows:
    text = gzip.decompress((root / "imdb" / "imdb_1000.csv.gz").read_bytes()).decode()
    read = csv.DictReader(io.StringIO(text))
    return [(" ".join(row["review"].split("<br />")), row["sentiment"]) for row in read]


def _imdb(root: Path) -> Parts:
    return divided(_reviews(root), HELD_OUT["imdb"], "test", {})


def _sst2_to_imdb(root: Path) -> Parts:
    """Sentences of reviews to learn from, whole reviews of other people to test on."""
    return _sst2(root)[0], {"imdb": _reviews(root)}


def _trec(root: Path, *, fine: bool = False) -> Parts:
    def rows(name: str) -> Rows:
        lines = (root / "trec" / name).read_text("latin-1").split("\n")
        parted = (line.partition(" ") for line in lines if line.strip())
        return [
            (text.strip(), label if fine else label.partition(":")[0]) for label, _, text in parted
        ]

    tests = {"test": rows("TREC_10.label")}
    return divided(rows("train_5500.label"), HELD_OUT["trec"], "held out", tests)


def _ag_news(root: Path) -> Parts:
    def rows(name: str) -> Rows:
        text = gzip.decompress((root / "ag_news" / name).read_bytes()).decode()
        read = csv.reader(io.StringIO(text))
        # the training file has title and description in one column, and then the source
        texts = slice(1, 2) if name.startswith("train") else slice(1, 3)
        return [(" ".join(r[texts]), AG_CLASSES[int(r[0]) - 1]) for r in read if r[0].isdecimal()]

    return rows("train_subset.csv.gz"), {"test": rows("test.csv.gz")}


def _subj(root: Path) -> Parts:
    names = {"0": "subjective", "1": "objective"}
    lines = gzip.decompress((root / "subj" / "subj.all.gz").read_bytes()).decode("latin-1")
    rows: Rows = [(line[2:], names[line[0]]) for line in lines.split("\n") if line.strip()]
    return divided(rows, HELD_OUT["subj"], "test", {})


def _pairs(path: Path, label: str, first: str, second: str) -> Rows:
    text = gzip.decompress(path.read_bytes()).decode("utf-8-sig")
    read = csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [((row[first], row[second]), row[label]) for row in read]


def _mrpc(root: Path) -> Parts:
    columns = ("Quality", "#1 String", "#2 String")
    test = _pairs(root / "mrpc" / "msr_paraphrase_test.txt.gz", *columns)
    return _pairs(root / "mrpc" / "train.tsv.gz", *columns), {"test": test}


def _rte(root: Path) -> Parts:
    columns = ("label", "sentence1", "sentence2")
    test = _pairs(root / "rte" / "dev.tsv.gz", *columns)
    return _pairs(root / "rte" / "train.tsv.gz", *columns), {"test": test}


ASKED_FOR = {
    "flight": r"\( flight \$0 \)",
    "ground_transport": r"\( ground_transport \$0 \)",
    "fare": r"\( = \( fare \$1 \) \$0 \)",
    "airline": r"\( = \( airline : e \$1 \) \$0 \)",
    "aircraft": r"\( = \( aircraft_code \$1 \) \$0 \)",
    "departure_time": r"\( = \( departure_time \$1 \) \$0 \)",
}
"""What a form of ATIS says of the variable that it asks for."""


def _atis(root: Path) -> Parts:
    """Questions whose forms ask for one kind of thing; at most 200 of a kind, half are tested."""
    lines = gzip.decompress((root / "atis" / "atis-logic.txt.gz").read_bytes()).decode().split("\n")
    rows: Rows = []
    for text, _, form in sorted({line.partition(" ||| ") for line in lines}):
        said = [name for name, pattern in ASKED_FOR.items() if re.search(pattern, form)]
        if form.startswith("( lambda $0 e (") and form.count("lambda") == 1 and len(said) == 1:
            rows.append((text, said[0]))
    kept = drawn(rows, 200, "atis")
    return divided(kept, len(kept) // 2, "test", {})


CORPORA: Mapping[str, Callable[[Path], Parts]] = MappingProxyType(
    {
        "sst2": _sst2,
        "trec": _trec,
        "trec_fine": lambda root: _trec(root, fine=True),
        "ag_news": _ag_news,
        "subj": _subj,
        "imdb": _imdb,
        "sst2_imdb": _sst2_to_imdb,
        "mrpc": _mrpc,
        "rte": _rte,
        "atis": _atis,
        "brown": brown,
        "gum": gum,
    }
)
"""The parts of each data set, read below a folder."""
