"""What the released program of ALP does, for comparison: phrases of a class side by side.

It has no lexicalised grammar, no threshold and no heads. From the best tree of every sentence it
takes the phrases under a few labels, fills their sequences of tags with random words of the class,
swells the words by synonyms of synonyms, and strings phrases together until there are enough
characters (``aug_alp.py`` and ``util_ge`` in the authors' repository).
"""

from __future__ import annotations

import itertools
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pyarrow as pa

from grammar.arrays import IntArray, LongArray, kernel, text_bytes
from grammar.codecs import ArrayCodec
from grammar.errors import CorpusError, MissingDataError
from grammar.hashing import Keys, hash_rows
from grammar.rng import below, next_uniform, open_stream, stream_key
from grammar.saving.facts import ANY, CLASSES, FLAG, TEXT, Fields, whole
from grammar.trees.tree import Tree
from grammar.weighted import Weighted
from induction.corpus.corpus import Corpus
from sampling.alp.checks import check_phrases
from sampling.alp.columns import class_labels
from sampling.alp.induction import refuse_no_labels, text_classes
from sampling.alp.options import LONGEST, ALPOptions
from sampling.alp.trees import ParsedTexts, parsed_texts
from sampling.english.wordnet import MissingWordNetWarning, names_of_synsets, wordnet
from sampling.examples.examples import no_material
from sampling.examples.labels import read_labels
from sampling.examples.provenance import as_spans, example_table
from sampling.examples.splicing import as_lists
from sampling.stream import Sampler

__all__ = ["ALPCode", "PhraseGrammar"]

VERSION = "1"
_LABELS = ("S", "SQ", "SBAR", "ADJP", "ADVP")
_DROPPED = ("-LRB-", "-RRB-")
_PARTS = {"J": "a", "V": "v", "N": "n", "R": "r"}
_ROUNDS = 4
"""Rounds of synonyms: one, and three more over the same dictionary."""
_SHORT = 50
"""The third pool is there if the first text of the class has fewer characters."""
_STRINGS = pa.list_(pa.string())


