"""The verb scan train: a sequence-to-sequence model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.console import Json, Quiet, Seed, naming, need_torch, show_facts, training_bar
from treewright.flags import FlagsOfOptions, read_settings
from treewright.outputs import FILE, STORE, Encoding, Force
from treewright.pair_files import PairsFile, read_pair_file

if TYPE_CHECKING:
    from grammar.options import Option

__all__ = ["TrainCommand", "train"]


def train(
    train: PairsFile,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar=FILE, help="The model: .safetensors.")
    ],
    test: Annotated[str | None, typer.Option(help="Pairs to test on, after training.")] = None,
    augmented: Annotated[str | None, typer.Option(help="New pairs to train on too.")] = None,
    model: Annotated[str, typer.Option(help="lstm or transformer.")] = "lstm",
    set_option: Annotated[
        list[str] | None,
        typer.Option(
            "--set", "-O", help="A value of the config as NAME=VALUE; each has a flag too."
        ),
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(metavar=STORE, help="State file; if it exists, training continues from it."),
    ] = None,
    seed: Seed = 0,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train a sequence-to-sequence model; stops on training exact match, then tests once.

    Example: treewright scan train jump/train.txt --augmented jump/geca.jsonl --test jump/test.txt
    -o jump.safetensors
    """
    need_torch()
    from grammar.errors import OptionError
    from grammar.options import options_of
    from induction.corpus.pairs import target_by_source
    from scan.experiment import unique_pairs
    from scan.models.config import TrainingConfig
    from scan.models.training import exact_match
    from scan.models.training import train as train_model

    changes = read_settings(set_option or (), options_of(TrainingConfig), "a config")
    if "model" in changes:
        raise OptionError("--set does not take the model", hint="use --model")
    config = TrainingConfig.of(model, **{"seed": seed, **changes})
    with naming(train):
        targets = target_by_source(read_pair_file(train))
    pairs = [(" ".join(source), " ".join(target)) for source, target in targets.items()]
    made = unique_pairs(read_pair_file(augmented)) if augmented else []
    held_out = unique_pairs(read_pair_file(test)) if test else []
    with training_bar(f"seed {seed}", config.steps, quiet=quiet) as advance:
        trained = train_model(
            pairs, augmented=made, config=config, checkpoint=checkpoint, on_progress=advance
        )
    trained.save(output)
    last = trained.history[-1]
    facts: dict[str, object] = {
        "model": output,
        "steps": last.update,
        "train pairs": len(pairs),
        "augmented pairs": len(made),
        "train exact match": f"{last.exact_match:.4f}",
    }
    if held_out:
        facts["test exact match"] = f"{exact_match(trained, held_out):.4f}"
        made_texts = {text for text, _ in made}
        unseen = [pair for pair in held_out if pair[0] not in made_texts]
        if made and unseen:
            facts["... on tests not among the augmented"] = f"{exact_match(trained, unseen):.4f}"
    show_facts(facts, as_json=as_json, quiet=quiet)


class TrainCommand(FlagsOfOptions):
    """The verb scan train, with a flag for each value of a config."""

    def asked(self, args: Sequence[str]) -> tuple[str, Sequence[Option]]:
        """Return the options of a config."""
        from grammar.options import options_of
        from scan.models.config import TrainingConfig

        return "a config", options_of(TrainingConfig)

    def explained(self, args: Sequence[str]) -> Mapping[str, Sequence[Option]]:
        """Return the options of a config that the verb itself has not."""
        return {"config": [o for o in self.asked(args)[1] if o.name not in ("model", "seed")]}
