"""Trained models and their files: safetensors with the config and vocabularies in the header."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from grammar.errors import SchemaError, UnreadableInputError
from grammar.files import at_hand, atomic_output
from grammar.saving.checksum import UNSEALED, check_file, sealed
from sampling.neural.threads import seeded
from scan.models.batches import FIRST_WEIGHTS, random_stream
from scan.models.config import TrainingConfig
from scan.models.encoder_decoder import EncoderDecoder
from scan.models.input_feeding import InputFeeding
from scan.models.seq2seq import Hypothesis, Seq2Seq, Vocabulary, decode
from scan.models.transformer import Transformer

__all__ = ["Check", "TrainedModel", "build_model", "read_model", "write_model"]

PathLike = str | os.PathLike[str]

SCHEMA = "treewright.seq2seq/1"


class Check(NamedTuple):
    """A look at training: after which update, the mean loss a token since the last look (in nats),
    and the share of ``pairs`` pairs, of training or validation, whose target the model writes
    exactly."""

    update: int
    loss: float
    exact_match: float
    pairs: int


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A model, the config it was trained by, and what was seen of its training.

    Parameters
    ----------
    model : EncoderDecoder
        The model.
    config : TrainingConfig
        Its config.
    history : tuple of Check
        Looks at training, in order. The last one covers all training pairs.
    """

    model: EncoderDecoder
    config: TrainingConfig
    history: tuple[Check, ...] = ()

    def decode(
        self, sources: Sequence[str], *, beam: int = 1, length_limit: int = 200
    ) -> list[Hypothesis]:
        """Find a probable target for each source sentence, see :func:`decode`."""
        return decode(self.model, sources, beam=beam, length_limit=length_limit)

    def save(self, path: PathLike) -> None:
        """Write weights, vocabularies, config and history to one safetensors file.

        Raises
        ------
        OutputError
            If the path cannot be written.
        """
        write_model(path, self, {}, "")

    @classmethod
    def load(cls, path: PathLike) -> TrainedModel:
        """Read what :meth:`save` wrote, or the model of a checkpoint.

        Raises
        ------
        UnreadableInputError
            If there is no such file.
        SchemaError
            If the file is truncated, or not a model of this version.
        """
        return read_model(path)[0]


def build_model(config: TrainingConfig, source: Vocabulary, target: Vocabulary) -> EncoderDecoder:
    """Make a model with the first weights of the config's seed.

    Raises
    ------
    OptionError
        If no such model can be made, see :class:`scan.models.transformer.Transformer`.
    """
    seed = int(random_stream(config.seed, FIRST_WEIGHTS, 0).integers(2**63))
    with seeded(seed):
        shape: dict[str, Any] = {
            "embedding": config.embedding,
            "hidden": config.hidden,
            "dropout": config.dropout,
            "copy": config.copy,
        }
        if config.feed:
            return InputFeeding(source, target, **shape)
        shape["layers"] = config.layers
        if config.model == "lstm":
            return Seq2Seq(source, target, **shape)
        shape |= {"heads": config.heads, "feedforward": config.feedforward}
        return Transformer(source, target, **shape)


def write_model(
    path: PathLike, trained: TrainedModel, moments: dict[str, Tensor], digest: str
) -> None:
    """Write a model, with what a checkpoint needs too: Adam's moments, a digest of the pairs.

    A checkpoint takes the place of an older one (:func:`grammar.files.atomic_output`).
    """
    tensors = {f"model.{name}": value for name, value in trained.model.state_dict().items()}
    header = {
        "schema": SCHEMA,
        "seal": UNSEALED,
        "config": asdict(trained.config),
        "source": trained.model.source.tokens,
        "target": trained.model.target.tokens,
        "history": trained.history,
        "data": digest,
    }
    # one entry, because safetensors writes several in no fixed order
    metadata = {"treewright": json.dumps(header)}
    with atomic_output(path, renewed=bool(moments)) as temporary:
        temporary.write_bytes(sealed(save(tensors | moments, metadata)))


def read_model(path: PathLike) -> tuple[TrainedModel, dict[str, Tensor], str]:
    """Return the model, what else was kept with it, and the digest of its pairs."""
    try:
        with at_hand(path) as here:
            with safe_open(here, framework="pt") as file:
                header = json.loads((file.metadata() or {})["treewright"])
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            check_file(here, str(path))
        if header["schema"] != SCHEMA:
            raise SchemaError(
                f"the file follows {header['schema']!r}, not {SCHEMA!r}",
                where=str(path),
                hint="train the model again, or read it with the version that wrote it",
            )
        config = TrainingConfig(**header["config"])
        vocabularies = Vocabulary(header["source"]), Vocabulary(header["target"])
        names = [name for name in tensors if name.startswith("model.")]
        weights = {name.removeprefix("model."): tensors.pop(name) for name in names}
        _check_shapes(config, *vocabularies, weights)
        model = build_model(config, *vocabularies)
        model.load_state_dict(weights)
        history = tuple(Check(*look) for look in header["history"])
        return TrainedModel(model, config, history), tensors, str(header["data"])
    except (SchemaError, UnreadableInputError):
        raise
    except OSError as error:
        raise UnreadableInputError(
            f"cannot read the file: {error.strerror or error}",
            where=str(path),
            hint="check the path",
        ) from None
    except (SafetensorError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise SchemaError(
            f"not a complete model file: {error}",
            where=str(path),
            hint="train the model again, or fetch the file again",
        ) from None


def _check_shapes(
    config: TrainingConfig, source: Vocabulary, target: Vocabulary, weights: dict[str, Tensor]
) -> None:
    """Refuse weights that are not those of the config, before room is made for what it claims."""
    with torch.device("meta"):
        wanted = build_model(config, source, target).state_dict()
    if {n: t.shape for n, t in wanted.items()} != {n: t.shape for n, t in weights.items()}:
        raise ValueError("the weights do not have the shapes that the config says")
