"""The few-shot table: cells as files, what is redone and what is not, statistics by hand."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import found_names
from classifiers.config import TrainingConfig
from classifiers.examples import balanced, read_examples
from classifiers.networks import finetuning as finetuning_module
from classifiers.table import methods as methods_module
from classifiers.table.cells import Plan, cells_of, read_results, run_cells
from classifiers.table.controls import adjusted, undersampled
from classifiers.table.data import FewShot, open_few_shot
from classifiers.table.files import Cell, Result
from classifiers.table.methods import IMBALANCE, METHODS, find_compared, versions_of
from classifiers.table.plot import draw_ranks
from classifiers.table.rows import Rows
from classifiers.table.summary import (
    Ranks,
    markdown,
    paired_gain,
    rank_table,
    ranks,
    rows_of,
    to_csv,
)
from classifiers.training.train import trainer
from grammar.errors import (
    CorpusError,
    MissingDataError,
    OptionError,
    SchemaError,
)
from induction import Corpus, write_corpus
from sampling.names.files import read_names
from tests.treewright import test_command_line

run = test_command_line.run

TFIDF = TrainingConfig(encoder="tfidf", C=10.0, ngrams=2, class_weight="none")
"""With nothing left to be fitted, which takes dozens of trainings a cell."""
GOOD = ("good", "great", "moving", "lovely", "fine", "warm", "bright", "clever")
BAD = ("bad", "dull", "boring", "poor", "cold", "weak", "slow", "silly")
PLACES = ("the film was", "it was a", "what a", "so very", "this is", "they are")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of data: texts that name their class with one word."""
    rows = [(f"{place} {word}", label) for label, words in (("pos", GOOD), ("neg", BAD))
            for place in PLACES for word in words]  # fmt: skip
    place = tmp_path / "made"
    place.mkdir()
    for name, part in (("train", rows[::2]), ("test", rows[1::2])):
        texts, labels = zip(*part, strict=True)
        write_corpus(Corpus.from_columns(text=texts, label=labels), place / f"{name}.csv")
    (place / "names.txt").write_text(f"pos: {', '.join(GOOD)}\nneg: {', '.join(BAD)}\nso NAME\n")
    return place


def plan_of(folder: Path, *names: str, **asked: Any) -> Plan:
    data = [open_few_shot(str(folder))]
    found = [find_compared(name) for name in names]
    return Plan(data, found, (2,), 2, TFIDF, folder.parent / "cells", **asked)


# --- data --------------------------------------------------------------------------------------


def test_samples_are_functions_of_the_seed_and_leave_the_test_alone(folder: Path) -> None:
    data = open_few_shot(str(folder))
    one, again, other = data.sample(3, 0), data.sample(3, 0), data.sample(3, 1)
    assert one.column("text") == again.column("text") != other.column("text")
    assert sorted(one.column("label")) == ["neg"] * 3 + ["pos"] * 3
    tested = {text for text, _ in data.tests["test"]}
    assert not tested & {text for text, _ in data.pool}
    more = data.others(3, 0, 1000)
    assert not set(more.column("text")) & set(one.column("text"))
    assert len(more) == len(data.pool) - 6


def test_rare_classes_are_drawn_and_small_ones_give_all(folder: Path) -> None:
    data = open_few_shot(str(folder))
    counts = [sorted(data.sample(2, seed, 5).column("label")).count("pos") for seed in range(12)]
    assert set(counts) == {2, 10}
    assert len(data.sample(1000, 0)) == len(data.pool)


def test_development_tests_on_a_part_of_what_is_sampled_from(folder: Path) -> None:
    data, held = open_few_shot(str(folder)), open_few_shot(str(folder), development=True)
    assert list(held.tests) == ["development"]
    texts = {text for text, _ in data.pool}
    assert {text for text, _ in held.tests["development"]} < texts
    assert held.digest != data.digest


def test_names_are_found_beside_the_data_or_in_a_folder(folder: Path, tmp_path: Path) -> None:
    assert open_few_shot(str(folder)).names == folder / "names.txt"
    (tmp_path / "made.txt").write_text("pos: yes\nneg: no\n")
    assert open_few_shot(str(folder), names=tmp_path).names == tmp_path / "made.txt"
    (folder / "names.txt").unlink()
    assert open_few_shot(str(folder)).names is None
    with pytest.raises(MissingDataError, match="what the classes of made are called"):
        run_cells(plan_of(folder, "names"))


def test_of_one_file_a_third_is_tested(folder: Path) -> None:
    data = open_few_shot(str(folder / "train.csv"))
    assert (data.name, len(data.pool), len(data.tests["held out"])) == ("train", 32, 16)


