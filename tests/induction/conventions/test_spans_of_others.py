"""Spans as other tools keep them: beside texts (brat), in pieces (SNIPS), before words (MIT)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grammar.errors import CorpusError
from grammar.messages import heard_by
from induction import read_corpus
from tests.induction.conventions.given import read

TEXT = "Ann Lee met Bo\nin New York.\n"
ANN = "T2\tLOC 18 26\tNew York\nT1\tPER 0 7\tAnn Lee\nR1\tmet Arg1:T1 Arg2:T2\n#1\tNote T1\tso\n"
SPANS = [{"start": 0, "end": 7, "label": "PER"}, {"start": 18, "end": 26, "label": "LOC"}]


@pytest.mark.parametrize("name", ["", "1.ann"])
def test_texts_beside_annotations_of_brat_have_spans(tmp_path, name):
    (tmp_path / "1.txt").write_text(TEXT)
    (tmp_path / "1.ann").write_text(ANN)
    (tmp_path / "annotation.conf").write_text("[entities]\nPER\n")
    said: list[str] = []
    with heard_by(said.append):
        corpus = read_corpus(tmp_path / name)
    assert corpus.table.to_pylist() == [{"id": "1", "text": TEXT.rstrip(), "spans": SPANS}]
    assert said == [f"{tmp_path / name} is read as brat; left out: 1 notes, 1 relations"]
    assert corpus.where(0).startswith(f"{tmp_path}/1.ann")


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("T3\tX 0 3;8 11\tAnn met", "T3 is in several parts"),
        ("T3\tX 1 4\tAnn", "the text has 'nn ' at 1 4"),
        ("T3 X 0 3 Ann", "this is no line of brat"),
        ("T3\tX 0 3\tAnn", "overlap"),
    ],
)
def test_faults_of_brat_have_their_place(tmp_path, line, cause):
    (tmp_path / "1.txt").write_text(TEXT)
    (tmp_path / "1.ann").write_text(f"{ANN}{line}\n")
    with pytest.raises(CorpusError, match=cause) as error:
        read_corpus(tmp_path)
    assert "1.ann" in error.value.where


def test_a_text_whose_annotations_stand_beside_it_tells_of_them(tmp_path):
    (tmp_path / "1.ann").write_text(ANN)
    rows, said = read(tmp_path, "1.txt", TEXT)
    assert (len(rows), len(said)) == (2, 1)
    assert "1.ann has annotations" in said[0]


PIECES = [{"text": " by "}, {"text": "Ann Lee ", "entity": "artist"}, {"text": "now"}]
NAMED = [{**piece, "slot_name": "who"} if "entity" in piece else piece for piece in PIECES]
SNIPS: dict[str, tuple[Any, str, str]] = {
    "intents": ({"Play": [{"data": PIECES}]}, "Play", "artist"),
    "utterances": (
        {"language": "en", "entities": {}, "intents": {"Play": {"utterances": [{"data": NAMED}]}}},
        "Play", "who",
    ),
    "rows": ([{"data": PIECES, "label": "Play"}], "Play", "artist"),
}  # fmt: skip


@pytest.mark.parametrize(("value", "label", "slot"), SNIPS.values(), ids=SNIPS)
def test_pieces_of_snips_are_texts_with_spans(tmp_path, value, label, slot):
    rows, said = read(tmp_path, "a.json", json.dumps(value))
    assert rows == [
        {"label": label, "text": "by Ann Lee now",
         "spans": [{"start": 3, "end": 10, "label": slot}]},
    ]  # fmt: skip
    assert said == ["a.json is read as an export of SNIPS"]


def test_lines_of_snips_are_read(tmp_path):
    rows, _ = read(tmp_path, "a.jsonl", json.dumps({"data": PIECES}) + "\n")
    assert rows[0]["text"] == "by Ann Lee now"


TOKENS = [{"orth": "Ann", "tag": "NNP", "ner": "U-PER"}, {"orth": "ran", "tag": "VBD", "ner": "-"}]
OTHERS = {
    "spaCy": [{"id": 0, "paragraphs": [{"raw": "Ann ran", "sentences": [{"tokens": TOKENS}]}]}],
    "Dataturks": [{"content": "Ann ran", "extras": None, "annotation": [
        {"label": ["PER"], "points": [{"start": 0, "end": 2, "text": "Ann"}]}]}],
    "viewer": {"features": [], "rows": [
        {"row_idx": 0, "row": {"tokens": ["Ann", "ran"], "ner_tags": ["B-PER", "O"]}}]},
}  # fmt: skip


@pytest.mark.parametrize("value", OTHERS.values(), ids=OTHERS)
def test_other_objects_with_spans_are_read(tmp_path, value):
    (row,), _ = read(tmp_path, "a.json", json.dumps(value))
    assert row["text"] == "Ann ran"
    assert row["spans"] == [{"start": 0, "end": 3, "label": "PER"}]


@pytest.mark.parametrize("name", ["a.bio", "a.txt", "a.tsv"])
def test_tags_may_stand_before_words(tmp_path, name):
    rows, said = read(tmp_path, name, "B-PER\tAnn\nO\tran\n\nO\tSo\n")
    assert rows[0]["text"] == "Ann ran"
    assert rows[0]["spans"] == [{"start": 0, "end": 3, "label": "PER"}]
    assert said[-1] == f"{name}: tags stand in the first column, and tokens in the second"


def test_tags_in_small_letters_are_no_parts_of_speech(tmp_path):
    with pytest.raises(CorpusError, match="'b-per' says nothing of a span"):
        read(tmp_path, "a.bio", "Ann b-per\nran o\n")


@pytest.mark.parametrize("name", ["a.conll", "a.tsv"])
def test_names_of_columns_are_no_tokens(tmp_path, name):
    rows, said = read(tmp_path, name, "token\tner\nAnn\tB-PER\nran\tO\n\nSo\tO\n")
    assert [row["text"] for row in rows] == ["Ann ran", "So"]
    assert f"{name}: the first line names its columns, and is left out" in said


CELLS = {
    "doccano": [[0, 3, "PER"]],
    "Label Studio": [{"start": 0, "end": 3, "text": "Ann", "labels": ["PER"]}],
}


@pytest.mark.parametrize("value", CELLS.values(), ids=CELLS)
def test_cells_of_csv_may_hold_spans(tmp_path, value):
    cell = json.dumps(value).replace('"', '""')
    rows, said = read(tmp_path, "a.csv", f'text,label\nAnn sings,"{cell}"\nSo it is,\n')
    assert [row["spans"] for row in rows] == [[{"start": 0, "end": 3, "label": "PER"}], []]
    assert said == ["a.csv: spans are read from the column 'label'"]


def test_numbers_of_sentences_are_no_tokens(tmp_path):
    text = "1\tAnn\tB-PER\n1\tran\tO\n2\tBo\tB-PER\n2\tsat\tO\n"
    with pytest.raises(CorpusError, match="the first column numbers the sentences"):
        read(tmp_path, "a.tsv", text)


def test_folders_of_brat_within_a_folder_are_refused_with_one_that_works(tmp_path):
    for name in ("train", "dev"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.txt").write_text(TEXT)
        (tmp_path / name / "1.ann").write_text(ANN)
    with pytest.raises(CorpusError, match="annotations of brat") as error:
        read_corpus(tmp_path)
    assert len(read_corpus(error.value.hint.split("such as ")[1])) == 1


def test_a_task_without_data_is_of_another_form(tmp_path):
    whole = {"id": 1, "data": {"text": "Ann sings"}, "annotations": []}
    without = {"id": 2, "annotations": []}
    with pytest.raises(CorpusError, match="of another form than the rows of this tool"):
        read(tmp_path, "a.json", json.dumps([whole, without]))


def test_offsets_with_lengths_are_spans(tmp_path):
    entity = '{"category": "PER", "offset": 0, "length": 3}'
    rows, _ = read(tmp_path, "a.jsonl", f'{{"text": "Ann sings", "entities": [{entity}]}}\n')
    assert rows[0]["spans"] == [{"start": 0, "end": 3, "label": "PER"}]


SUNG = "Ann sings in Rome."
NAMED = [{"start": 0, "end": 3, "label": "PER"}, {"start": 13, "end": 17, "label": "LOC"}]
PLACES = [(0, 3, "NNP"), (4, 9, "VBZ"), (10, 12, "IN"), (13, 17, "NNP"), (17, 18, ".")]
SINGING = ["Ann", "sings", "in", "Rome", "."]


def test_documents_of_spacy_are_read_as_its_files_are(tmp_path):
    tokens = [{"id": 0, "start": a, "end": b, "tag": tag, "head": 1} for a, b, tag in PLACES]
    row = {"text": SUNG, "ents": NAMED, "cats": {"a": 1.0, "b": 0.0}, "tokens": tokens}
    rows, said = read(tmp_path, "a.jsonl", json.dumps(row) + "\n")
    tags = [tag for _, _, tag in PLACES]
    assert rows == [{"text": SUNG, "tokens": SINGING, "tags": tags, "spans": NAMED, "label": "a"}]
    assert said[0] == "a.jsonl is read as an export of spaCy (Doc.to_json)"
    bad = row | {"ents": ["Ann"]}
    with pytest.raises(CorpusError, match="'Ann' is no span"):
        read(tmp_path, "b.jsonl", json.dumps(bad) + "\n")


@pytest.mark.parametrize("place", [(13, 99), (17, 17), (9, 4), (-5, -1), (3, 9)])
def test_tokens_of_documents_are_places_in_the_text(tmp_path, place):
    tokens = [{"start": a, "end": b} for a, b in [(0, 3), (4, 9), place]]
    with pytest.raises(CorpusError, match="no places in it, one behind the other"):
        read(tmp_path, "a.jsonl", json.dumps({"text": SUNG, "tokens": tokens}) + "\n")


def test_documents_of_spacy_itself_are_read(tmp_path):
    spacy = pytest.importorskip("spacy")
    doc = spacy.blank("en")(SUNG)
    rows, _ = read(tmp_path, "a.jsonl", json.dumps(doc.to_json()) + "\n")
    assert rows[0]["text"] == SUNG
    assert rows[0]["tokens"] == SINGING


def test_sentences_of_stanza_have_heads_and_spans(tmp_path):
    word = {"start_char": 0, "end_char": 3, "lemma": "x"}
    given = [
        [
            {"id": 1, "text": "Ann", "xpos": "NNP", "head": 2, "deprel": "nsubj", "ner": "S-PER"},
            {"id": [2, 3], "text": "cannot", **word, "ner": "O"},
            {"id": 2, "text": "can", "xpos": "MD", "head": 0, "deprel": "root", "ner": "O"},
            {"id": 3, "text": "not", "xpos": "RB", "head": 2, "deprel": "advmod", "ner": "O"},
        ]
    ]
    rows, said = read(tmp_path, "a.json", json.dumps(given))
    assert rows == [
        {
            "text": "Ann can not", "tokens": ["Ann", "can", "not"], "tags": ["NNP", "MD", "RB"],
            "heads": [2, 0, 2], "deprels": ["nsubj", "root", "advmod"], "spans": NAMED[:1],
        }
    ]  # fmt: skip
    assert said[0] == "a.json is read as an export of Stanza"


def test_rows_of_vertex_have_spans_or_classes(tmp_path):
    found = [{"startOffset": s["start"], "endOffset": s["end"], "displayName": s["label"]}
             for s in NAMED]  # fmt: skip
    row = {"textContent": SUNG, "textSegmentAnnotations": found}
    assert read(tmp_path, "a.jsonl", json.dumps(row) + "\n")[0] == [{"text": SUNG, "spans": NAMED}]
    part = {"aiplatform.googleapis.com/ml_use": "test"}
    row = {"textContent": SUNG, "classificationAnnotation": {"displayName": "a"},
           "dataItemResourceLabels": part}  # fmt: skip
    rows, _ = read(tmp_path, "b.jsonl", json.dumps(row) + "\n")
    assert rows == [{"text": SUNG, "label": "a", "ml_use": "test"}]
    several = {"textContent": SUNG, "classificationAnnotations": [{"displayName": n} for n in "ab"]}
    rows, _ = read(tmp_path, "c.jsonl", json.dumps(several) + "\n")
    assert [*rows[0].values()] == [SUNG, ["a", "b"]]


def test_texts_in_two_languages_are_pairs(tmp_path):
    given = {"id": "7", "translation": {"en": "so it is", "de": "so ist es"}}
    rows, said = read(tmp_path, "a.jsonl", json.dumps(given) + "\n")
    assert rows == [{"text": "so it is", "target": "so ist es"}]
    assert said == ["text is read from 'en' of the column 'translation', target from 'de'"]
    given["translation"]["fr"] = "c'est ainsi"
    with pytest.raises(CorpusError, match="within the column 'translation', which is nested"):
        read(tmp_path, "b.jsonl", json.dumps(given) + "\n")


def test_a_column_of_words_may_be_named_for_the_texts(tmp_path):
    given = {f"11{n}_tw": {"post_id": f"11{n}", "post_tokens": ["so", "it", str(n)]}
             for n in range(3)}  # fmt: skip
    with pytest.raises(CorpusError, match="columns 'id', 'post_id', 'post_tokens'.*no column"):
        read(tmp_path, "a.json", json.dumps(given, indent=1))
    rows = read_corpus(tmp_path / "a.json", text="post_tokens")
    assert (rows[2]["text"], rows[2]["tokens"]) == ("so it 2", ["so", "it", "2"])


def test_words_that_are_objects_are_not_called_words_a_row(tmp_path):
    given = {"words": [{"text": "Ann", "tag": "PROPN"}], "arcs": []}
    with pytest.raises(CorpusError, match="within the column 'words', which is nested"):
        read(tmp_path, "a.jsonl", json.dumps(given) + "\n")
