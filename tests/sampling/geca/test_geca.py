"""GECA against a plain implementation of its definition, and against the published figures."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from grammar.errors import CorpusError, NothingNewError, OptionError, SchemaError
from induction.corpus.corpus import PROVENANCE, Corpus
from sampling.geca import novelty, rows, templates
from sampling.geca.grammar import SubstitutionGrammar
from sampling.geca.method import GECA
from sampling.geca.options import GECAOptions
from sampling.geca.sequences import read_tokens
from sampling.geca.stream import GECAStream
from sampling.geca.template_kernels import WHOLE, Listing, group_equal
from sampling.method import METHODS
from sampling.stream import ShortfallWarning
from tests.checksums import without_seal

DATA = os.environ.get("TREEWRIGHT_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="TREEWRIGHT_DATA is not set")
JUMP = "scan/add_prim_split/tasks_train_addprim_jump.txt.gz"
JUMP_TEST = "scan/add_prim_split/tasks_test_addprim_jump.txt.gz"
AROUND_RIGHT = "scan/template_split/tasks_train_template_around_right.txt.gz"

Words = tuple[str, ...]
Fragment = tuple[Words, ...]


# --- the definition, written plainly ---------------------------------------------------------


def replace_all(sequence: Words, gram: Words, mark: str) -> Words:
    out: list[str] = []
    i = 0
    while i < len(sequence):
        if sequence[i : i + len(gram)] == gram:
            out.append(mark)
            i += len(gram)
        else:
            out.append(sequence[i])
            i += 1
    return tuple(out)


def fragments(
    template: Words, gaps: int, size: int, begin: int = 0, held: Fragment = ()
) -> Iterator[tuple[Words, Fragment]]:
    for n in range(1, size + 1):
        for i in range(begin, len(template) - n + 1):
            gram = template[i : i + n]
            seen = {word for other in held for word in other} | {"##", "<0>", "<1>"}
            if seen & set(gram):
                continue
            rest = replace_all(template, gram, f"<{len(held)}>")
            yield rest, (*held, gram)
            if len(held) + 1 < gaps:
                yield from fragments(rest, gaps, size, i + 1, (*held, gram))


def environment(template: Words, window: int | None) -> tuple[Words, ...]:
    if window is None:
        return (template,)
    padded = ("^",) * window + template + ("^",) * window
    holes = [i for i, word in enumerate(template) if word in ("<0>", "<1>")]
    return tuple(padded[i : i + 2 * window + 1] for i in holes)


def fill(template: Words, fragment: Fragment) -> Words:
    marks = {f"<{k}>": gram for k, gram in enumerate(fragment)}
    return tuple(w for word in template for w in marks.get(word, (word,)))


def sides(sequence: Words) -> tuple[Words, ...]:
    if "##" not in sequence:
        return (sequence,)
    middle = sequence.index("##")
    return sequence[:middle], sequence[middle + 1 :]


def touches_every_side(template: Words) -> bool:
    return all({"<0>", "<1>"} & set(side) for side in sides(template))


def tables(sequences: set[Words], gaps: int, size: int):
    held, holders = defaultdict(set), defaultdict(set)
    for sequence in sequences:
        for template, fragment in fragments(sequence, gaps, size):
            held[template].add(fragment)
            holders[fragment].add(template)
    return held, holders


def is_new(sequence: Words, sequences: set[Words]) -> bool:
    known = [set(column) for column in zip(*map(sides, sequences), strict=True)]
    return all(side not in seen for side, seen in zip(sides(sequence), known, strict=True))


def all_new(sequences: set[Words], gaps: int, size: int, window: int | None) -> set[Words]:
    held, holders = tables(sequences, gaps, size)
    within = defaultdict(set)
    for template, found in held.items():
        within[environment(template, window)] |= found
    made = set()
    for host in filter(touches_every_side, held):
        for fragment in held[host]:
            for template in holders[fragment]:
                made |= {fill(host, other) for other in within[environment(template, window)]}
    return {sequence for sequence in made if is_new(sequence, sequences)}


def all_labelled(
    labelled: dict[Words, int], gaps: int, size: int, window: int | None, apart: bool
) -> set[tuple[Words, int]]:
    """Return every new example with the labels it may have: those of its hosts."""
    made = set()
    for label in set(labelled.values()):
        own = {s for s, its in labelled.items() if its == label}
        held, _ = tables(own, gaps, size)
        evidence, holders = tables(own if apart else set(labelled), gaps, size)
        within = defaultdict(set)
        for template, found in evidence.items():
            within[environment(template, window)] |= found
        for host in filter(touches_every_side, held):
            for fragment in held[host]:
                for template in holders[fragment]:
                    for other in within[environment(template, window)]:
                        made.add((fill(host, other), label))
    return {(s, label) for s, label in made if is_new(s, set(labelled))}


def pools_of_code(
    sequences: set[Words], gaps: int, size: int, window: int | None
) -> dict[Words, Counter[Fragment]]:
    """Return what the released program would shuffle for every context, before the first draw."""
    held, holders = tables(sequences, gaps, size)
    similar = defaultdict(set)
    for template in held:
        similar[environment(template, window)].add(template)
    pools = {}
    for host, own in held.items():
        bridges = similar[environment(host, window)]
        shared = {fragment for bridge in bridges for fragment in held[bridge]}
        neighbours = {t for fragment in shared for t in holders[fragment]} - {host}
        pools[host] = Counter(
            fragment
            for template in neighbours
            if len(held[template]) > 1
            for fragment in held[template]
            if fragment not in own and not all(set(fragment) & set(mine) for mine in own)
        )
    return pools


# --- corpora -----------------------------------------------------------------------------------


def corpus_of(sequences) -> Corpus:
    texts = [" ".join(sides(s)[0]) for s in sequences]
    if "##" in sequences[0]:
        return Corpus.from_columns(text=texts, target=[" ".join(sides(s)[1]) for s in sequences])
    return Corpus.from_columns(text=texts)


def sequences_of(corpus: Corpus) -> list[Words]:
    texts = [tuple(text.split()) for text in corpus.column("text")]
    if "target" not in corpus.names:
        return texts
    return [
        (*text, "##", *target.split())
        for text, target in zip(texts, corpus.column("target"), strict=True)
    ]


side = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4).map(tuple)
target = st.lists(st.sampled_from("aBC"), min_size=1, max_size=3).map(tuple)
singles = st.lists(side, min_size=1, max_size=7)
pairs = st.lists(st.builds(lambda s, t: (*s, "##", *t), side, target), min_size=1, max_size=7)

SANG = Corpus.from_columns(
    id=["w", "x", "y", "z"],
    text=["the wug sang", "the cat  sang", "the wug danced", "a cat slept"],
)


def labelled_lines(path: Path) -> Corpus:
    """Read the first lines of a file that has a label, a space and a text on each."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    rows = [line.split(" ", 1) for line in data.decode("latin-1").splitlines()[:600]]
    classes = sorted({label for label, _ in rows})
    return Corpus.from_columns(
        text=[text for _, text in rows], label=[classes.index(label) for label, _ in rows]
    )


