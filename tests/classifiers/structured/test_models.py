"""Taggers and parsers on a tiny encoder: they learn, are saved and opened, and refuse bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grammar.chart.parses import NoParse
from grammar.errors import CorpusError, OptionError, SchemaError, UnreadableInputError
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction import Corpus, open_parser
from induction.corpus.tree_files import corpus_of_trees

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from classifiers.structured.config import StructuredConfig
from classifiers.structured.constituency import _best, _numbers
from classifiers.structured.finetuning import LearningEncoder
from classifiers.structured.learning import train_structured
from classifiers.structured.parser import SpanParser
from classifiers.structured.saving import open_structured, save_structured
from classifiers.structured.states import parts_of_sentences, states_of_words

TREES = """
(TOP (S (NP (DT the) (NN cat)) (VP (VBD saw) (NP (DT a) (NN dog)))))
(TOP (S (NP (PRP we)) (VP (VBD liked) (NP (DT the) (NN film)))))
(TOP (S (NP (PRP they)) (VP (VBD hated) (NP (DT the) (JJ bad) (NN movie)))))
(TOP (FRAG (JJ good) (NN plot)))
(TOP (UH good))
"""
HOW: dict[str, Any] = {
    "steps": 150,
    "batch": 4,
    "hidden": 48,
    "learning_rate": 1e-3,
    "device": "cpu",
}


@pytest.fixture(scope="module")
def treebank() -> Corpus:
    return corpus_of_trees(Treebank.parse(TREES))


@pytest.fixture(scope="module")
def tagged() -> Corpus:
    trees = list(Treebank.parse(TREES))
    tags = [[n.label for n in t.nodes() if isinstance(n.children[0], str)] for t in trees]
    words = [list(t.leaves()) for t in trees]
    return Corpus.from_columns(text=[" ".join(w) for w in words], tokens=words, tags=tags)


@pytest.fixture(scope="module")
def parser(treebank: Corpus, encoder: Any) -> Any:
    return train_structured("constituency", treebank, StructuredConfig(**HOW), encoder=encoder)


def test_a_parser_learns_its_trees_and_repeats(parser: Any, treebank: Corpus, encoder: Any) -> None:
    assert parser.score(treebank)["F1"] == 100
    again = train_structured("constituency", treebank, StructuredConfig(**HOW), encoder=encoder)
    for name, weight in parser.network.state_dict().items():
        assert torch.equal(again.network.state_dict()[name], weight)


def test_a_tagger_learns_its_tags(tagged: Corpus, encoder: Any) -> None:
    model = train_structured("tags", tagged, StructuredConfig(**HOW), encoder=encoder)
    assert model.score(tagged)["accuracy"] == 100
    plain = Corpus.from_columns(text=tagged.column("text"))
    assert model.apply(plain).column("tags") == tagged.column("tags")


def test_a_tagger_of_spans_learns_its_spans(encoder: Any) -> None:
    spans = [[{"start": 4, "end": 7, "label": "A"}], [], [{"start": 0, "end": 7, "label": "B"}]]
    corpus = Corpus.from_columns(text=["the cat saw", "we liked it", "bad dog saw"], spans=spans)
    model = train_structured("spans", corpus, StructuredConfig(**HOW), encoder=encoder)
    assert model.score(corpus)["F1"] == 100


def test_what_is_saved_says_the_same(parser: Any, treebank: Corpus, tmp_path: Path) -> None:
    save_structured(parser, tmp_path / "parser", {"data": "a few trees"})
    opened = open_structured(tmp_path / "parser", device="cpu")
    assert opened.apply(treebank).column("tree") == parser.apply(treebank).column("tree")
    assert opened.config == parser.config
    assert "a few trees" in (tmp_path / "parser" / "README.md").read_text()
    read = open_parser(tmp_path / "parser")
    assert read.name == "span"
    assert read.version == SpanParser(opened).version
    assert list(read.parse(["we liked the film"])) == [Tree.parse(TREES.split("\n")[2])]
    with pytest.raises(OptionError, match="no decoder"):
        open_parser(tmp_path / "parser", decoder="max-rule")


def test_an_encoder_may_learn_too_and_is_saved(
    treebank: Corpus, encoder: Any, tmp_path: Path
) -> None:
    before = {name: weight.clone() for name, weight in encoder.model.state_dict().items()}
    config = StructuredConfig(**HOW, train="whole")
    model = train_structured("constituency", treebank, config, encoder=encoder)
    assert model.score(treebank)["F1"] == 100
    assert all(torch.equal(before[k], v) for k, v in encoder.model.state_dict().items())
    learnt = model.encoder.model.state_dict()
    assert not all(torch.equal(before[name], weight) for name, weight in learnt.items())
    again = train_structured("constituency", treebank, config, encoder=encoder)
    assert all(torch.equal(learnt[k], v) for k, v in again.encoder.model.state_dict().items())
    save_structured(model, tmp_path / "parser")
    opened = open_structured(tmp_path / "parser", device="cpu")
    assert opened.apply(treebank).column("tree") == model.apply(treebank).column("tree")
    assert "has learnt together" in (tmp_path / "parser" / "README.md").read_text()


def test_what_is_learnt_from_is_what_is_read(encoder: Any) -> None:
    """Also of a sentence in parts: the mean loss of states is that of pieces."""
    corpus = Corpus.from_columns(
        text=["the cat saw", "we " * 70], tags=[["A", "B", "C"], ["A"] * 70]
    )
    model = train_structured(
        "tags", corpus, StructuredConfig(**HOW | {"steps": 1}), encoder=encoder
    )
    words = [text.split() for text in corpus.column("text")]
    gold = [model.network.targets(tags) for tags in corpus.column("tags")]
    both = LearningEncoder(encoder, model.network).eval()
    parts = parts_of_sentences(encoder, words)
    assert [len(own) > 1 for own in parts] == [False, True]
    mine = both(parts, [3, 70], gold)["loss"]
    assert mine.requires_grad
    states = torch.cat(states_of_words(encoder, words).rows)
    # read in bfloat16 and kept in float16
    assert model.network(states, [3, 70], gold)["loss"].item() == pytest.approx(
        mine.item(), rel=0.02
    )


def test_folders_that_are_damaged_are_refused(parser: Any, tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="there is no tagger or parser"):
        open_structured(tmp_path / "nothing")
    save_structured(parser, tmp_path / "m")
    facts = tmp_path / "m" / "treewright.json"
    held = json.loads(facts.read_text())
    facts.write_text(json.dumps(held | {"task": "tags"}))
    with pytest.raises(SchemaError, match="damaged"):
        open_structured(tmp_path / "m")
    facts.write_text(json.dumps(held))
    head = tmp_path / "m" / "head.safetensors"
    head.write_bytes(head.read_bytes()[:-1] + b"x")
    with pytest.raises(SchemaError, match="not as it was saved"):
        open_structured(tmp_path / "m")


def test_a_parser_refuses_what_it_cannot_hold(parser: Any) -> None:
    mine = SpanParser(parser, max_words=3)
    found = list(mine.parse_each(["we saw", "", "we saw the dog", ["("]]))
    assert [bool(isinstance(each, NoParse)) for each in found] == [False, True, True, False]
    assert "refused" in str(found[2].reason)
    tags = [["X", "Y"]]
    assert [n.label for n in next(mine.parse_each([["we", "saw"]], tags=tags)).nodes()][-1] == "Y"


def test_a_tagger_is_no_parser(tagged: Corpus, encoder: Any, tmp_path: Path) -> None:
    config = StructuredConfig(**{**HOW, "steps": 1})
    model = train_structured("tags", tagged, config, encoder=encoder)
    with pytest.raises(OptionError, match="makes no trees"):
        SpanParser(model)
    save_structured(model, tmp_path / "tagger")
    with pytest.raises(OptionError, match="makes no trees"):
        open_parser(tmp_path / "tagger")


def test_bad_corpora_are_refused(encoder: Any) -> None:
    def learn(task: str, **columns: Any) -> Any:
        corpus = Corpus.from_columns(**columns)
        return train_structured(task, corpus, StructuredConfig(**HOW), encoder=encoder)

    with pytest.raises(OptionError, match="there is no task"):
        learn("parsing", text=["a"])
    with pytest.raises(CorpusError, match="no column 'tags'"):
        learn("tags", text=["we saw"])
    with pytest.raises(CorpusError, match="1 answers for 2 words"):
        learn("tags", text=["we saw"], tags=[["PRP"]])
    with pytest.raises(CorpusError, match="no words"):
        learn("tags", text=[" "], tags=[[]])
    with pytest.raises(CorpusError, match="no sentences"):
        learn("tags", text=[], tags=[])


def test_long_sentences_are_read_in_parts(encoder: Any) -> None:
    words = ("good", "plot", "unseen") * 40  # the encoder reads 40 pieces
    (row,) = states_of_words(encoder, [words]).rows
    assert row.shape == (122, encoder.depth + 1, encoder.width)
    (alone,) = states_of_words(encoder, [words[:38]]).rows
    assert torch.allclose(row[1:39].float(), alone[1:39].float(), atol=0.05)


def test_the_loss_is_zero_only_behind_the_margin(parser: Any) -> None:
    network, words = parser.network, 3
    labels = len(network.names["labels"]) + 1
    gold = torch.zeros(words * (words + 1) // 2, dtype=torch.int64)
    gold[words - 1] = 1
    tags = torch.zeros(words, len(network.names["tags"]))
    targets = {"spans": gold, "tags": torch.zeros(words, dtype=torch.int64)}
    plain = float(network.loss_of((torch.zeros(len(gold), labels), tags), targets))
    # the worst tree has another label on each of its five spans
    assert plain == pytest.approx(5 / 3 + np.log(tags.shape[1]), abs=1e-5)
    sure = torch.full((len(gold), labels), -9.0)
    sure[:, 0] = 0
    sure[words - 1, 1] = 9
    assert float(network.loss_of((sure, tags), targets)) == pytest.approx(np.log(tags.shape[1]))


def test_spans_are_numbered_as_numpy_orders_them() -> None:
    for words in range(1, 7):
        spans = np.stack(np.triu_indices(words + 1, 1), 1)
        assert _numbers(spans, words).tolist() == list(range(len(spans)))
    scores = torch.zeros(3, 2)
    assert [each.tolist() for each in _best(scores, 2)] == [[1, 0, 2], [1, 0, 0]]


def test_a_dependency_parser_learns_its_trees_and_is_saved(encoder: Any, tmp_path: Path) -> None:
    corpus = Corpus.from_columns(
        text=["the cat saw a dog", "we liked it", "good", "dog the saw"],
        heads=[[2, 3, 0, 5, 3], [2, 0, 2], [0], [3, 1, 0]],
        deprels=[["det", "nsubj", "root", "det", "obj"], ["nsubj", "root", "obj"], ["root"],
                 ["nsubj", "det", "root"]],
    )  # fmt: skip
    model = train_structured("dependencies", corpus, StructuredConfig(**HOW), encoder=encoder)
    assert model.score(corpus) == {"LAS": 100, "UAS": 100}
    save_structured(model, tmp_path / "parser")
    opened = open_structured(tmp_path / "parser", device="cpu")
    assert opened.score(corpus) == {"LAS": 100, "UAS": 100}
    wrong = corpus.with_column(
        "deprels", [["x"] * 5, ["nsubj", "root", "obj"], ["root"], ["x"] * 3]
    )
    assert model.score(wrong)["LAS"] == pytest.approx(100 * 4 / 12)
    plain = Corpus.from_columns(text=["a b"], heads=[[0, 1]])
    with pytest.raises(CorpusError, match="no column 'deprels'"):
        train_structured("dependencies", plain, StructuredConfig(**HOW), encoder=encoder)
