"""The verb parse: what it prints, and one message for each fault."""

from __future__ import annotations

import inspect
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from grammar import Grammar, Tree, Treebank
from grammar.chart.parser import Parser
from induction import induce_pcfg, read_treebank
from induction.fragments.dop import induce_double_dop
from induction.parsers.protocol import MAX_WORDS, aligned_treebank
from induction.trees.normalise import SKELETON_STEPS
from tests.checksums import without_seal
from tests.treewright import test_command_line
from treewright.verbs import parse as parsing

run = test_command_line.run

GRAMMAR = """\
S -> NP VP [0.9] | VP [0.1]
NP -> 'we' [0.5] | 'stars' [0.25] | NP PP [0.125] | '(' [0.125]
VP -> 'saw' NP [0.5] | VP PP [0.25] | '<rare:ed>' [0.25]
PP -> 'with' NP [1]
""".replace("'('", "'-LRB-'")
AMBIGUOUS = "we saw stars with stars"
BEST = "(S (NP we) (VP (VP saw (NP stars)) (PP with (NP stars))))"
SECOND = "(S (NP we) (VP saw (NP (NP stars) (PP with (NP stars)))))"


@pytest.fixture(autouse=True)
def source(tmp_path: Path) -> Path:
    path = tmp_path / "g.txt"
    path.write_text(GRAMMAR, "utf-8")
    return path


def test_one_tree_a_line_in_the_order_of_the_lines(run):
    done = run("parse", "g.txt", stdin=f"{AMBIGUOUS}\nwe jumped\r\nwe (\n\nstars jumped".encode())
    assert done.code == 0
    assert done.out.splitlines() == [
        BEST,
        "(S (NP we) (VP jumped))",
        "(())",
        "(())",
        "(S (NP stars) (VP jumped))",
    ]
    assert "line 3: no parse of 'we -LRB-': no derivation from S" in done.err
    assert "line 4: no parse of '': the sentence has no words" in done.err
    assert "warning: 2 of 5 have no tree" in done.err
    quiet = run("parse", "g.txt", "-", "--quiet", stdin=b"we\n")
    assert (quiet.code, quiet.out, quiet.err) == (0, "(())\n", "")


def test_evalb_takes_what_it_prints(run, tmp_path):
    gold = aligned_treebank([Tree.parse(f"(TOP {BEST})")] * 2)
    gold.write(tmp_path / "gold.mrg")
    (tmp_path / "in.txt").write_text(f"{AMBIGUOUS}\n\n")
    assert run("parse", "g.txt", "in.txt", "-o", "out.mrg").out == ""
    scores = run("evalb", "gold.mrg", "out.mrg", "--json").facts
    assert (scores["all"]["f1"], scores["all"]["skipped"]) == (100.0, 1)


def test_the_k_best_trees_come_with_line_and_log_probability(run, tmp_path):
    done = run("parse", "g.txt", "--kbest", 3, "--plot", "k.svg", stdin=f"{AMBIGUOUS}\nwe".encode())
    rows = [line.split("\t") for line in done.out.splitlines()]
    expected = Parser(Grammar.parse(GRAMMAR)).kbest(AMBIGUOUS.split(), 3)
    assert [row[0] for row in rows] == ["1", "1", "2"]
    assert [row[2] for row in rows] == [BEST, SECOND, "(())"]
    assert [float(row[1]) for row in rows[:2]] == pytest.approx(
        [parse.log_probability for parse in expected], abs=1e-4
    )
    assert float(rows[2][1]) == -math.inf
    picture = (tmp_path / "k.svg").read_text()
    assert picture.count(">PP<") == 2
    assert f"1: {rows[0][1]}" in picture


def test_one_tree_with_its_log_probability(run):
    done = run("parse", "g.txt", "--log-prob", stdin=AMBIGUOUS.encode())
    score, tree = done.out.rstrip().split("\t")
    best = Parser(Grammar.parse(GRAMMAR)).viterbi(AMBIGUOUS.split())
    assert float(score) == pytest.approx(best.log_probability, abs=1e-4)
    assert tree == BEST


