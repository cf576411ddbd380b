"""Grammars of methods on the command line: induced into a file, inspected, sampled, explained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from grammar.errors import TreewrightError
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus, write_batches
from induction.corpus.readers import read_reviews
from sampling.method import METHODS, induce
from treewright.cli import app


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with labelled examples with trees."""
    made = tmp_path_factory.mktemp("methods")
    reviews = read_reviews()
    few = Corpus(reviews.table.select(["id", "text", "label", "tree"]).slice(0, 60))
    write_batches([few.table], str(made / "train.jsonl"))
    return made


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(folder)

    def ran(*arguments: str) -> str:
        done = CliRunner().invoke(app, list(arguments), catch_exceptions=True)
        if done.exception is not None:
            raise done.exception
        return done.stdout

    return ran


GIVEN = (
    ("sub2", {"phrase": True, "text_label": True}),
    ("treemix", {"mix": "cross"}),
    ("randmix", {"threshold": 0.4}),
    ("geca", {"gaps": 1, "window": 1}),
    ("alp", {"synonym": 0.0, "exchange": 0.5}),
)


@pytest.mark.parametrize(("name", "options"), GIVEN, ids=[name for name, _ in GIVEN])
def test_a_method_is_induced_inspected_sampled_and_explained(
    run: Any, folder: Path, name: str, options: dict[str, Any]
) -> None:
    grammar = f"{name}{METHODS[name].suffixes[0]}"
    flags = [part for k, v in options.items() for part in ("--set", f"{k}={json.dumps(v)}")]
    facts = json.loads(
        run("induce", "train.jsonl", "-o", grammar, "--model", name, *flags, "--json", "-q")
    )
    sampler = induce(name, read_corpus(folder / "train.jsonl"), **options)
    assert (facts["model"], facts["examples"]) == (name, 60)
    assert facts["licensed"] == sampler.count()

    seen = json.loads(run("inspect", grammar, "--json", "--top", "3"))
    assert seen["family"] in ("substitution", "alp")

    run("sample", grammar, "-n", "25", "--seed", "3", "--start", "4", "-o", f"{name}.jsonl", "-q")
    made = read_corpus(folder / f"{name}.jsonl")
    expected = sampler.sample(25, seed=3, start=4)
    assert [row["text"] for row in made] == expected.column("text")
    assert made.column("label") == expected.column("label")

    shown = run(
        "explain", f"{name}.jsonl", made[0]["id"], "--source", "train.jsonl", "--grammar", grammar
    )
    assert made[0]["text"] in shown


def test_phrases_of_the_program_of_alp_are_shown_and_drawn_from(run: Any) -> None:
    run("induce", "train.jsonl", "-o", "p.arrow", "--model", "alp", "-O", "faithful=code", "-q")
    assert json.loads(run("inspect", "p.arrow", "--json", "--top", "3"))["family"] == "phrases"
    assert len(run("sample", "p.arrow", "-n", "3").splitlines()) == 3


def test_without_an_output_examples_are_shown(run: Any) -> None:
    run("induce", "train.jsonl", "-o", "s.arrow", "--model", "sub2", "-q")
    assert len(run("sample", "s.arrow", "-n", "4").splitlines()) == 4
    rows = [json.loads(line) for line in run("sample", "s.arrow", "-n", "4", "--json").splitlines()]
    assert [row["provenance"]["method"] for row in rows] == ["sub2"] * 4


def test_the_pools_of_alp_are_shown_and_drawn(run: Any, folder: Path) -> None:
    run("induce", "train.jsonl", "-o", "a.arrow", "--model", "alp", "-O", "synonym=0", "-q")
    seen = json.loads(run("inspect", "a.arrow", "--lhs", "class 1: NN", "--json", "--top", "5"))
    assert seen["examples"] == 60
    assert seen["parser"] == "trees of the corpus"
    rules = seen.get("rules of class 1: NN") or seen["details"]["rules of class 1: NN"]
    assert len(rules) == 5
    run("inspect", "a.arrow", "--plot", "a.svg", "--graphml", "a.graphml", "--top", "3")
    assert (folder / "a.svg").exists()
    assert (folder / "a.graphml").exists()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("induce train.jsonl -o s.json --model sub2", "saved as .arrow"),
        ("induce train.jsonl -o g.arrow --model geca", "saved as .json"),
        ("induce train.jsonl -o u.arrow --model sub2 --set lenght=true", "mean 'length'"),
        ("induce train.jsonl -o u.arrow --model sub2 --set length", "not NAME=VALUE"),
        (
            "induce train.jsonl -o s.arrow --model sub2 --smoothing 1",
            "sub2 does not take --smoothing",
        ),
        ("induce train.jsonl -o s.arrow --model sup2", "did you mean 'sub2'"),
        ("induce embedded -o p.json --set length=true", "pcfg has no option 'length'"),
        ("sample t.arrow --length 3:5", "--length is for sentences"),
        ("sample t.arrow --depth 3", "--depth is for pairs"),
        ("sample t.arrow -o t.xyz", "xyz"),
        ("inspect t.arrow --lhs X", "no symbol 'X'"),
    ],
)
def test_what_does_not_go_is_one_clear_error(run: Any, command: str, message: str) -> None:
    run("induce", "train.jsonl", "-o", "t.arrow", "--model", "treemix", "-q", "--force")
    with pytest.raises(TreewrightError) as error:
        run(*command.split())
    assert message in str(error.value)


def test_bad_rows_and_trees_are_left_out_of_what_is_induced(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.mrg").write_text("(S (NP We) (VP sleep))\n(S (NP They)\n(S (NP You) (VP run))\n")
    with pytest.raises(ValueError, match="never closed"):
        run("induce", "a.mrg", "-o", "g.json")
    run("induce", "a.mrg", "-o", "g.json", "--on-error", "skip")
    assert "a.mrg:2" in (tmp_path / "g.json.skipped.jsonl").read_text()
    (tmp_path / "a.csv").write_text("body,kind\na good film,x\n,x\na bad film,y\n")
    run(
        "induce", "a.csv", "-o", "g.arrow", "--model", "aeda", "--label", "kind", "--on-error",
        "skip",
    )  # fmt: skip
    assert "a.csv:3" in (tmp_path / "g.arrow.skipped.jsonl").read_text()
