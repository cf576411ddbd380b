"""From corpora to grammars: readers, normalisation, rule counts, induction and parsers of text."""

from induction.bayes_tsg import induce_bayes_tsg
from induction.binarise import binarise, unbinarise
from induction.corpus import Corpus
from induction.corpus_parsing import parse_corpus
from induction.counts import RuleCounts, count_rules
from induction.dop import dop_reduction, induce_double_dop
from induction.em import inside_outside
from induction.formats import read_corpus, read_sst, write_corpus
from induction.fragments import recurring_fragments
from induction.lpcfg import induce_lpcfg
from induction.normalise import normalise
from induction.parser_files import open_parser
from induction.parser_training import induce_parser
from induction.pcfg import induce_pcfg, pcfg_from_counts
from induction.readers import read_reviews, read_treebank
from induction.synchronous import induce_synchronous

__all__ = [
    "Corpus",
    "RuleCounts",
    "binarise",
    "count_rules",
    "dop_reduction",
    "induce_bayes_tsg",
    "induce_double_dop",
    "induce_lpcfg",
    "induce_parser",
    "induce_pcfg",
    "induce_synchronous",
    "inside_outside",
    "normalise",
    "open_parser",
    "parse_corpus",
    "pcfg_from_counts",
    "read_corpus",
    "read_reviews",
    "read_sst",
    "read_treebank",
    "recurring_fragments",
    "unbinarise",
    "write_corpus",
]
