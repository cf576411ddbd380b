"""Pages of the site that are made from the code: public API, verbs, methods, decisions.

``mkdocs.yml`` names this file as a hook, so ``make docs`` calls the ``on_...`` functions. A page
that has the line ``<!-- generated: NAME -->`` gets the text of that name in its place; the pages of
the API, one for each package, are made whole. The texts need no mkdocs, so tests read them as well.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
ROOT = DOCS.parent
PACKAGES = ("grammar", "induction", "sampling", "scan", "classifiers")
METHOD_PAGES = {
    "alp": ("alp",),
    "fluent": ("fluent", "agree"),
    "geca": ("geca", "geca-stream"),
    "grammar-sampling": ("grammar",),
    "linda": ("linda",),
    "names": ("names",),
    "neural": ("ctxsub", "ssmba", "backtranslation", "prompted"),
    "spans": ("mention-replacement", "label-wise"),
    "sub2": ("sub2",),
    "token-methods": ("eda", "aeda", "random-word", "switchout", "worddrop", "shuffle"),
    "treemix": ("treemix", "randmix"),
}
"""The methods that a page describes."""
SECTIONS = {
    "Tutorials": ("tutorials", ("start-here.md",)),
    "How-to": ("how-to", ()),
    "Methods": ("methods", ("fluent.md",)),
    "Grammars": ("grammars", ()),
    "Experiments": ("experiments", ()),
    "Reference": ("reference", ("glossary.md",)),
    "Explanation": ("explanation", ()),
    "Decisions": ("decisions", ()),
    "Research notes": ("research", ("results/reading/readings.md",)),
}
"""The folder of each section, and the pages that lie elsewhere; what is not there is left out."""
EVIDENCE = ("Decisions", "Research notes")
"""Sections whose pages a search shows after those that answer the same words."""
FIRST = ("index.md", "reviews.md", "treebank.md", "scan.md", "own-method.md", "api.md")
MARKER = re.compile(r"^<!-- generated: ([\w-]+) -->$", re.MULTILINE)
ROW = re.compile(r"^\|.*\|$", re.MULTILINE)
CODE = re.compile(r"`[^`\n]+`")
OUTSIDE = re.compile(r"(?<!!)\[([^\]]+)\]\(((?:\.\./)*)([^)#:]+)(#[^)]*)?\)")


# --- the public API ----------------------------------------------------------------------------


def public_names(package: str) -> dict[str, str]:
    """Return the module of each public name of a package, as its stub has them."""
    stub = ast.parse((ROOT / package / "__init__.pyi").read_text("utf-8"))
    return {
        alias.name: line.module
        for line in stub.body
        if isinstance(line, ast.ImportFrom) and line.module
        for alias in line.names
    }


def summary(module: str, name: str) -> str:
    """Return the first line of the docstring of a name, read from its source."""
    inside = ROOT.joinpath(*module.split("."), f"{name}.py")
    if inside.exists():
        return _first_line(ast.get_docstring(ast.parse(inside.read_text("utf-8"))))
    file = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    file = file if file.exists() else file.with_suffix("") / "__init__.py"
    body = ast.parse(file.read_text("utf-8")).body
    found = (_said(line, after, name) for line, after in zip(body, [*body[1:], None], strict=True))
    return next(filter(None, found), "")


def _said(line: ast.stmt, after: ast.stmt | None, name: str) -> str:
    """Return what a statement says of a name that it defines or imports, else nothing."""
    if isinstance(line, ast.FunctionDef | ast.ClassDef):
        return _first_line(ast.get_docstring(line)) if line.name == name else ""
    if isinstance(line, ast.ImportFrom):
        return summary(str(line.module), name) if name in {a.name for a in line.names} else ""
    targets = [line.target] if isinstance(line, ast.AnnAssign) else getattr(line, "targets", ())
    held = after.value if isinstance(after, ast.Expr) else None
    if any(isinstance(one, ast.Name) and one.id == name for one in targets):
        return _first_line(held.value if isinstance(held, ast.Constant) else None)
    return ""


def _first_line(text: Any) -> str:
    paragraph = text.partition("\n\n")[0] if isinstance(text, str) else ""
    plain = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", " ".join(paragraph.split()))
    return plain.replace("``", "`")


def api_page(package: str) -> str:
    """Return the reference of a package: a table of its public names, and each in full."""
    names = dict(sorted(public_names(package).items(), key=lambda item: item[0].lower()))
    about = ast.get_docstring(ast.parse((ROOT / package / "__init__.py").read_text("utf-8"))) or ""
    rows = [
        (f"[`{name}`](#{package}.{name})", summary(module, name)) for name, module in names.items()
    ]
    parts = [
        f"# `{package}`",
        _first_line(about),
        _table(("name", "what it is"), rows),
        *(f"::: {package}.{name}" for name in names),
    ]
    return "\n\n".join(parts) + "\n"


def api_list() -> str:
    """Return the links to the pages of the packages."""
    rows = [
        (f"[`{package}`](api/{package}.md)", f"{len(public_names(package))} names")
        for package in PACKAGES
    ]
    return _table(("package", "public API"), rows)


# --- the command line --------------------------------------------------------------------------


def verbs() -> dict[str, tuple[Any, Any]]:
    """Return every verb with its context, by what a person types: ``scan split``."""
    import typer

    from treewright.cli import app

    def below(command: Any, context: Any, name: str) -> Iterator[tuple[str, tuple[Any, Any]]]:
        inside = getattr(command, "commands", None)
        if inside is None:
            yield name, (command, context)
            return
        for word, one in inside.items():
            path = f"{name} {word}".strip()
            yield from below(one, typer.Context(one, info_name=word, parent=context), path)

    top = typer.main.get_command(app)
    return dict(below(top, typer.Context(top, info_name="treewright"), ""))


def commands_text() -> str:
    """Return every verb with its help, its arguments and its options."""
    return "\n\n".join(_verb(name, *one) for name, one in verbs().items())


def _verb(name: str, command: Any, context: Any) -> str:
    about, _, example = (command.help or "").partition("Example: ")
    parts = [f"## `{name}`", about.strip()]
    if example:
        parts.append("```text\n$ " + " ".join(example.split()) + "\n```")
    records = [param.get_help_record(context) for param in command.get_params(context)]
    rows = [(f"`{record[0]}`", record[1]) for record in records if record is not None]
    parts.append(_table(("argument or option", "what it does"), rows))
    if hasattr(command, "explained"):
        for names, options in _by_options(command.explained([])).items():
            parts.append(f"Options of `{'`, `'.join(names)}`:\n\n{_options(options)}")
    return "\n\n".join(parts)


def _by_options(groups: Mapping[str, Sequence[Any]]) -> dict[tuple[str, ...], list[Any]]:
    """Group options by what takes them."""
    takers: dict[Any, list[str]] = {}
    for name, options in groups.items():
        for one in options:
            takers.setdefault(one, []).append(name)
    grouped: dict[tuple[str, ...], list[Any]] = {}
    for one, names in takers.items():
        grouped.setdefault(tuple(names), []).append(one)
    return grouped


def _options(options: Iterable[Any]) -> str:
    from treewright.flags import flag, shown_default

    rows = [
        (f"`{flag(o.name)}`", f"`{shown_default(o.default)}`", o.bounds, o.help) for o in options
    ]
    return _table(("flag", "default", "values", "meaning"), rows)


# --- methods and decisions ---------------------------------------------------------------------


def methods_text() -> str:
    """Return every method with its class, its page and its options."""
    from sampling.method import METHODS

    pages = {method: page for page, methods in METHOD_PAGES.items() for method in methods}
    rows = [(f"[`{one.name}`](#{one.name})", one.title) for one in METHODS.values()]
    parts = [_table(("method", "what it does"), rows)]
    for one in METHODS.values():
        page = next(DOCS.rglob(f"{pages[one.name]}.md")).relative_to(DOCS).as_posix()
        parts += [f"## `{one.name}`", _method(one, f"../{page}")]
    return "\n\n".join(parts)


def _method(method: Any, page: str) -> str:
    from treewright.flags import shown_default

    rows = [
        (
            f"`{o.name}`",
            f"`{shown_default(o.default)}`",
            o.bounds,
            o.help,
            o.source + ("" if o.code == o.default else f"; code mode: `{shown_default(o.code)}`"),
        )
        for o in method.options
    ]
    saved = ", ".join(f"`{suffix}`" for suffix in method.suffixes) or "no file"
    facts = f"Python: `{method.qualname}`. Its grammar is saved as {saved}. [Its page]({page})."
    heads = ("option", "default", "values", "meaning", "source")
    table = _table(heads, rows) if rows else "It has no options."
    return f"{method.title[0].upper()}{method.title[1:]}.\n\n{facts}\n\n{table}"


def decisions_text() -> str:
    """Return the list of the decisions, by their numbers."""
    files = sorted(_numbered(), key=lambda file: int(file.stem.partition("-")[0]))
    rows = [(file.stem.partition("-")[0], f"[{_title(file)}]({file.name})") for file in files]
    return _table(("number", "decision"), rows)


def _numbered() -> list[Path]:
    return [file for file in (DOCS / "decisions").glob("*.md") if file.stem[0].isdigit()]


def _title(file: Path) -> str:
    first = file.read_text("utf-8").partition("\n")[0]
    return re.sub(r"^(?:\d+[.:]?\s*)", "", first.removeprefix("# "))


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    cells = [[" ".join(cell.split()).replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)


GENERATED: Mapping[str, Callable[[], str]] = {
    "api": api_list,
    "commands": commands_text,
    "methods": methods_text,
    "decisions": decisions_text,
}
"""The texts by the names that markers have."""


# --- the hook ----------------------------------------------------------------------------------


def navigation() -> list[Any]:
    """Return the sections with their pages; every page of docs is in one of them."""
    sections: list[Any] = [{"Home": "index.md"}]
    for title, (folder, elsewhere) in SECTIONS.items():
        pages = sorted((DOCS / folder).glob("*.md"), key=_order)
        found = [page.relative_to(DOCS).as_posix() for page in pages]
        found += [page for page in elsewhere if (DOCS / page).exists()]
        if folder == "reference":
            found += [f"reference/api/{package}.md" for package in PACKAGES]
        if found:
            sections.append({title: found})
    return sections


def _order(page: Path) -> tuple[int, int, int, str]:
    """Place overviews first, other pages as the home page lists them, decisions by number."""
    early = FIRST.index(page.name) if page.name in FIRST else len(FIRST)
    listed = (DOCS / "index.md").read_text("utf-8").find(f"]({page.relative_to(DOCS).as_posix()})")
    number = re.match(r"\d+", page.name)
    return early, listed, int(number[0]) if number else 0, page.name


def on_config(config: Any) -> Any:
    """Give the site its navigation."""
    config.nav = navigation()
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages of the API."""
    from mkdocs.structure.files import File

    for package in PACKAGES:
        files.append(
            File.generated(config, f"reference/api/{package}.md", content=api_page(package))
        )
    return files


def plain_bars(row: re.Match[str]) -> str:
    r"""Return a row of a table without ``\|`` in code: GitHub needs it, and the site shows it."""
    return CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0])


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Put in generated texts, show links that lead out of the site as paths, and rank evidence."""
    if page.file.src_uri.startswith(tuple(f"{SECTIONS[title][0]}/" for title in EVIDENCE)):
        page.meta.setdefault("search", {})["boost"] = 0.25
    markdown = ROW.sub(plain_bars, MARKER.sub(lambda found: GENERATED[found[1]](), markdown))
    here = (DOCS / page.file.src_uri).parent

    def shown(found: re.Match[str]) -> str:
        target = (here / f"{found[2]}{found[3]}").resolve()
        if not target.exists():
            return found[0]
        if target.is_relative_to(DOCS):
            inside = target.relative_to(DOCS).as_posix()
            file = files.get_file_from_path(inside)
            if file is not None and file.inclusion.is_included():
                return found[0]
        return f"{found[1]} (`{target.relative_to(ROOT).as_posix()}`)"

    return OUTSIDE.sub(shown, markdown)
