"""Seams: spacing, capitals, articles, brackets and contractions where a span is put in.

A slow twin says what a text becomes, from the strings alone; the sampler must make the same texts,
each once, and its trees and tokens must be written as the texts are.
"""

from __future__ import annotations

import itertools
import re
import warnings

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import CorpusError, OptionError
from grammar.trees.tree import Tree
from induction.corpus.corpus import Corpus
from induction.corpus.text.tokens import tokenise
from sampling.english.articles import article
from sampling.examples.text_columns import are_tokenised, read_side
from sampling.spans.randmix import RandMix
from sampling.spans.sub2 import Sub2
from sampling.spans.treemix import TreeMix
from sampling.stream import ShortfallWarning


def everything(sampler: Sub2 | TreeMix | RandMix) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        return sampler.sample(sampler.count())


def texts_of(*texts: str, **options: object) -> set[str]:
    """Return all texts that flat trees of phrases make: ``[NP a film]`` marks a phrase."""
    rows = [_read(text) for text in texts]
    corpus = Corpus.from_columns(
        text=[text for text, _ in rows], tree=[tree for _, tree in rows], label=[0] * len(rows)
    )
    found = everything(Sub2.induce(corpus, phrase=True, label=True, **options))  # type: ignore[arg-type]
    for row in found:
        assert _leaves_stand(row["text"], row["tree"]), row
    return set(found.column("text"))


def _read(marked: str) -> tuple[str, str]:
    text = re.sub(r"\[[A-Z]+ ([^\]]*)\]", r"\1", marked)
    parts, at = [], 0
    for match in re.finditer(r"\[([A-Z]+) ([^\]]*)\]", marked):
        parts += [*_tagged(marked[at : match.start()]), f"({match[1]} {_join(match[2])})"]
        at = match.end()
    return text, f"(S {' '.join((*parts, *_tagged(marked[at:])))})"


def _join(text: str) -> str:
    return " ".join(_tagged(text))


def _tagged(text: str) -> list[str]:
    names = {"Paris": "NNP", "Ann": "NNP"}
    return [f"({names.get(word, 'XX')} {word})" for word in tokenise(f"{text} ;").words[:-1]]


def _leaves_stand(text: str, tree: str) -> bool:
    side = read_side(Corpus.from_columns(text=[text], tree=[tree]))
    return bool(len(side.codes) == len(Tree.parse(tree).leaves()))


@pytest.mark.parametrize(
    ("host", "donor", "expected"),
    [
        # first words
        ("[NP The film] works.", "We saw [NP an actor] there.", "An actor works."),
        ("We saw [NP it] there.", "[NP The film] works.", "We saw the film there."),
        ("We saw [NP it] there.", "[NP Ann] works.", "We saw Ann there."),
        ("We saw [NP it] there.", "[NP I] work.", "We saw I there."),
        ("we saw it. [NP It] was good.", "[NP the film] works.", "we saw it. The film was good."),
        ("[NP it] works.", "[NP the film] is bad.", "the film works."),
        # a and an
        ("We saw a [NB film] there.", "an [NB old film] works.", "We saw an old film there."),
        ("A [NB film] works.", "An [NB hour] passed.", "An hour works."),
        ("We saw an [NB hour], too.", "a [NB use] passed.", "We saw a use, too."),
        # spacing
        ("We saw ([NP it]) there.", "with [NP a film], though.", "We saw (a film) there."),
        ("We saw [NP it], too.", "See [NP a film] now.", "We saw a film, too."),
        ("They saw it [AP first—]now.", "Go [AP early] now.", "They saw it early now."),
    ],
)
def test_a_seam_reads_like_the_source(host: str, donor: str, expected: str) -> None:
    assert expected in texts_of(host, donor)


