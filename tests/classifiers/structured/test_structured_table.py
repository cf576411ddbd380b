"""The table of structured tasks: samples, cells as files, equal numbers of steps, the verb."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from classifiers.structured.config import StructuredConfig
from classifiers.structured.table import learners
from classifiers.structured.table.cells import (
    METHODS,
    StructuredPlan,
    expression_of,
    read_structured,
    run_structured,
)
from classifiers.structured.table.choice import choose_method
from classifiers.structured.table.data import Annotated, open_annotated
from classifiers.structured.table.learners import LEARNERS, balanced, find_learner
from classifiers.structured.tasks import TASKS, find_task
from grammar.errors import CorpusError, MissingDataError, OptionError
from induction import Corpus, write_corpus
from tests.treewright import test_command_line

run = test_command_line.run

TREES = [
    f"(TOP (S (NP (DT {d}) (NN {n})) (VP (VBD {v}) (NP (DT {e}) (NN {m})))))"
    for d, n, v, e, m in zip(
        ["the", "a", "the", "a", "the", "a"], ["cat", "dog", "film", "plot", "cat", "dog"],
        ["saw", "liked", "hated", "saw", "liked", "hated"], ["a", "the", "a", "the", "a", "the"],
        ["dog", "cat", "plot", "film", "film", "plot"], strict=True,
    )
]  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Sentences with tags, and nothing else that is needed."""
    words = ["the cat saw a dog", "a dog liked the cat", "we met Ann", "they saw Bo", "go now",
             "the film was good"] * 3  # fmt: skip
    tags = ["DET NOUN VERB DET NOUN", "DET NOUN VERB DET NOUN", "PRON VERB PROPN",
            "PRON VERB PROPN", "VERB ADV", "DET NOUN VERB ADJ"] * 3  # fmt: skip
    corpus = Corpus.from_columns(
        text=words, tokens=[w.split() for w in words], tags=[t.split() for t in tags]
    )
    write_corpus(corpus, tmp_path / "tagged.jsonl")
    return tmp_path / "tagged.jsonl"


@pytest.fixture
def plan(file: Path, tmp_path: Path) -> StructuredPlan:
    task = find_task("tags")
    learner = find_learner("perceptron", task, StructuredConfig())
    data = [open_annotated(str(file), task)]
    return StructuredPlan(data, learner, ["none", "replicate", "sub2"], [4], 2, 3, tmp_path / "c")


def test_cells_are_files_that_are_run_once(plan: StructuredPlan) -> None:
    told: list[Any] = []
    assert run_structured(plan, on_cell=lambda *each: told.append(each)) == 0
    assert [(done, of) for _, done, of in told] == [(i, 6) for i in range(1, 7)]
    results = read_structured(plan)
    assert [one.made for one in results[:3]] == [0, 12, 12]
    assert all(0 <= one.scores["test"]["accuracy"] <= 100 for one in results)
    told.clear()
    run_structured(plan, on_cell=lambda *each: told.append(each))
    assert not told
    for changed in (
        replace(plan, times=2),
        replace(plan, development=True),
        replace(plan, sizes=[5]),
    ):
        assert not read_structured(changed)
    path = Path(plan.folder) / results[0].cell.path
    assert json.loads(path.read_text())["cell"]["method"] == "none"


def test_a_budget_of_nothing_leaves_all_cells(plan: StructuredPlan) -> None:
    assert run_structured(plan, budget=0.0) == 6
    assert not read_structured(plan)


def test_what_cannot_be_made_is_a_result(plan: StructuredPlan, tmp_path: Path) -> None:
    alone = replace(plan, sizes=[1], methods=["sub2"], folder=tmp_path / "d", seeds=1)
    run_structured(alone)
    (result,) = read_structured(alone)
    assert result.made < 3 or result.scores


def test_samples_are_functions_of_the_seed(file: Path) -> None:
    task = find_task("tags")
    data = open_annotated(str(file), task)
    assert data.sample(4, 1).table == data.sample(4, 1).table
    assert data.sample(4, 1).table != data.sample(4, 2).table
    few = set(data.sample(4, 1).column("id"))
    assert few <= set(data.sample(8, 1).column("id"))
    assert len(data.sample(99, 0)) == len(data.pool) == 12
    assert len(data.test) == 6
    assert open_annotated(str(file), task, development=True).digest != data.digest


def entities(folder: Path, part: str, sentences: int) -> None:
    names = ["Ann", "Bo", "Cy", "Di"]
    lines = []
    for number in range(sentences):
        name = names[number % 4]
        lines += [f"{name} B-PER", "met O", "Rome B-LOC" if number % 3 else "us O", ""]
        lines += ["nobody O", "left O", ""]
    (folder / f"{part}.conll").write_text("\n".join(lines) + "\n")


def test_sentences_with_spans_are_so_many_of_each_label(tmp_path: Path) -> None:
    entities(tmp_path, "train", 12)
    entities(tmp_path, "dev", 4)
    task = find_task("spans")
    data = open_annotated(str(tmp_path), task)
    assert len(data.test) == 8  # dev, where there is no test
    few = data.sample(2, 0)
    labels = [{span["label"] for span in spans} for spans in few.column("spans")]
    assert all(labels)
    assert all(sum(name in each for each in labels) >= 2 for name in ("PER", "LOC"))
    assert len(few) <= 4
    assert data.sample(2, 0).table == few.table
    other = open_annotated(str(tmp_path), task, development=True)
    assert (len(other.pool), len(other.test)) == (16, 8)
    learner = find_learner("perceptron", task, StructuredConfig())
    plan = StructuredPlan([data], learner, ["none", "auto"], [2], 1, 2, tmp_path / "cells")
    run_structured(plan)
    _, auto = read_structured(plan)
    assert auto.facts["chosen"] == "none"  # four sentences pass no sign test
    assert len(auto.facts["evidence"]) == 1 + 4
    assert auto.made == 0


