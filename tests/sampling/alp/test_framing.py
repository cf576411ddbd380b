"""Derivations of ALP are chosen by how their frames cohere: a plain twin, and the distribution."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from grammar.rng import stream_key
from induction.corpus.corpus import Corpus
from induction.corpus.readers import read_reviews
from induction.language.ngram_counts import END
from sampling.alp import framing
from sampling.alp.framing import FrameFit, chosen_streams, frame_fit_of, frame_scores
from sampling.alp.kernels import derive
from sampling.alp.method import ALP
from sampling.alp.slots import Slots, room
from sampling.joins.kernels import step
from sampling.joins.score import Tilt
from sampling.method import induce

TREES = (
    "(S (NP (DT The) (JJ old) (NN dog)) (VP (VBD saw) (NP (DT a) (JJ tall) (NN cat))) (. .))",
    "(S (NP (NN dog)) (VP (VBD slept) (PP (IN in) (NP (DT the) (NN barn)))) (. .))",
    "(S (NP (DT a) (NN cat)) (VP (VBD saw) (NP (NP (DT the) (NN man)) (PP (IN in) "
    "(NP (DT the) (NN barn))))) (. .))",
    "(S (VP (VB see) (NP (DT the) (NN barn))) (. !))",
)


def few() -> Corpus:
    texts = ["The old dog saw a tall cat .", "dog slept in the barn .",
             "a cat saw the man in the barn .", "see the barn !"]  # fmt: skip
    return Corpus.from_columns(text=texts, label=[1] * 4, tree=list(TREES))


def tilted_of(sampler: ALP, power: float, draws: int) -> FrameFit:
    score: Any = sampler.own_score("joins")
    return frame_fit_of(sampler.grammar, Tilt(score, power, draws))


def derived(sampler: ALP, seed: int, streams: Any, hosts: Any) -> Slots:
    g = sampler.grammar
    slots = room(g.texts, hosts, sampler._settings.max_length)
    fixed = (g.texts, g.frames, g.choices, sampler._settings)
    derive(stream_key(seed, "x"), streams, hosts, *fixed, slots, governed=False)
    return slots


# --- the plain twin ------------------------------------------------------------------------------


def frame(sampler: ALP, leaves: list[int]) -> list[str]:
    """What a text is but for its open words."""
    g, forms = sampler.grammar, sampler.grammar.forms
    return [
        f"tag {g.frames.tag[leaf]}" if g.frames.open[leaf]
        else forms[g.texts.form[g.frames.word[leaf]]].lower()
        for leaf in leaves
    ]  # fmt: skip


def twin_of_codes(sampler: ALP, fit: FrameFit) -> dict[str, int]:
    """One number for each word of a frame, and another one for each other."""
    codes: dict[str, set[int]] = {}
    for leaf in np.flatnonzero(sampler.grammar.frames.size == 1).tolist():
        codes.setdefault(frame(sampler, [leaf])[0], set()).add(int(fit.code[leaf]))
    assert all(len(numbers) == 1 for numbers in codes.values())
    found = {name: number for name, (number,) in codes.items()}
    assert len(set(found.values())) == len(found)
    return found


def log_probability(fit: FrameFit, state: int, codes: list[int]) -> float:
    total = 0.0
    for code in codes:
        state, likely = step(fit.model, state, code)
        total += likely
    return total


def twin_score(sampler: ALP, fit: FrameFit, slots: Slots, r: int) -> float:
    """The log-probability of a whole text, sentence by sentence, less those of its pieces."""
    codes = twin_of_codes(sampler, fit)
    at, size = int(slots.at[r]), int(slots.size[r])
    words = frame(sampler, slots.leaf[at : at + size].tolist())
    sentence = slots.sentence[at : at + size].tolist()
    here = slice(at, at + int(slots.exchanges[r]))
    begins, ends = slots.begin[here].tolist(), slots.end[here].tolist()
    total = -fit.usual * len(begins)
    for s in dict.fromkeys(sentence):
        places = [k for k in range(size) if sentence[k] == s]
        first, stop = places[0], places[-1] + 1
        own = [*(codes[words[k]] for k in places), END]
        cuts = {b - first for b in begins if first <= b < stop}
        cuts |= {e - first for e in ends if first < e <= stop}
        total += log_probability(fit, fit.model.start, own)
        for a, b in itertools.pairwise([0, *sorted(cuts - {0}), len(own)]):
            state = fit.model.start if a == 0 and 0 not in cuts else 0
            total -= log_probability(fit, state, own[a:b])
    return total


@pytest.mark.parametrize("seed", range(3))
def test_a_score_is_what_the_twin_says(seed: int) -> None:
    corpus = Corpus(read_reviews().table.slice(0, 60))
    sampler: ALP = induce("alp", corpus, synonym=0, exchange=0.4, depth=3)
    fit = tilted_of(sampler, 2.5, 4)
    hosts = np.arange(240) % len(sampler.grammar.ids)
    slots = derived(sampler, seed, np.arange(240), hosts)
    for r in range(0, 240, 3):  # as if their texts were of two sentences
        half = slice(int(slots.at[r] + slots.size[r] // 2), int(slots.at[r + 1]))
        slots.sentence[half] += 1
    scores = frame_scores(fit, slots)
    assert (np.isneginf(scores) == (slots.size <= 0)).all()
    exchanges = 0
    for r in np.flatnonzero(slots.size > 0).tolist():
        assert scores[r] == pytest.approx(twin_score(sampler, fit, slots, r))
        exchanges += int(slots.exchanges[r])
        if not slots.exchanges[r]:
            assert scores[r] == pytest.approx(0)
    assert exchanges > 200


def test_what_is_usual_is_what_constituents_have_in_their_own_places() -> None:
    sampler: ALP = induce("alp", few(), synonym=0)
    fit, g = tilted_of(sampler, 2.5, 4), sampler.grammar
    codes, found = twin_of_codes(sampler, fit), []
    for root in g.texts.root[g.texts.trees[:-1]].tolist():
        nodes = range(root, root + int(g.frames.size[root]))
        leaves = [i for i in nodes if g.frames.size[i] == 1]
        own = [codes[name] for name in frame(sampler, leaves)] + [END]
        for i in nodes[1:]:
            if g.frames.size[i] == 1 or g.frames.pool[i] < 0:
                continue
            a = sum(leaf < i for leaf in leaves)
            b = sum(leaf < i + g.frames.size[i] for leaf in leaves)
            whole = log_probability(fit, fit.model.start, own)
            left = log_probability(fit, fit.model.start, own[:a])
            found.append(
                whole - left - log_probability(fit, 0, own[a:b]) - log_probability(fit, 0, own[b:])
            )
    assert len(found) > 8
    assert fit.usual == pytest.approx(np.mean(found))


# --- what is chosen ------------------------------------------------------------------------------


def shape(slots: Slots, r: int) -> tuple[int, ...]:
    at = int(slots.at[r])
    return tuple(slots.leaf[at : at + max(0, int(slots.size[r]))].tolist())


def test_a_derivation_weighs_the_exponential_of_its_score() -> None:
    sampler: ALP = induce("alp", few(), synonym=0, exchange=0.4, min_length=0.5, max_length=1.5)
    fit = tilted_of(sampler, 1.5, 128)
    keys = stream_key(1, "frames"), stream_key(1, "choice")
    count = 6000
    hosts = np.full(count, 2)
    plain = derived(sampler, 0, np.arange(40_000), np.full(40_000, 2))
    scores = frame_scores(fit, plain)
    expected: Counter[tuple[int, ...]] = Counter()
    for r in np.flatnonzero(plain.size > 0).tolist():
        expected[shape(plain, r)] += math.exp(fit.power * scores[r])  # type: ignore[assignment]
    streams, added = chosen_streams(
        sampler.grammar, sampler._settings, fit, keys, np.arange(count), hosts
    )
    g = sampler.grammar
    slots = room(g.texts, hosts, sampler._settings.max_length)
    fixed = (g.texts, g.frames, g.choices, sampler._settings)
    derive(keys[0], streams, hosts, *fixed, slots, governed=False)
    made = Counter(shape(slots, r) for r in range(count))
    assert () not in made  # none that failed is chosen
    unlike = [abs(made[s] / count - e / expected.total()) for s, e in expected.items()]
    assert max(unlike) < 0.03
    chosen = frame_scores(fit, slots)
    assert chosen.mean() > scores[np.isfinite(scores)].mean() + 1
    # added is the weight over the mean of all that may be drawn, those that fail among them
    mean = np.where(np.isfinite(scores), np.exp(fit.power * scores), 0).mean()
    assert np.median(added - (fit.power * chosen - math.log(mean))) == pytest.approx(0, abs=0.1)


def test_what_failed_is_not_chosen_whatever_the_power() -> None:
    sampler: ALP = induce("alp", few(), synonym=0, exchange=0.5, min_length=1.0, max_length=1.0)
    fit = tilted_of(sampler, 0.0, 128)
    keys = stream_key(1, "frames"), stream_key(1, "choice")
    numbers = np.arange(300)
    streams, added = chosen_streams(
        sampler.grammar, sampler._settings, fit, keys, numbers, numbers % 4
    )
    g = sampler.grammar
    slots = room(g.texts, numbers % 4, sampler._settings.max_length)
    fixed = (g.texts, g.frames, g.choices, sampler._settings)
    derive(keys[0], streams, numbers % 4, *fixed, slots, governed=False)
    assert (slots.size > 0).all()
    assert (added >= 0).all()
    assert (added > 0.1).any()  # some of the draws were too long or short


def test_without_strength_nothing_is_added() -> None:
    sampler: ALP = induce("alp", few(), synonym=0, min_length=0, max_length=3)
    fit = tilted_of(sampler, 0.0, 8)
    keys = stream_key(1, "frames"), stream_key(1, "choice")
    numbers = np.arange(500)
    _, added = chosen_streams(sampler.grammar, sampler._settings, fit, keys, numbers, numbers % 4)
    assert added == pytest.approx(np.zeros(500))


def test_where_nothing_has_a_length_that_is_allowed_nothing_is_made() -> None:
    sampler: ALP = induce("alp", few(), synonym=0)
    fit = tilted_of(sampler, 2.5, 4)
    settings = sampler._settings._replace(min_length=9.0)
    keys = stream_key(1, "frames"), stream_key(1, "choice")
    numbers = np.arange(10)
    _, added = chosen_streams(sampler.grammar, settings, fit, keys, numbers, numbers % 4)
    assert added == pytest.approx(np.zeros(10))


def test_what_is_chosen_depends_on_the_attempt_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    sampler: ALP = induce("alp", few(), synonym=0)
    score: Any = sampler.own_score("joins")
    tilted = sampler.under(Tilt(score, 2.5, 16))
    slots, hosts, _ = tilted._derived(5, np.arange(700))
    for number in (699, 0, 311):
        one, host, _ = tilted._derived(5, np.array([number]))
        assert host[0] == hosts[number]
        assert shape(one, 0) == shape(slots, number)
        assert one.log_probability[0] == slots.log_probability[number]
    monkeypatch.setattr(framing, "_SLOTS", 1)  # one by one
    again, _, _ = tilted._derived(5, np.arange(700))
    assert all((one == other).all() for one, other in zip(again, slots, strict=True))
    # its log-probability is that of the derivation and of the choice
    plain = replace_frames(tilted, None)
    assert not np.allclose(
        slots.log_probability, plain._derived(5, np.arange(700))[0].log_probability
    )


def test_what_was_chosen_is_kept_beside_the_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    sampler: ALP = induce("alp", few(), synonym=0)
    score: Any = sampler.own_score("joins")
    tilted = sampler.under(Tilt(score, 2.5, 16))
    columns = tilted.stream(5).take(8)
    index = np.arange(len(columns[0]))
    assert len(index) == 8
    again = tilted.table(columns[:1], 5, index)
    monkeypatch.setattr(ALP, "chosen", None)  # nothing is chosen once more
    assert tilted.table(columns, 5, index).equals(again)


def replace_frames(sampler: ALP, frames: FrameFit | None) -> ALP:
    made = sampler.under(Tilt(sampler.own_score("joins"), 2.5, 16))
    made._frames = frames
    return made
