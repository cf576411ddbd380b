"""What all methods with a model share: draws in blocks, new texts, labels, provenance.

A model computes many texts at a time, and the last bits of what it computes depend on which. So
attempts are made in blocks that are always the same, and what they gave is kept until it is
written: example i is a function of the seed and i, whatever batches and threads there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar.arrays import BoolArray, LongArray, pack_strings
from grammar.errors import CorpusError, SchemaError
from grammar.hashing import hash_rows
from grammar.messages import tell
from grammar.options import option
from induction.corpus.corpus import Corpus
from sampling.examples.examples import read_examples
from sampling.examples.labels import read_labels
from sampling.examples.provenance import example_table
from sampling.examples.splicing import as_lists
from sampling.neural.grammar import ModelGrammar
from sampling.neural.packaged import check_installed
from sampling.neural.teacher import taught
from sampling.stream import Attempts, Columns, Sampler, Stream

__all__ = ["BLOCK", "DEVICE", "MODEL", "TEACHER", "BlockAttempts", "ModelSampler", "fitting"]

BLOCK = 32
"""So many attempts are computed together."""
_SIDES = ("text", "text_pair")

MODEL = option("", "The model: a folder, or a name on the Hugging Face hub. Required.")
TEACHER = option(
    None,
    "The classifier that labels new texts: a Hugging Face text classifier by folder or name, "
    "whose classes are in the order of the corpus; in Python also a function of texts that "
    "returns probabilities. none: labels follow from the parents.",
)
DEVICE = option("auto", "Device of the model: auto, cpu, cuda.")


class BlockAttempts(Attempts):
    """Attempts whose texts are kept beside their numbers."""

    def chunk(self, first: int) -> Columns:
        """Return the next attempts with what the model made of them."""
        numbers = np.arange(first, first + self.at_once(), dtype=np.int64)
        drawn: Columns = self.sampler.attempt(self.seed, numbers)
        return drawn

    def at_once(self) -> int:
        """Return how many attempts are made now."""
        size: int = self.sampler.at_once
        return size


class ModelSampler(Sampler):
    """Makes texts with a model.

    A method gives :meth:`opened_model` and :meth:`draw`, and :meth:`labels` where a new text has
    not the label of its first parent.

    Parameters
    ----------
    grammar : ModelGrammar
        Induced by the method of the class, or opened.
    """

    Options: ClassVar[type[Any]]
    grammar: ModelGrammar
    at_once = batch = BLOCK

    def __init__(self, grammar: ModelGrammar) -> None:
        super().__init__(grammar)
        self.patience = max(4 * len(grammar.hosts), 8 * BLOCK)

    @classmethod
    def models_here(cls, options: Mapping[str, Any]) -> list[str]:
        """Return the names of the models that these options open on this machine."""
        return [options["model"]] if options.get("model") else []

    @classmethod
    def check_requirements(cls, options: Mapping[str, Any]) -> None:
        """Refuse it if a model needs what is not installed."""
        for name in cls.models_here(options):
            check_installed(name)

    @classmethod
    def opened_model(cls, options: Any) -> Any:
        """Open the model that the options name; its weights are those of ``weights_of``."""
        raise NotImplementedError

    @classmethod
    def weights_of(cls, model: Any) -> str:
        """Return the hash of a model's weights."""
        raise NotImplementedError

    def draw(self, seed: int, numbers: LongArray) -> Columns:
        """Make texts: a row is a function of the seed and its number, in its block.

        Returns
        -------
        texts : object[n, sides]
            The new texts.
        parents : int64[n, parents]
            The numbers of their parents among the hosts.
        rules : int64[n, rules]
            Rules of the grammar.
        log_probability : float64[n]
            Of what was drawn.
        labels : float32[n, classes], optional
            Distributions, where the model gives them.
        """
        raise NotImplementedError

    def labels(self, drawn: Columns) -> pa.Array:
        """Return the labels of new texts, when no teacher gives them."""
        _, _, parents, *_ = drawn
        hosts = self.grammar.hosts[parents[:, 0]]
        return self.grammar.examples.arrow("label").combine_chunks().take(pa.array(hosts))

    def beside(self, drawn: Columns) -> Mapping[str, pa.Array]:
        """Return the columns of new texts beside texts and labels; none by default."""
        return {}

    def class_names(self) -> tuple[str, ...]:
        """Return what the classes are called, or their numbers; there are none without labels."""
        examples = self.grammar.examples
        if "label" not in examples.names:
            return ()
        known = self.grammar.notes.get("classes") or examples.classes
        return tuple(map(str, known or range(read_labels(examples).classes)))

    @cached_property
    def model(self) -> Any:
        """The model.

        Raises
        ------
        SchemaError
            If its weights are not those that the grammar was induced with.
        NotAllowedError
            If the file of the grammar names an endpoint, or a model that is not here, and this run
            does not.
        """
        with self.as_allowed():
            model = self.opened_model(self.options)
        if self.weights_of(model) != self.grammar.weights:
            raise SchemaError(
                "the weights of the model are not those that the grammar was induced with",
                where=str(self.options.model),
                hint="use the model that it was induced with, or induce the grammar again",
            )
        return model

    @property
    def written_version(self) -> str:
        """The version that examples have: none is made to be looked at."""
        return self.version

    @property
    def sides(self) -> list[str]:
        """The columns that hold texts."""
        return [name for name in _SIDES if name in self.grammar.examples.names]

    @cached_property
    def texts(self) -> list[list[str]]:
        """The texts of the hosts, by side."""
        rows = pa.array(self.grammar.hosts)
        return [self.grammar.examples.arrow(side).take(rows).to_pylist() for side in self.sides]

    def attempt(self, seed: int, numbers: LongArray, *beside: NDArray[Any]) -> Columns:
        """Make texts, or return those that were made."""
        if beside:
            return (numbers, *beside)
        drawn = (numbers, *self.draw(seed, numbers))
        teacher = self.options.teacher
        if teacher is None:
            return drawn
        texts = drawn[1].tolist()
        with self.as_allowed():
            given = taught(teacher, texts, self.grammar.examples, self.options.device)
        return (*drawn, given)

    def refused(self, drawn: Columns) -> Mapping[str, BoolArray]:
        """Return which rows have an empty text."""
        empty = [not all(text.strip() for text in row) for row in drawn[1].tolist()]
        return {"empty": np.array(empty, np.bool_)}

    def hash(self, drawn: Columns, rows: LongArray) -> NDArray[np.uint64]:
        """Return a number a row, equal if all its texts are."""
        return _hashes(drawn[1][rows].T.tolist())

    def known(self) -> list[int]:
        """Return the hashes of the texts of the corpus."""
        sides = [self.grammar.examples.column(side) for side in self.sides]
        found: list[int] = _hashes(sides).tolist()
        return found

    def stream(self, seed: int) -> Stream:
        """Return the examples of a seed from the first on."""
        return BlockAttempts(self, seed)

    def write(self, drawn: Columns, seed: int, index: LongArray) -> pa.Table:
        """Write texts with their labels and what made them."""
        _, texts, parents, rules, likely, *given = drawn
        columns: dict[str, Any] = {
            side: pa.array(texts[:, k].tolist(), pa.string()) for k, side in enumerate(self.sides)
        }
        if given:
            columns["label"] = _distributions(given[-1])
        elif "label" in self.grammar.examples.names:
            columns["label"] = self.labels(drawn)
        columns |= self.beside(drawn)
        ids = self.grammar.examples.arrow("id").combine_chunks()
        rows = self.grammar.hosts[parents].ravel()
        return example_table(
            self.method,
            self.version,
            seed,
            index,
            columns,
            parents=as_lists(ids.take(pa.array(rows)), parents.shape[1]),
            rules=as_lists(rules.ravel(), rules.shape[1]),
            log_probability=likely,
        )


