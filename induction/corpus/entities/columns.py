"""From tags of words to the column ``spans``, and back."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from grammar.errors import CorpusError
from induction.corpus.corpus import COLUMNS, Corpus
from induction.corpus.entities.schemes import Interval, tagged_words, words_of_tags

__all__ = ["spans_of_words", "tags_of_spans", "with_spans", "word_places", "words_of_spans"]

Span = Mapping[str, Any]


def with_spans(corpus: Corpus, tags: str = "tags", *, names: Sequence[str] = ()) -> Corpus:
    """Return a corpus whose tags of spans (BIO, BILOU, BIOES) have become the column ``spans``.

    Parameters
    ----------
    corpus : Corpus
        With ``tokens``, and a column of tags, one a token.
    tags : str
        That column; it is left out.
    names : sequence of str
        What the tags are called, where they are numbers (as ``ner_tags`` of Hugging Face are;
        ``dataset.features["ner_tags"].feature.names``).

    Raises
    ------
    CorpusError
        If a column is missing, a tag is of no scheme, there is not one a token, a number has no
        name, or the tokens do not stand in the text.

    Examples
    --------
    >>> corpus = Corpus.from_columns(
    ...     text=["Ann went to New York."],
    ...     tokens=[["Ann", "went", "to", "New", "York", "."]],
    ...     tags=[["B-PER", "O", "O", "B-LOC", "I-LOC", "O"]])
    >>> with_spans(corpus)[0]["spans"]
    [{'start': 0, 'end': 3, 'label': 'PER'}, {'start': 12, 'end': 20, 'label': 'LOC'}]
    """
    columns = (corpus.complete(name) for name in ("text", "tokens", tags))
    made = []
    for row, (text, tokens, given) in enumerate(zip(*columns, strict=True)):
        try:
            if len(tokens) != len(given):
                raise CorpusError(
                    f"there is not one of {tags!r} a token", hint="give as many as there are tokens"
                )
            intervals = words_of_tags([_named(tag, names) for tag in given])
            made.append(spans_of_words(word_places(text, tokens), intervals))
        except CorpusError as error:
            raise CorpusError(error.what, where=corpus.where(row), hint=error.hint) from None
    spans = corpus.with_column("spans", pa.array(made, COLUMNS["spans"]))
    return Corpus(spans.table.drop_columns([tags]), corpus.places, corpus.skipped, corpus.classes)


def _named(tag: Any, names: Sequence[str]) -> str:
    if isinstance(tag, int):
        if not 0 <= tag < len(names):
            raise CorpusError(
                f"the tag {tag} has no name",
                hint="give names=dataset.features['ner_tags'].feature.names",
            )
        return names[tag]
    return str(tag)


def tags_of_spans(corpus: Corpus, scheme: str = "bio") -> list[list[str]]:
    """Return a tag a word for the spans of each example.

    Words are the ``tokens``, or what stands between white space.

    Raises
    ------
    CorpusError
        If there is no column ``spans``, a text is missing, or a span is not of whole words.
    OptionError
        If there is no such scheme.

    Examples
    --------
    >>> spans = [[{"start": 8, "end": 16, "label": "LOC"}]]
    >>> tags_of_spans(Corpus.from_columns(text=["back to New York"], spans=spans))
    [['O', 'O', 'B-LOC', 'I-LOC']]
    """
    spans, texts = corpus.column("spans"), corpus.complete("text")
    tokens = corpus.column("tokens") if "tokens" in corpus.names else [None] * len(texts)
    made = []
    for row, (text, words, found) in enumerate(zip(texts, tokens, spans, strict=True)):
        try:
            places = word_places(text, words)
            intervals = words_of_spans(places, found or (), text)
            made.append(tagged_words(intervals, len(places), scheme))
        except CorpusError as error:
            raise CorpusError(error.what, where=corpus.where(row), hint=error.hint) from None
    return made


def word_places(text: str, tokens: Sequence[str] | None = None) -> list[tuple[int, int]]:
    """Return where the words of a text are, in characters: its tokens, or between white space.

    Raises
    ------
    CorpusError
        If a token does not stand in the text behind the one before it.

    >>> word_places("It's  so", ["It", "'s", "so"]), word_places("It's  so")
    ([(0, 2), (2, 4), (6, 8)], [(0, 4), (6, 8)])
    """
    if tokens is None:
        return [match.span() for match in re.finditer(r"\S+", text)]
    places, at = [], 0
    for token in tokens:
        start = text.find(token, at) if token else -1
        if start < 0:
            raise CorpusError(
                f"the token {token!r} is not in the text after character {at}",
                hint="tokens must stand in the text as they are, in order",
            )
        at = start + len(token)
        places.append((start, at))
    return places


def spans_of_words(
    places: Sequence[tuple[int, int]], intervals: Iterable[Interval]
) -> list[dict[str, Any]]:
    """Return spans of words as spans of characters."""
    return [
        {"start": places[first][0], "end": places[stop - 1][1], "label": label}
        for first, stop, label in intervals
    ]


def words_of_spans(
    places: Sequence[tuple[int, int]], spans: Iterable[Span], text: str
) -> list[Interval]:
    """Return spans of characters as spans of words.

    Raises
    ------
    CorpusError
        If one does not begin and end with a word, or two share a word.
    """
    starts = {start: word for word, (start, _) in enumerate(places)}
    ends = {end: word + 1 for word, (_, end) in enumerate(places)}
    found = []
    for span in spans:
        first, stop = starts.get(span["start"]), ends.get(span["end"])
        if first is None or stop is None or stop <= first:
            raise CorpusError(
                f"the span {text[span['start'] : span['end']]!r} is not of whole words",
                hint="add a column 'tokens' in which it is (treewright parse-corpus makes one), or "
                "write .jsonl",
            )
        found.append((first, stop, str(span["label"])))
    found.sort()
    if any(before[1] > behind[0] for before, behind in itertools.pairwise(found)):
        raise CorpusError("two spans share a word", hint="a word can be of one span only")
    return found
