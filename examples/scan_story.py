"""SCAN from pairs to a grammar, from the grammar to new pairs, and from those to a solved split.

Run it from top to bottom (``python examples/scan_story.py``), or cell by cell in an editor that
knows the marks ``# %%``. It needs no data: the split ``length`` is rebuilt from the language. With
the variable TREEWRIGHT_DATA set, ``--split mcd1`` is another good choice. Pictures are written to
a folder. The two trainings take most of the time; ``--fast`` only goes through the motions.
"""

# %% What is asked for
from __future__ import annotations

import argparse
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

from grammar import (
    MissingDataError,
    NoParse,
    SynchronousParser,
    draw_neighbourhood,
    draw_pair_derivation,
)
from induction import Corpus, induce_synchronous
from sampling import sample_pairs
from scan import (
    Cell,
    Progress,
    TrainingConfig,
    config_of,
    draw_learning_curves,
    exact_match,
    split,
    train,
    verify,
)

options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
options.add_argument("--split", default="length", help="length, jump, around-right, mcd1, ...")
options.add_argument("--fast", action="store_true", help="short commands, hardly any training")
options.add_argument("--folder", default="scan-story", type=Path, help="where pictures go")
options.add_argument("--seed", default=0, type=int)
asked, _ = options.parse_known_args()  # an editor that runs cells has arguments of its own
asked.folder.mkdir(parents=True, exist_ok=True)
began = time.monotonic()


def pairs_of(corpus: Corpus) -> list[tuple[str, str]]:
    """Return the distinct pairs, in order."""
    return list(dict.fromkeys(zip(corpus.column("text"), corpus.column("target"), strict=True)))


def heading(text: str) -> None:
    print(f"\n== {text} [{time.monotonic() - began:.0f} s]\n")


# %% The pairs
# A command is a source, its actions are the target. Nobody tells what a word means.
heading("The pairs")
try:
    parts = split(asked.split)
except MissingDataError as missing:
    print(f"{missing}\nso this is the story of the split length instead")
    parts = split("length")
train_pairs, test_pairs = pairs_of(parts.train), pairs_of(parts.test)
if asked.fast:
    train_pairs = [pair for pair in train_pairs if len(pair[0].split()) <= 5]
    test_pairs = test_pairs[::80]
