"""Corpora get trees: rows, pairs, several sentences, faults, and the verb."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grammar import Grammar, Tree
from grammar.chart.parses import NoParse
from grammar.errors import CorpusError
from induction import induce_lpcfg, induce_pcfg, read_reviews, read_treebank
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus, write_corpus
from induction.parsers.chart import ChartTextParser
from induction.parsers.corpora import parse_corpus, parse_texts
from induction.parsers.lexicalised import LexicalisedParser
from induction.parsers.protocol import aligned_treebank
from sampling import TreeMix
from tests.treewright import test_command_line

run = test_command_line.run

GRAMMAR = "S -> 'so' S [1/4] | 'good' [1/4] | '-LRB-' [1/4] | S '.' [1/4]"


@pytest.fixture(scope="module")
def parser() -> ChartTextParser:
    return ChartTextParser(Grammar.parse(GRAMMAR))


def test_each_text_has_the_tree_of_its_parse(parser: ChartTextParser) -> None:
    texts = ["so good", "good .", "bad", "so (", ""]
    corpus = Corpus.from_columns(text=texts, label=[0, 1, 2, 3, 4], tree=["(X y)"] * 5)
    seen: list[tuple[int, int]] = []
    found = parse_corpus(corpus, parser, on_progress=lambda *now: seen.append(now))
    assert found.corpus.column("id") == ["0", "1", "3"]
    assert found.corpus.column("label") == [0, 1, 3]
    plain = aligned_treebank(parser.parse_each(texts))
    assert found.corpus.column("tree") == [str(plain[row]) for row in (0, 1, 3)]
    assert set(found.unparsed) == {2, 4}
    assert "lacks the word 'bad'" in found.unparsed[2].reason
    assert seen == [(done, 5) for done in range(1, 6)]


def test_coarser_parses_are_named(run, tmp_path: Path) -> None:
    grammar = induce_pcfg(read_treebank()[:60], rare_words=1)
    corpus = Corpus.from_columns(text=["The food was good .", "good , " * 30])
    found = parse_corpus(corpus, ChartTextParser(grammar, max_words=20))
    assert list(found.coarse) == [1]
    assert found.coarse[1] == "in parts: it has 60 words, more than 20"
    grammar.save(tmp_path / "g.json")
    write_corpus(corpus, tmp_path / "in.csv")
    done = run("parse-corpus", "g.json", "in.csv", "-o", "out.jsonl", "--max-words", "20")
    assert done.code == 0
    assert "a coarser parse, in parts: it has 60 words" in done.err
    assert "warning: 1 of 2 examples have a coarser parse" in done.err


def test_pairs_get_two_trees_or_none(parser: ChartTextParser) -> None:
    corpus = Corpus.from_columns(text=["so good", "good"], text_pair=["good", "bad"], label=[0, 1])
    found = parse_corpus(corpus, parser)
    assert found.corpus.column("tree_pair") == ["(S good)"]
    assert list(found.unparsed) == [1]


def test_given_words_are_parsed_and_not_the_text(parser: ChartTextParser) -> None:
    corpus = Corpus.from_columns(text=["so(", "so good"], tokens=[["so", "("], ["sogood"]])
    found = parse_corpus(corpus, parser)
    assert found.corpus.column("tree") == ["(S so (S -LRB-))"]


def test_several_sentences_are_joined() -> None:
    rules = "TOP -> S [1]\nS -> 'So' 'good' '.' [1/2] | 'Good' '.' [1/2]"
    parser = ChartTextParser(Grammar.parse(rules))
    texts = ["Good. So good.", "Good.", "Good . So good ."]
    corpus = Corpus.from_columns(text=texts, text_pair=texts[1:] + texts[:1])
    found = parse_corpus(corpus, parser).corpus
    both, one = "(TOP (S Good .) (S So good .))", "(TOP (S Good .))"
    assert found.column("tree") == [both, one, both]
    assert found.column("tree_pair") == [one, both, both]
    words = Corpus.from_columns(text=["?"], tokens=[["So", "good", ".", "Good", "."]])
    assert parse_corpus(words, parser).corpus.column("tree") == ["(TOP (S So good .) (S Good .))"]


@pytest.mark.parametrize(("start", "root"), [("ROOT", "ROOT"), ("S1", "S1"), ("X", "TOP")])
def test_the_root_of_several_sentences_is_that_of_one(start: str, root: str) -> None:
    parser = ChartTextParser(Grammar.parse(f"{start} -> 'Good' '.' [1]"))
    inner = "Good ." if root == start else f"({start} Good .)"
    found = parse_corpus(Corpus.from_columns(text=["Good. Good."]), parser).corpus
    assert found.column("tree") == [f"({root} {inner} {inner})"]


def test_a_text_is_as_coarse_as_its_sentences(parser: ChartTextParser) -> None:
    grammar = induce_pcfg(read_treebank()[:60], rare_words=1)
    texts = ["The food was good. " + "Good, " * 30 + "good.", "The food was good. It was good."]
    corpus = Corpus.from_columns(text=texts)
    found = parse_corpus(corpus, ChartTextParser(grammar, max_words=20))
    assert list(found.coarse) == [0]
    lost = parse_corpus(Corpus.from_columns(text=["good . Bad .", "good"]), parser)
    assert lost.corpus.column("text") == ["good"]
    assert "'Bad'" in lost.unparsed[0].reason


@pytest.mark.parametrize(
    ("texts", "message"),
    [(["bad"], "no text has a parse"), ([], "empty"), (["good", None], "holds None")],
)
def test_faults(parser: ChartTextParser, texts: list[str], message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        parse_corpus(Corpus.from_columns(text=texts), parser)


def test_raw_texts_can_be_mixed_then() -> None:
    reviews = read_reviews()
    raw = Corpus(reviews.table.select(["id", "text", "label"]).slice(0, 60))
    parser = LexicalisedParser(induce_lpcfg(read_treebank()))
    found = parse_corpus(raw, parser)
    assert len(found.corpus) + len(found.unparsed) == 60
    assert len(found.corpus) > 50
    made = TreeMix.induce(found.corpus).sample(20, seed=0)
    assert len(set(made.column("text"))) == 20


def test_the_verb(run, tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text(GRAMMAR)
    corpus = Corpus.from_columns(text=["so good", "bad", "good ."], label=[0, 1, 2])
    write_corpus(corpus, tmp_path / "train.csv")
    done = run("parse-corpus", "g.txt", "train.csv", "-o", "trees.jsonl", "--cache", "p.db")
    assert done.code == 0
    assert "train.csv:3, example '1': no parse of 'bad'" in done.err
    assert "1 of 3 examples have no tree and are left out" in done.err
    trees = read_corpus(tmp_path / "trees.jsonl")
    assert trees.column("tree") == ["(S so (S good))", "(S (S good) .)"]
    assert trees.column("label") == [0, 2]
    (tmp_path / "pairs.csv").write_text("one,two\nso good,good\n")
    run(
        "parse-corpus", "g.txt", "pairs.csv", "-o", "p.jsonl", "--text", "one", "--text-pair", "two"
    )
    assert read_corpus(tmp_path / "p.jsonl")[0] == {
        "id": "0", "text": "so good", "text_pair": "good",
        "tree": "(S so (S good))", "tree_pair": "(S good)",
    }  # fmt: skip
    again = run("parse-corpus", "g.txt", "train.csv", "-o", "t.csv", "--json", "-q")
    facts = {"output": "t.csv", "examples": 2, "unparsed": 1, "coarse": 0}
    assert json.loads(again.out) == facts
    assert again.err == ""


def test_what_is_left_out_is_written_down(run, tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text(GRAMMAR)
    (tmp_path / "train.csv").write_text("text,label\ngood,1\n,1\nbad,0\ngood .,\n")
    done = run("parse-corpus", "g.txt", "train.csv", "-o", "t.jsonl", "--on-error", "skip")
    assert done.code == 0, done.err
    assert "left out because they cannot be used: 3; see t.jsonl.skipped.jsonl" in done.err
    assert read_corpus(tmp_path / "t.jsonl").column("text") == ["good"]
    lines = (tmp_path / "t.jsonl.skipped.jsonl").read_text("utf-8").splitlines()
    assert [(row["where"].split(",")[0], row["why"]) for row in map(json.loads, lines)] == [
        ("train.csv:3", "the text is missing or empty"),
        ("train.csv:5", "the label is missing"),
        ("train.csv:4", "no parse of 'bad': the grammar lacks the word 'bad' (word 1 of 1)"),
    ]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("parse-corpus g.txt none.csv -o o.jsonl", "none.csv"),
        ("parse-corpus g.txt train.csv -o o.xyz", "cannot be inferred from the file name"),
        ("parse-corpus g.txt train.csv -o o.conllu", "needs the column 'tokens'"),
        ("parse-corpus g.txt train.csv -o o.jsonl --text words", "words"),
        ("parse-corpus none.txt train.csv -o o.jsonl", "none.txt"),
    ],
)
def test_a_fault_of_the_verb_is_one_message(run, tmp_path: Path, command: str, message: str):
    (tmp_path / "g.txt").write_text(GRAMMAR)
    (tmp_path / "train.csv").write_text("text,label\ngood,1\n")
    done = run(*command.split())
    assert done.code == 1
    assert message in done.err
    assert "Traceback" not in done.err
    assert not list(tmp_path.glob("o.*"))


def test_a_text_of_very_many_words_is_not_parsed_unless_it_is_allowed(
    run, tmp_path: Path, parser: ChartTextParser
) -> None:
    texts = ["so good", "so " * 29 + "good"]
    found = list(parse_texts(texts, parser, max_text=20))
    assert isinstance(found[0], Tree)
    assert isinstance(found[1], NoParse)
    assert found[1].refused
    assert "30 words, more than 20" in found[1].reason
    assert "--max-text 30" in found[1].reason
    Grammar.parse(GRAMMAR).save(tmp_path / "g.json")
    write_corpus(Corpus.from_columns(text=texts), tmp_path / "in.csv")
    asked = ["parse-corpus", "g.json", "in.csv", "-o", "out.jsonl", "--max-text"]
    done = run(*asked, "20")
    assert "1 of 2 examples have no tree" in done.err
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 1
    assert run(*asked, "30", "--force").code == 0
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 2