def induce(sequences, **options) -> GECA | None:
    try:
        return GECA.induce(corpus_of(sequences), **options)
    except CorpusError as error:
        if "no new example can be made" not in str(error):
            raise
        return None


@pytest.mark.parametrize("window", [None, 1, 2])
@settings(max_examples=60, deadline=None)
@given(sequences=singles | pairs, gaps=st.integers(1, 2), size=st.integers(1, 2))
def test_the_complete_set_is_that_of_the_definition(window, sequences, gaps, size):
    sampler = induce(sequences, gaps=gaps, size=size, window=window)
    expected = all_new(set(sequences), gaps, size, window)
    made = [] if sampler is None else sequences_of(sampler.sample())
    assert len(made) == len(set(made)) == len(expected)
    assert set(made) == expected
    assert sampler is None or sampler.count() == len(expected)


@pytest.mark.parametrize("window", [None, 1])
@pytest.mark.parametrize("labels", ["source", "same"])
@settings(max_examples=40, deadline=None)
@given(sequences=singles | pairs, size=st.integers(1, 2), data=st.data())
def test_labels_are_those_of_hosts(window, labels, sequences, size, data):
    several = {"min_size": len(sequences), "max_size": len(sequences)}
    given_labels = data.draw(st.lists(st.integers(0, 2), **several))
    corpus = corpus_of(sequences).with_column("label", given_labels)
    # of equal examples the first counts
    labelled = dict(zip(reversed(sequences), reversed(given_labels), strict=True))
    expected = all_labelled(labelled, 2, size, window, labels == "same")
    if not expected:
        with pytest.raises(CorpusError, match="no new example can be made"):
            GECA.induce(corpus, gaps=2, size=size, window=window, labels=labels)
        return
    sampler = GECA.induce(corpus, gaps=2, size=size, window=window, labels=labels)
    made = sampler.sample()
    found = set(zip(sequences_of(made), made.column("label"), strict=True))
    assert found <= expected
    assert {s for s, _ in found} == {s for s, _ in expected}
    loaded = GECA(SubstitutionGrammar.from_graph(sampler.grammar.graph))
    assert loaded.sample().table.equals(made.table)


