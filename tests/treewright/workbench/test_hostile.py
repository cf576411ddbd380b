"""What those who mean harm get: our errors, and nothing else."""

from __future__ import annotations

import pytest

from tests.treewright.workbench import hostile

FILES = dict(hostile.files())
ADDRESSES = list(hostile.addresses(240))


def test_there_are_enough() -> None:
    assert len(FILES) >= 30
    assert len(ADDRESSES) >= 200


def harmless(answer) -> None:
    """See that an answer is ours, and has no markup of others."""
    assert answer.status_code in (200, 400, 404, 413), answer.text[:500]
    page = answer.text
    assert "Traceback" not in page
    if "html" in answer.headers["content-type"]:
        assert "<script" not in page
        assert "<img" not in page
        assert "<svg/" not in page
        assert "49" not in page or "{{" not in page
        assert page.count("<main") == 1
    if answer.status_code != 200:
        assert 'role="alert"' in page


def test_hostile_addresses(client) -> None:
    statuses = []
    for path, parameters in ADDRESSES:
        answer = client.get(path, params=parameters)
        harmless(answer)
        statuses.append(answer.status_code)
    assert statuses.count(400) > 100
    assert client.get("/treebank/embedded", params={"pattern": "PP"}).status_code == 200


@pytest.mark.parametrize("name", FILES)
def test_hostile_files(client, name: str) -> None:
    before = client.get("/").text
    answer = client.post("/open", files={"file": (name, FILES[name])})
    harmless(answer)
    assert answer.status_code == 400
    assert "treewright-workbench-" not in answer.text
    assert client.get("/").text == before


@pytest.mark.parametrize(
    "path",
    [
        "/treebank/../../etc/passwd", "/treebank/%2e%2e%2f%2e%2e", "/treebank/embedded/..%2f..%2fx",
        "/treebank/embedded/hits.exe", "/treebank/embedded/hits.svg/x", "/style.css/../base.html",
        "/templates/base.html", "/base.html", "/grammar/embedded",
        "/treebank/fish-txt", "/corpus/embedded",
        "/treebank/<script>alert(1)</script>", "/%00", "/open/x",
    ],
)  # fmt: skip
def test_nothing_else_is_there(client, path: str) -> None:
    answer = client.get(path)
    harmless(answer)
    assert answer.status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_pages_are_only_looked_at(client, method: str) -> None:
    assert client.request(method, "/treebank/embedded").status_code == 405


def test_a_search_without_end_is_ended_and_others_go_on(client) -> None:
    address = "/treebank/embedded"
    for pattern in ("__=a .. __=b .. __=c .. __=d", "__=a << __=b : =a << __=c : =b .. __=d"):
        answer = client.get(address, params={"pattern": pattern})
        assert answer.status_code == 400
        assert "steps" in answer.text
    assert client.get(address, params={"pattern": "PP < NP"}).status_code == 200


def test_uploads_are_bounded(client) -> None:
    from treewright.workbench.uploads import MOST_BYTES

    large = client.post("/open", files={"file": ("a.mrg", bytes(MOST_BYTES + 20_000))})
    assert large.status_code == 400
    assert "32 MB" in large.text
    unsized = client.post("/open", content=iter([b"a"]))
    assert unsized.status_code == 400
    for data in ({}, {"file": "text"}):
        assert client.post("/open", data=data).status_code == 400
    many = {f"f{i}": ("a.mrg", b"(S a)") for i in range(4)}
    assert client.post("/open", files=many).status_code == 400


def test_a_name_of_a_file_leads_nowhere(client) -> None:
    for number, name in enumerate(
        ("../../../tmp/x.mrg", "C:\\x.mrg", "-", "nltk:treebank", "*.mrg")
    ):
        answer = client.post("/open", files={"file": (name, b"(S (NP we) (VP ran))" * 2)})
        assert answer.status_code in (200, 400)
        assert "100,676" not in answer.text, number


def test_an_error_of_ours_is_told_and_the_rest_goes_on(client, monkeypatch) -> None:
    from starlette.testclient import TestClient

    from tests.treewright.workbench.browser import BASE
    from treewright.workbench.opened import Opened

    def fault(*_: object) -> None:
        raise KeyError("<b>unheard of</b>")

    monkeypatch.setattr(Opened, "of_kind", fault)
    calm = TestClient(client.app, base_url=BASE, raise_server_exceptions=False)
    calm.cookies = client.cookies
    answer = calm.get("/")
    assert answer.status_code == 500
    assert "this is a fault of treewright" in answer.text
    assert "<b>" not in answer.text
    monkeypatch.undo()
    assert calm.get("/").status_code == 200
