"""Requests over CoNLL-U: hits and times beside loops written by hand.

The loops read fields and heads of one sentence after the other, as one writes them over the
packages ``conllu`` or ``udapi``.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterator

import numpy as np

from grammar import DependencyTreebank
from induction import read_corpus, read_dependencies

Word = dict[str, str]
Sentence = tuple[list[Word], list[int]]
Loop = Callable[[list[Word], list[int]], Iterator[tuple[int, ...]]]


def _objects(words: list[Word], heads: list[int]) -> Iterator[tuple[int, ...]]:
    subjects = {h for w, h in zip(words, heads, strict=True) if w["deprel"] == "nsubj"}
    for n, word in enumerate(words):
        v = heads[n]
        is_object = v >= 0 and word["deprel"] == "obj" and word["upos"] == "NOUN"
        is_plural = word.get("Number") == "Plur"
        if is_object and is_plural and words[v]["upos"] == "VERB" and v not in subjects:
            yield v, n


def _edges(test: Callable[[Word, Word, int, int], bool]) -> Loop:
    def loop(words: list[Word], heads: list[int]) -> Iterator[tuple[int, ...]]:
        for y, x in enumerate(heads):
            if x >= 0 and test(words[x], words[y], x, y):
                yield x, y

    return loop


def _words(test: Callable[[int, list[Word], list[int]], bool]) -> Loop:
    def loop(words: list[Word], heads: list[int]) -> Iterator[tuple[int, ...]]:
        return ((x,) for x in range(len(words)) if test(x, words, heads))

    return loop


def _chains(words: list[Word], heads: list[int]) -> Iterator[tuple[int, ...]]:
    for z, y in enumerate(heads):
        if y >= 0 and heads[y] >= 0 and words[z]["deprel"] == "nmod":
            yield heads[y], y, z


def _sisters(words: list[Word], heads: list[int]) -> Iterator[tuple[int, ...]]:
    for y, x in enumerate(heads):
        for z in range(y + 1, len(words)):
            if x >= 0 and heads[z] == x and words[y]["deprel"] == words[z]["deprel"] == "conj":
                yield x, y, z


def _pairs(words: list[Word], heads: list[int]) -> Iterator[tuple[int, ...]]:
    for x, y in zip(range(len(words)), range(1, len(words)), strict=False):
        if (words[x]["upos"], words[y]["upos"]) == ("ADJ", "NOUN"):
            yield x, y


TEN: tuple[tuple[str, Loop], ...] = (
    ("pattern { V [upos=VERB]; N [upos=NOUN, Number=Plur]; V -[obj]-> N } "
     "without { V -[nsubj]-> S }", _objects),
    ("pattern { X -[1=nsubj]-> Y; X << Y }",
     _edges(lambda a, b, x, y: b["deprel"].split(":")[0] == "nsubj" and x < y)),
    ("pattern { X -[^punct|det|case]-> Y; X.lemma = Y.lemma }",
     _edges(lambda a, b, x, y: b["deprel"] not in ("punct", "det", "case")
            and a["lemma"] == b["lemma"])),
    ('pattern { X [form=re".*ing"]; X -[aux]-> Y }',
     _edges(lambda a, b, x, y: bool(re.fullmatch(".*ing", a["form"])) and b["deprel"] == "aux")),
    ("pattern { X -> Y; Y -[nmod]-> Z }", _chains),
    ("pattern { X -[conj]-> Y; X -[conj]-> Z; Y << Z }", _sisters),
    ("pattern { X [upos=ADJ]; Y [upos=NOUN]; X < Y }", _pairs),
    ("pattern { X [upos=VERB, !Tense] }",
     _words(lambda x, words, heads: words[x]["upos"] == "VERB" and "Tense" not in words[x])),
    ("pattern { * -[root]-> X; X [upos<>VERB] } without { X -[cop]-> C }",
     _words(lambda x, words, heads: words[x]["deprel"] == "root" and words[x]["upos"] != "VERB"
            and not any(h == x and words[c]["deprel"] == "cop" for c, h in enumerate(heads)))),
    ("pattern { X -> Y; X.Number <> Y.Number; Y -[amod|det]-> * }",
     lambda words, heads: ((x, y) for y, x in enumerate(heads) if x >= 0
                           and words[x].get("Number", words[y].get("Number"))
                           != words[y].get("Number", words[x].get("Number"))
                           and any(h == y and words[z]["deprel"] in ("amod", "det")
                                   for z, h in enumerate(heads)))),
)  # fmt: skip


def sentences_of(path: str) -> list[Sentence]:
    """Return words as mappings, and heads from 0, -1 of roots."""
    found = []
    for row in read_corpus(path).table.to_pylist():
        more = row["conllu"]
        none = ["_"] * len(row["tokens"])
        words = []
        for at, form in enumerate(row["tokens"]):
            lists = [(more[name] or none)[at] for name in ("misc", "features")]
            features = dict(p.split("=", 1) for t in lists for p in t.split("|") if "=" in p)
            words.append({
                **features, "form": form, "lemma": (more["lemmas"] or none)[at],
                "upos": row["tags"][at], "deprel": row["deprels"][at],
            })  # fmt: skip
        found.append((words, [head - 1 for head in row["heads"]]))
    return found


def by_hand(loop: Loop, sentences: list[Sentence]) -> list[tuple[int, ...]]:
    """Return the sentence and the words, from 0, of all hits of a loop."""
    return sorted(
        (number, *hit)
        for number, (words, heads) in enumerate(sentences)
        for hit in loop(words, heads)
    )


def _ours(treebank: DependencyTreebank, request: str) -> list[tuple[int, ...]]:
    hits = treebank.search(request)
    words = ((hits.word(name) - 1).tolist() for name in hits.named)
    return sorted(zip(hits.sentence.tolist(), *words, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="a file of CoNLL-U")
    file = parser.parse_args().file
    began = time.process_time()
    treebank = read_dependencies(file)
    print(f"{treebank}, read in {time.process_time() - began:.1f} s")
    sentences = sentences_of(file)
    ours, theirs, differ = [], 0.0, []
    for request, loop in TEN:
        began = time.process_time()
        expected = by_hand(loop, sentences)
        theirs += time.process_time() - began
        if _ours(treebank, request) != expected:
            differ.append(request)
        times = []
        for _ in range(3):
            began = time.process_time()
            treebank.search(request)
            times.append(time.process_time() - began)
        ours.append(min(times))
        print(f"{1e3 * ours[-1]:7.1f} ms  {len(expected):7,} hits  {request}")
    most = 1e3 * max(ours) * 10_000 / len(treebank)
    print(
        f"at most {most:.0f} ms for 10,000 sentences; bar 100: {'met' if most <= 100 else 'MISSED'}"
    )
    print(
        f"mean {1e3 * np.mean(ours):.1f} ms, loops over what is in memory "
        f"{1e3 * theirs / len(TEN):.0f} ms"
    )
    print(f"hits that differ: {differ}")


if __name__ == "__main__":
    main()
