"""Machine code next to the package is used where it fits and nobody else may write it, else not."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
import numpy as np
import pytest

from grammar.kernels import decorator, machine_code, ownership, processors, recording, sources
from grammar.kernels.machine_code import MachineCode, usable_code
from grammar.kernels.processors import LEVELS, fitting_levels
from grammar.messages import heard_by
from grammar.rng import stream_key, uniforms_of

NATIVE = processors.Level("native", frozenset(), frozenset())


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The machine code of one kernel, in a file that is looked for."""
    path = tmp_path / "native.kernels"
    monkeypatch.setattr(machine_code, "path_of", lambda level: path)
    monkeypatch.setattr(machine_code, "fitting_levels", lambda: [NATIVE])
    monkeypatch.setattr(ownership.os, "getuid", lambda: tmp_path.stat().st_uid)
    usable_code.cache_clear()
    collected = recording.record()
    drawn(compiled())
    recording._RECORDERS.clear()
    collected.write(path, NATIVE)
    usable_code.cache_clear()
    yield path
    usable_code.cache_clear()


@pytest.fixture
def said() -> Iterator[list[str]]:
    messages: list[str] = []
    with heard_by(messages.append):
        yield messages


def compiled() -> Any:
    """A kernel that no process has compiled yet, but for what is kept."""
    return decorator.kernel()(uniforms_of.py_func)


def drawn(function: Callable[..., Any]) -> list[float]:
    return list(function(stream_key(0, "pcfg"), 3, 4).tolist())


def loaded(function: Any) -> int:
    return sum(function.stats.cache_hits.values())


