"""Tiny models, trained in seconds, for the methods that need one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from induction.corpus.corpus import Corpus

TEXTS = [
    "red apples fall down", "my aunt sings", "two old dogs sleep here", "we drink some tea",
    "he sold that car", "birds fly south", "the moon is bright tonight", "she reads",
    "cold rain hits the roof", "no one came",
]  # fmt: skip
OTHERS = [
    "red dogs fly", "my car is old", "she sold some apples", "cold tea", "no birds sleep here",
    "two roofs fall", "he drinks rain", "the aunt reads tonight",
]  # fmt: skip
TINY = {
    "model": "small", "steps": 160, "batch": 16, "learning_rate": 4e-3, "width": 48, "layers": 1,
    "pieces": 400, "mask": 0.05, "norm": 1e-4,
}  # fmt: skip


@pytest.fixture(scope="session", autouse=True)
def offline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing is asked of a hub or kept in a home, and one thread is enough."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("TREEWRIGHT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def linda_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of ten sentences."""
    from sampling.neural.linda.runs import train_linda

    folder = tmp_path_factory.mktemp("models") / "linda"
    train_linda(TEXTS, folder, **TINY)
    return folder


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    """Other sentences of the same words, with labels."""
    return Corpus.from_columns(text=OTHERS, label=[0, 1] * 4)


@pytest.fixture(scope="session")
def models(
    linda_folder: Path, masked_folder: Path, causal_folder: Path
) -> dict[str, dict[str, str]]:
    """What each method needs."""
    masked = {"model": str(masked_folder)}
    return {
        "linda": {"model": str(linda_folder)}, "ctxsub": masked, "ssmba": masked,
        "backtranslation": {"model": str(linda_folder), "back": str(linda_folder)},
        "prompted": {"model": str(causal_folder)},
    }  # fmt: skip


@pytest.fixture(scope="session")
def masked_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of whole words, trained to fill in one of them."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = sorted({word for text in TEXTS + OTHERS for word in text.split()})
    names = [*marks, *words, ":", "0", "1", "##s"]
    held = Tokenizer(models.WordPiece({name: k for k, name in enumerate(names)}, unk_token="[UNK]"))
    held.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    folder = tmp_path_factory.mktemp("models") / "masked"
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(names) + "\n")
    tokenizer = BertTokenizerFast(vocab=str(folder / "vocab.txt"), model_max_length=32)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(names), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=32,
    )  # fmt: skip
    model = BertForMaskedLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), 5e-3)
    texts = tokenizer(TEXTS, padding=True, return_tensors="pt")
    draw = torch.Generator().manual_seed(0)
    for _ in range(120):
        ids = texts["input_ids"].clone()
        hidden = (torch.rand(ids.shape, generator=draw) < 0.25) & (ids > 4)
        labels = ids.masked_fill(~hidden, -100)
        ids[hidden] = tokenizer.mask_token_id
        loss = model(input_ids=ids, attention_mask=texts["attention_mask"], labels=labels).loss
        if hidden.any():
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def causal_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GPT-2 of whole words and marks, trained on lines as the method writes them."""
    import torch
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    from sampling.neural.prompted.lines import Item, Lines

    # pieces are words with the blank before them, marks and ends of lines: nothing gets lost
    pieces = Regex(r" ?[A-Za-z_]+| ?[0-9]|\n|[^\sA-Za-z0-9_]| ")
    draw = torch.Generator().manual_seed(0)
    shapes = [
        Lines(("text",)),
        Lines(("text",), ("0", "1")),
        Lines(("text", "text_pair"), ("0", "1")),
    ]
    pages = []
    for number in range(600):
        lines = shapes[number % 3]
        rows = torch.randint(len(TEXTS + OTHERS), (3, 2), generator=draw).tolist()
        items = [
            Item(tuple((TEXTS + OTHERS)[k] for k in row[: len(lines.sides)]), str(row[0] % 2))
            for row in rows
        ]
        asked = lines.ask(items)
        pages.append(asked.before)
    held = Tokenizer(models.WordLevel(unk_token="<unk>"))
    held.pre_tokenizer = pre_tokenizers.Split(pieces, "isolated")
    words = {word for page in pages for word, _ in held.pre_tokenizer.pre_tokenize_str(page)}
    names = ["<unk>", "</s>", *sorted(words)]
    held.model = models.WordLevel({name: k for k, name in enumerate(names)}, unk_token="<unk>")
    held.decoder = decoders.Fuse()
    make: Any = PreTrainedTokenizerFast
    tokenizer = make(
        tokenizer_object=held, unk_token="<unk>", eos_token="</s>", model_max_length=256
    )
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=len(names), n_embd=48, n_layer=2, n_head=4, n_positions=256, bos_token_id=1,
        eos_token_id=1,
    )  # fmt: skip
    model = GPT2LMHeadModel(config)
    optimizer = torch.optim.AdamW(model.parameters(), 5e-3)
    tokenizer.pad_token = tokenizer.eos_token
    for step in range(120):
        batch = tokenizer(pages[step * 8 % 600 :][:8], padding=True, return_tensors="pt")
        ids, mask = batch["input_ids"], batch["attention_mask"]
        loss = model(ids, attention_mask=mask, labels=ids.masked_fill(mask == 0, -100)).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    folder = tmp_path_factory.mktemp("models") / "causal"
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def classifier_folder(linda_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classifier of two classes that has learnt nothing."""
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    folder = tmp_path_factory.mktemp("models") / "classifier"
    tokenizer = AutoTokenizer.from_pretrained(linda_folder)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=8, num_hidden_layers=1, num_attention_heads=1,
        intermediate_size=8, num_labels=2, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def gguf_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of one layer that has learnt nothing, in one file with its vocabulary."""
    import gguf
    import numpy as np

    file = tmp_path_factory.mktemp("models") / "tiny.gguf"
    pieces = ["<|endoftext|>", *map(chr, range(33, 127)), "Ġ", "th"]
    width, inner = 16, 32
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_context_length(64)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // 2)
    writer.add_vocab_size(len(pieces))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(pieces)
    writer.add_token_types([3] + [1] * (len(pieces) - 1))
    writer.add_token_merges(["t h"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    rng = np.random.default_rng(0)
    shapes = {
        "token_embd": (len(pieces), width), "output": (len(pieces), width),
        **{f"blk.0.attn_{name}": (width, width) for name in ("q", "k", "v", "output")},
        "blk.0.ffn_gate": (inner, width), "blk.0.ffn_up": (inner, width),
        "blk.0.ffn_down": (width, inner),
    }  # fmt: skip
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", rng.normal(0, 0.1, shape).astype(np.float32))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(width, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file
