"""Texts in other encodings: a mark is read, an option is heard, all else is refused with it."""

from __future__ import annotations

import codecs
import re

import pytest

from grammar.errors import OptionError, UnreadableInputError
from grammar.files import decode, other_encoding
from induction import read_corpus, read_treebank
from tests.treewright import test_command_line

run = test_command_line.run

CSV = "text,label\ncafé is good,pos\nnaïve and bad,neg\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_mark_says_the_encoding(tmp_path, encoding):
    (tmp_path / "a.csv").write_bytes(CSV.encode(encoding))
    (tmp_path / "a.mrg").write_bytes("(S (NP Käse))\n".encode(encoding))
    assert read_corpus(tmp_path / "a.csv").column("text") == ["café is good", "naïve and bad"]
    assert read_corpus(tmp_path / "a.csv", on_error="skip").column("label") == ["pos", "neg"]
    assert read_treebank(tmp_path / "a.mrg").sentences() == [("Käse",)]


def test_the_mark_of_the_other_order_of_bytes(tmp_path):
    (tmp_path / "a.csv").write_bytes(codecs.BOM_UTF16_BE + CSV.encode("utf-16-be"))
    assert read_corpus(tmp_path / "a.csv").column("label") == ["pos", "neg"]


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.txt", "a.conll", "a.mrg"])
def test_the_hint_of_another_encoding_works(tmp_path, encoding, name):
    texts = {
        "a.csv": CSV,
        "a.tsv": CSV.replace(",", "\t"),
        "a.jsonl": '{"text": "café is good"}\n{"text": "naïve and bad"}\n',
        "a.txt": "café is good\nnaïve and bad\n",
        "a.conll": "café\tB-X\nis\tO\n\nnaïve\tB-X\n",
        "a.mrg": "(S (X café) (Y is))\n(S (X naïve))\n",
    }
    (tmp_path / name).write_bytes(texts[name].encode(encoding))
    with pytest.raises(UnreadableInputError) as error:
        read_corpus(tmp_path / name)
    found = re.search(r"encoding='(\S+)'", error.value.hint)[1]
    assert read_corpus(tmp_path / name, encoding=found).column("text")[0].startswith("café")


def test_utf_16_of_ascii_without_a_mark_is_no_utf_8(tmp_path):
    (tmp_path / "a.txt").write_bytes("We slept.\n".encode("utf-16-le"))
    with pytest.raises(UnreadableInputError, match="UTF-16 without a mark") as error:
        read_corpus(tmp_path / "a.txt")
    assert "--encoding utf-16-le" in error.value.hint
    assert read_corpus(tmp_path / "a.txt", encoding="utf-16-le").column("text") == ["We slept."]


def test_what_is_utf_8_stays_so():
    with other_encoding("latin-1"):
        assert decode("café".encode(), "a") == "café"
    with other_encoding("iso2022_jp"):  # all its bytes are small
        assert decode("あ".encode("iso2022_jp"), "a") == "あ"


@pytest.mark.parametrize("encoding", ["klingon", "base64"])
def test_an_unknown_encoding_is_refused(tmp_path, encoding):
    (tmp_path / "a.txt").write_bytes(b"caf\xe9\n")
    with pytest.raises(OptionError, match="no text encoding"):
        read_corpus(tmp_path / "a.txt", encoding=encoding)


def test_the_hint_works_as_typed_and_is_replayed(run, tmp_path):
    (tmp_path / "a.csv").write_bytes(CSV.encode("cp1252"))
    asked = ("augment", "a.csv", "-o", "b.csv", "-m", "aeda", "-n", "2")
    refused = run(*asked)
    assert refused.code == 1
    option = re.search(r"--encoding \S+(?=,)", refused.err)[0].split()
    assert run(*asked, *option).code == 0
    assert "café" in (tmp_path / "b.csv").read_text(encoding="utf-8")
    assert run("replay", "b.csv").code == 0
    assert run("quality", "a.csv", "b.csv", "--quiet").code == 0
    assert run("explain", "b.csv", "aeda-0-0").code == 0


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("хороший фильм был", "koi8-r"),
        ("хороший фильм был", "cp1251"),
        ("хороший фильм был", "iso-8859-5"),
        ("хороший фильм был", "cp866"),
        ("μια καλή ταινία", "cp1253"),
        ("příliš žluťoučký kůň", "cp1250"),
        ("było nie było zażółć", "cp1250"),
        ("größer als ein Käse", "cp1252"),
        ("un café où l'été déjà", "cp1252"),
        ("smørrebrød på øen", "cp1252"),
    ],
)
def test_the_hint_names_an_encoding_in_which_the_text_is_itself(tmp_path, text, encoding):
    (tmp_path / "a.csv").write_bytes(f"text,label\n{text},a\n".encode(encoding))
    with pytest.raises(UnreadableInputError) as caught:
        read_corpus(tmp_path / "a.csv")
    assert f"--encoding {encoding}," in caught.value.hint
    assert read_corpus(tmp_path / "a.csv", encoding=encoding)[0]["text"] == text
