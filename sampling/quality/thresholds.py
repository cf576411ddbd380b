"""Thresholds that a quality report must keep, written as ``NAME OP NUMBER``; read, never run."""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from grammar.errors import OptionError

__all__ = ["Threshold", "nearest_name", "read_thresholds"]

_COMPARE: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
)
_PATTERN = re.compile(
    r"\s*([A-Za-z_]\w*)\s*(>=|<=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(%?)\s*"
)


@dataclass(frozen=True)
class Threshold:
    """A comparison that means failure if it holds."""

    name: str
    sign: str
    number: float

    def __str__(self) -> str:
        return f"{self.name} {self.sign} {self.number:g}"

    def fails(self, value: float) -> bool:
        """Say whether a value is on the failing side.

        >>> Threshold("duplicates", ">", 0.01).fails(0.02)
        True
        """
        return _COMPARE[self.sign](value, self.number)


def read_thresholds(texts: Iterable[str], known: Iterable[str]) -> list[Threshold]:
    """Read thresholds; a text may hold several, with commas between them.

    Parameters
    ----------
    texts : iterable of str
        Such as ``"duplicates>0.01"`` or ``"fidelity < 75%, novelty < 1"``.
    known : iterable of str
        The names of measures.

    Raises
    ------
    OptionError
        If a text is no comparison of a name with a number, or names no measure.

    Examples
    --------
    >>> [str(t) for t in read_thresholds(["fidelity<75%, novelty < 1"], ["fidelity", "novelty"])]
    ['fidelity < 0.75', 'novelty < 1']
    >>> read_thresholds(["noveltie<1"], ["fidelity", "novelty"])
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: noveltie<1: there is no measure 'noveltie'
      hint: did you mean novelty?
    """
    names = list(known)
    return [_read(part, names) for text in texts for part in text.split(",")]


def _read(text: str, known: list[str]) -> Threshold:
    match = _PATTERN.fullmatch(text)
    if not match:
        raise OptionError(
            "this is no comparison of a measure with a number",
            where=repr(text.strip()),
            hint="write NAME OP NUMBER with one of > >= < <=, for example 'duplicates>0.01'",
        )
    name, sign, number, percent = match.groups()
    if name not in known:
        raise OptionError(
            f"there is no measure {name!r}", where=text.strip(), hint=nearest_name(name, known)
        )
    return Threshold(name, sign, float(number) / 100 if percent else float(number))


def nearest_name(name: str, known: list[str]) -> str:
    """Return a hint: the known names that look most like a name, or else all of them.

    >>> nearest_name("duplicate", ["duplicates", "novelty"])
    'did you mean duplicates?'
    """
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.55)
    return f"did you mean {' or '.join(close)}?" if close else f"measures are {', '.join(known)}"
