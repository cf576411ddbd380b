"""Options as values: declared once, as fields of a dataclass, with all that is said of them.

The command line, the checks, the help and the pages of the documentation are made from these
fields, for methods of augmentation, for induction and for training alike.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from textwrap import fill, indent
from types import FunctionType
from typing import Any, TypeVar, cast

from grammar.errors import OptionError
from grammar.foreign_names.keywords import keyword_hint

__all__ = [
    "MOST",
    "TINY",
    "Checked",
    "Option",
    "again",
    "gathers",
    "meant",
    "named",
    "names_keywords",
    "option",
    "options_of",
    "read_options",
    "refuse_unknown",
    "takes",
    "whole_number",
]

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
_UNSET: Any = object()
_KINDS: Mapping[str, Any] = {
    "bool": bool, "int": Integral, "float": Real, "str": str, "Mapping[str, Any]": Mapping,
}  # fmt: skip
TINY = 1e-9
"""The least value of options that must be above zero."""
MOST = 2**63 - 1
"""The largest number, either side of zero: kernels have no larger ones."""
_TRUTH = {"true": True, "false": False}


@dataclass(frozen=True)
class Option:
    """One option: its name, its default in either mode, what it means and what it can be."""

    name: str
    default: Any
    code: Any
    kind: str
    help: str
    source: str
    choices: tuple[Any, ...] | None
    least: float | None
    most: float | None

    @property
    def kinds(self) -> list[str]:
        """The types that a value may have."""
        return [part.strip() for part in self.kind.split("|")]

    @property
    def many(self) -> bool:
        """Whether a value is several, as ``traces,functions``."""
        return self.kind.startswith("tuple[")

    @property
    def bounds(self) -> str:
        """What a value can be, in words; nothing if its kind says all."""
        if self.choices is not None:
            one_of = "some of" if self.many else "one of"
            return f"{one_of} {', '.join(map(str, self.choices))}"
        if self.least is None:
            return "" if self.most is None else f"up to {self.most}"
        lowest = "above 0" if 0 < self.least <= TINY else f"from {self.least}"
        return lowest + ("" if self.most is None else f" to {self.most}")

    def read(self, text: str) -> Any:
        """Return the value that a text stands for; :meth:`kept` says if it can be used.

        >>> @dataclass
        ... class GrowthOptions:
        ...     memory: int | None = option(2, "Ancestors that a symbol remembers.", least=0)
        >>> [memory] = options_of(GrowthOptions)
        >>> memory.read("3"), memory.read("none"), memory.read("three")
        (3, None, 'three')
        """
        word = text.strip().lower()
        if word == "none" and "None" in self.kinds:
            return None
        if word in _TRUTH and "bool" in self.kinds:
            return _TRUTH[word]
        for kind, number in (("int", int), ("float", float)):
            if kind in self.kinds:
                try:
                    return number(word)
                except ValueError:
                    continue
        quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
        return text[1:-1] if quoted else text

    def kept(self, value: Any) -> Any:
        """Return a value as it is kept: several as a tuple, numbers as Python's.

        Raises
        ------
        OptionError
            If it cannot be used.
        """
        if self.many:
            several = value.split(",") if isinstance(value, str) else value
            if not isinstance(several, Iterable):
                raise OptionError(
                    f"{self.name}={value!r} is not a list", hint=f"for example {self.default!r}"
                )
            return tuple(self._checked(part) for part in several if part != "")
        return self._checked(value)

    def _checked(self, value: Any) -> Any:
        if value is None and "None" in self.kinds:
            return value
        if self.choices is not None and (isinstance(value, bool) or value not in self.choices):
            raise OptionError(f"{self.name}={value!r} is not known", hint=f"use {self.bounds}")
        known = [kind for kind in self.kinds if kind in _KINDS]
        if known and not any(_is(kind, value) for kind in known):
            raise OptionError(
                f"{self.name}={value!r} is not of the kind {self.kind}",
                hint=f"for example {self.default!r}",
            )
        if isinstance(value, bool) or not isinstance(value, Real):
            return value
        number = _pythons(value)
        if (
            (isinstance(number, float) and not math.isfinite(number))
            or abs(number) > MOST
            or (self.least is not None and number < self.least)
            or (self.most is not None and number > self.most)
        ):
            within = "that is finite, below 2**63" if abs(number) > MOST else self.bounds
            raise OptionError(
                f"{self.name}={value!s:.40} is out of range",
                hint=f"use a number {within or 'that is finite'}",
            )
        return number


def option(
    default: Any,
    help: str,
    *,
    source: str = "",
    code: Any = _UNSET,
    choices: Iterable[Any] | None = None,
    least: float | None = None,
    most: float | None = None,
) -> Any:
    """Declare an option as a field of a dataclass.

    Parameters
    ----------
    default : object
        The paper's value.
    help : str
        What it means, in one or two sentences.
    source : str
        Section or equation of the paper.
    code : object, optional
        The value under ``faithful="code"``, where the released program differs.
    choices, least, most : optional
        The values that can be used.
    """
    metadata = {
        "help": help,
        "source": source,
        "code": default if code is _UNSET else code,
        "choices": None if choices is None else tuple(choices),
        "least": least,
        "most": most,
    }
    return dataclasses.field(default=default, metadata=metadata)


def again(declared: type, name: str, default: Any, **changed: Any) -> Any:
    """Declare an option of another class once more, with another default.

    Parameters
    ----------
    declared : type
        The class that has the option.
    name : str
        Its name.
    default : object
        The default here, in either mode.
    **changed
        What else differs, as :func:`option` has it.
    """
    field = next(f for f in dataclasses.fields(declared) if f.name == name)
    return option(default, **{**field.metadata, "code": default, **changed})


def options_of(declared: type) -> tuple[Option, ...]:
    """Return the options that a dataclass declares."""
    return tuple(
        Option(field.name, field.default, kind=str(field.type), **field.metadata)
        for field in dataclasses.fields(declared)
    )


def gathers(declared: type) -> str | None:
    """Return the option that gathers all those which a class does not declare, if it has one.

    Its name is the attribute ``gathers`` of the class.
    """
    name: str | None = getattr(declared, "gathers", None)
    return name


def read_options(declared: type[T], given: Mapping[str, Any], method: str) -> T:
    """Check the options given to a method, and fill in the rest from its mode.

    Raises
    ------
    OptionError
        If an option is unknown (the nearest one is named) or has a value that cannot be used.
    """
    known = {o.name: o for o in options_of(declared)}
    rest_of = gathers(declared)
    if rest_of is not None:
        others = {name: value for name, value in given.items() if name not in known}
        given = {name: value for name, value in given.items() if name in known}
        given[rest_of] = {**(given.get(rest_of) or {}), **others}
    refuse_unknown(given, known, method)
    kept = {name: known[name].kept(value) for name, value in given.items()}
    mode = given.get("faithful", "paper")
    rest = {name: o.code if mode == "code" else o.default for name, o in known.items()}
    return declared(**{**rest, **kept})


class Checked:
    """A base of options that are checked whenever they are made.

    Raises
    ------
    OptionError
        If an option cannot be used.
    """

    def __post_init__(self) -> None:
        for o in options_of(type(self)):
            given = getattr(self, o.name)
            kept = o.kept(given)
            if kept is not given:
                object.__setattr__(self, o.name, kept)


def takes(declared: type) -> Callable[[T], T]:
    """Say that a function reads its ``**options`` by :func:`read_options` of a class.

    Its signature and its documentation then have the options, one by one, and its attribute
    ``Options`` is the class.

    >>> @dataclass
    ... class GrowthOptions:
    ...     memory: int | None = option(2, "Ancestors that a symbol remembers.", least=0)
    >>> @takes(GrowthOptions)
    ... def grow(seed, **options):
    ...     "Let a grammar grow."
    >>> print(inspect.signature(grow))
    (seed, *, memory: 'int | None' = 2)
    >>> print(grow.__doc__.splitlines()[-1].strip())
    Ancestors that a symbol remembers.
    """

    def described(function: Any) -> Any:
        plain = inspect.signature(function)
        options = options_of(declared)
        parameters = [p for p in plain.parameters.values() if p.kind is not p.VAR_KEYWORD]
        parameters += [
            inspect.Parameter(
                o.name, inspect.Parameter.KEYWORD_ONLY, default=o.default, annotation=o.kind
            )
            for o in options
        ]
        told = (
            f"{o.name} : {o.kind}, default {o.default!r}\n{indent(fill(o.help, 92), '    ')}\n"
            for o in options
        )
        heading = f"Other Parameters\n{'-' * 16}"
        function.__doc__ = f"{inspect.getdoc(function)}\n\n{heading}\n{''.join(told)}"
        vars(function).update(__signature__=plain.replace(parameters=parameters), Options=declared)
        return function

    return described


def refuse_unknown(given: Iterable[str], known: Iterable[str], method: str) -> None:
    """Raise :class:`~grammar.errors.OptionError` for the first name that is not known."""
    known = sorted(known)
    for name in given:
        if name not in known:
            raise OptionError(
                f"{method} has no option {name!r}",
                hint=keyword_hint(name, known)
                or meant(name, known)
                or f"it has {', '.join(known)}",
            )


def names_keywords(**hints: str) -> Callable[[F], F]:
    """Have a function refuse keyword arguments that it does not have with a hint.

    Parameters
    ----------
    **hints
        What to say of names that mean something for this function alone.

    Examples
    --------
    >>> @names_keywords(stratify="leave it out")
    ... def share(data, *, seed=0):
    ...     return seed
    >>> share([], seed=1)
    1
    >>> share([], random_state=1)
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: share has no option 'random_state'
      hint: it is called seed here
    """

    def naming(function: F) -> F:
        kinds = inspect.Parameter
        parameters = [
            name
            for name, one in inspect.signature(function).parameters.items()
            if one.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)
        ]
        known = frozenset(parameters)
        called = function.__qualname__.removesuffix(".__init__")

        def refuse(given: set[str]) -> None:
            for name in given & hints.keys():
                raise OptionError(f"{called} has no option {name!r}", hint=hints[name])
            refuse_unknown(sorted(given), known - {"self", "cls"}, called)

        def checked(*values: Any, **named: Any) -> Any:
            if not known.issuperset(named):
                refuse(named.keys() - known)
            return function(*values, **named)

        # doctest knows a function of a module by its globals
        globals_: dict[str, Any] = inspect.unwrap(function).__globals__
        made = FunctionType(checked.__code__, globals_, closure=checked.__closure__)
        return cast("F", functools.update_wrapper(made, function))

    return naming


def named(name: str, known: Mapping[str, T], what: str = "method") -> T:
    """Return what a table has under a name.

    Raises
    ------
    OptionError
        If there is no such name; the hint has the nearest.
    """
    if name not in known:
        raise OptionError(
            f"unknown {what} {name!r}",
            hint=meant(str(name), known) or f"there are {', '.join(known)}",
        )
    return known[name]


_LONGEST = 200


def meant(name: str, known: Iterable[str]) -> str | None:
    """Ask which of the known names was meant; None if none looks like it.

    One that begins alike comes before one that looks a little more alike.

    >>> meant("alfa", ["alpha_rs", "alpha_sr", "balanced"])
    "did you mean 'alpha_rs' or 'alpha_sr'?"
    >>> meant("mixup", ["treemix", "randmix"]) is None
    True
    """
    # of a longer one the rest is like no name, and to compare it would take long
    plain = name[:_LONGEST].lower()
    likeness = {one: _likeness(plain, one.lower()) for one in known}
    best = max(likeness.values(), default=0.0)
    near = [one for one, value in likeness.items() if value > max(best - 0.1, 0.62)]
    return f"did you mean {' or '.join(map(repr, near[:2]))}?" if near else None


def _likeness(name: str, known: str) -> float:
    alike = difflib.SequenceMatcher(None, name, known).ratio()
    return alike + 0.15 * (name[:1] == known[:1])


def whole_number(name: str, value: Any, least: int) -> None:
    """Refuse what is not a whole number of ``least`` or more (OptionError)."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise OptionError(
            f"{name}={value!r} is not a whole number >= {least}", hint=f"for example {name}={least}"
        )


def _pythons(number: Real) -> int | float:
    """Return a number as Python has it: those of NumPy cannot be saved."""
    if isinstance(number, int | float):
        return number
    return int(number) if isinstance(number, Integral) else float(number)


def _is(kind: str, value: Any) -> bool:
    if isinstance(value, bool):
        return kind == "bool"
    return isinstance(value, _KINDS[kind])
