"""What the verbs of classify have in common: labelled files, recipes from flags, what is said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.flags import FlagsOfOptions, read_settings
from treewright.terminal import say

if TYPE_CHECKING:
    from classifiers.training.recipe import Recipe
    from classifiers.training.train import Classifier
    from grammar.options import Option
    from induction.corpus.corpus import Corpus

__all__ = [
    "Device",
    "Format",
    "LabelColumn",
    "RecipeFlags",
    "SetOption",
    "TextColumn",
    "data_facts",
    "need_encoders",
    "read_labelled",
    "recipe_of",
    "say_what_is_cut",
]

TextColumn = Annotated[str | None, typer.Option("--text", help="The column that holds the texts.")]
LabelColumn = Annotated[
    str | None, typer.Option("--label", help="The column that holds the classes.")
]
Format = Annotated[
    str | None, typer.Option("--format", help="Of the files, if their names do not tell.")
]
Device = Annotated[str, typer.Option(help="Where to compute: auto, cpu, cuda, cuda:N.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", "-O", help="Another value of the recipe as NAME=VALUE; each has a flag, too."
    ),
]
_TAKEN = ("seed",)
"""Options of a recipe that the verbs have themselves."""


class RecipeFlags(FlagsOfOptions):
    """A verb that trains, with a flag for each value of a recipe."""

    def asked(self, args: Sequence[str]) -> tuple[str, Sequence[Option]]:
        """Return the options of a recipe."""
        from classifiers.training.recipe import Recipe
        from grammar.options import options_of

        return "a recipe", options_of(Recipe)

    def explained(self, args: Sequence[str]) -> Mapping[str, Sequence[Option]]:
        """Return the options of a recipe that the verb itself has not."""
        return {"recipe": [o for o in self.asked(args)[1] if o.name not in _TAKEN]}


def recipe_of(settings: Iterable[str] | None, seed: int) -> Recipe:
    """Return the recipe of flags."""
    from classifiers.training.recipe import Recipe, read_recipe
    from grammar.errors import OptionError
    from grammar.options import options_of

    given = read_settings(settings or (), options_of(Recipe), "a recipe")
    for name in _TAKEN:
        if name in given:
            raise OptionError(f"--set does not take {name!r}", hint=f"use --{name}")
    recipe = read_recipe(**given, seed=seed)
    if recipe.encoder != "tfidf":
        need_encoders()
    return recipe


def need_encoders() -> None:
    """Raise a clear error if the neural extra is not installed."""
    from importlib.util import find_spec

    from grammar.errors import MissingDataError

    missing = [name for name in ("torch", "transformers", "safetensors") if find_spec(name) is None]
    if missing:
        raise MissingDataError(
            f"encoders need {missing[0]}, which is not installed",
            hint="pip install 'treewright[neural]'; --encoder tfidf needs none of it",
        )


def read_labelled(path: str, text: str | None, label: str | None, format: str | None) -> Corpus:
    """Read a file with labels."""
    from sampling.examples.class_names import number_classes
    from sampling.examples.examples import read_examples
    from sampling.pipeline.sources import read_source

    corpus = read_source(path, _columns(text, label), format)
    corpus.arrow("label")  # says how to name the column, if there is none
    read_examples(number_classes(corpus))
    return corpus


def _columns(text: str | None, label: str | None) -> dict[str, str | None]:
    return {k: v for k, v in (("text", text), ("label", label)) if v is not None}


def data_facts(path: str, corpus: Corpus, classes: Sequence[str], counts: Any) -> dict[str, Any]:
    """Return what a card says of a file."""
    from sampling.pipeline.manifest import file_hash

    each = ", ".join(f"{name} {count:g}" for name, count in zip(classes, counts, strict=True))
    return {
        "file": path, "sha256": file_hash(path), "examples": len(corpus), "of each class": each,
    }  # fmt: skip


def say_what_is_cut(model: Classifier, texts: Sequence[Any], *, quiet: bool) -> None:
    """Say how many texts are longer than what the model reads."""
    encoder: Any = getattr(model, "encoder", None)
    if encoder is None:
        return
    from classifiers.encoders.encoding import count_longer

    longest = min(model.recipe.longest, encoder.longest)  # type: ignore[attr-defined]
    count = count_longer(encoder, texts, longest)
    if count:
        say(
            f"{count:,} of {len(texts):,} texts have more than {longest} pieces: what lies behind "
            "is not read",
            quiet=quiet,
        )
