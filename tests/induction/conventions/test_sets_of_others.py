"""Sets of classes, pairs and judged rows as others write them: read, told, never swallowed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from induction import read_corpus
from tests.induction.conventions.given import read


def lines(*rows: Any) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def _studio(*names: str) -> dict[str, Any]:
    value = {"type": "choices", "value": {"choices": [*names]}}
    return {"data": {"text": "a b"}, "annotations": [{"result": [value]}]}


def test_one_choice_among_several_is_a_set(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([_studio("x", "y"), _studio("x")]))
    assert read_corpus(tmp_path / "a.json").column("label") == [["x", "y"], ["x"]]
    (tmp_path / "b.json").write_text(json.dumps([_studio("y"), _studio("x")]))
    assert read_corpus(tmp_path / "b.json").column("label") == ["y", "x"]


def test_what_an_annotator_rejected_is_left_out(tmp_path):
    given = lines(*({"text": f"a {n}", "label": "POS", "answer": n} for n in
                    ("accept", "reject", "ignore")))  # fmt: skip
    rows, said = read(tmp_path, "a.jsonl", given)
    assert rows == [{"text": "a accept", "label": "POS"}]
    assert "Prodigy" in said[0]
    plain, said = read(tmp_path, "b.jsonl", lines({"text": "a", "answer": "yes"}))
    assert plain == [{"text": "a", "answer": "yes"}]


def test_accepted_choices_are_classes(tmp_path):
    options = [{"id": "x"}, {"id": "y"}]
    given = [{"text": "a", "options": options, "accept": own, "answer": "accept"}
             for own in (["x"], [], ["x", "y"])]  # fmt: skip
    (tmp_path / "a.jsonl").write_text(lines(*given))
    assert read_corpus(tmp_path / "a.jsonl").column("label") == [["x"], [], ["x", "y"]]


def test_cats_of_spacy_are_classes(tmp_path):
    one = [{"text": "a", "cats": {"pos": 1.0, "neg": 0.0}}, {"text": "b", "cats": {"neg": 0.9}}]
    rows, said = read(tmp_path, "a.jsonl", lines(*one))
    assert [row["label"] for row in rows] == ["pos", "neg"]
    assert "cats" in said[0]
    several = [*one, {"text": "c", "cats": {"pos": 1, "neg": 1}}]
    (tmp_path / "b.jsonl").write_text(lines(*several))
    assert read_corpus(tmp_path / "b.jsonl").column("label") == [["pos"], ["neg"], ["pos", "neg"]]


def test_lists_of_python_in_csv_are_sets(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("text,labels\na,\"['x', 'y z']\"\nb,['x']\nc,[]\n")
    assert read_corpus(file).column("label") == [["x", "y z"], ["x"], []]


def test_a_name_beside_lists_of_names_is_a_set_of_one(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text('text,labels\na,"[""8"",""20""]"\nb,27\nc,\n')
    assert read_corpus(file).column("label") == [["8", "20"], ["27"], None]
    file.write_text("text,label\na,[so]\nb,27\n")
    assert read_corpus(file).column("label") == ["[so]", "27"]


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (["x|y", "x", "y"], "the class 'x|y' is made of others"),
        (["x;y", "x", "z"], "the class 'x;y' is made of others"),
        (["x, y", "x", "y"], "the class 'x, y' is made of others"),
        (["x#y", "x", "z"], "the class 'x#y' is made of others"),  # doccano
        (["x/y", "x", "y"], "the class 'x/y' is made of others"),
        (["x, y", "x", "z"], ""),
        (["Sci|Tech", "World", "Sports"], ""),
    ],
)
def test_classes_that_are_made_of_others_are_told(tmp_path, cells, told):
    rows = "".join(f'text {k},"{cell}"\n' for k, cell in enumerate(cells))
    made, said = read(tmp_path, "a.csv", "text,label\n" + rows)
    assert [row["label"] for row in made] == cells
    assert (told in "".join(said)) if told else not said


def test_columns_of_0_and_1_without_a_label_are_told(tmp_path):
    text = "id,comment_text,toxic,insult\nx,so bad a text,1,0\ny,so good a text,0,0\n"
    _, said = read(tmp_path, "a.csv", text)
    assert said[-1].endswith("read them as such: --label toxic,insult")
    (tmp_path / "a.csv").write_text(text)
    assert read_corpus(tmp_path / "a.csv", label="toxic,insult").column("label") == [["toxic"], []]
    _, said = read(tmp_path, "b.csv", "text,label,a,b\nso bad,1,1,0\nso good,0,0,1\n")
    assert not said


@pytest.mark.parametrize(
    "pair", [("sentence1", "sentence2"), ("Premise", "Hypothesis"), ("question1", "question2")]
)
def test_pairs_of_texts_are_recognised(tmp_path, pair):
    first, second = pair
    given = [{first: "a b", second: "c", "gold_label": "yes"}]
    (tmp_path / "a.jsonl").write_text(lines(*given))
    _, said = read(tmp_path, "a.jsonl", lines(*given))
    corpus = read_corpus(tmp_path / "a.jsonl")
    assert (corpus.column("text"), corpus.column("text_pair")) == (["a b"], ["c"])
    assert corpus.column("label") == ["yes"]
    assert said == [
        f"text is read from the column {first!r}, text_pair from {second!r}, "
        "label from 'gold_label'"
    ]
