"""Open words of ALP written as a model reads: a slow plain twin, and a model that is a table."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grammar.rng import stream_key, uniforms_of
from induction.corpus.corpus import Corpus
from induction.corpus.text.tokens import detokenise
from induction.language.ngram_counts import END, UNKNOWN
from sampling.alp.grammar import ALPGrammar
from sampling.alp.kernels import gains_behind
from sampling.alp.method import ALP
from sampling.alp.slots import Slots
from sampling.alp.writing import POWER, WEAR, candidates
from sampling.joins.kernels import step
from sampling.method import induce
from sampling.operators.method import Fluent

TREES = (
    "(S (NP (DT The) (JJ old) (NN dog)) (VP (VBD saw) (NP (DT a) (JJ tall) (NN cat))) (. .))",
    "(S (NP (DT An) (NN owl)) (VP (VBD heard) (NP (DT the) (JJ young) (NN fox))) (. .))",
    "(S (NP (DT The) (NN hen)) (VP (VBD chased) (NP (DT a) (NN bee)) (PP (IN in) (NP (DT a) "
    "(JJ red) (NN barn)))) (. .))",
    "(S (NP (JJ Young) (NNS dogs)) (VP (VBP bark)) (. !))",
)
OPEN = ("NN", "NNS", "JJ", "VBD", "VBP")
PIECES = 151


class Table:
    """A language model that is a table: how probable each piece is behind the last one."""

    def __init__(self, seed: int = 0) -> None:
        self.log = np.random.default_rng(seed).normal(0, 2, (PIECES, PIECES))
        self.log -= np.log(np.exp(self.log).sum(1, keepdims=True))
        self.usual = np.log(np.exp(self.log).mean(0))
        self._known: dict[str, int] = {}

    def pieces(self, texts: Any) -> list[list[int]]:
        """Long words are two pieces."""
        parts = [[text[:4], text[4:]] if len(text) > 4 else [text] for text in texts]
        return [[self._known.setdefault(p, 1 + len(self._known)) for p in row] for row in parts]

    def begin(self, rows: int) -> TablePrefixes:
        return TablePrefixes(self, [[0] for _ in range(rows)])


class TablePrefixes:
    def __init__(self, table: Table, read: list[list[int]]) -> None:
        self.table, self.read = table, read

    @property
    def following(self) -> Any:
        return self.table.log[[row[-1] for row in self.read]]

    def extend(self, piece: Any) -> Any:
        gained = np.zeros(len(piece))
        for k, p in enumerate(piece.tolist()):
            if p >= 0:
                gained[k] = self.table.log[self.read[k][-1], p]
                self.read[k] = [*self.read[k], p]
        return gained

    def keep(self, rows: Any) -> None:
        self.read = [self.read[k] for k in rows.tolist()]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    texts = [
        "The old dog saw a tall cat.", "An owl heard the young fox.",
        "The hen chased a bee in a red barn.", "Young dogs bark!",
    ]  # fmt: skip
    return Corpus.from_columns(text=texts, label=[1] * 4, tree=list(TREES))


@pytest.fixture(scope="module")
def tilted(corpus: Corpus) -> Fluent:
    options = "pool=0.6, synonym=0.3, quantile=0, min_length=0, max_length=3, exchange=0.4"
    made: Fluent = induce("fluent", corpus, of=f"alp({options})", candidates=2)
    # synonyms without WordNet: of young dogs, and of what is old
    grammar: ALPGrammar = made.inner.grammar
    forms = {form: k for k, form in enumerate(grammar.forms)}
    synonym = np.array([forms[w] for w in ("tall", "red", "fox")], np.int32)
    row = np.full(len(grammar.frames.size), -1, np.int32)
    leaves = np.flatnonzero(grammar.frames.open)
    row[leaves[::2]] = np.arange(len(leaves[::2])) % 2
    grammar = replace(
        grammar, frames=grammar.frames._replace(synonyms=row), synonym=synonym,
        synonym_offsets=np.array([0, 2, 3]),
    )  # fmt: skip
    return Fluent(replace(made.grammar, base=grammar))


def written(tilted: Fluent, table: Table, of_host: int, at_once: int = 32) -> ALP:
    sampler = tilted.inner.written_by(table).repeating(at_once)
    made: ALP = sampler.under(replace(tilted.tilt, of_host=of_host))
    return made


def seen(grammar: ALPGrammar, context: tuple[int, ...]) -> Counter[int]:
    found: Counter[int] = Counter()
    for row, count in zip(grammar.events.tolist(), grammar.counts.tolist(), strict=True):
        if tuple(row[: len(context)]) == context:
            found[row[4]] += count
    return found


def by_hand(sampler: ALP, leaf: int, context: tuple[int, ...], own: int) -> dict[int, float]:
    """What may stand for a leaf, form by form, with all rules of a form together."""
    g, o = sampler.grammar, sampler.options
    words: dict[int, float] = {}
    for width in range(2, len(context) + 1):
        counts = seen(g, context[:width])
        total = sum(counts.values())
        if not total:
            break
        share = 1.0 if width == 2 else total / (total + 1000 * o.back_off * len(counts))
        kept = {form: (1 - share) * p for form, p in words.items()}
        words = {
            form: kept.get(form, 0) + share * counts[form] / total for form in {**kept, **counts}
        }
    row = int(g.frames.synonyms[leaf])
    synonyms = (
        g.synonym[g.synonym_offsets[row] : g.synonym_offsets[row + 1]].tolist() if row >= 0 else []
    )
    made: Counter[int] = Counter({form: o.pool * p for form, p in words.items()})
    for form in synonyms:
        made[form] += o.synonym / len(synonyms)
    made[own] += 1 - (o.pool if words else 0) - (o.synonym if synonyms else 0)
    return {form: p for form, p in made.items() if p > 0}


def test_candidates_are_what_alp_draws_with_its_probabilities(tilted: Fluent) -> None:
    sampler: ALP = tilted.inner
    grammar = sampler.grammar
    for leaf in np.flatnonzero(grammar.frames.open).tolist():
        word = int(grammar.texts.form[grammar.frames.word[leaf]])
        label = int(grammar.frames.label[leaf])
        for above in (-1, 0, *range(1, len(grammar.forms) + 1)):
            symbols = (int(grammar.frames.tag[leaf]), label, above)
            found = candidates(grammar, sampler._settings, leaf, symbols, word)
            made: Counter[int] = Counter()
            for form, likely in zip(found.form.tolist(), found.log_probability, strict=True):
                made[form] += math.exp(likely)
            context = (0, *symbols) if above >= 0 else (0, *symbols[:2])
            assert dict(made) == pytest.approx(by_hand(sampler, leaf, context, word))
            assert sum(made.values()) == pytest.approx(1)
            # each rule puts there what it says
            for form, rule in zip(found.form.tolist(), found.rule.tolist(), strict=True):
                size = len(grammar.model.form)
                by = word if rule < 0 else (
                    grammar.model.form[rule] if rule < size else grammar.synonym[rule - size]
                )  # fmt: skip
                assert by == form


def test_what_a_word_gains_is_what_it_tells_of_the_word_behind(tilted: Fluent) -> None:
    """The ratio of the bigram's probability to that of the word alone, to the power."""
    sampler: ALP = tilted.inner.under(tilted.tilt)
    fit, forms = sampler._fit, np.arange(len(sampler.grammar.forms))
    behind = np.unique(fit.word[forms]).tolist()
    of_word = {int(fit.word[form]): int(form) for form in forms}
    alone = {w: step(fit.model, 0, w)[1] for w in [END, *behind]}
    total = np.zeros(len(forms))
    for word, likely in alone.items():
        gains = gains_behind(fit, forms, -1 if word == END else of_word[word])
        total += np.exp(gains / fit.power + likely)
    if UNKNOWN not in alone:
        total += [math.exp(step(fit.model, 1 + int(fit.word[f]), UNKNOWN)[1]) for f in forms]
    # over all that may stand behind a word, they sum to one
    assert total == pytest.approx(np.ones(len(forms)), abs=1e-6)


