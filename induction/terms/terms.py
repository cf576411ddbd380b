"""Terms: a head with arguments that have roles, such as ``eat ( agent = * cat , theme = cake )``.

A term is its *label* (one word or more) and its arguments, in order. An argument has a role (one
word) and a value, which is a term; a role without a value is an open place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grammar.errors import NotationError

__all__ = ["MARKS", "Argument", "Term"]

MARKS = ("(", ")", "=", ",")
"""Words that only give a term its shape."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A role and its term; None is an open place."""

    role: str
    value: Term | None


@dataclass(frozen=True, slots=True)
class Term:
    """A label with arguments.

    Parameters
    ----------
    label : tuple of str
        One word or more; the last is the head.
    arguments : tuple of Argument
        In order.

    Examples
    --------
    >>> term = Term.parse("eat ( agent = * cat , theme = cake ( nmod.on = table ) )")
    >>> term.head, [argument.role for argument in term.arguments]
    ('eat', ['agent', 'theme'])
    >>> str(term)
    'eat ( agent = * cat , theme = cake ( nmod.on = table ) )'
    >>> print(Term.parse("LAMBDA eat ( agent , theme )"))
    LAMBDA eat ( agent , theme )
    """

    label: tuple[str, ...]
    arguments: tuple[Argument, ...] = ()

    @classmethod
    def parse(cls, text: str | Sequence[str]) -> Term:
        """Read a term from words, or from a text with spaces between them.

        Raises
        ------
        NotationError
            If it is not a term; the word at fault is given with its place.
        """
        words = text.split() if isinstance(text, str) else list(text)
        reader = _Reader(words)
        term = reader.term()
        if reader.at < len(words):
            reader.fail("the end of the term")
        return term

    @property
    def head(self) -> str:
        """The last word of the label."""
        return self.label[-1]

    @property
    def words(self) -> tuple[str, ...]:
        """The term as it is written."""
        return tuple(self._written())

    def subterms(self) -> Iterator[Term]:
        """Yield this term and all below it, as they are written from left to right."""
        yield self
        for argument in self.arguments:
            if argument.value is not None:
                yield from argument.value.subterms()

    def __str__(self) -> str:
        return " ".join(self._written())

    def _written(self) -> Iterator[str]:
        yield from self.label
        for place, argument in enumerate(self.arguments):
            yield "," if place else "("
            yield argument.role
            if argument.value is not None:
                yield "="
                yield from argument.value._written()
        if self.arguments:
            yield ")"


class _Reader:
    def __init__(self, words: list[str]) -> None:
        self.words, self.at = words, 0

    def term(self) -> Term:
        label = [self.word("a label")]
        while self.next not in (*MARKS, None):
            label.append(self.word("a label"))
        arguments: list[Argument] = []
        if self.next == "(":
            while not arguments or self.next == ",":
                self.at += 1
                arguments.append(self.argument())
            self.expect(")")
        return Term(tuple(label), tuple(arguments))

    def argument(self) -> Argument:
        role = self.word("a role")
        if self.next != "=":
            return Argument(role, None)
        self.at += 1
        return Argument(role, self.term())

    @property
    def next(self) -> str | None:
        return self.words[self.at] if self.at < len(self.words) else None

    def word(self, wanted: str) -> str:
        word = self.next
        if word is None or word in MARKS:
            self.fail(wanted)
        self.at += 1
        assert word is not None  # fail() does not return
        return word

    def expect(self, mark: str) -> None:
        if self.next != mark:
            self.fail(repr(mark))
        self.at += 1

    def fail(self, wanted: str) -> None:
        found = "the end" if self.next is None else repr(self.next)
        raise NotationError(
            f"expected {wanted}, found {found}",
            where=f"word {self.at + 1} of {' '.join(self.words)[:80]!r}",
            hint="a term is written 'head ( role = term , ... )', with spaces between all words",
        )
