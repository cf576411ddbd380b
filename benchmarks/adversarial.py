"""Texts made to keep a program busy: ``python -m benchmarks.adversarial``.

Signs, addresses and tags are repeated up to 1 MB. Everything that reads or writes texts goes over
them; the time of a core at 1 MB and its ratio to the time at 250 kB are held against bars. What
takes less than :data:`LEAST` seconds has no ratio that could be told from noise.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.timing import seconds
from grammar.errors import TreewrightError
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from induction.corpus.text.sentences import sentence_spans, sentences_of_words
from induction.corpus.text.tokens import detokenise, tokenise
from sampling.examples.spacing import learn_spacing
from sampling.examples.text_columns import cores_of, read_side
from sampling.quality.report import assess

SMALL, LARGE = 250_000, 1_000_000
BAR_SECONDS, BAR_RATIO, LEAST = 4.0, 5.0, 0.5

PATTERNS = {
    "names": "@a ",
    "addresses of people": "a@a.a@",
    "www.": "www.",
    "http://": "http://a ",
    "tags": "#a ",
    "sentences": "a. ",
    "stops and quotes": 'a." ',
    "questions": "?! ",
    "quotes": '"',
    "apostrophes": "' ",
    "opening brackets": "(",
    "brackets": "() ",
    "less than": "<",
    "attributes": "<p a=1 ",
    "comments": "<!--",
    "ampersands": "&",
    "hyphens": "-",
    "numbers": "1,1,",
    "one word": "a",
    "combining marks": "e\u0301",
    "emoji": "\U0001f600",
    "joined emoji": "\U0001f469\u200d",
    "tones": "\U0001f3fd",
    "backslashes": "\\",
    "newlines": "\n",
    "white space": " \n ",
    "letters apart": "a ",
}


def _written(ending: str, content: Callable[[str], str]) -> Callable[[str], Callable[[], object]]:
    """Return what prepares a file with a text in it, and gives the reading of it."""

    def prepared(text: str) -> Callable[[], object]:
        path = _FOLDER / f"text{ending}"
        path.write_bytes(content(text).encode())
        return lambda: read_corpus(path)

    return prepared


def _spacing(text: str) -> Callable[[], object]:
    words = [text.split() or ["a"]]
    corpus = Corpus.from_columns(text=[" ".join(words[0])], tokens=words)
    return lambda: learn_spacing(read_side(corpus)).write(words[0])


def _quality(text: str) -> Callable[[], object]:
    size = 1_000
    texts = [f"{text[k : k + size]} {k}" for k in range(0, len(text), size)]
    half = len(texts) // 2
    one, other = (Corpus.from_columns(text=part) for part in (texts[:half], texts[half:]))
    return lambda: assess(one, other)


def _cores(text: str) -> Callable[[], object]:
    corpus = Corpus.from_columns(text=[text])
    return lambda: cores_of(read_side(corpus))


WORK: dict[str, Callable[[str], Callable[[], object]]] = {
    "tokenise": lambda text: lambda: tokenise(text),
    "sentence_spans": lambda text: lambda: sentence_spans(text),
    "sentences_of_words": lambda text: lambda: sentences_of_words(text.split()),
    "detokenise": lambda text: lambda: detokenise(text.split()),
    "cores_of": _cores,
    "spacing": _spacing,
    "quality": _quality,
    ".csv": _written(".csv", lambda text: f"text\n{text}\n"),
    ".tsv": _written(".tsv", lambda text: f"text\n{text}\n"),
    ".jsonl": _written(".jsonl", lambda text: json.dumps({"text": f"a {text}"}) + "\n"),
    ".jsonl, as it is": _written(".jsonl", lambda text: '{"text": "' + text),
    ".txt": _written(".txt", lambda text: text),
    ".conllu": _written(".conllu", lambda text: f"1\t{text}\t_\tX\t_\t_\t0\troot\t_\t_\n\n"),
    ".conllu, as it is": _written(".conllu", lambda text: text),
    ".conll": _written(".conll", lambda text: text),
    ".mrg": _written(".mrg", lambda text: f"(S (A {text}))"),
}
_FOLDER = Path()


def _run(work: Callable[[], object]) -> Callable[[], object]:
    def run() -> object:
        try:
            return work()
        except TreewrightError:  # refusing it is an end, too
            return None

    return run


def _least(work: Callable[[], object]) -> float:
    """Return the processor seconds of a call where nothing else on the machine was in its way."""
    return min(seconds(work) for _ in range(3))


def main() -> Any:
    """Print what misses a bar, and the slowest of what does not."""
    global _FOLDER
    chosen = sys.argv[1:] or list(WORK)
    missed = 0
    with TemporaryDirectory() as folder:
        _FOLDER = Path(folder)
        for name in chosen:
            rows = []
            for label, piece in PATTERNS.items():
                texts = ((piece * (size // len(piece) + 1))[:size] for size in (SMALL, LARGE))
                small, large = (_least(_run(WORK[name](text))) for text in texts)
                ratio = large / small if large > LEAST else 0.0
                rows.append((large, ratio, label))
                if large > BAR_SECONDS or ratio >= BAR_RATIO:
                    missed += 1
                    print(f"{name:<20} {label:<20} {large:6.2f} s  ratio {ratio:4.1f}  MISSED")
            slowest, steepest = max(rows), max(row[1] for row in rows)
            print(
                f"{name:<20} {len(rows)} patterns: at most {slowest[0]:.2f} s ({slowest[2]}), "
                f"ratio at most {steepest:.1f}",
                flush=True,
            )
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
