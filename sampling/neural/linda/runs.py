"""A training run from texts to a folder, which can be stopped and goes on."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from grammar.errors import OptionError, TrainingError
from grammar.files import PathLike
from grammar.messages import tell
from grammar.options import read_options
from sampling.neural.linda.config import SMALL, LindaConfig
from sampling.neural.linda.data import read_pieces
from sampling.neural.linda.folder import (
    checkpoint_of,
    config_facts,
    go_on,
    open_interpolator,
    save_checkpoint,
    save_interpolator,
)
from sampling.neural.linda.interpolator import Interpolator
from sampling.neural.linda.small import small_model, small_tokenizer
from sampling.neural.linda.training import Training

__all__ = ["train_linda"]


def train_linda(
    texts: Sequence[str],
    folder: PathLike,
    *,
    seed: int = 0,
    every: int = 500,
    resume: bool = False,
    force: bool = False,
    device: str = "auto",
    told: Callable[[int, float], None] | None = None,
    **config: Any,
) -> dict[str, Any]:
    """Train an interpolation model and save it as a folder.

    Parameters
    ----------
    texts : sequence of str
        What it is trained on; empty ones and those longer than the model are left out.
    folder : str or path
        Where the model is saved. Checkpoints are in ``FOLDER.partial`` until it is done.
    seed : int
        Of the first weights, the pairs, their shares, masks and noise.
    every : int
        A checkpoint is saved after so many steps; it changes no weight.
    resume : bool
        Go on from the checkpoint, as if training had never stopped.
    force : bool
        Begin again although there is a checkpoint.
    told : callable, optional
        Takes the number of an update and its loss.
    **config
        Fields of :class:`~sampling.neural.linda.training.LindaConfig`.

    Returns
    -------
    dict
        Facts of the training, as the folder has them.

    Raises
    ------
    CorpusError
        If fewer than two texts can be used.
    OptionError
        If there is a checkpoint of another plan, or one that is neither to be used nor forced.
    TrainingError
        If the loss is no number any more.

    Examples
    --------
    >>> facts = train_linda(texts, "linda", steps=2000, seed=0)  # doctest: +SKIP
    """
    chosen = read_options(LindaConfig, config, "linda train")
    place = checkpoint_of(folder)
    if place.exists() and not resume and not force:
        raise OptionError(
            "there is an unfinished training",
            where=str(place),
            hint="use --resume to continue it, or --force to start over",
        )
    model = _begun(texts, chosen, seed, device)
    read = read_pieces(texts, model.tokenizer, model.longest)
    if read.left_out:
        tell(f"{read.left_out:,} texts are left out: they are empty, or longer than the model")
    training = Training(model, read, chosen, seed)
    plan = {"config": asdict(chosen), "seed": seed, "texts": _digest(texts)}
    if place.exists() and resume:
        tell(f"{go_on(training, folder, plan):,} steps are done already")

    def watched(update: int, loss: float) -> None:
        if not loss < float("inf"):
            raise TrainingError(
                f"the loss of update {update} is {loss}", hint="use a lower learning rate"
            )
        if told is not None:
            told(update, loss)

    training.run(every=every, saved=lambda now: save_checkpoint(now, folder, plan), told=watched)
    facts = config_facts(training)
    save_interpolator(model, folder, facts)
    shutil.rmtree(place, ignore_errors=True)
    return facts


def _begun(texts: Sequence[str], config: LindaConfig, seed: int, device: str) -> Interpolator:
    if config.model != SMALL:
        return open_interpolator(config.model, device=device)
    from sampling.neural.opening import device_named

    tokenizer = small_tokenizer([text for text in texts if text.strip()], config.pieces)
    model = small_model(tokenizer, width=config.width, layers=config.layers, seed=seed)
    return Interpolator(model, tokenizer).to(device_named(device))


def _digest(texts: Sequence[str]) -> str:
    held = hashlib.sha256()
    for text in texts:
        held.update(text.encode() + b"\n")
    return held.hexdigest()