@pytest.mark.parametrize("window", [None, 1])
@settings(max_examples=60, deadline=None)
@given(sequences=singles | pairs, size=st.integers(1, 2))
def test_pools_of_the_code_are_those_of_the_released_program(window, sequences, size):
    many = 10**6
    sampler = induce(
        sequences,
        gaps=2,
        size=size,
        window=window,
        faithful="code",
        max_adjacencies=many,
        max_source_length=many,
    )
    pools = pools_of_code(set(sequences), 2, size, window)
    expected = {
        host: pool
        for host, pool in pools.items()
        if touches_every_side(host) and any(is_new(fill(host, f), set(sequences)) for f in pool)
    }
    assert pools_of_grammar(sampler) == expected
    few = induce(sequences, gaps=2, size=size, window=window, faithful="code", max_adjacencies=1)
    assert all(pool <= expected[host] for host, pool in pools_of_grammar(few).items())


def pools_of_grammar(sampler: GECA | None) -> dict[Words, Counter[Fragment]]:
    if sampler is None:
        return {}
    grammar, found = sampler.grammar, {}
    for pattern, k in zip(grammar.contexts, grammar.context_class, strict=True):
        host = tuple(pattern.replace("⟨", "<").replace("⟩", ">").split())
        found[host] = Counter()
        for entry in range(grammar.class_offsets[k], grammar.class_offsets[k + 1]):
            words = grammar.fillers[grammar.class_fillers[entry]]
            parts = [tuple(part.split()[1:]) for part in words.split("⟨") if part]
            found[host][tuple(parts)] = int(grammar.class_counts[entry])
    return found


@settings(max_examples=30, deadline=None)
@given(sequences=singles | pairs)
def test_listing_in_parts_and_colliding_hashes_change_nothing(sequences):
    whole = induce(sequences, gaps=2, size=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(templates, "_LISTED_AT_ONCE", 7)
        parts = induce(sequences, gaps=2, size=2)
    assert (whole is None) == (parts is None)
    if whole is None or parts is None:
        return
    assert nx.utils.graphs_equal(whole.grammar.graph, parts.grammar.graph)
    contexts = parts.grammar.tokens.contexts
    first = rows.equal_rows(contexts)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "hash_rows", lambda _, starts, ends: np.zeros(len(starts), "u8"))
        assert rows.equal_rows(contexts)[0].tolist() == first.tolist()
    made = parts._derivations
    hashed = novelty._hash_derivations
    with pytest.MonkeyPatch.context() as patch:

        def collide(*arguments):
            hashes, longest = hashed(*arguments)
            return hashes * 0, longest

        patch.setattr(novelty, "_hash_derivations", collide)
        same = novelty.same_result(parts.grammar.tokens, made.context, made.filler)
    assert np.unique(same, return_inverse=True)[1].tolist() == made.example.tolist()


def test_colliding_hashes_do_not_merge_templates():
    sequences = read_tokens(scan_like(), GECAOptions(), separator="##").sequences
    grams = templates.intern_ngrams(sequences, 2, None)
    found = templates.list_fragments(
        grams, np.ones(10, np.bool_), 2, WHOLE, exchangeable_only=False
    )
    key = found.keys[found.fragment]
    collided = Listing(found.sequence, key, np.zeros(len(key), np.uint64))
    group = group_equal(grams, collided, np.arange(len(key)), WHOLE)
    assert np.unique(group, return_inverse=True)[1].tolist() == found.template.tolist()


@settings(max_examples=30, deadline=None)
@given(sequences=pairs, draw=st.sampled_from(["uniform", "weighted", "corpus"]))
def test_probabilities_of_every_symbol_sum_to_one(sequences, draw):
    sampler = induce(sequences, size=2, draw=draw)
    if sampler is None:
        return
    graph = sampler.grammar.graph
    assert nx.is_frozen(graph)
    assert {kind for _, kind in graph.nodes(data="kind")} == {"symbol", "word", "rule"}
    for node, kind in graph.nodes(data="kind"):
        weights = [w for _, _, w in graph.out_edges(node, data="weight")]
        if kind == "symbol":
            assert sum(weights) == pytest.approx(1)
        if kind == "rule":
            positions = sorted(p for _, _, p in graph.out_edges(node, data="position"))
            assert positions == list(range(len(weights)))


@pytest.mark.parametrize("mode", ["paper", "code"])
def test_a_loaded_grammar_gives_the_same_bytes_without_the_corpus(tmp_path, mode):
    sampler = GECA.induce(scan_like(), gaps=2, size=1, faithful=mode, max_adjacencies=None)
    sampler.grammar.save(tmp_path / "g.json.gz")
    loaded = GECA(SubstitutionGrammar.load(tmp_path / "g.json.gz"))
    assert loaded.sample(seed=3).table.equals(sampler.sample(seed=3).table)
    loaded.grammar.save(tmp_path / "again.json.gz")
    assert (tmp_path / "again.json.gz").read_bytes() == (tmp_path / "g.json.gz").read_bytes()


def scan_like() -> Corpus:
    verbs, adverbs = ("walk", "run", "look"), {"": 1, " twice": 2, " thrice": 3}
    text = [v + a for v in verbs for a in adverbs] + ["jump"]
    target = [" ".join([f"I_{v.upper()}"] * n) for v in verbs for n in adverbs.values()]
    return Corpus.from_columns(text=text, target=[*target, "I_JUMP"])


