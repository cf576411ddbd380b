"""Labelled spans in the forms of spaCy and Hugging Face, and back."""

from __future__ import annotations

import sys
import tomllib
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from grammar.errors import CorpusError, MissingDataError, OptionError, UnreadableInputError
from induction.corpus.corpus import Corpus
from induction.corpus.entities.features import token_features
from induction.corpus.entities.spacy_docs import corpus_of_docs, docs_of_corpus
from induction.corpus.formats import read_corpus, write_corpus
from sampling.pipeline.spacy_augmenter import spacy_augmenter
from tests.sampling.entities.labelled import corpora

spacy = pytest.importorskip("spacy")
KEPT = ("text", "tokens", "spans")


def people() -> Corpus:
    return Corpus.from_columns(
        text=["Ann Lee saw Rome .", "Bo left ."],
        tokens=[["Ann", "Lee", "saw", "Rome", "."], ["Bo", "left", "."]],
        spans=[
            [{"start": 0, "end": 7, "label": "PER"}, {"start": 12, "end": 16, "label": "LOC"}],
            [{"start": 0, "end": 2, "label": "PER"}],
        ],
    )


@given(corpus=corpora(tokens=True))
@settings(max_examples=25)
def test_documents_give_back_texts_tokens_and_spans(corpus: Corpus) -> None:
    back = corpus_of_docs(docs_of_corpus(corpus))
    for name in KEPT:
        assert back.column(name) == corpus.column(name)


def test_a_file_of_documents_is_read_and_written(tmp_path: Path) -> None:
    corpus = people().with_column("tags", [["N", "N", "V", "N", "."], ["N", "V", "."]])
    write_corpus(corpus, tmp_path / "a.spacy")
    assert read_corpus(tmp_path / "a.spacy").table.select(corpus.names) == corpus.table
    docs = spacy.tokens.DocBin().from_disk(tmp_path / "a.spacy")
    first = next(docs.get_docs(spacy.blank("en").vocab))
    assert [(e.text, e.label_) for e in first.ents] == [("Ann Lee", "PER"), ("Rome", "LOC")]
    assert [token.tag_ for token in first] == ["N", "N", "V", "N", "."]


@pytest.mark.parametrize(
    ("cats", "name", "values"),
    [
        ([{"A": 1.0, "B": 0.0}, {"A": 0.1, "B": 0.9}], "label", ["A", "B"]),
        ([{"A": 1.0, "B": 1.0}, {"A": 0.0, "B": 0.0}], "labels", [["A", "B"], []]),
    ],
)
def test_classes_of_documents_come_along(
    cats: list[dict[str, float]], name: str, values: list[Any], tmp_path: Path
) -> None:
    docs = [spacy.blank("en").make_doc(text) for text in ("a good film", "a dull one")]
    for doc, shares in zip(docs, cats, strict=True):
        doc.cats = shares
    corpus = corpus_of_docs(docs)
    assert corpus.column(name) == values
    assert [{k: round(v) for k, v in doc.cats.items()} for doc in docs_of_corpus(corpus)] == [
        {k: round(v) for k, v in shares.items()} for shares in cats
    ]
    spacy.tokens.DocBin(docs=docs).to_disk(tmp_path / "a.spacy")
    assert read_corpus(tmp_path / "a.spacy").column("label") == values


def test_texts_without_tokens_are_parted_by_spacy() -> None:
    spans = [[{"start": 3, "end": 8, "label": "LOC"}]]
    doc = docs_of_corpus(Corpus.from_columns(text=["in Paris, ok"], spans=spans))[0]
    assert [token.text for token in doc] == ["in", "Paris", ",", "ok"]
    assert doc.ents[0].text == "Paris"


@pytest.mark.parametrize(
    "content", [b"", b"nothing", zlib.compress(b"\xc1"), zlib.compress(b"\x80")]
)
def test_a_damaged_file_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.spacy").write_bytes(content)
    with pytest.raises((CorpusError, UnreadableInputError)) as caught:
        read_corpus(tmp_path / "a.spacy")
    assert str(tmp_path / "a.spacy") in str(caught.value)


