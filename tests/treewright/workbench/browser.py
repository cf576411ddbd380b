"""A browser without a window: pages, their links and their forms."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

TOKEN = "a-token-of-tests"
BASE = "http://127.0.0.1:8765"


@dataclass
class Seen(HTMLParser):
    """What a page has: texts, links, forms with their fields, and tags."""

    text: str = ""
    links: dict[str, str] = field(default_factory=dict)
    forms: list[dict[str, Any]] = field(default_factory=list)
    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._link: str | None = None
        self._select = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.tags.append((tag, given))
        if tag == "a":
            self._link = given.get("href", "")
        elif tag == "form":
            self.forms.append({"action": given["action"], "fields": {}})
        elif tag == "select":
            self._select = given["name"]
        elif tag == "option" and self.forms:
            fields = self.forms[-1]["fields"]
            if "selected" in given or self._select not in fields:
                fields[self._select] = given["value"]
        elif tag == "input" and self.forms:
            kind = given.get("type")
            if kind != "file" and (kind != "checkbox" or "checked" in given):
                self.forms[-1]["fields"][given["name"]] = given.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "a":
            self._link = None

    def handle_data(self, data: str) -> None:
        self.text += f"{data} "
        if self._link is not None and data.strip():
            self.links.setdefault(data.strip(), self._link)


class Browser:
    """One who looks at pages, follows links, and fills forms in."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.status = 0
        self.page = Seen()

    def go(self, address: str, **parameters: Any) -> Browser:
        """Look at an address."""
        return self._look_at(self._client.get(address, params=parameters or None))

    def press(self, form: int = 0) -> Browser:
        """Send a form that has only a button, which changes something."""
        return self._look_at(self._client.post(self.page.forms[form]["action"]))

    def upload(self, name: str, content: bytes) -> str:
        """Send a file, and return the address to which that leads."""
        self._look_at(self._client.post("/open", files={"file": (name, content)}))
        return self.address

    def _look_at(self, answer: Any) -> Browser:
        self.status = answer.status_code
        self.content = answer.content
        self.address = str(answer.url)
        self.page = Seen()
        self.page.feed(answer.text)
        return self

    def follow(self, text: str) -> Browser:
        """Follow the first link of a text."""
        return self.go(self.page.links[text])

    def send(self, form: int = 0, **fields: Any) -> Browser:
        """Send a form with some of its fields filled in."""
        found = self.page.forms[form]
        return self.go(found["action"], **{**found["fields"], **fields})

    @property
    def hits(self) -> int:
        """How many hits the page says that there are."""
        found = re.search(r"([\d,]+) hits? in", self.text)
        return int(found[1].replace(",", "")) if found else 0

    @property
    def text(self) -> str:
        """The text of the page, with single spaces."""
        return re.sub(r"\s+", " ", self.page.text)
