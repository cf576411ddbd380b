"""Model folders of others: no code, no pickle, no file from elsewhere, whatever they hold."""

from __future__ import annotations

import json
import os
import pickle
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grammar.errors import MissingDataError, OptionError, SchemaError, TreewrightError

pytest.importorskip("torch")
pytest.importorskip("transformers")

from sampling.neural.opening import KINDS, open_model

from .conftest import PAYLOAD, WORDS

Model = Callable[..., Path]


class Touch:
    """Touches a file when a pickle with it is opened."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_the_payload_is_real(armed: Callable[[str], Path], mark: Path, tmp_path: Path) -> None:
    program = "import sys, transformers as t; t.AutoConfig.from_pretrained(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", program, armed("masked")], input=b"y\n" * 9, check=True,
        capture_output=True, env={**os.environ, "HF_HOME": str(tmp_path / "hub")},
    )  # fmt: skip
    assert mark.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_opens_and_none_runs_code(
    kind: str, plain: dict[str, Path], armed: Any, mark: Path, watched: list[str]
) -> None:
    model, tokenizer = open_model(str(plain[kind]), kind)
    assert model.config.name_or_path == tokenizer.name_or_path == str(plain[kind])
    assert not model.training
    with pytest.raises(SchemaError, match=r"config.json: .*custom code: 'auto_map'"):
        open_model(str(armed(kind)), kind)
    assert not mark.exists()
    assert watched == []


REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "tokenizer": ("tokenizer_config.json", {"auto_map": {"AutoTokenizer": ["x.A", None]}}),
    "tokenizer list": ("tokenizer_config.json", {"auto_map": ["x.A", "x.A"]}),
    "text": ("config.json", {"auto_map": "x.A"}),
    "number": ("config.json", {"auto_map": 7}),
    "empty": ("config.json", {"auto_map": []}),
    "elsewhere": ("config.json", {"auto_map": {"AutoModel": "some/repository--x.A"}}),
    "nested": ("config.json", {"text_config": {"auto_map": {"AutoModel": "x.A"}}}),
    "in a list": ("config.json", {"parts": [[{"auto_map": {"AutoModel": "x.A"}}]]}),
    "generation": ("generation_config.json", {"auto_map": {"AutoModel": "x.A"}}),
    "generate": ("generation_config.json", {"custom_generate": "some/repository"}),
    "processor": ("processor_config.json", {"auto_map": {"AutoProcessor": "x.A"}}),
    "pictures": ("preprocessor_config.json", {"auto_map": {"AutoImageProcessor": "x.A"}}),
    "pipelines": ("config.json", {"custom_pipelines": {"x": {"impl": "x.A"}}}),
    "trust": ("tokenizer_config.json", {"trust_remote_code": True}),
    "kernel": ("config.json", {"_attn_implementation": "some/kernel"}),
    "kernels": ("config.json", {"attn_implementation": {"": "eager", "text": "some/kernel"}}),
    "experts": ("config.json", {"_experts_implementation": "deepgemm"}),
    "kernel list": ("config.json", {"attn_implementation": ["eager"]}),
    "quantised": ("config.json", {"quantization_config": {"quant_method": "gptq"}}),
    "fused": ("config.json", {"fusion_config": {"patch_embeddings": True}}),
    "backbone": ("config.json", {"backbone": "some/repository", "use_timm_backbone": True}),
    "vision": ("config.json", {"vision_config": {"model_type": "timm_wrapper"}}),
    "layers": ("config.json", {"num_hidden_layers": 10**9}),
    "retriever": ("tokenizer_config.json", {"tokenizer_class": "RagRetriever"}),
    "opener": ("tokenizer_config.json", {"tokenizer_class": "AutoModel"}),
    "pipeline": ("config.json", {"tokenizer_class": "pipeline"}),
    "module": ("tokenizer_config.json", {"tokenizer_class": "os.system"}),
    "class number": ("tokenizer_config.json", {"tokenizer_class": 5}),
    "programs": ("tokenizer_config.json", {"tokenizer_class": "BertJapaneseTokenizer"}),
}  # fmt: skip


@pytest.mark.parametrize(("file", "changed"), REQUESTS.values(), ids=REQUESTS)
def test_what_asks_for_more_than_weights_is_refused_by_file_and_entry(
    file: str, changed: dict[str, Any], model: Model, watched: list[str]
) -> None:
    folder = model("masked", file, **changed)
    with pytest.raises(SchemaError) as caught:
        open_model(str(folder), "masked")
    assert str(folder) in caught.value.where
    assert caught.value.hint
    if "tokenizer_class" not in changed:
        assert caught.value.where == str(folder / file)
        assert any(key in str(caught.value) for key in (*changed, "auto_map", "backbone"))
    assert watched == []


@pytest.mark.parametrize(
    "changed",
    [
        {"model_type": "dpt"}, {"model_type": "rag"}, {"model_type": "payload"}, {"model_type": 3},
        {"model_type": None}, {"text_config": {"model_type": "detr"}},
        {"model_type": "encoder-decoder", "encoder": {"model_type": "dpt"},
         "decoder": {"model_type": "bert"}},
    ],
)  # fmt: skip
def test_architectures_that_are_none_of_texts_are_refused(
    changed: dict[str, Any], model: Model, watched: list[str]
) -> None:
    with pytest.raises(OptionError, match="model_type"):
        open_model(str(model("masked", **changed)), "masked")
    assert watched == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("num_attention_heads", -4), ("hidden_dropout_prob", float("nan")),
        ("attention_probs_dropout_prob", 1.5), ("classifier_dropout", -0.1),
    ],
)  # fmt: skip
def test_numbers_that_no_model_has_are_refused(name: str, value: float, model: Model) -> None:
    folder = model("encoder")
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**settings, name: value}))
    with pytest.raises(SchemaError, match=f"it claims {name} of {value}"):
        open_model(str(folder), "encoder")


def test_what_is_not_on_the_list_is_not_read(model: Model, mark: Path, watched: list[str]) -> None:
    folder = model(
        "masked", _name_or_path="some/repository", transformers_weights="../x.safetensors"
    )
    model("masked", "tokenizer_config.json", vocab_file=os.devnull, tokenizer_file=os.devnull,
          name_or_path="some/repository", init_inputs=[os.devnull], chat_template="{{ 1 }}",
          fast_tokenizer_files=["tokenizer.9.json"])  # fmt: skip
    model("masked", "special_tokens_map.json", mask_token="[MASK]", tokenizer_file=os.devnull)
    model("masked", "adapter_config.json", base_model_name_or_path="some/repository")
    for name in ("modeling_x.py", "tokenization_x.py", "custom_generate/generate.py", "setup.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(PAYLOAD.format(mark=str(mark)))
    for name in ("pytorch_model.bin", "vocab.pkl", "training_args.bin"):
        (folder / name).write_bytes(pickle.dumps(Touch(mark)))
    (folder / "chat_template.jinja").write_text("{{ 1 }}")
    (folder / "modules.json").write_text('[{"type": "payload.Model", "path": ""}]')
    os.mkfifo(folder / "README.md")
    opened, tokenizer = open_model(str(folder), "masked")
    assert tokenizer.convert_ids_to_tokens(5) == WORDS[0]
    assert tokenizer.chat_template is None
    assert opened.config.name_or_path == str(folder)
    assert not mark.exists()
    assert watched == []


@pytest.mark.parametrize("kind", ["encoder", "masked", "seq2seq"])
def test_a_pickle_is_refused_and_the_hint_converts_it(
    kind: str, model: Model, mark: Path, watched: list[str]
) -> None:
    import torch

    folder = model(kind)
    before = open_model(str(folder), kind)[0].state_dict()
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Touch(mark)))
    with pytest.raises(SchemaError, match=r"pytorch_model.bin: its weights are a pickle") as caught:
        open_model(str(folder), kind)
    assert not mark.exists()
    assert watched == []
    torch.save(before, folder / "pytorch_model.bin")
    begin = caught.value.hint.index("python -c")
    _, _, program = shlex.split(caught.value.hint[begin:])
    exec(program, {})  # as python -c does
    after = open_model(str(folder), kind)[0].state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_shards_are_read_and_lead_nowhere(model: Model, plain: dict[str, Path]) -> None:
    folder = model("masked")
    index = folder / "model.safetensors.index.json"
    shard = folder / "model-00001-of-00001.safetensors"
    (folder / "model.safetensors").rename(shard)
    from safetensors import safe_open

    with safe_open(shard, "pt") as held:
        names = list(held.keys())
    index.write_text(json.dumps({"metadata": {}, "weight_map": dict.fromkeys(names, shard.name)}))
    assert open_model(str(folder), "masked")
    (folder / "model-x.bin").write_bytes(b"")
    outside = os.path.relpath(plain["masked"] / "model.safetensors", folder)
    for value in (outside, str(plain["masked"] / "model.safetensors"), "model-x.bin",
                  "model-2.safetensors", 7, None):  # fmt: skip
        index.write_text(json.dumps({"weight_map": {**dict.fromkeys(names, value)}}))
        with pytest.raises(SchemaError, match=r"index.json: it names"):
            open_model(str(folder), "masked")
    index.write_text(json.dumps({"weight_map": []}))
    with pytest.raises(SchemaError, match=r"index.json"):
        open_model(str(folder), "masked")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_links_out_of_the_folder_and_what_is_no_file_are_refused(
    name: str, model: Model, plain: dict[str, Path], tmp_path: Path
) -> None:
    folder = model("masked")
    inside = folder / "kept.of"
    (folder / name).rename(inside)
    (folder / name).symlink_to(inside.name)
    assert open_model(str(folder), "masked")
    for target in (plain["masked"] / name, "/dev/zero", "..", name):
        (folder / name).unlink()
        (folder / name).symlink_to(target)
        with pytest.raises(SchemaError, match=name):
            open_model(str(folder), "masked")
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with pytest.raises(SchemaError, match="not a regular file"):
        open_model(str(folder), "masked")
    (tmp_path / "another").symlink_to(plain["masked"])  # a person may name a link
    assert open_model(str(tmp_path / "another"), "masked")


def test_a_snapshot_of_the_cache_of_a_hub_is_a_folder_too(
    plain: dict[str, Path], tmp_path: Path
) -> None:
    kept = tmp_path / "models--some--model"
    (kept / "blobs").mkdir(parents=True)
    (kept / "snapshots" / "0a").mkdir(parents=True)
    for number, path in enumerate(plain["masked"].iterdir()):
        (kept / "blobs" / str(number)).write_bytes(path.read_bytes())
        (kept / "snapshots" / "0a" / path.name).symlink_to(f"../../blobs/{number}")
    assert open_model(str(kept / "snapshots" / "0a"), "masked")
    (kept / "snapshots" / "0a" / "config.json").unlink()
    (kept / "snapshots" / "0a" / "config.json").symlink_to(plain["masked"] / "config.json")
    with pytest.raises(SchemaError, match="leads out of its folder"):
        open_model(str(kept / "snapshots" / "0a"), "masked")


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"\xff", b"3", b"[" * 10**5, b'{"a":' * 10**5, b"{'x': 1}"]
)
@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json", "generation_config.json"])
def test_settings_that_cannot_be_read_are_told(content: bytes, name: str, model: Model) -> None:
    folder = model("masked")
    (folder / name).write_bytes(content)
    with pytest.raises(SchemaError, match=name):
        open_model(str(folder), "masked")


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "vocab.txt"])
@pytest.mark.parametrize("content", [b"", b"nothing", b"{}"])
def test_damaged_files_are_one_clear_error(content: bytes, name: str, model: Model) -> None:
    for kind in ("encoder", "masked"):
        folder = model(kind)
        (folder / name).write_bytes(content)
        if name == "vocab.txt":  # tokenizer.json has all that it says
            open_model(str(folder), kind)
            continue
        with pytest.raises(TreewrightError) as caught:
            open_model(str(folder), kind)
        assert caught.value.hint
        assert "treewright-model-" not in str(caught.value)


def test_a_folder_without_a_model_says_what_is_missing(model: Model, tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"config.json is missing"):
        open_model(str(tmp_path), "encoder")
    os.mkfifo(tmp_path / "m.gguf")
    for name in ("m.gguf", "."):
        with pytest.raises(MissingDataError, match="there is no model"):
            open_model(str(tmp_path / name), "causal")
    folder = model("masked")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(MissingDataError, match="there is no tokenizer"):
        open_model(str(folder), "masked")
    (folder / "model.safetensors").unlink()
    with pytest.raises(MissingDataError, match=r"model.safetensors is missing"):
        open_model(str(folder), "masked")
    (folder / "adapter_config.json").write_text("{}")
    with pytest.raises(SchemaError, match="adapter of a model"):
        open_model(str(folder), "masked")


def test_a_class_may_have_any_name(model: Model) -> None:
    names = {"auto_map": 0, "vocab_file": 1}
    folder = model("classifier", label2id=names, id2label={0: "auto_map", 1: "vocab_file"})
    opened, _ = open_model(str(folder), "classifier")
    assert opened.config.label2id == names


def test_a_tokenizer_without_padding_takes_the_mark_of_the_end(model: Model) -> None:
    folder = model("encoder", "tokenizer_config.json", pad_token=None, eos_token="[SEP]")
    found, tokenizer = open_model(str(folder), "encoder")
    rows = tokenizer(["good", "good film"], padding=True)["input_ids"]
    assert rows[0][-1] == found.config.pad_token_id == tokenizer.eos_token_id
    model("encoder", "tokenizer_config.json", eos_token=None, sep_token=None)
    with pytest.raises(SchemaError, match="no mark for padding"):
        open_model(str(folder), "encoder")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e30])
def test_weights_that_are_no_weights_are_refused(value: float, model: Model) -> None:
    from safetensors.torch import load_file, save_file

    folder = model("encoder")
    tensors = load_file(folder / "model.safetensors")
    name = sorted(tensors)[0]
    tensors[name].view(-1)[3] = value
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(SchemaError, match=f"the weights {name} lie between"):
        open_model(str(folder), "encoder")
