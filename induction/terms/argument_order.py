"""The order in which a term writes its arguments, where a gap is one of them.

An order belongs to a *frame*: *Ann gave Bob a cup* writes the recipient first, *Ann gave a cup to
Bob* the theme. A form that shares the templates of another (*give*, below *did*) may itself show
where the gap of a role stands. A template that it takes over unseen then has the order of a frame
with the same roles that agrees with this place, if there is one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from grammar.errors import NotationError
from grammar.synchronous.rule import SynchronousRule
from induction.terms.references import GAP
from induction.terms.terms import Term

__all__ = ["Orders", "gap_places", "orders", "with_gap_in_place"]

Orders = Counter[tuple[str, ...]]
"""How often the arguments of a frame have an order of roles."""
_GAP = Term((GAP,))


def gap_places(templates: Mapping[SynchronousRule, int], evidence: int = 2) -> dict[str, int]:
    """Return, by role, the place among the arguments at which its gap always stands.

    Parameters
    ----------
    templates : mapping of SynchronousRule to int
        Templates and their uses.
    evidence : int
        Uses that a place must have.

    Examples
    --------
    >>> asked = SynchronousRule.parse("Y -> X_1 W_2 ### W_2 ( agent = X_1 , theme = ^ )")
    >>> gap_places({asked: 2})
    {'theme': 1}
    """
    found: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for template, uses in templates.items():
        term = _term(template)
        for place, argument in enumerate(term.arguments if term else ()):
            if argument.value == _GAP:
                found[argument.role][place] += uses
    return {
        role: place
        for role, counts in found.items()
        for place, uses in counts.items()
        if len(counts) == 1 and uses >= evidence
    }


def orders(templates: Iterable[tuple[SynchronousRule, int]]) -> Orders:
    """Count the orders of roles in templates, given with their uses."""
    found: Orders = Counter()
    for template, uses in templates:
        if (term := _term(template)) is not None:
            found[tuple(argument.role for argument in term.arguments)] += uses
    return found


def with_gap_in_place(
    template: SynchronousRule, places: Mapping[str, int], known: Orders
) -> SynchronousRule:
    """Return the template with its gap where the form has it, if a frame has that order.

    The other arguments keep their order. A template without such a gap, or of whose roles no frame
    has the order, stays as it is.

    Examples
    --------
    >>> gave = SynchronousRule.parse("Y -> X_1 W_2 X_3 ### W_2 ( a = X_1 , r = X_3 , t = ^ )")
    >>> print(with_gap_in_place(gave, {"t": 1}, Counter({("a", "t", "r"): 2})))
    Y -> X_1 W_2 X_3 ### W_2 ( a = X_1 , t = ^ , r = X_3 )
    >>> with_gap_in_place(gave, {"t": 1}, Counter()) == gave
    True
    """
    term = _term(template)
    gaps = [a for a in term.arguments if a.value == _GAP] if term else []
    if term is None or len(gaps) != 1 or gaps[0].role not in places:
        return template
    arguments = [a for a in term.arguments if a != gaps[0]]
    arguments.insert(places[gaps[0].role], gaps[0])
    if tuple(a.role for a in arguments) not in known:
        return template
    symbols = {str(symbol): symbol for symbol in template.target}
    moved = replace(term, arguments=tuple(arguments))
    return replace(template, target=tuple(symbols[word] for word in moved.words))


def _term(template: SynchronousRule) -> Term | None:
    """Return the target as a term with slots as words; None if it is none."""
    try:
        return Term.parse([str(symbol) for symbol in template.target])
    except NotationError:
        return None
