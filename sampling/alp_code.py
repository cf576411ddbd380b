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
from functools import cache, cached_property
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa

from grammar.array_file import load_arrays, save_arrays
from grammar.arrays import IntArray, LongArray
from grammar.counter_rng import below, next_uniform, open_stream, stream_key
from grammar.errors import CorpusError, MissingDataError
from grammar.files import PathLike
from grammar.tree import Tree
from induction.corpus import Corpus
from sampling.alp_induction import refuse_no_labels, text_classes
from sampling.alp_options import ALPOptions
from sampling.alp_trees import ParsedTexts, parsed_texts
from sampling.labels import read_labels
from sampling.protocol import whole_number
from sampling.sites import no_material
from sampling.substitution import ShortfallWarning
from sampling.wordnet import MissingWordNetWarning, wordnet

__all__ = ["ALPCode", "PhraseGrammar"]

VERSION = "1"
_SCHEMA = "treewright.alp-phrases/1"
_LABELS = ("S", "SQ", "SBAR", "ADJP", "ADVP")
_DROPPED = ("-LRB-", "-RRB-")
_PARTS = {"J": "a", "V": "v", "N": "n", "R": "r"}
_ROUNDS = 4
"""Rounds of synonyms: one, and three more over the same dictionary."""
_SHORT = 50
"""The third pool is there if the first text of the class has fewer characters."""
_PATIENCE = 4096


@dataclass(frozen=True, eq=False)
class PhraseGrammar:
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

    method = "alp"

    def __repr__(self) -> str:
        return f"PhraseGrammar({len(self.phrases):,} phrases of {len(self.classes)} classes)"

    @cached_property
    def graph(self) -> nx.MultiDiGraph:
        """The grammar as a frozen graph: the symbol of a class, its phrases, their words."""
        graph = nx.MultiDiGraph(family="phrases", method=self.method)
        for c in range(len(self.classes)):
            symbol, (first, last) = f"symbol:class {c}", self.offsets[c : c + 2].tolist()
            graph.add_node(symbol, kind="symbol", name=f"class {c}")
            for r in range(first, last):
                graph.add_node(f"rule:{r}", kind="rule", pattern=self.phrases[r])
                graph.add_edge(symbol, f"rule:{r}", key=0, weight=1 / (last - first))
                for position, word in enumerate(self.phrases[r].split()):
                    graph.add_node(f"word:{word}", kind="word", name=word)
                    graph.add_edge(f"rule:{r}", f"word:{word}", key=position, position=position)
        return nx.freeze(graph)

    def save(self, path: PathLike) -> None:
        """Save as one Arrow file (OutputError if the path cannot be written)."""
        names = ("phrases", "donor", "offsets", "ids", "texts")
        facts = {"classes": self.classes, "facts": dict(self.facts)}
        save_arrays(path, _SCHEMA, facts, {name: getattr(self, name) for name in names})

    @classmethod
    def load(cls, path: PathLike) -> PhraseGrammar:
        """Load what :meth:`save` wrote (UnreadableInputError, SchemaError)."""
        facts, columns = load_arrays(
            path, _SCHEMA, what="a grammar of phrases", hint="save it again with grammar.save"
        )
        strings = {name: tuple(columns[name]) for name in ("phrases", "ids", "texts")}
        classes = tuple(tuple(c) if isinstance(c, list) else c for c in facts["classes"])
        return cls(
            **strings,
            donor=columns["donor"],
            offsets=columns["offsets"],
            classes=classes,
            facts=facts["facts"],
        )


