"""What the verbs of classify have in common: labelled files, configs from flags, what is said."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from treewright.console import Json, Quiet, Seed
from treewright.flags import FlagsOfOptions, read_settings
from treewright.outputs import Encoding, Force
from treewright.permissions import MaxRequests
from treewright.terminal import say

if TYPE_CHECKING:
    from classifiers.config import TrainingConfig
    from classifiers.training.train import Classifier
    from grammar.options import Option
    from induction.corpus.corpus import Corpus

__all__ = [
    "AtLeastOne",
    "Device",
    "Format",
    "LabelColumn",
    "RecipeFlags",
    "SetOption",
    "TextColumn",
    "Threshold",
    "Training",
    "TrainingFlags",
    "checked_config",
    "data_facts",
    "read_labelled",
    "read_texts",
    "reads_facts",
    "say_what_is_cut",
    "trains",
]

TextColumn = Annotated[str | None, typer.Option("--text", help="The column that holds the texts.")]
LabelColumn = Annotated[
    str | None, typer.Option("--label", help="The column that holds the classes.")
]
Format = Annotated[
    str | None, typer.Option("--format", help="Of the files, if their names do not tell.")
]
Device = Annotated[str, typer.Option(help="Where to compute: auto, cpu, cuda, cuda:N.")]
Threshold = Annotated[
    float,
    typer.Option(
        min=0.0, max=1.0, help="Of sets of classes: from this probability on, a text is of a class."
    ),
]
AtLeastOne = Annotated[
    bool,
    typer.Option(
        "--at-least-one", help="Of sets of classes: name the most probable class, if no other."
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", "-O", help="Another value of an option below as NAME=VALUE; each has a flag, too."
    ),
]
_TAKEN = ("seed",)
"""Options of a config that the verbs have themselves."""


@dataclass(frozen=True, kw_only=True)
class Training:
    """What all verbs that train take from the command line, under these names."""

    text: TextColumn = None
    label: LabelColumn = None
    format: Format = None
    set_option: SetOption = None
    seed: Seed = 0
    max_requests: MaxRequests = None
    encoding: Encoding = "utf-8"
    force: Force = False
    as_json: Json = False
    quiet: Quiet = False

    def read(self, *declared: type) -> list[Any]:
        """Return the values of options, one for each of the classes that declare them.

        Raises
        ------
        OptionError
            If an option is unknown, or has a value that cannot be used.
        """
        from grammar.errors import OptionError
        from grammar.options import options_of, read_options

        each = [options_of(one) for one in declared]
        every = [o for options in each for o in options]
        given = read_settings(self.set_option or (), every, "classify")
        for name in _TAKEN:
            if name in given:
                raise OptionError(f"--set does not take {name!r}", hint=f"use --{name}")
        given["seed"] = self.seed
        found: list[Any] = []
        for one, options in zip(declared, each, strict=True):
            mine = {o.name: given[o.name] for o in options if o.name in given}
            found.append(read_options(one, mine, "classify"))
        return found

    def labelled(self, path: str) -> Corpus:
        """Read a file with labels, in the columns that were named."""
        return read_labelled(path, self.text, self.label, self.format)

    def unlabelled(self, path: str) -> tuple[Any, ...]:
        """Read the texts of a file, or its pairs; labels are not looked at."""
        from classifiers.examples import texts_of

        return texts_of(read_texts(path, self.text, self.format))


def trains(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the options of :class:`Training`, which it gets as its parameter ``asked``."""
    shared = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=_HINTS[field.name],
        )
        for field in fields(Training)
    ]

    @functools.wraps(verb)
    def called(**given: Any) -> None:
        mine = {parameter.name: given.pop(parameter.name) for parameter in shared}
        verb(**given, asked=Training(**mine))

    plain = inspect.signature(verb, eval_str=True)
    own = [p.replace(kind=p.KEYWORD_ONLY) for p in plain.parameters.values() if p.name != "asked"]
    vars(called)["__signature__"] = plain.replace(parameters=[*own, *shared])
    return called


_HINTS = get_type_hints(Training, include_extras=True)


class RecipeFlags(FlagsOfOptions):
    """A verb that trains, with a flag for each value of a config."""

    def asked(self, args: Sequence[str]) -> tuple[str, Sequence[Option]]:
        """Return the options of all groups."""
        return "classify", [o for options in self.groups().values() for o in options]

    def explained(self, args: Sequence[str]) -> Mapping[str, Sequence[Option]]:
        """Return the options by their groups, without those that the verb itself has."""
        return {
            name: [o for o in options if o.name not in _TAKEN]
            for name, options in self.groups().items()
        }

    def groups(self) -> Mapping[str, Sequence[Option]]:
        """Return what there are options of, by the name of the group."""
        from classifiers.config import TrainingConfig
        from grammar.options import options_of

        return {"config": options_of(TrainingConfig)}


