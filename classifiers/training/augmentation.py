"""How new examples are made, labelled and counted, as values declared once."""

from __future__ import annotations

from dataclasses import dataclass

from classifiers.training.strategies import STRATEGIES
from grammar.errors import OptionError
from grammar.options import TINY, Checked, option

__all__ = ["AugmentationConfig"]


@dataclass(frozen=True, kw_only=True)
class AugmentationConfig(Checked):
    """The options of what is learnt from.

    Raises
    ------
    OptionError
        If an option cannot be used.

    Examples
    --------
    >>> AugmentationConfig(times=5, replication="replicate").times
    5
    """

    times: int | None = option(
        None, "New examples per labelled example.", source="Sub2, section 5: 20", least=1
    )
    per_class: int | None = option(None, "New examples of each class.", least=1)
    fill: int | None = option(
        None,
        "Examples of each class in all, labelled and new.",
        source="ALP, table 5: 200",
        least=1,
    )
    replication: str | None = option(
        None,
        "How often examples are seen: replicate (labelled ones as often as all new ones together), "
        "no-replicate (all equally often), aug-only (new ones only); else as share says.",
        source="TreeMix, section 3.2 and table B.1",
        choices=("replicate", "no-replicate", "aug-only"),
    )
    weight: float | None = option(
        None,
        "Weight of all new examples together in the loss, relative to the labelled ones; else each "
        "example has weight one.",
        least=0.0,
    )
    sharpen: float | None = option(
        None,
        "Temperature of the labels of new examples; below 1 they become harder.",
        least=TINY,
    )
    relabel: str = option(
        "no",
        "Whether teachers give the new examples pseudo-labels: a class (hard) or a distribution "
        "(soft). No teacher was trained on their parents.",
        choices=("no", "hard", "soft"),
    )
    strategy: str | None = option(
        None,
        "How labelled and new examples are divided into those for training and those that select "
        "the number of steps.",
        source="ALP, figure 2",
        choices=tuple(STRATEGIES),
    )
    kept: float = option(
        0.5,
        "Share for training, where a strategy divides the examples.",
        source="ALP, table 5: 0.5, 0.8 and 0.9",
        least=0.01,
        most=0.99,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        asked = [name for name in ("times", "per_class", "fill") if getattr(self, name)]
        if len(asked) > 1:
            raise OptionError(
                f"{' and '.join(asked)} both say how many new examples there are",
                hint="give one of them",
            )