class ALPCode:
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

    def __init__(self, grammar: PhraseGrammar) -> None:
        self.grammar = grammar

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

    def __repr__(self) -> str:
        return f"ALPCode({self.grammar!r})"

    def count(self) -> int:
        """Return an upper bound of the number of distinct examples; at most 2**63 - 1."""
        limit, total = 2 * int(self.grammar.facts["seq_len"]), 0
        for first, last in zip(self.grammar.offsets, self.grammar.offsets[1:], strict=False):
            shortest = min(len(p) + 1 for p in self.grammar.phrases[int(first) : int(last)])
            draws = -(-limit // shortest)
            total += sum(int(last - first) ** k for k in range(1, draws + 1))
        return min(total, 2**63 - 1)

    def sample(self, n: int, *, seed: int = 0, start: int = 0, per_class: bool = False) -> Corpus:
        """Draw examples with ``text`` and ``label``; else as :meth:`sampling.alp.ALP.sample`."""
        for name, value in (("n", n), ("start", start), ("seed", seed)):
            whole_number(name, value, 0)
        times = len(self.grammar.classes) if per_class else 1
        made = list(self._stream(seed, start * times, (start + n) * times))
        if len(made) < n * times:
            warnings.warn(
                f"{n * times} examples were asked for, but only {len(made)} distinct new ones were "
                f"found: {_PATIENCE} attempts in a row made none",
                ShortfallWarning,
                stacklevel=2,
            )
        return self._corpus(made, seed, start * times)

    def _stream(self, seed: int, start: int, stop: int) -> Iterator[tuple[int, list[int]]]:
        """Yield the class and the phrases of examples ``start`` to ``stop - 1``."""
        key = stream_key(seed, "alp code")
        if not self.grammar.facts["distinct"]:
            yield from (self._drawn(key, i) for i in range(start, stop))
            return
        known, made, idle, attempt = set(self.grammar.texts), 0, 0, 0
        while made < stop and idle < _PATIENCE:
            drawn = self._drawn(key, attempt)
            attempt, idle = attempt + 1, idle + 1
            if self._text(drawn[1]) not in known:
                known.add(self._text(drawn[1]))
                idle = 0
                if made >= start:
                    yield drawn
                made += 1

    def _drawn(self, key: np.uint64, attempt: int) -> tuple[int, list[int]]:
        grammar = self.grammar
        number = attempt % len(grammar.classes)
        first, last = grammar.offsets[number : number + 2].tolist()
        state, rules, size = open_stream(key, attempt), list[int](), 0
        while size < 2 * grammar.facts["seq_len"]:
            state, u = next_uniform(np.uint64(state))
            rules.append(first + below(u, last - first))
            size += len(grammar.phrases[rules[-1]]) + 1
        return number, rules

    def _text(self, rules: Sequence[int]) -> str:
        return " ".join(self.grammar.phrases[r] for r in rules).rstrip()

    def _corpus(self, made: list[tuple[int, list[int]]], seed: int, first: int) -> Corpus:
        grammar, facts = self.grammar, self.grammar.facts
        soft = isinstance(grammar.classes[0], tuple)
        kind = pa.list_(pa.float32()) if soft else pa.int64()
        rows = []
        for i, (_, rules) in enumerate(made):
            sizes = np.cumsum([0, *(len(grammar.phrases[r].split()) for r in rules)]).tolist()
            rows.append({
                "method": self.method, "version": facts["version"], "seed": seed,
                "index": first + i,
                "parents": list(dict.fromkeys(grammar.ids[int(grammar.donor[r])] for r in rules)),
                "spans": [{"start": a, "end": b} for a, b in itertools.pairwise(sizes)],
                "rules": rules,
                "log_probability": -sum(
                    float(np.log(grammar.offsets[c + 1] - grammar.offsets[c]))
                    for c, drawn in [made[i]] for _ in drawn
                ),
            })  # fmt: skip
        return Corpus.from_columns(
            id=[f"{self.method}-{seed}-{first + i}" for i in range(len(made))],
            text=[self._text(rules) for _, rules in made],
            label=pa.array([grammar.classes[c] for c, _ in made], kind),
            provenance=rows,
        )


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
    names = (n for s in wordnet().synsets(word) if s.pos() == pos for n in s.lemma_names())
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
