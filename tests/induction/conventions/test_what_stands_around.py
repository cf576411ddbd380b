"""What stands around the rows of others: titles, clutter, sides, marks of other encodings."""

from __future__ import annotations

import json

import pytest

from grammar import CorpusError, OptionError, UnreadableInputError
from grammar.messages import heard_by
from induction import read_corpus
from tests.induction.conventions.given import read

ROWS = "ham\tsee you there\nspam\twin a prize\nham\tso do I\n"


def refused(kind, path, *parts, **how):
    with pytest.raises(kind) as caught:
        read_corpus(path, **how)
    for part in parts:
        assert part in str(caught.value)


def test_a_table_without_an_ending_is_read(tmp_path):
    rows, said = read(tmp_path, "SMSSpamCollection", ROWS)
    assert rows[1] == {"label": "spam", "text": "win a prize"}
    assert len(rows) == 3
    assert said[0].endswith("read as the format text, as its lines say")


@pytest.mark.parametrize(
    ("names", "first"),
    [
        ("ID\tTweet\tanger\tjoy", {"ID": "1", "text": "so good", "anger": "0", "joy": "1"}),
        ("Quality\t#1 ID\t#1 String\t#2 String",
         {"label": 1, "#1 ID": "so good", "text": "0", "text_pair": "1"}),
    ],
)  # fmt: skip
def test_a_txt_whose_first_line_has_a_usual_name_is_a_table(tmp_path, names, first):
    rows, _ = read(tmp_path, "a.txt", f"\ufeff{names}\n1\tso good\t0\t1\n2\tso bad\t1\t0\n")
    assert rows[0] == first


def test_a_title_above_the_names_is_left_out(tmp_path):
    rows, said = read(tmp_path, "a.csv", "Guests of 2024\n\ntext,label\na b c,x\nb,y\n")
    assert [row["label"] for row in rows] == ["x", "y"]
    assert said[0].endswith("above the names of its columns, which are left out: 'Guests of 2024'")
    (tmp_path / "b.csv").write_text("Guests of 2024\n\ntext,label\na,x\nb\n")
    refused(CorpusError, tmp_path / "b.csv", "b.csv:5")


def test_zero_bytes_are_named(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"text,label\na,x\nb,y\n" + b"\0" * 20)
    refused(CorpusError, tmp_path / "a.csv", "a.csv:4: a byte is 0 there", "fetch it again")


def test_latin_9_is_told_from_windows(tmp_path):
    for text, named in (("Le bœuf", "iso-8859-15"), ("5 €", "iso-8859-15"), ("café ½ l", "cp1252")):
        (tmp_path / "a.txt").write_bytes(text.encode(named))
        refused(UnreadableInputError, tmp_path / "a.txt", f"--encoding {named}")
        assert read_corpus(tmp_path / "a.txt", encoding=named)[0]["text"] == text


