"""Terminal output: figures, warnings, progress; results go to standard output."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

import typer

from treewright.terminal import say, show

if TYPE_CHECKING:
    from rich.progress import Progress

    from induction.corpus.rows import Skipped
    from induction.parsers.trees import TreeMaker
    from scan.models.training import Progress as Training

_Rows = TypeVar("_Rows", bound="_Counted")

__all__ = [
    "Backbone",
    "GrammarEncoding",
    "Json",
    "MemoryLimit",
    "OnError",
    "Quiet",
    "Seed",
    "StepLimit",
    "counted",
    "naming",
    "need_torch",
    "progress",
    "read_length",
    "read_option",
    "show_facts",
    "tell_skipped",
    "training_bar",
    "trees_made",
    "warnings_said",
]

Seed = Annotated[
    int, typer.Option(help="Random seed; example i depends on (seed, i) alone.", min=0)
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
MemoryLimit = Annotated[
    int, typer.Option(min=1, help="Memory limit of the chart of a sentence, in MiB.")
]
StepLimit = Annotated[
    int, typer.Option(min=1, help="Step limit of a sentence; above it, a coarser parse is used.")
]
GrammarEncoding = Annotated[
    str, typer.Option("--encoding", help="Encoding of a grammar in text notation.")
]
Backbone = Annotated[
    bool,
    typer.Option("--backbone", help="Read the context-free backbone of an NLTK feature grammar."),
]
Normalise = Annotated[
    bool,
    typer.Option("--normalise", help="PCFG: make the weights of each symbol sum to one."),
]
OnError = Annotated[
    str,
    typer.Option(
        help="Rows or trees that cannot be used: stop, or skip them; OUT.skipped.jsonl says which."
    ),
]


class _Counted(Protocol):
    @property
    def num_rows(self) -> int: ...


def show_facts(facts: Mapping[str, Any], *, as_json: bool, quiet: bool = False) -> None:
    """Print facts, as JSON or as aligned lines."""
    if as_json:
        show(json.dumps(facts, ensure_ascii=False, indent=2))
    elif not quiet:
        width = max(map(len, facts), default=0)
        for name, value in facts.items():
            show(f"{name:<{width}}  {_readable(value)}")


def read_length(text: str | None, what: str = "length") -> tuple[int, int] | None:
    """Read a length band such as ``5:20`` or ``12``.

    >>> read_length("5:20"), read_length("12"), read_length(None)
    ((5, 20), (12, 12), None)
    """
    if text is None:
        return None
    shortest, colon, longest = text.partition(":")
    longest = longest if colon else shortest
    if not (shortest.isdecimal() and longest.isdecimal()):
        from grammar.errors import OptionError

        raise OptionError(f"the {what} {text!r} is not a band", hint="for example 5:20, or 12")
    return int(shortest), int(longest)


def read_option(text: str) -> tuple[str, Any]:
    """Read an option of a method, such as ``high=0.5``.

    Raises
    ------
    OptionError
        If it is not NAME=VALUE.
    """
    from grammar.errors import OptionError
    from sampling.expression import read_value

    name, equals, value = text.partition("=")
    if not equals or not name:
        raise OptionError(
            f"the option {text!r} is not NAME=VALUE", hint="for example --set high=0.5"
        )
    return name.strip(), read_value(value)


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Name the file in an error about a corpus that names no place."""
    from grammar.errors import CorpusError

    try:
        yield
    except CorpusError as error:
        raise type(error)(error.what, where=error.where or path, hint=error.hint) from None


def tell_skipped(skipped: Sequence[Skipped], output: str, *, quiet: bool = False) -> None:
    """Write what was left out beside an output, and say how much it was."""
    from sampling.pipeline.sources import write_skipped

    path = write_skipped(skipped, output)
    if path is not None:
        say(f"left out because they cannot be used: {len(skipped):,}; see {path}", quiet=quiet)


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Show progress bars on standard error, if a person is there to see them."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Bars(*columns, console=console, disable=quiet or not console.is_terminal) as bars:
        yield bars


@contextmanager
def training_bar(
    what: str, steps: int, *, quiet: bool = False
) -> Iterator[Callable[[Training], None]]:
    """Show how a training gets on: give what :func:`scan.train` tells its progress."""
    with progress(quiet=quiet) as bars:
        task = bars.add_task(what, total=steps, note="")

        def advance(now: Training) -> None:
            exact = f"train exact {now.check.exact_match:.3f}" if now.check else ""
            note = f"loss {now.loss:.4f} {exact}"
            bars.update(task, total=now.steps, completed=now.update, note=note)

        yield advance


def counted(tables: Iterable[_Rows], total: int, what: str, *, quiet: bool) -> Iterator[_Rows]:
    """Pass tables, or pieces of a file, through, showing how many rows went by."""
    with progress(quiet=quiet) as bars:
        task = bars.add_task(what, total=total, note="")
        for table in tables:
            yield table
            bars.advance(task, table.num_rows)


@contextmanager
def trees_made(parser: str | None, *, quiet: bool = False) -> Iterator[TreeMaker]:
    """Give what parses texts without trees: it says so, and shows how it gets on."""
    from induction.parsers.trees import AUTO, TreeMaker

    with progress(quiet=quiet) as bars:
        task: Any = None

        def advance(done: int, total: int) -> None:
            nonlocal task
            if task is None or done == 1:
                task = bars.add_task("parsing", total=total, note="")
            bars.update(task, completed=done)

        yield TreeMaker(parser or AUTO, lambda text: say(text, quiet=quiet), advance)


@contextmanager
def warnings_said(*, quiet: bool = False) -> Iterator[None]:
    """Say warnings as single lines instead of in Python's way, and messages each once."""
    from grammar.messages import heard_by, said_once

    _say_of_compiling(quiet=quiet)
    with (
        warnings.catch_warnings(record=True) as caught,
        heard_by(lambda message: say(message, quiet=quiet)),
        said_once(),
    ):
        warnings.simplefilter("always", UserWarning)
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        say(f"warning: {message}", quiet=quiet)


def _say_of_compiling(*, quiet: bool) -> None:
    """Say once that a first run takes longer, where no machine code ships or is kept yet."""
    import grammar

    folder = Path(grammar.__file__).parent
    kept = (*folder.glob("kernels/*.kernels"), *folder.glob("__pycache__/*.nbi"))
    if "NUMBA_CACHE_DIR" not in os.environ and not kept:
        say(
            "a first run compiles what it needs: this takes a minute, later runs start at once"
            " (treewright compile compiles all)",
            quiet=quiet,
        )


def need_torch() -> None:
    """Raise a clear error if the neural extra is not installed."""
    from importlib.util import find_spec

    if find_spec("torch") is None or find_spec("safetensors") is None:
        from grammar.errors import MissingDataError, to_install

        raise MissingDataError(
            "training needs torch and safetensors, which are not installed",
            hint=to_install("neural"),
        )


def _readable(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)
