"""Names that others have too: whatever is found in the place of a package is named, and not run."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("grammar", "induction", "sampling", "scan", "classifiers", "treewright")
BELOW = {
    "induction": PACKAGES[:1], "sampling": PACKAGES[:2], "scan": PACKAGES[:3],
    "classifiers": PACKAGES[:3],
    "treewright": PACKAGES[:5],
}  # fmt: skip
STRANGER = "print('a stranger was run')\nraise RuntimeError('a stranger')\n"
IMPORTS = """
import importlib, json, sys
said = {}
for package in sys.argv[1:]:
    try:
        importlib.import_module(package)
        said[package] = None
    except ImportError as error:
        said[package] = str(error)
print(json.dumps(said))
"""


def python(*arguments: str, cwd: Path, path: list[Path]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    # without site: what is installed here has its own ways to be found
    command = [sys.executable, "-S", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def imported(*packages: str, cwd: Path, path: list[Path]) -> dict[str, str | None]:
    """Import packages one after the other; return what the error of each says."""
    done = python("-c", IMPORTS, *packages, cwd=cwd, path=path)
    assert done.returncode == 0, done.stderr
    assert "stranger was run" not in done.stdout
    return json.loads(done.stdout)


def in_the_folder(package: str, folder: Path) -> tuple[Path, list[Path], str]:
    """Put a file of that name into the working folder."""
    file = folder / f"{package}.py"
    file.write_text(STRANGER)
    return file, [ROOT], "rename it"


def of_a_distribution(package: str, folder: Path) -> tuple[Path, list[Path], str]:
    """Install another distribution with a package of that name, found before ours."""
    site = folder / "site"
    file = site / package / "__init__.py"
    file.parent.mkdir(parents=True)
    file.write_text(STRANGER)
    facts = site / f"{package}_tools-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}-tools\nVersion: 1.0\n")
    (facts / "RECORD").write_text(f"{package}/__init__.py,,\n{facts.name}/METADATA,,\n")
    return file, [site, ROOT], f"pip uninstall {package}-tools"


KINDS = pytest.mark.parametrize("kind", [in_the_folder, of_a_distribution])


@KINDS
@pytest.mark.parametrize("package", PACKAGES[:5])
def test_rooms_that_need_another_name_the_stranger_in_its_place(package, kind, tmp_path) -> None:
    file, path, mended = kind(package, tmp_path)
    above = [one for one, below in BELOW.items() if package in below]
    said = imported(*above, cwd=tmp_path, path=path)
    for one in above:
        message, hint = said[one].splitlines()
        assert message.startswith(f"{file}: this file ")
        assert message.endswith(f"is found in the place of Treewright's package {package}")
        assert mended in hint
    others = [one for one in BELOW if one not in above and one != package]
    assert not any(imported(*others, cwd=tmp_path, path=path).values())


@KINDS
@pytest.mark.parametrize("package", PACKAGES[:5])
def test_the_command_line_names_the_stranger_and_says_no_more(package, kind, tmp_path) -> None:
    file, path, mended = kind(package, tmp_path)
    script = tmp_path / "bin" / "treewright"
    script.parent.mkdir()
    script.write_text("from treewright.cli import main\nmain()\n")
    for command in (["-m", "treewright", "--version"], [str(script), "--version"]):
        if kind is in_the_folder and command[0] != "-m":
            path = [tmp_path, *path]  # the working folder is not searched, unless one asks for it
        done = python(*command, cwd=tmp_path, path=path)
        assert done.returncode == 1
        assert done.stdout == ""
        assert done.stderr.startswith(f"treewright: {file}: ")
        assert len(done.stderr.splitlines()) == 2
        assert mended in done.stderr


def test_a_folder_with_an_init_and_what_is_imported_already_are_strangers_too(tmp_path) -> None:
    (tmp_path / "scan").mkdir()
    (tmp_path / "scan" / "__init__.py").write_text(STRANGER)
    assert (
        str(tmp_path / "scan" / "__init__.py")
        in imported("treewright", cwd=tmp_path, path=[ROOT])["treewright"]
    )
    script = (
        "import sys, types\n"
        "sys.modules['grammar'] = types.ModuleType('grammar')\n"
        "sys.modules['grammar'].__file__ = '/elsewhere/grammar.py'\n"
        "import induction"
    )
    done = python("-c", script, cwd=tmp_path, path=[ROOT])
    assert "ImportError: /elsewhere/grammar.py: this file is found in the place" in done.stderr


def test_a_folder_of_data_is_no_stranger(tmp_path) -> None:
    (tmp_path / "scan").mkdir()
    assert imported(*PACKAGES, cwd=tmp_path, path=[ROOT]) == dict.fromkeys(PACKAGES)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Rooms as they are installed, as far as importing them goes."""
    for package in PACKAGES:
        (tmp_path / "site" / package).mkdir(parents=True)
        for name in ("__init__.py", "__init__.pyi"):
            shutil.copy(ROOT / package / name, tmp_path / "site" / package / name)
    shutil.copy(
        ROOT / "grammar" / "lazy_imports.py", tmp_path / "site" / "grammar" / "lazy_imports.py"
    )
    return tmp_path / "site"


def test_a_room_that_another_distribution_wrote_over_or_took_along(root: Path) -> None:
    file = root / "grammar" / "__init__.py"
    work = root.parent
    assert imported(*PACKAGES, cwd=work, path=[root]) == dict.fromkeys(PACKAGES)
    file.write_text(STRANGER)
    said = imported("induction", cwd=work, path=[root])["induction"]
    assert said.startswith(f"{file}: this file is found in the place of")
    assert said.endswith("hint: it was written over: install treewright again")
    file.unlink()
    said = imported("treewright", cwd=work, path=[root])["treewright"]
    assert said.startswith(f"{file.parent}: this folder is found in the place of")
    assert said.endswith("hint: it was written over: install treewright again")
    shutil.rmtree(root / "induction")
    said = imported("sampling", cwd=work, path=[root])["sampling"]
    assert "install treewright again" in said


def test_what_an_earlier_installation_compiled_is_told_to_be_removed(tmp_path: Path) -> None:
    site = tmp_path / "site"
    for package in ("grammar", "sampling"):
        (site / package / "__pycache__").mkdir(parents=True)
        (site / package / "__pycache__" / "kernels.py311.nbi").write_bytes(b"")
    (site / "scan").mkdir()
    finder = (
        "import importlib.abc, importlib.machinery as m, sys\n"
        "class Editable(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        return m.PathFinder.find_spec(name, [{str(ROOT)!r}])\n"
        "sys.meta_path.append(Editable())\n"
        "import treewright\n"
    )
    done = python("-c", finder, cwd=tmp_path, path=[site])
    said = done.stderr.splitlines()
    assert f"{site / 'grammar'}: this folder is found in the place of" in said[-2]
    assert said[-1].endswith(f"it had compiled: rm -r {site / 'grammar'} {site / 'sampling'}")