def test_what_windows_leaves_in_folders_is_no_text(tmp_path):
    for name, text in (("pos", "good"), ("neg", "bad"), ("unsup", "so so")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.txt").write_text(text)
    (tmp_path / "pos" / "Thumbs.db").write_bytes(b"\xd0")
    (tmp_path / "pos" / "desktop.ini").write_text("[x]")
    said: list[str] = []
    with heard_by(said.append):
        corpus = read_corpus(tmp_path)
    assert corpus.column("label") == ["neg", "pos"]
    assert "unsup holds texts without a class, and is left out" in said[0]
    (tmp_path / "neg" / "2.pdf").write_bytes(b"%PDF-")
    refused(CorpusError, tmp_path, "seem to be classes, and 'neg' holds '2.pdf'")


def test_tags_of_words_in_a_cell_are_spans(tmp_path):
    rows, said = read(tmp_path, "a.csv", "sentence,tags\nAnn met Bo,B-PER O B-PER\nso,O\n")
    assert [one["start"] for one in rows[0]["spans"]] == [0, 8]
    assert "spans are made of 'tags'" in said[0]


def test_classes_in_a_column_of_tags(tmp_path):
    given = "title,tags\na good film,python|pandas\nb c d,python\n"
    (tmp_path / "a.csv").write_text(given)
    refused(CorpusError, tmp_path / "a.csv", "holds texts, such as 'python|pandas'", "--label tags")
    rows, _ = read(tmp_path, "a.csv", given, label="tags")
    assert [row["label"] for row in rows] == ["python|pandas", "python"]


def test_arrays_of_numpy_are_named(tmp_path):
    (tmp_path / "a.csv").write_text("tokens,ner_tags\n['Ann' 'met' 'Bo'],[1 0 1]\n['so'],[0]\n")
    refused(CorpusError, tmp_path / "a.csv", "holds arrays as NumPy prints them", "map(list)")


def test_values_of_two_kinds_are_named(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "a b", "ner": [[0, 1, "X"]]}\n')
    refused(CorpusError, tmp_path / "a.jsonl", "the column 'ner' holds numbers and strings")


def test_spans_of_words_are_read(tmp_path):
    row = {"tokens": ["in", "New", "York"], "entities": [{"type": "LOC", "start": 1, "end": 3}]}
    rows, _ = read(tmp_path, "a.json", json.dumps([row]))
    assert rows[0]["spans"] == [{"start": 3, "end": 11, "label": "LOC"}]
    row["entities"][0]["end"] = 1
    (tmp_path / "b.json").write_text(json.dumps([row]))
    refused(CorpusError, tmp_path / "b.json", "no span of 3 words", "behind the last")


def test_entities_of_conllu_are_told(tmp_path):
    words = "1\tAnn\tAnn\tPROPN\t_\t_\t0\troot\t_\tNER={}\n\n"
    _, said = read(tmp_path, "a.conllu", words.format("B-PER"))
    assert "the last field has entities, such as NER=B-PER" in said[0]
    assert read(tmp_path, "b.conllu", words.format("O"))[1] == []


def test_files_of_translations_are_pairs(tmp_path):
    (tmp_path / "c.de").write_text("ich sehe\nsie rennt\n")
    rows, said = read(tmp_path, "c.en", "i see\nshe runs\n")
    assert rows == [{"text": "i see", "target": "ich sehe"},
                    {"text": "she runs", "target": "sie rennt"}]  # fmt: skip
    assert "that of c.de its target" in said[0]
    (tmp_path / "c.fr").write_text("je vois\nelle court\n")
    refused(CorpusError, tmp_path / "c.en", "c.de, c.fr")
    (tmp_path / "d.en").write_text("a\n")
    refused(OptionError, tmp_path / "d.en", "the format cannot be inferred")


def test_translations_in_xml_are_named(tmp_path):
    (tmp_path / "a.tmx").write_text("<?xml version='1.0'?><tmx/>")
    refused(OptionError, tmp_path / "a.tmx", "a memory of translations (XML)")
    (tmp_path / "a.absa").write_text("<?xml version='1.0'?><a/>")
    refused(CorpusError, tmp_path / "a.absa", "this is XML", "a row for each text")


def test_a_prompt_and_a_column_of_single_words_are_no_texts(tmp_path):
    given = "question,answer,other\nwhat do you say now,a b c d,e f g h\n" * 1
    given += "what do you say now,i k l m,n o p q\n"
    (tmp_path / "a.csv").write_text(given)
    refused(CorpusError, tmp_path / "a.csv", "no column 'text'", "--text answer")
    (tmp_path / "b.csv").write_text("question,c,d\ncause,a b c,d e f\neffect,g h i,k l m\n")
    refused(CorpusError, tmp_path / "b.csv", "no column 'text'", "--text c")


def test_counts_behind_a_text_are_no_classes(tmp_path):
    rows = "".join(f"{k}.json\t{'ny'[k % 2]}o\tsaid {k} a b c.\t{k % 3}\n" for k in range(12))
    (tmp_path / "a.tsv").write_text(rows)
    refused(OptionError, tmp_path / "a.tsv", "no line of names", "column1,label,text,column4")


def test_sentences_and_their_meanings_get_names_that_fit(tmp_path):
    rows = "A {} slept .\t{} ( x _ 1 ) AND sleep\tin\n"
    (tmp_path / "a.tsv").write_text("".join(rows.format(w, w) for w in ("dog", "cat", "rose")))
    refused(OptionError, tmp_path / "a.tsv", "text,target,column3")


def test_pieces_of_dialogflow_are_texts(tmp_path):
    piece = {"text": "Rome", "alias": "city", "meta": "@sys.geo-city", "userDefined": True}
    row = {"id": "1", "data": [{"text": "to "}, piece], "count": 0}
    rows, said = read(tmp_path, "a.json", json.dumps([row]))
    assert rows[0]["text"] == "to Rome"
    assert rows[0]["spans"] == [{"start": 3, "end": 7, "label": "city"}]
    assert "Dialogflow" in said[0]


def test_a_name_of_the_hub_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(UnreadableInputError, "stanfordnlp/imdb",
            "load_dataset('stanfordnlp/imdb', split='train')")  # fmt: skip
