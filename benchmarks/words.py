"""How many words are inflected as people write them: ``python -m benchmarks.words``.

Each token of the English Web Treebank (UD, train) with a tag of an inflection has its lemma beside
it, so the form that :func:`sampling.english.inflection.inflect` makes of lemma and tag can be
compared with the one that stands in the text. Needs ``TREEWRIGHT_DATA``.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable, Iterator

from induction.corpus.sources import data_file
from sampling.english.articles import article
from sampling.english.inflection import INFLECTED_TAGS, inflect

_CORPUS = "ud/UD_English-EWT/en_ewt-ud-{}.conllu.gz"


def tokens(part: str = "train") -> Iterator[tuple[str, str, str]]:
    """Yield form, lemma and Penn tag of the words of a part, in lower case; names left out."""
    with gzip.open(data_file(_CORPUS.format(part)), "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = line.split("\t")
            if len(fields) == 10 and fields[0].isdigit():
                typo = "Typo=Yes" in fields[5] or "Abbr=Yes" in fields[5]
                if not typo and fields[1].isalpha():
                    yield fields[1].lower(), fields[2].lower(), fields[4]


def score(make: Callable[[str, str], str | None], part: str = "train") -> tuple[int, int, Counter]:
    """Return how many inflected tokens are made as they are written, of how many, and misses."""
    good = total = 0
    missed: Counter = Counter()
    for form, lemma, tag in tokens(part):
        if tag in INFLECTED_TAGS:
            total += 1
            made = make(lemma, tag)
            good += made == form
            if made != form:
                missed[lemma, tag, form, made] += 1
    return good, total, missed


def article_score(part: str = "train") -> tuple[int, int]:
    """Return how often a or an is chosen as it is written, of how many."""
    good = total = 0
    before = ""
    with gzip.open(data_file(_CORPUS.format(part)), "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("# text = "):
                for word in line.removeprefix("# text = ").split():
                    if before.lower() in ("a", "an"):
                        total += 1
                        good += article(before, word) == before
                    before = word
    return good, total


def main() -> None:
    good, total, missed = score(inflect)
    print(f"inflected as written: {good:,} of {total:,} tokens, {100 * good / total:.1f} %")
    was = sum(
        count for (_, _, form, made), count in missed.items() if (made, form) == ("was", "were")
    )
    print(f"with were for was, whose number no tag tells: {100 * (good + was) / total:.1f} %")
    for (lemma, tag, form, made), count in missed.most_common(10):
        print(f"  {count:5,}  {lemma} {tag}: {made}, written {form}")
    good, total = article_score()
    print(f"a or an as written: {good:,} of {total:,}, {100 * good / total:.1f} %")


if __name__ == "__main__":
    main()
