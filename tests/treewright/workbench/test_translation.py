"""The page of a synchronous grammar: targets of a source, and their derivations."""

from __future__ import annotations

import pytest

PATH = "/synchronous/pairs-json"


def test_a_source_has_its_target_and_a_picture(client) -> None:
    page = client.get(PATH, params={"source": "<b>walk</b> twice"}).text
    assert "1 target," in page
    assert "&lt;img/src=x&gt; &lt;img/src=x&gt;</span>" in page
    assert page.count("<svg") == 1
    assert "<img" not in page


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        ({"source": "jump"}, 200, "the grammar lacks the word"),
        ({"source": "x " * 61}, 400, "the source has 61 words"),
        ({"source": "<b>walk</b>" + " twice" * 50}, 400, "more than 1,000,000 words"),
        ({"source": "<b>walk</b>" + " twice" * 9}, 200, "The target is too long to be drawn"),
        ({"source": "walk", "targets": "0"}, 400, "is not a whole number"),
    ],
)
def test_what_cannot_be_shown_is_told(client, given: dict, status: int, said: str) -> None:
    answer = client.get(PATH, params=given)
    assert (answer.status_code, said in answer.text) == (status, True)


def test_a_synchronous_grammar_is_offered_only_where_it_is_of_use(client) -> None:
    assert "pairs-json" in client.get("/").text
    for page in ("/parse", "/sample", "/compare"):
        assert "pairs-json" not in client.get(page).text
    assert f'href="{PATH}"' in client.get("/grammar/pairs-json").text
