"""Parsers that others made, as parsers of text (:class:`induction.parsers.protocol.TextParser`).

None of the packages is needed to install this one; each is imported when its parser is made.
"""

from induction.parsers.adapters.benepar import BeneparParser, SpacyBeneparParser
from induction.parsers.adapters.corenlp import CoreNLPParser
from induction.parsers.adapters.stanza import StanzaParser

__all__ = ["BeneparParser", "CoreNLPParser", "SpacyBeneparParser", "StanzaParser"]
