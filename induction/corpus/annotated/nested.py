"""Objects that hold several examples each: sets of SNIPS, spaCy's JSON, rows of Hugging Face.

References
----------
https://github.com/sonos/nlu-benchmark, https://snips-nlu.readthedocs.io/en/latest/dataset.html,
https://v2.spacy.io/api/annotation#json-input, https://huggingface.co/docs/dataset-viewer/rows
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grammar.errors import CorpusError

__all__ = [
    "is_dialogflow",
    "is_snips",
    "of_snips",
    "rows_of_intents",
    "rows_of_parts",
    "without_wrappers",
]

Row = dict[str, Any]
_OF_DIALOGFLOW = {"alias", "meta", "userDefined"}
_OF_PIECES = {"text", "entity", "slot_name", "slot", "role", *_OF_DIALOGFLOW}
_VIEWED = {"row_idx", "row"}


def is_snips(row: Any) -> bool:
    """Say whether a row is an utterance of SNIPS: pieces of text, some with an entity.

    >>> is_snips({"data": [{"text": "play "}, {"text": "Ann", "entity": "artist"}]})
    True
    """
    pieces = row.get("data") if isinstance(row, Mapping) else None
    return isinstance(pieces, list) and bool(pieces) and all(map(_is_piece, pieces))


def is_dialogflow(row: Any) -> bool:
    """Say whether a row is an utterance of Dialogflow: such pieces, with its own fields.

    >>> is_dialogflow({"data": [{"text": "to "}, {"text": "Rome", "alias": "city"}]})
    True
    """
    return is_snips(row) and any(not _OF_DIALOGFLOW.isdisjoint(piece) for piece in row["data"])


def _is_piece(piece: Any) -> bool:
    return (
        isinstance(piece, Mapping)
        and isinstance(piece.get("text"), str)
        and all(value is None or isinstance(value, str | bool) for value in piece.values())
        and piece.keys() <= _OF_PIECES
    )


def of_snips(row: Row) -> Row:
    """Return an utterance as a text and its spans, which have the names of slots or entities.

    >>> of_snips({"label": "play", "data": [{"text": "by "}, {"text": "Ann ", "entity": "artist"}]})
    {'label': 'play', 'text': 'by Ann', 'spans': [{'start': 3, 'end': 6, 'label': 'artist'}]}
    """
    if not is_snips(row):
        raise CorpusError(
            f"{row!r:.80} is no utterance of SNIPS", hint="give 'data' as a list of pieces of text"
        )
    text, spans = "", []
    for piece in row["data"]:
        label = piece.get("slot_name") or piece.get("entity") or piece.get("alias")
        bare = piece["text"].strip()
        if label and bare:
            start = len(text) + piece["text"].index(bare)
            spans.append({"start": start, "end": start + len(bare), "label": label})
        text += piece["text"]
    before = len(text) - len(text.lstrip())
    for span in spans:
        span["start"], span["end"] = span["start"] - before, span["end"] - before
    rest = {name: value for name, value in row.items() if name != "data"}
    return {**rest, "text": text.strip(), "spans": spans}


def rows_of_intents(value: Mapping[str, Any]) -> list[Row] | None:
    """Return the utterances of an object that has them under the names of intents; else None.

    >>> rows_of_intents({"Play": [{"data": [{"text": "play"}]}]})
    [{'label': 'Play', 'data': [{'text': 'play'}]}]
    """
    intents = value.get("intents")
    if isinstance(intents, Mapping):
        value = {
            name: one.get("utterances") if isinstance(one, Mapping) else None
            for name, one in intents.items()
        }
    if not value or not all(isinstance(rows, list) for rows in value.values()):
        return None
    rows = [{"label": name, **row} for name, own in value.items() for row in own if is_snips(row)]
    return rows if rows and len(rows) == sum(map(len, value.values())) else None


def rows_of_parts(value: Mapping[str, Any]) -> tuple[list[Row], str] | None:
    """Return the rows of an object whose lists hold pairs of a text and a class; else None.

    What is to be told of it is returned, too. Of several parts the one for training is read.

    >>> rows_of_parts({"train": [["hello", "hi"]], "val": [["so long", "bye"]]})
    ([{'text': 'hello', 'label': 'hi'}], "its part 'train'; not 'val'")
    >>> rows_of_parts({"train": ["hello"]}) is None
    True
    """
    full = {name: rows for name, rows in value.items() if rows}
    if not full or not all(isinstance(rows, list) for rows in value.values()):
        return None
    if not all(map(_is_pair, (row for rows in full.values() for row in rows))):
        return None
    name = "train" if "train" in full else next(iter(full))
    if name != "train" and len(full) > 1:
        raise CorpusError(
            f"there are several parts, {', '.join(full)}, and none is called 'train'",
            hint="write the one that is meant as an array of its own: [[text, class], ...]",
        )
    others = ", ".join(repr(one) for one in full if one != name)
    told = f"its part {name!r}" + (f"; not {others}" if others else "")
    return [{"text": text, "label": label} for text, label in full[name]], told


def _is_pair(row: Any) -> bool:
    return isinstance(row, list) and len(row) == 2 and all(isinstance(one, str) for one in row)


def without_wrappers(rows: list[Any]) -> tuple[list[Any], str | None]:
    """Return the rows within rows, and whose form that is, if it is one that is known.

    >>> without_wrappers([{"row_idx": 0, "row": {"text": "so"}}])
    ([{'text': 'so'}], "Hugging Face's viewer of data sets")
    """
    if rows and all(isinstance(row, Mapping) and row.keys() >= _VIEWED for row in rows):
        return [row["row"] for row in rows], "Hugging Face's viewer of data sets"
    if rows and all(map(_is_document, rows)):
        made = [row for document in rows for row in _sentences(document)]
        return _of_one_form(made), "spaCy's JSON of version 2; dependencies are not kept"
    if rows and all(map(_is_article, rows)):
        made = [row for article in rows for row in _questions(article)]
        return made, "questions and their paragraphs, as SQuAD has them; answers are not kept"
    labels = [row[1] for row in rows if _is_pair(row)]
    # a second text is a class for sure only if it comes again
    if rows and len(labels) == len(rows) and len({*labels}) <= len(rows) // 2:
        return [{"text": text, "label": label} for text, label in rows], "pairs of text and class"
    return rows, None


def _is_article(row: Any) -> bool:
    paragraphs = row.get("paragraphs") if isinstance(row, Mapping) else None
    return (
        isinstance(paragraphs, list)
        and bool(paragraphs)
        and all(
            isinstance(one, Mapping)
            and isinstance(one.get("context"), str)
            and isinstance(one.get("qas"), list)
            and all(isinstance(qa, Mapping) and isinstance(qa.get("question"), str)
                    for qa in one["qas"])
            for one in paragraphs
        )
    )  # fmt: skip


def _questions(article: Row) -> Iterator[Row]:
    """Yield the questions of an article of SQuAD with their paragraphs."""
    for paragraph in article["paragraphs"]:
        for question in paragraph["qas"]:
            named = {"id": question["id"]} if isinstance(question.get("id"), str) else {}
            yield {**named, "text": question["question"], "text_pair": paragraph["context"]}


def _is_document(row: Any) -> bool:
    paragraphs = row.get("paragraphs") if isinstance(row, Mapping) else None
    return (
        isinstance(paragraphs, list)
        and bool(paragraphs)
        and all(
            isinstance(one, Mapping) and isinstance(one.get("sentences"), list)
            for one in paragraphs
        )
    )


def _sentences(document: Row) -> Iterator[Row]:
    """Yield the sentences of a document of spaCy: tokens, their tags, and those of entities."""
    for paragraph in document["paragraphs"]:
        for sentence in paragraph["sentences"]:
            tokens = sentence.get("tokens") if isinstance(sentence, Mapping) else None
            if not isinstance(tokens, list) or not all(
                isinstance(one, Mapping) and isinstance(one.get("orth"), str) for one in tokens
            ):
                raise CorpusError(
                    f"{sentence!r:.80} has no tokens with 'orth'", hint="export the file again"
                )
            yield {
                "tokens": [one["orth"] for one in tokens],
                "tags": [one.get("tag") for one in tokens],
                "ner_tags": [one.get("ner") for one in tokens],
            }


def _of_one_form(rows: list[Row]) -> list[Row]:
    """Return rows without columns that no row has; a word without an entity has the tag O."""
    if not all(tag for row in rows for tag in row["tags"]):
        rows = [{name: value for name, value in row.items() if name != "tags"} for row in rows]
    if not any(tag for row in rows for tag in row["ner_tags"]):
        return [{name: value for name, value in row.items() if name != "ner_tags"} for row in rows]
    return [
        {**row, "ner_tags": ["O" if tag in (None, "", "-") else tag for tag in row["ner_tags"]]}
        for row in rows
    ]
