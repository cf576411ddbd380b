"""What this run allows of what files say.

An address, or the name of a variable, that stands in a saved grammar, a manifest or settings is a
fact about the past. It is used only if the person of this run names it, or allows it.

What a program passes to a function is the program's own word. Where the toolkit follows a file
(:func:`files_say`), and in every run of the command line, all that was not named is refused where a
request would be made, so no way there has to know where a value comes from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from grammar.errors import NotAllowedError
from grammar.options import whole_number
from grammar.storage.location import STAR, is_many, is_url

__all__ = [
    "MAX_REQUESTS",
    "Asking",
    "Permissions",
    "allowing",
    "check_named",
    "check_network",
    "check_requests",
    "current",
    "endpoint_of",
    "files_say",
    "in_force",
    "names_found",
]

MAX_REQUESTS = 1000
"""So many requests to an endpoint are sent without a question."""

_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_BARE = re.compile(r"[^\s,()|'\"]+")


@dataclass(frozen=True)
class Permissions:
    """What a run allows.

    Parameters
    ----------
    own : bool
        Whether all values are the program's own word, so that nothing is refused.
    network : bool
        Whether addresses that files name are read, and models fetched that they name.
    endpoint, key : str, optional
        The endpoint that is asked in the place of one that a file names, and the variable with its
        key.
    max_requests : int
        So many requests are sent without a question.
    confirm : callable, optional
        Asks the person whether to go on; nobody is there to be asked without it.
    named : set of str
        What the person wrote: addresses, or texts that hold some.
    counted : list of int
        The requests of a run that were told, one number each time; None where each sampling counts
        for itself.
    """

    own: bool = False
    network: bool = False
    endpoint: str | None = None
    key: str | None = None
    max_requests: int = MAX_REQUESTS
    confirm: Callable[[str], bool] | None = None
    named: set[str] = field(default_factory=set)
    counted: list[int] | None = None

    def __or__(self, other: Permissions) -> Permissions:
        """Allow what either allows."""
        return replace(
            self,
            own=self.own or other.own,
            network=self.network or other.network,
            endpoint=other.endpoint if self.endpoint is None else self.endpoint,
            key=other.key if self.key is None else self.key,
            max_requests=max(self.max_requests, other.max_requests),
            confirm=self.confirm or other.confirm,
            named=self.named | other.named,
        )

    @property
    def of_files(self) -> Permissions:
        """What holds for the word of a file."""
        return replace(self, own=False)

    def names(self, value: str) -> bool:
        """Say whether the person wrote a value.

        >>> allowed = Permissions(named={"ask(at='http://h/v1', key=MINE)"})
        >>> [allowed.names(value) for value in ("http://h/v1", "MINE", "http://h/v", "http://h")]
        [True, True, False, False]
        """
        return self.own or value in self.named or value in self._words

    def reaches(self, address: str) -> bool:
        """Say whether the person wrote an address, or one that it lies below or beside.

        >>> allowed = Permissions(named={"s3://b/new-*.csv", "s3://b/x", "http://h"})
        >>> [allowed.reaches(f"s3://b/{name}") for name in ("new-7.csv", "x/1", "x.manifest.json")]
        [True, True, True]
        >>> [allowed.reaches(f"s3://b/{name}") for name in ("old.csv", "x/../y", "x/y::http://i")]
        [False, False, False]
        >>> allowed.reaches("http://h/1"), allowed.reaches("http://h.evil/1")
        (True, False)
        """
        return self.names(address) or any(_is_of(address, one) for one in self._words)

    @property
    def _words(self) -> set[str]:
        return {word for text in self.named for word in _words(text)}


class Asking(NamedTuple):
    """Where requests go, and the variable with the key; it is empty if none is sent."""

    url: str
    key: str


_PROGRAM = Permissions(own=True)
_CURRENT: ContextVar[Permissions] = ContextVar("permissions", default=_PROGRAM)


def current() -> Permissions:
    """Return what is allowed here."""
    return _CURRENT.get()


@contextmanager
def in_force(allowed: Permissions) -> Iterator[None]:
    """Let what is done in the block be done under permissions."""
    token = _CURRENT.set(allowed)
    try:
        yield
    finally:
        _CURRENT.reset(token)


@contextmanager
def files_say(before: Permissions | None = None) -> Iterator[None]:
    """Follow the word of a file in the block: what was not named or allowed is refused.

    Parameters
    ----------
    before : Permissions, optional
        What was allowed when the file was opened, and is still.
    """
    allowed = current().of_files
    with in_force(allowed if before is None else allowed | before):
        yield


@contextmanager
def allowing(
    *,
    network: bool = False,
    endpoint: str | None = None,
    key: str | None = None,
    max_requests: int = MAX_REQUESTS,
) -> Iterator[None]:
    """Allow in the block what saved grammars, manifests and model folders name.

    A sampler that is opened in the block may be used behind it.

    Parameters
    ----------
    network : bool
        Read addresses that files name, and fetch models that they name.
    endpoint : str, optional
        Ask this endpoint where a saved grammar names one.
    key : str, optional
        Send it the value of this environment variable as its key.
    max_requests : int
        So many requests to endpoints may be sent in the block.

    Raises
    ------
    OptionError
        If ``max_requests`` is no whole number.

    Examples
    --------
    >>> with allowing(endpoint="http://127.0.0.1:8000/v1", key="MY_KEY"):
    ...     open_sampler("prompted.arrow").sample(10)  # doctest: +SKIP
    """
    whole_number("max_requests", max_requests, 0)
    allowed = replace(
        current(), network=network or current().network, endpoint=endpoint, key=key,
        max_requests=max_requests, counted=[],
    )  # fmt: skip
    with in_force(allowed):
        yield


def check_network(address: str, *, named_by: str | None = None) -> None:
    """Refuse to reach an address, or to fetch a model, that a file names and this run does not.

    Parameters
    ----------
    address : str
        A URL, or the name of a model on a hub.
    named_by : str, optional
        How a person names it, as ``--input``.

    Raises
    ------
    NotAllowedError
        If it was not named, and the network is not allowed.

    Examples
    --------
    >>> check_network("s3://bucket/a.csv")  # what a program passes is its own word
    >>> with files_say():
    ...     check_network("s3://bucket/a.csv")
    Traceback (most recent call last):
    ...
    grammar.errors.NotAllowedError: a file names s3://bucket/a.csv, and this run does not allow it
      hint: allow it with --allow-network, in Python in a block: with allowing(network=True)
    """
    if current().network or current().reaches(address):
        return
    name = "" if named_by is None else f"name it yourself with {named_by} {address}; or "
    raise NotAllowedError(
        f"a file names {address}, and this run does not allow it",
        hint=f"{name}allow it with --allow-network, in Python in a block: with "
        "allowing(network=True)",
    )


def check_named(address: str, named_by: str) -> None:
    """Refuse to write to an address that a file names and this run does not (NotAllowedError)."""
    if not current().reaches(address):
        raise NotAllowedError(
            f"a file says to write to {address}, and this run does not",
            hint=f"name it yourself: {named_by} {address}",
        )


def endpoint_of(url: str, key: str, *, usual: str) -> Asking:
    """Return which endpoint is asked where an option names one, and the variable with its key.

    The key that a file names is not sent, unless this run names it; the ``usual`` variable goes to
    an address that this run names by an option of the method.

    Raises
    ------
    NotAllowedError
        If the address is the word of a file; the hint says how to allow it.
    """
    allowed = current()
    if allowed.own:
        return Asking(url, key)
    named = allowed.names(url)
    asked = url if named else allowed.endpoint
    if asked is None:
        raise _no_endpoint(url, key)
    if allowed.key is not None:
        return Asking(asked, allowed.key)
    may = bool(key) and named and (key == usual or allowed.names(key))
    return Asking(asked, key if may else "")


def _no_endpoint(url: str, key: str) -> NotAllowedError:
    of_key = f", with the value of the variable {key} as its key" if key else ""
    flag = f", and with --key {key} if that value may go there" if key else ""
    return NotAllowedError(
        f"a file says to send texts of its examples to {url}{of_key}, and this run does not allow "
        "it",
        hint=f"allow it with --endpoint {url}{flag}; in Python in a block: with "
        f"allowing(endpoint={url!r}{f', key={key!r}' if key else ''})",
    )


def check_requests(count: int, what: str) -> None:
    """Count requests before any of them is sent; refuse more than this run allows.

    Parameters
    ----------
    count : int
        How many more there may be.
    what : str
        What is said of them, to ask a person.

    Raises
    ------
    NotAllowedError
        If there are too many, and nobody is there to be asked, or says no.
    """
    allowed = current()
    counted = [] if allowed.counted is None else allowed.counted
    total = sum(counted) + count
    confirmed = allowed.confirm is not None and total > allowed.max_requests
    if total > allowed.max_requests and not (allowed.confirm and allowed.confirm(what)):
        raise NotAllowedError(
            f"{what}: with them there are {total:,} in this run, and it allows "
            f"{allowed.max_requests:,}",
            hint=f"allow them with --max-requests {total}, in Python in a block: with "
            f"allowing(max_requests={total})",
        )
    # what a person said yes to is not asked again
    counted.append(allowed.max_requests - sum(counted) if confirmed else count)


def names_found(names: Iterable[str]) -> None:
    """Hear what a store has below an address that may be read: it may be read, too."""
    if not current().own:
        current().named.update(names)


def _words(text: str) -> Iterator[str]:
    """Yield a text, and all in it that can be a value: in quotes, behind =, between signs."""
    yield text
    for found in _QUOTED.finditer(text):
        yield found[1] if found[2] is None else found[2]
    for bare in _BARE.findall(text):
        yield bare
        yield bare.partition("=")[2]
        yield from bare.split("=")


def _is_of(address: str, named: str) -> bool:
    """Say whether an address lies below one that was named, beside it, or under its star."""
    # what stands behind :: is an address of its own
    if not is_url(named) or ".." in address.split("/") or "::" in address:
        return False
    before = named.rpartition(STAR)[0] if is_many(named) else address
    if before != address and address.startswith(before) and "/" not in address[len(before) :]:
        return True
    rest = address.removeprefix(named.rstrip("/"))
    # a name that goes on is of another host where no path has begun
    beside = rest.startswith(".") and "/" in named.partition("://")[2].rstrip("/")
    return rest != address and (not rest or rest.startswith("/") or beside)
