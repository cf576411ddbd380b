"""The command line: the verbs, and errors shown to a person."""

from __future__ import annotations

import os
import sys
from copy import copy
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup
from typer.main import get_command_name
from typer.models import CommandInfo

from grammar.foreign_names.verbs import verb_hint
from treewright.interrupts import Interrupts, close_frames, is_interrupt, lasting_interrupts
from treewright.outputs import Verb
from treewright.terminal import prepare_streams, say, show
from treewright.verbs.augment import AugmentCommand, augment
from treewright.verbs.classify.auto import auto
from treewright.verbs.classify.evaluate import evaluate
from treewright.verbs.classify.export import export
from treewright.verbs.classify.predict import predict
from treewright.verbs.classify.reading import RecipeFlags, TrainingFlags
from treewright.verbs.classify.table import table as classifier_table
from treewright.verbs.classify.tag import tag
from treewright.verbs.classify.train import train as train_classifier
from treewright.verbs.compile import compile
from treewright.verbs.data import app as data_app
from treewright.verbs.demo import demo
from treewright.verbs.evalb import evalb
from treewright.verbs.explain import explain
from treewright.verbs.grammars.convert import convert
from treewright.verbs.grammars.generate import generate as generate_texts
from treewright.verbs.grammars.intersect import intersect
from treewright.verbs.grammars.surprisal import surprisal
from treewright.verbs.induce import InduceCommand, induce
from treewright.verbs.inspect import inspect
from treewright.verbs.linda.interpolate import interpolate
from treewright.verbs.linda.train import LindaFlags
from treewright.verbs.linda.train import train as train_linda
from treewright.verbs.methods import methods, models
from treewright.verbs.parse import parse
from treewright.verbs.parse_corpus import parse_corpus
from treewright.verbs.quality import quality
from treewright.verbs.replay import replay
from treewright.verbs.sample import sample
from treewright.verbs.scan.augment import augment as augment_scan
from treewright.verbs.scan.cogs import cogs
from treewright.verbs.scan.features import features
from treewright.verbs.scan.generate import generate
from treewright.verbs.scan.geoquery import geoquery
from treewright.verbs.scan.interpret import interpret
from treewright.verbs.scan.language import language
from treewright.verbs.scan.slog import slog
from treewright.verbs.scan.split import split
from treewright.verbs.scan.table import table
from treewright.verbs.scan.train import TrainCommand, train
from treewright.verbs.structured.predict import predict as predict_structure
from treewright.verbs.structured.reading import StructuredFlags, TrainFlags
from treewright.verbs.structured.table import table as structured_table
from treewright.verbs.structured.train import train as train_structure
from treewright.verbs.translate import translate
from treewright.verbs.treebanks.compare import compare
from treewright.verbs.treebanks.search import search
from treewright.verbs.treebanks.workbench import workbench
from treewright.version import __version__

__all__ = ["app", "main"]

INTERRUPTED = 130


class _Verbs(TyperGroup):
    """All verbs; what other tools call theirs is told."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the verb that the first word names."""
        if args[0] not in self.commands and (hint := verb_hint(args[0])) is not None:
            ctx.fail(f"no such command: {args[0]}; {hint}")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name="treewright",
    cls=_Verbs,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_VERBS = (
    demo, inspect, intersect, sample, parse, parse_corpus, translate, evalb, surprisal, convert,
    search, compare, workbench, generate_texts,
    quality, explain, replay, models, methods, compile,
)  # fmt: skip
_SCAN_VERBS = (
    interpret, generate, split, augment_scan, table, cogs, slog, geoquery, language, features,
)  # fmt: skip
scan_app = typer.Typer(
    help="SCAN: its language, splits, models; COGS, SLOG, GeoQuery, small languages.",
    no_args_is_help=True,
)
classify_app = typer.Typer(
    help="Classifiers: training, prediction, and whether new examples help.", no_args_is_help=True
)
linda_app = typer.Typer(
    help="LINDA: a model that gives texts between two texts.", no_args_is_help=True
)
structured_app = typer.Typer(
    help="Taggers and parsers on encoders, and what new examples do to them.", no_args_is_help=True
)
app.command(cls=InduceCommand)(induce)
app.command(cls=AugmentCommand)(augment)
for verb in _VERBS:
    app.command(cls=Verb)(verb)