def row_of(slots: Slots, r: int) -> tuple[slice, list[int]]:
    here = slice(int(slots.at[r]), int(slots.at[r] + slots.size[r]))
    return here, slots.form[here].tolist()


@pytest.mark.parametrize("given", [0, 7])
@pytest.mark.parametrize("seed", range(3))
def test_the_twin_writes_the_same(tilted: Fluent, seed: int, given: int) -> None:
    table = Table(seed)
    sampler = written(tilted, table, of_host=1, at_once=48)
    stream = sampler.stream(seed)
    wear = Worn(sampler.grammar)
    if given:
        columns = tuple(column[:given] for column in stream.chunk(48))
        stream.given(columns)
        for forms in columns[3].tolist():
            wear.give([form for form in forms if form >= 0])
    slots, _ = sampler.attempt(seed, *stream.chunk(0))
    plain, _, _ = sampler._derived(seed, np.arange(48))
    grammar = sampler.grammar
    changed = 0
    for r in np.flatnonzero(slots.size > 0).tolist():
        before = row_of(plain, r)[1]
        forms, likely = twin(sampler, table, seed, r, plain, wear)
        shown = [grammar.forms[form].lower() for form in row_of(slots, r)[1]]
        # articles are settled behind
        expected = [grammar.forms[form].lower() for form in forms]
        assert [w for w in shown if w not in ("a", "an")] == [
            w for w in expected if w not in ("a", "an")
        ]
        assert slots.log_probability[r] == pytest.approx(plain.log_probability[r] + likely)
        changed += forms != before
    assert changed > 30


