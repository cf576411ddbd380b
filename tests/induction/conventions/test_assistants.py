"""Utterances of assistants: LUIS, Wit, Alexa, Lex, Watson, Dialogflow, and Rasa in YAML."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grammar import CorpusError, OptionError
from induction import read_corpus, write_corpus
from sampling import augment
from tests.induction.conventions.given import read

TEXT = "book a flight to new york"
CITY = {"start": 17, "end": 25, "label": "city"}
LUIS: dict[str, Any] = {
    "luis_schema_version": "7.0.0",
    "intents": [{"name": "Book"}, {"name": "None"}],
    "entities": [{"name": "city"}],
    "patterns": [],
    "utterances": [
        {"text": "hello there", "intent": "None", "entities": []},
        {
            "text": TEXT,
            "intent": "Book",
            "entities": [{"entity": "city", "startPos": 17, "endPos": 24, "children": []}],
        },
    ],
}
BATCH: list[dict[str, Any]] = [
    {"text": "hello there", "intentName": "None", "entityLabels": []},
    {
        "text": TEXT,
        "intentName": "Book",
        "entityLabels": [{"entityName": "city", "startCharIndex": 17, "endCharIndex": 24}],
    },
]
CLU = {
    "assets": {
        "intents": [{"category": "Book"}],
        "utterances": [
            {"text": "hello there", "intent": "None", "entities": []},
            {
                "text": TEXT,
                "intent": "Book",
                "entities": [{"category": "city", "offset": 17, "length": 8}],
            },
        ],
    }
}
WIT_CITY = {"entity": "city:to", "start": 17, "end": 25, "body": "new york", "entities": []}
WIT = {
    "utterances": [
        {"text": "hello there", "intent": "None", "entities": [], "traits": []},
        {"text": TEXT, "intent": "Book", "entities": [WIT_CITY], "traits": []},
    ]
}


@pytest.mark.parametrize("given", [LUIS, BATCH, CLU, WIT, LUIS["utterances"]])
def test_utterances_with_places_of_entities(tmp_path: Any, given: Any) -> None:
    rows, said = read(tmp_path, "a.json", json.dumps(given))
    assert rows == [
        {"text": "hello there", "label": "None", "spans": []},
        {"text": TEXT, "label": "Book", "spans": [CITY]},
    ]
    assert "a.json is read as an export of LUIS, CLU or Wit" in said


def test_lines_of_utterances(tmp_path: Any) -> None:
    lines = "".join(json.dumps(row) + "\n" for row in BATCH)
    rows, _ = read(tmp_path, "a.jsonl", lines)
    assert rows[1]["spans"] == [CITY]
    made = augment(read_corpus(tmp_path / "a.jsonl"), "worddrop", n=3).corpus
    for text, spans in zip(made.column("text"), made.column("spans"), strict=True):
        assert all(text[one["start"] : one["end"]] == "new york" for one in spans)
    bad = json.dumps({**BATCH[1], "entityLabels": [{"entityName": 3, "startCharIndex": 0}]})
    with pytest.raises(CorpusError, match="no entity of LUIS"):
        read(tmp_path, "b.jsonl", f"{lines}{bad}\n")


HELLO = {"name": "Hello", "slots": [], "samples": ["hello there", "good morning"]}
BOOK = {"name": "Book", "slots": [{"name": "city"}], "samples": ["fly to {city}"]}
ALEXA = {"languageModel": {"invocationName": "travel", "intents": [HELLO, BOOK], "types": []}}
EXAMPLES = ["hello there", "good morning"]
DIALOGFLOW = [
    {"id": "1", "data": [{"text": "fly to "}, {"text": "Oslo", "alias": "city", "meta": "@city"}]}
]
CX = [{"id": "1", "parts": [{"text": "fly to "}, {"text": "Oslo", "parameterId": "city"}]}]


@pytest.mark.parametrize(
    "given",
    [
        {"interactionModel": ALEXA},
        ALEXA,
        {"metadata": {}, "resource": {"name": "travel", "intents": [
            {"name": "Hello", "sampleUtterances": EXAMPLES},
            {"name": "Book", "sampleUtterances": ["fly to {city}"]}]}},
        {"intents": [
            {"intent": "Hello", "examples": [{"text": text} for text in EXAMPLES]},
            {"intent": "Book", "examples": [{"text": "fly to {city}"}]}], "entities": []},
        {"intents": [
            {"tag": "Hello", "patterns": EXAMPLES, "responses": ["x"]},
            {"tag": "Book", "patterns": ["fly to {city}"], "responses": []}]},
    ],
)  # fmt: skip
def test_utterances_under_their_intents(tmp_path: Any, given: Any) -> None:
    rows, _ = read(tmp_path, "a.json", json.dumps(given))
    assert [(row["text"], row["label"]) for row in rows] == [
        ("hello there", "Hello"),
        ("good morning", "Hello"),
        ("fly to {city}", "Book"),
    ]
    # the place of a slot is one thing
    made = augment(read_corpus(tmp_path / "a.json"), "shuffle", n=3).corpus
    assert all("{city}" in row["text"] for row in made if row["label"] == "Book")


def test_intents_without_utterances_are_told(tmp_path: Any) -> None:
    help = {"name": "AMAZON.HelpIntent", "samples": []}
    given = {"languageModel": {"intents": [help, HELLO]}}
    rows, said = read(tmp_path, "a.json", json.dumps(given))
    assert len(rows) == 2
    assert said == ["intents without utterances are left out: AMAZON.HelpIntent"]


@pytest.mark.parametrize(
    "given",
    [{"name": "Book", "userSays": DIALOGFLOW}, {"displayName": "Book", "trainingPhrases": CX}],
)
def test_one_intent_of_dialogflow(tmp_path: Any, given: Any) -> None:
    rows, _ = read(tmp_path, "a.json", json.dumps(given))
    span = {"start": 7, "end": 11, "label": "city"}
    assert rows == [{"label": "Book", "text": "fly to Oslo", "spans": [span]}]


YAML = """version: "3.1"

