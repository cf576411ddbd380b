"""The SCAN language: commands, their trees, and the actions they stand for.

The grammar is ``scan.lark``; the interpretation follows figure 7 of the supplement of Lake &
Baroni (2018), *Generalization without systematicity: on the compositional skills of
sequence-to-sequence recurrent networks*, ICML.
"""

from __future__ import annotations

import difflib
import functools
import itertools
from typing import TYPE_CHECKING

from grammar.errors import OptionError, TreewrightError
from grammar.trees.tree import Tree

if TYPE_CHECKING:
    import lark

__all__ = ["Actions", "CommandError", "actions_of", "expansions", "interpret", "meaning", "parse"]

Actions = tuple[str, ...]
"""A sequence of actions, such as ``("I_TURN_LEFT", "I_JUMP")``."""

# "turn" only carries a direction: with it as "do nothing", the rules for U cover it as well
_WORD_ACTIONS: dict[str, Actions] = {
    "walk": ("I_WALK",),
    "look": ("I_LOOK",),
    "run": ("I_RUN",),
    "jump": ("I_JUMP",),
    "left": ("I_TURN_LEFT",),
    "right": ("I_TURN_RIGHT",),
    "turn": (),
}


class CommandError(TreewrightError, ValueError):
    """A text is not a command of SCAN.

    >>> from scan import interpret
    >>> interpret("jump to")
    Traceback (most recent call last):
    ...
    scan.language.CommandError: ...
    """


def parse(command: str) -> Tree:
    """Return the one tree of a command.

    The labels are those of the paper's grammar: ``C`` a command, ``S`` a clause, ``V`` a verb
    phrase, ``D`` a directed verb with its parts ``D1`` and ``D2``, ``U`` a primitive verb.

    Parameters
    ----------
    command : str
        Words apart by white space; how much does not matter.

    Raises
    ------
    CommandError
        If there is an unknown word (it is named, with its position and the nearest known word),
        or the words make no sentence (where it stops making sense, and what could follow there).

    Examples
    --------
    >>> print(parse("jump around left twice"))
    (C (S (V (D1 (U jump)) around (D2 left)) twice))
    >>> parse("jump arund left")
    Traceback (most recent call last):
    ...
    scan.language.CommandError: word 2 of 'jump arund left': unknown word 'arund'
      hint: did you mean 'around'? The words are after, and, around, jump, left, look, opposite,
      right, run, thrice, turn, twice, walk
    >>> parse("walk twice twice")
    Traceback (most recent call last):
    ...
    scan.language.CommandError: word 3 of 'walk twice twice': 'twice' cannot follow 'walk twice'
      hint: the command may end there, or go on with after, and

    References
    ----------
    Lake & Baroni (2018), supplement, figure 6.
    """
    from lark.exceptions import UnexpectedToken

    words = _known_words(command)
    text = " ".join(words)
    try:
        return _tree(_parser().parse(text))
    except UnexpectedToken as error:
        ended = error.token.type == "$END"
        place = len(words) if ended else text.count(" ", 0, error.token.start_pos)
    raise _not_a_sentence(words, place)


def interpret(command: str) -> Actions:
    """Return the actions that a command stands for.

    Raises
    ------
    CommandError
        If the text is not a command (see :func:`parse`).

    Examples
    --------
    >>> interpret("jump opposite left after walk twice")
    ('I_WALK', 'I_WALK', 'I_TURN_LEFT', 'I_TURN_LEFT', 'I_JUMP')

    Notes
    -----
    A command is one or two of only 102 clauses, so their meanings are looked up; whatever is not
    made of known clauses is parsed, which finds the fault.

    References
    ----------
    Lake & Baroni (2018), supplement, figure 7.
    """
    known = actions_of(command)
    return meaning(parse(command)) if known is None else known


def actions_of(command: str) -> Actions | None:
    """Return what :func:`interpret` does, or None where that raises: at once, without a reason.

    >>> actions_of("walk twice"), actions_of("walk twice twice")
    (('I_WALK', 'I_WALK'), None)
    """
    words = _words(command)
    for place, word in enumerate(words):
        if word in ("and", "after"):
            first = _clauses().get(words[:place])
            second = _clauses().get(words[place + 1 :])
            if first is not None and second is not None:
                return first + second if word == "and" else second + first
    return _clauses().get(words)


def meaning(node: Tree | str) -> Actions:
    """Return the actions of a tree made by :func:`parse`, of any node of one, or of a word.

    Raises
    ------
    CommandError
        If the tree has a word or a node that has no meaning. A tree built by hand is not checked
        further: clauses within clauses, which no command has, are given their obvious meaning.

    Examples
    --------
    >>> meaning(Tree("V", (Tree("D1", ("turn",)), "opposite", Tree("D2", ("left",)))))
    ('I_TURN_LEFT', 'I_TURN_LEFT')
    """
    if isinstance(node, str):
        if node not in _WORD_ACTIONS:
            raise CommandError(
                f"the word {node!r} means nothing on its own",
                hint=f"words that do are {', '.join(_WORD_ACTIONS)}",
            )
        return _WORD_ACTIONS[node]
    match node.children:
        case (only,):
            return meaning(only)
        case (first, "and", second):
            return meaning(first) + meaning(second)
        case (first, "after", second):
            return meaning(second) + meaning(first)
        case (verb, "twice"):
            return meaning(verb) * 2
        case (verb, "thrice"):
            return meaning(verb) * 3
        case (verb, "opposite", direction):
            return meaning(direction) * 2 + meaning(verb)
        case (verb, "around", direction):
            return (meaning(direction) + meaning(verb)) * 4
        case (verb, direction):
            return meaning(direction) + meaning(verb)
    raise CommandError(
        f"no rule of SCAN makes a {node.label} of {len(node.children)} such parts",
        where=f"tree {node}",
        hint="make the tree with scan.language.parse",
    )


