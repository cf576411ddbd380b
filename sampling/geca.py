"""GECA: good-enough compositional data augmentation (Andreas 2020)."""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar.counter_rng import stream_key
from grammar.errors import SchemaError
from induction.corpus import PROVENANCE, Corpus
from sampling.derivations import draw_fillers, exponential_keys, same_result
from sampling.geca_induction import induce_grammar
from sampling.geca_options import Draw, Pool, settings_of, whole_number
from sampling.substitution import HOLE, ShortfallWarning, SubstitutionGrammar, filler_words

__all__ = ["GECA"]

VERSION = "1"
"""Raised whenever the same seed would give other bytes."""


class Derivations(NamedTuple):
    """Derivations of new examples: their rules, log-probabilities, and the example each makes."""

    context: NDArray[np.int32]
    filler: NDArray[np.int32]
    log_probability: NDArray[np.float64]
    example: NDArray[np.int64]


class GECA:
    """Fill every context of a corpus with fragments that occur where its own fragment occurs.

    Build one with :meth:`induce`, or from a loaded grammar.

    Parameters
    ----------
    grammar : SubstitutionGrammar
        A grammar induced by :meth:`induce`.

    Raises
    ------
    SchemaError
        If the grammar was induced by another method.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=[
    ...     "she picks the wug up in Fresno", "she puts the wug down in Tempe",
    ...     "Pat picks cats up", "Pat puts cats down"])
    >>> sampler = GECA.induce(corpus, gaps=2, size=1)
    >>> sampler.count()
    2
    >>> sorted(sampler.sample().column("text"))
    ['she picks the wug up in Tempe', 'she puts the wug down in Fresno']

    References
    ----------
    Jacob Andreas. 2020. Good-Enough Compositional Data Augmentation. ACL.
    """

    def __init__(self, grammar: SubstitutionGrammar) -> None:
        if grammar.method != "geca":
            raise SchemaError(
                f"a substitution grammar of the method {grammar.method!r}, not 'geca'",
                hint="give it to the sampler of its own method",
            )
        if missing := {"variants", "limit", "draw"} - set(grammar.options):
            raise SchemaError(
                f"the grammar lacks the options {', '.join(sorted(missing))}",
                hint="induce it again with GECA.induce",
            )
        self.grammar = grammar
        self._last: tuple[int, NDArray[np.int64]] | None = None

    def __repr__(self) -> str:
        return f"GECA({self.grammar!r})"

    @classmethod
    def induce(
        cls,
        corpus: Corpus,
        *,
        gaps: int = 2,
        size: int = 1,
        window: int | None = None,
        max_count: int | None = None,
        max_length: int | None = None,
        max_host_length: int | None = None,
        pool: Pool | None = None,
        disjoint: bool | None = None,
        max_adjacencies: int | None = None,
        variants: int | None = None,
        limit: int | None = None,
        draw: Draw | None = None,
        separator: str = "##",
        faithful: Literal["paper", "code"] = "paper",
    ) -> GECA:
        """Induce the substitution grammar of a corpus.

        A *fragment* is up to ``gaps`` n-grams of up to ``size`` words that share no word, each
        starting after the begin of the one before. Cutting **all** occurrences of its n-grams out
        of an example leaves a *context*. Two fragments are interchangeable if they occur in at
        least one same environment; a context that holds one of them then also admits the other
        (Andreas 2020, the boxed operation of section 3).

        Examples with a ``target`` are pairs: one sequence of text, separator and target. No n-gram
        contains the separator, a fragment must touch both sides of the context it is cut from, and
        a new example is new on both sides. Examples that are equal word by word count once.

        Parameters
        ----------
        corpus : Corpus
            With ``text``, and ``target`` if the examples are pairs. Words are what stands between
            white space; spacing is kept.
        gaps, size : int
            Most n-grams in a fragment, and most words in an n-gram. The paper has size 1 for
            SCAN, 2 for language models and 4 for semantic parsing; time and memory grow with
            its power, so longer n-grams want ``max_count`` too.
        window : int, optional
            Words on either side of every hole that make its environment; None is the whole context.
        max_count : int, optional
            Leave out n-grams that occur more often than this (the code's ``wug_limit``).
        max_length : int, optional
            Most words of a new example, both sides and the separator together.
        separator : str
            A word that does not occur in the corpus; it parts text and target in the grammar.
        faithful : {"paper", "code"}
            Which defaults the options below have. "paper" is the operation as defined. "code" is
            what the authors' program did for SCAN; every difference is one of these options:
        max_host_length : int, optional
            Longer examples are not cut (they still count as known). Paper: no limit; code: 39
            ("under 40").
        pool : {"fragments", "templates"}
            What fillers are counted by. Paper, "fragments": all interchangeable ones, by how many
            examples hold them. Code, "templates": by how many *neighbouring templates* offer them,
            so one offered by 1,000 is drawn 1,000 times as often as one offered once. A neighbour
            shares a filler with the context, and offers only if it holds two fillers or more
            (this excludes nothing when environments are whole contexts). With a window, the
            paper's fragments share an environment; in the code they share a whole context, and
            the window says which other contexts may be filled like it.
        disjoint : bool
            Refuse a filler that shares an n-gram with every filler the context holds. Paper: no;
            code: yes.
        max_adjacencies : int, optional
            A template becomes the neighbour of only so many that share one filler with it. Paper:
            no limit; code: 1,000 for SCAN, taken in the order of a Python set; here in a fixed
            pseudo-random order. (The cut was in force when the published SCAN examples were made,
            and was lost in the program's last version.) Needs ``pool="templates"``.
        variants : int, optional
            Most fillers drawn for a context, new or not. Paper: all; code: 2.
        limit : int, optional
            Most examples given for one seed (the code's ``n_sample``). Paper: no limit; code:
            1,000.
        draw : {"uniform", "weighted", "corpus"}
            How examples are ordered. Paper, "uniform": at random, each alike; "weighted": at
            random, by their probability under the grammar. Code, "corpus": by context in the order
            of the corpus.

        Raises
        ------
        CorpusError
            If the corpus is empty or lacks a text or target, a word is a reserved mark, or no new
            example can be made (the message says which requirement left none).
        OptionError
            If an option has a value that cannot be used, or too many substitutions are licensed.

        Notes
        -----
        Not taken over from the program: it leaves out 640 training examples for validation before
        it augments; with a window, holes within ``window`` words of the beginning have an empty
        environment (a negative slice); with three gaps and longer n-grams, some fragments are
        passed over (an index into the sequence is used on the shortened template).

        Memory and time grow with the number of fragments, (words x size) ** gaps an example.
        """
        options = {
            "gaps": gaps,
            "size": size,
            "window": window,
            "max_count": max_count,
            "max_length": max_length,
            "max_host_length": max_host_length,
            "pool": pool,
            "disjoint": disjoint,
            "max_adjacencies": max_adjacencies,
            "variants": variants,
            "limit": limit,
            "draw": draw,
        }
        return cls(induce_grammar(corpus, settings_of(faithful, options), separator))

    def count(self) -> int:
        """Return the number of distinct new examples that the grammar derives."""
        return int(self._derivations.example.max()) + 1

    @cached_property
    def _derivations(self) -> Derivations:
        grammar = self.grammar
        lengths = np.diff(grammar.class_offsets)[grammar.context_class]
        context = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        ends = np.concatenate(([0], np.cumsum(lengths)))
        within = np.arange(ends[-1]) - np.repeat(ends[:-1], lengths)
        begin = grammar.class_offsets[:-1][grammar.context_class]
        filler = grammar.class_fillers[np.repeat(begin, lengths) + within]
        width = len(grammar.fillers)
        owner = np.repeat(np.arange(len(lengths)), np.diff(grammar.barred_offsets))
        new = ~np.isin(
            context.astype(np.int64) * width + filler, owner * width + grammar.barred_fillers
        )
        context, filler = context[new], filler[new]
        columns = grammar.tokens
        example = same_result(
            (
                columns.context_offsets,
                columns.context_tokens,
                columns.filler_offsets,
                columns.filler_tokens,
            ),
            columns.gaps,
            context,
            filler,
        )
        first = np.unique(example)
        return Derivations(
            context,
            filler,
            grammar.log_probability(context, filler),
            np.searchsorted(first, example),
        )

    def sample(self, n: int | None = None, *, seed: int = 0, start: int = 0) -> Corpus:
        """Draw new examples without replacement.

        The i-th example is a function of the grammar, the seed and i alone:
        ``sample(10)`` followed by ``sample(10, start=10)`` is ``sample(20)``.

        Parameters
        ----------
        n : int, optional
            How many; None is all there are.
        seed : int
            Which permutation of the examples (and, with ``variants``, which of them) to draw.
        start : int
            How many to skip.

        Returns
        -------
        Corpus
            Columns id, text, target (if the corpus had one) and provenance: parents are the host
            and a donor of the filler, spans the words of ``text`` that were put in, rules the
            context and the filler, and log_probability that of the likeliest derivation.

        Warns
        -----
        ShortfallWarning
            If fewer than ``n`` examples are left; those are returned.

        Raises
        ------
        OptionError
            If ``n``, ``seed`` or ``start`` is not a whole number of zero or more.

        References
        ----------
        Efraimidis & Spirakis 2006, Weighted random sampling with a reservoir.
        """
        whole_number("start", start, 0)
        if n is not None:
            whole_number("n", n, 0)
        whole_number("seed", seed, 0)
        order = self._order(seed)
        if n is not None and start + n > len(order):
            warnings.warn(self._shortfall(n, start, len(order)), ShortfallWarning, stacklevel=2)
        stop = len(order) if n is None else start + n
        return self._spell_out(order[start:stop], seed, start)

    def _order(self, seed: int) -> NDArray[np.int64]:
        """Return the derivation of every example of a seed, in the order of the draw."""
        # batches are mostly of one seed, so the last order is kept
        if self._last is None or self._last[0] != seed:
            self._last = seed, self._draw(seed)
        return self._last[1]

    def _draw(self, seed: int) -> NDArray[np.int64]:
        options = self.grammar.options
        derivations = self._derivations
        key = stream_key(seed, "geca")
        chosen = np.arange(len(derivations.context))
        if options["variants"] is not None:
            chosen = self._chosen(key, options["variants"])
        likely = derivations.log_probability[chosen]
        by_example = chosen[np.lexsort((chosen, -likely, derivations.example[chosen]))]
        examples, first = np.unique(derivations.example[by_example], return_index=True)
        order = by_example[first]
        if options["draw"] != "corpus":
            weights: NDArray[np.float64] = np.ones(self.count())
            if options["draw"] == "weighted":
                probability = np.exp(likely)
                drawn = derivations.example[chosen]
                weights = np.bincount(drawn, probability, len(weights)).astype(np.float64)
                weights[weights == 0] = 1.0  # an example that is not chosen; its key is not used
            order = order[np.argsort(exponential_keys(key, weights)[examples], kind="stable")]
        return order[: options["limit"]]

    def _chosen(self, key: np.uint64, variants: int) -> NDArray[np.int64]:
        """Return the derivations of new examples among those drawn for each context."""
        grammar = self.grammar
        context, entry = draw_fillers(
            key, grammar.context_class, grammar.class_offsets, grammar.class_counts, variants
        )
        width = len(grammar.fillers)
        drawn = np.unique(context * width + grammar.class_fillers[entry])
        known = self._derivations.context.astype(np.int64) * width + self._derivations.filler
        return np.flatnonzero(np.isin(known, drawn))

    def _shortfall(self, n: int, start: int, available: int) -> str:
        options = self.grammar.options
        reasons = [
            f"{name}={options[name]}" for name in ("variants", "limit") if options[name] is not None
        ]
        why = f"with {' and '.join(reasons)} this seed gives" if reasons else "the grammar derives"
        asked = f"{n} examples" + (f" from number {start}" if start else "")
        return f"{asked} were asked for, but {why} {available} distinct new ones, not more"

    def _spell_out(self, chosen: NDArray[np.int64], seed: int, start: int) -> Corpus:
        grammar, derivations = self.grammar, self._derivations
        context, filler = derivations.context[chosen], derivations.filler[chosen]
        texts, targets, spans, parents = [], [], [], []
        for c, f in zip(context.tolist(), filler.tolist(), strict=True):
            pattern, words = grammar.contexts[c], filler_words(grammar.fillers[f])
            source = pattern
            if grammar.separator is not None:
                source, _, target = pattern.partition(f" {grammar.separator} ")
                targets.append(_fill(target, words))
            texts.append(_fill(source, words))
            spans.append(_spans(source, words))
            parents.append([grammar.hosts[c], grammar.donors[f]])
        columns: dict[str, Any] = {
            "id": [f"geca-{seed}-{i}" for i in range(start, start + len(texts))],
            "text": texts,
        }
        if grammar.separator is not None:
            columns["target"] = targets
        provenance = {
            "method": ["geca"] * len(texts),
            "version": [VERSION] * len(texts),
            "seed": [int(seed)] * len(texts),
            "index": np.arange(start, start + len(texts)),
            "parents": parents,
            "spans": spans,
            "rules": list(np.stack([context, filler + len(grammar.contexts)], axis=1)),
            "log_probability": derivations.log_probability[chosen],
        }
        fields = [pa.array(provenance[field.name], type=field.type) for field in PROVENANCE]
        columns["provenance"] = pa.StructArray.from_arrays(fields, fields=list(PROVENANCE))
        return Corpus.from_columns(**columns)


def _fill(pattern: str, words: list[list[str]]) -> str:
    return HOLE.sub(lambda mark: " ".join(words[int(mark[1])]), pattern)


def _spans(pattern: str, words: list[list[str]]) -> list[dict[str, int]]:
    """Return where the words that fill the holes of a pattern come to stand."""
    spans, position = [], 0
    for token in pattern.split():
        mark = HOLE.fullmatch(token)
        length = len(words[int(mark[1])]) if mark else 1
        if mark:
            spans.append({"start": position, "end": position + length})
        position += length
    return spans
