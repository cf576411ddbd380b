"""Token masks against a twin that looks through all texts, and tokenizers as bytes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import OptionError
from grammar.pcfg.grammar import Grammar
from sampling.neural.decoding.language import END, TextLanguage
from sampling.neural.decoding.vocabulary import Vocabulary, begins_with_space, token_bytes
from sampling.neural.decoding.words import TokenTrie, WordTrie
from tests.sampling.neural.decoding.conftest import byte_tokenizer, opened, segmentations, sentences

WORDS = ("a", "ab", "aba", "b", "ba")
STOP = b"."
EOS = 99


@st.composite
def grammars(draw: Any) -> Grammar:
    """Sentences of up to three words, some of them more than once, and perhaps the empty one."""
    rows = draw(
        st.lists(st.lists(st.sampled_from(WORDS), max_size=3).map(tuple), min_size=1, max_size=7)
    )
    rules = " | ".join(
        " ".join(f"'{word}'" for word in row) + f" [{1 / len(rows)!r}]" if row
        else f"'' [{1 / len(rows)!r}]"
        for row in rows
    )  # fmt: skip
    return Grammar.parse(f"S -> {rules}", normalise=True)


tokens = st.sets(st.text("ab .", min_size=1, max_size=4).map(str.encode), max_size=14)


def brute_force(
    texts: dict[bytes, float], read: bytes, strings: dict[int, bytes], *, weighted: bool
) -> dict[int, float]:
    """Return the tokens that some text goes on with, and the share of the mass that each leaves."""

    def mass(begun: bytes) -> float:
        return sum(p for text, p in texts.items() if (text + STOP).startswith(begun))

    found = {}
    for k, string in strings.items():
        before, dot, _ = string.partition(STOP)
        left = mass(read + before + dot)
        if left > 0:
            found[k] = left / mass(read)
    if read in texts:
        found[EOS] = texts[read] / mass(read)
    return found if weighted else dict.fromkeys(found, 1.0)


@given(grammars(), tokens, st.sampled_from([b"", b" "]), st.booleans(), st.data())
def test_allowed_tokens_are_those_that_some_text_goes_on_with(
    grammar: Grammar, given_tokens: set[bytes], lead: bytes, weighted: bool, data: Any
) -> None:
    strings = dict(enumerate(sorted(given_tokens | {b"a", b"b", b" ", b"."})))
    prefix = grammar.prefix()
    trie = TokenTrie(WordTrie(prefix.next_words().words), Vocabulary.of(strings, {EOS}), lead, STOP)
    language = TextLanguage(prefix, trie, prefix.next_words().words, weighted=weighted)
    texts = {lead + text.encode() if text else b"": p for text, p in sentences(grammar, 3).items()}
    state, read, log_mass = language.start(), b"", language.log_total
    while state.node != END:
        choices = language.choices(state)
        expected = brute_force(texts, read, strings, weighted=weighted)
        assert choices.tokens.tolist() == sorted(expected)
        assert choices.log_ratio.tolist() == pytest.approx(
            [math.log(expected[k]) for k in sorted(expected)], abs=1e-9
        )
        choice = data.draw(st.integers(0, len(choices.tokens) - 1))
        log_mass += choices.log_ratio[choice]
        state = choices.state(choice)
        read += strings.get(int(choices.tokens[choice]), b"")
    text = read.partition(STOP)[0]
    assert language.text(state).encode() == text.removeprefix(lead)
    assert language.log_probability(state) == pytest.approx(math.log(texts[text]), abs=1e-9)
    if weighted:
        assert log_mass == pytest.approx(math.log(texts[text]), abs=1e-9)


def test_every_tokenisation_can_be_drawn() -> None:
    strings = dict(enumerate([b"a", b"b", b" ", b"ab", b" a", b"b a", b"ab "]))
    grammar = Grammar.parse("S -> 'ab' 'a' [1]")
    prefix = grammar.prefix()
    trie = TokenTrie(WordTrie(prefix.next_words().words), Vocabulary.of(strings, {EOS}))
    language = TextLanguage(prefix, trie, prefix.next_words().words, weighted=True)
    found = []
    unread: list[Any] = [((), language.start())]
    while unread:
        read, state = unread.pop()
        if state.node == END:
            found.append(list(read[:-1]))
            continue
        choices = language.choices(state)
        for k, token in enumerate(choices.tokens.tolist()):
            unread.append(((*read, token), choices.state(k)))
    assert sorted(found) == sorted(segmentations(b"ab a", strings))
    assert len(found) == 6


def test_tokens_are_the_bytes_that_they_stand_for(gpt2_folder: Path, llama_folder: Path) -> None:
    for folder, spaced in ((gpt2_folder, False), (llama_folder, True)):
        causal = opened(folder)
        strings = token_bytes(causal.tokenizer, causal.model.config.vocab_size)
        assert not causal.ends & strings.keys()
        for text in ("ab a at", "st:" if not spaced else "st: é", "é"):
            pieces = causal.pieces([text])[0]
            made = b"".join(strings[piece] for piece in pieces).decode()
            assert made == (" " + text if spaced else text)
        assert begins_with_space(causal.tokenizer, strings) == spaced
        # places that the model has no number for are left out
        assert max(token_bytes(causal.tokenizer, 9)) < 9


def test_added_tokens_are_literal_and_special_ones_are_none() -> None:
    from tokenizers import AddedToken

    tokenizer = byte_tokenizer()
    tokenizer.add_tokens([AddedToken("<é>", special=False)])
    tokenizer.add_tokens([AddedToken("<mark>", special=True)], special_tokens=True)
    strings = token_bytes(tokenizer, 99)
    assert strings[tokenizer.convert_tokens_to_ids("<é>")] == "<é>".encode()
    assert tokenizer.convert_tokens_to_ids("<mark>") not in strings


def test_a_tokenizer_of_words_is_refused(masked_folder: Path) -> None:
    from transformers import AutoTokenizer

    with pytest.raises(OptionError, match="does not put texts together from its tokens"):
        token_bytes(AutoTokenizer.from_pretrained(masked_folder), 99)
