"""The verbs augment and replay: what they write, resume and refuse."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from grammar.errors import TreewrightError
from induction.corpus.formats import read_corpus, read_sst, write_corpus
from sampling.english.wordnet import wordnet_version
from sampling.examples.common_columns import Form
from sampling.pipeline import chains, pipeline, resuming
from sampling.pipeline.augment import augment
from sampling.pipeline.pipeline import Pipeline
from tests.sampling.pipeline.test_pipeline import TREES, corpus_of
from tests.treewright import test_command_line

run = test_command_line.run
names = test_command_line.names


@pytest.fixture(autouse=True)
def train(tmp_path: Path) -> Path:
    path = tmp_path / "train.jsonl"
    write_corpus(corpus_of(TREES, "label", "tree"), path)
    return path


COMMAND = ("augment", "train.jsonl", "-m", "0.6*treemix(high=0.7) + 0.4*sub2 | aeda", "-n", 50)


def test_it_writes_exactly_n_and_a_manifest(run, tmp_path):
    done = run(*COMMAND, "-o", "new.jsonl", "--json")
    assert done.code == 0
    assert names(tmp_path) == {"train.jsonl", "new.jsonl", "new.jsonl.manifest.json"}
    made = read_corpus(tmp_path / "new.jsonl")
    assert len(made) == 50 == done.facts["report"]["made"] == done.facts["examples"]
    methods = Counter(row["provenance"]["method"] for row in made)
    assert methods == {"treemix": 30, "sub2|aeda": 20}
    manifest = json.loads((tmp_path / "new.jsonl.manifest.json").read_text())
    assert manifest["expression"] == "3*treemix(high=0.7) + 2*sub2 | aeda"
    assert manifest["versions"]["methods"] == {"aeda": "1", "sub2": "2", "treemix": "2"}
    assert manifest["settings"]["n"] == 50
    assert len(manifest["input"]["sha256"]) == 64
    said = run(*COMMAND, "-o", "other.jsonl")
    assert "50 of 50 new examples" in said.out
    silent = run(*COMMAND, "-o", "third.jsonl", "--quiet")
    assert (silent.code, silent.out, silent.err) == (0, "", "")


def test_where_nobody_says_how_labels_stay(run, tmp_path):
    assert run("augment", "train.jsonl", "-n", 4, "-o", "new.jsonl").code == 0
    made = read_corpus(tmp_path / "new.jsonl")
    manifest = json.loads((tmp_path / "new.jsonl.manifest.json").read_text())
    assert manifest["expression"] == "fluent(sub2)"
    assert {row["provenance"]["method"] for row in made} == {"fluent"}
    assert set(made.column("label")) <= set(read_corpus("train.jsonl").column("label"))
    assert augment(read_corpus("train.jsonl"), n=4).corpus.column("text") == made.column("text")


def test_python_gives_the_same_examples(run, train, tmp_path):
    run(*COMMAND, "-o", "new.arrow", "--seed", 4)
    made = augment(read_corpus(train), str(COMMAND[3]), n=50, seed=4)
    assert read_corpus(tmp_path / "new.arrow").table.equals(made.corpus.table)


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "csv"])
def test_workers_and_batches_change_no_byte(run, tmp_path, monkeypatch, suffix):
    run(*COMMAND, "-o", f"one.{suffix}")
    monkeypatch.setattr(chains, "_BATCH", 7)
    run(*COMMAND, "-o", f"two.{suffix}", "--workers", 2)
    assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()


TOML = """\
[augment]
input = "train.jsonl"
method = "treemix + sub2"
per-class = 9
length = "4:7"
keep_originals = true
test = "train.jsonl"
seed = 3
workers = 2
options = { high = 0.8, "sub2.max_words" = 2 }
"""
FLAGS = "--per-class 9 --length 4:7 --keep-originals --test train.jsonl --seed 3"
OPTIONS = "--set high=0.8 -O sub2.max_words=2"


def test_a_toml_file_is_equal_to_the_flags(run, tmp_path):
    (tmp_path / "a.toml").write_text(TOML)
    assert run("augment", "--config", "a.toml", "-o", "toml.jsonl").code == 0
    flags = f"{FLAGS} {OPTIONS}".split()
    run("augment", "train.jsonl", "-m", "treemix + sub2", *flags, "-o", "flags.jsonl")
    expression = "treemix(high=0.8) + sub2(max_words=2)"
    run("augment", "train.jsonl", "-m", expression, *FLAGS.split(), "-o", "inside.jsonl")
    outputs = [f"{name}.jsonl" for name in ("toml", "flags", "inside")]
    assert len({(tmp_path / output).read_bytes() for output in outputs}) == 1
    one, two = (manifest(tmp_path, name) for name in ("toml.jsonl", "flags.jsonl"))
    assert {**one, "output": None} == {**two, "output": None}
    # flags come before the file
    done = run(
        "augment", "--config", "a.toml", "-o", "x.jsonl", "--only-new", "--seed", 4, "--json"
    )
    assert done.facts["report"]["originals"] == 0
    assert manifest(tmp_path, "x.jsonl")["settings"]["seed"] == 4


def manifest(folder: Path, output: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / f"{output}.manifest.json").read_text())
    return found


# --- stopped and gone on ----------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shards and batches so small that a test has many."""
    monkeypatch.setattr(resuming.PartialWork.__init__, "__kwdefaults__", {"shard": 10})
    monkeypatch.setattr(chains, "_BATCH", 4)
    monkeypatch.setattr(chains, "BLOCK", 24)
    monkeypatch.setattr(pipeline, "_FEWEST_DRAWS", 60)
    monkeypatch.setattr(pipeline, "ROUNDS", 2)


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch, small: None) -> Any:
    """Runs are interrupted inside the batch that this is set to."""
    whole = Form.conform
    left = {"batches": 10**9}

    def conform(self: Form, table: Any) -> Any:
        left["batches"] -= 1
        if left["batches"] < 0:
            raise KeyboardInterrupt
        return whole(self, table)

    monkeypatch.setattr(Form, "conform", conform)
    return lambda batches: left.update(batches=batches)


