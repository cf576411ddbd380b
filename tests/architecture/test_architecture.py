"""The architecture as it must stay: folders that fit a glance, closed doors, short signatures.

Each rule reads the sources; none of them imports what it judges.
"""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("grammar", "induction", "sampling", "scan", "classifiers", "treewright")

FEWEST, MOST = 3, 16
POSITIONAL, PARAMETERS = 6, 10
LINES = 60

SMALL_FOLDERS: dict[str, str] = {}
"""Folders of fewer modules than ``FEWEST``, each with its reason."""

WIDE_FUNCTIONS: dict[str, str] = {}
"""Public functions of more parameters than the rule has it, each with its reason."""


@dataclass(frozen=True)
class Module:
    """A source file, read."""

    name: str
    path: str
    tree: ast.Module

    @property
    def package(self) -> str:
        """The folder, as a person writes it."""
        return self.path.rpartition("/")[0]


@functools.cache
def modules() -> tuple[Module, ...]:
    read = []
    for path in sorted(p for package in PACKAGES for p in (ROOT / package).rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        name = place.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        read.append(Module(name, place, ast.parse(path.read_text(encoding="utf-8"))))
    return tuple(read)


def functions(module: Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef, bool]]:
    """Yield every function with its name and whether it is a method, the outer before the inner."""

    def visit(node: ast.AST, outer: str, in_class: bool) -> Iterator:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{outer}.{child.name}", child, in_class
                yield from visit(child, f"{outer}.{child.name}", False)
            elif isinstance(child, ast.ClassDef):
                yield from visit(child, f"{outer}.{child.name}", True)
            else:
                yield from visit(child, outer, in_class)

    yield from visit(module.tree, module.name, False)


