"""JSON as others write it: arrays, columns, and what annotation tools export."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from grammar.errors import CorpusError, OptionError
from grammar.messages import heard_by
from induction import read_corpus, write_corpus
from tests.induction.conventions.given import read

ANN = [{"start": 0, "end": 3, "label": "PER"}]


def lines(*rows: Any) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


FORMS = {
    "array": '[{"text":"a","label":1},\n {"text":"b","label":0}]',
    "one line": '[{"text":"a","label":1}, {"text":"b","label":0}]\n',
    "under a name": '{"version": "1", "data": [{"text":"a","label":1},{"text":"b","label":0}]}',
    "columns": '{"text": ["a", "b"], "label": [1, 0]}',
    "pandas": '{"text": {"0": "a", "1": "b"}, "label": {"0": 1, "1": 0}}',
    "pandas, split": '{"columns":["text","label"],"index":[0,1],"data":[["a",1],["b",0]]}',
    "pretty": '[\n  {\n    "text": "a",\n    "label": 1\n  },\n  {"text": "b", "label": 0}\n]\n',
    "lines": '{"text":"a","label":1}\n{"text":"b","label":0}\n',
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_json_is_read_in_every_form(tmp_path, text):
    rows, _ = read(tmp_path, "a.json", text)
    assert rows == [{"text": "a", "label": 1}, {"text": "b", "label": 0}]


def test_arrays_are_read_under_the_name_of_lines(tmp_path):
    rows, _ = read(tmp_path, "a.jsonl", FORMS["array"])
    assert len(rows) == 2


def test_an_empty_array_is_an_empty_corpus(tmp_path):
    assert read(tmp_path, "a.json", "[]")[0] == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('[{"text": "a"},', "does not end well"),
        ("[1, 2]", "not an array of objects"),
        ('[{"text": "a", "text": "b"}]', "two values of 'text'"),
        ('"a"', "not an array of objects"),
    ],
)
def test_other_json_is_refused(tmp_path, text, what):
    with pytest.raises(CorpusError, match=what):
        read(tmp_path, "a.json", text)


def test_faults_in_an_array_are_named_by_row(tmp_path):
    with pytest.raises(CorpusError) as error:
        read(
            tmp_path,
            "a.json",
            '[{"text": "a", "label": [0.5, 0.5]},{"text": "b", "label": [1, 1]}]',
        )
    assert error.value.where.endswith("a.json, row 2")


def test_half_characters_are_left_out_by_row_and_by_line(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text":"a"}\n{"text":"b \\ud83d"}\n')
    (tmp_path / "a.json").write_text('[{"text":"a"},{"text":"b \\ud83d"}]')
    for name, where in (("a.jsonl", "a.jsonl:2"), ("a.json", "a.json, row 2")):
        corpus = read_corpus(tmp_path / name, on_error="skip")
        assert corpus.column("text") == ["a"]
        assert [one.where for one in corpus.skipped] == [str(tmp_path / where)]


def test_json_is_read_and_not_written(tmp_path):
    with pytest.raises(OptionError, match="cannot be inferred from the file name") as error:
        write_corpus(read_corpus(["a"]), tmp_path / "a.json")
    assert ".jsonl" in error.value.hint


# --- annotation tools ---------------------------------------------------------------------------

EXPORTS: dict[str, list[Any]] = {
    "doccano": [{"id": 1, "text": "Ann sings", "label": [[0, 3, "PER"]], "Comments": []}],
    "doccano, older": [{"text": "Ann sings", "labels": [[0, 3, "PER"]]}],
    "doccano, with relations": [
        {
            "text": "Ann sings",
            "entities": [{"id": 7, "label": "PER", "start_offset": 0, "end_offset": 3}],
            "relations": [],
        }
    ],
    "triples": [{"text": "Ann sings", "entities": [[0, 3, "PER"]]}],
    "prodigy": [
        {
            "text": "Ann sings",
            "_input_hash": 1,
            "_task_hash": 2,
            "tokens": [{"text": "Ann", "start": 0, "end": 3, "id": 0}, {"text": "sings"}],
            "spans": [{"start": 0, "end": 3, "label": "PER", "token_start": 0, "token_end": 0}],
            "answer": "accept",
        }
    ],
    "label studio": [
        {
            "id": 1,
            "data": {"text": "Ann sings"},
            "annotations": [
                {
                    "result": [
                        {
                            "type": "labels",
                            "value": {"start": 0, "end": 3, "text": "Ann", "labels": ["PER"]},
                        }
                    ]
                }
            ],
        }
    ],
    "label studio, small": [
        {
            "id": 1,
            "text": "Ann sings",
            "label": [{"start": 0, "end": 3, "text": "Ann", "labels": ["PER"]}],
            "annotator": 1,
        }
    ],
    "spacy 2": [["Ann sings", {"entities": [[0, 3, "PER"]]}]],
}


@pytest.mark.parametrize("rows", EXPORTS.values(), ids=EXPORTS)
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_spans_of_tools_are_spans(tmp_path, name, rows):
    text = json.dumps(rows) if name == "a.json" or isinstance(rows[0], list) else lines(*rows)
    (found,), said = read(tmp_path, name, text)
    assert (found["text"], found["spans"]) == ("Ann sings", ANN)
    assert said[0].startswith(f"{name} is read as an export of ")


def test_rows_without_spans_have_none(tmp_path):
    text = lines({"text": "It rains", "label": []}, {"text": "Ann sings", "label": [[0, 3, "PER"]]})
    rows, _ = read(tmp_path, "a.jsonl", text)
    assert [row["spans"] for row in rows] == [[], ANN]


def test_rows_that_were_rejected_are_left_out_and_told(tmp_path):
    row = {"text": "Ann sings", "_input_hash": 1, "label": "MUSIC"}
    text = lines({**row, "answer": "accept"}, {**row, "answer": "reject"}, {**row, "text": "b"})
    rows, said = read(tmp_path, "a.jsonl", text)
    assert rows == [{"text": "Ann sings", "label": "MUSIC"}, {"text": "b", "label": "MUSIC"}]
    assert said == [
        "a.jsonl is read as an export of Prodigy; 1 rows that were not accepted are left out"
    ]


def test_choices_of_label_studio_are_classes(tmp_path):
    row = {
        "id": 3,
        "data": {"text": "so good"},
        "annotations": [{"result": [{"type": "choices", "value": {"choices": ["Positive"]}}]}],
    }
    rows, _ = read(tmp_path, "a.json", json.dumps([row]))
    assert rows == [{"text": "so good", "label": "Positive"}]


def test_a_span_without_a_label_is_refused_with_its_line(tmp_path):
    text = lines({"text": "Ann", "entities": [[0, 3, "PER"]]}, {"text": "Bo", "entities": [[0, 2]]})
    with pytest.raises(CorpusError, match="is no span") as error:
        read(tmp_path, "a.jsonl", text)
    assert error.value.where.endswith("a.jsonl:2")


# --- tokens and tags ------------------------------------------------------------------------------


@pytest.mark.parametrize("tokens", ["tokens", "words"])
@pytest.mark.parametrize("tags", ["ner_tags", "ner", "tags"])
def test_text_is_made_of_tokens_and_spans_of_tags(tmp_path, tokens, tags):
    text = lines({tokens: ["EU", "rejects"], tags: ["B-ORG", "O"]})
    (row,), said = read(tmp_path, "a.jsonl", text)
    assert row == {
        "text": "EU rejects",
        "tokens": ["EU", "rejects"],
        "spans": [{"start": 0, "end": 2, "label": "ORG"}],
    }
    assert said == [f"text is made of the tokens in {tokens!r}, and spans of {tags!r}"]


def test_a_single_example_of_tokens_is_no_pair_of_columns(tmp_path):
    text = lines({"tokens": ["EU", "rejects"], "ner_tags": ["B-ORG", "O"]})
    assert read(tmp_path, "a.json", text)[0][0]["text"] == "EU rejects"


def test_tags_that_are_numbers_are_kept_and_it_is_told_what_names_them():
    said: list[str] = []
    with heard_by(said.append):
        corpus = read_corpus([{"tokens": ["EU", "rejects"], "ner_tags": [3, 0]}])
    assert corpus.column("ner_tags") == [[3, 0]]
    assert "with_spans(corpus, 'ner_tags', names=[...])" in said[1]


def test_tags_of_another_length_are_refused():
    table = pa.table({"tokens": [["EU", "rejects"]], "ner_tags": [["B-ORG"]]})
    with pytest.raises(CorpusError, match="not one of 'ner_tags' a token"):
        read_corpus(table)


def test_numbers_of_a_data_set_have_their_names():
    datasets = pytest.importorskip("datasets")
    names = ["O", "B-ORG"]
    features = datasets.Features(
        {
            "tokens": datasets.Sequence(datasets.Value("string")),
            "ner_tags": datasets.Sequence(datasets.ClassLabel(names=names)),
        }
    )
    rows = {"tokens": [["EU", "rejects"]], "ner_tags": [[1, 0]]}
    with heard_by(lambda message: None):
        corpus = read_corpus(datasets.Dataset.from_dict(rows, features=features))
    assert corpus.column("spans") == [[{"start": 0, "end": 2, "label": "ORG"}]]


PAIRS = [
    ["Ann sings in Rome", {"entities": [[0, 3, "PER"], [13, 17, "LOC"]]}],
    ["Bob sleeps", {"entities": [[0, 3, "PER"]]}],
]


@pytest.mark.parametrize("rest", [[], [None], [None, ["so", {"entities": []}]]])
@pytest.mark.parametrize("wrapped", [True, False])
def test_pairs_of_a_text_and_entities_are_read_under_a_name(tmp_path, rest, wrapped):
    rows = [*PAIRS, *rest]
    value = {"classes": ["PER", "LOC"], "annotations": rows} if wrapped else rows
    file = tmp_path / "annotations.json"
    said: list[str] = []
    for text in (json.dumps(value), json.dumps(value, indent=1)):
        file.write_text(text)
        with heard_by(said.append):
            corpora = [read_corpus(file), read_corpus(value)]
        for corpus in corpora:
            texts = [row[0] for row in rows if row is not None]
            assert corpus.column("text") == texts
            assert [len(spans) for spans in corpus.column("spans")] == [2, 1, 0][: len(texts)]
    assert any("1 rows that were not accepted are left out" in one for one in said) == bool(rest)


def test_null_among_objects_is_no_row(tmp_path):
    (tmp_path / "a.json").write_text('[{"text": "a"}, null]')
    with pytest.raises(CorpusError, match="not an array of objects"):
        read_corpus(tmp_path / "a.json")
