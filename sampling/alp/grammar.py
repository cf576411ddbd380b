"""The grammar that ALP induces: frames, pools and words of a corpus, as columns and as a graph.

It samples without the corpus. Rules are numbered: constituents by the entries of the pools, then
the words of classes of texts, then synonyms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np

from grammar.arrays import BoolArray, FloatArray, IntArray, LongArray, kernel, pack_strings
from grammar.codecs import ArrayCodec
from grammar.description import Description, describe_graph
from grammar.saving.facts import ANY, CLASSES, OPTIONS, TEXT, Fields, each, maybe, one_of, real
from grammar.weighted import Weighted
from sampling.alp.checks import check_alp
from sampling.alp.frames import Frames
from sampling.alp.slots import NOTHING, Choices, Texts
from sampling.alp.words import WordModel, word_model
from sampling.english.articles import article
from sampling.joins.spacing import touching_words

__all__ = ["ALPGrammar"]

_MOST = 2**63 - 1


@dataclass(frozen=True, eq=False, repr=False)
class ALPGrammar(Weighted):
    """Lexicalised frames of a corpus, and what may fill them.

    Parameters
    ----------
    texts : Texts
        The texts: their sentences, trees and words.
    frames : Frames
        The nodes of all trees.
    pool_offsets, pool_node, pool_ends : arrays
        The constituents that may fill each other's places, with running sums of probabilities.
    pool_names : tuple of str
        What each pool is called: class, label, and tag of the head.
    events : int64[events, 5], int64[events]
        Class, tag, label, governor and form of open words; and how often, in thousandths.
    counts : int64[events]
        How often each event was seen, in thousandths of a tree.
    synonym_offsets, synonym : arrays
        The synonyms of words under tags.
    forms, gaps, labels : tuple of str
        Words, what stands between them, and labels and tags.
    tails : int32[texts]
        The gap behind the last word of each text.
    ids : tuple of str
        Ids of the texts.
    classes : tuple
        The label of each class: an int, a tuple of floats, or one of names.
    columns : tuple of str
        The columns of new examples, besides id and provenance.
    facts : mapping
        Options, version, parser, the threshold of plausibility, and what was left out.
    """

    texts: Texts
    frames: Frames
    pool_offsets: LongArray
    pool_node: IntArray
    pool_ends: FloatArray
    pool_names: tuple[str, ...]
    events: LongArray
    counts: LongArray
    synonym_offsets: LongArray
    synonym: IntArray
    forms: tuple[str, ...]
    gaps: tuple[str, ...]
    labels: tuple[str, ...]
    tails: IntArray
    ids: tuple[str, ...]
    classes: tuple[Any, ...]
    columns: tuple[str, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)

    family = "alp"
    codec = ArrayCodec(
        "treewright.alp/1",
        "a grammar of ALP",
        Fields({
            "classes": CLASSES,
            "columns": each(one_of("text", "label", "tree", "tokens", "tags")),
            "facts": Fields(
                {"version": TEXT, "options": OPTIONS, "least_score": maybe(real())}, others=ANY
            ),
        }),
        {
            "sentences": "int64", "classes": "int64", "words": "int64", "trees": "int64",
            "tree_ends": "float64", "root": "int64", "form": "int32", "gap": "int32",
            "capital": "bool", "size": "int32", "word": "int32", "head": "int32",
            "governor": "int32", "label": "int32", "tag": "int32", "open": "bool",
            "synonyms": "int32", "pool": "int32", "pool_offsets": "int64", "pool_node": "int32",
            "pool_ends": "float64", "events": "int64", "counts": "int64",
            "synonym_offsets": "int64", "synonym": "int32", "tails": "int32",
            "pool_names": "text", "forms": "text", "gaps": "text", "labels": "text",
            "ids": "text",
        },
    )  # fmt: skip
    method = "alp"
    start = "EXAMPLE"

    def __len__(self) -> int:
        return len(self.pool_node) + len(self.model.form) + len(self.synonym)

    def __repr__(self) -> str:
        trees, sentences = len(self.texts.root), len(self.texts.capital)
        return (
            f"ALPGrammar({len(self.ids):,} texts of {len(self.classes)} classes, {trees:,} trees "
            f"of {sentences:,} sentences, {len(self.pool_node):,} constituents in "
            f"{len(self.pool_names):,} pools, {len(self.model.form):,} words in contexts, "
            f"{len(self.synonym):,} synonyms; {self.facts.get('parser')})"
        )

    @property
    def options(self) -> Mapping[str, Any]:
        """How it was induced."""
        options: Mapping[str, Any] = self.facts["options"]
        return options

    @cached_property
    def model(self) -> WordModel:
        """The words of classes in their contexts."""
        return word_model(self.events[:, :4], self.events[:, 4], self.counts)

    @cached_property
    def choices(self) -> Choices:
        """What kernels put in."""
        numbers = {form: i for i, form in enumerate(self.forms)}
        articles = {"a": ("an", 1), "an": ("a", 2), "A": ("An", 1), "An": ("A", 2)}
        article, other = (np.zeros(len(self.forms), np.int32) for _ in range(2))
        for form, (beside, kind) in articles.items():
            if form in numbers and beside in numbers:
                article[numbers[form]], other[numbers[form]] = kind, numbers[beside]
        return Choices(
            self.pool_offsets,
            self.pool_node,
            self.pool_ends,
            self.synonym_offsets,
            self.synonym,
            np.array([numbers.get(_capital(f), i) for i, f in enumerate(self.forms)], np.int32),
            article,
            np.array([_wants_an(form) for form in self.forms], np.bool_),
            other,
            *touching_words(self._touches, self.texts.form, self.forms),
        )

    @property
    def _touches(self) -> BoolArray:
        """Which words touch the one before them in their text."""
        touches = self.texts.gap == NOTHING
        touches[np.cumsum(self.texts.words) - self.texts.words] = False
        return np.asarray(touches)

    @cached_property
    def bytes(self) -> tuple[Any, ...]:
        """Forms and gaps as bytes, each with where they begin."""
        return (*pack_strings(self.forms), *pack_strings(self.gaps))

    @cached_property
    def tag_of_word(self) -> IntArray:
        """int32[words]: the tag of every word in the best tree of its sentence."""
        return _best(self.texts, self.frames, self.frames.tag)

    def size(self, depth: int) -> int:
        """Return an upper bound of the number of derivations with exchanges so deep.

        Words count once each, whatever makes them; above 2**63 - 1, it is that.
        """
        ways = np.ones(len(self.frames.size))
        leaves = np.flatnonzero(self.frames.open)
        ways[leaves] += self._alternatives[leaves]
        sums = np.zeros(len(self.pool_names))
        for _ in range(depth + 1):
            nodes = ways.copy()
            _count(self.frames.size, self.frames.pool, sums, nodes)
            sums = np.array([
                nodes[self.pool_node[a:b]].sum()
                for a, b in zip(self.pool_offsets[:-1], self.pool_offsets[1:], strict=True)
            ])  # fmt: skip
        sentence = np.add.reduceat(nodes[self.texts.root], self.texts.trees[:-1])
        with np.errstate(over="ignore"):
            total = float(np.multiply.reduceat(sentence, self.texts.sentences[:-1]).sum())
        return _MOST if not total < 2.0**63 else int(total)

    @cached_property
    def _alternatives(self) -> LongArray:
        """How many words may stand for each open leaf, beside its own."""
        tags = self.events[:, 0] * 4096 + self.events[:, 1]
        kinds = np.unique(np.stack((tags, self.events[:, 4]), axis=1), axis=0)[:, 0]
        classes = np.repeat(self.texts.classes, np.diff(self.texts.sentences))
        of_tree = np.repeat(classes, np.diff(self.texts.trees))
        sizes = self.frames.size[self.texts.root]
        of_node = np.repeat(of_tree, sizes) * 4096 + self.frames.tag
        known, many = np.unique(kinds, return_counts=True)
        place = np.minimum(np.searchsorted(known, of_node), max(len(known) - 1, 0))
        found = np.where(known[place] == of_node, many[place], 0) if len(known) else 0 * of_node
        rows = np.diff(self.synonym_offsets, append=self.synonym_offsets[-1:])
        return np.asarray(
            found + np.where(self.frames.synonyms >= 0, rows[self.frames.synonyms], 0)
        )

    def words_of(self, node: int) -> str:
        """Return the words of a constituent, with single spaces."""
        inside = self.frames.word[node : node + int(self.frames.size[node])]
        return " ".join(self.forms[f] for f in self.texts.form[inside[inside >= 0]].tolist())

    def rule_text(self, number: int) -> str:
        """Return what a rule puts in (IndexError if there is none)."""
        entry, words = self.numbered(number) - len(self.pool_node), len(self.model.form)
        if entry < 0:
            return self.words_of(int(self.pool_node[number]))
        form = self.model.form[entry] if entry < words else self.synonym[entry - words]
        return self.forms[int(form)]

    def describe(self, symbol: str | None = None, top: int = 20) -> Description:
        """Look at the grammar, and at one of its pools (else the start) more closely.

        Raises
        ------
        OptionError
            If the grammar has no such symbol.
        """
        sizes = {name: self.graph.out_degree(f"symbol:{name}") for name in self.pool_names}
        largest = sorted(sizes, key=lambda name: (-sizes[name], name))[:top]
        facts = {
            "options": {name: str(value) for name, value in self.options.items()},
            "parser": self.facts.get("parser"),
            "examples": len(self.ids),
            "classes": len(self.classes),
            "trees": len(self.texts.root),
            "constituents in pools": len(self.pool_node),
            "pools": len(self.pool_names),
            "words in contexts": len(self.model.form),
            "synonyms": len(self.synonym),
        }
        details = {"largest pools": [{"symbol": name, "rules": sizes[name]} for name in largest]}
        return describe_graph(self.graph, symbol or self.start, top, facts=facts, details=details)

    def build_graph(self) -> nx.MultiDiGraph:
        """Build the graph again.

        The start symbol becomes a tree of a text (a rule), which leads to the pools of its open
        constituents; a pool becomes a constituent (a rule), which leads to its words and to the
        pools of what is open in it; a symbol ``class 0: NN`` becomes a word of that class and tag.
        """
        graph = nx.MultiDiGraph(family=self.family, start=self.start, method=self.method)
        graph.add_node(f"symbol:{self.start}", kind="symbol", name=self.start)
        for name in self.pool_names:
            graph.add_node(f"symbol:{name}", kind="symbol", name=name)
        self._add_words(graph)
        sentence = np.repeat(np.arange(len(self.texts.capital)), np.diff(self.texts.trees))
        share = np.diff(self.texts.tree_ends, prepend=0.0)
        share[self.texts.trees[:-1]] = self.texts.tree_ends[self.texts.trees[:-1]]
        weight = share / len(self.texts.capital)
        owner = np.repeat(np.arange(len(self.ids)), np.diff(self.texts.sentences))[sentence]
        for t, root in enumerate(self.texts.root.tolist()):
            rule = f"rule:tree-{t}"
            graph.add_node(rule, kind="rule", pattern=self.words_of(root), host=self.ids[owner[t]])
            graph.add_edge(f"symbol:{self.start}", rule, key=0, weight=float(weight[t]))
            self._add_children(graph, rule, root)
        for p, name in enumerate(self.pool_names):
            before = 0.0
            for e in range(int(self.pool_offsets[p]), int(self.pool_offsets[p + 1])):
                rule, node = f"rule:{e}", int(self.pool_node[e])
                graph.add_node(rule, kind="rule", pattern=self.words_of(node))
                graph.add_edge(
                    f"symbol:{name}", rule, key=0, weight=float(self.pool_ends[e] - before)
                )
                before = float(self.pool_ends[e])
                self._add_children(graph, rule, node)
        return graph

    def _add_children(self, graph: nx.MultiDiGraph, rule: str, node: int) -> None:
        """Lead from a rule to the pools of the outermost open nodes below it, and to its words."""
        stop, position, i = node + int(self.frames.size[node]), 0, node + 1
        while i < stop:
            p, w = int(self.frames.pool[i]), int(self.frames.word[i])
            if p >= 0:
                child = f"symbol:{self.pool_names[p]}"
                i += int(self.frames.size[i])
            else:
                i += 1
                if w < 0:
                    continue
                child = f"word:{self.forms[int(self.texts.form[w])]}"
                graph.add_node(child, kind="word", name=child.removeprefix("word:"))
            graph.add_edge(rule, child, key=position, position=position)
            position += 1

    def _add_words(self, graph: nx.MultiDiGraph) -> None:
        kinds, inverse = np.unique(self.events[:, [0, 1, 4]], axis=0, return_inverse=True)
        count = np.bincount(inverse.ravel(), self.counts, minlength=len(kinds))
        keys = kinds[:, 0] * 4096 + kinds[:, 1]
        total = dict(zip(*_sums(keys, count), strict=True))
        for k, (c, tag, form) in enumerate(kinds.tolist()):
            symbol, word = f"symbol:class {c}: {self.labels[tag]}", f"word:{self.forms[form]}"
            rule = f"rule:word-{c}-{tag}-{form}"
            graph.add_node(symbol, kind="symbol", name=symbol.removeprefix("symbol:"))
            graph.add_node(word, kind="word", name=self.forms[form])
            graph.add_node(rule, kind="rule")
            graph.add_edge(symbol, rule, key=0, weight=float(count[k] / total[int(keys[k])]))
            graph.add_edge(rule, word, key=0, position=0)

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the facts and columns of the saved file."""
        columns: dict[str, Any] = {}
        for prefix, named in (("texts", self.texts), ("frames", self.frames)):
            columns |= {f"{prefix}.{name}": value for name, value in named._asdict().items()}
        columns |= {name: getattr(self, name) for name in (*_ARRAYS, *_STRINGS)}
        columns["events"] = self.events.ravel()
        return {
            "classes": self.classes, "columns": self.columns, "facts": dict(self.facts)
        }, columns  # fmt: skip

    @classmethod
    def from_arrays(cls, facts: dict[str, Any], columns: dict[str, Any]) -> ALPGrammar:
        """Read a grammar off what :meth:`to_arrays` returned."""
        columns["events"] = columns["events"].reshape(-1, 5)
        kept: dict[str, Any] = {name: columns[name] for name in _ARRAYS}
        kept |= {name: tuple(columns[name]) for name in _STRINGS}
        grammar = cls(
            Texts(*(columns[f"texts.{name}"] for name in Texts._fields)),
            Frames(*(columns[f"frames.{name}"] for name in Frames._fields)),
            **kept,
            classes=tuple(tuple(c) if isinstance(c, list) else c for c in facts["classes"]),
            columns=tuple(facts["columns"]),
            facts=facts["facts"],
        )
        check_alp(grammar)
        return grammar


