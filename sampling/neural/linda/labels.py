"""Labels of mixes, made sharper."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sampling.examples.splicing import as_lists

__all__ = ["sharpened"]


def sharpened(labels: pa.ListArray, temperature: float) -> pa.ListArray:
    """Return distributions to the power of 1 / temperature, normalised.

    The denominator of equation 6 has an exponential too many: with it they would not sum to 1.

    Parameters
    ----------
    labels : list<float32>
        Distributions of one length.
    temperature : float
        Below 1 the largest share grows; towards 0 the label becomes hard.

    References
    ----------
    Kim et al. 2022 (LINDA), equation 6.

    Examples
    --------
    >>> sharpened(pa.array([[0.75, 0.25]], pa.list_(pa.float32())), 0.5).to_pylist()
    [[0.8999999761581421, 0.10000000149011612]]
    """
    rows = labels.flatten().to_numpy(zero_copy_only=False).reshape(len(labels), -1)
    # divided by the largest first, so that no power is too small for a float
    powers = (rows.astype(np.float64) / rows.max(1, keepdims=True)) ** (1 / temperature)
    whole = powers / powers.sum(1, keepdims=True)
    flat = pa.array(whole.ravel().astype(np.float32))
    return as_lists(flat, whole.shape[1]).cast(labels.type)