def test_a_primitive_seen_alone_is_carried_into_every_context():
    sample = GECA.induce(scan_like(), gaps=2, size=1).sample()
    assert sorted(zip(sample.column("text"), sample.column("target"), strict=True)) == [
        ("jump thrice", "I_JUMP I_JUMP I_JUMP"),
        ("jump twice", "I_JUMP I_JUMP"),
    ]


def test_provenance_leads_back_to_host_donor_rules_and_words():
    sampler = GECA.induce(SANG, gaps=1, size=1, draw="corpus")
    sample = sampler.sample(seed=7)
    assert sample.arrow("provenance").type == PROVENANCE
    assert sample.column("text") == ["the cat danced", "a wug slept"]
    made = sample[0]["provenance"]
    assert (made["seed"], made["index"], made["parents"]) == (7, 0, ["y", "x"])
    assert made["spans"] == [{"start": 1, "end": 2}]
    graph = sampler.grammar.graph
    context, filler = (graph.nodes[f"rule:{rule}"]["pattern"] for rule in made["rules"])
    assert (context, filler) == ("the ⟨0⟩ danced", "⟨0⟩ cat")
    # three contexts seen once each ("the cat ⟨0⟩" is one); wug and cat were seen twice each
    assert made["log_probability"] == pytest.approx(np.log(1 / 3 * 2 / 4))


def test_spacing_outside_the_filled_span_is_untouched():
    corpus = Corpus.from_columns(
        text=["the wug sang", "the cat sang", "  the\twug  danced \n"], target=["A", "B", " A  C "]
    )
    sample = GECA.induce(corpus, gaps=2, size=1).sample()
    assert (sample.column("text"), sample.column("target")) == (
        ["  the\tcat  danced \n"],
        [" B  C "],
    )


def test_example_i_depends_on_the_seed_and_i_alone():
    sampler = GECA.induce(many(), gaps=1, size=1)
    whole = sampler.sample(20, seed=5)
    parts = [sampler.sample(8, seed=5), sampler.sample(12, seed=5, start=8)]
    assert [row for part in parts for row in part] == list(whole)
    assert sampler.sample(20, seed=6).column("text") != whole.column("text")


def many() -> Corpus:
    nouns = [f"n{i}" for i in range(12)]
    return Corpus.from_columns(
        text=[f"the {n} sang" for n in nouns] + [f"a {n} v{i}" for i, n in enumerate(nouns)]
    )


def test_bytes_do_not_depend_on_the_hash_seed():
    code = (
        "from tests.sampling.geca.test_geca import *\n"
        "for mode in ('paper', 'code'):\n"
        "    sampler = GECA.induce(many(), gaps=2, size=2, faithful=mode, separator='|')\n"
        "    print(list(sampler.sample(50, seed=1)), dict(sampler.grammar.graph.adjacency()))\n"
    )
    root = Path(__file__).parents[3]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)},
            cwd=root,
            capture_output=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "1")
    }
    assert len(outputs) == 1


def test_weighted_draws_follow_the_grammar():
    corpus = Corpus.from_columns(
        text=["p x", "p y", "q x", "q x", "r x", "p z", "s z", "t y"], id=list("01234567")
    )
    sampler = GECA.induce(corpus, gaps=1, size=1, draw="weighted")
    complete = sampler.sample()
    mass: Counter[str] = Counter()
    grammar = sampler.grammar
    for c, pattern in enumerate(grammar.contexts):
        row = slice(*grammar.class_offsets[grammar.context_class[c] :][:2])
        barred = grammar.barred_fillers[grammar.barred_offsets[c] : grammar.barred_offsets[c + 1]]
        fillers, counts = grammar.class_fillers[row], grammar.class_counts[row]
        for f, count in zip(fillers, counts, strict=True):
            if f not in barred:
                text = pattern.replace("⟨0⟩", grammar.fillers[f].split()[1])
                share = grammar.context_count[c] / grammar.context_count.sum()
                mass[text] += share * count / counts.sum()
    assert set(mass) == set(complete.column("text"))
    draws = 4000
    firsts = Counter(sampler.sample(1, seed=s).column("text")[0] for s in range(draws))
    observed = [firsts[text] for text in mass]
    expected = np.array(list(mass.values())) / sum(mass.values()) * draws
    # the seeds are fixed, so this either always passes or never
    assert chisquare(observed, expected).pvalue > 0.001


def test_uniform_draws_are_uniform():
    sampler = GECA.induce(SANG, gaps=1, size=1)
    firsts = Counter(sampler.sample(1, seed=s).column("text")[0] for s in range(1000))
    assert chisquare(list(firsts.values())).pvalue > 0.001


