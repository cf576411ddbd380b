"""Saved classifiers say the same when they are opened; damage and strangers are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from classifiers.config import TrainingConfig, read_config
from classifiers.estimator import TextClassifier
from classifiers.examples import read_examples
from classifiers.export.heads import dense_head
from classifiers.export.saving import export_onnx
from classifiers.saving import facts_of, open_classifier, save_classifier
from classifiers.scores import score
from classifiers.training.train import trainer
from grammar.errors import (
    MissingDataError,
    OptionError,
    OutputError,
    SchemaError,
    TreewrightError,
    UnreadableInputError,
)
from grammar.saving.array_file import load_arrays, save_arrays
from induction import Corpus
from tests.checksums import sealed_again

TEXTS = ("a good movie", "great acting", "a bad plot", "dull was it", "the film was moving",
         "poor film not good")  # fmt: skip
LABELS = ("pos", "pos", "neg", "neg", "pos", "neg")
FEW = read_examples(Corpus.from_columns(text=TEXTS, label=LABELS))
THREE = read_examples(Corpus.from_columns(text=TEXTS, label=("a", "b", "c") * 2))


@pytest.mark.parametrize("train", ["tfidf", "frozen", "top_layers", "whole"])
@pytest.mark.parametrize("examples", [FEW, THREE], ids=["two classes", "three"])
def test_an_opened_classifier_says_what_the_trained_one_said(
    train: str, examples: Any, tiny: Path, tmp_path: Path
) -> None:
    config = TrainingConfig(encoder="tfidf")
    if train != "tfidf":
        config = read_config(encoder=str(tiny), train=train, steps=3, batch=4, device="cpu")
    model = trainer(config)(examples)
    save_classifier(model, tmp_path / "model", {"scores": {"accuracy": 0.5}})
    opened = open_classifier(tmp_path / "model", device="cpu")
    assert opened.classes == examples.classes
    texts = [*TEXTS, "walk cat", "dull great unknown"]
    assert np.array_equal(opened.probabilities(texts), model.probabilities(texts))
    card = (tmp_path / "model" / "README.md").read_text()
    assert "| accuracy | 0.5 |" in card
    assert ", ".join(examples.classes) in card
    save_classifier(opened, tmp_path / "again")
    again = open_classifier(tmp_path / "again", device="cpu")
    assert np.array_equal(again.probabilities(texts), model.probabilities(texts))
    assert not list(tmp_path.glob("**/*.pkl")) + list(tmp_path.glob("**/*.bin"))


@pytest.mark.parametrize(
    ("name", "value"), [("present", 7), ("present", -(2**31)), ("idf", float("nan"))]
)
def test_arrays_that_are_no_weights_are_refused(name: str, value: float, tmp_path: Path) -> None:
    examples = read_examples(Corpus.from_columns(text=["a b", "c d"], label=["x", "y"]))
    save_classifier(trainer(TrainingConfig(encoder="tfidf"))(examples), tmp_path / "model")
    file, schema = tmp_path / "model" / "tfidf.arrow", "treewright.tfidf/1"
    facts, columns = load_arrays(file, schema, what="weights", hint="")
    columns[name][0] = value
    save_arrays(file, schema, facts, columns)
    sealed_again(tmp_path / "model")
    with pytest.raises(SchemaError, match="damaged|do not fit"):
        open_classifier(tmp_path / "model")


def test_transformers_open_the_encoder_as_it_was_trained(tiny: Path, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from transformers import AutoModel, AutoModelForMaskedLM  # noqa: F401

    config = read_config(encoder=str(tiny), train="top_layers", steps=3, batch=4, device="cpu")
    model: Any = trainer(config)(FEW)
    save_classifier(model, tmp_path / "model")
    opened = AutoModel.from_pretrained(tmp_path / "model")
    trained, start = model.model.body.layer[-1], model.encoder.model.encoder.layer[-1]
    ours = opened.encoder.layer[-1].state_dict()
    assert all(torch.equal(v, ours[k]) for k, v in trained.state_dict().items())
    assert not all(torch.equal(v, ours[k]) for k, v in start.state_dict().items())
    assert opened.config.id2label == {0: "neg", 1: "pos"}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    save_classifier(trainer(TrainingConfig(encoder="tfidf"))(FEW), tmp_path / "model")
    return tmp_path / "model"


def test_a_folder_takes_the_place_of_an_older_one_as_a_whole(saved: Path) -> None:
    (saved / "older.txt").write_text("x")
    save_classifier(trainer(TrainingConfig(encoder="tfidf"))(FEW), saved)
    assert not (saved / "older.txt").exists()
    assert open_classifier(saved).classes == FEW.classes
    with pytest.raises(OutputError, match="cannot write the file"):
        save_classifier(trainer(TrainingConfig(encoder="tfidf"))(FEW), saved / "no" / "model")


def test_a_fault_leaves_nothing_behind(tmp_path: Path) -> None:
    class Broken:
        classes = ("a",)

        def probabilities(self, texts: Any) -> Any:
            raise NotImplementedError

    with pytest.raises(AttributeError):
        save_classifier(Broken(), tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_classifier_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="no classifier"):
        open_classifier(tmp_path)
    (tmp_path / "treewright.json").write_text("{}")
    with pytest.raises(SchemaError, match="not a classifier"):
        open_classifier(tmp_path)


@pytest.mark.parametrize("name", ["tfidf.arrow", "treewright.json"])
def test_damage_is_refused(name: str, saved: Path) -> None:
    data = bytearray((saved / name).read_bytes())
    for place in range(0, len(data), max(1, len(data) // 40)):
        (saved / name).write_bytes(bytes([*data[:place], data[place] ^ 1, *data[place + 1 :]]))
        with pytest.raises(TreewrightError):
            open_classifier(saved)


@pytest.mark.parametrize(
    "change", [{"classes": ["a"]}, {"kind": "x"}, {"config": {"learning_rate": "x"}}]
)
def test_facts_that_do_not_fit_are_refused(change: dict[str, Any], saved: Path) -> None:
    held = {**facts_of(saved), **change}
    assert held != facts_of(saved)
    (saved / "treewright.json").write_text(json.dumps(held))
    with pytest.raises(TreewrightError):
        open_classifier(saved)


def test_scores_are_those_of_the_definition() -> None:
    class Fixed:
        classes = ("a", "b", "c")

        def probabilities(self, texts: Any) -> Any:
            return np.eye(3)[[int(text) for text in texts]]

    texts, labels = ["0", "0", "1", "1", "0"], ["a", "a", "a", "b", "b"]
    held = read_examples(Corpus.from_columns(text=texts, label=labels), classes=Fixed.classes)
    found = score(Fixed(), held)
    assert found.accuracy == 3 / 5
    assert [(one.precision, one.recall, one.examples) for one in found.classes] == [
        (2 / 3, 2 / 3, 3), (1 / 2, 1 / 2, 2), (0, 0, 0)
    ]  # fmt: skip
    assert found.macro_f1 == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert found.to_dict()["classes"]["b"]["recall"] == 0.5


SETS = read_examples(
    Corpus.from_columns(text=TEXTS, label=[["a"], ["a", "b"], [], ["b"], ["a"], ["c"]])
)
ASKED = (
    *TEXTS,
    "good\u00a0Movie  GOOD movie",
    "",
    "nothing that is known",
    "good good plot ||| bad",
)


@pytest.mark.parametrize(
    ("train", "examples", "pooling"),
    [
        ("tfidf", FEW, "mean"), ("tfidf", THREE, "mean"), ("tfidf", SETS, "mean"),
        ("frozen", FEW, "mean"), ("frozen", THREE, "ends"), ("frozen", SETS, "first"),
        ("top_layers", THREE, "mean"), ("whole", SETS, "ends"),
    ],
)  # fmt: skip
def test_an_exported_classifier_says_the_same(
    train: str, examples: Any, pooling: str, tiny: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("sampling.neural.precision.bfloat16_is_fast", lambda device: False)
    pytest.importorskip("onnx", reason="the extra onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime, a peer, is not installed")
    config = read_config(encoder="tfidf", ngrams=3)
    if train != "tfidf":
        config = read_config(
            encoder=str(tiny), train=train, steps=3, batch=4, device="cpu", pooling=pooling,
            precision="fp32", learning_rate=0.01,
        )  # fmt: skip
    model = trainer(config)(examples)
    export_onnx(model, tmp_path / "out", {"data": {"examples": 6}})
    session = runtime.InferenceSession(tmp_path / "out" / "model.onnx")
    if train == "tfidf":
        given: Any = {"text": [" ".join(text.lower().split()) for text in ASKED]}
    else:
        given = {name: value.numpy() for name, value in model.encoder.pieces(list(ASKED)).items()}
    [told] = session.run(None, given)
    rounding = 1e-5 if train != "top_layers" else 1e-3  # states between halves are bfloat16
    np.testing.assert_allclose(told, model.probabilities(list(ASKED)), rtol=0, atol=rounding)
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert all(said in card for said in ("examples | 6", "## Licence", "not tested"))


def test_a_class_without_examples_has_no_probability() -> None:
    model = trainer(read_config(encoder="tfidf"))(
        read_examples(Corpus.from_columns(text=TEXTS, label=LABELS), classes=("neg", "no", "pos"))
    )
    weight, bias = dense_head(model.model, 3)
    scores = model.vectoriser.transform(TEXTS) @ weight + bias
    shares = np.exp(scores - scores.max(1, keepdims=True))
    np.testing.assert_allclose(
        shares / shares.sum(1, keepdims=True), model.probabilities(TEXTS), atol=1e-6
    )


def test_export_names_what_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDataError, match=r"treewright\[onnx\]"):
        export_onnx(trainer(read_config(encoder="tfidf"))(FEW), tmp_path / "out")


def test_export_refuses_networks_on_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    model = trainer(read_config(encoder="cnn", steps=1, batch=2, device="cpu"))(FEW)
    with pytest.raises(OptionError, match="FromScratch cannot be exported"):
        export_onnx(model, tmp_path / "out")


def test_an_estimator_is_exported_with_what_it_learnt_from(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="the extra onnx is not installed")
    fitted = TextClassifier(encoder="tfidf").fit(TEXTS, LABELS)
    fitted.to_onnx(tmp_path / "out")
    assert (tmp_path / "out" / "model.onnx").exists()
    assert f"| examples | {len(TEXTS)} |" in (tmp_path / "out" / "README.md").read_text("utf-8")
