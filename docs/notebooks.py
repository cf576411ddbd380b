"""Run the tutorials, put what they print into their pages, and write their notebooks.

``python -m docs.notebooks`` does all of it; names of pages (``scan reviews``) do it for these. A
tutorial is one session: its blocks run in order, in one folder that is empty at first, and blocks
of Python share their names. A block of Python ends with what it prints, as comments; under a line
``$ treewright ...`` stands what that command prints. ``...`` stands for what is not shown, of
a line or of all that follow.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TUTORIALS = Path(__file__).parent / "tutorials"
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINES, WIDTH = 14, 96
"""The most lines of an output that a page shows, and the most characters of each."""


@dataclass(frozen=True)
class Cell:
    """A block of a page: its kind, what is run, and the lines that it shows as printed."""

    kind: str
    code: str
    shown: tuple[str, ...]


def cells(page: str) -> list[Cell]:
    """Return the blocks of a page; a block of commands is a cell for each of them."""
    return [cell for kind, body in BLOCK.findall(page) for cell in _cells(kind, body)]


def _cells(kind: str, body: str) -> Iterator[Cell]:
    if kind == "python":
        lines = body.rstrip("\n").split("\n")
        end = len(lines)
        while end and lines[end - 1].startswith("#"):
            end -= 1
        shown = tuple(line.removeprefix("#").removeprefix(" ") for line in lines[end:])
        yield Cell(kind, "\n".join(lines[:end]), shown)
        return
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, *shown = part.rstrip("\n").split("\n")
        yield Cell(kind, command, tuple(shown))


def run(page: str) -> Iterator[tuple[Cell, list[str]]]:
    """Run the cells of a page in the current folder; yield each with the lines it prints."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells(page):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            if cell.kind == "python":
                exec(compile(cell.code, "tutorial", "exec"), names)
            else:
                _call(cell.code)
        yield cell, [line.rstrip() for line in printed.getvalue().rstrip("\n").splitlines()]


def _call(command: str) -> None:
    """Call treewright as a person would, in this process."""
    from treewright.cli import main

    before, sys.argv = sys.argv, shlex.split(command)
    try:
        main()
    except SystemExit as leaving:
        if leaving.code:
            raise RuntimeError(f"{command}: {leaving.code}") from None
    finally:
        sys.argv = before


def differs(cell: Cell, printed: Sequence[str]) -> str:
    """Return what a page shows wrongly of a cell; nothing if it is what was printed."""
    shown = list(cell.shown)
    if shown and shown[-1] == "...":
        shown.pop()
        printed = printed[: len(shown)]
    if len(shown) == len(printed) and all(map(_fits, shown, printed)):
        return ""
    return f"{cell.code}\nshown:\n" + "\n".join(shown) + "\nprinted:\n" + "\n".join(printed)


def _fits(shown: str, printed: str) -> bool:
    return printed.startswith(shown[:-3]) if shown.endswith("...") else shown == printed


def with_outputs(page: str, outputs: Sequence[Sequence[str]]) -> str:
    """Return a page that shows outputs, one for each cell."""
    left = iter(outputs)

    def written(block: re.Match[str]) -> str:
        kind, body = block.groups()
        lines = []
        for cell in _cells(kind, body):
            output = _shortened(next(left), cell)
            if kind == "python":
                lines += [cell.code, *(f"# {line}".rstrip() for line in output)]
            else:
                lines += [f"$ {cell.code}", *output]
        return "\n".join([f"```{kind}", *lines, "```"])

    return BLOCK.sub(written, page)


def _shortened(output: Sequence[str], cell: Cell) -> list[str]:
    """Leave out what a page does not show: it has the lines that it had, or else the first ones."""
    cut = cell.shown and cell.shown[-1] == "..."
    most = len(cell.shown) - 1 if cut else LINES
    lines = [line if len(line) <= WIDTH else f"{line[: WIDTH - 3]}..." for line in output]
    return lines if len(lines) <= most else [*lines[:most], "..."]


def notebook(page: str) -> str:
    """Return the notebook of a page, as it is saved: text, and cells with what they show."""
    made = []
    for number, part in enumerate(
        re.split(r"(^```(?:python|console)\n.*?^```$)", page, flags=re.S | re.M)
    ):
        block = BLOCK.fullmatch(part)
        if block is None:
            if part.strip():
                made.append(_cell("markdown", part.strip(), number))
            continue
        for at, cell in enumerate(_cells(*block.groups())):
            code = cell.code if cell.kind == "python" else f"!{cell.code}"
            text = "".join(f"{line}\n" for line in cell.shown)
            output = [{"name": "stdout", "output_type": "stream", "text": _lines(text)}]
            more = {"execution_count": None, "outputs": output if text else []}
            made.append(_cell("code", code, number, at) | more)
    facts = {
        "cells": made,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(facts, indent=1, ensure_ascii=False) + "\n"


def _cell(kind: str, source: str, *place: int) -> dict[str, Any]:
    name = "-".join(map(str, (kind, *place)))
    return {"cell_type": kind, "id": name, "metadata": {}, "source": _lines(source)}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    """Run the tutorials that are named, or all, and write pages and notebooks."""
    pages = sorted(TUTORIALS.glob("*.md"))
    for page in [p for p in pages if p.stem in sys.argv[1:]] or pages:
        text = page.read_text("utf-8")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            text = with_outputs(text, [printed for _, printed in run(text)])
        page.write_text(text, "utf-8")
        page.with_suffix(".ipynb").write_text(notebook(text), "utf-8")
        print(page)


if __name__ == "__main__":
    main()
