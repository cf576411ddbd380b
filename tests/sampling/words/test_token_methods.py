"""Methods that edit words: what every one of them keeps, and what each of them does."""

from __future__ import annotations

import gzip
import math
import re
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from grammar.errors import CorpusError, MissingDataError, OptionError, TreewrightError
from grammar.messages import heard_by
from grammar.trees.surfaces import surface_of
from grammar.trees.tree import Tree
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from sampling.english import wordnet
from sampling.english.stop_words import STOP_WORDS
from sampling.examples.labels import check_corpus
from sampling.examples.text_columns import cores_of, read_side
from sampling.stream import ShortfallWarning
from sampling.words.aeda import AEDA
from sampling.words.drop import WordDrop
from sampling.words.eda import EDA, clean_text
from sampling.words.noise import RandomWord, drawn_number
from sampling.words.sampler import TokenSampler
from sampling.words.shuffle import Shuffle
from sampling.words.switchout import SwitchOut

# mended texts have a test of their own, below
NO_WORDNET = {"alpha_sr": 0, "alpha_ri": 0, "repair": "none"}
METHODS: dict[str, tuple[Any, dict[str, Any]]] = {
    "swap": (EDA, {**NO_WORDNET, "alpha_rd": 0}),
    "delete": (EDA, {**NO_WORDNET, "alpha_rs": 0}),
    "aeda": (AEDA, {}),
    "random-word": (RandomWord, {}),
    "switchout": (SwitchOut, {}),
    "worddrop": (WordDrop, {"p": 0.3}),
    "blank": (WordDrop, {"p": 0.3, "blank": "<unk>"}),
    "shuffle": (Shuffle, {}),
}
TEXTS = ["the dog (sees) a  bird.", " A cat, big and grey, sleeps ", "she said: “go” to Ann-Marie!"]


def corpus(texts: list[str] | None = None, **columns: Any) -> Corpus:
    return Corpus.from_columns(text=texts or TEXTS, **columns)


def make(name: str, data: Corpus, **options: Any) -> TokenSampler:
    method, given_options = METHODS[name]
    sampler: TokenSampler = method.induce(data, **{**given_options, **options})
    return sampler


