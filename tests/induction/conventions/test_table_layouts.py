"""Tables and lines as people and spreadsheets leave them: what is around the rows is left out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grammar.errors import CorpusError, OptionError, TreewrightError, UnreadableInputError
from grammar.messages import heard_by
from induction import read_corpus, read_treebank
from tests.induction.conventions.given import read

FILMS = [{"text": "a film", "label": 1}, {"text": "b, film", "label": 0}]

LAYOUTS = {
    "comments": (
        '# made 2020\n# by us\ntext,label\na film,1\n"b, film",0\n',
        "2 lines of comments",
    ),
    "Markdown": ("| text | label |\n|:--|---:|\n| a film | 1 |\n| b, film | 0 |\n", "of Markdown"),
    "spaces around bars": ("text | label\na film | 1\nb, film | 0\n", "separated by '|'"),
    "empty columns": ('text,label,,\na film,1,,\n"b, film",0,,\n', "columns 3, 4 have no names"),
    "spaces": ('text, label\na film, 1\n"b, film", 0\n', "spaces before the cells of 'label'"),
    "joined files": ('text,label\na film,1\ntext,label\n"b, film",0\n', "1 rows repeat the names"),
}


@pytest.mark.parametrize(("text", "told"), LAYOUTS.values(), ids=LAYOUTS)
def test_what_is_around_rows_is_left_out_and_told(tmp_path, text, told):
    rows, said = read(tmp_path, "a.csv", text)
    assert rows == FILMS
    assert told in said[0]
    last = text.count("\n")
    assert read_corpus(tmp_path / "a.csv").where(1).startswith(f"{tmp_path}/a.csv:{last},")


def test_columns_without_names_that_hold_something_are_kept(tmp_path):
    rows, _ = read(tmp_path, "a.csv", "label,text,,\nham,so it is,,\nspam,win a prize,yes,\n")
    assert rows[1] == {"label": "spam", "text": "win a prize", "column3": "yes"}


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("#1 note,so\nit is a note,b\n", 1),
        ("text,label\nlabel,text\nso,x\n", 2),
        ("text|label\na |1\nc|0\n", 2),
    ],
)
def test_rows_that_look_like_something_else_stay(tmp_path, text, rows):
    made, said = read(tmp_path, "a.csv", text)
    assert (len(made), "left out" in "".join(said)) == (rows, False)
    assert made[0]["text"] in ("it is a note", "label", "a ")


def test_three_bars_part_columns(tmp_path):
    rows, said = read(
        tmp_path, "a.txt", "a good film ||| 1\nso bad a film ||| 0\nso so it is ||| 1\n"
    )
    assert rows[0] == {"text": "a good film", "label": 1}
    assert said[0] == "a.txt is read as a table, whose columns '|||' part"


def test_pairs_of_texts_under_their_names_are_a_table(tmp_path):
    names = "gold_label\tsentence1_parse\tsentence1\tsentence2\tpairID\n"
    rows, _ = read(tmp_path, "a.txt", f"{names}no\t(S a)\tWe ran.\tWe slept.\t1\n")
    assert (rows[0]["text"], rows[0]["text_pair"]) == ("We ran.", "We slept.")


def test_lines_end_as_they_once_did(tmp_path):
    assert len(read(tmp_path, "a.txt", "We ran.\rWe slept.\r")[0]) == 2


REFUSED = {
    "aligned": ("a.csv", "text       label\nso it is   pos\n", "spaces align its columns 'text'"),
    "dependencies": ("a.txt", "root(ROOT-0, Go-1)\nadv(Go-1, home-2)\n", "typed dependencies"),
    "facts": ("a.txt", "parse([a], b(A)).\nparse([b], c(A)).\n", "a fact of Prolog"),
    "subtitles": ("a.txt", "1\n00:00:01,000 --> 00:00:02,000\nSo it is.\n", "subtitles"),
    "relations": ("a.txt", '1\t"A <e1>b</e1> <e2>c</e2>."\nOther\nComment:\n', "SemEval-2010"),
    "tags": ("a.txt", "The/at dog/nn ran/vbd ./.\nWe/pps saw/vbd it/ppo\n", "every word has a tag"),
    "messages": ("a.jsonl", '{"messages": [{"role": "x", "content": "so it is"}]}\n', "'messages'"),
    "commas": ("a.jsonl", '{"text": "a"},\n{"text": "b"},\n', "a comma stands behind"),
    "Python": ("a.jsonl", "{'text': 'a'}\n{'text': 'b'}\n", "as Python prints it"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "cause"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_corpus_is_refused_by_its_cause(tmp_path, name, text, cause):
    with pytest.raises(CorpusError, match=re.escape(cause)) as error:
        read(tmp_path, name, text)
    assert error.value.hint


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.jsonl", "a.parquet", "a.spacy", "a.mrg"])
def test_pointers_of_git_are_no_files(tmp_path, name):
    (tmp_path / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    for how in (read_corpus, read_treebank):
        if how is read_corpus or name == "a.mrg":
            with pytest.raises(UnreadableInputError, match="a pointer of Git LFS"):
                how(tmp_path / name)


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (["0,5", "1,5"], "labels such as '0,5' have a comma"),
        (["pos", "NaN"], "'NaN' is a class here"),
        (["pos", ""], ""),
        (["1,5", "x"], ""),
    ],
)
def test_odd_classes_are_told(tmp_path, cells, told):
    text = "".join(f"so it is {at};{cell}\n" for at, cell in enumerate(cells))
    _, said = read(tmp_path, "a.csv", "text;label\n" + text)
    assert told in said[-1] if told else len(said) == 1


def test_the_hint_of_lines_with_commas_works(tmp_path):
    with pytest.raises(TreewrightError, match="put \\[ before the first"):
        read(tmp_path, "a.jsonl", '{"text": "a"},\n{"text": "b"},\n')
    assert len(read(tmp_path, "a.json", '[{"text": "a"},\n{"text": "b"}]\n')[0]) == 2


def test_commands_have_their_actions_as_targets(tmp_path):
    rows, _ = read(tmp_path, "a.jsonl", '{"commands": "jump twice", "actions": "JUMP JUMP"}\n')
    assert rows == [{"text": "jump twice", "target": "JUMP JUMP"}]


@pytest.mark.parametrize("names", [("train.csv", "test.csv"), ("train-0.csv", "dev_1.csv")])
def test_parts_of_a_data_set_are_no_corpus(tmp_path, names):
    for name in names:
        (tmp_path / name).write_text("text,label\nso,1\n")
    with pytest.raises(OptionError, match="parts of a data set") as error:
        read_corpus(tmp_path)
    assert len(read_corpus(error.value.hint.split("'")[1])) == 1
    (tmp_path / names[0]).rename(tmp_path / "trained.csv")
    assert len(read_corpus(tmp_path)) == 2


@pytest.mark.parametrize(
    "text",
    [
        '{"intents": [{"tag": "hi", "patterns": ["so it is"], "responses": ["x"]}]}',
        '{"a": {"text": "so it is", "label": "hi"}}',
    ],
)
def test_objects_of_rows_are_read(tmp_path, text):
    assert read(tmp_path, "a.json", text)[0] == [{"text": "so it is", "label": "hi"}]


@pytest.mark.parametrize(
    ("begins", "what"), [(b"PK\x03\x04\x14\x00", "a ZIP archive"), (b"%PDF-1.7\n", "a PDF")]
)
@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl", "a.parquet"])
def test_documents_are_refused_by_how_they_begin(
    name: str, begins: bytes, what: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(begins + b"text, text\n" * 9)
    with pytest.raises(UnreadableInputError, match=what):
        read_corpus(tmp_path / name)
    with pytest.raises(UnreadableInputError, match=what):
        read_corpus(tmp_path / name, encoding="cp1252")


@pytest.mark.parametrize("suffix", ["docx", "pdf", "xlsx", "zip"])
def test_files_that_no_format_reads(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(OptionError, match=f"files .{suffix} are neither read nor written") as found:
        read_corpus(path)
    assert "--format" not in str(found.value)


def test_a_column_that_may_hold_classes_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    words = ("clean", "dark", "large", "small")
    rows = [
        f"The room was {word} and quiet.,{kind}" for word, kind in zip(words, "abab", strict=True)
    ]
    path.write_text("\n".join(["message,kind", *rows]))
    told: list[str] = []
    with heard_by(told.append):
        read_corpus(path)
        assert told[0].startswith("no column is called as classes are, so there are none; 'kind'")
        told.clear()
        read_corpus(path, label="")
        assert read_corpus(path, label="kind").column("label") == ["a", "b", "a", "b"]
    assert not any("classes" in one for one in told)


@pytest.mark.parametrize(
    "names", [("input", "output"), ("Source", "Target"), ("src", "tgt"), ("question", "sql")]
)
def test_columns_of_pairs_have_many_names(names: tuple[str, str], tmp_path: Path) -> None:
    rows, told = read(tmp_path, "a.csv", ",".join(names) + "\nwalk twice,W W\nrun,R\n")
    assert rows == [{"text": "walk twice", "target": "W W"}, {"text": "run", "target": "R"}]
    assert any(name in line for line in told for name in names)


LONG_LINES = [
    "a" + "1e400" * 200_000, "a(" + "x-1, " * 200_000 + "x-1)!", "a(" + "1-" * 500_000 + ", x-1)",
    '1\t"' + "<e1></e1>" * 100_000, "a b c " + "*" * 1_000_000, "a " * 500_000 + "*)!",
    "a" + "-" * 1_000_000, "IN: " + " OUT: " * 150_000 + "x",
]  # fmt: skip


@pytest.mark.parametrize("line", LONG_LINES, ids=range(len(LONG_LINES)))
def test_long_lines_are_told_apart_in_steps_that_grow_with_them(line: str, tmp_path: Path) -> None:
    # with squares of steps this takes hours
    (tmp_path / "a.txt").write_text("\n".join([line] * 4))
    with heard_by(lambda message: None):
        assert read_corpus(tmp_path / "a.txt").column("text")[0].strip() in ("", line.strip())
