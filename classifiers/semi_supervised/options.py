"""How unlabelled texts are learnt from, as values declared once."""

from __future__ import annotations

from dataclasses import dataclass

from grammar.options import TINY, Checked, option

__all__ = ["METHODS", "NO", "SemiSupervised"]

NO = "none"
METHODS = (NO, "self-training", "ust", "mixtext")


@dataclass(frozen=True, kw_only=True)
class SemiSupervised(Checked):
    """The options of semi-supervised training.

    Raises
    ------
    OptionError
        If an option cannot be used.

    Examples
    --------
    >>> SemiSupervised(semi="self-training", rounds=2).take
    0.5
    """

    semi: str = option(
        NO,
        "Method for unlabelled texts: self-training, ust (uncertainty-aware), or mixtext "
        "(guessed labels, mixed).",
        source="Mukherjee & Awadallah 2020 (UST); Chen et al. 2020 (MixText)",
        choices=METHODS,
    )
    rounds: int = option(
        3,
        "Of self-training and ust: rounds in which a student becomes the teacher.",
        source="UST's program: 25",
        code=25,
        least=1,
    )
    take: float = option(
        0.5,
        "Of self-training and ust: share of the unlabelled texts used in a round, balanced over "
        "their pseudo-labels.",
        least=TINY,
        most=1.0,
    )
    pseudo_labels: str = option(
        "hard",
        "Of self-training and ust: pseudo-labels are the most probable class (hard) or "
        "probabilities (soft).",
        choices=("hard", "soft"),
    )
    unlabelled_weight: float = option(
        1.0,
        "Weight of all unlabelled texts together in the loss, relative to the labelled ones.",
        source="MixText, section 4: 1",
        least=0.0,
    )
    passes: int = option(
        30, "Of ust: predictions per text with dropout.", source="UST's program", least=2
    )
    paraphrase: str = option(
        "eda", "Of mixtext: the expression that makes paraphrases; its methods must need no labels."
    )
    paraphrases: int = option(
        2, "Of mixtext: paraphrases of each unlabelled text.", source="MixText, section 4", least=0
    )
    temperature: float = option(
        0.5,
        "Of mixtext: temperature of the guessed labels; below 1 they become harder.",
        source="MixText, equation 7",
        least=TINY,
    )
    ramp_up: float = option(
        0.4,
        "Of mixtext: share of the steps in which the weight of guessed labels rises from 0.",
        least=0.0,
        most=1.0,
    )
