"""Utterances of assistants under their intents: Alexa, Lex, Watson, Dialogflow, chat bots; LUIS.

References
----------
https://developer.amazon.com/docs/smapi/interaction-model-schema.html,
https://learn.microsoft.com/azure/ai-services/luis/app-schema-definition,
https://docs.aws.amazon.com/lex/latest/dg/import-export-format.html,
https://cloud.google.com/dialogflow/cx/docs/reference/json-export, https://wit.ai/docs
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grammar.errors import CorpusError
from grammar.messages import tell
from induction.corpus.annotated.nested import is_snips, of_snips

__all__ = ["is_luis", "of_luis", "rows_of_assistants"]

Row = dict[str, Any]

_WITHIN = ("interactionModel", "languageModel", "resource", "assets")
"""Fields that hold the intents of an exported model."""
_NAMES = ("tag", "intent", "name", "displayName", "intentName")
_LISTS = (
    "patterns", "samples", "sampleUtterances", "examples", "userSays", "trainingPhrases",
    "utterances",
)  # fmt: skip
_OF_LUIS = {
    ("startPos", "endPos"): 1,
    ("startCharIndex", "endCharIndex"): 1,
    ("offset", "length"): 0,
    ("start", "end", "body"): 0,
}
"""Fields of entities of LUIS, its batches, CLU and Wit; what an end is short of the one here."""
_LABELS = ("entity", "entityName", "category")


def rows_of_assistants(value: Mapping[str, Any]) -> list[Row] | None:
    """Return the utterances of a model that has them in a list of intents; else None.

    Intents without utterances are told. Places of slots (``{city}``) stay in the texts.

    >>> rows_of_assistants({"intents": [{"tag": "hi", "patterns": ["hello"], "responses": []}]})
    [{'text': 'hello', 'label': 'hi'}]
    >>> rows_of_assistants({"name": "hi", "userSays": [{"data": [{"text": "hello"}]}]})
    [{'label': 'hi', 'text': 'hello', 'spans': []}]
    """
    for name in _WITHIN:
        if isinstance(value.get(name), Mapping):
            value = value[name]
    intents = value.get("intents")
    if intents is None and {"userSays", "trainingPhrases"} & value.keys():
        intents = [value]
    if not isinstance(intents, list) or not intents or not all(map(_is_intent, intents)):
        return None
    rows = [row for intent in intents for row in _rows_of_intent(intent)]
    silent = [_name(intent) for intent in intents if not _utterances(intent)]
    if rows and silent:
        tell(f"intents without utterances are left out: {', '.join(silent)}")
    return rows or None


def _name(intent: Mapping[str, Any]) -> str:
    return next((intent[name] for name in _NAMES if isinstance(intent.get(name), str)), "")


def _utterances(intent: Mapping[str, Any]) -> list[Any]:
    return next((intent[name] for name in _LISTS if isinstance(intent.get(name), list)), [])


def _is_intent(intent: Any) -> bool:
    return (
        isinstance(intent, Mapping)
        and bool(_name(intent))
        and all(isinstance(one, str) or _as_row(one) is not None for one in _utterances(intent))
    )


def _rows_of_intent(intent: Mapping[str, Any]) -> Iterator[Row]:
    for one in _utterances(intent):
        if isinstance(one, str):
            yield {"text": one, "label": _name(intent)}
        else:
            yield {"label": _name(intent), **(_as_row(one) or {})}


def _as_row(utterance: Any) -> Row | None:
    """Return an utterance of Watson, Lex, Dialogflow or SNIPS; None if it is of none of them."""
    if not isinstance(utterance, Mapping):
        return None
    pieces = utterance.get("data", utterance.get("parts"))
    if isinstance(pieces, list):
        named = [_piece(one) for one in pieces]
        return of_snips({"data": named}) if is_snips({"data": named}) else None
    text = utterance.get("text", utterance.get("utterance"))
    return {"text": text} if isinstance(text, str) else None


def _piece(piece: Any) -> Any:
    """Return a piece of Dialogflow CX as one of SNIPS."""
    if not isinstance(piece, Mapping) or "parameterId" not in piece:
        return piece
    return {"text": piece.get("text"), "slot": None, "entity": piece["parameterId"]}


def is_luis(row: Any) -> bool:
    """Say whether a row is an utterance of LUIS, CLU or Wit: an intent, and entities with places.

    >>> is_luis({"text": "to Rome", "intent": "go", "entities": [
    ...     {"entity": "city", "startPos": 3, "endPos": 6}]})
    True
    """
    if not isinstance(row, Mapping) or not isinstance(row.get("text"), str):
        return False
    if not any(isinstance(row.get(name), str) for name in ("intent", "intentName")):
        return False
    entities = row.get("entities", row.get("entityLabels"))
    return isinstance(entities, list) and bool(entities) and all(map(_form_of, entities))


def _form_of(entity: Any) -> tuple[str, ...]:
    """Return the fields that say where an entity is; nothing if it is of no such tool."""
    if not isinstance(entity, Mapping) or not any(name in entity for name in _LABELS):
        return ()
    return next((form for form in _OF_LUIS if all(name in entity for name in form)), ())


def of_luis(row: Row) -> Row:
    """Return an utterance of LUIS, CLU or Wit as a text with its intent and spans.

    >>> of_luis({"text": "to Rome", "intent": "go", "entities": [
    ...     {"entity": "city", "startPos": 3, "endPos": 6}]})
    {'text': 'to Rome', 'label': 'go', 'spans': [{'start': 3, 'end': 7, 'label': 'city'}]}
    """
    spans = []
    for entity in row.get("entities") or row.get("entityLabels") or ():
        form = _form_of(entity)
        label = next((entity[name] for name in _LABELS if form and name in entity), None)
        places = [entity[name] for name in form[:2]]
        if not isinstance(label, str) or not all(isinstance(one, int) for one in places):
            raise CorpusError(
                f"{entity!r:.80} is no entity of LUIS",
                hint="give its name and its places, startPos and endPos",
            )
        start, end = places
        end += start if form[1] == "length" else _OF_LUIS[form]
        label = label.partition(":")[0] if "body" in form else label  # of Wit, a role follows
        spans.append({"start": start, "end": end, "label": label})
    own = ("text", "intent", "intentName", "entities", "entityLabels", "traits")
    rest = {name: one for name, one in row.items() if name not in own}
    label = row.get("intent", row.get("intentName"))
    ordered = sorted(spans, key=lambda span: (span["start"], span["end"]))
    return {**rest, "text": row.get("text"), "label": label, "spans": ordered}
