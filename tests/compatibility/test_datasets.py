"""What users of datasets, pandas and polars type first: rows in, rows out."""

from tests.compatibility.tasks import Task, carried_out, each

TASKS = {
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
}


@each(TASKS)
def test_what_one_types_works(task, tmp_path, monkeypatch):
    carried_out(task, tmp_path, monkeypatch)
