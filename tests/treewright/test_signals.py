"""SIGINT and SIGTERM in work that takes long: one line, and nothing is left over."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from induction.corpus.corpus import Corpus
from induction.corpus.formats import write_corpus
from induction.corpus.readers import read_reviews, read_treebank
from induction.counts.pcfg import induce_pcfg

ROOT = Path(__file__).parents[2]
LINES = {
    signal.SIGINT: "treewright: interrupted; files appear only when they are complete",
    signal.SIGTERM: "treewright: terminated; files appear only when they are complete",
}
GUARD = 120.0
"""Seconds after which a process that does not get there is given up."""

# what a verb says when its work has begun, at a place that is named; then it takes its time there
TELLING = """\
import importlib, sys, time

place, pause, *sys.argv[1:] = sys.argv[1:]
module, _, name = place.partition(":")
owner, _, name = name.rpartition(".")
held = importlib.import_module(module)
held = getattr(held, owner) if owner else held
whole, times = getattr(held, name), 0


def telling(*given, **more):
    global times
    times += 1
    if times == 2:
        print("begun", flush=True)
    if times >= 2:
        time.sleep(float(pause))
    return whole(*given, **more)


setattr(held, name, telling)
from treewright.__main__ import main
main()
"""


class Run:
    """A verb in a session of its own, as a terminal starts a job."""

    def __init__(self, folder: Path, place: str, pause: float, *words: object) -> None:
        temporary = folder / "tmp"
        temporary.mkdir(exist_ok=True)
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-c", TELLING, place, str(pause), *map(str, words)],
            cwd=folder,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "TMPDIR": str(temporary),
                "TORCHINDUCTOR_CACHE_DIR": str(folder.parent / "inductor"),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # a job in the background of a script ignores interrupts
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def wait_until_begun(self) -> None:
        """Wait until it has said so."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line == "begun\n":
                return
        raise AssertionError(self.process.communicate())

    def send(self, number: int, *, group: bool, times: int = 1) -> None:
        """Send a signal to it, or to its whole job as a terminal does."""
        for _ in range(times):
            if self.process.poll() is not None:
                return
            if group:
                os.killpg(self.process.pid, number)
            else:
                self.process.send_signal(number)
            time.sleep(0.05)

    def members(self) -> list[int]:
        """Return the processes of the job that live."""
        found = []
        for entry in Path("/proc").glob("[0-9]*/stat"):
            try:
                state, _, group = entry.read_text().rpartition(")")[2].split()[:3]
            except OSError:  # it has ended
                continue
            if int(group) == self.process.pid and state != "Z":
                found.append(int(entry.parent.name))
        return found

    def ended(self) -> tuple[int, str]:
        """Return its exit code, and what it said on standard error; nothing of it is left."""
        try:
            _, said = self.process.communicate(timeout=GUARD)
            until = time.monotonic() + GUARD
            while self.members() and time.monotonic() < until:
                time.sleep(0.02)
            assert not self.members(), "child processes are left"
        finally:
            if self.members():
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        return self.process.returncode, said

    def names(self) -> set[str]:
        """Return all that lies in its folder, and in that of temporary files."""
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")}


pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the verbs read."""
    folder = tmp_path_factory.mktemp("given")
    reviews = read_reviews()
    texts, labels = reviews.column("text"), reviews.column("label")
    write_corpus(Corpus.from_columns(text=texts, label=labels), folder / "texts.jsonl")
    (folder / "trees.mrg").write_text("\n".join(reviews.column("tree")))
    induce_pcfg(read_treebank()).save(folder / "g.json")
    lines = [f"IN: {'jump ' * k}look OUT: {'I_JUMP ' * k}I_LOOK" for k in range(1, 9)]
    (folder / "pairs.txt").write_text("\n".join(lines) + "\n")
    whole = [sys.executable, "-m", "treewright", "augment", "texts.jsonl", "-m", "aeda"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    asked = [*whole, "-n", "40", "-o", "new.jsonl", "--quiet"]
    subprocess.run(asked, cwd=folder, env=environment, check=True)
    return folder


CHART = "induction.parsers.chart:ChartTextParser._found"
ENGINE = "grammar.engines.processes:Processes._heard"
NETWORK = "classifiers.networks.from_scratch:WordModel.forward"
PARSE = ("parse-corpus", "g.json", "texts.jsonl", "-o", "o.jsonl", "--workers", 2)
DOP = ("induce", "trees.mrg", "-o", "o.json", "--model", "double-dop", "--workers", 2)
CNN = ("--encoder", "cnn", "--steps", 900, "--batch", 4)

VERBS: dict[str, tuple[str, float, Sequence[object], set[str]]] = {
    "parse-corpus": (CHART, 0.1, PARSE, set()),
    "parse-corpus in processes": (ENGINE, 0.5, (*PARSE, "--engine", "processes"), set()),
    "induce": (
        "induction.bayes.chain:BayesTSG.step", 30,
        ("induce", "trees.mrg", "-o", "o.json", "--model", "bayes-tsg"), set(),
    ),
    "induce in processes": (ENGINE, 0.5, (*DOP, "--engine", "processes"), set()),
    "classify train": (
        NETWORK, 30,
        ("classify", "train", "texts.jsonl", "-o", "model", *CNN, "--checkpoint", "state"),
        {"state", "state/training.safetensors"},
    ),
    "classify auto": (
        NETWORK, 30, ("classify", "auto", "texts.jsonl", "-o", "model", *CNN), set(),
    ),
    "scan train": (
        "scan.models.training:_Run.learn", 30,
        ("scan", "train", "pairs.txt", "-o", "o.safetensors", "--checkpoint", "state"), {"state"},
    ),
    "replay": (
        "sampling.words.sampler:TokenSampler.attempt", 30, ("replay", "new.jsonl"), set(),
    ),
}  # fmt: skip
"""Of each verb: where it works, how long it stays there, what is asked, and what may be left."""


@pytest.fixture
def folder(given: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(given, tmp_path / "work"))


def check(folder: Path, verb: str, number: int, *, group: bool, times: int) -> None:
    place, pause, words, may_stay = VERBS[verb]
    before = {str(path.relative_to(folder)) for path in folder.rglob("*")} | {"tmp"}
    run = Run(folder, place, pause, *words)
    run.wait_until_begun()
    run.send(number, group=group, times=times)
    code, said = run.ended()
    assert "Traceback" not in said
    assert said.splitlines()[-1:] == [LINES[number]]
    assert sum(line.startswith("treewright: ") for line in said.splitlines()) == 1
    assert code == 128 + number
    assert run.names() - before <= may_stay


@pytest.mark.parametrize("verb", VERBS)
def test_a_terminal_interrupts_the_whole_job_and_again_while_it_cleans_up(
    folder: Path, verb: str
) -> None:
    check(folder, verb, signal.SIGINT, group=True, times=3)


@pytest.mark.parametrize("verb", VERBS)
def test_the_process_alone_is_terminated(folder: Path, verb: str) -> None:
    check(folder, verb, signal.SIGTERM, group=False, times=1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("group", [False, True])
def test_workers_that_are_still_starting(folder: Path, number: int, group: bool) -> None:
    """They heed no interrupt, whether they or only who started them are asked."""
    _, _, words, _ = VERBS["parse-corpus in processes"]
    before = {str(path.relative_to(folder)) for path in folder.rglob("*")} | {"tmp"}
    run = Run(folder, "grammar.engines.processes:_Worker.tell", 0.2, *words)
    run.wait_until_begun()
    run.send(number, group=group)
    code, said = run.ended()
    assert (code, said) == (128 + number, LINES[number] + "\n")
    assert run.names() == before


def test_a_background_job_that_ignores_interrupts_is_terminated_all_the_same(folder: Path) -> None:
    place, pause, words, _ = VERBS["parse-corpus"]
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", TELLING, place, str(pause), *map(str, words)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        signal.signal(signal.SIGINT, before)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=GUARD)
    assert (process.returncode, said) == (143, LINES[signal.SIGTERM] + "\n")
