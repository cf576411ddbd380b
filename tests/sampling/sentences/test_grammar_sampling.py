"""Sampling from the grammars of classes: probabilities, conditions, coverage, labels, streams."""

import math
import os
import re
import warnings
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grammar import Grammar
from grammar.errors import (
    BracketError,
    ChartGrammarError,
    CorpusError,
    EmptyLanguageError,
    LengthBandError,
    NotTightError,
    OptionError,
    SchemaError,
)
from grammar.families.lexicalised import LexicalisedGrammar
from grammar.families.tsg import TreeSubstitutionGrammar
from grammar.sampling_kernels.ancestral import derivation_trees
from grammar.trees.surfaces import surface_of
from grammar.trees.tree import Tree
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_sst
from induction.corpus.readers import read_reviews
from induction.corpus.text.tokens import plain_brackets
from induction.trees.normalise import with_capital
from sampling import GrammarSampler, ShortfallWarning, open_sampler
from sampling.method import induce
from sampling.sentences.class_grammars import (
    CLASSES,
    classes_of_rules,
    join_classes,
    with_class_shares,
)
from sampling.sentences.conditioned import ConditionedDraws, word_condition
from sampling.sentences.options import GrammarOptions
from tests.grammar.enumeration import all_derivations
from tests.grammar.strategies import grammars

MODELS = ("pcfg", "lpcfg", "double-dop")
DATA = os.environ.get("TREEWRIGHT_DATA")
FINITE = {"unary_cycles": False, "empty_rules": False}


@pytest.fixture(scope="module")
def reviews() -> Corpus:
    return read_reviews()


def small(**columns: Any) -> Corpus:
    trees = ["(S (N we) (V swim))", "(S (N they) (V run))", "(S (N it) (V (V rained) (A hard)))"]
    texts = ["we swim", "they run", "it rained hard"]
    return Corpus.from_columns(**{"text": texts, "tree": trees, "label": [0, 0, 1]} | columns)


# --- conditions -------------------------------------------------------------------------------


@given(
    grammars(**FINITE),
    st.sampled_from([None, "a", "a b", "c"]),
    st.sampled_from([None, "b", "c a"]),
    st.integers(1, 4),
    st.booleans(),
)
def test_derivations_under_conditions_are_those_of_the_grammar_given(
    grammar: Grammar, wanted: str | None, unwanted: str | None, longest: int, covering: bool
) -> None:
    assume(not set((wanted or "").split()) & set((unwanted or "").split()))

    def meets(tree: Tree) -> bool:
        words = set(tree.leaves())
        return words >= set((wanted or "").split()) and not words & set((unwanted or "").split())

    trees = {t: p for t, p in all_derivations(grammar, longest).items() if meets(t)}
    assume(trees)
    condition = word_condition(wanted, unwanted)
    draws = ConditionedDraws(grammar, condition, (0, longest), coverage=covering)
    if covering:
        drawn = draws.draw_for(np.uint64(1), np.arange(len(draws.targets)), draws.targets)
    else:
        drawn = draws.draw(np.uint64(1), 0, 30)
    found = draws.restored(drawn)
    for tree, log_probability in zip(
        derivation_trees(grammar, found), found.log_probability, strict=True
    ):
        assert trees[tree] == pytest.approx(math.exp(log_probability))
    words = [grammar.rules.words[w] for w in found.words.tolist()]
    leaves = [w for tree in derivation_trees(grammar, found) for w in tree.leaves()]
    assert words == leaves
    if covering:
        used = set(found.rules.tolist())
        numbers = {sides: i for i, sides in enumerate(grammar.rules)}
        assert used == {numbers[sides] for t in trees for sides in _rules(t)}


def _rules(tree: Tree) -> Any:
    from grammar.rules.rules import Nonterminal

    children = tuple(c if isinstance(c, str) else Nonterminal(c.label) for c in tree.children)
    yield Nonterminal(tree.label), children
    for child in tree.children:
        if isinstance(child, Tree):
            yield from _rules(child)


