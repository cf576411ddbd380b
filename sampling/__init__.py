"""From grammars to new examples."""

from sampling.geca import GECA
from sampling.sentences import sample_sentences
from sampling.substitution import ShortfallWarning, SubstitutionGrammar

__all__ = ["GECA", "ShortfallWarning", "SubstitutionGrammar", "sample_sentences"]