def test_what_documents_cannot_hold_is_said() -> None:
    spans = [[{"start": 0, "end": 3, "label": "PER"}]]
    cut = Corpus.from_columns(text=["Annie left"], tokens=[["Annie", "left"]], spans=spans)
    with pytest.raises(CorpusError, match="the span 'Ann' is not of whole tokens"):
        docs_of_corpus(cut)
    other = Corpus.from_columns(text=["a b"], tokens=[["a", "c"]], spans=[[]])
    with pytest.raises(CorpusError, match="the tokens are not the text's"):
        docs_of_corpus(other)
    with pytest.raises(CorpusError, match="no documents with words"):
        corpus_of_docs([spacy.blank("en").make_doc(" ")])


def test_without_spacy_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingDataError, match="needs? the library spacy") as caught:
        docs_of_corpus(people())
    assert "treewright[spacy]" in str(caught.value.hint)


# --- training ------------------------------------------------------------------------------------


def test_spacy_finds_the_augmenter_by_its_name() -> None:
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
    points = project["entry-points"]["spacy_augmenters"]
    module, _, name = points["treewright.augment.v1"].partition(":")
    assert getattr(__import__(module, fromlist=[name]), name) is spacy_augmenter


def test_spacy_trains_on_what_the_augmenter_makes(tmp_path: Path) -> None:
    path = tmp_path / "train.spacy"
    write_corpus(people(), path)
    spacy.registry.augmenters.register("treewright.augment.v1", func=spacy_augmenter)
    asked = {"@augmenters": "treewright.augment.v1", "corpus": str(path), "times": 2}
    augmenter = spacy.registry.resolve({"augmenter": asked})["augmenter"]
    nlp = spacy.blank("en")
    read = spacy.training.Corpus(path, augmenter=augmenter)
    first, second = list(read(nlp)), list(read(nlp))
    texts = [example.reference.text for example in first]
    assert len(texts) == len(second) == 6
    assert [texts[0], texts[3]] == people().column("text")
    assert texts[1:3] == ["Bo saw Rome .", "Ann Lee left ."] or texts[2:0:-1] == [
        "Bo saw Rome .", "Ann Lee left .",
    ]  # fmt: skip
    nlp.add_pipe("ner")
    nlp.initialize(lambda: first)
    losses = nlp.update(first)
    assert losses["ner"] > 0


def test_the_augmenter_refuses_what_it_cannot_use() -> None:
    with pytest.raises(CorpusError, match="no column 'spans'"):
        spacy_augmenter(Corpus.from_columns(text=["a b"]))
    with pytest.raises(OptionError, match="no method|is not|did you mean|unknown"):
        spacy_augmenter(people(), method="mention-replacing")
    with pytest.raises(OptionError, match="times"):
        spacy_augmenter(people(), times=-1)


# --- Hugging Face --------------------------------------------------------------------------------


def tokenizer(*vocabulary: str):
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    words = {word: k for k, word in enumerate(("[UNK]", "[CLS]", "[SEP]", "[PAD]", *vocabulary))}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(words, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        pad_token="[PAD]",
    )  # fmt: skip


def test_pieces_have_the_labels_of_their_words() -> None:
    pieces = tokenizer("Ann", "L", "##ee", "saw", "R", "##o", "##me", ".", "Bo", "left")
    features, names = token_features(people(), pieces)
    assert names == ["O", "B-LOC", "I-LOC", "B-PER", "I-PER"]
    assert features["labels"][0] == [-100, 3, 4, -100, 0, 1, -100, -100, 0, -100]
    assert all(
        len(ids) == len(row)
        for ids, row in zip(features["input_ids"], features["labels"], strict=True)
    )
    short, _ = token_features(people(), pieces, max_length=4)
    assert [len(row) for row in short["labels"]] == [4, 4]
    _, names = token_features(people(), pieces, scheme="bilou")
    assert "U-LOC" in names


def test_labels_must_be_all_there_are() -> None:
    with pytest.raises(OptionError, match="'B-LOC' is not among the labels"):
        token_features(people(), None, labels=["O", "B-PER", "I-PER"])