def test_spans_come_with_their_probability(run):
    done = run("parse", "g.txt", "--spans", stdin=f"\n{AMBIGUOUS}".encode())
    rows = [line.split("\t") for line in done.out.splitlines()]
    assert ["2", "0", "5", "S", "1.0000", AMBIGUOUS] in rows
    assert ["2", "1", "3", "VP", "0.6667", "saw stars"] in rows
    assert ["2", "2", "5", "NP", "0.3333", "stars with stars"] in rows
    assert "line 1: no parse" in done.err


def test_json_has_a_line_a_sentence_with_the_characters_of_each_word(run):
    done = run("parse", "g.txt", "--json", "--kbest", 2, stdin=b"we  saw stars\nwe (x)\n")
    first, second = map(json.loads, done.out.splitlines())
    assert first["line"] == 1
    assert first["words"] == ["we", "saw", "stars"]
    assert (first["starts"], first["ends"]) == ([0, 4, 8], [2, 7, 13])
    assert first["parses"][0]["tree"] == "(S (NP we) (VP saw (NP stars)))"
    assert first["parses"][0]["log_probability"] == pytest.approx(math.log(0.9 / 16))
    assert second["parses"] == []
    assert "no derivation" in second["reason"]
    (spans,) = run("parse", "g.txt", "--json", "--spans", stdin=b"we jumped").out.splitlines()
    found = {
        (s["label"], s["start"], s["end"]): s["probability"] for s in json.loads(spans)["spans"]
    }
    assert found == pytest.approx({("S", 0, 2): 1, ("NP", 0, 1): 1, ("VP", 1, 2): 1})


def test_tokens_given_are_not_split_again(run):
    text = b"we saw stars. with ( with we\n"
    assert "'stars.'" not in run("parse", "g.txt", stdin=text).err
    done = run("parse", "g.txt", "--tokenised", "--json", stdin=b"we saw ( with we")
    facts = json.loads(done.out)
    assert facts["words"] == ["we", "saw", "(", "with", "we"]
    assert "starts" not in facts
    assert "-LRB-" in facts["parses"][0]["tree"]


def test_max_rule_and_workers(run):
    text = f"{AMBIGUOUS}\nwe jumped\n".encode() * 5
    one, two = (
        run("parse", "g.txt", "--decoder", "max-rule", "--workers", n, stdin=text).out
        for n in (1, 2)
    )
    assert one == two
    assert one.splitlines()[0] == BEST


def test_with_a_cache_nothing_is_parsed_twice(run, tmp_path):
    text = f"{AMBIGUOUS}\nwe\nwe\n".encode()
    first = run("parse", "g.txt", "--cache", "parses.db", stdin=text)
    assert "1 from the cache, 2 parsed" in first.err
    again = run("parse", "g.txt", "--cache", "parses.db", stdin=text)
    assert "3 from the cache, 0 parsed" in again.err
    assert again.out == first.out == f"{BEST}\n(())\n(())\n"
    other = run("parse", "g.txt", "--cache", "parses.db", "--decoder", "max-rule", stdin=text)
    assert "1 from the cache, 2 parsed" in other.err


def test_output_is_whole_and_zipped_if_its_name_says_so(run, tmp_path):
    for name in ("out.mrg", "out.mrg.gz"):
        done = run("parse", "g.txt", "-o", name, stdin=AMBIGUOUS.encode())
        assert (done.code, done.out) == (0, "")
        assert [str(tree) for tree in Treebank.read(tmp_path / name)] == [BEST]


def test_results_go_to_standard_output_though_progress_is_shown(tmp_path):
    # a person watches standard error, and standard output goes to a file
    script = (
        "import sys; from rich.console import Console\n"
        "Console.is_terminal = property(lambda self: True)\n"
        "from treewright.cli import main\n"
        "sys.argv = ['treewright', 'parse', 'g.txt', 'in.txt']; main()"
    )
    (tmp_path / "in.txt").write_text("we jumped\n")
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout == "(S (NP we) (VP jumped))\n"
    assert "parsing" in done.stderr


