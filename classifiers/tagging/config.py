"""How a tagger without an encoder is trained, as values declared once."""

from __future__ import annotations

from dataclasses import dataclass

from grammar.options import option

__all__ = ["PerceptronConfig"]


@dataclass(frozen=True, kw_only=True)
class PerceptronConfig:
    """The options of training an averaged perceptron."""

    steps: int | None = option(
        None, "How many sentences it looks at, all of them in each round; none: ten rounds.",
        least=1,
    )  # fmt: skip
