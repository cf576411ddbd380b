"""The demo's report: a Markdown page and the pictures it links."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grammar.files import write_text
from grammar.pictures.neighbourhood import draw_neighbourhood
from grammar.trees.draw import draw_trees
from grammar.trees.tree import Tree
from treewright.version import __version__

if TYPE_CHECKING:
    from scan.experiment import Outcome
    from scan.models.files import Check

__all__ = ["Cell", "grammar_part", "scan_part", "write_report"]

_LENGTHS = (5, 14)


@dataclass(frozen=True)
class Cell:
    """What one training process brought back."""

    outcome: Outcome
    history: tuple[Check, ...]


def grammar_part(folder: Path, *, sentences: int, seed: int) -> str:
    """Induce grammars of the embedded treebank, sample from one, draw both; return Markdown."""
    from induction.corpus.corpus import Corpus
    from induction.corpus.readers import read_reviews, read_treebank
    from induction.counts.pcfg import induce_pcfg
    from induction.trees.normalise import DEFAULT_STEPS
    from sampling.operators.method import Fluent
    from scan.table import markdown_table

    treebank = read_treebank()
    grammar = induce_pcfg(treebank, steps=(*DEFAULT_STEPS, "initials"), vertical_markov=2)
    grammar.save(folder / "grammar.json")
    symbol = "NP^<S>"
    draw_neighbourhood(grammar.graph, symbol, folder / "graph.svg")
    draw_neighbourhood(grammar.graph, symbol, folder / "graph.png")
    method = f"grammar(length={_LENGTHS[0]}:{_LENGTHS[1]})"
    reviews = Corpus(read_reviews().table.drop_columns(["domain"]))
    sampler = Fluent.induce(reviews, of=method)
    sampler.grammar.save(folder / "sentences.arrow")
    made = sampler.sample(sentences, seed=seed)
    trees = [Tree.parse(text) for text in made.column("tree")]
    titles = [f"{i + 1}. {text}" for i, text in enumerate(made.column("text"))]
    draw_trees(trees, folder / "trees.svg", titles=titles)
    draw_trees(trees[:4], folder / "trees.png", titles=titles[:4])
    rows = [(i + 1, text) for i, text in enumerate(made.column("text"))]
    return f"""## 1. A corpus becomes a grammar

{len(treebank)} review sentences with trees, written for this project, give a PCFG with parent
annotation. It is saved as a networkx graph in [grammar.json](grammar.json); open it with
`treewright inspect {folder}/grammar.json --lhs "{symbol}"`.

```text
{grammar.check()}
```

The rules of `{symbol}` (a noun phrase under a clause) in that graph ([SVG](graph.svg)):

![The neighbourhood of {symbol} in the grammar graph](graph.png)

### New sentences

Such rules mix words freely. Rules that remember their head words keep who does what to whom, and
drawing those sentences more often whose words and tags cohere does the rest. `fluent({method})`,
one grammar for each class of the reviews, {sentences} draws as they came (seed {seed}); none is in
the corpus. The class of a sentence is that of its grammar. It does not always fit the words, so it
is not shown here; `treewright sample` writes it:

{markdown_table(("", "sentence"), rows)}

More of them: `treewright sample {folder}/sentences.arrow -n 50 --seed 1`.

The trees of the first four ([all, SVG](trees.svg)):

![Sampled trees](trees.png)
"""


def scan_part(folder: Path, split: str, cells: Sequence[Cell], *, pairs: int, seed: int) -> str:
    """Write the new pairs and the learning curves of a split; return Markdown."""
    from sampling.geca.method import GECA
    from scan.generator import verify
    from scan.learning_curves import draw_learning_curves
    from scan.splits import split as published_split
    from scan.splits import write_pairs
    from scan.table import markdown_table

    train = published_split(split).train
    sampler = GECA.induce(train, size=1)
    made = sampler.sample(min(pairs, sampler.count()), seed=seed)
    write_pairs(made, folder / "new-pairs.txt")
    draw_learning_curves(
        {cell.outcome.method: cell.history for cell in cells},
        {cell.outcome.method: cell.outcome.test_exact for cell in cells},
        folder / "learning-curve.png",
        title=f"SCAN {split}: learning training pairs, and the test at the end",
    )
    rows = [
        (
            cell.outcome.method,
            f"{cell.outcome.train_pairs:,}",
            f"{cell.outcome.synthetic_pairs:,}",
            f"{cell.outcome.steps:,}",
            f"{cell.outcome.train_exact:.2%}",
            f"**{cell.outcome.test_exact:.2%}**",
            _share(cell.outcome.unsampled_exact),
            f"{cell.outcome.seconds:.0f} s",
        )
        for cell in cells
    ]
    header = (
        "augmentation", "training pairs", "new pairs", "steps", "train exact",
        "test exact", "test exact, not sampled", "training",
    )  # fmt: skip
    geca = cells[-1].outcome
    examples = [(row["text"], f"`{row['target'][:70]}`") for row in list(made)[:5]]
    return f"""## 2. A grammar from training pairs solves SCAN {split}

GECA (Andreas 2020) sees the training pairs only. It induces which fragments of pairs are
interchangeable, and can make **{sampler.count():,}** distinct new pairs from them. Of these
**{len(made):,}**, drawn at random, are trained on ([new-pairs.txt](new-pairs.txt)), such as:

{markdown_table(("command", "actions"), examples)}

The interpreter, used as a check and never as a source of labels, agrees with
**{verify(made).rate:.2%}** of them. {geca.sampled_tests:,} of the {geca.test_pairs:,} test commands
are among them, so the accuracy on the others is given in a column of its own.

The same small model and config, trained from scratch with and without them (seed {seed}); training
stops on *training* exact match, and test pairs are looked at once:

{markdown_table(header, rows)}

![Learning curves](learning-curve.png)
"""


def write_report(folder: Path, parts: Iterable[str], *, seconds: float) -> Path:
    """Write report.md from its parts."""
    path = folder / "report.md"
    write_text(
        path,
        "# Treewright demo\n\n"
        f"treewright {__version__}, Python {platform.python_version()}, "
        f"{platform.machine()}; {seconds / 60:.1f} minutes.\n\n" + "\n".join(parts),
    )
    return path


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2%}"
