"""Answers of a model behind an endpoint that speaks as OpenAI's does.

The person of this run names the endpoint (:mod:`grammar.storage.permissions`), and nothing is sent
to any other: redirections are not followed. The key is read from the environment when a request is
made; it is in no message, file or option.
"""

from __future__ import annotations

import functools
import json
import math
import os
import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import numpy as np
from numpy.typing import NDArray

from grammar.errors import OptionError, TreewrightError
from grammar.messages import tell
from grammar.storage.permissions import endpoint_of
from sampling.neural.prompted.lines import Answer, Asked, Lines

__all__ = ["USUAL_KEY", "Endpoint", "EndpointError"]

USUAL_KEY = "OPENAI_API_KEY"
"""The environment variable of the key, where none is named."""

AGAIN = (408, 429, 500, 502, 503, 504)
"""Answers after which a request is sent again."""
LONGEST_WAIT = 60.0
TOGETHER = 8
"""Requests that are sent at a time."""
KEPT = 16_384
"""So many answers are remembered."""
LARGEST = 1 << 24
"""The most bytes of an answer that are read."""
_HERE = ("localhost", "127.0.0.1", "::1")
_ANSWER = "Write one more line, and nothing else. It begins so:"
_SENDABLE = re.compile(r"[!-~]*")


class EndpointError(TreewrightError, RuntimeError):
    """An endpoint cannot be reached, refuses, or answers what is no answer."""


class _NoneLeftError(Exception):
    """As many requests were sent as there may be."""


