"""Searches of one dependency treebank that several threads begin at once."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from functools import partial

import pytest

from grammar import DependencyTreebank
from grammar.trees.symbols import SymbolTable
from induction.corpus.corpus import Corpus
from tests.threads.together import check_alike

FEW, WORDS = 8, 6


class Watched(SymbolTable):
    """Symbols that two threads must not number at once."""

    def __init__(self, symbols: SymbolTable) -> None:
        super().__init__(symbols)
        self.busy = threading.Lock()

    def add(self, name: str) -> int:
        assert self.busy.acquire(blocking=False), "two threads number symbols"
        try:
            time.sleep(1e-4)
            return super().add(name)
        finally:
            self.busy.release()


def values(shared: DependencyTreebank, number: int) -> list[str]:
    return [shared.symbols[value] for value in shared.feature(f"F{number}").tolist()]


def test_features_are_numbered_by_one_thread_at_a_time() -> None:
    lists = ["|".join(f"F{k}=v{k}.{word}" for k in range(FEW)) for word in range(WORDS)]
    read = DependencyTreebank.from_columns(form=[["a"] * WORDS], features=[lists])
    shared = replace(read, symbols=Watched(read.symbols))
    alone = [[f"v{k}.{word}" for word in range(WORDS)] for k in range(FEW)]
    check_alike([partial(values, shared, k) for k in range(FEW)], alone, threads=FEW)


def test_patterns_that_push_each_other_out_are_found_all() -> None:
    pytest.importorskip("starlette", reason="the extra web is not installed")
    from treewright.workbench.opened import OpenDependencies

    bank = DependencyTreebank.from_columns(form=[["a"] * WORDS])
    shared = OpenDependencies("a", bank, Corpus.from_columns(text=["a"]))
    asked = [f"pattern {{ X{k} [form=a] }}" for k in range(40)]
    check_alike([lambda a=a: len(shared.hits(a)) for a in asked], [WORDS] * len(asked), threads=40)
