"""What users of scikit-learn type first: split, fit, predict, pipelines, searches."""

from tests.compatibility.tasks import Task, carried_out, each

TASKS = {
    "pairs of texts and labels": Task(
        """
data = [("a fine film", "pos"), ("a poor film", "neg"), ("so good", "pos"), ("so bad", "neg")]
assert read_corpus(data).column("label") == ["pos", "neg", "pos", "neg"]
assert read_corpus([("a film", 1), ("so bad", 0)]).column("label") == [1, 0]
""",
    ),
    "texts and labels": Task(
        """
texts, labels = ["a fine film", "a poor film"], ["pos", "neg"]
read_corpus((texts, labels))
""",
        hint="{'text': texts, 'label': labels}",
        mended="""
texts, labels = ["a fine film", "a poor film"], ["pos", "neg"]
assert len(read_corpus({'text': texts, 'label': labels})) == 2
""",
    ),
    "two pairs that may be anything": Task(
        """
pairs = [("a fine film", "pos"), ("so bad", "neg")]
read_corpus(pairs)
""",
        hint="[{'text': text, 'label': label} for text, label in pairs]",
        mended="""
pairs = [("a fine film", "pos"), ("so bad", "neg")]
assert len(read_corpus([{'text': text, 'label': label} for text, label in pairs])) == 2
""",
    ),
    "train and test": Task(
        """
texts = ["a fine film", "a poor film", "a good book", "a bad book"] * 3
labels = ["pos", "neg"] * 6
train, test = tw.train_test_split(texts, test_size=0.25)
""",
        hint="train_test_split is called split here",
        mended="""
texts = ["a fine film", "a poor film", "a good book", "a bad book"] * 3
labels = ["pos", "neg"] * 6
train, test = tw.split({"text": texts, "label": labels}, test_size=0.25)
assert (len(train), len(test)) == (9, 3)
""",
    ),
    "train and predict": Task(
        """
import pandas
frame = pandas.DataFrame({"review": ["a fine film", "a poor film"] * 4, "sentiment": [1, 0] * 4})
model = tw.train(frame)
assert model.predict(["fine"]) == [1]
assert model.score(frame).accuracy == 1.0
""",
    ),
    "train on texts and labels": Task(
        """
texts, labels = ["a fine film", "a poor film"] * 4, ["pos", "neg"] * 4
assert tw.train(texts, labels).predict(["fine"]).tolist() == ["pos"]
""",
    ),
    "train on an indicator matrix": Task(
        """
from sklearn.preprocessing import MultiLabelBinarizer
Y = MultiLabelBinarizer().fit_transform([["good"], ["bad", "good"]] * 4)
assert tw.train(["a fine film", "a poor film"] * 4, Y).predict(["poor"]).shape == (1, 2)
""",
    ),
    "a random state of training": Task(
        """
tw.train(["a fine film", "a poor film"] * 4, ["pos", "neg"] * 4, random_state=0)
""",
        hint="it is called seed here",
        mended="""
tw.train(["a fine film", "a poor film"] * 4, ["pos", "neg"] * 4, seed=0)
""",
    ),
    "split texts and labels": Task(
        """
texts, labels = ["a fine film", "a poor film"] * 4, ["pos", "neg"] * 4
X_train, X_test, y_train, y_test = tw.split(texts, labels, test_size=0.25)
""",
        hint="train, test = split({'text': texts, 'label': labels}, test_size=0.25)",
        mended="""
texts, labels = ["a fine film", "a poor film"] * 4, ["pos", "neg"] * 4
train, test = tw.split({'text': texts, 'label': labels}, test_size=0.25)
assert sorted(test["label"]) == ["neg", "pos"]
assert len(tw.split(texts, 0.5)[0]) == len(tw.split(texts, 4)[1]) == 4
""",
    ),
    "split with a random state": Task(
        """
train, test = tw.split(["a fine film", "a poor film"] * 4, test_size=0.25, random_state=0)
""",
        hint="it is called seed here",
        mended="""
train, test = tw.split(["a fine film", "a poor film"] * 4, test_size=0.25, seed=0)
""",
    ),
    "split by strata": Task(
        """
train, test = tw.split({"text": ["a", "b"] * 4, "label": [0, 1] * 4}, stratify=[0, 1] * 4)
""",
        hint="leave it out",
        mended="""
train, test = tw.split({"text": ["a", "b"] * 4, "label": [0, 1] * 4})
""",
    ),
    "an open file": Task(
        """
open("a.csv", "w").write("text,label\\na fine film,pos\\n")
with open("a.csv") as file:
    read_corpus(file)
""",
        hint="give its name: 'a.csv'",
        mended="""
open("a.csv", "w").write("text,label\\na fine film,pos\\n")
assert read_corpus('a.csv')[0]["label"] == "pos"
""",
    ),
    "a file in memory": Task(
        """
import io
read_corpus(io.StringIO("text,label\\na fine film,pos\\n"))
""",
        hint="pandas.read_csv(file)",
        mended="""
import io, pandas
file = io.StringIO("text,label\\na fine film,pos\\n")
assert read_corpus(pandas.read_csv(file))[0]["label"] == "pos"
""",
    ),
    "classes of texts": Task(
        """
assert read_corpus({"a fine film": 1, "a poor film": 0, "a good book": 1})["label"] == [1, 0, 1]
assert read_corpus({"pos": ["a fine film", "so good"], "neg": ["so bad"]})["label"][2] == "neg"
""",
    ),
    "as many texts of each class": Task(
        """
read_corpus({"pos": ["a fine film", "a good book"], "neg": ["a poor film", "a bad book"]})
""",
        hint="give a row for each text and its class",
        mended="""
data = {"pos": ["a fine film", "a good book"], "neg": ["a poor film", "a bad book"]}
rows = [{"text": text, "label": name} for name, texts in data.items() for text in texts]
assert read_corpus(rows)["label"] == ["pos", "pos", "neg", "neg"]
""",
    ),
    "evaluate": Task(
        """
data = {"text": ["a fine film", "a poor film"] * 4, "label": ["pos", "neg"] * 4}
tw.train(data).evaluate(data)
""",
        hint="classifier.score(data) gives accuracy",
        mended="""
data = {"text": ["a fine film", "a poor film"] * 4, "label": ["pos", "neg"] * 4}
assert tw.train(data).score(data).accuracy == 1.0
""",
    ),
    "a saved model": Task(
        """
tw.load_model("model")
""",
        hint="load_model is called open_classifier here",
        mended="""
tw.train({"text": ["a film", "a book"] * 4, "label": [0, 1] * 4}).save("model")
assert tw.open_classifier("model").classes == ("0", "1")
""",
    ),
    "new examples as a list": Task(
        """
made = augment({"text": ["a good film", "a bad film"]}, "aeda", n=3)
assert len(made) == 3 and made[0] == [*made][0]
""",
    ),
    "new examples in a file": Task(
        """
augment({"text": ["a good film", "a bad film"]}, "aeda", n=3).to_csv("new.csv")
""",
        hint="write_corpus(made.corpus, 'new.csv') writes it",
        mended="""
made = augment({"text": ["a good film", "a bad film"]}, "aeda", n=3)
write_corpus(made.corpus, 'new.csv')
""",
    ),
    "quality": Task(
        """
tw.quality({"text": ["a fine film"]}, {"text": ["a film"]})
""",
        hint="quality is called assess here",
        mended="""
assert tw.assess({"text": ["a fine film"]}, {"text": ["a film"]})["novelty"].score is not None
""",
    ),
    "texts and labels apart": Task(
        """
augment(["a good film", "a bad film"], ["pos", "neg"], "aeda", n=2)
""",
        hint="augment({'text': texts, 'label': labels}, 'eda', n=10)",
        mended="""
texts, labels = ["a good film", "a bad film"], ["pos", "neg"]
made = augment({'text': texts, 'label': labels}, 'eda', n=10)
assert set(made.corpus["label"]) <= {"pos", "neg"}
""",
    ),
    "labels by name": Task(
        """
augment(["a good film", "a bad film"], method="aeda", labels=["pos", "neg"], n=2)
""",
        hint="augment({'text': texts, 'label': labels}, 'eda', n=10)",
        mended="""
texts, labels = ["a good film", "a bad film"], ["pos", "neg"]
augment({'text': texts, 'label': labels}, 'eda', n=10)
""",
    ),
    "random state": Task(
        """
augment(["a good film"], "aeda", n=1, random_state=0)
""",
        hint="it is called seed here",
        mended="""
augment(["a good film"], "aeda", n=1, seed=0)
""",
    ),
    "split of an augmenter": Task(
        """
TextAugmenter().split(["a good film"], ["pos"])
""",
        hint="treewright.split(data, test_size=0.2)",
        mended="""
import treewright
data = {"text": ["a", "b", "c", "d", "e"], "label": list("ppnnp")}
train, test = treewright.split(data, test_size=0.2)
assert len(test) == 1
""",
    ),
    "fit without an estimator": Task(
        """
TextAugmenter("aeda", n=1).fit(["a good film"], ["pos"])
""",
        hint="fit_resample(texts, labels) gives examples",
        mended="""
texts, labels = ["a good film"], ["pos"]
assert len(TextAugmenter("aeda", n=1).fit_resample(texts, labels)[0]) == 2
""",
    ),
    "resample": Task(
        """
texts = ["a fine film", "a poor film", "a good book", "a bad book"] * 3
labels = ["pos", "neg"] * 6
X, y = TextAugmenter("aeda", n=4).fit_resample(texts, labels)
assert len(X) == len(y) == 16
""",
    ),
    "step of a pipeline": Task(
        """
texts = ["a fine film", "a poor film", "a good book", "a bad book"] * 3
labels = ["pos", "neg"] * 6
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
make_pipeline(TextAugmenter("aeda"), TfidfVectorizer(), LogisticRegression()).fit(texts, labels)
""",
        hint="TextAugmenter('aeda', make_pipeline(TfidfVectorizer(), LogisticRegression()))",
        mended="""
texts = ["a fine film", "a poor film", "a good book", "a bad book"] * 3
labels = ["pos", "neg"] * 6
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
model = TextAugmenter('aeda', make_pipeline(TfidfVectorizer(), LogisticRegression()))
assert model.fit(texts, labels).predict(["fine"]).tolist() == ["pos"]
assert Pipeline([("model", model)]).fit(texts, labels).score(texts, labels) == 1.0
""",
    ),
    "grid search": Task(
        """
texts = ["a fine film", "a poor film", "a good book", "a bad book"] * 3
labels = ["pos", "neg"] * 6
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
model = TextAugmenter("aeda", make_pipeline(TfidfVectorizer(), LogisticRegression()))
search = GridSearchCV(model, {"n": [1, 4], "estimator__logisticregression__C": [1, 10]}, cv=2)
assert search.fit(texts, labels).predict(["a fine book"]).tolist() == ["pos"]
""",
    ),
    "cross-validation": Task(
        """
texts = ["a fine film", "a poor film", "a good book", "a bad book"] * 3
labels = ["pos", "neg"] * 6
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
model = TextAugmenter("aeda", make_pipeline(TfidfVectorizer(), LogisticRegression()))
assert len(cross_val_score(model, texts, labels, cv=3)) == 3
""",
    ),
    "choice of a method": Task(
        """
texts = ["a fine film", "a poor film", "a good book", "a bad book"] * 3
labels = ["pos", "neg"] * 6
found = auto({"text": texts, "label": labels}, methods=["aeda"])
assert len(found.examples({"text": texts, "label": labels})) >= 12
""",
    ),
    "folders of texts": Task(
        """
import os
from sklearn.datasets import load_files
for name in ("neg", "pos"):
    os.makedirs(f"films/{name}")
    with open(f"films/{name}/1.txt", "w") as out:
        out.write(f"a {name} film")
data = load_files("films", encoding="utf-8")
assert sorted(zip(*(read_corpus(data).column(c) for c in ("text", "label")))) == [
    ("a neg film", "neg"), ("a pos film", "pos")]
assert read_corpus("films").column("label") == ["neg", "pos"]
""",
    ),
    "report of a classifier": Task(
        """
from sklearn.metrics import classification_report
model = TextClassifier().fit(["a fine film", "a poor film"] * 4, ["pos", "neg"] * 4)
assert model.predict_proba(["fine"]).shape == (1, 2)
assert "pos" in classification_report(["pos"], model.predict(["a fine film"]))
""",
    ),
    "resampler alone": Task(
        """
augmenter = TextAugmenter("aeda")
assert not hasattr(augmenter, "fit") and not hasattr(augmenter, "transform")
assert hasattr(augmenter, "fit_resample")
from sklearn.base import clone
assert clone(augmenter).method == "aeda"
""",
    ),
    "a random state of a classifier": Task(
        """
TextClassifier(random_state=0)
""",
        hint="it is called seed here",
        mended="""
TextClassifier(seed=0)
""",
    ),
    "jobs of an augmenter": Task(
        """
TextAugmenter('aeda', n_jobs=2)
""",
        hint="leave it out",
        mended="""
TextAugmenter('aeda')
""",
    ),
    "rows by an array of places": Task(
        """
from sklearn.model_selection import KFold
corpus = read_corpus(['a b', 'c d', 'e f'])
for train, test in KFold(3).split(corpus):
    assert len(corpus[train]) == 2 and len(corpus[test]) == 1
""",
    ),
    "a classifier is called": Task(
        """
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
tw.train(data)('a fine film')
""",
        hint="classifier.predict(texts)",
        mended="""
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
classifier, texts = tw.train(data), ['a fine film']
assert classifier.predict(texts).tolist() == ['pos']
""",
    ),
    "a file to predict": Task(
        """
open('a.csv', 'w').write('text\\na fine film\\n')
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
tw.train(data).predict('a.csv')
""",
        hint="classifier.predict(read_corpus('a.csv'))",
        mended="""
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
classifier = tw.train(data)
assert len(classifier.predict(read_corpus('a.csv'))) == 1
""",
    ),
    "a saved classifier predicts": Task(
        """
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
tw.train(data).save('model')
assert tw.open_classifier('model').predict(['a fine film']).tolist() == ['pos']
""",
    ),
    "a classifier of a folder": Task(
        """
TextClassifier.from_pretrained('model')
""",
        hint="open_classifier(folder)",
        mended="""
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
tw.train(data).save('model')
folder = 'model'
open_classifier(folder)
""",
    ),
    "the number of classes": Task(
        """
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
tw.train(data, num_labels=2)
""",
        hint="leave it out",
        mended="""
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
tw.train(data)
""",
    ),
    "classes brought to the same count": Task(
        """
TextAugmenter('aeda', sampling_strategy='auto')
""",
        hint="balance=True",
        mended="""
TextAugmenter('aeda', balance=True)
""",
    ),
    "the share to train on": Task(
        """
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
tw.split(data, train_size=0.75)
""",
        hint="test_size=0.25",
        mended="""
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
assert len(tw.split(data, test_size=0.25)[0]) == 6
""",
    ),
    "a classifier is fitted to a file": Task(
        """
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
TextClassifier().fit(data)
""",
        hint="classifier.learn(read_corpus(data))",
        mended="""
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
classifier = TextClassifier()
assert classifier.learn(read_corpus(data)).predict('fine').tolist() == ['pos']
""",
    ),
}


@each(TASKS)
def test_what_one_types_works(task, tmp_path, monkeypatch):
    carried_out(task, tmp_path, monkeypatch)
