"""Adapters of other parsers: against recorded answers in modules shaped like the real ones.

Where a package and its model are installed, the real one is asked, too.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import re
import socket
import sys
import threading
import urllib.parse
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType, SimpleNamespace
from typing import Any

import nltk
import pytest

from grammar import Tree
from grammar.chart.parses import NoParse
from grammar.errors import MissingDataError, OptionError, SchemaError
from grammar.trees.evaluation import NO_PARSE
from induction.parsers.adapters import (
    BeneparParser,
    CoreNLPParser,
    SpacyBeneparParser,
    StanzaParser,
)
from induction.parsers.cache import CachedParser

RAW = 'She said "go (now)".'
WORDS = ("She", "said", "``", "go", "-LRB-", "now", "-RRB-", "''", ".")
PLAIN = ["She", "said", '"', "go", "(", "now", ")", '"', "."]
RECORDED = (
    "(S (NP (PRP She)) (VP (VBD said) (`` ``) (S (VP (VB go) (PRN (-LRB- -LRB-) (RB now) "
    "(-RRB- -RRB-)))) ('' '')) (. .))"
)
EXPECTED = f"(TOP {RECORDED})"


def bracketed(words: list[str]) -> str:
    """The recorded tree for the recorded sentence, and a flat one for others."""
    if len(words) == len(WORDS):
        return RECORDED
    return f"(FRAG {' '.join(f'(XX w{i})' for i in range(len(words)))})"


def hit(words: list[str]) -> None:
    if "crash" in words:
        raise RuntimeError("index out of range\nand much more")


# --- modules shaped like the real ones ---------------------------------------------------------


VERSIONS = {"benepar": "0.2.0", "spacy": "3.7.0", "stanza": "1.8.2"}


@pytest.fixture(autouse=True)
def versions(request, monkeypatch):
    if "real" not in request.node.name:
        monkeypatch.setattr(importlib.metadata, "version", VERSIONS.__getitem__)


@dataclass
class InputSentence:
    words: list[str] | None = None
    space_after: list[bool] | None = None
    tags: list[str] | None = None
    escaped_words: list[str] | None = None


@pytest.fixture
def benepar(monkeypatch) -> SimpleNamespace:
    """A module as benepar 0.2 is one."""
    log = SimpleNamespace(asked=[], batches=0)

    class Parser:
        def __init__(self, name, batch_size=64, language_code=None):
            if name != "benepar_en3":
                raise LookupError(f"\n****\n  Resource {name} not found.\n")

        def parse_sents(self, sents):
            log.batches += 1
            for sent in sents:
                log.asked.append(sent)
                hit(sent.words)
                tree = nltk.Tree.fromstring(f"(TOP {bracketed(sent.words)})")
                if sent.tags is not None:
                    for place, tag in zip(tree.treepositions("leaves"), sent.tags, strict=True):
                        tree[place[:-1]].set_label(tag)
                yield tree

    module = ModuleType("benepar")
    module.Parser, module.InputSentence = Parser, InputSentence
    monkeypatch.setitem(sys.modules, "benepar", module)
    return log


@dataclass
class Doc:
    vocab: object
    words: list[str]
    spaces: list[bool] | None = None
    sent_starts: list[bool] | None = None
    sents: list[Any] = field(default_factory=list)


@pytest.fixture
def spacy(monkeypatch, benepar) -> list[Doc]:
    """Modules as spaCy 3 with benepar's pipe has them."""
    asked: list[Doc] = []

    class Language:
        vocab = object()
        pipes = ("tagger",)

        def add_pipe(self, name, config=None):
            if config["model"] != "benepar_en3":
                raise LookupError("Can't find the model")
            self.pipes += (name,)

        def pipe(self, documents):
            assert self.pipes == ("tagger", "benepar")
            for document in documents:
                asked.append(document)
                hit(document.words)
                parsed = SimpleNamespace(parse_string=bracketed(document.words))
                document.sents = iter([SimpleNamespace(_=parsed)])
                yield document

    def load(name):
        if name != "en_core_web_md":
            raise OSError(f"[E050] Can't find model '{name}'.")
        return Language()

    module, tokens = ModuleType("spacy"), ModuleType("spacy.tokens")
    module.load, tokens.Doc = load, Doc
    monkeypatch.setitem(sys.modules, "spacy", module)
    monkeypatch.setitem(sys.modules, "spacy.tokens", tokens)
    return asked


@dataclass
class StanzaTree:
    label: str | None
    children: tuple[StanzaTree, ...] = ()


def as_stanza(tree: Tree | str) -> StanzaTree:
    if isinstance(tree, str):
        return StanzaTree(tree)
    return StanzaTree(tree.label, tuple(as_stanza(child) for child in tree.children))


