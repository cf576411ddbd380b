"""Text of tokens: the round trip of every corpus, and how new sentences are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.round_trip import CORPORA, shares, texts_of
from induction.corpus.corpus import Corpus
from induction.corpus.text.tokens import detokenise, tokenise
from sampling.examples.spacing import Spacing, learn_spacing
from sampling.examples.text_columns import read_side
from sampling.examples.word_places import place_words
from sampling.sentences.method import GrammarSampler

# of the first 300 texts; docs/how-to/raw-text.md has the shares of all
LEAST = {
    "Tatoeba": 0.99, "CoLA": 0.98, "RTE": 0.9, "IMDB (reviews)": 0.2, "AG News": 0.5, "COGS": 1.0,
    "English Web Treebank": 0.85, "UD Lithuanian": 0.8, "UD Belarusian": 0.8, "SST-2": 0.9,
    "MRPC": 1.0,
}  # fmt: skip


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("name", CORPORA)
def test_texts_come_back_from_their_tokens(name: str) -> None:
    tokenised, _, learnt, places = shares(texts_of(name)[:300])
    assert places == 1.0  # what is not exchanged stays as it was, byte by byte
    assert learnt >= LEAST[name]
    assert tokenised == (name in ("COGS", "SST-2", "MRPC"))


def test_curly_quotes_and_apostrophes_are_found_in_raw_text() -> None:
    for text in ("I’m sure it’s “good”.", "‚Ja‘, „so“ – don’t.", "It`s 'so' (good)…"):
        tokens = tokenise(text)
        assert [text[a:b] for a, b in place_words(text, tokens.words)] == list(
            tokens.surfaces(text)
        )


SENTENCES = ["“So”, they said - now (or never).", "It's good, isn't it?", "I paid $5 for it…"]


def test_the_source_tells_how_its_sentences_are_written() -> None:
    words = [list(tokenise(text).words) for text in SENTENCES for _ in range(3)]
    texts = [text for text in SENTENCES for _ in range(3)]
    spacing = learn_spacing(read_side(Corpus.from_columns(text=texts, tokens=words)))
    assert [spacing.write(row) for row in words] == texts
    assert spacing.write(["They", "paid", "-LRB-", "$", "7", "-RRB-", "."]) == "They paid ($7)."
    assert Spacing.from_notes(spacing.to_notes()) == spacing


@given(st.lists(st.sampled_from(["a", "-LRB-", "-RRB-", ",", ".", "``", "''", "n't", "'s", "$"])))
def test_what_is_written_holds_the_words_in_order(words: list[str]) -> None:
    for spacing in (Spacing(), Spacing(tokenised=False, quotes={"``": "“", "''": "”"})):
        text = spacing.write(words)
        assert "B-" not in text
        assert [text[a:b] for a, b in place_words(text, words)] or not words
    assert "LRB" not in detokenise(words)


def test_sampled_sentences_of_raw_texts_are_raw() -> None:
    texts = ["They didn't go (today), but we did.", "We didn't stay (now), but they did."]
    trees = [
        "(S (NP (X They)) (VP (V did) (N n't) (V go) (P (X -LRB-) (T today) (X -RRB-))) (X ,) "
        "(C but) (NP (X we)) (V did) (X .))",
        "(S (NP (X We)) (VP (V did) (N n't) (V stay) (P (X -LRB-) (T now) (X -RRB-))) (X ,) "
        "(C but) (NP (X they)) (V did) (X .))",
    ]
    corpus = Corpus.from_columns(text=texts, tree=trees)
    sampler = GrammarSampler.induce(corpus, model="pcfg", length="any", vertical_markov=1)
    made = sampler.sample(20)
    assert len(set(made.column("text"))) == 20
    for row in made:
        assert "did" in row["text"].lower()
        assert "LRB" not in row["text"]
        assert " ," not in row["text"]
        read_side(Corpus.from_columns(text=[row["text"]], tree=[row["tree"]]))
    tokenised = Corpus.from_columns(text=["They did n't go .", "We did n't stay ."], tree=[
        "(S (NP They) (VP did n't go) .)", "(S (NP We) (VP did n't stay) .)"])  # fmt: skip
    assert GrammarSampler.induce(tokenised).sample(1).column("text")[0].endswith(" .")


def test_control_characters_stay_where_they_stood():
    text = "This is \x96 I\x07 guess \x96 fine.\x1a"
    words = tokenise(text).words
    assert words == ("This", "is", "I", "guess", "fine", ".")
    assert [text[a:b] for a, b in place_words(text, words)] == list(words)
    with pytest.raises(LookupError):
        place_words("a \x96 b", ["a"])
