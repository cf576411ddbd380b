"""Build a wheel with the machine code of all kernels: ``python -m benchmarks.wheel [FOLDER]``.

The wheel is for the Python, the platform and the numba that it is built with. It holds machine code
for each level of this family of processors (:mod:`grammar.kernels.processors`).
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import llvmlite
import numba

from grammar.kernels.machine_code import path_of
from grammar.kernels.processors import LEVELS, Level
from grammar.kernels.sources import ROOT
from treewright.compiling import STEPS, compile_kernels
from treewright.console import progress


def build(into: Path) -> Path:
    """Build the wheel into a folder, and return its path."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _run("pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", name, str(ROOT))
        _run("wheel", "unpack", "--dest", name, str(next(folder.glob("*.whl"))))
        [unpacked] = [each for each in folder.iterdir() if each.is_dir()]
        for level in LEVELS:
            if platform.machine() in level.machines:
                _compile(level, unpacked)
        _pin(unpacked)
        into.mkdir(parents=True, exist_ok=True)
        _run("wheel", "pack", "--dest-dir", name, str(unpacked))
        [pure] = folder.glob("*.whl")
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        tags = ("--python-tag", python, "--abi-tag", python, "--platform-tag", system)
        made = _run("wheel", "tags", "--remove", *tags, str(pure)).split()[-1]
        return (folder / made).replace(into / made)


def _compile(level: Level, unpacked: Path) -> None:
    """Compile beside the sources, where what is of these sources stays, and copy the file."""
    path = path_of(level)
    with progress() as bars:
        task = bars.add_task(level.name, total=sum(map(len, STEPS)), note="")
        count = compile_kernels(level, path, lambda: bars.advance(task))
    shutil.copy(path, unpacked / path.relative_to(ROOT))
    print(f"{level.name}: {count} kernels, {path.stat().st_size / 1e6:.1f} MB")


def _pin(unpacked: Path) -> None:
    """Require the numba and the llvmlite that the code was made with."""
    [file] = unpacked.glob("*.dist-info/METADATA")
    head, blank, text = file.read_text("utf-8").partition("\n\n")
    lines = [line for line in head.split("\n") if not line.startswith("Requires-Dist: numba")]
    pins = (f"numba=={numba.__version__}", f"llvmlite=={llvmlite.__version__}")
    last = max(i for i, line in enumerate(lines) if line.startswith("Requires-Dist:"))
    lines[last + 1 : last + 1] = [f"Requires-Dist: {pin}" for pin in pins]
    file.write_text("\n".join(lines) + blank + text, "utf-8")
    [about] = unpacked.glob("*.dist-info/WHEEL")
    about.write_text(
        about.read_text("utf-8").replace("Root-Is-Purelib: true", "Root-Is-Purelib: false"), "utf-8"
    )


def _run(*command: str) -> str:
    done = subprocess.run([sys.executable, "-m", *command], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with code {done.returncode}")
    return done.stdout


if __name__ == "__main__":
    print(build(Path(sys.argv[1] if len(sys.argv) > 1 else "dist").absolute()))