def test_a_shortfall_is_reported():
    sampler = GECA.induce(SANG, gaps=1, size=1)
    with pytest.warns(ShortfallWarning, match="the grammar derives 2 distinct new ones"):
        assert len(sampler.sample(5)) == 2
    with pytest.warns(ShortfallWarning, match="from number 2"):
        assert sampler.sample(1, start=2).names == ("id", "text", "provenance")
    limited = GECA.induce(SANG, gaps=1, size=1, limit=1)
    with pytest.warns(ShortfallWarning, match="with limit=1 this seed gives 1"):
        limited.sample(2)


def test_the_separator_is_an_ordinary_word_of_single_texts():
    corpus = Corpus.from_columns(text=["a ## sang", "b ## sang", "a ## slept"])
    assert "b ## slept" in GECA.induce(corpus, gaps=1, size=1).sample().column("text")


def test_labels_of_real_texts(data_folder):
    """SST-2 and TREC: the label of the host, and fillers of its own class alone."""
    for path in ("sst2/stsa.binary.train.gz", "trec/train_5500.label"):
        corpus = labelled_lines(data_folder / path)
        label_of = dict(zip(corpus.column("id"), corpus.column("label"), strict=True))
        options = {"gaps": 1, "size": 2, "window": 1, "max_count": 20}
        for labels in ("source", "same"):
            made = GECA.induce(corpus, labels=labels, **options).sample(100)
            assert len(made) == 100
            for row in made:
                host, donor = row["provenance"]["parents"]
                assert row["label"] == label_of[host]
                assert labels == "source" or label_of[donor] == row["label"]


def test_soft_labels_are_kept():
    texts = ["the wug sang", "the cat sang", "the wug slept"]
    corpus = Corpus.from_columns(text=texts, label=[[0.5, 0.5], [1.0, 0.0], [0.25, 0.75]])
    made = GECA.induce(corpus, gaps=1).sample()
    assert made.column("text") == ["the cat slept"]
    # two hosts make it: "the cat" of the second text, and "slept" of the third
    assert made.column("label")[0] in ([1.0, 0.0], [0.25, 0.75])


def test_labels_must_be_there_and_valid():
    with pytest.raises(CorpusError, match="no column 'label'"):
        GECA.induce(SANG, labels="same")
    with pytest.raises(CorpusError, match="label is missing"):
        GECA.induce(SANG.with_column("label", [0, 1, None, 1]))


def test_batches_and_workers_change_nothing():
    sequences = [(a, b, "x") for a in "abcdef" for b in "pqrst"][:17]
    sampler = GECA.induce(corpus_of(sequences), gaps=1)
    whole = sampler.sample(seed=2).table
    for workers, batch_size in ((1, 3), (2, 2)):
        parts = list(sampler.batches(len(whole), seed=2, workers=workers, batch_size=batch_size))
        assert pa.concat_tables(parts).equals(whole)
    assert len(parts) == -(-len(whole) // 2)
    empty = pa.concat_tables(sampler.batches(0))
    assert empty.schema.equals(whole.schema)


def test_every_option_says_what_it_is_and_where_it_is_from():
    declared = {o.name: o for o in METHODS["geca"].options}
    assert all(o.help for o in declared.values())
    assert (declared["pool"].default, declared["pool"].code) == ("fragments", "templates")
    assert (declared["limit"].default, declared["limit"].code) == (None, 1000)
    assert "section 3" in declared["window"].source


def test_options_change_what_they_say():
    corpus = Corpus.from_columns(text=["p x", "p y z", "q x", "r y z", "p x x"])
    everything = GECA.induce(corpus, gaps=1, size=2).sample().column("text")
    assert "q y z" in everything
    short = GECA.induce(corpus, gaps=1, size=2, max_length=2).sample().column("text")
    assert set(short) == {text for text in everything if len(text.split()) <= 2}
    rare = GECA.induce(corpus, gaps=1, size=2, max_count=3).sample().column("text")
    assert set(rare) < set(everything)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gaps": 0}, "gaps=0 is out of range"),
        ({"size": 0}, "size=0"),
        ({"window": 0}, "window=0"),
        ({"size": 1.5}, "size=1.5"),
        ({"variants": True}, "variants=True"),
        ({"faithful": "memory"}, "faithful='memory' is not known"),
        ({"draw": "random"}, "draw='random' is not known"),
        ({"pool": "all"}, "pool='all' is not known"),
        ({"disjoint": 1}, "disjoint=1 is not of the kind bool"),
        ({"separator": "# #"}, "is not one word"),
        ({"max_adjacencies": 3}, "pool='fragments' has none"),
        ({"labels": "other"}, "use one of source, same"),
        ({"gap": 2}, "did you mean 'gaps'"),
        ({"gaps": 40}, "more fragments than can be numbered"),
    ],
)
def test_unusable_options_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        GECA.induce(SANG, **options)


