"""The verb search over CoNLL-U."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.treewright import test_command_line

run = test_command_line.run

WORD = "{}\t{}\t{}\t{}\t_\t_\t{}\t{}\t_\t_\n"
SENTENCE = "".join(
    WORD.format(*row)
    for row in (
        (1, "We", "we", "PRON", 2, "nsubj"), (2, "saw", "see", "VERB", 0, "root"),
        (3, "cats", "cat", "NOUN", 2, "obj"),
    )
)  # fmt: skip
TEXT = f"# genre = news\n{SENTENCE}\n# genre = poem\n{SENTENCE}"
OBJECTS = "pattern { V [upos=VERB]; e: V -[obj]-> N }"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "a.conllu"
    path.write_text(TEXT)
    return str(path)


def test_hits_are_shown_and_counted(file: str, run) -> None:
    done = run("search", file, OBJECTS, "--top", "1")
    assert done.out.splitlines() == ["We saw cats  [V: saw; N: cats]", "... and 1 more"]
    assert "2 hits in 2 of 2 sentences" in done.err
    done = run("search", file, OBJECTS, "--by", "genre", "--count", "N.lemma", "--json")
    assert json.loads(done.out)["rows"][0] == {
        "genre": "news", "N.lemma": "cat", "hits": 1, "sentences": 1,
        "per_1000_words": pytest.approx(1000 / 3),
    }  # fmt: skip


@pytest.mark.parametrize("suffix", ["tsv", "csv", "jsonl", "parquet", "svg", "png"])
def test_hits_are_saved(suffix: str, file: str, tmp_path: Path, run) -> None:
    out = tmp_path / f"hits.{suffix}"
    assert run("search", file, OBJECTS, "-o", str(out)).code == 0
    if suffix == "parquet":
        assert pq.read_table(out).column("N.form").to_pylist() == ["cats", "cats"]
    elif suffix != "png":
        assert len(out.read_text().splitlines()) >= 2


def test_standard_input(run) -> None:
    assert "2 hits" in run("search", "-", OBJECTS, stdin=TEXT.encode()).err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["S < NP"], "<request>:1:1: this is not a request"),
        ([OBJECTS, "--by", "domain"], "the trees have no variable 'domain'"),
        ([OBJECTS, "--count", "M.lemma"], "there is no variable 'M.lemma'"),
        ([OBJECTS, "-o", "hits.mrg"], "cannot be saved as brackets"),
    ],
)
def test_faults_are_told(arguments: list[str], said: str, file: str, run) -> None:
    done = run("search", file, *arguments)
    assert done.code == 1
    assert said in done.err


def test_trees_have_no_dependencies(run) -> None:
    done = run("search", "embedded", OBJECTS)
    assert done.code == 1
    assert "requests of Grew search dependencies" in done.err


TABLES = {
    "a.conll": "1\tWe\twe\tPRP\tPRP\t_\t2\tsbj\t_\t_\n2\tran\trun\tVBD\tVBD\t_\t0\troot\t_\t_\n",
    "a.tab": "We\tPRP\t2\tsbj\nran\tVBD\t0\troot\n",
    "a.jsonl": '{"text": "We ran", "tokens": ["We", "ran"], "heads": [2, 0], '
    '"deprels": ["sbj", "root"]}\n',
}


@pytest.mark.parametrize(("name", "text"), TABLES.items(), ids=TABLES)
def test_dependencies_of_other_tables_are_searched(name, text, tmp_path, run) -> None:
    (tmp_path / name).write_text(text)
    done = run("search", str(tmp_path / name), "pattern { V -[sbj]-> N }")
    assert "1 hits in 1 of 1 sentences" in done.err
    assert "[V: ran; N: We]" in done.out


def test_what_has_no_dependencies_is_told_how_to_get_them(tmp_path, run) -> None:
    (tmp_path / "a.txt").write_text("nsubj(sleeps-2, cat-1)\nroot(ROOT-0, sleeps-2)\n")
    done = run("search", str(tmp_path / "a.txt"), "pattern { V -[nsubj]-> N }")
    assert done.code == 1
    assert "Stanford's typed dependencies" in done.err
    assert "CoNLL-U" in done.err


def test_sentences_with_hits_are_saved(file: str, tmp_path: Path, run) -> None:
    out = tmp_path / "hits.conllu"
    done = run("search", file, OBJECTS, "-o", str(out))
    assert "2 hits in 2 of 2 sentences" in done.err
    assert out.read_text().count("# hit = V:2,N:3\n1\tWe\t") == 2
    assert "2 hits in 2 of 2" in run("search", str(out), OBJECTS, "--by", "genre").err
    for more in (["--by", "genre"], ["--count", "V.lemma"], ["--sample", "1"], ["--json"]):
        told = run("search", file, OBJECTS, "-o", str(tmp_path / "b.conllu"), *more)
        assert told.code == 1
        assert more[0] in told.err
    told = run("search", "embedded", "NP", "-o", str(tmp_path / "b.conllu"))
    assert "save what stands at the hits as .mrg" in told.err


def test_discontinuous_constituents_are_made_continuous_on_request(tmp_path, run) -> None:
    (tmp_path / "a.dbr").write_text("(S (VP (V 0=Was) (V 3=gesehen)) (A 1=hat) (P 2=er))\n")
    refused = run("search", str(tmp_path / "a.dbr"), "VP")
    assert refused.code == 1
    assert "--discontinuous split" in refused.err
    done = run("search", str(tmp_path / "a.dbr"), "VP", "--discontinuous", "raise")
    assert "1 hit in 1 of 1 trees" in done.err