class Worn:
    """How often phrases were given and the source has them, looked up text by text."""

    def __init__(self, grammar: ALPGrammar) -> None:
        self.forms = grammar.forms
        ends = np.cumsum(grammar.texts.words)
        words = grammar.texts.form.tolist()
        self.source = [
            words[end - n : end] for n, end in zip(grammar.texts.words, ends, strict=True)
        ]
        self.given: list[list[int]] = []

    def give(self, forms: list[int]) -> None:
        self.given.append(forms)

    def whole(self, forms: list[int]) -> list[str]:
        words = [self.forms[form].lower() for form in forms]
        return ["<", *("a" if word == "an" else word for word in words), ">"]

    def times(self, phrase: list[str], texts: list[list[int]]) -> int:
        rows = [self.whole(text) for text in texts]
        return sum(row[k : k + 3] == phrase for row in rows for k in range(len(row)))

    def of(self, forms: list[int], settled: list[bool], t: int) -> float:
        """How worn the phrases are that hold a word, and whose other words are settled."""
        words, known = self.whole(forms), [True, *settled, True]
        total = 0.0
        for k in range(max(0, t - 1), min(t + 1, len(words) - 3) + 1):
            if all(known[j] for j in range(k, k + 3) if j != t + 1):
                given = self.times(words[k : k + 3], self.given)
                usual = self.times(words[k : k + 3], self.source) / len(self.source)
                total += max(0.0, math.log((1 + given) / (1 + usual * len(self.given))))
        return total


def twin(
    sampler: ALP, table: Table, seed: int, r: int, plain: Slots, wear: Worn
) -> tuple[list[int], float]:
    """Write the words of one row, from left to right, with dictionaries."""
    g, (here, forms) = sampler.grammar, row_of(plain, r)
    u = uniforms_of(stream_key(seed, "alp written"), r, 2 * len(forms))[::2]
    leaves, words = plain.leaf[here].tolist(), [g.forms[form] for form in forms]
    is_open = [bool(g.frames.open[leaf]) for leaf in leaves]
    governors = (plain.governor[here] - plain.at[r]).tolist()
    read, at, total = [0], 0, 0.0
    sheet = detokenise(words)
    capital = {form: g.choices.capitals[form] for form in range(len(g.forms))}
    for t, leaf in enumerate(leaves):
        gap = " " if sheet[at : at + 1] == " " else ""
        at += len(gap) + len(words[t])

        def pieces(form: int, t: int = t, gap: str = gap) -> list[int]:
            return table.pieces([gap + g.forms[capital[form] if t == 0 else form]])[0]

        if is_open[t]:
            above = governors[t]
            context: tuple[int, ...] = (0, int(g.frames.tag[leaf]), int(plain.label[here][t]))
            if above < 0:
                context += (0,)
            elif above < t or not is_open[above]:
                context += (forms[above] + 1,)
            symbols = (*context[1:], -1)[:3]
            found = candidates(g, sampler._settings, leaf, symbols, forms[t])
            weights = []
            used = {g.forms[forms[k]].lower() for k in range(t) if is_open[k]}
            new = [g.forms[form].lower() not in used for form in found.form.tolist()]
            for form, likely, is_new in zip(
                found.form.tolist(), found.log_probability, new, strict=True
            ):
                p = pieces(form)[0]
                weight = likely + POWER * (table.log[read[-1], p] - table.usual[p])
                last = t + 1 == len(forms)
                if last or not is_open[t + 1]:
                    behind = -1 if last else forms[t + 1]
                    weight += gains_behind(sampler._fit, np.array([form]), behind)[0]
                settled = [k < t or not is_open[k] for k in range(len(forms))]
                weight -= WEAR * wear.of([*forms[:t], form, *forms[t + 1 :]], settled, t)
                weights.append(math.exp(weight) if is_new or not any(new) else 0.0)
            ends = itertools.accumulate(weights)
            k = next(k for k, end in enumerate(ends) if u[t] * sum(weights) < end)
            forms[t], total = int(found.form[k]), total + math.log(weights[k] / sum(weights))
        read += pieces(forms[t])
    return forms, total


