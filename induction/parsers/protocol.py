"""Parsers of text: what they all have in common.

A sentence is raw text, which the parser splits into tokens, or a sequence of tokens. A sentence
without a parse is a value: a :class:`~grammar.chart.parses.NoParse` that says why, or, in a
treebank, the tree :data:`~grammar.trees.evaluation.NO_PARSE`, so that tree i is always that of
sentence i.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

from grammar.chart.parses import NoParse, Parse, Span
from grammar.errors import OptionError
from grammar.foreign_names.attributes import Hints, attribute_hint, no_attribute
from grammar.messages import tell
from grammar.options import whole_number
from grammar.trees.evaluation import NO_PARSE
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.corpus.entities.spacy_docs import text_of
from induction.corpus.text.tokens import penn_word, tokenise

__all__ = [
    "MAX_WORDS",
    "Given",
    "ScoringParser",
    "Sentence",
    "Tags",
    "TextParser",
    "aligned_treebank",
    "is_scoring",
    "paired",
    "read_sentences",
]

MAX_WORDS = 300
"""Charts take time with the third power of the length; longer sentences are cut or refused."""

_OF_OTHERS: Hints = {
    "parser.parse_each(texts) yields the tree of each text": ("pipe", "parse_iter", "stream"),
    "parser.parse(texts) gives the tree of each text": (
        *("parse_sents", "raw_parse_sents", "predict", "parse_all", "batch", "parse_batch"),
    ),
    "parser.parse([text])[0] is the tree of a text": (
        *("raw_parse", "parse_one", "parse_sentence", "parse_text", "parse_string"),
    ),
    "next(parser.kbest_each([text], 5)) has the five most probable": (
        *("kbest", "nbest", "nbest_parse", "parse_kbest"),
    ),
}
"""What parsers of spaCy, NLTK and others have, and what gives it here."""

Sentence = str | Sequence[str]
Tags = Iterable[Sequence[str]]

_UNREADABLE = {"Cc": "a control character", "Cs": "half of a surrogate pair"}
_PLAIN = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "``": '"', "''": '"',
}  # fmt: skip


class TextParser(Protocol):
    """What makes trees of sentences.

    A class of this kind needs the two attributes and :meth:`parse_each`; it gets :meth:`parse` by
    naming this one as its base.

    Attributes
    ----------
    name : str
        What kind of parser it is.
    version : str
        Which model, with which options. Two parsers that may give other trees for one sentence
        differ in name or version (:class:`induction.parsers.cache.CachedParser` relies on it).

    Examples
    --------
    >>> from grammar import Grammar
    >>> from induction import ChartTextParser
    >>> parser: TextParser = ChartTextParser(Grammar.parse("S -> 'so' S [1/2] | 'good' [1/2]"))
    >>> print(parser.parse(["so good"])[0])
    (S so (S good))
    """

    name: str
    version: str

    if not TYPE_CHECKING:  # of a type checker, what is not there is an error

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name, attribute_hint(name, _OF_OTHERS))

    def parse_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[Tree | NoParse]:
        """Yield a tree, or the reason for having none, for each sentence in order.

        Parameters
        ----------
        sentences : iterable of str or sequences of str
            Raw text or tokens; one text is one sentence.
        tags : iterable of sequences of str, optional
            The part-of-speech tags of each sentence, one a token.

        Raises
        ------
        OptionError
            If there are more or fewer tags than tokens, or a token is not a string.
        """

    def parse(self, sentences: Iterable[Sentence], *, tags: Tags | None = None) -> Treebank:
        """Return the trees of sentences, in order, with ``NO_PARSE`` where there is none."""
        return aligned_treebank(self.parse_each(sentences, tags=tags))


class ScoringParser(TextParser, Protocol):
    """A parser that knows how probable its trees are."""

    def kbest_each(
        self, sentences: Iterable[Sentence], k: int, *, tags: Tags | None = None
    ) -> Iterator[list[Parse] | NoParse]:
        """Yield the k most probable trees of each sentence that differ, the best first."""

    def spans_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[list[Span] | NoParse]:
        """Yield how probable each labelled span of each sentence is, the most probable first."""


def is_scoring(parser: TextParser) -> TypeGuard[ScoringParser]:
    """Say whether a parser knows how probable its trees are.

    Its class is asked: ``isinstance`` reads each member on Python 3.11, so it computes the version.
    """
    return all(hasattr(type(parser), name) for name in ("kbest_each", "spans_each"))


def aligned_treebank(results: Iterable[Tree | NoParse]) -> Treebank:
    """Return one tree a result, with ``NO_PARSE`` where there is none.

    >>> treebank = aligned_treebank([Tree("UH", ("yes",)), NoParse(("no",), "it is too short")])
    >>> [str(tree) for tree in treebank]
    ['(UH yes)', '(TOP (-NONE- *))']
    """
    return Treebank.from_trees(NO_PARSE if isinstance(r, NoParse) else r for r in results)


@dataclass(frozen=True, slots=True)
class Given:
    """A sentence as it is parsed.

    Attributes
    ----------
    words : tuple of str
        What stands in the tree: Penn tokens of raw text, or the tokens as they were given.
    surfaces : tuple of str
        The same words in ordinary spelling: ``(`` for ``-LRB-``.
    space_after : tuple of bool, optional
        Whether white space follows each word; None if tokens were given.
    tags : tuple of str, optional
        Given part-of-speech tags.
    """

    words: tuple[str, ...]
    surfaces: tuple[str, ...]
    space_after: tuple[bool, ...] | None = None
    tags: tuple[str, ...] | None = None

    def part(self, begin: int, end: int) -> Given:
        """Return some of the words as a sentence of its own."""
        here = slice(begin, end)
        return Given(
            self.words[here],
            self.surfaces[here],
            None if self.space_after is None else self.space_after[here],
            None if self.tags is None else self.tags[here],
        )


def read_sentences(
    sentences: Iterable[Sentence], tags: Tags | None = None, *, max_words: int | None = MAX_WORDS
) -> Iterator[Given | NoParse]:
    """Yield the words of each sentence, or why it cannot be parsed.

    Refused are sentences without words, of more than ``max_words`` words (if that is no None), and
    tokens that a tree cannot hold: empty ones, and those with white space, control characters, or
    a round bracket among other characters.

    Raises
    ------
    OptionError
        If tags and tokens do not pair up, a token is not a string, or ``max_words`` is not above
        zero.
    """
    if max_words is not None:
        whole_number("max_words", max_words, 1)
    for sentence, given in paired(sentences, tags):
        yield _read(sentence, given, max_words)


def paired(
    sentences: Iterable[Sentence], tags: Tags | None
) -> Iterator[tuple[Sentence, Sequence[str] | None]]:
    """Yield each sentence with its tags, or with None if there are no tags at all.

    A text in place of several sentences is one sentence, and its tags are those of its tokens.

    >>> list(paired("Hi there.", None)), list(paired("Hi", ["UH"]))
    ([('Hi there.', None)], [('Hi', ['UH'])])

    Raises
    ------
    OptionError
        If there are not as many sequences of tags as sentences.
    """
    sentences = text_of(sentences)
    if isinstance(sentences, str):
        sentences = [sentences]
        if tags is not None:
            own: list[Any] = list(tags)
            tags = [own] if all(isinstance(tag, str) for tag in own) else own
    elif _are_tokens(sentences):
        tell(
            f"{len(sentences)} sentences of a word each are parsed; of one sentence, "  # type: ignore[arg-type]
            "give a list with its list of tokens"
        )
    sentences = map(text_of, sentences)
    if tags is None:
        yield from ((sentence, None) for sentence in sentences)
        return
    missing = object()
    for i, (sentence, given) in enumerate(zip_longest(sentences, tags, fillvalue=missing), 1):
        if sentence is missing or given is missing:
            raise OptionError(
                "there are not as many sequences of tags as sentences",
                where=f"sentence {i}",
                hint="give one sequence of tags for each sentence",
            )
        yield sentence, given  # type: ignore[misc]  # neither is missing


def _are_tokens(sentences: Iterable[Sentence]) -> bool:
    """Say whether sentences are the tokens of one, by a sign at the end and words before it.

    >>> _are_tokens(["We", "slept", "."]), _are_tokens(["We slept.", "Hi."])
    (True, False)
    """
    if not isinstance(sentences, list | tuple) or len(sentences) < 2:
        return False
    texts = [one for one in sentences if isinstance(one, str) and one and " " not in one]
    return len(texts) == len(sentences) and texts[0].isalnum() and not texts[-1][0].isalnum()


def _read(sentence: Sentence, tags: Sequence[str] | None, max_words: int | None) -> Given | NoParse:
    space_after: tuple[bool, ...] | None = None
    if isinstance(sentence, str):
        tokens = tokenise(sentence)
        words, surfaces = tokens.words, tokens.surfaces(sentence)
        space_after = tuple(sentence[end : end + 1].isspace() for end in tokens.ends)
    else:
        words = tuple(sentence)
        strange = [word for word in words if not isinstance(word, str)]
        if strange:
            raise OptionError(
                f"the token {strange[0]!r} is not a string", hint="give text, or a list of words"
            )
        surfaces = tuple(_PLAIN.get(word, word) for word in words)
    if tags is not None and len(tags) != len(words):
        raise OptionError(
            f"there are {len(tags)} tags for {len(words)} tokens",
            where=" ".join(words)[:60],
            hint="give one tag for each token; give tokens rather than text",
        )
    reason = _fault(words, max_words)
    if reason:
        return NoParse(words, reason, refused=True)
    return Given(words, surfaces, space_after, None if tags is None else tuple(tags))


def _fault(words: Sequence[str], max_words: int | None) -> str | None:
    """Return why words cannot be parsed at all."""
    if not words:
        return "the sentence has no words"
    if max_words is not None and len(words) > max_words:
        return (
            f"it has {len(words):,} words, and more than {max_words:,} are refused "
            "(split it, or raise max_words)"
        )
    for place, word in enumerate(words, 1):
        fault = _token_fault(word)
        if fault:
            return f"the token {word!r} (word {place} of {len(words)}) {fault}"
    return None


def _token_fault(word: str) -> str | None:
    if not word:
        return "is empty"
    if any(c in " \t\n\v\f\r" for c in word):
        return "has white space in it (give it as several tokens)"
    for c in word:
        kind = _UNREADABLE.get(unicodedata.category(c))
        if kind:
            return f"has {kind}, U+{ord(c):04X}, in it (remove it)"
    if ("(" in word or ")" in word) and penn_word(word) == word:
        return "has a bracket in it (give brackets as tokens of their own, or give raw text)"
    return None
