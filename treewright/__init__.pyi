from classifiers import *
from grammar import *
from induction import *
from sampling import *
from scan import *  # type: ignore[assignment]

# isort: split
# what most people look for under names that scan has, too
from classifiers.shortcuts import split as split
from classifiers.shortcuts import train as train
from induction.parsers.opening import parse as parse
from sampling.sentences.sentences import generate as generate
from treewright.version import __version__ as __version__
