"""What docstrings need to be read as Markdown: roles of Sphinx become code, doctests a section."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

ROLE = re.compile(r":(?:func|class|meth|mod|data|attr|exc|obj):`~?([^`]+)`")
EXAMPLES = re.compile(r"^Examples\n-+$", re.MULTILINE)
DOCTEST = re.compile(r"^(?=>>> )", re.MULTILINE)


def plain(text: str) -> str:
    """Return a docstring without roles, and with its examples under their heading.

    >>> plain("Sum of :func:`~a.b`.\\n\\n>>> 1 + 1\\n2")
    'Sum of `a.b`.\\n\\nExamples\\n--------\\n>>> 1 + 1\\n2'
    """
    text = ROLE.sub(r"`\1`", text)
    if not EXAMPLES.search(text):
        text = DOCTEST.sub("Examples\n--------\n", text, count=1)
    return text


class Docstrings(Extension):
    """Makes the docstrings of all objects plain."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Change the docstring of an object after it was read."""
        if obj.docstring is not None:
            obj.docstring.value = plain(obj.docstring.value)
