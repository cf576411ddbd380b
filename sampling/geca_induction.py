"""From a corpus to the substitution grammar of GECA (Andreas 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grammar.errors import NothingNewError, OptionError
from induction.corpus import Corpus
from sampling.derivations import NEW, REPEATS_TARGET, REPEATS_TEXT, TOO_LONG, judge
from sampling.examples import Examples, context_pattern, filler_pattern, read_examples
from sampling.exchange import (
    Rows,
    equal_rows,
    interchangeable,
    offers,
    overlapping,
    rows_of,
    take_rows,
    unions,
)
from sampling.geca_options import GECAOptions
from sampling.substitution import SubstitutionGrammar
from sampling.template_kernels import SEPARATOR, WHOLE, cut_columns
from sampling.templates import (
    Fragments,
    NGrams,
    Sequences,
    by_label,
    intern_ngrams,
    list_fragments,
)

__all__ = ["induce_grammar"]

Longs = NDArray[np.int64]

# verdicts take one byte each, so this is 128 MiB
_MOST_DERIVATIONS = 2**27
_NO_LIMIT = 2**62


@dataclass(frozen=True)
class Choice:
    """The contexts that are kept, as templates, and the rows of fillers they admit."""

    hosts: Longs
    admitted: Rows
    counts: Longs
    number: Longs


def induce_grammar(corpus: Corpus, settings: GECAOptions) -> SubstitutionGrammar:
    """Induce the grammar (raises like :meth:`sampling.geca.GECA.induce`)."""
    if settings.labels == "same":
        corpus.arrow("label")
    examples = read_examples(corpus, settings.separator, settings.protect)
    sequences = examples.sequences
    if not (sequences.tokens != SEPARATOR).any():
        raise NothingNewError.because("no example has a word", "check the column 'text'")
    grams = intern_ngrams(sequences, settings.size, settings.max_count)
    if sequences.fixed is not None and sequences.fixed[sequences.tokens != SEPARATOR].all():
        raise NothingNewError.because("every word is protected", "protect fewer words")
    if not len(grams.start):
        raise NothingNewError.because(
            f"every n-gram occurs more than max_count={settings.max_count} times", "raise it"
        )
    found = _list(sequences, grams, settings)
    if examples.labels is not None:
        found = by_label(found, examples.labels, apart=settings.labels == "same")
    first = np.unique(found.template, return_index=True)[1]
    cuts = found.sequence[first], found.keys[found.fragment[first]]
    templates = cut_columns(
        sequences.tokens, sequences.offsets, grams.table, grams.size, cuts[0], cuts[1]
    )
    hosts = np.arange(len(first))
    if examples.separator is not None:
        hosts = hosts[_touches_both(*templates)]
    if not len(hosts):
        raise NothingNewError.because(
            "no fragment that can be exchanged touches both text and target",
            "allow more gaps, so that a fragment can have a part on either side",
        )
    choice = _admit(found, grams, hosts, settings)
    contexts = take_rows(templates, choice.hosts)
    fillers = _filler_columns(sequences, grams, found, settings)
    verdicts = _judge((*contexts, *fillers), choice, sequences, settings)
    count = np.bincount(found.template)[choice.hosts]
    instance = first[choice.hosts]
    return _grammar(examples, grams, found, instance, count, choice, verdicts, settings)


def _list(sequences: Sequences, grams: NGrams, settings: GECAOptions) -> Fragments:
    """List the fragments of the examples that are not too long to be cut; at least one."""
    lengths = np.diff(sequences.offsets)
    longest = int(lengths.max())
    host_length = longest if settings.max_host_length is None else settings.max_host_length
    if lengths.min() > host_length:
        raise NothingNewError.because(
            f"every example has more than max_host_length={host_length} tokens", "raise it"
        )
    window = WHOLE if settings.window is None else min(settings.window, longest)
    # with a window, the released code lets a host that holds no exchangeable fragment be filled
    everything = settings.pool == "templates" and window != WHOLE
    used = lengths <= host_length
    found = list_fragments(
        sequences, grams, used, settings.gaps, window, exchangeable_only=not everything
    )
    if not len(found.keys):
        raise NothingNewError.because(
            f"no two of the {found.listed} fragments occur in the same environment",
            "allow larger fragments (gaps, size) or a narrower environment (window)",
        )
    return found


def _touches_both(offsets: Any, tokens: Any) -> NDArray[np.bool_]:
    """Return which templates have a hole before and after their separator."""
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    middle = np.flatnonzero(tokens == SEPARATOR)
    holes = np.flatnonzero(tokens < 0)
    before = holes < middle[owner[holes]]
    size = len(offsets) - 1
    left = np.bincount(owner[holes[before]], minlength=size) > 0
    right = np.bincount(owner[holes[~before]], minlength=size) > 0
    return np.asarray(left & right)


def _admit(found: Fragments, grams: NGrams, hosts: Longs, settings: GECAOptions) -> Choice:
    """Find the fillers of every host, and the sets of hosts that admit the same ones."""
    environments = int(found.environment.max()) + 1
    templates, fragments = int(found.template.max()) + 1, len(found.keys)
    held = take_rows(rows_of(found.template, found.fragment, templates), hosts)
    if settings.pool == "templates":
        environment = np.zeros(templates, np.int64)
        environment[found.template] = found.environment
        rows, counts = offers(
            hosts, found.template, found.fragment, environment, fragments, settings.max_adjacencies
        )
        admitted, counts = _without_held(rows, counts, held, fragments)
        owner = np.arange(len(hosts))
    else:
        # hosts that hold the same fillers admit the same ones
        first, owner = equal_rows(held)
        held = take_rows(held, first)
        exchange = interchangeable(found.environment, found.fragment, environments, fragments)
        admitted = unions(*held, *exchange, fragments)
        counts = np.bincount(found.fragment)[admitted[1]]
    if settings.disjoint:
        clash = overlapping(*admitted, *held, found.keys, len(grams.start) + 1)
        admitted, counts = _keep(admitted, counts, ~clash)
    with_held = settings.pool == "fragments" and not settings.disjoint
    more = np.diff(admitted[0]) > (np.diff(held[0]) if with_held else 0)
    kept = more[owner]
    if not kept.any():
        raise NothingNewError.because(
            "every context is already filled with every filler it admits",
            "allow larger fragments (gaps, size) or a narrower environment (window)",
        )
    offsets, fillers = admitted
    pairs = 2 * offsets, np.stack([fillers, counts], axis=1).ravel()
    first, number = equal_rows(pairs)
    counted = take_rows(pairs, first)[1].reshape(-1, 2)
    return Choice(
        hosts[kept],
        (take_rows(admitted, first)[0], counted[:, 0]),
        counted[:, 1],
        number[owner[kept]],
    )


def _without_held(rows: Rows, counts: Longs, held: Rows, width: int) -> tuple[Rows, Longs]:
    owner = np.repeat(np.arange(len(rows[0]) - 1), np.diff(rows[0]))
    holder = np.repeat(np.arange(len(held[0]) - 1), np.diff(held[0]))
    return _keep(rows, counts, ~np.isin(owner * width + rows[1], holder * width + held[1]))


def _keep(rows: Rows, counts: Longs, kept: NDArray[np.bool_]) -> tuple[Rows, Longs]:
    before = np.concatenate(([0], np.cumsum(kept)))
    return (before[rows[0]], rows[1][kept]), counts[kept]


def _filler_columns(
    sequences: Sequences, grams: NGrams, found: Fragments, settings: GECAOptions
) -> tuple[Longs, NDArray[np.int32]]:
    """Return the words of every fragment, ``gaps`` rows each (see ``TokenColumns``)."""
    base = len(grams.start) + 1
    powers = base ** np.arange(settings.gaps)
    gram = (found.keys[:, None] // powers % base).ravel() - 1
    filled = gram >= 0
    lengths = np.where(filled, grams.size[gram], 0)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    return offsets, sequences.tokens[np.repeat(grams.start[gram], lengths) + within]


def _judge(
    columns: Any, choice: Choice, sequences: Sequences, settings: GECAOptions
) -> NDArray[np.uint8]:
    """Judge every derivation; at least one is new."""
    offsets, fillers = choice.admitted
    total = int(np.diff(offsets)[choice.number].sum())
    if total > _MOST_DERIVATIONS:
        raise OptionError(
            f"the corpus licenses {total} substitutions, more than {_MOST_DERIVATIONS}",
            hint="use the method geca-stream (GECAStream), which need not list them; or lower gaps "
            "or size, widen the window, or set max_count",
        )
    longest = _NO_LIMIT if settings.max_length is None else settings.max_length
    verdicts = judge(
        columns,
        settings.gaps,
        choice.number,
        offsets,
        fillers,
        sequences.tokens,
        sequences.offsets,
        sequences.source_end,
        longest,
    )
    if (verdicts == NEW).any():
        return np.asarray(verdicts)
    text, target, long = (
        int((verdicts == reason).sum()) for reason in (REPEATS_TEXT, REPEATS_TARGET, TOO_LONG)
    )
    raise NothingNewError.because(
        f"of {total} substitutions {text} repeat a text of the corpus, {target} a target, "
        f"and {long} have more than max_length tokens",
        "allow larger fragments (gaps, size) or a longer max_length",
    )


def _grammar(
    examples: Examples,
    grams: NGrams,
    found: Fragments,
    instance: Longs,
    context_count: Longs,
    choice: Choice,
    verdicts: NDArray[np.uint8],
    settings: GECAOptions,
) -> SubstitutionGrammar:
    """Assemble the grammar from the contexts that yield something new."""
    offsets, fillers = choice.admitted
    lengths = np.diff(offsets)[choice.number]
    ends = np.concatenate(([0], np.cumsum(lengths)))
    kept = np.flatnonzero(np.add.reduceat(verdicts == NEW, ends[:-1]))
    within = np.arange(ends[-1]) - np.repeat(ends[:-1], lengths)
    candidates = fillers[np.repeat(offsets[:-1][choice.number], lengths) + within]
    barred = verdicts != NEW
    barred_rows = np.concatenate(([0], np.cumsum(barred)))[ends], candidates[barred]
    # classes and fillers in order of first use
    _, first, number = np.unique(choice.number[kept], return_index=True, return_inverse=True)
    order = np.argsort(first)
    class_number = np.argsort(order)[number]
    class_rows = take_rows(choice.admitted, choice.number[kept][first][order])
    used, class_fillers = np.unique(class_rows[1], return_inverse=True)
    barred_offsets, barred_fillers = take_rows(barred_rows, kept)
    entries = take_rows((offsets, np.arange(len(fillers))), choice.number[kept][first][order])[1]
    donor = np.unique(found.fragment, return_index=True)[1][used]
    hosts, donors = found.sequence[instance[kept]], found.sequence[donor]
    keys = found.keys[found.fragment]
    return SubstitutionGrammar(
        contexts=tuple(
            context_pattern(examples, grams, i, key)
            for i, key in zip(hosts.tolist(), keys[instance[kept]].tolist(), strict=True)
        ),
        hosts=tuple(examples.ids[i] for i in hosts.tolist()),
        context_count=context_count[kept],
        context_class=class_number.astype(np.int32),
        fillers=tuple(
            filler_pattern(examples, grams, i, key)
            for i, key in zip(donors.tolist(), keys[donor].tolist(), strict=True)
        ),
        donors=tuple(examples.ids[i] for i in donors.tolist()),
        class_offsets=class_rows[0],
        class_fillers=class_fillers.astype(np.int32),
        class_counts=choice.counts[entries],
        barred_offsets=barred_offsets,
        barred_fillers=np.searchsorted(used, barred_fillers).astype(np.int32),
        method="geca",
        separator=examples.separator,
        options={name: getattr(settings, name) for name in ("variants", "limit", "draw")},
        labels=None
        if examples.label_values is None
        else tuple(examples.label_values[i] for i in hosts.tolist()),
    )
