"""Classifiers on augmented text: encoders, training, and whether new examples help at all."""

from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

# read from where it lies: what is found by the name `grammar` may be a stranger's
_faces = ModuleType("faces")
_place = Path(__file__).parents[1] / "grammar" / "faces.py"
SourceFileLoader("faces", str(_place)).exec_module(_faces)
__getattr__, __dir__ = _faces.open_face(__file__)
