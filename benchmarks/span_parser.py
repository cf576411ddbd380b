"""A span parser on an encoder, on the tenth of NLTK's treebank sample that none of it saw.

    python -m benchmarks.span_parser [--development] [--train whole] [--steps 2000] \
        [--learning_rate 1e-4]

The trees are divided as in ``benchmarks.accuracy``; sentences of at most 40 words are tested.
The last line is what the parser does in a second of one core, the encoder included.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import fields

from benchmarks.accuracy import split
from classifiers import read_structured_config, train_structured
from classifiers.structured.config import StructuredConfig
from induction import corpus_of_trees


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--development", action="store_true")
    for option in fields(StructuredConfig):
        kind = type(option.default) if option.default is not None else float
        arguments.add_argument(f"--{option.name}", type=kind, default=option.default)
    asked = vars(arguments.parse_args())
    train, test = split(development=asked.pop("development"))
    config = read_structured_config(**asked)
    begin = time.process_time()
    model = train_structured("constituency", corpus_of_trees(train), config, on_update=told)
    trained = time.process_time() - begin
    tested = corpus_of_trees(test)
    begin = time.process_time()
    scores = model.score(tested)
    seconds = time.process_time() - begin
    said = ", ".join(f"{name} {value:.2f}" for name, value in scores.items())
    print(f"{config.train}: {said}; {trained:.0f} s of processor time to learn")
    print(f"{len(tested) / seconds:.0f} sentences/s")


def told(update: int, loss: float) -> None:
    if not update % 100:
        print(f"  {update}: {loss:.3f}", flush=True)


if __name__ == "__main__":
    main()
