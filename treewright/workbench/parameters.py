"""What an address asks for, read and checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from grammar.errors import OptionError

__all__ = ["Parameters"]

_MOST_CHARACTERS = 10_000


class Parameters:
    """The parameters of an address, of which the last one of a name counts.

    Examples
    --------
    >>> asked = Parameters({"page": "3"})
    >>> asked.number("page", 1, least=1, most=9), asked.text("pattern")
    (3, '')
    >>> asked.number("page", 1, least=1, most=2)
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: page: '3' is not a whole number from 1 to 2
      hint: write one, such as 1
    """

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given

    def text(self, name: str, default: str = "", *, most: int = _MOST_CHARACTERS) -> str:
        """Return a text without white space around it.

        Raises
        ------
        OptionError
            If it has too many characters.
        """
        text = self._given.get(name, default).strip()
        if len(text) > most:
            raise OptionError(
                f"the text has {len(text):,} characters", where=name, hint=f"write at most {most:,}"
            )
        return text or default

    def number(self, name: str, default: int, *, least: int, most: int) -> int:
        """Return a whole number (raises OptionError if it is none, or out of bounds)."""
        text = self.text(name)
        if not text:
            return default
        is_number = text.isascii() and text.isdecimal() and len(text) < 20
        if not is_number or not least <= int(text) <= most:
            raise OptionError(
                f"{text[:40]!r} is not a whole number from {least:,} to {most:,}",
                where=name,
                hint=f"write one, such as {default}",
            )
        return int(text)

    def choice(self, name: str, choices: Collection[str], default: str = "") -> str:
        """Return one of some texts, or the default (raises OptionError if it is another)."""
        text = self.text(name, default)
        if text != default and text not in choices:
            known = ", ".join(choices) or "none"
            raise OptionError(
                f"there is no {text[:40]!r}", where=name, hint=f"there are: {known[:400]}"
            )
        return text

    def flag(self, name: str) -> bool:
        """Say whether a box is ticked."""
        return self.text(name) not in ("", "0")
