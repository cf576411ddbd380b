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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grammar.errors import CorpusError, NotationError, located
from grammar.options import TINY, Checked, option, read_options, takes
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.rule import Slot, SynchronousRule
from induction.corpus.corpus import Corpus
from induction.corpus.pairs import Pair, distinct_pairs, place_of
from induction.terms.alignment import TermPair, WordLexicon, induce_word_lexicon
from induction.terms.argument_order import Orders, gap_places, orders, with_gap_in_place
from induction.terms.gaps import Gaps, find_gaps
from induction.terms.phrase_types import PhraseTypes, head_slot, seen_templates
from induction.terms.references import References, find_references
from induction.terms.rules import (
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
from induction.terms.word_forms import exchanged, of_their_meaning, with_forms

__all__ = ["TermInduction", "TermOptions", "induce_from_terms"]

_TRIED = 1000
"""Pairs on which it is decided what words without a link belong to."""


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
    references : References
        What the grammar writes as a reference.
    """

    grammar: SynchronousGrammar
    lexicon: WordLexicon = field(repr=False)
    attachment: dict[str, Attachment]
    templates: dict[SynchronousRule, int] = field(repr=False)
    classes: WordClasses[Entry] = field(repr=False)
    uncertain: int
    references: References

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
        "Number of templates that two slots must share to be of one type. Also the "
        "number of words of a class that must be seen in a context before the others "
        "may take it.",
        least=1,
    )
    refuted: float = option(
        0.05,
        "Share of the uses of a context that may contradict that its words are of one class.",
        least=TINY,
        most=1.0,
    )
    frames: bool = option(True, "Let words take contexts in which they were not seen.")


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
    references = find_references(training)
    if references:
        say(f"references: {references}")
        training = [TermPair(p.source, references.write(p.term)) for p in training]
    lexicon = induce_word_lexicon(training)
    say(f"lexicon: {len(lexicon)} source words, {len(lexicon.sources)} target words")
    attachment = choose_attachment(training[:: max(1, len(training) // _TRIED)], lexicon)
    say(f"words without a link: {', '.join(f'{w} {kind}' for w, kind in attachment.items())}")
    found = [linked_rules(pair, lexicon, attachment) for pair in training]
    trees = [tree for tree in found if tree is not None]
    if not trees:
        raise CorpusError(
            "no pair shows which word stands for which", hint="give more pairs with the same words"
        )
    templates = Counter(use.template for tree in trees for use in tree.walk())
    say(f"rules: {len(templates)} templates, {len(found) - len(trees)} pairs left out")
    types = PhraseTypes(trees, how.evidence)
    made = _Assembly(types, find_gaps(types, how.evidence))
    uses = made.uses(trees)
    classes = induce_word_classes(uses, evidence=how.evidence, refuted=how.refuted)
    say(f"frames: {len(classes.classes)} classes, {classes.added} uses added")
    admitted = classes.admitted if how.frames else classes.seen
    words = of_their_meaning(admitted, uses, evidence=how.evidence)
    grammar = made.grammar(with_forms(words, uses, made.other_forms()))
    say(f"grammar: {len(grammar)} rules of {len(grammar.types)} types")
    return TermInduction(
        grammar=grammar,
        lexicon=lexicon,
        attachment=attachment,
        templates=dict(templates),
        classes=classes,
        uncertain=len(found) - len(trees),
        references=references,
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


class _Assembly:
    """The rules of a grammar: templates with types for phrases and words."""

    def __init__(self, types: PhraseTypes, gaps: Gaps) -> None:
        self.types, self.gaps = types, gaps
        self.weighted: Counter[tuple[str, SynchronousRule]] = Counter()
        swapped = exchanged(types.whole)
        self.origin = dict(swapped)
        for lhs, template, n in seen_templates(types):
            self.weighted[lhs, template] += n
        known = orders((template, n) for _, template, n in seen_templates(types))
        for name, added in gaps.added.items():
            for form in types.forms(name):
                self._share(form, added, known)
                if form != name:
                    self._share(form, dict.fromkeys(types.unseen(name, form), 1), known)
        self.weighted.update({(TOP, t): types.whole[o] for t, o in swapped.items()})

    def _share(self, form: str, templates: Mapping[SynchronousRule, int], known: Orders) -> None:
        """Give a form templates that it was not seen with, in its own order of arguments."""
        places = gap_places(self.types.seen(form)) if form in self.types.other_forms else {}
        for template, n in templates.items():
            made = with_gap_in_place(template, places, known)
            if made != template:
                self.origin[made] = template
            self.weighted[form, made] += n

    def context(self, lhs: str, template: SynchronousRule, slot: int) -> Context:
        """Return where a word stands: gaps do not count, forms do, for the head."""
        template = self.origin.get(template, template)
        full, at = self.gaps.full.get((template, slot), (template, slot))
        source, target = (" ".join(map(str, side)) for side in (full.source, full.target))
        other = lhs in self.types.other_forms and slot == head_slot(template)
        return Context(lhs if other else full.lhs, source, target, at)

    def uses(self, trees: Sequence[RuleTree]) -> dict[Entry, Counter[Context]]:
        """Count the contexts of words."""
        found: defaultdict[Entry, Counter[Context]] = defaultdict(Counter)
        for tree in trees:
            waiting = [(TOP, tree)]
            while waiting:
                lhs, use = waiting.pop()
                for slot, entry in use.entries.items():
                    found[entry][self.context(lhs, use.template, slot)] += 1
                waiting += [
                    (self.types.form_of[use.template, slot], child)
                    for slot, child in use.children.items()
                ]
        return dict(found)

    def other_forms(self) -> Iterator[tuple[Context, Context]]:
        """Yield the contexts that want other forms, each with that of the plain form."""
        for lhs, template in self.weighted:
            slot = head_slot(template)
            if lhs in self.types.other_forms and slot:
                context = self.context(lhs, template, slot)
                template = self.origin.get(template, template)
                full, _ = self.gaps.full.get((template, slot), (template, slot))
                yield context, replace(context, stratum=full.lhs)

    def grammar(self, words: Mapping[Context, tuple[Entry, ...]]) -> SynchronousGrammar:
        """Return the grammar of these templates, with these words in them."""
        types: dict[tuple[Entry, ...], str] = {}
        rules: list[tuple[SynchronousRule, float, int]] = []
        for (lhs, template), n in self.weighted.items():
            symbols: dict[Slot, tuple[Slot | str, Slot | str]] = {}
            for slot in template.slots:
                if slot.symbol != WORD:
                    typed = Slot(slot.number, self._below(template, slot.number))
                    symbols[slot] = typed, typed
                    continue
                entries = tuple(sorted(words.get(self.context(lhs, template, slot.number), ())))
                if not entries:
                    break
                name = types.setdefault(entries, f"{WORD}{len(types) + 1}")
                typed = Slot(slot.number, name)
                symbols[slot] = entries[0] if len(entries) == 1 else (typed, typed)
            else:
                rules.append((_filled(template, symbols, lhs), float(n), n))
        for entries, name in types.items():
            if len(entries) > 1:
                rules += [(SynchronousRule((w,), (v,), name), 1.0, 0) for w, v in entries]
        return SynchronousGrammar.from_rules(rules, start=TOP, normalise=True)

    def _below(self, template: SynchronousRule, slot: int) -> str:
        place = self.origin.get(template, template), slot
        return self.types.form_of.get(place) or self.gaps.below[place]


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