def test_draws_have_their_probability_given_words_length_and_class() -> None:
    one = Grammar.parse("S -> 'a' S 'b' [0.3] | 'a' [0.4] | 'b' 'c' 'b' 'a' [0.2] | 'c' S [0.1]")
    two = Grammar.parse("S -> S S [0.2] | 'a' [0.3] | 'b' [0.5]")
    joint = join_classes({3: one, 5: two}, {3: 1, 5: 3})
    shares = {3: 0.6, 5: 0.4}
    draws = ConditionedDraws(joint, word_condition("a", "c"), (2, 5), shares=shares)
    n = 6000
    found = draws.restored(draws.draw(np.uint64(9), 0, n))
    seen = Counter(derivation_trees(joint, found))
    mass: dict[int, dict[Tree, float]] = {3: {}, 5: {}}
    for tree, probability in all_derivations(joint, 5).items():
        words = tree.leaves()
        if len(words) >= 2 and "a" in words and "c" not in words:
            mass[3 if "label-3" in tree.children[0].label else 5][tree] = probability
    for label, trees in mass.items():
        total = sum(trees.values())
        expected = {t: n * shares[label] * p / total for t, p in trees.items()}
        assert sum(seen[t] for t in trees) == pytest.approx(n * shares[label], rel=0.06)
        likely = {t: e for t, e in expected.items() if e > 5}
        squares = sum((seen[t] - e) ** 2 / e for t, e in likely.items())
        assert squares < len(likely) + 4 * math.sqrt(2 * len(likely))
    assert sum(seen.values()) == sum(seen[t] for trees in mass.values() for t in trees)


# --- joint grammars ---------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
def test_joint_grammars_are_of_the_family_and_survive_saving(
    model: str, reviews: Corpus, tmp_path: Path
) -> None:
    sampler = GrammarSampler.induce(reviews, model=model, length="3:10")
    grammar = sampler.grammar
    kinds = {"pcfg": Grammar, "lpcfg": LexicalisedGrammar, "double-dop": TreeSubstitutionGrammar}
    assert isinstance(grammar, kinds[model])
    assert f"symbol:{CLASSES}" in grammar.graph
    pcfg = grammar if isinstance(grammar, Grammar) else grammar.pcfg
    of = classes_of_rules(pcfg)
    labels = Counter(reviews.column("label"))
    for label, size in labels.items():
        assert pcfg.weight[of == label].sum() == pytest.approx(size / len(reviews))
    grammar.save(tmp_path / "g.json")
    loaded = kinds[model].load(tmp_path / "g.json")
    assert loaded == grammar
    again = GrammarSampler(loaded)
    assert again.sample(40, seed=3).table.equals(sampler.sample(40, seed=3).table)


@pytest.mark.parametrize("model", MODELS)
def test_any_grammar_of_sentences_is_opened_and_sampled_as_by_default(
    model: str, tmp_path: Path
) -> None:
    options = {
        "model": model, "length": "1:6", "trees": False, "avoid": "bad", "vertical_markov": 1
    }  # fmt: skip
    sampler = GrammarSampler.induce(small(), **options)
    sampler.grammar.save(tmp_path / "noted.json")
    opened = open_sampler(tmp_path / "noted.json")
    assert opened.options == sampler.options
    assert opened.sample(1).names == ("id", "text", "label", "provenance")
    sampler.grammar.noted(options={}, known=[]).save(tmp_path / "plain.json")
    plain = open_sampler(tmp_path / "plain.json")
    assert plain.options == GrammarOptions()
    texts = set(plain.sample(2).column("text"))
    assert "tree" in plain.sample(1).names
    assert texts


def test_notes_that_are_none_of_the_method_are_refused(tmp_path: Path) -> None:
    grammar = GrammarSampler.induce(small(), length="1:5").grammar
    grammar.noted(options={"colour": "red"}).save(tmp_path / "g.json")
    with pytest.raises(OptionError, match="no option 'colour'"):
        open_sampler(tmp_path / "g.json")
    for notes, message in (
        ({"method": "sub2"}, "is of no method of augmentation"),
        ({"known": ["zz"]}, r"notes.known\[0\]: not a hash"),
        ({"options": "length"}, "notes.options: 'length' is not a mapping"),
    ):
        grammar.noted(**notes).save(tmp_path / "g.json")
        with pytest.raises(SchemaError, match=message):
            open_sampler(tmp_path / "g.json")


