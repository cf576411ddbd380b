"""Forms of words, and words that stand for each other.

Forms of one word mean the same, so what one of them is used for tells of the others: *award*, seen
alone, is no noun if *awarded* is the word of clauses.

Below *did* stands another form of a verb than below *that*. Which verbs can stand in a clause is
known from the one form; which form each has below *did*, from the words that were seen there, and
from those that were seen only where such words were.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations

import networkx as nx

from grammar.synchronous.rule import SynchronousRule
from induction.terms.rules import TOP, Entry
from induction.terms.word_classes import Context

__all__ = ["exchanged", "of_their_meaning", "with_forms"]


def of_their_meaning(
    words: Mapping[Context, tuple[Entry, ...]],
    uses: Mapping[Entry, Counter[Context]],
    *,
    evidence: int = 2,
) -> dict[Context, tuple[Entry, ...]]:
    """Leave out words where nothing that has their meaning is said.

    Contexts that share target words are of one kind. Where other words of the same target word
    were seen tells of which kinds a word is, even if it was itself seen as a whole line alone. A
    word of whose meaning nothing else is known may stand in all contexts that it is admitted to.

    Parameters
    ----------
    words : dict of Context to tuple of (str, str)
        What may stand where.
    uses : dict of (str, str) to Counter of Context
        What was seen where.
    evidence : int
        Target words that two contexts of a kind share.

    Examples
    --------
    >>> noun = Context("NP", "the W_1", "W_1", 1)
    >>> verb = Context("S", "NP_1 W_2", "W_2 ( agent = NP_1 )", 2)
    >>> uses = {("cat", "cat"): Counter([noun]), ("ran", "run"): Counter([verb])}
    >>> uses |= {("run", "run"): Counter(), ("shark", "shark"): Counter()}
    >>> admitted = {noun: (("cat", "cat"), ("run", "run"), ("shark", "shark"))}
    >>> of_their_meaning(admitted, uses)[noun]
    (('cat', 'cat'), ('shark', 'shark'))
    """
    targets: defaultdict[Context, set[str]] = defaultdict(set)
    for (_, target), counts in uses.items():
        for context in counts:
            if not _is_whole_line(context):
                targets[context].add(target)
    alike: nx.Graph[Context] = nx.Graph()
    alike.add_nodes_from(targets)
    alike.add_edges_from(
        (a, b) for a, b in combinations(targets, 2) if len(targets[a] & targets[b]) >= evidence
    )
    kinds: defaultdict[str, set[Context]] = defaultdict(set)
    for kind in nx.connected_components(alike):
        for target in set().union(*(targets[context] for context in kind)):
            kinds[target] |= kind
    return {
        context: tuple(
            entry
            for entry in found
            if _is_whole_line(context) or entry[1] not in kinds or context in kinds[entry[1]]
        )
        for context, found in words.items()
    }


def _is_whole_line(context: Context) -> bool:
    """Say whether the word is all that is said, which any word can be."""
    return context.stratum == TOP and " " not in context.source


def with_forms(
    words: Mapping[Context, tuple[Entry, ...]],
    uses: Mapping[Entry, Counter[Context]],
    forms: Iterable[tuple[Context, Context]],
    *,
    evidence: int = 2,
) -> dict[Context, tuple[Entry, ...]]:
    """Give contexts that want another form the words of those that want the plain one.

    Parameters
    ----------
    words : dict of Context to tuple of (str, str)
        What may stand where.
    uses : dict of (str, str) to Counter of Context
        What was seen where.
    forms : iterable of (Context, Context)
        A context that wants another form, and the same one with the plain form.
    evidence : int
        Words of that form that must share a context before it is one of the form.
    """
    made = dict(words)
    by_form: defaultdict[str, list[tuple[Context, Context]]] = defaultdict(list)
    for context, plain in forms:
        by_form[context.stratum].append((context, plain))
    for stratum, contexts in by_form.items():
        form_of = _of_form(uses, stratum, evidence)
        for context, plain in contexts:
            lemmas = {v for _, v in words.get(plain, ())}
            found = {entry for v in lemmas for entry in form_of.get(v, ())}
            admitted = {e for e in words.get(context, ()) if e[1] in lemmas or context in uses[e]}
            made[context] = tuple(sorted(found | admitted))
    return made


def _of_form(
    uses: Mapping[Entry, Counter[Context]], stratum: str, evidence: int
) -> dict[str, list[Entry]]:
    """Return, by target word, its words of the form that stands in a stratum."""
    seen = {entry for entry, counts in uses.items() if any(c.stratum == stratum for c in counts)}
    shown = Counter(c for entry in seen for c in uses[entry] if c.stratum != stratum)
    elsewhere = {context for context, n in shown.items() if n >= evidence}
    settled = {target for _, target in seen}
    made: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in sorted(seen):
        made[entry[1]].append(entry)
    for entry, counts in sorted(uses.items()):
        if entry[1] not in settled and counts.keys() <= elsewhere:
            made[entry[1]].append(entry)
    return dict(made)


def exchanged(templates: Iterable[SynchronousRule]) -> dict[SynchronousRule, SynchronousRule]:
    """Return templates that follow where words without a meaning stand for each other.

    Each is given with the one that it follows from.

    Two words do so if one template, with the one or the other, has one target. A source that has
    a target gets no other.

    Examples
    --------
    >>> rules = ["T -> who did X_1 ### X_1", "T -> what did X_1 ### X_1", "T -> who X_1 ### X_1"]
    >>> for made in exchanged(map(SynchronousRule.parse, rules)):
    ...     print(made)
    T -> what X_1 ### X_1
    """
    templates = list(templates)
    frames: defaultdict[tuple[object, ...], list[tuple[str, SynchronousRule]]] = defaultdict(list)
    for rule in templates:
        for i, word in enumerate(rule.source):
            if isinstance(word, str):
                frame = rule.lhs, i, rule.source[:i], rule.source[i + 1 :], rule.target
                frames[frame].append((word, rule))
    alike: defaultdict[str, set[str]] = defaultdict(set)
    for found in frames.values():
        for word, _ in found:
            alike[word] |= {other for other, _ in found if other != word}
    sources = {(rule.lhs, rule.source) for rule in templates}
    added: dict[SynchronousRule, SynchronousRule] = {}
    for rule in templates:
        for i, word in enumerate(rule.source):
            for other in sorted(alike[word]) if isinstance(word, str) else ():
                made = replace(rule, source=(*rule.source[:i], other, *rule.source[i + 1 :]))
                if (made.lhs, made.source) not in sources:
                    added.setdefault(made, rule)
    return added
