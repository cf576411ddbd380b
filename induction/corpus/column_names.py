"""What columns of texts and of classes are called, most often."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["LABEL_NAMES", "TEXT_NAMES"]

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

LABEL_NAMES: Sequence[Sequence[str]] = (
    ("label", "labels", "sentiment", "category", "class", "classes", "class_label"),
    (
        "rating", "ratings", "stars", "star_rating", "topic", "intent", "emotion", "polarity",
        "label_text", "y",
    ),
)  # fmt: skip
"""Names of columns of classes, likewise."""
