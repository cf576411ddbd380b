"""From a corpus to the substitution grammar of GECA (Andreas 2020)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar.arrays import BoolArray, IntArray, LongArray
from grammar.errors import NothingNewError, OptionError
from induction.corpus.corpus import Corpus
from sampling.geca.grammar import SubstitutionGrammar
from sampling.geca.join import interchangeable, offers, overlapping, unions
from sampling.geca.novelty import (
    NEW,
    REPEATS_TARGET,
    REPEATS_TEXT,
    TOO_LONG,
    TokenColumns,
    judge,
)
from sampling.geca.options import GECAOptions
from sampling.geca.rows import Rows, equal_rows, rows_of, sized, take_rows
from sampling.geca.sequences import Sequences, TokenExamples, read_tokens
from sampling.geca.spelling import context_patterns, filler_patterns
from sampling.geca.template_kernels import SEPARATOR, Grams, cut_columns
from sampling.geca.templates import LARGER, Fragments, find_fragments

__all__ = ["induce_grammar"]

# verdicts take one byte each, so this is 128 MiB
_MOST_DERIVATIONS = 2**27
_NO_LIMIT = 2**62


class _Choice(NamedTuple):
    """The contexts that are kept, as templates, and the rows of fillers they admit.

    Context c admits row ``number[c]`` of ``admitted``, whose entries have ``counts``.
    """

    hosts: LongArray
    admitted: Rows
    counts: LongArray
    number: LongArray


def induce_grammar(corpus: Corpus, options: GECAOptions) -> SubstitutionGrammar:
    """Induce the grammar (raises like :meth:`sampling.geca.method.GECA.induce`)."""
    examples = read_tokens(corpus, options, separator=options.separator)
    grams, found = find_fragments(
        examples,
        options,
        longest_host=options.max_source_length,
        # with a window, the released code lets a host that holds no exchangeable fragment be filled
        everything=options.pool == "templates",
    )
    first = np.unique(found.template, return_index=True)[1]
    templates = cut_columns(grams, found.sequence[first], found.keys[found.fragment[first]])
    hosts = np.arange(len(first))
    if examples.pairs:
        hosts = hosts[_touches_both(templates)]
    if not len(hosts):
        raise NothingNewError.because(
            "no fragment that can be exchanged touches both text and target",
            "allow more gaps, so that a fragment can have a part on either side",
        )
    choice = _admit(found, grams, hosts, options)
    columns = TokenColumns(
        options.gaps, take_rows(templates, choice.hosts), _filler_tokens(grams, found, options)
    )
    verdicts = _judge(columns, choice, examples.sequences, options)
    return _grammar(examples, grams, found, choice, verdicts, options)


def _touches_both(templates: Rows) -> BoolArray:
    """Return which templates have a hole before and after their separator."""
    size = len(templates.offsets) - 1
    owner = np.repeat(np.arange(size), np.diff(templates.offsets))
    middle = np.flatnonzero(templates.values == SEPARATOR)
    holes = np.flatnonzero(templates.values < 0)
    before = holes < middle[owner[holes]]
    left = np.bincount(owner[holes[before]], minlength=size) > 0
    right = np.bincount(owner[holes[~before]], minlength=size) > 0
    return np.asarray(left & right)


def _admit(found: Fragments, grams: Grams, hosts: LongArray, settings: GECAOptions) -> _Choice:
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
        admitted = unions(held, exchange, fragments)
        counts = np.bincount(found.fragment)[admitted.values]
    if settings.disjoint:
        clash = overlapping(admitted, held, found.keys, len(grams.starts) + 1)
        admitted, counts = _keep(admitted, counts, ~clash)
    with_held = settings.pool == "fragments" and not settings.disjoint
    more = np.diff(admitted.offsets) > (np.diff(held.offsets) if with_held else 0)
    kept = more[owner]
    if not kept.any():
        raise NothingNewError.because(
            "every context is already filled with every filler it admits",
            LARGER,
        )
    pairs = np.stack([admitted.values, counts], axis=1).ravel()
    first, number = equal_rows(Rows(2 * admitted.offsets, pairs))
    return _Choice(
        hosts[kept],
        take_rows(admitted, first),
        take_rows(Rows(admitted.offsets, counts), first).values,
        number[owner[kept]],
    )


def _without_held(rows: Rows, counts: LongArray, held: Rows, width: int) -> tuple[Rows, LongArray]:
    owner = np.repeat(np.arange(len(rows.offsets) - 1), np.diff(rows.offsets))
    holder = np.repeat(np.arange(len(held.offsets) - 1), np.diff(held.offsets))
    is_held = np.isin(owner * width + rows.values, holder * width + held.values)
    return _keep(rows, counts, ~is_held)


def _keep(rows: Rows, counts: LongArray, kept: BoolArray) -> tuple[Rows, LongArray]:
    return Rows(sized(kept)[rows.offsets], rows.values[kept]), counts[kept]


def _filler_tokens(grams: Grams, found: Fragments, settings: GECAOptions) -> Rows:
    """Return the words of every fragment, ``gaps`` rows each (see ``TokenColumns``)."""
    base = len(grams.starts) + 1
    powers = base ** np.arange(settings.gaps)
    gram = (found.keys[:, None] // powers % base).ravel() - 1
    lengths = np.where(gram >= 0, grams.sizes[gram], 0)
    offsets = sized(lengths)
    within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    return Rows(offsets, grams.tokens[np.repeat(grams.starts[gram], lengths) + within])


def _judge(
    columns: TokenColumns, choice: _Choice, sequences: Sequences, settings: GECAOptions
) -> NDArray[np.uint8]:
    """Judge every derivation; at least one is new."""
    total = int(np.diff(choice.admitted.offsets)[choice.number].sum())
    if total > _MOST_DERIVATIONS:
        raise OptionError(
            f"the corpus licenses {total} substitutions, more than {_MOST_DERIVATIONS}",
            hint="use the method geca-stream (GECAStream), which need not list them; or lower gaps "
            "or size, widen the window, or set max_count",
        )
    longest = _NO_LIMIT if settings.max_length is None else settings.max_length
    verdicts = judge(columns, choice.number, choice.admitted, sequences, longest)
    if (verdicts == NEW).any():
        return verdicts
    text, target, long = (
        int((verdicts == reason).sum()) for reason in (REPEATS_TEXT, REPEATS_TARGET, TOO_LONG)
    )
    raise NothingNewError.because(
        f"of {total} substitutions {text} repeat a text of the corpus, {target} a target, "
        f"and {long} have more than max_length tokens",
        "allow larger fragments (gaps, size) or a longer max_length",
    )


def _grammar(
    examples: TokenExamples,
    grams: Grams,
    found: Fragments,
    choice: _Choice,
    verdicts: NDArray[np.uint8],
    settings: GECAOptions,
) -> SubstitutionGrammar:
    """Assemble the grammar from the contexts that yield something new."""
    candidates = take_rows(choice.admitted, choice.number)
    kept = np.flatnonzero(np.add.reduceat(verdicts == NEW, candidates.offsets[:-1]))
    barred, _ = _keep(candidates, candidates.values, verdicts != NEW)
    barred = take_rows(barred, kept)
    # classes and fillers in order of first use
    _, first, number = np.unique(choice.number[kept], return_index=True, return_inverse=True)
    order = np.argsort(first)
    chosen = choice.number[kept][first][order]
    classes = take_rows(choice.admitted, chosen)
    used, class_fillers = np.unique(classes.values, return_inverse=True)
    template, context_count = np.unique(found.template, return_index=True, return_counts=True)[1:]
    context = template[choice.hosts[kept]]
    donor = np.unique(found.fragment, return_index=True)[1][used]
    hosts, donors = found.sequence[context], found.sequence[donor]
    keys = found.keys[found.fragment]
    known = examples.corpus
    return SubstitutionGrammar(
        contexts=tuple(
            f" {settings.separator} ".join(sides)
            for sides in context_patterns(grams, examples.sides, hosts, keys[context])
        ),
        hosts=_taken(known, "id", hosts),
        context_count=context_count[choice.hosts[kept]],
        context_class=np.argsort(order)[number].astype(np.int32),
        fillers=tuple(filler_patterns(grams, examples.names, keys[donor], settings.gaps)),
        donors=_taken(known, "id", donors),
        class_offsets=classes.offsets,
        class_fillers=class_fillers.astype(np.int32),
        class_counts=take_rows(Rows(choice.admitted.offsets, choice.counts), chosen).values,
        barred_offsets=barred.offsets,
        barred_fillers=np.searchsorted(used, barred.values).astype(np.int32),
        method="geca",
        separator=settings.separator if examples.pairs else None,
        options={name: getattr(settings, name) for name in ("variants", "limit", "draw")},
        labels=_taken(known, "label", hosts) if "label" in examples.corpus.names else None,
    )


def _taken(corpus: Corpus, name: str, rows: IntArray) -> tuple[Any, ...]:
    return tuple(corpus.arrow(name).take(pa.array(rows)).to_pylist())
