"""Sub2 and TreeMix on SST against the published algorithms in plain Python; memory and workers.

The plain versions do what the papers describe with ``nltk.Tree`` and the standard library: trees
are parsed once, tables of spans are made once (that is not timed), and an example is two draws,
a splice, and a label. They check nothing and keep no record of what made an example.

    python -m benchmarks.samplers             speed
    python -m benchmarks.samplers memory      1,000,000 TreeMix examples to Parquet
    python -m benchmarks.samplers workers     one worker against two
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from nltk import Tree

from benchmarks.timing import report
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_sst, write_batches
from induction.corpus.sources import data_file
from sampling import Sub2, TreeMix

OURS, PLAIN = 200_000, 2_000
Example = tuple[list[str], int]
Span = tuple[int, int, int, str]


def spans(tree: Tree) -> list[tuple[int, int, Tree]]:
    """Spans of all constituents but tags."""
    found: list[tuple[int, int, Tree]] = []

    def visit(node: Tree | str, start: int) -> int:
        if isinstance(node, str):
            return start + 1
        slot, end = len(found), start
        found.append((start, start, node))
        for child in node:
            end = visit(child, end)
        found[slot] = start, end, node
        return end

    visit(tree, 0)
    return [(a, b, node) for a, b, node in found if not isinstance(node[0], str)]


class PlainSub2:
    """Algorithm 1 of Shi et al. 2021 for text: a span and one of the same features, uniformly."""

    def __init__(self, trees: list[Tree], labels: list[int]) -> None:
        self.trees, self.spans = trees, [spans(tree) for tree in trees]
        self.examples = [(tree.leaves(), label) for tree, label in zip(trees, labels, strict=True)]
        self.sites: list[Span] = []
        self.by_class: dict[tuple[str, int], list[Span]] = defaultdict(list)
        for i, tree in enumerate(trees):
            for a, b, node in spans(tree):
                if b - a < len(self.examples[i][0]):
                    span = (i, a, b, node.label())
                    self.sites.append(span)
                    self.by_class[node.label(), labels[i]].append(span)

    def sample(self, n: int, rng: random.Random) -> list[tuple[str, str, int]]:
        made = []
        known = {" ".join(words) for words, _ in self.examples}
        while len(made) < n:
            i, a, b, kind = rng.choice(self.sites)
            words, label = self.examples[i]
            j, c, d, _ = rng.choice(self.by_class[kind, label])
            text = " ".join(words[:a] + self.examples[j][0][c:d] + words[b:])
            if text not in known:
                known.add(text)
                made.append((text, self.tree((i, a, b), (j, c, d)), label))
        return made

    def tree(self, hole: tuple[int, int, int], fill: tuple[int, int, int]) -> str:
        """Return the bracketing of the example, as the released program makes it."""
        (i, a, b), (j, c, d) = hole, fill
        by = next(node for e, f, node in self.spans[j] if (e, f) == (c, d))
        return replaced(self.trees[i], 0, a, b, by).pformat(margin=sys.maxsize)


class TextOnlySub2(PlainSub2):
    """The same without the tree of the example."""

    def tree(self, hole: tuple[int, int, int], fill: tuple[int, int, int]) -> str:
        return ""


def replaced(node: Tree, start: int, a: int, b: int, by: Tree) -> Tree:
    """Rebuild a tree with the constituent over words a to b replaced, and all else as it is."""
    children, end = [], start
    for child in node:
        begin = end
        end += 1 if isinstance(child, str) else len(child.leaves())
        if (begin, end) == (a, b) and not isinstance(child, str):
            children.append(by)
        elif begin <= a and b <= end and not isinstance(child, str):
            children.append(replaced(child, begin, a, b, by))
        else:
            children.append(child)
    return Tree(node.label(), children)


class PlainTreeMix:
    """Algorithm 1 of Zhang et al. 2022: two examples, a constituent of each, equation 2.

    As the paper says: constituents are collected from the trees of the two examples drawn.
    """

    def __init__(self, trees: list[Tree], labels: list[int]) -> None:
        self.trees, self.labels = trees, labels

    def candidates(self, tree: Tree) -> list[tuple[int, int, Tree]]:
        size = len(tree.leaves())
        return [
            (a, b, node)
            for a, b, node in spans(tree)
            if len(node) > 1 and 0.1 <= (b - a) / size <= 0.3
        ]

    def sample(self, n: int, rng: random.Random) -> list[tuple[str, list[float]]]:
        made: list[tuple[str, list[float]]] = []
        known = {" ".join(tree.leaves()) for tree in self.trees}
        while len(made) < n:
            i, j = rng.randrange(len(self.trees)), rng.randrange(len(self.trees))
            holes, fills = self.candidates(self.trees[i]), self.candidates(self.trees[j])
            if not holes or not fills:
                continue
            (a, b, _), (_, _, node) = rng.choice(holes), rng.choice(fills)
            words, fill = self.trees[i].leaves(), node.leaves()
            text = " ".join(words[:a] + fill + words[b:])
            kept = len(words) - (b - a)
            label = [0.0] * 5
            label[self.labels[i]] += kept / (kept + len(fill))
            label[self.labels[j]] += len(fill) / (kept + len(fill))
            if text not in known:
                known.add(text)
                made.append((text, label))
        return made


class PrecomputedTreeMix(PlainTreeMix):
    """The same with the constituents of all examples collected beforehand."""

    def __init__(self, trees: list[Tree], labels: list[int]) -> None:
        super().__init__(trees, labels)
        self.known = {id(tree): super(PrecomputedTreeMix, self).candidates(tree) for tree in trees}

    def candidates(self, tree: Tree) -> list[tuple[int, int, Tree]]:
        return self.known[id(tree)]


def corpus() -> Corpus:
    return read_sst(data_file("sst/train.txt.gz"))


def per_second(work: Any, n: int) -> float:
    began = time.process_time()
    assert len(work(n)) == n
    return n / (time.process_time() - began)


def speed() -> None:
    data = corpus()
    text_only = Corpus(data.table.select(["id", "text", "label", "tree"]))
    trees, labels = [Tree.fromstring(t) for t in data.column("tree")], data.column("label")
    # as published: nothing is mended at the seams
    sub2 = Sub2.induce(text_only, phrase=True, text_label=True, sentiment=True, repair="none")
    treemix = TreeMix.induce(text_only, repair="none")
    for name, sampler, peers in (
        ("Sub2 +p+t+senti", sub2, (PlainSub2(trees, labels), TextOnlySub2(trees, labels))),
        (
            "TreeMix",
            treemix,
            (PlainTreeMix(trees, labels), PrecomputedTreeMix(trees, labels)),
        ),
    ):
        sampler.sample(1000)
        ours = [per_second(lambda n, s=seed: sampler.sample(n, seed=s), OURS) for seed in (1, 2, 3)]  # noqa: B023
        mine = sorted(ours)[1]
        for peer in peers:
            rng = random.Random(0)
            theirs = sorted(per_second(lambda n: peer.sample(n, rng), PLAIN) for _ in range(3))[1]  # noqa: B023
            what = f"{name}, against {type(peer).__name__}"
            report(what, mine / theirs, 50, f"{mine:,.0f} examples/s against {theirs:,.0f}")


def memory(n: int = 1_000_000) -> None:
    sampler = TreeMix.induce(corpus())
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        rows = write_batches(sampler.batches(n), Path(folder) / "treemix.parquet")
        took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{rows:,} TreeMix examples to Parquet in {took:.1f} s, peak memory {peak:.2f} GiB")


def workers(n: int = 1_000_000) -> None:
    sampler = TreeMix.induce(corpus())
    sampler.sample(1000)
    times = {}
    for count in (1, 2, 1, 2):
        began = time.perf_counter()
        for _ in sampler.batches(n, seed=count, workers=count):
            pass
        took = time.perf_counter() - began
        times[count] = min(took, times.get(count, took))
    print(f"two workers are {times[1] / times[2]:.2f} times as fast as one ({times})")


if __name__ == "__main__":
    {"speed": speed, "memory": memory, "workers": workers}[(sys.argv[1:] or ["speed"])[0]]()
