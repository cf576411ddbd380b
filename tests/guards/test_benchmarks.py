"""Benchmarks are run by hand, so this is where a renamed function or a moved module is seen."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import benchmarks

MODULES = [found.name for found in pkgutil.iter_modules(benchmarks.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_a_benchmark_can_be_started(name: str) -> None:
    try:
        importlib.import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] in _OURS:
            raise
        pytest.skip(f"needs {error.name}")


_OURS = ("benchmarks", "classifiers", "grammar", "induction", "sampling", "scan", "treewright")
