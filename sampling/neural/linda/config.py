"""How an interpolation model is trained, as values."""

from __future__ import annotations

from dataclasses import dataclass

from grammar.options import option

__all__ = ["SMALL", "LindaConfig"]

SMALL = "small"
"""The name of the model that is made from scratch."""


@dataclass(frozen=True, kw_only=True)
class LindaConfig:
    """How an interpolation model is trained."""

    model: str = option(
        "facebook/bart-base",
        "An encoder-decoder of Hugging Face by its name or folder, or small: one from scratch.",
        source="Kim et al. 2022 take bart-large",
    )
    steps: int = option(3000, "Updates of the weights.", least=1)
    batch: int = option(64, "Pairs an update.", source="Kim et al. 2022 take 8 a device", least=1)
    learning_rate: float | None = option(
        None,
        "Learning rate. Of a pretrained model 1e-5, as it stands; of a small one 1e-3, falling to "
        "0.",
        source="appendix B.1",
        least=0,
    )
    mask: float = option(0.1, "Share of the words masked.", source="appendix B.1", least=0, most=1)
    noise: float = option(
        0.001, "Standard deviation of the noise on hidden states.", source="appendix B.1", least=0
    )
    norm: float = option(
        0.001, "Weight of the squared norm of hidden states.", source="appendix B.1", least=0
    )
    pieces: int = option(5000, "Pieces of words that a small model has.", least=300)
    width: int = option(256, "Width of a small model.", least=8)
    layers: int = option(2, "Layers of either half of a small model.", least=1)
    half: bool = option(False, "Multiply in bfloat16, where that is fast.")

    @property
    def peak(self) -> float:
        """The highest learning rate."""
        if self.learning_rate is not None:
            return self.learning_rate
        return 1e-3 if self.model == SMALL else 1e-5
