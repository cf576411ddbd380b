"""From grammars to new examples."""

from sampling.geca import GECA
from sampling.protocol import Sampler, induce
from sampling.randmix import RandMix
from sampling.replication import augmented
from sampling.sentences import sample_sentences
from sampling.span_grammar import SpanGrammar
from sampling.sub2 import Sub2
from sampling.substitution import ShortfallWarning, SubstitutionGrammar
from sampling.treemix import TreeMix

__all__ = [
    "GECA",
    "RandMix",
    "Sampler",
    "ShortfallWarning",
    "SpanGrammar",
    "Sub2",
    "SubstitutionGrammar",
    "TreeMix",
    "augmented",
    "induce",
    "sample_sentences",
]
