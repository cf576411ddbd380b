"""What blind readers said of new texts: the table that the probes learn from.

``docs/results/reading/probe.tsv`` has a row for each text that Sub2, TreeMix and ALP made while a
model chose, of sources that may be passed on (the card names them): where it is from, which method
made it, in which round (0: the odds of features chose; then earlier probes), whether it was chosen
or just read, a number for its host, the characters at which what is new begins and ends, whether a
blind reader said that it reads well, and the text. None is made of sentences whose texts are read
blind; plots are of the corpus of Subj, of other sentences.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sampling.neural.causal.features import Change

__all__ = ["TABLE", "Row", "rows"]

TABLE = Path(__file__).parent.parent / "docs" / "results" / "reading" / "probe.tsv"


class Row(NamedTuple):
    """A text with its verdict."""

    source: str
    method: str
    round: str
    chosen: str
    host: str
    change: Change
    verdict: int


def rows() -> list[Row]:
    _, *lines = TABLE.read_text("utf-8").splitlines()
    return [_row(*line.split("\t")) for line in lines]


def _row(
    source: str, method: str, turn: str, chosen: str, host: str,
    begin: str, end: str, verdict: str, text: str,
) -> Row:  # fmt: skip
    change = Change(text, "", int(begin), int(end), 0, 0, 0)
    return Row(source, method, turn, chosen, host, change, int(verdict))
