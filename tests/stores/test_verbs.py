"""Verbs that read from a store and write to it: the bytes as here, and nothing over others."""

from __future__ import annotations

import json
from pathlib import Path

import fsspec
import pytest

from grammar.files import read_bytes
from grammar.storage.opening import place_of
from induction.corpus import formats
from induction.corpus.formats import read_corpus, write_corpus
from induction.corpus.readers import read_reviews
from tests.treewright import test_command_line

run = test_command_line.run

VERBS = {
    "induce embedded --horizontal-markov 1 -o {}/g.json": "g.json",
    "augment {}/train.jsonl -m aeda -n 50 -o {}/new.jsonl": "new.jsonl",
    "augment {}/train.jsonl -m 0.5*eda+0.5*aeda -n 50 -o {}/new.parquet": "new.parquet",
    "sample {}/tiny.txt -n 30 -o {}/s.jsonl": "s.jsonl",
    "sample {}/tiny.txt -n 30 -o {}/s.jsonl --engine processes --workers 2": "s.jsonl",
    "parse-corpus {}/tiny.txt {}/good.txt -o {}/p.jsonl": "p.jsonl",
    "intersect {}/tiny.txt --length 1:3 -o {}/i.json": "i.json",
    "parse {}/tiny.txt {}/good.txt -o {}/p.txt": "p.txt",
}


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(folder))
    return folder


@pytest.fixture
def filled(store: str) -> str:
    fill(store)
    return store


def fill(place: str) -> None:
    write_corpus(read_reviews()[:60], f"{place}/train.jsonl")
    for name, text in (
        ("tiny.txt", "S -> 'very' S [0.5] | 'good' [0.5]\n"),
        ("good.txt", "good\nvery good\n"),
    ):
        fs, key = fsspec.core.url_to_fs(f"{place}/{name}")
        fs.pipe_file(key, text.encode())


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_written_to_a_store_is_what_is_written_here(run, s3, tmp_path, verb):
    fill(s3)
    fill(str(tmp_path))
    words = verb.replace("{}", s3).split()
    assert run(*words).code == 0
    assert run(*verb.replace("{}", str(tmp_path)).split()).code == 0
    made = read_bytes(f"{s3}/{VERBS[verb]}")
    assert made == (tmp_path / VERBS[verb]).read_bytes()
    again = run(*words)
    assert (again.code, "exists" in again.err) == (1, True)
    assert run(*words, "--force").code == 0
    assert read_bytes(f"{s3}/{VERBS[verb]}") == made


def test_an_augmentation_in_a_store_is_explained_and_replayed(run, filled, cache):
    name = f"{filled}/new.jsonl"
    assert run("augment", f"{filled}/train.jsonl", "-m", "aeda", "-n", 40, "-o", name).code == 0
    assert list((cache / "unfinished").iterdir()) == []
    manifest = json.loads(read_bytes(f"{name}.manifest.json"))
    assert manifest["input"]["path"] == f"{filled}/train.jsonl"
    assert "does not allow it" in run("replay", name).err
    assert run("replay", name, "--allow-network").code == 0
    first = read_corpus(name).column("id")[0]
    assert "aeda" in run("explain", name, first, "--allow-network").out
    said = run("quality", f"{filled}/train.jsonl", name, "--html", f"{filled}/page.html")
    assert said.code == 0
    assert b"<html" in read_bytes(f"{filled}/page.html")


def test_a_folder_of_tokens_in_a_store(run, filled, tmp_path):
    words = ["sample", f"{filled}/tiny.txt", "--tokens", 4000, "--shards", 3, "-o"]
    assert run(*words, f"{filled}/lm").code == 0
    assert run(*words, tmp_path / "lm").code == 0
    files = place_of(f"{filled}/lm").files()
    assert files.keys() == place_of(tmp_path / "lm").files().keys()
    for name, file in files.items():
        assert read_bytes(file.name) == (tmp_path / "lm" / name).read_bytes(), name
    again = run(*words, f"{filled}/lm")
    assert "the folder is not empty" in again.err
    assert run(*words, f"{filled}/lm", "--force").code == 0


