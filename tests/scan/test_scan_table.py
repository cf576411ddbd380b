"""The table of SCAN runs: its methods, its cells, its files, and the verb."""

import csv
import io
import json
import sys
from dataclasses import asdict, replace

import pytest

from grammar.errors import CorpusError, OptionError, SchemaError
from grammar.pictures.svg import Box
from induction.corpus.corpus import Corpus
from scan.augmenters import AUGMENTERS, find_augmenter
from scan.experiment import Outcome, augment_pairs, hold_out, run, unique_pairs
from scan.generator import verify
from scan.models.config import TrainingConfig
from scan.splits import Split, split
from scan.table import (
    HEADER,
    Cell,
    Row,
    cells,
    config_of,
    load_results,
    result_path,
    rows,
    run_cell,
    to_csv,
)
from scan.table_plot import picture
from treewright.cli import main

OUTCOME = Outcome(
    split="jump", method="none", seed=0, train_pairs=9, synthetic_pairs=0, test_pairs=10,
    agreeing=1.0, sampled_tests=0, steps=5, train_exact=1.0, test_exact=0.0,
    unsampled_exact=0.0, seconds=60.0,
)  # fmt: skip


@pytest.fixture(scope="module")
def small() -> Split:
    """The jump split with commands of at most four words."""
    parts = split("jump")
    kept = [
        type(part)(part.table.filter([len(text.split()) <= 4 for text in part.column("text")]))
        for part in (parts.train, parts.test)
    ]
    return Split("small", *kept)


def test_the_oracles_are_named() -> None:
    assert {name for name, method in AUGMENTERS.items() if method.oracle} == {
        "treemix-oracle", "geca+treemix",
    }  # fmt: skip
    with pytest.raises(OptionError, match="unknown method 'geka'") as caught:
        find_augmenter("geka")
    assert "did you mean 'geca'?" in str(caught.value.hint)


@pytest.mark.parametrize("name", sorted(AUGMENTERS))
def test_every_method_makes_new_pairs(name: str, small: Split) -> None:
    made = augment_pairs(small.train, name, n=60)
    again = augment_pairs(small.train, name, n=60)
    assert made.column("text") == again.column("text")
    if name in ("none", "seqmix"):
        assert len(made) == 0
        assert ("mix" in find_augmenter(name).config) == (name == "seqmix")
        return
    assert 0 < len(made) <= 60
    if name in ("worddrop", "switchout"):
        assert verify(made).rate < 0.2  # words are changed, targets are not
    else:
        assert verify(made).rate == 1.0
    if name != "synchronous":
        assert not set(made.column("text")) & set(small.train.column("text"))


def test_geca_may_have_nothing_to_make() -> None:
    pairs = {"text": ["walk", "run twice"], "target": ["I_WALK", "I_RUN I_RUN"]}
    assert len(augment_pairs(Corpus.from_columns(**pairs), "geca")) == 0
    with pytest.raises(CorpusError, match="the corpus is empty"):
        augment_pairs(Corpus.from_columns(text=[], target=[]), "geca")


def test_synchronous_pairs_are_distinct(small: Split) -> None:
    texts = augment_pairs(small.train, "synchronous", n=500).column("text")
    assert len(set(texts)) == len(texts) == 500


def test_first_seeds_come_first() -> None:
    names = [cell.name for cell in cells(["jump", "mcd1"], ["none", "geca"], 2)]
    assert names[:3] == ["jump-none-lstm-seed0", "mcd1-none-lstm-seed0", "jump-geca-lstm-seed0"]
    assert names[4] == "jump-none-lstm-seed1"
    both = [cell.name for cell in cells(["jump"], ["none"], 2, ["lstm", "transformer"])]
    assert both[:2] == ["jump-none-lstm-seed0", "jump-none-transformer-seed0"]
    assert len(both) == len(set(both)) == 4
    with pytest.raises(OptionError, match="unknown split"):
        cells(["jmup"], ["none"], 1)


def test_one_config_for_all() -> None:
    plain = config_of(Cell("jump", "none", 0))
    assert config_of(Cell("mcd1", "synchronous", 2)) == replace(plain, seed=2)
    mixed = config_of(Cell("jump", "seqmix", 0, "transformer"))
    assert (mixed.model, mixed.mix, mixed.steps) == ("transformer", 1.0, plain.steps)
    assert mixed.peak_rate < plain.peak_rate


def test_the_program_of_geca_has_a_config_of_its_own() -> None:
    config = config_of(Cell("jump", "geca-code", 4))
    assert config == TrainingConfig(
        embedding=64, hidden=512, layers=1, dropout=0.5, copy=True, batch=64, clip=1.0,
        augmented_share=0.3, peak_rate=1e-3, schedule="plateau", steps=4800, check_every=32,
        stop_at=1.0, seed=4, feed=True,
    )  # fmt: skip


