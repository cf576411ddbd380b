"""What a file says is no permission: a listener on the loopback address counts what reaches it.

Nothing does but what an option of the run allows, and the hint of each refusal, followed to the
letter, is such an option.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grammar.errors import NotAllowedError
from grammar.messages import heard_by
from grammar.opening import open_grammar
from grammar.options import read_options
from grammar.storage.permissions import allowing
from induction.corpus.corpus import Corpus
from sampling.explanations.explain import explain
from sampling.method import induce
from sampling.neural.grammar import ModelGrammar
from sampling.neural.masked.ctxsub import CtxSub
from sampling.neural.prompted.method import Prompted
from sampling.opening import open_sampler
from sampling.pipeline import resuming
from sampling.pipeline.manifest import file_hash
from tests.treewright import test_command_line

run = test_command_line.run

SECRET = "s3cr3t-of-the-cloud"
ROWS = [
    {"id": str(k), "text": text, "label": k % 2}
    for k, text in enumerate(["a fine day", "a long night", "some good tea", "cold rain falls"])
]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)


class Listener:
    """Answers as an endpoint and as a web server, and keeps what it is sent."""

    def __init__(self) -> None:
        self.posts: list[dict[str, str]] = []
        self.gets: list[str] = []
        self.usable = True
        lock, owner = threading.Lock(), self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                with lock:
                    number = len(owner.posts)
                    owner.posts.append({"path": self.path, "body": body, **self.headers})
                line = json.dumps({"text": f"new text {number}", "label": str(number % 2)})
                said = {"message": {"content": line if owner.usable else "no"}}
                self._answer(json.dumps({"choices": [said]}).encode())

            def do_GET(self) -> None:
                owner.gets.append(self.path)
                found = self.path == "/corpus.jsonl"
                self._answer(LINES.encode() if found else b"", 200 if found else 404)

            def do_HEAD(self) -> None:
                self.do_GET()

            def _answer(self, content: bytes, code: int = 200) -> None:
                self.send_response(code)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.here = f"http://127.0.0.1:{self.server.server_port}"
        self.url = f"{self.here}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def silent(self) -> bool:
        return not self.posts and not self.gets

    @property
    def keys(self) -> set[str | None]:
        return {post.get("Authorization") for post in self.posts}


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("MY_CLOUD_SECRET", SECRET)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    made = Listener()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_text(LINES, "utf-8")
    return path


def method(listener: Listener, **options: Any) -> str:
    given = {"model": "m", "endpoint": listener.url, "key": "MY_CLOUD_SECRET", **options}
    return f"prompted({', '.join(f'{k}={v!r}' for k, v in given.items())})"


def saved(listener: Listener, folder: Path, **options: Any) -> str:
    """Save a grammar that names the endpoint and the variable, as somebody else did."""
    given = {"model": "m", "endpoint": listener.url, "key": "MY_CLOUD_SECRET", **options}
    texts = Corpus.from_columns(**{k: [row[k] for row in ROWS] for k in ("text", "label")})
    induce("prompted", texts, **given).grammar.save(folder / "prompted.arrow")
    return str(folder / "prompted.arrow")


def settings(folder: Path, **table: Any) -> str:
    path = folder / "evil.toml"
    options = table.pop("options", {})
    lines = [f"{name} = {json.dumps(value)}" for name, value in table.items()]
    lines += ["[augment.options]", *(f'"{k}" = {json.dumps(v)}' for k, v in options.items())]
    path.write_text("\n".join(["[augment]", *lines, ""]), "utf-8")
    return str(path)


def flags_of(message: str) -> list[str]:
    """Return the options that a hint names, with their values."""
    hint = message.split("hint: ")[1].split("; in Python")[0].split(", in Python")[0]
    found = re.findall(r"--[a-z-]+(?: [^\s,;-][^\s,;]*)?", hint)
    return [word for flag in found for word in shlex.split(flag) if word != "if"]


# --- endpoints ---------------------------------------------------------------------------------


def test_a_saved_grammar_sends_nothing_by_itself(run, listener, tmp_path):
    path = saved(listener, tmp_path)
    refused = run("sample", path, "-n", 1)
    assert (refused.code, listener.silent) == (1, True)
    for told in (listener.url, "MY_CLOUD_SECRET", "texts of its examples", "does not allow"):
        assert told in refused.err
    assert SECRET not in refused.err
    made = run("sample", path, "-n", 1, *flags_of(refused.err))
    assert (made.code, "new text 0" in made.out) == (0, True)
    assert len(listener.posts) == 1
    assert listener.keys == {f"Bearer {SECRET}"}
    assert "up to 4 requests" in made.err


@pytest.mark.parametrize("key", ["MY_CLOUD_SECRET", "OPENAI_API_KEY"])
def test_an_address_that_is_allowed_gets_no_key_of_a_file(run, listener, tmp_path, key):
    path = saved(listener, tmp_path, key=key)
    made = run("sample", path, "-n", 2, "--endpoint", listener.url)
    assert (made.code, len(listener.posts), listener.keys) == (0, 2, {None})
    assert f"--key {key}" in made.err


def test_a_server_that_moved_is_named_in_the_run(run, listener, tmp_path):
    path = saved(listener, tmp_path, endpoint="http://127.0.0.1:9/v1")
    made = run("sample", path, "-n", 1, "--endpoint", listener.url)
    assert (made.code, len(listener.posts)) == (0, 1)


@pytest.mark.parametrize("more", [("--engine", "processes"), ("--workers", 2)])
def test_workers_are_allowed_what_the_run_is(run, listener, tmp_path, more):
    path = saved(listener, tmp_path)
    refused = run("sample", path, "-n", 3, "-o", "o.jsonl", *more)
    assert (refused.code, listener.silent) == (1, True)
    made = run("sample", path, "-n", 3, "-o", "o.jsonl", "--endpoint", listener.url, *more)
    assert (made.code, len(listener.posts)) == (0, 3)


def test_an_operator_over_a_saved_grammar_sends_nothing_by_itself(run, listener, tmp_path):
    numbered = Corpus.from_columns(text=[row["text"] for row in ROWS] * 3, label=[0, 1] * 6)
    sampler = induce("agree", numbered, of=method(listener), folds=2)
    sampler.grammar.save(tmp_path / "agree.arrow")
    assert listener.silent
    refused = run("sample", "agree.arrow", "-n", 1)
    assert (refused.code, "--endpoint" in refused.err, listener.silent) == (1, True, True)


def test_settings_send_nothing_by_themselves(run, listener, corpus, tmp_path):
    words = "augment", corpus, "-o", "o.jsonl", "--config"
    ways = [
        {"method": method(listener)},
        {"method": "prompted(model=m)", "options": {"endpoint": listener.url}},
        {"method": f"fluent({method(listener)})"},
        {"method": f"aeda | {method(listener)}"},
    ]
    for table in ways:
        refused = run(*words, settings(tmp_path, n=1, **table))
        assert (refused.code, listener.url in refused.err) == (1, True)
        assert "--endpoint" in refused.err
        assert listener.silent
    path = settings(tmp_path, n=2, **ways[0])
    refused = run(*words, path)
    assert run(*words, path, "--dry-run").code == 1
    assert run(*words, path, "--dry-run", *flags_of(refused.err)).code == 0
    assert listener.silent
    made = run(*words, path, *flags_of(refused.err))
    assert (made.code, len(listener.posts), listener.keys) == (0, 2, {f"Bearer {SECRET}"})


def test_an_expression_that_is_typed_is_named_but_not_what_settings_add(
    run, listener, corpus, tmp_path
):
    mine = f"prompted(model=m, endpoint='{listener.url}')"
    path = settings(tmp_path, options={"prompted.key": "MY_CLOUD_SECRET"})
    words = "augment", corpus, "-n", 1, "--force", "-o", "o.jsonl", "-m"
    assert run(*words, mine, "--config", path).code == 0
    assert (len(listener.posts), listener.keys) == (1, {None})
    refused = run(
        *words,
        "prompted(model=m)",
        "--config",
        settings(tmp_path, options={"endpoint": f"{listener.here}/v2"}),
        "--set",
        f"pieces={listener.url}",
    )
    assert refused.code == 1
    assert len(listener.posts) == 1
    assert run(*words, method(listener)).code == 0
    assert listener.posts[-1]["Authorization"] == f"Bearer {SECRET}"
    assert run(*words, "prompted(model=m)", "-O", f"endpoint={listener.url}").code == 0
    assert listener.posts[-1]["Authorization"] == f"Bearer {SECRET}"  # the usual variable


def test_unfinished_work_sends_nothing_by_itself(run, listener, corpus, tmp_path, monkeypatch):
    path = settings(tmp_path, n=8, method=method(listener, tries=1))
    words = "augment", corpus, "-o", "o.jsonl", "--config", path
    with monkeypatch.context() as stopped:
        stopped.setattr(resuming.PartialWork.__init__, "__kwdefaults__", {"shard": 2})
        stopped.setattr(resuming.PartialWork, "finish", lambda self, *_: 1 / 0)
        assert run(*words, "--endpoint", listener.url).code == 1
    assert any(Path("o.jsonl.partial").iterdir())
    listener.posts.clear()
    refused = run(*words, "--resume")
    assert (refused.code, "--endpoint" in refused.err, listener.silent) == (1, True, True)
    assert run(*words, "--resume", "--endpoint", listener.url).code == 0


def test_a_manifest_sends_nothing_by_itself(run, listener, corpus):
    words = "augment", corpus, "-n", 2, "-o", "x.jsonl", "-m", method(listener)
    assert run(*words).code == 0
    assert len(listener.posts) == 2
    listener.posts.clear()
    refused = run("replay", "x.jsonl")
    assert (refused.code, listener.url in refused.err, listener.silent) == (1, True, True)
    run("replay", "x.jsonl", *flags_of(refused.err))
    assert len(listener.posts) <= 2  # what was answered in this process is known


@pytest.mark.parametrize("words", [
    ("quality", "corpus.jsonl", "x.jsonl"), ("explain", "x.jsonl", "prompted-0-0"),
    ("classify", "train", "corpus.jsonl", "--new", "x.jsonl", "--encoder", "tfidf", "-o", "m"),
    ("inspect", "prompted.arrow"),
])  # fmt: skip
def test_who_reads_a_manifest_or_a_grammar_asks_nobody(run, listener, corpus, tmp_path, words):
    saved(listener, tmp_path)
    assert run("augment", corpus, "-n", 2, "-o", "x.jsonl", "-m", method(listener)).code == 0
    listener.posts.clear()
    done = run(*words)
    assert (done.code, listener.silent) == (0, True), done.err


# --- how many requests -------------------------------------------------------------------------


def test_one_example_is_one_request_and_its_tries(run, listener, corpus, tmp_path):
    assert run("augment", corpus, "-n", 1, "-o", "o.jsonl", "-m", method(listener)).code == 0
    assert len(listener.posts) == 1
    listener.posts.clear()
    listener.usable = False
    path = saved(listener, tmp_path, tries=3, temperature=0.7)
    run("sample", path, "-n", 1, "--endpoint", listener.url)
    assert len(listener.posts) == 3


def test_more_requests_than_are_allowed_are_refused_or_confirmed(
    run, listener, tmp_path, monkeypatch
):
    path = saved(listener, tmp_path)
    words = "sample", path, "-n", 3, "--endpoint", listener.url, "--max-requests"
    refused = run(*words, 11)
    assert (refused.code, listener.silent) == (1, True)
    assert "up to 12 requests" in refused.err
    assert "--max-requests 12" in refused.err
    with monkeypatch.context() as watched:
        watched.setattr("treewright.permissions._is_watched", lambda: True)
        assert run(*words, 11, stdin=b"n\n").code == 1
        assert listener.silent
        assert run(*words, 11, stdin=b"y\n").code == 0
        assert len(listener.posts) == 3
    assert run("sample", path, "-n", 251, "--endpoint", listener.url).code == 1
    assert len(listener.posts) == 3


def test_a_watched_run_is_one_at_a_terminal(monkeypatch):
    from treewright.permissions import allowed_by

    assert allowed_by({}).confirm is None
    for stream in (sys.stdin, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    assert allowed_by({}).confirm is not None


# --- addresses ---------------------------------------------------------------------------------


@pytest.fixture
def made(run, listener, corpus) -> dict[str, Any]:
    """Augment a corpus, whose manifest then says that it was read from the listener."""
    assert (
        run("augment", corpus, "-m", "aeda", "-n", 2, "-o", "x.jsonl", "--test", corpus).code == 0
    )
    manifest = json.loads(Path("x.jsonl.manifest.json").read_text("utf-8"))
    return manifest


def changed(manifest: dict[str, Any], name: str, **entry: Any) -> None:
    held = {**manifest, name: {**manifest[name], **entry}}
    Path("x.jsonl.manifest.json").write_text(json.dumps(held), "utf-8")


@pytest.mark.parametrize("name", ["input", "test"])
def test_an_address_of_a_manifest_is_not_read_by_itself(run, listener, made, name):
    pytest.importorskip("aiohttp")
    url = f"{listener.here}/corpus.jsonl"
    changed(made, name, path=url)
    refused = run("replay", "x.jsonl")
    assert (refused.code, url in refused.err, listener.silent) == (1, True, True)
    assert flags_of(refused.err) == [f"--{name}", url, "--allow-network"]
    assert run("replay", "x.jsonl", f"--{name}", url).code == 0
    assert listener.gets
    assert run("replay", "x.jsonl", "--allow-network").code == 0


def test_explain_and_quality_read_no_address_by_themselves(run, listener, made):
    pytest.importorskip("aiohttp")
    url = f"{listener.here}/corpus.jsonl"
    changed(made, "input", path=url)
    assert run("quality", "corpus.jsonl", "x.jsonl").code == 0
    refused = run("explain", "x.jsonl", "aeda-0-0")
    assert (refused.code, url in refused.err, listener.silent) == (1, True, True)
    with pytest.raises(NotAllowedError, match="does not allow it"):
        explain("x.jsonl", "aeda-0-0")
    assert listener.silent
    assert run("explain", "x.jsonl", "aeda-0-0", "--source", url).code == 0
    assert run("explain", "x.jsonl", "aeda-0-0", "--allow-network").code == 0
    with allowing(network=True):
        assert explain("x.jsonl", "aeda-0-0").passages
    assert explain("x.jsonl", "aeda-0-0", source=url).passages


SCHEMES = (
    "http://{}/c.jsonl", "HTTP://{}/c.jsonl", "file:///etc/hosts.jsonl", "simplecache::http://{}/c.jsonl",
    "memory://c.jsonl", "zip://c.jsonl::http://{}/c.jsonl", "github://owner:repo@main/c.jsonl",
    "s3://bucket/c.jsonl", "filecache::http://{}/c.jsonl",
)  # fmt: skip


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_setting_that_is_an_address_is_followed(run, listener, corpus, tmp_path, scheme):
    url = scheme.replace("{}", listener.here.removeprefix("http://"))
    plain = {"input": str(corpus), "output": "o.jsonl", "method": "aeda", "n": 1}
    for name in ("input", "output", "test"):
        path = settings(tmp_path, **{**plain, name: url})
        refused = run("augment", "--config", path)
        assert (refused.code, listener.silent) == (1, True), name
        if "::" not in url.partition("://")[0]:
            assert re.search("does not allow it|name it yourself: -o", refused.err), name
    for changed in (
        {"method": "treemix", "parser": url}, {"test": f"{url}*"},
        {"method": f"names(file={url!r})"}, {"method": f"grammar(file={url!r})"},
    ):  # fmt: skip
        refused = run("augment", "--config", settings(tmp_path, **{**plain, **changed}))
        assert (refused.code, listener.silent) == (1, True), changed
    assert not list(tmp_path.glob("o.jsonl*"))


def test_the_network_does_not_let_settings_choose_where_to_write(run, listener, corpus, tmp_path):
    path = settings(tmp_path, method="aeda", n=1, output="memory://out/o.jsonl")
    refused = run("augment", corpus, "--config", path, "--allow-network")
    assert (refused.code, "-o memory://out/o.jsonl" in refused.err) == (1, True)


@pytest.mark.parametrize(
    ("path", "digest"),
    [
        ("/dev/stdin", None), ("/proc/self/environ", None), ("/dev/zero", "0" * 64),
        ("/proc/self/environ", "0" * 64), ("private.jsonl", None), ("private.jsonl", "0" * 64),
    ],
)  # fmt: skip
def test_a_manifest_has_nothing_read_that_its_writer_did_not_know(run, made, path, digest):
    Path("private.jsonl").write_text(LINES.replace("fine", SECRET), "utf-8")
    changed(made, "input", path=path, sha256=digest)
    refused = run("replay", "x.jsonl")
    assert refused.code == 1
    assert "--input" in refused.err
    assert SECRET not in refused.err + refused.out
    shown = run("explain", "x.jsonl", "aeda-0-0")
    assert (shown.code, SECRET in shown.out) == (0, False)
    assert run("replay", "x.jsonl", "--input", "corpus.jsonl").code == (1 if digest else 0)


def test_files_that_methods_read_are_known_before_they_are_read(run, made, corpus):
    Path("names.txt").write_text("0: dull\n1: fine\n", "utf-8")
    assert run("augment", corpus, "-m", "names(names.txt)", "-n", 2, "-o", "y.jsonl").code == 0
    assert run("replay", "y.jsonl").code == 0
    manifest = json.loads(Path("y.jsonl.manifest.json").read_text("utf-8"))
    for reads in ({}, {"names.txt": "0" * 64}):
        Path("y.jsonl.manifest.json").write_text(json.dumps({**manifest, "reads": reads}), "utf-8")
        assert "not the one that a method read" in run("replay", "y.jsonl").err


# --- models on a hub ---------------------------------------------------------------------------


def test_a_model_that_a_file_names_is_not_fetched_by_itself(run, corpus, tmp_path, monkeypatch):
    pytest.importorskip("transformers")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    name = "nobody-here/no-such-model"
    options = asdict(read_options(CtxSub.Options, {"model": name}, "ctxsub"))
    texts = Corpus.from_columns(**{k: [row[k] for row in ROWS] for k in ("text", "label")})
    hosts = np.arange(len(ROWS))
    grammar = ModelGrammar("ctxsub", CtxSub.version, options, texts, hosts, "?", 1, np.zeros(0))
    grammar.save(tmp_path / "ctxsub.arrow")
    path = settings(tmp_path, method=f"ctxsub(model={name!r})", n=1)
    of_settings = "augment", corpus, "--config", path, "-o", "o.jsonl"
    for words in (("sample", "ctxsub.arrow", "-n", 1), of_settings):
        refused = run(*words)
        assert f"a file names {name}" in refused.err
        assert "not to be had" in run(*words, *flags_of(refused.err)).err
    typed = run("augment", corpus, "-n", 1, "-m", f"ctxsub(model={name!r})", "-o", "o.jsonl")
    assert "not to be had" in typed.err
    with pytest.raises(NotAllowedError, match=name):
        open_sampler(tmp_path / "ctxsub.arrow").sample(1)


# --- in Python ---------------------------------------------------------------------------------


def test_a_sampler_of_a_file_is_looked_at_and_asks_nobody(listener, tmp_path):
    path = saved(listener, tmp_path)
    sampler = open_sampler(path)
    assert "m" in repr(sampler)
    assert sampler.grammar.describe()
    for opened in (sampler, Prompted(open_grammar(path)), sampler.repeating(3)):
        for asking in (lambda s: s.sample(1), lambda s: s.model, lambda s: s.stream(0).take(1),
                       lambda s: list(s.batches(1, workers=2))):  # fmt: skip
            with pytest.raises(NotAllowedError, match="to send texts"):
                asking(opened)
    assert listener.silent
    with heard_by(lambda message: None):
        with allowing(endpoint=listener.url):
            assert len(sampler.sample(1)) == 1
            other = open_sampler(path)
        assert len(other.sample(2)) == 2  # it was opened where it was allowed
        with allowing(endpoint=listener.url, key="MY_CLOUD_SECRET"):
            assert len(open_sampler(path).sample(1, seed=5)) == 1
    assert [post.get("Authorization") for post in listener.posts][-1] == f"Bearer {SECRET}"
    assert len(listener.posts) == 3


def test_a_url_of_a_program_is_its_own_word(listener, tmp_path):
    pytest.importorskip("aiohttp")
    from induction.corpus.formats import read_corpus

    assert len(read_corpus(f"{listener.here}/corpus.jsonl")) == len(ROWS)
    with allowing():
        assert len(read_corpus(f"{listener.here}/corpus.jsonl")) == len(ROWS)
    assert file_hash(f"{listener.here}/corpus.jsonl")
