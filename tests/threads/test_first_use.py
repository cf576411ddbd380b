"""Threads that are the first to use anything, in a process of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

FIRST = """\
import sys, threading
sys.setswitchinterval(1e-3)
import grammar, induction, sampling

rooms = (grammar, induction, sampling)
asked = [(room, name) for room in rooms for name in room.__all__]
gate, faults, found = threading.Barrier(40), [], []


def use(number):
    gate.wait()
    try:
        # each begins elsewhere, so that modules are asked for in many orders
        for k in range(len(asked)):
            room, name = asked[(7 * number + k) % len(asked)]
            assert getattr(room, name) is not None, name
        made = grammar.Grammar.parse("S -> 'very' S [0.5] | 'good' [0.5]")
        found.append(tuple(sampling.sample_sentences(made, 3, seed=1).column("text")))
    except BaseException as error:
        faults.append(repr(error))


threads = [threading.Thread(target=use, args=(number,)) for number in range(40)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not faults, faults[:3]
assert len(found) == 40 and len(set(found)) == 1
print("alike")
"""


def test_all_names_and_kernels_by_many_threads() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert (done.returncode, done.stdout) == (0, "alike\n"), done.stderr