@pytest.mark.parametrize("kind", [".jsonl", ".parquet"])
def test_many_files_from_and_to_a_store(run, filled, monkeypatch, kind):
    monkeypatch.setattr(formats, "SHARD", 25)
    source, name = f"{filled}/part-*{kind}", f"{filled}/new-*{kind}"
    write_corpus(read_reviews()[:60], source)
    words = ["augment", source, "-m", "aeda", "-n", 80, "-o", name]
    assert run(*words).code == 0
    files = place_of(name).files()
    assert list(files) == [f"new-0000{number}{kind}" for number in range(4)]
    made = read_corpus(name)
    assert (len(made), made.column("id")[79]) == (80, "aeda-0-79")
    assert run("replay", name, "--allow-network").code == 0
    assert "exists" in run(*words).err
    assert run(*words[:5], 30, "-o", name, "--force").code == 0
    assert len(place_of(name).files()) == 2
    assert place_of(f"{filled}/new-all{kind}.manifest.json").exists()


def test_work_that_could_not_be_sent_goes_on(run, memory, monkeypatch, cache):
    fill(memory)
    words = ["augment", f"{memory}/train.jsonl", "-m", "aeda", "-n", 40, "-o", f"{memory}/a.jsonl"]
    opened = fsspec.filesystem("memory")

    def fails(*_: object, **__: object) -> None:
        raise OSError("the line is dead")

    with monkeypatch.context() as broken:
        broken.setattr(opened, "put_file", fails)
        said = run(*words)
    assert (said.code, "the line is dead" in said.err) == (1, True)
    assert not place_of(f"{memory}/a.jsonl").exists()
    assert "unfinished work" in run(*words).err
    assert run(*words, "--resume").code == 0
    assert len(read_corpus(f"{memory}/a.jsonl")) == 40
    assert list((cache / "unfinished").iterdir()) == []


def test_faults_of_a_store_are_told_before_any_work(run, s3):
    fill(s3)
    said = run("augment", f"{s3}/train.jsonl", "-m", "aeda", "-o", "s3://no-such-bucket/a.jsonl")
    assert "there is no bucket for it" in said.err
    said = run("augment", f"{s3}/none.jsonl", "-m", "aeda", "-o", f"{s3}/a.jsonl")
    assert "no such object" in said.err
    said = run("sample", f"{s3}/tiny.txt", "-n", 5, "-o", f"{s3}/tiny.txt")
    assert "--output is also grammar" in said.err
    said = run("augment", f"{s3}/train.jsonl", "-m", "aeda", "-o", "nowhere://a.jsonl")
    assert "no storage scheme" in said.err


def test_folders_that_are_added_to_are_refused(run, memory):
    fill(memory)
    said = run("scan", "split", "simple", "-o", f"{memory}/split")
    assert "which no object store can do" in said.err
    said = run(
        "parse-corpus", f"{memory}/tiny.txt", f"{memory}/good.txt", "-o", f"{memory}/p.jsonl",
        "--cache", f"{memory}/parses.db",
    )  # fmt: skip
    assert "which no object store can do" in said.err


def test_each_file_of_a_store_by_itself(run, anywhere):
    texts = read_reviews()
    for number in range(3):
        write_corpus(texts[20 * number : 20 * number + 20], f"{anywhere}/part-{number}.jsonl")
    source, name = f"{anywhere}/part-*.jsonl", f"{anywhere}/new-*.jsonl"
    words = ["augment", source, "-m", "aeda", "--times", 2, "--each", "-o"]
    done = run(*words, name, "--json")
    assert done.code == 0
    assert [one["examples"] for one in done.facts["files"]] == [40, 40, 40]
    assert list(place_of(name).files()) == [f"new-{number}.jsonl" for number in range(3)]
    assert len(set(read_corpus(name).column("id"))) == 120
    one = [f"{anywhere}/part-1.jsonl", f"{anywhere}/new-1.jsonl"]
    made = read_bytes(one[1])
    place_of(one[1]).remove()
    place_of(f"{one[1]}.manifest.json").remove()
    assert "exists" in run(*words, name).err
    again = run(*words, name, "--resume")
    assert (again.code, again.out.count("was there already")) == (0, 2)
    assert read_bytes(one[1]) == made
    assert run("replay", one[1], "--allow-network").code == 0


def test_each_file_needs_two_names_with_a_star(run, memory):
    fill(memory)
    words = ["augment", f"{memory}/train.jsonl", "-m", "aeda", "--each", "-o"]
    assert "IN is a name with one star" in run(*words, f"{memory}/new-*.jsonl").err
    words[1] = f"{memory}/tr*.jsonl"
    assert "OUT is a name with one star" in run(*words, f"{memory}/new.jsonl").err
    assert "IN is a name for the output, too" in run(*words, f"{memory}/tr-new-*.jsonl").err
    words[1] = f"{memory}/none-*.jsonl"
    assert "there are no such files" in run(*words, f"{memory}/new-*.jsonl").err
