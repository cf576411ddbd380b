"""No label and no column is lost or changed without a word, whatever the method and the labels."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

from grammar.errors import CorpusError, OptionError
from grammar.messages import heard_by
from grammar.opening import open_grammar
from induction.corpus.corpus import Corpus
from induction.corpus.readers import read_reviews
from sampling.method import METHODS, induce
from sampling.opening import open_sampler
from sampling.pipeline.augment import augment
from sampling.pipeline.estimator import TextAugmenter

SIZE = 60
NAMES = {
    "names": ["neg", "pos"], "bools": [False, True], "numbers from 1": [1, 4],
    "floats": [1.0, 2.0], "numbers": [0, 1],
}  # fmt: skip
OPTIONS = {
    "grammar": "(length=4:12)", "geca": "(gaps=1, size=2, window=1)",
    "geca-stream": "(size=2, window=1)",
}  # fmt: skip
REFUSES_SOFT = ("grammar",)
NEEDS_SPANS = ("mention-replacement", "label-wise")
NEEDS_TREES = ("treemix", "grammar", "alp")


def source(labels: str, method: str) -> Corpus:
    reviews = read_reviews()
    table = reviews.table.take(np.r_[0 : SIZE // 2, len(reviews) - SIZE // 2 : len(reviews)])
    corpus = Corpus(table)
    numbers = corpus.column("label")
    given = (
        [[0.75, 0.25] if n else [0.25, 0.75] for n in numbers]
        if labels == "soft"
        else [NAMES[labels][n] for n in numbers]
    )
    kept = ["id", "text", *(["tree"] if method in NEEDS_TREES else [])]
    made = Corpus(corpus.table.select(kept)).with_column("label", given)
    if method in NEEDS_SPANS:
        ends = [len(text.split()[0]) for text in made.column("text")]
        made = made.with_column("spans", [[{"start": 0, "end": e, "label": "X"}] for e in ends])
    made = made.with_column("zip", [f"0{n}" for n in range(SIZE)])
    return made.with_column("shop", ["one"] * SIZE)


def expression(method: str, labels: str = "numbers") -> str:
    if method == "names":
        poor, fine = NAMES.get(labels, (0, 1))
        return f"names('{poor}'='bad, dull, poor', '{fine}'='good, fine, warm')"
    return method + OPTIONS.get(method, "")


@pytest.mark.parametrize("labels", [*NAMES, "soft"])
@pytest.mark.parametrize("method", [m for m in METHODS if not METHODS[m].needs_model])
def test_labels_and_columns_travel_or_it_is_said(method, labels):
    corpus = source(labels, method)
    said: list[str] = []
    with heard_by(said.append), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if labels == "soft" and method in REFUSES_SOFT:
            with pytest.raises(CorpusError, match="distribution|label|class"):
                augment(corpus, expression(method, labels), n=8)
            return
        made = augment(corpus, expression(method, labels), n=8, keep_originals=True).corpus
    old, new = made[:SIZE], made[SIZE:]
    assert len(new)
    assert old.column("zip") == corpus.column("zip")
    assert {*corpus.names} <= {*made.names}
    told = " ".join(said)
    for name in ("tree", "tokens"):
        if name in corpus.names and None in new.column(name):
            assert repr(name) in told
    _check_labels(corpus, made, told)
    by_id = {row["id"]: row for row in corpus}
    for row in new:
        parents = [by_id[name] for name in row["provenance"]["parents"]]
        if not parents:
            assert row["zip"] is None
            assert "have no parents" in told
        elif method in ("treemix", "randmix"):
            shared = len({parent["zip"] for parent in parents}) == 1
            assert row["zip"] == (parents[0]["zip"] if shared else None)
            assert row["shop"] == "one"
        else:
            assert (row["zip"], row["shop"]) == (parents[0]["zip"], "one")


def _check_labels(corpus: Corpus, made: Corpus, told: str) -> None:
    kind, before = made.arrow("label").type, corpus.arrow("label").type
    if kind.equals(before):
        assert set(made.column("label")) <= set(corpus.column("label"))
        assert made.column("label")[:SIZE] == corpus.column("label")
        return
    assert all(len(label) == 2 for label in made.column("label"))
    assert isinstance(corpus.column("label")[0], list) or "mixes labels" in told


@pytest.mark.parametrize("labels", NAMES)
def test_a_sampler_gives_classes_back_as_they_were_also_when_opened(tmp_path, labels):
    corpus = source(labels, "aeda")
    said: list[str] = []
    with heard_by(said.append):
        sampler = induce("aeda", corpus)
        made = sampler.sample(20)
        sampler.sample(20)
    assert said == ["a sampler leaves out the columns 'zip', 'shop': augment keeps other columns"]
    assert made.arrow("label").type == corpus.arrow("label").type
    sampler.grammar.save(tmp_path / "g.arrow")
    assert open_grammar(tmp_path / "g.arrow").notes == sampler.grammar.notes
    assert open_sampler(tmp_path / "g.arrow").sample(20).table.equals(made.table)


def test_four_classes_from_one_make_four_places():
    corpus = Corpus.from_columns(
        text=[f"text {k} of some {k} words" for k in range(8)], label=[1, 2, 3, 4] * 2
    )
    made = augment(corpus, "randmix", n=4)
    assert {len(label) for label in made.corpus.column("label")} == {4}
    assert made.report.classes == ("1", "2", "3", "4")
    assert "labels are mixed" in str(made.report)
    asked = augment(corpus, "randmix(classes=5)", n=4).corpus
    assert {len(label) for label in asked.column("label")} == {5}


def test_columns_that_are_asked_for_travel_and_others_do_not():
    corpus = source("names", "aeda")
    assert "zip" not in augment(corpus, "aeda", n=2, columns="none").corpus.names
    made = augment(corpus, "aeda", n=2, columns="shop", keep_originals=True).corpus
    assert made.column("zip")[:SIZE] == corpus.column("zip")
    assert made.column("zip")[SIZE:] == [None, None]
    assert made.column("shop") == ["one"] * (SIZE + 2)
    with pytest.raises(ValueError, match="no column 'nope' to carry over"):
        augment(corpus, "aeda", n=2, columns="nope")


def test_columns_travel_through_chains():
    corpus = source("names", "aeda")
    zips = dict(zip(corpus.column("id"), corpus.column("zip"), strict=True))
    for row in augment(corpus, "sub2(max_words=2) | aeda", n=6).corpus:
        assert row["zip"] == zips[row["provenance"]["parents"][0]]


@pytest.mark.parametrize("kind", [list, np.array])
def test_texts_and_classes_are_resampled_as_the_kinds_they_are(kind):
    texts = kind([f"a film of {k} good parts" for k in range(6)])
    classes = kind([True, False] * 3)
    made, labels = TextAugmenter("aeda", times=1).fit_resample(texts, classes)
    assert type(made) is type(texts)
    assert len(made) == len(labels) == 12
    assert list(made[:6]) == list(texts)
    assert list(labels[:6]) == list(classes)
    _, soft = TextAugmenter("randmix", n=2).fit_resample(texts, classes)
    assert soft.shape == (8, 2)
    assert TextAugmenter("aeda", n=1).fit_resample(list(texts))[1] is None


def test_a_frame_is_resampled_with_its_columns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"review": [f"a film of {k} good parts" for k in range(4)], "day": ["Mo", "Tu"] * 2}
    )
    made, labels = TextAugmenter("aeda", n=3).fit_resample(frame, pandas.Series([1, 2, 1, 2]))
    assert list(made.columns) == ["review", "day"]
    assert made["day"].notna().all()
    assert labels.isin([1, 2]).all()
    assert len(made) == 7


def test_a_frame_may_hold_the_classes_too():
    pandas = pytest.importorskip("pandas")
    texts = [f"a film of {k} good parts" for k in range(4)]
    frame = pandas.DataFrame({"review": texts, "sentiment": ["bad", "good"] * 2})
    made, labels = TextAugmenter("aeda", n=3).fit_resample(frame, frame["sentiment"])
    assert list(made.columns) == ["review", "sentiment"]
    assert list(made["sentiment"]) == list(labels)
    assert set(labels) == {"bad", "good"}


def test_parameters_are_read_and_set_as_scikit_learn_does():
    base = pytest.importorskip("sklearn.base")
    augmenter = TextAugmenter("aeda", n=3)
    assert base.clone(augmenter).get_params() == augmenter.get_params()
    assert augmenter.set_params(n=5).settings == {"n": 5}
    with pytest.raises(ValueError, match="TextAugmenter has no option 'tims'"):
        TextAugmenter("aeda", tims=3)


_MATRIX = [[1, 0], [0, 1], [1, 1], [0, 0]]


@pytest.mark.parametrize("kind", [int, float, bool])
def test_a_matrix_of_classes_comes_back_as_one(kind):
    matrix = np.array(_MATRIX, kind)
    texts = ["a good film", "a bad film", "a good book", "a bad book"]
    for given in (matrix, matrix.tolist(), scipy.sparse.csr_matrix(matrix)):
        made, found = TextAugmenter("shuffle", n=3).fit_resample(texts, given)
        assert type(found) is type(given)
        dense = np.array(found.toarray() if hasattr(found, "toarray") else found)
        assert dense.dtype == matrix.dtype
        assert dense[:4].tolist() == matrix.tolist()
        # words are shuffled, so each new text has those of the text whose classes it has
        words = [sorted(text.split()) for text in made]
        parents = [words.index(own) for own in words[4:]]
        assert dense[4:].tolist() == matrix[parents].tolist()
    with pytest.raises(CorpusError, match="2, and not 0 and 1"):
        TextAugmenter("aeda", n=1).fit_resample(texts, matrix.astype(int) + 1)


def test_a_frame_of_classes_comes_back_as_one():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(_MATRIX, columns=["sad", "odd"], dtype="int8")
    texts = pandas.Series(["a good film", "a bad film", "a good book", "a bad book"])
    made, found = TextAugmenter("aeda", n=2).fit_resample(texts, frame)
    assert isinstance(made, pandas.Series)
    assert found.dtypes.to_dict() == frame.dtypes.to_dict()
    assert found[:4].equals(frame)
    single = pandas.DataFrame({"mood": list("abab")})
    assert TextAugmenter("aeda", n=2).fit_resample(texts, single)[1][:4].equals(single)
    column = np.array([[1], [0], [1], [0]])
    assert TextAugmenter("aeda", n=2).fit_resample(texts, column)[1].shape == (6, 1)


@pytest.mark.parametrize("kind", [set, frozenset, list, tuple])
def test_sets_of_classes_come_back_as_they_were(kind):
    sets = [kind(names) for names in (["a"], ["a", "b"], [], ["b"])]
    texts = ["a good film", "a bad film", "a good book", "a bad book"]
    made = TextAugmenter("aeda", n=2).fit_resample(texts, sets)[1]
    assert made[:4] == sets
    assert len(made) == 6
    batch = {"text": texts, "labels": _MATRIX}
    assert TextAugmenter("aeda", n=2)(batch)["labels"][:4] == _MATRIX


def test_an_estimator_learns_a_matrix_of_classes():
    model = make_pipeline(TfidfVectorizer(), OneVsRestClassifier(LogisticRegression()))
    texts = ["a good film", "a bad film", "a good book", "a bad book"]
    fitted = TextAugmenter("aeda", model).fit(texts, np.array(_MATRIX))
    assert fitted.predict(texts).shape == (4, 2)
    long = [f"{text} that ends well and begins badly" for text in texts]
    with pytest.raises(OptionError, match="of several classes at once"):
        TextAugmenter("randmix", model, n=1).fit(long, ["a", "a", "b", "b"])


def test_a_data_set_is_augmented_by_map():
    datasets = pytest.importorskip("datasets")
    given = datasets.Dataset.from_dict(
        {"sentence": [f"a film of {k} good parts" for k in range(4)], "stars": [1, 2, 1, 2],
         "day": ["Mo", "Tu", "We", "Th"]}
    )  # fmt: skip
    made = given.map(TextAugmenter("aeda", n=2), batched=True)
    assert made.column_names == given.column_names
    assert len(made) == 6
    assert made[:4] == given[:4]


def test_an_augmenter_leaves_out_what_cannot_be_used_if_asked() -> None:
    texts, classes = ["a good film", " ", "a bad film"], ["pos", "pos", "neg"]
    with pytest.raises(CorpusError, match="no text|empty|blank"):
        TextAugmenter("aeda", n=2).fit_resample(texts, classes)
    X, y = TextAugmenter("aeda", n=2, on_error="skip").fit_resample(texts, classes)  # noqa: N806
    assert X[:2] == ["a good film", "a bad film"]
    assert (len(X), y[:2]) == (4, ["pos", "neg"])
