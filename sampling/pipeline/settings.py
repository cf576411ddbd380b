"""What an augmentation is asked for: the same names in Python, on the command line and in TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

from grammar.errors import OptionError
from grammar.files import PathLike, read_text
from grammar.foreign_names.keywords import keyword_hint
from grammar.options import option, read_options, refuse_unknown
from grammar.saving.value_checks import value_fault
from sampling.expression import options_taken, read_expression
from sampling.pipeline.deduplication import DEDUPLICATION

__all__ = ["METHOD", "Settings", "read_settings", "read_toml", "with_options_apart"]


METHOD = "fluent(sub2)"
"""What is made where nobody says: it keeps labels, needs no more than texts, and reads well more
often than Sub2 by itself, for a few seconds more."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is asked for; together with the corpora it decides every byte of the result."""

    method: str = option(
        METHOD, "The methods: an expression such as sub2, a | b, or 0.7*a + 0.3*b."
    )
    options: Mapping[str, Any] | None = option(
        None, "Options of the methods: name, or method.name, to value."
    )
    n: int | None = option(None, "Number of new examples.", least=0)
    times: int | None = option(
        None, "New examples per original; 1 if no other option gives a number.", least=0
    )
    per_class: int | None = option(None, "New examples per class.", least=0)
    balance: bool = option(
        False, "Bring all classes, originals included, to the same count, as near as n allows."
    )
    length: str | None = option(
        None, "Words per text: a band, 5:20, or bands with counts, 5:10=100,11:20=50."
    )
    dedup: str = option(
        "exact",
        "Remove texts equal to an original or to an earlier new text (exact), similar ones too "
        "(minhash), or nothing (none).",
        choices=DEDUPLICATION,
    )
    threshold: float = option(
        0.8, "Least Jaccard similarity of word bigrams of similar texts (minhash).",
        least=0, most=1,
    )  # fmt: skip
    columns: str = option(
        "all",
        "Other columns that new examples get from their parents: all, none, or names with commas.",
    )
    parser: str = option(
        "auto",
        "The parser of texts without trees, if a method needs trees: a file, english (which "
        "ships), nltk:treebank or embedded.",
    )
    drop_leaked: bool = option(
        False,
        "Remove new texts that equal a text of the test corpus. By default they are only counted.",
    )
    keep_originals: bool = option(False, "Put the originals before the new examples.")
    seed: int = option(0, "Random seed; example i depends on (seed, i) alone.", least=0)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON can hold them."""
        return {**asdict(self), "options": dict(sorted((self.options or {}).items()))}


def read_settings(given: Mapping[str, Any], further: Iterable[str] = ()) -> Settings:
    """Check settings given by name; a hyphen in a name is an underscore, and None is the default.

    ``further`` are names that whoever takes the settings takes besides: an error has them, too.

    Raises
    ------
    OptionError
        If one is unknown (the nearest is named) or has a value that cannot be used.

    Examples
    --------
    >>> read_settings({"per-class": 5, "n": None}).per_class
    5
    """
    named = {name.replace("-", "_"): value for name, value in given.items() if value is not None}
    refuse_unknown(named, {*Settings.__dataclass_fields__, *further}, "augment")
    return read_options(Settings, named, "augment")


def with_options_apart(
    method: str, given: Mapping[str, Any], further: Iterable[str]
) -> dict[str, Any]:
    """Return settings by name, in which options of the methods are among ``options``.

    Raises
    ------
    OptionError
        If one is neither a setting, one of ``further``, nor an option of a method.

    Examples
    --------
    >>> with_options_apart("eda", {"n": 2, "alpha_sr": 0.2}, ())
    {'n': 2, 'options': {'alpha_sr': 0.2}}
    """
    own = {*Settings.__dataclass_fields__, *further}
    others = [name for name in given if name.replace("-", "_") not in own]
    if not others:
        return dict(given)
    refuse_unknown((name for name in others if keyword_hint(name, own)), own, "augment")
    taken = set().union(*options_taken(read_expression(method)).values())
    refuse_unknown(others, own | taken, "augment")
    moved = {name: given[name] for name in others}
    kept = {name: value for name, value in given.items() if name not in moved}
    return {**kept, "options": {**moved, **(given.get("options") or {})}}


def read_toml(path: PathLike, further: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    """Read the table ``[augment]`` of a TOML file.

    Parameters
    ----------
    path : path
        The file; its keys are those of :class:`Settings`, with hyphens or underscores.
    further : mapping
        Other keys that it may have, and what each is to be (:mod:`grammar.saving.value_checks`).

    Raises
    ------
    UnreadableInputError
        If the file cannot be read.
    OptionError
        If it is not TOML, has no such table, a key is unknown (the nearest is named), or one of
        the ``further`` ones is something else. The others are checked by :func:`read_settings`.
    """
    text = read_text(path)
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # as of numbers of thousands of digits
        raise OptionError(
            f"the file is not TOML: {error}", where=str(path), hint="for example: seed = 7"
        ) from None
    table = document.get("augment")
    if not isinstance(table, dict):
        raise OptionError(
            "the file has no table [augment]",
            where=str(path),
            hint="begin it with a line [augment]",
        )
    named = {name.replace("-", "_"): value for name, value in table.items()}
    try:
        refuse_unknown(named, {*Settings.__dataclass_fields__, *further}, "[augment]")
    except OptionError as error:
        raise OptionError(error.what, where=str(path), hint=error.hint) from None
    if not isinstance(named.get("options", {}), dict):
        raise OptionError(
            "'options' is no table", where=str(path), hint="write [augment.options] above them"
        )
    if fault := value_fault(named, {f"{name}?": kind for name, kind in further.items()}):
        raise OptionError(fault, where=str(path), hint="correct it in the file")
    return named
