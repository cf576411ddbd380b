"""TreeMix: constituents of two examples exchanged, and their labels mixed (Zhang et al. 2022)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grammar.arrays import BoolArray, LongArray
from grammar.errors import CorpusError, OptionError
from grammar.options import option, read_options
from induction.corpus.corpus import Corpus
from induction.parsers.trees import with_trees
from sampling.examples.examples import Examples, checked, no_material, read_examples
from sampling.examples.labels import (
    class_numbers,
    read_labels,
    refuse_lone_classes,
    refuse_sets,
)
from sampling.examples.protection import protected_words
from sampling.examples.text_columns import Side
from sampling.spans.induction import assemble
from sampling.spans.pools import Pools, pools_of_classes
from sampling.spans.repairs import repair_names, stops, whole_spans
from sampling.spans.sampler import SpanOptions, SpanSampler
from sampling.spans.sites import (
    Sites,
    Spans,
    ratio_bounds,
    sites_of,
    tree_spans,
    uncut,
    unprotected,
)
from sampling.spans.spelling import Executor

__all__ = ["MixOptions", "TreeMix", "TreeMixOptions", "label_pools", "per_example"]

VERSION = "2"
"""Raised whenever the same seed would give other bytes."""

COLUMNS = ("text", "text_pair", "label", "tree", "tree_pair", "tokens", "tags", "spans")
_MOST_ENTRIES = 2**27


@dataclass(frozen=True, kw_only=True)
class MixOptions(SpanOptions):
    """The options of the methods that mix labels."""

    mix: str = option(
        "any",
        "Which examples exchange spans: any, only those of the same class (same), or only those "
        "of different classes (cross).",
        source="section 5.4",
        choices=("any", "same", "cross"),
    )
    same_length: bool = option(
        False, "Inserted and removed spans have the same number of words.", source="appendix D.2"
    )
    classes: int | None = option(
        None, "Number of classes; by default one more than the largest label.", least=1
    )


@dataclass(frozen=True, kw_only=True)
class TreeMixOptions(MixOptions):
    """The options of :meth:`TreeMix.induce`."""

    low: float = option(
        0.1, 
        "Least share of a constituent in the words of its sentence (λL).", source="section 4.2",
        least=0, most=1,
    )  # fmt: skip
    high: float = option(
        0.3, "Largest share (λU); 1 for SCAN (section 5.6).", source="section 4.2", least=0, most=1
    )
    min_children: int = option(
        2, "Fewest children of a constituent.", source="section 3.1", code=1, least=1
    )
    same_label: bool = option(
        False, "The constituents have the same phrase label.", source="appendix D.2"
    )
    strict: bool = option(False, "Exclude shares equal to λL or λU.", code=True)
    insert_ratio: str = option(
        "own",
        "The share of the inserted constituent: of its own sentence (own), or of the source "
        "(source; single texts).",
        source="section 3.1",
        code="source",
        choices=("own", "source"),
    )
    tokenised: bool = option(
        False,
        "Make texts of the words of the trees with single spaces instead of keeping their spacing.",
        code=True,
    )


class TreeMix(SpanSampler):
    """Put a constituent of one example into another, and mix their labels by words.

    Build one with :meth:`induce`, or from a loaded grammar.

    Examples
    --------
    >>> corpus = Corpus.from_columns(
    ...     text=["no plot at all", "a very fine film"], label=[0, 1],
    ...     tree=["(S (NP no plot) (PP at all))", "(NP (NP a (AP very fine)) film)"])
    >>> sampler = TreeMix.induce(corpus, high=0.5, mix="cross")
    >>> example = sampler.sample(1)[0]

    References
    ----------
    Le Zhang, Zichao Yang, Diyi Yang. 2022. TreeMix: Compositional Constituency-based Data
    Augmentation for Natural Language Understanding. NAACL.
    """

    method = "treemix"
    version = VERSION
    explained_as = "mixed spans"
    Options = TreeMixOptions

    @classmethod
    def needs_trees(cls, options: Mapping[str, Any]) -> bool:
        """Say whether the method, with these options, goes by trees."""
        return True

    @classmethod
    def induce(cls, corpus: Corpus, *, executor: Executor | None = None, **options: Any) -> TreeMix:
        """Induce the grammar: every constituent of the right size is a slot and a substitute.

        Source and insert are drawn uniformly from the examples, and a constituent uniformly from
        those of each (Algorithm 1); draws are independent, so both may be one example. For pairs,
        a constituent of either text of the donor replaces one of the same text of the host.

        Parameters
        ----------
        corpus : Corpus
            With ``text`` and ``label``; for pairs also ``text_pair``. Without ``tree`` (and
            ``tree_pair``) its texts are parsed (:func:`induction.with_trees`).
        executor : callable, optional
            If the corpus has a ``target`` (as SCAN): gives the target of a text, or None if it is
            ungrammatical. The paper uses the interpreter of SCAN, an oracle. Labels are then not
            needed.
        **options
            Fields of :class:`TreeMixOptions`; none of them is needed.

        Raises
        ------
        CorpusError
            If a column is missing or not valid, or no constituent can be exchanged.
        OptionError
            If an option is unknown or has a value that cannot be used.
        """
        chosen = _settled(read_options(TreeMixOptions, options, cls.method), options, corpus)
        refuse_sets(corpus)
        corpus = with_trees(checked(corpus))
        pair = ("tree_pair",) if "text_pair" in corpus.names else ()
        for name in ("tree", *pair, *(() if "target" in corpus.names else ("label",))):
            corpus.arrow(name)
        examples = read_examples(
            corpus, tokenised=chosen.tokenised, cores="spacing" in repair_names(chosen.repair)
        )
        spans = [_constituents(side, chosen, examples.corpus) for side in examples.sides]
        if chosen.insert_ratio == "source":
            sites = sites_of(spans)
            pools = _pools_by_host_length(sites, examples.sides[0], chosen)
        else:
            pairs = zip(spans, examples.sides, strict=True)
            sites = sites_of([_in_band(row, side, chosen) for row, side in pairs])
            weight = per_example(sites.example)
            pools = label_pools(
                sites, _features(sites, examples, chosen), weight, examples.corpus, chosen.mix
            )
        grammar = assemble(
            cls.method,
            VERSION,
            examples,
            sites,
            pools,
            columns=COLUMNS,
            mixes="label" in corpus.names,
            options=asdict(chosen),
        )
        return cls(grammar, executor=executor)


def _settled(o: TreeMixOptions, given: Mapping[str, Any], corpus: Corpus) -> TreeMixOptions:
    """Fill in what the released program does for pairs, and refuse what does not go together."""
    pairs = "text_pair" in corpus.names
    if pairs and o.faithful == "code":
        # the program has this width for pairs whatever is asked for, and measures no donor here
        o = replace(o, low=given.get("low", round(max(o.high - 0.2, 0.0), 9)))
        o = replace(o, insert_ratio=given.get("insert_ratio", "own"))
    if o.low > o.high:
        raise OptionError(f"low={o.low} is above high={o.high}", hint="exchange the two")
    if o.insert_ratio == "source" and (pairs or o.mix != "any" or o.same_label or o.same_length):
        raise OptionError(
            "insert_ratio='source' is for single texts without other constraints",
            hint="use insert_ratio='own'",
        )
    return o


def _constituents(side: Side, o: TreeMixOptions, corpus: Corpus) -> Spans:
    assert side.treebank is not None
    spans = tree_spans(side.treebank)
    children = "1 child or more" if o.min_children == 1 else f"{o.min_children} children or more"
    spans = spans.keep(spans.children >= o.min_children, f"with {children}")
    spans = uncut(whole_spans(spans, side, o.repair), side)
    mask = protected_words(corpus, side, o.protect)
    if mask.any():
        spans = spans.keep(unprotected(spans, side.offsets, mask), "without a protected word")
    return spans


def _fits(spans: Spans, side: Side, o: TreeMixOptions) -> BoolArray:
    least, most = ratio_bounds(side.lengths[spans.example], o.low, o.high, strict=o.strict)
    return np.asarray((spans.words >= least) & (spans.words <= most))


def _in_band(spans: Spans, side: Side, o: TreeMixOptions) -> Spans:
    sign = "<" if o.strict else "<="
    what = f"with {o.low} {sign} words / words of the sentence {sign} {o.high}"
    return spans.keep(_fits(spans, side, o), what)


def per_example(example: Any) -> NDArray[np.float64]:
    """Return weights that draw an example uniformly, then uniformly one of its rows.

    >>> per_example(np.array([0, 0, 3])).tolist()
    [0.5, 0.5, 1.0]
    """
    return np.asarray(1.0 / np.bincount(example)[example])


def _features(
    sites: Sites, examples: Examples, o: TreeMixOptions
) -> list[tuple[str, NDArray[Any]]]:
    """Return what must be equal for two sites to be exchanged, each with its name."""
    features: list[tuple[str, NDArray[Any]]] = []
    for k, side in enumerate(examples.sides):
        if o.same_label and side.treebank is not None:
            features.append(("label", side.treebank.label[sites.node[:, k]]))
        if side.treebank is not None:
            ends = stops(side, sites.example, sites.end[:, k], o.repair)
            features.append(("final mark", ends))
        if o.same_length:
            features.append(("words", sites.end[:, k] - sites.start[:, k]))
    return features


def label_pools(
    sites: Sites,
    features: list[tuple[str, NDArray[Any]]],
    weight: NDArray[np.float64],
    corpus: Corpus,
    mix: str,
) -> Pools:
    """Make the pools of a method that mixes labels.

    Parameters
    ----------
    sites, features : Sites, list
        What is exchanged, and what must be equal.
    weight : float64[S]
        Weight of every site, as source and as substitute.
    corpus : Corpus
        Its labels say which examples are of the same class.
    mix : {"any", "same", "cross"}
        Which classes may mix.

    Raises
    ------
    CorpusError
        If there are no labels to compare, a class has one example ("same"), or all examples are
        of one class ("cross").
    """
    values = [column for _, column in features]
    if mix == "any":
        return _one_pool_a_class(class_numbers(values, len(sites)), weight)
    keys = read_labels(corpus).keys()
    mine = keys[sites.example]
    if mix == "same":
        refuse_lone_classes(keys, corpus.classes)
        return _one_pool_a_class(class_numbers([*values, mine], len(sites)), weight)
    if len(np.unique(keys)) == 1:
        raise CorpusError(
            "all examples are of one class, so none gives a span to another class",
            hint="use mix='any'",
        )
    return _pools_of_other_labels(class_numbers(values, len(sites)), mine, weight)


def _one_pool_a_class(classes: LongArray, weight: NDArray[np.float64]) -> Pools:
    names = [f"class {c}" for c in range(int(classes.max(initial=-1)) + 1)]
    return pools_of_classes(classes, names, host_weight=weight, filler_weight=weight)


def _pools_of_other_labels(
    group: LongArray, label: LongArray, weight: NDArray[np.float64]
) -> Pools:
    """Make a pool of every group and label: the sites of the group with any other label."""
    both = class_numbers([group, label], len(group))
    first = np.unique(both, return_index=True)[1]
    order = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[order], np.arange(int(group.max()) + 2))
    sizes = np.diff(bounds)[group[first]]
    if int(sizes.sum()) > _MOST_ENTRIES:
        raise OptionError(
            f"mix='cross' makes {int(sizes.sum()):,} pairs of a class and a span, too many",
            hint="use mix='any'",
        )
    rows = []
    for p in first.tolist():
        members = order[bounds[group[p]] : bounds[group[p] + 1]]
        rows.append(members[label[members] != label[p]])
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    fillers = np.concatenate(rows).astype(np.int32)
    names = tuple(f"not of class {label[p]}, group {group[p]}" for p in first.tolist())
    return Pools(both.astype(np.int32), weight, offsets, fillers, weight[fillers], names)


def _pools_by_host_length(sites: Sites, side: Side, o: TreeMixOptions) -> Pools:
    """Make a pool of every length of hosts: the constituents whose words fit into its band."""
    words = (sites.end - sites.start)[:, 0].astype(np.int64)
    lengths = side.lengths[sites.example]
    least, most = ratio_bounds(lengths, o.low, o.high, strict=o.strict)
    hosts = (words >= least) & (words <= most)
    if not hosts.any():
        raise no_material(
            (*sites.story, (f"with {o.low} < words / words of the text < {o.high}", 0))
        )
    known, number = np.unique(lengths[hosts], return_inverse=True)
    of_site = np.full(len(sites), -1, np.int32)
    of_site[hosts] = number.ravel()
    rows, weights = [], []
    for low, high in zip(*ratio_bounds(known, o.low, o.high, strict=o.strict), strict=True):
        row = np.flatnonzero((words >= low) & (words <= high)).astype(np.int32)
        rows.append(row)
        weights.append(per_example(sites.example[row]))
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    host_weight = np.zeros(len(sites))
    host_weight[hosts] = per_example(sites.example[hosts])
    names = tuple(f"for texts of {n} words" for n in known.tolist())
    return Pools(
        of_site, host_weight, offsets, np.concatenate(rows), np.concatenate(weights), names
    )