def test_rows_that_cannot_go_on_are_drawn_again(tilted: Fluent) -> None:
    """What stays must fit what was written before it: here, half of words end no sentence."""
    table = Table(1)
    refused = {w for k, w in enumerate(tilted.inner.grammar.forms) if k % 2}
    for word in tilted.inner.grammar.forms:
        stop, own = table.pieces(["."])[0][0], table.pieces([f" {word}"])[0][-1]
        table.log[own, stop] = -200.0 if word in refused else -1.0
    sampler = written(tilted, table, of_host=8, at_once=128)
    slots, _ = sampler.attempt(0, *sampler.stream(0).chunk(0))
    ends: Counter[bool] = Counter()
    for r in np.flatnonzero(slots.size > 0).tolist():
        forms = row_of(slots, r)[1]
        if sampler.grammar.forms[forms[-1]] == ".":
            ends[sampler.grammar.forms[forms[-2]] in refused] += 1
    assert ends[False] > 40
    assert ends[True] == 0


def test_attempts_are_functions_of_their_numbers(tilted: Fluent) -> None:
    first = written(tilted, Table(2), of_host=4, at_once=96)
    columns = first.stream(3).chunk(0)
    slots, hosts = first.attempt(3, *columns)
    # written in other chunks
    other = written(tilted, Table(2), of_host=4, at_once=32)
    chunks = [other.stream(3).chunk(k) for k in (0, 32, 64)]
    for column, parts in zip(columns, zip(*chunks, strict=True), strict=True):
        assert column.tolist() == np.concatenate(parts).tolist()
    # each by itself, and nothing is read again
    plain = written(tilted, Table(5), of_host=4)
    for number in (70, 3, 95, 64):
        one, host = plain.attempt(3, *(column[number : number + 1] for column in columns))
        assert host[0] == hosts[number]
        assert row_of(one, 0)[1] == row_of(slots, number)[1]
        assert one.log_probability[0] == slots.log_probability[number]
    # those of one host are of one derivation
    groups = hosts.reshape(-1, 4)
    assert (groups == groups[:, :1]).all()
    leaves = [slots.leaf[row_of(slots, r)[0]].tolist() for r in range(96)]
    assert all(leaves[r] == leaves[r - r % 4] for r in range(96))


def test_what_fills_all_the_room_is_written_to_its_end(corpus: Corpus) -> None:
    made = induce("fluent", corpus, of="alp(quantile=0, max_length=1, exchange=0.9)", candidates=2)
    sampler = written(made, Table(), of_host=1, at_once=512)
    columns = sampler.stream(0).chunk(0)
    slots, _ = sampler.attempt(0, *columns)
    full = np.flatnonzero(slots.size > sampler.grammar.texts.words.max())
    assert len(full)
    for r in full.tolist():
        expected = columns[3][r, : slots.size[r]].tolist()
        assert min(expected) >= 0
        lower = sampler.writer.lower
        assert lower[row_of(slots, r)[1]].tolist() == lower[expected].tolist()


def test_without_a_tilt_nothing_is_written(tilted: Fluent) -> None:
    plain: ALP = tilted.inner
    table = Table(3)
    told = plain.written_by(table).sample(6, seed=1)
    assert told.table.equals(plain.sample(6, seed=1).table)
    assert not table._known


def test_what_is_put_in_is_told(tilted: Fluent) -> None:
    sampler = written(tilted, Table(4), of_host=2)
    made = sampler.sample(12, seed=2)
    rules = 0
    for text, tree, provenance in zip(
        made.column("text"), made.column("tree"), made.column("provenance"), strict=True
    ):
        assert text[:1].isupper()
        assert len(provenance["rules"]) == len(provenance["spans"])
        rules += len(provenance["rules"])
        for rule in provenance["rules"]:
            assert sampler.grammar.rule_text(rule)
        assert tree.startswith("(S")
    assert rules > 24
