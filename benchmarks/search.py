"""Search in NLTK's treebank sample: our hits and times beside those of ``nltk.tgrep``.

Two hundred patterns: every relation between several pairs of labels, negations, alternatives,
regular expressions, nesting and macros. NLTK is run on the first trees only (all: ``--trees 3914``,
which takes a quarter of an hour), and times are compared over the same trees.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from nltk.tgrep import tgrep_positions
from nltk.tree import ParentedTree

from benchmarks.timing import report
from grammar import Treebank
from induction import read_treebank

SIGNS = (
    "<", ">", "<1", ">1", "<2", ">2", "<3", ">3", "<-1", ">-1", "<-2", ">-2", "<,", ">,", "<'",
    ">'", "<-", ">-", "<:", ">:", "<<", ">>", "<<,", ">>,", "<<'", ">>'", "<<:", ">>:", ".", ",",
    "..", ",,", "$", "$.", "$,", "$..", "$,,", "%", "%..", "%,,",
)  # fmt: skip
PAIRS = (("NP", "VP"), ("/^NP/", "NN|NNS"), ("VP", "/^VB/"), ("S", "*"))
NESTED = r"""
S < (/^NP-SBJ/ $.. VP)
S < (/^NP-SBJ/ < PRP) < (VP < /^VB/)
NP < (NP $.. (PP <, (IN < of)))
NP < (NP . PP) !< CC
VP <, VBD !<< NP
VP <1 (VBD < said) < (SBAR|S)
SBAR <, (WHNP-1 $. S)
SBAR < (/^WHNP/ < WP|WDT) < (S !< /^NP-SBJ/)
NP !< NP !> PP
NP !<< NN|NNS|NNP
NP [< DT | < PRP$] < NN
NP [< DT | < "PRP$"] !< JJ
VP [< VBD < NP | < VBZ < PP]
VP [< (VBD !$.. NP) | << (PP <, (IN < in))]
S !< VP
S !>> *
NP ![< NN | < NNS | < NP]
NP !< DT !< PRP !< NNP
PP <, (IN < of|in|for) <- (NP !<< CD)
PP < IN & < NP & !> NP
NN $, JJ
NN $, (JJ $, DT)
NN $, (DT $, IN)
NNP $. NNP
NNP $.. (NNP $.. NNP)
CC $, NP $. NP
NP < CC <1 NP <-1 NP
NP < (DT < the|The) < NN
DT < i@"the"
NN < /ing$/
VBD < /^(said|says)$/
/^(NP|PP)-/ << CD
/-TMP$/ > VP
/^WH/ >> SBAR
i@"np" < NN
i@/^np-sbj/ < PRP
"-NONE-" > (NP > VP)
NP <: "-NONE-"
/^NP-SBJ/ <: ("-NONE-" < /^\*T/)
NP <<: NN
NN >>: NP
NP <<, DT
NP <<, (JJ , DT|PRP$)
NP <<' NN
NN >>' S
S <<, IN
VP .. (PP .. SBAR)
NP . VP , VP
SBAR ,, VP !.. VP
CC , ","
"." $, VP
PP $.. PP
PP $.. (PP $.. PP)
VP < (VBZ|VBP . RB)
VP < MD < (VP < VB)
VP < (VBN $.. PP) > VP
ADJP < (JJ $, RB) !> NP
QP < CD > NP
@ N /^NN/ ; NP < @N !< DT
@ N /^NN/ ; @ NOUN (NP <- @N) ; PP < @NOUN
@ V /^VB/ ; VP < @V < (VP < @V)
VP < (NP $. NP)
SINV < VP
SQ|SBARQ
FRAG !< VP
PRN << NP
NX|UCP|X
* > FRAG
* <2 ADVP
/./ > NX
"""
AT_LAST = ("of . the", "said > VBD", "* !> NP", "PP << (of . the)")
"""Words on the left of a relation: NLTK knows nothing of what is above or beside a word."""


def patterns() -> list[str]:
    """Return the two hundred patterns; the last four are :data:`AT_LAST`."""
    simple = [f"{a} {sign} {b}" for a, b in PAIRS for sign in SIGNS]
    nested = [line.replace("PRP$]", '"PRP$"]').replace("|PRP$)", '|"PRP$")') for line in _lines()]
    return [*simple[: 200 - len(nested) - len(AT_LAST)], *nested, *AT_LAST]


def _lines() -> list[str]:
    return list(dict.fromkeys(line for line in NESTED.splitlines() if line))


def hits_of_nltk(pattern: str, trees: list[ParentedTree]) -> list[list[int]]:
    """Return the numbers in preorder of the nodes that NLTK finds in each tree."""
    found = []
    for tree, places in zip(trees, tgrep_positions(pattern, trees), strict=True):
        number = {place: i for i, place in enumerate(tree.treepositions())}
        found.append(sorted(number[place] for place in places))
    return found


def hits_of_ours(pattern: str, treebank: Treebank) -> list[list[int]]:
    """Return the numbers in preorder of the nodes that we find in each tree."""
    hits = treebank.search(pattern)
    found: list[list[int]] = [[] for _ in range(len(treebank))]
    for tree, node in zip(hits.tree.tolist(), hits.node.tolist(), strict=True):
        found[tree].append(node)
    return found


def _milliseconds(treebank: Treebank, text: str) -> float:
    began = time.process_time()
    treebank.search(text)
    return 1e3 * (time.process_time() - began)


def _report_times(treebank: Treebank, texts: list[str], what: str, bar: float) -> None:
    for text in texts:  # kernels, and the labels that are looked up
        treebank.search(text)
    times = np.array([min(_milliseconds(treebank, text) for _ in range(3)) for text in texts])
    fresh = Treebank(treebank.label, treebank.size, treebank.offsets, treebank.symbols)
    first = _milliseconds(fresh, texts[0])
    verdict = "met" if np.quantile(times, 0.95) <= bar else "MISSED"
    print(
        f"{what}: mean {times.mean():.2f} ms, 95 % {np.quantile(times, 0.95):.2f}, "
        f"most {times.max():.2f}; bar {bar:g} at 95 %: {verdict}; the first, with its index, "
        f"{first:.1f} ms"
    )


NAMED = (
    "S < (NP=n $.. VP=v)", "NP=a .. NP=b", "S=s << VP=v : =v < NP=n", "VP < /^VB/=v ?< NP=o",
    "NP << (NP=n !<< =n)", "S [< NP=n | < VP=n]", "NP < (NN=x . (* >> PP))",
    "S=s < VP=v [ < (NP .. =v) | < ADVP ]", "NP < (NP=a $.. (PP=p < IN=i))",
    "S=s < (/^NP-SBJ/=n $.. VP=v) : =v << (NP=o !>> =n)",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=500)
    parser.add_argument("--patterns", type=int, default=200, help="so many, evenly chosen")
    arguments = parser.parse_args()
    everything = read_treebank("nltk:treebank")
    texts = patterns()[:: 200 // arguments.patterns]
    print(f"{len(everything):,} trees, {len(everything.label):,} nodes, {len(texts)} patterns")
    _report_times(everything, texts, "a query", 10)
    _report_times(everything, list(NAMED), "a query with named nodes", 50)
    treebank = everything[: arguments.trees]
    trees = [ParentedTree.convert(tree.to_nltk()) for tree in treebank]
    ours = theirs = 0.0
    differences = []
    for text in texts:
        began = time.process_time()
        mine = hits_of_nltk(text, trees)
        theirs += time.process_time() - began
        ours += statistics.median(_milliseconds(treebank, text) for _ in range(3)) / 1e3
        if mine != hits_of_ours(text, treebank):
            differences.append(text)
    detail = f"{1e3 * ours / len(texts):.2f} ms against {1e3 * theirs / len(texts):.0f} a query"
    report(f"{len(texts)} queries of {len(treebank):,} trees", theirs / ours, 1000, detail)
    print(f"hits that differ: {differences} (words on the left: {list(AT_LAST)})")


if __name__ == "__main__":
    main()
