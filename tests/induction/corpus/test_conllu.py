"""CoNLL-U: what is read, what is written, and one clear error for each fault of a line."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import CorpusError, OptionError
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_conllu, read_corpus, write_corpus
from induction.corpus.validity import heads_fault
from sampling.examples.labels import check_corpus
from sampling.examples.other_columns import Travelling
from sampling.pipeline.augment import augment
from sampling.spans.sub2 import Sub2

# the example of the format's own page, with a range, an empty node and glued punctuation
SPANISH = """\
# newdoc id = a
# sent_id = es-1
# text = Vámonos al mar.
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\tV\tMood=Imp\t0\troot\t0:root\t_
2\tnos\tnosotros\tPRON\tP\t_\t1\tobj\t1:obj\t_
2.1\tyendo\tir\tVERB\tV\t_\t_\t_\t1:conj\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\tS\t_\t5\tcase\t5:case\t_
4\tel\tel\tDET\tD\t_\t5\tdet\t5:det\t_
5\tmar\tmar\tNOUN\tN\t_\t1\tobl\t1:obl\tSpaceAfter=No
6\t.\t.\tPUNCT\tF\t_\t1\tpunct\t1:punct\t_
"""


def line(number: Any, form: str, head: Any, *, tag: str = "X", misc: str = "_") -> str:
    return "\t".join([str(number), form, "_", tag, "_", "_", str(head), "dep", "_", misc]) + "\n"


def file(folder: Path, content: str) -> Path:
    path = folder / "a.conllu"
    path.write_text(content, encoding="utf-8", newline="")
    return path


def without_texts(path: Path) -> list[str]:
    """Read the texts again from the forms and SpaceAfter alone."""
    content = path.read_text("utf-8")
    path.write_text(re.sub(r"^# text = .*\n", "", content, flags=re.MULTILINE), "utf-8")
    texts: list[str] = read_corpus(path).column("text")
    return texts


def test_words_text_and_ranges_are_read(tmp_path: Path) -> None:
    assert read_corpus(file(tmp_path, SPANISH))[0] == {
        "id": "es-1",
        "text": "Vámonos al mar.",
        "tokens": ["Vamos", "nos", "a", "el", "mar", "."],
        "tags": ["VERB", "PRON", "ADP", "DET", "NOUN", "PUNCT"],
        "heads": [0, 1, 5, 5, 1, 1],
        "deprels": ["root", "obj", "case", "det", "obl", "punct"],
        "ranges": [
            {"start": 1, "end": 2, "form": "Vámonos"},
            {"start": 3, "end": 4, "form": "al"},
        ],
        "conllu": {
            "lemmas": ["ir", "nosotros", "a", "el", "mar", "."],
            "upos": None,
            "xpos": ["V", "P", "S", "D", "N", "F"],
            "features": ["Mood=Imp", "_", "_", "_", "_", "_"],
            "dependencies": ["0:root", "1:obj", "5:case", "5:det", "1:obl", "1:punct"],
            "misc": None,
            "ranges": None,
            "empty_nodes": [{"behind": 2, "line": "2.1\tyendo\tir\tVERB\tV\t_\t_\t_\t1:conj\t_"}],
            "comments": ["# newdoc id = a", "# sent_id = ", "# text = "],
        },
    }
    assert read_conllu(tmp_path / "a.conllu").table.equals(read_corpus(tmp_path / "a.conllu").table)


def test_the_other_tags_by_option(tmp_path: Path) -> None:
    path = file(tmp_path, SPANISH)
    assert read_corpus(path, tags="xpos").column("tags") == [["V", "P", "S", "D", "N", "F"]]
    with pytest.raises(OptionError, match="tags='pos' is not known"):
        read_corpus(path, tags="pos")


def test_without_comments_the_text_is_what_the_forms_say(tmp_path: Path) -> None:
    content = "".join(row for row in SPANISH.splitlines(True) if not row.startswith("#"))
    corpus = read_corpus(file(tmp_path, content + "\n\n" + line(1, "Sí", 0) + "\n\n\n"))
    assert corpus.column("text") == ["Vámonos al mar.", "Sí"]
    assert corpus.column("id") == ["0", "1"]


def test_a_range_may_be_glued_too(tmp_path: Path) -> None:
    content = (
        "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        + line(1, "de", 0)
        + line(2, "el", 1, misc="SpaceAfter=No")
        + line(3, "!", 1)
    )
    corpus = read_corpus(file(tmp_path, content))
    assert corpus.column("text") == ["del!"]
    write_corpus(corpus, tmp_path / "b.conllu")
    assert read_corpus(tmp_path / "b.conllu").table.equals(corpus.table)
    assert without_texts(tmp_path / "b.conllu") == ["del!"]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_windows_line_ends_and_marks(tmp_path: Path, newline: str) -> None:
    plain = read_corpus(file(tmp_path, SPANISH))
    path = file(tmp_path, "\ufeff" + SPANISH.replace("\n", newline))
    assert read_corpus(path).table.equals(plain.table)


def test_columns_that_say_nothing_are_left_out(tmp_path: Path) -> None:
    content = "1\tgo\t_\t_\t_\t_\t_\t_\t_\t_\n"
    assert read_corpus(file(tmp_path, content)).names == ("id", "text", "tokens")
    assert len(read_corpus(file(tmp_path, ""))) == 0


def test_comments_of_a_treebank_are_no_columns_but_for_ours(tmp_path: Path) -> None:
    head = "# genre = news\n# label = 2\n# target = plain words\n# text_en = go\n"
    corpus = read_corpus(file(tmp_path, head + line(1, "va", 0)))
    assert corpus.names == (
        "id", "text", "tokens", "tags", "heads", "deprels", "label", "target", "conllu"
    )  # fmt: skip
    assert (corpus[0]["label"], corpus[0]["target"]) == (2, "plain words")


@pytest.mark.parametrize(
    ("content", "at", "message"),
    [
        ("1\tgo\t_\t_\n", 1, "the line has 4 fields, not 10"),
        ("1 go _ _ _ _ 0 root _ _\n", 1, "are parted by spaces"),
        (line(1, "a", 0) + line(3, "b", 1), 2, "the id '3' with the form 'b' is not word 2"),
        (line(2, "a", 0), 1, "the id '2' with the form 'a' is not word 1"),
        (line("x", "a", 0), 1, "the id 'x' with the form 'a' is not word 1"),
        (line(1, "", 0), 1, "the id '1' with the form '' is not word 1"),
        (line(1, "a", 0) + line("2.1", "b", "_"), 2, "the id '2.1'"),
        (line(1, "a", 0) + line("1-2", "ab", "_") + line(2, "b", 1), 2, "the range 1-2"),
        (line("1-3", "ab", "_") + line(1, "a", 0) + line(2, "b", 1), 1, "a range ends after"),
        (line(1, "a", 0) + line("2-1", "b", "_"), 2, "the range 2-1 is not in its place"),
        (line("1-2", "ab", "_") + line("1-2", "ab", "_"), 2, "the range 1-2 is not in its place"),
        (line(1, "a", 0) + line(2, "b", 3), 2, "the head '3' is no word of the sentence"),
        (line(1, "a", 0) + line(2, "b", "_"), 2, "the head '_' is no word of the sentence"),
        (line(1, "a", 0) + line(2, "b", "x"), 2, "the head 'x' is no word of the sentence"),
        (line(1, "a", 0) + line(2, "b", 0), 2, "not exactly one word has the head 0"),
        (line(1, "a", 2) + line(2, "b", 1), 1, "not exactly one word has the head 0"),
        (line(1, "a", 0) + line(2, "b", 3) + line(3, "c", 2), 2, "round in a circle"),
        (line(1, "a", 0) + "\n# only a comment\n\n", 3, "the sentence has no words"),
        ("# provenance = none\n" + line(1, "a", 0), 1, "the comment '# provenance' does not hold"),
        ("# label = 1\n" + line(1, "a", 0) + "\n# label = [1]\n" + line(1, "a", 0), 1, "one type"),
        ("# label = [1.5, -0.5]\n" + line(1, "a", 0), 1, "the label has a negative part"),
        ("# sent_id = s\n" + line(1, "a", 0) + "\n# sent_id = s\n" + line(1, "b", 0), 4,
         "the id 's' is there twice"),
    ],
)  # fmt: skip
def test_a_fault_is_located(tmp_path: Path, content: str, at: int, message: str) -> None:
    path = file(tmp_path, content)
    with pytest.raises(CorpusError) as caught:
        read_corpus(path)
    assert message in caught.value.what
    assert caught.value.where == f"{path}:{at}"
    assert caught.value.hint


@given(st.data())
def test_the_error_for_heads_is_right_about_heads(data: st.DataObject) -> None:
    heads = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    heads = [min(head, len(heads)) for head in heads]
    climbs = []
    for word in range(1, len(heads) + 1):
        steps = 0
        while word and steps <= len(heads):
            word, steps = heads[word - 1], steps + 1
        climbs.append(word == 0)
    assert (heads_fault(heads) == 0) == (all(climbs) and heads.count(0) == 1)


# --- writing -----------------------------------------------------------------------------------

FORMS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp", "Cs"]),
    min_size=1,
    max_size=4,
)


@st.composite
def heads(draw: st.DrawFn, size: int) -> list[int]:
    order = draw(st.permutations(range(1, size + 1)))
    row = [0] * size
    for place, word in enumerate(order):
        row[word - 1] = order[draw(st.integers(0, place - 1))] if place else 0
    return row


@st.composite
def sentences(draw: st.DrawFn) -> dict[str, Any]:
    tokens = draw(st.lists(FORMS, min_size=1, max_size=5))
    spaces = draw(st.lists(st.sampled_from(["", " ", "  "]), min_size=5, max_size=5))
    text = "".join(a + b for a, b in zip(tokens, spaces, strict=False))
    names = st.lists(FORMS.filter(lambda tag: tag != "_"), min_size=len(tokens),
                     max_size=len(tokens))  # fmt: skip
    return {
        "text": text,
        "tokens": tokens,
        "tags": draw(names),
        "heads": draw(heads(len(tokens))),
        "deprels": draw(names),
        "label": draw(st.integers(0, 3)),
        "target": draw(st.none() | FORMS),
    }


@given(st.lists(sentences(), min_size=1, max_size=3))
@settings(max_examples=150)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]
) -> None:
    corpus = Corpus.from_columns(**{name: [row[name] for row in rows] for name in rows[0]})
    path = tmp_path_factory.mktemp("any") / "a.conllu"
    write_corpus(corpus, path)
    back = read_corpus(path)
    for name in corpus.names:
        assert name in back.names or corpus.column(name) == [None] * len(corpus)
        if name in back.names:
            assert back.column(name) == corpus.column(name)
    for block in path.read_text("utf-8").split("\n\n")[:-1]:
        words = [row.split("\t") for row in block.split("\n") if not row.startswith("# ")]
        assert all(len(fields) == 10 and all(fields) for fields in words)
    # forms and SpaceAfter say the same as the text, but for how wide a space is
    expected = [re.sub(" +", " ", text).rstrip(" ") for text in corpus.column("text")]
    assert without_texts(path) == expected


def again(folder: Path, content: str, **options: str) -> str:
    """Read a file, and return what is written of it."""
    write_corpus(read_corpus(file(folder, content), **options), folder / "again.conllu")
    return (folder / "again.conllu").read_text("utf-8")


@pytest.mark.parametrize("tags", ["upos", "xpos"])
def test_all_fields_come_back(tmp_path: Path, tags: str) -> None:
    assert again(tmp_path, SPANISH + "\n", tags=tags) == SPANISH + "\n"


CELLS = st.text(st.sampled_from("ab=|:_"), min_size=1, max_size=4)


@st.composite
def blocks(draw: st.DrawFn) -> str:
    """A sentence with fields of any kind, ranges, empty nodes and comments in any place."""
    forms = draw(st.lists(st.text("xyz", min_size=1, max_size=2), min_size=1, max_size=4))
    count = len(forms)
    first = draw(st.integers(1, count))
    spanned = draw(st.sampled_from([0, count - first + 1]))
    above = draw(
        st.permutations(["# sent_id = s1", "# text = TEXT", "# genre = a", "#", "# global.x y"])
    )
    lines, text = [], ""
    parent = draw(heads(count))
    for number, form in enumerate(forms, 1):
        fields = [draw(CELLS | st.just("_")) for _ in range(4)]
        if number == first and spanned:
            lines.append(f"{first}-{count}\tQ\t" + "\t".join(["_", *fields, "_", "_", draw(CELLS)]))
            text += "Q"
        covered = bool(spanned) and number >= first
        glued = not covered and number < count and draw(st.booleans())
        if not covered:
            text += form + ("" if glued else " ")
        parts = [p for p in (draw(st.sampled_from(["", "A=b"])), "SpaceAfter=No" * glued) if p]
        lines.append("\t".join([str(number), form, *fields, str(parent[number - 1]), "dep",
                                draw(CELLS), "|".join(parts) or "_"]))  # fmt: skip
        if draw(st.booleans()):
            lines.append(f"{number}.1\tnode" + "\t_" * 8)
    told = [line.replace("TEXT", text.rstrip(" ")) for line in above]
    return "\n".join([*told, *lines]) + "\n\n"


@given(content=blocks(), tags=st.sampled_from(["upos", "xpos"]))
@settings(max_examples=150)
def test_any_sentence_comes_back(
    tmp_path_factory: pytest.TempPathFactory, content: str, tags: str
) -> None:
    assert again(tmp_path_factory.mktemp("block"), content, tags=tags) == content


def test_changed_columns_are_written_among_what_is_kept(tmp_path: Path) -> None:
    corpus = read_corpus(file(tmp_path, SPANISH))
    changed = corpus.with_column("tags", [["A", "B", "C", "D", "E", "F"]])
    changed = changed.with_column("text", ["Vámonos al mar ."]).with_column("id", ["new"])
    write_corpus(changed, tmp_path / "b.conllu")
    lines = (tmp_path / "b.conllu").read_text("utf-8").split("\n")
    assert lines[:3] == ["# newdoc id = a", "# sent_id = new", "# text = Vámonos al mar ."]
    assert "5\tmar\tmar\tE\tN\t_\t1\tobl\t1:obl\t_" in lines
    short = changed.with_column("tokens", [["Vámonos"]]).with_column("text", ["Vámonos"])
    for name in ("tags", "heads", "deprels", "ranges"):
        short = Corpus(short.table.drop_columns([name]))
    with pytest.raises(CorpusError, match="'conllu' is of other words"):
        write_corpus(short, tmp_path / "c.conllu")


def test_what_is_said_of_words_travels_with_them_only(tmp_path: Path) -> None:
    corpus = read_corpus(file(tmp_path, SPANISH.replace("es-1", "0")))
    parents = pa.array([{"parents": ["0"]}] * 2)
    tokens = [corpus[0]["tokens"], ["Vamos", "nos"]]
    made = pa.table({"text": ["a", "b"], "tokens": tokens, "provenance": parents})
    travelling = Travelling.of(corpus, shared=False)
    assert travelling is not None
    joined = travelling.joined(made)
    for name in ("conllu", "ranges"):
        assert joined.column(name).to_pylist() == [corpus[0][name], None]
    without = travelling.joined(made.drop_columns(["tokens"]))
    assert without.column("conllu").null_count == 2


def test_new_sentences_have_no_lemmas_of_other_words(data_folder: Path, tmp_path: Path) -> None:
    corpus = read_corpus(next((data_folder / "ud/UD_Lithuanian-HSE").glob("*dev*")))
    made = augment(corpus, "sub2(task=tags)", n=20).corpus
    assert made.column("conllu") == [None] * 20
    write_corpus(made, tmp_path / "made.conllu")
    assert read_corpus(tmp_path / "made.conllu").column("tags") == made.column("tags")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"tokens": [[]]}, "the example has no words"),
        ({"tokens": [["a", "c"]]}, "'c' is not what follows at character 2"),
        ({"tokens": [["a"]]}, "'b' is left over"),
        ({"tokens": [["a", "b"]], "tags": [["X"]]}, "'tags' and 'tokens' differ in length"),
        ({"tokens": [["a", "b"]], "tags": [["X", ""]]}, "a value is empty or holds a tab"),
        ({"tokens": [["a", "b"]], "tags": [["X", "\t"]]}, "a value is empty or holds a tab"),
        ({"tokens": [["a", "b"]], "heads": [[0, 0]]}, "not exactly one word has the head 0"),
        ({"tokens": [["a", "b"]], "id": ["x y"]}, "the id is empty or holds white space"),
        ({"tokens": [["a", "b"]], "text": ["a\nb"]}, "a value is empty or holds a tab"),
    ],
)
def test_what_cannot_be_written_is_refused(
    tmp_path: Path, columns: dict[str, Any], message: str
) -> None:
    corpus = Corpus.from_columns(**{"text": ["a b"], **columns})
    with pytest.raises(CorpusError) as caught:
        write_corpus(corpus, tmp_path / "a.conllu")
    assert message in caught.value.what
    assert caught.value.where == f"example {corpus[0]['id']!r}"
    assert not list(tmp_path.iterdir())


def test_without_tokens_there_is_nothing_to_write(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no column 'tokens'"):
        write_corpus(Corpus.from_columns(text=["a"]), tmp_path / "a.conllu")


# --- real treebanks ----------------------------------------------------------------------------

SENTENCES = {
    "UD_English-EWT": (12_544, 2_001, 2_077),
    "UD_Belarusian-HSE": (319, 65, 253),
    "UD_Lithuanian-HSE": (153, 55, 55),
    "UD_Marathi-UFAL": (373, 46, 47),
    "UD_Tamil-TTB": (400, 80, 120),
    "UD_Telugu-MTG": (1_051, 131, 146),
}


@pytest.mark.parametrize("treebank", SENTENCES)
def test_treebanks_have_their_published_size_and_come_back(
    data_folder: Path, tmp_path: Path, treebank: str
) -> None:
    sizes = []
    for name in ("train", "dev", "test"):
        source = next((data_folder / "ud" / treebank).glob(f"*{name}.conllu.gz"))
        corpus = read_corpus(source)
        sizes.append(len(corpus))
        check_corpus(corpus)
        part = Corpus(corpus.table.slice(0, 2_100))
        write_corpus(part, tmp_path / "a.conllu")
        assert read_corpus(tmp_path / "a.conllu").table.equals(part.table)
        written, published = (
            (tmp_path / "a.conllu").read_bytes(),
            gzip.decompress(source.read_bytes()),
        )
        assert published.startswith(written)
        assert len(part) < len(corpus) or written == published
    assert tuple(sizes) == SENTENCES[treebank]


def test_new_sentences_of_a_treebank_are_conllu(data_folder: Path, tmp_path: Path) -> None:
    corpus = read_corpus(next((data_folder / "ud/UD_Tamil-TTB").glob("*dev*")))
    made = Sub2.induce(corpus, task="dependency", tokenised=True).sample(100, seed=1)
    write_corpus(made, tmp_path / "made.conllu")
    back = read_corpus(tmp_path / "made.conllu")
    check_corpus(back)
    assert back.table.equals(made.table.select(back.names))
    assert "provenance" in back.names
