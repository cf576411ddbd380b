"""The verb explain, for every method: what was exchanged or edited, in texts and in pictures."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from typer.testing import CliRunner

from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus, write_corpus
from induction.corpus.readers import read_reviews
from sampling import GECA, RandMix, Sub2, TreeMix, induce
from sampling.examples.passages import IN, OUT, Passage, Span, read_sentence
from sampling.explanations.edits import edits_of
from sampling.explanations.exchanges import explain_exchange, find_words, holes
from sampling.expression import read_step
from sampling.pipeline.augment import augment
from sampling.pipeline.manifest import file_hash, manifest_path
from treewright.cli import app

REVIEWS = Corpus(read_reviews().table.select(["id", "text", "label", "tree"]).slice(0, 60))
PLAIN = Corpus(REVIEWS.table.select(["id", "text", "label"]))
NO_WORDNET = {"eda": {"alpha_sr": 0, "alpha_ri": 0, "repair": "none"}}
TOKEN_METHODS = ("eda", "aeda", "random-word", "switchout", "worddrop", "shuffle")


@pytest.fixture
def explain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)

    def run(*arguments: Any) -> Any:
        return CliRunner().invoke(app, ["explain", *map(str, arguments)], catch_exceptions=True)

    return run


def facts(done: Any) -> dict[str, Any]:
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def by_id(corpus: Corpus) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in corpus}


def marked(passage: dict[str, Any]) -> list[str]:
    return [passage["text"][mark["start"] : mark["end"]] for mark in passage["marks"]]


# --- spans -------------------------------------------------------------------------------------

SPAN_METHODS = {
    "sub2": (Sub2, {"phrase": True, "label": True}),
    "treemix": (TreeMix, {}),
    "randmix": (RandMix, {}),
}


@pytest.mark.parametrize("with_grammar", [False, True])
@pytest.mark.parametrize("name", SPAN_METHODS)
def test_the_exchanged_spans_are_marked(explain: Any, name: str, with_grammar: bool) -> None:
    method, options = SPAN_METHODS[name]
    # as it was drawn; a mended word beside the mark is in a test of its own
    sampler = method.induce(REVIEWS, **options, repair="none")
    made = sampler.sample(4, seed=1)
    write_corpus(made, "made.jsonl")
    write_corpus(REVIEWS, "source.jsonl")
    sampler.grammar.save("g.arrow")
    sources = by_id(REVIEWS)
    for row in made:
        beside = ("--grammar", "g.arrow") if with_grammar else ("--source", "source.jsonl")
        found = facts(explain("made.jsonl", row["id"], *beside, "--json"))
        host, donor, new = found["passages"]
        parents = [sources[id] for id in row["provenance"]["parents"]]
        assert [host["text"], donor["text"], new["text"]] == [
            parents[0]["text"], parents[1]["text"], row["text"]
        ]  # fmt: skip
        (gone,), (given,), (put,) = marked(host), marked(donor), marked(new)
        assert given == put == found["taken from the insert"][0]
        assert gone == found["removed from the source"][0]
        mark, hole = new["marks"][0], host["marks"][0]
        # the host with the filler in its hole is the new text
        assert host["text"][: hole["start"]] == new["text"][: mark["start"]]
        assert host["text"][hole["end"] :] == new["text"][mark["end"] :]
        assert ("context" in found) == with_grammar
        if with_grammar:
            filler = found["substitute"].rpartition(" [")[0]
            assert filler == f"⟨0⟩ {put}"
            context = found["context"].rpartition(" [")[0]
            assert context.replace("⟨0⟩", gone) == parents[0]["text"]


def test_the_mixed_label_is_explained_by_words(explain: Any) -> None:
    corpus = Corpus.from_columns(
        text=["no plot at all", "a very fine film"],
        label=[0, 1],
        tree=["(S (NP no plot) (PP at all))", "(NP (NP a (AP very fine)) film)"],
    )
    made = TreeMix.induce(corpus, high=0.5, mix="cross").sample(4)
    write_corpus(made, "made.jsonl")
    write_corpus(corpus, "source.jsonl")
    for row in made:
        found = facts(explain("made.jsonl", row["id"], "--source", "source.jsonl", "--json"))
        kept, words = map(int, re.match(r"(\d+)/(\d+) of", found["label"]).groups())  # type: ignore[union-attr]
        host = int(row["provenance"]["parents"][0])
        assert words == len(row["text"].split())
        assert row["label"][host] == pytest.approx(kept / words, abs=1e-6)


def test_pairs_show_both_texts(explain: Any) -> None:
    corpus = Corpus.from_columns(
        text=["a b c d", "e f g h"], text_pair=["i j k l", "m n o p"], label=[0, 1]
    )
    made = RandMix.induce(corpus, mix="cross").sample(3)
    write_corpus(made, "made.jsonl")
    write_corpus(corpus, "source.jsonl")
    found = facts(explain("made.jsonl", made[0]["id"], "--source", "source.jsonl", "--json"))
    titles = [passage["title"].partition(":")[0] for passage in found["passages"]]
    assert titles == ["source", "source (pair)", "insert", "insert (pair)", "new", "new (pair)"]
    assert all(len(passage["marks"]) == 1 for passage in found["passages"])
    assert "taken from the insert of the pair" in found


def test_geca_marks_every_hole(explain: Any) -> None:
    corpus = Corpus.from_columns(
        text=[
            "she picks the wug up in Fresno",
            "she puts the wug down in Tempe",
            "Pat picks cats up",
            "Pat puts cats down",
        ]
    )
    made = GECA.induce(corpus, gaps=2).sample()
    write_corpus(made, "made.jsonl")
    write_corpus(corpus, "source.jsonl")
    for row in made:
        found = facts(explain("made.jsonl", row["id"], "--source", "source.jsonl", "--json"))
        host, _, new = found["passages"]
        spans = row["provenance"]["spans"]
        words = row["text"].split()
        assert marked(new) == [" ".join(words[s["start"] : s["end"]]) for s in spans]
        assert sorted([marked(host), marked(new)]) == [["picks", "up"], ["puts", "down"]]


def test_repaired_words_do_not_hide_the_hole() -> None:
    row = {
        "id": "n", "text": "An old film", "label": 0,
        "provenance": {"spans": [{"start": 1, "end": 2}], "rules": [0, 1]},
    }  # fmt: skip
    parents = [{"id": "h", "text": "A very good film"}, {"id": "d", "text": "Old dogs"}]
    explained = explain_exchange(row, parents, plain=False, mixes=False, grammar=None)
    assert [passage.marked() for passage in explained.passages] == [
        "A ⟦−very good⟧ film", "⟦+Old⟧ dogs", "An ⟦+old⟧ film"
    ]  # fmt: skip


WORDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=8)


@given(host=WORDS, data=st.data())
def test_holes_filled_again_give_the_new_text(host: list[str], data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(host)), min_size=2, max_size=6)))
    gone = [(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    new: list[str] = []
    put, at = [], 0
    for a, b in gone:
        new += host[at:a]
        fill = data.draw(st.lists(st.sampled_from("xy"), min_size=1, max_size=3))
        put.append((len(new), len(new) + len(fill)))
        new += fill
        at = b
    new += host[at:]
    found = holes(host, new, put)
    assert found is not None
    filled, at = [], 0
    for (a, b), (c, d) in zip(found, put, strict=True):
        filled += host[at:a] + new[c:d]
        at = b
    assert filled + host[at:] == new


def test_what_is_not_there_is_not_found() -> None:
    assert holes(list("abc"), list("xbd"), [(0, 1), (2, 2)]) is None
    assert find_words(list("abc"), list("bd")) is None
    assert find_words(list("abab"), list("ab"), 1) == (2, 4)


# --- edited words ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TOKEN_METHODS)
def test_operations_lead_from_the_source_to_the_new_text(explain: Any, name: str) -> None:
    made = induce(name, PLAIN, **NO_WORDNET.get(name, {})).sample(10, seed=4)
    write_corpus(made, "made.jsonl")
    write_corpus(PLAIN, "source.jsonl")
    sources = by_id(PLAIN)
    for row in list(made)[:4]:
        found = facts(explain("made.jsonl", row["id"], "--source", "source.jsonl", "--json"))
        source, new = found["passages"]
        parent = sources[row["provenance"]["parents"][0]]
        assert (source["text"], new["text"]) == (parent["text"], row["text"])
        assert found["operations"]
        put = [mark for mark in new["marks"] if mark["kind"] == IN]
        assert bool(put) == bool(row["provenance"]["spans"])


@given(old=WORDS, data=st.data())
def test_edits_account_for_every_word(old: list[str], data: st.DataObject) -> None:
    new = data.draw(st.permutations(old))
    new = new[data.draw(st.integers(0, len(new) - 1)) :]
    put = []
    for _ in range(data.draw(st.integers(0, 2))):
        at = data.draw(st.integers(0, len(new)))
        assume(all(not start < at < end for start, end in put))
        fill = data.draw(st.lists(st.sampled_from("abx"), min_size=1, max_size=2))
        shift = len(fill)
        put = [(s + shift, e + shift) if s >= at else (s, e) for s, e in put]
        put.append((at, at + shift))
        new = [*new[:at], *fill, *new[at:]]
    edits = edits_of(old, new, sorted(put))
    before = [n for edit in edits for n in range(*edit.before)]
    after = [n for edit in edits for n in range(*edit.after)]
    assert len(set(before)) == len(before)
    assert len(set(after)) == len(after)
    kept = [word for n, word in enumerate(old) if n not in before]
    assert kept == [word for n, word in enumerate(new) if n not in after]
    for edit in edits:
        if edit.what == "moved":
            assert old[edit.before[0]] == new[edit.after[0]]
    assert {n for start, end in put for n in range(start, end)} <= {
        n for edit in edits if edit.what in ("put in", "replaced") for n in range(*edit.after)
    }


# --- words and marks ---------------------------------------------------------------------------


def test_words_lie_where_the_text_has_them() -> None:
    assert read_sentence({"text": " é漢  b."}).words == ("é漢", "b.")
    tokens = read_sentence({"text": "é漢 b.", "tokens": ["é", "漢", "b", "."]})
    assert tokens.places == ((0, 1), (1, 2), (3, 4), (4, 5))
    tree = read_sentence({"text": "a b.", "tree": "(S (X a) (X b) (X .))"})
    assert tree.words == ("a", "b", ".")
    # multiword tokens are not in the text, so the text is made of the words
    assert read_sentence({"text": "vámonos", "tokens": ["vamos", "nos"]}).text == "vamos nos"


def test_neighbouring_marks_are_one() -> None:
    sentence = read_sentence({"text": "a b  c d"})
    passage = sentence.passage("t", [Span(2, 3, OUT), Span(1, 2, OUT), Span(0, 1, IN)])
    assert passage.marked() == "⟦+a⟧ ⟦−b  c⟧ d"
    # ALP puts words into phrases that it put in
    nested = sentence.passage("t", [Span(0, 3, IN), Span(1, 2, IN), Span(3, 3, IN)])
    assert nested.marked() == "⟦+a b  c⟧ d"
    assert Passage("t", "plain").pieces() == [("plain", None)]


# --- what lies beside the output ---------------------------------------------------------------


def manifest(output: str, expression: str) -> None:
    made = augment(REVIEWS, expression, n=12, seed=3)
    write_corpus(made.corpus, output)
    write_corpus(REVIEWS, "source.jsonl")
    digest = file_hash("source.jsonl")
    entry = {"path": "source.jsonl", "sha256": digest, "examples": len(REVIEWS)}
    path = Path(manifest_path(output))
    path.write_text(json.dumps({**made.manifest, "input": entry, "columns": {}}))


@pytest.mark.parametrize("told_by", ["grammar", "manifest", "nothing"])
@pytest.mark.parametrize("expression", ["fluent", "fluent(sub2)", "agree(fluent(treemix))"])
def test_an_operator_is_explained_as_the_method_it_is_applied_to(
    explain: Any, expression: str, told_by: str
) -> None:
    write_corpus(REVIEWS, "source.jsonl")
    if told_by == "manifest":
        manifest("made.jsonl", expression)
        beside: tuple[str, ...] = ()
    else:
        step = read_step(expression)
        sampler = induce(step.method, REVIEWS, **step.options)
        write_corpus(sampler.sample(3), "made.jsonl")
        sampler.grammar.save("g.arrow")
        beside = ("--source", "source.jsonl")
        beside = ("--grammar", "g.arrow") if told_by == "grammar" else beside
    for row in read_corpus("made.jsonl"):
        found = facts(explain("made.jsonl", row["id"], *beside, "--json"))
        who = [passage["title"].partition(":")[0] for passage in found["passages"]]
        if told_by == "nothing":  # nobody says of what method the operator is
            assert who == ["parent 1", "parent 2", "new"]
            continue
        assert who == ["source", "insert", "new"]
        assert found["removed from the source"] == marked(found["passages"][0])
        assert found["substitute"].startswith("⟨0⟩ ")


def test_the_manifest_names_the_source_and_the_grammar(explain: Any) -> None:
    manifest("made.jsonl", "treemix(high=0.4)")
    found = facts(explain("made.jsonl", "treemix-3-0", "--json"))
    assert found["passages"][0]["title"].startswith("source: ")
    assert found["substitutes of the class"] > 1
    Path("source.jsonl").unlink()
    done = explain("made.jsonl", "treemix-3-0", "--json")
    assert "name their corpus as the source: --source" in done.stderr
    assert "passages" not in json.loads(done.stdout)


def test_a_chain_shows_all_originals(explain: Any) -> None:
    manifest("made.jsonl", "sub2(phrase=true) | aeda")
    (row, *_) = augment(REVIEWS, "sub2(phrase=true) | aeda", n=12, seed=3).corpus
    found = facts(explain("made.jsonl", row["id"], "--json"))
    *parents, new = found["passages"]
    sources = by_id(REVIEWS)
    assert [p["text"] for p in parents] == [
        sources[id]["text"] for id in row["provenance"]["parents"]
    ]
    assert marked(new)


@pytest.mark.parametrize("suffix", ["svg", "png"])
@pytest.mark.parametrize("name", ["treemix", "aeda"])
def test_pictures_show_the_texts(explain: Any, name: str, suffix: str) -> None:
    made = induce(name, REVIEWS if name == "treemix" else PLAIN).sample(1)
    write_corpus(made, "made.jsonl")
    write_corpus(REVIEWS, "source.jsonl")
    arguments = ("made.jsonl", made[0]["id"], "--source", "source.jsonl", "--plot", f"p.{suffix}")
    assert explain(*arguments).exit_code == 0
    if suffix == "svg":
        drawn = Path("p.svg").read_text()
        assert "put in" in drawn
        assert all(word in drawn for word in made[0]["text"].split()[:2])
    assert Path(f"p.{suffix}").stat().st_size > 1000


def test_people_see_marked_texts(explain: Any) -> None:
    made = TreeMix.induce(REVIEWS).sample(1)
    write_corpus(made, "made.jsonl")
    write_corpus(REVIEWS, "source.jsonl")
    shown = explain("made.jsonl", "treemix-0-0", "--source", "source.jsonl")
    assert shown.exit_code == 0
    assert "⟦−" in shown.stdout
    assert shown.stdout.count("⟦+") == 2


def test_a_source_without_the_parents_is_refused(explain: Any) -> None:
    made = TreeMix.induce(REVIEWS).sample(1)
    write_corpus(made, "made.jsonl")
    write_corpus(Corpus.from_columns(text=["a"], id=["none"]), "other.jsonl")
    done = explain("made.jsonl", "treemix-0-0", "--source", "other.jsonl")
    assert done.exit_code != 0
    assert "the source has no example" in str(done.exception) + done.output


def test_another_grammar_is_refused(explain: Any) -> None:
    made = TreeMix.induce(REVIEWS).sample(1)
    write_corpus(made, "made.jsonl")
    few = Corpus(REVIEWS.table.slice(0, 5))
    for number, sampler in enumerate((TreeMix.induce(few), Sub2.induce(REVIEWS, phrase=True))):
        sampler.grammar.save(f"{number}.arrow")
        done = explain("made.jsonl", "treemix-0-0", "--grammar", f"{number}.arrow")
        assert "no derivation of this grammar" in str(done.exception)


# --- inspect -----------------------------------------------------------------------------------


@pytest.fixture
def inspect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)

    def run(*arguments: Any) -> Any:
        return CliRunner().invoke(app, ["inspect", *map(str, arguments)], catch_exceptions=True)

    return run


def test_a_saved_span_grammar_is_inspected(inspect: Any) -> None:
    sampler = Sub2.induce(REVIEWS, phrase=True, label=True)
    grammar, pools = sampler.grammar, sampler.grammar.pools
    grammar.save("g.arrow")
    found = facts(inspect("g.arrow", "--json", "--top", "3"))
    sizes = {name: pools.offsets[k + 1] - pools.offsets[k] for k, name in enumerate(pools.names)}
    assert (found["method"], found["contexts"]) == ("sub2 2", len(pools.of_site))
    assert found["classes"] == len(pools.names)
    assert found["largest classes"][0]["substitutes"] == max(sizes.values())
    assert found["pairs of a context and a substitute"] == sum(n * n for n in sizes.values())
    # all sites are alike, and a derivation is a host and one of its class
    shares = [n / len(pools.of_site) for n in sizes.values()]
    expected = math.log2(len(pools.of_site)) + sum(
        share * math.log2(n) for share, n in zip(shares, sizes.values(), strict=True)
    )
    assert found["entropy of a derivation in bits"] == pytest.approx(expected)
    assert len(found["most probable contexts"]) == 3


def test_one_class_of_a_span_grammar(inspect: Any) -> None:
    sampler = Sub2.induce(REVIEWS, phrase=True, label=True)
    sampler.grammar.save("g.arrow")
    done = inspect("g.arrow", "--lhs", "NP", "--top", "4", "--plot", "p.svg")
    assert done.exit_code == 0
    assert "contexts of NP" in done.stdout
    assert "substitutes of NP" in done.stdout
    assert "substitutes, the 4 most probable" in Path("p.svg").read_text()
    assert inspect("g.arrow", "--plot", "all.svg").exit_code == 0
    assert "how often a slot is of each class" in Path("all.svg").read_text()
    refused = inspect("g.arrow", "--lhs", "NPP")
    assert refused.exit_code != 0
    assert "NP" in str(refused.exception)


def test_the_graph_of_a_span_grammar_is_written(inspect: Any) -> None:
    corpus = Corpus.from_columns(
        text=["no plot at all", "a very fine film"],
        label=[0, 1],
        tree=["(S (NP no plot) (PP at all))", "(NP (NP a (AP very fine)) film)"],
    )
    grammar = TreeMix.induce(corpus, high=0.5).grammar
    grammar.save("g.arrow")
    assert inspect("g.arrow", "--graphml", "g.graphml").exit_code == 0
    graph = nx.read_graphml("g.graphml")
    assert set(graph) == set(grammar.graph)
    assert graph.number_of_edges() == grammar.graph.number_of_edges()
