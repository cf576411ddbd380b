"""Labelled spans in new examples, counted and checked: ``python -m benchmarks.spans [EXAMPLES]``.

Three corpora: tweets with entities (WNUT-17, tokens), Lithuanian sentences as they are written (UD
HSE, no tokens), and the trees of NLTK's Penn Treebank sample; in the latter two, runs of proper
nouns are the spans. Every method that carries spans makes its share of so many examples (by default
1,000,000), and each of them is checked: spans are valid, say what a span of the same label says in
the corpus, and are all those of the host where nothing comes from elsewhere. Needs
``TREEWRIGHT_DATA`` and ``NLTK_DATA``.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from collections import Counter
from collections.abc import Iterable
from typing import Any

from grammar.trees.surfaces import surface_of
from induction.corpus.corpus import Corpus
from induction.corpus.entities.columns import spans_of_words, word_places
from induction.corpus.formats import corpus_of_trees, read_corpus
from induction.corpus.inputs.skipping import without_faults
from induction.corpus.readers import read_treebank
from induction.corpus.sources import data_file
from induction.trees.normalise import normalise
from sampling.examples.labels import check_corpus
from sampling.examples.text_columns import read_side
from sampling.expression import read_step
from sampling.method import find_method

METHODS = {
    "eda": "host", "aeda": "host", "random-word": "host", "switchout": "host",
    "worddrop": "host", "worddrop(blank='<unk>')": "host", "shuffle": "host",
    "shuffle(structure=segments)": "labels", "label-wise": "labels",
    "mention-replacement": "known", "sub2(phrase=false, max_words=4)": "known",
    "sub2(task=spans)": "known", "randmix": "known", "fluent(worddrop, candidates=2)": "host",
}  # fmt: skip
"""Every method, and what its spans are: the host's; as many with its labels; or known ones."""
OF_TREES = {
    "sub2": "known", "sub2(task=constituency)": "known", "treemix": "known",
    "shuffle(structure=tree)": "host",
}  # fmt: skip
_UD = "ud/UD_Lithuanian-HSE/lt_hse-ud-train.conllu.gz"


def named_runs(rows: Iterable[tuple[str, list[str], list[str]]], tag: str) -> list[list[dict]]:
    """Return runs of words with a tag as the spans of texts, given with their words and tags."""
    found = []
    for text, words, tags in rows:
        intervals, at = [], 0
        for named, run in itertools.groupby(t.startswith(tag) for t in tags):
            size = len(list(run))
            intervals += [(at, at + size, "NAME")] * named
            at += size
        found.append(spans_of_words(word_places(text, words), intervals))
    return found


def corpora() -> dict[str, Corpus]:
    """Return the three corpora, with classes for the methods that mix them."""
    tweets = read_corpus(data_file("ner/wnut17/train.conll.gz"))
    read = read_corpus(data_file(_UD))
    columns = (read.column(name) for name in ("text", "tokens", "tags"))
    written = Corpus(read.table.select(["id", "text"]))
    written = written.with_column("spans", named_runs(zip(*columns, strict=True), "PROPN"))
    written = without_faults(written, read_side)  # two names in one word, such as Ann-Bo
    bank = normalise(read_treebank("nltk:treebank"))
    trees = corpus_of_trees(bank)
    rows = []
    for text, tree in zip(trees.column("text"), bank, strict=True):
        pairs = tree.to_nltk().pos()
        rows.append((text, [surface_of(word) for word, _ in pairs], [tag for _, tag in pairs]))
    given = {"tweets": tweets, "written": written,
             "trees": trees.with_column("spans", named_runs(rows, "NNP"))}  # fmt: skip
    return {k: c.with_column("label", [i % 2 for i in range(len(c))]) for k, c in given.items()}


def names_of(row: dict[str, Any]) -> Counter[tuple[str, str]]:
    """Return what the spans of an example say, and their labels."""
    return Counter((row["text"][s["start"] : s["end"]], s["label"]) for s in row["spans"])


def faults(made: Corpus, corpus: Corpus, kind: str) -> tuple[int, int]:
    """Return how many spans new examples have, and how many are not what they must be."""
    check_corpus(made)
    source = {row["id"]: names_of(row) for row in corpus}
    known = set().union(*source.values())
    total = bad = 0
    for row in made:
        mine, host = names_of(row), source[row["provenance"]["parents"][0]]
        total += mine.total()
        if kind == "host":
            bad += ((mine - host) + (host - mine)).total()
        elif kind == "known":
            bad += sum(name not in known for name in mine.elements())
        else:
            count = [Counter(label for _, label in found.elements()) for found in (mine, host)]
            bad += (count[0] - count[1]).total() + (count[1] - count[0]).total()
    return total, bad


def main() -> None:
    """Print a line a method and corpus, and the sum."""
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    held = corpora()
    runs = [(name, m, kind) for name in held for m, kind in METHODS.items()]
    runs += [("trees", m, kind) for m, kind in OF_TREES.items()]
    sums = Counter()
    for number, (name, method, kind) in enumerate(runs):
        step, corpus = read_step(method), held[name]
        if step.method in ("aeda", "worddrop", "mention-replacement", "eda", "fluent"):
            corpus = Corpus(corpus.table.drop_columns([c for c in ("tree",) if c in corpus.names]))
        n = asked * (number + 1) // len(runs) - asked * number // len(runs)
        sampler = find_method(step.method).induce(corpus, **dict(step.options))
        found = Counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for batch in sampler.batches(n, seed=1):
                spans, bad = faults(Corpus(batch), corpus, kind)
                found.update(examples=batch.num_rows, spans=spans, bad=bad)
        sums.update(found)
        print(f"{name:<8} {method:<34} {found['examples']:>9,} examples {found['spans']:>9,} spans "
              f"{found['bad']:>3} bad", flush=True)  # fmt: skip
    print(f"{'all':<43} {sums['examples']:>9,} examples {sums['spans']:>9,} spans "
          f"{sums['bad']:>3} bad")  # fmt: skip


if __name__ == "__main__":
    main()
