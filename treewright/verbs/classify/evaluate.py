"""The verb classify evaluate: how well a classifier names labelled examples."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.console import Json, Quiet, show_facts, warnings_said
from treewright.outputs import FILE, Encoding, Force
from treewright.permissions import AllowNetwork
from treewright.terminal import show
from treewright.verbs.classify.reading import (
    AtLeastOne,
    Device,
    Format,
    LabelColumn,
    TextColumn,
    Threshold,
    read_labelled,
    say_what_is_cut,
)

__all__ = ["evaluate"]


def evaluate(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A folder of classify train.")],
    test: Annotated[str, typer.Argument(metavar="TEST", help="Labelled examples.")],
    text: TextColumn = None,
    label: LabelColumn = None,
    format: Format = None,
    plot: Annotated[
        str | None, typer.Option(metavar=FILE, help="Draw the confusion matrix as this SVG image.")
    ] = None,
    encoding: Encoding = "utf-8",
    force: Force = False,
    threshold: Threshold = 0.5,
    at_least_one: AtLeastOne = False,
    device: Device = "auto",
    allow_network: AllowNetwork = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print accuracy, the majority class, macro F1, and precision, recall and F1 of each class.

    Of sets of classes (multi-label): subset accuracy, micro F1, macro F1, and the same of each.

    Example: treewright classify evaluate model test.csv --json
    """
    from classifiers.confusion import draw_confusion
    from classifiers.examples import read_examples
    from classifiers.saving import open_classifier
    from classifiers.scores import score

    opened = open_classifier(model, device=device)
    with warnings_said(quiet=quiet):
        examples = read_examples(read_labelled(test, text, label, format), classes=opened.classes)
        say_what_is_cut(opened, examples.texts, quiet=quiet)
        found = score(opened, examples, threshold=threshold, at_least_one=at_least_one)
    if plot is not None:
        draw_confusion(found, plot)
    if as_json:
        show_facts(found.to_dict(), as_json=True)
    else:
        show(found)
