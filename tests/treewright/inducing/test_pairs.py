"""Synchronous grammars at the command line: induce, inspect, sample, translate, explain."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.opening import open_grammar
from grammar.synchronous.analysis import ambiguous_types
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.notation import looks_synchronous
from grammar.synchronous.parsing import SynchronousParser
from grammar.trees.tree import Tree
from induction.corpus.formats import read_corpus
from induction.synchronous.induce import SynchronousInduction, induce_synchronous
from sampling.sentences.pairs import pair_batches, sample_pairs
from scan.splits import read_pairs
from tests.treewright import test_command_line

run = test_command_line.run
names = test_command_line.names

PAIRS = [
    ("walk", "W"),
    ("run", "R"),
    ("look", "L"),
    ("walk twice", "W W"),
    ("run twice", "R R"),
    ("look twice", "L L"),
    ("walk and run", "W R"),
    ("run and look twice", "R L L"),
    ("look twice and walk", "L L W"),
]
LINES = "".join(f"IN: {source} OUT: {target}\n" for source, target in PAIRS)
WILD = "S -> S_1 twice ### S_1 S_1 [0.6]\nS -> walk ### W [0.4]\n"
"""Its targets have no finite expected length, its sources have."""
ENDLESS = "S -> S_1 twice ### S_1 S_1 [1]\n"
"""None of its derivations ends."""


@pytest.fixture(scope="module")
def found() -> SynchronousInduction:
    return induce_synchronous(PAIRS, types=1)


@pytest.fixture
def here(tmp_path: Path, found: SynchronousInduction) -> Iterator[Path]:
    """The folder that verbs run in, with pairs and grammars."""
    (tmp_path / "pairs.txt").write_text(LINES)
    (tmp_path / "wild.txt").write_text(WILD)
    (tmp_path / "endless.txt").write_text(ENDLESS)
    found.core.save(tmp_path / "g.json")
    found.rules.save(tmp_path / "r.txt")
    return tmp_path


# --- induce ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("purpose", "part"),
    [((), "core"), (("--purpose", "parsing"), "grammar"), (("--purpose", "reading"), "rules")],
)
def test_what_is_saved_is_said_by_the_purpose(run, here, found, purpose, part):
    done = run("induce", "pairs.txt", "-o", "new.json.gz", "--model", "synchronous",
               "--types", 1, *purpose)  # fmt: skip
    assert done.code == 0, done.err
    assert SynchronousGrammar.load(here / "new.json.gz") == getattr(found, part)
    for name, finding in found.lines():
        if name != "saved":
            assert re.search(rf"^{name} +{re.escape(finding)}$", done.out, re.MULTILINE)
    assert "+ NT_1 twice ### NT_1 NT_1" in done.err


def test_facts_of_induction(run, here, found):
    done = run("induce", "-", "-o", "new.txt", "--model", "synchronous", "--types", 1,
               "--lexicon", "necessity", "--parts", 4, "--json", "-q",
               stdin=LINES.encode())  # fmt: skip
    assert (done.code, done.err) == (0, "")
    facts = done.facts
    assert facts["rules"] == [str(rule) for rule in found.rules.rules]
    assert facts["lexicon"] == {"W": ["walk"], "R": ["run"], "L": ["look"]}
    assert (facts["pairs"], facts["purpose"], facts["types"]) == (9, "sampling", 1)
    assert SynchronousGrammar.load(here / "new.txt") == found.core


def test_the_steps_of_the_search_are_graphs_in_a_folder(run, here, found):
    done = run("induce", "pairs.txt", "-o", "new.json", "--model", "synchronous", "--types", 1,
               "--trace", "a/steps")  # fmt: skip
    assert done.code == 0, done.err
    steps = [f"step-{number:02}.json" for number in range(1, len(found.trace) + 1)]
    assert sorted(names(here / "a" / "steps")) == [*steps, "trace.txt"]
    for name, step in zip(steps, found.trace, strict=True):
        assert SynchronousGrammar.load(here / "a" / "steps" / name) == step.grammar
    text = (here / "a" / "steps" / "trace.txt").read_text()
    assert text == "".join(f"{step}\n" for step in found.trace)
    done = run("induce", "pairs.txt", "-o", "other.json", "--model", "synchronous",
               "--trace", "pairs.txt/steps")  # fmt: skip
    assert done.code == 1
    assert "pairs.txt/steps: cannot make the folder" in done.err
    assert not (here / "other.json").exists()


TERMS = "".join(
    f"IN: {person} {past} OUT: {verb} ( agent = {person.title()} )\n"
    for person in ("ann", "bob", "eve")
    for past, verb in (("slept", "sleep"), ("ran", "run"), ("sang", "sing"))
)


def test_pairs_of_sentences_and_terms(run, here):
    done = run("induce", "-", "-o", "terms.json", "--model", "terms", "--json",
               stdin=TERMS.encode())  # fmt: skip
    assert done.code == 0, done.err
    assert (done.facts["pairs"], done.facts["words"], done.facts["templates"]) == (9, 6, 2)
    assert "lexicon: 6 source words" in done.err
    done = run("translate", "terms.json", stdin=b"eve sang\n")
    assert (done.code, done.out) == (0, "sing ( agent = Eve )\n")


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (
            f"{TERMS}IN: ann ran OUT: sing\n",
            (),
            "t.txt:2, example '2' and t.txt:10, example '10': 'ann ran' has two",
        ),
        (f"{TERMS}IN: ann sat OUT: sit ( )\n", (), "t.txt:10, example '10', word 3 of 'sit ( )'"),
        (TERMS, ("--types", 2), "the model terms does not take --types"),
    ],
)  # fmt: skip
def test_terms_that_are_at_fault(run, here, content, options, message):
    (here / "t.txt").write_text(content)
    done = run("induce", "t.txt", "-o", "terms.json", "--model", "terms", *options)
    assert done.code == 1
    assert message in done.err
    assert not (here / "terms.json").exists()


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv"])
def test_pairs_may_be_a_corpus(run, here, found, suffix):
    from induction.corpus.corpus import Corpus
    from induction.corpus.formats import write_corpus

    texts, targets = zip(*PAIRS, strict=True)
    write_corpus(Corpus.from_columns(text=texts, target=targets), here / f"pairs.{suffix}")
    done = run("induce", f"pairs.{suffix}", "-o", "new.json", "--model", "synchronous",
               "--types", 1, "-q")  # fmt: skip
    assert done.code == 0, done.err
    assert SynchronousGrammar.load(here / "new.json") == found.core


def test_the_column_of_the_sources_is_named_and_bad_pairs_are_left_out(run, here, found):
    lines = ["".join(f"{source},{target}\n" for source, target in PAIRS), "lone,\n,L\n"]
    (here / "pairs.csv").write_text("phrase,target\n" + "".join(lines))
    asked = ("induce", "pairs.csv", "-o", "new.json", "--model", "synchronous", "--types", 1)
    assert "the target is empty" in run(*asked, "--text", "phrase", "-q").err
    done = run(*asked, "--text", "phrase", "--on-error", "skip", "-q")
    assert done.code == 0, done.err
    assert SynchronousGrammar.load(here / "new.json") == found.core
    skipped = (here / "new.json.skipped.jsonl").read_text().splitlines()
    assert [json.loads(line)["why"] for line in skipped] == [
        "the text is missing or empty", "the target is empty",
    ]  # fmt: skip
    done = run(*asked, "--label", "phrase", "--force", "-q")
    assert (done.code, "pairs have no classes" in done.err) == (1, True)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "IN: walk OUT: W\n\nIN: run\n", "a.txt:3: not a SCAN pair"),
        ("a.csv", "text,target\nwalk,W\nrun\n", "a.csv:3: "),
        ("a.tsv", "text\ttarget\nwalk\tW\nrun\n", "a.tsv:3: "),
        ("a.jsonl", '{"text": "walk", "target": "W"}\n{"text": "run"}\n',
         "a.jsonl:2, example '1': the target is empty"),
        ("a.txt", "IN: walk OUT: W\n\nIN: run OUT: R\nIN: walk OUT: V\n",
         "a.txt:1, example '1' and a.txt:4, example '4': 'walk' has two targets: 'W' and 'V'"),
        ("a.csv", "text,label\nwalk,1\n", "the corpus has no column 'target'"),
        ("a.txt", "", "a.txt: there are no training pairs"),
        ("a.csv", "text,target\n", "a.csv: there are no training pairs"),
    ],
)  # fmt: skip
def test_faulty_pairs_give_one_clear_error(run, here, name, content, message):
    (here / name).write_text(content)
    before = names(here)
    done = run("induce", name, "-o", "new.json", "--model", "synchronous", "-q")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("treewright: ")
    assert message in done.err
    assert "\n  hint: " in done.err
    assert done.err.count("\n") == 2
    assert names(here) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--purpose", "both"), "use one of sampling, parsing, reading"),
        (("--lexicon", "magic"), "use one of auto"),
        (("--smoothing", 1), "does not take --smoothing"),
    ],
)
def test_options_of_induction_that_do_not_fit(run, here, arguments, message):
    done = run("induce", "pairs.txt", "-o", "new.json", "--model", "synchronous", *arguments)
    assert done.code == 1
    assert message in done.err
    assert not (here / "new.json").exists()


# --- inspect -----------------------------------------------------------------------------------


def test_inspect_shows_types_rules_and_both_conditions(run, here, found):
    shown = run("inspect", "g.json", "--top", 3, "--json")
    facts, report = shown.facts, found.core.check()
    assert facts["family"] == "synchronous"
    assert (facts["source_radius"], facts["target_radius"]) == (
        report.source_radius,
        report.target_radius,
    )
    assert facts["types"] == 3
    assert [row["type"] for row in facts["entropy of types"]] == ["ROOT", "L2", "L1"]
    assert len(facts["rules of ROOT"]) == 3
    assert facts["rules of ROOT"][-1] == "look ### L [0.111111]"
    assert run("inspect", "wild.txt").out.count("the source only") == 1
    lower = run("inspect", "g.json", "--lhs", "L1").out
    assert "rules of L1" in lower
    assert "walk ### W [0.333333]" in lower
    assert "try L2, L1" in run("inspect", "g.json", "--lhs", "L").err


def test_inspect_draws_and_writes_the_graph(run, here, found):
    assert run("inspect", "g.json", "--plot", "g.svg", "--graphml", "g.graphml").code == 0
    assert "L2_1 and L2_2" in (here / "g.svg").read_text()
    assert len(nx.read_graphml(here / "g.graphml")) == len(found.core.graph)


@given(st.lists(st.floats(0.05, 1.0), min_size=4, max_size=4))
def test_shares_of_types_add_up_to_the_entropy_of_derivations(weights):
    a, b, c, d = weights
    grammar = SynchronousGrammar.parse(
        f"S -> V_1 and V_2 ### V_2 V_1 [{a / (a + b)!r}]\nS -> V_1 twice ### V_1 V_1 "
        f"[{b / (a + b)!r}]\nV -> walk ### W [{c / (c + d)!r}]\nV -> run ### R [{d / (c + d)!r}]"
    )
    shares = [one.share for one in ambiguous_types(grammar, bounded=True)]
    masses = []
    for rule, slots in ((0, 2), (1, 1)):
        for choices in ((x, y) for x in (2, 3) for y in ((2, 3) if slots == 2 else (None,))):
            mass = grammar.weight[rule]
            for choice in choices:
                mass *= 1.0 if choice is None else grammar.weight[choice]
            masses.append(mass)
    assert sum(masses) == pytest.approx(1)
    assert sum(shares) == pytest.approx(-sum(m * math.log2(m) for m in masses))


# --- opening -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "synchronous"),
    [
        (WILD, True),
        ("# words\n%start S\nS -> a ### b [1]", True),
        ("walk ### 'W'", True),
        ("S -> 'a ### b' [1]", False),
        ("S -> A [1] ### all of it\nA -> 'a' [1]", False),
        ("# only ### words\n", False),
        ("", False),
    ],
)
def test_the_notation_of_two_sides_is_recognised(text, synchronous):
    assert looks_synchronous(text) is synchronous


def test_grammars_are_opened_from_json_and_notation(here, found):
    assert open_grammar(str(here / "g.json")) == found.core
    assert open_grammar(str(here / "r.txt")) == found.rules


# --- sample ------------------------------------------------------------------------------------


def test_samples_are_those_of_sample_pairs(run, here, found):
    wanted = sample_pairs(found.core, 50, seed=3, start=7)
    assert run("sample", "g.json", "-n", 50, "--seed", 3, "--start", 7, "-o", "s.jsonl").code == 0
    assert list(read_corpus(here / "s.jsonl")) == list(wanted)
    assert run("sample", "g.json", "-n", 50, "--seed", 3, "--start", 7, "-o", "s.txt").code == 0
    assert read_pairs(here / "s.txt").column("target") == wanted.column("target")
    shown = run("sample", "g.json", "-n", 50, "--seed", 3, "--start", 7).out
    assert shown == (here / "s.txt").read_text()


def test_bands_reach_the_sampler(run, here):
    bands = ("--source-length", "3:4", "--target-length", "3", "--uniform", "--flat")
    rows = [json.loads(line) for line in run("sample", "g.json", *bands, "--json").out.splitlines()]
    assert len(rows) == 10
    assert {len(row["target"].split()) for row in rows} == {3}
    assert {len(row["text"].split()) for row in rows} <= {3, 4}
    shallow = run("sample", "g.json", "--depth", "1").out.splitlines()
    assert {len(line.split()) for line in shallow} == {4}


def test_batches_change_nothing(found):
    whole = sample_pairs(found.core, 10, seed=1).table
    for size in (1, 3, 10, 11):
        tables = list(pair_batches(found.core, 10, seed=1, batch_size=size))
        assert len(tables) == -(-10 // size)
        assert [row for table in tables for row in table.to_pylist()] == whole.to_pylist()
    [empty] = pair_batches(found.core, 0)
    assert empty.num_rows == 0
    assert empty.schema == whole.schema


@pytest.mark.parametrize(
    ("grammar", "arguments", "message"),
    [
        ("wild.txt", (), "the target side does not stay finite"),
        ("wild.txt", ("--flat",), "--depth 1:8"),
        ("endless.txt", (), "no derivation from S ever ends in words"),
        ("endless.txt", ("--depth", "1:8"), "no derivation from S ever ends in words"),
        ("wild.txt", ("--depth", "1-3"), "the depth '1-3' is not a band"),
        ("wild.txt", ("--depth", "1:3", "--source-length", "2"), "give one of them"),
        ("g.json", ("--target-length", "5"), "no derivation"),
        ("g.json", ("--length", "3", "--trees"), "--length, --trees is for sentences"),
        ("g.json", ("--distribution", "uniform"), "--distribution is for sentences"),
        ("p.txt", ("--depth", "3", "--flat"), "--depth is for pairs"),
    ],
)
def test_samples_that_cannot_be(run, here, grammar, arguments, message):
    (here / "p.txt").write_text("S -> 'a' [1]\n")
    done = run("sample", grammar, *arguments, "-o", "s.jsonl")
    assert (done.code, done.out) == (1, "")
    assert message in done.err
    assert not (here / "s.jsonl").exists()


def test_a_wild_grammar_is_sampled_within_a_band(run, here):
    done = run("sample", "wild.txt", "--target-length", "1:8", "-n", 5)
    assert done.code == 0
    assert len(done.out.splitlines()) == 5


# --- translate ---------------------------------------------------------------------------------


def test_the_best_targets_of_sources(run, here):
    done = run("translate", "g.json", stdin=b"walk twice\njump\n\nrun and look\n")
    assert done.code == 0
    assert done.out == "W W\n\n\nR L\n"
    assert done.err.splitlines() == [
        "line 2: no parse of 'jump': the grammar lacks the word 'jump' (word 1 of 1)",
        "line 3: no parse of '': the source is empty",
    ]


def test_k_best_targets_with_log_probabilities(run, here, found):
    (here / "s.txt").write_text("run and look twice\njump\n")
    [best, *others] = SynchronousParser(found.rules).translations(
        ["run", "and", "look", "twice"], 3
    )
    assert others
    done = run("translate", "r.txt", "s.txt", "--kbest", 3, "-q")
    lines = [line.split("\t") for line in done.out.splitlines()]
    assert lines[0] == ["1", f"{best.log_probability:.4f}", " ".join(best.target)]
    assert len(lines) == len(others) + 2
    assert lines[-1] == ["2", "-inf", ""]
    rows = run("translate", "r.txt", "s.txt", "--kbest", 3, "--json", "-q").out.splitlines()
    first, second = map(json.loads, rows)
    assert first["targets"][0]["target"] == " ".join(best.target)
    assert (second["targets"], second["line"]) == ([], 2)
    assert "lacks the word" in second["reason"]


def test_sources_that_only_layers_exclude_are_told_of(run, here):
    (here / "pairs.txt").write_text("walk\nwalk walk run run\njump\n")
    done = run("translate", "g.json", "pairs.txt")
    told = "1 of 3 sources have no target: a grammar induced with --purpose parsing"
    assert told in done.err
    (here / "pairs.txt").write_text("hop\n")
    assert "have no target" not in run("translate", "g.json", "pairs.txt").err


def test_targets_are_scored_against_pairs(run, here):
    (here / "some.txt").write_text(
        "IN: walk OUT: W\nIN: look OUT: L\nIN: run OUT: W\nIN: jump OUT: J\n"
    )
    assert run("translate", "g.json", "some.txt", "--score", "--json").facts == {
        "pairs": 4, "exact": 2, "word for word": 2, "derivable": 2, "no target": 1,
        "exact match": 0.5,
    }  # fmt: skip


def test_derivable_pairs_are_told_from_exact_ones(run, here):
    lines = [f"IN: walk and run twice OUT: {target}\n" for target in ("W R R", "W R W R", "R")]
    (here / "some.txt").write_text("".join(lines))
    facts = run("translate", "r.txt", "some.txt", "--score", "--json").facts
    assert (facts["exact"], facts["derivable"], facts["no target"]) == (1, 2, 0)


def test_sources_with_several_targets_are_induced_and_translated_the_other_way_round(run, here):
    lines = [f"IN: {target} OUT: {source}\n" for source, target in PAIRS]
    (here / "back.txt").write_text("".join([*lines, "IN: W W OUT: walk and walk\n"]))
    refused = run("induce", "back.txt", "-o", "b.json", "--model", "synchronous", "-q")
    assert (refused.code, "'W W' has two targets" in refused.err) == (1, True)
    assert "induce with the option inverse, and translate with --inverse" in refused.err
    made = run("induce", "back.txt", "-o", "b.json", "--model", "synchronous", "--inverse", "-q")
    assert made.code == 0
    done = run("translate", "b.json", "--inverse", stdin=b"W W\nX\n")
    assert done.out.splitlines()[0] in ("walk twice", "walk and walk")
    assert "does not write this target" in done.err
    facts = run("translate", "b.json", "back.txt", "--inverse", "--score", "--json").facts
    assert (facts["derivable"], facts["sources"]) == (len(PAIRS) + 1, len(PAIRS))
    assert facts["exact"] < facts["pairs"] == len(PAIRS) + 1
    assert facts["one of the right ones"] == 1.0


def test_targets_are_executed(run, here):
    (here / "s.txt").write_text("walk twice ### I_WALK I_WALK [0.5]\nrun ### I_WALK [0.5]\n")
    (here / "some.txt").write_text("IN: I_WALK I_WALK OUT: walk and walk\nIN: I_WALK OUT: run\n")
    asked = ("translate", "s.txt", "some.txt", "--inverse", "--score", "--json")
    facts = run(*asked, "--executor", "scan").facts
    assert (facts["exact"], facts["executed"]) == (1, 0.5)
    assert "executed" not in run(*asked).facts
    assert "there is no executor 'nacs'" in run(*asked, "--executor", "nacs").err
    assert "give --score" in run("translate", "s.txt", "--executor", "scan").err


def test_translations_to_a_file_and_a_picture(run, here):
    (here / "one.txt").write_text("run and look twice\n")
    done = run("translate", "g.json", "one.txt", "-o", "t.txt", "--plot", "d.svg")
    assert (done.code, done.out) == (0, "")
    assert (here / "t.txt").read_text() == "R L L\n"
    assert (here / "d.svg").read_text().count(">L<") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("g.json", "pairs.txt", "--score", "--kbest", 2), "--score gives no targets"),
        (("g.json", "pairs.txt", "--plot", "a.svg"), "the picture shows one source"),
        (("g.json", "pairs.txt", "--plot", "a.pdf"), "suffix"),
        (("-", "-"), "both standard input"),
        (("p.txt", "pairs.txt"), "no synchronous grammar"),
        (("endless.txt", "pairs.txt"), "no derivation from S ever ends in words"),
        (("g.json", "ragged.txt", "--score"), "ragged.txt:2: not a SCAN pair: 'IN: run'"),
        (("g.json", "empty.txt", "--score"), "empty.txt: there are no pairs to score"),
    ],
)
def test_translations_that_cannot_be(run, here, arguments, message):
    (here / "p.txt").write_text("S -> 'a' [1]\n")
    (here / "ragged.txt").write_text("IN: walk OUT: W\nIN: run\n")
    (here / "empty.txt").write_text("")
    before = names(here)
    done = run("translate", *arguments)
    assert (done.code, done.out) == (1, "")
    assert message in done.err
    assert done.err.startswith("treewright: ")
    assert done.err.count("\n") == 2
    assert names(here) == before


def test_parse_names_the_verb_for_targets(run, here):
    done = run("parse", "g.json", "pairs.txt")
    assert done.code == 1
    assert "translate" in done.err


# --- explain -----------------------------------------------------------------------------------


def test_a_sampled_pair_is_explained_and_drawn(run, here, found):
    run("sample", "g.json", "-n", 5, "--depth", "3", "-o", "s.jsonl")
    row = read_corpus(here / "s.jsonl")[2]
    done = run("explain", "s.jsonl", 2, "--grammar", "g.json", "--plot", "e.svg", "--json")
    assert done.code == 0, done.err
    facts = done.facts
    assert facts["target"] == row["target"]
    numbers = row["provenance"]["rules"]
    assert [rule.rpartition(" [")[0] for rule in facts["rules"]] == [
        str(found.core.rules[n]) for n in numbers
    ]
    assert facts["tree of the target"].startswith("(ROOT ")
    assert (here / "e.svg").read_text().count(f">{row['target'].split()[0]}<") >= 1
    shown = run("explain", "s.jsonl", 2, "--grammar", "g.json").out
    assert f"tree of the source  {facts['tree of the source']}\n" in shown
    assert " ".join(Tree.parse(facts["tree of the source"]).leaves()) == row["text"]


def test_a_pair_of_another_grammar_is_not_explained(run, here):
    run("sample", "g.json", "-n", 5, "--depth", "3", "-o", "s.jsonl")
    for other in ("wild.txt", "r.txt"):
        done = run("explain", "s.jsonl", 2, "--grammar", other, "--plot", "e.svg")
        assert done.code == 1, other
        assert "name the grammar that the example was made with" in done.err
        assert not (here / "e.svg").exists()