def test_lines_are_set_aside() -> None:
    train = Corpus.from_columns(text=list("abcdefgh"), target=list("ABCDEFGH"))
    rest, aside = hold_out(train, 3, 5)
    texts = rest.column("text")
    assert (len(texts), texts) == (5, sorted(texts))
    assert sorted(texts + aside.column("text")) == list("abcdefgh")
    assert aside.column("target") == [text.upper() for text in aside.column("text")]
    assert hold_out(train, 3, 5)[1].column("text") == aside.column("text")
    assert len({tuple(hold_out(train, 3, seed)[1].column("text")) for seed in range(9)}) > 1
    assert hold_out(train, 0, 5)[0].column("text") == train.column("text")


def test_geca_of_the_program_validates(small: Split, monkeypatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr("scan.experiment.split", lambda name: small)
    config = replace(config_of(Cell("jump", "geca-code", 0)), hidden=8, steps=3, check_every=2)
    outcome, trained = run("jump", "geca-code", config=config)
    assert [(look.update, look.pairs) for look in trained.history] == [
        (2, 640), (3, outcome.train_pairs + outcome.synthetic_pairs)
    ]  # fmt: skip
    rest, _ = hold_out(small.train, 640, 0)
    made = augment_pairs(rest, "geca-code")
    assert outcome.train_pairs == len(unique_pairs(rest))
    assert outcome.synthetic_pairs == len(made) > 0
    assert not set(made.column("text")) & set(rest.column("text"))


def test_rows_are_means_with_spread() -> None:
    other = replace(OUTCOME, seed=1, test_exact=0.5, synthetic_pairs=4, sampled_tests=10,
                    unsampled_exact=None)  # fmt: skip
    (row,) = rows({"lstm": [other, OUTCOME]}, ["jump"], ["none", "geca"])
    assert [outcome.seed for outcome in row.outcomes] == [0, 1]
    assert row.texts() == (
        "jump", "none", "lstm", "2", "2", "100.0%", "50.0%", "100.00 ± 0.00", "25.00 ± 35.36",
        "0.00", "1.0",
    )  # fmt: skip
    table = list(csv.DictReader(io.StringIO(to_csv([row]))))
    assert [line["test_exact"] for line in table] == ["0.0", "0.5"]
    assert {line["model"] for line in table} == {"lstm"}
    assert "(oracle)" in Row("jump", "treemix-oracle", "lstm", (OUTCOME,)).texts()[1]


def test_each_model_has_a_row_of_its_own() -> None:
    better = replace(OUTCOME, test_exact=0.25)
    results = {"lstm": [OUTCOME], "transformer": [better, replace(better, method="geca")]}
    made = rows(results, ["length", "jump"], ["none", "geca"])
    assert [(row.method, row.model) for row in made] == [
        ("none", "lstm"), ("none", "transformer"), ("geca", "transformer"),
    ]  # fmt: skip
    place = HEADER.index("test exact")
    assert [row.texts()[place] for row in made] == ["0.00", "25.00", "25.00"]
    assert all(len(row.texts()) == len(HEADER) for row in made)


def test_every_run_is_a_dot() -> None:
    others = [replace(OUTCOME, method="geca", seed=seed, test_exact=1.0) for seed in range(3)]
    lstm = {"lstm": [OUTCOME, *others]}
    drawn = picture(rows(lstm, ["jump"], ["none", "geca"])).svg()
    assert drawn.count("<rect") == 1 + 2 + 4  # the page, the legend, the runs
    assert "hollow" not in drawn
    both = picture(rows({**lstm, "transformer": [OUTCOME]}, ["jump"], ["none", "geca"])).svg()
    assert both.count("<rect") == 1 + 3 + 5
    assert both.count("hollow: transformer") == 1


def test_no_two_methods_share_a_colour() -> None:
    results = {"lstm": [replace(OUTCOME, method=name) for name in AUGMENTERS]}
    shapes = picture(rows(results, ["jump"], list(AUGMENTERS))).shapes
    fills = [shape.fill for shape in shapes if isinstance(shape, Box)]
    assert len(set(fills)) == len(AUGMENTERS) == len(fills) / 2


def test_a_cell_is_run_kept_and_read(small: Split, tmp_path, monkeypatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr("scan.experiment.split", lambda name: small)
    made: dict[int, Corpus] = {}

    def noted(*given, **how) -> Corpus:
        return made.setdefault(how["seed"], augment_pairs(*given, **how))

    monkeypatch.setattr("scan.experiment.augment_pairs", noted)
    cell = Cell("jump", "synchronous", 3)
    outcome = run_cell(cell, tmp_path, command="as typed", steps=2)
    kept = json.loads(result_path(cell, tmp_path).read_text())
    assert kept["command"] == "as typed"
    assert kept["outcome"] == asdict(outcome)
    assert kept["config"]["steps"] == 2
    assert load_results(tmp_path) == [outcome]
    assert load_results(tmp_path, "transformer") == []
    assert outcome.agreeing == 1.0
    assert list(made) == [3]  # the seed of the cell
    texts = set(made[3].column("text"))
    assert 0 < outcome.sampled_tests == len(set(small.test.column("text")) & texts)


def test_made_pairs_are_audited(small: Split, monkeypatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr("scan.experiment.split", lambda name: small)
    outcome, _ = run("jump", "switchout", config=TrainingConfig(steps=1, hidden=8), n=50)
    made = augment_pairs(small.train, "switchout", n=50)
    assert 0 <= outcome.agreeing == verify(made).rate < 0.2
    assert outcome.sampled_tests < outcome.test_pairs


def test_a_damaged_result_is_named(tmp_path) -> None:
    (tmp_path / "jump-none-lstm-seed0.json").write_text('{"outcome": {}}')
    with pytest.raises(SchemaError, match="not a result file") as caught:
        load_results(tmp_path)
    assert str(caught.value.where).endswith("seed0.json")


def table_verb(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["treewright", "scan", "table", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


def test_the_verb_reads_what_is_there(monkeypatch, capsys, tmp_path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    folder = ("--results", str(results), "--no-run", "--quiet")
    assert table_verb(monkeypatch, *folder) == 1
    assert "there are no results yet" in capsys.readouterr().err
    document = {"outcome": asdict(OUTCOME)}
    (results / "jump-none-lstm-seed0.json").write_text(json.dumps(document))
    outputs = ("-o", str(tmp_path / "t.csv"), "--plot", str(tmp_path / "t.svg"))
    assert table_verb(monkeypatch, *folder, *outputs) == 0
    assert "| jump | none | lstm | 1 |" in capsys.readouterr().out
    assert (tmp_path / "t.csv").read_text().startswith("model,split,method,seed")
    assert (tmp_path / "t.svg").read_text().startswith("<svg")
    assert table_verb(monkeypatch, *folder, "--json") == 0
    assert json.loads(capsys.readouterr().out) == [{"model": "lstm", **asdict(OUTCOME)}]


def test_the_verb_shows_both_models(monkeypatch, capsys, tmp_path) -> None:
    for model, test_exact in (("lstm", 0.0), ("transformer", 0.5)):
        document = {"outcome": asdict(replace(OUTCOME, test_exact=test_exact))}
        (tmp_path / f"jump-none-{model}-seed0.json").write_text(json.dumps(document))
    assert models_shown(monkeypatch, capsys, tmp_path, "lstm") == ["lstm"]
    assert models_shown(monkeypatch, capsys, tmp_path, "transformer") == ["transformer"]
    both = ["lstm", "transformer"]
    assert models_shown(monkeypatch, capsys, tmp_path, *both, "lstm") == both


def models_shown(monkeypatch, capsys, folder, *models: str) -> list[str]:
    options = [part for model in models for part in ("--model", model)]
    table = ("--results", str(folder), "--no-run", "--quiet")
    assert table_verb(monkeypatch, *table, *options) == 0
    return [line.split(" | ")[2] for line in capsys.readouterr().out.splitlines()[2:]]


def test_all_that_is_there_is_shown(monkeypatch, capsys, tmp_path) -> None:
    there = [("jump", "sub2", "lstm"), ("jump-num8-rep3", "geca-code", "transformer")]
    for split_name, method, model in there:
        document = {"outcome": asdict(replace(OUTCOME, split=split_name, method=method))}
        file = tmp_path / f"{Cell(split_name, method, 0, model).name}.json"
        file.write_text(json.dumps(document))
    table = ("--results", str(tmp_path), "--no-run", "--quiet")
    assert table_verb(monkeypatch, *table) == 0
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [tuple(line.strip("| ").split(" | ")[:3]) for line in lines] == there
    assert table_verb(monkeypatch, *table, "--method", "geca") == 1
    assert "there are no results yet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--split", "jmup"), "did you mean 'jump'?"),
        (("--method", "syncronous"), "did you mean 'synchronous'?"),
        (("--model", "gru"), "use one of lstm, transformer"),
        (("-o", "table.txt"), "end it in .md or .csv"),
        (("--plot", "table.gif"), ".svg"),
    ],
)
def test_faults_of_the_verb(monkeypatch, capsys, arguments, message) -> None:
    assert table_verb(monkeypatch, *arguments) == 1
    assert message in capsys.readouterr().err


def test_the_verb_runs_what_is_missing(monkeypatch, capsys, tmp_path) -> None:
    pytest.importorskip("torch")
    wanted = ("--split", "jump", "--method", "none", "--seeds", "1", "--steps", "1")
    folder = ("--results", str(tmp_path / "new"), "--workers", "1", "--quiet")
    assert table_verb(monkeypatch, *wanted, *folder) == 0
    assert "| jump | none | lstm | 1 | 0 |" in capsys.readouterr().out
    file = tmp_path / "new" / "jump-none-lstm-seed0.json"
    assert "--steps 1" in json.loads(file.read_text())["command"]
    before = file.stat().st_mtime_ns
    assert table_verb(monkeypatch, *wanted, *folder) == 0
    assert file.stat().st_mtime_ns == before