class _Stay(HTTPRedirectHandler):
    """Follows no redirection: the key would go along."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True)
class Endpoint:
    """Asks for lines at ``URL/chat/completions``.

    Parameters
    ----------
    url : str
        Where requests go, such as ``http://127.0.0.1:8000/v1``.
    model : str
        Its name there.
    key : str
        The environment variable that holds the key; requests have none if it is not set.
    temperature : float
        Of the draws.
    pieces : int
        The most that an answer has.
    tries : int
        How often a request is sent.
    seconds : float
        How long an answer may take.
    known : str
        The address that grammars know it by: that of the option.
    spend : callable
        Says whether one more request may be sent, and counts it.
    """

    url: str
    model: str
    key: str
    temperature: float
    pieces: int
    tries: int
    seconds: float
    known: str
    spend: Callable[[], bool] = field(default=lambda: True, compare=False)

    at_once = TOGETHER
    longest = 1 << 30

    @classmethod
    def allowed(cls, url: str, key: str, **rest: Any) -> Endpoint:
        """Return the endpoint of the option ``url``, as this run allows it.

        Raises
        ------
        OptionError
            If the address is none, or a key would be sent to another machine unencrypted.
        NotAllowedError
            If the address is the word of a file; the hint says how to allow it.
        """
        _check_address(url)
        asked = endpoint_of(url, key, usual=USUAL_KEY)
        _check_address(asked.url)
        made = cls(asked.url.rstrip("/"), key=asked.key, known=url.rstrip("/"), **rest)
        if not asked.key and os.environ.get(key):
            tell(f"no key is sent to {made.url}: name its variable in this run, as --key {key}")
        parts = urlsplit(made.url)
        if made._secret() and parts.scheme == "http" and parts.hostname not in _HERE:
            raise OptionError(
                f"the key of {made.key} would be sent unencrypted to {parts.hostname}",
                hint="use https, or unset the variable",
            )
        return made

    @property
    def weights(self) -> str:
        """What tells it from others."""
        return f"{self.known} {self.model}"

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return about how many pieces texts have: English has four characters a piece."""
        return [-(-len(text) // 4) for text in texts]

    def answers(self, asked: Sequence[Asked], seeds: Sequence[int]) -> list[tuple[str, Any]]:
        """Return a line for each prompt, and what is said of its pieces.

        A prompt that no request may be sent for has an empty line.

        Raises
        ------
        EndpointError
            If the endpoint cannot be reached or refuses, after as many tries as may be.
        """
        with ThreadPoolExecutor(TOGETHER) as pool:
            futures = [
                pool.submit(_answer_if_any, self, one, seed % 2**31)
                for one, seed in zip(asked, seeds, strict=True)
            ]
            return [future.result() for future in futures]

    def shares(self, answers: Sequence[Answer], lines: Lines) -> NDArray[np.float32]:
        """Return how probable the name of each class is where an answer has one.

        From the probabilities that came with the answer: of the pieces at the place where the name
        begins, those that begin the name of one class count for it. Without them the class that
        was named has all.
        """
        made = np.zeros((len(answers), len(lines.classes)), np.float32)
        for row, answer in enumerate(answers):
            begin = len(lines.up_to_label(answer.line))
            shares = _at_label(answer.likely, begin, lines.classes)
            if not shares.sum():
                shares[lines.classes.index(answer.item.label)] = 1
            made[row] = shares / shares.sum()
        return made

    def answer(self, asked: Asked, seed: int) -> tuple[str, Any]:
        """Return a line and what is said of its pieces (raises as :meth:`answers`)."""
        body = {
            "model": self.model,
            "messages": [
                {"role": "user", "content": f"{asked.before}\n{_ANSWER}\n{asked.begin}"}
            ],
            "temperature": self.temperature, "max_tokens": self.pieces, "seed": seed,
            "logprobs": True, "top_logprobs": 20,
        }  # fmt: skip
        choice = self._choice(self._sent(json.dumps(body).encode()))
        content = (choice.get("message") or {}).get("content")
        if not isinstance(content, str):
            return "", None
        pieces = (choice.get("logprobs") or {}).get("content")
        blank = len(content) - len(content.lstrip())
        return content.strip(), (blank, pieces) if isinstance(pieces, list) else None

    def _choice(self, answer: bytes) -> dict[str, Any]:
        try:
            choice = json.loads(answer)["choices"][0]
            if isinstance(choice, dict):
                return choice
        except (ValueError, LookupError, TypeError, RecursionError):
            pass
        raise EndpointError(
            "the endpoint's answer is not one of a chat completion",
            where=self.url,
            hint="the address ends before /chat/completions, mostly in /v1",
        )

    def _sent(self, body: bytes) -> bytes:
        said = ""
        for number in range(self.tries):
            if not self.spend():
                if not number:
                    raise _NoneLeftError
                raise self._given_up(said, number)
            wait = min(LONGEST_WAIT, 0.5 * 2**number)
            try:
                return self._once(body)
            except HTTPError as error:
                if error.code not in AGAIN:
                    raise self._refused(error.code) from None
                said = f"answered {error.code}"
                wait = _wait_of(error, wait)
            except TimeoutError:
                said = f"took more than {self.seconds:g} seconds"
            except (URLError, OSError) as error:
                said = f"is not to be reached: {getattr(error, 'reason', error)}"
            except HTTPException as error:
                said = f"answers no HTTP ({type(error).__name__})"
            if number + 1 < self.tries:
                time.sleep(wait)
        raise self._given_up(said, self.tries)

    def _given_up(self, said: str, times: int) -> EndpointError:
        return EndpointError(
            f"the endpoint {said}, {times} times",
            where=self.url,
            hint="try again later, or give it more tries or seconds",
        )

    def _once(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json"}
        if secret := self._secret():
            headers["Authorization"] = f"Bearer {secret}"
        request = Request(f"{self.url}/chat/completions", body, headers)
        with build_opener(_Stay).open(request, timeout=self.seconds) as answer:
            read: bytes = answer.read(LARGEST)
        return read

    def _refused(self, code: int) -> EndpointError:
        hints = {
            401: f"set the environment variable {self.key} to a key of the endpoint"
            if self.key
            else "name the variable with its key in this run, as --key MY_KEY",
            403: f"the key of {self.key or 'none'} may not use this model",
            404: "see that the address ends before /chat/completions, and the name of the model",
        }
        hint = hints.get(code, "see what the endpoint supports")
        return EndpointError(f"the endpoint refused with {code}", where=self.url, hint=hint)

    def _secret(self) -> str:
        """Return the key (OptionError: one that no request can hold, which is not shown)."""
        secret = os.environ.get(self.key, "").strip() if self.key else ""
        if not _SENDABLE.fullmatch(secret):  # whatever sends it would show it in its error
            raise OptionError(
                f"the variable {self.key} holds signs that no key has",
                hint="set it to the key alone: letters, digits and signs of ASCII, without spaces",
            )
        return secret


def _check_address(url: str) -> None:
    """Refuse what is no address; one with a name or a password in it is not shown."""
    try:
        parts = urlsplit(url)
        right = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        plain = not (parts.query or parts.fragment) and bool(_SENDABLE.fullmatch(url))
    except ValueError:
        raise _no_address(url) from None
    if "@" in parts.netloc or parts.query:
        raise OptionError(
            "the endpoint is not an address alone: it holds a name, a password or a query",
            hint="leave them out, and name the environment variable of its key",
        )
    if not (right and plain):
        raise _no_address(url)


def _no_address(url: str) -> OptionError:
    return OptionError(
        f"endpoint={url!r} is not an address", hint="such as http://127.0.0.1:8000/v1"
    )


@functools.lru_cache(maxsize=KEPT)
def _answer(endpoint: Endpoint, asked: Asked, seed: int) -> tuple[str, Any]:
    """Ask once: what is drawn again, to be looked at or written, is what was drawn before."""
    return endpoint.answer(asked, seed)


def _answer_if_any(endpoint: Endpoint, asked: Asked, seed: int) -> tuple[str, Any]:
    try:
        return _answer(endpoint, asked, seed)
    except _NoneLeftError:
        return "", None


def _wait_of(error: HTTPError, wait: float) -> float:
    asked = error.headers.get("Retry-After", "")
    try:
        return min(LONGEST_WAIT, max(0.0, float(asked)))
    except ValueError:
        return wait


def _at_label(held: Any, begin: int, classes: Sequence[str]) -> NDArray[np.float64]:
    """Return the probabilities of classes by the pieces that can stand where a name begins."""
    shares = np.zeros(len(classes))
    if held is None:
        return shares
    blank, pieces = held
    at = -blank
    for piece in pieces:
        text = str(piece.get("token", "")) if isinstance(piece, dict) else ""
        at += len(text)
        if at > begin:
            lead = len(text) - (at - begin)
            for other in piece.get("top_logprobs") or ():
                _count(shares, other, text[:lead], classes)
            break
    return shares


def _count(shares: NDArray[np.float64], other: Any, lead: str, classes: Sequence[str]) -> None:
    """Add the probability of a piece to the one class whose name it begins."""
    token, likely = other.get("token"), other.get("logprob")
    if not isinstance(token, str) or not isinstance(likely, int | float):
        return
    name = token.removeprefix(lead).strip().rstrip('"}')
    fits = [k for k, c in enumerate(classes) if name and (c.startswith(name) or name == c)]
    if token.startswith(lead) and len(fits) == 1 and likely <= 0:
        shares[fits[0]] += math.exp(likely)
