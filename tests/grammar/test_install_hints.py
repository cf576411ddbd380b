"""Hints that install an extra work as they stand."""

from __future__ import annotations

import json
import shlex
from importlib import metadata
from typing import Any

import pytest
from packaging.requirements import Requirement

from grammar.errors import to_install


class _Distribution:
    def __init__(self, told: str | None) -> None:
        self._told = told

    def read_text(self, name: str) -> str | None:
        return self._told if name == "direct_url.json" else None


@pytest.mark.parametrize(
    ("told", "url"),
    [
        (None, None),
        ("not json", None),
        ({"url": "file:///home/a%20b/tree", "dir_info": {}}, "file:///home/a%20b/tree"),
        ({"url": "file:///t/treewright-1-py3.whl"}, "file:///t/treewright-1-py3.whl"),
        (
            {"url": "https://host/t.git", "vcs_info": {"vcs": "git", "commit_id": "0a1b"}},
            "git+https://host/t.git@0a1b",
        ),
    ],
)
def test_an_extra_is_installed_from_where_the_package_is_from(
    told: Any, url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = told if isinstance(told, str | None) else json.dumps(told)
    monkeypatch.setattr(metadata, "distribution", lambda _: _Distribution(text))
    to_install.cache_clear()
    pip, install, what = shlex.split(to_install("lm"))
    to_install.cache_clear()
    asked = Requirement(what)
    assert (pip, install, asked.name, asked.extras) == ("pip", "install", "treewright", {"lm"})
    assert asked.url == url
