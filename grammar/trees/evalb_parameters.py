"""What evalb compares: its parameters, and the ``.prm`` files that hold them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from grammar.errors import NotationError
from grammar.files import PathLike, read_text

__all__ = ["COLLINS", "ROOT_LABELS", "EvalbParameters"]

ROOT_LABELS = frozenset({"TOP", "ROOT", "S1", ""})
"""How treebanks and parsers name a root above the sentence; they are one thing."""

_IGNORED = frozenset({"DEBUG", "MAX_ERROR", "TED", "LA", "DEP"})
"""What evalb or disco-dop prints beside the scores, and after how many errors it gives up."""
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)
_SHOWN = 80
_LISTS = frozenset({"DELETE_LABEL", "DELETE_LABEL_FOR_LENGTH", "DELETE_WORD", "QUOTE_LABEL"})
_PAIRS = frozenset({"EQ_LABEL", "EQ_WORD"})
_NUMBERS = frozenset({"LABELED", "DISC_ONLY", "CUTOFF_LEN", "DELETE_ROOT_PRETERMS"})
_UNKNOWN = {
    "DISC_ONLY": "trees here have no discontinuous brackets",
    "DELETE_ROOT_PRETERMS": "words below the root are not deleted here; DELETE_LABEL names tags",
}
"""What must be 0, and why."""


@dataclass(frozen=True, kw_only=True)
class EvalbParameters:
    """What counts, and what is alike; by default as COLLINS.prm has it.

    Attributes
    ----------
    deleted : frozenset of str
        Labels of brackets that do not count, and tags of words that do not.
    not_in_length : frozenset of str
        Tags of words that do not count for the length of a sentence.
    deleted_words : frozenset of str
        Words that do not count.
    quotes : frozenset of str
        Tags of quotes: where both trees have one of these at a word, that of the right tree counts.
    alike_labels, alike_words : mapping of str to str
        Labels and words that count as others.
    labelled : bool
        Whether brackets have to agree in their labels.
    cutoff : int
        Sentences of at most so many words are scored apart, too.

    Examples
    --------
    >>> parameters = EvalbParameters.parse("DELETE_LABEL TOP\\nEQ_LABEL ADVP PRT\\nLABELED 0")
    >>> sorted(parameters.deleted), parameters.labelled, dict(parameters.alike_labels)
    (['TOP'], False, {'ADVP': 'PRT'})
    """

    deleted: frozenset[str] = frozenset({"TOP", "-NONE-", ",", ":", "``", "''", "."})
    not_in_length: frozenset[str] = frozenset({"-NONE-"})
    deleted_words: frozenset[str] = frozenset()
    quotes: frozenset[str] = frozenset()
    alike_labels: Mapping[str, str] = field(default_factory=lambda: {"PRT": "ADVP"})
    alike_words: Mapping[str, str] = field(default_factory=dict)
    labelled: bool = True
    cutoff: int = 40

    @classmethod
    def load(cls, path: PathLike) -> EvalbParameters:
        """Read a ``.prm`` file.

        Raises
        ------
        UnreadableInputError
            If it cannot be read.
        NotationError
            If a line is none that evalb knows, or asks for discontinuous brackets alone.
        """
        return cls.parse(read_text(path), source=str(path))

    @classmethod
    def parse(cls, text: str, *, source: str = "") -> EvalbParameters:
        """Read the text of a ``.prm`` file; a ``#`` begins a comment where a line begins."""
        lists: dict[str, set[str]] = {name: set() for name in _LISTS}
        pairs: dict[str, dict[str, str]] = {name: {} for name in _PAIRS}
        numbers = {"LABELED": 1, "CUTOFF_LEN": 40, **dict.fromkeys(_UNKNOWN, 0)}
        for line, (name, *values) in _lines(text):
            where = f"{source}:{line}" if source else f"line {line}"
            if name in _LISTS and len(values) == 1:
                lists[name].add(values[0])
            elif name in _PAIRS and len(values) == 2:
                pairs[name][values[0]] = values[1]
            elif name in _NUMBERS and len(values) == 1 and _WHOLE.fullmatch(values[0]):
                numbers[name] = int(values[0])
            elif name not in _IGNORED:
                known = ", ".join(sorted(_LISTS | _PAIRS | _NUMBERS | _IGNORED))
                raise NotationError(
                    f"{' '.join((name, *values))[:_SHOWN]} is no parameter of evalb",
                    where=where,
                    hint=f"a name and its values, such as DELETE_LABEL TOP; names are {known}",
                )
        for name, why in _UNKNOWN.items():
            if numbers[name]:
                raise NotationError(why, where=source, hint=f"{name} 0")
        return cls(
            deleted=frozenset(lists["DELETE_LABEL"]),
            not_in_length=frozenset(lists["DELETE_LABEL_FOR_LENGTH"]),
            deleted_words=frozenset(lists["DELETE_WORD"]),
            quotes=frozenset(lists["QUOTE_LABEL"]),
            alike_labels=pairs["EQ_LABEL"],
            alike_words=pairs["EQ_WORD"],
            labelled=bool(numbers["LABELED"]),
            cutoff=numbers["CUTOFF_LEN"],
        )


def _lines(text: str) -> Iterable[tuple[int, list[str]]]:
    """Yield the number and the words of each line that says something."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line.split()


COLLINS = EvalbParameters()
"""Those of COLLINS.prm."""
