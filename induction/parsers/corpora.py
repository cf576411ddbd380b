"""Corpora get trees: every text of a corpus is parsed, which Sub2, TreeMix and others need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from grammar.chart.parses import CoarseTree, NoParse
from grammar.errors import CorpusError
from grammar.trees.evalb_parameters import ROOT_LABELS
from grammar.trees.tree import Tree
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from induction.corpus.text.sentences import sentence_spans, sentences_of_words
from induction.corpus.text.tokens import penn_word
from induction.parsers.coarser import ROOT, side_by_side
from induction.parsers.protocol import Sentence, TextParser

__all__ = ["MOST_WORDS", "ParsedCorpus", "parse_corpus", "parse_texts"]

MOST_WORDS = 20_000
"""Longer texts are not parsed unless it is asked for: ten thousand words take a parser seconds."""

_SHOWN = 20
_TREES = {"text": "tree", "text_pair": "tree_pair"}


@dataclass(frozen=True)
class ParsedCorpus:
    """A corpus with trees.

    Attributes
    ----------
    corpus : Corpus
        The examples whose texts have a parse, with ``tree`` (and ``tree_pair``).
    unparsed : mapping of int to NoParse
        Why the other examples have none, by their rows in the corpus that was given.
    coarse : mapping of int to str
        Why some have coarser parses (:class:`grammar.chart.parses.CoarseTree`), by row likewise.
    """

    corpus: Corpus
    unparsed: Mapping[int, NoParse]
    coarse: Mapping[int, str]


def parse_corpus(
    corpus: Any,
    parser: TextParser,
    *,
    max_text: int = MOST_WORDS,
    on_progress: Callable[[int, int], None] | None = None,
) -> ParsedCorpus:
    """Parse all texts of a corpus, and keep their trees beside them.

    Each sentence of a text is parsed by itself; the trees of several stand side by side below
    ``TOP``. Trees that are there already are replaced. Other columns stay as they are. Examples
    with a text that has no parse are left out.

    Parameters
    ----------
    corpus : Corpus, or data of any kind
        With ``text``, for pairs also ``text_pair`` (:func:`~induction.corpus.formats.read_corpus`).
        A column ``tokens`` says what the words of
        ``text`` are; else texts are tokenised (:func:`induction.corpus.text.tokens.tokenise`).
    parser : TextParser
        Any parser of sentences.
    max_text : int
        Texts of more words are not parsed, but are among ``unparsed``.
    on_progress : callable, optional
        Called after each example with how many are done, and of how many.

    Raises
    ------
    CorpusError
        If no example has a parse, or a text is missing.

    Examples
    --------
    >>> from grammar import Grammar
    >>> from induction.parsers.chart import ChartTextParser
    >>> parser = ChartTextParser(Grammar.parse("S -> 'so' S [1/2] | 'good' [1/2]"))
    >>> corpus = Corpus.from_columns(text=["so good", "bad"], label=[1, 0])
    >>> found = parse_corpus(corpus, parser)
    >>> found.corpus[0]
    {'id': '0', 'text': 'so good', 'label': 1, 'tree': '(S so (S good))'}
    >>> found.unparsed[1].reason
    "the grammar lacks the word 'bad' (word 1 of 1)"
    """
    corpus = read_corpus(corpus)
    names = [name for name in _TREES if name in corpus.names]
    texts = [_text(corpus, name, row) for row in range(len(corpus)) for name in names]
    answers = parse_texts(texts, parser, max_text=max_text)
    trees: dict[int, list[str]] = {}
    unparsed: dict[int, NoParse] = {}
    coarse: dict[int, str] = {}
    for row in range(len(corpus)):
        found = [next(answers) for _ in names]
        reasons = [answer.reason for answer in found if isinstance(answer, CoarseTree)]
        if reasons:
            coarse[row] = reasons[0]
        missing = next((one for one in found if isinstance(one, NoParse)), None)
        if missing is None:
            trees[row] = list(map(str, found))
        else:
            unparsed[row] = missing
        if on_progress is not None:
            on_progress(row + 1, len(corpus))
    if not trees:
        raise _nothing_parsed(corpus, unparsed)
    kept = _taken(corpus, list(trees))
    for name, column in zip(names, zip(*trees.values(), strict=True), strict=True):
        kept = kept.with_column(_TREES[name], column)
    return ParsedCorpus(kept, unparsed, coarse)


def parse_texts(
    texts: Sequence[Sentence], parser: TextParser, *, max_text: int = MOST_WORDS
) -> Iterator[Tree | NoParse]:
    """Yield a tree for each text, of one sentence or several.

    Parameters
    ----------
    texts : sequence of str or sequence of str
        Texts, or their words.
    parser : TextParser
        Any parser of sentences; each sentence is parsed by itself.
    max_text : int
        Texts of more words are refused, and not parsed.

    Examples
    --------
    >>> from grammar import Grammar
    >>> from induction.parsers.chart import ChartTextParser
    >>> parser = ChartTextParser(Grammar.parse("TOP -> 'Good' '.' [1/2] | 'So' '.' [1/2]"))
    >>> [str(tree) for tree in parse_texts(["Good. So.", ["So", "."]], parser)]
    ['(TOP Good . So .)', '(TOP So .)']
    """
    refused = [_too_long(text, max_text) for text in texts]
    pairs = zip(texts, refused, strict=True)
    cut = [_sentences(text) if no is None else () for text, no in pairs]
    answers = parser.parse_each(sentence for text in cut for sentence in text)
    for sentences, no in zip(cut, refused, strict=True):
        yield _joined([next(answers) for _ in sentences]) if no is None else no


def _too_long(text: Sentence, most: int) -> NoParse | None:
    words = text.split() if isinstance(text, str) else text
    if len(words) <= most:
        return None
    reason = (
        f"the text has {len(words):,} words, more than {most:,} (cut it into paragraphs, or allow "
        f"it: treewright parse-corpus --max-text {len(words)})"
    )
    return NoParse(tuple(words[:_SHOWN]), reason, refused=True)


def _text(corpus: Corpus, name: str, row: int) -> Sentence:
    """Return one text, or its words where they are given."""
    by_words = name == "text" and "tokens" in corpus.names
    held: Sentence | None = corpus.arrow("tokens" if by_words else name)[row].as_py()
    if held is None:
        raise CorpusError(
            f"the column {'tokens' if by_words else name!r} holds None, not text",
            where=corpus.where(row),
            hint="fill it in, or drop the example",
        )
    return [*map(penn_word, held)] if by_words else held


def _sentences(text: Sentence) -> Sequence[Sentence]:
    """Return the sentences of one text; one that is empty is a sentence, too."""
    if isinstance(text, str):
        return [text[start:end] for start, end in sentence_spans(text)] or [text]
    return sentences_of_words(text) or [text]


def _joined(found: Sequence[Tree | NoParse]) -> Tree | NoParse:
    """Make one answer of those for the sentences of a text; it is as coarse as one of them."""
    missing = next((answer for answer in found if isinstance(answer, NoParse)), None)
    if missing is not None:
        return missing
    trees = [answer for answer in found if isinstance(answer, Tree)]
    if len(trees) == 1:
        return trees[0]
    root = trees[0].label if trees[0].label in ROOT_LABELS else ROOT
    reasons = [tree.reason for tree in trees if isinstance(tree, CoarseTree)]
    below = side_by_side(trees)
    return CoarseTree(root, below, reasons[0]) if reasons else Tree(root, below)


def _taken(corpus: Corpus, rows: list[int]) -> Corpus:
    """Return some examples, which still know where they were read."""
    table, places = corpus.table.take(pa.array(rows, pa.int64())), corpus.places
    found = None if places is None else lambda row: places(rows[row])
    return replace(corpus, table=table, places=found)


def _nothing_parsed(corpus: Corpus, unparsed: Mapping[int, NoParse]) -> CorpusError:
    if not unparsed:
        return CorpusError("the corpus is empty", hint="give at least one example")
    return CorpusError(
        f"no text has a parse: {unparsed[0]}",
        where=corpus.where(0),
        hint="give a grammar that was made for such texts, with rare-word classes",
    )
