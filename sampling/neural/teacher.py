"""Labels of a teacher: what a trained classifier says of new texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grammar.errors import OptionError
from induction.corpus.corpus import Corpus
from sampling.examples.labels import read_labels
from sampling.neural.opening import open_model
from sampling.neural.threads import tokenized

__all__ = ["taught"]


def taught(
    teacher: str | Callable[[list[Any]], Any],
    texts: Sequence[Sequence[str]],
    corpus: Corpus,
    device: str = "auto",
) -> NDArray[np.float32]:
    """Return what a teacher says of texts, as distributions over the classes of a corpus.

    Parameters
    ----------
    teacher : str or callable
        A classifier of Hugging Face by its name or folder, or a function of a list of texts (of
        pairs, as tuples) that returns an array of probabilities.
    texts : sequence of sequences of str
        One text a row, or two.
    corpus : Corpus
        Its labels say how many classes there are.

    Raises
    ------
    OptionError
        If the teacher returns something else.
    """
    given: list[Any] = [tuple(row) if len(row) > 1 else row[0] for row in texts]
    call = _classifier(teacher, device) if isinstance(teacher, str) else teacher
    if not callable(call):
        raise OptionError(
            f"teacher={teacher!r} is neither a name nor a function", hint="give a folder"
        )
    found = np.asarray(call(given), np.float32)
    width = read_labels(corpus).classes if "label" in corpus.names else found.shape[-1]
    valid = found.shape == (len(given), width) and bool(np.isfinite(found).all())
    if not valid or (found < 0).any() or not np.allclose(found.sum(1), 1, atol=1e-4):
        raise OptionError(
            f"the teacher returned an array {found.shape} that is not a distribution over "
            f"{width} classes for each of {len(given)} texts",
            hint="return probabilities, a row a text, in the order of the classes",
        )
    return found


def _classifier(name: str, device: str) -> Callable[[list[Any]], Any]:
    def probabilities(texts: list[Any]) -> Any:
        import torch

        model, tokenizer = open_model(name, "classifier", device=device)
        pairs = bool(texts) and not isinstance(texts[0], str)
        sides = list(zip(*texts, strict=True)) if pairs else [texts]
        pieces = tokenized(
            tokenizer, *map(list, sides), padding=True, truncation=True, return_tensors="pt"
        ).to(model.device)
        with torch.no_grad():
            return model(**pieces).logits.softmax(-1).float().cpu().numpy()

    return probabilities
