"""SCAN whole: every command with its actions, the way back, and an audit of made-up pairs.

The interpreter knows the answer to every command, test commands included. So it only ever
checks the work of a model or a sampler; it never labels examples that a model is trained on.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass

from induction.corpus.corpus import Corpus
from scan.language import Actions, CommandError, expansions, interpret

__all__ = ["Disagreement", "Verification", "commands", "commands_for", "generate", "verify"]

_LISTED = 5


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A pair that the interpreter contradicts.

    Attributes
    ----------
    id, text, target : str
        The pair as it was given.
    expected : str
        The actions that the interpreter gives, or its error if the text is not a command.

    Examples
    --------
    >>> from induction import Corpus
    >>> from scan import verify
    >>> found = verify(Corpus.from_columns(text=["run"], target=["I_WALK"])).disagreements
    >>> found[0].expected
    'I_RUN'
    """

    id: str
    text: str
    target: str
    expected: str


@dataclass(frozen=True, slots=True)
class Verification:
    """How many pairs the SCAN interpreter agrees with.

    Attributes
    ----------
    total : int
        Pairs checked.
    agreeing : int
        Pairs whose target is what the interpreter gives.
    outside : int
        Pairs whose text is not a SCAN command; they count as disagreeing.
    disagreements : tuple of Disagreement
        The first few.

    Examples
    --------
    >>> from induction import Corpus
    >>> from scan import verify
    >>> pairs = Corpus.from_columns(text=["jump", "run"], target=["I_JUMP", "I_WALK"])
    >>> verify(pairs).rate
    0.5
    """

    total: int
    agreeing: int
    outside: int
    disagreements: tuple[Disagreement, ...]

    @property
    def rate(self) -> float:
        """Share of agreeing pairs, 0 to 1; 1 if there are none to disagree with."""
        return self.agreeing / self.total if self.total else 1.0

    def __str__(self) -> str:
        lines = [f"{self.agreeing} of {self.total} pairs agree with the interpreter"]
        if self.total:
            lines[0] += f" ({self.rate:.2%})"
        if self.outside:
            lines.append(f"{self.outside} texts are not SCAN commands")
        for pair in self.disagreements:
            lines += [f"{pair.id}: {pair.text}", f"  target:   {pair.target}"]
            lines += [f"  expected: {pair.expected}"]
        unlisted = self.total - self.agreeing - len(self.disagreements)
        return "\n".join([*lines, f"... and {unlisted} more"] if unlisted else lines)


def commands() -> tuple[str, ...]:
    """Return all 20,910 commands of SCAN, in a fixed order.

    The order follows the rules of ``scan.lark`` (see :func:`scan.language.expansions`): single
    clauses first, then ``and``, then ``after``; of two clauses the second varies fastest; in a
    clause the plain verb phrases come before those with ``twice`` and then ``thrice``.

    Examples
    --------
    >>> len(commands())
    20910
    >>> commands()[:5]
    ('walk', 'look', 'run', 'jump', 'walk left')
    >>> commands()[-1]
    'turn around right thrice after turn around right thrice'

    References
    ----------
    Lake & Baroni (2018), supplement, figure 6.
    """
    return _language()[0]


@functools.cache
def generate() -> Corpus:
    """Return the whole of SCAN as a corpus with the columns ``id``, ``text`` and ``target``.

    The examples come in the order of :func:`commands`; the id of an example is its place in it.

    Examples
    --------
    >>> generate()
    Corpus(20,910 examples: id, text, target)
    >>> generate()[4]
    {'id': '4', 'text': 'walk left', 'target': 'I_TURN_LEFT I_WALK'}
    """
    texts, targets = _language()
    return Corpus.from_columns(text=texts, target=[" ".join(actions) for actions in targets])


def commands_for(actions: str | Iterable[str]) -> tuple[str, ...]:
    """Return every command that stands for these actions, in generation order: the way back.

    Parameters
    ----------
    actions : str or iterable of str
        One text, or the actions one by one.

    Returns
    -------
    tuple of str
        Empty if no command of SCAN means this.

    Examples
    --------
    >>> commands_for("I_TURN_LEFT I_WALK I_RUN")
    ('walk left and run', 'run after walk left')
    >>> commands_for(["I_FLY"])
    ()
    """
    wanted = actions.split() if isinstance(actions, str) else actions
    return _commands_by_actions().get(tuple(wanted), ())


def verify(pairs: Corpus) -> Verification:
    """Check pairs of ``text`` and ``target`` against the interpreter.

    Parameters
    ----------
    pairs : Corpus
        With a column ``target``: actions apart by spaces.

    Raises
    ------
    CorpusError
        If there is no column ``target``.

    Examples
    --------
    >>> pairs = Corpus.from_columns(
    ...     text=["jump twice", "walk left", "walk walk"],
    ...     target=["I_JUMP I_JUMP", "I_WALK I_TURN_LEFT", "I_WALK I_WALK"],
    ... )
    >>> print(verify(pairs))
    1 of 3 pairs agree with the interpreter (33.33%)
    1 texts are not SCAN commands
    1: walk left
      target:   I_WALK I_TURN_LEFT
      expected: I_TURN_LEFT I_WALK
    2: walk walk
      target:   I_WALK I_WALK
      expected: word 2 of 'walk walk': 'walk' cannot follow 'walk'
    """
    agreeing = outside = 0
    listed: list[Disagreement] = []
    rows = zip(*(pairs.column(name) for name in ("id", "text", "target")), strict=True)
    for id, text, target in rows:
        try:
            expected = " ".join(interpret(text))
        except CommandError as error:
            outside += 1
            agrees, expected = False, f"{error.where}: {error.what}" if error.where else error.what
        else:
            agrees = target is not None and target.split() == expected.split()
        agreeing += agrees
        if not agrees and len(listed) < _LISTED:
            listed.append(Disagreement(str(id), str(text), str(target), expected))
    return Verification(len(pairs), agreeing, outside, tuple(listed))


@functools.cache
def _language() -> tuple[tuple[str, ...], tuple[Actions, ...]]:
    texts = expansions("c")
    return texts, tuple(interpret(text) for text in texts)


@functools.cache
def _commands_by_actions() -> dict[Actions, tuple[str, ...]]:
    index: dict[Actions, list[str]] = {}
    for text, actions in zip(*_language(), strict=True):
        index.setdefault(actions, []).append(text)
    return {actions: tuple(texts) for actions, texts in index.items()}
