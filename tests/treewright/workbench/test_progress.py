"""Work that takes long: a page says how far it is, and it can be stopped."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from grammar.progress import checkpoint, stages, stages_heard_by
from tests.treewright.workbench.browser import BASE, TOKEN, Browser

pytestmark = pytest.mark.usefixtures("web")

ASKED = "/compare?a=embedded&b=embedded"
SLOW = 30
"""Seconds until a test that waits for a thread has failed."""


class Slow:
    """Work of three parts that stands still in the second until it is let go."""

    def __init__(self) -> None:
        self.is_there, self.let_go, self.ended = (threading.Event() for _ in range(3))
        self.times = 0

    def __call__(self, opened: Any, asked: Any) -> Any:
        from treewright.workbench.pages.comparison import comparison_page

        self.times += 1
        try:
            for part in stages(range(3), "counting <b>"):
                if part == 1:
                    self.is_there.set()
                    assert self.let_go.wait(SLOW)
                checkpoint()
        finally:
            self.ended.set()
        return comparison_page(opened, asked)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    """What the page of comparisons does; it ends with the test."""
    from treewright.workbench import application

    work = Slow()
    monkeypatch.setitem(application._PAGES, "/compare", work)
    yield work
    work.let_go.set()


@pytest.fixture
def browser(slow: Slow) -> Browser:
    """One who looks at a workbench that shows at once how far the work is."""
    from starlette.testclient import TestClient

    from treewright.workbench.application import application
    from treewright.workbench.jobs import Jobs
    from treewright.workbench.opened import Opened

    opened = Opened()
    opened.add("embedded")
    client = TestClient(application(opened, TOKEN, jobs=Jobs(patience=0)), base_url=BASE)
    client.get("/", params={"token": TOKEN})
    return Browser(client)


def answer(browser: Browser, address: str) -> Browser:
    """Look at a page until its answer is there, as a browser does by itself."""
    while browser.go(address).status == 202:
        assert any(given.get("http-equiv") == "refresh" for _, given in browser.page.tags)
    return browser


def test_a_page_says_how_far_the_work_is_until_the_answer_is_there(browser, slow) -> None:
    assert browser.go(ASKED).status == 202
    assert slow.is_there.wait(SLOW)
    browser.go(ASKED)
    assert "counting <b>: 1 of 3 done" in browser.text
    assert ("progress", {"aria-label": "counting <b>", "max": "3", "value": "1"}) in (
        browser.page.tags
    )
    assert "a: embedded" in browser.text
    slow.let_go.set()
    assert "Divergence" in answer(browser, ASKED).text
    content = browser.content
    # the answer took long, and is kept as long as nothing else is opened
    assert browser.go(ASKED).content == content
    assert slow.times == 1


def test_work_is_stopped_and_begun_again(browser, slow) -> None:
    browser.go(ASKED)
    assert slow.is_there.wait(SLOW)
    assert ASKED in browser.go("/").page.links
    browser.press()
    assert browser.address == f"{BASE}/stopped?page=%2Fcompare%3Fa%3Dembedded%26b%3Dembedded"
    assert browser.status == 200
    slow.let_go.set()
    assert slow.ended.wait(SLOW)
    assert slow.times == 1
    assert browser.page.links["Begin again"] == ASKED
    assert "Divergence" in answer(browser, ASKED).text
    assert slow.times == 2


def test_the_list_of_files_does_not_wait_and_other_pages_say_for_what(browser, slow) -> None:
    browser.go(ASKED)
    assert slow.is_there.wait(SLOW)
    assert browser.go("/").status == 200
    assert "counting <b>: 1 of 3" in browser.text
    other = "/treebank/embedded?pattern=PP"
    assert browser.go(other).status == 202
    assert "waiting until other work is done" in browser.text
    assert ASKED in browser.page.links
    slow.let_go.set()
    assert answer(browser, other).hits > 0


def test_a_file_is_opened_while_a_page_says_so(browser, slow) -> None:
    browser.go(ASKED)
    assert slow.is_there.wait(SLOW)
    place = browser.upload("fish.mrg", b"(S (NP fish) (VP swim))")
    assert place == f"{BASE}/opening/1"
    assert "Opening the file" in browser.text
    slow.let_go.set()
    assert "fish.mrg" in answer(browser, "/opening/1").text
    # what was compared before the file was opened is compared with the new list of files
    assert "fish.mrg" in answer(browser, ASKED).text
    assert slow.times == 2


def test_a_file_that_cannot_be_opened_is_told_of(browser, slow) -> None:
    browser.go(ASKED)
    assert slow.is_there.wait(SLOW)
    browser.upload("fish.mrg", b"(S (NP fish) (VP")
    slow.let_go.set()
    assert answer(browser, "/opening/1").status == 400
    assert "fish.mrg" in browser.text
    assert browser.go("/opening/1").status == 404


@pytest.mark.parametrize("place", ["//evil.example", "/\\evil.example", "evil", "", "/opening/1"])
def test_no_link_leads_to_another_host(browser, place: str) -> None:
    assert browser.go("/stopped", page=place).status == 200
    assert "Begin again" not in browser.page.links


def test_a_page_is_asked_for_again_more_seldom_the_longer_it_takes() -> None:
    from treewright.workbench.pages.progress import progress_page

    class Told:
        def __init__(self, seconds: float) -> None:
            self.seconds, self.stage = seconds, None

    waits = [progress_page("/a", Told(s), []).values["again_in"] for s in (0.5, 8, 20, 900)]
    assert waits == [1, 2, 5, 10]


def test_work_is_ended_by_who_listens() -> None:
    from grammar import Treebank

    treebank = Treebank.parse("(S (NP we) (VP ran))")
    heard = []
    with stages_heard_by(heard.append):
        treebank.search("S < NP")
    assert heard.count(None) >= 2

    def end(stage: Any) -> None:
        raise KeyError("enough")

    with stages_heard_by(end), pytest.raises(KeyError):
        treebank.search("S < NP")
    assert len(treebank.search("S < NP")) == 1
