"""Saved chains whose state is none: refused when they are opened, before any kernel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grammar.errors import SchemaError
from grammar.trees.treebank import Treebank
from induction.bayes.chain import BayesTSG
from induction.bayes.checkpoint import load_state, save_state

TREEBANK = Treebank.parse("(S (NP we) (VP swim))\n(S (NP we) (VP run))")


@pytest.mark.parametrize(
    ("name", "place", "value", "said"),
    [
        ("tables", 0, 2**31 - 1, "tables: a number is not from"),
        ("tables", 0, -1, "tables: a number is not from"),
        ("tables", 2, 1, "where no fragment begins"),
        ("site", 0, False, "the root of a tree is none"),
        ("site", 2, True, "a word is the root"),
        ("concentration", 0, 0.0, "not above 0"),
        ("concentration", 0, np.nan, "not counts"),
        ("tau", 1, -1.0, "not counts"),
        ("discount", 0, 1.0, "not a probability"),
        ("discount", 0, 0.0, "those of some labels are 0"),
        ("stop", 0, 0.0, "not a probability"),
    ],
)
def test_a_state_that_is_none_is_refused(
    tmp_path: Path, name: str, place: int, value: float, said: str
) -> None:
    path = tmp_path / "chain.arrow"
    chain = BayesTSG(TREEBANK)
    chain.step()
    chain.save(path)
    state = load_state(path, TREEBANK)
    column = getattr(state, name).copy()
    column[place] = value
    save_state(replace(state, **{name: column}), TREEBANK, path)
    with pytest.raises(SchemaError, match=said):
        BayesTSG.load(path, TREEBANK)
    save_state(replace(state, **{name: column[:-1]}), TREEBANK, path)
    with pytest.raises(SchemaError, match=rf"{name}: \d+ values, not"):
        BayesTSG.load(path, TREEBANK)
    save_state(replace(state, iteration=-1), TREEBANK, path)
    with pytest.raises(SchemaError, match="the iteration has no number"):
        BayesTSG.load(path, TREEBANK)