def test_contractions_and_pairs_are_not_torn() -> None:
    texts = (
        "It[VP 's a film], no.",
        'They [VP said "go] now", yes.',
        "They [VP (saw it] now), yes.",
    )
    with pytest.raises(CorpusError, match="no new example can be made") as error:
        texts_of(*texts)
    assert "tear no contraction" in str(error.value)
    assert texts_of(*texts, repair="none")
    # where the source parts them, nothing is torn
    assert texts_of("It [VP 's a film] , no .", "They [VP said go] now , yes .")


def test_tokenised_texts_stay_tokenised() -> None:
    made = texts_of("It 's [NP a film] , no .", "They saw [NP ( an old one )] , yes .")
    assert made == {"It 's ( an old one ) , no .", "They saw a film , yes ."}
    assert are_tokenised(pa.array(["It 's good , no .", "yes"]))
    assert not are_tokenised(pa.array(["It's good, no.", "yes ..."]))


def test_punctuation_of_raw_texts_stays_where_it_is() -> None:
    corpus = Corpus.from_columns(text=["Good films, though.", "(Bad) actors?"], label=[0, 0])
    made = set(everything(Sub2.induce(corpus, phrase=False, max_words=1)).column("text"))
    assert {"Good actors, though.", "(Bad) films?", "Good films, actors."} <= made
    assert all(text[-1] in ".?" and ("(" in text) == (")" in text) for text in made)
    plain = set(
        everything(Sub2.induce(corpus, phrase=False, max_words=1, repair="none")).column("text")
    )
    assert "Good actors? though." in plain


def test_an_unknown_repair_is_said() -> None:
    with pytest.raises(OptionError, match="not a repair"):
        texts_of("[NP a film] works.", "[NP it] works.", repair="spelling")


# --- against a twin ---------------------------------------------------------------------------

WORDS = ["a", "an", "the", "The", "A", "An", "It", "it", "old", "hour", "Use", "use", "I", "."]


def mended(host: list[str], hole: tuple[int, int], donor: list[str], fill: tuple[int, int]) -> str:
    """Return a text by the letter of the rules; words are parted by single spaces."""
    (a, b), (c, d) = hole, fill
    before, put, behind = host[:a], donor[c:d], host[b:]
    put = put.copy()
    if _begins(host, a) and host[a][0].isupper():
        put[0] = put[0][0].upper() + put[0][1:]
    elif not (_begins(host, a) and host[a][0].isupper()) and _begins(donor, c) and put[0] != "I":
        put[0] = put[0][0].lower() + put[0][1:]
    before = before.copy()
    if before and before[-1].lower() in ("a", "an") and donor[c].lower() not in ("a", "an"):
        before[-1] = article(before[-1], donor[c])
    follows = behind[:1] != [] and behind[0].lower() not in ("a", "an")
    if len(put) > 1 and put[-1].lower() in ("a", "an") and follows:
        put[-1] = article(put[-1], behind[0])
    return " ".join((*before, *put, *behind))


def _begins(words: list[str], at: int) -> bool:
    return at == 0 or words[at - 1] == "." or (words[at - 1] == "-" and _begins(words, at - 1))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), min_size=2, max_size=4))
def test_new_texts_are_those_of_the_twin_each_once(rows: list[list[str]]) -> None:
    # enough for the words without a capital to be known as common
    rows = [*rows, ["-", *["use", "a", "an", "the", "it", "old", "hour"] * 9]]
    texts = [" ".join(row) for row in rows]
    corpus = Corpus.from_columns(text=texts, tokens=rows)
    expected = set()
    spans = [
        (row, (a, b))
        for row in rows
        for a, b in itertools.combinations(range(len(row) + 1), 2)
        if b - a <= 2 and b - a < len(row)
    ]
    for host, hole in spans:
        for donor, fill in spans:
            if host[hole[0] : hole[1]] != donor[fill[0] : fill[1]]:
                expected.add(mended(host, hole, donor, fill))
    sampler = Sub2.induce(corpus, phrase=False, max_words=2)
    made = everything(sampler)
    found = made.column("text")
    assert len(found) == len(set(found))
    assert set(found) == expected - set(texts)
    assert [" ".join(tokens) for tokens in made.column("tokens")] == list(found)
