"""Models on the hub: found in the cache, else fetched after a word; looked through as others."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grammar.errors import MissingDataError, NotAllowedError, SchemaError
from grammar.messages import heard_by
from grammar.storage.permissions import allowing, files_say

pytest.importorskip("torch")
huggingface_hub = pytest.importorskip("huggingface_hub")
pytest.importorskip("transformers")

from sampling.neural import opening  # noqa: E402
from sampling.neural.hub import is_hub_name  # noqa: E402
from sampling.neural.opening import open_model  # noqa: E402

NAME = "some/model"


class Hub:
    """Stands in for the library of the hub: one model, and what is asked of it."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self.cache = folder, cache
        self.asked: list[str] = []

    def model_info(self, name: str, *, files_metadata: bool) -> Any:
        self.asked.append("sizes")
        assert files_metadata
        assert name == NAME
        paths = [path for path in self.folder.rglob("*") if path.is_file()]
        return SimpleNamespace(
            siblings=[
                SimpleNamespace(
                    rfilename=path.relative_to(self.folder).as_posix(), size=path.stat().st_size
                )
                for path in paths
            ]
        )

    def snapshot_download(
        self, name: str, *, allow_patterns: Sequence[str], local_files_only: bool = False
    ) -> str:
        self.asked.append("cache" if local_files_only else "fetch")
        kept = self.cache / "models--some--model" / "snapshots" / "0a"
        if local_files_only:
            if not kept.is_dir():
                raise OSError("it is not in the cache")
            return str(kept)
        for path in self.folder.rglob("*"):
            file = path.relative_to(self.folder).as_posix()
            if path.is_file() and any(fnmatch(file, pattern) for pattern in allow_patterns):
                (kept / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, kept / file)
        return str(kept)


@pytest.fixture
def hub(model: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    made = Hub(model("masked"), tmp_path / "cache")
    monkeypatch.setattr(huggingface_hub, "snapshot_download", made.snapshot_download)
    monkeypatch.setattr(huggingface_hub, "HfApi", lambda: made)
    return made


def test_a_model_is_fetched_once_after_one_line_and_without_pickles(hub: Hub) -> None:
    (hub.folder / "pytorch_model.bin").write_bytes(b"a pickle")
    (hub.folder / "onnx").mkdir()
    (hub.folder / "onnx" / "model.onnx").write_bytes(b"x" * 10**7)
    (hub.folder / "modeling_x.py").write_text("1 / 0")
    said: list[str] = []
    with heard_by(said.append):
        open_model(NAME, "masked")
    size = (hub.folder / "model.safetensors").stat().st_size / 1e6
    assert said == [
        f"fetching the model {NAME} from {huggingface_hub.constants.ENDPOINT}: {size:,.1f} MB"
    ]
    assert hub.asked == ["cache", "sizes", "fetch"]
    [kept] = (hub.cache / "models--some--model" / "snapshots").iterdir()
    assert not {"pytorch_model.bin", "onnx", "modeling_x.py"} & {p.name for p in kept.iterdir()}
    with heard_by(said.append):
        opened, tokenizer = open_model(NAME, "masked")
    assert hub.asked[3:] == ["cache"]
    assert len(said) == 1
    assert opened.config.name_or_path == tokenizer.name_or_path == NAME


def test_what_was_fetched_is_looked_through(hub: Hub, model: Callable[..., Path]) -> None:
    model("masked", auto_map={"AutoConfig": "x.A"})
    with heard_by(lambda _: None), pytest.raises(SchemaError, match=r"config.json: .*'auto_map'"):
        open_model(NAME, "masked")


def test_a_model_without_safetensors_is_not_fetched(hub: Hub) -> None:
    (hub.folder / "model.safetensors").rename(hub.folder / "pytorch_model.bin")
    with pytest.raises(MissingDataError, match="no weights in safetensors") as caught:
        open_model(NAME, "masked")
    assert "https://huggingface.co/spaces/safetensors/convert" in caught.value.hint
    assert hub.asked == ["cache", "sizes"]


def test_a_model_that_is_half_in_the_cache_is_fetched(hub: Hub) -> None:
    with heard_by(lambda _: None):
        open_model(NAME, "masked")
        [kept] = (hub.cache / "models--some--model" / "snapshots").iterdir()
        (kept / "model.safetensors").unlink()
        open_model(NAME, "masked")
    assert hub.asked == ["cache", "sizes", "fetch"] * 2


@pytest.mark.parametrize("failure", [OSError("no\nnetwork"), RuntimeError(), ValueError("x")])
def test_whatever_fails_in_a_network_is_one_clear_error(
    hub: Hub, failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any, **__: Any) -> Any:
        raise failure

    monkeypatch.setattr(hub, "model_info", failing)
    with pytest.raises(MissingDataError, match="'some/model' is not to be had") as caught:
        open_model(NAME, "masked")
    assert "save_pretrained" in caught.value.hint


@pytest.mark.parametrize("name", ["../model", "/model", "a/b/c", "a b", "", "http://x/y", "~/m"])
def test_what_is_no_name_is_not_asked_of_a_hub(name: str) -> None:
    assert not is_hub_name(name)


def test_a_name_in_a_file_is_fetched_only_if_this_run_allows_it(hub: Hub) -> None:
    with files_say(), pytest.raises(NotAllowedError, match="some/model, and this run does not"):
        open_model(NAME, "masked", device="cpu")
    assert "fetch" not in hub.asked
    with allowing(network=True), files_say():
        open_model(NAME, "masked", device="cpu")
    assert "fetch" in hub.asked


def test_the_default_encoder_is_named_by_no_file(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "DEFAULT_ENCODER", NAME)
    with files_say():
        open_model(NAME, "encoder", device="cpu")
    assert "fetch" in hub.asked