def test_no_rule_leads_from_one_class_to_another() -> None:
    grammar = GrammarSampler.induce(small(), model="pcfg", length="1:5").grammar
    for production in grammar:
        marks = {str(s).rpartition("^<")[2] for s in (production.lhs, *production.rhs)
                 if not isinstance(s, str) and "^<" in str(s)}  # fmt: skip
        assert len(marks) == 1


def test_shares_can_be_changed_and_other_grammars_are_refused() -> None:
    grammar = GrammarSampler.induce(small(), model="pcfg", length="1:5").grammar
    changed = with_class_shares(grammar, {0: 0.1, 1: 0.9})
    of = classes_of_rules(changed)
    assert changed.weight[of == 1].sum() == pytest.approx(0.9)
    with pytest.raises(OptionError, match="do not lead to classes"):
        classes_of_rules(Grammar.parse("S -> 'a' [1]"))


# --- the method -------------------------------------------------------------------------------

CHOICES = [
    {"model": "pcfg"},
    {"model": "lpcfg", "vertical_markov": 2},
    {"model": "double-dop", "distribution": "tempered", "temperature": 0.5, "length": "3:20"},
    {"distribution": "uniform", "length": "4:9", "shares": "equal"},
    {"distribution": "inverse-frequency", "length": (2, 12), "contains": "the", "avoid": ["a"]},
    {"distribution": "coverage", "length": "3:15", "horizontal_markov": 1},
    {"distribution": "coverage", "length": "3:9", "model": "double-dop", "contains": "."},
]


@pytest.mark.parametrize("options", CHOICES, ids=lambda o: "-".join(map(str, o.values())))
def test_examples_keep_what_was_asked_for(options: dict[str, Any], reviews: Corpus) -> None:
    sampler = GrammarSampler.induce(reviews, **options)
    made = sampler.sample(600, seed=2)
    texts = made.column("text")
    assert len(set(texts)) == len(made) == 600
    assert not set(texts) & {" ".join(Tree.parse(t).leaves()) for t in reviews.column("tree")}
    labels = set(reviews.column("label"))
    for row in made:
        tree = Tree.parse(row["tree"])
        words = row["text"].split()
        assert [surface_of(leaf) for leaf in tree.leaves()] == words
        assert words[0] == words[0][:1].upper() + words[0][1:]
        plain = {words[0].lower(), *words}  # the capital of a first word is not the grammar's
        assert tree.label not in (CLASSES, "TOP")
        assert "^<" not in row["tree"]
        assert "|<" not in row["tree"]
        assert row["label"] in labels
        if "length" in options:
            band = options["length"]
            low, high = map(int, band.split(":")) if isinstance(band, str) else band
            assert low <= len(words) <= high
        if "contains" in options:
            assert options["contains"] in plain
        if "avoid" in options:
            assert not set(plain) & set(options["avoid"])
    if options.get("shares") == "equal":
        assert Counter(made.column("label"))[0] == pytest.approx(300, abs=60)


@pytest.mark.parametrize("options", CHOICES[1:6:2], ids=lambda o: "-".join(map(str, o.values())))
def test_example_i_depends_on_seed_and_i_alone(options: dict[str, Any], reviews: Corpus) -> None:
    sampler = GrammarSampler.induce(reviews, **options)
    whole = sampler.sample(700, seed=4).table
    other = GrammarSampler.induce(reviews, **options)
    parts = list(other.batches(700, seed=4, workers=2, batch_size=83))
    assert pa.concat_tables(parts).equals(whole)
    assert other.sample(50, seed=4, start=300).table.equals(whole.slice(300, 50))
    assert other.sample(50, seed=5).column("text") != whole["text"].to_pylist()[:50]


