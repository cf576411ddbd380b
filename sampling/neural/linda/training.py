"""Training the interpolation model of LINDA from texts."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from sampling.neural.linda.config import SMALL, LindaConfig
from sampling.neural.linda.data import PieceTexts, masked, pairs_of
from sampling.neural.linda.interpolator import Interpolator, padded
from sampling.neural.precision import lowered
from sampling.neural.threads import seeded

__all__ = ["Training", "loss_of"]

_WARM_UP = 0.05


def loss_of(
    model: Interpolator,
    texts: PieceTexts,
    pairs: tuple[Any, Any],
    config: LindaConfig,
    draw: np.random.Generator,
) -> Tensor:
    """Return the loss of a batch of pairs.

    Each pair has a share alpha of its own, uniform from 0 to 1. Its loss is that share of the
    negative log-likelihood of the first text plus the rest of that of the second, and the weighted
    squared norm of the states of both.

    References
    ----------
    Kim et al. 2022 (LINDA), equation 5 and section 3.3.
    """
    numbers = np.concatenate(pairs)
    half = len(pairs[0])
    pad, mark = model.tokenizer.pad_token_id, model.tokenizer.mask_token_id
    mark = model.tokenizer.unk_token_id if mark is None else mark
    hidden = padded(
        [r.tolist() for r in masked(texts, numbers, config.mask, mark, draw)], pad, model.device
    )
    whole = padded([texts.row(n)[0].tolist() for n in numbers.tolist()], pad, model.device)
    states = model.encode(hidden)
    norms = (states.float().square().sum(-1) * hidden.mask).sum() / half
    noise = torch.from_numpy(draw.standard_normal(states.shape, np.float32)).to(states)
    states = states + config.noise * noise
    alpha = torch.from_numpy(draw.random(half, np.float32)).to(model.device)
    mixed, mask = model.mix(
        (states[:half], hidden.lengths[:half]), (states[half:], hidden.lengths[half:]), alpha
    )
    likely = model.log_likelihood(mixed.repeat(2, 1, 1), mask.repeat(2, 1), whole)
    return -(torch.cat([alpha, 1 - alpha]) * likely).sum() / half + config.norm * norms


class Training:
    """Updates of a model, each a function of the seed and its number, and of the weights before.

    Parameters
    ----------
    model : Interpolator
        Its weights are changed.
    texts : PieceTexts
        What it is trained on.
    config : LindaConfig
        How.
    seed : int
        Of all draws.
    """

    def __init__(
        self, model: Interpolator, texts: PieceTexts, config: LindaConfig, seed: int = 0
    ) -> None:
        self.model, self.texts, self.config, self.seed = model, texts, config, seed
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=config.peak)
        self.done = 0
        self.seconds = 0.0

    def rate(self, update: int) -> float:
        """Return the learning rate of an update."""
        config = self.config
        if config.model != SMALL:
            return config.peak
        warm = max(1, round(_WARM_UP * config.steps))
        falling = (config.steps - update) / max(1, config.steps - warm)
        return config.peak * min(1.0, (update + 1) / warm, falling)

    def update(self) -> float:
        """Make one update and return its loss (a pair)."""
        began = time.process_time()
        pairs = pairs_of(self.texts, self.seed, self.done, self.config.batch)
        draw = np.random.Generator(np.random.Philox(key=[self.seed, 2 * self.done + 1]))
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate(self.done)
        self.model.train()
        # dropout draws from the global stream
        with seeded(int(draw.integers(2**62)), self.model.device):
            with lowered("auto" if self.config.half else "fp32", self.model.device):
                loss = loss_of(self.model, self.texts, pairs, self.config, draw)
            self.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call,unused-ignore]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.done += 1
        self.seconds += time.process_time() - began
        return float(loss.detach())

    def run(
        self,
        *,
        every: int = 0,
        saved: Callable[[Training], None] | None = None,
        told: Callable[[int, float], None] | None = None,
    ) -> Sequence[float]:
        """Make the steps that are left, and call ``saved`` after every so many of them."""
        losses = []
        while self.done < self.config.steps:
            losses.append(self.update())
            if told is not None:
                told(self.done, losses[-1])
            if saved is not None and every and self.done % every == 0:
                saved(self)
        return losses
