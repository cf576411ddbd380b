"""Synchronous grammars from pairs of sentences and terms alone.

Where targets are terms, their brackets say what belongs together, so rules need not be searched
for. Four steps, each a choice made on the pairs only:

1. *Lexicon*: which source word stands for which target word (:mod:`induction.terms.alignment`).
2. *Rules*: the minimal rules of each pair, linked words blanked (:mod:`induction.terms.rules`).
   Some ten thousand sentences leave some dozen templates.
3. *Types*: phrase slots that are filled by the same templates have the same type.
4. *Frames*: words that are used alike may be used in the same templates
   (:mod:`induction.terms.word_classes`), so that a verb that was only seen in the active has a
   passive, and a word that was only seen alone has a sentence.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import networkx as nx

from grammar.errors import CorpusError, NotationError, located
from grammar.options import TINY, Checked, option, read_options, takes
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.rule import Slot, SynchronousRule
from induction.corpus.corpus import Corpus
from induction.corpus.pairs import Pair, distinct_pairs, place_of
from induction.terms.alignment import TermPair, WordLexicon, induce_word_lexicon
from induction.terms.rules import (
    PHRASE,
    TOP,
    WORD,
    Attachment,
    Entry,
    RuleTree,
    choose_attachment,
    linked_rules,
)
from induction.terms.terms import Term
from induction.terms.word_classes import Context, WordClasses, induce_word_classes

__all__ = ["TermInduction", "TermOptions", "induce_from_terms"]

_TRIED = 1000
"""Pairs on which it is decided what words without a link belong to."""

Place = tuple[SynchronousRule, int]
"""A slot of a template."""


@dataclass(frozen=True)
class TermInduction:
    """A grammar and what it was made of.

    Attributes
    ----------
    grammar : SynchronousGrammar
        Types are ``TOP``, phrases ``P1``, ``P2``, ... and words ``W1``, ``W2``, ...; rules of
        phrases weigh as often as they were seen, words of a type all the same.
    lexicon : WordLexicon
        Which words stand for which.
    attachment : dict of str to str
        What words without a link belong to.
    templates : dict of SynchronousRule to int
        Templates, and how often they were seen.
    classes : WordClasses
        Classes of words, and what each may be used in.
    uncertain : int
        Pairs that were left out because their links are not certain.
    """

    grammar: SynchronousGrammar
    lexicon: WordLexicon = field(repr=False)
    attachment: dict[str, Attachment]
    templates: dict[SynchronousRule, int] = field(repr=False)
    classes: WordClasses[Entry] = field(repr=False)
    uncertain: int

    @property
    def saved(self) -> SynchronousGrammar:
        """What is saved of it: the grammar."""
        return self.grammar

    def to_dict(self) -> dict[str, Any]:
        """Return what was found, in numbers."""
        return {
            "left_out": self.uncertain,
            "words": len(self.lexicon),
            "templates": len(self.templates),
            "rules": len(self.grammar),
            "types": len(self.grammar.types),
        }

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield what was found, for people."""
        yield from ((name, f"{number:,}") for name, number in self.to_dict().items())


@dataclass(frozen=True, kw_only=True)
class TermOptions(Checked):
    """The options of :func:`induce_from_terms`."""

    evidence: int = option(
        2,
        "Templates that two slots must share to be of one type, and words of a class that must "
        "have been seen in a context before the others may take it.",
        least=1,
    )
    refuted: float = option(
        0.05,
        "Share of the uses of a context that may speak against its words being of one class.",
        least=TINY,
        most=1.0,
    )
    frames: bool = option(True, "Whether words may take contexts in which they were not seen.")