_ARRAYS = (
    "pool_offsets", "pool_node", "pool_ends", "events", "counts", "synonym_offsets", "synonym",
    "tails",
)  # fmt: skip
_STRINGS = ("pool_names", "forms", "gaps", "labels", "ids")


def _capital(form: str) -> str:
    return form[:1].upper() + form[1:]


def with_capitals(forms: Sequence[str]) -> list[str]:
    """Return forms and, behind them, those with a capital that are not among them."""
    return list(dict.fromkeys([*forms, "a", "an", *map(_capital, forms), "A", "An"]))


def _wants_an(form: str) -> bool:
    return article("a", form) == "an"


def _sums(keys: LongArray, count: Any) -> tuple[list[int], list[float]]:
    known, inverse = np.unique(keys, return_inverse=True)
    return known.tolist(), np.bincount(inverse.ravel(), count, minlength=len(known)).tolist()


@kernel()
def _count(size: IntArray, pool: IntArray, sums: FloatArray, ways: FloatArray) -> None:
    """Turn the ways of leaves into those of all nodes; an open node may be any of its pool too."""
    for node in range(len(size) - 1, -1, -1):
        if size[node] > 1:
            total, child = 1.0, node + 1
            while child < node + size[node]:
                total *= ways[child]
                child += size[child]
            ways[node] = total + (sums[pool[node]] if pool[node] >= 0 else 0.0)


@kernel()
def _best(texts: Texts, frames: Frames, values: IntArray) -> IntArray:
    """Return a value of leaves for each word, in the best tree of its sentence."""
    found = np.zeros(len(texts.form), np.int32)
    for s in range(len(texts.capital)):
        root = texts.root[texts.trees[s]]
        for i in range(root, root + frames.size[root]):
            if frames.word[i] >= 0:
                found[frames.word[i]] = values[i]
    return found
