"""The verb demo: the main job end to end, into a folder with a report."""

from __future__ import annotations

import multiprocessing as mp
import os
import queue
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.console import Quiet, Seed, need_torch, progress
from treewright.outputs import FOLDER, Force
from treewright.terminal import say, show

if TYPE_CHECKING:
    from treewright.demo_report import Cell

__all__ = ["demo", "train_cells"]

SENTENCES = 10
PAIRS = 2000
"""New pairs to train on: a part of all that GECA makes, so that some test commands stay unseen."""


def demo(
    output: Annotated[
        str, typer.Option("--output", "-o", metavar=FOLDER, help="Folder.")
    ] = "treewright-demo",
    split: Annotated[str, typer.Option(help="The SCAN split to solve.")] = "jump",
    steps: Annotated[
        int | None, typer.Option(min=1, help="Training steps at most; fewer is quicker.")
    ] = None,
    seed: Seed = 0,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Run the main job end to end: corpora to grammars to examples to models that they help.

    Example: treewright demo -o treewright-demo
    """
    from grammar.files import made_folder
    from treewright.demo_choice import choice_part
    from treewright.demo_report import grammar_part, scan_part, write_report

    need_torch()
    began = time.monotonic()
    folder = made_folder(output)
    say("1. A grammar from the embedded treebank", quiet=quiet)
    parts = [grammar_part(folder, sentences=SENTENCES, seed=seed)]
    say(f"2. SCAN {split}: with and without pairs made by GECA", quiet=quiet)
    cells = train_cells(split, ("none", "geca"), seed=seed, steps=steps, quiet=quiet)
    parts.append(scan_part(folder, split, cells, pairs=PAIRS, seed=seed))
    say("3. Forty labelled sentences: whether new ones help", quiet=quiet)
    text, lines = choice_part(folder, seed=seed)
    parts.append(text)
    report = write_report(folder, parts, seconds=time.monotonic() - began)
    for cell in cells:
        show(
            f"{split}, {cell.outcome.method}: train exact match {cell.outcome.train_exact:.4f}, "
            f"test exact match {cell.outcome.test_exact:.4f}"
        )
    show("\n".join(lines))
    show(f"report: {report}")


def train_cells(
    split: str, methods: tuple[str, ...], *, seed: int, steps: int | None, quiet: bool
) -> list[Cell]:
    """Train one model a method, in as many processes as there are cores."""
    context = mp.get_context("spawn")
    news: mp.Queue[Any] = context.Queue()
    waiting = [
        context.Process(target=_train, args=(news, split, method, seed, steps), daemon=True)
        for method in methods
    ]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    running = [_started(waiting.pop(0)) for _ in methods[: cores or 1]]
    cells: dict[str, Cell] = {}
    with progress(quiet=quiet) as bars:
        tasks = {method: bars.add_task(f"{split}, {method}", note="") for method in methods}
        while len(cells) < len(methods):
            method, kind, body = _next_news(news, running)
            if kind == "failed":
                raise body
            if kind == "finished":
                cells[method] = body
                running += [_started(waiting.pop(0))] if waiting else []
            else:
                update, of, loss, exact = body
                note = f"loss {loss:.3f}  train exact {exact}"
                bars.update(tasks[method], completed=update, total=of, note=note)
    return [cells[method] for method in methods]


def _started(process: Any) -> Any:
    process.start()
    return process


def _next_news(news: Any, running: list[Any]) -> tuple[str, str, Any]:
    while True:
        try:
            message: tuple[str, str, Any] = news.get(timeout=5)
            return message
        except queue.Empty:
            codes = [process.exitcode for process in running]
            if any(code not in (None, 0) for code in codes):
                from grammar.errors import TreewrightError

                raise TreewrightError(
                    f"a training process died (exit codes {codes})",
                    hint="it was killed, perhaps for want of memory; close other programs",
                ) from None


def _train(news: Any, split: str, method: str, seed: int, steps: int | None) -> None:
    """Train in a process of its own, and report by messages (method, kind, body)."""
    from scan.experiment import run
    from scan.models.config import TrainingConfig
    from scan.models.training import Progress
    from treewright.demo_report import Cell

    def tell(now: Progress) -> None:
        if now.update % 20 == 0 or now.update == now.steps:
            exact = f"{now.check.exact_match:.3f}" if now.check else "..."
            news.put((method, "progress", (now.update, now.steps, now.loss, exact)))

    try:
        config = (
            TrainingConfig(seed=seed) if steps is None else TrainingConfig(seed=seed, steps=steps)
        )
        outcome, trained = run(split, method, config=config, n=PAIRS, on_progress=tell)
        news.put((method, "finished", Cell(outcome, trained.history)))
    except KeyboardInterrupt:
        pass
    except Exception as error:
        news.put((method, "failed", error))
