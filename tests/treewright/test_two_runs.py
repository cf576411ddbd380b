"""Runs that are killed, and two runs into one output: processes of their own, as they are."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from induction.corpus.formats import read_corpus, write_corpus
from sampling.pipeline.manifest import file_hash
from tests.sampling.pipeline.test_pipeline import TREES, corpus_of
from tests.treewright import test_command_line

run = test_command_line.run
names = test_command_line.names

# a run of many small shards that stops, for good, at a place that is asked for
STOPPING = """\
import sys, time
from sampling.pipeline import chains, resuming
from treewright.cli import main

place, number, *sys.argv[1:] = sys.argv[1:]
resuming.PartialWork.__init__.__kwdefaults__ = {"shard": 40}
chains.BLOCK = chains._BATCH = 20
count = 0


def stopping(whole):
    def stop(*args, **more):
        global count
        count += 1
        if count == int(number):
            print("stopped", flush=True)
            time.sleep(100)
        return whole(*args, **more)

    return stop


owner, name = {
    "none": (resuming, "_difference"),
    "shard": (resuming.pa.ipc, "new_file"),
    "state": (resuming.PartialWork, "_save"),
    "named": (resuming, "moved_output"),
    "removed": (resuming.PartialWork, "remove"),
}[place]
setattr(owner, name, stopping(getattr(owner, name)))
main()
"""
AUGMENT = ("augment", "train.jsonl", "-m", "treemix(high=0.7)", "-n", 300, "--dedup", "none", "-o")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> Path:
    write_corpus(corpus_of(TREES, "label", "tree"), tmp_path / "train.jsonl")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    return tmp_path


def begun(*arguments: object, place: str = "none", number: int = 0) -> subprocess.Popen:
    words = [place, number, *arguments]
    return subprocess.Popen(
        [sys.executable, "-c", STOPPING, *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen) -> tuple[int, str]:
    _, said = process.communicate(timeout=60)
    return process.returncode, said


def killed(*arguments: object, place: str, number: int = 1) -> None:
    process = begun(*arguments, place=place, number=number)
    assert process.stdout is not None
    assert process.stdout.readline() == "stopped\n", process.stderr and process.stderr.read()
    process.kill()
    process.communicate()


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def is_whole(output: str, folder: Path) -> bool:
    """Whether an output is what its manifest says, and that of one seed."""
    manifest = json.loads((folder / f"{output}.manifest.json").read_text())
    seeds = {row["provenance"]["seed"] for row in read_corpus(folder / output)}
    return (
        manifest["output"]["sha256"] == file_hash(folder / output)
        and seeds == {manifest["settings"]["seed"]}
        and len(read_corpus(folder / output)) == 300
    )


@pytest.mark.parametrize(
    ("place", "number"),
    [("shard", 1), ("shard", 3), ("state", 4), ("named", 1), ("named", 2), ("removed", 2)],
)
def test_a_killed_run_goes_on_to_the_same_bytes(run, here, place, number):
    assert run(*AUGMENT, "whole.jsonl").code == 0
    killed(*AUGMENT, "new.jsonl", place=place, number=number)
    files = ("new.jsonl.manifest.json", "new.jsonl")
    there = [name in names(here) for name in files]
    # the output is never without its manifest
    assert there == {"named": [number == 2, False], "removed": [True, True]}.get(place, [0, 0])
    # what was begun is not mixed with another seed, nor taken for finished
    if number > 1 or place == "named":
        done = run(*AUGMENT, "new.jsonl")
        assert (done.code, "--resume" in done.err or "output exists" in done.err) == (1, True)
        done = run(*AUGMENT, "new.jsonl", "--seed", 1, "--resume")
        assert (done.code, "seed was 0, not 1" in done.err) == (1, True)
    done = run(*AUGMENT, "new.jsonl", "--resume")
    assert done.code == 0, done.err
    assert names(here) == {"train.jsonl", *files, "whole.jsonl", "whole.jsonl.manifest.json"}
    assert (here / "new.jsonl").read_bytes() == (here / "whole.jsonl").read_bytes()
    assert is_whole("new.jsonl", here)


def test_a_run_that_is_at_work_keeps_others_out(run, here):
    """The others run in this process, for a process of its own has the lock."""
    first = begun(*AUGMENT, "new.jsonl", place="shard", number=3)
    assert first.stdout is not None
    assert first.stdout.readline() == "stopped\n"
    before = content(here)
    for more in ((), ("--resume",), ("--force",)):
        done = run(*AUGMENT, "new.jsonl", "--seed", 1, *more)
        assert (done.code, "new.jsonl: another run is writing to it" in done.err) == (1, True)
    # a link to the output is the same output
    (here / "link.jsonl").symlink_to("new.jsonl")
    done = run(*AUGMENT, "link.jsonl", "--seed", 1)
    assert (done.code, "another run is writing to it" in done.err) == (1, True)
    (here / "link.jsonl").unlink()
    assert content(here) == before
    first.send_signal(signal.SIGKILL)
    first.communicate()
    # the lock of a killed run is free, and what it left is removed
    assert run(*AUGMENT, "new.jsonl", "--seed", 1, "--force").code == 0
    assert is_whole("new.jsonl", here)
    assert names(here) == {"train.jsonl", "new.jsonl", "new.jsonl.manifest.json"}


def test_two_runs_begun_together_are_never_mixed(here):
    for attempt in range(2):
        output = f"new{attempt}.jsonl"
        both = [begun(*AUGMENT, output, "--seed", seed) for seed in (1, 2)]
        time.sleep(0.3 * attempt)
        ends = [ended(process) for process in both]
        assert sorted(code for code, _ in ends) == [0, 1], ends
        assert not any("unexpected" in said for _, said in ends), ends
        assert is_whole(output, here)


@pytest.mark.parametrize("part", ["000001.000.arrow", "000001.state.json", "plan.json"])
def test_what_was_changed_is_not_gone_on_from(run, here, part):
    killed(*AUGMENT, "new.jsonl", place="shard", number=4)
    path = here / "new.jsonl.partial" / part
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    done = run(*AUGMENT, "new.jsonl", "--resume")
    assert done.code == 1
    for fragment in ("the unfinished work is damaged", part, "--force"):
        assert fragment in done.err


def test_a_shard_of_another_run_is_not_taken_over(run, here):
    for seed in (1, 2):
        killed(*AUGMENT, f"{seed}.jsonl", "--seed", seed, place="shard", number=4)
    for ending in ("000.arrow", "state.json"):
        other = here / "2.jsonl.partial" / f"000001.{ending}"
        other.replace(here / "1.jsonl.partial" / f"000001.{ending}")
    done = run(*AUGMENT, "1.jsonl", "--seed", 1, "--resume")
    assert (done.code, "the unfinished work is damaged" in done.err) == (1, True)


def test_finished_files_that_were_changed_get_no_names(run, here):
    killed(*AUGMENT, "new.jsonl", place="named", number=1)
    draft = here / "new.jsonl.partial" / "finished" / "new.jsonl"
    draft.write_bytes(draft.read_bytes()[:-1])
    done = run(*AUGMENT, "new.jsonl", "--resume")
    assert (done.code, "the unfinished work is damaged" in done.err) == (1, True)
    assert "new.jsonl" not in names(here)


SAMPLE = ("sample", "g.txt", "-n", 50_000, "-o", "new.jsonl")


def test_two_samples_into_one_file(here):
    (here / "g.txt").write_text("S -> 'very' S [0.5] | 'good' [0.5]\n")
    both = [begun(*SAMPLE, "--seed", seed) for seed in (1, 2)]
    ends = [ended(process) for process in both]
    assert sorted(code for code, _ in ends) == [0, 1], ends
    assert any("the output exists" in said for _, said in ends)
    rows = read_corpus(here / "new.jsonl")
    assert len(rows) == 50_000
    assert rows[0]["provenance"]["seed"] == rows[len(rows) - 1]["provenance"]["seed"]
    assert names(here) == {"train.jsonl", "g.txt", "new.jsonl"}


def test_what_a_killed_process_left_of_a_file_is_removed_by_the_next(run, here):
    (here / "g.txt").write_text("S -> 'very' S [0.5] | 'good' [0.5]\n")
    process = begun(*SAMPLE[:3], 10_000_000, "-o", "new.jsonl")
    until = time.monotonic() + 60
    while not any(name.startswith(".part-") for name in os.listdir(here)):
        assert time.monotonic() < until
        time.sleep(0.01)
    assert run(*SAMPLE[:3], 10, "-o", "other.jsonl").code == 0
    assert any(name.startswith(".part-") for name in os.listdir(here))  # of a living process
    process.kill()
    process.communicate()
    assert any(name.startswith(".part-") for name in os.listdir(here))
    assert run(*SAMPLE[:3], 10, "-o", "new.jsonl").code == 0
    assert names(here) == {"train.jsonl", "g.txt", "new.jsonl", "other.jsonl"}
