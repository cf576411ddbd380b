"""The verb induce on texts as people have them: a table gets trees, and they become a grammar."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grammar.pcfg.grammar import Grammar
from induction import induce_pcfg, treebank_of
from induction.corpus.formats import read_corpus, write_corpus
from tests.treewright import test_command_line

run = test_command_line.run

ROWS = ["The soup was cold.,bad", "We loved the garden.,good", "The staff were kind.,good"]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.csv"
    path.write_text("\n".join(["review,sentiment", *ROWS]) + "\n", "utf-8")
    return path


def test_texts_are_parsed_and_it_is_said(run: Callable[..., Any], reviews: Path) -> None:
    done = run("induce", "reviews.csv", "-o", "g.json")
    assert done.code == 0, done.err
    assert "text is read from the column 'review'" in done.err
    assert "3 texts have no trees: parsed by the parser of English that ships" in done.err
    assert "treewright parse-corpus takes another" in done.err
    wanted = induce_pcfg(treebank_of(reviews))
    assert Grammar.load(reviews.parent / "g.json") == wanted


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_trees_that_are_there_are_kept(run: Callable[..., Any], reviews: Path, suffix: str) -> None:
    name = f"parsed.{suffix}"
    assert run("parse-corpus", "reviews.csv", "-o", name).code == 0
    done = run("induce", name, "-o", "g.json", "--model", "double-dop")
    assert done.code == 0, done.err
    assert "have no trees" not in done.err
    assert "read 3 trees" in done.err


def test_a_table_may_be_compressed(run: Callable[..., Any], reviews: Path) -> None:
    Path(f"{reviews}.gz").write_bytes(gzip.compress(reviews.read_bytes()))
    done = run("induce", "reviews.csv.gz", "-o", "g.json")
    assert done.code == 0, done.err
    assert "read 3 trees" in done.err


def test_lines_of_text_need_the_format(run: Callable[..., Any], reviews: Path) -> None:
    lines = [row.partition(",")[0] for row in ROWS]
    (reviews.parent / "lines.txt").write_text("\n".join(lines) + "\n", "utf-8")
    done = run("induce", "lines.txt", "-o", "g.json", "--format", "text")
    assert done.code == 0, done.err
    assert "read 3 trees" in done.err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lines.txt", "texts without trees are read with --format text"),
        ("corpus.arrow", "a corpus with read_corpus (--format arrow)"),
    ],
)
def test_what_is_no_treebank_is_told_its_format(
    run: Callable[..., Any], reviews: Path, name: str, message: str
) -> None:
    (reviews.parent / "lines.txt").write_text("The soup was cold.\n", "utf-8")
    write_corpus(read_corpus(reviews), reviews.parent / "corpus.arrow")
    done = run("induce", name, "-o", "g.json")
    assert done.code != 0
    assert message in done.err
    format = name.replace("lines.txt", "text").removeprefix("corpus.")
    assert run("induce", name, "-o", "g.json", "--format", format).code == 0


def test_texts_with_tokens_are_parsed(run: Callable[..., Any], reviews: Path) -> None:
    lines = ["1\tWe\t_\tX\t_\t_\t2\tx\t_\t_", "2\tslept\t_\tX\t_\t_\t0\troot\t_\t_"]
    (reviews.parent / "a.conllu").write_text("\n".join([*lines, "", ""]), "utf-8")
    done = run("induce", "a.conllu", "-o", "g.json")
    assert done.code == 0, done.err
    assert "read 1 trees, 2 words" in done.err


def test_rows_that_cannot_be_used_are_left_out(run: Callable[..., Any], reviews: Path) -> None:
    with reviews.open("a", encoding="utf-8") as file:
        file.write(",good\n")
    done = run("induce", "reviews.csv", "-o", "g.json")
    assert done.code == 0, done.err
    assert "1 of 4 texts have no parse and are left out, the first reviews.csv:5" in done.err
    done = run("induce", "reviews.csv", "-o", "h.json", "--on-error", "skip")
    assert done.code == 0, done.err
    [line] = (reviews.parent / "h.json.skipped.jsonl").read_text("utf-8").splitlines()
    assert "empty" in json.dumps(json.loads(line))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["empty.csv"], "empty.csv: the corpus is empty"),
        (["reviews.csv", "--text", "title"], "there is no column 'title'"),
        (["embedded", "--text", "review"], "--text: brackets have no columns"),
        (["embedded", "--label", "sentiment"], "--label: brackets have no columns"),
    ],
)
def test_what_cannot_be_read_is_said(
    run: Callable[..., Any], reviews: Path, options: list[str], message: str
) -> None:
    (reviews.parent / "empty.csv").write_text("review,sentiment\n", "utf-8")
    done = run("induce", *options, "-o", "g.json")
    assert done.code != 0
    assert message in done.err


def test_parse_corpus_finds_the_texts_by_themselves(run: Callable[..., Any], reviews: Path) -> None:
    done = run("parse-corpus", "reviews.csv", "-o", "p.jsonl")
    assert done.code == 0, done.err
    assert "text is read from the column 'review'" in done.err
    assert len(read_corpus(reviews.parent / "p.jsonl").column("tree")) == len(ROWS)
