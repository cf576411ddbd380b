"""Ten tasks of a linguist, by links and forms alone."""

from __future__ import annotations

import csv
import io

import pytest


def test_1_where_does_a_construction_occur(browser) -> None:
    browser.go("/").follow("embedded").send(pattern="S < (NP=subject $.. VP)")
    assert "hits in" in browser.text
    assert b'class="named"' in browser.content


def test_2_how_often_and_with_which_words(browser) -> None:
    browser.go("/").follow("embedded").send(pattern="PP < (IN < of) < NP=object")
    browser.send(count="object.words")
    assert "the year 3 3" in browser.text


def test_3_in_which_genre(browser) -> None:
    browser.go("/treebank/embedded").send(pattern="SBAR", by="domain", count="")
    assert "domain hits" in browser.text
    assert "hotel" in browser.text


def test_4_what_the_pattern_misses_by_its_functions(browser) -> None:
    browser.go("/").follow("odd.mrg").send(pattern="NP")
    assert "No hits" in browser.text
    assert "1 hit in" in browser.send(plain="1").text


def test_5_narrower_by_a_click(browser) -> None:
    browser.go("/treebank/embedded").send(pattern="NP")
    before = browser.hits
    assert 0 < browser.follow("VP").hits < before
    assert "VP" in browser.page.forms[0]["fields"]["pattern"].removeprefix("NP")


def test_6_hits_in_a_table_of_my_own(browser, client) -> None:
    browser.go("/treebank/embedded").send(pattern="VP < NP=object")
    answer = client.get(browser.page.links["TSV"])
    rows = list(csv.DictReader(io.StringIO(answer.text), delimiter="\t"))
    assert rows[0].keys() >= {"tree", "node", "words", "object.words"}
    assert f"{len(rows)} hits" in browser.text


def test_7_what_a_rule_looks_like_in_sentences(browser) -> None:
    browser.go("/").follow("rules of embedded").send(symbol="SBAR", top="5")
    assert "SBAR ->" in browser.text
    examples = next(text for text in browser.page.links if text.endswith("examples"))
    assert "hits in" in browser.follow(examples).text


def test_8_which_readings_a_sentence_has(browser) -> None:
    browser.go("/").follow("Parse").send(sentence="We saw the man with the telescope.", trees="2")
    assert "2 trees" in browser.text
    assert browser.text.count("log probability") == 2
    assert "Probability of each span" in browser.text


def test_9_more_sentences_like_these(browser) -> None:
    browser.go("/").follow("Sample").send(
        grammar="rules-of-embedded", n="4", shortest="5", longest="7", seed="3"
    )
    assert "4 sentences" in browser.text
    browser.go("/treebank/embedded").send(pattern="PP < (IN < of) < NP=object")
    browser.follow("draw more like these").send(n="3", words="we film", shortest="5")
    assert "3 sentences" in browser.text
    assert browser.text.count(" film ") >= 3
    assert "62 trees of the treebank" in browser.text
    assert "hits in" in browser.follow("sentences").text


def test_10_how_two_corpora_differ(browser, client) -> None:
    trees = "(S (NP (PRP we)) (VP (VBD ran)))\n" * 40
    answer = client.post("/open", files={"file": ("we ran.mrg", trees.encode())})
    assert str(answer.url).endswith("/treebank/we-ran-mrg")
    assert "40 trees" in answer.text
    browser.go("/").follow("Compare").send(a="we-ran-mrg", b="embedded")
    assert "differ at the level 0.05" in browser.text
    assert "PRP -> we" in browser.text or "NP -> PRP" in browser.text


@pytest.mark.parametrize("name", ["saved.json", "saved.txt"])
def test_a_saved_grammar_is_opened(client, tmp_path, name: str) -> None:
    from grammar import Grammar
    from tests.treewright.workbench.conftest import GRAMMAR

    Grammar.parse(GRAMMAR).save(tmp_path / name)
    answer = client.post("/open", files={"file": (name, (tmp_path / name).read_bytes())})
    assert "/grammar/saved-" in str(answer.url)
    assert "NP -&gt; NP" in client.get(str(answer.url), params={"symbol": "NP"}).text
