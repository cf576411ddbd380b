"""Parsers that others made, as parsers of text (:class:`induction.text_parsers.TextParser`).

None of the packages is needed to install this one; each is imported when its parser is made.
"""

from induction.adapters.benepar import BeneparParser, SpacyBeneparParser
from induction.adapters.corenlp import CoreNLPParser
from induction.adapters.stanza import StanzaParser

__all__ = ["BeneparParser", "CoreNLPParser", "SpacyBeneparParser", "StanzaParser"]