RESUMED = (*COMMAND, "--balance", "--keep-originals", "--dedup", "minhash", "--threshold", "0.9")


@pytest.mark.parametrize(
    ("batches", "suffix"), [(0, "jsonl"), (3, "jsonl"), (8, "parquet"), (14, "jsonl")]
)
def test_a_run_that_was_stopped_goes_on_with_the_same_bytes(
    run, tmp_path, stopped, batches, suffix
):
    unbroken, output = f"unbroken.{suffix}", f"new.{suffix}"
    assert run(*RESUMED, "-o", unbroken).code == 0
    stopped(batches)
    done = run(*RESUMED, "-o", output)
    assert done.code == 130
    assert output not in names(tmp_path)
    kept = (tmp_path / f"{output}.partial").exists()
    assert kept == (batches > 0)
    assert ("go on with --resume" in done.err) == kept
    stopped(2)  # and stopped again
    run(*RESUMED, "-o", output, "--resume")
    stopped(10**9)
    done = run(*RESUMED, "-o", output, "--resume", "--workers", 2)
    assert done.code == 0
    assert f"{output}.partial" not in names(tmp_path)
    assert (tmp_path / output).read_bytes() == (tmp_path / unbroken).read_bytes()
    one, two = manifest(tmp_path, output), manifest(tmp_path, unbroken)
    assert one["report"] == two["report"]


def test_unfinished_work_is_not_mixed_with_other_work(run, tmp_path, stopped, train):
    stopped(8)
    run(*COMMAND, "-o", "new.jsonl")
    stopped(10**9)
    done = run(*COMMAND, "-o", "new.jsonl")
    assert done.code == 1
    assert "there is unfinished work" in done.err
    assert "--resume" in done.err
    done = run(*COMMAND, "-o", "new.jsonl", "--resume", "--seed", 1)
    assert "begun with another settings: seed was 0, not 1" in done.err
    text = train.read_text()
    train.write_text(text + "\n")
    done = run(*COMMAND, "-o", "new.jsonl", "--resume")
    assert "another input: sha256 was" in done.err
    train.write_text(text)
    state = sorted((tmp_path / "new.jsonl.partial").glob("*.state.json"))[-1]
    state.write_text("{")
    done = run(*COMMAND, "-o", "new.jsonl", "--resume")
    assert "the unfinished work is damaged" in done.err
    assert run(*COMMAND, "-o", "new.jsonl", "--force").code == 0
    assert not (tmp_path / "new.jsonl.partial").exists()


