"""Constrained decoding: its distribution against enumeration, its bias, its limits and faults."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from grammar.errors import OptionError
from grammar.pcfg.grammar import Grammar
from sampling.neural.causal.model import CausalModel
from sampling.neural.decoding import constrained
from sampling.neural.decoding.constrained import generate_constrained
from sampling.stream import ShortfallWarning, shortfalls_heard
from tests.sampling.neural.decoding.conftest import (
    LETTERS,
    bigrams,
    log_sum,
    opened,
    random_bigrams,
    sentences,
)

FINITE = Grammar.parse(
    """
    S -> A B [0.6] | A [0.3] | 'ab' 'a' [0.1]
    A -> 'a' [0.5] | 'ab' [0.2] | 'aba' [0.3]
    B -> 'b' [0.9] | 'at' [0.1]
    """
)
RECURSIVE = Grammar.parse("S -> 'ab' S [0.3] | 'b' [0.4] | 'ts' S 'a' [0.3]")


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Callable[[CausalModel], str]:
    """Let a model be the one that is opened."""

    def give(causal: CausalModel) -> str:
        monkeypatch.setattr(constrained, "_opened", lambda model, device: causal)
        return "given"

    return give


def exact(
    causal: CausalModel, lead: str, prompt: str = "", *, weighted: bool = True, grammar=FINITE
) -> tuple[dict[str, float], float]:
    """Return model times grammar, normalised, and the logarithm of the normaliser."""
    before = causal.pieces([prompt])[0] if prompt else []
    logs = {
        text: log_sum(causal, lead + text, before) + (math.log(p) if weighted else 0.0)
        for text, p in sentences(grammar, 2).items()
    }
    log_total = float(np.logaddexp.reduce(list(logs.values())))
    return {text: math.exp(log - log_total) for text, log in logs.items()}, log_total


def p_value(counts: Counter[str], expected: dict[str, float]) -> float:
    """Return the p-value of counts; texts that are expected fewer than five times are one cell."""
    many = counts.total()
    cells = sorted(expected, key=expected.__getitem__)
    small = [text for text in cells if expected[text] * many < 5]
    rows = [(counts[text], expected[text] * many) for text in cells if text not in small]
    if small:
        rows.append((sum(counts[t] for t in small), sum(expected[t] for t in small) * many))
    seen, wanted = np.array(rows).T
    return float(chisquare(seen, wanted).pvalue)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("prompt", ["", "st:"])
def test_texts_are_distributed_as_model_times_grammar(
    prompt: str, weighted: bool, given: Callable[[CausalModel], str]
) -> None:
    causal = random_bigrams(3)
    expected, log_total = exact(causal, " " if prompt else "", prompt, weighted=weighted)
    how: dict[str, Any] = {"weighted": weighted, "max_tokens": 12}
    made = generate_constrained(given(causal), FINITE, prompt, 300, particles=64, **how)
    counts = Counter(one.text for one in made)
    assert counts.keys() <= expected.keys()
    assert p_value(counts, expected) > 1e-3
    assert made.log_normaliser == pytest.approx(log_total, abs=0.05)
    # masks alone draw others, and their weights tell how much so
    masked = generate_constrained(given(causal), FINITE, prompt, 300, particles=1, **how)
    assert p_value(Counter(one.text for one in masked), expected) < 1e-6
    assert masked.log_normaliser == pytest.approx(log_total, abs=0.3)


def test_words_of_treebanks_are_written_as_texts_have_them(
    given: Callable[[CausalModel], str],
) -> None:
    causal = random_bigrams(3, LETTERS + "()/-LRB")
    grammar = Grammar.parse("S -> '-LRB-' 'a\\\\/b' '-RRB-' [1]")
    assert generate_constrained(given(causal), grammar, n=1, max_tokens=16)[0].text == "( a/b )"
    # where two words would be one text each stays, so that a text has one meaning
    both = Grammar.parse("S -> '-LRB-' '(' '-RRB-' [1]")
    assert generate_constrained(given(causal), both, n=1, max_tokens=16)[0].text == "-LRB- ( )"


@pytest.mark.parametrize("prompt", ["", "st:"])
@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_what_is_told_of_a_text_is_what_model_and_grammar_say(
    kind: str, prompt: str, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(f"{kind}_folder")
    causal = opened(folder)
    made = generate_constrained(
        str(folder), FINITE, prompt, 12, particles=32, max_tokens=12, device="cpu"
    )
    expected, log_total = exact(causal, " " if prompt or kind == "llama" else "", prompt)
    assert made.log_normaliser == pytest.approx(log_total, abs=1.0)
    before = causal.pieces([prompt])[0] if prompt else []
    for one in made:
        assert one.text in expected
        ids = [causal.first, *before, *one.tokens]
        with torch.no_grad():
            logs = causal.model(torch.tensor([ids])).logits[0].log_softmax(-1)
        each = [logs[len(before) + k, token] for k, token in enumerate(one.tokens)]
        ends = logs[-1, list(causal.ends)].max()
        assert one.model_log_probability == pytest.approx(float(sum(each) + ends), abs=1e-3)
        prefix = FINITE.prefix(one.text)
        assert one.grammar_log_probability == pytest.approx(
            prefix.log_mass + math.log(prefix.end), abs=1e-9
        )
        assert causal.tokenizer.decode(one.tokens).strip() == one.text


def test_masks_alone_are_biased_and_particles_are_not(
    given: Callable[[CausalModel], str],
) -> None:
    """Both first words are as likely; the model dislikes what must follow one of them."""
    causal = bigrams(
        {
            ("<|endoftext|>", "a"): 0.5, ("<|endoftext|>", "c"): 0.5,
            ("a", "Ġb"): 0.02, ("a", "d"): 0.98, ("c", "Ġ"): 0.5, ("Ġ", "d"): 1.0,
            ("c", "s"): 0.5, ("Ġb", "<|endoftext|>"): 1.0, ("d", "<|endoftext|>"): 1.0,
        }
    )  # fmt: skip
    grammar = Grammar.parse("S -> 'a' 'b' [0.5] | 'c' 'd' [0.5]")
    how: dict[str, Any] = {"max_tokens": 5}
    masked = generate_constrained(given(causal), grammar, n=400, particles=1, **how)
    assert sum(one.text == "a b" for one in masked) == pytest.approx(200, abs=60)
    weighted = sum(math.exp(one.log_weight) for one in masked if one.text == "a b")
    assert weighted / sum(math.exp(one.log_weight) for one in masked) == pytest.approx(
        0.02 / 0.52, abs=0.01
    )
    made = generate_constrained(given(causal), grammar, n=200, particles=64, **how)
    assert sum(one.text == "a b" for one in made) == pytest.approx(200 * 0.02 / 0.52, abs=8)
    assert made.log_normaliser == pytest.approx(math.log(0.5 * 0.5 * 0.52), abs=0.02)


def test_a_text_is_a_function_of_seed_and_number(gpt2_folder: Path) -> None:
    how: dict[str, Any] = {"particles": 8, "max_tokens": 20, "device": "cpu"}
    made = generate_constrained(str(gpt2_folder), RECURSIVE, "st", 6, seed=5, **how)
    again = generate_constrained(str(gpt2_folder), RECURSIVE, "st", 2, seed=5, **how)
    assert again.results == made.results[:2]
    assert [one.index for one in made] == list(range(6))
    other = generate_constrained(str(gpt2_folder), RECURSIVE, "st", 6, seed=6, **how)
    assert [one.log_weight for one in other] != [one.log_weight for one in made]
    table = made.corpus().table
    assert table.column("id").to_pylist()[3] == "constrained-5-3"
    assert table.column("text").to_pylist() == [one.text for one in made]
    assert table.column("log_weight").to_pylist() == [one.log_weight for one in made]


@pytest.mark.parametrize("weighted", [True, False])
def test_all_texts_of_a_recursive_grammar_are_its_sentences(
    weighted: bool, given: Callable[[CausalModel], str]
) -> None:
    made = generate_constrained(
        given(random_bigrams(1)), RECURSIVE, n=60, particles=4, weighted=weighted, max_tokens=60
    )
    assert len(made) == 60
    assert len({len(one.text.split()) for one in made}) > 3
    for one in made:
        assert RECURSIVE.prefix(one.text).end > 0


def test_texts_that_do_not_end_are_told(given: Callable[[CausalModel], str]) -> None:
    heard: list[ShortfallWarning] = []
    causal = random_bigrams(1)
    with shortfalls_heard(heard.append):
        made = generate_constrained(given(causal), RECURSIVE, n=40, particles=1, max_tokens=2)
    assert 0 < len(made) < 40
    assert f"{40 - len(made)} did not end within 2 subword tokens" in str(heard[0])
    # what did not end has the weight zero, so the normaliser is that of the short texts
    short = [("b",), ("ab", "b")]
    total = sum(
        math.exp(log_sum(causal, " ".join(words), [], limit=2)) * p
        for words, p in zip(short, (0.4, 0.12), strict=True)
    )
    assert made.log_normaliser == pytest.approx(math.log(total), abs=0.8)
    long = Grammar.parse("S -> 'ts' 'ts' 'ts' [1]")
    with pytest.raises(OptionError, match="no text ended within 1 subword tokens"):
        generate_constrained(given(causal), long, n=3, max_tokens=1)


def test_the_empty_sentence_and_a_stop(given: Callable[[CausalModel], str]) -> None:
    causal = bigrams({
        ("<|endoftext|>", "a"): 0.5, ("<|endoftext|>", "Ċ"): 0.25,
        ("<|endoftext|>", "b"): 0.25, ("a", "Ċ"): 0.5, ("a", "a"): 0.5,
    })  # fmt: skip
    grammar = Grammar.parse("S -> 'a' [0.5] | '' [0.5]")
    made = generate_constrained(given(causal), grammar, n=300, stop="\n", max_tokens=3)
    assert {one.text for one in made} == {"a", ""}
    assert sum(one.text == "" for one in made) == pytest.approx(150, abs=50)
    assert made.log_normaliser == pytest.approx(math.log(0.25), abs=0.02)


def test_words_of_several_bytes(given: Callable[[CausalModel], str]) -> None:
    grammar = Grammar.parse("S -> 'é' [0.5] | 'éé' [0.5]")
    causal = bigrams({
        ("<|endoftext|>", "Ã"): 1.0, ("Ã", "©"): 1.0, ("©", "Ã"): 0.5, ("©", "<|endoftext|>"): 0.5,
    })  # fmt: skip
    made = generate_constrained(given(causal), grammar, n=20, max_tokens=8)
    assert {one.text for one in made} == {"é", "éé"}
    assert all(len(one.tokens) == 2 * len(one.text) for one in made)


def test_particles_that_are_equal_are_read_once(given: Callable[[CausalModel], str]) -> None:
    """A grammar of one sentence in one way: the model reads each of its tokens once a run."""
    causal = random_bigrams(2)
    grammar = Grammar.parse("S -> 's' [1]")
    made = generate_constrained(given(causal), grammar, n=5, particles=100, max_tokens=3)
    assert causal.model.read == 1 + 5
    assert len({one.log_weight for one in made}) == 1


@pytest.mark.parametrize(
    ("grammar", "how", "message"),
    [
        ("S -> 'a' [0.5] | 'quay' [0.5]", {}, "cannot spell the word 'quay'"),
        ("S -> 'a b' [1]", {}, "'a b' of the grammar has white space"),
        ("S -> 'a' [1]", {"stop": "a"}, "begins with a character of texts"),
        ("S -> 'a' [1]", {"particles": 0}, "particles=0 is not a whole number"),
        ("S -> 'a' [1]", {"max_tokens": 70}, "the model reads 63 together"),
        ("S -> 'a' [1]", {"seed": -1}, "seed -1"),
    ],
)
def test_faults(
    grammar: str, how: dict[str, Any], message: str, given: Callable[[CausalModel], str]
) -> None:
    model = given(random_bigrams(0))
    with pytest.raises(OptionError, match=message):
        generate_constrained(model, Grammar.parse(grammar), **{"max_tokens": 4, **how})


def test_what_is_no_grammar_is_refused() -> None:
    with pytest.raises(OptionError, match="there is no grammar, but a str"):
        generate_constrained("model", "S -> 'a'")  # type: ignore[arg-type]


def test_nothing_is_asked_for(given: Callable[[CausalModel], str]) -> None:
    made = generate_constrained(given(random_bigrams(0)), FINITE, n=0, max_tokens=4)
    assert len(made) == 0
    assert len(made.corpus()) == 0
