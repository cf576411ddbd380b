"""The verb search."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from grammar.trees.treebank import Treebank
from tests.treewright import test_command_line

run = test_command_line.run


def test_hits_are_shown_and_counted(run) -> None:
    done = run("search", "embedded", "PP < (IN < of) < NP=o", "--top", "2")
    assert done.code == 0
    assert "hits in" in done.err
    assert done.out.splitlines()[0].endswith("[o: NP this brilliant film]")
    assert "more" in done.out.splitlines()[2]
    done = run(
        "search", "embedded", "PP < (IN < of) < NP=o",
        "--count", "o.label", "--by", "domain", "--json", "--top", "1",
    )  # fmt: skip
    facts = json.loads(done.out)
    assert facts["rows"][0].keys() == {"domain", "o.label", "hits", "trees", "per_1000_words"}
    assert facts["hits"] >= facts["nodes"] >= facts["trees_with_hits"]


@pytest.mark.parametrize("suffix", ["tsv", "csv", "jsonl", "parquet", "svg", "mrg"])
def test_hits_are_saved(suffix: str, tmp_path: Path, run) -> None:
    file = tmp_path / f"hits.{suffix}"
    done = run("search", "embedded", "PP < NP=o", "--sample", "7", "-o", str(file), "--node", "o")
    assert done.code == 0
    if suffix == "parquet":
        assert pq.read_table(file).num_rows == 7
    elif suffix == "mrg":
        treebank = Treebank.read(file)
        assert {tree.label for tree in treebank} == {"NP"}
    else:
        assert len(file.read_text().splitlines()) >= 7


def test_hits_are_no_texts(tmp_path: Path, run) -> None:
    done = run("search", "embedded", "PP < NP=o", "--sample", "7", "-o", str(tmp_path / "a.txt"))
    assert done.code == 1
    assert "the rows have no texts" in done.err
    assert "end its name in .tsv, .csv, .jsonl or .parquet" in done.err
    assert not list(tmp_path.iterdir())


def test_files_of_a_folder_are_a_variable(tmp_path: Path, run) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.mrg").write_text("(S (NP we) (VP ran))\n" * (1 + (name == "b")))
    done = run("search", str(tmp_path), "NP", "--by", "file")
    assert [line.split()[:2] for line in done.out.splitlines()] == [
        ["file", "hits"], ["b.mrg", "2"], ["a.mrg", "1"],
    ]  # fmt: skip


def test_what_is_missing_is_told(tmp_path: Path, run) -> None:
    file = tmp_path / "a.mrg"
    file.write_text("(S (NP-SBJ (PRP we)) (VP (VBD ran)))")
    done = run("search", str(file), "NP < XP")
    assert "no label and no word is 'NP'; there is NP-SBJ, and --plain leaves" in done.err
    assert "no label and no word is 'XP'" in done.err
    assert run("search", str(file), "NP < PRP", "--plain").out == "we\n"


def test_whole_trees_and_hits_within_hits(tmp_path: Path, run) -> None:
    source, out = tmp_path / "a.mrg", tmp_path / "b.mrg"
    source.write_text("(NP (NP we) (PP (IN of) (NP us)))\n(VP ran)\n")
    assert "3 trees are written" in (done := run("search", str(source), "NP", "-o", str(out))).err
    assert "2 of them stand within others" in done.err
    done = run("search", str(source), "NP", "-o", str(out), "--whole", "--force")
    assert "1 trees are written" in done.err
    assert [str(tree) for tree in Treebank.read(out)] == ["(NP (NP we) (PP (IN of) (NP us)))"]


def test_a_concordance_shows_hits_in_their_sentences(tmp_path: Path, run) -> None:
    source, out = tmp_path / "a.mrg", tmp_path / "b.tsv"
    source.write_text(f"(S (NP we) (VP (VBD saw) (NP {' '.join(['(N cats)'] * 20)})))\n(S (NP I))")
    lines = run("search", str(source), "VBD|NP", "--concordance").out.splitlines()
    assert [len(line.partition("[")[0]) for line in lines] == [41] * 4
    assert lines[0].strip() == "[we] saw" + " cats" * 7 + "…"
    assert lines[1].strip() == "we [saw]" + " cats" * 8 + "…"
    assert lines[3].strip() == "[I]"
    shown = run("search", str(source), "NP", "--concordance", "--top", "1").out
    assert shown.splitlines()[1] == "... and 2 more"
    assert run("search", str(source), "VBD", "--concordance", "-o", str(out)).code == 0
    row = dict(zip(*(line.split("\t") for line in out.read_text().splitlines()), strict=True))
    assert (row["before"], row["words"], row["after"]) == ("we", "saw", "cats" + " cats" * 19)


def test_a_concordance_is_of_hits_in_trees(tmp_path: Path, run) -> None:
    done = run("search", "embedded", "NP", "--concordance", "--count", "words")
    assert "counted have no sentences\n  hint: leave --concordance out" in done.err
    source = tmp_path / "a.conllu"
    source.write_text("1\twe\twe\tPRON\t_\t_\t0\troot\t_\t_\n\n")
    for name in ("hits.mrg", "hits.svg"):
        done = run("search", "embedded", "NP", "--concordance", "-o", name)
        assert "text, not trees or a picture\n  hint: leave --concordance out" in done.err
    done = run("search", str(source), "pattern { V [] }", "--concordance")
    assert "in their sentences by themselves" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["NP <"], "<pattern>:1:5: the pattern ends too early"),
        (["NP\\|VP"], "hint: bars need none: A|B"),
        (["NP", "--by", "genre"], "the trees have no variable 'genre'"),
        (["NP", "--count", "n.label"], "there is no variable 'n.label'"),
        (["NP", "-o", "hits.docx"], "hint: "),
    ],
)
def test_faults_are_told(arguments: list[str], said: str, run) -> None:
    done = run("search", "embedded", *arguments)
    assert done.code == 1
    assert said in done.err
