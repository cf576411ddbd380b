"""Labels that people ask for, and the symbols of a grammar that annotate them.

A grammar of prepared trees says ``NP^<S>`` where a person says ``NP``: a base label stands for all
symbols that add to it what their trees do not show.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from grammar.errors import OptionError

__all__ = ["known_symbol", "known_symbols"]

_OFFERED = 8
_PART = "|<"
"""Begins what is left of a constituent in the name of an intermediate node."""


def known_symbols(symbol: str, names: Sequence[str]) -> list[str]:
    """Return a symbol that the grammar has, or else all that annotate it.

    >>> known_symbols("NP", ["S", "NP^<S>", "NP^<VP>", "NP|<DT>", "VP^<S>"])
    ['NP^<S>', 'NP^<VP>']

    Raises
    ------
    OptionError
        If there is none; the hint has the nearest names.
    """
    if symbol in names:
        return [symbol]
    annotated = [name for name in names if _is_annotated(name, symbol)]
    whole = [name for name in annotated if _PART not in name.removeprefix(symbol)]
    if annotated:
        return whole or annotated
    plain = re.split(r"(?<=\w)[-=]", symbol, maxsplit=1)[0]
    if plain != symbol and any(name == plain or _is_annotated(name, plain) for name in names):
        hint = f"try {plain}: grammars are induced from trees without functions"
        raise OptionError(f"the grammar has no symbol {symbol!r}", hint=hint)
    folded = {name.casefold(): name for name in reversed(names)}
    near = [folded[n] for n in difflib.get_close_matches(symbol.casefold(), folded, 3)]
    listed = ", ".join(near or names[:_OFFERED])
    more = ", ..." if not near and len(names) > _OFFERED else ""
    raise OptionError(f"the grammar has no symbol {symbol!r}", hint=f"try {listed}{more}")


def known_symbol(symbol: str, names: Sequence[str]) -> str:
    """Return a symbol where one alone can be shown, or raise OptionError with the nearest.

    Those that annotate it, as ``NP^<S>`` does ``NP``, come first.

    >>> known_symbol("NP", ["S", "NP^<S>", "NP^<VP>", "VP^<S>"])
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: the grammar has no symbol 'NP'
      hint: try NP^<S>, NP^<VP>
    """
    found = known_symbols(symbol, names)
    if found == [symbol]:
        return symbol
    more = f", ... ({len(found)} in all)" if len(found) > _OFFERED else ""
    some = ", ".join(found[:_OFFERED]) + more
    raise OptionError(f"the grammar has no symbol {symbol!r}", hint=f"try {some}")


def _is_annotated(name: str, symbol: str) -> bool:
    rest = name.removeprefix(symbol)
    return bool(symbol) and rest != name and not (rest[:1].isalnum() or rest[:1] in "-$")
