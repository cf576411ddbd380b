"""From a corpus to the grammar of ALP: stages 1 to 4 put together."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from grammar.arrays import BoolArray, IntArray, LongArray
from grammar.errors import CorpusError
from induction.corpus.corpus import Corpus
from sampling.alp.frames import (
    Constituents,
    Forms,
    Frames,
    frames_of,
    open_words,
    pools_of,
    word_forms,
)
from sampling.alp.grammar import ALPGrammar, with_capitals
from sampling.alp.options import ALPOptions
from sampling.alp.slots import Texts
from sampling.alp.trees import ParsedTexts, parsed_texts
from sampling.alp.words import UNIT, held_out_scores, synonym_rows
from sampling.examples.entities import refuse_schemes
from sampling.examples.examples import no_material
from sampling.examples.labels import Labels, read_labels, refuse_lone_classes
from sampling.examples.protection import protected_words

__all__ = ["VERSION", "induce_grammar", "text_classes"]

VERSION = "2"
"""Raised whenever the same seed would give other bytes."""
_COLUMNS = ("text", "label", "tree", "tokens", "tags")


def induce_grammar(corpus: Corpus, o: ALPOptions) -> ALPGrammar:
    """Induce the grammar of a corpus (raises like :meth:`sampling.alp.method.ALP.induce`)."""
    refuse_schemes(corpus, "alp")
    columns = tuple(name for name in _COLUMNS if name in corpus.names)
    refuse_no_labels(corpus)
    refuse_lone_classes(text_classes(read_labels(corpus))[0], corpus.classes)
    parsed = parsed_texts(corpus, o)
    classes, values = text_classes(read_labels(parsed.corpus))
    refuse_lone_classes(classes, corpus.classes)
    frames, labels, tree = frames_of(parsed)
    best = np.zeros(len(parsed.weight), np.bool_)
    best[parsed.trees[:-1]] = True
    tags = np.zeros(len(parsed.side.start), np.int32)
    leaves = np.flatnonzero((frames.word >= 0) & best[tree])
    tags[frames.word[leaves]] = frames.tag[leaves]
    forms = word_forms(parsed, tags, labels)
    protected = protected_words(parsed.corpus, parsed.side, o.protect)
    fixed = protected | parsed.side.held
    frames = frames._replace(open=open_words(parsed, frames, labels, forms, o, fixed))
    pools = pools_of(
        parsed, frames, tree, forms, classes, labels, match=o.match, protected=protected
    )
    frames = frames._replace(pool=pools.pool)
    counts = _Counts(parsed, frames, tree, forms, classes, best)
    frames, synonym_offsets, synonym = _with_synonyms(frames, forms, labels, o)
    _refuse_idle(frames, counts.context, counts.form, pools, len(synonym), o)
    originals = held_out_scores(*counts.columns, counts.text, counts.best, o)
    known = originals[~np.isnan(originals)]
    least = float(np.quantile(known, o.quantile)) if len(known) and o.quantile > 0 else None
    texts, gaps, tails = _texts(parsed, forms, classes)
    ends = _ends(pools)
    facts = {
        "version": VERSION,
        "options": {k: v for k, v in asdict(o).items() if k != "parser"},
        "least_score": least,
        "constituents": [list(step) for step in pools.story],
        **parsed.facts,
    }
    return ALPGrammar(
        texts,
        frames,
        pools.offsets,
        pools.node,
        ends,
        tuple(pools.names),
        np.column_stack((counts.context, counts.form)),
        counts.count,
        synonym_offsets,
        synonym,
        tuple(with_capitals(list(forms.numbers))),
        gaps,
        tuple(labels),
        tails,
        tuple(map(str, parsed.corpus.column("id"))),
        values,
        columns,
        facts,
    )


def refuse_no_labels(corpus: Corpus) -> None:
    """Refuse a corpus without labels (CorpusError)."""
    if "label" not in corpus.names:
        raise CorpusError(
            "the corpus has no column 'label', and alp exchanges within classes",
            where=f"columns {', '.join(corpus.names)}",
            hint="add a column 'label'; give all texts the label 0 if they are of one class",
        )


def text_classes(labels: Labels) -> tuple[LongArray, tuple[Any, ...]]:
    """Return the class of every text, numbered from 0, and the label of each class."""
    keys = labels.keys()
    known, first, number = np.unique(keys, return_index=True, return_inverse=True)
    if labels.sets is not None:
        return np.asarray(number.ravel(), np.int64), tuple(labels.sets[row] for row in first)
    if labels.soft is None:
        return np.asarray(number.ravel(), np.int64), tuple(int(key) for key in known)
    return np.asarray(number.ravel(), np.int64), tuple(
        tuple(row) for row in labels.soft[first].tolist()
    )


class _Counts:
    """The open words of all trees in their contexts.

    Alike words of one text in alike contexts are one event.
    """

    def __init__(
        self,
        parsed: ParsedTexts,
        frames: Frames,
        tree: IntArray,
        forms: Forms,
        classes: LongArray,
        best: BoolArray,
    ) -> None:
        leaves = np.flatnonzero(frames.open)
        sentence = np.repeat(np.arange(len(parsed.trees) - 1), np.diff(parsed.trees))
        text = np.repeat(np.arange(len(parsed.sentences) - 1), np.diff(parsed.sentences))
        of_leaf = text[sentence][tree[leaves]]
        form = forms.form[frames.word[leaves]].astype(np.int64)
        above = frames.governor[leaves]
        governor = np.where(above < 0, 0, forms.form[frames.word[np.maximum(above, 0)]] + 1)
        rows = np.column_stack((
            of_leaf, best[tree[leaves]], classes[of_leaf], frames.tag[leaves],
            frames.label[leaves], governor, form,
        ))  # fmt: skip
        rows, inverse = np.unique(rows, axis=0, return_inverse=True)
        weight = np.bincount(inverse.ravel(), parsed.weight[tree[leaves]], minlength=len(rows))
        self.text = rows[:, 0]
        self.best = rows[:, 1].astype(np.bool_)
        self.context = np.ascontiguousarray(rows[:, 2:6], np.int64)
        self.form = np.ascontiguousarray(rows[:, 6], np.int64)
        self.count = np.maximum(1, np.rint(weight * UNIT)).astype(np.int64)

    @property
    def columns(self) -> tuple[LongArray, LongArray, LongArray]:
        return self.context, self.form, self.count


def _with_synonyms(
    frames: Frames, forms: Forms, labels: list[str], o: ALPOptions
) -> tuple[Frames, LongArray, IntArray]:
    leaves = np.flatnonzero(frames.open)
    width = len(labels)
    words = frames.word[leaves]
    keys, inverse = np.unique(
        _form_of(forms, words) * width + frames.tag[leaves], return_inverse=True
    )
    names = list(forms.numbers)
    pairs = [(names[key // width], labels[key % width]) for key in keys.tolist()]
    row, offsets, forms_of = synonym_rows(pairs, forms.numbers, o)
    synonyms = np.full(len(frames.size), -1, np.int32)
    synonyms[leaves] = row[inverse.ravel()]
    return frames._replace(synonyms=synonyms), offsets, forms_of


def _form_of(forms: Forms, words: Any) -> LongArray:
    return forms.form[words].astype(np.int64)


def _refuse_idle(
    frames: Frames,
    context: LongArray,
    form: LongArray,
    pools: Constituents,
    synonyms: int,
    o: ALPOptions,
) -> None:
    """Refuse a corpus of which nothing can change; say what empties the pools."""
    kinds = np.unique(np.column_stack((context[:, :2], form)), axis=0)
    _, many = np.unique(kinds[:, :2], axis=0, return_counts=True)
    others = int((many > 1).sum())
    if (o.exchange and len(pools.node)) or (o.pool and others) or (o.synonym and synonyms):
        return
    leaves = int((frames.word >= 0).sum())
    story = [
        *pools.story,
        ("words in all trees", leaves),
        ("open to refill", int(frames.open.sum())),
        ("tags with two words of a class", others),
        ("synonyms", synonyms),
    ]
    raise no_material(story)


def _texts(
    parsed: ParsedTexts, forms: Forms, classes: LongArray
) -> tuple[Texts, tuple[str, ...], IntArray]:
    """Return the texts for kernels, the gaps between words, and those at the end of texts."""
    side = parsed.side
    raw = side.text.tobytes()
    before = np.concatenate(([0], side.end[:-1])) if len(side.end) else side.end
    before[side.offsets[:-1]] = side.text_offsets[:-1]
    gaps: dict[str, int] = {" ": 0, "": 1}

    def number(a: int, b: int) -> int:
        return gaps.setdefault(raw[a:b].decode(), len(gaps))

    gap = [number(a, b) for a, b in zip(before.tolist(), side.start.tolist(), strict=True)]
    ends = side.end[side.offsets[1:] - 1].tolist()
    tails = [number(a, b) for a, b in zip(ends, side.text_offsets[1:].tolist(), strict=True)]
    running = np.cumsum(parsed.weight)
    starts = np.concatenate(([0.0], running))[parsed.trees[:-1]]
    tree_ends = running - np.repeat(starts, np.diff(parsed.trees))
    texts = Texts(
        parsed.sentences,
        classes,
        np.asarray(side.lengths, np.int64),
        parsed.trees,
        tree_ends,
        np.asarray(parsed.treebank.offsets[:-1], np.int64),
        forms.form,
        np.array(gap, np.int32),
        forms.capital,
    )
    return texts, tuple(gaps), np.array(tails, np.int32)


def _ends(pools: Constituents) -> Any:
    running = np.cumsum(pools.weight)
    starts = np.concatenate(([0.0], running))[pools.offsets[:-1]]
    return running - np.repeat(starts, np.diff(pools.offsets))
