"""Sub2: substructure substitution (Shi, Livescu & Gimpel 2021)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grammar.arrays import IntArray
from grammar.errors import CorpusError, OptionError
from grammar.messages import tell
from grammar.options import option, read_options
from induction.corpus.corpus import Corpus
from induction.parsers.trees import with_trees
from sampling.examples.examples import Examples, checked, read_examples, refuse_pairs
from sampling.examples.labels import (
    class_numbers,
    has_classes,
    has_sets,
    read_labels,
    refuse_lone_classes,
)
from sampling.examples.protection import protected_words
from sampling.examples.text_columns import Side
from sampling.spans.induction import assemble
from sampling.spans.pools import Pools, pools_of_classes
from sampling.spans.repairs import repair_names, stops, whole_spans
from sampling.spans.sampler import SpanOptions, SpanSampler
from sampling.spans.sites import (
    Spans,
    all_spans,
    balanced_spans,
    dependency_spans,
    sites_of,
    tree_spans,
    uncut,
    unprotected,
)

__all__ = ["Sub2", "Sub2Options"]

VERSION = "2"
"""Raised whenever the same seed would give other bytes."""

TASKS = ("text", "tags", "spans", "constituency", "dependency")
# fewest and most words of a span where neither is given
_WORDS: dict[tuple[str, str], tuple[int, int | None]] = {
    ("paper", "tags"): (1, 4),
    ("code", "tags"): (1, 4),
    ("paper", "spans"): (1, 4),
    ("code", "spans"): (1, 4),
    ("code", "constituency"): (4, 20),
    ("code", "dependency"): (2, None),
}
_COLUMNS = {
    "text": ("text", "label", "tokens", "tags", "spans"),
    "tags": ("text", "label", "tokens", "tags", "spans"),
    "spans": ("text", "label", "tokens", "tags", "spans"),
    "constituency": ("text", "label", "tokens", "tags", "tree", "spans"),
    "dependency": ("text", "label", "tokens", "tags", "heads", "deprels", "spans"),
}


@dataclass(frozen=True, kw_only=True)
class Sub2Options(SpanOptions):
    """The options of :meth:`Sub2.induce`."""

    task: str = option(
        "text",
        "The annotation: only the class (text), a tag per word (tags), labelled spans (spans), "
        "brackets (constituency), heads and relations (dependency).",
        source="section 3.1",
        choices=TASKS,
    )
    phrase: bool | None = option(
        None,
        "+p: spans are phrases of the trees (text). Texts without trees are parsed. The default "
        "if none of phrase, label, text_label, sentiment, backbone and faithful is given.",
        source="section 3.2",
    )
    label: bool | None = option(
        None,
        "+l: the phrase labels are equal (text). Needs phrase. The default if phrase is the "
        "default.",
        source="section 3.2",
    )
    length: bool = option(
        False,
        "+n: inserted and removed spans have the same number of words (text, constituency, "
        "dependency).",
        source="section 3.2",
        code=True,
    )
    text_label: bool | None = option(
        None,
        "+t: both texts have the same class (text). The default if there are classes and phrase "
        "is the default.",
        source="section 3.2",
    )
    sentiment: bool = option(
        False,
        "+senti: the phrases have the same sentiment; the trees need sentiments as labels (text).",
        source="section 4.6",
    )
    backbone: str = option(
        "parse",
        "Phrases: those of the trees (parse), or the nodes of balanced binary trees (balanced) "
        "(text).",
        source="section 4.2",
        choices=("parse", "balanced"),
    )
    min_words: int | None = option(
        None, "Fewest words of a span. Code: constituency 4, dependency 2; else 1.", least=1
    )
    max_words: int | None = option(
        None, "Most words of a span. Tags, spans: 4. Code: constituency 20; else any.", least=1
    )
    projective: bool = option(
        False, "Exchange only subtrees of projective sentences (dependency).", code=True
    )
    whole: bool | None = option(
        None,
        "Allow spans that are whole texts. The default for all tasks but text, where nothing of "
        "the text would stay but the class. The paper does not say.",
    )


class Sub2(SpanSampler):
    """Exchange spans with the same label.

    Build one with :meth:`induce`, or from a loaded grammar.

    Examples
    --------
    >>> corpus = Corpus.from_columns(
    ...     text=["the dog sleeps", "a bird"], tags=[["DT", "NN", "VBZ"], ["DT", "NN"]])
    >>> sampler = Sub2.induce(corpus, task="tags")
    >>> sorted(sampler.sample(6).column("text"))
    ['a bird sleeps', 'a dog', 'a dog sleeps', 'the bird', 'the bird sleeps', 'the dog']

    References
    ----------
    Haoyue Shi, Karen Livescu, Kevin Gimpel. 2021. Substructure Substitution: Structured Data
    Augmentation for NLP. Findings of ACL-IJCNLP.
    """

    method = "sub2"
    version = VERSION
    Options = Sub2Options

    @classmethod
    def needs_trees(cls, options: Mapping[str, Any]) -> bool:
        """Say whether the method, with these options, goes by trees."""
        chosen = read_options(Sub2Options, options, cls.method)
        chosen = _settled(_exchanging_phrases(chosen, _is_free(chosen, options)))
        return "tree" in _needed(chosen) and not chosen.sentiment

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> Sub2:
        """Induce the grammar: every span is a context's slot and a substitute of its class.

        The slot is drawn uniformly from all spans that can be filled otherwise, the substitute
        uniformly from all spans of the class (Algorithm 1). One substitution an example.

        Where no option says what must be equal, phrases of the same label are exchanged, between
        texts of the same class if the corpus has classes.

        Parameters
        ----------
        corpus : Corpus
            With ``text`` and what the task needs: ``tags``; ``tree``; ``heads`` and ``deprels``;
            for text, ``label`` (text_label). Where phrases are needed and there is no ``tree``,
            texts are parsed (:func:`induction.with_trees`). Without ``tokens`` or trees,
            words are what stands between white space.
        **options
            Fields of :class:`Sub2Options`; None of them is needed.

        Raises
        ------
        CorpusError
            If a column is missing or not valid, or no span can be exchanged.
        OptionError
            If an option is unknown or has a value that cannot be used.
        """
        chosen = read_options(Sub2Options, options, cls.method)
        chosen = _settled(_kept_labels(chosen, options, corpus))
        if options.get("text_label"):
            refuse_lone_classes(read_labels(corpus).keys(), corpus.classes)
        refuse_pairs(corpus, cls.method)
        if cls.needs_trees(options):
            corpus = with_trees(checked(corpus))
        for name in _needed(chosen):
            corpus.arrow(name)
        examples = read_examples(
            corpus, tokenised=chosen.tokenised, cores="spacing" in repair_names(chosen.repair)
        )
        side = examples.sides[0]
        spans = _narrowed(_found(chosen, examples), chosen, examples)
        columns = _COLUMNS[chosen.task]
        if chosen.phrase and chosen.backbone == "parse":
            columns = (*columns, "tree")
        grammar = assemble(
            cls.method,
            VERSION,
            examples,
            sites_of([spans]),
            _pools(spans, _features(spans, chosen, examples, side)),
            columns=columns,
            mixes=False,
            options=asdict(chosen),
        )
        return cls(grammar)


_SAY_WHAT_IS_EQUAL = {"phrase", "label", "text_label", "sentiment", "backbone", "faithful"}


def _kept_labels(o: Sub2Options, given: Mapping[str, Any], corpus: Corpus) -> Sub2Options:
    """Fill in what must be equal, if nothing says it: the phrase labels, and classes if there are.

    Where something says it, the rest is as in the paper: not asked for.
    """
    free = _is_free(o, given)
    sets = has_sets(corpus)  # spans pass between others only where that is asked for
    classes = (free or sets) and has_classes(corpus)
    if classes:
        keys = read_labels(corpus).keys()
        lone = np.flatnonzero(np.bincount(keys, minlength=1) == 1)
        classes = sets or len(lone) < len(np.unique(keys))
        if len(lone) and classes:
            tell("sub2: a class of one example exchanges only within it")
    o = replace(o, text_label=classes if o.text_label is None else o.text_label)
    return _exchanging_phrases(o, free)


def _is_free(o: Sub2Options, given: Mapping[str, Any]) -> bool:
    """Say whether nothing says what must be equal."""
    said = {name for name in _SAY_WHAT_IS_EQUAL & given.keys() if given[name] is not None}
    return o.task == "text" and not said


def _exchanging_phrases(o: Sub2Options, free: bool) -> Sub2Options:
    """Fill in that spans are phrases of the same label, if nothing says what must be equal."""
    return replace(
        o,
        phrase=free if o.phrase is None else o.phrase,
        label=free if o.label is None else o.label,
    )


def _settled(o: Sub2Options) -> Sub2Options:
    """Fill in what depends on the task, and refuse what does not go together."""
    if o.task == "text" and o.faithful == "code":
        raise OptionError(
            "the released program has no text classification", hint="use faithful='paper'"
        )
    for name, needs in (("label", o.phrase), ("sentiment", o.phrase)):
        if getattr(o, name) and not needs:
            raise OptionError(f"{name}=True needs phrases", hint="add phrase=True")
    if o.backbone == "balanced" and (not o.phrase or o.label or o.sentiment):
        raise OptionError(
            "the phrases of balanced trees have no labels",
            hint="use phrase=True, without label and sentiment",
        )
    only_text = [n for n in ("phrase", "label", "text_label", "sentiment") if getattr(o, n)]
    if o.task != "text" and only_text:
        raise OptionError(
            f"{only_text[0]}=True is for task='text'", hint=f"leave it out for task={o.task!r}"
        )
    least, most = _WORDS.get((o.faithful, o.task), (1, None))
    return replace(
        o,
        min_words=least if o.min_words is None else o.min_words,
        max_words=most if o.max_words is None else o.max_words,
        whole=o.task != "text" if o.whole is None else o.whole,
    )


def _needed(o: Sub2Options) -> list[str]:
    by_task = {
        "tags": ["tags"],
        "spans": ["spans"],
        "constituency": ["tree"],
        "dependency": ["heads", "deprels"],
    }
    trees = o.phrase and o.backbone == "parse"
    return by_task.get(o.task, []) + ["tree"] * bool(trees) + ["label"] * bool(o.text_label)


def _found(o: Sub2Options, examples: Examples) -> Spans:
    """Return all spans of the kind that the task exchanges."""
    side = examples.sides[0]
    if o.task == "constituency" or (o.phrase and o.backbone == "parse"):
        assert side.treebank is not None
        spans = tree_spans(side.treebank)
        spans = spans.keep(side.treebank.size[spans.node] > 2, "phrases (not tags)")
        if o.task == "text" and not (o.label or o.sentiment):
            # the labels of a chain of phrases over the same words make no difference here
            below = np.zeros(len(spans), np.bool_)
            below[1:] = (spans.children[:-1] == 1) & (np.diff(spans.node) == 1)
            spans = spans.keep(~below, "phrases of other words than the one above")
        return spans
    if o.task == "dependency":
        heads = examples.corpus.arrow("heads").combine_chunks().flatten()
        numbers = heads.to_numpy(zero_copy_only=False).astype(np.int32)
        return dependency_spans(side.offsets, numbers, projective=o.projective)
    if o.phrase:
        return balanced_spans(side.lengths)
    longest = side.lengths if o.max_words is None else np.full(len(side), o.max_words, np.int64)
    return all_spans(side.lengths, o.min_words or 1, longest)


def _narrowed(spans: Spans, o: Sub2Options, examples: Examples) -> Spans:
    side = examples.sides[0]
    spans = spans.keep(spans.words >= (o.min_words or 1), f"of {o.min_words} words or more")
    if o.max_words is not None:
        spans = spans.keep(spans.words <= o.max_words, f"of {o.max_words} words or fewer")
    if not o.whole:
        spans = spans.keep(spans.words < side.lengths[spans.example], "shorter than their text")
    spans = uncut(whole_spans(spans, side, o.repair), side)
    if o.task == "spans" and side.marks is not None:
        begin = side.offsets[spans.example]
        held = np.concatenate(([0], np.cumsum(side.marks.inside)))
        some = held[begin + spans.end] > held[begin + spans.start]
        spans = spans.keep(some, "that hold a labelled span")
    mask = protected_words(examples.corpus, side, o.protect)
    if mask.any():
        spans = spans.keep(unprotected(spans, side.offsets, mask), "without a protected word")
    return spans


Feature = tuple[NDArray[Any], Callable[[Any], str]]


def _features(spans: Spans, o: Sub2Options, examples: Examples, side: Side) -> list[Feature]:
    """Return what must be equal for two spans to be exchanged, and how to write it."""
    features: list[Feature] = []
    if o.task == "tags":
        return _tag_sequences(spans, examples, side)
    if o.task == "spans":
        return _label_sequences(spans, examples, side)
    if o.task == "dependency":
        features.append(_relations(spans, examples, side))
    if (o.task == "constituency" or o.label or o.sentiment) and side.treebank is not None:
        symbols = side.treebank.symbols
        labels = side.treebank.label[spans.node]
        if o.sentiment:
            _refuse_no_sentiments(symbols, labels)
        features.append((labels, lambda code: symbols[int(code)]))
        ends = stops(side, spans.example, spans.end, o.repair)
        if ends.any():
            features.append((ends, lambda end: "ends a sentence" if end else ""))
    if o.length:
        features.append((spans.words, lambda n: f"{n} words"))
    if o.text_label:
        keys = read_labels(examples.corpus).keys()
        features.append((keys[spans.example], lambda key: f"class {key}"))
    return features


def _tag_sequences(spans: Spans, examples: Examples, side: Side) -> list[Feature]:
    coded = examples.corpus.arrow("tags").combine_chunks().flatten().dictionary_encode()
    codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    names = coded.dictionary.to_pylist()
    begin = side.offsets[spans.example] + spans.start
    features: list[Feature] = []
    for k in range(int(spans.words.max(initial=0))):
        inside = spans.words > k
        tags = np.full(len(spans), -1, np.int64)
        tags[inside] = codes[begin[inside] + k]
        features.append((tags, lambda code: names[int(code)] if code >= 0 else ""))
    return features


def _label_sequences(spans: Spans, examples: Examples, side: Side) -> list[Feature]:
    """Return what spans hold, one after the other: labelled spans by label, other words by tag."""
    marks = side.marks
    assert marks is not None
    names = [*marks.names, "·"]
    tag = np.full(len(marks.mark), len(marks.names), np.int64)
    if "tags" in examples.corpus.names:
        coded = examples.corpus.arrow("tags").combine_chunks().flatten().dictionary_encode()
        tag = len(names) + coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        names += coded.dictionary.to_pylist()
    symbol = np.where(marks.inside, (marks.mark - 1) // 2, tag)
    # labelled spans count as one, so those of any number of words are exchanged
    heads = np.flatnonzero(~marks.goes_on)
    begin = side.offsets[spans.example]
    first, stop = (np.searchsorted(heads, begin + x) for x in (spans.start, spans.end))
    features: list[Feature] = []
    for k in range(int((stop - first).max(initial=0))):
        inside = first + k < stop
        values = np.full(len(spans), -1, np.int64)
        values[inside] = symbol[heads[first[inside] + k]]
        features.append((values, lambda code: names[int(code)] if code >= 0 else ""))
    return features


def _relations(spans: Spans, examples: Examples, side: Side) -> Feature:
    """Return the relation of the top word of every subtree."""
    corpus = examples.corpus
    heads = corpus.arrow("heads").combine_chunks().flatten().to_numpy(zero_copy_only=False)
    coded = corpus.arrow("deprels").combine_chunks().flatten().dictionary_encode()
    codes = coded.indices.to_numpy(zero_copy_only=False)
    names = coded.dictionary.to_pylist()
    owner = np.repeat(np.arange(len(spans)), spans.words)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(spans.words) - spans.words, spans.words)
    word = side.offsets[spans.example][owner] + spans.start[owner] + within
    outside = (heads[word] <= spans.start[owner]) | (heads[word] > spans.end[owner])
    top = np.zeros(len(spans), np.int64)
    top[owner[outside]] = word[outside]
    return codes[top], lambda code: str(names[int(code)])


def _refuse_no_sentiments(symbols: Any, labels: IntArray) -> None:
    for code in np.unique(labels).tolist():
        if not symbols[code].isdecimal():
            raise CorpusError(
                f"the trees have the label {symbols[code]!r}, which is no sentiment",
                hint="read sentiment trees with read_sst, or use label=True",
            )


def _pools(spans: Spans, features: list[Feature]) -> Pools:
    classes = class_numbers([values for values, _ in features], len(spans))
    first = np.unique(classes, return_index=True)[1]
    columns = [(values[first].tolist(), write) for values, write in features]
    names = [
        " ".join(filter(None, (write(values[c]) for values, write in columns))) or "any"
        for c in range(len(first))
    ]
    return pools_of_classes(classes, names)
