"""Prompts and answers: an example is a line of JSON, and an answer that is none is refused."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sampling.neural.prompted.skeletons import fills

__all__ = ["Answer", "Asked", "Item", "Lines"]

_LABEL = '"label": "'


class Item(NamedTuple):
    """An example as it is shown.

    Attributes
    ----------
    texts : tuple of str
        Its text, or both of a pair.
    label : str
        The name of its class; empty if there are none.
    skeleton : str
        Its words with gaps; empty if none are shown.
    """

    texts: tuple[str, ...]
    label: str = ""
    skeleton: str = ""


class Asked(NamedTuple):
    """What a model is asked: what stands before its line, and how the line begins."""

    before: str
    begin: str


class Answer(NamedTuple):
    """An answer that is an example.

    Attributes
    ----------
    asked : Asked
        The prompt.
    line : str
        The line.
    item : Item
        What was read of it.
    likely : object
        What the model said of its pieces, if it did.
    """

    asked: Asked
    line: str
    item: Item
    likely: Any = None


@dataclass(frozen=True)
class Lines:
    """How examples are written and read.

    Parameters
    ----------
    sides : tuple of str
        The columns of texts.
    classes : tuple of str
        The names of the classes; none if texts have no labels.
    skeletons : bool
        Whether words with gaps are shown and filled.

    Examples
    --------
    >>> lines = Lines(("text",), ("bad", "good"))
    >>> asked = lines.ask([Item(("A fine day.",), "good")])
    >>> print(asked.before + asked.begin)
    Lines of JSON. "text" is a text, "label" is one of: bad, good. No text comes twice.
    {"text": "A fine day.", "label": "good"}
    {"text": "
    >>> lines.read('{"text": "A long night.", "label": "bad"}', asked)
    Item(texts=('A long night.',), label='bad', skeleton='')
    >>> lines.read('{"text": "A long night.", "label": "long"}', asked) is None
    True
    """

    sides: tuple[str, ...]
    classes: tuple[str, ...] = ()
    skeletons: bool = False

    def ask(self, shown: Sequence[Item], skeleton: str = "") -> Asked:
        """Return the prompt for one more line behind the examples.

        Parameters
        ----------
        shown : sequence of Item
            Examples.
        skeleton : str
            What is to be filled, where skeletons are used.
        """
        rows = "\n".join(self.line(item) for item in shown)
        first = "skeleton" if self.skeletons else self.sides[0]
        begin = f'{{"{first}": "'
        if self.skeletons:
            begin = self._begin(skeleton)
        return Asked(f"{self._head()}\n{rows}\n", begin)

    def line(self, item: Item) -> str:
        """Return an example as a line."""
        held = {"skeleton": item.skeleton} if self.skeletons else {}
        held |= dict(zip(self.sides, item.texts, strict=True))
        held |= {"label": item.label} if self.classes else {}
        return json.dumps(held, ensure_ascii=False)

    def read(self, line: str, asked: Asked) -> Item | None:
        """Return the example of a line, or None if it is not one as it was asked for."""
        names = ["skeleton"] * self.skeletons + [*self.sides] + ["label"] * bool(self.classes)
        try:
            held = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(held, dict) or list(held) != names:
            return None
        if not all(isinstance(value, str) and _is_plain(value) for value in held.values()):
            return None
        texts = tuple(held[side].strip() for side in self.sides)
        label, skeleton = held.get("label", ""), held.get("skeleton", "")
        if not all(texts) or (self.classes and label not in self.classes):
            return None
        if self.skeletons and not (line.startswith(asked.begin) and fills(texts[0], skeleton)):
            return None
        return Item(texts, label, skeleton)

    def up_to_label(self, line: str) -> str:
        """Return a line up to the name of its class."""
        return line[: line.rindex(_LABEL) + len(_LABEL)]

    def _head(self) -> str:
        said = [f'"{side}" is a text' for side in self.sides]
        if len(said) == 2:
            said[1] = f'"{self.sides[1]}" is one that goes with it'
        if self.skeletons:
            said.insert(0, '"skeleton" has words and gaps')
            said[1] = f'"{self.sides[0]}" is the same with one word in each gap'
        if self.classes:
            said.append(f'"label" is one of: {", ".join(self.classes)}')
        return f"Lines of JSON. {', '.join(said)}. No text comes twice."

    def _begin(self, skeleton: str) -> str:
        whole = json.dumps({"skeleton": skeleton, self.sides[0]: ""}, ensure_ascii=False)
        return whole.removesuffix('"}')


def _is_plain(text: str) -> bool:
    """Return whether a text has no control characters and no halves of characters."""
    return all(unicodedata.category(mark) not in ("Cc", "Cs") for mark in text)
