"""What columns of texts and of classes are called, most often."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "LABEL_NAMES",
    "LONG",
    "MIXED",
    "PAIR_NAMES",
    "TARGET_NAMES",
    "TEXT_NAMES",
    "is_longest",
]

MIXED = "label_distribution"
"""The column of labels that a method has mixed, in the files that augmentation writes."""

TEXT_NAMES: Sequence[Sequence[str]] = (
    (
        "text", "texts", "sentence", "sentences", "content", "contents", "review", "reviews",
        "review_text", "reviewtext", "review_body", "body", "comment", "comments", "comment_text",
        "message", "messages", "tweet", "tweets", "post", "document", "utterance", "utterances",
        "utt", "feedback", "full_text", "text_content",
    ),
    ("question", "query", "headline", "title", "description", "abstract", "summary", "phrase"),
)  # fmt: skip
"""Names of columns of texts; those of the second row only count where none of the first is."""

PAIR_NAMES: Sequence[tuple[str, str]] = (
    ("sentence1", "sentence2"), ("premise", "hypothesis"), ("question1", "question2"),
    ("text1", "text2"), ("text_a", "text_b"), ("sentence_a", "sentence_b"),
    ("sentence_1", "sentence_2"), ("text_1", "text_2"), ("#1_string", "#2_string"),
    ("question", "sentence"),
)  # fmt: skip
"""Names of two columns whose texts are pairs."""

TARGET_NAMES: Sequence[tuple[str, str]] = (
    ("commands", "actions"), ("command", "action"), ("input", "output"), ("inputs", "targets"),
    ("source", "target"), ("src", "tgt"), ("question", "logical_form"), ("question", "sql"),
    ("question", "query"), ("prompt", "completion"), ("instruction", "response"), ("nl", "sql"),
    ("nl", "cmd"), ("prompt", "response"),
)  # fmt: skip
"""Names of two columns of which the second is the target of the first, as pairs often have them."""

LABEL_NAMES: Sequence[Sequence[str]] = (
    ("label", "labels", "sentiment", "category", "class", "classes", "class_label", "gold_label"),
    (
        "rating", "ratings", "stars", "star_rating", "topic", "intent", "emotion", "polarity",
        "label_text", "y", "overall", "class_index", "is_duplicate", "quality",
    ),
)  # fmt: skip
"""Names of columns of classes, likewise."""

LONG = 3
"""Words that long texts have at least, on average."""
_BY_FAR = 2
"""So many times as long as any other is a column of texts beside others that have words, too."""


def is_longest(lengths: Sequence[float]) -> int | None:
    """Return which of several columns is the only one, or the longest by far; None if none is.

    >>> is_longest([1.5, 14.0, 6.0]), is_longest([8.0, 14.0]), is_longest([3.0])
    (1, None, 0)
    """
    if not lengths:
        return None
    longest = max(range(len(lengths)), key=lengths.__getitem__)
    rest = (length for at, length in enumerate(lengths) if at != longest)
    return longest if lengths[longest] >= _BY_FAR * max(rest, default=0) else None
