"""The verb linda train: texts in, a model that interpolates them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.console import Json, Quiet, Seed, progress, show_facts
from treewright.flags import FlagsOfOptions, read_settings
from treewright.outputs import FOLDER, Encoding, Force

if TYPE_CHECKING:
    from grammar.options import Option

__all__ = ["LindaFlags", "train"]


class LindaFlags(FlagsOfOptions):
    """The verb that trains, with a flag for each value of a config."""

    def asked(self, args: Sequence[str]) -> tuple[str, Sequence[Option]]:
        """Return the options of a config."""
        from grammar.options import options_of
        from sampling.neural.linda.config import LindaConfig

        return "a config", options_of(LindaConfig)

    def explained(self, args: Sequence[str]) -> Mapping[str, Sequence[Option]]:
        """Return the options of a config."""
        return {"config": self.asked(args)[1]}


def train(
    source: Annotated[
        str, typer.Argument(metavar="TEXTS", help="Texts: a corpus, or a text a line; - is stdin.")
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar=FOLDER, help="The model: a folder.")
    ],
    text: Annotated[
        str | None, typer.Option("--text", help="The column that holds the texts.")
    ] = None,
    every: Annotated[int, typer.Option(min=1, help="Updates between checkpoints.")] = 500,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the checkpoint in OUT_FOLDER.partial.")
    ] = False,
    device: Annotated[
        str, typer.Option(help="Where to compute: auto, cpu, cuda, cuda:N.")
    ] = "auto",
    set_option: Annotated[
        list[str] | None,
        typer.Option(
            "--set", "-O", help="Another value of the config as NAME=VALUE; each has a flag, too."
        ),
    ] = None,
    seed: Seed = 0,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train a model that gives texts between two texts (LINDA), from texts alone.

    Example: treewright linda train texts.txt --model small --steps 2200 -o linda
    """
    from grammar.options import options_of
    from sampling.neural.linda.config import LindaConfig
    from sampling.neural.opening import needs_libraries
    from treewright.verbs.linda.reading import texts_of

    config = read_settings(set_option or (), options_of(LindaConfig), "a config")
    texts = texts_of(source, text)
    needs_libraries("linda")
    from sampling.neural.linda.runs import train_linda

    with progress(quiet=quiet) as bars:
        task = bars.add_task("training", total=LindaConfig(**config).steps, note="")

        def told(update: int, loss: float) -> None:
            bars.update(task, completed=update, note=f"loss {loss:.2f}")

        facts = train_linda(
            texts, output, seed=seed, every=every, resume=resume, force=force, device=device,
            told=told, **config,
        )  # fmt: skip
    shown = {name: facts[name] for name in ("texts", "processor seconds", "sigma")}
    show_facts({"model": output, **shown}, as_json=as_json, quiet=quiet)