for command, actions in train_pairs[:: len(train_pairs) // 6]:
    print(f"{command:<40} {actions[:60]}")

# %% What they lack
# Test commands are made of the same words, but not of the same combinations. Where neighbours are
# all known, as in the split length, it is long targets that were never seen.
heading("What the training pairs lack")


def longest(pairs: list[tuple[str, str]]) -> tuple[int, int]:
    """Return the most words of a command and of its actions."""
    return max(len(c.split()) for c, _ in pairs), max(len(a.split()) for _, a in pairs)


words = {word for command, _ in train_pairs for word in command.split()}
neighbours = {two for command, _ in train_pairs for two in pairwise(command.split())}
new_words = sum(not words.issuperset(command.split()) for command, _ in test_pairs)
new_twos = sum(not neighbours.issuperset(pairwise(command.split())) for command, _ in test_pairs)
for name, pairs in (("training", train_pairs), ("test", test_pairs)):
    command_words, action_words = longest(pairs)
    print(f"{name:<9} {len(pairs):>6,} pairs; up to {command_words} words, {action_words} actions")
print(f"test commands with a word that training lacks: {new_words:,}")
print(f"... with two neighbouring words that it lacks: {new_twos:,}")
print(f"... that are in training:                      {len(set(train_pairs) & set(test_pairs))}")

# %% The grammar
# The search begins with one rule a pair and keeps what shortens the description. It sees training
# pairs only, and makes all its choices with them.
heading("Induction")
found = induce_synchronous(train_pairs, types=2 if asked.fast else None, seed=asked.seed)
for step in found.trace:
    print(step)
print()
print(found)
heading(f"The {len(found.rules)} rules")
for rule in found.rules.rules:
    print(rule)

# %% Layers
# Which rules may stand where: each slot takes what it was seen to take, and what follows from that.
heading("Layers: what the slots of rules hold")
held: dict[str, list[str]] = defaultdict(list)
for rule in found.core.rules:
    held[rule.lhs].append(" ".join(map(str, rule.source)))
for layer, sources in held.items():
    print(f"{layer}: {' | '.join(sources)}")
print()
print(found.core.check())

# %% The grammar as a picture
draw_neighbourhood(found.rules.graph, found.rules.start, asked.folder / "rules.svg", top=20)
print(f"the rules and what they are made of: {asked.folder / 'rules.svg'}")

# %% The grammar at work
# It is a parser: the best derivation of a command gives the actions. No network is needed for it.
heading("The grammar parses commands that it never saw")
parser = SynchronousParser(found.grammar)
right = 0
for command, actions in test_pairs:
    best = parser.translations(command.split())
    right += not isinstance(best, NoParse) and " ".join(best[0].target) == actions
print(f"best parse exact on {right:,} of {len(test_pairs):,} test commands")
hardest, _ = max(test_pairs, key=lambda pair: (len(pair[1].split()), pair))
[best] = parser.translations(hardest.split())
print(f"{hardest}\n  -> {' '.join(best.target)}")

# %% New pairs
# All derivations alike, less than half of the language. The interpreter of SCAN only audits what
# was made: it gives no targets and drops nothing.
heading("Sampled pairs")
wanted = 300 if asked.fast else 10_000
draws = sample_pairs(found.core, 4 * wanted, seed=asked.seed, depth=(1, 12), uniform=True)
made = pairs_of(draws)[:wanted]
sizes = [(len(row["text"].split()), len(row["target"].split())) for row in draws]
small = next(i for i, (words, actions) in enumerate(sizes) if words >= 5 and actions <= 10)
for command, actions in made[:5]:
    print(f"{command:<48} {actions[:60]}")
checked = verify(Corpus.from_columns(text=[c for c, _ in made], target=[a for _, a in made]))
commands = {command for command, _ in made}
unsampled = [pair for pair in test_pairs if pair[0] not in commands]
print(f"{len(made):,} distinct pairs; the interpreter agrees with {checked.rate:.2%}")
rules = draws[small]["provenance"]["rules"]
draw_pair_derivation(found.core, rules, asked.folder / "derivation.svg")
print(f"the derivation of {draws[small]['text']!r}: {asked.folder / 'derivation.svg'}")
print(f"{len(test_pairs) - len(unsampled):,} of {len(test_pairs):,} test commands are among them")

# %% Two models
# One small LSTM, trained from scratch: once on the training pairs, once with the sampled pairs
# beside them, by the config of the table in docs/experiments/scan.md. Training stops on what is
# trained on;
# test pairs are looked at once, at the end.
heading("Training")
config = config_of(Cell(parts.name, "synchronous", asked.seed))
if asked.fast:
    config = TrainingConfig(
        seed=asked.seed, steps=10, check_every=5, hidden=16, embedding=8, batch=8
    )


def tell(now: Progress) -> None:
    if now.check is not None and now.update % config.check_every == 0:
        print(f"  {now.update:>5,} steps, exact match in training {now.check.exact_match:.1%}")


histories, tests = {}, {}
for name, augmented in (("none", []), ("synchronous", made)):
    model = train(train_pairs, augmented=augmented, config=config, on_progress=tell)
    histories[name], tests[name] = model.history, exact_match(model, test_pairs)
    last = model.history[-1]
    print(f"{name}: {last.update:,} steps [{time.monotonic() - began:.0f} s]")
    print(f"  exact match on what it was trained on  {last.exact_match:.2%}")
    print(f"  exact match on the test commands       {tests[name]:.2%}")
    if augmented and unsampled:
        print(f"  ... on those that were never sampled   {exact_match(model, unsampled):.2%}")

# %% The end
curve = asked.folder / "learning-curve.png"
title = f"SCAN {parts.name}: with and without sampled pairs"
draw_learning_curves(histories, tests, curve, title=title)
print(f"learning curves: {curve}")