nlu:
- intent: greet
  examples: |
    - hey there
    - hello [Ann](name), it's me
# a comment
- intent: book   # another
  examples: |
    - to [New York]{"entity": "city", "role": "to"}
    - from [NYC]{"entity": "city", "value": "New York City"} to [Oslo](city:OSL)
- intent: chitchat/ask_name
  examples: |
    - what is your name?
- synonym: New York City
  examples: |
    - NYC
- lookup: city
  examples: |
    - Oslo
rules:
- rule: say hello
  steps:
  - intent: greet
  - action: utter_greet
"""
LISTED = """nlu:
  - intent: "greet"
    metadata:
      author: me
    examples:
      - hey there
      - "hello [Ann](name), it's me"
      - text: |
          hi
        metadata:
          sentiment: good
      - text: 'it''s me'
"""
MARKDOWN = """## intent:greet
- hey there
- hello [Ann](name), it's me

## synonym:New York City
- NYC
"""
NAME = {"start": 6, "end": 9, "label": "name"}


@pytest.mark.parametrize("name", ["nlu.yml", "nlu.yaml"])
def test_yaml_of_rasa(tmp_path: Any, name: str) -> None:
    rows, said = read(tmp_path, name, YAML)
    assert rows[:2] == [
        {"text": "hey there", "label": "greet", "spans": []},
        {"text": "hello Ann, it's me", "label": "greet", "spans": [NAME]},
    ]
    assert [(row["text"], row["label"]) for row in rows[2:]] == [
        ("to New York", "book"),
        ("from NYC to Oslo", "book"),
        ("what is your name?", "chitchat/ask_name"),
    ]
    for row, names in zip(rows[2:4], (["New York"], ["NYC", "Oslo"]), strict=True):
        assert [row["text"][one["start"] : one["end"]] for one in row["spans"]] == names
    assert said == [
        f"{name} is read as training data of Rasa; left out: 1 synonyms, 1 look-up tables, 1 rules"
    ]
    assert read_corpus(tmp_path / name).where(1).startswith(f"{tmp_path / name}:7")


def test_listed_examples_and_markdown_of_rasa(tmp_path: Any) -> None:
    rows, _ = read(tmp_path, "nlu.yml", LISTED)
    assert [row["text"] for row in rows] == ["hey there", "hello Ann, it's me", "hi", "it's me"]
    assert {row["label"] for row in rows} == {"greet"}
    assert rows[1]["spans"] == [NAME]
    rows, said = read(tmp_path, "nlu.md", MARKDOWN)
    assert [row["spans"] for row in rows] == [[], [NAME]]
    assert said[0] == "nlu.md is read as the format rasa, as its lines say"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('nlu:\n- intent: a\n  examples: |\n    - [x]{"role": "y"}\n', "names no entity"),
        ('nlu:\n- intent: a\n  examples: |\n    - [x][{"entity": "y"}]\n', "has several entities"),
        ("version: 3\nstories:\n- story: a\n", "no utterances of intents"),
        ("- a: &x [1]\n- b: *x\n- c: !!python/object:os.system x\n", "no utterances of intents"),
    ],
)
def test_other_yaml_is_refused(tmp_path: Any, text: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message) as caught:
        read(tmp_path, "a.yml", text)
    assert caught.value.hint
    with pytest.raises(OptionError, match="read, and not written"):
        write_corpus(read_corpus({"text": ["a"]}), tmp_path / "b.yml")
