"""Kernels: functions that numba compiles, and where their machine code comes from.

Machine code is taken from the file that ships beside this package where one fits this processor
(:mod:`grammar.kernels.machine_code`), else from numba's own cache
(:mod:`grammar.kernels.cache_folders`),
else it is compiled.
"""

from grammar.kernels.decorator import kernel

__all__ = ["kernel"]
