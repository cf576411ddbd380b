"""Sixty small languages of kinds that nobody named before, by synchronous induction.

``python -m benchmarks.kinds [NAME...]`` prints a row for each: held-out pairs that are parsed
right, samples that are of the language, and held-out pairs that the grammar for sampling derives.
The languages stand in ``kinds.txt``: a line ``# name longest deeper``, then rules, and classes of
words such as ``D: one=1 two=2`` (a word without a target has itself in capitals). They were written
before any was tried, twenty at a time.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

from grammar.errors import LengthBandError
from grammar.synchronous.grammar import SynchronousGrammar
from induction.corpus.corpus import Corpus
from sampling.sentences.pairs import sample_pairs
from scan.languages.language import Language
from scan.languages.measure import findings_table, measure_language
from scan.splits import Split

TRAIN, TEST = 400, 200
DRAWN, DEEP = 6_000, 400
SHARE = 0.6
"""Of the pairs that were drawn, at most so many are for training."""

Pairs = list[tuple[str, str]]


def main() -> None:
    found = {language.name: language for language in languages()}
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.kinds")
    arguments.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(found)}")
    for number, name in enumerate(arguments.parse_args().names or found):
        finding = measure_language(found[name], split_pairs(found[name]))
        table = findings_table([finding]).splitlines()
        print(*table[2 if number else 0 :], sep="\n", flush=True)


def languages() -> Iterator[Language]:
    text = Path(__file__).with_name("kinds.txt").read_text(encoding="utf-8")
    for block in text.split("\n\n"):
        head, *lines = block.strip().splitlines()
        _, name, longest, deeper = head.split()
        rules = [rule for line in lines for rule in rules_of(line)]
        grammar = SynchronousGrammar.parse("\n".join(rules), source=name)
        yield Language(name, "", grammar, int(longest), int(deeper))


def rules_of(line: str) -> Iterator[str]:
    """Yield the rules of a line: one, or one for each word of a class."""
    name, colon, words = line.partition(": ")
    if not colon or "->" in name:
        yield line
        return
    for entry in words.split():
        word, equals, target = entry.partition("=")
        yield f"{name} -> {word.replace('_', ' ')} ### {target if equals else word.upper()}"


def split_pairs(language: Language, seed: int = 0) -> Split:
    """Draw training pairs, and held-out ones: half are longer, if the language has longer ones."""
    draw = random.Random(seed)
    pool = drawn(language, (1, language.longest), DRAWN, seed + 1)
    draw.shuffle(pool)
    cut = min(TRAIN, int(len(pool) * SHARE))
    train, held = pool[:cut], pool[cut:]
    deep: Pairs = []
    if language.deeper > language.longest:
        deep = drawn(language, (language.longest + 1, language.deeper), DEEP, seed + 2)
        draw.shuffle(deep)
        deep = deep[: TEST // 2]
    words = {word for source, _ in train for word in source.split()}
    held, deep = ([p for p in pairs if words.issuperset(p[0].split())] for pairs in (held, deep))
    test = held[: TEST - len(deep)] + deep
    return Split(language.name, corpus(train), corpus(test))


def drawn(language: Language, lengths: tuple[int, int], count: int, seed: int) -> Pairs:
    try:
        made = sample_pairs(language.grammar, count, seed=seed, source_length=lengths, flat=True)
    except LengthBandError:
        return []
    return list(dict(zip(made.column("text"), made.column("target"), strict=True)).items())


def corpus(pairs: Pairs) -> Corpus:
    return Corpus.from_columns(text=[s for s, _ in pairs], target=[t for _, t in pairs])


if __name__ == "__main__":
    main()
