"""Where the command line begins: ``treewright``, and ``python -m treewright``."""

from __future__ import annotations

import gc
import os
import sys

from treewright.interrupts import lasting_interrupts

__all__ = ["main"]

_COLLECTED_AFTER = (100_000, 20, 50)
"""Imports make many objects and hardly any garbage: collecting it took a fifth of a start."""


def main() -> None:
    """Run the command line; an interrupt while it is loaded is an interrupt, too.

    Where the locale knows ASCII alone, Python restarts in its UTF-8 mode: the names of files and
    the words that are given would not be what they are.
    """
    if sys.getfilesystemencoding() == "ascii" and sys.platform != "win32":
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])
    gc.set_threshold(*_COLLECTED_AFTER)
    with lasting_interrupts() as asked:
        try:
            from treewright.cli import main as run

            run()
        except KeyboardInterrupt:
            print(f"treewright: {asked.message}", file=sys.stderr)
            sys.exit(asked.code)
        finally:
            if asked.signal is not None:
                asked.no_more()


if __name__ == "__main__":
    main()
