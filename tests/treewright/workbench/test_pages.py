"""Every page: what it shows, and that its address is all that it depends on."""

from __future__ import annotations

import io
import re

import pyarrow.parquet as pq
import pytest

from grammar.trees.treebank import Treebank
from induction import read_treebank

PAGES = [
    "/",
    "/treebank/embedded",
    "/treebank/embedded?plain=1",
    "/treebank/embedded?pattern=PP+%3C+NP%3Do&page=2",
    "/treebank/embedded?pattern=PP+%3C+NP%3Do&count=o.words&by=domain&plain=1",
    "/treebank/embedded?pattern=PP+%3C+NP%3Do&count=label&rows=3",
    "/treebank/embedded?pattern=QP+%3C+ZZ",
    "/treebank/odd-mrg?pattern=__",
    "/dependencies/words-conllu",
    "/dependencies/words-conllu?pattern=pattern+%7B+e%3AV+-%5Bobj%5D-%3E+N+%7D&count=e.label&by=genre",
    "/dependencies/words-conllu?pattern=pattern+%7B+V+-%3E+N+%7D&page=2",
    "/dependencies/words-conllu?pattern=pattern+%7B+V+-%5Bx%5D-%3E+N+%7D",
    "/corpus/rows-of-words-conllu",
    "/grammar/rules-of-embedded",
    "/grammar/rules-of-embedded?symbol=VP&top=5",
    "/grammar/fish-txt",
    "/corpus/texts-csv",
    "/corpus/texts-csv?page=2",
    "/corpus/rows-of-made-jsonl",
    "/corpus/rows-of-made-jsonl/example?id=eda-0-0&source=source-jsonl",
    "/corpus/rows-of-made-jsonl/example?id=eda-0-0",
    "/synchronous/pairs-json",
    "/synchronous/pairs-json?source=%3Cb%3Ewalk%3C%2Fb%3E+twice+twice&targets=3",
    "/synchronous/pairs-json?source=jump",
    "/grammar/pairs-json",
    "/parse",
    "/parse?sentence=We+saw+the+film+with+friends.&trees=4",
    "/parse?sentence=fish+near+fish+near+fish+swim&grammar=fish-txt",
    "/parse?sentence=ducks+swim&grammar=fish-txt",
    "/sample",
    "/sample?grammar=fish-txt&n=5&seed=7&shortest=2&longest=6",
    "/sample?grammar=rules-of-embedded&n=3&construction=PP+%3C+NP&words=the",
    "/sample?grammar=fish-txt&n=3&words=near",
    "/quality",
    "/quality?original=source-jsonl&augmented=rows-of-made-jsonl",
    "/compare",
    "/compare?a=embedded&b=rules-of-embedded",
    "/compare?a=embedded&b=embedded&unit=domain",
]
FILES = [
    "hits.tsv?pattern=PP+%3C+NP%3Do",
    "hits.parquet?pattern=PP+%3C+NP%3Do",
    "hits.svg?pattern=PP+%3C+NP%3Do&page=2",
    "counts.tsv?pattern=PP&count=words",
    "counts.parquet?pattern=PP&count=words&by=domain",
]
VOID = {"meta", "link", "input", "br", "img", "path", "rect"}


@pytest.mark.parametrize("address", PAGES)
def test_a_page_is_there_and_the_same_again(browser, address: str) -> None:
    first = browser.go(address).content
    assert browser.status == 200
    assert browser.go(address).content == first


@pytest.mark.parametrize("address", PAGES)
def test_a_page_can_be_used_by_everyone(browser, address: str) -> None:
    page = browser.go(address).page
    tags = [tag for tag, _ in page.tags]
    assert [tags.count(tag) for tag in ("html", "main", "h1", "title")][:3] == [1, 1, 1]
    assert ("html", {"lang": "en"}) in page.tags
    assert not {"script", "style", "iframe", "object", "embed"} & set(tags)
    labelled = {given["for"] for tag, given in page.tags if tag == "label"}
    fields = [g["id"] for tag, g in page.tags if tag in ("input", "select")]
    assert set(fields) <= labelled
    ids = [given["id"] for _, given in page.tags if "id" in given]
    assert len(ids) == len(set(ids))
    for _, given in page.tags:
        assert not any(name.startswith("on") or name == "style" for name in given)
        for name in ("href", "src", "action"):
            assert given.get(name, "/").startswith(("/", "#")), given
            assert not given.get(name, "/").startswith("//")
        for named in given.get("aria-labelledby", "").split():
            assert named in ids


def test_every_link_of_the_pages_leads_somewhere(browser) -> None:
    found = set()
    for address in PAGES[:4] + PAGES[8:]:
        found |= set(list(browser.go(address).page.links.values())[:25])
    for address in sorted(found):
        if address.startswith("/"):
            assert browser.go(address).status == 200, address


def test_the_first_page_lists_what_is_open(browser) -> None:
    text = browser.go("/").text
    for name in ("embedded", "rules of embedded", "fish.txt", "texts.csv", "odd.mrg", "English"):
        assert name in text


def test_hits_are_marked_in_the_sentence_and_in_the_tree(browser) -> None:
    browser.go("/treebank/embedded", pattern="PP < (IN < of) < NP=object")
    assert "65 hits in 62 of 435 trees" in browser.text
    page = browser.content.decode()
    assert '<mark>of</mark> <mark class="named">this brilliant film</mark>' in page
    assert '<text x="' in page
    assert "#c2410c" in page
    assert "page 1 of 8" in browser.text
    seen = browser.text
    assert browser.follow("Next →").text != seen


