"""Files go through the tool that owns their format and back: what comes back is what went out.

A tool that is not installed is a reason to skip. What was equal with which version stands in
``docs/research/round-trips.md``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from induction import Corpus, read_corpus, write_corpus
from induction.corpus.formats import from_dataset, to_dataset

TEXTS = ['a "good", film', "line\nbreak", "caf\u00e9 \U0001f600", " spaces ", "tab\there"]


def corpus(**columns: Any) -> Corpus:
    return Corpus.from_columns(text=TEXTS, label=["x", "y", "x", "y", "z"], **columns)


def rows(given: Corpus) -> list[dict[str, Any]]:
    return given.table.to_pylist()


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_tables_go_through_pandas(tmp_path: Path, ending: str) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    first, second = tmp_path / f"1.{ending}", tmp_path / f"2.{ending}"
    write_corpus(corpus(), first)
    if ending == "csv":
        frame = pandas.read_csv(first, dtype=str, keep_default_na=False)
        frame.to_csv(second, index=False)
        assert second.read_bytes() == first.read_bytes()
    elif ending == "jsonl":
        frame = pandas.read_json(first, lines=True, dtype=False)
        frame.to_json(second, orient="records", lines=True, force_ascii=False)
    else:
        frame = pandas.read_parquet(first)
        frame.to_parquet(second)
    assert frame["text"].tolist() == TEXTS
    assert rows(read_corpus(second)) == rows(corpus())


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_tables_go_through_polars(tmp_path: Path, ending: str) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    first, second = tmp_path / f"1.{ending}", tmp_path / f"2.{ending}"
    write_corpus(corpus(), first)
    if ending == "csv":
        polars.read_csv(first, infer_schema=False).write_csv(second)
    elif ending == "jsonl":
        polars.read_ndjson(first).write_ndjson(second)
    else:
        polars.read_parquet(first).write_parquet(second)
    assert rows(read_corpus(second)) == rows(corpus())


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_tables_go_through_datasets(tmp_path: Path, ending: str) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    given = corpus(tokens=[text.split() for text in TEXTS]) if ending != "csv" else corpus()
    rebuilt = from_dataset(to_dataset(given))
    assert rows(rebuilt) == rows(given)
    first = tmp_path / f"1.{ending.replace('json', 'jsonl')}"
    write_corpus(given, first)
    held = datasets.load_dataset(
        ending, data_files=str(first), split="train", cache_dir=str(tmp_path / "cache")
    )
    second = tmp_path / f"2.{ending.replace('json', 'jsonl')}"
    getattr(held, f"to_{ending}")(str(second))
    assert rows(read_corpus(second)) == [{**row, "id": str(row["id"])} for row in rows(given)]


CONLLU = """\
# sent_id = a
# text = Don't go.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVBP\tMood=Imp|VerbForm=Fin\t3\taux\t3:aux\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t3:advmod\t_
3\tgo\tgo\tVERB\tVB\tVerbForm=Inf\t0\troot\t0:root\tSpaceAfter=No
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t3:punct\t_

# sent_id = b
# text = Sue likes tea and Bill coffee
1\tSue\tSue\tPROPN\tNNP\t_\t2\tnsubj\t_\t_
2\tlikes\tlike\tVERB\tVBZ\t_\t0\troot\t_\t_
3\ttea\ttea\tNOUN\tNN\t_\t2\tobj\t_\t_
4\tand\tand\tCCONJ\tCC\t_\t5\tcc\t_\t_
5\tBill\tBill\tPROPN\tNNP\t_\t2\tconj\t_\t_
5.1\tlikes\tlike\tVERB\tVBZ\t_\t_\t_\t2:conj\t_
6\tcoffee\tcoffee\tNOUN\tNN\t_\t5\torphan\t_\t_

"""


def test_conllu_goes_through_the_library_conllu(tmp_path: Path) -> None:
    conllu = pytest.importorskip("conllu", reason="conllu is not installed")
    first, second = tmp_path / "1.conllu", tmp_path / "2.conllu"
    first.write_text(CONLLU, "utf-8")
    write_corpus(read_corpus(first), second)
    assert second.read_text("utf-8") == CONLLU
    sentences = conllu.parse(second.read_text("utf-8"))
    third = tmp_path / "3.conllu"
    third.write_text("".join(one.serialize() for one in sentences), "utf-8")
    assert rows(read_corpus(third)) == rows(read_corpus(first))
    for sentence, row in zip(sentences, rows(read_corpus(first)), strict=True):
        words = [token for token in sentence if isinstance(token["id"], int)]
        assert [token["form"] for token in words] == row["tokens"]
        assert [token["head"] for token in words] == row["heads"]
        assert [token["deprel"] for token in words] == row["deprels"]


def test_entities_go_through_spacy(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    from spacy.tokens import DocBin

    texts = ["Ann met Bo in Paris.", "No one  there", "Caf\u00e9 Ann"]
    spans = [[(0, 3, "PER"), (8, 10, "PER"), (14, 19, "LOC")], [], [(5, 8, "PER")]]
    held = [
        [{"start": start, "end": end, "label": label} for start, end, label in own]
        for own in spans
    ]  # fmt: skip
    first, second = tmp_path / "1.spacy", tmp_path / "2.spacy"
    write_corpus(Corpus.from_columns(text=texts, spans=held), first)
    blank = spacy.blank("en")
    docs = list(DocBin().from_disk(first).get_docs(blank.vocab))
    assert [doc.text for doc in docs] == texts
    assert [[(e.start_char, e.end_char, e.label_) for e in doc.ents] for doc in docs] == spans
    DocBin(docs=docs).to_disk(second)
    again = read_corpus(second)
    assert again.column("text") == texts
    assert again.column("spans") == held


BRACKETS = "(S (NP (DT the) (NN dog)) (VP (VBD ran) (PP (IN to) (NP (DT the) (NN park)))))"


def test_trees_go_through_nltk(tmp_path: Path) -> None:
    from nltk import Tree

    first, second = tmp_path / "1.mrg", tmp_path / "2.mrg"
    write_corpus(Corpus.from_columns(text=["the dog ran to the park"], tree=[BRACKETS]), first)
    tree = Tree.fromstring(first.read_text())
    second.write_text(tree.pformat(margin=40) + "\n")
    assert read_corpus(second).column("tree") == [BRACKETS]


@pytest.mark.parametrize(("form", "ending"), [("export", "export"), ("tigerxml", "xml")])
def test_files_of_treetools_are_read(tmp_path: Path, form: str, ending: str) -> None:
    pytest.importorskip("treetools", reason="treetools is not installed")
    from treetools import treeinput, treeoutput, trees

    first, second = tmp_path / "1.mrg", tmp_path / f"2.{ending}"
    first.write_text(f"(TOP {BRACKETS})\n")
    with open(second, "w", encoding="utf-8") as out:
        getattr(treeoutput, f"{form}_begin", lambda *_, **__: None)(out)
        for tree in treeinput.brackets(str(first), "utf-8"):
            for node in trees.preorder(tree):  # what brackets have not, TIGER-XML cannot be without
                node.data |= {name: "--" for name, value in node.data.items() if value is None}
            getattr(treeoutput, form)(tree, out)
        getattr(treeoutput, f"{form}_end", lambda *_, **__: None)(out)
    [read] = read_corpus(second).column("tree")
    assert read in (BRACKETS, f"(TOP {BRACKETS})")