@pytest.mark.parametrize(("helps", "chosen"), [(True, "sub2"), (False, None)])
def test_a_method_is_chosen_if_it_makes_fewer_mistakes(
    file: Path, helps: bool, chosen: str | None
) -> None:
    task = find_task("tags")

    def train(learner: Any, corpus: Corpus, data: Annotated, seed: int) -> Corpus:
        assert not {*data.test.column("id")} & {*corpus.column("id")}
        good = helps == (len(corpus) > len(data.pool))
        right = data.test.column("tags")
        return data.test.with_column("tags", right if good else [["X"] * len(r) for r in right])

    learner = replace(find_learner("perceptron", task, StructuredConfig()), train=train)
    few = open_annotated(str(file), task).pool

    def with_new(part: Corpus, method: str) -> Corpus:
        if method == "broken":
            raise CorpusError("nothing can be made", hint="none")
        return Corpus(pa.concat_tables([part.table] * 2))

    found = choose_method(few, ["sub2", "broken"], with_new, learner)
    assert found.method == chosen
    assert "cannot be made" in found.evidence[2]
    assert choose_method(few[:1], ["sub2"], with_new, learner).method is None


def test_mistakes_are_parts_of_answers() -> None:
    assert find_task("tags").parts(Corpus.from_columns(text=["a b"], tags=[["X", "Y"]])) == [
        {(0, "X"), (1, "Y")}
    ]
    arcs = Corpus.from_columns(text=["a b"], heads=[[2, 0]], deprels=[["det", "root"]])
    assert find_task("dependencies").parts(arcs) == [{(0, (2, "det")), (1, (0, "root"))}]
    trees = Corpus.from_columns(text=["we go"], tree=["(S (NP (PRP we)) (VP (VB go)))"])
    assert (0, 1, ("NP",)) in find_task("constituency").parts(trees)[0]


def test_given_sentences_weigh_as_much_as_new_ones() -> None:
    corpus = Corpus.from_columns(text=["a", "b"])
    assert balanced(corpus) == (corpus, 2)


def test_grammars_of_few_trees_are_tested(tmp_path: Path) -> None:
    (tmp_path / "few.mrg").write_text("\n".join(TREES))
    task = find_task("constituency")
    data = open_annotated(str(tmp_path / "few.mrg"), task)
    learner = find_learner("pcfg", task, StructuredConfig())
    plan = StructuredPlan([data], learner, ["none", "sub2"], [4], 1, 2, tmp_path / "cells")
    run_structured(plan)
    none, sub2 = read_structured(plan)
    assert none.scores["test"]["F1"] == sub2.scores["test"]["F1"] == 100
    assert sub2.made == 8


def test_an_encoder_reads_the_test_once(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "few.mrg").write_text("\n".join(TREES))
    task = find_task("constituency")
    config = StructuredConfig(encoder=str(tiny), steps=2, hidden=8, device="cpu")
    learner = find_learner("encoder", task, config)
    data = open_annotated(str(tmp_path / "few.mrg"), task)
    plan = StructuredPlan([data], learner, ["none", "replicate"], [4], 1, 2, tmp_path / "cells")
    run_structured(plan)
    assert len(read_structured(plan)) == 2
    held = learner._held[data.digest]
    monkeypatch.setattr(learners, "words_of", lambda corpus: pytest.fail("read again"))
    learner.score(data.sample(4, 0), data, 0)
    assert learner._held[data.digest] is held
    seeded = replace(plan, learner=replace(learner, config=replace(config, seed=5, device="auto")))
    assert len(read_structured(seeded)) == 2  # neither decides what a cell finds
    assert not read_structured(
        replace(plan, learner=replace(learner, config=replace(config, steps=3)))
    )


def test_every_method_of_a_task_is_an_expression() -> None:
    assert METHODS.keys() == TASKS.keys()
    for task, methods in METHODS.items():
        assert all(expression_of(task, name) for name in methods)
    assert (
        expression_of("tags", "auto")
        == expression_of("tags", "none")
        == expression_of("tags", "replicate")
        == ""
    )
    with pytest.raises(OptionError, match="neither a row of the table"):
        expression_of("tags", "sub3")


def test_bad_tables_are_refused(file: Path, tmp_path: Path) -> None:
    assert {task for tasks in LEARNERS.values() for task in tasks} == TASKS.keys()
    with pytest.raises(OptionError, match="no learner 'pcfg' is there for tags"):
        find_learner("pcfg", find_task("tags"), StructuredConfig())
    with pytest.raises(MissingDataError, match="no such data"):
        open_annotated("nothing", find_task("tags"))
    with pytest.raises(MissingDataError, match="no file for train"):
        open_annotated(str(tmp_path), find_task("tags"))
    with pytest.raises(CorpusError, match="no column 'tree'"):
        open_annotated(str(file), find_task("constituency"))


def test_the_verb_prints_a_table(run: Any, file: Path, tmp_path: Path) -> None:
    how = ["structured", "table", "tags", file, "--learner", "perceptron", "-k", "4"]
    done = run(*how, "--seeds", "2", "--times", "2", "-m", "none", "-m", "sub2", "--results",
               tmp_path / "cells", "-o", tmp_path / "table.md")  # fmt: skip
    assert done.code == 0, done.err
    assert "**4 sentences** (2 seeds)" in done.out
    assert (tmp_path / "table.md").read_text().count("\n| ") == 4
    done = run(*how, "--results", tmp_path / "none", "--no-run")
    assert done.code == 1
    assert "no results yet" in done.err