def test_the_provenance_derives_the_example(reviews: Corpus) -> None:
    options = {"contains": "the", "length": "3:12", "distribution": "uniform", "model": "pcfg"}
    sampler = GrammarSampler.induce(reviews, **options)
    pcfg = sampler.drawn
    assert isinstance(pcfg, Grammar)
    for row in sampler.sample(50):
        rules = row["provenance"]["rules"]
        waiting, words = [pcfg.start], []
        for production in map(pcfg.production, rules):
            while isinstance(waiting[-1], tuple):
                words.append(waiting.pop()[0])
            assert waiting.pop() == production.lhs.name
            waiting += [(c,) if isinstance(c, str) else c.name for c in reversed(production.rhs)]
        words += [word for (word,) in reversed(waiting)]
        words[0] = with_capital(words[0])
        assert plain_brackets(" ".join(words)) == row["text"]
        expected = sum(math.log(pcfg.weight[r]) for r in rules)
        assert row["provenance"]["log_probability"] == pytest.approx(expected)
        assert f"label-{row['label']}" in str(pcfg.production(rules[0]))


@pytest.mark.parametrize("written", ["It is {0}. We saw it.", "It is {0} . We saw it ."])
def test_every_sentence_of_a_text_begins_with_a_capital(written: str) -> None:
    one = "(S (NP (PRP It)) (VP (VBZ is) (ADJP (JJ {0}))) (. .))"
    two = "(S (NP (PRP We)) (VP (VBD saw) (NP (PRP it))) (. .))"
    words = ["good", "bad", "long", "short"]
    corpus = Corpus.from_columns(
        text=[written.format(word) for word in words],
        tree=[f"(TOP {one.format(word)} {two})" for word in words],
    )
    sampler = GrammarSampler.induce(corpus, distinct=False, length="1:20")
    made = sampler.sample(100, seed=0)
    assert "we" in sampler.grammar.pcfg.rules.words  # one word wherever it stands
    for row in made:
        sentences = re.split(r"(?<=\.) ", row["text"].replace(" .", "."))
        assert len(sentences) == 2
        assert all(each[0].isupper() and each[1:].islower() for each in sentences), row["text"]
        leaves = Tree.parse(row["tree"]).leaves()
        assert "".join(leaves) == row["text"].replace(" ", "")