def words(node: ast.AST) -> set[str]:
    """Return the names in an expression, of attributes too."""
    found = {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
    return found | {child.attr for child in ast.walk(node) if isinstance(child, ast.Attribute)}


def is_kernel(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        words(decorator) & {"kernel", "njit", "vectorize"} for decorator in function.decorator_list
    )


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def check(rule: str, found: set[str]) -> None:
    assert not found, f"{rule}: against the rules of this project: {sorted(found)}"


# --- folders -----------------------------------------------------------------------------------


def test_folders_fit_a_glance() -> None:
    sizes = Counter(m.package for m in modules() if not m.path.endswith("/__init__.py"))
    folders = {module.package for module in modules()}
    entries = sizes + Counter(folder.rpartition("/")[0] for folder in folders)
    small = {folder for folder in folders if entries[folder] < FEWEST}
    assert SMALL_FOLDERS.keys() <= small, "strike what is no longer small"
    check(
        "folder sizes",
        {f for f, size in sizes.items() if size > MOST} | small - SMALL_FOLDERS.keys(),
    )


def test_folders_of_tests_fit_a_glance() -> None:
    folders = {path.parent for path in (ROOT / "tests").rglob("*.py")}
    sizes = {folder: len(list(folder.glob("*.py"))) for folder in folders}
    assert {folder: size for folder, size in sizes.items() if size > MOST} == {}


# --- doors -------------------------------------------------------------------------------------


def private_uses(module: Module) -> Iterator[str]:
    """Yield the private names of other modules that a module uses."""
    ours: dict[str, str] = {}
    names = {other.name for other in modules()}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if f"{node.module}.{alias.name}" in names:
                    ours[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                if any(map(is_private, [*(node.module or "").split("."), alias.name])):
                    yield f"{module.name} uses {node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            ours.update({alias.asname: alias.name for alias in node.names if alias.asname})
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            owner = ast.unparse(node.value)
            owner = ours.get(owner, owner)
            if owner in names:
                yield f"{module.name} uses {owner}.{node.attr}"


def test_no_module_uses_a_private_name_of_another() -> None:
    check("private names", {use for module in modules() for use in private_uses(module)})


# --- functions ---------------------------------------------------------------------------------


def is_verb(module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether the command line calls a function, with what Typer reads from its signature."""
    notes = [arg.annotation for arg in function.args.args if arg.annotation]
    typer = any({"Argument", "Option"} & words(note) for note in notes)
    return module.package.startswith("treewright/verbs") and typer and not is_private(function.name)


def wide(function: ast.FunctionDef | ast.AsyncFunctionDef, *, is_method: bool) -> bool:
    arguments = function.args
    bound = is_method and "staticmethod" not in map(ast.unparse, function.decorator_list)
    positional = len(arguments.posonlyargs) + len(arguments.args) - bound
    return positional > POSITIONAL or positional + len(arguments.kwonlyargs) > PARAMETERS


def test_functions_take_few_parameters() -> None:
    found = {
        name
        for module in modules()
        for name, function, is_method in functions(module)
        if wide(function, is_method=is_method)
        and not is_kernel(function)
        and not is_verb(module, function)
    }
    assert not any(is_private(name.rpartition(".")[2]) for name in WIDE_FUNCTIONS)
    assert WIDE_FUNCTIONS.keys() <= found, "strike what is no longer wide"
    check("parameters", found - WIDE_FUNCTIONS.keys())


def length(module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function without its docstring; of a verb, without its options too."""
    first = function.body[0]
    start = first.lineno if is_verb(module, function) else function.lineno
    lines = (function.end_lineno or start) - start + 1
    if ast.get_docstring(function, clean=False) is not None:
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines


def test_functions_fit_a_glance() -> None:
    found = {
        name
        for module in modules()
        for name, function, _ in functions(module)
        if length(module, function) > LINES and not is_kernel(function)
    }
    check("long functions", found)


# --- families ----------------------------------------------------------------------------------


@functools.cache
def families() -> dict[str, str]:
    """Return the classes of grammars, each with its package."""
    return {
        node.name: module.package
        for module in modules()
        for node in module.tree.body
        if isinstance(node, ast.ClassDef)
        and (node.name.endswith("Grammar") or node.name == "LatentParser")
    }


@functools.cache
def groups() -> dict[str, set[str]]:
    """Return the names that stand for several families, as ``SHOWN = (Grammar, SpanGrammar)``."""
    held = {}
    for module in modules():
        for node in module.tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple | ast.BinOp):
                inside = words(node.value) & families().keys()
                held.update({target.id: inside for target in node.targets if inside})
    return held


def family_tests(module: Module) -> Iterator[str]:
    """Yield the families of other packages that a module tells apart by class."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kinds]):
                tested = words(kinds)
            case ast.Compare(left=ast.Call(func=ast.Name(id="type"))):
                tested = words(node)
            case ast.MatchClass(cls=kind):
                tested = words(kind)
            case _:
                continue
        tested |= {family for name in tested for family in groups().get(name, ())}
        for family in sorted(tested & families().keys()):
            home = families()[family]
            if module.package != home and not module.package.startswith(f"{home}/"):
                yield f"{module.name} tests for {family}"


def test_families_are_told_apart_at_home() -> None:
    check("families", {use for module in modules() for use in family_tests(module)})


# --- the picture -------------------------------------------------------------------------------

ROW = re.compile(r"<text [^>]*>([^<]*›[^<]*)</text>")
BOLD = re.compile(r'<text x="\d+" y="\d+">(\w+)</text>')


def picture() -> dict[str, list[set[str]]]:
    """Return what stands beside each other in each package, from left to right."""
    svg = (ROOT / "docs" / "images" / "architecture.svg").read_text("utf-8")
    packages = BOLD.findall(svg)
    rows = [[set(group.split(" · ")) for group in row.split(" › ")] for row in ROW.findall(svg)]
    return dict(zip(packages, rows[: len(packages)], strict=True))


def imports(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_the_picture_shows_the_folders_and_their_order() -> None:
    for package, groups in picture().items():
        folders = {p.parent.name for p in (ROOT / package).glob("*/__init__.py")}
        shown = set().union(*groups)
        assert folders <= shown, f"{package}: draw {sorted(folders - shown)}"
        place = {name: number for number, group in enumerate(groups) for name in group}
        assert all(
            (ROOT / package / n).is_dir() or (ROOT / package / f"{n}.py").exists() for n in shown
        )
        for module in modules():
            user = module.name.split(".")[1:2]
            for used in imports(module):
                home, _, rest = used.partition(".")
                if module.name.startswith(f"{package}.") and home == package and user[0] in place:
                    other = rest.partition(".")[0]
                    apart = other == user[0] or other not in place
                    assert apart or place[user[0]] < place[other], f"{module.name} uses {used}"
