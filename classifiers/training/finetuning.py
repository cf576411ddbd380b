"""Fine-tuning an encoder by ``transformers.Trainer``, in a fixed order of examples."""

from __future__ import annotations

import copy
import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

from classifiers.encoders.encoding import Text, lower_states
from classifiers.encoders.opening import Encoder
from classifiers.training.examples import Examples
from classifiers.training.model import TextModel, lowest_trained
from classifiers.training.recipe import Recipe
from grammar.errors import TrainingError
from grammar.rng import stream_key

__all__ = ["FineTuned", "Readable", "fine_tune", "order_of_examples"]

BATCH = 64


@dataclass(frozen=True, eq=False)
class Readable:
    """Texts as a model reads them: numbers of pieces, or what a fixed lower half makes of them."""

    rows: Sequence[dict[str, Tensor]]

    @classmethod
    def of(cls, encoder: Encoder, texts: Sequence[Text], recipe: Recipe) -> Readable:
        """Prepare texts; with ``train="upper"`` the lower half is run here, once a text."""
        depth = lowest_trained(encoder, recipe)
        if depth:
            states = lower_states(encoder, texts, depth, longest=recipe.longest)
            return cls([{"states": state} for state in states])
        rows = []
        for text in texts:
            batch = encoder.pieces([text], recipe.longest)
            rows.append({name: value[0].cpu() for name, value in batch.items()})
        return cls(rows)

    def batch(self, numbers: Sequence[int]) -> dict[str, Tensor]:
        """Return some of the texts as one padded batch."""
        rows = [self.rows[i] for i in numbers]
        sizes = torch.tensor([len(next(iter(row.values()))) for row in rows])
        mask = (torch.arange(int(sizes.max()))[None, :] < sizes[:, None]).long()
        made = {
            name: pad_sequence([row[name] for row in rows], batch_first=True)
            for name in rows[0]
            if name != "attention_mask"
        }
        return {name: _floats(value) for name, value in made.items()} | {"attention_mask": mask}


@dataclass(frozen=True, eq=False)
class FineTuned:
    """A classifier whose encoder, or a part of it, was trained."""

    encoder: Encoder
    recipe: Recipe
    classes: tuple[str, ...]
    model: TextModel
    losses: tuple[float, ...]

    def probabilities(self, texts: Sequence[Text]) -> NDArray[np.float64]:
        """Return the probability of every class, float64 of shape (texts, classes)."""
        return self.probabilities_of(Readable.of(self.encoder, texts, self.recipe))

    def whole_encoder(self) -> Any:
        """Return the encoder with the weights as they were trained."""
        if not self.model.frozen_layers:
            return self.model.body
        whole = copy.deepcopy(self.encoder.model)
        layers = self.model.body.layer
        for number, layer in enumerate(layers, self.model.frozen_layers):
            whole.encoder.layer[number].load_state_dict(layer.state_dict())
        return whole

    def probabilities_of(self, read: Readable) -> NDArray[np.float64]:
        """Return the same of texts that were prepared before."""
        made = np.zeros((len(read.rows), len(self.classes)))
        order = sorted(range(len(read.rows)), key=lambda i: len(next(iter(read.rows[i].values()))))
        self.model.eval()
        with torch.inference_mode(), _precision(self.recipe, self.encoder):
            for first in range(0, len(order), BATCH):
                rows = order[first : first + BATCH]
                inputs = {k: v.to(self.encoder.device) for k, v in read.batch(rows).items()}
                logits = self.model(**inputs)["logits"]
                made[rows] = logits.float().softmax(1).double().cpu().numpy()
        return made


def fine_tune(
    encoder: Encoder,
    examples: Examples,
    recipe: Recipe,
    *,
    read: Readable | None = None,
    on_update: Callable[[int, float], None] | None = None,
) -> FineTuned:
    """Train a classifier on an encoder.

    Parameters
    ----------
    encoder : Encoder
        Where training starts from; it is not changed.
    examples : Examples
        What to learn, new ones among them.
    recipe : Recipe
        How.
    read : Readable, optional
        The texts of the examples, prepared, where they are used more than once.
    on_update : callable, optional
        Told the number of each update and its loss.

    Returns
    -------
    FineTuned
        The same on one machine whenever it is called with the same arguments.

    Raises
    ------
    TrainingError
        If the loss is no number any more; the message names the update.
    OptionError
        If the encoder cannot be run in parts, or a library is missing.
    """
    read = read or Readable.of(encoder, examples.texts, recipe)
    torch.manual_seed(recipe.seed)
    model = TextModel(encoder, recipe, len(examples.classes)).to(encoder.device)
    if not recipe.updates:
        return FineTuned(encoder, recipe, examples.classes, model, ())
    order = order_of_examples(examples, recipe)
    watch = _watch(on_update)
    with tempfile.TemporaryDirectory() as folder:
        trainer = _trainer()(
            model=model,
            args=_arguments(recipe, encoder, folder),
            train_dataset=_Ordered(order),
            data_collator=_Collator(read, examples),
            optimizers=_optimiser(model, recipe),
            callbacks=[watch],
        )
        trainer.train()
    return FineTuned(encoder, recipe, examples.classes, model.eval(), tuple(watch.losses))


