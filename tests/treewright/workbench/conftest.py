"""A workbench with the embedded treebank, a grammar and a corpus."""

from __future__ import annotations

from typing import Any

import pytest

from tests.treewright.workbench.browser import BASE, TOKEN, Browser

GRAMMAR = """
S -> NP VP [1]
NP -> 'fish' [3/4] | NP 'near' NP [1/4]
VP -> 'swim' [1]
"""


@pytest.fixture(scope="session")
def web() -> None:
    """Skip where the extra is not installed."""
    for library in ("starlette", "uvicorn", "python_multipart", "httpx"):
        pytest.importorskip(library, reason="the extra web is not installed")


@pytest.fixture(scope="session")
def client(web: None, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What asks the application, with the token."""
    from starlette.testclient import TestClient

    from treewright.workbench.application import application
    from treewright.workbench.opened import Opened

    folder = tmp_path_factory.mktemp("files")
    (folder / "fish.txt").write_text(GRAMMAR)
    (folder / "texts.csv").write_text("text,label\n<b>so</b> good,1\nbad,0\n" + "x,1\n" * 30)
    (folder / "odd.mrg").write_text(
        '(S (<script>alert`1`</script> "&amp;") (NP-SBJ (D$ <img/src=x>)))\n'
    )
    opened = Opened()
    for source in ("embedded", folder / "fish.txt", folder / "texts.csv", folder / "odd.mrg"):
        opened.add(str(source))
    made = TestClient(application(opened, TOKEN), base_url=BASE)
    made.get("/", params={"token": TOKEN})
    return made


@pytest.fixture
def browser(client: Any) -> Browser:
    """One who has not looked at any page yet."""
    return Browser(client)