@pytest.fixture(scope="session")
def sst2(data_folder: Path) -> Corpus:
    with gzip.open(data_folder / "sst2/stsa.binary.train.gz", "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split(" ", 1) for line in lines][:400]
    return corpus([text for _, text in rows], label=[int(label) for label, _ in rows])


@pytest.fixture(scope="session")
def ewt(data_folder: Path) -> Corpus:
    path = next((data_folder / "ud/UD_English-EWT").glob("*dev.conllu*"))
    rows = [row for row in read_corpus(path, tags="xpos") if 2 < len(row["tokens"]) < 15][:200]
    names = ("tokens", "tags", "heads", "deprels")
    return corpus(
        [" ".join(row["tokens"]) for row in rows],
        **{name: [row[name] for row in rows] for name in names},
    )


# what all methods keep

words = st.text("abcé漢,.", min_size=1, max_size=3)
spaces = st.sampled_from([" ", "  ", "\t", " \n"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    row = draw(st.lists(words, min_size=2, max_size=6))
    return "".join(draw(spaces) + word for word in row) + draw(st.sampled_from(["", " "]))


@given(st.lists(texts(), min_size=2, max_size=4), st.sampled_from(sorted(METHODS)), st.integers(0))
@settings(max_examples=150)
def test_examples_are_new_distinct_and_a_function_of_seed_and_number(
    rows: list[str], name: str, seed: int
) -> None:
    vocabulary = set(cores_of(read_side(corpus(rows)))[2])
    assume(len(vocabulary) > 1)
    sampler = make(name, corpus(rows, label=list(range(len(rows)))))
    seed %= 2**63
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        made = sampler.sample(12, seed=seed)
        again = make(name, corpus(rows, label=list(range(len(rows)))))
        parts = [*again.sample(3, seed=seed, start=4)]
    got = made.column("text")
    assert len(set(got)) == len(got) <= max(sampler.count(), 0)
    assert not set(got) & set(rows)
    assert parts == list(made)[4:7]
    for row in made:
        parent = rows[row["label"]]
        assert row["provenance"]["parents"] == [str(row["label"])]
        assert row["provenance"]["log_probability"] <= 1e-9
        assert row["text"][: len(parent) - len(parent.lstrip())].isspace() or parent[0] != " "
        assert row["text"].endswith(" ") == parent.endswith(" ")
    check_corpus(made)


@given(texts(), st.sampled_from(sorted(METHODS)), st.integers(0, 99))
@settings(max_examples=150)
def test_spacing_and_unchanged_words_are_kept(text: str, name: str, seed: int) -> None:
    """Twin of the writer: the text is put together again from words, by the spans put in."""
    try:
        sampler = make(name, corpus([text, "x y z"]))
    except CorpusError:
        return
    row = sampler.vary([0], seed=seed).column("text")[0]
    spans = sampler.vary([0], seed=seed).column("provenance")[0]["spans"]
    old, new = text.split(), row.split()
    put = {span["start"] for span in spans}
    kept = [word for k, word in enumerate(new) if k not in put]
    if name in ("swap", "shuffle"):
        assert sorted(new) == sorted(old)
        assert gaps(row) == gaps(text)
    elif name in ("random-word", "switchout", "blank"):
        assert len(new) == len(old)
        assert gaps(row) == gaps(text)
        assert all(a == b for k, (a, b) in enumerate(zip(old, new, strict=True)) if k not in put)
    elif name == "aeda":
        assert kept == old
        assert all(new[k] in ".;?:!," for k in put)
    else:
        assert is_subsequence(kept, old)
        assert not put


def gaps(text: str) -> list[str]:
    found, at = [], 0
    for word in text.split():
        start = text.index(word, at)
        found.append(text[at:start])
        at = start + len(word)
    return [*found, text[at:]]


def is_subsequence(small: list[str], large: list[str]) -> bool:
    rest = iter(large)
    return all(word in rest for word in small)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_the_batches_of_any_size_and_thread_are_the_same(name: str) -> None:
    sampler = make(name, corpus())
    whole = sampler.sample(20, seed=3).table
    tables = list(make(name, corpus()).batches(20, seed=3, workers=2, batch_size=7))
    assert [table.num_rows for table in tables] == [7, 7, 6]
    assert [row for table in tables for row in table.to_pylist()] == whole.to_pylist()


@pytest.mark.parametrize("name", sorted(METHODS))
def test_protected_words_are_untouched(name: str) -> None:
    data = corpus(["one New York two three", "four five New York"])
    made = make(name, data, protect="New York", distinct=False).sample(60, seed=1)
    assert all("New York" in text for text in made.column("text"))
    assert len(set(made.column("text"))) > 2


def test_protected_words_by_number_are_untouched() -> None:
    data = corpus(["one two three", "four five six"], protected=[[1], [1]])
    for text in make("switchout", data, distinct=False).sample(50).column("text"):
        assert text.split()[1] in ("two", "five")


@pytest.mark.parametrize("name", sorted(METHODS))
def test_too_many_are_an_honest_shortfall(name: str) -> None:
    sampler = make(name, corpus(["a b", "c d"]))
    with pytest.warns(ShortfallWarning, match="distinct new ones were found"):
        made = sampler.sample(100_000)
    assert 0 < len(made) == len(set(made.column("text"))) < 100_000
    with pytest.warns(ShortfallWarning):
        assert len(sampler.sample(10, start=100_000)) == 0


def test_pairs_with_one_text_but_other_seconds_are_different_examples() -> None:
    data = corpus(["a b", "a b"], text_pair=["x", "y"], target=["u", "v"])
    made = make("swap", data).sample(2)
    assert sorted((r["text"], r["text_pair"], r["target"]) for r in made) == [
        ("b a", "x", "u"), ("b a", "y", "v"),
    ]  # fmt: skip


def test_soft_labels_are_kept() -> None:
    made = make("swap", corpus(label=[[0.5, 0.5]] * 3)).sample(5)
    assert made.column("label") == [[0.5, 0.5]] * 5


# columns of words

TREE = (
    "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (-LRB- -LRB-) (DT a) (NN bird) (-RRB- -RRB-))))"
)
PARSED = {
    "texts": ["the dog sees (a bird)", "a dog sleeps"],
    "tree": [TREE, "(S (NP (DT a) (NN dog)) (VP (VBZ sleeps)))"],
    "tags": [["DT", "NN", "VBZ", "(", "DT", "NN", ")"], ["DT", "NN", "VBZ"]],
    "heads": [[2, 3, 0, 6, 6, 3, 6], [2, 3, 0]],
}


@pytest.mark.parametrize("name", ["swap", "random-word", "switchout", "blank", "shuffle"])
def test_words_tags_heads_and_trees_stay_aligned(name: str) -> None:
    texts, *_ = PARSED.values()
    data = corpus(texts, **{key: PARSED[key] for key in ("tree", "tags", "heads")})
    made = make(name, data).sample(20, seed=2)
    check_corpus(made)
    for row in made:
        leaves = Tree.parse(row["tree"]).leaves()
        plain = " ".join(leaves).replace("-LRB-", "(").replace("-RRB-", ")")
        spaced = re.sub(r"([()]|<unk>)", r" \1 ", row["text"])
        assert plain.split() == spaced.split()
        assert len(row["tags"]) == len(leaves)
        if name in ("swap", "shuffle"):
            pairs = set(zip(plain.split(), row["tags"], strict=True))
            assert pairs <= {("the", "DT"), ("a", "DT"), ("dog", "NN"), ("sees", "VBZ"),
                             ("sleeps", "VBZ"), ("bird", "NN"), ("(", "("), (")", ")")}  # fmt: skip


def test_letters_never_come_to_touch() -> None:
    data = corpus(["bird) x", "a y"], tokens=[["bird", ")", "x"], ["a", "y"]])
    made = make("random-word", data).sample(10)
    assert not any("birda" in text or "birdx" in text for text in made.column("text"))
    assert any(text.startswith(("x) ", "a) ", "y) ")) for text in made.column("text"))


@pytest.mark.parametrize(
    ("name", "column"),
    [("aeda", "tags"), ("delete", "heads"), ("delete", "tree"), ("worddrop", "heads")],
)
def test_columns_that_cannot_be_kept_are_refused(name: str, column: str) -> None:
    data = corpus(PARSED["texts"], **{column: PARSED[column]})
    if column != "tree":
        data = corpus(["the dog sees ( a bird )", "a dog sleeps"], **{column: PARSED[column]})
    with pytest.raises(CorpusError, match=f"cannot keep the column '{column}'"):
        make(name, data)


def test_deleted_words_take_their_tags_with_them() -> None:
    data = corpus(["a b c d"], tags=[["A", "B", "C", "D"]], tokens=[["a", "b", "c", "d"]])
    for row in make("worddrop", data).sample(8):
        assert row["text"].upper().split() == row["tags"]
        assert row["text"].split() == row["tokens"]


def test_touching_tokens_are_parted_only_where_an_edit_parts_them() -> None:
    data = corpus(["Hello, big world."], tokens=[["Hello", ",", "big", "world", "."]])
    made = set(make("worddrop", data).sample(25).column("text"))
    assert {"Hello big world.", ", big world.", "Hello, world.", "Hello, big ."} <= made


# EDA


@pytest.mark.usefixtures("wordnet_data")
def test_the_operations_of_eda_do_what_they_say() -> None:
    data = corpus(["a sad superior human comedy played out on the back roads of life again"] * 1)
    only = {"alpha_sr": 0.0, "alpha_ri": 0.0, "alpha_rs": 0.0, "alpha_rd": 0.0}
    only |= {"senses": "all", "inflect": False, "repair": "none"}
    old = data.column("text")[0].split()
    for row in EDA.induce(data, **{**only, "alpha_sr": 0.2}, phrases=False).sample(30):
        new = row["text"].split()
        changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
        assert len(changed) == 2 == int(0.2 * len(old))
        assert all(
            a not in STOP_WORDS and b in wordnet.synonyms(a, senses="all") for a, b in changed
        )
        assert [span["start"] for span in row["provenance"]["spans"]] == [
            k for k, (a, b) in enumerate(zip(old, new, strict=True)) if a != b
        ]
    pool = {
        s for word in old if word not in STOP_WORDS for s in wordnet.synonyms(word, senses="all")
    }
    ends = set()
    for text in (
        EDA.induce(data, **{**only, "alpha_ri": 0.1}, phrases=False).sample(200).column("text")
    ):
        new = text.split()
        assert len(new) == len(old) + 1
        assert is_subsequence(old, new)
        assert (Counter(new) - Counter(old)).keys() <= pool
        ends.add(new[:-1] == old)
    assert ends == {True, False}
    code = EDA.induce(data, **{**only, "alpha_ri": 0.1}, phrases=False, at_end=False)
    assert not any(text.split()[:-1] == old for text in code.sample(200).column("text"))


@pytest.mark.usefixtures("wordnet_data")
def test_the_quirks_of_the_program_are_options() -> None:
    only = {"alpha_ri": 0, "alpha_rs": 0, "alpha_rd": 0}
    twice = corpus(["film after film", "one film"])
    everywhere = EDA.induce(twice, **only, all_occurrences=True, phrases=False)
    once = EDA.induce(twice, **only, phrases=False)
    assert all(len(set(t.split()[::2])) == 1 for t in everywhere.vary([0] * 1).column("text"))
    assert {t for t in once.sample(20).column("text") if "film" in t.split()}
    stop = corpus(["of all the", "the of any"])
    inserts = {"alpha_sr": 0, "alpha_rs": 0, "alpha_rd": 0}
    with pytest.raises(CorpusError, match="no text can be edited"):
        EDA.induce(stop, **inserts)
    unread = {"senses": "all", "inflect": False}
    assert len(EDA.induce(stop, **inserts, **unread, insert_stop_words=True).sample(3)) == 3
    assert EDA.induce(stop, **only, **unread, stop_words="none").grammar is not None
    first = EDA.induce(corpus(["one film"]), **inserts, first_synonym=True, distinct=False)
    put = {row["provenance"]["rules"][0] for row in first.sample(50)}
    assert put <= {int(k) for k in first.pools.offsets[:-1]}


@pytest.mark.usefixtures("wordnet_data")
def test_code_mode_cleans_and_gives_equal_numbers_of_operations() -> None:
    assert clean_text("It's 9-to-5, isn’t it?") == "its to isnt it "
    sampler = EDA.induce(corpus(["It's a great, sad film about 3 brave dogs"]), faithful="code")
    rows = sampler.sample(12 * 50, seed=1).column("text")
    assert all(set(text) <= set("abcdefghijklmnopqrstuvwxyz ") for text in rows)
    assert sampler.options.redraws == 3
    assert not sampler.options.distinct
    longer = [len(text.split()) for text in rows]
    assert min(longer) < 7 < max(longer)
    with pytest.raises(CorpusError, match="cannot keep the column 'tags'"):
        EDA.induce(corpus(["a b"], tags=[["A", "B"]]), faithful="code")


def test_blocks_hold_equal_numbers_of_operations() -> None:
    data = corpus(["a b c d e f g h i j"])
    sampler = EDA.induce(
        data, **NO_WORDNET, balanced=True, num_aug=6, distinct=False, alpha_rd=0.99
    )
    shorter = [len(text.split()) < 10 for text in sampler.sample(60).column("text")]
    # num_aug // 4 + 1 = 2 of each of two operations; rounds beyond go over the block again
    for k in range(0, 60, 6):
        assert sum(shorter[k : k + 4]) == 2


def test_swaps_may_fail_in_the_way_of_the_program() -> None:
    data = corpus(["a b", "c d"])
    paper = make("swap", data, distinct=False).sample(200).column("text")
    code = make("swap", data, distinct=False, redraws=1).sample(200).column("text")
    assert set(paper) == {"b a", "d c"}
    assert 60 < sum(text in ("a b", "c d") for text in code) < 140


@pytest.mark.usefixtures("wordnet_data")
def test_synonyms_of_the_tag_and_inflection() -> None:
    data = corpus(["the films run", "a run"], tags=[["DT", "NNS", "VBP"], ["DT", "NN"]])
    only = {"alpha_ri": 0, "alpha_rs": 0, "alpha_rd": 0}
    grammar = EDA.induce(data, **only, pos="tag", inflect=True, senses="all").grammar
    assert grammar is not None
    assert "movies" in grammar.choices("films/NNS")
    assert "movie" not in grammar.choices("films/NNS")
    assert "operate" in grammar.choices("run/VBP")
    assert "operate" not in grammar.choices("run/NN")
    assert sum(grammar.choices("run/NN").values()) == pytest.approx(1)
    graph = grammar.graph
    assert sum(w for _, _, w in graph.out_edges("symbol:run/NN", data="weight")) == pytest.approx(1)
    with pytest.raises(CorpusError, match="no column 'tags'"):
        EDA.induce(corpus(), pos="tag")


@pytest.mark.usefixtures("wordnet_data")
def test_synonyms_are_those_of_nltk_in_the_case_of_the_word() -> None:
    from nltk.corpus import wordnet as reader

    for word in ["Film", "gave", "better", "galore", "mice", "well", "sat", "qwxz"]:
        names = [n for synset in reader.synsets(word.lower()) for n in synset.lemma_names()]
        spaced = [name.lower().replace("_", " ").replace("-", " ") for name in names]
        letters = {"".join(c for c in name if c == " " or c.isalpha()) for name in spaced}
        expected = letters - {word.lower()}
        assert set(wordnet.synonyms(word, senses="all")) == expected
    text = EDA.induce(corpus(["FILM Film"]), alpha_ri=0, alpha_rs=0, alpha_rd=0).sample(9)
    assert {"FILM Movie", "MOVIE Film"} <= set(text.column("text"))


def test_without_wordnet_eda_says_so_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> Any:
        raise MissingDataError("WordNet is not installed", hint="install it")

    monkeypatch.setattr("sampling.words.eda.wordnet", absent)
    with pytest.warns(wordnet.MissingWordNetWarning, match="no synonym replacement"):
        sampler = EDA.induce(corpus())
    assert len(sampler.sample(10)) == 10
    assert sampler.grammar.describe("an edit").details["rules of an edit"] == [
        "swap two words, for 10 % of the words [0.5]", "delete words [0.5]",
    ]  # fmt: skip
    with pytest.raises(MissingDataError, match="not installed"):
        EDA.induce(corpus(), alpha_rs=0, alpha_rd=0)


RAW = ["Old films, though, are (rarely) good. An hour of \"Solaris\" is a use of time.",
       "It was an old story, and a good one."]  # fmt: skip


def test_edited_raw_texts_read_like_the_source() -> None:
    swaps = EDA.induce(corpus(RAW), alpha_sr=0, alpha_ri=0, alpha_rd=0).sample(200)
    for text in swaps.column("text"):
        assert text[0].isupper()
        assert text[-1] == "."
        assert re.sub(r"\w+", "", text) in [re.sub(r"\w+", "", raw) for raw in RAW]
        assert not re.search(r"\b[Aa] (hour|old|are|and)\b|\b[Aa]n (good|use|was)\b", text)
        assert sorted(re.findall(r"\w{3,}", text.lower())) in [
            sorted(re.findall(r"\w{3,}", raw.lower())) for raw in RAW
        ]
    drops = EDA.induce(corpus(RAW), alpha_sr=0, alpha_ri=0, alpha_rs=0).sample(40)
    assert all(text[0].isupper() and text[-1] == "." for text in drops.column("text"))
    assert any(text.startswith("Films") for text in drops.column("text"))
    one = EDA.induce(
        corpus(['He "slept". An hour passed.', "x y"]),
        alpha_sr=0,
        alpha_ri=0,
        alpha_rs=0,
        alpha_rd=0.3,
    ).sample(60)
    made = set(one.column("text"))
    assert {'He "slept". Hour passed.', 'He "slept". Passed.'} & made
    assert 'He "slept". Hour.' in made  # the quote behind a word stays when the next word goes
    assert "Solaris" in " ".join(swaps.column("text"))
    tokenised = corpus(["an old film , and good .", "it was a use"])
    for text in EDA.induce(tokenised, alpha_sr=0, alpha_ri=0, alpha_rd=0).sample(60).column("text"):
        assert not re.search(r"\b(a old|an film|an good|an use|an was)\b", text)
        assert not re.search(r"\w[.,]", text)


MARKED = st.sampled_from(["{}", "({}", "{})", '"{}', '{}"', "{},", "[{}]", "'{}", "{}...", "{} ,"])


@given(
    st.lists(st.tuples(MARKED, st.sampled_from(["we", "paid", "Ann", "More"])), min_size=3),
    st.sampled_from(["", "article", "capital", "article, capital, spacing"]),
    st.booleans(),
)
@settings(max_examples=60)
def test_words_that_move_leave_as_many_of_each_character(
    pairs: list[tuple[str, str]], repair: str, shuffled: bool
) -> None:
    text = " ".join(mark.format(word) for mark, word in pairs)
    text = text[:1].upper() + text[1:]
    options = {"alpha_sr": 0, "alpha_ri": 0, "alpha_rd": 0, "repair": repair or "none"}
    method, options = (Shuffle, {}) if shuffled else (EDA, options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        made = method.induce(corpus([text]), **options).sample(12)
    for other in made.column("text"):
        assert sorted(other.lower().replace(" ", "")) == sorted(text.lower().replace(" ", ""))


@pytest.mark.parametrize(
    "text",
    ["We paid (much more) today", 'We paid "much more today"', "We paid [much more] today"],
)
def test_a_word_with_a_mark_gets_its_capital_and_keeps_one_mark(text: str) -> None:
    swaps = EDA.induce(corpus([text]), alpha_sr=0, alpha_ri=0, alpha_rd=0)
    made = swaps.sample(10).column("text")
    assert any(other.startswith(("More", "Today")) for other in made)
    for other in made:
        assert sorted(other.lower()) == sorted(text.lower())


@pytest.mark.usefixtures("wordnet_data")
def test_synonyms_get_their_article(tmp_path: Path) -> None:
    data = corpus(["We saw a film.", "It was a movie."])
    only = {"alpha_ri": 0, "alpha_rs": 0, "alpha_rd": 0, "senses": "all", "inflect": False}
    sampler = EDA.induce(data, **only)
    made = sampler.sample(30)
    assert not any(re.search(r"\ba [aeio]", text) for text in made.column("text"))
    sampler.grammar.save(tmp_path / "g.arrow")
    from sampling.opening import open_sampler

    assert open_sampler(tmp_path / "g.arrow").sample(30).table == made.table


# the other methods


def test_the_number_of_marks_of_aeda() -> None:
    text = "a b c d e f g h i j k l"
    paper = AEDA.induce(corpus([text]), distinct=False).sample(3000).column("text")
    counts = Counter(len(row.split()) - 12 for row in paper)
    assert set(counts) == {1, 2, 3, 4}
    assert max(abs(n - 750) for n in counts.values()) < 120
    assert any(row.split()[-1] != "l" for row in paper)
    code = AEDA.induce(corpus([text]), faithful="code").sample(3000).column("text")
    # int(0.3 * 12 + 1) = 4
    assert {len(row.split()) - 12 for row in code} == {1, 2, 3, 4}
    assert all(row.endswith("l") for row in code)
    assert {len(r.split()) for r in AEDA.induce(corpus(["a b"])).sample(9).column("text")} == {3}
    only = AEDA.induce(corpus(["a b c"]), marks="§", ratio=1.0).sample(5).column("text")
    assert all("§" in row for row in only)


@given(st.floats(0, 3), st.integers(1, 12))
def test_the_number_of_words_of_switchout_is_exact(beta: float, most: int) -> None:
    weights = [math.exp(-beta * n) for n in range(most + 1)]
    grid = (np.arange(4000) + 0.5) / 4000
    drawn = [drawn_number(u, beta, most) for u in grid.tolist()]
    counts = Counter(n for n, _ in drawn)
    for n, likely in dict(drawn).items():
        share = weights[n] / sum(weights)
        assert math.exp(likely) == pytest.approx(share)
        assert counts[n] / 4000 == pytest.approx(share, abs=1e-3)


def test_switchout_draws_places_and_words_uniformly() -> None:
    data = corpus(["a b c d"])
    rows = (
        SwitchOut.induce(data, distinct=False, inverse_temperature=0.5).sample(8000).column("text")
    )
    changed = [[k for k in range(4) if r.split()[k] != "abcd"[k]] for r in rows]
    weights = np.exp(-0.5 * np.arange(5))
    counts = np.bincount([len(c) for c in changed], minlength=5) / 8000
    assert counts == pytest.approx(weights / weights.sum(), abs=0.02)
    places = np.bincount([k for c in changed for k in c], minlength=4)
    assert places / places.sum() == pytest.approx([0.25] * 4, abs=0.02)
    new = Counter(r.split()[0] for r in rows if r.split()[0] != "a")
    assert min(new.values()) / max(new.values()) > 0.85
    loose = SwitchOut.induce(data, faithful="code", inverse_temperature=0.5).sample(8000)
    spread = np.bincount([len(r["provenance"]["spans"]) for r in loose], minlength=5) / 8000
    assert abs(spread[0] - counts[0]) > 0.03


def test_switchout_of_both_sides() -> None:
    data = corpus(["a b c", "d e f"], target=["A B C", "D E F"])
    still = SwitchOut.induce(data).sample(50)
    assert set(still.column("target")) == {"A B C", "D E F"}
    both = {"target": True, "inverse_temperature": 0.0, "distinct": False}
    made = SwitchOut.induce(data, **both).sample(300)
    assert all(set(text.split()) <= set("ABCDEF") for text in made.column("target"))
    old = {"0": "A B C", "1": "D E F"}
    pairs = [(r["target"].split(), old[r["provenance"]["parents"][0]].split()) for r in made]
    numbers = Counter(sum(a != b for a, b in zip(x, y, strict=True)) for x, y in pairs)
    assert [numbers[n] / 300 for n in range(4)] == pytest.approx([0.25] * 4, abs=0.08)
    again = SwitchOut.induce(data, **both).sample(5, start=7)
    assert list(again) == list(made)[7:12]
    with pytest.raises(CorpusError, match="no column 'target'"):
        SwitchOut.induce(corpus(), target=True)


def test_random_words_by_frequency_and_by_tag() -> None:
    data = corpus(["a a a a a b", "a c"], tags=[list("XXXXXY"), list("XY")])
    by_tag = RandomWord.induce(data, same_tag=True)
    assert set(by_tag.sample(2).column("text")) == {"a a a a a c", "a b"}
    often = RandomWord.induce(data, draw="unigram", distinct=False).sample(2000)
    put = Counter(row["text"][-1] for row in often if row["provenance"]["spans"][0]["start"] == 5)
    # a and c replace b, by their frequencies 6 and 1
    assert put["a"] / put["c"] == pytest.approx(6, rel=0.5)
    two = RandomWord.induce(data, replaced=2).sample(5)
    assert all(len(row["provenance"]["spans"]) == 2 for row in two)


def test_the_rate_of_worddrop() -> None:
    data = corpus([" ".join(f"w{k}" for k in range(50))])
    rows = WordDrop.induce(data, p=0.2, distinct=False).sample(400).column("text")
    assert sum(50 - len(row.split()) for row in rows) / (400 * 50) == pytest.approx(0.2, abs=0.02)
    assert all(WordDrop.induce(corpus(), p=1.0).sample(3).column("text"))


# shuffles


def test_a_shuffled_tree_has_the_same_nodes_under_the_same_parents() -> None:
    data = corpus(["the dog sees ( a bird )"], tree=[TREE])
    made = Shuffle.induce(data, structure="tree").sample(150)

    def sorted_tree(tree: Tree | str) -> Any:
        if isinstance(tree, str):
            return tree
        return tree.label, sorted(map(sorted_tree, tree.children), key=repr)

    assert {repr(sorted_tree(Tree.parse(t))) for t in made.column("tree")} == {
        repr(sorted_tree(Tree.parse(TREE)))
    }
    assert (
        len(made)
        == 150
        < 2 * 2 * 2 * math.factorial(4)
        == Shuffle.induce(data, structure="tree").count()
    )
    check_corpus(made)


def test_all_orders_of_small_structures_are_found_alike_often() -> None:
    data = corpus(["a b c"], heads=[[2, 0, 2]], deprels=[["x", "root", "y"]])
    sampler = Shuffle.induce(data, structure="dependency", distinct=False)
    counts = Counter(sampler.sample(3000).column("text"))
    assert len(counts) == 6
    assert max(abs(n - 500) for n in counts.values()) < 90


def test_shuffled_dependencies_are_the_same_arcs_and_spans(ewt: Corpus) -> None:
    sampler = Shuffle.induce(ewt, structure="dependency", rate=0.5)
    made = sampler.sample(300)
    check_corpus(made)
    by_id = {row["id"]: row for row in ewt}
    for row in made:
        parent = by_id[row["provenance"]["parents"][0]]
        assert arcs(row) == arcs(parent)
        assert row["text"].split() == row["tokens"]


def arcs(row: dict[str, Any]) -> Counter[tuple[str, str, str]]:
    names = ["ROOT", *row["tokens"]]
    triples = zip(row["tokens"], row["heads"], row["deprels"], strict=True)
    return Counter((word, names[head], relation) for word, head, relation in triples)


def test_crossing_subtrees_stay_where_they_are() -> None:
    # a hangs on c across b's head: the subtree of c is broken, so only whole spans move
    data = corpus(["a b c d"], heads=[[3, 0, 2, 2]])
    both = corpus(["x y", "a b c d"], heads=[[2, 0], [3, 0, 2, 2]])
    made = Shuffle.induce(both, structure="dependency", distinct=False).sample(30)
    assert set(made.column("text")) == {"x y", "y x"}
    with pytest.raises(CorpusError, match="anything to be put in another order"):
        Shuffle.induce(data, structure="dependency")


@pytest.mark.parametrize("structure", ["tree", "dependency"])
def test_structured_shuffles_do_not_part_protected_words(structure: str) -> None:
    data = corpus(
        ["go to New York now"],
        **({"tree": ["(S (VB go) (PP (TO to) (NP (NNP New) (NNP York))) (RB now))"]}
           if structure == "tree" else {"heads": [[0, 1, 4, 1, 1]]}),
    )  # fmt: skip
    made = Shuffle.induce(data, structure=structure, protect="New York").sample(11)
    assert all("New York" in text for text in made.column("text"))


# real data, bad input


@pytest.mark.usefixtures("wordnet_data")
@pytest.mark.parametrize(
    ("method", "options"),
    [
        (EDA, {}), (EDA, {"faithful": "code"}), (EDA, {"inflect": True, "phrases": False}),
        (EDA, {"alpha_sr": 0.3, "alpha_ri": 0.2, "alpha_rs": 0.2, "alpha_rd": 0.2}),
        (EDA, {"stop_words": "none", "all_occurrences": True}), (EDA, {"at_end": False}),
        (EDA, {"insert_stop_words": True, "first_synonym": True, "redraws": 2}),
        (EDA, {"balanced": True, "num_aug": 4}), (EDA, {"clean": True}), (AEDA, {}),
        (AEDA, {"faithful": "code"}), (AEDA, {"ratio": 0.5, "one_more": True, "marks": "!?"}),
        (RandomWord, {}), (RandomWord, {"draw": "unigram", "replaced": 3}), (SwitchOut, {}),
        (SwitchOut, {"exact": False, "inverse_temperature": 0.2}), (WordDrop, {}),
        (WordDrop, {"p": 0.4, "blank": "<unk>"}), (Shuffle, {}), (Shuffle, {"protect": "[,.]"}),
    ],
    ids=str,
)  # fmt: skip
def test_every_option_on_real_sentences(sst2: Corpus, method: Any, options: dict[str, Any]) -> None:
    made = method.induce(sst2, **options).sample(1000, seed=5)
    check_corpus(made)
    assert len(made) == 1000
    if options.get("faithful") != "code":
        assert len(set(made.column("text")) | set(sst2.column("text"))) == 1000 + len(
            set(sst2.column("text"))
        )
    labels = dict(zip(sst2.column("id"), sst2.column("label"), strict=True))
    for row in made:
        assert row["label"] == labels[row["provenance"]["parents"][0]]


@pytest.mark.usefixtures("wordnet_data")
@pytest.mark.parametrize(
    ("method", "options"),
    [
        (EDA, {"alpha_ri": 0, "alpha_rd": 0, "pos": "tag", "inflect": True}),
        (RandomWord, {"same_tag": True}), (SwitchOut, {}), (Shuffle, {}),
        (WordDrop, {"blank": "_"}), (Shuffle, {"structure": "dependency"}),
    ],
    ids=str,
)  # fmt: skip
def test_tagged_and_parsed_sentences(ewt: Corpus, method: Any, options: dict[str, Any]) -> None:
    made = method.induce(ewt, **options).sample(500)
    check_corpus(made)
    assert all(row["text"].split() == row["tokens"] for row in made)


def test_shuffled_sentiment_trees(data_folder: Path) -> None:
    from induction.corpus.formats import read_sst

    path = next((data_folder / "sst").glob("dev*"))
    trees = read_sst(path)
    for options in ({"structure": "tree", "rate": 0.2}, {}):
        made = Shuffle.induce(trees, **options).sample(500)
        check_corpus(made)
        for row in made:
            assert Counter(map(surface_of, Tree.parse(row["tree"]).leaves())) == Counter(
                row["text"].split()
            )


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        (EDA, {"alpha_sr": 1.5}, "out of range"), (EDA, {"alpha_rd": -0.1}, "out of range"),
        (EDA, {"alfa_sr": 0.1}, "did you mean 'alpha_sr'"), (EDA, {"pos": "noun"}, "not known"),
        (EDA, {"alpha_sr": 0, "alpha_ri": 0, "alpha_rs": 0, "alpha_rd": 0}, "all of alpha_sr"),
        (EDA, {"protect": "("}, "not a regular expression"),
        (AEDA, {"marks": ""}, "holds no marks"),
        (AEDA, {"ratio": 2.0}, "out of range"), (WordDrop, {"p": 0}, "drops no word"),
        (WordDrop, {"blank": "a b"}, "not one word"), 
        (Shuffle, {"structure": "trees"}, "not known"),
        (Shuffle, {"rate": 0.5}, "for trees"), (RandomWord, {"replaced": 0}, "out of range"),
        (SwitchOut, {"inverse_temperature": -1}, "out of range"),
        (Shuffle, {"structure": "dependency"}, "no column 'heads'"),
        (RandomWord, {"same_tag": True}, "no column 'tags'"),
    ],
)  # fmt: skip
def test_options_that_are_refused(method: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(TreewrightError, match=message):
        method.induce(corpus(), **options)


@pytest.mark.parametrize(
    ("texts", "method", "message"),
    [
        (["a b", ""], AEDA, "text is empty"), (["a b", None], WordDrop, "text is missing"),
        (["spam", "spam spam"], SwitchOut, "vocabulary has one word"),
        (["spam", "spam spam"], RandomWord, "vocabulary has one word"),
        (["one", "two"], Shuffle, "anything to be put"), (["one", "two"], WordDrop, "two words"),
    ],
)  # fmt: skip
def test_texts_that_are_refused(texts: list[Any], method: Any, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        method.induce(corpus(texts))


def test_numbers_that_are_refused() -> None:
    sampler = make("shuffle", corpus())
    for arguments in ({"n": -1}, {"n": 1.5}, {"n": 1, "seed": -1}, {"n": 1, "start": True}):
        with pytest.raises(OptionError, match="whole number"):
            sampler.sample(**arguments)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="has no text 3"):
        sampler.vary([3])


def test_a_block_that_is_not_used_is_told() -> None:
    corpus = Corpus.from_columns(text=["we slept very well in the old house"])
    said: list[str] = []
    with heard_by(said.append):
        EDA.induce(corpus, alpha_sr=0, alpha_ri=0, num_aug=4)
        EDA.induce(corpus, alpha_sr=0, alpha_ri=0, num_aug=4, balanced=True)
    assert [message for message in said if "num_aug" in message] == [
        "num_aug counts only with balanced=True; n or times say how many texts there are"
    ]