def test_frequencies_are_those_of_the_verb(browser) -> None:
    pattern = "S < (NP=it <: PRP $.. VP)"
    browser.go("/treebank/embedded", pattern=pattern, count="it.words", by="domain")
    assert "domain it.words hits" in browser.text
    assert "book I 19 17 22.41" in browser.text
    assert "12 of 51 rows" in browser.text
    assert "rows" not in browser.follow("show 51").text.partition("Save")[0]


@pytest.mark.parametrize("name", FILES)
def test_files_are_saved(client, name: str) -> None:
    answer = client.get(f"/treebank/embedded/{name}")
    assert answer.status_code == 200
    assert "attachment" in answer.headers["content-disposition"]
    assert answer.content == client.get(f"/treebank/embedded/{name}").content
    kind = name.partition("?")[0].partition(".")[2]
    if kind == "parquet":
        assert pq.read_table(io.BytesIO(answer.content)).num_rows > 8
    elif kind == "tsv":
        assert len(answer.text.splitlines()) > 8
    else:
        assert answer.text.startswith("<svg ")


def test_labels_with_functions_are_told_of(browser) -> None:
    browser.go("/treebank/odd-mrg", pattern="NP")
    assert "No hits" in browser.text
    assert "No label and no word is NP . There is NP-SBJ" in browser.text
    assert "1 hit in 1 of 1 trees" in browser.follow("search without traces and functions").text


def test_only_what_a_grammar_can_draw_is_offered(browser) -> None:
    browser.go("/treebank/odd-mrg", pattern="NP-SBJ")
    assert "draw more like these" not in browser.text
    browser.go("/treebank/embedded", pattern="S < (NP $.. (VP < VBD))")
    assert "draw more like these" not in browser.text
    assert "draw more like these" in browser.go("/treebank/embedded", pattern="S < NP").text


def test_a_node_with_several_named_nodes_is_several_hits(browser) -> None:
    browser.go("/treebank/embedded", pattern="NP << NN=n")
    assert re.search(r"[\d,]+ hits at [\d,]+ nodes in", browser.text)
    assert "once for each choice of the nodes that have names" in browser.text


@pytest.mark.parametrize("name", ["hits.mrg", "trees.mrg"])
def test_trees_are_saved_in_brackets(client, name: str) -> None:
    answer = client.get(f"/treebank/embedded/{name}", params={"pattern": "SBAR < WHNP"})
    hits = read_treebank().search("SBAR < WHNP")
    wanted = hits.trees() if name == "trees.mrg" else hits.to_treebank()
    assert list(Treebank.parse(answer.text)) == list(wanted)


def test_rules_lead_to_their_examples(browser) -> None:
    browser.go("/grammar/rules-of-embedded", symbol="NP")
    count = next(text for text in browser.page.links if text.endswith("examples"))
    assert browser.follow(count).hits == int(count.split()[0])


def test_an_example_stands_beside_its_parents(browser) -> None:
    browser.go("/corpus/rows-of-made-jsonl")
    assert "eda: r1" in browser.text
    browser.follow("eda-0-0")
    assert "the parents' texts are not shown" in browser.text
    browser.send(source="source-jsonl")
    for part in ("What made it", "source: r1", "red", "blue"):
        assert part in browser.text
    assert browser.go("/corpus/source-jsonl/example", id="r2").status == 400


def test_words_of_texts_are_words(browser) -> None:
    assert b"&lt;b&gt;so&lt;/b&gt; good" in browser.go("/corpus/texts-csv").content
    page = browser.go("/treebank/odd-mrg", pattern="__").content
    assert b"<script" not in page
    assert b"<img" not in page
    assert b"&lt;script&gt;alert" in page


def test_trees_of_a_sentence_are_side_by_side(browser) -> None:
    browser.go("/parse", sentence="fish near fish near fish swim", grammar="fish-txt", trees="5")
    assert "2 trees, the most probable first" in browser.text
    assert browser.text.count("log probability") == 2
    assert "1 times as probable as the first" in browser.text
    assert "No tree" in browser.go("/parse", sentence="ducks swim", grammar="fish-txt").text


def test_samples_follow_from_the_seed(browser) -> None:
    first = browser.go("/sample", grammar="fish-txt", n="6", shortest="2", longest="8")
    assert "6 sentences" in first.text
    assert browser.text.count("log probability") == 6
    drawn = browser.text
    assert browser.follow("Draw others").text != drawn


def test_a_comparison_has_tables_and_plots(browser) -> None:
    page = browser.go("/compare", a="embedded", b="rules-of-embedded")
    for part in ("Coverage", "Divergence", "Rules", "Words", "log-odds"):
        assert part in page.text
    assert browser.content.count(b"<svg") == 2


def test_the_quality_of_new_examples(browser) -> None:
    browser.go("/corpus/rows-of-made-jsonl").follow("Measure these examples")
    assert browser.page.forms[0]["fields"]["augmented"] == "rows-of-made-jsonl"
    browser.send(original="source-jsonl")
    assert "1 originals, 1 augmented" in browser.text
    assert "Is it new?" in browser.text
    assert "there is no test corpus" in browser.text
    assert b"<del>red</del> <ins>blue</ins>" in browser.content
    assert "a blue car" in browser.follow("eda-0-0").text


def test_tables_too_large_for_a_page_are_refused(browser, monkeypatch) -> None:
    monkeypatch.setattr("treewright.workbench.pages.quality._MOST_ROWS", 20)
    browser.go("/quality", original="source-jsonl", augmented="texts-csv")
    assert browser.status == 400
    assert "treewright quality ORIGINAL AUGMENTED" in browser.text
