"""The options of ALP, with defaults that were chosen on development data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from grammar.errors import OptionError
from grammar.options import option

__all__ = ["LONGEST", "ALPOptions", "settled"]

_OF_THE_PROGRAM = frozenset({"faithful", "seq_len", "parser", "distinct"})
"""The options that have a meaning in the released program."""


LONGEST = 2**16
"""The largest ``seq_len``: an example is drawn until it has twice as many characters."""


@dataclass(frozen=True, kw_only=True)
class ALPOptions:
    """The options of :meth:`sampling.alp.method.ALP.induce`.

    The paper names the stages and no numbers. The defaults are the ones that did best on ten
    sentences a class of SST-2's training data, drawn with other seeds than those reported.
    """

    faithful: str = option(
        "paper",
        "The model of the paper, or the released program: phrases side by side. The program has "
        "only the options seq_len, parser and distinct.",
        choices=("paper", "code"),
    )
    parser: Any = option(  # a TextParser or its name
        "auto",
        "The parser: a TextParser, a file with one, 'english', which ships, or the treebank of a "
        "lexicalised PCFG: 'nltk:treebank' or 'embedded'. 'auto' is 'english' if the corpus has "
        "neither 'tree' nor 'trees'. Any other replaces those columns.",
        source="stage 1",
    )
    tau: float = option(
        0.1,
        "Least probability of a used tree, as a share of the best tree's.",
        source="stages 1-2 (threshold τ)",
        code=1.0,
        least=0,
        most=1,
    )
    most_trees: int = option(
        10, "Most trees per sentence. The grammar says how many sentences had more.",
        source="stages 1-2", code=1, least=1,
    )  # fmt: skip
    exchange: float = option(
        0.3,
        "Probability that an open constituent is exchanged (p_swap).",
        source="stage 3",
        least=0,
        most=1,
    )
    match: str = option(
        "tag",
        "What exchanged constituents of one class of texts share: label and head tag (tag), "
        "label and head word (word), or only the label (label).",
        source="stage 3",
        choices=("tag", "word", "label"),
    )
    depth: int = option(
        2, "Levels of nested exchanges: constituents inside an inserted one can be exchanged too.",
        source="stage 3", least=1, most=8,
    )  # fmt: skip
    pool: float = option(
        0.7,
        "Probability that an open word is replaced by a word of the same tag and the same class "
        "of texts.",
        source="stages 4-5",
        least=0,
        most=1,
    )
    synonym: float = option(
        0.3,
        "Probability that an open word becomes a WordNet synonym of its part of speech, in its "
        "inflection. With the rest of the probability the word stays. If only one of pool and "
        "synonym is given, the other takes at most the rest.",
        source="stages 4-5",
        least=0,
        most=1,
    )
    most_synonyms: int = option(
        5, "Most synonyms per word; those of its most frequent senses come first.",
        source="stages 4-5", least=1,
    )  # fmt: skip
    never: str = option(
        "english",
        "Words that have no synonyms and are not used as synonyms (ordinals, numbers, units, "
        "vulgar words): english (the list that ships), none, or a file with one word per line.",
    )
    back_off: float = option(
        5.0,
        "Weight of the more general context when words are drawn given their tag, the label of "
        "their phrase, and the head of the phrase above (5 in Collins 1999).",
        source="stages 4-5",
        least=1e-6,
    )
    quantile: float = option(
        0.05,
        "Least plausibility of an example, as a quantile of the original texts (mean "
        "log-probability of the words given their heads; held out for originals).",
        source="'plausible' throughout; the measure is ours",
        least=0,
        most=1,
    )
    min_length: float = option(
        0.5, "Fewest words of an example, as a share of those of its source.", least=0
    )
    max_length: float = option(
        2.0, "Most words of an example, as a share of those of its source.", least=0
    )
    stop_words: str = option(
        "english",
        "Words that are never replaced, whatever their tag: auxiliaries, negations and other "
        "stop words (english), or only words with a closed tag (none).",
        choices=("english", "none"),
    )
    article: bool = option(True, "Write a or an by the sound of the new word after it.")
    seq_len: int = option(
        64,
        "With faithful=code: phrases are added to an example until it has twice this number of "
        "characters.",
        source="aug_alp.py (max_seq_len)",
        least=1,
        most=LONGEST,
    )
    distinct: bool = option(
        True,
        "Give only new texts: no repeated text and none of the corpus.",
        code=False,
    )
    protect: str | None = option(
        None,
        "A regular expression. Words that overlap a match are never replaced or moved. A column "
        "'protected' does the same by word numbers or entities.",
    )


def settled(o: ALPOptions, given: Iterable[str]) -> ALPOptions:
    """Refuse what does not go together.

    Of ``pool`` and ``synonym``, one that is not given takes at most what the other leaves.

    Raises
    ------
    OptionError
        If an option is of the other mode, probabilities sum to more than one, nothing is open to
        change, or no length is allowed.
    """
    given = set(given)
    _refuse_of_other_mode(o, given)
    if "synonym" not in given:
        o = replace(o, synonym=min(o.synonym, 1 - o.pool))
    elif "pool" not in given:
        o = replace(o, pool=min(o.pool, 1 - o.synonym))
    if o.pool + o.synonym > 1 + 1e-12:
        raise OptionError(
            f"pool={o.pool} and synonym={o.synonym} sum to more than 1",
            hint="what is left of 1 is the probability that a word stays",
        )
    if not (o.exchange or o.pool or o.synonym):
        raise OptionError(
            "exchange, pool and synonym are all 0, so that nothing changes",
            hint="leave one of them at its default",
        )
    if o.tau == 0:
        raise OptionError("tau=0 takes all trees there are", hint="for example tau=0.1")
    if o.min_length > o.max_length:
        raise OptionError(
            f"min_length={o.min_length} is above max_length={o.max_length}",
            hint="for example min_length=0.5, max_length=2",
        )
    return o


def _refuse_of_other_mode(o: ALPOptions, given: set[str]) -> None:
    idle = sorted(given - _OF_THE_PROGRAM if o.faithful == "code" else given & {"seq_len"})
    if idle and o.faithful == "code":
        raise OptionError(
            f"{idle[0]} has no meaning in the released program (faithful='code')",
            hint=f"leave it out; there are {', '.join(sorted(_OF_THE_PROGRAM - {'faithful'}))}",
        )
    if idle:
        raise OptionError(
            "seq_len is of the released program; in the paper's model examples are as long as "
            "their sources",
            hint="use min_length and max_length, or add faithful='code'",
        )
