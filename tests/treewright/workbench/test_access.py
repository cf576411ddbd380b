"""Who may ask, and what a browser may do with an answer."""

from __future__ import annotations

import pytest

from tests.treewright.workbench.browser import BASE, TOKEN

pytestmark = pytest.mark.usefixtures("web")


@pytest.fixture
def stranger(client):
    """Who asks the same application without the cookie."""
    from starlette.testclient import TestClient

    return TestClient(client.app, base_url=BASE, follow_redirects=False)


ADDRESSES = [
    ("GET", "/"), ("GET", "/style.css"), ("GET", "/treebank/embedded?pattern=NP"),
    ("POST", "/open"),
    ("GET", "/nothing"), ("DELETE", "/"), ("GET", "/?token=wrong"), ("GET", "/?token="),
    ("GET", "/?token=%C3%A4"), ("HEAD", "/parse"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "address"), ADDRESSES)
def test_nothing_is_answered_without_the_token(stranger, method: str, address: str) -> None:
    answer = stranger.request(method, address)
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_the_token_becomes_a_cookie_and_leaves_the_address(stranger) -> None:
    answer = stranger.get("/treebank/embedded", params={"pattern": "NP", "token": TOKEN})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/treebank/embedded?pattern=NP"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert stranger.get("/treebank/embedded").status_code == 200
    # no address leads to another host, however it is written
    leading = stranger.get(f"{BASE}//evil.example/?token={TOKEN}").headers["location"]
    assert leading == "/evil.example/"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "192.0.2.1", "", "[", "@"],
)
def test_other_names_of_hosts_are_refused(client, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", ""])
def test_forms_of_other_pages_are_refused(client, origin: str) -> None:
    files = {"file": ("a.mrg", b"(S a)")}
    answer = client.post("/open", files=files, headers={"origin": origin})
    assert answer.status_code == 403


def test_all_answers_have_the_policy(client, stranger) -> None:
    from treewright.workbench.access import HEADERS

    asked = [
        client.get("/"), client.get("/style.css"), client.get("/treebank/none"),
        client.get("/none"),
        client.post("/"), client.post("/open"), client.get("/sample?n=x"), stranger.get("/"),
        client.get("/treebank/embedded/hits.svg?pattern=NP"), stranger.get(f"/?token={TOKEN}"),
        client.get("/treebank/embedded", params={"pattern": "NP <"}),
    ]  # fmt: skip
    for answer in asked:
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    policy = HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script" not in policy
    assert "unsafe" not in policy