@dataclass(frozen=True, eq=False, repr=False)
class PhraseGrammar(Weighted):
    """The phrases of every class, drawn uniformly.

    Parameters
    ----------
    phrases : tuple of str
        Rule r puts in phrase r.
    donor : int32[phrases]
        The text that each phrase, or its sequence of tags, is from.
    offsets : int64[classes + 1]
        Where the phrases of each class begin.
    ids : tuple of str
        Ids of the texts.
    texts : tuple of str
        The texts.
    classes : tuple
        The label of each class.
    facts : mapping
        How it was induced.
    """

    phrases: tuple[str, ...]
    donor: IntArray
    offsets: LongArray
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    classes: tuple[Any, ...]
    facts: Mapping[str, Any]

    family = "phrases"
    codec = ArrayCodec(
        "treewright.alp-phrases/1",
        "a grammar of phrases",
        Fields({
            "classes": CLASSES,
            "facts": Fields(
                {"seq_len": whole(1, LONGEST), "distinct": FLAG, "version": TEXT}, others=ANY
            ),
        }),
        {
            "phrases": "text", "donor": "int32", "offsets": "int64", "ids": "text",
            "texts": "text",
        },
    )  # fmt: skip
    method = "alp"
    start = "class 0"

    @property
    def options(self) -> Mapping[str, Any]:
        """How it was induced."""
        kept = {name: self.facts[name] for name in ("seq_len", "distinct")}
        return {"faithful": "code", **kept}

    def __repr__(self) -> str:
        return f"PhraseGrammar({len(self.phrases):,} phrases of {len(self.classes)} classes)"

    def __len__(self) -> int:
        return len(self.phrases)

    def rule_text(self, number: int) -> str:
        """Return the phrase that a rule puts in (IndexError if there is none)."""
        return self.phrases[self.numbered(number)]

    def build_graph(self) -> nx.MultiDiGraph:
        """Build the graph again: the symbol of a class, its phrases, their words."""
        graph = nx.MultiDiGraph(family=self.family, start=self.start, method=self.method)
        for c in range(len(self.classes)):
            symbol, (first, last) = f"symbol:class {c}", self.offsets[c : c + 2].tolist()
            graph.add_node(symbol, kind="symbol", name=f"class {c}")
            for r in range(first, last):
                graph.add_node(f"rule:{r}", kind="rule", pattern=self.phrases[r])
                graph.add_edge(symbol, f"rule:{r}", key=0, weight=1 / (last - first))
                for position, word in enumerate(self.phrases[r].split()):
                    graph.add_node(f"word:{word}", kind="word", name=word)
                    graph.add_edge(f"rule:{r}", f"word:{word}", key=position, position=position)
        return graph

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the facts and columns of the saved file."""
        names = ("phrases", "donor", "offsets", "ids", "texts")
        facts = {"classes": self.classes, "facts": dict(self.facts)}
        return facts, {name: getattr(self, name) for name in names}

    @classmethod
    def from_arrays(cls, facts: dict[str, Any], columns: dict[str, Any]) -> PhraseGrammar:
        """Read a grammar off what :meth:`to_arrays` returned."""
        strings = {name: tuple(columns[name]) for name in ("phrases", "ids", "texts")}
        classes = tuple(tuple(c) if isinstance(c, list) else c for c in facts["classes"])
        grammar = cls(
            **strings,
            donor=columns["donor"],
            offsets=columns["offsets"],
            classes=classes,
            facts=facts["facts"],
        )
        check_phrases(grammar)
        return grammar


class Strung(NamedTuple):
    """Phrases side by side: row r has the class ``of[r]`` and the phrases between its bounds."""

    of: LongArray
    rules: LongArray
    bounds: LongArray


class ALPCode(Sampler):
    """Phrases of a class side by side, as the released program makes them.

    Example i is of class i mod the number of classes; it draws phrases until it has twice
    ``seq_len`` characters. Differences from the program: draws have seeds, an L-PCFG or the
    corpus's trees stand for its neural parser, a phrase label never has words of its own (which
    collapsed unary rules may give it there), and no space is left at the end.

    Parameters
    ----------
    grammar : PhraseGrammar
        Its facts hold the options.
    """

    method = "alp"
    patience = 4096
    grammar: PhraseGrammar

    def __init__(self, grammar: PhraseGrammar) -> None:
        super().__init__(grammar)
        self.distinct = bool(grammar.facts["distinct"])

    @classmethod
    def of(cls, corpus: Corpus, o: ALPOptions) -> ALPCode:
        """Induce the phrases of a corpus (raises and warns like ``ALP.induce``)."""
        refuse_no_labels(corpus)
        if "protected" in corpus.names:
            raise CorpusError(
                "phrases put side by side keep no word in its place, so none can be protected",
                hint="drop the column 'protected', or use faithful='paper'",
            )
        parsed = parsed_texts(corpus, o)
        classes, values = text_classes(read_labels(parsed.corpus))
        phrases, donors, ends = list[str](), list[int](), [0]
        for c in range(len(values)):
            found = list(_phrases(parsed, np.flatnonzero(classes == c), c))
            phrases += [phrase for phrase, _ in found]
            donors += [donor for _, donor in found]
            ends.append(len(phrases))
            if ends[-1] == ends[-2]:
                story = [
                    (f"texts of class {c}", int((classes == c).sum())),
                    (f"phrases under {', '.join(_LABELS)}", 0),
                ]
                raise no_material(story)
        facts = {
            "seq_len": o.seq_len, "distinct": o.distinct, "version": VERSION, **parsed.facts
        }  # fmt: skip
        return cls(
            PhraseGrammar(
                tuple(phrases), np.array(donors, np.int32), np.array(ends, np.int64),
                tuple(map(str, parsed.corpus.column("id"))), tuple(parsed.corpus.column("text")),
                values, facts,
            )
        )  # fmt: skip

    def count(self) -> int:
        """Return an upper bound of the number of distinct examples; at most 2**63 - 1."""
        limit, total = 2 * int(self.grammar.facts["seq_len"]), 0
        for first, last in zip(self.grammar.offsets, self.grammar.offsets[1:], strict=False):
            shortest = min(len(p) + 1 for p in self.grammar.phrases[int(first) : int(last)])
            draws = -(-limit // shortest)
            for k in range(1, draws + 1):
                total += int(last - first) ** k
                if total >= 2**63:
                    return 2**63 - 1
        return total

    def sample(self, n: int, *, seed: int = 0, start: int = 0, per_class: bool = False) -> Corpus:
        """Draw examples with ``text`` and ``label``; else as :meth:`ALP.sample`."""
        if per_class:
            n, start = (number * len(self.grammar.classes) for number in (n, start))
        return super().sample(n, seed=seed, start=start)

    def attempt(self, seed: int, numbers: LongArray, *beside: Any) -> Strung:
        """Draw phrases; attempt a is of class a mod the number of classes."""
        grammar = self.grammar
        sizes = np.array([len(phrase) + 1 for phrase in grammar.phrases], np.int64)
        of, limit = numbers % len(grammar.classes), 2 * int(grammar.facts["seq_len"])
        key = stream_key(seed, "alp code")
        return Strung(of, *_strung(key, numbers, of, grammar.offsets, sizes, limit))

    def hash(self, drawn: Strung, rows: LongArray) -> Keys:
        """Return a number for the text of each row."""
        return hash_rows(*text_bytes(self._texts(drawn)))[rows]

    def known(self) -> list[int]:
        """Return the hashes of the texts of the corpus."""
        hashes: list[int] = hash_rows(*text_bytes(pa.array(self.grammar.texts))).tolist()
        return hashes

    def write(self, drawn: Strung, seed: int, index: LongArray) -> pa.Table:
        """Write phrases as examples with these numbers."""
        grammar, (of, rules, bounds) = self.grammar, drawn
        words = np.array([len(phrase.split()) for phrase in grammar.phrases], np.int64)[rules]
        ends = np.cumsum(words)
        before = np.repeat((ends - words)[bounds[:-1]], np.diff(bounds))
        donors = np.asarray(grammar.ids, object)[grammar.donor[rules]].tolist()
        rows = itertools.pairwise(bounds.tolist())
        choices = np.log(np.diff(grammar.offsets))[of]
        return example_table(
            self.method,
            grammar.facts["version"],
            seed,
            index,
            {
                "text": self._texts(drawn),
                "label": class_labels(grammar.classes).take(pa.array(of)),
            },
            parents=pa.array([list(dict.fromkeys(donors[a:b])) for a, b in rows], _STRINGS),
            spans=as_spans(ends - words - before, ends - before, bounds),
            rules=as_lists(rules, bounds),
            log_probability=-choices * np.diff(bounds),
        )

    def _texts(self, drawn: Strung) -> pa.Array:
        phrases = [self.grammar.phrases[r] for r in drawn.rules.tolist()]
        bounds = itertools.pairwise(drawn.bounds.tolist())
        return pa.array([" ".join(phrases[a:b]).rstrip() for a, b in bounds], pa.string())


@kernel()
def _strung(
    key: np.uint64,
    numbers: LongArray,
    of: LongArray,
    offsets: LongArray,
    sizes: LongArray,
    limit: int,
) -> tuple[LongArray, LongArray]:
    """Draw phrases until each row has so many characters; return them, and where rows begin."""
    bounds = np.zeros(len(numbers) + 1, np.int64)
    rules = np.empty(16 * len(numbers) + 16, np.int64)
    made = 0
    for r in range(len(numbers)):
        first, last = offsets[of[r]], offsets[of[r] + 1]
        state, size = open_stream(key, numbers[r]), 0
        while size < limit:
            if made == len(rules):
                rules = np.concatenate((rules, np.empty_like(rules)))
            state, u = next_uniform(state)
            rules[made] = first + below(u, last - first)
            size += sizes[rules[made]]
            made += 1
        bounds[r + 1] = made
    return rules[:made].copy(), bounds


def _phrases(parsed: ParsedTexts, texts: LongArray, number: int) -> Iterator[tuple[str, int]]:
    """Yield the phrases of a class, pool after pool, with the text that each is from."""
    verbatim: dict[tuple[str, str], int] = {}
    patterns: dict[tuple[str, tuple[str, ...]], int] = {}
    words: dict[str, Counter[str]] = {}
    plausible = set(_LABELS)
    for i in texts.tolist():
        for s in range(int(parsed.sentences[i]), int(parsed.sentences[i + 1])):
            for node in parsed.treebank[int(parsed.trees[s])].nodes():
                children = [c for c in node.children if isinstance(c, Tree)]
                if not children:
                    words.setdefault(node.label, Counter()).setdefault(str(node.children[0]), 1)
                    continue
                if node.label == "S" and len(children) == 1:
                    plausible.add(children[0].label)
                leaves = [word for word in node.leaves() if word not in _DROPPED]
                verbatim.setdefault((node.label, " ".join(leaves)), i)
                patterns.setdefault((node.label, _tags(node)), i)
    for (label, phrase), donor in verbatim.items():
        if label in plausible:
            yield from ((piece, donor) for piece in phrase.split(","))
    swollen = _swollen(words)
    rounds = 2 if len(parsed.corpus.column("text")[int(texts[0])]) < _SHORT else 1
    for k in range(rounds):
        key = stream_key(number, f"alp code, pool {k + 2}")
        filled: dict[tuple[str, str], int] = {}
        for row, ((label, tags), donor) in enumerate(patterns.items()):
            if label in plausible:
                filled.setdefault((label, " ".join(_filled(key, row, tags, swollen))), donor)
        for (_, phrase), donor in filled.items():
            yield from ((piece, donor) for piece in phrase.split(","))


def _tags(node: Tree) -> tuple[str, ...]:
    below = (n for n in node.nodes() if not any(isinstance(c, Tree) for c in n.children))
    return tuple(n.label for n in below if n.label not in _DROPPED)


def _swollen(words: dict[str, Counter[str]]) -> dict[str, tuple[list[str], LongArray]]:
    """Return the words of every tag with running sums of how often each stands in its list.

    Every round replaces the words of an open tag by all their synonyms, themselves among them;
    words that WordNet lacks are lost.
    """
    known_synonyms = True
    try:
        wordnet()
    except MissingDataError as error:
        warnings.warn(
            f"{error.what}, so words are not swollen by synonyms ({error.hint})",
            MissingWordNetWarning,
            stacklevel=6,
        )
        known_synonyms = False
    made = {}
    for tag, known in words.items():
        pos = _PARTS.get(tag[:1])
        for _ in range(_ROUNDS if pos and known_synonyms else 0):
            grown: Counter[str] = Counter()
            for word, times in known.items():
                for other in _synonyms(word, str(pos)):
                    grown[other] += times
            known = grown
        counts = np.array(list(known.values()), object)
        # counts grow beyond 64 bits in long lists; shares are all that matter
        shares = np.array([float(count) for count in counts])
        made[tag] = (list(known), np.cumsum(shares / shares.sum()) if len(known) else shares)
    return made


@cache
def _synonyms(word: str, pos: str) -> tuple[str, ...]:
    names = (n for kind, found in names_of_synsets(word) if kind == pos for n in found)
    spaced = (name.replace("_", " ").replace("-", " ").lower() for name in names)
    return tuple(
        dict.fromkeys("".join(c for c in n if c == " " or "a" <= c <= "z") for n in spaced)
    )


def _filled(
    key: np.uint64, row: int, tags: Sequence[str], words: Mapping[str, tuple[list[str], Any]]
) -> Iterator[str]:
    state = open_stream(key, row)
    for tag in tags:
        known, ends = words[tag]
        if known:
            state, u = next_uniform(np.uint64(state))
            yield known[min(int(np.searchsorted(ends, u, side="right")), len(known) - 1)]