def fitting(
    corpus: Corpus,
    lengths: Any,
    longest: int,
    method: str,
    least: int,
    beside: Sequence[str] = (),
) -> Any:
    """Check a corpus, and find the texts that a model can take.

    Parameters
    ----------
    corpus : Corpus
        With texts.
    lengths : callable
        Takes texts, and returns how many pieces each has.
    longest : int
        The most that the model takes.
    method : str
        Who asks.
    least : int
        How many texts it needs.
    beside : sequence of str
        Columns that it reads beside texts and labels.

    Returns
    -------
    corpus, hosts
        What the method reads of it, and the numbers of texts that are not longer than the model.

    Raises
    ------
    CorpusError
        If a column is not valid, or too few texts are left.
    """
    given = read_examples(corpus, unspaced=True).corpus
    kept = [name for name in ("id", *_SIDES, "label", *beside) if name in given.names]
    given = Corpus(given.table.select(kept), given.places, classes=corpus.classes)
    fits = np.ones(len(given), np.bool_)
    for side in _SIDES:
        if side in given.names:
            fits &= np.asarray(lengths(given.column(side))) <= longest
    hosts = np.flatnonzero(fits).astype(np.int64)
    if len(hosts) < least:
        raise CorpusError(
            f"{method} needs {least} texts that are not longer than the model, {longest} pieces, "
            f"and there are {len(hosts)}",
            where=given.where(int(np.argmin(fits))) if not fits.all() else None,
            hint="split long texts, or take a model that reads longer ones",
        )
    if len(hosts) < len(given):
        tell(
            f"{method} leaves out {len(given) - len(hosts):,} texts that are longer than the model"
        )
    return given, hosts


def _hashes(sides: Sequence[Sequence[str]]) -> NDArray[np.uint64]:
    hashes = [hash_rows(*pack_strings(side)) for side in sides]
    found = hashes[0]
    for more in hashes[1:]:
        found = found * np.uint64(0x9E3779B97F4A7C15) ^ more
    return np.asarray(found)


def _distributions(rows: NDArray[np.float32]) -> pa.Array:
    kind = pa.list_(pa.float32())
    return as_lists(pa.array(rows.ravel(), pa.float32()), rows.shape[1]).cast(kind)
