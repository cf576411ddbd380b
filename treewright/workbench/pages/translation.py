"""Translation: the targets of a source, each with the derivation that gives both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grammar.chart.parses import NoParse
from grammar.errors import OptionError
from grammar.synchronous.drawing import derivation_picture
from treewright.workbench.answers import Page, answered, picture
from treewright.workbench.opened import Opened, OpenSynchronous
from treewright.workbench.parameters import Parameters

__all__ = ["translation_page"]

_MOST_CHARACTERS, _MOST_WORDS, _MOST_TARGETS, _DRAWN = 600, 60, 10, 400
_EXAMPLES = 8


def translation_page(opened: Opened, asked: Parameters, identifier: str) -> Page:
    """Show the most probable targets of a source, and their derivations."""
    item: OpenSynchronous = opened.get(identifier, "synchronous")
    source = asked.text("source", most=_MOST_CHARACTERS)
    targets = asked.number("targets", 1, least=1, most=_MOST_TARGETS)
    values = {
        "identifier": identifier,
        "item": item,
        "path": f"/synchronous/{identifier}",
        "source": source,
        "targets": targets,
        "most": _MOST_TARGETS,
        "most_characters": _MOST_CHARACTERS,
    }
    if not source:
        return Page("synchronous.html", {**values, "examples": _examples(item)})
    return answered("synchronous.html", values, lambda: _translated(item, source, targets))


def _examples(item: OpenSynchronous) -> list[str]:
    """Return sources that rules without slots have, as a start."""
    rules = item.parser.grammar.rules
    return [" ".join(map(str, rule.source)) for rule in rules if not rule.arity][:_EXAMPLES]


def _translated(item: OpenSynchronous, source: str, targets: int) -> Mapping[str, Any]:
    words = source.split()
    if len(words) > _MOST_WORDS:
        raise OptionError(f"the source has {len(words)} words", hint=f"write at most {_MOST_WORDS}")
    found = item.parser.translations(words, targets)
    if isinstance(found, NoParse):
        return {"found": [], "reason": found.reason}
    return {
        "found": [
            {
                "target": " ".join(each.target),
                "log_probability": each.log_probability,
                "exact": each.exact,
                # a target of thousands of words makes a picture that no browser shows
                "picture": picture(derivation_picture(item.parser.grammar, each.rules))
                if len(each.target) <= _DRAWN
                else "",
            }
            for each in found
        ]
    }
