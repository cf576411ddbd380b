"""What verbs write: nothing over what they were given, and nothing else without ``--force``.

An option whose value is written has one of the three metavars here, by which a :class:`Verb` knows
it. All other values are taken for inputs, so a verb need not say what it reads.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from grammar.foreign_names.keywords import keyword_here
from treewright.permissions import ADDRESS, VARIABLE, allowed_by
from treewright.terminal import say

__all__ = ["FILE", "FOLDER", "STORE", "Encoding", "Force", "Verb", "check_folder"]

FILE = "OUT"
"""The metavar of a file that is written."""
FOLDER = "OUT_FOLDER"
"""The metavar of a folder that is filled."""
STORE = "STORE"
"""The metavar of a file or folder that is read and added to, such as a cache."""

_AGAIN = "treewright.again"
_INPUTS = frozenset({"input", "input_file", "input_csv", "in_file"})
_UsageError: Any = typer.BadParameter.__base__  # of click, which typer has beside it or within it

# verbs need not look at these: they are asked for before they run
Encoding = Annotated[str, typer.Option(help="Encoding of files of text that are not UTF-8.")]
Force = Annotated[bool, typer.Option("--force", help="Replace files that are there.")]


class Verb(TyperCommand):
    """A verb that writes over nothing: what every verb is made with."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line, and note which options are there again: the last ones count."""
        try:
            values, left, order = self.make_parser(ctx).parse_args(list(args))
        except _UsageError as error:
            option = getattr(error, "option_name", None)
            if option is not None and (hint := self._called_here(option)) is not None:
                ctx.fail(f"no such option: {option}; {hint}")
            raise
        options: list[Any] = [each for each in order if each.param_type_name == "option"]
        once = Counter(each.opts[0] for each in options if not (each.multiple or each.is_flag))
        ctx.meta[_AGAIN] = [name for name, times in once.items() if times > 1]
        if left:
            hint = "quote a value that has spaces, as 'eda + aeda'"
            ctx.fail(f"unexpected: {' '.join(left)}; {hint}")
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            value = values.get(str(error.param and error.param.name))
            if "unable to parse string" in error.message and isinstance(value, str):
                error.message = _no_number(value, whole="integer" in error.message)
            raise

    def _called_here(self, option: str) -> str | None:
        """Return what an option of another tool is called here; None if it is not known."""
        name = option.lstrip("-").replace("-", "_")
        if name in _INPUTS and any(param.param_type_name == "argument" for param in self.params):
            return f"give the file without an option: {self.name} FILE"
        known = {param.name: param.opts[-1] for param in self.params if param.name}
        here = keyword_here(name, known)
        return None if here is None else f"it is called {known[here]} here"

    def invoke(self, ctx: Any) -> Any:
        """Run the verb under what its options allow, after a look at where it is to write."""
        from grammar.files import check_here, nothing_overwritten, other_encoding
        from grammar.messages import heard_by
        from grammar.storage.permissions import in_force

        quiet = bool(ctx.params.get("quiet"))
        outputs, inputs = self._paths(ctx.params)
        force = bool(ctx.params.get("force"))
        for name in ctx.meta[_AGAIN]:
            say(f"{name} is there more than once: the last one counts", quiet=quiet)
        with (
            in_force(allowed_by(ctx.params)),
            other_encoding(ctx.params.get("encoding")),
            heard_by(lambda message: say(message, quiet=quiet)),
            nothing_overwritten(force=force, given=[path for _, path in inputs]),
        ):
            _check_different(outputs, inputs)
            for name, path in ctx.params.items():
                if self._metavars.get(name) in (FOLDER, STORE) and path:
                    check_here(path)
            for name, path in outputs.items():
                if self._metavars[name] == FOLDER:
                    check_folder(path)
                else:
                    _check_file(path, resume=bool(ctx.params.get("resume")))
            return super().invoke(ctx)

    @property
    def outputs(self) -> list[str]:
        """The names of the options whose values are written."""
        return [name for name, kind in self._metavars.items() if kind in (FILE, FOLDER)]

    @property
    def _metavars(self) -> dict[str, str]:
        return {param.name: param.metavar or "" for param in self.params if param.name}

    def _paths(self, given: Mapping[str, Any]) -> tuple[dict[str, str], list[tuple[str, str]]]:
        """Return what is written and what is, perhaps, read, with the names of the options."""
        metavars, outputs = self._metavars, self.outputs
        paths = [(k, path) for k, value in given.items() for path in _strings(value)]
        others = (STORE, ADDRESS, VARIABLE)
        inputs = [(k, v) for k, v in paths if k not in outputs and metavars[k] not in others]
        return {k: v for k, v in paths if k in outputs}, inputs


def _no_number(value: str, *, whole: bool) -> str:
    """Say what a value is not, and how it is written if it is a number with marks of thousands.

    >>> _no_number("1,000", whole=True)
    "'1,000' is not a whole number: write 1000"
    """
    plain = value.replace(",", "").replace("_", "").replace(" ", "")
    meant = f": write {plain}" if plain.isascii() and plain.isdecimal() else ""
    return f"{value!r} is not a {'whole number' if whole else 'number'}{meant}"


def _strings(value: object) -> list[str]:
    """Return the strings of an option that is given once or, as a list, many times."""
    values = value if isinstance(value, list | tuple) else [value]
    return [v for v in values if isinstance(v, str) and v not in ("", "-")]


def _check_different(outputs: Mapping[str, str], inputs: Sequence[tuple[str, str]]) -> None:
    """Refuse outputs that are inputs, or one file; this is said before any work."""
    from grammar.errors import OptionError
    from grammar.files import same_file

    for name, path in outputs.items():
        others = {k: v for k, v in outputs.items() if k != name}
        for other, its in [*others.items(), *inputs]:
            if same_file(path, its) or (other in others and _identity(path) == _identity(its)):
                raise OptionError(
                    f"--{name.replace('_', '-')} is also {other.replace('_', '-')}",
                    where=path,
                    hint="write to another file",
                )


def _identity(path: str) -> str:
    from grammar.storage.location import is_url

    return path if is_url(path) else os.path.abspath(path)


def _check_file(path: str, *, resume: bool) -> None:
    """Refuse a file that could not be written in the end."""
    from grammar.errors import OutputError
    from grammar.files import check_free, writing
    from grammar.storage.location import is_url
    from grammar.storage.opening import place_of

    with writing(path):
        place = place_of(path)
        if not place.has_room():
            above = "bucket" if is_url(path) else "folder"
            raise OutputError(
                f"cannot write the file: there is no {above} for it",
                where=path,
                hint="make it first",
            )
        # of a folder it is said later why it cannot be written, unless it is a data set of the name
        if not resume and (path.endswith(".hf") or not place.is_folder()):
            check_free(path)


def check_folder(path: str) -> None:
    """Refuse a folder that is not empty, in a run without force (raises OutputError)."""
    from grammar.errors import OutputError
    from grammar.files import check_free, writing
    from grammar.storage.opening import place_of

    with writing(path):
        if not place_of(path).is_filled():
            return
    try:
        check_free(path)
    except OutputError:
        raise OutputError(
            "the folder is not empty",
            where=path,
            hint="use --force to replace the files in it, or name another",
        ) from None
