"""Small networks on words: what they compute, that order matters to them, and how they are kept."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

torch = pytest.importorskip("torch")

from classifiers import (  # noqa: E402
    Mixing,
    open_classifier,
    read_config,
    read_examples,
    save_classifier,
    trainer,
)  # fmt: skip
from classifiers.examples import Examples  # noqa: E402
from classifiers.networks.from_scratch import (  # noqa: E402
    KERNELS,
    FromScratch,
    WordModel,
    train_from_scratch,
    words_of,
)  # fmt: skip
from grammar.errors import OptionError, SchemaError, TrainingError  # noqa: E402
from induction import Corpus  # noqa: E402
from treewright.cli import app  # noqa: E402

HOW: dict[str, Any] = {"steps": 40, "batch": 8, "learning_rate": 4e-3, "device": "cpu"}
KINDS = ("cnn", "bilstm")
# the same words in each class: only their order tells
FIRST = ["dog bites man", "man bites cat", "the cat sees the dog", "cat bites the man today"]


@pytest.fixture(scope="module")
def few() -> Examples:
    second = [" ".join(reversed(text.split())) for text in FIRST]
    return read_examples(
        Corpus.from_columns(text=FIRST + second, label=["as it is"] * 4 + ["turned"] * 4)
    )


def _blank(kind: str, words: tuple[str, ...]) -> FromScratch:
    torch.manual_seed(3)
    config = read_config(encoder=kind, **HOW)
    model = WordModel(len(words), 2, config)
    return FromScratch(config=config, classes=("a", "b"), model=model, words=words)


@pytest.mark.parametrize("kind", KINDS)
def test_other_texts_of_a_batch_change_nothing(kind: str) -> None:
    blank = _blank(kind, ("a", "b", "c"))
    texts = ["a", "c b", "", "a b c a b c a b c", "unseen"]
    together = blank.probabilities(texts)
    for text, row in zip(texts, together, strict=True):
        assert np.allclose(blank.probabilities([text])[0], row, atol=1e-6)


def test_convolutions_are_those_of_the_formula() -> None:
    blank = _blank("cnn", ("a", "b", "c"))
    weights = {name: value.numpy() for name, value in blank.model.state_dict().items()}
    rows = weights["body.words.weight"][[2, 4, 1, 3]]  # a c unseen b
    vector = []
    for number, size in enumerate(KERNELS):
        filters = weights[f"body.over.filters.{number}.weight"]
        bias = weights[f"body.over.filters.{number}.bias"]
        padded = np.vstack([np.zeros((size - 1, 100)), rows, np.zeros((size - 1, 100))])
        windows = [padded[at : at + size] for at in range(len(rows) + size - 1)]
        answers = [np.einsum("fek,ke->f", filters, window) + bias for window in windows]
        vector.append(np.maximum(answers, 0).max(0))
    scores = weights["head.weight"] @ np.concatenate(vector) + weights["head.bias"]
    expected = np.exp(scores) / np.exp(scores).sum()
    assert np.allclose(blank.probabilities(["a c unseen b"])[0], expected, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_order_is_learnt_and_kept(few: Examples, tmp_path: Path, kind: str) -> None:
    train = trainer(read_config(encoder=kind, **HOW))
    model = train(few)
    given = model.probabilities(list(few.texts))
    assert (given.argmax(1) == few.hard).all()  # which weights of single words cannot do
    assert np.array_equal(train(few).probabilities(list(few.texts)), given)
    save_classifier(model, tmp_path / "model")
    opened = open_classifier(tmp_path / "model", device="cpu")
    assert np.array_equal(opened.probabilities(list(few.texts)), given)
    assert "AutoModel" not in (tmp_path / "model/README.md").read_text()
    (tmp_path / "model/words.arrow").write_bytes(b"damaged")
    with pytest.raises(SchemaError, match="not as it was saved"):
        open_classifier(tmp_path / "model")


def test_options_of_a_config_matter(few: Examples) -> None:
    both = few.with_new(few.take([0, 5]))
    how = {"encoder": "cnn", **HOW, "steps": 6}  # all of them matter from the first steps on
    plain = train_from_scratch(both, read_config(**how))
    assert len(plain.losses) == 6
    for changed in ({"gamma": 0.3}, {"contrast": 0.5}, {"seed": 1}, {"encoder": "bilstm"}):
        config = read_config(**{**how, **changed})
        assert train_from_scratch(both, config).losses != plain.losses


def test_a_training_that_was_stopped_goes_on(few: Examples, tmp_path: Path) -> None:
    config = read_config(encoder="cnn", **HOW)
    whole = train_from_scratch(few, config)

    def stop(update: int, loss: float) -> None:
        if update == 25:
            raise KeyboardInterrupt

    state = tmp_path / "state.safetensors"
    with pytest.raises(KeyboardInterrupt):
        train_from_scratch(few, config, checkpoint=state, on_update=stop)
    assert state.exists()
    again = train_from_scratch(few, config, checkpoint=state)
    assert again.losses == whole.losses
    texts = list(few.texts)
    assert np.array_equal(again.probabilities(texts), whole.probabilities(texts))


def test_texts_are_cut_where_the_config_says(few: Examples) -> None:
    how = {**HOW, "steps": 2}
    model = train_from_scratch(few, read_config(encoder="cnn", max_length=3, **how))
    assert np.array_equal(
        model.probabilities(["dog bites man"]), model.probabilities(["dog bites man today"])
    )


def test_passes_with_dropout_differ_and_repeat(few: Examples) -> None:
    model = train_from_scratch(few, read_config(encoder="bilstm", **{**HOW, "steps": 2}))
    made = model.passes(FIRST, 3, seed=0)
    assert not np.array_equal(made[0], made[1])
    assert np.array_equal(made, model.passes(FIRST, 3, seed=0))


def test_faults_are_told(few: Examples) -> None:
    broken = few.take(range(len(few)))
    broken.labels[-1] = np.nan
    with pytest.raises(TrainingError, match="loss is nan at update"):
        train_from_scratch(broken, read_config(encoder="cnn", **HOW))
    with pytest.raises(OptionError, match="needs an encoder that learns"):
        trainer(read_config(encoder="cnn"), Mixing(mix="sentence"))


def test_pairs_have_a_mark_between_them() -> None:
    assert words_of(("Is it?", "Yes")) == ["is", "it", "?", "|||", "yes"]


def test_the_command_line_trains_and_names(tmp_path: Path) -> None:
    texts = ["good fun", "poor show"] * 4
    rows = [f"{text},{kind}" for text, kind in zip(texts, "ab" * 4, strict=True)]
    data, folder = tmp_path / "few.csv", str(tmp_path / "model")
    data.write_text("\n".join(["text,label", *rows, f"{'so ' * 9}good,a"]) + "\n")
    how = ["--encoder", "cnn", "--steps", "40", "--learning-rate", "0.002", "--max-length", "5"]
    trained = CliRunner().invoke(app, ["classify", "train", str(data), *how, "-o", folder])
    assert trained.exit_code == 0, trained.output
    assert "1 of 9 texts have more than 5 words" in trained.output
    named = tmp_path / "named.csv"
    done = CliRunner().invoke(app, ["classify", "predict", folder, str(data), "-o", str(named)])
    assert done.exit_code == 0, done.output
    assert [row.split(",")[2] for row in named.read_text().splitlines()[1:9]] == list("ab" * 4)
