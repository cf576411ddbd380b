"""The quality report: assess, the page, and the verb as a person meets it."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import CorpusError, OptionError
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus, read_sst, write_corpus
from sampling.quality.examples import differences, example_pairs
from sampling.quality.measures_table import GROUPS, MEASURES
from sampling.quality.page import page
from sampling.quality.report import QualityReport, assess
from sampling.quality.results import written
from sampling.quality.thresholds import Threshold, read_thresholds
from treewright.cli import main

WORDS = ("good", "fine", "bad", "dull")
NOUNS = ("film", "story", "cast", "plot", "score")


def originals() -> Corpus:
    rows = [(a, n) for n in NOUNS for a in WORDS]
    return Corpus.from_columns(
        id=[f"s{i}" for i in range(len(rows))],
        text=[f"it has a {a} {n}" for a, n in rows],
        label=[int(a in ("good", "fine")) for a, _ in rows],
        tree=[f"(S (NP it) (VP (V has) (NP (D a) (A {a}) (N {n}))))" for a, n in rows],
    )


def augmented() -> Corpus:
    """Every third original with 'very' before its adjective, the second of them twice."""
    rows = [row for i, row in enumerate(originals()) if i % 3 == 0]
    rows.append(rows[1])
    return Corpus.from_columns(
        id=[f"m{i}" for i in range(len(rows))],
        text=[row["text"].replace(" a ", " a very ") for row in rows],
        label=[[1.0 - row["label"], float(row["label"])] for row in rows],
        tree=[row["tree"].replace("(A ", "(R very) (A ") for row in rows],
        provenance=[{"parents": [row["id"]], "log_probability": -2.0 - i}
                    for i, row in enumerate(rows)],
    )  # fmt: skip


@pytest.fixture(scope="module")
def report() -> QualityReport:
    test = Corpus.from_columns(text=["it has a very good film", "we came in late"])
    return assess(originals(), augmented(), test=test)


def test_a_report_has_every_measure_that_the_corpora_allow(report: QualityReport) -> None:
    assert set(MEASURES) - set(report.results) == {
        "leakage_13grams", "parsed", "reparse_agreement",
    }  # fmt: skip
    assert list(report.results) == [name for name in MEASURES if name in report.results]
    assert report.left_out == {"re-parse agreement": "there is no parser"}
    assert {measure.group for measure in MEASURES.values()} == set(GROUPS)


def test_values_are_those_of_the_corpora(report: QualityReport) -> None:
    value = {name: result.score.value for name, result in report.results.items()}
    assert value["novelty"] == 1
    assert value["duplicates"] == 1 / 8
    assert value["near_duplicates"] == 2 / 8
    assert value["leakage"] == 1 / 2
    assert report["leakage"].original.value == 0
    assert value["length_shift"] == 1
    assert value["mean_length"] == 6
    assert value["log_probability"] == pytest.approx(-5.5)
    assert value["log_probability_per_word"] == pytest.approx(-5.5 / 6)
    assert value["new_rules"] == pytest.approx(2 / 9)  # NP -> D R A N and R -> word
    assert value["affinity"] == pytest.approx(value["fidelity"] / report["fidelity"].original.value)
    assert report["self_bleu_2"].original.value > 0
    assert report["fidelity"].count == 8


def test_values_lie_within_their_intervals(report: QualityReport) -> None:
    for result in report.results.values():
        for score in filter(None, (result.score, result.original)):
            if score.low is not None:
                assert score.low <= score.high
                assert score.low - 1e-12 <= score.value <= score.high + 1e-12, result.name


def test_the_mean_of_what_each_example_contributes_is_the_score(report: QualityReport) -> None:
    looked = 0
    for name, result in report.results.items():
        if result.each is not None and name not in ("log_probability_per_word", "new_rules"):
            assert np.nanmean(result.each) == pytest.approx(result.score.value), name
            looked += 1
    assert looked > 10


def test_equal_seeds_give_equal_reports_and_pages(report: QualityReport) -> None:
    again = assess(originals(), augmented(), test=report.material.test)
    assert again.to_dict() == report.to_dict()
    assert page(again, "x") == page(report, "x")
    other = assess(originals(), augmented(), seed=1)
    assert other["self_bleu_5"].score.value == report["self_bleu_5"].score.value
    assert other["self_bleu_5"].score.low != report["self_bleu_5"].score.low


def test_what_cannot_be_measured_is_left_out_with_the_reason() -> None:
    given_, made = Corpus.from_columns(text=["a b"]), Corpus.from_columns(text=["a c"])
    found = assess(given_, made)
    assert found.left_out == {
        "fidelity": "columns id, text: the corpus has no column 'label'",
        "diversity": "columns id, text: the corpus has no column 'label'",
        "leakage": "there is no test corpus",
        "BLEU to the parents": "columns id, text: the corpus has no column 'provenance'",
        "rules and shapes": "columns id, text: the corpus has no column 'tree'",
        "log-probability": "columns id, text: the corpus has no column 'provenance'",
        "re-parse agreement": "there is no parser",
    }
    assert "self_bleu_2" not in found.results  # one text has no others
    assert found["bleu_to_originals_2"].original is None
    assert "left out: leakage: there is no test corpus" in str(found)


def test_a_class_with_one_example_leaves_fidelity_out_and_says_so() -> None:
    given_ = Corpus.from_columns(text=["a", "b", "c"], label=[0, 0, 1])
    found = assess(given_, given_)
    assert "fidelity" not in found.results
    assert found.left_out["fidelity"] == "class 1 has one example, which cannot be held out"
    assert found["label_shift"].score.value == 0


def test_affinity_needs_parents() -> None:
    rows = originals()
    found = assess(rows, rows)
    assert "fidelity" in found.results
    assert "affinity" not in found.results


def test_no_words_are_no_error() -> None:
    empty = Corpus.from_columns(text=["", ""])
    found = assess(empty, empty)
    assert found["mean_length"].score.value == 0
    assert "distinct_1" not in found.results
    assert "<svg" in page(found, "x")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ({"text": []}, {"text": ["a"]}, "the originals: the corpus is empty"),
        ({"text": ["a"]}, {"text": []}, "the augmented: the corpus is empty"),
        ({"text": ["a"]}, {"text": [None]}, "the augmented, example 0"),
        (
            {"text": ["a"], "label": [0]},
            {"text": ["a"], "label": [[0.5, 0.2]]},
            "the augmented, .*the soft label does not sum to 1",
        ),
    ],
)
def test_corpora_that_cannot_be_read_are_refused(old: dict, new: dict, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        assess(Corpus.from_columns(**old), Corpus.from_columns(**new))


# --- thresholds -----------------------------------------------------------------------------------


@given(
    st.sampled_from(list(MEASURES)),
    st.sampled_from([">", ">=", "<", "<="]),
    st.floats(-1e6, 1e6),
    st.sampled_from(["", " ", "  "]),
)
def test_thresholds_are_read_as_written(name: str, sign: str, number: float, space: str) -> None:
    text = f"{space}{name}{space}{sign}{space}{number!r}{space}"
    (found,) = read_thresholds([text], MEASURES)
    assert (found.name, found.sign, found.number) == (name, sign, number)
    compared = {">": number < 0, ">=": number <= 0, "<": number > 0, "<=": number >= 0}
    assert found.fails(0) is compared[sign]


@pytest.mark.parametrize(
    "text",
    ["", "duplicates", "duplicates=0.1", "duplicates>", ">0.1", "duplicates>x", "duplicates>1>2",
     "duplicates>nan", "duplicates>0.1,", "__import__('os')>1", "duplicates > 0.1 or 1"],
)  # fmt: skip
def test_malformed_thresholds_are_refused(text: str) -> None:
    with pytest.raises(OptionError, match="no comparison of a measure with a number"):
        read_thresholds([text], MEASURES)


def test_unknown_measures_suggest_the_nearest() -> None:
    with pytest.raises(OptionError, match=r"no measure 'duplicate'\n.*duplicates"):
        read_thresholds(["fidelity<1, duplicate>0.1"], MEASURES)
    with pytest.raises(OptionError, match="measures are fidelity, "):
        read_thresholds(["zzz>0.1"], MEASURES)


def test_thresholds_that_cannot_be_judged_fail(report: QualityReport) -> None:
    thresholds = [
        Threshold("duplicates", ">", 0.1), Threshold("novelty", "<", 1),
        Threshold("parsed", "<", 0.5),
    ]  # fmt: skip
    assert report.failed(thresholds) == [
        "duplicates = 0.125, which is > 0.1",
        "parsed could not be measured",
    ]


# --- the page -------------------------------------------------------------------------------------


class Balanced(HTMLParser):
    """Raises where tags do not match, and remembers what the page would load."""

    VOID = frozenset({"meta", "br", "hr", "img", "input", "link"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.marked: dict[str, list[str]] = {"ins": [], "del": []}

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.loads += [v or "" for k, v in attributes if k in ("src", "href", "xlink:href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.marked:
            self.marked[self.open[-1]].append(data)


def test_the_page_is_whole_and_loads_nothing(report: QualityReport) -> None:
    text = page(report, "a <b> & c")
    reader = Balanced()
    reader.feed(text)
    assert reader.open == []
    assert all(place.startswith("#") for place in reader.loads)
    assert "url(http" not in text
    assert "<script" not in text
    assert "a &lt;b&gt; &amp; c" in text
    for name in report.results:
        assert f"<code>{name}</code>" in text
    assert text.count("<figure>") == 8
    assert "very" in reader.marked["ins"]
    assert "there is no parser" in text


def test_texts_cannot_break_out_of_the_page() -> None:
    evil = "<script>alert(1)</script> &amp; \u202e"
    given_ = Corpus.from_columns(id=["</p>"], text=["plain"])
    text = page(assess(given_, Corpus.from_columns(text=[evil, "x"])), "t")
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "[&lt;/p&gt;]" in text


@given(st.text("ab ", max_size=12), st.text("ab ", max_size=12))
def test_differences_hold_both_texts(old: str, new: str) -> None:
    pieces = differences(old, new)
    assert " ".join(p.words for p in pieces if p.side != "new").split() == old.split()
    assert " ".join(p.words for p in pieces if p.side != "old").split() == new.split()


def test_examples_are_shown_beside_their_hosts(report: QualityReport) -> None:
    shown = dict(example_pairs(report))
    (fair, *_) = shown.values()
    assert len(fair) == 6
    assert fair[0].name == "m0"
    assert fair[0].origin == "s0"
    assert (fair[0].old_label, fair[0].new_label) == ("1", "1: 100 %")
    assert [(p.side, p.words) for p in fair[0].pieces][1] == ("new", "very")
    closest = [pair.name for pair in shown["Closest to an original"]]
    assert len(closest) == len(set(closest))


def test_numbers_are_written_for_people() -> None:
    assert written(1, share=True) == "100.00 %"
    assert written(-12.345, share=False) == "-12.35"


# --- the verb -------------------------------------------------------------------------------------

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("TREEWRIGHT_TRACEBACK", raising=False)
    write_corpus(originals(), "old.jsonl")
    write_corpus(augmented(), "new.jsonl")

    def command(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["treewright", "quality", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        out = capsys.readouterr()
        return code, out.out, out.err

    return command


def test_the_verb_prints_a_table_and_writes_a_page(run: Run, tmp_path: Path) -> None:
    code, out, err = run("old.jsonl", "new.jsonl", "--html", "report.html")
    assert code == 0
    assert out.startswith("20 originals, 8 augmented\n")
    assert re.search(r"^duplicates +12\.50 % +0\.00 % to [\d.]+ % +0\.00 %$", out, re.MULTILINE)
    assert err == "written to report.html\n"
    assert (tmp_path / "report.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert {p.name for p in tmp_path.iterdir()} == {"old.jsonl", "new.jsonl", "report.html"}


def test_json_holds_values_intervals_and_reasons(run: Run) -> None:
    code, out, err = run("old.jsonl", "new.jsonl", "--json", "--seed", "3")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert facts["schema"] == "treewright.quality/1"
    assert facts["sizes"] == {"originals": 20, "augmented": 8}
    assert facts["seed"] == 3
    assert facts["measures"]["duplicates"]["value"] == 0.125
    assert facts["measures"]["duplicates"]["original"]["value"] == 0
    assert facts["left_out"]["leakage"] == "there is no test corpus"


def test_a_threshold_that_is_passed_makes_the_exit_code_one(run: Run, tmp_path: Path) -> None:
    code, out, err = run(
        "old.jsonl", "new.jsonl", "--html", "r.html",
        "--fail-if", "duplicates>0.01, novelty<1", "--fail-if", "length_shift >= 1",
    )  # fmt: skip
    assert code == 1
    assert "duplicates" in out
    assert err.splitlines()[-1] == (
        "treewright: failed: duplicates = 0.125, which is > 0.01; length_shift = 1, which is >= 1"
    )
    assert (tmp_path / "r.html").exists()  # the page shows why
    assert run("old.jsonl", "new.jsonl", "--fail-if", "duplicates>13%")[0] == 0
    assert run("old.jsonl", "new.jsonl", "--fail-if", "duplicates>12%")[0] == 1


def test_quiet_says_nothing_but_the_failure(run: Run) -> None:
    assert run("old.jsonl", "new.jsonl", "-q") == (0, "", "")
    code, out, err = run("old.jsonl", "new.jsonl", "-q", "--fail-if", "duplicates>0")
    assert (code, out, err.count("\n")) == (1, "", 1)


def test_the_augmented_may_come_from_standard_input(run: Run, tmp_path: Path) -> None:
    data = (tmp_path / "new.jsonl").read_bytes()
    code, out, _ = run("old.jsonl", "-", "--json", stdin=data)
    assert code == 0
    assert json.loads(out)["sizes"]["augmented"] == 8


def test_originals_are_read_as_they_were_augmented(run: Run, tmp_path: Path) -> None:
    rows = originals().table.to_pylist()
    lines = [f"{'good' if row['label'] else 'bad'},{row['text']}\n" for row in rows]
    (tmp_path / "old.txt").write_text("stars,review\n" + "".join(lines))
    read = ("--text", "review", "--label", "stars", "--format", "csv")
    code, out, _ = run("old.txt", "new.jsonl", "--json", "--test", "old.txt", *read)
    assert code == 0
    by_name = json.loads(out)["measures"]
    by_number = json.loads(run("old.jsonl", "new.jsonl", "--json")[1])["measures"]
    assert by_name["label_shift"] == by_number["label_shift"]
    assert by_name["leakage"]["original"]["value"] == 1
    code, _, err = run("old.txt", "new.jsonl", "--text", "review", "--format", "tsv")
    assert (code, err.count("hint:")) == (1, 1)


def test_originals_are_read_as_the_manifest_of_the_augmented_says(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [f"{'good' if row['label'] else 'bad'};{row['text']}" for row in originals()]
    (tmp_path / "old.csv").write_text("\n".join(["stars;said", rows[0], "good;", *rows[1:]]))
    making = ["old.csv", "-o", "more.jsonl", "-m", "aeda", "-n", "5", "--on-error", "skip"]
    columns = ["--text", "said", "--label", "stars"]
    monkeypatch.setattr(sys, "argv", ["treewright", "augment", *making, *columns])
    with pytest.raises(SystemExit):
        main()
    code, out, err = run("old.csv", "more.jsonl", "--json")
    assert code == 0, err
    assert "rows of old.csv left out as when it was augmented: 1\n" in err
    assert json.loads(out)["sizes"] == {"originals": 20, "augmented": 5}
    assert run("old.csv", "more.jsonl", "-q") == (0, "", "")
    said_anew = json.loads(run("old.csv", "more.jsonl", "--json", *columns)[1])
    assert said_anew["sizes"]["originals"] == 21  # and so the manifest does not count
    (tmp_path / "old.csv").write_text((tmp_path / "old.csv").read_text() + "\n")
    code, _, err = run("old.csv", "more.jsonl")  # another file now
    assert "left out" not in err
    assert "text is read from the column 'said', label from 'stars'" in err
    assert code == 0


def test_classes_by_name_are_measured_as_those_by_number() -> None:
    def with_names(corpus: Corpus) -> Corpus:
        return corpus.with_column("label", [["bad", "good"][k] for k in corpus.column("label")])

    hard = augmented().with_column("label", [k % 2 for k in range(len(augmented()))])
    for made, named in ((augmented(), augmented()), (hard, with_names(hard))):
        by_name = assess(with_names(originals()), named)
        assert by_name.to_dict() == assess(originals(), made).to_dict()
        shown = page(by_name, "t")
        assert re.search(r"label (good|bad)\b", shown)
        assert not re.search(r"label [01]\b", shown)
    assert "bad: 100 %" in page(assess(with_names(originals()), augmented()), "t")
    with pytest.raises(CorpusError, match="the classes of the augmented are names"):
        assess(originals(), with_names(hard))


def test_a_parser_parses_again(run: Run, tmp_path: Path) -> None:
    rules = "S -> NP VP [1]\nVP -> V NP [1]\nNP -> 'it' [1/2] | D R A N [1/4] | D A N [1/4]\n"
    rules += "V -> 'has' [1]\nD -> 'a' [1]\nR -> 'very' [1]\n"
    rules += "A -> 'good' [1/4] | 'fine' [1/4] | 'bad' [1/4] | 'dull' [1/4]\n"
    rules += "N -> 'film' [1/5] | 'story' [1/5] | 'cast' [1/5] | 'plot' [1/5] | 'score' [1/5]\n"
    (tmp_path / "g.txt").write_text(rules)
    code, out, _ = run("old.jsonl", "new.jsonl", "--json", "--parser", "g.txt")
    assert code == 0
    measures = json.loads(out)["measures"]
    assert measures["parsed"]["value"] == 1
    assert measures["reparse_agreement"]["value"] == 1
    assert measures["reparse_agreement"]["original"]["value"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["old.jsonl", "gone.jsonl"], "gone.jsonl: cannot read the file"),
        (["old.jsonl", "empty.jsonl"], "empty.jsonl: the corpus is empty"),
        (["old.jsonl", "odd.jsonl"], "odd.jsonl, .*the corpus has no column 'text'"),
        (["old.jsonl", "new.xyz"], "new.xyz: there is no such file"),
        (["-", "-"], "two files are standard input"),
        (["old.jsonl", "new.jsonl", "--fail-if", "x"], "'x': this is no comparison"),
        (["old.jsonl", "new.jsonl", "--fail-if", "novel<1"], "did you mean novelty"),
        (["old.jsonl", "new.jsonl", "--html", "no/where.html"], "no/where.html: cannot write"),
        (["old.jsonl", "new.jsonl", "--html", "."], "cannot write the file"),
        (["old.jsonl", "new.jsonl", "--parser", "gone.json"], "gone.json: cannot read the file"),
        (["old.jsonl", "new.jsonl", "--test", "empty.jsonl"], "empty.jsonl: the corpus is empty"),
    ],
)
def test_faults_are_one_message_and_leave_nothing(
    run: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "odd.jsonl").write_text('{"score": "a", "mark": "b"}\n')
    before = {p.name for p in tmp_path.iterdir()}
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    assert re.search(message, err)
    assert err.startswith("treewright: ")
    assert "Traceback" not in err
    assert {p.name for p in tmp_path.iterdir()} == before


def test_an_earlier_page_survives_a_fault(run: Run, tmp_path: Path) -> None:
    (tmp_path / "r.html").write_text("earlier")
    (tmp_path / "bad.jsonl").write_text('{"text": "a", "label": -1}\n')
    code, _, err = run("old.jsonl", "bad.jsonl", "--html", "r.html", "--force")
    assert code == 1
    assert "the augmented" in err
    assert "the label is negative" in err
    assert (tmp_path / "r.html").read_text() == "earlier"


def test_the_help_has_an_example(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    assert "treewright quality train.jsonl augmented.jsonl" in re.sub(r"\s+", " ", out)


# --- real data ------------------------------------------------------------------------------------


def test_a_report_on_sentiment_trees(data_folder: Path, tmp_path: Path) -> None:
    from sampling.spans.treemix import TreeMix

    trees = read_sst(data_folder / "sst" / "train.txt.gz")
    some = Corpus(trees.table.take(np.arange(0, 8000, 40)))
    made = TreeMix.induce(some).sample(300, seed=0)
    test = read_sst(data_folder / "sst" / "test.txt.gz")
    found = assess(some, made, test=test)
    assert set(MEASURES) - set(found.results) == {"parsed", "reparse_agreement"}
    value = {name: result.score.value for name, result in found.results.items()}
    assert value["novelty"] == 1
    assert value["duplicates"] == 0
    assert value["leakage"] == 0
    # substitution keeps most of each host
    assert value["bleu_to_parents_2"] > 0.7
    assert value["bleu_to_originals_2"] >= value["bleu_to_parents_2"]
    assert 0.2 < found["fidelity"].original.value < 0.6  # five classes, two hundred examples
    found.save_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 50_000
    write_corpus(made, tmp_path / "made.parquet")
    again = assess(some, read_corpus(tmp_path / "made.parquet"), test=test)
    assert again.to_dict() == found.to_dict()


def test_a_report_on_polarity_sentences(data_folder: Path) -> None:
    import gzip

    with gzip.open(data_folder / "sst2" / "stsa.binary.train.gz", "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split(" ", 1) for line in lines][::7]
    given_ = Corpus.from_columns(text=[t for _, t in rows], label=[int(n) for n, _ in rows])
    swapped = [" ".join(reversed(text.split())) for _, text in rows]
    made = Corpus.from_columns(text=swapped, label=[int(n) for n, _ in rows])
    found = assess(given_, made)
    # a bag of words hardly sees the order, and distinct-1 does not at all
    assert found["distinct_1"].score.value == found["distinct_1"].original.value
    assert found["fidelity"].original.value > 0.65
    assert found["bleu_to_originals_5"].score.value < 0.2
    assert found["length_shift"].score.value == 0


def test_the_documentation_has_every_measure() -> None:
    text = (Path(__file__).parents[3] / "docs" / "reference" / "measures.md").read_text("utf-8")
    assert [name for name in MEASURES if f"`{name}`" not in text] == []
    # and names no others: what stands in the first column is a measure
    named = [cell for line in text.splitlines() if line.startswith("| `")
             for cell in re.findall(r"`(\w+)`", line.split("|")[1])]  # fmt: skip
    assert sorted(named) == sorted(MEASURES)