scan_app.command(cls=TrainCommand)(train)
for scan_verb in _SCAN_VERBS:
    scan_app.command(cls=Verb)(scan_verb)
classify_app.command("train", cls=TrainingFlags)(train_classifier)
classify_app.command(cls=RecipeFlags)(auto)
classify_app.command("table", cls=RecipeFlags)(classifier_table)
classify_app.command(cls=Verb)(predict)
classify_app.command(cls=Verb)(evaluate)
classify_app.command(cls=Verb)(export)
classify_app.command(cls=Verb)(tag)
linda_app.command("train", cls=LindaFlags)(train_linda)
linda_app.command(cls=Verb)(interpolate)
structured_app.command("train", cls=TrainFlags)(train_structure)
structured_app.command("table", cls=StructuredFlags)(structured_table)
structured_app.command("predict", cls=Verb)(predict_structure)
app.add_typer(data_app, name="data")
app.add_typer(scan_app, name="scan")
app.add_typer(classify_app, name="classify")
app.add_typer(linda_app, name="linda")
app.add_typer(structured_app, name="structured")


def _print_version(wanted: bool) -> None:
    if wanted:
        show(__version__)
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
    max_expanded: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="To how much a compressed file may expand, as 8G: else a hundred times its size.",
        ),
    ] = None,
) -> None:
    """Corpora become grammars, grammars make new examples."""
    if max_expanded is not None:
        from grammar.storage.expanded_size import expanded_limit, read_size

        context.with_resource(expanded_limit(read_size(max_expanded)))


def main() -> None:
    """Run the command line; no traceback reaches the person, unless asked for.

    Set the variable ``TREEWRIGHT_TRACEBACK`` to any value to see tracebacks.
    """
    prepare_streams()
    with lasting_interrupts() as asked:
        try:
            _app_of(sys.argv[1:2])()
        except SystemExit as leaving:
            if leaving.code == INTERRUPTED:  # what typer makes of an interrupt
                _stop(leaving, asked)
            raise
        except BrokenPipeError:
            # whoever read our output has left; writing more, even at exit, would fail again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        except Exception as error:
            if is_interrupt(error):
                _stop(error, asked)
            if os.environ.get("TREEWRIGHT_TRACEBACK"):
                raise
            _leave(_told(error), 1)


def _app_of(first: list[str]) -> typer.Typer:
    """Return what holds the first word, a verb or a group of verbs, alone; else all.

    typer takes a quarter of a second to prepare all of them.
    """
    commands = [each for each in app.registered_commands if _name_of(each) in first]
    groups = [each for each in app.registered_groups if each.name in first]
    found = copy(app)
    if commands or groups:
        found.registered_commands, found.registered_groups = commands, groups
    return found


def _name_of(command: CommandInfo) -> str:
    return command.name or get_command_name(command.callback.__name__ if command.callback else "")


def _stop(error: BaseException, asked: Interrupts) -> NoReturn:
    """Leave after an interrupt, when all that was begun is put away."""
    close_frames(error)
    _leave(asked.message, asked.code)


def _told(error: Exception) -> str:
    """Return what a person is told of an error."""
    from grammar.errors import TreewrightError

    if isinstance(error, TreewrightError):
        return str(error)
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}\n  hint: ask for less, or for shorter ones"
    if isinstance(error, OSError):  # such as of a full disk where kernels are kept
        place = f"{error.filename}: " if error.filename else ""
        hint = "look at the path, the permissions, and the room on the disk"
        return f"{place}{error.strerror or error}\n  hint: {hint}"
    if isinstance(error, RecursionError):
        return "the input is nested too deeply\n  hint: leave out its deepest trees"
    return (
        f"unexpected {type(error).__name__}: {error}\n"
        "  hint: this is a fault of treewright; set TREEWRIGHT_TRACEBACK=1 to see where"
    )


def _leave(message: str, code: int) -> NoReturn:
    say(f"treewright: {message}")
    sys.exit(code)
