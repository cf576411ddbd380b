"""How many requests examples need: told, and allowed, before any is sent."""

from __future__ import annotations

import threading
from collections.abc import Callable

from grammar.messages import tell
from grammar.storage.permissions import check_requests
from sampling.neural.sampler import BlockAttempts
from sampling.stream import Columns, Sampler, Shortfall

__all__ = ["AskedAttempts", "Requests"]

_LOCK = threading.Lock()


class Requests:
    """Counts requests: for each example that is wanted so many may be sent as there are tries.

    What is sent again, and what is sent since an answer was no example, counts. All examples that
    are wanted together share what there is.

    Parameters
    ----------
    tries : int
        How often an example is asked for, at most.
    cost : callable
        Takes how many examples are wanted, and returns what is said of their requests.
    """

    def __init__(self, tries: int, cost: Callable[[int], str]) -> None:
        self.sent = 0
        self._tries = tries
        self._cost = cost
        self._granted = 0
        self._wanted = 0

    @property
    def left(self) -> int:
        """How many may still be sent."""
        return self._granted - self.sent

    def expect(self, examples: int) -> None:
        """Say how many requests there may be for so many examples (NotAllowedError: too many)."""
        if examples > self.left:
            most = examples * self._tries
            said = self._cost(examples)
            check_requests(most, said)
            tell(said)
            self._granted += most
        self._wanted = examples

    def take(self, examples: int) -> None:
        """Hear that some of the examples are asked for now."""
        if examples > self._wanted:
            self.expect(examples)
        self._wanted -= examples

    def spend(self) -> bool:
        """Count a request that is about to be sent; False if it may not be."""
        with _LOCK:
            if self.left <= 0:
                return False
            self.sent += 1
            return True


class AskedAttempts(BlockAttempts):
    """Attempts that are a request each: no more are made than examples are wanted."""

    def __init__(self, sampler: Sampler, seed: int, requests: Requests) -> None:
        super().__init__(sampler, seed)
        self._requests = requests

    def take(self, count: int) -> Columns:
        """Return the next accepted attempts; fewer only if there are no more, or no requests."""
        if count:
            self._requests.take(count)
        return super().take(count)

    def of_next_chunk(self) -> tuple[Columns, bool]:
        """Return those of the next chunk of attempts that are accepted."""
        self._requests.take(self.sampler.at_once)
        return super().of_next_chunk()

    def at_once(self) -> int:
        """Return how many attempts are made now: none if nobody wants any."""
        left = self._requests.left if self.wanted else 0
        if self.wanted and left <= 0:
            self._search.vain = True
        return max(0, min(self.sampler.at_once, self.wanted, left))

    def shortfall(self) -> Shortfall:
        """Say how many examples were found with how many requests."""
        found = super().shortfall()
        why = f"only {self.made:,} were found with {self._requests.sent:,} requests"
        return Shortfall(self.made, why, found.attempts, found.passed_over)
