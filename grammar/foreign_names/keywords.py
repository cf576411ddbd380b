"""Keyword arguments that other libraries have, and how they are called here."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

__all__ = ["keyword_here", "keyword_hint"]

_OURS: Mapping[str, Sequence[str]] = {
    "seed": ("random_state", "random_seed", "rng", "generator"),
    "workers": ("n_jobs", "num_proc", "num_thread", "num_threads", "num_workers", "n_process"),
    "n": ("num", "num_aug", "n_aug", "num_samples", "n_samples", "count", "n_sentences", "size"),
    "times": ("transformations_per_example", "augmentations_per_example", "multiplier"),
    "test_size": ("size", "test_share", "test_fraction"),
    "text": (
        *("text_column", "text_col", "text_field", "text_key", "text_name", "column"),
        *("text_columns", "text_column_name", "x_col", "input_column"),
    ),
    "label": (
        *("label_column", "label_col", "label_field", "label_key", "target_column", "y_col"),
        *("labels_column", "label_column_name", "label_name"),
    ),
    "keep_originals": ("include_original", "include_originals", "keep_original"),
    "batch": ("batch_size", "per_device_train_batch_size", "train_batch_size"),
    "steps": ("max_steps", "max_iter", "num_steps", "n_iter"),
    "learning_rate": ("lr", "alpha", "eta"),
    "encoder": ("model", "model_name", "model_name_or_path", "pretrained_model", "checkpoint"),
    "method": ("augment", "augmenter", "augmentation", "technique", "aug", "recipe"),
    "alpha_sr": ("aug_p", "pct_words_to_swap", "aug_max", "aug_min"),
    "p": ("aug_p", "pct_words_to_swap", "probability", "rate", "dropout"),
    "originals": ("original", "source", "reference", "references", "before"),
    "augmented": ("new", "generated", "synthetic", "after", "candidates"),
    "length": ("lengths", "sentence_length"),
    "horizontal_markov": ("horzMarkov", "horz_markov", "markov_order"),
    "vertical_markov": ("vertMarkov", "vert_markov", "parent_annotation"),
    "direction": ("factor", "binarization"),
    "max_words": ("max_length", "max_len", "max_sent_length", "maxlen"),
}
"""Keywords here, and what NLTK, nlpaug, TextAttack, scikit-learn, datasets and transformers call
them. The first is meant that the function has."""

_SAID: Mapping[str, Sequence[str]] = {
    "leave it out: the data stay as they are, and the result is returned": ("inplace", "copy"),
    "leave it out: logging.getLogger('treewright').setLevel('ERROR') silences what is told": (
        *("verbose", "verbosity", "trace", "show_progress", "progress_bar", "quiet"),
        *("disable_tqdm",),
    ),
    "leave it out: it changes nothing but the time": (
        *("n_jobs", "num_proc", "num_thread", "num_threads", "num_workers", "n_process", "workers"),
    ),
    "leave it out: the classes are those of the labels": (
        *("num_labels", "n_classes", "num_classes", "labels_num", "id2label", "label2id"),
    ),
    "give the number of batches in place of epochs: steps=60": (
        *("num_epochs", "epochs", "n_epochs", "num_train_epochs"),
    ),
    "balance=True brings all classes to the same count": (
        *("sampling_strategy", "balanced", "oversample"),
    ),
}
"""What is to be said where no keyword here is the same."""


def keyword_here(name: str, known: Collection[str]) -> str | None:
    """Return what a keyword of another library is called here; None if it is of none.

    >>> keyword_here("random_state", ["n", "seed"]), keyword_here("random_state", ["n"])
    ('seed', None)
    """
    return next((here for here in _OURS if name in _OURS[here] and here in known), None)


def keyword_hint(name: str, known: Collection[str]) -> str | None:
    """Return what is to be said of a keyword; None if it is of no other library.

    Parameters
    ----------
    name : str
        As it was given.
    known : collection of str
        What the function has.

    Examples
    --------
    >>> keyword_hint("random_state", ["n", "seed"]), keyword_hint("random_state", ["n"])
    ('it is called seed here', None)
    >>> keyword_hint("n_jobs", ["n"])
    'leave it out: it changes nothing but the time'
    """
    if (here := keyword_here(name, known)) is not None:
        return f"it is called {here} here"
    return next((hint for hint, theirs in _SAID.items() if name in theirs), None)
