"""The subword tokens of a tokenizer, as the bytes that they stand for in a text."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.arrays import LongArray
from grammar.errors import OptionError
from sampling.neural.threads import tokenized

__all__ = ["Vocabulary", "begins_with_space", "token_bytes"]

_SPACE = "\u2581"
"""What SentencePiece writes for a space."""
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
_LITERAL = {"ByteFallback", "Fuse", "Metaspace", "Replace", "Strip"}
"""Decoders that put tokens together as they are, but for spaces and bytes."""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Subword tokens in the order of their bytes, so that those that begin alike are together.

    Attributes
    ----------
    strings : list of bytes
        What each stands for.
    ids : int64[tokens]
        Their numbers in the model.
    ends : int64[...]
        The tokens that end a text.
    """

    strings: list[bytes]
    ids: LongArray
    ends: LongArray

    @classmethod
    def of(cls, strings: Mapping[int, bytes], ends: Collection[int]) -> Vocabulary:
        """Return the vocabulary of tokens by their numbers; those that end texts have no bytes."""
        kept = sorted((string, k) for k, string in strings.items() if string and k not in ends)
        ids = np.array([k for _, k in kept], np.int64)
        return cls([string for string, _ in kept], ids, np.array(sorted(ends), np.int64))

    def beginning_with(self, begun: bytes, low: int = 0, high: int | None = None) -> range:
        """Return the places of the tokens that begin so, all of them between two places.

        >>> vocabulary = Vocabulary.of({0: b"a", 1: b"ab", 2: b"b", 3: b"a"}, {4})
        >>> vocabulary.beginning_with(b"a"), vocabulary.beginning_with(b"ab")
        (range(0, 3), range(2, 3))
        """
        high = len(self.strings) if high is None else high
        if not begun:
            return range(low, high)
        first = bisect_left(self.strings, begun, low, high)
        behind = begun[:-1] + bytes([begun[-1] + 1])  # no text in UTF-8 has the last byte
        return range(first, bisect_left(self.strings, behind, first, high))

    def equal_to(self, string: bytes, places: range) -> range:
        """Return the places of the tokens that are this, of those that begin so."""
        return range(places.start, bisect_right(self.strings, string, places.start, places.stop))

    def spells(self, text: bytes) -> bool:
        """Say whether tokens one after the other make up a text.

        >>> vocabulary = Vocabulary.of({0: b"ab", 1: b"b"}, {2})
        >>> vocabulary.spells(b"abb"), vocabulary.spells(b"ba")
        (True, False)
        """
        reached = [True] + [False] * len(text)
        for begin in range(len(text)):
            within = range(len(self.strings)) if reached[begin] else range(0)
            for end in range(begin + 1, len(text) + 1):
                within = self.beginning_with(text[begin:end], within.start, within.stop)
                if not within:
                    break
                reached[end] |= bool(self.equal_to(text[begin:end], within))
        return reached[-1]


def token_bytes(tokenizer: Any, size: int) -> dict[int, bytes]:
    """Return what each token of a tokenizer stands for; special tokens are left out.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerFast
        One of bytes (GPT-2), of SentencePiece (Llama 2), or of literal pieces.
    size : int
        How many tokens the model knows.

    Raises
    ------
    OptionError
        If texts are not its tokens one after the other.
    """
    kinds = _decoders(tokenizer)
    if not kinds or not (kinds == {"ByteLevel"} or kinds <= _LITERAL):
        raise OptionError(
            "the tokenizer of the model does not put texts together from its tokens as they are",
            hint="name a model with tokens of bytes or of SentencePiece, as smollm2 or gpt2",
        )
    added = {k: str(one.content) for k, one in tokenizer.added_tokens_decoder.items()}
    special = {k for k, one in tokenizer.added_tokens_decoder.items() if one.special}
    special.update(tokenizer.all_special_ids)
    marked = "Metaspace" in kinds or "Replace" in kinds
    found = {}
    for token, k in tokenizer.get_vocab().items():
        if k in special or k >= size:
            continue
        if k in added:
            found[k] = added[k].encode()
        elif kinds == {"ByteLevel"}:
            found[k] = b"".join(_BYTES.get(mark) or mark.encode() for mark in token)
        elif "ByteFallback" in kinds and (byte := _BYTE.fullmatch(token)):
            found[k] = bytes([int(byte[1], 16)])
        else:
            found[k] = (token.replace(_SPACE, " ") if marked else token).encode()
    return found


def begins_with_space(tokenizer: Any, strings: Mapping[int, bytes]) -> bool:
    """Say whether a tokenizer puts a space before a text that has none."""
    ids: Sequence[int] = tokenized(tokenizer, "a", add_special_tokens=False)["input_ids"]
    return bool(ids) and strings.get(ids[0], b"").startswith(b" ")


def _decoders(tokenizer: Any) -> set[str]:
    """Return the kinds of decoders that put texts together from tokens; none if unknown."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    decoder = json.loads(backend.to_str())["decoder"] if backend is not None else None
    if decoder is None:
        return set()
    steps = decoder["decoders"] if decoder["type"] == "Sequence" else [decoder]
    spaces = {"pattern": {"String": _SPACE}, "content": " "}
    if any(step["type"] == "Replace" and not spaces.items() <= step.items() for step in steps):
        return set()
    return {step["type"] for step in steps}


def _byte_marks() -> dict[str, bytes]:
    """Return the byte of each character by which vocabularies of bytes write it (GPT-2)."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    marks = {chr(byte): bytes([byte]) for byte in shown}
    return marks | {chr(256 + k): bytes([byte]) for k, byte in enumerate(hidden)}


_BYTES = _byte_marks()
