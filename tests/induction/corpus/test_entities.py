"""Tags that stand for spans, files of them, and the column of spans."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import CorpusError, OptionError
from grammar.messages import heard_by
from induction.corpus.corpus import Corpus
from induction.corpus.entities.columns import tags_of_spans, with_spans
from induction.corpus.entities.schemes import SCHEMES, is_scheme, tagged_words, words_of_tags
from induction.corpus.formats import from_dataset, read_corpus, to_dataset, write_corpus
from induction.corpus.validity import spans_fault
from sampling.examples.labels import check_spans

BIO = "Ann\tB-PER\nLee\tI-PER\nin\tO\nNew\tB-LOC\nYork\tI-LOC\n\nhi\tO\n"
FOUND = [
    [{"start": 0, "end": 7, "label": "PER"}, {"start": 11, "end": 19, "label": "LOC"}],
    [],
]


def read(content: str, path: Path, name: str = "a.conll") -> Corpus:
    (path / name).write_text(content, encoding="utf-8")
    return read_corpus(path / name)


@st.composite
def tagged(draw: st.DrawFn) -> tuple[list[tuple[int, int, str]], int]:
    """Draw spans of words, side by side or not, and how many words there are."""
    spans, at = [], 0
    for _ in range(draw(st.integers(0, 5))):
        first = at + draw(st.integers(0, 2))
        at = first + draw(st.integers(1, 3))
        spans.append((first, at, draw(st.sampled_from(("PER", "B-x", "größe")))))
    return spans, at + draw(st.integers(0, 2))


@pytest.mark.parametrize("scheme", SCHEMES)
@given(drawn=tagged())
def test_tags_stand_for_the_spans_they_were_made_of(
    scheme: str, drawn: tuple[list[tuple[int, int, str]], int]
) -> None:
    tags = tagged_words(*drawn, scheme)
    assert words_of_tags(tags) == drawn[0]
    assert is_scheme(tags) == bool(drawn[0])


@given(st.lists(st.sampled_from(["O", *(f"{p}-{x}" for p in "BIL" for x in "ab")])))
def test_any_tags_are_read_as_conlleval_reads_them(tags: list[str]) -> None:
    # the slow obvious twin: a word goes on with a span if the tag before it is of the same label,
    # is not its end, and its own says that it does not begin one
    before = ["O", *tags][: len(tags)]
    begins = [
        tag != "O" and (tag[0] == "B" or last[0] in "OL" or last[2:] != tag[2:])
        for tag, last in zip(tags, before, strict=True)
    ]
    spans = []
    for k, tag in enumerate(tags):
        if begins[k]:
            stop = next(
                (j for j in range(k + 1, len(tags)) if tags[j] == "O" or begins[j]), len(tags)
            )
            spans.append((k, stop, tag[2:]))
    assert words_of_tags(tags) == spans


def test_a_tag_of_no_scheme_and_a_scheme_there_is_none_of() -> None:
    with pytest.raises(CorpusError, match="'NN' says nothing of a span"):
        words_of_tags(["O", "NN"])
    with pytest.raises(OptionError, match="'bioes'"):
        tagged_words([], 1, "bioes")


@pytest.mark.parametrize(
    "content",
    [
        BIO,
        BIO.replace("\t", " "),
        BIO.replace("\n", "\r\n"),
        "\ufeff-DOCSTART- O\n\n" + BIO,
        "# id 7\n" + BIO.replace("\n\n", "\n\t\n"),
        BIO.replace("I-PER", "L-PER").replace("I-LOC", "L-LOC"),
        BIO.replace("B-", "I-"),
        BIO.replace("I-", "E-"),
    ],
)  # fmt: skip
def test_files_of_tokens_and_tags(content: str, tmp_path: Path) -> None:
    corpus = read(content, tmp_path)
    assert corpus.column("text") == ["Ann Lee in New York", "hi"]
    assert corpus.column("tokens")[0] == ["Ann", "Lee", "in", "New", "York"]
    assert corpus.column("spans") == FOUND
    assert corpus.names == ("id", "text", "tokens", "spans")


def test_columns_between_token_and_tag(tmp_path: Path) -> None:
    four = read("Ann NNP B-NP B-PER\nleft VBD B-VP O\n", tmp_path)
    assert four.column("tags") == [["NNP", "VBD"]]
    heard: list[str] = []
    with heard_by(heard.append):
        read_corpus(tmp_path / "a.conll")
    assert heard == [f"{tmp_path / 'a.conll'}: chunks (the third column) are not kept"]
    assert "tags" not in read("Ann _ _ B-PER\n", tmp_path).names
    assert read("Ann NNP B-PER\n", tmp_path).column("tags") == [["NNP"]]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "no tokens"), ("-DOCSTART- O\n", "no tokens"), ("a O\nb\n", ":2: the line has 1 col"),
        ("a b c d O\n", ":1: the line has 5 columns, not 2 to 4"), ("a\n", "not 2 to 4"),
        ("a O\nb NN\n", ":2: the tag 'NN'"), ("a\tO\n\t O\n", ":2: a column of the line is empty"),
    ],
)  # fmt: skip
def test_bad_files_say_where(content: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=what):
        read(content, tmp_path)


@pytest.mark.parametrize(
    "name", ["b.conll", "b.bilou", "b.jsonl", "b.csv", "b.parquet", "b.arrow", "b.conllu"]
)
def test_every_format_gives_them_back(name: str, tmp_path: Path) -> None:
    corpus = read(BIO, tmp_path)
    write_corpus(corpus, tmp_path / name)
    assert read_corpus(tmp_path / name).table.select(corpus.names) == corpus.table
    if name == "b.conll":
        assert (tmp_path / name).read_text(encoding="utf-8") == BIO + "\n"


def test_hugging_face_gives_them_back(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    corpus = read(BIO, tmp_path)
    assert from_dataset(to_dataset(corpus)).table.select(corpus.names) == corpus.table
    rows = {"tokens": [["Ann", "left"]], "ner_tags": [[1, 0]], "text": ["Ann left"]}
    names = datasets.ClassLabel(names=["O", "B-PER"])
    features = datasets.Features(
        tokens=datasets.List(datasets.Value("string")), ner_tags=datasets.List(names),
        text=datasets.Value("string"),
    )  # fmt: skip
    given_names = features["ner_tags"].feature.names
    numbered = from_dataset(datasets.Dataset.from_dict(rows, features=features))
    found = with_spans(numbered, "ner_tags", names=given_names)
    assert found.column("spans") == [[{"start": 0, "end": 3, "label": "PER"}]]
    assert "ner_tags" not in found.names
    with pytest.raises(CorpusError, match="tag 1 has no name"):
        with_spans(numbered, "ner_tags")


def test_a_zipped_file_and_one_from_a_pipe(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "a.conll.gz", "wt", encoding="utf-8") as out:
        out.write(BIO)
    assert read_corpus(tmp_path / "a.conll.gz").column("spans") == FOUND


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        ({"text": ["in Paris,"], "spans": [[(3, 8, "L")]]}, "'Paris' is not of whole words"),
        ({"text": ["a b"], "tokens": [["a", "x"]], "spans": [[]]}, "'x' is not in the text"),
        ({"text": ["a b"], "tokens": [["a b"]], "spans": [[]]}, "would not be read back"),
        ({"text": ["a"], "spans": [[(0, 1, "an x")]]}, "would not be read back"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_said(columns: dict, what: str, tmp_path: Path) -> None:
    keys = ("start", "end", "label")
    spans = [[dict(zip(keys, span, strict=True)) for span in row] for row in columns["spans"]]
    corpus = Corpus.from_columns(**{**columns, "spans": spans})
    with pytest.raises(CorpusError, match=what) as caught:
        write_corpus(corpus, tmp_path / "a.conll")
    assert "example '0'" in str(caught.value)
    assert not (tmp_path / "a.conll").exists()


def test_writing_needs_spans(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no column 'spans'"):
        write_corpus(Corpus.from_columns(text=["a"]), tmp_path / "a.conll")


TEXTS = st.text(st.sampled_from("ab \u00a0\u3000\U0001f600"), min_size=1, max_size=9)


@st.composite
def spanned(draw: st.DrawFn) -> tuple[str, list[dict[str, object]]]:
    """Draw a text and a few spans of it, good and bad."""
    text = draw(TEXTS)
    ends = st.tuples(st.integers(0, len(text) - 1), st.integers(1, len(text)))
    pairs = draw(st.lists(ends.filter(lambda pair: pair[0] < pair[1]), max_size=3))
    return text, [{"start": first, "end": last, "label": "X"} for first, last in pairs]


@given(st.lists(spanned(), min_size=1, max_size=4))
def test_the_first_span_that_is_none_is_found(
    drawn: list[tuple[str, list[dict[str, int]]]],
) -> None:
    """The slow way: text by text, each with its spans in order."""
    expected = None
    for row, (text, spans) in enumerate(drawn):
        last = 0
        for span in sorted(spans, key=lambda span: span["start"]):
            here = text[span["start"] : span["end"]]
            if span["start"] < last or here != here.strip():
                expected = row, "overlap" if span["start"] < last else "white space"
                break
            last = span["end"]
        if expected:
            break
    kind = pa.list_(pa.struct({"start": pa.int32(), "end": pa.int32(), "label": pa.string()}))
    texts, spans = (list(column) for column in zip(*drawn, strict=True))
    found = spans_fault(pa.array(texts), pa.array(spans, kind))
    assert (found is None) == (expected is None)
    if found and expected:
        assert found.row == expected[0]
        assert expected[1] in found.what


@pytest.mark.parametrize(
    ("spans", "what"),
    [
        ([{"start": 0, "end": 9, "label": "X"}], "the span 0 to 9 is none of a text of 5"),
        ([{"start": -1, "end": 2, "label": "X"}], "the span -1 to 2"),
        ([{"start": 0, "end": 3, "label": ""}], "the label of a span is empty"),
        ([{"start": 0, "label": "X"}], "a span has no start, end or label"),
        ([{"start": 0, "end": 2, "label": "X"}] * 2, "the spans 'ab' and 'ab' overlap"),
        ([{"start": 2, "end": 4, "label": "X"}], "' c' begins or ends with white space"),
        (None, "the value of 'spans' is missing"),
    ],
)  # fmt: skip
def test_readers_refuse_spans_that_are_none(spans: object, what: str, tmp_path: Path) -> None:
    good = {"text": "x", "spans": []}
    lines = [json.dumps(good), json.dumps({"text": "ab cd", "spans": spans})]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(CorpusError, match=what) as caught:
        read_corpus(path)
    assert f"{path}:2" in str(caught.value)
    kept = read_corpus(path, on_error="skip")
    assert len(kept) == 1
    assert what[:20] in kept.skipped[0].why


SPAN = pa.struct({"start": pa.int32(), "end": pa.int32(), "label": pa.string()})
NO_LABEL = pa.struct({"start": pa.int32(), "end": pa.int32()})
UNSIGNED = pa.struct({"start": pa.uint64(), "end": pa.uint64(), "label": pa.string()})
TWICE = pa.struct([*SPAN, ("label", pa.string())])


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_view(SPAN), pa.list_(SPAN, 1), pa.list_(pa.int64()), pa.int64(),
        pa.list_(NO_LABEL), pa.list_(UNSIGNED), pa.list_(TWICE),
    ],
    ids=str,
)  # fmt: skip
def test_spans_of_another_type_are_refused(kind: pa.DataType) -> None:
    corpus = Corpus(pa.table({"id": ["0"], "text": ["ab"], "spans": pa.nulls(1, kind)}))
    with pytest.raises(CorpusError, match="example '0': the spans of string are") as caught:
        check_spans(corpus)
    assert "label" in str(caught.value)
    check_spans(corpus[:0])


def test_what_says_that_it_has_holes_is_looked_at_nevertheless() -> None:
    """A count of holes is what its maker said; here there are none."""
    given_spans = pa.array([[{"start": 0, "end": 300, "label": "X"}]], pa.list_(SPAN))
    _, bounds, *_ = given_spans.buffers()
    odd = pa.ListArray.from_buffers(
        given_spans.type, 1, [pa.py_buffer(b"\xff"), bounds], 1, children=[given_spans.values]
    )
    assert spans_fault(pa.array(["ab"]), odd).what.startswith("the span 0 to 300 is none")


def test_words_without_tokens_are_between_spaces() -> None:
    corpus = Corpus.from_columns(text=["go\u00a0 New York"], spans=[[]])
    assert tags_of_spans(corpus) == [["O", "O", "O"]]


@pytest.mark.parametrize("tags", [[["B-PER"]], [None]])
def test_there_must_be_a_tag_a_token(tags: list) -> None:
    corpus = Corpus.from_columns(text=["a b"], tokens=[["a", "b"]], tags=tags)
    told = "there is not one of 'tags' a token|the value of 'tags' is missing"
    with pytest.raises(CorpusError, match=told):
        with_spans(corpus)