def expansions(symbol: str = "c") -> tuple[str, ...]:
    """Return everything that a symbol of the grammar stands for, as texts, in a fixed order.

    The alternatives of a rule come in the order of the grammar file; within an alternative, the
    last part varies fastest. Each text has one derivation, so none comes twice.

    Parameters
    ----------
    symbol : {"c", "s", "v", "d", "d1", "d2", "u"}
        ``"c"`` gives whole commands, ``"s"`` clauses.

    Raises
    ------
    OptionError
        If the grammar has no such symbol.

    Examples
    --------
    >>> expansions("u")
    ('walk', 'look', 'run', 'jump')
    >>> expansions("d")[:3]
    ('walk left', 'walk right', 'look left')
    >>> [len(expansions(symbol)) for symbol in ("c", "s", "v")]
    [20910, 102, 34]
    """
    words = _words_by_terminal()
    rules = [rule for rule in _parser().rules if rule.origin.name == symbol]
    if not rules:
        symbols = sorted({rule.origin.name for rule in _parser().rules})
        raise OptionError(
            f"unknown symbol {symbol!r} of the SCAN grammar",
            hint=f"the symbols are {', '.join(symbols)}",
        )
    texts: list[str] = []
    for rule in sorted(rules, key=lambda rule: int(rule.order)):
        parts = [
            (words[part.name],) if part.is_term else expansions(part.name)
            for part in rule.expansion
        ]
        texts.extend(" ".join(choice) for choice in itertools.product(*parts))
    return tuple(texts)


@functools.cache
def _parser() -> lark.Lark:
    import lark

    return lark.Lark.open(
        "scan.lark",
        rel_to=__file__,
        parser="lalr",
        start="c",
        keep_all_tokens=True,
    )


@functools.cache
def _words_by_terminal() -> dict[str, str]:
    return {
        terminal.name: terminal.pattern.value
        for terminal in _parser().terminals
        if terminal.name not in _parser().ignore_tokens
    }


@functools.cache
def _clauses() -> dict[Actions, Actions]:
    return {tuple(text.split()): meaning(parse(text)) for text in expansions("s")}


def _words(command: str) -> tuple[str, ...]:
    if not isinstance(command, str):
        raise CommandError(
            f"a command is text, not {type(command).__name__}",
            where=repr(command)[:80],
            hint="join the words with spaces",
        )
    return tuple(command.split())


def _known_words(command: str) -> tuple[str, ...]:
    words = _words(command)
    known = sorted(_words_by_terminal().values())
    for place, word in enumerate(words, start=1):
        if word not in known:
            near = difflib.get_close_matches(word.lower(), known, n=1, cutoff=0.5)
            guess = f"did you mean {near[0]!r}? " if near else ""
            raise CommandError(
                f"unknown word {_excerpt((word,))}",
                where=f"word {place} of {_excerpt(words)}",
                hint=f"{guess}The words are {', '.join(known)}",
            )
    return words


def _tree(node: lark.Tree[lark.Token]) -> Tree:
    children = (str(c) if isinstance(c, str) else _tree(c) for c in node.children)
    return Tree(str(node.data).upper(), tuple(children))


def _not_a_sentence(words: tuple[str, ...], place: int) -> CommandError:
    before = " ".join(words[:place])
    follow, may_end = _what_follows(before)
    listed = ", ".join(follow)
    if not before:
        fault, hint = "cannot start a command", f"it may start with {listed}"
    else:
        fault, hint = f"cannot follow {before!r}", f"it may go on with {listed}"
    if may_end:
        hint = f"the command may end there{f', or go on with {listed}' if follow else ''}"
    if not words:
        return CommandError("the command is empty", hint=hint)
    if place == len(words):
        what, where = f"the command breaks off after {words[-1]!r}", f"end of {_excerpt(words)}"
    else:
        what, where = f"{words[place]!r} {fault}", f"word {place + 1} of {_excerpt(words)}"
    return CommandError(what, where=where, hint=hint)


def _what_follows(before: str) -> tuple[list[str], bool]:
    """Return the words that can follow this beginning of a sentence, and whether it may end there.

    The beginning is parsed again, because the parser that met the fault has by then reduced on a
    merged lookahead: after ``walk and run`` it would no longer know that ``twice`` can follow.
    """
    parser = _parser().parse_interactive(before)
    parser.exhaust_lexer()
    accepted: set[str] = parser.accepts()  # type: ignore[no-untyped-call]  # lark has no hint here
    names = _words_by_terminal()
    return sorted(names[name] for name in accepted if name in names), "$END" in accepted


def _excerpt(words: tuple[str, ...]) -> str:
    text = " ".join(words)
    return repr(text if len(text) <= 80 else text[:79] + "…")
