"""Changes of low rank: what they change, how they are learnt, and what a file of them must be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from transformers import LlamaConfig, LlamaForCausalLM

from benchmarks import adapting
from benchmarks.probe_network import Network
from sampling.neural.causal.adapter import Adapter
from sampling.neural.causal.features import changed
from sampling.neural.causal.lower_layers import Trunk
from sampling.neural.causal.model import CausalModel

WORDS = ["red", "dogs", "sleep", "my", "aunt", "sings", "two", "old"]
SHAPES = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=4)


class _Words:
    """A tokenizer of whole words."""

    bos_token_id = eos_token_id = 0

    def get_vocab(self) -> dict[str, int]:
        return {word: k + 1 for k, word in enumerate(WORDS)}

    def __call__(self, texts: list[str], **_: Any) -> dict[str, Any]:
        numbers = self.get_vocab()
        return {
            "input_ids": [[numbers[word] for word in text.split()] for text in texts],
            "offset_mapping": [_offsets(text.split()) for text in texts],
        }


def _offsets(words: list[str]) -> list[tuple[int, int]]:
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    return [(int(end) - len(word), int(end)) for word, end in zip(words, ends, strict=True)]


@pytest.fixture
def causal() -> CausalModel:
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(WORDS) + 1, hidden_size=16, intermediate_size=24, num_hidden_layers=3,
        num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=32,
    )  # fmt: skip
    return CausalModel(LlamaForCausalLM(config).eval().requires_grad_(False), _Words())


def adapter_of(causal: CausalModel, layer: int, rank: int = 2) -> Adapter:
    rng = np.random.default_rng(0)
    shapes = [m.weight.shape for m in Trunk(causal.model.base_model, layer).matrices]
    return Adapter.of([(rng.normal(size=(rank, a)), rng.normal(size=(rank, b))) for a, b in shapes])


@given(st.integers(0, 99), SHAPES, st.integers(1, 3))
def test_changes_are_products_of_rounded_rows(
    seed: int, shapes: list[tuple[int, int]], rank: int
) -> None:
    rng = np.random.default_rng(seed)
    pairs = [(rng.normal(size=(rank, a)), rng.normal(size=(rank, b))) for a, b in shapes]
    made = Adapter.of(pairs)
    made.check()
    for (up, down), change in zip(pairs, made.changes(), strict=True):
        total = np.zeros((up.shape[1], down.shape[1]))
        for left, right in zip(up, down, strict=True):
            left, right = (_rounded(row) for row in (left, right))
            total += [[x * y for y in right] for x in left]
        assert change == pytest.approx(total, abs=1e-5)


def _rounded(row: Any) -> list[float]:
    """Each number is the nearest of 127 steps up and down, the largest exactly one of them."""
    largest = max(abs(x) for x in row)
    return [round(x / largest * 127) * largest / 127 for x in row]


def test_rows_of_zeros_change_nothing() -> None:
    made = Adapter.of([(np.zeros((2, 3)), np.ones((2, 4)))])
    assert [change.tolist() for change in made.changes()] == [[[0.0] * 4] * 3]


def test_a_file_of_changes_that_do_not_belong_together_is_refused() -> None:
    made = Adapter.of([(np.ones((2, 3)), np.ones((2, 4)))])
    made.check()
    bad = (
        {"shapes": made.shapes[:1]}, {"shapes": made.shapes[::2]}, {"shapes": made.shapes * 0},
        {"shapes": made.shapes * 2**40}, {"shapes": made.shapes.astype(np.float64)},
        {"steps": made.steps[1:]}, {"steps": made.steps.astype(np.int16) * 2},
        {"steps": made.steps.astype(np.float32)}, {"sizes": made.sizes[1:]},
        {"sizes": made.sizes * np.float32(np.nan)}, {"sizes": made.sizes.astype(np.float64)},
    )  # fmt: skip
    for columns in bad:
        with pytest.raises(ValueError, match="shapes|steps|sizes"):
            replace(made, **columns).check()


def test_matrices_of_the_layers_are_changed_and_no_others(causal: CausalModel) -> None:
    """States are those of a model whose matrices were changed by hand, and the model stays."""
    texts = ["red dogs sleep", "my aunt sings", "red dogs", ""]
    before = {name: each.clone() for name, each in causal.model.state_dict().items()}
    plain = causal.hidden(texts, 1)
    adapter = adapter_of(causal, 1)
    found = causal.hidden(texts, 1, adapter)
    for name, each in causal.model.state_dict().items():
        assert torch.equal(each, before[name])
    assert [h.states.tolist() for h in causal.hidden(texts, 1)] == [
        h.states.tolist() for h in plain
    ]
    layer = causal.model.base_model.layers[0]
    matrices = [each for each in layer.modules() if isinstance(each, torch.nn.Linear)]
    assert len(matrices) == 7
    for matrix, change in zip(matrices, adapter.changes(), strict=True):
        matrix.weight += torch.from_numpy(change)
    for text, hidden, was in zip(texts, found, plain, strict=True):
        ids = torch.tensor([[causal.first, *causal.pieces([text])[0]]])
        with torch.no_grad():
            states = causal.model(ids, output_hidden_states=True).hidden_states[1][0, 1:].numpy()
        assert hidden.states == pytest.approx(states, abs=1e-4)
        assert not len(states) or np.abs(hidden.states - was.states).max() > 0.01


def test_an_adapter_of_other_matrices_is_refused(causal: CausalModel) -> None:
    body = causal.model.base_model
    mine = adapter_of(causal, 1)
    Trunk(body, 1, mine)
    huge = Adapter.of([(np.ones((1, 1 << 15)), np.ones((1, 1 << 15)))])  # 4 GB, if it were made
    for other in (
        adapter_of(causal, 0),
        adapter_of(causal, 2),
        huge,
        replace(mine, shapes=mine.shapes[::-1].copy()),
    ):
        with pytest.raises(ValueError, match="the changes are of other matrices"):
            Trunk(body, 1, other)


def test_what_is_learnt_is_what_is_read(causal: CausalModel) -> None:
    """The probe of a file says of packed texts what the network says that was trained."""
    changes = [changed(f"red {word} sings", "red sings") for word in WORDS] + [changed("my", "")]
    torch.manual_seed(1)
    adapted = adapting.Adapted(causal, 1, Network(16, 4, 3)).eval()
    for change in adapted.changes:
        torch.nn.init.normal_(change.up, std=0.1)
        for part in (change.up, change.down):  # of whole steps, so nothing is rounded
            step = part.detach().abs().amax(1, keepdim=True) / 127
            part.data = (part.detach() / step).round() * step
    for weight in adapted.network.parameters():
        torch.nn.init.normal_(weight)
    texts = adapting.texts_of(causal, changes)
    with torch.no_grad():
        whole = adapted(adapting.batch_of(texts, "cpu")).tolist()
        alone = [adapted(adapting.batch_of([each], "cpu")).item() for each in texts]
    assert alone == pytest.approx(whole, abs=1e-5)
    probe = adapted.probe()
    hidden = adapting.read(causal, changes, 1, probe.adapter)
    made = [probe.odds(*each) for each in zip(changes, hidden, strict=True)]
    assert made == pytest.approx(whole, abs=1e-3)
    assert np.ptp(whole) > 1
    with torch.no_grad():
        again = adapting.Adapted.going_on(causal, probe).eval()
        assert again(adapting.batch_of(texts, "cpu")).tolist() == pytest.approx(whole, abs=1e-3)


@pytest.mark.parametrize("fixed", ["", "network", "changes"])
def test_network_and_layers_learn_each_and_together(causal: CausalModel, fixed: str) -> None:
    """Whether two words are the same."""
    rng = np.random.default_rng(0)
    words = [" ".join(rng.choice(WORDS, 2)) for _ in range(400)]
    words = [t if k % 2 else f"{t.split()[0]} {t.split()[0]}" for k, t in enumerate(words)]
    verdicts = np.array([float(len({*text.split()}) == 1) for text in words])
    texts = adapting.texts_of(causal, [changed(text, "") for text in words])
    adapted = adapting.Adapted.begun(causal, 1, seed=0)
    adapted.get_submodule(fixed).requires_grad_(not fixed)
    before = [weight.clone() for weight in adapted.get_submodule(fixed).parameters()]
    adapting.learn(adapted, texts[:300], verdicts[:300], adapting.Course(40, 32, 3e-3), seed=0)
    after = [*adapted.get_submodule(fixed).parameters()]
    assert all(map(torch.equal, before, after)) == bool(fixed)
    with torch.no_grad():
        told = adapted(adapting.batch_of(texts[300:], "cpu"))
    # chance is .5 with a deviation of .06; what forty steps reach depends on the processor
    assert roc_auc_score(verdicts[300:], told) > 0.7


def test_no_texts_are_no_texts(causal: CausalModel) -> None:
    assert adapting.texts_of(causal, []) == []
