"""Prompted generation: strict lines, an endpoint that misbehaves, labels by hand, skeletons."""

from __future__ import annotations

import json
import logging
import math
import threading
import warnings
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from grammar.errors import CorpusError, NotAllowedError, OptionError
from grammar.messages import heard_by
from grammar.pcfg.grammar import Grammar
from grammar.storage.permissions import allowing
from induction.corpus.corpus import Corpus
from sampling.method import induce
from sampling.neural.prompted.endpoint import EndpointError
from sampling.neural.prompted.lines import Answer, Item, Lines
from sampling.neural.prompted.skeletons import fills, skeleton_of
from sampling.pipeline.augment import augment

SECRET = "sk-this-is-the-secret"
Reply = tuple[int, dict[str, str], bytes]
NAMED = Corpus.from_columns(
    text=["a fine day", "a long night", "some good tea", "cold rain"],
    label=["good", "bad", "good", "bad"],
)


class Server:
    """An endpoint on the loopback address that answers as it is told, and remembers requests."""

    def __init__(self) -> None:
        self.reply: Callable[[int, dict[str, Any]], Reply] = lambda number, body: said("{}")
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        lock, owner = threading.Lock(), self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    number = len(owner.bodies)
                    owner.bodies.append(body)
                    owner.keys.append(self.headers.get("Authorization"))
                code, headers, content = owner.reply(number, body)
                self.send_response(code)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def said(line: str, logprobs: Any = None) -> Reply:
    choice = {"message": {"content": line}, "logprobs": logprobs}
    return 200, {}, json.dumps({"choices": [choice]}).encode()


def numbered(number: int, body: dict[str, Any]) -> Reply:
    return said(f'{{"text": "new text {number}", "label": "good"}}')


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    made = Server()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waits: list[float] = []
    monkeypatch.setattr("sampling.neural.prompted.endpoint.time.sleep", waits.append)
    return waits


def drawn(server: Server, n: int = 3, corpus: Corpus = NAMED, **options: Any) -> list[Any]:
    with warnings.catch_warnings(), heard_by(lambda message: None):
        warnings.simplefilter("ignore")
        given = ", ".join(f"{k}={v!r}" for k, v in options.items())
        more = f", {given}" if given else ""
        expression = f"prompted(model='m', endpoint='{server.url}'{more})"
        return list(augment(corpus, expression, n=n, seed=1).corpus)


# --- lines -------------------------------------------------------------------------------------

LINES = Lines(("text",), ("bad", "good"))
ASKED = LINES.ask([Item(("a",), "bad")])


@pytest.mark.parametrize(
    "line",
    [
        "", "{", "[]", "no", '{"text": "x"}', '{"label": "good", "text": "x"}',
        '{"text": "x", "label": "other"}', '{"text": "", "label": "good"}',
        '{"text": " ", "label": "good"}', '{"text": 3, "label": "good"}',
        '{"text": "x", "label": "good", "more": "y"}', '```{"text": "x", "label": "good"}```',
        '{"text": "two\\nlines", "label": "good"}', '{"text": "\\ud800", "label": "good"}',
        "[" * 5000, '{"text": "x", "label": "good"} and more',
    ],
)  # fmt: skip
def test_what_is_not_the_line_is_refused(line: str) -> None:
    assert LINES.read(line, ASKED) is None


def test_what_is_written_is_read_again() -> None:
    for text in ('say "so"', "back \\ slash", "ein Häuschen", "{", "👩‍👩‍👧", "a\u00a0b"):
        item = Item((text,), "good")
        assert LINES.read(LINES.line(item), ASKED) == item
    pairs = Lines(("text", "text_pair"))
    asked = pairs.ask([Item(("a", "b"))])
    assert pairs.read(asked.begin + 'c", "text_pair": "d"}', asked) == Item(("c", "d"))
    assert '"text_pair"' in asked.before


# --- an endpoint -------------------------------------------------------------------------------


