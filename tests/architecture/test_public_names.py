"""Faces: what packages offer is pinned, documented, loaded when used, and all that pages import."""

import ast
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("grammar", "induction", "sampling", "scan", "classifiers")
PINNED = [
    line.split(".") for line in (Path(__file__).parent / "public_names.txt").read_text().split()
]
SHADOWED = {("scan", name) for name in ("generate", "parse", "split", "train")}
"""What the front door has of another package, where most people look for that."""
INSIDE = {ROOT / "docs" / "how-to" / "adding.md"}  # for those who build inside the packages
PAGES = [ROOT / "README.md", *sorted({*(ROOT / "docs").rglob("*.md")} - INSIDE)]
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))
LIBRARIES = {
    "lark", "lemminflect", "matplotlib", "networkx", "nltk", "numba", "numpy", "pyarrow", "rich",
    "scipy", "sklearn", "torch", "typer",
}  # fmt: skip


def test_the_faces_are_those_that_are_pinned() -> None:
    names = sorted(
        [package, name] for package in PACKAGES for name in import_module(package).__all__
    )
    assert names == sorted(PINNED)


def test_the_front_door_has_every_name_once() -> None:
    import treewright

    names = [name for package, name in PINNED if (package, name) not in SHADOWED]
    assert len(names) == len(set(names))
    assert {*names, "__version__"} == set(treewright.__all__) == set(dir(treewright))


@pytest.mark.parametrize(("package", "name"), PINNED, ids=".".join)
def test_a_public_name_is_one_thing_and_documented(package: str, name: str) -> None:
    import treewright

    value = getattr(import_module(package), name)
    assert (getattr(treewright, name) is value) == ((package, name) not in SHADOWED)
    if callable(value) or isinstance(value, type(ast)):
        assert value.__doc__


CONSTANTS = {"Actions", "FEATURES", "NO_PARSE", "SPLITS"}
"""Public values that are no function, class or module: what they hold is all there is to show."""


@pytest.mark.parametrize(("package", "name"), PINNED, ids=".".join)
def test_a_public_name_has_an_example(package: str, name: str) -> None:
    """A doctest in the docstring; pytest runs it where it lies."""
    if name not in CONSTANTS:
        assert ">>> " in (getattr(import_module(package), name).__doc__ or "")


def test_what_a_face_lacks_is_said_as_python_says_it() -> None:
    import grammar

    with pytest.raises(AttributeError, match=r"^module 'grammar' has no attribute 'Gramar'$"):
        grammar.Gramar  # noqa: B018


@pytest.mark.parametrize("package", [*PACKAGES, "treewright"])
def test_importing_a_room_loads_no_library(package: str) -> None:
    script = f"import {package}, sys, json; print(json.dumps(list(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True, cwd=ROOT
    )
    assert not {name.partition(".")[0] for name in json.loads(done.stdout)} & LIBRARIES


@pytest.mark.parametrize("page", [*PAGES, *EXAMPLES], ids=lambda page: page.name)
def test_a_page_imports_faces_only(page: Path) -> None:
    text = page.read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    for block in [text] if page.suffix == ".py" else blocks:
        for line in ast.walk(ast.parse(block)):
            if isinstance(line, ast.ImportFrom) and line.module:
                imported = [(line.module, alias.name) for alias in line.names]
            elif isinstance(line, ast.Import):
                imported = [(alias.name, "__all__") for alias in line.names]
            else:
                continue
            for module, name in imported:
                if module.partition(".")[0] in (*PACKAGES, "treewright"):
                    assert "." not in module, f"{module} is private"
                    face = import_module(module)
                    assert name in [*face.__all__, "__all__"], f"{module}.{name} is private"
