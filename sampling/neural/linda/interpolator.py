"""The interpolation model of LINDA: an encoder-decoder with a length converter between.

Sign convention. The share alpha is that of the first text, as in equations 3 to 5 of the paper:
at 1 the model gives back the first text. Its conditions C1 and C2, and its label rule of section
3.4, have it the other way round; here label and text follow the same alpha.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from sampling.neural.linda.converter import convert, mixed_length
from sampling.neural.threads import decoded, tokenized

__all__ = ["SIGMA", "Interpolator", "Pieces", "padded"]

SIGMA = 0.5
"""Where the trainable sigma of the length converter begins."""
_IGNORED = -100


@dataclass(frozen=True)
class Pieces:
    """Texts as numbers of pieces, padded behind: ``ids`` int64[n, most], ``lengths`` int64[n]."""

    ids: Tensor
    lengths: Tensor

    @property
    def mask(self) -> Tensor:
        """Which pieces count, int64[n, most]."""
        places = torch.arange(self.ids.shape[1], device=self.ids.device)
        return (places < self.lengths[:, None]).long()


def padded(rows: Sequence[Sequence[int]], pad: int, device: Any = "cpu") -> Pieces:
    """Return rows of numbers of pieces as a padded batch.

    >>> padded([[5, 6], [7]], pad=1).ids.tolist()
    [[5, 6], [7, 1]]
    """
    most = max(map(len, rows))
    ids = torch.tensor([[*row, *[pad] * (most - len(row))] for row in rows], device=device)
    return Pieces(ids, torch.tensor([len(row) for row in rows], device=device))


class Interpolator(nn.Module):
    """An encoder-decoder that gives texts between two texts.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        An encoder-decoder of Hugging Face.
    tokenizer : transformers.PreTrainedTokenizerBase
        Its tokenizer.
    sigma : float
        Of the length converter; it is trained with the model.
    """

    def __init__(self, model: Any, tokenizer: Any, sigma: float = SIGMA) -> None:
        super().__init__()
        self.model = model
        self.tokenizer = tokenizer
        # its logarithm is trained, so that it stays above zero
        self.log_sigma = nn.Parameter(torch.tensor(math.log(sigma)))

    @property
    def sigma(self) -> float:
        """How far a state reaches in the length converter, in pieces."""
        return float(self.log_sigma.detach().exp())

    @property
    def device(self) -> Any:
        """Where it computes."""
        return self.model.device

    @property
    def longest(self) -> int:
        """How many pieces a text can have, with those that mark its ends."""
        known = getattr(self.model.config, "max_position_embeddings", None) or 512
        return min(int(known), int(self.tokenizer.model_max_length))

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """Return texts as numbers of pieces, with those that mark their ends."""
        found: list[list[int]] = tokenized(self.tokenizer, list(texts), verbose=False)["input_ids"]
        return found

    def encode(self, pieces: Pieces) -> Tensor:
        """Return the hidden states of texts, float[n, most, width]."""
        encoder = self.model.get_encoder()
        states: Tensor = encoder(pieces.ids, attention_mask=pieces.mask).last_hidden_state
        return states

    def mix(
        self,
        first: tuple[Tensor, Tensor],
        second: tuple[Tensor, Tensor],
        alpha: Tensor,
        spread: float = 1.0,
    ) -> tuple[Tensor, Tensor]:
        """Return the states between two texts, and which of them count.

        Parameters
        ----------
        first, second : tuple of float[n, most, width] and int64[n]
            States, and how many of a row count.
        alpha : float[n]
            The share of the first.
        spread : float
            What sigma is multiplied by half way between; less towards the ends.

        References
        ----------
        Kim et al. 2022 (LINDA), equation 3.
        """
        targets = mixed_length(first[1], second[1], alpha)
        # all of it half way, none at the ends, which so stay as sharp as they were trained
        blur = spread ** (4 * alpha * (1 - alpha))
        sigma = (self.log_sigma.exp() * blur)[:, None, None]
        share = alpha[:, None, None].to(first[0].dtype)
        mixed = share * convert(*first, targets, sigma) + (1 - share) * convert(
            *second, targets, sigma
        )
        places = torch.arange(mixed.shape[1], device=mixed.device)
        return mixed, (places < targets[:, None]).long()

    def log_likelihood(self, mixed: Tensor, mask: Tensor, texts: Pieces) -> Tensor:
        """Return the log-probability of texts given mixed states, float[n]."""
        from transformers.modeling_outputs import BaseModelOutput

        labels = texts.ids.masked_fill(texts.mask == 0, _IGNORED)
        given = BaseModelOutput(last_hidden_state=mixed)
        begun = self.model.prepare_decoder_input_ids_from_labels(labels=labels)
        logits = self.model(
            encoder_outputs=given, attention_mask=mask, decoder_input_ids=begun, use_cache=False
        ).logits
        lost = functional.cross_entropy(
            logits.flatten(0, 1).float(), labels.flatten(), ignore_index=_IGNORED, reduction="none"
        )
        return -lost.view(labels.shape).sum(1)

    @torch.no_grad()
    def interpolate(
        self,
        first: Sequence[str],
        second: Sequence[str],
        alpha: Sequence[float],
        *,
        beams: int = 4,
        spread: float = 1.0,
        batch: int = 64,
    ) -> list[str]:
        """Return the text between each pair of texts.

        Parameters
        ----------
        first, second : sequence of str
            Texts that are not longer than the model.
        alpha : sequence of float
            The share of the first text, from 0 to 1.
        beams : int
            Of the beam search; with 1 the most probable piece is taken each time.
        spread : float
            What sigma is multiplied by half way between, and less towards the ends: above 1,
            states reach farther than in training, and fewer mixes are copies of a parent.
        batch : int
            So many pairs are decoded at a time, those of like lengths together.

        References
        ----------
        Kim et al. 2022 (LINDA), section 3.4 and appendix B.1 (four beams).
        """
        self.eval()
        pieces = [self.pieces(texts) for texts in (first, second)]
        lengths = [torch.tensor([len(row) for row in rows]) for rows in pieces]
        shares = torch.tensor(list(alpha), dtype=torch.float32)
        order = mixed_length(lengths[0], lengths[1], shares).argsort(stable=True).tolist()
        made = [""] * len(order)
        for begin in range(0, len(order), batch):
            rows = order[begin : begin + batch]
            one, other = (self._states([side[row] for row in rows]) for side in pieces)
            mixed, mask = self.mix(
                one,
                other,
                shares[rows].to(self.device),
                spread,
            )
            for row, text in zip(rows, self._decoded(mixed, mask, beams), strict=True):
                made[row] = text
        return made

    @torch.no_grad()
    def log_probabilities(
        self,
        texts: Sequence[str],
        first: Sequence[str],
        second: Sequence[str],
        alpha: Sequence[float],
        *,
        spread: float = 1.0,
    ) -> list[float]:
        """Return the natural log-probability of each text as the mix of its pair."""
        self.eval()
        one, other = (self._states(self.pieces(side)) for side in (first, second))
        mixed, mask = self.mix(
            one,
            other,
            torch.tensor(list(alpha), dtype=torch.float32, device=self.device),
            spread,
        )
        wanted = padded(self.pieces(texts), self.tokenizer.pad_token_id, self.device)
        found: list[float] = self.log_likelihood(mixed, mask, wanted).tolist()
        return found

    def _states(self, rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        pieces = padded(rows, self.tokenizer.pad_token_id, self.device)
        return self.encode(pieces), pieces.lengths

    def _decoded(self, mixed: Tensor, mask: Tensor, beams: int) -> list[str]:
        from transformers.modeling_outputs import BaseModelOutput

        marks = {self.tokenizer.unk_token_id, self.tokenizer.mask_token_id} - {None}
        ids = self.model.generate(
            encoder_outputs=BaseModelOutput(last_hidden_state=mixed),
            attention_mask=mask,
            num_beams=beams,
            do_sample=False,
            suppress_tokens=sorted(marks),  # an unknown word stands for nothing in a text
            max_length=min(self.longest, 2 * mixed.shape[1] + 8),
        )
        found = decoded(self.tokenizer, ids, clean_up_tokenization_spaces=False)
        return [text.strip() for text in found]
