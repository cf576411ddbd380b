"""From corpora to grammars: readers, normalisation, rule counts and induction."""

from induction.binarise import binarise, unbinarise
from induction.corpus import Corpus
from induction.counts import RuleCounts, count_rules
from induction.formats import read_corpus, read_sst, write_corpus
from induction.normalise import normalise
from induction.pcfg import induce_pcfg, pcfg_from_counts
from induction.readers import read_reviews, read_treebank

__all__ = [
    "Corpus",
    "RuleCounts",
    "binarise",
    "count_rules",
    "induce_pcfg",
    "normalise",
    "pcfg_from_counts",
    "read_corpus",
    "read_reviews",
    "read_sst",
    "read_treebank",
    "unbinarise",
    "write_corpus",
]
