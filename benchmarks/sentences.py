"""How well the sentences of texts are found: ``python -m benchmarks.sentences``.

Paragraphs of EWT as people wrote them, and runs of six sentences of GUM's test part and of NLTK's
Penn sample, written as text again. The boundaries within each are those of the corpus. Beside it
stands NLTK's Punkt with the model that was trained on English, where its data are.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence

from grammar.trees.treebank import Treebank
from induction.corpus.readers import read_treebank
from induction.corpus.sources import data_file
from induction.corpus.text.sentences import sentence_spans
from induction.corpus.text.tokens import detokenise
from induction.trees.normalise import drop_traces

A_RUN = 6
Splitter = Callable[[str], Sequence[tuple[int, int]]]


def main() -> None:
    splitters = {"here": sentence_spans, **trained()}
    print("| | splitter | precision | recall | F1 |\n| --- | --- | --- | --- | --- |")
    for name, texts in corpora().items():
        for splitter, spans in splitters.items():
            found = " | ".join(f"{value:.3f}" for value in measured(spans, texts))
            print(f"| {name} | {splitter} | {found} |", flush=True)


def trained() -> dict[str, Splitter]:
    """Return NLTK's splitter with its model, if that is here."""
    from nltk.tokenize import PunktTokenizer

    try:
        punkt = PunktTokenizer("english")
    except LookupError:
        return {}
    return {"trained Punkt": lambda text: list(punkt.span_tokenize(text))}


def corpora() -> dict[str, list[list[str]]]:
    """Return the sentences of texts, by corpus."""
    return {
        "EWT, development": list(paragraphs("dev")),
        "EWT, training": list(paragraphs("train")),
        "GUM, test": list(runs(read_treebank(data_file("gum/test")))),
        "Penn sample": list(runs(drop_traces(read_treebank("nltk:treebank")))),
    }


def paragraphs(part: str) -> Iterator[list[str]]:
    """Yield the sentences of each paragraph of EWT."""
    sentences: list[str] = []
    with gzip.open(data_file(f"ud/UD_English-EWT/en_ewt-ud-{part}.conllu.gz"), "rt") as lines:
        for line in lines:
            if line.startswith(("# newdoc", "# newpar")) and sentences:
                yield sentences
                sentences = []
            if line.startswith("# text = "):
                sentences.append(line.removeprefix("# text = ").rstrip("\n"))
    yield sentences


def runs(treebank: Treebank) -> Iterator[list[str]]:
    """Yield sentences that follow each other as they would be written."""
    texts = [detokenise(sentence) for sentence in treebank.sentences()]
    for first in range(0, len(texts), A_RUN):
        yield texts[first : first + A_RUN]


def measured(spans: Splitter, texts: Sequence[Sequence[str]]) -> tuple[float, float, float]:
    """Return precision, recall and F1 of the boundaries within texts."""
    right = found = there = 0
    for sentences in texts:
        starts, at = set(), 0
        for sentence in sentences[:-1]:
            at += len(sentence) + 1
            starts.add(at)
        cut = {start for start, _ in list(spans(" ".join(sentences)))[1:]}
        right, found, there = right + len(cut & starts), found + len(cut), there + len(starts)
    return right / found, right / there, 2 * right / (found + there)


if __name__ == "__main__":
    main()
