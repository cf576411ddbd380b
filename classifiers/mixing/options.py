"""Where two examples are mixed, and how much of each, as values declared once."""

from __future__ import annotations

from dataclasses import dataclass

from grammar.errors import OptionError
from grammar.options import TINY, Checked, option

__all__ = ["NONE", "PLACES", "SPANS", "Mixing"]

NONE, SPANS = "none", "ssmix"
PLACES = (NONE, "embedding", "tmix", "sentence", SPANS)


@dataclass(frozen=True, kw_only=True)
class Mixing(Checked):
    """The options of mixing: one thing with a place.

    Two examples are run to the place, are put together there by their shares, and are one example
    from there on. Its label is put together by the same shares.

    Raises
    ------
    OptionError
        If an option cannot be used.

    Examples
    --------
    >>> Mixing(mix="tmix").places(12), Mixing(mix="tmix").places(6)
    ((7, 9, 12), (4, 5, 6))
    >>> Mixing(mix="embedding").places(6), Mixing(mix="sentence").places(6)
    ((0,), (7,))
    """

    mix: str = option(
        NONE,
        "Where two examples of a batch are mixed: in the embeddings, at a layer (tmix), in the "
        "pooled vector (sentence), or by exchanging spans of subword tokens (ssmix).",
        source="Guo et al. 2019; Chen et al. 2020 (MixText), section 3; Yoon et al. 2021 (SSMix)",
        choices=PLACES,
    )
    layers: tuple[float, ...] = option(
        (0.58, 0.75, 1.0),
        "Of tmix: layers as fractions of the depth, rounded up; each step draws one.",
        source="MixText, section 3.1: layers 7, 9 and 12 of 12",
        least=0.0,
        most=1.0,
    )
    alpha: float = option(
        0.2,
        "Shares are drawn from Beta(alpha, alpha); the first example has the larger one.",
        least=TINY,
    )
    per: str = option(
        "example",
        "Whether a share is drawn for each example, or for each batch as in MixText's program.",
        choices=("example", "batch"),
    )
    span: float = option(
        0.1, "Of ssmix: share of a text's subword tokens that are exchanged.", least=TINY, most=1.0
    )
    unmixed: bool = option(
        False, "Also train on each unmixed batch, with half of the loss, as in SSMix's program."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mix == "tmix" and not self.layers:
            raise OptionError("layers is empty", hint="for example layers=0.5,1")

    @property
    def used(self) -> bool:
        """Whether anything is mixed."""
        return self.mix != NONE

    def places(self, depth: int) -> tuple[int, ...]:
        """Return where it may be mixed in an encoder of so many layers.

        0 is in front of the lowest layer, ``depth`` behind the topmost, and ``depth + 1`` the
        pooled vector. For :data:`SPANS` it is 0: pieces are exchanged before anything is computed.
        """
        if self.mix == "tmix":
            found = {-int(-(share * depth - 1e-9) // 1) for share in self.layers}
            return tuple(sorted(found))
        return (depth + 1,) if self.mix == "sentence" else (0,)

    def check(self, depth: int, lowest: int) -> None:
        """Refuse places in layers that do not learn and are run once a text.

        Raises
        ------
        OptionError
            If a place is lower than the lowest of the layers that learn.
        """
        if not self.used:
            return
        first = self.places(depth)[0]
        if first < lowest:
            what = "exchanges pieces" if self.mix == SPANS else f"mixes in front of layer {first}"
            raise OptionError(
                f"mix={self.mix!r} {what}, below the layers that learn ({lowest + 1} to {depth})",
                hint="train the whole encoder (train='whole'), or mix higher up",
            )
