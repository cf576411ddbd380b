"""Looks: what made an example and what a grammar holds, from Python as from the command line."""

import json
from pathlib import Path

import pytest

from grammar import Grammar, OptionError, SynchronousGrammar
from induction import (
    Corpus,
    induce_double_dop,
    read_corpus,
    read_reviews,
    read_treebank,
    write_corpus,
)
from sampling import (
    GECA,
    TreeMix,
    augment,
    describe,
    explain,
    sample_pairs,
    sample_sentences,
)

REVIEWS = Corpus(read_reviews().table.select(["id", "text", "label", "tree"]).slice(0, 60))


def test_a_corpus_a_file_and_an_augmentation_are_explained_alike(tmp_path: Path) -> None:
    made = augment(REVIEWS, "treemix", n=3, seed=0)
    write_corpus(made.corpus, tmp_path / "made.jsonl")
    example = made.corpus[2]["id"]
    found = explain(made.corpus, example, source=REVIEWS)
    write_corpus(REVIEWS, tmp_path / "source.jsonl")
    filed = explain(tmp_path / "made.jsonl", example, source=tmp_path / "source.jsonl")
    assert filed.to_dict() == found.to_dict()
    # the manifest knows the options, so the spans are those of the grammar
    known = explain(made, example, source=REVIEWS)
    assert known.change.facts["class of the slot"]
    assert json.loads(json.dumps(known.to_dict())) == known.to_dict()
    grammar = TreeMix.induce(REVIEWS).grammar
    assert explain(made, example, grammar=grammar).to_dict() == known.to_dict()


def test_an_explanation_prints_and_draws_itself(tmp_path: Path) -> None:
    corpus = Corpus.from_columns(text=["<b>a red car</b>", "<b>a blue bike</b>"], id=["<i>", "&"])
    made = augment(corpus, "sub2(phrase=false, length=true)", n=1).corpus
    found = explain(made, made[0]["id"], source=corpus)
    page = found._repr_html_()
    assert page.startswith("<svg")
    assert "<b>" not in page
    assert "⟦+" in repr(found)
    found.draw(tmp_path / "made.svg")
    assert "put in" in (tmp_path / "made.svg").read_text("utf-8")


def test_what_cannot_be_shown_is_noted_and_what_is_wrong_refused() -> None:
    made = TreeMix.induce(REVIEWS).sample(1)
    found = explain(made, "treemix-0-0")
    assert found.note is not None
    assert not found.passages
    with pytest.raises(OptionError, match="there is no tree to draw"):
        explain(Corpus(made.table.drop(["tree"])), "treemix-0-0").draw("a.svg")
    with pytest.raises(OptionError, match="no example has the id 'x'"):
        explain(made, "x")
    with pytest.raises(OptionError, match="the source has no example"):
        explain(made, "treemix-0-0", source=Corpus.from_columns(text=["a"], id=["none"]))


def test_rules_trees_and_pictures_of_derivations(tmp_path: Path) -> None:
    fish = Grammar.parse("S -> NP VP [1] \n NP -> 'we' [1] \n VP -> 'swim' [1]")
    found = explain(sample_sentences(fish, 1), "0", grammar=fish)
    assert str(found.tree) == "(S (NP we) (VP swim))"
    assert found.facts["rules"][0] == "S -> NP VP [1.0]"
    assert found._repr_html_().startswith("<svg")
    fragments = induce_double_dop(read_treebank()[:40])
    fragments.save(tmp_path / "f.json")
    found = explain(sample_sentences(fragments, 1), "0", grammar=tmp_path / "f.json")
    assert found.facts["fragments"]
    pairs = SynchronousGrammar.parse("NT_1 twice ### NT_1 NT_1 [0.5]\nwalk ### WALK [0.5]")
    found = explain(sample_pairs(pairs, 1, depth=(2, 2)), "0", grammar=pairs)
    assert found.to_dict()["tree of the target"] == "(NT (NT WALK) (NT WALK))"
    found.draw(tmp_path / "pair.svg")


def test_a_look_at_a_grammar_a_sampler_and_a_file(tmp_path: Path) -> None:
    texts = ["the wug sang", "the cat sang", "the wug slept"]
    sampler = GECA.induce(Corpus.from_columns(text=texts), size=1)
    sampler.grammar.save(tmp_path / "g.json")
    seen = describe(sampler.grammar)
    assert seen.to_dict() == describe(sampler).to_dict() == describe(tmp_path / "g.json").to_dict()
    assert seen.family == "substitution"
    with pytest.raises(OptionError, match="no symbol 'NP'"):
        describe(sampler, "NP")
    with pytest.raises(OptionError, match="a list is no grammar\n.*induce one first"):
        describe(texts)


def test_the_source_may_be_whatever_is_read() -> None:
    rows = [{"text": "a red car", "label": 0}, {"text": "two blue bikes", "label": 1}]
    made = augment(rows, "sub2(phrase=false, length=true, text_label=false)", n=1)
    corpus = read_corpus(rows)
    asked = made.corpus.column("id")[0]
    shown = [passage.marked() for passage in explain(made, asked, source=corpus).passages]
    assert len(shown) == 3
    for source in (rows, corpus.table, corpus.table.to_pandas()):
        assert [p.marked() for p in explain(made, asked, source=source).passages] == shown
