"""English words that say little by themselves; methods do not put others in their place."""

from __future__ import annotations

__all__ = ["STOP_WORDS"]

_STOP_WORDS = (
    "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself "
    "she her hers herself it its itself they them their theirs themselves what which who whom "
    "this that these those am is are was were be been being have has had having do does did doing "
    "a an the and but if or because as until while of at by for with about against between into "
    "through during before after above below to from up down in out on off over under again "
    "further then once here there when where why how all any both each few more most other some "
    "such no nor not only own same so than too very s t can will just don should now "
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""English words that are not replaced: pronouns, auxiliaries, articles, conjunctions, prepositions
and a few adverbs; those of the released program."""