@takes(TermOptions)
def induce_from_terms(
    pairs: Corpus | Iterable[Pair],
    *,
    on_progress: Callable[[str], Any] | None = None,
    **options: Any,
) -> TermInduction:
    """Induce a grammar from sentences and terms.

    Parameters
    ----------
    pairs : Corpus or iterable of (sentence, term)
        Both with spaces between words, or as words; repeated pairs count once. A corpus needs the
        column ``target``.
    on_progress : callable, optional
        Told in words what was found.
    **options
        See :class:`TermOptions`.

    Raises
    ------
    CorpusError
        If there are no pairs, a side is empty, one source has two terms, or no pair has certain
        links.
    NotationError
        If a target is not a term.
    OptionError
        If an option is unknown or cannot be used.

    Examples
    --------
    >>> found = induce_from_terms([
    ...     ("ann slept", "sleep ( agent = Ann )"), ("bob slept", "sleep ( agent = Bob )"),
    ...     ("ann ran", "run ( agent = Ann )"), ("bob ran", "run ( agent = Bob )"),
    ... ])
    >>> print(found.grammar)
    %start TOP
    TOP -> P1_1 W1_2 ### W1_2 ( agent = P1_1 ) [1.0]
    P1 -> W2_1 ### W2_1 [1.0]
    W1 -> ran ### run [0.5]
    W1 -> slept ### sleep [0.5]
    W2 -> ann ### Ann [0.5]
    W2 -> bob ### Bob [0.5]
    """
    how = read_options(TermOptions, options, "induce_from_terms")
    say = on_progress or _silent
    training = _training(pairs)
    lexicon = induce_word_lexicon(training)
    say(f"lexicon: {len(lexicon)} source words, {len(lexicon.sources)} target words")
    attachment = choose_attachment(training[:: max(1, len(training) // _TRIED)], lexicon)
    say(f"words without a link: {', '.join(f'{w} {kind}' for w, kind in attachment.items())}")
    found = [linked_rules(pair, lexicon, attachment) for pair in training]
    trees = [tree for tree in found if tree is not None]
    if not trees:
        raise CorpusError(
            "no pair tells which word stands for which", hint="give more pairs with the same words"
        )
    templates = Counter(use.template for tree in trees for use in tree.walk())
    say(f"rules: {len(templates)} templates, {len(found) - len(trees)} pairs left out")
    classes = induce_word_classes(_uses(trees), evidence=how.evidence, refuted=how.refuted)
    say(f"frames: {len(classes.classes)} classes, {classes.added} uses added")
    words = classes.admitted if how.frames else classes.seen
    grammar = _Typing(trees, how.evidence).grammar(words)
    say(f"grammar: {len(grammar)} rules of {len(grammar.types)} types")
    return TermInduction(
        grammar, lexicon, attachment, dict(templates), classes, len(found) - len(trees)
    )


def _silent(_: str) -> None:
    pass


def _training(pairs: Corpus | Iterable[Pair]) -> list[TermPair]:
    made = []
    for source, (row, target) in distinct_pairs(pairs).items():
        try:
            made.append(TermPair(source, Term.parse(" ".join(target))))
        except NotationError:
            with located(place_of(pairs, row)):
                raise
    return made


def _uses(trees: Sequence[RuleTree]) -> dict[Entry, Counter[Context]]:
    uses: defaultdict[Entry, Counter[Context]] = defaultdict(Counter)
    for tree in trees:
        for use in tree.walk():
            for slot, entry in use.entries.items():
                uses[entry][_context(use.template, slot)] += 1
    return dict(uses)


def _context(template: SynchronousRule, slot: int) -> Context:
    source, target = (" ".join(map(str, side)) for side in (template.source, template.target))
    return Context(template.lhs, source, target, slot)


class _Typing:
    """Types of phrases: the whole, and sets of slots that share what fills them."""

    def __init__(self, trees: Sequence[RuleTree], evidence: int) -> None:
        self.fillers: defaultdict[Place, Counter[SynchronousRule]] = defaultdict(Counter)
        self.whole: Counter[SynchronousRule] = Counter()
        for tree in trees:
            self.whole[tree.template] += 1
            for use in tree.walk():
                for slot, child in use.children.items():
                    self.fillers[use.template, slot][child.template] += 1
        self.type_of = self._types(evidence)

    def _types(self, evidence: int) -> dict[Place, str]:
        places = sorted(self.fillers, key=lambda p: (-self.fillers[p].total(), str(p)))
        alike = nx.Graph()
        alike.add_nodes_from(places)
        for i, a in enumerate(places):
            for b in places[:i]:
                shared = len(self.fillers[a].keys() & self.fillers[b].keys())
                # a slot that has only ever been filled in few ways cannot share more
                few = min(evidence, len(self.fillers[a]), len(self.fillers[b]))
                if shared >= few:
                    alike.add_edge(a, b)
        groups = sorted(nx.connected_components(alike), key=lambda g: min(map(places.index, g)))
        return {place: f"P{n}" for n, group in enumerate(groups, start=1) for place in group}

    def grammar(self, words: dict[Context, tuple[Entry, ...]]) -> SynchronousGrammar:
        """Return the grammar of these templates, with these words in them."""
        types: dict[tuple[Entry, ...], str] = {}
        weighted: Counter[tuple[str, SynchronousRule]] = Counter()
        weighted.update({(TOP, template): n for template, n in self.whole.items()})
        for place, counts in self.fillers.items():
            weighted.update({(self.type_of[place], t): n for t, n in counts.items()})
        rules: list[tuple[SynchronousRule, float, int]] = []
        for (lhs, template), n in weighted.items():
            symbols: dict[Slot, tuple[Slot | str, Slot | str]] = {}
            for slot in template.slots:
                if slot.symbol == PHRASE:
                    typed = Slot(slot.number, self.type_of[template, slot.number])
                    symbols[slot] = typed, typed
                else:
                    entries = tuple(sorted(words[_context(template, slot.number)]))
                    name = types.setdefault(entries, f"{WORD}{len(types) + 1}")
                    typed = Slot(slot.number, name)
                    symbols[slot] = entries[0] if len(entries) == 1 else (typed, typed)
            rules.append((_filled(template, symbols, lhs), float(n), n))
        for entries, name in types.items():
            if len(entries) > 1:
                rules += [(SynchronousRule((w,), (v,), name), 1.0, 0) for w, v in entries]
        return SynchronousGrammar.from_rules(rules, start=TOP, normalise=True)


def _filled(
    template: SynchronousRule,
    symbols: dict[Slot, tuple[Slot | str, Slot | str]],
    lhs: str,
) -> SynchronousRule:
    sides = (
        tuple(symbols[s][side] if isinstance(s, Slot) else s for s in written)
        for side, written in enumerate((template.source, template.target))
    )
    source, target = sides
    return SynchronousRule(source, target, lhs)
