"""What columns of texts and of classes are called, most often."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["LABEL_NAMES", "MIXED", "PAIR_NAMES", "TEXT_NAMES"]

MIXED = "label_distribution"
"""The column of labels that a method has mixed, in the files that augmentation writes."""

TEXT_NAMES: Sequence[Sequence[str]] = (
    (
        "text", "texts", "sentence", "sentences", "content", "contents", "review", "reviews",
        "review_text", "reviewtext", "review_body", "body", "comment", "comments", "comment_text",
        "message", "messages", "tweet", "tweets", "post", "document", "utterance", "utterances",
        "feedback", "full_text", "text_content",
    ),
    ("question", "query", "headline", "title", "description", "abstract", "summary", "phrase"),
)  # fmt: skip
"""Names of columns of texts; those of the second row only count where none of the first is."""

PAIR_NAMES: Sequence[tuple[str, str]] = (
    ("sentence1", "sentence2"), ("premise", "hypothesis"), ("question1", "question2"),
    ("text1", "text2"), ("text_a", "text_b"), ("sentence_a", "sentence_b"),
    ("sentence_1", "sentence_2"), ("text_1", "text_2"),
)  # fmt: skip
"""Names of two columns whose texts are pairs."""

LABEL_NAMES: Sequence[Sequence[str]] = (
    ("label", "labels", "sentiment", "category", "class", "classes", "class_label", "gold_label"),
    (
        "rating", "ratings", "stars", "star_rating", "topic", "intent", "emotion", "polarity",
        "label_text", "y",
    ),
)  # fmt: skip
"""Names of columns of classes, likewise."""
