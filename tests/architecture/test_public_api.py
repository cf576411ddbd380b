"""What the front door offers under usual names: one call, whatever a person has."""

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from grammar.errors import CorpusError, OptionError, UnreadableInputError
from grammar.trees.given import as_treebank

FRAME = pd.DataFrame({"review": ["a fine film", "a poor film"] * 6, "stars": [5, 1] * 6})
TREES = ["(S (NP we) (VP ran))", "(S (NP we) (VP sat))"]


def test_scan_keeps_its_own_names():
    import scan

    assert tw.split is not scan.split
    assert scan.parse is not tw.parse


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [0.25, 3])
def test_a_split_is_stratified_and_loses_nothing(size, seed):
    train, test = tw.split(FRAME.assign(id=range(12)), size, seed=seed)
    assert sorted(train.column("id") + test.column("id")) == sorted(map(str, range(12)))
    assert len(test) == 3
    assert {1, 2} == {test.column("label").count(5), test.column("label").count(1)}
    assert tw.split(FRAME, size, seed=seed)[1].column("text") == test.column("text")


@pytest.mark.parametrize("size", [0, 1.5, 12, -1, 0.01])
def test_a_split_has_two_sides(size):
    with pytest.raises(OptionError, match="leaves nothing on one side"):
        tw.split(FRAME, size)


def test_a_classifier_names_texts(tmp_path):
    model = tw.train(FRAME, method="aeda")
    assert model.predict(["fine", "poor"]).tolist() == [5, 1]
    assert model.predict("fine") == [5]
    np.testing.assert_allclose(model.probabilities(["fine"]).sum(), 1.0)
    assert model.score(FRAME).accuracy == 1.0
    model.save(tmp_path / "model")
    assert tw.open_classifier(tmp_path / "model").classes == model.classes
    assert tw.open_classifier(tmp_path / "model").predict("fine") == [5]


@pytest.mark.parametrize(
    "trees",
    [TREES, " ".join(TREES), tw.Treebank(TREES), [tw.Tree.parse(t) for t in TREES]],
    ids=["brackets", "text", "treebank", "trees"],
)
def test_trees_go_wherever_a_treebank_goes(trees):
    import nltk

    expected = tw.induce_pcfg(tw.Treebank.parse(" ".join(TREES)))
    assert list(tw.induce_pcfg(trees)) == list(expected)
    theirs = [nltk.Tree.fromstring(str(tree)) for tree in as_treebank(trees)]
    assert list(tw.induce_pcfg(theirs)) == list(expected)
    assert list(tw.induce_pcfg(iter(theirs))) == list(expected)
    assert tw.treebank_of(trees) == tw.Treebank(theirs)
    assert len(tw.count_rules(trees)) == 4
    assert tw.evalb(trees, theirs).all.f1 == 100.0


def test_what_is_no_tree_is_refused():
    with pytest.raises(ValueError, match="'we ran' is not a tree"):
        tw.Treebank(["we ran"])
    with pytest.raises(OptionError, match="treebank_of"):
        tw.induce_pcfg(["we ran"])
    assert len(tw.Treebank([])) == 0


def test_a_text_gives_texts_and_a_word_says_how():
    [made] = tw.augment("a fine film that ends well", "aeda", n=1)
    assert made != "a fine film that ends well"
    assert len(tw.augment(["a fine film", "a poor film"], "aeda", n=3)) == 3
    with pytest.raises(UnreadableInputError, match=r"\['film'\]"):
        tw.augment("film", "aeda")


def test_results_go_into_frames():
    made = tw.augment(FRAME, "aeda", n=3)
    assert made.to_pandas().text.tolist() == made.corpus.column("text")
    for library, method in (("polars", "to_polars"), ("datasets", "to_dataset")):
        pytest.importorskip(library)
        assert list(getattr(made, method)()["text"]) == made.corpus.column("text")


def test_sentences_of_any_grammar():
    text = "S -> 'a' S [0.4] | 'b' [0.6]"
    assert tw.generate(text, 5) == tw.generate(tw.Grammar.parse(text), 5)
    assert tw.generate(text, 5, length=(1, 1)) == ["b"] * 5


def test_one_text_is_one_sentence():
    parser = tw.open_parser(tw.Grammar.parse("S -> 'so' S [1/2] | 'good' [1/2]"))
    assert len(parser.parse("so good")) == 1
    assert len(parser.parse("so good", tags=None)) == 1
    assert str(tw.parse("so good", parser)) == "(S so (S good))"
    assert len(tw.parse(["so good", "good"], parser)) == 2


def test_words_that_a_grammar_lacks_are_those_of_the_command_line():
    grammar = tw.induce_pcfg([*TREES, "(S (NP they) (VP fell))"])
    opened = next(tw.open_parser(grammar).parse_each(["zebras ran"]))
    assert grammar.parse_sentence("zebras ran") == opened
    assert opened.leaves() == ("zebras", "ran")


def test_rows_of_a_data_set_are_not_batches():
    with pytest.raises(CorpusError, match="batched=True"):
        tw.TextAugmenter("aeda")({"text": "a fine film", "label": 1})


def test_an_augmenter_with_an_estimator_is_an_estimator():
    from sklearn.base import clone, is_classifier
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    texts, classes = FRAME.review, FRAME.stars
    model = tw.TextAugmenter("aeda", make_pipeline(TfidfVectorizer(), LogisticRegression()), n=4)
    copy = clone(model).set_params(estimator__logisticregression__C=10.0, n=6)
    assert copy.get_params()["estimator__logisticregression__C"] == 10.0
    assert (copy.settings, model.settings) == ({"n": 6}, {"n": 4})
    assert is_classifier(model)
    assert model.fit(texts, classes).score(texts, classes) == 1.0
    assert model.classes_.tolist() == [1, 5]
    assert not hasattr(tw.TextAugmenter("aeda"), "fit")
    mixing = tw.TextAugmenter("randmix", LogisticRegression(), n=2)
    with pytest.raises(OptionError, match="several classes at once"):
        mixing.fit([f"{text} that is rather long" for text in texts], ["a", "b"] * 6)
    with pytest.raises(TypeError, match=r"make_pipeline\(TfidfVectorizer"):
        make_pipeline(tw.TextAugmenter("aeda"), LogisticRegression()).fit(texts, classes)


def test_base_labels_find_what_annotates_them(tmp_path):
    trees = [
        "(S (NP (D the) (N dog)) (VP (V saw) (NP (D a) (N cat))))",
        "(S (NP (N cats)) (VP (V ran)))",
    ]
    grammar = tw.induce_pcfg(trees, vertical_markov=2)
    left = {str(rule.lhs) for rule in grammar.productions("NP")}
    assert left == {"NP^<S>", "NP^<VP>"}
    assert len(grammar.describe("NP").details["rules of NP"]) == 3
    grammar.describe("NP").draw(tmp_path / "np.svg")
    drawn = (tmp_path / "np.svg").read_text("utf-8")
    assert "NP^&lt;S&gt;" in drawn
    assert "NP^&lt;VP&gt;" in drawn