@pytest.mark.skipif("TREEWRIGHT_DATA" not in os.environ, reason="TREEWRIGHT_DATA is not set")
@pytest.mark.parametrize(
    ("name", "classes", "tested"), [("atis", 6, 390), ("brown", 8, 600), ("gum", 4, 182)]
)
def test_passages_and_questions_are_of_one_class_and_mixed(
    name: str, classes: int, tested: int
) -> None:
    data = open_few_shot(name, names="examples/names")
    rows = data.tests["test"]
    assert (len(data.classes), len(rows)) == (classes, tested)
    assert {label for _, label in rows[: tested // 4]} == set(data.classes)  # not sorted by class
    assert not {text for text, _ in rows} & {text for text, _ in data.pool}
    assert data.names is not None
    assert set(read_names(str(data.names)).names) == set(data.classes)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ("sst3", OptionError, "did you mean 'sst2'"),
        ("nowhere/at/all", OptionError, "unknown data set"),
        ("sst2", MissingDataError, "TREEWRIGHT_DATA has to name"),
        ("empty", MissingDataError, "no file train.csv"),
        ("strange", CorpusError, "the class 'so-so' of the part 'test' has no example"),
        ("single", CorpusError, "fewer than two classes"),
    ],
)
def test_data_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, error: type, message: str
) -> None:
    monkeypatch.setenv("TREEWRIGHT_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name, train, test in (("strange", "a,x\nb,y\n", "c,so-so\n"), ("single", "a,x\n", "b,x\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.csv").write_text(f"text,label\n{train}")
        (tmp_path / name / "test.csv").write_text(f"text,label\n{test}")
    (tmp_path / "empty").mkdir()
    with pytest.raises(error, match=message):
        open_few_shot(given)


def test_a_named_set_without_a_folder_of_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TREEWRIGHT_DATA", raising=False)
    with pytest.raises(MissingDataError, match="set TREEWRIGHT_DATA"):
        open_few_shot("trec")


# --- cells -------------------------------------------------------------------------------------


def test_every_kind_of_row_runs_or_says_why_not(folder: Path) -> None:
    names = ("none", "replicate", "aeda", "randmix", "treemix", "geca", "names", "unlabelled")
    names += ("more-labels", "auto-names", *IMBALANCE)
    plan = replace(plan_of(folder, *names), seeds=1, sizes=(4,))
    assert run_cells(plan) == 0
    found = {one.cell.method: one for one in read_results(plan)}
    assert found.keys() == set(names)
    for name, one in found.items():
        assert bool(one.scores) != ("cannot" in one.facts), name
        assert 0 <= one.scores.get("test", {"accuracy": 0})["accuracy"] <= 100
    assert found["names"].scores["test"]["accuracy"] > found["none"].scores["test"]["accuracy"]
    assert found["auto-names"].facts["chosen"].startswith("names(")
    assert "no new example can be made" in found["treemix"].facts["cannot"]  # so short texts
    for name in ("aeda", "randmix", "unlabelled", "more-labels"):
        assert found[name].made > 8, name


def test_all_methods_get_the_same_samples(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[int, set[tuple[str, ...]]] = {}

    def spy(method: Any, trial: Any) -> Any:
        seen.setdefault(trial.seed, set()).add(tuple(trial.few.column("text")))
        return METHODS["none"].learn(method, trial)

    plan = plan_of(folder, "none", "eda", "names")
    run_cells(replace(plan, methods=[replace(one, learn=spy) for one in plan.methods]))
    assert {seed: len(texts) for seed, texts in seen.items()} == {0: 1, 1: 1}


def test_a_stopped_run_goes_on_and_changed_settings_are_run_again(folder: Path) -> None:
    done: list[str] = []

    def ran(plan: Plan, stop: int | None = None) -> list[str]:
        done.clear()

        def on_cell(result: Result, number: int, total: int) -> None:
            done.append(f"{result.cell.method} {result.cell.seed}")
            if len(done) == stop:
                raise KeyboardInterrupt

        if stop is None:
            run_cells(plan, on_cell=on_cell)
        else:
            with pytest.raises(KeyboardInterrupt):
                run_cells(plan, on_cell=on_cell)
        return list(done)

    plan = plan_of(folder, "none", "aeda", "names")
    assert ran(plan, stop=2) == ["none 0", "aeda 0"]
    assert ran(plan) == ["names 0", "none 1", "aeda 1", "names 1"]
    assert ran(plan) == []
    before = read_results(plan)
    # the weight is a setting of methods that make examples, and the names are of those with names
    assert ran(plan_weighted(plan, 0.5)) == ["aeda 0", "names 0", "aeda 1", "names 1"]
    (folder / "names.txt").write_text(f"pos: {GOOD[0]}\nneg: {BAD[0]}\n")
    assert ran(plan_weighted(plan, 0.5)) == ["names 0", "names 1"]
    assert len(ran(replace(plan, config=replace(TFIDF, C=2.0)))) == 6
    assert read_results(plan) == []
    text = f"pos: {', '.join(GOOD)}\nneg: {', '.join(BAD)}\nso NAME\n"
    (folder / "names.txt").write_text(text)
    assert len(ran(plan)) == 6
    assert [replace(one, seconds=0) for one in read_results(plan)] == [
        replace(one, seconds=0) for one in before
    ]


def plan_weighted(plan: Plan, weight: float) -> Plan:
    return replace(plan, methods=[find_compared(m.name, weight=weight) for m in plan.methods])


def test_data_that_changed_is_other_data(folder: Path) -> None:
    run_cells(plan_of(folder, "none"))
    text = (folder / "train.csv").read_text()
    (folder / "train.csv").write_text(text.replace("moving", "nice"))
    assert read_results(plan_of(folder, "none")) == []


def test_what_would_be_over_the_time_is_left(folder: Path) -> None:
    plan = plan_of(folder, "none", "aeda")
    assert run_cells(plan, budget=0.0) == 4
    assert run_cells(plan, budget=1000.0) == 0


def test_a_damaged_cell_is_named(folder: Path) -> None:
    plan = plan_of(folder, "none")
    run_cells(plan)
    path = folder.parent / "cells" / cells_of(plan)[0][0].path
    path.write_text("{}")
    with pytest.raises(SchemaError, match="delete it, and run it again"):
        read_results(plan)


def test_options_that_a_frozen_encoder_does_not_read_change_no_cell(folder: Path) -> None:
    plan = plan_of(folder, "none")
    run_cells(plan)
    assert len(read_results(replace(plan, config=replace(TFIDF, steps=7)))) == 2


def test_texts_are_prepared_once_for_encoders_that_learn(
    folder: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared: list[int] = []
    plain = finetuning_module.read_texts
    monkeypatch.setattr(
        finetuning_module, "read_texts",
        lambda e, texts, config: (prepared.append(len(texts)), plain(e, texts, config))[1],
    )  # fmt: skip
    config = TrainingConfig(
        encoder=str(tiny), steps=4, max_length=16, device="cpu", precision="fp32"
    )
    plan = replace(plan_of(folder, "none"), config=config)
    run_cells(plan)
    assert prepared == [4, 48, 4]  # what is learnt from, each time; what is tested, once
    first, _ = read_results(plan)
    data = plan.data[0]
    model = trainer(config)(read_examples(data.sample(2, 0)))
    texts, labels = zip(*data.tests["test"], strict=True)
    named = [model.classes[n] for n in model.probabilities(texts).argmax(1)]
    right = np.mean([a == b for a, b in zip(named, labels, strict=True)])
    assert first.scores["test"]["accuracy"] == round(100 * right, 2)


def test_a_method_is_a_row_or_an_expression() -> None:
    assert find_compared("sub2", weight=2.0).weight == 2.0
    with pytest.raises(OptionError, match="neither a row of the table nor an expression"):
        find_compared("edda")


def test_the_versions_of_methods_are_settings(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, method = open_few_shot(str(folder)), find_compared("fluent-sub2")
    assert method.settings(data)["versions"].keys() == {"fluent", "sub2"}
    monkeypatch.setattr(methods_module, "PER_CLASS", 7)
    assert method.settings(data)["per class"] == 7


# --- controls ----------------------------------------------------------------------------------


def uneven() -> Any:
    texts = [f"good {n}" for n in range(9)] + ["bad 1", "bad 2", "bad 3"]
    return read_examples(Corpus.from_columns(text=texts, label=["pos"] * 9 + ["neg"] * 3))


def test_a_model_in_a_folder_is_known_by_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = "0.5*linda(model='mixer') + 0.5*aeda"
    before = versions_of(asked)
    assert before.keys() == {"linda", "aeda"}
    (tmp_path / "mixer").mkdir()
    (tmp_path / "mixer" / "weights").write_text("1")
    one = versions_of(asked)
    assert one.keys() == {"linda", "aeda", "mixer"}
    (tmp_path / "mixer" / "weights").write_text("2")
    assert versions_of(asked) != one


def test_reweighting_gives_every_class_its_part() -> None:
    made = balanced(uneven())
    assert made.weights[made.hard == 0].sum() == pytest.approx(6)
    assert made.weights[made.hard == 1].sum() == pytest.approx(6)


def test_adjusting_divides_by_the_shares() -> None:
    train = trainer(TFIDF)
    plain = train(uneven()).probabilities(["bad good"])[0]
    odds = plain / np.array([0.25, 0.75])
    assert adjusted(train, uneven()).probabilities(["bad good"])[0] == pytest.approx(
        odds / odds.sum()
    )


def test_undersampled_models_see_classes_of_one_size() -> None:
    sizes = []

    def train(examples: Any) -> Any:
        sizes.append(np.bincount(examples.hard).tolist())
        return trainer(TFIDF)(examples)

    model = undersampled(train, uneven(), 0)
    assert sizes == [[3, 3]] * 10
    assert model.probabilities(["bad 2"]).sum() == pytest.approx(1)
    first = undersampled(train, uneven(), 0).probabilities(["good 4"])
    assert (first == model.probabilities(["good 4"])).all()


def test_new_examples_make_up_for_rare_classes(folder: Path) -> None:
    given: list[Any] = []

    def spy(examples: Any) -> Any:
        given.append(examples)
        return trainer(TFIDF)(examples)

    data = open_few_shot(str(folder))
    few = data.sample(2, 0, 4)
    for name in ("replicate", "aeda", "names", "more-labels", *IMBALANCE):
        given.clear()
        method = METHODS[name]
        method.learn(method, methods_module.Trial(data, 2, 0, 4, few, TFIDF, spy))
        if name in IMBALANCE:
            continue
        mass = (given[-1].labels * given[-1].weights[:, None]).sum(0)
        assert mass == pytest.approx([8, 8], rel=1e-5), name


# --- what cells say together -------------------------------------------------------------------


def test_a_paired_gain_by_hand() -> None:
    """Differences 1, 2, 3, 6: mean 3, variance (4 + 1 + 0 + 9) / 3, t = 3 / sqrt(14 / 12)."""
    gain = paired_gain([11, 12, 13, 16], [10, 10, 10, 10])
    assert gain.mean == 3
    assert gain.spread == pytest.approx((14 / 3) ** 0.5)
    assert gain.high - 3 == pytest.approx(3.182446 * (14 / 12) ** 0.5, rel=1e-5)
    from scipy.stats import t

    assert gain.p == pytest.approx(2 * t.sf(3 / (14 / 12) ** 0.5, 3))
    assert (gain.better, gain.worse) == (4, 0)
    assert paired_gain([1, 2], [1, 2]).p == 1


def test_ranks_and_the_critical_difference_of_a_worked_example() -> None:
    """Demšar 2006, section 3.2.2: four learners on fourteen data sets, his table 6.

    Mean ranks 3.143, 2.000, 2.893, 1.964; Friedman's chi-square 9.28; critical difference 1.25.
    """
    scores = np.array([
        [.763, .768, .771, .798], [.599, .591, .590, .569], [.954, .971, .968, .967],
        [.628, .661, .654, .657], [.882, .888, .886, .898], [.936, .931, .916, .931],
        [.661, .668, .609, .685], [.583, .583, .563, .625], [.775, .838, .866, .875],
        [1.0, 1.0, 1.0, 1.0], [.940, .962, .965, .962], [.619, .666, .614, .669],
        [.972, .981, .9751, .975], [.957, .978, .946, .970],
    ])  # fmt: skip
    found = rank_table(["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"], scores)
    assert list(found.mean.values()) == pytest.approx([3.143, 2.0, 2.893, 1.964], abs=5e-4)
    assert found.distance == pytest.approx(1.25, abs=5e-3)
    from scipy.stats import chi2

    assert found.p == pytest.approx(chi2.sf(9.28, 3), abs=1e-3)


def result(data: str, method: str, seed: int, score: float, ratio: int = 1) -> Result:
    scores = {"test": {"accuracy": score, "macro F1": score / 2}} if score else {}
    return Result(Cell(data, 5, ratio, method, seed), "x", scores, 3, 1.5, {})


def test_rows_pair_seeds_and_show_what_could_not_be_made() -> None:
    results = [result("a", "none", seed, 50.0 + seed) for seed in range(3)]
    results += [result("a", "eda", seed, 51.0 + 2 * seed) for seed in range(3)]
    results += [result("a", "geca", seed, 0.0) for seed in range(3)]
    none, eda, geca = rows_of(results)
    assert (none.mean, none.spread, none.gain) == (51.0, 1.0, None)
    assert eda.gain is not None
    assert eda.gain.mean == 2.0  # 1, 2, 3
    assert geca.cannot == 3
    text = markdown([none, eda, geca])
    assert "**5 examples of each class, accuracy** (3 seeds)" in text
    assert "| eda | 53.0 ± 2.0 (+2.0 ± 2.5) | 1.5 |" in text
    assert "| geca | – | 1.5 |" in text
    assert "a,test,5,1,eda,2,55.0" in to_csv([none, eda, geca])


def test_where_classes_are_rare_the_score_is_macro_f1() -> None:
    (row,) = rows_of([result("a", "none", 0, 50.0, ratio=10)])
    assert row.mean == 25.0
    assert "5 examples of half of the classes, 50 of the others, macro F1" in markdown([row])


def test_methods_that_lack_a_score_are_not_ranked() -> None:
    results = [result(d, m, 0, s) for d in "ab" for m, s in
               (("none", 50.0), ("eda", 60.0), ("geca", 70.0 if d == "a" else 0.0))]  # fmt: skip
    found = ranks(rows_of(results))
    assert found.mean == {"none": 2.0, "eda": 1.0}
    with pytest.raises(MissingDataError, match="too few results"):
        ranks(rows_of(results[:2]))


def test_the_picture_is_drawn_the_same_again(tmp_path: Path) -> None:
    found = Ranks({f"method-{n}": 1 + 0.4 * n for n in range(9)}, 1.5, 0.01, 12)
    for name in ("one.png", "two.png"):
        draw_ranks(found, tmp_path / name, title="made up")
    data = (tmp_path / "one.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert data == (tmp_path / "two.png").read_bytes()


# --- the verb ----------------------------------------------------------------------------------

ASKED = ("classify", "table", "made", "--encoder", "tfidf", "-k", 2, "--seeds", 2)
GIVEN = ("--set", "C=10.0", "--set", "ngrams=2", "--set", "class_weight=none")


def test_the_verb_runs_and_goes_on(run, folder, tmp_path):
    rows = ("-m", "none", "-m", "aeda", "-m", "names", "-m", "shuffle | aeda")
    done = run(*ASKED, *GIVEN, "-k", 4, *rows, "-o", "t.md", "--plot", "ranks.png")
    assert done.code == 0, done.err
    assert "**2 examples of each class, accuracy** (2 seeds)" in done.out
    assert "| shuffle \\| aeda |" in done.out
    assert (tmp_path / "t.md").read_text() == done.out
    assert (tmp_path / "ranks.png").exists()
    cells = sorted((tmp_path / "classify-results").rglob("*.json"))
    assert len(cells) == 16
    before = {path: path.read_bytes() for path in cells}
    again = run(*ASKED, *GIVEN, "-k", 4, *rows, "--json")
    assert {path: path.read_bytes() for path in cells} == before
    assert {row["method"] for row in json.loads(again.out)} == {
        "none", "aeda", "names", "shuffle | aeda"
    }  # fmt: skip
    assert run(*ASKED, *GIVEN, "-m", "none", "--no-run").code == 0


def test_the_verb_leaves_out_what_needs_names(run, folder):
    (folder / "names.txt").unlink()
    done = run(*ASKED, "--budget", 0)
    assert done.code == 1
    assert "names, auto-names, auto left out" in done.err
    assert "cells are left: the time was over" in done.err
    done = run(*ASKED, "-m", "names")
    assert "names has to be told what the classes of made are called" in done.err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("sst3", "--encoder", "tfidf"), "did you mean 'sst2'"),
        (("made", "--encoder", "tfidf", "-m", "edda"), "neither a row of the table"),
        (("made", "--encoder", "tfidf", "-o", "t.txt"), "end it in .md or .csv"),
        (("made", "--encoder", "tfidf", "--plot", "t.svg"), "end it in .png"),
        (("made", "--encoder", "tfidf", "--no-run"), "there are no results yet"),
        (("made", "--encoder", "tfidf", "--colour", "red"), "does not take --colour"),
    ],
)
def test_faults_are_one_clear_message(run, folder, command, message):
    done = run("classify", "table", *command)
    assert done.code == 1
    assert message in done.err
    assert "Traceback" not in done.err


def test_benchmarks_test_all_classes_of_a_file_that_is_sorted() -> None:
    rows: Rows = [(str(n), "a" if n < 50 else "b") for n in range(100)]
    data = FewShot("subj", rows, {"test": rows}, "")
    assert [label for _, label in found_names.tested_part(data, 10)] == ["a"] * 5 + ["b"] * 5
    assert found_names.tested_part(replace(data, name="trec"), 10) == rows[:10]
