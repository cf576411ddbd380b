"""Files of CoNLL-U as they are searched: the same words as the reader of corpora has."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from grammar.dependencies.treebank import DependencyTreebank
from grammar.errors import EmptyTreebankError, OptionError, TreewrightError, UnreadableInputError
from grammar.messages import heard_by
from induction.corpus.conllu import read_conllu
from induction.trees import dependency_files
from induction.trees.dependency_files import holds_dependencies, read_dependencies
from induction.trees.dependency_hits import WrittenHits, write_hits

WORD = "{}\t{}\t_\tX\t_\t_\t{}\t{}\t_\t_\n"
GO = WORD.format(1, "Go", 0, "root") + WORD.format(2, "home", 1, "advmod")
ODD = (
    "# newdoc id = d1\n# meta::genre = news\n# sent_id = s1\n# text = Go, a b\n"
    "1\tGo\tgo\tVERB\tVB\tMood=Imp\t0\troot\t_\tSpaceAfter=No\n"
    "2-3\tdel\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\tde\u2028\tde\tADP\t_\t_\t3\tcase\t_\t_\n"
    '3\t"el\tel\tDET\t_\tDefinite=Def\t1\tobl:x\t_\t_\n'
    "3.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    "#a comment\n# sent_id = s2\r\n" + GO.replace("\n", "\r\n") + "\r\n"
    "# newdoc id = d2\n# sent_id = s3\n# x = 1\n" + GO + "\n"
)


def same(path: Path) -> DependencyTreebank:
    """Read a file both ways, and compare."""
    treebank, corpus = read_dependencies(path), read_conllu(path)
    starts = treebank.offsets[:-1]
    assert [treebank.words(n) for n in range(len(treebank))] == corpus.column("tokens")
    heads = [
        [int(h - start) + 1 if h >= 0 else 0 for h in treebank.heads[start : start + length]]
        for start, length in zip(starts, treebank.lengths, strict=True)
    ]
    if "heads" in corpus.names:
        assert heads == corpus.column("heads")
        deprels = [label for row in corpus.column("deprels") for label in row]
        assert treebank.search("pattern { X [] }").values("X", "deprel") == [
            None if label == "_" else label for label in deprels
        ]
    assert [treebank.text(n) for n in range(len(treebank))] == corpus.column("text")
    return treebank


def test_what_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a.conllu"
    file.write_bytes(("\ufeff" + ODD).encode())
    treebank = same(file)
    assert treebank.variables == {
        "newdoc id": ["d1", "d1", "d2"],
        "genre": ["news", "news", None],
        "sent_id": ["s1", "s2", "s3"],
        "text": ["Go, a b", None, None],
        "x": [None, None, "1"],
    }
    assert treebank.search("pattern { X [Mood] }").values("X", "xpos") == ["VB"]
    assert treebank.search("pattern { X -[2=x]-> Y }").values("Y") == ['"el']


def test_blocks_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.conllu"
    file.write_text(ODD * 3)
    whole = same(file)
    monkeypatch.setattr(dependency_files, "_BLOCK", 1)
    again = same(file)
    assert again.heads.tolist() == whole.heads.tolist()
    assert again.variables == whole.variables


def test_files_of_a_folder_are_a_variable(tmp_path: Path) -> None:
    (tmp_path / "b.conllu").write_text(ODD)
    (tmp_path / "a.conllu.gz").write_bytes(gzip.compress(GO.encode()))
    (tmp_path / "README.md").write_text("a treebank")
    for source in (tmp_path, tmp_path / "*.conllu*"):
        assert holds_dependencies(source)
        treebank = read_dependencies(source)
        assert treebank.variables["file"] == ["a.conllu.gz", *["b.conllu"] * 3]
        assert treebank.variables["genre"] == [None, "news", "news", None]
        assert len(treebank.search("pattern { X [form=Go]; X -> Y }")) == 4
    assert not holds_dependencies("-")
    assert not holds_dependencies(tmp_path / "none")


def test_without_heads_there_are_words(tmp_path: Path) -> None:
    file = tmp_path / "a.conllu"
    file.write_text(GO.replace("\t0\troot", "\t_\t_").replace("\t1\tadvmod", "\t_\t_"))
    treebank = same(file)
    assert len(treebank.search("pattern { X < Y }")) == 1
    assert len(treebank.search("pattern { X -> Y }")) == 0


@pytest.mark.parametrize(
    "text",
    [
        "1\ta\n", "a\n", "# x\n\n", GO.replace("2\thome", "3\thome"), GO.replace("1\tGo", "0\tGo"),
        GO.replace("\t0\troot", "\t2\troot"), GO.replace("\t1\tadvmod", "\t0\tadvmod"),
        GO.replace("\t1\tadvmod", "\t3\tadvmod"), GO.replace("\t1\tadvmod", "\t_\tadvmod"),
        GO.replace("\t1\tadvmod", "\t\u0661\tadvmod"), GO.replace("\t1\tadvmod", "\t-1\tadvmod"),
        GO.replace("\t1\tadvmod", "\t" + "9" * 30 + "\tadvmod"), GO.replace("\t", "    "),
        "3-4" + GO[1:], "1-x" + GO[1:] + GO, GO.replace("Go", ""),
        "1-3\tx" + "\t_" * 8 + "\n" + GO, "1-2\t" + "\t_" * 8 + "\n" + GO, "1-2\tx" + "\t_" * 8,
        "1-2\tx" + "\t_" * 8 + "\n" + GO.replace("2\th", "2-2\tx" + "\t_" * 8 + "\n2\th"),
        "0.1\tx" + "\t_" * 8 + "\n", "2.1" + GO[1:],
        GO + "\n" + GO.replace("\t1\t", "\t9\t"),
        GO + "\n" + GO.replace("\t0\troot", "\t_\t_").replace("\t1\tadvmod", "\t_\t_"),
        "2-1\tx" + "\t_" * 8 + "\n" + GO, GO + "1-2\tx" + "\t_" * 8 + "\n", "\x00\n",
    ],
)  # fmt: skip
def test_what_is_malformed_is_refused_by_both(text: str, tmp_path: Path) -> None:
    file = tmp_path / "a.conllu"
    file.write_text(text)
    said = []
    for read in (read_conllu, read_dependencies):
        with pytest.raises(TreewrightError) as told:
            read(file)
        said.append(str(told.value))
    assert said[0] == said[1]


def test_other_faults(tmp_path: Path) -> None:
    (tmp_path / "empty.conllu").write_text("\n \n")
    with pytest.raises(EmptyTreebankError, match="there are no sentences here"):
        read_dependencies(tmp_path / "empty.conllu")
    (tmp_path / "latin.conllu").write_bytes(GO.replace("Go", "Gö").encode("latin-1"))
    with pytest.raises(UnreadableInputError, match="1:4: byte 0xf6 is not utf-8 text"):
        read_dependencies(tmp_path / "latin.conllu")
    read = read_dependencies(tmp_path / "latin.conllu", encoding="cp1252")
    assert read.words(0) == ["Gö", "home"]


DATA = Path(os.environ.get("TREEWRIGHT_DATA", "none"), "ud")


@pytest.mark.skipif(not DATA.exists(), reason="TREEWRIGHT_DATA has no folder ud")
@pytest.mark.parametrize("name", ["UD_English-EWT/en_ewt-ud-dev", "UD_Tamil-TTB/ta_ttb-ud-test"])
def test_treebanks_of_others(name: str) -> None:
    assert len(same(DATA / f"{name}.conllu.gz")) > 100


@pytest.mark.parametrize("block", [1, 50_000])
def test_hits_are_comments_of_sentences_as_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    file, found = tmp_path / "a.conllu", tmp_path / "hits.conllu"
    file.write_text(ODD)
    monkeypatch.setattr(dependency_files, "_BLOCK", block)
    request = "pattern { X -> Y }"
    assert write_hits(file, request, found) == WrittenHits(4, 3, 3)
    lines = found.read_text().replace("\r", "").split("\n")
    expected = [line for line in ODD.replace("\r", "").split("\n") if not line.startswith("# hit")]
    assert [line for line in lines if not line.startswith("# hit = ")] == expected
    assert [line for line in lines if line.startswith("# hit = ")] == [
        "# hit = X:1,Y:3", "# hit = X:3,Y:2", "# hit = X:1,Y:2", "# hit = X:1,Y:2",
    ]  # fmt: skip
    again = read_dependencies(found)
    assert again.variables.pop("hit") == ["X:1,Y:3", "X:1,Y:2", "X:1,Y:2"]
    assert again.variables == read_dependencies(file).variables


def test_what_is_said_of_documents_holds_in_the_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, stay = f"{GO}\n", GO.replace("Go", "Stay") + "\n"
    documents = [
        f"# newdoc id = d{n}\n# meta::genre = g{n}\n{stay}{a}# newpar id = p{n}\n{stay}{b}"
        for n, (a, b) in enumerate([(stay, go), (stay, stay), (go, go)])
    ]
    (tmp_path / "a.conllu").write_text("".join(documents))
    (tmp_path / "b.conllu").write_text(stay + go)
    monkeypatch.setattr(dependency_files, "_BLOCK", 4)
    found = tmp_path / "hits.conllu"
    write_hits(tmp_path, 'pattern { X [form="Go"] }', found)
    assert read_dependencies(found).variables == {
        "newdoc id": ["d0", "d2", "d2", None],
        "genre": ["g0", "g2", "g2", None],
        "newpar id": ["p0", None, "p2", None],
        "hit": ["X:1"] * 4,
    }
    assert found.read_text().count("newdoc") == 3


def test_of_what_no_block_has_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependency_files, "_BLOCK", 1)
    file, said = tmp_path / "a.conllu", []
    file.write_text(ODD)
    with heard_by(said.append):
        write_hits(file, "pattern { X [Mood=Imp] }", tmp_path / "one.conllu")
        assert said == []
        write_hits(file, "pattern { X [Mod=Imp] }", tmp_path / "two.conllu")
    assert [line.partition(";")[0] for line in said] == ["no word has the feature Mod"]
    assert "Definite, Mood" in said[0]
    assert (tmp_path / "two.conllu").read_text() == ""


def test_hits_that_cannot_be_written_are_told_of(tmp_path: Path) -> None:
    file, found = tmp_path / "a.conllu", tmp_path / "hits.conllu"
    with pytest.raises(OptionError, match="which is not compressed"):
        write_hits(file, "pattern { X [] }", tmp_path / "hits.conllu.gz")
    file.write_text("")
    with pytest.raises(EmptyTreebankError):
        write_hits(file, "pattern { X [] }", found)
    file.write_text(ODD + "1\tGo\n")
    with pytest.raises(TreewrightError, match="10 fields|fields"):
        write_hits(file, "pattern { X [] }", found)
    assert not found.exists()
