"""The verb classify export: a classifier as an ONNX model with a card."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.console import Json, Quiet, show_facts
from treewright.outputs import FOLDER, Force

__all__ = ["export"]


def export(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A folder of classify train.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar=FOLDER, help="A folder for the ONNX model.")
    ],
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a classifier as an ONNX model, with its tokenizer and a card that says how to ask it.

    Example: treewright classify export model -o exported
    """
    from classifiers.export.saving import export_onnx
    from classifiers.saving import facts_of, open_classifier

    export_onnx(open_classifier(model, device="cpu"), output, facts_of(model)["facts"])
    show_facts({"output": output}, as_json=as_json, quiet=quiet)
