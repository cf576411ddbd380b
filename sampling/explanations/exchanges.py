"""What was exchanged to make an example: the spans of host and donor, and how labels were mixed.

With the grammar, spans are those of the sites that the rules name. Without it they are found again
in the texts: what stands in the host in place of the words that were put in, and where the donor
has these words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sampling.examples.passages import IN, OUT, Passage, Sentence, Span, read_sentence
from sampling.spans.description import marked_site
from sampling.spans.grammar import SpanGrammar

__all__ = [
    "Explained",
    "explain_exchange",
    "explain_parents",
    "find_words",
    "holes",
    "label_text",
]


@dataclass(frozen=True)
class Explained:
    """What made an example, for people (passages) and for machines (facts)."""

    passages: list[Passage]
    facts: dict[str, Any] = field(default_factory=dict)


def explain_exchange(
    row: Mapping[str, Any],
    parents: Sequence[Mapping[str, Any]],
    *,
    plain: bool,
    mixes: bool,
    grammar: SpanGrammar | None,
) -> Explained:
    """Explain an example whose parents are a host and a donor.

    Parameters
    ----------
    row : mapping
        The example, with provenance.
    parents : sequence of mapping
        Host and donor.
    plain : bool
        Words are what stands between white space, as of GECA.
    mixes : bool
        Labels are mixed by words.
    grammar : SpanGrammar, optional
        The grammar that made it.
    """
    host, donor = parents
    sides = [name for name in ("text", "text_pair") if row.get(name) is not None]
    new = {name: read_sentence(row, name, plain=plain) for name in sides}
    put = _put_in(row, sides, new, plain=plain)
    facts: dict[str, Any] = {}
    shown: dict[str, list[Passage]] = {"source": [], "insert": [], "new": []}
    rules = row["provenance"]["rules"]
    for k, name in enumerate(sides):
        if grammar is not None:
            cut = _sites(grammar, rules, k)
        else:
            cut = _aligned(host, donor, name, new[name], put[name], row, plain=plain)
        (host_side, gone), (donor_side, given) = cut
        shown["source"].append(host_side.passage("", [Span(a, b, OUT) for a, b in gone]))
        shown["insert"].append(donor_side.passage("", [Span(a, b, IN) for a, b in given]))
        shown["new"].append(new[name].passage("", [Span(a, b, IN) for a, b in put[name]]))
        ending = "" if name == "text" else " of the pair"
        facts[f"removed from the source{ending}"] = _said(host_side, gone)
        facts[f"taken from the insert{ending}"] = _said(new[name], put[name])
    if grammar is not None:
        facts |= _rules(grammar, rules)
    if mixes and isinstance(row.get("label"), list):
        facts |= _mixture(row, host, donor, new, put)
    rows = {"source": host, "insert": donor, "new": row}
    return Explained([p for who in shown for p in _titled(who, rows[who], shown[who])], facts)


def explain_parents(row: Mapping[str, Any], parents: Sequence[Mapping[str, Any]]) -> Explained:
    """Explain an example by its parents and the words that were put in: of a chain, or ALP."""
    passages: list[Passage] = []
    for number, parent in enumerate(parents, start=1):
        who = f"parent {number}" if len(parents) > 1 else "parent"
        passages += _titled(who, parent, [read_sentence(parent).passage("", [])])
    new = read_sentence(row)
    put = _put_in(row, ["text"], {"text": new}, plain=False)["text"]
    passages += _titled("new", row, [new.passage("", [Span(a, b, IN) for a, b in put])])
    return Explained(passages, {"put in": _said(new, put)} if put else {})


def _titled(who: str, row: Mapping[str, Any], passages: Sequence[Passage]) -> Iterator[Passage]:
    label = f", label {label_text(row['label'])}" if row.get("label") is not None else ""
    for number, passage in enumerate(passages):
        pair = " (pair)" if number else ""
        yield Passage(f"{who}{pair}: {row['id']}{label}", passage.text, passage.marks)


def label_text(label: Any) -> str:
    """Return a label for people: a class, or the parts of a distribution.

    >>> label_text([0.25, 0.75]), label_text(3)
    ('[0.25, 0.75]', '3')
    """
    if isinstance(label, list):
        return "[" + ", ".join(f"{part:.3g}" for part in label) + "]"
    return str(label)


def _put_in(
    row: Mapping[str, Any], sides: Sequence[str], new: Mapping[str, Sentence], *, plain: bool
) -> dict[str, list[tuple[int, int]]]:
    """Return the spans that were put in, by side: GECA has several, all in the text."""
    spans = [(span["start"], span["end"]) for span in row["provenance"]["spans"] or ()]
    if plain or len(sides) == 1:
        found = {name: spans if name == "text" else [] for name in sides}
    else:
        found = {name: [span] for name, span in zip(sides, spans, strict=False)}
    return {
        name: [span for span in found.get(name, []) if span[1] <= len(new[name].words)]
        for name in sides
    }


Cut = tuple[Sentence, list[tuple[int, int]]]
"""A sentence, and the spans of it that were cut out."""


def _sites(grammar: SpanGrammar, rules: Sequence[int], k: int) -> tuple[Cut, Cut]:
    """Return the spans of the sites that the rules name, in host and donor."""
    host, donor = rules[0], rules[1] - len(grammar.sites)
    return marked_site(grammar, host, k), marked_site(grammar, donor, k)


def _aligned(
    host: Mapping[str, Any],
    donor: Mapping[str, Any],
    name: str,
    new: Sentence,
    put: list[tuple[int, int]],
    row: Mapping[str, Any],
    *,
    plain: bool,
) -> tuple[Cut, Cut]:
    """Find what was exchanged in the texts of host and donor."""
    # words must be those of the new example, which may have lost tokens or trees
    kept = {"id", "text", "text_pair", *(column for column in row if row[column] is not None)}
    sentences = [
        read_sentence({k: v for k, v in parent.items() if k in kept}, name, plain=plain)
        for parent in (host, donor)
    ]
    gone = holes(sentences[0].words, new.words, put)
    given, at = [], 0
    for start, end in put:
        found = find_words(sentences[1].words, new.words[start:end], at)
        if found is None:
            found = find_words(sentences[1].words, new.words[start:end])
        if found is not None and found not in given:
            given.append(found)
            at = found[0] + 1
    return (sentences[0], gone or []), (sentences[1], given)


def holes(
    host: Sequence[str], new: Sequence[str], put: Sequence[tuple[int, int]]
) -> list[tuple[int, int]] | None:
    """Return the spans of the host that the spans of the new words stand in place of.

    All words of the new text outside of ``put`` are the host's, in order; each hole is as short as
    the others allow. None if there is no such reading.

    Examples
    --------
    >>> holes("a b c d".split(), "a x y d".split(), [(1, 3)])
    [(1, 3)]
    >>> holes("she puts the wug down".split(), "she picks the wug up".split(), [(1, 2), (4, 5)])
    [(1, 2), (4, 5)]
    """
    if len(put) == 1:  # counted, not compared: repairs may have changed the words beside it
        (start, end) = put[0]
        stop = len(host) - (len(new) - end)
        return [(start, stop)] if start < stop <= len(host) else None
    ends = [0, *(end for _, end in put)]
    starts = [*(start for start, _ in put), len(new)]
    return _filled(host, [list(new[a:b]) for a, b in zip(ends, starts, strict=True)], 0)


def _filled(host: Sequence[str], kept: list[list[str]], at: int) -> list[tuple[int, int]] | None:
    """Place pieces of context into the host from a word on; return the holes between them."""
    first, *rest = kept
    if list(host[at : at + len(first)]) != first:
        return None
    at += len(first)
    if not rest:
        return [] if at == len(host) else None
    for stop in range(at + 1, len(host) + 1):
        found = _filled(host, rest, stop)
        if found is not None:
            return [(at, stop), *found]
    return None


def find_words(words: Sequence[str], wanted: Sequence[str], at: int = 0) -> tuple[int, int] | None:
    """Return the first span from a word on that reads as wanted, if need be in another case.

    >>> find_words("A very fine film".split(), ["a", "very"])
    (0, 2)
    """
    size = len(wanted)
    for fold in (str, str.casefold):
        target = [fold(word) for word in wanted]
        for start in range(at, len(words) - size + 1):
            if [fold(word) for word in words[start : start + size]] == target:
                return start, start + size
    return None


def _said(sentence: Sentence, spans: Sequence[tuple[int, int]]) -> list[str]:
    return [sentence.said(a, b) for a, b in spans]


def _rules(grammar: SpanGrammar, rules: Sequence[int]) -> dict[str, Any]:
    """Return the two rules of the derivation, their class and their probabilities."""
    host, filler = rules[0], rules[1] - len(grammar.sites)
    pools = grammar.pools
    pool = int(pools.of_site[host])
    first, last = int(pools.offsets[pool]), int(pools.offsets[pool + 1])
    entry = first + int((pools.fillers[first:last] == filler).argmax())
    return {
        "class of the slot": pools.names[pool],
        "substitutes of the class": last - first,
        "context": f"{grammar.rule_text(rules[0])} [{float(pools.host_weight[host]):.4g}]",
        "substitute": f"{grammar.rule_text(rules[1])} [{float(pools.weight[entry]):.4g}]",
    }


def _mixture(
    row: Mapping[str, Any],
    host: Mapping[str, Any],
    donor: Mapping[str, Any],
    new: Mapping[str, Sentence],
    put: Mapping[str, Sequence[tuple[int, int]]],
) -> dict[str, Any]:
    """Return how the label was mixed: by the words that each parent gave (TreeMix eq. 2 and 3)."""
    words = sum(len(sentence.words) for sentence in new.values())
    filled = sum(end - start for spans in put.values() for start, end in spans)
    kept = words - filled
    return {
        "label": f"{kept}/{words} of {label_text(host.get('label'))} + "
        f"{filled}/{words} of {label_text(donor.get('label'))} = {label_text(row['label'])}"
    }
