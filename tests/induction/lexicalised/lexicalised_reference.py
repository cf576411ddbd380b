"""A slow, obvious twin of the smoothed lexicalised PCFG: dictionaries, recursion, all trees."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict

from induction.trees.unknown import signature

__all__ = ["SlowModel"]


def back_off(counts, contexts, event, weight, base):
    """Interpolate from the most general context to the most special one."""
    for context in contexts:
        seen = counts[context]
        if not seen:
            break
        n, u = seen.total(), len(seen)
        base = n / (n + weight * u) * seen[event] / n + weight * u / (n + weight * u) * base
    return base


def bare(label):
    return label.split("|<")[0].split("^<")[0]


class SlowModel:
    """Read off the productions of a grammar, and its lexicon for words alone."""

    def __init__(self, model):
        grammar, self.smoothing, self.lexicon = model.grammar, model.smoothing, model.lexicon
        self.start = grammar.start
        names = grammar.categories
        symbols = [
            (names[c], grammar.words[w] if w >= 0 else None, names[t] if w >= 0 else None)
            for c, w, t in grammar.symbols.tolist()
        ]
        rows = [
            (symbols[lhs], [symbols[c] for c in (first, second) if c >= 0], head, count)
            for (lhs, first, second, head), count in zip(
                zip(*(column.tolist() for column in grammar.rules), strict=True),
                grammar.count.tolist(),
                strict=True,
            )
        ]
        self.frequency = Counter()
        self.tag_frequency = Counter()
        for (category, word, _), children, _, count in rows:
            if word and not children:
                self.frequency[word] += count
                self.tag_frequency[category] += count
        self.choice = defaultdict(Counter)
        self.by_label = defaultdict(Counter)
        self.tag = defaultdict(Counter)
        self.word = defaultdict(Counter)
        for lhs, children, head, count in rows:
            self.count(lhs, children, head, count)
        self.reach = defaultdict(set)
        for _ in range(20):
            for label, choices in self.by_label.items():
                for choice in choices:
                    self.reach[label] |= self.tags_of(label, choice)

    def tags_of(self, label, choice):
        children, head = choice
        return self.reach[children[head]] if children else {label}

    def context(self, word):
        seen = self.frequency[word] > self.smoothing.rare_words
        return word if seen else ("class", signature(word))

    def count(self, lhs, children, head, count):
        label, word, tag = lhs
        if word is None:
            self.count_dependent(children[0], ("root",), (), (), count)
            return
        choice = (tuple(child[0] for child in children), head)
        own = self.context(word)
        self.by_label[label][choice] += count
        self.choice[label, tag][choice] += count
        self.choice[label, tag, own][choice] += count
        if len(children) == 2:
            attachment = self.attachment(label, choice)
            self.count_dependent(children[1 - head], attachment, tag, own, count)

    def attachment(self, label, choice):
        children, head = choice
        return (bare(label), head, bare(children[head]), "|<" in children[head])

    def count_dependent(self, dependent, attachment, tag, word, count):
        label, own, own_tag = dependent
        for context in self.tag_contexts(label, attachment, tag, word):
            self.tag[context][own_tag] += count
        for context in self.word_contexts(label, own_tag, attachment, tag, word):
            self.word[context][own] += count

    def tag_contexts(self, label, *rest):
        return [(label, *rest[:i]) for i in range(4)]

    def word_contexts(self, label, tag, *rest):
        return [(bare(label), tag, *rest[:i]) for i in range(4)]

    def p_choice(self, choice, label, tag, word):
        """``word`` is a context."""
        if tag not in self.tags_of(label, choice):
            return 0.0
        can = [c for c in self.by_label[label] if tag in self.tags_of(label, c)]
        total = sum(self.by_label[label][c] for c in can)
        contexts = [(label, tag), (label, tag, word)]
        base = self.by_label[label][choice] / total
        return back_off(self.choice, contexts, choice, self.smoothing.choice_weight, base)

    def p_tag(self, tag, label, *rest):
        if tag not in self.reach[label]:
            return 0.0
        total = sum(self.tag_frequency[t] for t in self.reach[label])
        base = self.tag_frequency[tag] / total
        contexts = self.tag_contexts(label, *rest)
        return back_off(self.tag, contexts, tag, self.smoothing.tag_weight, base)

    def p_word(self, word, emission, tag, label, *rest):
        contexts = self.word_contexts(label, tag, *rest)
        return back_off(self.word, contexts, word, self.smoothing.word_weight, emission)

    def all_trees(self, sentence, emission):
        """Return the probability of every lexicalised tree: nested (label, head, children)."""
        tags = sorted(self.tag_frequency)

        def dependent(label, head, *rest):
            place, tag = head
            word, given = sentence[place], emission[place, tags.index(tag)]
            return self.p_tag(tag, label, *rest) * self.p_word(word, given, tag, label, *rest)

        def below(label, begin, end):
            """Trees whose label and head are given, with probability."""
            for choice in self.by_label[label]:
                children, _ = choice
                if not children:
                    if end == begin + 1:
                        yield from close(label, (begin, label), choice, (), 1.0)
                elif len(children) == 1:
                    for tree, p in below(children[0], begin, end):
                        yield from close(label, tree[1], choice, (tree,), p)
                else:
                    yield from pairs(label, choice, begin, end)

        def pairs(label, choice, begin, end):
            children, side = choice
            for split in range(begin + 1, end):
                parts = below(children[0], begin, split), below(children[1], split, end)
                for (first, p), (second, q) in itertools.product(*map(list, parts)):
                    head, other = ((first, second), (second, first))[side]
                    place, tag = head[1]
                    own = self.context(sentence[place])
                    rest = (self.attachment(label, choice), tag, own)
                    r = dependent(other[0], other[1], *rest)
                    yield from close(label, head[1], choice, (first, second), p * q * r)

        def close(label, head, choice, children, p):
            place, tag = head
            own = self.context(sentence[place])
            yield (label, head, children), p * self.p_choice(choice, label, tag, own)

        trees = {}
        for tree, p in below(self.start, 0, len(sentence)):
            value = p * dependent(self.start, tree[1], ("root",), (), ())
            if value > 0.0:
                trees[tree] = value
        return trees