def test_a_picture_has_so_many_trees_at_most_and_needs_one(run, tmp_path, monkeypatch):
    monkeypatch.setattr(parsing, "_MOST_DRAWN", 3)
    done = run("parse", "g.txt", "--plot", "t.svg", stdin=b"we jumped\n" * 5)
    assert "drawn in t.svg, without 2 further trees" in done.err
    assert (tmp_path / "t.svg").read_text().count(">jumped<") == 3
    done = run("parse", "g.txt", "--plot", "none.svg", stdin=b"we\n")
    assert done.code == 0
    assert "there is no tree to draw" in done.err
    assert not (tmp_path / "none.svg").exists()


def test_no_sentences_give_nothing(run):
    done = run("parse", "g.txt", stdin=b"")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_help_has_an_example_with_options_that_there_are(run):
    shown = run("parse", "--help")
    assert shown.code == 0
    example = re.search(r"Example: treewright parse (.*)", shown.out)
    for option in re.findall(r"--[a-z-]+", example.group(1)):
        assert re.search(rf"│ .*{option}\b", shown.out), option


def test_the_default_limit_is_that_of_parsers():
    assert inspect.signature(parsing.parse).parameters["max_words"].default == MAX_WORDS


# --- faults ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "the sentence has no words"),
        (b"\x07", "the sentence has no words"),
        (b"we " * 2000, "it has 2,000 words, and more than 300 are refused"),
        (b"we sneezed oddly", "no derivation"),
    ],
)
def test_a_line_that_cannot_be_parsed_is_said_and_the_others_are_parsed(run, line, reason):
    done = run("parse", "g.txt", stdin=b"we jumped\n" + line + b"\nwe jumped\n")
    assert done.code == 0
    assert [text == "(())" for text in done.out.splitlines()] == [False, True, False]
    assert "line 2: no parse of" in done.err
    assert reason in done.err


def test_counts_in_brackets_are_weights_if_asked_for(run, tmp_path):
    Path("c.pcfg").write_text("S -> NP V [10]\nNP -> 'we' [7] | 'they' [3]\nV -> 'ran' [10]\n")
    refused = run("parse", "c.pcfg", stdin=b"we ran\n")
    assert "(--normalise)" in refused.err
    done = run("parse", "c.pcfg", "--normalise", stdin=b"we ran\n")
    assert done.out == "(S (NP we) (V ran))\n"
    assert run("convert", "c.pcfg", "-o", "c.json", "--normalise").code == 0
    assert run("parse", "c.json", stdin=b"they ran\n").out == "(S (NP they) (V ran))\n"


def test_a_bracket_inside_a_given_token_is_said(run):
    done = run("parse", "g.txt", "--tokenised", stdin=b"we ja(mped\n")
    assert done.out == "(())\n"
    assert "the token 'ja(mped' (word 2 of 2) has a bracket in it" in done.err


