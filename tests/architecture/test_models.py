"""One door for models: nothing else in the packages opens, unpickles or fetches those of others."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("grammar", "induction", "sampling", "scan", "classifiers", "treewright", "benchmarks")

DOORS = {
    "sampling/neural/opening.py": {"from_pretrained"},
    "sampling/neural/hub.py": {"snapshot_download"},
    "treewright/verbs/data.py": {"nltk.download"},
    "benchmarks/setfit.py": {"from_pretrained"},  # a peer, with the packaged encoder
    # the name in a hint, which calls nothing
    "classifiers/estimator.py": {"from_pretrained"},
    "sampling/stream.py": {"from_pretrained"},
    "grammar/kernels/decorator.py": {"pickle.loads"},  # machine code, of a place that is checked
}
"""The modules that open or fetch models and data, and what each of them may call."""

OPENERS = {
    "from_config", "from_pretrained", "hf_hub_download", "load_state_dict_from_url",
    "snapshot_download", "urlretrieve", "cached_file",
}  # fmt: skip
"""Whatever they are called on."""

OWNED = {
    "benepar.download", "gguf.GGUFReader", "joblib.load", "nltk.download", "pickle.load",
    "pickle.loads", "pickle.Unpickler", "dill.load", "spacy.cli.download", "stanza.download",
    "torch.hub.load", "torch.jit.load", "torch.load", "transformers.pipeline", "marshal.loads",
    "shelve.open", "cloudpickle.load", "cloudpickle.loads",
    "sentence_transformers.SentenceTransformer",
}  # fmt: skip
"""With the library that they are of."""


LAST = {one.rpartition(".")[2] for one in OWNED} | OPENERS


def names_of_imports(tree: ast.AST) -> dict[str, str]:
    """Return what the names of a module stand for."""
    known = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                known[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            known |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return known


def uses(tree: ast.AST) -> Iterator[str]:
    """Yield what a module uses of the openers: calls, and names that are passed on or imported."""
    known = names_of_imports(tree)
    for node in ast.walk(tree):
        written = set()
        if isinstance(node, ast.ImportFrom):
            written = {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Attribute) and node.attr in LAST:
            first, _, rest = ast.unparse(node).partition(".")
            written = {f"{known.get(first, first)}.{rest}"}
        elif isinstance(node, ast.Name):
            written = {known.get(node.id, node.id)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            written = {node.value} & OPENERS  # for getattr
        elif isinstance(node, ast.keyword) and node.arg == "trust_remote_code":
            yield f"{node.arg}={ast.unparse(node.value)}"
        yield from written & OWNED
        yield from {one.rpartition(".")[2] for one in written} & OPENERS


def test_models_are_opened_and_fetched_behind_one_door() -> None:
    found: dict[str, set[str]] = {}
    for path in sorted(p for package in PACKAGES for p in (ROOT / package).rglob("*.py")):
        if used := set(uses(ast.parse(path.read_text("utf-8")))):
            found[path.relative_to(ROOT).as_posix()] = used
    assert found == DOORS


def test_the_door_trusts_no_code() -> None:
    source = (ROOT / "sampling" / "neural" / "opening.py").read_text("utf-8")
    assert source.count("trust_remote_code") == 1
    assert '"trust_remote_code": False' in source
    assert '"use_safetensors": True' in source


@pytest.mark.parametrize(
    ("source", "used"),
    [
        ("import torch\ntorch.load(x)", {"torch.load"}),
        ("import torch as t\nt.load(x)", {"torch.load"}),
        ("from torch import load as get\nget(x)", {"torch.load"}),
        ("from torch import hub\nhub.load(x)", {"torch.hub.load"}),
        ("f = transformers.AutoModel.from_pretrained", {"from_pretrained"}),
        ("getattr(m, 'from_pretrained')(x)", {"from_pretrained"}),
        ("f(trust_remote_code=True)", {"trust_remote_code=True"}),
        ("f(trust_remote_code=x)", {"trust_remote_code=x"}),
        ("import json\njson.load(x)", set()),
    ],
)
def test_uses_are_found_by_whatever_name(source: str, used: set[str]) -> None:
    assert set(uses(ast.parse(source))) == used