def test_a_shard_without_its_state_does_not_count(run, tmp_path, stopped):
    run(*COMMAND, "-o", "unbroken.jsonl")
    stopped(8)
    run(*COMMAND, "-o", "new.jsonl")
    stopped(10**9)
    sorted((tmp_path / "new.jsonl.partial").glob("*.state.json"))[-1].unlink()
    assert run(*COMMAND, "-o", "new.jsonl", "--resume").code == 0
    assert (tmp_path / "new.jsonl").read_bytes() == (tmp_path / "unbroken.jsonl").read_bytes()


def test_a_full_disk_leaves_the_earlier_output_and_says_so_once(run, tmp_path):
    # kernels are compiled and kept before, or the limit would meet numba's files first
    assert run(*COMMAND, "-o", "new.jsonl", "-q").code == 0
    (tmp_path / "new.jsonl.manifest.json").unlink()
    (tmp_path / "new.jsonl").write_text("earlier")
    done = subprocess.run(
        [sys.executable, "-m", "treewright", *map(str, COMMAND), "-o", "new.jsonl", "--force", "-q",
         "-n", "400"],
        cwd=tmp_path, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("treewright: new.jsonl: cannot write the file: ")
    assert done.stderr.count("treewright") == 1
    assert (tmp_path / "new.jsonl").read_text() == "earlier"
    assert names(tmp_path) == {"train.jsonl", "new.jsonl"}


def test_a_fault_of_the_system_is_no_fault_of_ours(run, monkeypatch):
    def full(*_: object) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/cache/kernel.nbi")

    monkeypatch.setattr(Pipeline, "pieces", full)
    done = run(*COMMAND, "-o", "new.jsonl")
    assert done.code == 1
    assert "treewright: /cache/kernel.nbi: No space left on device\n  hint: " in done.err
    assert "unexpected" not in done.err


def test_a_disk_that_is_full_later_leaves_shards_to_go_on_from(run, tmp_path, small, monkeypatch):
    run(*COMMAND, "-o", "unbroken.jsonl")
    whole = resuming.PartialWork._write
    written = []

    def full(*_: object) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:

        def write(self: Any, tables: Any, state: Any) -> None:
            written.append(state)
            if len(written) == 3:
                patch.setattr(resuming.pa.ipc, "new_file", full)
            whole(self, tables, state)

        patch.setattr(resuming.PartialWork, "_write", write)
        done = run(*COMMAND, "-o", "new.jsonl")
    assert done.code == 1
    assert "No space left on device" in done.err
    assert "go on with --resume" in done.err
    assert run(*COMMAND, "-o", "new.jsonl", "--resume").code == 0
    assert (tmp_path / "new.jsonl").read_bytes() == (tmp_path / "unbroken.jsonl").read_bytes()


# --- replay -----------------------------------------------------------------------------------


def test_replay_makes_all_or_one_again(run, tmp_path):
    for output in ("new.jsonl", "new.csv", "new.parquet"):
        run(*COMMAND, "-o", output, "--keep-originals", "--balance")
        done = run("replay", output, "--json")
        assert done.facts["equal"]
        assert done.facts["equal bytes"]
        made = read_corpus(tmp_path / output)
        for row in (0, len(TREES), -1):
            done = run("replay", f"{output}.manifest.json", made[row]["id"], "--json")
            assert done.code == 0, done.err
            assert done.facts["text"] == made[row]["text"]
    assert "an original" in run("replay", "new.jsonl", "0").out


def test_replay_says_what_does_not_fit(run, tmp_path, train):
    run(*COMMAND, "-o", "new.jsonl", "--test", "train.jsonl")
    text = (tmp_path / "new.jsonl").read_text()
    (tmp_path / "new.jsonl").write_text(text.replace("the", "a", 1))
    first = json.loads(text.splitlines()[0])["id"]
    assert "differs in text" in run("replay", "new.jsonl", first).err
    done = run("replay", "new.jsonl")
    assert done.code == 1
    assert "not what its manifest makes" in done.err
    assert "was changed after it was made" in done.err
    assert "no example has the id 'x'" in run("replay", "new.jsonl", "x").err
    (tmp_path / "new.jsonl").write_text(text)
    source = train.read_text()
    train.rename(tmp_path / "moved.jsonl")
    assert "cannot read" in run("replay", "new.jsonl").err
    moved = ("--input", "moved.jsonl", "--test", "moved.jsonl")
    assert run("replay", "new.jsonl", *moved).code == 0
    (tmp_path / "moved.jsonl").write_text(text)
    assert "not the file that the output was made from" in run("replay", "new.jsonl", *moved).err
    (tmp_path / "other.jsonl").write_text(text)
    assert "there is no manifest next to it" in run("replay", "other.jsonl").err
    (tmp_path / "other.jsonl.manifest.json").write_text("{}")
    assert "not a manifest" in run("replay", "other.jsonl").err
    path = tmp_path / "new.jsonl.manifest.json"
    path.write_text(path.read_text().replace('"treemix": "2"', '"treemix": "0"'))
    train.write_text(source)
    assert "made with version 0 of treemix" in run("replay", "new.jsonl").err


@pytest.mark.parametrize("method", ["eda", "fluent(alp)", "eda(alpha_sr=0, alpha_ri=0)", "sub2"])
def test_a_manifest_says_of_what_wordnet_its_synonyms_are(run, tmp_path, method):
    assert run("augment", "train.jsonl", "-m", method, "-n", 3, "-o", "new.jsonl").code == 0
    path = tmp_path / "new.jsonl.manifest.json"
    manifest = json.loads(path.read_text())
    versions = manifest["versions"]
    if method not in ("eda", "fluent(alp)"):
        assert "wordnet" not in versions
        versions["wordnet"] = "3.0"
        path.write_text(json.dumps(manifest))
        assert "its synonyms are of WordNet 3.0" in run("replay", "new.jsonl").err
        return
    here = versions.pop("wordnet")
    assert here == wordnet_version()
    path.write_text(json.dumps(manifest))  # as earlier ones were
    assert run("replay", "new.jsonl").code == 0
    versions["wordnet"] = 3.0
    path.write_text(json.dumps(manifest))
    assert "not a manifest" in run("replay", "new.jsonl").err
    for then, hint in (("2.1", "treewright data get wordnet"), (None, "unset NLTK_DATA")):
        if then == here:
            continue
        versions["wordnet"] = then
        path.write_text(json.dumps(manifest))
        done = run("replay", "new.jsonl")
        assert done.code == 1
        assert "its synonyms are of " + ("WordNet 2.1" if then else "no WordNet") in done.err
        assert hint in done.err


@pytest.mark.usefixtures("wordnet_data")
@pytest.mark.parametrize(("neighbours", "asks"), [(0, False), (1, True)])
def test_names_may_be_words_of_wordnet(run, tmp_path, neighbours, asks):
    (tmp_path / "names.txt").write_text("0: bad, dull\n1: good, fine\n2: red, blue\n")
    method = f"names(names.txt, neighbours={neighbours})"
    assert run("augment", "train.jsonl", "-m", method, "-n", 3, "-o", "new.jsonl").code == 0
    manifest = json.loads((tmp_path / "new.jsonl.manifest.json").read_text())
    assert ("wordnet" in manifest["versions"]) == asks


# --- inputs, columns, plans -------------------------------------------------------------------


def test_a_dry_run_draws_nothing(run, tmp_path, monkeypatch):
    monkeypatch.setattr(Pipeline, "run", None)
    done = run(*COMMAND, "--dry-run", "--per-class", 4, "--set", "n=1")
    assert done.code == 1  # there is no such option of a method
    done = run("augment", "train.jsonl", "-m", "treemix(high=0.7) | aeda", "--per-class", 4,
               "--dry-run")  # fmt: skip
    assert done.code == 0, done.err
    assert "requested" in done.out
    assert "class 0" in done.out
    assert "contexts" in done.out
    facts = run(*COMMAND, "--dry-run", "--json").facts
    assert [part["requested"] for part in facts["parts"]] == [30, 20]
    assert facts["parts"][0]["at most"] > 0
    assert names(tmp_path) == {"train.jsonl"}


def test_columns_may_have_other_names_and_input_may_be_standard_input(run, tmp_path):
    rows = [{"sentence": f"a b c {i}", "class": i % 2} for i in range(8)]
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns = ("--text", "sentence", "--label", "class", "-m", "worddrop", "--per-class", 5)
    assert run("augment", "s.jsonl", *columns, "-o", "a.jsonl").code == 0
    assert run("replay", "a.jsonl").code == 0
    stdin = (tmp_path / "s.jsonl").read_bytes()
    assert run("augment", "-", *columns, "-o", "b.jsonl", stdin=stdin).code == 0
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert "was standard input" in run("replay", "b.jsonl").err
    assert run("replay", "b.jsonl", "--input", "s.jsonl").code == 0


def test_leakage_is_told(run, tmp_path):
    run(*COMMAND, "-o", "new.jsonl")
    told = run(*COMMAND, "-o", "a.jsonl", "--test", "new.jsonl")
    assert "50 equal a test text" in told.out
    told = run(*COMMAND, "-o", "b.jsonl", "--test", "new.jsonl", "--drop-leaked")
    assert "0 equal a test text" in told.out


def test_a_shortfall_is_a_warning_and_no_fault(run, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"text": "a b"}\n{"text": "c d"}\n')
    done = run(
        "augment", "t.jsonl", "-m", "sub2(phrase=false, length=true)", "-n", 99, "-o", "o.jsonl"
    )
    assert done.code == 0
    assert (
        "warning: 10 of 99 examples were made: sub2(length=true, phrase=false): the grammar derives"
        in done.err
    )


FAULTS = {
    "method": ("train.jsonl -m treemx -o o.jsonl", ["unknown method", "'treemix'"]),
    "option": ("train.jsonl -m treemix -O hihg=1 -o o.jsonl", ["no option 'hihg'", "'high'"]),
    "no value": ("train.jsonl -m treemix -O high -o o.jsonl", ["'high' is not NAME=VALUE"]),
    "range": ("train.jsonl -m treemix(high=3) -o o.jsonl", ["treemix(high=3)", "out of range"]),
    "count": ("train.jsonl -n -1 -o o.jsonl", ["n=-1", "out of range"]),
    "two counts": ("train.jsonl -n 3 --times 2 -o o.jsonl", ["n and times"]),
    "no input": ("-o o.jsonl", ["there is no input"]),
    "no output": ("train.jsonl", ["there is no output", "--dry-run"]),
    "itself": ("train.jsonl -o train.jsonl --force", ["--output is also source"]),
    "the test": ("train.jsonl -o t.jsonl --test t.jsonl --force", ["--output is also test"]),
    "there": ("train.jsonl -o there.jsonl", ["there.jsonl: the output exists", "--force"]),
    "suffix": ("train.jsonl -o o.xls", ["are neither read nor written", ".jsonl"]),
    "absent": ("none.jsonl -o o.jsonl", ["none.jsonl", "cannot read"]),
    "no folder": ("train.jsonl -o none/o.jsonl", ["none/o.jsonl", "no folder"]),
    "column": ("train.jsonl --text words -o o.jsonl", ["no column 'words'"]),
    "no trees": ("flat.jsonl -m aeda|treemix -o o.jsonl", ["treemix", "no column 'tree'"]),
    "nothing": ("flat.jsonl -m treemix -o o.jsonl", ["treemix"]),
    "no material": (
        "train.jsonl -m treemix(low=0.98,high=0.99) -o o.jsonl", ["no new example can be made"]
    ),
    "one example": ("lone.jsonl -m sub2(text_label=true) -o o.jsonl", ["class 1 has one example"]),
    "empty": ("empty.jsonl -o o.jsonl", ["empty"]),
    "not TOML": ("--config bad.toml -o o.jsonl", ["bad.toml", "not TOML", "line 2"]),
    "no table": ("--config other.toml -o o.jsonl", ["other.toml", "no table [augment]"]),
    "key": ("--config key.toml -o o.jsonl", ["key.toml", "'sede'", "'seed'"]),
    "kind": ("train.jsonl --config kind.toml -o o.jsonl", ["seed='x'", "kind int"]),
    "options": ("--config options.toml -o o.jsonl", ["'options' is no table"]),
    "workers": ("train.jsonl --workers 0 -o o.jsonl", ["workers=0 is not a whole number >= 1"]),
    "unwritable": ("flat.jsonl -m aeda -o o.conllu", ["o.conllu", "needs the column 'tokens'"]),
    "unmixed": ("train.jsonl -m aeda -o o.sst", ["o.sst", "needs the column 'tree'"]),
    "words": ("words.jsonl -m aeda -o o.jsonl", ["aeda, words.jsonl:2, example '1'", "'d'"]),
    "spans": ("words.jsonl -m sub2 -o o.jsonl", ["sub2, words.jsonl:2, example '1'", "'d'"]),
    "band": ("train.jsonl --length five -o o.jsonl", ["'five' is not a band"]),
}  # fmt: skip
FILES = {
    "there.jsonl": "earlier",
    "flat.jsonl": '{"text": "a b", "label": 0}\n{"text": "c d", "label": 0}\n',
    "lone.jsonl": '{"text": "a b", "label": 0}\n{"text": "c d", "label": 0}\n'
    '{"text": "e f", "label": 1}\n',
    "words.jsonl": '{"text": "a b", "tree": "(S a b)"}\n{"text": "a c", "tree": "(S a d)"}\n',
    "empty.jsonl": "",
    "t.jsonl": '{"text": "a"}',
    "bad.toml": "[augment]\nseed = ,\n",
    "other.toml": "seed = 1",
    "key.toml": "[augment]\nsede = 1",
    "kind.toml": "[augment]\nseed = 'x'",
    "options.toml": "[augment]\noptions = 3",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_message_and_no_output(run, tmp_path, fault):
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    before = {name: (tmp_path / name).read_bytes() for name in names(tmp_path)}
    command, fragments = FAULTS[fault]
    done = run("augment", *command.split())
    assert done.code == 1
    assert "Traceback" not in done.err
    assert "unexpected" not in done.err
    assert done.err.count("\n  hint: ") == 1, done.err
    for fragment in fragments:
        assert fragment in done.err, done.err
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == before


def test_names_of_classes_go_through_all_verbs(run, tmp_path):
    rows = corpus_of(TREES, "label", "tree").table.to_pylist()
    lines = [
        json.dumps({**row, "label": ["bad", "fair", "good"][row["label"]]}) + "\n" for row in rows
    ]
    (tmp_path / "named.jsonl").write_text("".join(lines))
    done = run(
        "augment", "named.jsonl", "-o", "new.csv", "-m", "sub2(phrase=true)", "--per-class", 5
    )
    assert (done.code, done.err) == (0, "")
    assert "class good: 5 of 5" in done.out
    made = read_corpus(tmp_path / "new.csv")
    assert Counter(made.column("label")) == {"bad": 5, "fair": 5, "good": 5}
    manifest = json.loads((tmp_path / "new.csv.manifest.json").read_text())
    assert manifest["classes"] == ["bad", "fair", "good"]
    assert run("replay", "new.csv", "--json").facts["equal bytes"]
    first = made.column("id")[0]
    assert run("replay", "new.csv", first).code == 0
    explained = run("explain", "new.csv", first, "--json")
    assert "context" in explained.facts  # the grammar was induced again
    assert explained.facts["passages"][0]["title"].endswith(f"label {made.column('label')[0]}")
    assert run("quality", "named.jsonl", "new.csv").code == 0


# --- real data --------------------------------------------------------------------------------


def test_sst_is_balanced_without_repeating_a_text(run, tmp_path, data_folder):
    corpus = read_sst(data_folder / "sst" / "train.txt.gz")
    write_corpus(corpus, tmp_path / "sst.parquet")
    done = run("augment", "sst.parquet", "-m", "0.5*treemix(mix=same) + 0.5*treemix | aeda",
               "--balance", "-n", 3000, "-o", "new.parquet", "--json", "--workers", 2)  # fmt: skip
    assert done.code == 0, done.err
    made = read_corpus(tmp_path / "new.parquet")
    assert len(made) == 3000
    cells = done.facts["report"]["cells"]
    assert all(cell["made"] == cell["requested"] for cell in cells.values())
    assert run("replay", "new.parquet", made[2999]["id"]).code == 0


def test_real_files_have_classes_by_name(run, tmp_path, data_folder):
    rte = data_folder / "rte" / "train.tsv.gz"
    done = run(
        "augment", rte, "-o", "new.jsonl", "-m", "aeda", "-n", 50, "--text", "sentence1",
        "--balance",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert set(read_corpus(tmp_path / "new.jsonl").column("label")) == {
        "entailment", "not_entailment"
    }  # fmt: skip


def test_a_wrong_argument_in_python_is_one_error(train):
    with pytest.raises(TreewrightError, match="did you mean 'times'"):
        augment(read_corpus(train), "aeda", tmes=3)


def test_a_format_that_the_name_does_not_tell_is_kept_for_replay_and_explain(run, tmp_path):
    trees = (
        "(3 (2 a) (3 (3 fine) (2 film)))\n(1 (2 a) (1 (1 dull) (2 plot)))\n(4 (2 one) (4 gem))\n"
    )
    (tmp_path / "sentiment.txt").write_text(trees * 4)
    wanted = ("augment", "sentiment.txt", "-m", "random-word", "-n", 3, "-o", "new.jsonl")
    assert "did you mean 'sst'?" in run(*wanted, "--format", "sstt").err
    assert run(*wanted, "--format", "sst", "--test", "sentiment.txt").code == 0
    made = read_corpus(tmp_path / "new.jsonl")
    assert set(made.column("label")) <= {1, 3, 4}
    manifest = json.loads((tmp_path / "new.jsonl.manifest.json").read_text())
    assert manifest["input"]["format"] == manifest["test"]["format"] == "sst"
    assert run("replay", "new.jsonl").code == 0
    parent = made[0]["provenance"]["parents"][0]
    assert f"{parent}, label" in run("explain", "new.jsonl", made[0]["id"]).out


def test_a_folder_of_hugging_face_is_not_replaced_without_force(run, tmp_path):
    pytest.importorskip("datasets")
    wanted = ("augment", "train.jsonl", "-m", "aeda", "-n", 5, "-o", "new.hf")
    assert run(*wanted).code == 0
    assert (tmp_path / "new.hf.manifest.json").exists()
    assert "the output exists" in run(*wanted).err
    assert run(*wanted, "--force").code == 0
    assert run("replay", "new.hf").code == 0


RAW = (
    "review,mood,zip\nthe film was very good and we liked it,$5,01234\n"
    '"a bad, slow film with a poor plot",$6,00001\n,$6,1\n'
    "the last one was a great joy to watch,$5,00009\nwe did not like the plot of it,$6,10\n"
)


def test_rows_that_are_left_out_lie_beside_the_output_and_are_counted(run, tmp_path):
    (tmp_path / "raw.csv").write_text(RAW)
    command = ("augment", "raw.csv", "-o", "new.csv", "-m", "aeda", "-n", 4, "--label", "mood")
    stopped = run(*command)
    assert stopped.code == 1
    done = run(*command, "--on-error", "skip")
    assert done.code == 0
    assert "left out because they cannot be used: 1" in done.out
    [line] = (tmp_path / "new.csv.skipped.jsonl").read_text().splitlines()
    assert json.loads(line)["why"] == "the text is missing or empty"
    assert json.loads(line)["where"] == "raw.csv:4"
    manifest = json.loads((tmp_path / "new.csv.manifest.json").read_text())
    assert manifest["input"]["skipped"] == manifest["report"]["skipped"] == 1
    assert run("replay", "new.csv").code == 0
    whole = read_corpus(tmp_path / "raw.csv")  # as who measures quality reads it
    of = dict(zip(whole.column("id"), whole.column("zip"), strict=True))
    shown = read_corpus(tmp_path / "new.csv")
    for row in shown:
        assert row["zip"] == of[row["provenance"]["parents"][0]]
    assert set(shown.column("zip")) <= {"01234", "00001", "00009", "10"}
    assert set(shown.column("label")) == {"$5", "$6"}
    page = run("quality", "new.csv", "new.csv", "--html", "page.html")
    assert page.code == 0, page.err


def test_mixed_labels_are_said_and_named_in_the_file(run, tmp_path):
    (tmp_path / "raw.csv").write_text(RAW)
    done = run(
        "augment", "raw.csv", "-o", "new.csv", "-m", "randmix", "-n", 4, "--label", "mood",
        "--on-error", "skip", "--test", "raw.csv", "--test-text", "review",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "randmix mixes labels: each new one is a distribution over $5, $6" in done.err
    assert "labels are mixed" in done.out
    assert (tmp_path / "new.csv").read_text().startswith("id,text,label_distribution,zip,")
    assert len(read_corpus(tmp_path / "new.csv").column("label")[0]) == 2
    assert run("replay", "new.csv", "randmix-0-0").code == 0


def test_the_help_of_augment_lists_the_methods(run):
    done = run("augment", "--help")
    assert "substructure substitution" in done.out
    assert "treewright methods NAME" in done.out
