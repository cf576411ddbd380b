"""What it costs to check a saved grammar when it is opened: seals, ranges, offsets, UTF-8.

    python -m benchmarks.opening [TIMES]

Each grammar is opened several times; the time inside the functions that check (those named so, and
Arrow's own validation) is set against the rest of the opening, less what the clock itself takes
where a function that is watched calls others. With TIMES, grammars of corpora so many times as
large, where what is fixed counts less. Words that a check is the first to ask for are read in
either case, and kept, so reading them is no check. The bar is 10 %.
"""

from __future__ import annotations

import functools
import sys
import tempfile
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from grammar.opening import open_grammar
from induction.corpus.corpus import Corpus
from induction.corpus.readers import read_treebank
from induction.counts.pcfg import induce_pcfg
from induction.fragments.dop import induce_double_dop
from sampling.method import induce
from tests.guards.golden import METHODS_TRIED, corpora, families

REPEATS = 50
PACKAGES = ("grammar", "induction", "sampling", "scan")
METHODS = ("sub2", "treemix", "alp", "geca", "geca-stream", "eda", "switchout", "label-wise",
           "mention-replacement", "fluent")  # fmt: skip
"""Those of the guards, which induce them from what the package brings."""
GROWING = ("sub2", "treemix", "alp", "eda", "switchout", "label-wise", "mention-replacement")
"""Those whose files grow with the corpus and are induced from a large one in seconds."""
SMALL = ("bayes-tsg", "latent", "synchronous", "terms", "lpcfg")
"""Families that are induced from few trees or pairs, since more take long."""


READS = ("_read_words", "read_words", "read_texts")
"""What is read once, by whoever asks first."""


class Checks:
    """The time inside functions that check, the outermost of them."""

    def __init__(self) -> None:
        self._inside = False
        self._reading = 0
        self._a_call = 0.0
        self.begin()
        self._a_call = self._cost_of_a_call()
        self.begin()

    def begin(self) -> None:
        """Forget what was timed."""
        self._seconds, self._calls = 0.0, 0

    @property
    def seconds(self) -> float:
        """What checks took since :meth:`begin`, without the clock's own part of it."""
        return self._seconds - self._calls * self._a_call

    def _cost_of_a_call(self) -> float:
        """Return the seconds that a call takes longer for being watched inside another."""
        plain, rounds = _nothing, range(1000)
        watched = self.timed(plain)
        self._inside = True
        both = [
            min(_seconds(lambda f=f: [f(0, least=1) for _ in rounds]) for _ in range(REPEATS))
            for f in (plain, watched)
        ]
        self._inside = False
        return (both[1] - both[0]) / len(rounds)

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **more: Any) -> Any:
            if self._inside:
                self._calls += not self._reading  # the time of reading is taken off as a whole
                return function(*args, **more)
            self._inside, began = True, time.perf_counter()
            try:
                return function(*args, **more)
            finally:
                self._seconds += time.perf_counter() - began
                self._inside = False

        return wrapped

    def kept(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **more: Any) -> Any:
            began, outermost = time.perf_counter(), self._inside and not self._reading
            self._reading += 1
            try:
                return function(*args, **more)
            finally:
                self._reading -= 1
                if outermost:
                    self._seconds -= time.perf_counter() - began

        return wrapped

    def watch(self) -> None:
        """Put the clock around every function of ours that is named after checking."""
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] not in PACKAGES:
                continue
            for owner in [module, *(v for v in vars(module).values() if isinstance(v, type))]:
                for key, value in list(vars(owner).items()):
                    if not isinstance(value, types.FunctionType):
                        continue
                    if key.lstrip("_").startswith("check"):
                        setattr(owner, key, self.timed(value))
                    elif key in READS:
                        setattr(owner, key, self.kept(value))


def _nothing(*args: Any, **more: Any) -> None:
    """Do nothing, for the clock to be measured by."""


def saved(folder: Path, times: int) -> Iterator[Path]:
    """Save a grammar of each kind; of larger corpora, of those that grow with them."""
    treebank, held = read_treebank(), corpora()
    made: dict[str, Callable[[], Any]] = {}
    if times == 1:
        made = {
            "pcfg.json": lambda: induce_pcfg(treebank),
            "double-dop.json": lambda: induce_double_dop(treebank),
        }
        made |= {f"{name}{end}": make for name, end, make in families(held) if name in SMALL}
    held = {name: _repeated(corpus, times) for name, corpus in held.items()}
    for name in METHODS if times == 1 else GROWING:
        method, corpus, options = METHODS_TRIED[name]
        sampler = induce(method, held[corpus], **options)
        made[f"{name}{sampler.grammar.codec.suffixes[0]}"] = functools.partial(
            getattr, sampler, "grammar"
        )
    for name, make in made.items():
        make().save(folder / name)
        yield folder / name


def _repeated(corpus: Corpus, times: int) -> Corpus:
    return Corpus(pa.concat_tables([corpus.table] * times).combine_chunks())


def validation(path: Path) -> float:
    """Return the seconds that Arrow takes to validate a file; none of one that is not Arrow's."""
    if path.suffix != ".arrow":
        return 0.0
    with pa.OSFile(str(path)) as source:
        table = pa.ipc.open_file(source).read_all()
    return min(_seconds(lambda: table.validate(full=True)) for _ in range(REPEATS))


def _seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main(times: int = 1) -> None:
    checks = Checks()
    everything = checked = 0.0
    with tempfile.TemporaryDirectory() as folder:
        paths = list(saved(Path(folder), times))
        for path in paths:
            open_grammar(path)
        checks.watch()
        print(f"{'grammar':<26} {'opened in':>10} {'checks':>8} {'over the rest':>14}")
        for path in paths:
            best = (float("inf"), 0.0)
            for _ in range(REPEATS):
                checks.begin()
                took = _seconds(lambda path=path: open_grammar(path))
                best = min(best, (took, checks.seconds))
            took, inside = best[0], best[1] + validation(path)
            everything, checked = everything + took, checked + inside
            share = inside / (took - inside)
            print(f"{path.name:<26} {took * 1e3:>8.1f}ms {inside * 1e3:>6.1f}ms {share:>13.1%}")
    print(f"{'all':<26} {'':>10} {'':>8} {checked / (everything - checked):>13.1%}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
