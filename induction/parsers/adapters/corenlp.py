"""The parser of a Stanford CoreNLP server (Manning et al. 2014)."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from typing import Any

from grammar.errors import MissingDataError, OptionError, SchemaError
from grammar.storage.permissions import check_network
from grammar.trees.tree import Tree
from induction.corpus.text.tokens import penn_word
from induction.parsers.adapters.foreign import ForeignParser
from induction.parsers.protocol import MAX_WORDS, Given

__all__ = ["CoreNLPParser"]

_LOCAL = {"localhost", "127.0.0.1", "::1"}
_PROPERTIES = {
    "annotators": "tokenize,ssplit,pos,parse",
    "outputFormat": "json",
    "tokenize.whitespace": "true",
    "ssplit.isOneSentence": "true",
}
_START = (
    "start one in the folder of CoreNLP: java -mx4g -cp '*' "
    "edu.stanford.nlp.pipeline.StanfordCoreNLPServer -port 9000"
)
_SHOWN = 200


class CoreNLPParser(ForeignParser):
    """A CoreNLP server on this machine as a parser of text.

    Parameters
    ----------
    url : str
        Where it answers; only this machine, so that no text leaves it by mistake.
    timeout : float
        Seconds to wait for one sentence; after that, the sentence has no parse.
    version : str
        What runs there, such as ``4.5.7``: a part of what caches know parses by, which the server
        does not tell.
    max_words : int
        Longer sentences are refused.

    Raises
    ------
    OptionError
        If the URL is not that of a server on this machine, or the timeout is not above zero.
    NotAllowedError
        If a file names the URL, and this run does not.

    Examples
    --------
    >>> parser = CoreNLPParser("http://localhost:9000", version="4.5.7")  # doctest: +SKIP
    >>> print(parser.parse(["We slept."])[0])  # doctest: +SKIP
    (ROOT (S (NP (PRP We)) (VP (VBD slept)) (. .)))
    """

    name = "corenlp"

    def __init__(
        self,
        url: str = "http://localhost:9000",
        *,
        timeout: float = 60.0,
        version: str = "unknown",
        max_words: int = MAX_WORDS,
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in {"http", "https"} or parts.hostname not in _LOCAL:
            raise OptionError(
                f"{url!r} is not the URL of a server on this machine",
                hint="for example http://localhost:9000",
            )
        check_network(url)
        if not timeout > 0:
            raise OptionError(f"the timeout {timeout} is not above zero", hint="give seconds")
        self.url = url
        self.timeout = timeout
        super().__init__(version, 1, max_words)
        query = urllib.parse.urlencode({"properties": json.dumps(_PROPERTIES)})
        self._address = f"{url.rstrip('/')}/?{query}"
        # a proxy has no business with this machine's own server
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def _parse_batch(self, batch: Sequence[Given]) -> Iterator[Tree]:
        return map(self._ask, batch)

    def _ask(self, given: Given) -> Tree:
        text = " ".join(penn_word(word) for word in given.words)
        request = urllib.request.Request(
            self._address,
            data=text.encode("utf-8"),
            headers={"Content-Type": "text/plain; charset=utf-8"},
        )
        try:
            with self._opener.open(request, timeout=self.timeout) as answer:
                body = answer.read()
        except urllib.error.HTTPError as error:
            said = error.read().decode("utf-8", "replace").strip()[:_SHOWN]
            raise ValueError(f"the server says {error.code}: {said or error.reason}") from None
        except OSError as error:
            if isinstance(getattr(error, "reason", error), TimeoutError):
                raise ValueError(f"no answer within {self.timeout:g} seconds") from None
            raise MissingDataError(
                f"no CoreNLP server answers ({getattr(error, 'reason', error)})",
                where=self.url,
                hint=_START,
            ) from None
        except http.client.HTTPException:
            raise self._not_corenlp() from None
        return self._tree(body)

    def _tree(self, body: bytes) -> Tree:
        try:
            found: Any = [sentence["parse"] for sentence in json.loads(body)["sentences"]]
        except (ValueError, LookupError, TypeError, RecursionError):
            raise self._not_corenlp() from None
        if len(found) != 1:
            raise ValueError(f"the server made {len(found)} sentences of one")
        return Tree.parse(found[0])

    def _not_corenlp(self) -> SchemaError:
        return SchemaError(
            "what answers is not a CoreNLP server, or one without a parser",
            where=self.url,
            hint=_START,
        )
