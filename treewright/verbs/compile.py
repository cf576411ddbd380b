"""The verb compile: the machine code of all kernels, next to the package."""

from __future__ import annotations

from treewright.console import Quiet, progress
from treewright.terminal import show

__all__ = ["compile"]


def compile(quiet: Quiet = False) -> None:
    """Compile all kernels for this processor once, so that no later run compiles any.

    A wheel has its machine code. An installation from the sources compiles what a run needs when it
    needs it first, unless this has been run.

    Example: treewright compile
    """
    from grammar.errors import EngineError
    from grammar.kernels.machine_code import path_of, usable_code
    from grammar.kernels.processors import fitting_levels
    from treewright.compiling import STEPS, compile_kernels

    levels = fitting_levels()
    if not levels:
        raise EngineError(
            "no level of processors is known that fits here, or variables of numba ask for another",
            hint="kernels are compiled when they are used first; unset NUMBA_CPU_NAME,"
            " NUMBA_CPU_FEATURES, NUMBA_OPT, NUMBA_BOUNDSCHECK",
        )
    level, known = levels[0], usable_code()
    path = path_of(level)
    if known is not None and known.path == path and known.is_whole():
        show(f"all {len(known.header['code'])} kernels are compiled: {path}")
        return
    with progress(quiet=quiet) as bars:
        task = bars.add_task("compiling", total=sum(map(len, STEPS)), note="")
        count = compile_kernels(level, path, lambda: bars.advance(task))
    show(f"{count} kernels compiled for {level.name}: {path}")
