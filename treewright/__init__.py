"""The front door: every public name of all rooms, and the command line.

>>> import treewright as tw
>>> tw.Grammar.parse("S -> 'fish' [1]").check().tight
True
"""

import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

# read from where it lies: what is found by the name `grammar` may be foreign
_lazy = ModuleType("lazy_imports")
_place = Path(__file__).parents[1] / "grammar" / "lazy_imports.py"
SourceFileLoader("lazy_imports", str(_place)).exec_module(_lazy)
try:
    __getattr__, __dir__ = _lazy.open_package(__file__)
except ImportError as error:
    words = sys.orig_argv if sys.argv[0] == "-m" else [Path(sys.argv[0]).stem]
    if "treewright" not in words:
        raise
    # a person at the command line gets the message alone
    sys.exit(f"treewright: {error}")