@pytest.mark.parametrize("options", [{"n": -1}, {"start": -1}, {"seed": -1}, {"n": 1.0}])
def test_unusable_draws_are_refused(options):
    sampler = GECA.induce(SANG, gaps=1, size=1)
    with pytest.raises(OptionError):
        sampler.sample(**options)


@pytest.mark.parametrize(
    ("columns", "gaps", "message"),
    [
        ({"text": []}, 1, "the corpus is empty"),
        ({"text": ["a", None]}, 1, "example '1': the text is missing"),
        ({"text": ["a", "b"], "target": ["A", None]}, 1, "the value of 'target' is missing"),
        ({"text": ["a ## b"], "target": ["A"]}, 1, "mark between text and target"),
        ({"text": ["a ⟨0⟩ b"]}, 1, "mark of a hole"),
        ({"text": ["", " "]}, 1, "no example has a word"),
        ({"text": ["a b", "c d"]}, 1, "no two of the 4 fragments occur in the same environment"),
        ({"text": ["a", "b"]}, 1, "already filled with every filler it admits"),
        ({"text": ["a b", "c b"], "target": ["A", "A"]}, 1, "touches both text and target"),
        (
            {"text": ["a", "b", "a x", "b x"], "target": ["A", "B", "A", "C"]},
            2,
            "of 6 substitutions 6 repeat a text of the corpus, 0 a target",
        ),
    ],
)
def test_corpora_that_yield_nothing_say_why(columns, gaps, message):
    with pytest.raises(CorpusError, match=message):
        GECA.induce(Corpus.from_columns(**columns), gaps=gaps, size=1)


def test_what_the_hint_says_of_sentences_finds_something():
    corpus = Corpus.from_columns(
        text=[
            "I think that the old film was good and long",
            "we know that the old book was good , said Ann",
            "they hope that the new film was good for Bob",
            "you fear that the new plot was good too",
        ]
    )
    with pytest.raises(NothingNewError, match="no two of the") as caught:
        GECA.induce(corpus)
    assert "geca(gaps=1, size=2, window=2)" in caught.value.hint
    assert len(GECA.induce(corpus, gaps=1, size=2, window=2).sample(4)) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_count": 1, "gaps": 1}, "no two of the"),
        ({"max_source_length": 1}, "every example has more than max_source_length=1 tokens"),
        ({"max_length": 1}, "have more than max_length tokens"),
    ],
)
def test_an_option_that_leaves_nothing_is_named(options, message):
    with pytest.raises(CorpusError, match=message):
        GECA.induce(SANG, size=1, **options)


def test_a_missing_text_column_is_one_clear_error():
    with pytest.raises(CorpusError, match="no column 'text'"):
        GECA.induce(Corpus(Corpus.from_columns(text=["a"]).table.drop_columns(["text"])))


def test_a_grammar_of_another_family_is_refused(tmp_path):
    path = tmp_path / "g.json"
    sampler = GECA.induce(SANG, gaps=1, size=1)
    sampler.grammar.save(path)
    text = without_seal(path)
    path.write_text(text.replace('"substitution"', '"pcfg"'), encoding="utf-8")
    with pytest.raises(SchemaError, match="'pcfg', not 'substitution'"):
        SubstitutionGrammar.load(path)
    path.write_text(text.replace('"geca"', '"sub2"'), encoding="utf-8")
    with pytest.raises(SchemaError, match="'sub2', not 'geca'"):
        GECA(SubstitutionGrammar.load(path))
    path.write_text(text.replace('"barred"', '"forgotten"'), encoding="utf-8")
    with pytest.raises(SchemaError, match="there is no field 'barred'"):
        SubstitutionGrammar.load(path)


# --- SCAN ----------------------------------------------------------------------------------------


def scan_corpus(name: str) -> Corpus:
    with gzip.open(Path(str(DATA)) / name, "rt", encoding="utf-8") as lines:
        found = dict.fromkeys(tuple(line.strip()[4:].split(" OUT: ")) for line in lines)
    return Corpus.from_columns(text=[t for t, _ in found], target=[t for _, t in found])


def share_correct(sample: Corpus) -> float:
    interpret = pytest.importorskip("scan.language").interpret
    rows = zip(sample.column("text"), sample.column("target"), strict=True)
    return float(np.mean([" ".join(interpret(text)) == target for text, target in rows]))


@needs_data
def test_the_complete_set_of_scan_jump_is_its_test_set():
    corpus = scan_corpus(JUMP)
    assert len(corpus) == 13204
    sampler = GECA.induce(corpus, size=1)
    assert sampler.count() == 7706
    test = scan_corpus(JUMP_TEST)
    assert set(sequences_of(sampler.sample())) == set(sequences_of(test))


