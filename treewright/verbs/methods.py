"""The verbs methods and models: what there is, with all options."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.catalogue import show_catalogue
from treewright.console import Json

__all__ = ["methods", "models"]


def methods(
    name: Annotated[str | None, typer.Argument(help="A method. By default all are listed.")] = None,
    as_json: Json = False,
) -> None:
    """List the methods, or the options of one with their defaults, meanings and sources.

    Example: treewright methods treemix --json
    """
    from sampling.method import METHODS

    show_catalogue(METHODS, name, "method", as_json=as_json)


def models(
    name: Annotated[str | None, typer.Argument(help="A model. By default all are listed.")] = None,
    as_json: Json = False,
) -> None:
    """List the models, or the options of one with their defaults, meanings and sources.

    Example: treewright models bayes-tsg --json
    """
    from induction.models import MODELS
    from scan.models.config import TRAINED

    show_catalogue({**MODELS, **TRAINED}, name, "model", as_json=as_json)