def test_longer_sentences_are_parsed_if_asked_for(run):
    text = b"we jumped" + b" with we" * 160
    assert run("parse", "g.txt", stdin=text).out == "(())\n"
    assert run("parse", "g.txt", "--max-words", 400, stdin=text).out.startswith("(S (NP we)")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("absent.json",), "absent.json: cannot read the file"),
        (("broken.json",), "not JSON"),
        (("other.json",), "unknown schema 'treewright.grammar/99'"),
        (("prose.txt",), "this is not a rule"),
        (("empty.txt",), "rule"),
        (("g.txt", "absent.txt"), "absent.txt: cannot read the file"),
        (("g.txt", "latin.txt"), "latin.txt:2:4: byte 0xe9 is not utf-8 text"),
        (("-", "-"), "both standard input"),
        (("g.txt", "--decoder", "best"), "unknown decoder 'best'"),
        (("g.txt", "--decoder", "max-rule", "--kbest", "2"), "gives one tree, not 2"),
        (("g.txt", "--spans", "--kbest", "2"), "--spans shows no trees"),
        (("g.txt", "--spans", "--plot", "t.svg"), "--spans shows no trees"),
        (("g.txt", "--cache", "c.db", "--kbest", "2"), "the cache keeps best trees only"),
        (("g.txt", "--cache", "c.db", "--spans"), "the cache keeps best trees only"),
        (("g.txt", "--cache", "g.txt"), "not a parse cache of this version, or damaged"),
        (("g.txt", "--cache", "absent/c.db"), "cannot use the parse cache"),
        (("g.txt", "--plot", "t.pdf"), "cannot draw to the suffix '.pdf'"),
        (("g.txt", "-o", "absent/out.mrg"), "cannot write the file"),
    ],
    ids=str,
)
def test_a_fault_is_one_message_and_leaves_nothing(run, tmp_path, arguments, message):
    whole = Grammar.parse(GRAMMAR)
    whole.save(tmp_path / "whole.json")
    text = without_seal(tmp_path / "whole.json")
    (tmp_path / "broken.json").write_text(text[: len(text) // 2])
    (tmp_path / "other.json").write_text(text.replace("grammar/1", "grammar/99"))
    (tmp_path / "prose.txt").write_text("To be or not to be\n")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "latin.txt").write_bytes("we jumped\ncafé\n".encode("latin-1"))
    before = test_command_line.names(tmp_path)
    done = run("parse", *arguments, stdin=b"we jumped\n")
    assert done.code == 1
    assert done.err.startswith("treewright: ")
    assert done.err.count("treewright: ") == 1
    assert message in done.err
    assert done.out == ""
    assert test_command_line.names(tmp_path) == before


def test_parsers_of_fragments_know_how_probable_their_trees_are(run, tmp_path):
    trees = Treebank.parse("(S (NP we) (VP jumped)) (S (NP we) (VP swam))")
    induce_double_dop(trees, steps=SKELETON_STEPS).save(tmp_path / "t.json")
    best = run("parse", "t.json", stdin=b"we jumped").out.strip()
    done = run("parse", "t.json", "--kbest", 2, "--plot", "t.svg", stdin=b"we jumped")
    number, log_probability, tree = done.out.splitlines()[0].split("\t")
    assert (number, tree) == ("1", best)
    assert -10.0 < float(log_probability) < 0.0
    spans = run("parse", "t.json", "--spans", stdin=b"we jumped").out.splitlines()
    assert spans[0].startswith("1\t0\t2\tS\t1.0000\t") or spans[1].startswith("1\t0\t2\tS\t1.0")
    (row,) = run("parse", "t.json", "--json", stdin=b"we jumped").out.splitlines()
    assert json.loads(row)["parses"][0]["tree"] == best


def test_without_rare_words_the_warning_says_how_to_have_them(run, tmp_path):
    (tmp_path / "bare.txt").write_text("S -> 'we' S [1/2] | 'swam' [1/2]")
    done = run("parse", "bare.txt", stdin=b"we swam\nwe drove\nwe\nthey swam\n")
    assert "warning: 3 of 4 have no tree, 2 of them with words that the grammar lacks" in done.err
    assert "--rare-words 1" in done.err
    assert "--rare-words" not in run("parse", "g.txt", stdin=b"we\nwe oddly\n").err


@pytest.mark.parametrize("k", [0, -3, "many"])
def test_k_is_a_whole_number_above_zero(run, k):
    done = run("parse", "g.txt", "--kbest", k, stdin=b"we jumped\n")
    assert done.code == 2
    assert "Invalid value for '--kbest'" in done.err
    assert done.out == ""


def test_a_fault_on_the_way_leaves_no_output(run, tmp_path, monkeypatch):
    from induction.parsers.chart import ChartTextParser

    def breaking(self, sentences, **_):
        yield Tree("S", ("we",))
        raise MemoryError("too much")

    monkeypatch.setattr(ChartTextParser, "parse_each", breaking)
    done = run("parse", "g.txt", "-o", "out.mrg", stdin=b"we\nwe\n")
    assert done.code == 1
    assert "not enough memory" in done.err
    assert test_command_line.names(tmp_path) == {"g.txt"}


# --- given tags -------------------------------------------------------------------------------

TAGGED = """\
S -> NN VB [0.9] | NN NN [0.1]
NN -> 'fish' [0.5] | '<rare:s>' [0.5]
VB -> 'fish' [1]
"""


@pytest.mark.parametrize(
    ("separator", "line"), [("/", "fish/NN fish/NN"), ("_", "fish_NN fish_NN")]
)
def test_given_tags_decide(run, tmp_path, separator, line):
    (tmp_path / "t.txt").write_text(TAGGED, "utf-8")
    plain = run("parse", "t.txt", "--tokenised", stdin=b"fish fish")
    assert plain.out == "(S (NN fish) (VB fish))\n"
    done = run("parse", "t.txt", "--tagged", separator, stdin=line.encode())
    assert done.out == "(S (NN fish) (NN fish))\n"
    spans = run("parse", "t.txt", "--tagged", separator, "--spans", stdin=line.encode()).out
    assert "\tNN\t" in spans
    assert "\tVB\t" not in spans


def test_a_word_may_hold_the_separator(run, tmp_path):
    (tmp_path / "t.txt").write_text("S -> CD [1]\nCD -> '1/2' [1]", "utf-8")
    done = run("parse", "t.txt", "--tagged", "/", "--json", stdin=b"1/2/CD")
    assert json.loads(done.out)["words"] == ["1/2"]
    assert json.loads(done.out)["parses"][0]["tree"] == "(S (CD 1/2))"


def test_a_word_not_seen_with_its_tag_is_parsed_with_it(run, tmp_path):
    (tmp_path / "t.txt").write_text(TAGGED, "utf-8")
    done = run("parse", "t.txt", "--tagged", "/", stdin=b"herons/NN dive/VB")
    assert done.out == "(S (NN herons) (VB dive))\n"


def test_an_unknown_tag_is_a_reason(run, tmp_path):
    (tmp_path / "t.txt").write_text(TAGGED, "utf-8")
    done = run("parse", "t.txt", "--tagged", "/", stdin=b"fish/NN fish/XX\nfish/NN fish/VB")
    assert done.code == 0
    assert done.out == "(())\n(S (NN fish) (VB fish))\n"
    assert "the grammar lacks the tag 'XX' of the word 'fish' (word 2 of 2)" in done.err


@pytest.mark.parametrize(
    ("separator", "line", "what"),
    [
        ("/", "fish/NN\nfish/NN fish", "-:2:9: the token 'fish' has no tag"),
        ("/", "fish/NN fish/", "-:1:9: the token 'fish/' has no tag"),
        ("/", "  /NN", "-:1:3: the token '/NN' has no word"),
        ("_", "fish/NN", "has no tag"),
        ("/", "fish\\/NN", "has no tag"),
        ("//", "fish//NN", "'//' cannot stand between word and tag"),
        (" ", "fish NN", "' ' cannot stand between word and tag"),
    ],
)
def test_faults_of_tagged_text(run, tmp_path, separator, line, what):
    (tmp_path / "t.txt").write_text(TAGGED, "utf-8")
    done = run("parse", "t.txt", "--tagged", separator, "-o", "out.mrg", stdin=line.encode())
    assert done.code != 0
    assert what in done.err
    assert not (tmp_path / "out.mrg").exists()


def test_which_lines_have_a_coarser_parse_is_said(run, tmp_path):
    induce_pcfg(read_treebank()[:60], rare_words=1).save(tmp_path / "g.json")
    text = b"The food was good .\n" + b"good , " * 30 + b"\n"
    done = run("parse", "g.json", "--max-words", "20", stdin=text)
    assert "line 2: a coarser parse, in parts: it has 60 words, more than 20" in done.err
    assert "warning: 1 of 2 have a coarser parse" in done.err
    assert len(done.out.splitlines()) == 2
    _, second = run("parse", "g.json", "--json", "--max-words", "20", stdin=text).out.splitlines()
    assert json.loads(second)["coarse"].startswith("in parts")
