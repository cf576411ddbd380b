"""What is said of words that a masked model replaces: it stays, moves, or keeps them from it."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import CorpusError
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from sampling.examples.examples import read_examples
from sampling.method import induce
from sampling.neural.masked.annotations import Annotations, Shift
from sampling.neural.masked.edits import numbered, replaced, words_of

LETTERS = st.text("ab é'-(.", max_size=30)
PUT = ["a", "größer", "in", "2"]


@given(LETTERS, st.data())
def test_a_place_moves_with_what_stands_before_it(text: str, data: st.DataObject) -> None:
    chosen = [word for word in words_of(text) if data.draw(st.booleans())]
    words = [data.draw(st.sampled_from(PUT)) for _ in chosen]
    new, _ = replaced(text, chosen, words)
    shift = Shift(text, new)
    within = {place for begin, end in chosen for place in range(begin + 1, end)}
    places = [place for place in range(len(text) + 1) if place not in within]
    for begin in places:
        for end in (place for place in places if place > begin):
            inside = [(w, put) for w, put in zip(chosen, words, strict=True) if begin <= w[0] < end]
            spans = [(a - begin, b - begin) for (a, b), _ in inside]
            wanted, _ = replaced(text[begin:end], spans, [put for _, put in inside])
            assert new[slice(*shift.span((begin, end)))] == wanted


def rewritten(corpus: Corpus, count: int) -> tuple[Corpus, Corpus]:
    """Put words in the place of all that may be replaced; return the old and the new."""
    given = read_examples(corpus[:count]).corpus
    known = Annotations(given)
    texts = []
    for row, text in enumerate(given.column("text")):
        spans = numbered(words_of(text), known.free(row))
        texts.append(replaced(text, spans, [PUT[(row + a) % len(PUT)] for a, _ in spans])[0])
    beside = {k: v.to_pylist() for k, v in known.columns(np.arange(len(given)), texts).items()}
    return given, Corpus.from_columns(text=texts, **beside)


def check_words(old: Corpus, new: Corpus) -> int:
    """Compare the words of texts as their annotations have them; return how many are others."""
    before, after = (read_examples(corpus).sides[0] for corpus in (old, new))
    assert before.offsets.tolist() == after.offsets.tolist()
    forms = [side.forms.take(side.codes.tolist()).to_pylist() for side in (before, after)]
    differ = [number for number, (a, b) in enumerate(zip(*forms, strict=True)) if a != b]
    if before.marks is not None:
        assert after.marks is not None
        assert before.marks.names == after.marks.names
        assert (before.marks.mark == after.marks.mark).all()
        assert not before.marks.inside[differ].any()
    for name in ("tags", "heads", "deprels"):
        if name in old.names:
            assert old.column(name) == new.column(name)
    return len(differ)


@pytest.mark.parametrize(
    ("path", "least"),
    [
        ("ud/UD_English-EWT/en_ewt-ud-dev.conllu.gz", 0.75),
        ("ud/UD_Lithuanian-HSE/lt_hse-ud-dev.conllu.gz", 0.7),
        ("ner/wnut17/dev.conll.gz", 0.6),
        ("gum/test/GUM_court_equality.ptb", 0.75),
    ],
)
def test_annotated_corpora_keep_what_is_said_of_their_words(
    data_folder: Path, path: str, least: float
) -> None:
    old, new = rewritten(read_corpus(data_folder / path), 150)
    assert check_words(old, new) >= least * sum(map(len, read_words(old)))


def read_words(corpus: Corpus) -> list[list[str]]:
    side = read_examples(corpus).sides[0]
    written = side.forms.take(side.codes.tolist()).to_pylist()
    ends = side.offsets.tolist()
    return [written[a:b] for a, b in itertools.pairwise(ends)]


def test_trees_tokens_and_spans_at_once() -> None:
    text = "(She) don't see Ann's dog."
    words = ["-LRB-", "She", "-RRB-", "do", "n't", "see", "Ann", "'s", "dog", "."]
    tree = "(S (NP (-LRB- -LRB-) (PRP She) (-RRB- -RRB-)) (VP (VBP do) (RB n't) (VB see) "
    tree += "(NP (NP (NNP Ann) (POS 's)) (NN dog))) (. .))"
    corpus = Corpus.from_columns(
        text=[text], tree=[tree], tags=[words],
        spans=[[{"start": text.index("Ann"), "end": text.index("Ann") + 3, "label": "PER"}]],
    )  # fmt: skip
    known = Annotations(read_examples(corpus).corpus)
    assert [text[slice(*w)] for w in numbered(words_of(text), known.free(0))] == [
        "She",
        "see",
        "dog",
    ]
    new = "(Nobody) don't understand Ann's tea."
    made = known.columns(np.array([0]), [new])
    [span] = made["spans"].to_pylist()[0]
    assert new[span["start"] : span["end"]] == "Ann"
    assert made["tree"].to_pylist() == [
        tree.replace("She", "Nobody").replace("see", "understand").replace("dog", "tea")
    ]
    assert made["tags"].to_pylist() == [words]


def test_a_part_of_a_token_is_no_word() -> None:
    tokens = ["grass-roots", "groups", "seem", "*-1", "to", "win"]
    known = Annotations(
        read_examples(Corpus.from_columns(text=[" ".join(tokens)], tokens=[tokens])).corpus
    )
    words = numbered(words_of(" ".join(tokens)), known.free(0))
    assert [" ".join(tokens)[slice(*word)] for word in words] == ["groups", "seem", "to", "win"]


def drawn(sampler: Any, n: int) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sampler.sample(n)


@pytest.mark.parametrize(("name", "options"), [("ctxsub", {"share": 0.5}), ("ssmba", {"steps": 2})])
def test_samplers_keep_them(masked_folder: Path, name: str, options: dict[str, Any]) -> None:
    corpus = Corpus.from_columns(
        text=["two old dogs sleep here", "my aunt sings"],
        tokens=[["two", "old", "dogs", "sleep", "here"], ["my", "aunt", "sings"]],
        tags=[["NUM", "ADJ", "NOUN", "VERB", "ADV"], ["PRON", "NOUN", "VERB"]],
        heads=[[3, 3, 4, 0, 4], [2, 3, 0]],
        deprels=[["nummod", "amod", "nsubj", "root", "advmod"], ["nmod", "nsubj", "root"]],
        spans=[[], [{"start": 3, "end": 7, "label": "PER"}]],
    )
    sampler = induce(name, corpus, model=str(masked_folder), **options)
    made = drawn(sampler, 12)
    for row in made:
        number = corpus.column("id").index(row["provenance"]["parents"][0])
        assert row["tokens"] == row["text"].split()
        assert row["text"] != corpus.column("text")[number]
        for column in ("tags", "heads", "deprels"):
            assert row[column] == corpus.column(column)[number]
        if number == 1:
            [span] = row["spans"]
            assert row["text"][span["start"] : span["end"]] == "aunt"
    again = type(sampler.grammar).from_arrays(*sampler.grammar.to_arrays())
    assert drawn(type(sampler)(again), 12).table == made.table


def test_texts_that_are_all_mention_are_refused(masked_folder: Path) -> None:
    spans = [[{"start": 0, "end": 7, "label": "PER"}]]
    corpus = Corpus.from_columns(text=["my aunt !"], spans=spans)
    with pytest.raises(CorpusError, match="no text has a word that can be replaced"):
        induce("ctxsub", corpus, model=str(masked_folder))
