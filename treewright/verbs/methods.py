"""The verb methods: the methods of augmentation, with all options."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.catalogue import show_catalogue
from treewright.screen import Json

__all__ = ["methods"]


def methods(
    name: Annotated[str | None, typer.Argument(help="A method; without it, all are named.")] = None,
    as_json: Json = False,
) -> None:
    """Show what methods there are, and each option with its default, meaning and source.

    Example: treewright methods treemix --json
    """
    from sampling.method import METHODS

    show_catalogue(METHODS, name, "method", as_json=as_json)
