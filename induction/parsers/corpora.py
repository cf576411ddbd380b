"""Corpora get trees: every text of a corpus is parsed, which Sub2, TreeMix and others need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from grammar.chart.parses import CoarseTree, NoParse
from grammar.errors import CorpusError
from grammar.trees.tree import Tree
from induction.corpus.corpus import Corpus
from induction.corpus.tokens import penn_word, sentence_spans
from induction.parsers.protocol import Sentence, TextParser

__all__ = ["JOINED", "ParsedCorpus", "parse_corpus"]

JOINED = "TOP"
"""The label above the trees of a text with several sentences."""

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
    corpus: Corpus,
    parser: TextParser,
    *,
    split: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> ParsedCorpus:
    """Parse all texts of a corpus, and keep their trees beside them.

    Trees that are there already are replaced. Other columns stay as they are. Examples with a text
    that has no parse are left out.

    Parameters
    ----------
    corpus : Corpus
        With ``text``, for pairs also ``text_pair``. A column ``tokens`` says what the words of
        ``text`` are; else texts are tokenised (:func:`induction.corpus.tokens.tokenise`).
    parser : TextParser
        Any parser of sentences.
    split : bool
        Find the sentences of each text, parse each, and join the trees of several under
        :data:`JOINED`. Texts with ``tokens`` are not split.
    on_progress : callable, optional
        Called after each example with how many are done, and of how many.

    Raises
    ------
    CorpusError
        If no example has a parse, or a text is missing.
    MissingDataError
        If texts are to be split, and NLTK's data for that is not installed.

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
    names = [name for name in _TREES if name in corpus.names]
    texts = [[_sentences(corpus, name, row, split) for name in names] for row in range(len(corpus))]
    answers = parser.parse_each(sentence for row in texts for text in row for sentence in text)
    trees: dict[int, list[str]] = {}
    unparsed: dict[int, NoParse] = {}
    coarse: dict[int, str] = {}
    for row, sides in enumerate(texts):
        found = [_joined(text, answers, coarse, row) for text in sides]
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


def _sentences(corpus: Corpus, name: str, row: int, split: bool) -> list[Sentence]:
    """Return the sentences of one text; one that is empty is a sentence, too."""
    if name == "text" and "tokens" in corpus.names:
        return [[penn_word(word) for word in corpus.arrow("tokens")[row].as_py()]]
    text = corpus.arrow(name)[row].as_py()
    if text is None:
        raise CorpusError(
            f"the column {name!r} holds None, not text",
            where=corpus.where(row),
            hint="fill it in, or drop the example",
        )
    spans = sentence_spans(text) if split else []
    return [text[start:end] for start, end in spans] or [text]


def _joined(
    text: list[Sentence], answers: Iterator[Tree | NoParse], coarse: dict[int, str], row: int
) -> Tree | NoParse:
    """Take the answers for the sentences of a text, and make one of them.

    Why one of them is coarser is written down for the row.
    """
    found = [next(answers) for _ in text]
    for answer in found:
        if isinstance(answer, CoarseTree):
            coarse.setdefault(row, answer.reason)
    for answer in found:
        if isinstance(answer, NoParse):
            return answer
    trees = [answer for answer in found if isinstance(answer, Tree)]
    return trees[0] if len(trees) == 1 else Tree(JOINED, tuple(trees))


def _taken(corpus: Corpus, rows: list[int]) -> Corpus:
    """Return some examples, which still know where they were read."""
    table, places = corpus.table.take(pa.array(rows, pa.int64())), corpus.places
    return Corpus(table, None if places is None else lambda row: places(rows[row]))


def _nothing_parsed(corpus: Corpus, unparsed: Mapping[int, NoParse]) -> CorpusError:
    if not unparsed:
        return CorpusError("the corpus is empty", hint="give at least one example")
    return CorpusError(
        f"no text has a parse: {unparsed[0]}",
        where=corpus.where(0),
        hint="give a grammar that was made for such texts, with rare-word classes",
    )
