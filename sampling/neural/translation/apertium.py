"""Apertium, a translator by rules, as a program that is run beside this one."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from grammar.errors import MissingDataError, OptionError, TreewrightError

__all__ = ["PREFIX", "Apertium", "TranslationError"]

PREFIX = "apertium:"
_PROGRAM = "apertium"
_SECONDS = 600


class TranslationError(TreewrightError, RuntimeError):
    """A translator failed, took too long, or returned other texts than it was given."""


@dataclass(frozen=True)
class Apertium:
    """Translates with a pair of Apertium, such as ``eng-spa``.

    Texts are sent together, with an empty line between, for to start the program takes longer than
    to translate a text.

    Parameters
    ----------
    pair : str
        A pair that is installed.
    seconds : float
        How long a batch may take.
    """

    pair: str
    seconds: float = _SECONDS

    longest = 1 << 30
    is_random = False

    @classmethod
    def checked(cls, pair: str) -> Apertium:
        """Return the translator, having seen that the program is there.

        Raises
        ------
        MissingDataError
            If Apertium or the pair is not installed; the hint says how to get it.
        """
        hint = "install it, on Debian: apt install apertium-eng-spa; or name a model"
        if not (pair and all(part.isalnum() for part in pair.replace("_", "-").split("-"))):
            raise OptionError(f"{pair!r} is no pair of Apertium", hint="for example eng-spa")
        if shutil.which(_PROGRAM) is None:
            raise MissingDataError("the program apertium is not installed", hint=hint)
        made = cls(pair)
        known = made._run(["-l"], "").split()
        if known and pair not in known:
            raise MissingDataError(
                f"apertium has no pair {pair!r}", hint=f"it has {', '.join(sorted(known)[:12])}"
            )
        return made

    @property
    def weights(self) -> str:
        """What tells it from others."""
        return f"{PREFIX}{self.pair}"

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return the lengths of texts."""
        return [len(text) for text in texts]

    def translate(self, texts: Sequence[str], seed: int = 0) -> list[str]:
        """Return the translation of each text.

        Raises
        ------
        TranslationError
            If the program fails, takes too long, or returns another number of texts.
        """
        lines = [" ".join(text.split()) for text in texts]
        made = self._run(["-u", self.pair], "\n\n".join(lines) + "\n")
        found = [" ".join(part.split()) for part in made.strip("\n").split("\n\n")]
        if len(found) != len(lines):
            raise TranslationError(
                f"apertium returned {len(found)} texts for {len(lines)}",
                hint="try the pair by hand: echo text | apertium " + self.pair,
            )
        return found

    def _run(self, arguments: list[str], given: str) -> str:
        try:
            done = subprocess.run(
                [_PROGRAM, *arguments], input=given, capture_output=True, text=True,
                encoding="utf-8", errors="replace", timeout=self.seconds, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise TranslationError(
                f"apertium took more than {self.seconds:g} seconds",
                hint="leave out very long texts, or try the pair by hand",
            ) from None
        except OSError as error:
            raise TranslationError(f"apertium cannot be run: {error.strerror}") from None
        if done.returncode and arguments != ["-l"]:
            said = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()
            raise TranslationError(
                f"apertium ended with {done.returncode}: {said[-1]}",
                hint="try the pair by hand: echo text | apertium " + self.pair,
            )
        return done.stdout