@needs_data
@pytest.mark.parametrize(
    ("name", "word", "published"),
    [(JUMP, "jump", (395, 412, 388)), (AROUND_RIGHT, "around right", (333, 330, 359))],
)
def test_the_code_mode_gives_as_much_as_the_released_program(name, word, published):
    # The published runs removed 640 of the training lines first and drew with another generator.
    # With such a removal, six seeds of ours gave 373 to 413 and 318 to 361; without it the sizes
    # differ by a few per cent, so the published range is widened by a tenth on either side.
    sampler = GECA.induce(scan_corpus(name), size=1, faithful="code")
    for seed in range(3):
        sample = sampler.sample(seed=seed)
        assert 0.9 * min(published) <= len(sample) <= 1.1 * max(published)
        assert np.mean([word in text for text in sample.column("text")]) >= 0.97
        assert share_correct(sample) == 1


@needs_data
def test_every_example_of_around_right_is_correct():
    sample = GECA.induce(scan_corpus(AROUND_RIGHT), size=1).sample()
    assert len(sample) == 2740
    assert share_correct(sample) == 1


# --- drawn by walks ---------------------------------------------------------------------------


@pytest.mark.parametrize("window", [None, 1])
@settings(max_examples=40, deadline=None)
@given(sequences=singles | pairs, gaps=st.integers(1, 2), size=st.integers(1, 2))
def test_walks_reach_all_of_the_definition_and_nothing_else(window, sequences, gaps, size):
    options = {"gaps": gaps, "size": size, "window": window, "max_count": None}
    expected = all_new(set(sequences), gaps, size, window)
    if not expected:
        return
    stream = GECAStream.induce(corpus_of(sequences), **options)
    assert stream.count() >= len(expected)
    made = sequences_of(stream.sample(len(expected)))
    assert len(set(made)) == len(made) == len(expected)
    assert set(made) == expected


@settings(max_examples=30, deadline=None)
@given(sequences=singles | pairs, data=st.data(), labels=st.sampled_from(["source", "same"]))
def test_walks_keep_the_labels_of_hosts(sequences, data, labels):
    several = {"min_size": len(sequences), "max_size": len(sequences)}
    given_labels = data.draw(st.lists(st.integers(0, 2), **several))
    corpus = corpus_of(sequences).with_column("label", given_labels)
    labelled = dict(zip(reversed(sequences), reversed(given_labels), strict=True))
    expected = all_labelled(labelled, 2, 1, 1, labels == "same")
    if not expected:
        return
    options = {"gaps": 2, "size": 1, "window": 1, "max_count": None, "labels": labels}
    stream = GECAStream.induce(corpus, **options)
    made = stream.sample(len({s for s, _ in expected}))
    assert set(zip(sequences_of(made), made.column("label"), strict=True)) <= expected
    for row in made:
        host = int(row["provenance"]["parents"][0])
        assert row["label"] == labelled[sequences[host]]


def test_probabilities_of_walks_are_those_of_their_graph():
    sequences = [tuple(text.split()) for text in ("a x b", "a y b", "c x b", "c y d", "a z b")]
    stream = GECAStream.induce(corpus_of(sequences), gaps=1, size=1, window=1, max_count=None)
    graph = stream.grammar.graph
    for node, data in graph.nodes(data=True):
        if data["kind"] == "symbol":
            weights = [w for _, _, w in graph.out_edges(node, data="weight")]
            assert sum(weights) == pytest.approx(1), node
    for row in stream.sample(4):
        host, filler = (f"rule:{n}" for n in row["provenance"]["rules"])
        share = graph["symbol:EXAMPLE"][host][0]["weight"]
        (context,) = graph.successors(host)
        below = sum(
            graph[context][first][0]["weight"]
            * graph[like][link][0]["weight"]
            * graph[near][filler][0]["weight"]
            for first in graph.successors(context)
            for like in graph.successors(first)
            for link in graph.successors(like)
            for near in graph.successors(link)
            if filler in graph[near]
        )
        assert row["provenance"]["log_probability"] == pytest.approx(np.log(share * below))


def test_walks_leave_spacing_and_say_what_they_put_in():
    corpus = Corpus.from_columns(
        id=["w", "x", "y"],
        text=["  the wug\tsang  loud", "the cat nap sang loud", "the  wug slept"],
    )
    stream = GECAStream.induce(corpus, gaps=1, size=2, window=1)
    rows = {row["text"]: row for row in stream.sample(1)}
    row = rows["the  cat nap slept"]
    assert row["provenance"]["parents"] == ["y", "x"]
    assert row["provenance"]["spans"] == [{"start": 1, "end": 3}]