def order_of_examples(examples: Examples, recipe: Recipe) -> list[int]:
    """Return which examples are learnt from, batch after batch.

    Each batch has its share of new ones. Both kinds go round in an order that is drawn anew for
    each round, as a function of the seed.

    Examples
    --------
    >>> from classifiers.training.examples import read_examples
    >>> from induction import Corpus
    >>> few = read_examples(Corpus.from_columns(text=["a", "b"], label=[0, 1]))
    >>> order = order_of_examples(few.with_new(few), Recipe(updates=2, batch=4))
    >>> sorted(order[:4]), sorted(order[4:])
    ([0, 1, 2, 3], [0, 1, 2, 3])
    """
    given, made = np.flatnonzero(~examples.new), np.flatnonzero(examples.new)
    of_new = 0 if not len(made) else round(recipe.share * recipe.batch)
    if not len(given):
        of_new = recipe.batch
    first = _rounds(given, (recipe.batch - of_new) * recipe.updates, recipe.seed, "given")
    second = _rounds(made, of_new * recipe.updates, recipe.seed, "new")
    both = np.concatenate(
        (first.reshape(recipe.updates, -1), second.reshape(recipe.updates, -1)), axis=1
    )
    order: list[int] = both.ravel().tolist()
    return order


def _rounds(rows: Any, count: int, seed: int, name: str) -> NDArray[np.int64]:
    if not count:
        return np.zeros(0, np.int64)
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(seed, f"classifier {name}"))))
    rounds = [draw.permutation(rows) for _ in range(-(-count // len(rows)))]
    return np.concatenate(rounds)[:count]


class _Ordered(Dataset[int]):
    """The numbers of examples, in the order in which they are learnt from."""

    def __init__(self, order: list[int]) -> None:
        self.order = order

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, index: int) -> int:
        return self.order[index]


class _Collator:
    """Makes a batch of numbers of examples."""

    def __init__(self, read: Readable, examples: Examples) -> None:
        self.read = read
        self.labels = torch.from_numpy(examples.labels)
        self.weights = torch.from_numpy(examples.weights)
        self.new = torch.from_numpy(examples.new)

    def __call__(self, numbers: Sequence[int]) -> dict[str, Tensor]:
        rows = torch.tensor(list(numbers))
        return self.read.batch(list(numbers)) | {
            "labels": self.labels[rows],
            "weights": self.weights[rows],
            "new": self.new[rows],
        }


def _trainer() -> Any:
    """Return the class of a trainer that takes examples as they come, and prints nothing."""
    from transformers import Trainer
    from transformers.trainer_callback import PrinterCallback

    class InOrder(Trainer):  # type: ignore[misc,unused-ignore]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self.remove_callback(PrinterCallback)

        def _get_train_sampler(self, *_: Any) -> Any:
            return torch.utils.data.SequentialSampler(self.train_dataset)  # type: ignore[arg-type]

    return InOrder


def _arguments(recipe: Recipe, encoder: Encoder, folder: str) -> Any:
    from transformers import TrainingArguments

    return TrainingArguments(
        output_dir=folder,
        max_steps=recipe.updates,
        per_device_train_batch_size=recipe.batch,
        learning_rate=recipe.rate,
        max_grad_norm=1.0,
        bf16=_half(recipe),
        use_cpu=encoder.device.type == "cpu",
        seed=recipe.seed,
        save_strategy="no",
        logging_strategy="steps",
        logging_steps=1,
        logging_nan_inf_filter=False,
        disable_tqdm=True,
        report_to=[],
        remove_unused_columns=False,
        dataloader_pin_memory=False,
    )


def _optimiser(model: TextModel, recipe: Recipe) -> tuple[Any, Any]:
    """Return AdamW, with ten times the rate for the head, and the schedule of the rate."""
    groups = [
        {"params": list(model.body.parameters()), "lr": recipe.rate},
        {"params": list(model.head.parameters()), "lr": 10 * recipe.rate},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=recipe.decay)
    rising = max(1, math.ceil(recipe.warmup * recipe.updates))
    falling = max(1, recipe.updates - rising)

    def factor(update: int) -> float:
        if update < rising:
            return (update + 1) / rising
        return max(0.0, (recipe.updates - update) / falling)

    return optimiser, torch.optim.lr_scheduler.LambdaLR(optimiser, factor)


def _half(recipe: Recipe) -> bool:
    return recipe.precision != "fp32"


def _precision(recipe: Recipe, encoder: Encoder) -> Any:
    return torch.autocast(encoder.device.type, torch.bfloat16, enabled=_half(recipe))


def _floats(values: Tensor) -> Tensor:
    return values.float() if values.is_floating_point() else values


def _watch(on_update: Callable[[int, float], None] | None) -> Any:
    """Return a callback that hears losses, and stops the training if one is no number."""
    from transformers import TrainerCallback, logging

    logging.set_verbosity_error()  # type: ignore[no-untyped-call,unused-ignore]

    class Watch(TrainerCallback):
        def __init__(self) -> None:
            self.losses: list[float] = []

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if "loss" not in (logs or {}):
                return
            loss = float(logs["loss"])
            if not math.isfinite(loss):
                raise TrainingError(
                    f"the loss is {loss} at update {state.global_step}",
                    hint="lower the rate, or use precision='fp32'",
                )
            self.losses.append(loss)
            if on_update is not None:
                on_update(state.global_step, loss)

    return Watch()