def test_requests_say_what_is_wanted_and_answers_are_examples(server: Server) -> None:
    server.reply = numbered
    rows = drawn(server, shown=2, temperature=0.5, pieces=40)
    assert sorted(row["text"] for row in rows)[0].startswith("new text")
    assert [row["label"] for row in rows] == [[0.0, 1.0]] * 3
    body = server.bodies[0]
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("m", 0.5, 40)
    prompt = body["messages"][0]["content"]
    assert "bad, good" in prompt
    for row in rows:
        assert len(row["provenance"]["parents"]) == 2
    assert prompt.count('"label": "') == 2
    assert server.keys == [None] * len(server.keys)
    assert len({body["seed"] for body in server.bodies}) == len(server.bodies)


def test_what_was_asked_is_not_asked_again(server: Server) -> None:
    server.reply = numbered
    rows = drawn(server)
    asked = len(server.bodies)
    assert asked <= 16
    assert drawn(server) == rows
    assert len(server.bodies) == asked


def test_labels_are_the_probabilities_of_names(server: Server) -> None:
    def reply(number: int, body: dict[str, Any]) -> Reply:
        tokens = ['{"text": "', f"text {number}", '", "label', '": "', "go", "od", '"}']
        likely = [
            {"token": "go", "logprob": math.log(0.5)}, {"token": "bad", "logprob": math.log(0.125)},
            {"token": "g", "logprob": math.log(0.125)}, {"token": "ugly", "logprob": -1.0},
            {"token": 3, "logprob": -1.0}, {"token": "b", "logprob": "x"},
        ]  # fmt: skip
        content = [{"token": t, "top_logprobs": likely if t == "go" else []} for t in tokens]
        return said("".join(tokens), {"content": content})

    server.reply = reply
    for row in drawn(server):
        assert row["label"] == pytest.approx([0.125 / 0.75, 0.625 / 0.75])
    for row in drawn(server, soft=False):
        assert row["label"] == [0.0, 1.0]


def test_a_name_within_a_longer_piece_counts(server: Server) -> None:
    def reply(number: int, body: dict[str, Any]) -> Reply:
        tokens = ['{"text": "', f"text {number}", '", "label":', ' "bad', '"}']
        likely = [
            {"token": ' "bad', "logprob": math.log(0.3)},
            {"token": ' "go', "logprob": math.log(0.1)},
        ]
        content = [{"token": t, "top_logprobs": likely if "bad" in t else []} for t in tokens]
        return said("".join(tokens), {"content": content})

    server.reply = reply
    for row in drawn(server):
        assert row["label"] == pytest.approx([0.75, 0.25])


def test_a_rate_limit_is_waited_for(server: Server, slept: list[float]) -> None:
    def reply(number: int, body: dict[str, Any]) -> Reply:
        return (429, {"Retry-After": "7"}, b"") if number == 0 else numbered(number, body)

    server.reply = reply
    assert len(drawn(server)) == 3
    assert slept == [7.0]


def test_an_endpoint_that_is_busy_is_given_up(server: Server, slept: list[float]) -> None:
    server.reply = lambda number, body: (503, {}, b"secret page")
    with pytest.raises(EndpointError, match="answered 503, 3 times"):
        drawn(server, tries=3)
    assert max(slept) == 1.0


@pytest.mark.parametrize(
    ("code", "hint"), [(401, "environment variable"), (403, "may not use"), (404, "name of the"),
                       (400, "supports"), (302, "supports")]
)  # fmt: skip
def test_a_refusal_is_told_at_once(server: Server, code: int, hint: str) -> None:
    server.reply = lambda number, body: (code, {"Location": "http://127.0.0.1:9/"}, b"")
    with pytest.raises(EndpointError, match=f"refused with {code}") as caught:
        drawn(server)
    assert hint in str(caught.value)


def test_an_answer_that_takes_too_long_is_told(server: Server, slept: list[float]) -> None:
    def reply(number: int, body: dict[str, Any]) -> Reply:
        threading.Event().wait(0.4)  # sleeping is stubbed
        return numbered(number, body)

    server.reply = reply
    with pytest.raises(EndpointError, match=r"took more than 0\.05 seconds, 2 times"):
        drawn(server, tries=2, seconds=0.05)


