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
    """

    semi: str = option(
        NO,
        "How unlabelled texts are learnt from: self-training, ust (uncertainty-aware), or mixtext "
        "(guessed labels, mixed).",
        source="Mukherjee & Awadallah 2020 (UST); Chen et al. 2020 (MixText)",
        choices=METHODS,
    )
    rounds: int = option(
        3,
        "Of self-training and ust: how often a student becomes the teacher.",
        source="UST's program: 25",
        code=25,
        least=1,
    )
    take: float = option(
        0.5,
        "Of self-training and ust: the part of the unlabelled texts that a round learns from, as "
        "many of each class that they are taken for as there are.",
        least=TINY,
        most=1.0,
    )
    named: str = option(
        "hard",
        "Of self-training and ust: whether a text is learnt with the class that it is taken for, "
        "or with the probabilities of all.",
        choices=("hard", "soft"),
    )
    guess: float = option(
        1.0,
        "What the unlabelled texts weigh together in the loss, relative to the labelled ones.",
        source="MixText, section 4: 1",
        least=0.0,
    )
    passes: int = option(
        30, "Of ust: how often each text is named with dropout.", source="UST's program", least=2
    )
    paraphrase: str = option(
        "eda", "Of mixtext: what makes paraphrases, an expression of methods that need no label."
    )
    paraphrases: int = option(
        2, "Of mixtext: paraphrases of each unlabelled text.", source="MixText, section 4", least=0
    )
    temperature: float = option(
        0.5,
        "Of mixtext: guessed labels are taken to the power of 1 / this.",
        source="MixText, equation 7",
        least=TINY,
    )
    rising: float = option(
        0.4,
        "Of mixtext: the part of all steps in which the weight of guessed labels rises from 0.",
        least=0.0,
        most=1.0,
    )
