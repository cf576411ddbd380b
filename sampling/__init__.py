"""From grammars to new examples."""

from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

# read from where it lies: what is found by the name `grammar` may be foreign
_lazy = ModuleType("lazy_imports")
_place = Path(__file__).parents[1] / "grammar" / "lazy_imports.py"
SourceFileLoader("lazy_imports", str(_place)).exec_module(_lazy)
__getattr__, __dir__ = _lazy.open_package(__file__)