def test_nobody_there_is_told(server: Server, slept: list[float]) -> None:
    url = "http://127.0.0.1:9/v1"
    with pytest.raises(EndpointError, match="is not to be reached"):
        augment(NAMED, f"prompted(model='m', endpoint='{url}', tries=1)", n=1)


@pytest.mark.parametrize("content", [b"", b"<html>", b"[]", b"{}", b'{"choices": []}', b"[" * 9999])
def test_answers_of_another_kind_are_told(server: Server, content: bytes) -> None:
    server.reply = lambda number, body: (200, {}, content)
    with pytest.raises(EndpointError, match="not one of a chat completion"):
        drawn(server)


def test_a_model_that_never_answers_so_comes_to_an_end(server: Server) -> None:
    server.reply = lambda number, body: said("I cannot do that.")
    assert drawn(server, n=2) == []
    assert len(server.bodies) < 2000


def test_the_key_is_sent_and_never_told(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str], tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.setenv("MY_KEY", SECRET)
    server.reply = lambda number, body: answered(number) if number < 64 else (401, {}, b"")
    heard: list[str] = []
    with caplog.at_level(logging.DEBUG), heard_by(heard.append):
        sampler = induce("prompted", NAMED_NUMBERS, model="m", endpoint=server.url, key="MY_KEY")
        sampler.grammar.save(tmp_path / "grammar.arrow")
        assert len(sampler.sample(2)) == 2
        with pytest.raises(EndpointError) as caught:
            sampler.sample(100, seed=1)
    assert server.keys[0] == f"Bearer {SECRET}"
    held = [str(caught.value), repr(sampler), repr(sampler.model), caplog.text, *heard,
            *capfd.readouterr(), str(caught.getrepr())]  # fmt: skip
    assert not any(SECRET in one for one in held)
    assert SECRET.encode() not in (tmp_path / "grammar.arrow").read_bytes()
    with pytest.raises(OptionError, match="unencrypted"):
        induce("prompted", NAMED_NUMBERS, model="m", endpoint="http://example.org/v1", key="MY_KEY")


def answered(number: int) -> Reply:
    return said(f'{{"text": "text {number}", "label": "1"}}')


NAMED_NUMBERS = Corpus.from_columns(text=["a fine day", "a long night", "tea"], label=[1, 0, 1])


def test_what_it_costs_is_told_before_anything_is_sent(server: Server) -> None:
    server.reply = lambda number, body: answered(number)
    heard: list[str] = []

    def hear(message: str) -> None:
        if "requests" in message:
            assert not server.bodies
            heard.append(message)

    options: dict[str, Any] = {"model": "m", "endpoint": server.url, "prices": "2:10", "pieces": 50}
    with heard_by(hear):
        sampler = induce("prompted", NAMED_NUMBERS, **options, tries=2)
        assert not heard
        sampler.sample(3)
    (line,) = heard
    assert line.startswith(f"up to 6 requests to {server.url} for 3 examples: they have about ")
    assert "answers at most 300: at most 0." in line
    size = int(line.split("about ")[1].split(" pieces")[0].replace(",", ""))
    assert f"{(2 * size + 10 * 300) / 1e6:.2f}" in line
    assert len(server.bodies) == 3


@pytest.mark.parametrize("n", [1, 2, 20])
def test_no_more_is_asked_than_examples_need(server: Server, n: int) -> None:
    server.reply = numbered
    assert len(drawn(server, n=n)) == n
    assert len(server.bodies) == n
    assert len(drawn(server, n=n + 3)) == n + 3
    assert len(server.bodies) == n + 3


@pytest.mark.parametrize(("n", "tries"), [(1, 4), (1, 1), (3, 2), (33, 3)])
def test_answers_that_are_none_count_as_tries(server: Server, n: int, tries: int) -> None:
    server.reply = lambda number, body: said("I cannot do that.")
    assert drawn(server, n=n, tries=tries) == []
    assert len(server.bodies) == n * tries


def test_what_is_sent_again_counts(server: Server, slept: list[float]) -> None:
    def reply(number: int, body: dict[str, Any]) -> Reply:
        return (503, {}, b"") if number in (0, 2) else said("I cannot do that.")

    server.reply = reply
    assert drawn(server, n=1, tries=4) == []
    assert len(server.bodies) == 4


