"""From grammars to new examples."""

from sampling.aeda import AEDA
from sampling.alp import ALP
from sampling.eda import EDA
from sampling.geca import GECA
from sampling.grammar_sampling import GrammarSampler
from sampling.pairs import sample_pairs
from sampling.pipeline import Augmentation, augment
from sampling.protocol import Sampler, induce
from sampling.quality import assess
from sampling.randmix import RandMix
from sampling.replication import augmented
from sampling.sentences import sample_sentences
from sampling.shuffling import Shuffle
from sampling.span_grammar import SpanGrammar
from sampling.sub2 import Sub2
from sampling.substitution import ShortfallWarning, SubstitutionGrammar
from sampling.switchout import SwitchOut
from sampling.token_noise import RandomWord
from sampling.treemix import TreeMix
from sampling.word_drop import WordDrop

__all__ = [
    "AEDA",
    "ALP",
    "EDA",
    "GECA",
    "Augmentation",
    "GrammarSampler",
    "RandMix",
    "RandomWord",
    "Sampler",
    "ShortfallWarning",
    "Shuffle",
    "SpanGrammar",
    "Sub2",
    "SubstitutionGrammar",
    "SwitchOut",
    "TreeMix",
    "WordDrop",
    "assess",
    "augment",
    "augmented",
    "induce",
    "sample_pairs",
    "sample_sentences",
]
