"""Sampling from a treebank grammar as augmentation: new sentences, with trees and labels.

One grammar is induced for each class of the corpus, and the grammars are joined under one start
symbol. New examples are its derivations: with the corpus's own rule probabilities or with flatter
ones, of a given length, with or without given words.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from grammar.arrays import LongArray, pack_strings
from grammar.brackets import write_words
from grammar.counter_rng import stream_key
from grammar.derivation_counts import derivation_count
from grammar.derivations import Derivations
from grammar.errors import OptionError
from grammar.grammar import Grammar
from grammar.rule_distributions import check_tight, reweighted
from grammar.treebank import Treebank
from induction.corpus import PROVENANCE, Corpus
from induction.normalise import ROOT, drop_traces
from sampling.class_grammars import CLASSES, classes_of_rules
from sampling.conditioned import ConditionedDraws, chosen_derivations, word_condition
from sampling.grammar_induction import (
    GrammarOptions,
    induce_grammar,
    read_band,
    read_trees,
)
from sampling.protocol import BATCH, batch_bounds, in_threads, read_options
from sampling.provenance import example_ids, provenance
from sampling.sentences import Derivable, sentence_trees
from sampling.sides import text_bytes
from sampling.splicing import as_lists, as_strings
from sampling.substitution import ShortfallWarning
from sampling.token_texts import hash_rows

if TYPE_CHECKING:
    from induction.text_parsers import TextParser

__all__ = ["GrammarOptions", "GrammarSampler"]

_CHUNK = 4096
_COVERED_AT_ONCE = 256
_PATIENCE = 131_072
_ROUNDS = 32


class _Stream:
    """The attempts of one seed that were kept, as far as they were made."""

    def __init__(self, known: set[int], targets: LongArray) -> None:
        self.known = known
        self.kept: list[LongArray] = []
        self.kept_for: list[LongArray] = []
        self.made = 0
        self.next = 0
        self.idle = 0
        # how often each target was used, or drawn for in vain
        self.used = np.zeros(int(targets.max(initial=-1)) + 1, np.int64)


class GrammarSampler:
    """New sentences of the grammar of a corpus, with trees and labels.

    Build one with :meth:`induce`, or from a grammar that was saved.

    Parameters
    ----------
    grammar : Grammar, TreeSubstitutionGrammar or LexicalisedGrammar
        A joint grammar of classes (:func:`sampling.class_grammars.join_classes`), or one without
        classes.
    options : GrammarOptions, optional
        What to draw; the model and its memory play no part any more.
    corpus : Corpus, optional
        Its texts are not given as new.

    Attributes
    ----------
    grammar
        The grammar as it was induced: counts, and relative frequencies as weights.
    drawn : Grammar or other Derivable
        The same with the rule probabilities of the option ``distribution``. Rule numbers in the
        provenance are those of its PCFG, which are those of the PCFG of ``grammar``.

    Examples
    --------
    >>> corpus = Corpus.from_columns(
    ...     text=["we swim", "they run"], tree=["(S (NP we) (VP swim))", "(S (NP they) (VP run))"]
    ... )
    >>> sorted(GrammarSampler.induce(corpus).sample(2).column("text"))
    ['they swim', 'we run']
    """

    method = "grammar"
    version = "1"
    Options = GrammarOptions

    def __init__(
        self,
        grammar: Any,
        options: GrammarOptions | None = None,
        *,
        corpus: Corpus | None = None,
    ) -> None:
        self.grammar = grammar
        self.options = options or GrammarOptions()
        o = self.options
        self._band = read_band(o.length)
        covering = o.distribution == "coverage"
        rules: Any = "mle" if covering else o.distribution
        self.drawn: Derivable = reweighted(grammar, rules, temperature=o.temperature)
        pcfg = self.drawn if isinstance(self.drawn, Grammar) else self.drawn.pcfg
        self._pcfg: Grammar = pcfg
        self._of_class = classes_of_rules(pcfg) if pcfg.start == CLASSES else None
        self._corpus = corpus
        self._root = ROOT
        if corpus is not None and "tree" in corpus.names:
            first = str(corpus.column("tree")[0]) if len(corpus) else ""
            self._root = "" if first.lstrip("( ").startswith(f"{ROOT} ") else ROOT
        if covering and self._band is None:
            raise OptionError(
                "coverage needs a length band", hint=f"for example length={self._some_band()!r}"
            )
        if self._band is None:
            check_tight(pcfg, f"length={self._some_band()!r}")
        condition = word_condition(o.contains, o.avoid)
        self._draws = ConditionedDraws(
            pcfg, condition, self._band, shares=self._shares(), coverage=covering
        )
        self._streams: dict[int, _Stream] = {}

    def __repr__(self) -> str:
        return f"GrammarSampler({self.grammar!r}, {self.options.distribution})"

    @classmethod
    def induce(
        cls, corpus: Corpus, *, parser: TextParser | None = None, **options: Any
    ) -> GrammarSampler:
        """Induce the grammars of the classes of a corpus.

        Parameters
        ----------
        corpus : Corpus
            With ``tree``, or with ``text`` alone and a parser. With ``label`` (whole numbers) each
            class has a grammar of its own; without, there is one.
        parser : TextParser, optional
            Makes the trees; texts without a parse are left out.
        **options
            Fields of :class:`GrammarOptions`.

        Raises
        ------
        CorpusError
            If there are neither trees nor a parser, a tree or label is missing, labels are
            distributions, or no text has a parse.
        BracketError
            If a tree is malformed.
        OptionError
            If an option is unknown or has a value that cannot be used.
        NotTightError
            If sentences would grow without end; the message names a length band to give.
        LengthBandError, EmptyLanguageError
            If no sentence of some class has such a length, or the words asked for.
        """
        for name in ("contains", "avoid"):
            if isinstance(options.get(name), list | tuple):
                options[name] = " ".join(map(str, options[name]))
        if isinstance(options.get("length"), list | tuple):
            options["length"] = ":".join(map(str, options["length"]))
        chosen = read_options(GrammarOptions, options, cls.method)
        trees, labels = read_trees(corpus, parser)
        grammar = induce_grammar(trees, labels, chosen)
        return cls(grammar, chosen, corpus=corpus)

    def count(self) -> int:
        """Return an upper bound of the number of distinct sentences: that of derivations.

        It is 2 ** 63 - 1 if there are as many or more. Words asked for are not reckoned with.
        """
        most = 2**63 - 1
        found = derivation_count(self._pcfg, self._band)
        return int(found) if found < most else most

    def sample(self, n: int, *, seed: int = 0, start: int = 0) -> Corpus:
        """Draw new examples.

        Attempt a is a function of the seed and a; texts that are not new are passed over. So
        example i is a function of the seed and i.

        With ``distribution="coverage"``, attempts come in blocks of 256, each for one of the rules
        that were used least by the examples so far (a rule that was drawn for in vain counts as
        used once more). Its derivations are drawn in proportion to their probability times their
        uses of the rule. So, as long as no attempt is in vain, R rules are all used by the
        first R examples, and mostly by far fewer.

        Parameters
        ----------
        n : int
            How many.
        seed : int
            Which stream of examples.
        start : int
            How many to skip.

        Returns
        -------
        Corpus
            Columns id, text, label (if there are classes), tree (if asked for) and provenance: the
            rules of the PCFG's derivation in preorder, and its log-probability under the grammar
            drawn from (not given the band or words).

        Warns
        -----
        ShortfallWarning
            If fewer are found; those are returned.

        Raises
        ------
        OptionError
            If ``n``, ``seed`` or ``start`` is not a whole number of zero or more.
        """
        return Corpus(pa.concat_tables(self.batches(n, seed=seed, start=start)))

    def batches(
        self,
        n: int,
        *,
        seed: int = 0,
        start: int = 0,
        workers: int = 1,
        batch_size: int = BATCH,
    ) -> Iterator[pa.Table]:
        """Yield the table of :meth:`sample` in batches; neither they nor threads change a row."""
        bounds = batch_bounds(n, seed=seed, start=start, workers=workers, batch_size=batch_size)

        def tasks() -> Iterator[Callable[[], pa.Table]]:
            for first, stop in bounds:
                attempts, targets = self._attempts(seed, first, stop)
                yield lambda f=first, a=attempts, t=targets: self._table(seed, f, a, t)  # type: ignore[misc]
                if first + len(attempts) < stop:
                    warnings.warn(self._shortfall(n, start, seed), ShortfallWarning, stacklevel=3)
                    return

        return in_threads(tasks(), workers)

    def _shares(self) -> dict[int, float] | None:
        if self._of_class is None or self.options.distribution == "coverage":
            return None
        own = self.grammar if isinstance(self.grammar, Grammar) else self.grammar.pcfg
        found = {c: float(own.weight[self._of_class == c].sum()) for c in self._classes}
        if self.options.shares == "equal":
            return {label: 1 / len(found) for label in found}
        return found

    @property
    def _classes(self) -> list[int]:
        of = self._of_class
        return [] if of is None else np.unique(of[of >= 0]).tolist()

    def _some_band(self) -> str:
        if self._corpus is None or not len(self._corpus):
            return "1:40"
        lengths = [len(text.split()) for text in self._corpus.column("text")]
        return f"{min(lengths)}:{max(lengths)}"

    def _attempts(self, seed: int, first: int, stop: int) -> tuple[LongArray, LongArray]:
        """Return the attempts that make examples ``first`` to ``stop - 1``, or all there are."""
        stream = self._streams.get(seed)
        if stream is None:
            # batches are mostly of one seed, so only the last one is kept
            known = set(self._known_hashes) if self.options.distinct else set()
            stream = _Stream(known, self._draws.targets)
            self._streams = {seed: stream}
        while stream.made < stop and stream.idle < self._patience:
            self._extend(stream, seed)
        empty = np.zeros(0, np.int64)
        stream.kept = [np.concatenate([empty, *stream.kept])]
        stream.kept_for = [np.concatenate([empty, *stream.kept_for])]
        return stream.kept[0][first:stop], stream.kept_for[0][first:stop]

    @property
    def _patience(self) -> int:
        """How many attempts without a new text end a stream."""
        return _ROUNDS * len(self._draws.targets) or _PATIENCE

    def _extend(self, stream: _Stream, seed: int) -> None:
        targets = self._next_targets(stream)
        size = len(targets) or _CHUNK
        draws = self._draw(seed, stream.next, size, targets)
        new = np.ones(size, np.bool_)
        if self.options.distinct:
            known = stream.known
            hashes = hash_rows(*write_words(draws.words, draws.word_offsets, *self._vocabulary))
            new[:] = [h not in known and not known.add(h) for h in hashes.tolist()]  # type: ignore[func-returns-value]
        if len(targets):
            owner = np.repeat(np.arange(size), np.diff(draws.rule_offsets))
            np.add.at(stream.used, draws.rules[new[owner]], 1)
            np.add.at(stream.used, targets[~new], 1)
            stream.kept_for.append(targets[new])
        stream.kept.append(stream.next + np.flatnonzero(new))
        stream.made += int(new.sum())
        stream.next += size
        stream.idle = 0 if new.any() else stream.idle + size

    def _next_targets(self, stream: _Stream) -> LongArray:
        targets = self._draws.targets
        order = np.argsort(stream.used[targets], kind="stable")
        return targets[order[:_COVERED_AT_ONCE]]

    def _draw(self, seed: int, first: int, count: int, targets: LongArray) -> Derivations:
        key = stream_key(seed, self.method)
        if len(targets):
            return self._draws.draw_for(key, np.arange(first, first + count), targets)
        return self._draws.draw(key, first, count)

    @cached_property
    def _vocabulary(self) -> tuple[Any, LongArray]:
        return pack_strings(self._draws.words)

    @cached_property
    def _known_hashes(self) -> set[int]:
        """Hashes of the texts of the corpus, as they are, with single spaces, and as in trees."""
        if self._corpus is None:
            return set()
        known = [pa.array([" ".join(t.split()) for t in self._corpus.column("text")], pa.string())]
        if "tree" in self._corpus.names:
            trees = Treebank.parse("\n".join(self._corpus.column("tree")))
            known.append(drop_traces(trees).texts().cast(pa.string()))
        return {h for texts in known for h in hash_rows(*text_bytes(texts)).tolist()}

    def _shortfall(self, n: int, start: int, seed: int) -> str:
        behind = f" behind the first {start}" if start else ""
        return (
            f"{n} examples were asked for{behind}, but only {self._streams[seed].made} distinct "
            f"new ones were found: {self._patience} attempts in a row made none"
        )

    def _table(self, seed: int, first: int, attempts: LongArray, targets: LongArray) -> pa.Table:
        draws = self._draws.restored(self._again(seed, attempts, targets))
        count = len(draws)
        vocabulary = pack_strings(self._pcfg.rules.words)
        text = as_strings(*write_words(draws.words, draws.word_offsets, *vocabulary))
        columns = {"id": example_ids(self.method, seed, first, count), "text": text}
        if self._of_class is not None:
            columns["label"] = pa.array(self._of_class[draws.rules[draws.rule_offsets[:-1]]])
        if self.options.trees:
            columns["tree"] = self._plain_trees(draws).brackets().cast(pa.string())
        none = np.zeros(count + 1, np.int64)
        columns["provenance"] = provenance(
            self.method,
            self.version,
            seed,
            first,
            parents=as_lists(pa.array([], pa.string()), none),
            spans=as_lists(pa.array([], PROVENANCE.field("spans").type.value_type), none),
            rules=as_lists(pa.array(draws.rules), draws.rule_offsets),
            log_probability=draws.log_probability,
        )
        return pa.table(columns)

    def _again(self, seed: int, attempts: LongArray, targets: LongArray) -> Derivations:
        """Draw attempts that were kept once more: keeping their numbers takes less memory."""
        key = stream_key(seed, self.method)
        if len(targets):
            return self._draws.draw_for(key, attempts, targets)
        parts, done = [], 0
        while done < len(attempts):
            first = int(attempts[done])
            stop = int(np.searchsorted(attempts, first + 16 * _CHUNK))
            last = int(attempts[stop - 1])
            draws = self._draws.draw(key, first, last - first + 1)
            parts.append(chosen_derivations(draws, attempts[done:stop] - first))
            done = stop
        return Derivations.joined(parts) if parts else self._draws.draw(key, 0, 0)

    def _plain_trees(self, draws: Derivations) -> Treebank:
        """Return the trees as those of the corpus: without start symbols that only we have."""
        trees = sentence_trees(self.drawn, draws)
        keep = np.ones(len(trees.label), np.bool_)
        top = trees.offsets[:-1].copy()
        for name in (CLASSES, self._root):
            ours = trees.label[top] == trees.symbols.id(name)
            keep[top[ours]] = False
            top[ours] += 1
        return trees.keep_nodes(keep)