def test_more_than_is_allowed_is_not_begun(server: Server) -> None:
    server.reply = numbered
    with pytest.raises(NotAllowedError, match="this run") as caught:
        drawn(server, n=300)
    assert "allowing(max_requests=1200)" in str(caught.value)
    assert server.bodies == []
    with allowing(max_requests=10):
        assert len(drawn(server, n=2)) == 2
        with pytest.raises(NotAllowedError, match="there are 16 in this run"):
            drawn(server, n=2, temperature=0.9)
    assert len(server.bodies) == 2


def test_examples_are_functions_of_their_numbers(server: Server) -> None:
    def reply(number: int, body: dict[str, Any]) -> Reply:
        return said(f'{{"text": "text {body["seed"]}", "label": "1"}}')

    server.reply = reply
    options: dict[str, Any] = {"model": "m", "endpoint": server.url}
    with heard_by(lambda message: None):
        whole = induce("prompted", NAMED_NUMBERS, **options).sample(20, seed=3).table
        sampler = induce("prompted", NAMED_NUMBERS, **options, tries=3)
        parts = [sampler.sample(count, seed=3, start=at).table for at, count in ((0, 1), (1, 19))]
        late = induce("prompted", NAMED_NUMBERS, **options, tries=2)
        assert late.sample(4, seed=3, start=16).table == whole.slice(16)
    assert pa.concat_tables(parts) == whole


@pytest.mark.parametrize("secret", ["sk-two\nlines", "sk-\u20ac", "sk with spaces"])
def test_a_key_that_cannot_be_sent_is_not_shown(
    server: Server, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    monkeypatch.setenv("MY_KEY", secret)
    with pytest.raises(OptionError, match="the variable MY_KEY") as caught:
        induce("prompted", NAMED_NUMBERS, model="m", endpoint=server.url, key="MY_KEY")
    assert secret not in str(caught.value) + repr(caught.value.args).replace("\\n", "\n")
    assert server.bodies == []


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"endpoint": "ftp://x/v1"}, "not an address"),
        ({"endpoint": "x"}, "not an address"),
        ({"endpoint": "http://a:hidden@localhost/v1"}, "a password or a query"),
        ({"endpoint": "http://localhost/v1?key=hidden"}, "a password or a query"),
        ({"endpoint": "http://localhost:port/v1"}, "not an address"),
        ({"endpoint": "http://[::1/v1"}, "not an address"),
        ({"endpoint": "http://localhost/a b"}, "not an address"),
        ({"endpoint": "http://localhost/v1", "prices": "1"}, "not two numbers"),
        ({"endpoint": "http://localhost/v1", "prices": "1:nan"}, "not two numbers"),
        ({"endpoint": "http://localhost/v1", "model": ""}, "needs a language model"),
        ({"endpoint": "http://localhost/v1", "shown": 0}, "shown"),
    ],
)
def test_options_that_cannot_be_used_are_told(options: dict[str, Any], match: str) -> None:
    with pytest.raises(OptionError, match=match) as caught:
        induce("prompted", NAMED_NUMBERS, **{"model": "m", **options})
    assert "hidden" not in str(caught.value)


def test_fewer_texts_than_are_shown_are_told() -> None:
    with pytest.raises(CorpusError, match="needs 9 texts"):
        induce("prompted", NAMED_NUMBERS, model="m", endpoint="http://localhost/v1", shown=9)


# --- a model that is here ----------------------------------------------------------------------


