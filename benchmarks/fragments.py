"""Recurring fragments of all pairs of trees of NLTK's treebank sample (h=2, v=1).

disco-dop, which is compiled from Cython and C++, reports 69,988 fragments for these trees, and
81,754 for the Double-DOP grammar, which has all productions besides.
"""

from __future__ import annotations

import resource
import time

from benchmarks.timing import seconds
from induction import binarise, normalise, read_treebank
from induction.fragments.dop import dop_reduction, induce_double_dop
from induction.fragments.fragments import recurring_fragments

STEPS = ("traces", "functions", "root")
BAR_SECONDS, BAR_GIB = 20, 2


def main() -> None:
    treebank = read_treebank("nltk:treebank")
    binary = binarise(normalise(treebank, STEPS), horizontal_markov=2)
    recurring_fragments(binary[:20])  # compiles, or loads what was compiled
    began = time.process_time()
    found = recurring_fragments(binary)
    one = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    began = time.perf_counter()
    again = recurring_fragments(binary, workers=2)
    two = time.perf_counter() - began
    print(f"{len(binary):,} trees, {len(found):,} recurring fragments")
    verdict = "met" if one < BAR_SECONDS else "MISSED"
    print(f"one core: {one:.1f} s of processor time (bar {BAR_SECONDS})  {verdict}")
    print(f"two workers: {two:.1f} s; equal to one: {found == again}")
    verdict = "met" if peak < BAR_GIB else "MISSED"
    print(f"peak memory: {peak:.2f} GiB (bar {BAR_GIB})  {verdict}")
    grammar = induce_double_dop(treebank, horizontal_markov=2)
    took = seconds(lambda: induce_double_dop(treebank, horizontal_markov=2))
    print(f"Double-DOP from the trees as read: {len(grammar):,} fragments in {took:.1f} s")
    reduction = dop_reduction(treebank, horizontal_markov=2)
    took = seconds(lambda: dop_reduction(treebank, horizontal_markov=2))
    print(f"DOP reduction: {len(reduction):,} rules in {took:.1f} s")


if __name__ == "__main__":
    main()
