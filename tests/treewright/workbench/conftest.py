"""A workbench with the embedded treebank, a grammar and a corpus."""

from __future__ import annotations

from typing import Any

import pytest

from grammar import SynchronousGrammar
from tests.treewright.workbench.browser import BASE, TOKEN, Browser

GRAMMAR = """
S -> NP VP [1]
NP -> 'fish' [3/4] | NP 'near' NP [1/4]
VP -> 'swim' [1]
"""

PAIRS = "NT_1 twice ### NT_1 NT_1 [0.5]\n<b>walk</b> ### <img/src=x> [0.5]\n"
SENTENCE = (
    "1\tWe\twe\tPRON\t_\tNumber=Plur\t2\tnsubj\t_\t_\n"
    "2\tsaw\tsee\tVERB\t_\t_\t0\troot\t_\t_\n"
    "3\t<script>alert(1)</script>\tcat\tNOUN\t_\t_\t2\tobj\t_\t_\n\n"
)
CONLLU = f"# genre = news\n{SENTENCE}# genre = <img/src=x>\n{SENTENCE}" + SENTENCE * 10

SOURCE = '{"id": "r1", "text": "a red car", "label": 1}\n'
PROVENANCE = (
    '{"method": "eda", "version": "1", "seed": 0, "index": 0, "parents": ["r1"], '
    '"spans": [{"start": 1, "end": 2}], "rules": [], "log_probability": -1.0}'
)
MADE = (
    '{"id": "eda-0-0", "text": "a blue car", "label": 1, "tree": "(NP (D a) (J blue) (N car))", '
    f'"provenance": {PROVENANCE}}}\n'
)


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
    from treewright.workbench.jobs import Jobs
    from treewright.workbench.opened import Opened

    folder = tmp_path_factory.mktemp("files")
    (folder / "fish.txt").write_text(GRAMMAR)
    (folder / "texts.csv").write_text("text,label\n<b>so</b> good,1\nbad,0\n" + "x,1\n" * 30)
    (folder / "odd.mrg").write_text(
        '(S (<script>alert`1`</script> "&amp;") (NP-SBJ (D$ <img/src=x>)))\n'
    )
    (folder / "words.conllu").write_text(CONLLU)
    (folder / "source.jsonl").write_text(SOURCE)
    (folder / "made.jsonl").write_text(MADE)
    SynchronousGrammar.parse(PAIRS).save(folder / "pairs.json")
    opened = Opened()
    opened.add("embedded")
    names = (
        "pairs.json",
        "fish.txt",
        "texts.csv",
        "odd.mrg",
        "words.conllu",
        "source.jsonl",
        "made.jsonl",
    )
    for name in names:
        opened.add(str(folder / name))
    made = TestClient(application(opened, TOKEN, jobs=Jobs(patience=None)), base_url=BASE)
    made.get("/", params={"token": TOKEN})
    return made


@pytest.fixture
def browser(client: Any) -> Browser:
    """One who has not looked at any page yet."""
    return Browser(client)
