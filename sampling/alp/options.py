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
        "The model of the paper, or what the released program does instead: phrases put side by "
        "side, with the options seq_len, parser and distinct alone.",
        choices=("paper", "code"),
    )
    parser: Any = option(  # a TextParser or its name
        "auto",
        "What parses texts: a TextParser, a file with one, 'english', which ships, or the treebank "
        "whose lexicalised PCFG is taken: 'nltk:treebank' or 'embedded'. 'auto' is 'english' if "
        "the corpus has neither 'tree' nor 'trees'; any other is taken before those.",
        source="stage 1",
    )
    tau: float = option(
        0.1,
        "Trees with a probability of tau or more of the best one's are all taken.",
        source="stages 1-2 (threshold τ)",
        code=1.0,
        least=0,
        most=1,
    )
    most_trees: int = option(
        10, "At most so many trees of a sentence; the grammar says of how many more were cut off.",
        source="stages 1-2", code=1, least=1,
    )  # fmt: skip
    exchange: float = option(
        0.3,
        "p_swap: the probability that an open constituent is exchanged.",
        source="stage 3",
        least=0,
        most=1,
    )
    match: str = option(
        "tag",
        "What two exchanged constituents of one class of texts have in common: label and tag of "
        "the head (tag), label and head word (word), or the label alone (label).",
        source="stage 3",
        choices=("tag", "word", "label"),
    )
    depth: int = option(
        2, "Exchanges may be nested so deep: a filler's own constituents are open to exchange too.",
        source="stage 3", least=1, most=8,
    )  # fmt: skip
    pool: float = option(
        0.7,
        "Probability that an open word is redrawn from the words that its class of texts has "
        "under its tag.",
        source="stages 4-5",
        least=0,
        most=1,
    )
    synonym: float = option(
        0.3,
        "Probability that an open word becomes a WordNet synonym of its part of speech, in its "
        "inflection. With what pool and synonym leave of 1, it stays. If only one of the two is "
        "given, the other takes at most the rest.",
        source="stages 4-5",
        least=0,
        most=1,
    )
    most_synonyms: int = option(
        5, "At most so many synonyms of a word, those of its commonest senses.",
        source="stages 4-5", least=1,
    )  # fmt: skip
    never: str = option(
        "english",
        "Words that have no synonyms and are none (ordinals, numbers, units, vulgar words): the "
        "list that ships, none, or a file with one word a line.",
    )
    back_off: float = option(
        5.0,
        "Weight of the more general context where words are drawn given their tag, the label of "
        "their phrase, and the head of the phrase above (5 in Collins 1999).",
        source="stages 4-5",
        least=1e-6,
    )
    quantile: float = option(
        0.05,
        "An example must be as plausible as this quantile of the original texts (mean "
        "log-probability of the words given their heads; the originals' held out).",
        source="'plausible' throughout; the measure is ours",
        least=0,
        most=1,
    )
    min_length: float = option(
        0.5, "Fewest words of an example, as a share of those of its host.", least=0
    )
    max_length: float = option(
        2.0, "Most words of an example, as a share of those of its host.", least=0
    )
    stop_words: str = option(
        "english",
        "Words that are never redrawn, whatever their tag: auxiliaries, negations and the like "
        "(english), or only those that the tag closes (none).",
        choices=("english", "none"),
    )
    article: bool = option(True, "Write a or an by the sound of a new word behind it.")
    seq_len: int = option(
        64,
        "Of the released program (faithful=code): an example is phrases side by side until it has "
        "twice as many characters.",
        source="aug_alp.py (max_seq_len)",
        least=1,
        most=LONGEST,
    )
    distinct: bool = option(
        True,
        "Give no text twice, and none of the corpus.",
        code=False,
    )
    protect: str | None = option(
        None,
        "A regular expression; words that share a character with a match are never redrawn or "
        "moved. A column 'protected' does the same by word numbers or entities.",
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
            "their hosts",
            hint="use min_length and max_length, or add faithful='code'",
        )
