"""The command line as a person meets it: every verb, every fault, exit codes and streams."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from grammar.errors import CorpusError
from grammar.pcfg.grammar import Grammar
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.corpus.formats import read_corpus
from induction.corpus.readers import read_treebank
from induction.counts.pcfg import induce_pcfg
from sampling.sentences.sentences import sample_sentences
from treewright import __version__
from treewright.cli import main

VERBS = (
    ("demo",),
    ("induce",),
    ("inspect",),
    ("intersect",),
    ("sample",),
    ("parse",),
    ("translate",),
    ("evalb",),
    ("augment",),
    ("quality",),
    ("explain",),
    ("replay",),
    ("models",),
    ("methods",),
    ("classify", "train"),
    ("classify", "predict"),
    ("linda", "train"),
    ("linda", "interpolate"),
    ("classify", "evaluate"),
    ("classify", "auto"),
    ("classify", "tag"),
    ("structured", "train"),
    ("structured", "predict"),
    ("structured", "table"),
    ("data", "list"),
    ("data", "get"),
    ("scan", "generate"),
    ("scan", "split"),
    ("scan", "augment"),
    ("scan", "train"),
    ("scan", "table"),
    ("scan", "cogs"),
    ("scan", "slog"),
    ("scan", "geoquery"),
)
PAIRS = """\
IN: walk OUT: I_WALK
IN: walk twice OUT: I_WALK I_WALK
IN: run OUT: I_RUN
IN: run twice OUT: I_RUN I_RUN
IN: look OUT: I_LOOK
IN: walk left OUT: I_TURN_LEFT I_WALK
IN: run left OUT: I_TURN_LEFT I_RUN
"""
TWO_TARGETS = "IN: walk OUT: W\nIN: run OUT: R\nIN: walk OUT: V\n"


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def facts(self) -> dict:
        return json.loads(self.out)


Run = Callable[..., Outcome]


@pytest.fixture
def run(monkeypatch, capsys, tmp_path) -> Run:
    """Run the command line in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("TREEWRIGHT_TRACEBACK", raising=False)

    def command(*arguments: object, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr(sys, "argv", ["treewright", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        with pytest.raises(SystemExit) as leaving:
            main()
        said = capsys.readouterr()
        return Outcome(leaving.value.code or 0, said.out, said.err)

    return command


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    """A folder with a grammar in every notation, and sentences from it."""
    folder = tmp_path_factory.mktemp("saved")
    grammar = induce_pcfg(read_treebank())
    for name in ("g.json", "g.json.gz", "g.txt"):
        grammar.save(folder / name)
    (folder / "tiny.txt").write_text("S -> 'very' S [0.5] | 'good' [0.5]\n")
    return folder


def in_a_process(*arguments: object, **options) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "treewright", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # a job in the background of a script ignores interrupts, and so would its children
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **options,
    )


def names(folder: Path) -> set[str]:
    """Return all that lies below a folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


# --- what it costs to ask ----------------------------------------------------------------------

PACKAGES = "import treewright, grammar, induction, sampling, scan, scan.experiment, treewright.cli"


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        (
            "import sys; sys.argv = ['treewright', '--help']\n"
            "from treewright.cli import main\n"
            "try: main()\n"
            "except SystemExit: pass",
            {"numpy", "numba", "scipy", "pyarrow", "networkx", "nltk", "matplotlib", "torch"},
        ),
        (PACKAGES, {"torch", "safetensors", "transformers", "matplotlib", "nltk"}),
    ],
    ids=["help", "rooms"],
)
def test_nothing_is_imported_that_is_not_used(statement, absent):
    script = f"{statement}\nimport sys, json; print('\\n' + json.dumps(list(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    )
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert "treewright.cli" in loaded
    assert not absent & loaded


# --- help --------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_the_help_of_a_verb_has_an_example_with_options_that_it_has(run, verb):
    shown = run(*verb, "--help")
    assert shown.code == 0
    text = " ".join(shown.out.split())
    example = re.search(rf"Example: (treewright {' '.join(verb)}.*?) ╭", text)
    assert example, text
    options = re.findall(r" (--?[a-z-]+)", example.group(1))
    for option in options:
        assert re.search(rf"│ .*{option}\b", shown.out), option


def test_the_help_lists_the_verbs(run):
    shown = run("--help")
    assert shown.code == 0
    assert run("-h").out == shown.out
    for verb in VERBS:
        assert f"│ {verb[0]} " in shown.out


def test_the_version_is_printed(run):
    assert run("--version") == Outcome(0, f"{__version__}\n", "")


def test_without_a_verb_the_help_is_shown(run):
    shown = run()
    assert shown.code == 2
    assert "Commands" in shown.out + shown.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("sing",),
        ("induce",),
        ("induce", "embedded"),
        ("sample", "g.json", "-n", "-1"),
        ("sample", "g.json", "-n", "many"),
        ("sample", "g.json", "--workers", "0"),
        ("sample", "g.json", "--seed", "-1"),
        ("inspect", "g.json", "--top", "0"),
        ("scan", "sing"),
    ],
    ids=" ".join,
)
def test_what_the_parser_refuses_is_exit_code_2_on_standard_error(run, arguments):
    refused = run(*arguments)
    assert refused.code == 2
    assert refused.out == ""
    assert "Error" in refused.err
    assert "Traceback" not in refused.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("sample", "g.json", "-n", "1,000"), "'1,000' is not a whole number: write 1000"),
        (("sample", "g.json", "-n", "ten"), "'ten' is not a whole number"),
        (("sample", "g.json", "--temperature", "hot"), "'hot' is not a number"),
        (("augment", "a.csv", "-m", "eda", "+", "aeda"), "unexpected: + aeda; quote a value"),
    ],
)
def test_what_the_parser_refuses_is_told_in_plain_words(run, arguments, told):
    assert told in " ".join(run(*arguments).err.replace("│", " ").split())


# --- induce ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["g.json", "g.json.gz", "g.txt", "g.pcfg"])
def test_induce_writes_the_grammar_of_the_embedded_treebank(run, tmp_path, name):
    done = run("induce", "embedded", "-o", name)
    assert done.code == 0
    assert done.err == "read 435 trees, 5,123 words\n"
    assert "rules    1,531" in done.out
    expected = induce_pcfg(read_treebank())
    written = Grammar.load(tmp_path / name)
    assert [str(p) for p in written] == [str(p) for p in expected]
    assert names(tmp_path) == {name}


def test_induce_takes_the_options_of_the_library(run, tmp_path):
    done = run(
        "induce", "embedded", "-o", "g.json", "--steps", "traces,functions,unaries,root",
        "--direction", "head", "--horizontal-markov", "1", "--vertical-markov", "2",
        "--smoothing", "0.5", "--rare-words", "1", "--json", "--quiet",
    )  # fmt: skip
    expected = induce_pcfg(
        read_treebank(),
        steps=("traces", "functions", "unaries", "root"),
        direction="head",
        horizontal_markov=1,
        vertical_markov=2,
        smoothing=0.5,
        rare_words=1,
    )
    assert done.code == 0
    assert done.err == ""
    assert done.facts["rules"] == len(expected)
    assert done.facts["start"] == "TOP"
    assert Grammar.load(tmp_path / "g.json") == expected


def test_induce_reads_standard_input_files_and_folders(run, tmp_path):
    brackets = "(S (NP we) (VP slept)) (S (NP they) (VP slept))"
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "a.mrg").write_text(brackets)
    for number, source in enumerate(("-", "trees", "trees/a.mrg")):
        done = run("induce", source, "-o", f"{number}.json", "-q", stdin=brackets.encode())
        assert done == Outcome(0, "", "")
    expected = induce_pcfg(Treebank.parse(brackets))
    assert all(Grammar.load(tmp_path / f"{n}.json") == expected for n in range(3))


def test_induce_reads_another_encoding(run, tmp_path):
    (tmp_path / "a.mrg").write_bytes("(S café)".encode("latin-1"))
    assert run("induce", "a.mrg", "-o", "g.json", "--encoding", "latin-1").code == 0
    assert Grammar.load(tmp_path / "g.json").rules.words == ("café",)


def test_a_graph_that_cannot_be_written_is_a_fault(run, tmp_path):
    assert run("induce", "embedded", "-o", "g.json").code == 0
    done = run("inspect", "g.json", "--graphml", "none/g.graphml")
    assert done.code == 1
    assert "none/g.graphml: cannot write the file" in done.err
    assert names(tmp_path) == {"g.json"}
    assert len(Grammar.load(tmp_path / "g.json")) == 1531


# --- inspect -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["g.json", "g.json.gz", "g.txt"])
def test_inspect_reports_health_and_the_rules_of_the_start_symbol(run, saved, name):
    shown = run("inspect", saved / name)
    assert shown.code == 0
    assert shown.err == ""
    assert re.search(r"^proper +yes$", shown.out, re.MULTILINE)
    assert re.search(r"^tight +yes$", shown.out, re.MULTILINE)
    assert re.search(r"^expected length +11\.777 words$", shown.out, re.MULTILINE)
    assert "TOP -> S [0.850575]" in shown.out


def test_inspect_shows_so_many_rules_of_a_symbol_the_most_probable_first(run, saved):
    shown = run("inspect", saved / "g.json", "--lhs", "NP", "--top", "3")
    rules = re.findall(r"^  NP -> .* \[([\d.]+)\]$", shown.out, re.MULTILINE)
    assert len(rules) == 3
    assert rules == sorted(rules, reverse=True)


def test_inspect_check_shows_no_rules(run, saved):
    shown = run("inspect", saved / "g.json", "--check")
    assert "rules of" not in shown.out
    assert "entropy" in shown.out


def test_inspect_gives_its_facts_as_json(run, saved):
    facts = run("inspect", saved / "g.json", "--json", "--lhs", "VP", "--top", "2").facts
    assert facts["proper"] is True
    assert facts["expected_length"] == pytest.approx(5123 / 435)
    assert len(facts["rules of VP"]) == 2
    wild = run("inspect", "-", "--json", stdin=b"S -> S S [0.75] | 'a' [0.25]").facts
    assert wild["tight"] is False
    assert wild["expected_length"] is None  # infinite, which JSON cannot say


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_inspect_draws_the_surroundings_of_a_symbol(run, saved, tmp_path, suffix):
    done = run("inspect", saved / "g.json", "--lhs", "PP", "--plot", f"pp.{suffix}", "--quiet")
    assert done.code == 0
    assert done.err == ""
    picture = (tmp_path / f"pp.{suffix}").read_bytes()
    assert picture.startswith(b"\x89PNG") if suffix == "png" else b"<svg" in picture


def test_inspect_normalises_weights_when_asked_to(run, tmp_path):
    (tmp_path / "w.txt").write_text("S -> 'a' [3] | 'b' [1]\n")
    assert run("inspect", "w.txt").code == 1
    shown = run("inspect", "w.txt", "--normalise")
    assert "S -> 'a' [0.75]" in shown.out


def test_inspect_reads_standard_input_in_either_notation(run, saved):
    for name in ("g.json", "g.txt"):
        shown = run("inspect", "-", "--check", stdin=(saved / name).read_bytes())
        assert shown == run("inspect", saved / name, "--check")
        assert shown.code == 0


def test_inspect_forecasts_what_a_consumer_has_to_do(run, saved):
    shown = run("inspect", saved / "g.json", "--consumer", "llguidance")
    assert shown.code == 0
    assert re.search(r"^fits +yes, all 20 sampled sentences$", shown.out, re.MULTILINE)
    facts = run("inspect", saved / "g.json", "--consumer", "llguidance", "--json").facts
    assert facts["fits"] is True
    assert (facts["limit"], len(facts["items"])) == (2_000, 20)
    wrong = run("inspect", saved / "g.json", "--consumer", "yacc")
    assert wrong.code == 1
    assert "no limit of 'yacc' is known" in wrong.err


# --- sample ------------------------------------------------------------------------------------


def test_sample_shows_sentences_or_their_trees(run, saved):
    expected = sample_sentences(Grammar.load(saved / "g.json"), 5, seed=3, trees=True)
    shown = run("sample", saved / "g.json", "-n", "5", "--seed", "3")
    assert shown == Outcome(0, "".join(f"{t}\n" for t in expected.column("text")), "")
    shown = run("sample", saved / "g.json", "-n", "5", "--seed", "3", "--trees")
    assert shown.out.splitlines() == expected.column("tree")


def test_sample_shows_json_lines(run, saved):
    shown = run("sample", saved / "g.json", "-n", "3", "--trees", "--json", "--start", "7")
    rows = [json.loads(line) for line in shown.out.splitlines()]
    expected = sample_sentences(Grammar.load(saved / "g.json"), 3, start=7, trees=True)
    assert rows == list(expected)


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "jsonl", "csv", "tsv", "txt"])
def test_sample_writes_every_format(run, saved, tmp_path, suffix):
    done = run("sample", saved / "g.json", "-n", "30", "--trees", "-o", f"s.{suffix}", "--json")
    assert done.code == 0
    assert done.facts == {"output": f"s.{suffix}", "sentences": 30, "seed": 0}
    expected = sample_sentences(Grammar.load(saved / "g.json"), 30, trees=True)
    written = read_corpus(tmp_path / f"s.{suffix}")
    assert written.column("text") == expected.column("text")
    if suffix != "txt":
        assert written.table.equals(expected.table)
    assert names(tmp_path) == {f"s.{suffix}"}


def test_sample_writes_the_same_bytes_with_more_workers(run, saved, tmp_path):
    for workers in (1, 2):
        output = f"{workers}.parquet"
        run("sample", saved / "g.json", "-n", "40000", "-o", output, "--workers", workers)
    assert (tmp_path / "1.parquet").read_bytes() == (tmp_path / "2.parquet").read_bytes()


def test_sample_draws_what_holds_a_construction(run, saved):
    given = ("sample", saved / "g.json", "-n", "5", "--trees", "--length", "3:12")
    shown = run(*given, "--containing", "PP < IN < NP", "--containing", "VP").out
    trees = Treebank.parse(shown)
    assert len(trees) == 5
    assert len(trees.search("PP < IN < NP").found_in) == len(trees.search("VP").found_in) == 5
    refused = run(*given, "--containing", "NP .. VP")
    assert refused.code != 0
    assert "a relation of words" in refused.err


@pytest.mark.parametrize(("band", "allowed"), [("5:7", {5, 6, 7}), ("4", {4}), ("4:4", {4})])
def test_sample_keeps_to_a_length_band(run, saved, band, allowed):
    shown = run("sample", saved / "g.json", "-n", "50", "--length", band)
    assert {len(line.split()) for line in shown.out.splitlines()} == allowed


def test_sample_reads_standard_input_in_either_notation(run, saved):
    for name in ("g.json", "g.txt"):
        shown = run("sample", "-", "-n", "4", stdin=(saved / name).read_bytes())
        assert shown == run("sample", saved / "g.json", "-n", "4")


def test_sample_of_nothing_writes_a_file_without_rows(run, saved, tmp_path):
    assert run("sample", saved / "g.json", "-n", "0", "-o", "s.jsonl").code == 0
    assert len(read_corpus(tmp_path / "s.jsonl")) == 0


def test_sample_bounds_a_grammar_that_may_never_end(run):
    wild = b"S -> S S [0.75] | 'a' [0.25]"
    shown = run("sample", "-", "-n", "2", "--length", "3", stdin=wild)
    assert shown == Outcome(0, "a a a\na a a\n", "")


# --- explain -----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv", "parquet", "arrow"])
def test_explain_shows_what_made_an_example(run, saved, suffix):
    run("sample", saved / "g.json", "-n", "5", "-o", f"s.{suffix}", "--seed", "2")
    shown = run("explain", f"s.{suffix}", "3", "--json")
    expected = sample_sentences(Grammar.load(saved / "g.json"), 5, seed=2)[3]
    assert shown.code == 0
    assert shown.facts["text"] == expected["text"]
    assert shown.facts["rules"] == expected["provenance"]["rules"]
    assert (shown.facts["method"], shown.facts["seed"], shown.facts["index"]) == ("pcfg", 2, 3)


@pytest.mark.parametrize("notation", ["g.json", "g.txt"])
@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_explain_shows_rules_and_tree_of_the_grammar(run, saved, tmp_path, notation, suffix):
    run("sample", saved / "g.json", "-n", "3", "-o", "s.jsonl")
    arguments = ("explain", "s.jsonl", "2", "--grammar", saved / notation)
    grammar = Grammar.load(saved / "g.json")
    expected = sample_sentences(grammar, 3, trees=True)[2]
    rules = [str(grammar.production(rule)) for rule in expected["provenance"]["rules"]]
    shown = run(*arguments, "--plot", f"t.{suffix}")
    assert shown.code == 0
    assert shown.err == f"drawn in t.{suffix}\n"
    assert "\n  ".join(rules) in shown.out
    assert Tree.parse(expected["tree"]).pretty() in shown.out
    assert (tmp_path / f"t.{suffix}").stat().st_size > 1000
    assert run(*arguments, "--json").facts["rules"] == rules


def test_explain_draws_a_tree_that_is_in_the_corpus(run, saved, tmp_path):
    run("sample", saved / "g.json", "-n", "3", "-o", "s.csv", "--trees")
    assert run("explain", "s.csv", "0", "--plot", "t.svg", "-q").err == ""
    assert (tmp_path / "t.svg").exists()


def test_explain_shows_the_parents_of_a_made_pair(run, tmp_path):
    (tmp_path / "p.txt").write_text(PAIRS)
    run("scan", "augment", "p.txt", "-o", "made.jsonl", "--grammar", "g.json")
    first = read_corpus(tmp_path / "made.jsonl")[0]
    shown = run("explain", "made.jsonl", first["id"], "--grammar", "g.json")
    assert shown.code == 0
    assert first["text"] in shown.out
    assert "context  " in shown.out
    assert "filler  " in shown.out


# --- data --------------------------------------------------------------------------------------


def test_data_list_says_where_corpora_lie(run, monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_DATA", "/some/where")
    facts = run("data", "list", "--json").facts
    assert facts["TREEWRIGHT_DATA"] == "/some/where"
    assert Path(facts["embedded"]).is_file()
    shown = run("data", "list")
    assert all(name in shown.out for name in facts)


def test_data_list_says_what_is_not_here(run, monkeypatch):
    import nltk

    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.delenv("TREEWRIGHT_DATA", raising=False)
    assert run("data", "list", "--json").facts["treebank"] is None
    assert "not here" in run("data", "list").out


def test_data_get_fetches_with_nltk_what_is_not_here(run, monkeypatch):
    import nltk

    asked = []
    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.setattr(nltk, "download", lambda name, quiet: asked.append(name) or True)
    done = run("data", "get", "treebank", "wordnet")
    assert asked == ["treebank", "wordnet"]
    assert done == Outcome(0, "", "treebank fetched\nwordnet fetched\n")


def test_data_get_leaves_what_is_here(run, monkeypatch, tmp_path):
    import nltk

    (tmp_path / "corpora" / "treebank").mkdir(parents=True)
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.setattr(nltk, "download", lambda *_, **__: pytest.fail("downloaded"))
    assert run("data", "get", "treebank") == Outcome(0, "", "treebank is here already\n")


def no_network(name: str, quiet: bool) -> bool:
    raise OSError("no network")


@pytest.mark.parametrize("download", [lambda name, quiet: False, no_network])
def test_data_get_says_what_it_could_not_fetch(run, monkeypatch, download):
    import nltk

    monkeypatch.setattr(nltk, "download", download)
    done = run("data", "get", "no_such_corpus")
    assert done.code == 1
    assert done.err.startswith("treewright: no_such_corpus could not be fetched")


# --- scan --------------------------------------------------------------------------------------


def test_scan_generate_enumerates_the_language(run, tmp_path):
    shown = run("scan", "generate")
    assert len(shown.out.splitlines()) == 20_910
    assert run("scan", "generate", "-o", "s.txt", "--json").facts["pairs"] == 20_910
    assert (tmp_path / "s.txt").read_text() == shown.out
    assert run("scan", "generate", "-o", "s.parquet", "-q") == Outcome(0, "", "")
    assert len(read_corpus(tmp_path / "s.parquet")) == 20_910


def test_scan_split_writes_both_parts(run, tmp_path):
    facts = run("scan", "split", "jump", "-o", "new/jump", "--json").facts
    assert (facts["train"], facts["test"]) == (14_670, 7_706)
    for part in ("train", "test"):
        lines = (tmp_path / "new" / "jump" / f"{part}.txt").read_text().splitlines()
        assert len(lines) == facts[part]


def test_scan_augment_makes_pairs_and_audits_them(run, tmp_path):
    (tmp_path / "p.txt").write_text(PAIRS)
    (tmp_path / "t.txt").write_text("IN: look twice OUT: I_LOOK I_LOOK\n")
    facts = run("scan", "augment", "p.txt", "-o", "m.jsonl", "--test", "t.txt", "--json").facts
    made = read_corpus(tmp_path / "m.jsonl")
    assert made.column("text") == ["look twice", "look left"]
    assert made.column("target") == ["I_LOOK I_LOOK", "I_TURN_LEFT I_LOOK"]
    assert facts["pairs"] == 2
    assert facts["agree with the interpreter"] == "100.00%"
    assert facts["test commands among them"] == 1


def test_scan_augment_reads_pairs_of_any_format_and_standard_input(run, tmp_path):
    (tmp_path / "p.txt").write_text(PAIRS)
    run("scan", "augment", "p.txt", "-o", "from-lines.txt")
    pairs = [line.removeprefix("IN: ").split(" OUT: ") for line in PAIRS.splitlines()]
    rows = "".join(json.dumps({"text": a, "target": b}) + "\n" for a, b in pairs)
    (tmp_path / "p.jsonl").write_text(rows)
    run("scan", "augment", "p.jsonl", "-o", "from-json.txt")
    run("scan", "augment", "-", "-o", "from-input.txt", stdin=PAIRS.encode())
    contents = {(tmp_path / f"from-{name}.txt").read_text() for name in ("lines", "json", "input")}
    assert len(contents) == 1
    assert "IN: look twice OUT: I_LOOK I_LOOK" in contents.pop()


def test_scan_augment_says_how_many_there_are_if_more_are_asked_for(run, tmp_path):
    (tmp_path / "p.txt").write_text(PAIRS)
    done = run("scan", "augment", "p.txt", "-o", "m.txt", "-n", "9", "--json")
    assert done.code == 0
    assert done.facts["pairs"] == 2
    assert re.match(r"warning: .*2", done.err)


def test_scan_augment_by_a_synchronous_grammar(run, tmp_path):
    (tmp_path / "p.txt").write_text(PAIRS)
    facts = run("scan", "augment", "p.txt", "-o", "m.txt", "--method", "synchronous",
                "-n", "40", "--json").facts  # fmt: skip
    assert facts["targets"] == "training pairs alone"
    assert facts["pairs"] == len((tmp_path / "m.txt").read_text().splitlines()) > 0
    both = ("scan", "augment", "p.txt", "-o", "n.txt", "--method", "sub2", "--grammar", "g.json")
    assert "--grammar goes with --method geca" in run(*both).err
    assert "did you mean 'synchronous'?" in run(*both[:5], "--method", "synchron").err
    assert not (tmp_path / "n.txt").exists()


def test_words_that_scan_does_not_know_are_audited_as_disagreeing(run, tmp_path):
    strange = PAIRS.replace("look", "hop").replace("I_LOOK", "I_HOP")
    (tmp_path / "p.txt").write_text(strange)
    done = run("scan", "augment", "p.txt", "-o", "m.txt", "--json")
    assert done.code == 0
    assert done.facts["pairs"] == 2
    assert done.facts["agree with the interpreter"] == "0.00%"


# --- every fault is one clear message ----------------------------------------------------------

SCHEMA = (
    '{"schema": "treewright.grammar/1", "family": "pcfg", "start": "S", "nodes": [], "edges": []}'
)
JSON_WEIGHT = json.dumps(
    {
        "schema": "treewright.grammar/1",
        "family": "pcfg",
        "start": "S",
        "nodes": [
            {"id": "symbol:S", "kind": "symbol", "name": "S"},
            {"id": "word:a", "kind": "word", "name": "a"},
            {"id": "rule:0", "kind": "rule", "text": "S -> 'a'"},
        ],
        "edges": [
            {"source": "symbol:S", "target": "rule:0", "key": 0, "weight": "WEIGHT", "count": 1},
            {"source": "rule:0", "target": "word:a", "key": 0, "position": 0},
        ],
    }
)
WILD = "S -> S S [3/4] | 'a' [1/4]\n"
# the file "in" is read as the argument IN says; OUT is an output path that must not appear
FAULTS = {
    "unbalanced": ("(S a)\n(S (NP b)", "induce IN -o OUT.json", ["IN:2:1", "never closed"]),
    "closing": ("(S a))", "induce IN -o OUT.json", ["IN:1:6", "without an opening one"]),
    "empty bracket": ("(S (NP))", "induce IN -o OUT.json", ["IN:1:4", "empty bracket"]),
    "stray": ("hello", "induce IN -o OUT.json", ["IN:1:1", "outside any bracket"]),
    "no trees": ("", "induce IN -o OUT.json", ["IN", "no trees"]),
    "only comments": ("# nothing\n", "induce IN -o OUT.json", ["IN", "no trees"]),
    "only traces": ("(S (-NONE- *))", "induce IN -o OUT.json", ["leaves nothing of the trees"]),
    "not UTF-8": (b"(S caf\xe9)", "induce IN -o OUT.json", ["IN:1:7", "0xe9", "--encoding cp1252"]),
    "missing": ("", "induce none.mrg -o OUT.json", ["none.mrg", "cannot read"]),
    "no NLTK corpus": ("", "induce nltk:none -o OUT.json", ["'none'", "data get none"]),
    "NLTK without trees": ("", "induce nltk:re -o OUT.json", ["'re'"]),
    "encoding": ("(S a)", "induce IN -o OUT.json --encoding x", ["no text encoding 'x'"]),
    "step": ("(S a)", "induce IN -o OUT.json --steps roots", ["'roots'", "traces, functions"]),
    "direction": ("(S a)", "induce IN -o OUT.json --direction up", ["'up'", "left, right, head"]),
    "model": ("(S a)", "induce IN -o OUT.json --model dpo", ["'dpo'", "did you mean 'dop'"]),
    "smoothing": ("(S a)", "induce IN -o OUT.json --smoothing=-1", ["smoothing=-1"]),
    "not a number": ("(S a)", "induce IN -o OUT.json --smoothing nan", ["smoothing=nan"]),
    "no folder": ("(S a)", "induce IN -o none/OUT.json", ["none/OUT.json", "cannot write"]),
    "folder as output": ("(S a)", "induce IN -o folder", ["folder", "no name for the model"]),
    "unknown schema": ('{"schema": "x/9"}', "inspect IN", ["IN", "'x/9'", "treewright.grammar/1"]),
    "no schema": ("{\"nodes\": []}", "inspect IN", ["IN", "unknown schema None"]),
    "no rules in JSON": (SCHEMA, "inspect IN", ["rule"]),
    "not JSON": ('{"schema": ', "inspect IN", ["IN:1:12", "not JSON"]),
    "no grammar": ("hello world", "inspect IN", ["IN:1:7", "not a rule"]),
    "empty grammar": ("", "sample IN -o OUT.csv", ["at least one rule"]),
    "negative": ("S -> 'a' [-0.5] | 'b' [1.5]", "sample IN -o OUT.csv", ["'a'", "-0.5"]),
    "NaN": ("S -> 'a' [nan] | 'b' [1]", "sample IN -o OUT.csv", ["S -> 'a'", "nan"]),
    "infinite": ("S -> 'a' [inf]", "sample IN -o OUT.csv", ["S -> 'a'", "inf"]),
    "NaN in JSON": (JSON_WEIGHT.replace('"WEIGHT"', "NaN"), "sample IN -o OUT.csv", ["nan"]),
    "text in JSON": (JSON_WEIGHT, "sample IN -o OUT.csv", ["IN", "rule:0", "weight"]),
    "negative in JSON": (
        JSON_WEIGHT.replace('"WEIGHT"', "-1"), "sample IN -o OUT.csv", ["-1", "not a probability"]
    ),
    "sum": ("S -> 'a' [0.5] | 'b' [0.4]", "sample IN -o OUT.csv", ["weights of S", "0.9, not 1"]),
    "some weights": ("S -> 'a' [0.5] | 'b'", "sample IN -o OUT.csv", ["IN", "rules of S"]),
    "start": ("%start X\nS -> 'a' [1]", "sample IN -o OUT.csv", ["'X'", "choose one of S"]),
    "start in JSON": (
        JSON_WEIGHT.replace('"WEIGHT"', "1").replace('"start": "S"', '"start": "X"'),
        "inspect IN",
        ["'X'", "choose one of S"],
    ),
    "not tight": (WILD, "sample IN -o OUT.csv", ["probability 0.33", "1:40"]),
    "critical": ("S -> S S [1/2] | 'a' [1/2]", "sample IN -o OUT.csv", ["infinite", "1:40"]),
    "no rules for a symbol": (
        "S -> X [0.5] | 'a' [0.5]", "sample IN -o OUT.csv", ["probability 0.5", "1:40"]
    ),
    "no words at all": ("S -> X", "sample IN --length 1:9 -o OUT.csv", ["1 to 9 words"]),
    "band": ("S -> 'a' 'b'", "sample IN -o OUT.csv --length 3:9", ["3 to 9 words", "nearest", "2"]),
    "band backwards": (WILD, "sample IN -o OUT.csv --length 9:3", ["9:3", "5:20"]),
    "band of words": (WILD, "sample IN -o OUT.csv --length some", ["'some'", "5:20"]),
    "half a band": (WILD, "sample IN -o OUT.csv --length 3:", ["'3:'", "5:20"]),
    "endless band": (WILD, "sample IN --length 1:999999999999999 -o OUT.csv", ["memory"]),
    "seed": (WILD, "sample IN -o OUT.csv --length 3 --seed 9223372036854775808", ["2**63"]),
    "suffix": (WILD, "sample IN -o OUT.xls --length 3", ["OUT.xls", ".parquet"]),
    "no suffix": (WILD, "sample IN -o OUT --length 3", ["OUT", ".parquet"]),
    "sample to no folder": (WILD, "sample IN -o none/OUT.csv --length 3", ["none/OUT.csv"]),
    "sample to a folder": (WILD, "sample IN -o folder.csv --length 3", ["folder.csv"]),
    "grammar in a folder": ("", "sample folder -o OUT.csv", ["folder", "cannot read"]),
    "grammar not UTF-8": (b"S -> '\xff'", "sample IN -o OUT.csv", ["IN:1:7", "0xff"]),
    "unknown symbol": (WILD, "inspect IN --lhs NP --plot OUT.svg", ["'NP'", "try S"]),
    "picture": (WILD, "inspect IN --plot OUT.bmp", ["OUT.bmp", ".svg"]),
    "picture to no folder": (WILD, "inspect IN --plot none/OUT.svg", ["none/OUT.svg"]),
    "unknown id": ('{"text": "a"}', "explain IN.jsonl 7", ["IN.jsonl", "'7'", "the ids are 0"]),
    "no tree": ('{"text": "a"}', "explain IN.jsonl 0 --plot OUT.svg", ["no tree", "--trees"]),
    "no corpus": ("hello", "explain IN.jsonl 0", ["IN.jsonl", "JSON"]),
    "no text": ('{"a": 1}', "explain IN.jsonl 0", ["IN.jsonl", "'text'"]),
    "damaged corpus": ("PAR1 no PAR1", "explain IN.parquet 0", ["IN.parquet", "Parquet"]),
    "unknown split": ("", "scan split jumps -o OUT", ["'jumps'", "did you mean 'jump'"]),
    "split into a file": ("", "scan split jump -o IN", ["IN", "cannot make the folder"]),
    "no pairs": ("hello", "scan augment IN -o OUT.txt", ["IN:1", "not a SCAN pair"]),
    "half a pair": (
        "IN: walk OUT: W\nIN: run\n", "scan augment IN -o OUT.txt", ["IN:2", "not a SCAN pair"]
    ),
    "two targets": (
        TWO_TARGETS, "scan augment IN.txt -o OUT.txt --method synchronous",
        ["IN.txt:1, example '1' and IN.txt:3, example '3': 'walk' has two targets: 'W' and 'V'"],
    ),
    "no training pairs": (
        "", "scan augment IN.txt -o OUT.txt --method synchronous",
        ["IN.txt: there are no training pairs"],
    ),
    "no pairs for GECA": (
        "", "scan augment IN.txt -o OUT.txt", ["IN.txt: the corpus is empty"]
    ),
    "no examples": (
        "text,label\n", "augment IN.csv -o OUT.csv -m geca -n 3", ["IN.csv: the corpus is empty"]
    ),
    "no target": ('{"text": "a"}', "scan augment IN.jsonl -o OUT.txt", ["'target'"]),
    "augment method": (PAIRS, "scan augment IN -o OUT.txt --method eda", ["'eda'", "geca"]),
    "augment mode": (PAIRS, "scan augment IN -o OUT.txt --faithful x", ["'x'", "paper, code"]),
    "augment suffix": (PAIRS, "scan augment IN -o OUT.xls", ["OUT.xls", ".jsonl"]),
    "no tests": (PAIRS, "scan augment IN -o OUT.txt --test none.txt", ["none.txt"]),
    "generate suffix": ("", "scan generate -o OUT.xls", ["OUT.xls", ".jsonl"]),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_message_exit_code_1_and_no_output(run, tmp_path, fault):
    content, command, fragments = FAULTS[fault]
    source = re.search(r"\bIN[.a-z]*", command)
    if source:
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / source.group()).write_bytes(data)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.csv").mkdir()
    before = names(tmp_path)
    done = run(*command.split())
    assert done.code == 1
    assert "Traceback" not in done.err
    assert "unexpected" not in done.err
    message = done.err[done.err.index("treewright: ") :]
    assert done.err.count("treewright: ") == 1
    told = r"(read [\d,]+ trees, [\d,]+ words\n|IN:1: X has no rules; quote words, [^\n]+\n)?"
    assert re.fullmatch(told, done.err.removesuffix(message))
    assert message.count("\n  hint: ") == 1, message
    for fragment in fragments:
        assert fragment in message
    assert names(tmp_path) == before


def test_a_grammar_of_a_method_gives_examples(run, tmp_path):
    (tmp_path / "p.txt").write_text(PAIRS)
    run("scan", "augment", "p.txt", "-o", "m.txt", "--grammar", "g.json")
    assert run("sample", "g.json", "-n", "1", "-o", "s.csv").code == 0
    assert run("inspect", "g.json").code == 0
    assert names(tmp_path) == {"p.txt", "m.txt", "g.json", "s.csv"}


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("S -> 'a' [1]", "the grammar has only 1"),
        # rules of these numbers are there, but they do not make a derivation
        ("S -> A A A A [0.5] | 'z' [0.5]\nA -> 'x' [0.5] | 'y' [0.5]", "no derivation"),
        ("%start S\nA -> 'x' [1/2] | 'y' [1/2]\nB -> A 'b' [1]\nS -> A B [1]", "no derivation"),
        ("S -> 'a' [0.5] | S 'b' [0.3] | 'c' [0.1] | 'd' [0.1]", "no derivation"),
    ],
)
def test_a_grammar_that_did_not_make_the_example_is_refused(run, tmp_path, other, message):
    (tmp_path / "g.txt").write_text("S -> A B [1]\nA -> 'a' [1/2] | 'b' [1/2]\nB -> 'b' [1]")
    (tmp_path / "other.txt").write_text(other)
    run("sample", "g.txt", "-n", "1", "-o", "s.jsonl")
    done = run("explain", "s.jsonl", "0", "--grammar", "other.txt", "--plot", "t.svg")
    assert done.code == 1
    assert message in done.err
    assert "name the grammar that the example was made with" in done.err
    assert "t.svg" not in names(tmp_path)


def test_a_fault_leaves_an_older_output_as_it_was(run, tmp_path):
    (tmp_path / "s.csv").write_text("old")
    assert run("sample", "-", "-o", "s.csv", stdin=WILD.encode()).code == 1
    # this one happens while rows are being written
    spaced = b"S -> 'New York' [1]"
    assert run("sample", "-", "-o", "s.csv", "--trees", stdin=spaced).code == 1
    assert (tmp_path / "s.csv").read_text() == "old"
    assert names(tmp_path) == {"s.csv"}


def test_a_fault_of_our_own_is_owned_up_to_without_a_traceback(run, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("induction.corpus.readers.read_treebank", fail)
    done = run("induce", "embedded", "-o", "g.json")
    assert done.code == 1
    assert done.err.startswith("treewright: unexpected ZeroDivisionError: division by zero\n")
    assert "TREEWRIGHT_TRACEBACK" in done.err
    monkeypatch.setenv("TREEWRIGHT_TRACEBACK", "1")
    monkeypatch.setattr(sys, "argv", ["treewright", "induce", "embedded", "-o", "g.json"])
    with pytest.raises(ZeroDivisionError):
        main()


def test_one_verb_is_prepared_and_all_are_there_after_it(run):
    assert "translate" not in run("scan", "--help").out
    assert "Did you mean 'scan'" in run("scna").err
    everything = run("--help").out
    for name in ("translate", "scan", "classify", "workbench"):
        assert name in everything


def test_an_interrupt_that_a_kernel_wrapped_is_an_interrupt(run, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise SystemError("a result with an exception set") from KeyboardInterrupt()

    monkeypatch.setattr("induction.corpus.readers.read_treebank", interrupted)
    done = run("induce", "embedded", "-o", "g.json")
    assert done.code == 130
    assert done.err.endswith("treewright: interrupted; files appear only when they are complete\n")


@pytest.fixture
def heeding_interrupts():
    """What a shell starts behind its back ignores interrupts, and so do the tests in it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeding_interrupts")
def test_an_interrupt_that_a_destructor_lost_comes_again(run, monkeypatch):
    class Losing:
        def __del__(self) -> None:
            raise KeyboardInterrupt

    def working_on(*_: object, **__: object) -> None:
        Losing()
        asleep.start()
        time.sleep(30)  # as a run does that waits for its workers

    asleep_for_long: list[bool] = []
    asleep = threading.Timer(25, asleep_for_long.append, [True])
    monkeypatch.setattr("induction.corpus.readers.read_treebank", working_on)
    done = run("induce", "embedded", "-o", "g.json")
    asleep.cancel()
    assert done.code == 130
    assert not asleep_for_long
    assert done.err.endswith("treewright: interrupted; files appear only when they are complete\n")


@pytest.mark.parametrize("shown", [False, True])
def test_what_else_a_destructor_loses_is_no_interrupt_and_said_if_asked(run, monkeypatch, shown):
    """As of an object that an interrupt left half made, while kernels were compiled."""
    lost = []
    if shown:
        monkeypatch.setenv("TREEWRIGHT_TRACEBACK", "1")

    class Losing:
        def __del__(self) -> None:
            raise ValueError("of a destructor")

    def working_on(*_: object, **__: object) -> None:
        Losing()
        time.sleep(0.2)
        raise CorpusError("no tree")

    monkeypatch.setattr("sys.unraisablehook", lambda found: lost.append(found.exc_type))
    monkeypatch.setattr("induction.corpus.readers.read_treebank", working_on)
    if shown:
        with pytest.raises(CorpusError):
            run("induce", "embedded", "-o", "g.json")
    else:
        assert run("induce", "embedded", "-o", "g.json").code == 1
    assert lost == [ValueError] * shown


# --- as a process ------------------------------------------------------------------------------


def test_a_fault_is_the_exit_code_of_the_process_and_all_of_its_standard_error(tmp_path):
    (tmp_path / "b.mrg").write_text("(S (NP a)")
    process = in_a_process("induce", "b.mrg", "-o", "g.json", cwd=tmp_path)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert out == b""
    assert err.splitlines() == [
        b"treewright: b.mrg:1:1: opening bracket that is never closed",
        b"  hint: add the missing ')'",
    ]
    assert names(tmp_path) == {"b.mrg"}


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_half_way_leaves_no_file(saved, tmp_path, workers):
    process = in_a_process(
        "sample", saved / "g.json", "-n", 10**9, "-o", "s.parquet", "--workers", workers,
        cwd=tmp_path,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not names(tmp_path):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "it never began to write"
        time.sleep(0.02)
    parts = (".part-", "s.parquet.partial")
    assert all(name.startswith(parts) for name in names(tmp_path))
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert out == b""
    assert err == b"treewright: interrupted; files appear only when they are complete\n"
    assert names(tmp_path) == set()


def test_a_reader_that_leaves_early_is_no_fault(saved, tmp_path):
    process = in_a_process("sample", saved / "g.json", "-n", 10**9, cwd=tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=60) in (0, 1)
    assert process.stderr is not None
    assert process.stderr.read() == b""


def test_a_terminal_that_cannot_show_a_character_gets_its_number(tmp_path):
    (tmp_path / "g.txt").write_text("S -> '漢' [1]\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    process = in_a_process("sample", "g.txt", "-n", 1, cwd=tmp_path, env=environment)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, b"\\u6f22\n", b"")