def test_walks_depend_on_seed_and_number_alone():
    sequences = [(a, b, c) for a in "abcd" for b in "pqrst" for c in "xyz"][::2]
    stream = GECAStream.induce(corpus_of(sequences), window=1)
    whole = stream.sample(25, seed=2).table
    other = GECAStream.induce(corpus_of(sequences), window=1)
    parts = list(other.batches(25, seed=2, workers=2, batch_size=4))
    assert pa.concat_tables(parts).equals(whole)
    assert other.sample(5, seed=2, start=7).table.equals(whole.slice(7, 5))
    with pytest.warns(ShortfallWarning, match="distinct new ones"):
        assert len(stream.sample(10**6)) < 100
    assert stream.sample(0).table.schema.equals(whole.schema)


@pytest.mark.parametrize(
    ("columns", "options", "error", "message"),
    [
        ({"text": []}, {}, CorpusError, "the corpus is empty"),
        ({"text": ["a b", None]}, {}, CorpusError, "example '1': the text is missing"),
        ({"text": ["a b"]}, {}, CorpusError, "no two of the 3 fragments"),
        (
            {"text": ["a a", "a a b"]},
            {"max_count": 1, "size": 1, "gaps": 1},
            CorpusError,
            "no two of the 1 fragments",
        ),
        ({"text": ["a b", "c b"]}, {"labels": "same"}, CorpusError, "no column 'label'"),
        ({"text": ["a b"]}, {"windows": 1}, OptionError, "did you mean 'window'"),
        ({"text": ["a b"]}, {"window": 0}, OptionError, "out of range"),
    ],
)
def test_what_walks_cannot_do_is_said(columns, options, error, message):
    with pytest.raises(error, match=f"(?s){message}"):
        GECAStream.induce(Corpus.from_columns(**columns), **options)


@needs_data
def test_walks_on_scan_are_among_all_that_is_licensed():
    # of every fifth pair, for walks over all of them seldom meet one that is new
    whole = scan_corpus(JUMP)
    corpus = Corpus(whole.table.take(list(range(0, len(whole), 5))))
    licensed = set(GECA.induce(corpus, size=1).sample().column("text"))
    options = {"gaps": 2, "size": 1, "window": None, "max_count": None}
    made = GECAStream.induce(corpus, **options).sample(500)
    assert set(made.column("text")) <= licensed


# --- protected words ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [GECA, GECAStream])
@given(st.lists(st.lists(st.sampled_from("abcP"), min_size=1, max_size=5), min_size=2, max_size=6))
@settings(max_examples=30)
def test_protected_words_are_neither_cut_out_nor_put_in(method, sequences):
    texts = [" ".join(sequence) for sequence in sequences]
    try:
        sampler = method.induce(
            Corpus.from_columns(text=texts), gaps=1, size=2, window=1, protect="P"
        )
        free = method.induce(Corpus.from_columns(text=texts), gaps=1, size=2, window=1)
    except CorpusError:
        return
    made = _at_most(sampler, 200)
    assert len(made) <= free.count()
    for row in made:
        host = texts[int(row["provenance"]["parents"][0])]
        assert row["text"].count("P") == host.count("P")


def _at_most(sampler, n):
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setattr(GECAStream, "patience", 2_000)
        warnings.simplefilter("ignore", ShortfallWarning)
        return sampler.sample(n)


@pytest.mark.parametrize("method", [GECA, GECAStream])
def test_words_are_protected_by_number_and_by_entity_and_in_targets(method):
    pairs = Corpus.from_columns(
        text=["é walk", "é jump", "walk twice", "é  look"],
        target=["E WALK", "E JUMP", "WALK WALK", "E LOOK"],
    )
    options = {"gaps": 2, "size": 1}
    options |= {"window": None, "max_count": None} if method is GECAStream else {}
    free = set(_at_most(method.induce(pairs, **options), 50).column("text"))
    assert free == {"jump twice", "look twice"}
    for protected in (
        pairs.with_column("protected", [[], [{"start": 2, "end": 6}], [], []]),
        pairs.with_column("protected", [[], [1], [], []]),
    ):
        assert set(_at_most(method.induce(protected, **options), 50).column("text")) == {
            "look twice"
        }
    kept = method.induce(pairs, **options, protect="LOOK")
    assert set(_at_most(kept, 50).column("text")) == {"jump twice"}
    with pytest.raises(CorpusError, match="every word is protected"):
        method.induce(pairs, **options, protect=".")
    with pytest.raises(OptionError, match="not a regular expression"):
        method.induce(pairs, **options, protect="(")
    with pytest.raises(CorpusError, match="'protected' holds 9"):
        method.induce(pairs.with_column("protected", [[9], [], [], []]), **options)


def test_fragments_stay_within_their_class_unless_asked() -> None:
    corpus = Corpus.from_columns(
        text=["a fine film", "a fine cast", "a dull film", "a dull plot"], label=[1, 1, 0, 0]
    )
    with pytest.raises(NothingNewError, match="labels=source"):
        GECA.induce(corpus, gaps=1)
    assert GECA.induce(corpus, gaps=1, labels="source").count() == 2
    assert GECA.induce(corpus, gaps=1, faithful="paper").count() == 2
