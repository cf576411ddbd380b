"""The fifty examples a method on the page of examples are those that are drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from induction.corpus.readers import read_reviews
from sampling.method import induce

PAGE = Path(__file__).parents[3] / "docs" / "research" / "fluent-examples.md"


@pytest.mark.parametrize("of", ["sub2", "treemix", "grammar", "alp"])
def test_fifty_examples_are_as_they_come(request: pytest.FixtureRequest, of: str) -> None:
    if of == "alp":
        request.getfixturevalue("wordnet_data")
    _, shown = PAGE.read_text("utf-8").split(f"### `fluent({of})`\n\n```text\n")
    listed = shown[: shown.index("\n```")].split("\n")
    made = induce("fluent", read_reviews(), of=of).sample(len(listed), seed=0)
    assert listed == made.column("text")
    assert len(listed) == 50
