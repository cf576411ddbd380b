"""The command line: the verbs, and errors shown to a person."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from treewright import __version__
from treewright.explaining import explain
from treewright.grammars import induce, inspect, sample
from treewright.library import app as data_app
from treewright.scanning import app as scan_app
from treewright.showing import demo

__all__ = ["app", "main"]

INTERRUPTED = 130

app = typer.Typer(
    name="treewright",
    help="Corpora become grammars, grammars make new examples.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (demo, induce, inspect, sample, explain):
    app.command()(verb)
app.add_typer(data_app, name="data")
app.add_typer(scan_app, name="scan")


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line; no traceback reaches the person, unless asked for.

    Set the variable ``TREEWRIGHT_TRACEBACK`` to any value to see tracebacks.
    """
    try:
        app()
    except KeyboardInterrupt:
        _leave("interrupted; files appear only when they are complete", INTERRUPTED)
    except BrokenPipeError:
        # whoever read our output has left; writing more, even at exit, would fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if os.environ.get("TREEWRIGHT_TRACEBACK"):
            raise
        from grammar.errors import TreewrightError

        if isinstance(error, TreewrightError):
            _leave(str(error), 1)
        _leave(
            f"unexpected {type(error).__name__}: {error}\n"
            "  hint: this is a fault of treewright; set TREEWRIGHT_TRACEBACK=1 to see where",
            1,
        )


def _leave(message: str, code: int) -> None:
    print(f"treewright: {message}", file=sys.stderr)
    sys.exit(code)
