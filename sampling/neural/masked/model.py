"""A masked language model: which words could stand at a place, and how likely a text is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from grammar.errors import OptionError
from induction.corpus.corpus import Corpus
from sampling.neural.opening import open_model
from sampling.neural.threads import lengths, tokenized

__all__ = ["MaskedModel", "mask_score", "open_masked"]

_BEGINNINGS = ("Ġ", "▁")
"""What pieces begin with that begin a word, in vocabularies of bytes and of SentencePiece."""


@dataclass(frozen=True, eq=False)
class MaskedModel:
    """A masked language model of Hugging Face and its tokenizer."""

    model: Any
    tokenizer: Any

    @property
    def longest(self) -> int:
        """How many pieces a text can have."""
        known = getattr(self.model.config, "max_position_embeddings", None) or 512
        # models like RoBERTa number places from behind the padding
        most = int(known) - 2 if self.model.config.model_type == "roberta" else int(known)
        return min(most, int(self.tokenizer.model_max_length))

    @cached_property
    def words(self) -> list[str]:
        """The word that each piece is by itself; empty for those that are none."""
        pieces = self.tokenizer.convert_ids_to_tokens(range(len(self.tokenizer)))
        marked = [piece for piece in pieces if piece.startswith(_BEGINNINGS)]
        special = set(self.tokenizer.all_special_tokens)
        found = []
        for piece in pieces:
            begins = piece.startswith(_BEGINNINGS) if marked else not piece.startswith("##")
            word = self.tokenizer.convert_tokens_to_string([piece]).strip() if begins else ""
            usable = word and piece not in special and all(map(str.isalnum, word))
            found.append(word if usable else "")
        return found

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return how many pieces texts have."""
        return lengths(self.tokenizer, texts)

    def log_probabilities(
        self, texts: Sequence[str], places: Sequence[Sequence[int]]
    ) -> list[NDArray[np.float64]]:
        """Return the distributions over pieces at places of texts.

        Parameters
        ----------
        texts : sequence of str
            They may hold the mark for a masked word.
        places : sequence of sequences of int
            Characters at which words begin, for each text.

        Returns
        -------
        list of float64[places, pieces]
            Natural logarithms.
        """
        cut = tokenized(
            self.tokenizer, list(texts), padding=True, truncation=True, max_length=self.longest,
            return_tensors="pt", return_offsets_mapping=True,
        )  # fmt: skip
        offsets = cut.pop("offset_mapping").tolist()
        with torch.no_grad():
            logits = self.model(**cut.to(self.model.device)).logits.float()
        made = []
        for row, wanted in enumerate(places):
            at = [_piece_at(offsets[row], place) for place in wanted]
            made.append(logits[row, at].log_softmax(-1).double().cpu().numpy())
        return made

    def pseudo_log_likelihood(self, text: str) -> float:
        """Return the mean log-probability of each piece when it alone is masked.

        References
        ----------
        Salazar et al. 2020, Masked Language Model Scoring.
        """
        cut = tokenized(self.tokenizer, text, truncation=True, max_length=self.longest)
        ids = cut["input_ids"]
        special = set(self.tokenizer.all_special_ids)
        at = [place for place, piece in enumerate(ids) if piece not in special]
        if not at:
            return -np.inf
        rows = torch.tensor([ids] * len(at), device=self.model.device)
        rows[torch.arange(len(at)), at] = self.tokenizer.mask_token_id
        with torch.no_grad():
            logits = self.model(input_ids=rows).logits.float()
        chosen = logits[torch.arange(len(at)), at].log_softmax(-1)
        wanted = torch.tensor([ids[place] for place in at], device=self.model.device)
        return float(chosen.gather(1, wanted[:, None]).mean())


def open_masked(name: str, *, device: str = "auto") -> MaskedModel:
    """Open a masked language model by its name or folder.

    Raises
    ------
    OptionError, MissingDataError, SchemaError
        As :func:`~sampling.neural.opening.open_model`; also if its tokenizer has no mark for
        masked words, or does not tell where pieces are from.
    """
    model, tokenizer = open_model(name, "masked", device=device)
    if tokenizer.mask_token is None or not tokenizer.is_fast:
        raise OptionError(
            f"the tokenizer of {name!r} has no mark for masked words, or is not a fast one",
            hint="take a model like BERT or RoBERTa, with the tokenizer that belongs to it",
        )
    return MaskedModel(model, tokenizer)


def mask_score(model: str, *, device: str = "auto") -> Callable[[Corpus], list[float]]:
    """Return a score for :func:`~sampling.operators.method.fluent`: how likely texts are.

    It is the mean pseudo-log-likelihood of a piece (Salazar et al. 2020).

    Parameters
    ----------
    model : str
        A masked language model: a folder, or a name on the hub.

    Raises
    ------
    OptionError, MissingDataError
        As :func:`open_masked`.

    Examples
    --------
    >>> from sampling import fluent
    >>> fluent(sampler, corpus, score=mask_score("bert-base-uncased"))  # doctest: +SKIP
    """
    opened = open_masked(model, device=device)

    def score(made: Corpus) -> list[float]:
        sides = [made.column(name) for name in ("text", "text_pair") if name in made.names]
        return [sum(map(opened.pseudo_log_likelihood, row)) for row in zip(*sides, strict=True)]

    return score


def _piece_at(offsets: Sequence[Sequence[int]], place: int) -> int:
    """Return the number of the piece that holds a character."""
    for number, (begin, stop) in enumerate(offsets):
        if begin <= place < stop:
            return number
    raise OptionError(
        f"no piece stands at character {place}", hint="take a tokenizer that keeps all characters"
    )