@pytest.fixture
def stanza(monkeypatch) -> list[list[str]]:
    """A module as Stanza 1.8 is one."""
    asked: list[list[str]] = []

    class Pipeline:
        def __init__(self, lang="en", **options):
            assert options["tokenize_pretokenized"] is True
            assert options["download_method"] is None
            assert options["processors"] == "tokenize,pos,constituency"
            if lang != "en":
                raise FileNotFoundError(f"Resources file not found for {lang}")

        def __call__(self, sentences):
            asked.extend(sentences)
            for words in sentences:
                hit(words)
            trees = [as_stanza(Tree.parse(f"(ROOT {bracketed(words)})")) for words in sentences]
            return SimpleNamespace(sentences=[SimpleNamespace(constituency=t) for t in trees])

    module = ModuleType("stanza")
    module.Pipeline = Pipeline
    monkeypatch.setitem(sys.modules, "stanza", module)
    return asked


class Answers(BaseHTTPRequestHandler):
    """A CoreNLP server that knows one sentence by heart."""

    def do_POST(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        text = self.rfile.read(int(self.headers["Content-Length"])).decode("utf-8")
        self.server.asked.append((json.loads(query["properties"][0]), text))
        words = text.split()
        status, body = 200, ""
        if "crash" in words:
            status, body = 500, "java.util.concurrent.TimeoutException: Your document is too long."
        elif "slow" in words:
            self.server.release.wait(30)
        elif "page" in words:
            body = "<html>Welcome</html>"
        elif "torn" in words:
            body = json.dumps({"sentences": [{"parse": "(ROOT (S"}]})
        elif "two" in words:
            body = json.dumps({"sentences": [{"parse": "(ROOT (X two))"}] * 2})
        else:
            parse = f"(ROOT\n  {bracketed(words)})".replace(" (VP", "\n    (VP")
            body = json.dumps({"sentences": [{"index": 0, "parse": parse, "tokens": []}]})
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body.encode("utf-8"))

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    made = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    made.asked, made.release = [], threading.Event()
    made.url = f"http://127.0.0.1:{made.server_address[1]}"
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.release.set()
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture(params=["benepar", "spacy", "stanza", "corenlp"])
def parser(request):
    if request.param == "corenlp":
        return CoreNLPParser(request.getfixturevalue("server").url)
    request.getfixturevalue(request.param)
    kinds = {"benepar": BeneparParser, "spacy": SpacyBeneparParser, "stanza": StanzaParser}
    return kinds[request.param]()


# --- what all of them do -----------------------------------------------------------------------


def test_raw_text_and_tokens_become_trees_with_the_words_of_the_sentence(parser):
    raw, penn, plain, other = parser.parse([RAW, WORDS, PLAIN, "Oh no"])
    assert str(raw) == str(penn) == EXPECTED
    assert plain.leaves() == tuple(PLAIN)
    assert str(other) == "(TOP (FRAG (XX Oh) (XX no)))"


def test_a_sentence_that_fails_says_why_and_the_others_are_parsed(parser):
    before, failed, empty, after = parser.parse_each(["a b", "c crash", "", "d"])
    assert before.leaves() == ("a", "b")
    assert after.leaves() == ("d",)
    assert isinstance(failed, NoParse)
    assert failed.refused  # so that no cache keeps it
    assert failed.sentence == ("c", "crash")
    expected = "500: java.util" if parser.name == "corenlp" else "index out of range (RuntimeError)"
    assert expected in failed.reason
    assert "much more" not in failed.reason
    assert "no words" in empty.reason
    assert parser.parse(["c crash"])[0] == NO_PARSE


def test_tags_are_refused_by_those_that_make_their_own(parser):
    given = parser.parse_each([["go"]], tags=[["NN"]])
    if parser.name == "benepar":
        assert str(next(given)) == "(TOP (FRAG (NN go)))"
    else:
        with pytest.raises(OptionError, match="makes its own tags"):
            next(given)


def test_they_fit_into_the_cache(parser, tmp_path):
    for expected in ((0, 1), (1, 0)):
        cached = CachedParser(parser, tmp_path / "parses.db")
        assert str(cached.parse([RAW])[0]) == EXPECTED
        assert (cached.hits, cached.misses) == expected


# --- each of them ------------------------------------------------------------------------------


def test_benepar_gets_plain_words_their_spacing_and_penn_words(benepar):
    parser = BeneparParser()
    parser.parse([RAW, WORDS])
    raw, tokens = benepar.asked
    assert raw == InputSentence(
        words=PLAIN,
        space_after=[True, True, False, True, False, False, False, False, False],
        escaped_words=list(WORDS),
    )
    assert tokens == InputSentence(words=PLAIN, escaped_words=list(WORDS))
    assert benepar.batches == 1
    assert parser.version == "0.2.0-benepar_en3"


def test_spacy_gets_one_sentence_a_document(spacy):
    parser = SpacyBeneparParser()
    parser.parse([RAW])
    assert spacy[0].words == PLAIN
    assert spacy[0].spaces == [True, True, False, True] + [False] * 5
    assert spacy[0].sent_starts == [True] + [False] * 8
    assert parser.version == "3.7.0-en_core_web_md-0.2.0-benepar_en3"


