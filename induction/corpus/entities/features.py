"""What a token classifier of Hugging Face is trained on: pieces of words, and a label each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grammar.errors import OptionError
from induction.corpus.corpus import Corpus
from induction.corpus.entities.columns import tags_of_spans, word_places
from induction.corpus.entities.schemes import OUTSIDE

__all__ = ["token_features"]

_IGNORED = -100
"""The label of what no loss counts."""


def token_features(
    corpus: Corpus,
    tokenizer: Any,
    *,
    labels: Sequence[str] | None = None,
    scheme: str = "bio",
    max_length: int | None = None,
) -> tuple[dict[str, list[list[int]]], list[str]]:
    """Return pieces of texts and their labels, as ``AutoModelForTokenClassification`` takes them.

    The first piece of a word has the label of the word; further pieces and what the tokenizer adds
    have -100, which no loss counts.

    Parameters
    ----------
    corpus : Corpus
        With ``spans``; words are the ``tokens``, or what stands between white space.
    tokenizer : transformers.PreTrainedTokenizerFast
        Of the model; a fast one, for the others do not say what word a piece is of.
    labels : sequence of str, optional
        All tags, by their numbers; by default O and those of the labels here, in order.
    scheme : {"bio", "bilou"}
        Of the tags.
    max_length : int, optional
        Pieces beyond are cut off.

    Returns
    -------
    features : dict of str to list
        ``labels`` and what the tokenizer gives, such as ``input_ids``: columns for
        ``datasets.Dataset.from_dict``.
    labels : list of str
        The tags by their numbers, for ``id2label`` of the model.

    Raises
    ------
    CorpusError
        If there is no column ``spans``, or a span is not of whole words.
    OptionError
        If there is no such scheme, or a tag is not among the labels.

    Examples
    --------
    >>> from induction import Corpus
    >>> spans = [[{"start": 0, "end": 3, "label": "PER"}]]
    >>> corpus = Corpus.from_columns(text=["Ann left ."], spans=spans)
    >>> features, names = token_features(corpus, tokenizer)  # doctest: +SKIP
    >>> names  # doctest: +SKIP
    ['O', 'B-PER', 'I-PER']
    """
    tags = tags_of_spans(corpus, scheme)
    names = _labels(tags, scheme) if labels is None else list(labels)
    numbers = {name: number for number, name in enumerate(names)}
    if unknown := {tag for row in tags for tag in row} - numbers.keys():
        raise OptionError(
            f"the tag {min(unknown)!r} is not among the labels", hint="give all labels, or none"
        )
    tokens = corpus.column("tokens") if "tokens" in corpus.names else [None] * len(corpus)
    words = [
        row or [text[a:b] for a, b in word_places(text)]
        for text, row in zip(corpus.column("text"), tokens, strict=True)
    ]
    made = tokenizer(
        words, is_split_into_words=True, truncation=max_length is not None, max_length=max_length
    )
    features = {name: list(made[name]) for name in made}
    features["labels"] = [
        _aligned(made.word_ids(i), [numbers[tag] for tag in row]) for i, row in enumerate(tags)
    ]
    return features, names


def _labels(tags: Sequence[Sequence[str]], scheme: str) -> list[str]:
    found = sorted({tag.partition("-")[2] for row in tags for tag in row if tag != OUTSIDE})
    prefixes = "BI" if scheme == "bio" else "BILU"
    return [OUTSIDE, *(f"{prefix}-{name}" for name in found for prefix in prefixes)]


def _aligned(words: Sequence[int | None], labels: Sequence[int]) -> list[int]:
    before = None
    found = []
    for word in words:
        found.append(_IGNORED if word is None or word == before else labels[word])
        before = word
    return found
