"""How often a comparison finds a difference between halves of one corpus, where there is none.

    python -m benchmarks.comparison --splits 200 FOLDER

Each file of the folder is a document. Documents, or trees, are divided at random into halves, and
rules and words are compared; a split is clean if none passes the corrected level of 0.05.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from grammar.rng import stream_key, uniforms
from grammar.trees.treebank import Treebank
from induction import read_treebank
from induction.trees.normalise import normalise
from sampling.comparison.comparison import STEPS
from sampling.comparison.differences import differences
from sampling.comparison.features import Counts, counts_of_units

_KINDS = ("rules", "words")


def main() -> None:
    """Print how many splits are clean, by documents and by trees."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--splits", type=int, default=200)
    given = arguments.parse_args()
    parts = [normalise(read_treebank(str(p)), STEPS) for p in sorted(given.folder.rglob("*.ptb"))]
    trees = Treebank.concatenate(parts)
    documents = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    for name, units in (("documents", documents), ("trees", np.arange(len(trees)))):
        counts = counts_of_units(trees, units)
        tested = {kind: counts[kind] for kind in _KINDS}
        clean = sum(_is_clean(tested, seed) for seed in range(given.splits))
        print(f"{len(set(units.tolist())):,} {name}: {clean} of {given.splits} splits are clean")


def _is_clean(counts: dict[str, Counts], seed: int) -> bool:
    units = counts["rules"].matrix.shape[0]
    order = np.argsort(uniforms(stream_key(seed, "halves"), 0, units))
    found = differences(counts, *np.array_split(order, 2))
    return not any(one.passing for one in found.values())


if __name__ == "__main__":
    main()
