"""The page of dependencies: what it finds, counts, and gives to keep."""

from __future__ import annotations

import io

import pyarrow.parquet as pq
import pytest

PATH = "/dependencies/words-conllu"
REQUEST = "pattern { V [upos=VERB]; e: V -[obj]-> N }"


def test_hits_are_marked(client) -> None:
    page = client.get(PATH, params={"pattern": REQUEST}).text
    assert "12 hits in 12 of 12 sentences" in page
    assert "<mark>saw</mark>" in page
    assert page.count("<svg") >= 8
    assert "<script" not in page


@pytest.mark.parametrize("name", ["N.lemma", "lemma", "e.label", "N.Number"])
def test_hits_are_counted(client, name: str) -> None:
    page = client.get(PATH, params={"pattern": REQUEST, "count": name, "by": "genre"})
    assert page.status_code == 200
    assert "Frequencies" in page.text
    assert "&lt;img/src=x&gt;" in page.text


def test_what_is_wrong_stands_on_the_page(client) -> None:
    for given, said in (
        ({"pattern": "S &lt; NP"}, "this is not a request"),
        ({"pattern": REQUEST, "count": "M.form"}, "there is no variable"),
        ({"pattern": REQUEST, "by": "domain"}, "there is no &#39;domain&#39;"),
    ):
        answer = client.get(PATH, params=given)
        assert answer.status_code == 400
        assert said in answer.text


def test_files(client) -> None:
    asked = {"pattern": REQUEST, "count": "N.lemma"}
    hits = client.get(f"{PATH}/hits.parquet", params=asked).content
    assert pq.read_table(io.BytesIO(hits)).column("V.form").to_pylist() == ["saw"] * 12
    counts = client.get(f"{PATH}/counts.tsv", params=asked).text
    assert counts.splitlines()[1].split("\t")[:3] == ["cat", "12", "12"]
    drawn = client.get(f"{PATH}/hits.svg", params={**asked, "page": "2"}).text
    assert drawn.count("obj") == 4
    assert client.get(f"{PATH}/hits.exe", params=asked).status_code == 404
    assert client.get(f"{PATH}/counts.tsv", params={"pattern": REQUEST}).status_code == 400


def test_an_upload_leads_to_the_page(client) -> None:
    content = b"1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
    files = {"file": ("go.conllu", content)}
    origin = {"origin": str(client.base_url)}
    answer = client.post("/open", files=files, headers=origin, follow_redirects=False)
    assert answer.headers["location"] == "/dependencies/go-conllu"
    assert "root" in client.get("/dependencies/go-conllu").text
    assert client.get("/corpus/rows-of-go-conllu").status_code == 200
