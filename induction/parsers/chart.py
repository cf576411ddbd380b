"""The parser of text that rests on a PCFG and exact charts.

Words that the grammar lacks are parsed as something like them that it knows; the trees come
without what the grammar's symbols remember for its own sake (intermediate nodes and ancestors of
:mod:`induction.trees.binarise`, joined chains of :mod:`induction.trees.normalise`), and with the
words of the sentence.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice
from typing import Literal, NamedTuple, TypeVar, get_args

import numpy as np

from grammar.chart.filling import within_words
from grammar.chart.parser import Parser
from grammar.chart.parses import CoarseTree, NoParse, Parse, Span
from grammar.engines.threads import OF_SENTENCES, in_threads
from grammar.errors import OptionError
from grammar.options import whole_number
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Production
from grammar.trees.tree import NO_WORDS, Tree
from induction.counts.known_words import KnownWords
from induction.counts.open_words import with_classes
from induction.parsers.coarser import (
    MEMORY_LIMIT,
    STEP_LIMIT,
    joined,
    only_parse,
    place_to_cut,
    spans_of,
)
from induction.parsers.protocol import (
    MAX_WORDS,
    Given,
    Sentence,
    Tags,
    TextParser,
    read_sentences,
)
from induction.trees.plain_trees import DEEPEST, plain_spans, plain_tree, visible_labels

__all__ = ["ChartTextParser", "Decoder", "KnownSentence", "check_options"]

Decoder = Literal["viterbi", "max-rule"]

_BEHAVIOUR = 3
"""Part of the version: raised whenever the same grammar may give other trees than before."""
_MOST_DERIVATIONS = 16
"""For each tree wanted: derivations that are looked at for trees that differ."""
_BEAM = 1e-4
"""Of the coarser parse: share of the best value over a span below which a symbol is dropped."""
_NAMED = 3
"""So many words that a grammar lacks are named."""
_TOO_DEEP = f"its best tree is nested more than {DEEPEST} deep"
_SEPARATOR = "\t"
"""Between tag and word, where tags are given: no word has it."""

Found = TypeVar("Found")


class KnownSentence(NamedTuple):
    """A sentence in the words of a grammar.

    Attributes
    ----------
    grammar : Grammar
        The grammar: the parser's, or with classes of words for this sentence.
    given : tuple of str
        The words of the sentence.
    words : tuple of str
        What each is taken for.
    """

    grammar: Grammar
    given: tuple[str, ...]
    words: tuple[str, ...]


class ChartTextParser(TextParser):
    """A PCFG as a parser of text.

    A word that the grammar lacks is looked up in the spelling of the Penn Treebank, as the first
    word also without its capital, and last as a rare-word class (:mod:`induction.trees.unknown`):
    its own, or the one nearest to it (see Notes). A grammar of a treebank that has no classes gets
    those of its rarest words for sentences that need them
    (:func:`induction.counts.open_words.with_classes`); one that somebody wrote has none, the
    sentence has no parse, and the reason names the word.

    Parameters
    ----------
    grammar : Grammar
        The grammar.
    decoder : {"viterbi", "max-rule"}
        The most probable derivation, or the one whose rules are most probable where they stand
        (see :mod:`grammar.chart.max_rule`); rules that look alike in the final tree count together.
    max_words : int
        Longer sentences are parsed in parts.
    memory_limit, step_limit : int
        Bytes that the chart of one sentence may take, and binary edges that may be met while it is
        filled; what takes more gets a coarser parse.
    workers : int
        Threads; each takes the memory of one chart at a time. They change nothing else.

    Raises
    ------
    ChartGrammarError
        If charts cannot hold the grammar.
    OptionError
        If an option is out of range.

    Examples
    --------
    >>> parser = ChartTextParser(Grammar.parse('''
    ...     TOP -> S [1]
    ...     S -> NP {S|<VP>} [1]
    ...     {S|<VP>} -> VP {.} [1]
    ...     NP -> 'we' [1/2] | '<rare:capital>' [1/2]
    ...     VP -> 'swim' [1/2] | '<rare:ed>' [1/2]
    ...     {.} -> '.' [1]
    ... '''))
    >>> for tree in parser.parse(["We swim.", ["Zoe", "dived", "."], ["we", "we"]]):
    ...     print(tree)
    (TOP (S (NP We) (VP swim) (. .)))
    (TOP (S (NP Zoe) (VP dived) (. .)))
    (TOP (-NONE- *))

    Notes
    -----
    The nearest class has the fewest features that the word lacks, then the most that it has, then
    those that its own class names first: ``<rare:capital-ly>`` becomes ``<rare:capital>``,
    ``<rare:ly>`` or ``<rare>``, the first that there is.

    Given tags restrict the tree exactly: a preterminal is then one that looks like the tag. A word
    that was not seen with its tag is parsed as a class seen with it, or else as the tag's most
    frequent word.
    """

    name = "chart"

    def __init__(
        self,
        grammar: Grammar,
        *,
        decoder: str = "viterbi",
        max_words: int = MAX_WORDS,
        memory_limit: int = MEMORY_LIMIT,
        step_limit: int = STEP_LIMIT,
        workers: int = 1,
    ) -> None:
        self._limits = (memory_limit, step_limit)
        check_options(
            decoder=decoder,
            max_words=max_words,
            workers=workers,
            memory_limit=memory_limit,
            step_limit=step_limit,
        )
        self.grammar = grammar
        self.decoder = decoder
        self.max_words = max_words
        self.workers = workers
        limits = f"{max_words}-{memory_limit}-{step_limit}"
        self.version = f"{_BEHAVIOUR}-{decoder}-{limits}-{_fingerprint(grammar)}"
        self._parser = self._limited(grammar)
        self._words = KnownWords(grammar.rules.words)
        self._chains = visible_labels(grammar)
        self._coarsens = bool((grammar.count > 0).any())

    def __repr__(self) -> str:
        return f"ChartTextParser({self.grammar!r})"

    def parse_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[Tree | NoParse]:
        """Yield a tree, or the reason for having none, for each sentence in order."""
        for found in self.kbest_each(sentences, 1, tags=tags):
            yield found if isinstance(found, NoParse) else found[0].tree

    def kbest_each(
        self, sentences: Iterable[Sentence], k: int, *, tags: Tags | None = None
    ) -> Iterator[list[Parse] | NoParse]:
        """Yield the k most probable trees of each sentence that differ, the best first.

        Derivations that differ only in what the tree does not show count once, with the
        probability of the best. Where a tree has very many, fewer than k trees may be found.

        Raises
        ------
        OptionError
            If k is not above zero, or above one with the decoder max-rule, which has one tree.
        """
        whole_number("k", k, 1)
        if k > 1 and self.decoder != "viterbi":
            raise OptionError(
                f"the decoder {self.decoder} gives one tree, not {k}", hint="use viterbi, or k=1"
            )
        return self._each(sentences, tags, lambda *ready: self._kbest(*ready, k=k), only_parse)

    def spans_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[list[Span] | NoParse]:
        """Yield how probable each labelled span of each sentence is, the most probable first.

        Symbols that look alike in trees count together. (Where one stands directly above another
        that looks like it, the sum is an expected number; it is cut at 1.)
        """
        return self._each(sentences, tags, self._spans, spans_of)

    def known_each(self, sentences: Iterable[Sentence]) -> Iterator[KnownSentence]:
        """Yield each sentence in words that a grammar has, as it would be parsed.

        A word that the grammar lacks, where there is no class of words for it, stays as it is; so
        do those of a sentence that no parser can read.

        >>> parser = ChartTextParser(Grammar.parse("S -> 'so' S [1/2] | '<rare:ed>' [1/2]"))
        >>> [known.words for known in parser.known_each(["So tired", "so odd"])]
        [('so', '<rare:ed>'), ('so', '<rare:ed>')]
        """
        for given in read_sentences(sentences, None, max_words=None):
            if isinstance(given, NoParse):
                yield KnownSentence(self.grammar, given.sentence, given.sentence)
                continue
            parser, alike = self._alike(given)
            words = zip(alike, given.words, strict=True)
            yield KnownSentence(parser.grammar, given.words, tuple(a or w for a, w in words))

    def _each(
        self,
        sentences: Iterable[Sentence],
        tags: Tags | None,
        search: Callable[[Parser, Given, Sequence[str]], Found | NoParse],
        coarse: Callable[[CoarseTree], Found],
    ) -> Iterator[Found | NoParse]:
        def found(given: Given | NoParse) -> Found | NoParse:
            answer = given if isinstance(given, NoParse) else self._found(given, search)
            return coarse(answer) if isinstance(answer, CoarseTree) else answer

        longest = None if self._coarsens else self.max_words
        read = read_sentences(sentences, tags, max_words=longest)
        tasks = (partial(found, given) for given in read)
        yield from in_threads(tasks, self.workers, waiting=OF_SENTENCES)

    def _found(
        self, given: Given, search: Callable[[Parser, Given, Sequence[str]], Found | NoParse]
    ) -> Found | CoarseTree | NoParse:
        """Return what a search finds, or the coarser parse of a sentence where it finds nothing."""
        ready = self._ready(given)
        if isinstance(ready, NoParse):
            return ready
        if len(given.words) > self.max_words:
            reason = f"it has {len(given.words):,} words, more than {self.max_words:,}"
            return self._in_parts(given, reason)
        answer = search(*ready)
        if not isinstance(answer, NoParse) or not self._coarsens:
            return answer
        if not answer.refused:
            return self._in_pieces(*ready)
        if given.tags is None:
            rough = self._kbest(self._rough, given, ready[2], k=1)
            if not isinstance(rough, NoParse):
                return joined([rough[0].tree], f"with a beam: {answer.reason}")
        return self._in_parts(given, answer.reason)

    def _in_parts(self, given: Given, reason: str) -> CoarseTree | NoParse:
        """Parse a sentence cut in two."""
        if len(given.words) == 1 or not self._coarsens:
            return NoParse(given.words, reason, refused=True)
        place = place_to_cut(given.words)
        trees = []
        for part in (given.part(0, place), given.part(place, len(given.words))):
            found = self._found(part, partial(self._kbest, k=1))
            if isinstance(found, NoParse):
                return replace(found, sentence=given.words)
            trees.append(found if isinstance(found, CoarseTree) else found[0].tree)
        return joined(trees, f"in parts: {reason}")

    def _in_pieces(
        self, parser: Parser, given: Given, words: Sequence[str]
    ) -> CoarseTree | NoParse:
        """Cover a sentence by constituents."""
        start = self.grammar.start
        pieces = parser.pieces(words, may=lambda name: bool(self._chains[name]) and name != start)
        if isinstance(pieces, NoParse):
            return replace(pieces, sentence=given.words)
        trees, rest = [], iter(given.words)
        for piece in pieces:
            empty = sum(node is NO_WORDS for node in piece.tree.nodes())
            own = tuple(islice(rest, len(piece.tree.leaves()) - empty))
            tree = plain_tree(parser.grammar, piece, own, self._chains)
            if tree is None:
                return NoParse(given.words, _TOO_DEEP, refused=True)
            trees.append(tree)
        reason = "in pieces: no derivation of the grammar yields it"
        return joined(trees, f"{reason}{self._unknown(given)}")

    def _unknown(self, given: Given) -> str:
        """Name the words of a sentence that the grammar lacks, and how to make it take any."""
        alike = self._words.alike(given.words)
        pairs = zip(given.words, alike, strict=True)
        lacking = list(dict.fromkeys(repr(word) for word, like in pairs if not like))
        if not lacking:
            return ""
        more = f" and {len(lacking) - _NAMED:,} more" if len(lacking) > _NAMED else ""
        return f"; it lacks {', '.join(lacking[:_NAMED])}{more} (induce with --rare-words 1)"

    def _ready(self, given: Given) -> tuple[Parser, Given, list[str]] | NoParse:
        """Return what parses a sentence, and the words that stand for its words there."""
        parser, alike = self._alike(given)
        words = []
        for i, word in enumerate(given.words):
            known, reason = alike[i], "the grammar lacks the word"
            if given.tags is not None:
                known, reason = self._like_tagged(word, given.tags[i], first=not i)
            if known is None:
                place = f"(word {i + 1} of {len(given.words)})"
                more = within_words(word, self._parser.grammar.rules.words)
                return NoParse(given.words, f"{reason} {word!r} {place}{more}")
            words.append(known)
        return parser, given, words

    def _alike(self, given: Given) -> tuple[Parser, list[str | None]]:
        """Return what parses a sentence, and the word or class that each word is taken for."""
        parser = self._parser if given.tags is None else self._tagged[0]
        alike = self._words.alike(given.words)
        if given.tags is None and None in alike and self._coarsens:
            parser, known_words = self._open
            alike = known_words.alike(given.words)
        return parser, alike

    def _kbest(
        self, parser: Parser, given: Given, words: Sequence[str], *, k: int
    ) -> list[Parse] | NoParse:
        wanted = k
        while True:
            found = self._derivations(parser, words, wanted)
            if isinstance(found, NoParse):
                return replace(found, sentence=given.words)
            trees: dict[Tree, Parse] = {}
            for parse in found:
                tree = plain_tree(parser.grammar, parse, given.words, self._chains)
                if tree is None:
                    return NoParse(given.words, _TOO_DEEP, refused=True)
                trees.setdefault(tree, replace(parse, tree=tree))
            if len(trees) >= k or len(found) < wanted or wanted >= k * _MOST_DERIVATIONS:
                return list(trees.values())[:k]
            wanted *= 2

    def _derivations(
        self, parser: Parser, words: Sequence[str], k: int
    ) -> Sequence[Parse] | NoParse:
        if k > 1:
            return parser.kbest(words, k)
        best = (
            parser.viterbi(words)
            if self.decoder == "viterbi"
            else parser.max_rule(words, look=self._look)
        )
        return best if isinstance(best, NoParse) else [best]

    def _look(self, symbol: str) -> str:
        # intermediate nodes of one constituent look alike, too: none of them is seen
        return "+".join(self._chains[symbol]) or f"{symbol.split('|<')[0]}|<>"

    def _spans(self, parser: Parser, given: Given, words: Sequence[str]) -> list[Span] | NoParse:
        found = parser.posteriors(words)
        if isinstance(found, NoParse):
            return replace(found, sentence=given.words)
        return plain_spans(found, self._chains)

    def _limited(self, grammar: Grammar, beam: float = 0.0) -> Parser:
        memory, steps = self._limits
        return Parser(grammar, memory_limit=memory, step_limit=steps, beam=beam)

    @cached_property
    def _open(self) -> tuple[Parser, KnownWords]:
        """The same grammar for sentences with words that it lacks."""
        grammar = with_classes(self.grammar)
        return self._limited(grammar), KnownWords(grammar.rules.words)

    @cached_property
    def _rough(self) -> Parser:
        """The parser with a beam."""
        return self._limited(self.grammar, beam=_BEAM)

    @cached_property
    def _tagged(self) -> tuple[Parser, Mapping[str, tuple[KnownWords, str]]]:
        """The same grammar over pairs of tag and word, and the words of each tag."""
        productions, seen = [], dict[str, dict[str, float]]()
        for rule in self.grammar:
            tag = (self._chains[rule.lhs.name] or (rule.lhs.name,))[-1]
            if len(rule.rhs) == 1 and isinstance(rule.rhs[0], str):
                word, weight = rule.rhs[0], rule.count or rule.weight
                words = seen.setdefault(tag, {})
                words[word] = words.get(word, 0) + weight
                rule = Production(rule.lhs, (_pair(tag, word),), rule.weight)
            productions.append(rule)
        grammar = Grammar.from_productions(productions, start=self.grammar.start)
        known = {
            tag: (KnownWords(words), max(words, key=lambda word: (words[word], word)))
            for tag, words in seen.items()
        }
        return self._limited(grammar), known

    def _like_tagged(self, word: str, tag: str, *, first: bool) -> tuple[str | None, str]:
        if tag not in self._tagged[1]:
            return None, f"the grammar lacks the tag {tag!r} of the word"
        known, most_frequent = self._tagged[1][tag]
        return _pair(tag, known.like(word, first=first) or most_frequent), ""


def check_options(*, decoder: str, **numbers: int) -> None:
    """Refuse options that :class:`ChartTextParser` cannot take, before a grammar is read."""
    if decoder not in get_args(Decoder):
        choice = ", ".join(get_args(Decoder))
        raise OptionError(f"unknown decoder {decoder!r}", hint=f"choose from {choice}")
    for name, value in numbers.items():
        whole_number(name, value, 1)


def _fingerprint(grammar: Grammar) -> str:
    """Return what no two grammars have in common."""
    rules = grammar.rules
    digest = hashlib.sha256()
    names = [grammar.start, rules.nonterminals, rules.words]
    digest.update(json.dumps(names).encode("ascii"))
    for column in (rules.lhs, rules.offsets, rules.rhs, grammar.weight):
        digest.update(np.ascontiguousarray(column).tobytes())
    return digest.hexdigest()[:32]


def _pair(tag: str, word: str) -> str:
    return f"{tag}{_SEPARATOR}{word}"
