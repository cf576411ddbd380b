"""Grammars that a person writes, with a start symbol a class, joined as those of corpora are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from grammar.errors import CorpusError, located
from grammar.files import PathLike, read_text
from grammar.messages import tell
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.operations import trim
from grammar.rules.notation import parse_productions
from grammar.rules.rules import Nonterminal, Production
from sampling.sentences.class_grammars import CLASSES, marked
from sampling.sentences.frames import MARKED, open_symbols, with_frames

__all__ = ["join_starts", "numbers_of", "read_labelled", "start_symbols", "uses_corpus"]


def uses_corpus(path: PathLike) -> bool:
    """Say whether a written grammar uses symbols that it has no rules for."""
    productions, _ = parse_productions(read_text(path), source=str(path))
    return bool(open_symbols(productions))


def read_labelled(
    path: PathLike, classes: Sequence[str], frames: Callable[[], Grammar]
) -> tuple[Grammar, tuple[str, ...]]:
    """Read a written grammar.

    Parameters
    ----------
    path : str or path
        In the notation of :meth:`grammar.Grammar.parse`.
    classes : sequence of str
        The names of the classes of the corpus, in order; may be empty.
    frames : callable
        Gives the grammar of the corpus, for symbols that have no rules (:mod:`.frames`).

    Returns
    -------
    Grammar
        The joint grammar.
    tuple of str
        The names of its classes, in order.

    Raises
    ------
    UnreadableInputError, NotationError, WeightError
        If the file is no grammar.
    CorpusError
        If its classes are not those of the corpus.
    """
    source = str(path)
    productions, _ = parse_productions(read_text(path), source=source)
    with located(source):
        starts = start_symbols(productions, classes)
        numbers = numbers_of(starts, classes)
        if open_symbols(productions):
            productions = with_frames(productions, frames())
        grammar = join_starts(productions, numbers)
    return grammar, tuple(classes) or tuple(sorted(starts))


def start_symbols(productions: Iterable[Production], classes: Sequence[str]) -> list[str]:
    """Return the symbols of classes, in the order in which they are written.

    They are those that the symbol ``CLASSES`` has rules for, if there is one; or those that are
    called as classes of the corpus; or those that no rule uses.

    >>> rules, _ = parse_productions("good -> 'fine' X | 'so' \\n bad -> 'poor' X \\n X -> '!'")
    >>> start_symbols(rules, ())
    ['good', 'bad']
    """
    given = list(productions)
    symbols = list(dict.fromkeys(p.lhs.name for p in given))
    if CLASSES in symbols:
        chosen = [p.rhs[0] for p in given if p.lhs.name == CLASSES and len(p.rhs) == 1]
        return [c.name for c in chosen if isinstance(c, Nonterminal)]
    named = [name for name in symbols if name in classes]
    used = {c.name for p in given for c in p.rhs if isinstance(c, Nonterminal)}
    return named or [n for n in symbols if n not in used and not MARKED.fullmatch(n)]


def numbers_of(starts: Sequence[str], classes: Sequence[str]) -> dict[str, int]:
    """Return the number of the class of each start symbol.

    Classes that have numbers only take the names in the order in which they are written, which is
    said.

    Raises
    ------
    CorpusError
        If the names are not those of the classes.

    Examples
    --------
    >>> numbers_of(["good", "bad"], ["bad", "good"]), numbers_of(["good", "bad"], [])
    ({'good': 1, 'bad': 0}, {'good': 1, 'bad': 0})
    """
    known = list(classes) or sorted(starts)
    bare = all(name.isdecimal() for name in known) and not any(n.isdecimal() for n in starts)
    if bare and len(starts) == len(known):
        pairs = ", ".join(f"{k} is {name}" for k, name in zip(known, starts, strict=True))
        tell(f"the classes have no names; as they are written: {pairs}")
        return {name: number for number, name in enumerate(starts)}
    for ours, theirs, what in ((starts, known, "is none of"), (known, starts, "is missing among")):
        strange = [name for name in ours if name not in theirs]
        if strange:
            raise CorpusError(
                f"the class {strange[0]!r} {what} {', '.join(theirs) or 'none'}",
                hint="write one start symbol, or one line of names, for every class as it is "
                "called in the corpus",
            )
    return {name: known.index(name) for name in starts}


def join_starts(productions: Iterable[Production], numbers: Mapping[str, int]) -> Grammar:
    """Return the joint grammar of rules with a start symbol a class.

    Symbols other than these are shared by the classes. The classes are as probable as rules of
    ``CLASSES`` say, or all alike.

    >>> rules, _ = parse_productions("good -> 'so' X | 'fine' \\n bad -> 'poor' X \\n X -> '!'")
    >>> print(join_starts(rules, {"good": 1, "bad": 0}).to_text(), end="")
    CLASSES -> bad^<label-0> [0.5]
    CLASSES -> good^<label-1> [0.5]
    X -> '!' [1.0]
    bad^<label-0> -> 'poor' X [1.0]
    good^<label-1> -> 'fine' [0.5]
    good^<label-1> -> 'so' X [0.5]
    """
    given = list(productions)
    symbols = {name: Nonterminal(marked(name, number)) for name, number in numbers.items()}
    for name in {p.lhs.name for p in given}:
        if place := MARKED.fullmatch(name):  # trees come without marks in brackets
            symbols.setdefault(name, Nonterminal(f"{place[1]}^<{place[2]}>"))
    if not any(p.lhs.name == CLASSES for p in given):
        top = Nonterminal(CLASSES)
        tops = [Production(top, (Nonterminal(n),), 1 / len(numbers)) for n in numbers]
        given = tops + given
    renamed = [
        replace(
            p,
            lhs=symbols.get(p.lhs.name, p.lhs),
            rhs=tuple(symbols.get(c.name, c) if isinstance(c, Nonterminal) else c for c in p.rhs),
        )
        for p in given
    ]
    return trim(Grammar.from_productions(renamed, start=CLASSES))
