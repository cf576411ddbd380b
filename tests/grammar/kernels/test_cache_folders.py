"""Kernels are kept where files may be written, or compiled again; nothing fails without a place.

Root may write anywhere that is mounted for writing, so the installation is mounted read-only in a
space of its own, where the system allows that; elsewhere, what may be written is made up.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from grammar.kernels import cache_folders
from grammar.kernels.cache_folders import keep_kernels, may_write
from grammar.messages import heard_by

ROOT = Path(__file__).parents[3]
MOUNT = f"mount --bind {ROOT} {ROOT} && mount -o remount,ro,bind {ROOT} && exec "


@pytest.fixture
def said(monkeypatch, tmp_path):
    """Nothing is set, and what may be written is only what a test says."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(cache_folders.tempfile, "gettempdir", lambda: str(tmp_path))
    messages: list[str] = []
    with heard_by(messages.append):
        yield messages
    os.environ.pop("NUMBA_CACHE_DIR", None)


def test_nothing_is_changed_where_the_code_may_be_written(said, monkeypatch):
    for beside in (True, False):
        monkeypatch.setattr(
            cache_folders, "may_write", lambda f, beside=beside: ("__pycache__" in str(f)) == beside
        )
        assert keep_kernels()
        assert (said, numba.config.CACHE_DIR) == ([], "")


def test_else_they_are_kept_in_a_folder_of_this_user_and_it_is_said(said, monkeypatch, tmp_path):
    monkeypatch.setattr(cache_folders, "may_write", lambda folder: folder.parent == tmp_path)
    assert keep_kernels()
    [folder] = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert os.environ["NUMBA_CACHE_DIR"] == numba.config.CACHE_DIR == str(folder)
    assert said == [
        f"neither the installation nor the home may be written: kernels are kept in {folder}"
    ]
    (folder / "kernel.nbi").touch()
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert keep_kernels()
    assert len(said) == 1  # the next run starts at once, and has nothing to say


@pytest.mark.parametrize("fault", ["others may write", "a link", "a file", "nowhere"])
def test_a_folder_that_others_may_have_filled_is_not_taken(said, monkeypatch, tmp_path, fault):
    monkeypatch.setattr(cache_folders, "may_write", lambda folder: folder.parent == tmp_path)
    place = tmp_path / f"treewright-kernels-{os.getuid()}"
    if fault == "others may write":
        place.mkdir()
        place.chmod(0o777)
    elif fault == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        place.symlink_to("elsewhere")
    elif fault == "a file":
        place.touch()
    else:

        def nowhere() -> str:
            raise FileNotFoundError("No usable temporary directory found")

        monkeypatch.setattr(cache_folders.tempfile, "gettempdir", nowhere)
    assert not keep_kernels()
    assert said == ["nowhere may files be written, so kernels are compiled again in each run"]
    assert numba.config.CACHE_DIR == ""


def test_a_home_that_is_unknown_is_none(said, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.setattr(cache_folders, "may_write", lambda folder: "__pycache__" not in str(folder))
    keep_kernels()
    assert len(said) == 1


def test_may_write(tmp_path):
    assert may_write(tmp_path / "new" / "folder")
    (tmp_path / "file").touch()
    assert not may_write(tmp_path / "file")


@pytest.mark.parametrize("temporary", [True, False])
def test_a_read_only_installation_without_a_home_works(tmp_path, temporary):
    if (
        shutil.which("unshare") is None
        or subprocess.run(
            ["unshare", "-m", "sh", "-c", f"{MOUNT} true"], capture_output=True
        ).returncode
    ):
        pytest.skip("the system lets nobody mount here")
    (tmp_path / "a.txt").write_text("S -> 'a' S [0.5] | 'b' [0.5]\n")
    kept = tmp_path / "tmp" if temporary else ROOT / "none"
    kept.mkdir(exist_ok=True) if temporary else None
    environment = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR",)}
    environment |= {"HOME": str(ROOT / "none"), "PYTHONPATH": str(ROOT)}
    # with other optimisation than that of the machine code that ships, so that kernels are compiled
    environment |= {"XDG_CACHE_HOME": "", "TMPDIR": str(kept), "NUMBA_OPT": "2"}
    program = (
        "import tempfile, treewright.cli as cli\n"
        + ("" if temporary else "tempfile._candidate_tempdir_list = lambda: []\n")
        + "cli.main()"
    )
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", f'{MOUNT} "$@"', "sh", sys.executable, "-c", program,
         "sample", "a.txt", "-n", "3"],
        cwd=tmp_path, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 3
    said = "kernels are kept in" if temporary else "kernels are compiled again in each run"
    assert said in done.stderr
    assert any(kept.rglob("*.nbi")) == temporary