def test_shares_are_those_of_whole_names(causal_folder: Path) -> None:
    import torch

    from sampling.neural.prompted.local import LocalModel

    local = LocalModel.opened(str(causal_folder), "cpu", 1.0, 40)
    lines = Lines(("text",), ("0", "1"))
    asked = lines.ask([Item(("red apples fall down",), "0"), Item(("she reads",), "1")])
    line = asked.begin + 'cold tea", "label": "1"}'
    (found,) = local.shares([Answer(asked, line, Item(("cold tea",), "1"))], lines)
    before = local.tokenizer(asked.before + lines.up_to_label(line), return_tensors="pt")
    with torch.no_grad():
        after = local.model(before["input_ids"]).logits[0, -1].softmax(0)
        expected = []
        for name in lines.classes:
            piece = local.tokenizer(name)["input_ids"]
            more = torch.cat([before["input_ids"], torch.tensor([piece])], 1)
            close = local.model(more).logits[0, -1].softmax(0)
            expected.append(float(after[piece[0]] * close[local.tokenizer('"')["input_ids"][0]]))
    assert found == pytest.approx(np.array(expected) / sum(expected), rel=1e-3)


# --- skeletons ---------------------------------------------------------------------------------

GRAMMAR = """
S -> NP VP [1.0]
NP -> DT NN [0.5] | PRP [0.5]
VP -> VBD [0.5] | VBD NP [0.5]
DT -> 'the' [1.0]
NN -> 'dog' [0.5] | 'cat' [0.5]
PRP -> 'she' [1.0]
VBD -> 'slept' [1.0]
"""
TREES = Corpus.from_columns(
    text=["she slept", "the dog slept"], label=[0, 1],
    tree=["(S (NP (PRP she)) (VP (VBD slept)))", "(S (NP (DT the) (NN dog)) (VP (VBD slept)))"],
)  # fmt: skip


def test_skeletons_are_drawn_from_the_grammar_and_must_be_filled(
    server: Server, tmp_path: Path
) -> None:
    path = tmp_path / "grammar.json"
    Grammar.parse(GRAMMAR).save(path)

    def reply(number: int, body: dict[str, Any]) -> Reply:
        begin = body["messages"][0]["content"].rsplit("\n", 1)[1]
        skeleton = json.loads(begin + '"}')["skeleton"]
        text = skeleton.replace("[NN]", f"noun{number}").replace("[VBD]", f"verb{number}")
        if number % 3 == 0:
            text = f"{text} again"
        return said(begin + f'{text}", "label": "1"}}')

    server.reply = reply
    rows = drawn(server, n=6, corpus=TREES, skeletons=str(path))
    assert len(rows) == 6
    shapes = {" ".join(w.rstrip("0123456789") for w in row["text"].split()) for row in rows}
    possible = {"the noun verb", "she verb", "the noun verb the noun", "she verb she",
                "the noun verb she", "she verb the noun"}  # fmt: skip
    assert shapes <= possible
    assert len(shapes) > 1
    shown = server.bodies[0]["messages"][0]["content"]
    assert '{"skeleton": "she [VBD]", "text": "she slept", "label": "0"}' in shown
    Grammar.parse(GRAMMAR.replace("[0.5] | PRP [0.5]", "[0.25] | PRP [0.75]")).save(path)
    assert drawn(server, n=1, corpus=TREES, skeletons=str(path))  # induced again, it is another


def test_a_skeleton_is_filled_word_by_word() -> None:
    from grammar.trees.tree import Tree

    tree = Tree.parse("(S (NP^S (DT The) (NN^NP dog)) (VP (VBZ sleeps)) (-LRB- -LRB-) (. .))")
    assert skeleton_of(tree) == "The [NN] [VBZ] ( ."
    assert fills("the cat sings ( .", skeleton_of(tree))
    for wrong in ("the cat sings ( !", "the cat sings (", "the [NN] sings ( .", "a cat sings ( ."):
        assert not fills(wrong, skeleton_of(tree))


def test_skeletons_need_a_grammar_with_derivations(tmp_path: Path) -> None:
    sampler = induce("aeda", Corpus.from_columns(text=["a b c", "d e f"]))
    sampler.grammar.save(tmp_path / "words.arrow")
    given = {"model": "m", "endpoint": "http://localhost/v1"}
    with pytest.raises(OptionError, match="has no derivations"):
        induce("prompted", TREES, skeletons=str(tmp_path / "words.arrow"), **given)
    Grammar.parse(GRAMMAR).save(tmp_path / "g.json")
    with pytest.raises(CorpusError, match="tree"):
        induce("prompted", NAMED_NUMBERS, skeletons=str(tmp_path / "g.json"), **given)