def test_stanza_gets_plain_words(stanza):
    parser = StanzaParser()
    parser.parse([RAW])
    assert stanza == [PLAIN]
    assert parser.version == "1.8.2-en-default"


def test_corenlp_gets_words_between_spaces(server):
    parser = CoreNLPParser(server.url, version="4.5.7")
    parser.parse([PLAIN[3:7], ["é"]])
    properties, text = server.asked[0]
    assert text == "go -LRB- now -RRB-"
    assert server.asked[1][1] == "é"
    assert properties["tokenize.whitespace"] == properties["ssplit.isOneSentence"] == "true"
    assert properties["annotators"].endswith("parse")
    assert parser.version == "4.5.7"


@pytest.mark.parametrize("kind", [BeneparParser, SpacyBeneparParser, StanzaParser])
def test_a_package_that_is_missing_is_named_with_how_to_get_it(monkeypatch, kind):
    for name in ("benepar", "spacy", "stanza"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDataError, match="hint: pip install (benepar|spacy|stanza)$"):
        kind()


def test_a_model_that_is_missing_is_named_with_how_to_get_it(benepar, spacy, stanza):
    for kind, arguments, hint in (
        (BeneparParser, ("benepar_xx",), r"benepar.download\('benepar_xx'\)"),
        (SpacyBeneparParser, ("xx_core",), "python -m spacy download xx_core"),
        (SpacyBeneparParser, ("en_core_web_md", "benepar_xx"), "benepar.download"),
        (StanzaParser, ("xx",), r"stanza.download\('xx'\)"),
    ):
        with pytest.raises(MissingDataError, match=rf"cannot be loaded: [\w\[].*\n.*{hint}"):
            kind(*arguments)


def test_trees_of_other_words_are_no_parse(benepar, monkeypatch):
    parser = BeneparParser()
    flat = lambda inputs: [nltk.Tree("TOP", [nltk.Tree("X", ["one"])]) for _ in inputs]  # noqa: E731
    monkeypatch.setattr(parser._parser, "parse_sents", flat)
    found = next(parser.parse_each(["one two"]))
    assert "its tree has 1 words, and the sentence 2" in found.reason
    monkeypatch.setattr(parser._parser, "parse_sents", lambda inputs: [])
    assert "it gave 0 trees for 1 sentences" in next(parser.parse_each(["one"])).reason
    deep = nltk.Tree("X", ["one"])
    for _ in range(350):
        deep = nltk.Tree("X", [deep])
    monkeypatch.setattr(parser._parser, "parse_sents", lambda inputs: [deep])
    assert isinstance(next(parser.parse_each(["one"])), NoParse)


# --- a server that is not as it should be ------------------------------------------------------


def test_a_server_that_is_slow_costs_one_sentence(server):
    parser = CoreNLPParser(server.url, timeout=0.3)
    slow, after = parser.parse_each(["slow", "a"])
    assert "no answer within 0.3 seconds" in slow.reason
    assert after.leaves() == ("a",)


@pytest.mark.parametrize(
    ("sentence", "reason"), [("torn", "never closed|not closed|end"), ("two", "2 sentences of one")]
)
def test_a_strange_tree_costs_one_sentence(server, sentence, reason):
    torn, after = CoreNLPParser(server.url).parse_each([sentence, "a"])
    assert isinstance(torn, NoParse)
    assert after.leaves() == ("a",)
    assert re.search(reason, torn.reason)


def test_something_else_that_answers_is_one_clear_error(server):
    with pytest.raises(SchemaError, match="is not a CoreNLP server"):
        CoreNLPParser(server.url).parse(["page"])


def test_no_server_is_one_clear_error():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(MissingDataError, match="no CoreNLP server answers.*\n.*start one"):
        CoreNLPParser(url).parse(["a"])


@pytest.mark.parametrize("url", ["http://corenlp.run", "ftp://localhost", "localhost:9000", ""])
def test_only_servers_on_this_machine_are_asked(url):
    with pytest.raises(OptionError, match="not the URL of a server on this machine"):
        CoreNLPParser(url)


def test_the_timeout_is_above_zero():
    with pytest.raises(OptionError, match="the timeout 0 is not above zero"):
        CoreNLPParser(timeout=0)


# --- the real ones -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("package", "kind"),
    [("benepar", BeneparParser), ("spacy", SpacyBeneparParser), ("stanza", StanzaParser)],
)
def test_the_real_package(package, kind):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    try:
        parser = kind()
    except MissingDataError as error:
        pytest.skip(str(error))
    tree = parser.parse(["She ate (two) apples."])[0]
    assert tree.leaves() == ("She", "ate", "-LRB-", "two", "-RRB-", "apples", ".")
    assert {"NP", "VP"} <= {node.label for node in tree.nodes()}


def test_the_real_server():
    try:
        tree = CoreNLPParser().parse(["She ate two apples."])[0]
    except (MissingDataError, SchemaError):
        pytest.skip("no CoreNLP server answers on port 9000")
    assert {"NP", "VP"} <= {node.label for node in tree.nodes()}