class TrainingFlags(RecipeFlags):
    """A verb with flags for new examples, mixing and unlabelled texts, too."""

    def groups(self) -> Mapping[str, Sequence[Option]]:
        """Return what there are options of, by the name of the group."""
        from classifiers.mixing.options import Mixing
        from classifiers.semi_supervised.options import SemiSupervised
        from classifiers.training.augmentation import AugmentationConfig
        from grammar.options import options_of

        return {
            **super().groups(),
            "new examples": options_of(AugmentationConfig),
            "mixing": options_of(Mixing),
            "unlabelled texts": options_of(SemiSupervised),
        }


def checked_config(config: TrainingConfig) -> TrainingConfig:
    """Return a config, if the libraries that it needs are there."""
    if config.encoder != "tfidf":
        _need_encoders()
    return config


def _need_encoders() -> None:
    """Raise a clear error if the neural extra is not installed."""
    from importlib.util import find_spec

    from grammar.errors import MissingDataError, to_install

    missing = [name for name in ("torch", "transformers", "safetensors") if find_spec(name) is None]
    if missing:
        raise MissingDataError(
            f"encoders need {missing[0]}, which is not installed",
            hint=f"{to_install('neural')}; --encoder tfidf needs none of it",
        )


def read_labelled(path: str, text: str | None, label: str | None, format: str | None) -> Corpus:
    """Read a file with labels."""
    from induction.corpus.tables.json_texts import is_nested
    from sampling.examples.class_names import number_classes
    from sampling.examples.examples import read_examples
    from sampling.pipeline.sources import read_source

    corpus = read_source(path, _columns(text, label), format)
    corpus.arrow("label")  # says how to name the column, if there is none
    labels = read_examples(number_classes(corpus)).corpus.arrow("label").type
    return _with_names(corpus, path) if is_nested(labels) else corpus


def _with_names(corpus: Corpus, path: str) -> Corpus:
    """Return mixed labels with the names of their classes, where a manifest beside knows them."""
    from sampling.pipeline.manifest import manifest_beside

    names = (manifest_beside(path) or {}).get("classes") or ()
    return replace(corpus, classes=corpus.classes or tuple(map(str, names)))


def read_texts(path: str, text: str | None, format: str | None) -> Corpus:
    """Read a file of texts; a column of classes may be there, and is not looked at."""
    from sampling.pipeline.sources import read_source

    return read_source(path, _columns(text, None), format)


def _columns(text: str | None, label: str | None) -> dict[str, str | None]:
    return {k: v for k, v in (("text", text), ("label", label)) if v is not None}


def data_facts(path: str, corpus: Corpus, classes: Sequence[str], counts: Any) -> dict[str, Any]:
    """Return what a card says of a file."""
    from sampling.pipeline.manifest import file_hash

    each = ", ".join(f"{name} {count:g}" for name, count in zip(classes, counts, strict=True))
    return {
        "file": path, "sha256": file_hash(path), "examples": len(corpus), "of each class": each,
    }  # fmt: skip


def reads_facts(paths: Iterable[str]) -> dict[str, str]:
    """Return what a card says of files that methods read: their names, with their hashes."""
    from sampling.pipeline.manifest import file_hash

    files = [f"{path} (sha256 {file_hash(path)})" for path in paths]
    return {"reads": ", ".join(files)} if files else {}


def say_what_is_cut(model: Classifier, texts: Sequence[Any], *, quiet: bool) -> None:
    """Say how many texts are longer than what the model reads."""
    config: Any = getattr(model, "config", None)
    if config is None or config.encoder == "tfidf":  # weights of words read everything
        return
    encoder: Any = getattr(model, "encoder", None)
    if encoder is None:
        from classifiers.networks.from_scratch import words_of

        max_length, unit = config.max_length, "words"
        count = sum(len(words_of(text)) > max_length for text in texts)
    else:
        from classifiers.encoders.encoding import count_longer

        max_length, unit = min(config.max_length, encoder.max_length), "subword tokens"
        count = count_longer(encoder, texts, max_length)
    if count:
        say(
            f"{count:,} of {len(texts):,} texts have more than {max_length} {unit}: the rest of "
            "each is not read",
            quiet=quiet,
        )