def own_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no cache but the file, so that what is not in it is compiled."""
    monkeypatch.setattr(decorator, "_is_kept", lambda: False)


def test_code_is_loaded_and_not_compiled(file, said, monkeypatch):
    own_cache(monkeypatch)
    function = compiled()
    assert drawn(function) == drawn(uniforms_of)
    assert loaded(function) == 1
    assert said == []


def test_other_types_than_those_in_the_file_are_compiled(file, said, monkeypatch):
    own_cache(monkeypatch)
    function = compiled()
    assert function(stream_key(0, "pcfg"), np.int32(3), 4).tolist() == drawn(uniforms_of)
    assert loaded(function) == 0
    assert said == []


@pytest.mark.parametrize("name", ["numba", "llvmlite", "python", "machine", "level"])
def test_code_made_with_another_numba_is_not_used(file, said, monkeypatch, name):
    before = machine_code.made_with(NATIVE)
    monkeypatch.setattr(machine_code, "made_with", lambda level: {**before, name: "another"})
    own_cache(monkeypatch)
    function = compiled()
    assert drawn(function) == drawn(uniforms_of)
    assert loaded(function) == 0
    assert said == [
        f"the machine code in {file} is not used, and kernels are compiled: it is of {name} "
        f"{before[name]}, and here is another; treewright compile makes it again"
    ]


def test_code_of_other_sources_is_not_used(file, said, monkeypatch):
    monkeypatch.setattr(machine_code, "digest_of", lambda source: "another")
    own_cache(monkeypatch)
    function = compiled()
    assert drawn(function) == drawn(uniforms_of)
    assert (loaded(function), len(said)) == (0, 1)
    assert "is not of the grammar/rng.py that is here" in said[0]
    assert not usable_code().is_whole()  # type: ignore[union-attr]


@pytest.mark.parametrize("fault", ["another user", "anybody may write", "a group may write"])
def test_code_that_others_may_write_is_not_used(file, said, monkeypatch, fault):
    if fault == "another user":
        monkeypatch.setattr(ownership.os, "getuid", lambda: file.stat().st_uid + 4242)
        if file.stat().st_uid == 0:
            monkeypatch.setattr(ownership, "ROOT_USER", 4243)
    elif fault == "anybody may write":
        file.parent.chmod(0o777)
    else:
        file.chmod(0o664)
        monkeypatch.setattr(ownership, "_is_private", lambda group: False)
    assert usable_code() is None
    assert len(said) == 1
    assert fault in said[0]


def test_code_behind_a_link_is_held_to_where_it_lies(file, said):
    elsewhere = file.parent / "open"
    elsewhere.mkdir()
    file.rename(elsewhere / file.name)
    file.symlink_to(elsewhere / file.name)
    assert usable_code() is not None
    usable_code.cache_clear()
    elsewhere.chmod(0o777)
    assert usable_code() is None
    assert f"anybody may write {elsewhere}" in said[0]


def test_a_place_of_root_that_cannot_be_written_is_used(file, monkeypatch):
    file.chmod(0o444)
    monkeypatch.setattr(ownership, "ROOT_USER", file.stat().st_uid)
    monkeypatch.setattr(ownership.os, "getuid", lambda: file.stat().st_uid + 4242)
    monkeypatch.setattr(ownership, "_is_private", lambda group: True)
    assert usable_code() is not None


def test_no_file_is_nothing_to_tell(file, said):
    file.unlink()
    assert usable_code() is None
    assert said == []


@pytest.mark.parametrize("at", [0, 26, 40])
def test_a_file_that_is_damaged_is_not_used(file, said, at):
    data = bytearray(file.read_bytes())
    data[at : at + 4] = b"\0\0\0\0"
    file.write_bytes(data)
    assert usable_code() is None
    assert len(said) == 1


def test_code_that_is_damaged_is_compiled(file, said, monkeypatch):
    data = bytearray(file.read_bytes())
    data[-50] ^= 1
    file.write_bytes(data)
    own_cache(monkeypatch)
    function = compiled()
    assert drawn(function) == drawn(uniforms_of)
    assert loaded(function) == 0
    assert "is damaged at grammar.rng.uniforms_of" in said[0]


def test_a_file_that_is_cut_off_is_not_used_or_told(file, said, monkeypatch):
    data = file.read_bytes()
    own_cache(monkeypatch)
    for length in (0, 10, 33, 40, 300, len(data) - 1):
        file.write_bytes(data[:length])
        usable_code.cache_clear()
        assert drawn(compiled()) == drawn(uniforms_of)
    assert len(said) == 6


def test_two_files_are_merged(file, tmp_path):
    again = tmp_path / "again.kernels"
    assert recording.merge([file, file], NATIVE, again) == 1
    assert again.read_bytes() == file.read_bytes()
    assert MachineCode.opened(again).is_whole()


def _draw(number: int) -> list[float]:
    return drawn(uniforms_of)


def test_processes_at_once_draw_alike():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(_draw, range(4)) == [drawn(uniforms_of)] * 4


# --- levels -----------------------------------------------------------------------------------


@pytest.fixture
def processor(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def told(*features: str, machine: str = "x86_64") -> None:
        monkeypatch.setattr(processors.platform, "machine", lambda: machine)
        known = dict.fromkeys(features, True) | {"amx": False}
        monkeypatch.setattr(llvmlite.binding, "get_host_cpu_features", lambda: known)

    for name in ("CPU_NAME", "CPU_FEATURES"):
        monkeypatch.setattr(numba.config, name, None)
    return told


def test_levels_of_a_processor(processor):
    v3, baseline, generic = LEVELS
    processor(*v3.features, "avx512f")
    assert fitting_levels() == [v3, baseline]
    processor(*(v3.features - {"avx2"}))
    assert fitting_levels() == [baseline]
    processor(machine="aarch64")
    assert fitting_levels() == [generic]
    processor(*v3.features, machine="riscv64")
    assert fitting_levels() == []


def test_levels_that_variables_ask_for(processor, monkeypatch):
    v3, baseline, _ = LEVELS
    processor(*v3.features)
    monkeypatch.setattr(numba.config, "CPU_NAME", "x86-64")
    assert fitting_levels() == []
    monkeypatch.setattr(numba.config, "CPU_FEATURES", "")
    assert fitting_levels() == [baseline]
    monkeypatch.setattr(numba.config, "CPU_NAME", "skylake")
    assert fitting_levels() == []


@pytest.mark.parametrize(("name", "value"), [("OPT", 2), ("BOUNDSCHECK", 1)])
def test_other_ways_of_compiling_use_no_code_that_ships(processor, monkeypatch, name, value):
    processor(*LEVELS[0].features)
    monkeypatch.setattr(numba.config, name, value)
    assert fitting_levels() == []


# --- sources ----------------------------------------------------------------------------------


def test_sources_are_those_of_kernels_and_constants():
    import grammar.arrays
    import grammar.sampling_kernels.ancestral  # noqa: F401

    assert sources.sources_of("grammar.rng") == ["grammar/rng.py"]
    assert {"grammar/rng.py", "grammar/sampling_kernels/ancestral.py"} <= set(
        sources.sources_of("grammar.sampling_kernels.ancestral")
    )
    assert sources.sources_of("numpy") == []
    assert sources.digest_of("grammar/none.py") == ""


def test_an_index_that_names_modules_of_an_earlier_version_is_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An update in place leaves numba's files, whose types may be of a module that was renamed."""
    flushed = []

    class Left:
        def load_overload(self, *asked: Any) -> Any:
            raise ModuleNotFoundError("No module named 'sampling.seams'")

        def flush(self) -> None:
            flushed.append(True)

    class Target:
        def refresh(self) -> None:
            pass

    monkeypatch.setattr(decorator, "usable_code", lambda: None)
    monkeypatch.setattr(decorator, "key_of", lambda function, signature: "")
    monkeypatch.setattr(decorator, "recorder", lambda: None)
    cache = decorator._KernelCache(drawn)
    monkeypatch.setattr(cache, "_own", Left())
    assert cache.load_overload(None, Target()) is None
    assert flushed == [True]
