"""The decorator of all kernels, and the cache that numba asks for their machine code."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core.caching import FunctionCache, NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from grammar.kernels.cache_folders import keep_kernels
from grammar.kernels.machine_code import key_of, usable_code
from grammar.kernels.recording import recorder
from grammar.kernels.sources import sources_of

__all__ = ["kernel"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def kernel(**options: Any) -> Callable[[_Function], _Function]:
    """Compile to machine code once, keep it on disk, and run without the interpreter lock.

    Parameters
    ----------
    **options
        Options of ``numba.njit``, such as ``inline="always"``.

    Returns
    -------
    callable
        The decorator of a function.

    Examples
    --------
    >>> @kernel()
    ... def twice(number):
    ...     return 2 * number
    >>> twice(3)
    6
    """

    def compiled(function: _Function) -> _Function:
        made: Any = numba.njit(nogil=True, **options)(function)
        if made is not function:  # as it is with NUMBA_DISABLE_JIT
            made._cache = _KernelCache(function)
        return made

    return compiled


@functools.cache
def _is_kept() -> bool:
    return keep_kernels()


# numba has no types
_opened: Any = FunctionCache
_rebuilt: Any = CompileResult._rebuild
_dumps: Any = dumps


class _KernelCache(NullCache):
    """What numba asks for machine code: the file that ships, then the cache of numba.

    numba's cache is opened when it is asked first, since it reads the source of the function.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @functools.cached_property
    def _own(self) -> Any:
        try:
            return _opened(self._function) if _is_kept() else NullCache()
        except RuntimeError:  # the function is not in a file
            return NullCache()

    @property
    def cache_path(self) -> Any:
        return self._own.cache_path

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the machine code for arguments of these types, or None."""
        target.refresh()
        key, code = key_of(self._function, signature), usable_code()
        found = code.find(key, self._function.__module__) if code else None
        recording = recorder()
        if found is not None:
            self._add(key, found)
            return _rebuilt(target, *pickle.loads(found))
        return self._load_own(signature, target) if recording is None else None

    def _load_own(self, signature: Any, target: Any) -> Any:
        try:
            return self._own.load_overload(signature, target)
        except (ImportError, AttributeError):
            # the index names a module or class of an earlier version of this package
            self._own.flush()
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep machine code that was compiled."""
        recording = recorder()
        if recording is None:
            self._own.save_overload(signature, compiled)
        elif not compiled.lifted and not compiled.library.has_dynamic_globals:
            self._add(key_of(self._function, signature), _dumps(compiled._reduce()))

    def _add(self, key: str, code: bytes) -> None:
        module, recording = self._function.__module__, recorder()
        if recording is not None:
            recording.add(key, module, sources_of(module), code)

    def flush(self) -> None:
        self._own.flush()
