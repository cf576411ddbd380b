"""Tokenizers of others: no text becomes a thousand times as long, no search has no end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grammar.errors import SchemaError
from sampling.neural.tokenizer_file import check_tokenizer_file

pytest.importorskip("torch")
pytest.importorskip("transformers")

from sampling.neural.opening import open_model
from sampling.neural.threads import decoded, tokenized

Model = Callable[..., Path]


def replacing(expression: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": expression}, "content": content}


def row(*normalizers: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": list(normalizers)}


def splitting(expression: str) -> dict[str, Any]:
    how = {"behavior": "Isolated", "invert": False}
    return {"type": "Split", "pattern": {"Regex": expression}, **how}


REFUSED = {
    "ten for one, nine times": (
        {"normalizer": row(*[replacing(".", "aaaaaaaaaa")] * 9)}, "more than 100 times as long"
    ),
    "beside each character": (
        {"normalizer": row(*[replacing("(?=.)", "a")] * 7)}, "more than 100 times as long"
    ),
    "a long text for a short one": (
        {"normalizer": {"type": "Replace", "pattern": {"String": "a"}, "content": "b" * 101}},
        "more than 100 times as long",
    ),
    "before each": ({"normalizer": {"type": "Prepend", "prepend": "_" * 100}}, "100 times as long"),
    "put together": ({"decoder": replacing("", "a" * 100)}, "decoder makes texts"),
    "a search": ({"normalizer": replacing("(a+)+$", "a")}, r"search for '\(a\+\)\+\$' doubles"),
    "a division": ({"pre_tokenizer": splitting(r"(\p{L}+\s?)+$")}, "doubles its steps"),
    "many texts of one": (
        {"post_processor": {"single": [{"Sequence": {"id": "A", "type_id": 0}}] * 101}},
        "more than 100 pieces",
    ),
    "many marks": (
        {"post_processor": {"special_tokens": {"[CLS]": {"ids": [2] * 101}}}},
        "more than 100 pieces",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changed", "what"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_bound_is_refused_before_it_is_opened(
    changed: dict[str, Any], what: str, model: Model
) -> None:
    folder = model("encoder", "tokenizer.json", **changed)
    with pytest.raises(SchemaError, match=what) as error:
        open_model(str(folder), "encoder")
    assert str(folder / "tokenizer.json") in str(error.value)


@pytest.mark.parametrize(
    "expression",
    [
        # as published models divide texts: GPT-2, Llama 3, CLIP, BLOOM
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
        r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        r"<\|startoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
        r" ?[^(\s|[.,!?…。，、।۔،])]+",
        r"[0-9][0-9][0-9]|\s*[\r\n]+",
    ],
)
def test_expressions_of_published_models_are_no_search_without_end(
    expression: str, model: Model
) -> None:
    spaces = row(*[replacing(" {2,}", "▁")] * 20)
    folder = model(
        "encoder", "tokenizer.json", pre_tokenizer=splitting(expression), normalizer=spaces
    )
    check_tokenizer_file(folder / "tokenizer.json")


class Failing:
    """A tokenizer that fails as the library does, or makes rows that are too long."""

    name_or_path = "a/model"

    def __init__(self, made: BaseException | list[list[int]]) -> None:
        self.made = made

    def __call__(self, texts: list[str], **how: Any) -> Any:
        if isinstance(self.made, BaseException):
            raise self.made
        return {"input_ids": self.made}

    def batch_decode(self, ids: Any, **how: Any) -> list[str]:
        assert isinstance(self.made, BaseException)
        raise self.made


def test_what_fails_in_a_tokenizer_is_an_error_of_the_model() -> None:
    panic = type("PanicException", (BaseException,), {})("retry-limit-in-match over")
    for raised in (panic, Exception("no piece")):
        for use in (lambda held: tokenized(held, ["a"]), lambda held: decoded(held, [[1]])):
            with pytest.raises(SchemaError, match=f"a/model: the tokenizer .* fails: {raised}"):
                use(Failing(raised))
    with pytest.raises(KeyboardInterrupt):
        tokenized(Failing(KeyboardInterrupt()), ["a"])
    with pytest.raises(SchemaError, match="rows of more than 4 pieces"):
        tokenized(Failing([[1, 2], [1, 2, 3, 4, 5]]), ["a", "b"], max_length=4)
    assert tokenized(Failing([[1, 2, 3, 4]]), ["a"], max_length=4) == {"input_ids": [[1, 2, 3, 4]]}
