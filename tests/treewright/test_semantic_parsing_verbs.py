"""The verbs scan cogs and scan geoquery, and the conversion of corpora of COGS."""

import json
from pathlib import Path

import pytest

from grammar.errors import OptionError
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from scan.cogs.conversion import convert, with_small_article
from scan.cogs.data import cogs
from scan.geoquery.augmentation import augment_geoquery
from scan.geoquery.data import geoquery
from tests.treewright import test_command_line

run = test_command_line.run
names = test_command_line.names

PUBLISHED = {
    "text": ["A cat slept .", "Ann wanted to run .", "shark"],
    "target": [
        "cat ( x _ 1 ) AND sleep . agent ( x _ 2 , x _ 1 )",
        "want . agent ( x _ 1 , Ann ) AND want . xcomp ( x _ 1 , x _ 3 ) "
        "AND run . agent ( x _ 3 , Ann )",
        "LAMBDA a . shark ( a )",
    ],
}
TERMS = [
    "sleep ( agent = cat )",
    "want ( agent = Ann , xcomp = run ( agent = Ann ) )",
    "LAMBDA shark",
]


def lines(columns: dict[str, list[str]]) -> str:
    rows = zip(columns["text"], columns["target"], strict=True)
    return "".join(json.dumps({"text": text, "target": target}) + "\n" for text, target in rows)


def test_a_corpus_is_converted_and_converted_back() -> None:
    corpus = Corpus.from_columns(**PUBLISHED, category=["a", "b", "c"])
    terms = convert(corpus, "variable-free")
    assert terms.column("target") == TERMS
    assert terms.column("text") == ["a cat slept .", *PUBLISHED["text"][1:]]
    back = convert(terms, "original")
    assert back.column("target") == PUBLISHED["target"]
    assert back.column("category") == ["a", "b", "c"]
    assert [with_small_article(text) for text in ("The cat", "Ann", "")] == ["the cat", "Ann", ""]
    with pytest.raises(OptionError, match="choose from original, variable-free"):
        convert(corpus, "short")


def test_files_are_converted(run, tmp_path):
    (tmp_path / "a.jsonl").write_text(lines(PUBLISHED))
    done = run("scan", "cogs", "a.jsonl", "-o", "b.jsonl", "--form", "variable-free", "--json")
    assert done.code == 0, done.err
    assert done.facts == {"output": "b.jsonl", "form": "variable-free", "pairs": 3}
    assert read_corpus(tmp_path / "b.jsonl").column("target") == TERMS
    assert run("scan", "cogs", "b.jsonl", "-o", "c.txt", "-q").code == 0
    assert f"IN: shark OUT: {PUBLISHED['target'][2]}\n" in (tmp_path / "c.txt").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a.jsonl", "-o", "c.jsonl"), "a.jsonl:1, example '0', word 4 of 'cat ( x _ 1 ) AND"),
        (("b.jsonl", "-o", "c.jsonl"), "the term names 3 things, the sentence has 2 content words"),
        (("a.jsonl", "-o", "c.jsonl", "--form", "lambda"), "choose from original, variable-free"),
        (("a.jsonl", "-o", "b"), "cannot be inferred from the file name"),
        (("nothing.jsonl", "-o", "c.jsonl"), "nothing.jsonl: cannot read the file"),
    ],
)
def test_what_cannot_be_converted(run, tmp_path, arguments, message):
    (tmp_path / "a.jsonl").write_text(lines(PUBLISHED))
    wrong = {"text": ["Ann saw ."], "target": ["see ( agent = Ann , theme = dog )"]}
    (tmp_path / "b.jsonl").write_text(lines(wrong))
    before = names(tmp_path)
    done = run("scan", "cogs", *arguments)
    assert done.code == 1
    assert message in done.err
    assert names(tmp_path) == before


def test_a_part_of_cogs_goes_all_the_way(run, tmp_path, data_folder):
    assert run("scan", "cogs", "dev", "-o", "published.jsonl", "-q").code == 0
    assert run("scan", "cogs", "dev", "-o", "d.jsonl", "--form", "variable-free", "-q").code == 0
    assert run("scan", "cogs", "d.jsonl", "-o", "back.jsonl", "-q").code == 0
    published, back = (read_corpus(tmp_path / f"{name}.jsonl") for name in ("published", "back"))
    assert back.column("target") == published.column("target") == cogs("dev").column("target")
    assert back.column("category") == published.column("category")
    done = run("induce", "d.jsonl", "-o", "g.json", "--model", "terms", "-q")
    assert done.code == 0, done.err
    done = run("translate", "g.json", stdin=b"the boy slept .\n")
    assert done.out == "sleep ( agent = * boy )\n"


def test_geoquery_is_written_in_parts(run, tmp_path, data_folder: Path):
    done = run("scan", "geoquery", "funql", "query", "-o", "deep/geo", "--json")
    assert done.code == 0, done.err
    assert [done.facts[part] for part in ("train", "dev", "test")] == [543, 64, 273]
    expected = geoquery("funql", "query")
    for part in ("train", "dev", "test"):
        written = read_corpus(tmp_path / "deep" / "geo" / f"{part}.jsonl")
        for column in ("id", "text", "target", "template"):
            assert written.column(column) == getattr(expected, part).column(column)
    assert run("scan", "geoquery", "funql", "template", "-o", "same", "-q").code == 0
    same = [tmp_path / folder / "test.jsonl" for folder in ("deep/geo", "same")]
    assert same[0].read_bytes() == same[1].read_bytes()


def test_pairs_made_of_geoquery_are_new(run, tmp_path, data_folder: Path):
    arguments = ("scan", "geoquery", "funql", "query", "-o", "geo", "--seed", 3, "--json")
    done = run(*arguments, "--method", "geca", "-n", 40)
    assert (done.code, done.facts["made"]) == (0, 40)
    read = {part: read_corpus(tmp_path / "geo" / f"{part}.jsonl") for part in ("train", "made")}
    pairs = {part: set(zip(c.column("text"), c.column("target"), strict=True))
             for part, c in read.items()}  # fmt: skip
    assert len(pairs["made"]) == 40
    assert not pairs["made"] & pairs["train"]
    expected = augment_geoquery(geoquery("funql", "query"), "geca", n=40, seed=3)
    assert read["made"].column("text") == expected.column("text")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("qeury",), "did you mean 'query'?"), (("query", "--method", "gecko"), "exchange")],
)
def test_an_unknown_name_leaves_no_folder(run, tmp_path, data_folder, arguments, message):
    done = run("scan", "geoquery", "funql", *arguments, "-o", "geo")
    assert done.code == 1
    assert message in done.err
    assert names(tmp_path) == set()
