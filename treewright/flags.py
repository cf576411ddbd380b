"""Flags made from declared options: ``--memory 2`` stands for ``--set memory=2``.

The options of a model or a config are declared once (:mod:`grammar.options`). Their flags, what
``--set`` takes and what the help says of them are all made here, when a verb is called: no option
is loaded before it is asked for.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from treewright.outputs import Verb

if TYPE_CHECKING:
    from grammar.options import Option

__all__ = ["FlagsOfOptions", "flag", "panels", "read_settings", "shown_default"]

_MANY = 100_000
"""Upper bounds above this are not shown: they only keep numbers within what machines hold."""

Groups = Mapping[str, Sequence["Option"]]
"""Options by the name of what takes them."""


class FlagsOfOptions(Verb):
    """A verb that has a flag for each option of what it is asked for.

    A subclass says which these are; the verb itself has ``--set``, which gets them all.
    """

    def asked(self, args: Sequence[str]) -> tuple[str, Sequence[Option]]:
        """Return what arguments ask for, as an error would call it, and its options."""
        raise NotImplementedError

    def explained(self, args: Sequence[str]) -> Groups:
        """Return all options that the help has for arguments."""
        raise NotImplementedError

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line, after the flags of options have become ``--set``."""
        ctx.meta["treewright.arguments"] = list(args)
        mine = {name for param in self.params for name in (*param.opts, *param.secondary_opts)}
        mine.update(ctx.help_option_names)
        what, options = self.asked(args)
        plain = _as_settings(args, {flag(o.name): o for o in options}, mine, what)
        return super().parse_args(ctx, plain)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of the verb, and then that of the options."""
        super().format_help(ctx, formatter)
        formatter.write(panels(self.explained(ctx.meta["treewright.arguments"])))


def flag(name: str) -> str:
    """Return the flag of an option.

    >>> flag("horizontal_markov")
    '--horizontal-markov'
    """
    return f"--{name.replace('_', '-')}"


def value_of(args: Sequence[str], name: str) -> str | None:
    """Return what a flag of a verb has for its value, in either spelling.

    >>> value_of(["a", "--model", "dop"], "--model"), value_of(["--model=dop"], "--model")
    ('dop', 'dop')
    """
    found = None
    for place, arg in enumerate(args):
        if arg == name and place + 1 < len(args):
            found = args[place + 1]
        elif arg.startswith(f"{name}="):
            found = arg.partition("=")[2]
    return found


def _as_settings(
    args: Sequence[str], known: Mapping[str, Option], mine: set[str], what: str
) -> list[str]:
    """Return the arguments with the flags of options as ``--set NAME=VALUE``."""
    plain: list[str] = []
    left = iter(args)
    for arg in left:
        name, equals, value = arg.partition("=")
        if arg == "--":
            return [*plain, arg, *left]
        if not arg.startswith("--") or name in mine:
            plain.append(arg)
            continue
        positive = name.replace("--no-", "--", 1)
        if name not in known and (positive not in known or "bool" not in known[positive].kinds):
            raise _not_taken(name, known, what)
        if name not in known:
            plain += ["--set", f"{known[positive].name}=false"]
            continue
        if not equals:
            value = "true" if "bool" in known[name].kinds else next(left, "")
        plain += ["--set", f"{known[name].name}={value}"]
    return plain


def _not_taken(name: str, known: Iterable[str], what: str) -> Exception:
    import difflib

    from grammar.errors import OptionError

    near = difflib.get_close_matches(name, known, 1, 0.7)
    takes = f"it takes {', '.join(known) or 'none'}"
    hint = f"did you mean {near[0]}?" if near else takes
    return OptionError(f"{what} does not take {name}", hint=hint)


def read_settings(texts: Iterable[str], options: Sequence[Option], what: str) -> dict[str, Any]:
    """Read options from texts such as ``rounds=3``; the last one of a name counts.

    Raises
    ------
    OptionError
        If a text is not NAME=VALUE, or there is no such option; the hint names the nearest.
    """
    from grammar.errors import OptionError
    from grammar.options import refuse_unknown

    known = {o.name: o for o in options}
    read = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name:
            raise OptionError(f"the option {text!r} is not NAME=VALUE", hint="for example seed=1")
        refuse_unknown([name], known, what)
        read[name] = known[name].read(value)
    return read


def shown_default(value: Any) -> str:
    """Return a default as a person writes it.

    >>> [shown_default(value) for value in (None, True, ("a", "b"), 0.5)]
    ['none', 'true', 'a,b', '0.5']
    """
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if value == "":
        return "''"
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def panels(groups: Groups, *, sources: bool = False) -> str:
    """Return options as help: one panel for all that are taken by the same ones.

    Parameters
    ----------
    groups : mapping
        Options by the name of what takes them.
    sources : bool
        Whether to say where in the literature an option is from, and its value in code mode.
    """
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    written = io.StringIO()
    console = Console(file=written)
    for names, rows in _by_takers(groups).items():
        table = Table(box=None, show_header=False, pad_edge=False, expand=True)
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True)
        table.add_column(ratio=1)
        for taken in rows:
            first = next(iter(taken.values()))
            said = [first.help, _choices(first), _source(first) if sources else "", _default(taken)]
            table.add_row(_flags(first), _metavar(first), Text(" ".join(filter(None, said))))
        console.print(Panel(table, title=", ".join(names), title_align="left"))
    return written.getvalue()


def _by_takers(groups: Groups) -> dict[tuple[str, ...], list[dict[str, Option]]]:
    """Group options by those that take them, where they mean the same."""
    meanings: dict[tuple[str, str, str], dict[str, Option]] = {}
    for name, options in groups.items():
        for o in options:
            meanings.setdefault((o.name, o.help, o.bounds), {})[name] = o
    takers: dict[tuple[str, ...], list[dict[str, Option]]] = {}
    for taken in meanings.values():
        takers.setdefault(tuple(taken), []).append(taken)
    return takers


def _flags(o: Option) -> str:
    if "bool" in o.kinds and o.default is not False:
        return f"{flag(o.name)}/{flag(f'no_{o.name}')}"
    return flag(o.name)


def _metavar(o: Option) -> str:
    named = {"bool": "", "int": "INTEGER", "float": "NUMBER", "str": "TEXT"}
    kind = next((named[kind] for kind in o.kinds if kind in named), "TEXT")
    if o.choices is not None:
        return kind
    shown = replace(o, most=None) if o.most is not None and o.most > _MANY else o
    return f"{kind} {shown.bounds}".strip()


def _choices(o: Option) -> str:
    return "" if o.choices is None else f"{o.bounds[0].upper()}{o.bounds[1:]}."


def _source(o: Option) -> str:
    code = "" if o.code == o.default else f"in code mode {shown_default(o.code)}"
    said = "; ".join(filter(None, (o.source, code)))
    return f"({said})" if said else ""


def _default(taken: Mapping[str, Option]) -> str:
    """Say what the default is, and for whom if not for all."""
    values: dict[str, list[str]] = {}
    for name, o in taken.items():
        values.setdefault(shown_default(o.default), []).append(name)
    if len(values) == 1:
        return f"[default: {next(iter(values))}]"
    each = "; ".join(f"{value} ({', '.join(names)})" for value, names in values.items())
    return f"[default: {each}]"
