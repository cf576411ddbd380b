"""What users of datasets, pandas and polars type first: rows in, rows out."""

from tests.compatibility.tasks import Task, carried_out, each

_READ = "read_corpus(data) reads frames, data sets, lists of texts or dictionaries, and files"

TASKS = {
    "a corpus of a frame": Task(
        """
import pandas
tw.Corpus.from_pandas(pandas.DataFrame({"text": ["a film"]}))
""",
        hint=_READ,
        mended="""
import pandas
assert len(tw.read_corpus(pandas.DataFrame({"text": ["a film"]}))) == 1
""",
    ),
    "a corpus of a list": Task(
        """
tw.Corpus.from_list([{"text": "a film"}])
""",
        hint=_READ,
        mended="""
assert len(tw.read_corpus([{"text": "a film"}])) == 1
""",
    ),
    "a data set of torch": Task(
        """
class Data:
    def __len__(self): return 4
    def __getitem__(self, at): return ("a film", at % 2)
assert read_corpus(Data())["label"] == [0, 1, 0, 1]
""",
    ),
    "a lazy frame": Task(
        """
import polars
data = polars.LazyFrame({"text": ["a film"]})
read_corpus(data)
""",
        hint="give data.collect()",
        mended="""
import polars
data = polars.LazyFrame({"text": ["a film"]})
assert len(read_corpus(data.collect())) == 1
""",
        needs=["polars"],
    ),
    "put new examples behind a data set whose classes have names": Task(
        """
from datasets import ClassLabel, Dataset, Features, Value, concatenate_datasets
features = Features({"text": Value("string"), "label": ClassLabel(names=["neg", "pos"])})
rows = {"text": ["a good film that ends well", "a dull plot that goes on"], "label": [1, 0]}
dataset = Dataset.from_dict(rows, features=features)
new = tw.augment(dataset, "aeda", n=4).to_dataset()
both = concatenate_datasets([dataset, new.select_columns(["text", "label"])])
assert both.features["label"].names == ["neg", "pos"]
assert len(both) == 6
""",
        needs=["datasets"],
    ),
    "augment a data set": Task(
        """
import datasets
rows = {"text": ["a fine film", "a poor film"] * 4, "label": [1, 0] * 4}
dataset = datasets.Dataset.from_dict(rows)
made = tw.augment(dataset, "aeda", n=4).to_dataset()
assert made.num_rows == 4
""",
        needs=["datasets"],
    ),
    "map rows": Task(
        """
import datasets
rows = {"text": ["a fine film", "a poor film"] * 4, "label": [1, 0] * 4}
dataset = datasets.Dataset.from_dict(rows)
dataset.map(TextAugmenter("aeda", n=2))
""",
        hint="dataset.map(augmenter, batched=True)",
        mended="""
import datasets
rows = {"text": ["a fine film", "a poor film"] * 4, "label": [1, 0] * 4}
dataset = datasets.Dataset.from_dict(rows)
augmenter = TextAugmenter("aeda", n=2)
assert dataset.map(augmenter, batched=True).num_rows == 10
""",
        needs=["datasets"],
    ),
    "a column by its name": Task(
        """
corpus = read_corpus({"text": ["so", "it"], "label": ["a", "b"]})
assert corpus["text"] == ["so", "it"]
""",
    ),
    "shape of a corpus": Task(
        """
read_corpus({"text": ["so", "it"]}).shape
""",
        hint="corpus.to_pandas().shape",
        mended="""
corpus = read_corpus({"text": ["so", "it"]})
assert corpus.to_pandas().shape == (2, 2)
""",
    ),
    "save a corpus": Task(
        """
read_corpus({"text": ["so", "it"]}).save("corpus.jsonl")
""",
        hint="write_corpus(corpus, 'corpus.jsonl')",
        mended="""
corpus = read_corpus({"text": ["so", "it"]})
write_corpus(corpus, 'corpus.jsonl')
assert read_corpus('corpus.jsonl')["text"] == ["so", "it"]
""",
    ),
    "an attribute of a column": Task(
        """
read_corpus({"text": ["so", "it"]}).text
""",
        hint="corpus.column('text')",
        mended="""
corpus = read_corpus({"text": ["so", "it"]})
assert corpus.column('text') == ["so", "it"]
""",
    ),
    "a row of a data set": Task(
        """
import datasets
dataset = datasets.Dataset.from_dict({"text": ["a good film", "a bad film"]})
dataset.map(lambda row: augment(row, "aeda"))
""",
        hint="dataset.map(function, batched=True)",
        mended="""
import datasets
dataset = datasets.Dataset.from_dict({"text": ["a good film", "a bad film"]})
function = lambda rows: {"text": augment(rows["text"], "aeda", n=2)}
assert len(dataset.map(function, batched=True)) == 2
""",
        needs=["datasets"],
    ),
    "examples of a data set": Task(
        """
import datasets
rows = {"text": ["a fine film", "a poor film"] * 4, "label": [1, 0] * 4}
dataset = datasets.Dataset.from_dict(rows)
assert len(read_examples(dataset)) == 8
""",
        needs=["datasets"],
    ),
    "augment a frame": Task(
        """
import pandas
frame = pandas.DataFrame({"review": ["a fine film", "a poor film"] * 4, "sentiment": [1, 0] * 4})
made = tw.augment(frame, "aeda", n=4).to_pandas()
assert len(made) == 4
""",
    ),
    "measure a frame": Task(
        """
import pandas
frame = pandas.DataFrame({"review": ["a fine film", "a poor film"] * 4})
assert assess(frame, frame)["novelty"].score.value == 0.0
""",
    ),
    "split by number": Task(
        """
import datasets
rows = {"text": ["a fine film", "a poor film"] * 4, "label": [1, 0] * 4}
dataset = datasets.Dataset.from_dict(rows)
train, test = tw.split(dataset, test_size=2)
assert len(test) == 2
""",
        needs=["datasets"],
    ),
    "load a data set": Task(
        """
tw.load_dataset("reviews.csv")
""",
        hint="load_dataset is called read_corpus here",
        mended="""
open("reviews.csv", "w").write("text,label\\na fine film,1\\n")
assert len(tw.read_corpus("reviews.csv")) == 1
""",
    ),
    "a data set of columns": Task(
        """
import datasets
data = datasets.Dataset.from_dict({"text": ["a good film", "a bad film"], "label": [1, 0]})
assert len(tw.augment(data, "aeda", n=2).corpus) == 2
""",
        needs=["datasets"],
    ),
    "splits of a data set": Task(
        """
import datasets
one = datasets.Dataset.from_dict({"text": ["a good film", "a bad film"], "label": [1, 0]})
tw.augment(datasets.DatasetDict({"train": one}), "aeda", n=2)
""",
        hint="dataset['train']",
        mended="""
import datasets
one = datasets.Dataset.from_dict({"text": ["a good film", "a bad film"], "label": [1, 0]})
dataset = datasets.DatasetDict({"train": one})
assert len(tw.augment(dataset['train'], "aeda", n=2).corpus) == 2
""",
        needs=["datasets"],
    ),
    "map a corpus": Task(
        """
corpus = read_corpus([{"text": "a good film", "label": 1}])
corpus.map(lambda row: row)
""",
        hint="corpus.to_dataset().map",
        mended="""
corpus = read_corpus([{"text": "a good film", "label": 1}])
assert len(corpus.to_dataset().map(lambda row: row)) == 1
""",
        needs=["datasets"],
    ),
    "rows of a corpus": Task(
        """
corpus = read_corpus([{"text": "a good film", "label": 1}])
assert [row["text"] for row in corpus] == ["a good film"]
assert corpus[0] == {"id": "0", "text": "a good film", "label": 1}
assert len(corpus[:1]) == 1
""",
    ),
    "rows of a frame by number": Task(
        """
corpus = read_corpus([{"text": "a good film", "label": 1}])
corpus.iloc[0]
""",
        hint="corpus.to_pandas().iloc",
        mended="""
corpus = read_corpus([{"text": "a good film", "label": 1}])
assert corpus.to_pandas().iloc[0]["text"] == "a good film"
""",
        needs=["pandas"],
    ),
    "a file in Latin-1": Task(
        """
with open("a.csv", "wb") as out:
    out.write("text,label\\na good caf\u00e9,1\\n".encode("latin-1"))
read_corpus("a.csv")
""",
        hint="encoding='cp1252'",
        mended="""
assert read_corpus("a.csv", encoding='cp1252')[0]["text"] == "a good caf\u00e9"
""",
    ),
    "rows that have a class": Task(
        """
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
corpus = read_corpus(data)
corpus[corpus['label'] == 'pos']
""",
        hint="corpus[[row['label'] == 'pos' for row in corpus]]",
        mended="""
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
corpus = read_corpus(data)
assert len(corpus[[row['label'] == 'pos' for row in corpus]]) == 4
""",
    ),
    "columns of a corpus": Task(
        """
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
read_corpus(data)[['text', 'label']]
""",
        hint="corpus.to_pandas()[['text', 'label']]",
        mended="""
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
corpus = read_corpus(data)
assert len(corpus.to_pandas()[['text', 'label']]) == 8
""",
    ),
    "corpora are added": Task(
        """
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
corpus = read_corpus(data)
both = corpus + augment(data, 'aeda', n=3).corpus
assert len(both) == 11 and both.names == (*corpus.names, 'provenance')
assert len({*(corpus + corpus)['id']}) == 16
assert 'label' in corpus and 'rating' not in corpus
""",
    ),
    "texts of new examples": Task(
        """
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
augment(data, 'aeda', n=3).texts
""",
        hint="made.corpus['text']",
        mended="""
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
made = augment(data, 'aeda', n=3)
assert len(made.corpus['text']) == 3
""",
    ),
    "a frame of new examples": Task(
        """
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
augment(data, 'aeda', n=3).to_df()
""",
        hint="made.corpus.to_pandas()",
        mended="""
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
made = augment(data, 'aeda', n=3)
assert len(made.corpus.to_pandas()) == 3
""",
    ),
    "new examples are written": Task(
        """
data = {'text': ['a fine film', 'a poor film'] * 4, 'label': ['pos', 'neg'] * 4}
write_corpus(augment(data, 'aeda', n=3), 'new.csv')
assert len(read_corpus('new.csv')) == 3
import pandas
write_corpus(pandas.DataFrame(data), 'old.jsonl')
assert read_corpus('old.jsonl')['text'] == data['text']
""",
    ),
    "the name of a column": Task(
        """
import pandas
frame = pandas.DataFrame({'a': ['a fine film', 'a poor film'], 'b': [0, 1]})
augment(frame, 'aeda', n=2, text_column='a', label_column='b')
""",
        hint="it is called text here",
        mended="""
import pandas
frame = pandas.DataFrame({'a': ['a fine film', 'a poor film'], 'b': [0, 1]})
augment(frame, 'aeda', n=2, text='a', label='b')
""",
    ),
    "a row of a frame": Task(
        """
import pandas
frame = pandas.DataFrame({'text': ['a fine film', 'a poor film'], 'label': [0, 1]})
frame.apply(lambda row: augment(row, 'aeda', n=1), axis=1)
""",
        hint="row.to_frame().T",
        mended="""
import pandas
frame = pandas.DataFrame({'text': ['a fine film', 'a poor film'], 'label': [0, 1]})
frame.apply(lambda row: augment(row.to_frame().T, 'aeda', n=1), axis=1)
""",
    ),
    "a data set that is not read": Task(
        """
import datasets
dataset = datasets.Dataset.from_dict({'text': ['a fine film']}).to_iterable_dataset()
read_corpus(dataset)
""",
        hint="list(dataset)",
        mended="""
import datasets
dataset = datasets.Dataset.from_dict({'text': ['a fine film']}).to_iterable_dataset()
assert len(read_corpus(list(dataset))) == 1
""",
        needs=("datasets",),
    ),
    "a batch of a data set": Task(
        """
import datasets
dataset = datasets.Dataset.from_dict({'text': ['a fine film', 'a poor film']})
made = dataset.map(
    lambda batch: augment(batch, 'aeda', n=3).to_dataset().to_dict(),
    batched=True, remove_columns=dataset.column_names,
)
assert len(made) == 3
""",
        needs=("datasets",),
    ),
    "rows that are data classes": Task(
        """
from dataclasses import make_dataclass
Example = make_dataclass('Example', ['text', 'label'])
assert read_corpus([Example('a film', 1)])[0]['label'] == 1
""",
    ),
    "files in place of texts": Task(
        """
open('a.csv', 'w').write('text\\nso\\n')
read_corpus(['a.csv', 'a.csv'])
""",
        hint="read_corpus('a.csv') + read_corpus('a.csv')",
        mended="""
assert len(read_corpus('a.csv') + read_corpus('a.csv')) == 2
""",
    ),
    "trees are rows": Task(
        """
assert read_corpus([Tree.parse('(S so)')])[0]['text'] == 'so'
write_corpus(Treebank.parse('(S so)'), 'a.mrg')
""",
    ),
    "a delimiter": Task(
        """
open('a.csv', 'w').write('text;label\\nso;1\\nit;0\\n')
read_corpus('a.csv', sep=';')
""",
        hint="leave it out",
        mended="""
assert read_corpus('a.csv')['label'] == [1, 0]
""",
    ),
    "a column of a data set": Task(
        """
import datasets
dataset = datasets.Dataset.from_dict({'text': ['a fine film', 'a poor film']})
assert len(read_corpus(dataset['text'])) == 2
""",
        needs=("datasets",),
    ),
    "a column is set": Task(
        """
corpus = read_corpus(['a film'])
corpus['stars'] = [1]
""",
        hint="corpus = corpus.with_column('name', values)",
        mended="""
corpus, values = read_corpus(['a film']), [1]
corpus = corpus.with_column('name', values)
assert corpus[0]['name'] == 1
""",
    ),
}


@each(TASKS)
def test_what_one_types_works(task, tmp_path, monkeypatch):
    carried_out(task, tmp_path, monkeypatch)
