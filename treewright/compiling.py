"""Compiling all kernels at once: the verbs run on small corpora, and their machine code is kept.

Which kernels a verb needs, and for which types of arrays, is known by running it only.
"""

from __future__ import annotations

import contextlib
import csv
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from grammar.errors import EngineError, OutputError
from grammar.kernels.machine_code import MachineCode, code_in
from grammar.kernels.processors import LEVELS, Level
from grammar.kernels.recording import merge, record

__all__ = ["STEPS", "compile_kernels", "run_chain"]

STEPS: tuple[tuple[str, ...], ...] = (
    (
        "induce embedded -o pcfg.json",
        "sample pcfg.json -n 300 --trees -o samples.jsonl",
        "sample pcfg.json -n 20 --length 5:12",
        "sample pcfg.json -n 20 --distribution tempered --temperature 1.5",
        "parse pcfg.json --kbest 3 sentences.txt",
        "parse pcfg.json --log-prob sentences.txt",
        "surprisal pcfg.json sentences.txt -o surprisal.tsv",
        "inspect pcfg.json",
        "intersect pcfg.json --length 3:8 -o band.json",
        *(
            step
            for model in ("lpcfg", "dop", "double-dop")
            for step in (
                f"induce embedded -o {model}.json --model {model}",
                f"sample {model}.json -n 50 --trees",
                f"parse {model}.json sentences.txt",
            )
        ),
        "induce embedded -o latent.arrow --model latent",
        "scan split jump -o jump",
        "scan augment jump/train.txt -o geca.jsonl --method geca",
        "induce jump/train.txt -o synchronous.json --model synchronous",
        "sample synchronous.json -n 50",
        "translate synchronous.json sources.txt",
        "evalb trees.mrg trees.mrg",
        "search trees.mrg NP<<NN>S..VP,NP$NN$.NN$..NN",
        "search trees.mrg NP=n<NN=m",
        "search words.conllu pattern{X->Y;X<<Z;X.upos=X.upos}without{Y->W}",
        "compare trees.mrg pcfg.json -n 50",
    ),
    (
        "parse english sentences.txt",
        "parse english --step-limit 1 sentences.txt",
        "augment reviews.csv -n 60 -o default.jsonl",
        "parse-corpus reviews.csv -o parsed.jsonl",
        "augment parsed.jsonl -n 60 -m sub2 -o sub2.jsonl --test parsed.jsonl",
        "augment parsed.jsonl -n 60 -m treemix -o treemix.jsonl --dedup minhash",
        "augment parsed.jsonl -n 60 -m randmix -o randmix.jsonl",
        "augment reviews.csv -n 60 -m geca(gaps=1,size=2,window=2) -o geca.jsonl",
        "augment reviews.csv -n 60 -m geca-stream -o geca-stream.jsonl",
        "augment parsed.jsonl -n 60 -m grammar -o grammar.jsonl",
        "augment reviews.csv -n 60 -m alp -o alp.jsonl",
        *(
            f"augment reviews.csv -n 60 -m {method} -o {method}.jsonl"
            for method in ("eda", "aeda", "random-word", "switchout", "worddrop", "shuffle")
        ),
        "augment parsed.jsonl -n 40 -m fluent(treemix) -o fluent.jsonl",
        "augment parsed.jsonl -n 40 -m agree(treemix) -o agree.jsonl",
        "induce parsed.jsonl -o sub2.arrow --model sub2",
        "sample sub2.arrow -n 30",
        "quality reviews.csv default.jsonl --test reviews.csv",
        "quality parsed.jsonl treemix.jsonl",
        "replay treemix.jsonl",
        "classify train reviews.csv -o tfidf --encoder tfidf",
        "classify evaluate tfidf reviews.csv",
    ),
)
"""What is run, as two chains that need nothing of each other."""

_PROGRAM = """
from treewright.cli import app
from treewright.compiling import run_chain

run_chain(app, {level!r}, {number}, {part!r})
"""
_TEXTS = 60
_CONLLU = "1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n2\thome\t_\tADV\t_\t_\t1\tadvmod\t_\t_\n"
_ODD = ". . . little more than a long story ."
"""Has no parse among those that the coarsest grammar leaves, so it is parsed in another way."""


def compile_kernels(level: Level, path: Path, tell_step: Callable[[], None]) -> int:
    """Compile the kernels of all verbs for a level of processors, in two processes.

    Parameters
    ----------
    level : Level
        The processors that the code is for.
    path : Path
        The file that is made.
    tell_step : callable
        Called after each step of :data:`STEPS`.

    Returns
    -------
    int
        How many kernels the file has.

    Raises
    ------
    EngineError
        If a process ends with an error.
    OutputError
        If the file cannot be written.
    """
    with tempfile.TemporaryDirectory() as folder:
        parts = [Path(folder) / f"{number}.kernels" for number in range(len(STEPS))]
        chains = [_started(level, number, part) for number, part in enumerate(parts)]
        for chain in chains:
            for _ in chain.stdout or ():
                tell_step()
        for chain in chains:
            if chain.wait():
                raise EngineError(
                    f"a process that compiles ended with code {chain.returncode}",
                    hint="what it said is above",
                )
        made = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            is_known = path.exists() and isinstance(code_in(path, level), MachineCode)
            known = [path] if is_known else []
            count = merge([*known, *parts], level, made)
            made.replace(path)
        except OSError as error:
            raise OutputError(
                f"{path}: {error.strerror}",
                hint="the file lies next to the package: run this as the user who installed it",
            ) from error
        finally:
            made.unlink(missing_ok=True)
    return count


def _started(level: Level, number: int, part: Path) -> subprocess.Popen[str]:
    program = _PROGRAM.format(level=level.name, number=number, part=str(part))
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, **level.environment},
        stdout=subprocess.PIPE,
        text=True,
    )


def run_chain(app: Callable[..., object], level: str, number: int, part: str) -> None:
    """Run a chain of steps and write the machine code they need; a line is printed after each."""
    collected, told = record(), sys.stdout
    with _small_corpora() as folder, contextlib.chdir(folder):
        for step in STEPS[number]:
            with (
                open(os.devnull, "w") as nowhere,
                contextlib.redirect_stdout(nowhere),
                contextlib.redirect_stderr(nowhere),
            ):
                app(step.split(), standalone_mode=False)
            told.write("done\n")
            told.flush()
    collected.write(Path(part), next(each for each in LEVELS if each.name == level))


@contextlib.contextmanager
def _small_corpora() -> Iterator[Path]:
    """Make the files that the steps read: some of the reviews that ship."""
    from grammar.files import read_text
    from grammar.trees.tree import Tree
    from induction.corpus.sources import embedded_file

    lines = read_text(embedded_file("reviews.tsv")).splitlines()
    rows = list(csv.DictReader(lines[: _TEXTS + 1], delimiter="\t"))
    texts = [" ".join(Tree.parse(row["tree"]).leaves()) for row in rows]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "trees.mrg").write_text("\n".join(row["tree"] for row in rows), "utf-8")
        (folder / "sentences.txt").write_text("\n".join([*texts[:8], _ODD]), "utf-8")
        (folder / "sources.txt").write_text("jump\njump twice\n", "utf-8")
        (folder / "words.conllu").write_text(_CONLLU, "utf-8")
        with (folder / "reviews.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["text", "label"])
            writer.writerows(zip(texts, (row["label"] for row in rows), strict=True))
        yield folder
