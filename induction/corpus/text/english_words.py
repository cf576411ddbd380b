"""Whether texts are English, as the parser that ships expects."""

from __future__ import annotations

import re
from itertools import islice

from grammar.messages import tell
from induction.corpus.corpus import Corpus
from induction.corpus.text.unspaced import refuse_unspaced

__all__ = ["check_english", "english_share"]

_FREQUENT = re.compile(
    "a|about|after|all|and|are|as|at|be|been|but|by|can|could|did|do|for|from|had|has|have|he|her|"
    "his|how|i|if|in|is|it|its|just|me|more|my|no|not|of|on|one|or|our|out|she|so|some|than|that|"
    "the|their|them|then|there|they|this|to|up|very|was|we|were|what|when|which|who|will|with|"
    "would|you|your|n't"
)
_LEAST_SHARE = 0.15
_FEWEST_WORDS = 30
_LOOKED_AT = 500
_WORD = re.compile(r"n't\b|[^\W\d_]+?(?=n't\b)|[^\W\d_]+")


def english_share(texts: list[str]) -> tuple[float, int]:
    """Return the share of words that are frequent in English, and how many words there are.

    In English prose it is about a half, in German a tenth.

    >>> english_share(["The staff wasn't kind to us."])
    (0.5714285714285714, 7)
    >>> english_share(["Das Personal war sehr freundlich."])[0]
    0.0
    """
    words = [word for text in texts for word in _WORD.findall(text.lower())]
    return sum(map(bool, map(_FREQUENT.fullmatch, words))) / max(len(words), 1), len(words)


def check_english(corpus: Corpus) -> None:
    """Refuse texts without spaces between words, and tell if the texts seem to be no English.

    Raises
    ------
    CorpusError
        As :func:`~induction.corpus.text.unspaced.refuse_unspaced` does.
    """
    refuse_unspaced(corpus, by_trees=True)
    texts = [text for text in islice(corpus.column("text"), _LOOKED_AT) if text is not None]
    share, words = english_share(texts)
    if words >= _FEWEST_WORDS and share < _LEAST_SHARE:
        tell(
            f"only {share:.0%} of the words are common words of English, and the parser that ships "
            "knows no other language: give trees in a column 'tree', or a parser of your own"
        )
