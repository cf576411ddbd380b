"""What pipelines make of texts, in JSON: spaCy's ``Doc.to_json``, Stanza's ``to_dict``.

References
----------
https://spacy.io/api/doc#to_json, https://stanfordnlp.github.io/stanza/data_conversion.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grammar.errors import CorpusError
from induction.corpus.annotated.spans import span_of

__all__ = ["is_doc", "is_stanza", "of_doc", "of_stanza"]

_COLUMNS = {
    "tags": ("xpos", "upos"), "heads": ("head",), "deprels": ("deprel",), "ner_tags": ("ner",),
}  # fmt: skip
"""What the columns of words are called by Stanza; the first that is there counts."""
_LEFT = ("sents", "ents", "cats", "tokens", "spans")


def is_doc(row: Any) -> bool:
    """Say whether a row is a document of spaCy: its tokens are places in its text.

    >>> is_doc({"text": "so", "tokens": [{"id": 0, "start": 0, "end": 2}]}), is_doc({"text": "so"})
    (True, False)
    """
    return isinstance(row, Mapping) and isinstance(row.get("text"), str) and _are_places(row)


def _are_places(row: Mapping[str, Any]) -> bool:
    words = row.get("tokens")
    return (
        isinstance(words, list)
        and bool(words)
        and all(
            isinstance(word, Mapping)
            and "text" not in word
            and all(isinstance(word.get(name), int) for name in ("start", "end"))
            for word in words
        )
    )


def of_doc(row: dict[str, Any]) -> dict[str, Any]:
    """Return a document with tokens, tags and spans, as ``.spacy`` files are read; and its classes.

    >>> word = {"id": 0, "start": 0, "end": 3, "tag": "NNP", "dep": "ROOT", "head": 0}
    >>> of_doc({"text": "Ann", "ents": [{"start": 0, "end": 3, "label": "PER"}], "tokens": [word]})
    {'text': 'Ann', 'tokens': ['Ann'], 'tags': ['NNP'], 'spans': [{'start': 0, 'end': 3, \
'label': 'PER'}]}
    """
    if not is_doc(row):
        raise CorpusError(
            f"{row!r:.80} is no document of spaCy", hint="write doc.to_json() on each line"
        )
    made = {name: value for name, value in row.items() if name not in _LEFT}
    text, words = row["text"], row["tokens"]
    ends = [0, *(place for word in words for place in (word["start"], word["end"])), len(text)]
    if ends != sorted(ends) or any(word["start"] == word["end"] for word in words):
        raise CorpusError(
            f"tokens of {text!r:.80} are no places in it, one behind the other",
            hint="write doc.to_json() on each line, with the text that it has",
        )
    made["tokens"] = [text[word["start"] : word["end"]] for word in words]
    if all(isinstance(word.get("tag"), str) for word in words):
        made["tags"] = [word["tag"] for word in words]
    if isinstance(row.get("ents"), list):
        made["spans"] = [span_of(one) for one in row["ents"]]
    if isinstance(row.get("cats"), dict) and row["cats"]:
        made["cats"] = row["cats"]
    return made


def is_stanza(row: Any) -> bool:
    """Say whether a row is a sentence of Stanza: its words, each with a number and a text.

    >>> is_stanza([{"id": 1, "text": "Go", "upos": "VERB"}]), is_stanza(["Go", {"entities": []}])
    (True, False)
    """
    return (
        isinstance(row, list)
        and bool(row)
        and all(isinstance(word, Mapping) and {"id", "text"} <= word.keys() for word in row)
        and any({"upos", "start_char", "lemma", "misc"} & word.keys() for word in row)
    )


def of_stanza(row: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a sentence with its words, their tags, heads and relations; entities are ``ner_tags``.

    Of what is written as one word and read as several (*don't*), the several stay.

    >>> of_stanza([{"id": 1, "text": "Go", "upos": "VERB", "head": 0, "deprel": "root"}])
    {'text': 'Go', 'tokens': ['Go'], 'tags': ['VERB'], 'heads': [0], 'deprels': ['root']}
    """
    if not is_stanza(row):
        raise CorpusError(
            f"{row!r:.80} is no sentence of Stanza", hint="write json.dumps(doc.to_dict())"
        )
    words = [word for word in row if isinstance(word["id"], int)]
    made: dict[str, Any] = {"text": " ".join(str(word["text"]) for word in words)}
    made["tokens"] = [str(word["text"]) for word in words]
    for ours, theirs in _COLUMNS.items():
        name = next((name for name in theirs if all(name in word for word in words)), None)
        if name is not None:
            made[ours] = [word[name] for word in words]
    return made
