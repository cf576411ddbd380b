"""How long the workbench takes to answer: 270 addresses on NLTK's sample of the Penn Treebank.

    python -m benchmarks.workbench

Each is asked once, first ones included: patterns with frequencies, second pages and files, symbols
of the grammar, parses, samples, comparisons. Seconds on the clock and of processor time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from starlette.testclient import TestClient

from treewright.workbench.application import application
from treewright.workbench.jobs import Jobs
from treewright.workbench.opened import Opened

BAR, SHARE = 0.5, 0.95
TREEBANK, RULES = "nltk-treebank", "rules-of-nltk-treebank"
PATTERNS = (
    "S < (NP=n $.. VP)", "NP < PP", "PP < (IN < of) < NP=o", "VP !<< NP", "/^V/ < /ing$/",
    "NP << (/^N/ $, JJ)", "SBAR < IN", "S << VP=v : =v < NP", "NP <1 DT <2 NN !<3 __", "*", "NN",
    "VP < (NP $.. PP)", "QP", "S !< VP", "NP=a $.. NP=b", "VP <- PP", "NP > S", "WHNP",
    "ADJP < JJ | < RB", "S < (NP=s < PRP) < (VP=v < VBD)",
)  # fmt: skip
SYMBOLS = ("NP", "VP", "S", "PP", "NN", "SBAR", "ADJP", "JJ", "TOP", "DT")
SENTENCES = (
    "We saw the man with the telescope.",
    "Pierre Vinken, 61 years old, will join the board as a nonexecutive director.",
    "Time flies like an arrow.",
    "The old man the boats.",
)
SAMPLES = 6

Address = tuple[str, dict[str, str]]


def addresses() -> Iterator[Address]:
    """Yield all that is asked."""
    yield from ((path, {}) for path in ("/", "/parse", "/sample", "/compare"))
    page = f"/treebank/{TREEBANK}"
    for pattern in PATTERNS:
        for plain in ("", "1"):
            given = {"pattern": pattern, "plain": plain}
            yield from ((page, {**given, "count": count}) for count in ("", "label", "words"))
            yield page, {**given, "page": "2"}
            yield from ((f"{page}/hits.{kind}", given) for kind in ("tsv", "svg"))
    yield from ((f"/grammar/{RULES}", {"symbol": symbol}) for symbol in SYMBOLS)
    for sentence in SENTENCES:
        for grammar in ("english", RULES):
            yield "/parse", {"sentence": sentence, "grammar": grammar}
    yield from (("/sample", {"grammar": RULES, "seed": str(seed)}) for seed in range(SAMPLES))
    yield "/compare", {"a": TREEBANK, "b": "embedded"}
    yield "/compare", {"a": RULES, "b": TREEBANK}


def main() -> None:
    opened = Opened()
    opened.add("nltk:treebank")
    opened.add("embedded")
    browser = TestClient(
        application(opened, "token", jobs=Jobs(patience=None)), base_url="http://127.0.0.1:8765"
    )
    browser.get("/?token=token")
    asked = list(addresses())
    took = np.zeros((len(asked), 2))
    for row, (path, parameters) in zip(took, asked, strict=True):
        before = time.perf_counter(), time.process_time()
        status = browser.get(path, params=parameters).status_code
        row[:] = time.perf_counter() - before[0], time.process_time() - before[1]
        assert status < 500, (path, parameters)
    for name, seconds in zip(("clock", "processor"), took.T, strict=True):
        middle, high = np.percentile(seconds, [50, 95])
        quick = (seconds < BAR).mean()
        met = "met" if quick >= SHARE else "not met"
        print(
            f"{name}: {quick:.1%} of {len(asked)} below {BAR} s (bar {SHARE:.0%} {met}), "
            f"median {middle:.2f} s, p95 {high:.2f} s, most {seconds.max():.1f} s"
        )
    for i in np.argsort(-took[:, 1])[:8]:
        print(f"  {took[i, 1]:.2f} s {asked[i][0]} {asked[i][1]}")


if __name__ == "__main__":
    main()
