"""Text whose tokens carry their part-of-speech tags: ``saw/VBD``."""

from __future__ import annotations

import re

from grammar.errors import CorpusError, OptionError

__all__ = ["check_separator", "read_tagged"]

_TOKEN = re.compile(r"\S+")


def read_tagged(
    line: str, separator: str = "/", *, where: str = "<string>"
) -> tuple[list[str], list[str]]:
    r"""Return the words and tags of one line, whose tokens are parted by white space.

    A token is a word, the separator and a tag. The last separator without a backslash before it
    counts, so that words may hold it as it is. A tag that holds it has a backslash before it.

    Parameters
    ----------
    line : str
        One sentence.
    separator : str
        One character.
    where : str
        File and line, for errors.

    Raises
    ------
    CorpusError
        If a token has no separator, nothing before it, or no tag after it.
    OptionError
        If the separator is not one character, or is white space or a backslash.

    Examples
    --------
    >>> read_tagged("we/PRP paid/VBD 1/2/CD")
    (['we', 'paid', '1/2'], ['PRP', 'VBD', 'CD'])
    >>> read_tagged(r"up_IN\_RP", "_")
    (['up'], ['IN_RP'])
    """
    check_separator(separator)
    last = re.compile(rf"(?<!\\){re.escape(separator)}")
    words, tags = [], []
    for token in _TOKEN.finditer(line):
        text = token.group()
        places = [match.start() for match in last.finditer(text)]
        word, tag = (text[: places[-1]], text[places[-1] + 1 :]) if places else (text, "")
        if not word or not tag:
            raise CorpusError(
                f"the token {text!r} has no {'tag' if word else 'word'}",
                where=f"{where}:{token.start() + 1}",
                hint=f"write each token as word{separator}TAG",
            )
        words.append(word)
        tags.append(tag.replace(f"\\{separator}", separator))
    return words, tags


def check_separator(separator: str) -> None:
    """Refuse what cannot stand between word and tag."""
    if len(separator) != 1 or separator.isspace() or separator == "\\":
        raise OptionError(
            f"{separator!r} cannot stand between word and tag",
            hint="give one character other than white space and a backslash: / or _",
        )
