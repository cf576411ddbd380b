"""What the verbs of structured read: trees or corpora, by the task, and the flags of a config."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.flags import FlagsOfOptions, value_of

if TYPE_CHECKING:
    from grammar.options import Option
    from induction.corpus.corpus import Corpus

__all__ = ["PERCEPTRON", "SetOption", "StructuredFlags", "TrainFlags", "read_sentences_of"]

PERCEPTRON = "perceptron"
"""What learns tags or spans without an encoder."""

SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", "-O", help="Another value of the config as NAME=VALUE; each has a flag, too."
    ),
]


class StructuredFlags(FlagsOfOptions):
    """A verb that trains, with a flag for each value of a config."""

    def asked(self, args: Sequence[str]) -> tuple[str, Sequence[Option]]:
        """Return the options of a config."""
        from classifiers.structured.config import StructuredConfig
        from grammar.options import options_of

        return "a config", options_of(StructuredConfig)

    def explained(self, args: Sequence[str]) -> Mapping[str, Sequence[Option]]:
        """Return the options of a config."""
        return {"config": self.asked(args)[1]}


class TrainFlags(StructuredFlags):
    """The verb that trains a perceptron, too, which has few options."""

    def asked(self, args: Sequence[str]) -> tuple[str, Sequence[Option]]:
        """Return the options of what learns."""
        if value_of(args, "--learner") != PERCEPTRON:
            return super().asked(args)
        from classifiers.tagging.config import PerceptronConfig
        from grammar.options import options_of

        return "a perceptron", options_of(PerceptronConfig)


def read_sentences_of(source: str) -> Corpus:
    """Return a corpus; a treebank by name or in a folder is one of trees."""
    from induction.corpus.formats import read_corpus
    from induction.corpus.huggingface import is_local_dataset
    from induction.corpus.readers import read_treebank
    from induction.corpus.tree_files import corpus_of_trees
    from induction.trees.normalise import normalise

    is_folder = os.path.isdir(source) and not is_local_dataset(source)
    if source.startswith("nltk:") or source == "embedded" or is_folder:
        return corpus_of_trees(normalise(read_treebank(source)))
    return read_corpus(source)
