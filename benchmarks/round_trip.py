"""How well texts come back from their tokens: ``python -m benchmarks.round_trip``.

Every corpus in ``TREEWRIGHT_DATA`` whose texts are written as people write them. A text is split
into the tokens of the Penn Treebank, and these are written as text again: by NLTK's detokeniser
alone, and by what was learnt of the corpus's own spacing from the other half of it. White space is
compared as single spaces, and markup is white space. *Places* is the share of texts in which each
token is found where it stands, so that what is not exchanged stays byte by byte as it was. Without
Moses' detokeniser (``pip install sacremoses``), which was measured beside it, its column is left
out.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
from collections.abc import Callable, Iterator, Sequence

from grammar.trees.surfaces import surface_of
from induction.corpus.corpus import Corpus
from induction.corpus.sources import data_file
from induction.corpus.text.markup import without_markup
from induction.corpus.text.tokens import detokenise, is_blank, tokenise
from sampling.examples.spacing import learn_spacing
from sampling.examples.text_columns import are_tokenised, read_side

MOST = 4000


def _lines(name: str, encoding: str = "utf-8") -> Iterator[str]:
    with gzip.open(data_file(name), "rt", encoding=encoding, newline="\n") as lines:
        for line in lines:
            yield line.rstrip("\r\n")


def _conllu(name: str) -> Iterator[str]:
    return (line[9:] for line in _lines(name) if line.startswith("# text = "))


def _csv(name: str, column: int) -> Iterator[str]:
    return (row[column] for row in csv.reader(_lines(name)))


def _tsv(name: str, column: int) -> Iterator[str]:
    return (line.split("\t")[column] for line in _lines(name))


CORPORA: dict[str, Callable[[], Iterator[str]]] = {
    "Tatoeba": lambda: _lines("text/tatoeba_eng.txt.gz"),
    "CoLA": lambda: _tsv("cola/train.tsv.gz", 3),
    "RTE": lambda: _tsv("rte/train.tsv.gz", 1),
    "IMDB (reviews)": lambda: _csv("imdb/imdb_1000.csv.gz", 1),
    "AG News": lambda: _csv("ag_news/test.csv.gz", 2),
    "COGS": lambda: _tsv("cogs/train.tsv.gz", 0),
    "English Web Treebank": lambda: _conllu("ud/UD_English-EWT/en_ewt-ud-dev.conllu.gz"),
    "UD Lithuanian": lambda: _conllu("ud/UD_Lithuanian-HSE/lt_hse-ud-train.conllu.gz"),
    "UD Belarusian": lambda: _conllu("ud/UD_Belarusian-HSE/be_hse-ud-train.conllu.gz"),
    "SST-2": lambda: (line[2:] for line in _lines("sst2/stsa.binary.train.gz")),
    "MRPC": lambda: _tsv("mrpc/train.tsv.gz", 3),
}


def texts_of(name: str) -> list[str]:
    """Return the texts of a corpus, the first of them if there are many."""
    texts = (" ".join(text.split()) for text in CORPORA[name]())
    found = (text for text in texts if text)
    return [text for text, _ in zip(found, range(MOST), strict=False)]


def shares(texts: Sequence[str]) -> tuple[bool, float, float, float]:
    """Return whether texts are tokenised, and three shares: by the library, as learnt, places."""
    corpus = Corpus.from_columns(text=texts)
    if are_tokenised(corpus.arrow("text").combine_chunks()):
        words = [text.split(" ") for text in texts]
        same = [" ".join(map(surface_of, w)) == text for w, text in zip(words, texts, strict=True)]
        return True, _share(same), _share(same), 1.0
    words = [list(tokenise(text).words) for text in texts]
    plain = list(map(_plain, texts))
    library = _share(detokenise(w) == text for w, text in zip(words, plain, strict=True))
    good = []
    for k in (0, 1):
        train = Corpus.from_columns(text=texts[k::2], tokens=words[k::2])
        spacing = learn_spacing(read_side(train))
        pairs = zip(words[1 - k :: 2], plain[1 - k :: 2], strict=True)
        good += [spacing.write(w) == text for w, text in pairs]
    stand = [tokenise(text).surfaces(text) for text in texts]
    inked = ("".join(c for c in text if not is_blank(c)) for text in plain)
    whole = ("".join(s) == ink for s, ink in zip(stand, inked, strict=True))
    return False, library, _share(good), _share(whole)


def _plain(text: str) -> str:
    return " ".join(without_markup(text).split())


def _share(flags: Iterator[bool] | Sequence[bool]) -> float:
    found = list(flags)
    return sum(found) / len(found)


def _moses() -> Callable[[Sequence[str]], str] | None:
    with contextlib.suppress(ImportError):
        from sacremoses import MosesDetokenizer

        moses, quotes = MosesDetokenizer(lang="en"), {"``": '"', "''": '"'}
        return lambda words: moses.detokenize([quotes.get(w, surface_of(w)) for w in words])
    return None


def main() -> None:
    moses = _moses()
    print("| corpus | texts | written | NLTK | Moses | as learnt | places |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in CORPORA:
        texts = texts_of(name)
        tokenised, library, learnt, places = shares(texts)
        other = "–"
        if moses is not None and not tokenised:
            few = [_plain(text) for text in texts[:1000]]
            other = f"{_share(moses(tokenise(text).words) == text for text in few):.1%}"
        written = "as tokens" if tokenised else "as people write"
        cells = (name, f"{len(texts):,}", written, f"{library:.1%}", other, f"{learnt:.1%}")
        print(f"| {' | '.join(cells)} | {places:.1%} |")


if __name__ == "__main__":
    main()
