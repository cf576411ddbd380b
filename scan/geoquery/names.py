"""Names in GeoQuery pairs: hidden behind typed marks, and put back at random.

``what is the capital of texas`` with ``answer ( capital ( loc_2 ( stateid ( ' texas ' ) ) ) )``
becomes ``what is the capital of STATE0`` with ``answer ( capital ( loc_2 ( STATE0 ) ) )``. What a
mark stands for is the name in the question, and the whole typed term in the target. A name that
is not in the question word by word (*us* for ``usa``) is left where it is.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scan.models.batches import random_stream

__all__ = ["Hidden", "NameBook", "hide_names"]

Pair = tuple[str, str]

# with relative variables, that a variable is a name is one condition like any other
_CONDITION = (
    r"(?:_const \( (?P<variable>v\d*) , )?_(?P<kind>\w+)id "
    r"\( (?P<name>[^(),]+?)(?: , [^()]+)? \)(?(variable) \)|)"
)
_TERMS = {
    "funql": r"(?P<kind>\w+)id \( ' (?P<name>[^']+) '(?: , [^()]+)? \)",
    "logic": _CONDITION,
    "prolog": _CONDITION,
    "sql": r'(?<=\.)(?P<kind>[A-Z_]+) (?:=|<>|<|>|IN \() (?P<term>" (?P<name>[^"]+) ")',
}
# columns of SQL that hold names of states under another name
_STATES = ("TRAVERSE", "BORDER")
_LETTERS = str.maketrans("0123456789", "abcdefghij")
_MARK = re.compile(r"[A-Za-z_]+\d+")
# far from the purposes that training draws for
_NAMES = 1_000


class Hidden(NamedTuple):
    """A pair with marks for names, and what each mark stands for in the text and the target."""

    text: str
    target: str
    names: dict[str, Pair]


class NameBook:
    """The names of a set of pairs by their kind, to be put where a mark of that kind stands."""

    def __init__(self, pairs: Iterable[Hidden]) -> None:
        kinds: defaultdict[str, set[Pair]] = defaultdict(set)
        for pair in pairs:
            for mark, name in pair.names.items():
                kinds[_kind(mark)].add(name)
        self._kinds = {kind: sorted(names) for kind, names in kinds.items()}

    def marks(self, text: str, target: str) -> list[str]:
        """Return the marks of a pair, in the order of the text."""
        written = set(target.split())
        return [
            word
            for word in text.split()
            if word in written and _MARK.fullmatch(word) and _kind(word) in self._kinds
        ]

    def fill(self, text: str, target: str, *, seed: int, index: int) -> Pair:
        """Put a random name for each mark; the names are a function of (seed, index).

        Marks of one kind get different names, as long as there are some.
        """
        draw = random_stream(seed, _NAMES, index)
        sides = [text.split(), target.split()]
        taken: Counter[str] = Counter()
        orders: dict[str, Sequence[int]] = {}
        for mark in dict.fromkeys(self.marks(text, target)):
            kind = _kind(mark)
            names = self._kinds[kind]
            order = orders.setdefault(kind, draw.permutation(len(names)).tolist())
            name = names[order[taken[kind] % len(names)]]
            taken[kind] += 1
            sides = [
                [put if word == mark else word for word in side]
                for side, put in zip(sides, name, strict=True)
            ]
        return " ".join(sides[0]), " ".join(sides[1])


def hide_names(representation: str, text: str, target: str) -> Hidden:
    """Hide the names of a pair.

    A target of ``logic`` or ``prolog`` may have letters for variables, or be one of
    :func:`scan.geoquery.variables.relative_variables`; one of ``sql`` is as published or one of
    :func:`scan.geoquery.aliases.relative_aliases`.

    Examples
    --------
    >>> hide_names("logic", "list ohio", "( v , _const ( v0 , _stateid ( ohio ) ) )").target
    '( v , STATE0 )'
    >>> hide_names("funql", "how big is new york",
    ...            "answer ( size ( stateid ( ' new york ' ) ) )")[:2]
    ('how big is STATE0', 'answer ( size ( STATE0 ) )')
    >>> hide_names("sql", "where is austin", 'WHERE CITYalias0.CITY_NAME = " austin " ;').target
    'WHERE CITYalias0.CITY_NAME = CITY_NAME0 ;'
    >>> hide_names("lambda", "capit of s0", "( capital:c s0 )")
    Hidden(text='capit of s0', target='( capital:c s0 )', names={})
    """
    names: dict[str, Pair] = {}
    if representation not in _TERMS:
        return Hidden(text, target, names)
    numbers: Counter[str] = Counter()
    padded = f" {text} "
    found = {
        (match.groupdict().get("term") or match[0], _kind_of(match), match["name"])
        : None for match in re.finditer(_TERMS[representation], target)
    }  # fmt: skip
    for term, kind, name in found:
        if f" {name} " not in padded:
            continue
        mark = f"{kind}{numbers[kind]}"
        numbers[kind] += 1
        # one blank may belong to two neighbours
        padded = re.sub(f"(?<= ){re.escape(name)}(?= )", mark, padded)
        target = target.replace(term, mark)
        names[mark] = (name, term)
    return Hidden(padded.strip(), target, names)


def _kind_of(match: re.Match[str]) -> str:
    kind: str = match["kind"].upper()
    variable = match.groupdict().get("variable")
    if variable in (None, "v0"):
        return "STATE_NAME" if kind in _STATES else kind
    # conditions on other variables stand elsewhere; no digit, that is for the number of the mark
    return f"{kind}_{variable.translate(_LETTERS)}"


def _kind(mark: str) -> str:
    return mark.rstrip("0123456789")