def test_coverage_uses_every_rule_within_as_many_draws(reviews: Corpus) -> None:
    how: dict[str, Any] = {"length": "1:30", "distinct": False, "vertical_markov": 1}
    sampler = GrammarSampler.induce(reviews, distribution="coverage", **how)
    usable = sampler._draws.targets
    assert len(usable) > 1500
    made = sampler.sample(len(usable), seed=1)
    covered = [set(row["rules"]) for row in made.column("provenance")]
    assert set().union(*covered) == set(usable.tolist())
    # greedy: most of the rules come with the first draws, and MLE leaves many out
    plain = GrammarSampler.induce(reviews, **how).sample(len(usable))
    by_frequency = set().union(*(set(row["rules"]) for row in plain.column("provenance")))
    first = set().union(*covered[: len(usable) // 2])
    assert len(first) > len(by_frequency)


def test_coverage_passes_over_rules_that_make_nothing_new() -> None:
    corpus = Corpus.from_columns(
        text=["a b", "a c", "d"], tree=["(S (A a) (B b))", "(S (A a) (B c))", "(S (D d))"]
    )
    sampler = GrammarSampler.induce(corpus, distribution="coverage", length="1:3")
    with pytest.warns(ShortfallWarning, match="only 0 distinct"):
        assert len(sampler.sample(2)) == 0


def test_texts_are_parsed_if_there_are_no_trees(reviews: Corpus) -> None:
    from grammar.chart.parses import NoParse
    from induction.parsers.protocol import TextParser

    class Flat(TextParser):
        name, version = "flat", "1"

        def parse_each(self, sentences: Any, *, tags: Any = None) -> Any:
            for s in sentences:
                words = tuple(s.split())
                if "x" in words:
                    yield NoParse(words, "it has an x")
                else:
                    yield Tree("S", tuple(Tree("W", (word,)) for word in words))

    corpus = Corpus.from_columns(text=["a b", "c d", "x y"], label=[1, 1, 0])
    made = GrammarSampler.induce(corpus, parser=Flat(), model="pcfg", length="any").sample(14)
    assert set(made.column("label")) == {1}
    with pytest.raises(CorpusError, match="no text has a parse"):
        GrammarSampler.induce(Corpus.from_columns(text=["x"]), parser=Flat())


def test_without_labels_there_is_one_grammar() -> None:
    corpus = small()
    plain = Corpus(corpus.table.drop(["label"]))
    sampler = induce("grammar", plain, model="pcfg")
    assert sampler.grammar.start == "TOP"
    made = sampler.sample(3)
    assert made.names == ("id", "text", "tree", "provenance")
    assert "trees" in GrammarSampler.Options.__dataclass_fields__
    assert "tree" not in induce("grammar", plain, trees=False).sample(3).names


def test_a_finite_language_ends_in_an_honest_shortfall() -> None:
    corpus = Corpus.from_columns(
        text=["we swim", "they run"], tree=["(S (N we) (V swim))", "(S (N they) (V run))"]
    )
    sampler = GrammarSampler.induce(corpus, model="pcfg")
    assert sampler.count() == 4  # two of them are known
    with pytest.warns(ShortfallWarning, match="only 2 distinct"):
        assert sorted(sampler.sample(9).column("text")) == ["they swim", "we run"]
    repeated = GrammarSampler.induce(corpus, model="pcfg", distinct=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(repeated.sample(9)) == 9
    assert (
        GrammarSampler.induce(small(), model="pcfg", length="any", vertical_markov=1).count()
        == 2**63 - 1
    )


def test_roots_called_top_stay_where_the_corpus_has_them() -> None:
    trees = ["(TOP (S (N we) (V swim)))", "(TOP (S (N they) (V run)))"]
    corpus = Corpus.from_columns(text=["we swim", "they run"], tree=trees)
    assert all(
        t.startswith("(TOP (S")
        for t in GrammarSampler.induce(corpus, model="pcfg").sample(2).column("tree")
    )


def test_words_without_tags_make_rules_without_heads() -> None:
    untagged = Corpus.from_columns(
        text=["we swim", "they run"], tree=["(S we swim)", "(S they run)"]
    )
    assert isinstance(GrammarSampler.induce(untagged).grammar, Grammar)
    assert isinstance(GrammarSampler.induce(small()).grammar, LexicalisedGrammar)
    with pytest.raises(ChartGrammarError, match="next to other symbols"):
        GrammarSampler.induce(untagged, model="lpcfg")


def test_first_words_are_one_with_the_same_words_elsewhere() -> None:
    trees = ["(S (NP (D The) (N dog)) (V ran))", "(S (NNP Rex) (VP (V saw) (NP (D the) (N cat))))"]
    texts = ["The dog ran", "Rex saw the cat"]
    corpus = Corpus.from_columns(text=texts, tree=trees)
    sampler = GrammarSampler.induce(corpus, model="pcfg")
    assert {"the", "Rex"} < set(sampler.grammar.rules.words)
    made = sampler.sample(5)
    assert {"The cat ran", "Rex saw the dog"} <= set(made.column("text"))
    assert not {*texts} & set(made.column("text"))  # known as they are written
    for text, tree in zip(made.column("text"), made.column("tree"), strict=True):
        assert tuple(text.split()) == Tree.parse(tree).leaves()
    small_letters = Corpus.from_columns(
        text=[t.lower() for t in texts], tree=[t.replace("The", "the") for t in trees[:1]] + [
            trees[1].replace("Rex", "rex")])  # fmt: skip
    made = GrammarSampler.induce(small_letters, model="pcfg").sample(5)
    assert all(text.islower() for text in made.column("text"))


# --- faults -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "options", "error", "message"),
    [
        ({"text": []}, {}, CorpusError, "the corpus is empty"),
        ({"text": ["a"], "tree": [None]}, {}, CorpusError, "example '0': the tree is missing"),
        ({"text": ["a"], "tree": ["(S (A a)"]}, {}, BracketError, "column 'tree'"),
        ({"text": ["a"], "tree": ["(S a) (S b)"]}, {}, CorpusError, "2 trees for 1"),
        ({"text": ["a"], "tree": ["(S a)"], "label": [[0.5, 0.5]]}, {}, CorpusError,
         "labels are distributions"),
        ({"text": ["a"], "tree": ["(S a)"], "label": [None]}, {}, CorpusError, "missing"),
        (None, {"length": "9"}, LengthBandError, "no sentence of 9 to 9"),
        (None, {"length": "5:x"}, OptionError, "is not a band"),
        (None, {"length": "7:5"}, OptionError, "is not a band"),
        (None, {"contains": "hard"}, EmptyLanguageError, "label 0: no sentence of this class"),
        (None, {"contains": "soft"}, EmptyLanguageError, "no word 'soft'"),
        (None, {"distribution": "coverage", "length": "any"}, OptionError, "needs a length band"),
        (None, {"temperature": 2.0}, OptionError, "does nothing to 'mle'"),
        (None, {"model": "hmm"}, OptionError, "use one of pcfg, lpcfg"),
        (None, {"lenght": "3"}, OptionError, "did you mean 'length'"),
    ],
)  # fmt: skip
def test_faults_are_one_clear_error(
    columns: dict[str, Any] | None, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    corpus = small() if columns is None else Corpus.from_columns(**columns)
    if columns is None and "length" in options and options["length"] == "9":
        corpus = Corpus.from_columns(text=["a b"], tree=["(S (A a) (B b))"])
    with pytest.raises(error, match=f"(?s){message}"):
        GrammarSampler.induce(corpus, **options)


def test_a_distribution_that_is_not_tight_names_the_band_of_the_corpus() -> None:
    corpus = Corpus.from_columns(
        text=["a", "a a a"], tree=["(S (A a))", "(S (S (A a)) (S (S (A a)) (S (A a))))"]
    )
    with pytest.raises(NotTightError, match="grow without end") as error:
        GrammarSampler.induce(corpus, model="pcfg", distribution="uniform", length="any")
    assert "length='1:3'" in error.value.hint
    of_corpus = GrammarSampler.induce(corpus, model="pcfg", distribution="uniform", distinct=False)
    assert {len(text.split()) for text in of_corpus.sample(200).column("text")} == {1, 2, 3}


# --- real data --------------------------------------------------------------------------------


@pytest.mark.skipif(not DATA, reason="TREEWRIGHT_DATA is not set")
@pytest.mark.parametrize("distribution", ["mle", "uniform", "coverage"])
def test_sst(distribution: str) -> None:
    corpus = read_sst(Path(str(DATA)) / "sst" / "dev.txt.gz")
    sampler = GrammarSampler.induce(
        corpus, distribution=distribution, length="4:30", vertical_markov=2
    )
    made = sampler.sample(1000)
    assert len(made) == 1000
    assert set(made.column("label")) == {0, 1, 2, 3, 4}
    for label, tree in zip(made.column("label"), made.column("tree"), strict=True):
        assert Tree.parse(tree).label == str(label)
    assert all(a < b for a, b in pairwise(row["index"] for row in made.column("provenance")))


@pytest.mark.parametrize("model", MODELS)
def test_whole_sentences_end_as_those_of_the_corpus_do(model: str, reviews: Corpus) -> None:
    """Without its parent's label, a clause inside a sentence needs no full stop, so none does."""
    made = GrammarSampler.induce(reviews, model=model).sample(500).column("text")
    ended = [text.endswith((".", "!", "?", "''")) for text in reviews.column("text")]
    assert np.mean([text.endswith((".", "!", "?", "''")) for text in made]) > np.mean(ended) - 0.05
