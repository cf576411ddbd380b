from classifiers import *
from grammar import *
from induction import *
from sampling import *
from scan import *
from treewright.version import __version__ as __version__
