"""What pages are made of: a template with its values, or a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup
from starlette.datastructures import URL
from starlette.responses import HTMLResponse, Response

from grammar.errors import TreewrightError
from grammar.pictures.svg import Picture

__all__ = ["STYLE", "Download", "Page", "address", "answered", "picture"]

_TEMPLATES = Path(__file__).parent / "templates"
STYLE = _TEMPLATES / "style.css"
_WIDTHS = {"small": 720, "fits": 1180, "shrinks": 1500}
"""Up to which width a picture has a class: cards are half as wide as pages."""


@dataclass(frozen=True)
class Page:
    """A template with its values."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200

    def response(self) -> Response:
        """Return the page; whatever the values hold is text in it, and no markup."""
        text = _environment().get_template(self.template).render(self.values)
        return HTMLResponse(text, self.status)


@dataclass(frozen=True)
class Download:
    """A file to keep."""

    name: str
    content: bytes
    media_type: str

    def response(self) -> Response:
        """Return the file."""
        headers = {"content-disposition": f'attachment; filename="{self.name}"'}
        return Response(self.content, media_type=self.media_type, headers=headers)


def answered(
    template: str, values: Mapping[str, Any], answer: Callable[[], Mapping[str, Any]]
) -> Page:
    """Return a page with a form and its answer, or with what is wrong in the form."""
    try:
        return Page(template, {**values, **answer()})
    except TreewrightError as error:
        return Page(template, {**values, "error": error}, 400)


def address(path: str, **parameters: Any) -> str:
    """Return an address; what is empty is left out.

    >>> address("/treebank/a", pattern="S < NP", page=None)
    '/treebank/a?pattern=S+%3C+NP'
    """
    given = {name: str(value) for name, value in parameters.items() if value not in (None, "")}
    return str(URL(path).include_query_params(**given)) if given else path


def picture(drawn: Picture) -> Markup:
    """Return a picture as a part of a page; a wide one is scrolled, a less wide one shrinks."""
    size = next((size for size, most in _WIDTHS.items() if drawn.width <= most), "wide")
    return Markup(drawn.svg().replace("<svg ", f'<svg class="{size}" ', 1))


_made: list[jinja2.Environment] = []


def _environment() -> jinja2.Environment:
    if not _made:
        made = jinja2.Environment(
            loader=jinja2.FileSystemLoader(_TEMPLATES),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        made.globals["address"] = address
        made.filters["number"] = lambda value: f"{value:,}"
        _made.append(made)
    return _made[0]
