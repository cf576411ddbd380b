"""What belongs together in a text: the one place that says which characters nobody parts.

A *unit* is a stretch of characters that means something as a whole alone: a letter with its
combining marks, a number with its sign and the abbreviation of its measure, a placeholder, an
address, a tag or name of social media, initials, an abbreviation with its full stop, an emoji.
Whoever edits, moves or exchanges words takes a unit whole or leaves it
(``sampling.examples.text_columns``
turns units into facts about words); the tokeniser makes one token of those that a treebank has no
rule for (:func:`whole_tokens`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import chain

from induction.corpus.text.boundaries import ABBREVIATIONS, BEGINNERS
from induction.corpus.text.markup import without_markup

__all__ = ["MAY_HOLD_UNITS", "WORD_CHARACTER", "units", "whole_tokens"]

_COMBINING = range(0x300, 0x20000)
"""Where combining marks stand in Unicode, but for the selectors of variants beyond."""


def _ranges(codes: Iterable[int]) -> str:
    """Return the inside of a character class of these codes, in order."""
    found: list[list[int]] = []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in found)


_MARK = _ranges(code for code in _COMBINING if unicodedata.category(chr(code))[0] == "M")
_MARK += "\u200c\u200d\U000e0100-\U000e01ef\U000e0020-\U000e007f"
WORD_CHARACTER = rf"[\w{_MARK}]"
"""A letter, digit, or mark that belongs to the one before it (a regular expression)."""

_PART = "[\U0001f000-\U0001f1e5\U0001f200-\U0001faff\u2600-\u27bf\u2b50\u2b55\u231a\u231b]"
_PART += "[\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*+"
_JOINER = "\u200d"
_TOKEN = re.compile(
    r"(?:https?://|www\.)[^\s<>\"“”]*[\w/=&#%-]"
    r"|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++"
    rf"|(?<![\w@#])@\w{WORD_CHARACTER}*+"
    rf"|(?<![\w@#&])#(?![{_MARK}]){WORD_CHARACTER}*[^\W\d]{WORD_CHARACTER}*+"
    r"|</?[^\W\d_][\w-]*+>|<\|[\w-]++\|>"
    r"|\[/?(?:[A-Z][A-Z0-9_]*+|\w*_\w*+)\]"  # [MASK], [user_name]
    r"|\$?\{\{[^{}\n]{1,80}+\}\}|\{%[^{}%\n]{1,80}+%\}|\$?\{[\w.:!%-]{0,80}+\}"
    r"|(?<![\w%])%(?:\(\w++\)|\d++\$)?[-+0]?\d*(?:\.\d++)?[sdifgxXrceEou](?!\w)"
    "|[\U0001f1e6-\U0001f1ff]{2}"  # flags
    "|[#*0-9]\ufe0f?\u20e3"  # keys
    r"|¯\\?_*\([ツシ]\)_*/¯"
    rf"|(?P<emoji>{_PART}(?:{_JOINER}{_PART})*+)"
)
"""What is one token whatever signs are in it: addresses, names, tags, what stands in for others
(as ``<url>``, ``{name}``), emoji."""

_BLANK = "[ \u00a0\u2009\u202f]"
_CURRENCY = "$€£¥₹₽₩₺₴₫₪₿฿¢"
_CODES = r"USD|EUR|GBP|CHF|JPY|INR|CAD|AUD|NZD|CNY|RMB|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|Rs\.?|kr\.?"
_NUMBER = (
    r"(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})++(?![\w])|\.?\d++(?:[.,:/'’–-]\d++)*+)"  # 10 000; 10:30
)
_SCALE = r"hundred|thousand|million|billion|trillion|mn|bn|tn|dozen"
# written out (*200 dollars*) they are words like others
_MEASURE = (
    r"km/h|m/s|kph|mph|[kcmµμn]?m[²³23]?|[kmµμn]?g|[mcd]?l|k?t|lbs?|oz|ft|yds?|mi|kts?|ha|"
    r"hrs?|h|mins?|secs?|s|ms|µs|ns|[kMGT]?Hz|[kMGT]?Wh?|[km]?V|mAh?|[kMh]?Pa|m?bar|psi|k?J|"
    r"k?cal|[kMGT]?i?B|[kMGT]?bit(?:/s)?|[kMG]?bps|fps|dpi|px|pt|em|rem|ppm|ppb|mol|dB|lm|lx|rpm|"
    r"[°º]\s?[CFK]?|K|x|am|pm|AM|PM|a\.m\.|p\.m\.|o['’]clock|per\s?cent|percent|pct"
)
_COMPARED = "[±≈≤≥≠<>=]"
_MONEY = rf"(?<!\w)(?:[A-Z]{{0,3}}[{_CURRENCY}]|{_CODES})"
_NUMBERED = r"(?<![\w.])(?i:nos?|nr|figs?|vols?|chaps?|eqs?|arts?|pp?)\."  # Fig. 2, pp. 3-5
_AHEAD = rf"(?:{_MONEY}|{_NUMBERED}|(?<![§№])[§№]{{1,2}}|{_COMPARED}|~){_BLANK}?"
_BEHIND = (
    rf"(?:{_BLANK}?[%‰°º{_CURRENCY}](?!\w)|{_BLANK}?(?:{_SCALE}|{_MEASURE}|{_CODES})(?!\w|\.\w))"
)
_INITIAL = r"[^\W\d_]\."
_SHORT = "|".join(sorted(ABBREVIATIONS, key=len, reverse=True)).replace(".", r"\.")
_FIRST = "|".join(word.capitalize() for word in sorted(BEGINNERS))
_SMILE = r"[:;][-o^'’]?[)(\]\[DPp/\\|*]++|=[)(\]]++|\^[_.-]{0,3}\^|-_{1,3}-|[oO]_[oO]"
_PHRASE = re.compile(
    # so that other characters are soon passed
    rf"(?=[\w+−%#§№±≈≤≥≠~<>=&:;^(\[/.\\{_CURRENCY}-])"
    rf"(?:(?<!\S)(?:{_SMILE})(?![^\s.,!?])"
    r"|\[\d{1,3}(?:[,;–-] ?\d{1,3}){0,20}\]|\((?:1[5-9]|20)\d\d[a-z]?\)"  # [12], (2019)
    r"|(?<!\w)\d['’′]\d{1,2}(?:[\"”″]|'')"  # feet and inches
    rf"|(?<!\w)et{_BLANK}al\b\.?|"
    rf"(?!{_COMPARED}(?!{_BLANK}?[-+−%#.\d]))"  # most of these stand before no number
    rf"(?:(?<!\w)\+\d[\d ()/-]{{6,20}}\d(?!\w)"  # telephones
    rf"|(?:{_AHEAD}|(?<!\w))(?:(?<![\w.])[-+−%#])?{_NUMBER}\w*+"
    rf"(?:{_BLANK}?[–-]{_BLANK}?{_NUMBER}\w*+)?{_BEHIND}{{0,3}}+"
    rf"|(?<![\w.])(?:[^\W\d_]{{1,2}}\.){{2,}}+(?:[^\W\d_](?!\w))?"  # J.K., p.m., U.S., Ph.D.
    rf"|(?<![\w.]){_INITIAL}(?:{_BLANK}{_INITIAL})++"  # J. K., z. B.
    rf"|(?<![\w.])(?i:{_SHORT})\.(?=\s[^\W_])(?!\s(?:{_FIRST})\b)"
    r"|(?<![\w&])&(?:#\d++|#x[\da-fA-F]++|[A-Za-z]\w*+);"  # of HTML
    r"|(?<![\w$])\$[A-Za-z_]\w*+|(?<!\w):[a-z][\w+-]*+:|(?<!\w)__\w++"
    r"|(?<![\w.-])[\w-]++(?:\.[\w-]++)++/[^\s<>\"“”]*[\w/=&#%-]"
    r"|(?<![\w<~/])~?(?:/[\w.-]++){2,}+/?"
    r"|(?<!\\)\\[A-Za-z]++(?:\{[^{}\n]{0,80}+\}){0,3}+"  # \cite{x} of LaTeX
    r"|(?<![\w.])[A-Za-z_][\w.]*+\(\)"  # f() of programs
    r"|(?<!\w)(?:[A-Za-z]\+\+|[CFA]#|[A-F][+−-]|\.[A-Z]\w++)(?!\w)))"
)
_MARKED = re.compile(rf"[^\s{_MARK}][{_MARK}]++")
"""A character with the marks that belong to it."""

MAY_HOLD_UNITS = (
    r"[^\x00-\x7f]|[0-9@#$%&<\[{/_+~\\]|:[a-z]|[A-Za-z]\.[A-Za-z]|\b[A-Za-z]\. ?[A-Za-z]"
    r"|[:;=][-o^'’]?[)(\]\[DPp|*]|\^|\b(?i:et.al|nos?|nr|figs?|vols?|chaps?|eqs?|arts?|pp?)\b"
    rf"|\(\)|www\.|\.[A-Z]|\b[A-F]-|\b(?i:{_SHORT})\.\s"
)
"""A regular expression of RE2: a text in which it matches nothing has no units."""


def whole_tokens(text: str) -> list[tuple[int, int]]:
    """Return the units that are one token each, whatever signs are in them.

    What emoji are joined to, but is none, makes the whole of them none.

    >>> text = "@bo: dear {name}, see <url> 👩‍🚀 for 5 %"
    >>> [text[a:b] for a, b in whole_tokens(text)]
    ['@bo', '{name}', '<url>', '👩\u200d🚀']
    """
    return [
        match.span()
        for match in _TOKEN.finditer(text)
        if match.lastgroup is None or not text.startswith(_JOINER, match.end())
    ]


def units(text: str) -> list[tuple[int, int]]:
    """Return which stretches of a text belong together, in their order; they do not meet.

    Parameters
    ----------
    text : str
        Any, with its markup or without.

    Examples
    --------
    >>> text = "It's 50 % off: €5,50 (see §4) at 5 p.m., J.K. [MASK] %s #so café\u0301."
    >>> [text[a:b] for a, b in units(text)]
    ['50 %', '€5,50', '§4', '5 p.m.', 'J.K.', '[MASK]', '%s', '#so', 'é\u0301']

    Notes
    -----
    The work is linear in the text.
    """
    plain = without_markup(text)
    phrases = (match.span() for match in chain(_PHRASE.finditer(plain), _MARKED.finditer(plain)))
    found: list[tuple[int, int]] = []
    for start, end in sorted(chain(whole_tokens(plain), phrases)):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found
