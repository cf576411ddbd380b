"""What users of NLTK type first: trees, grammars, parsers, treebanks."""

from tests.compatibility.tasks import Task, carried_out, each

ELEPHANT = """
GRAMMAR = '''
    S -> NP VP
    NP -> Det N | 'I' | NP PP
    VP -> V NP | VP PP
    PP -> P NP
    Det -> 'an' | 'my'
    N -> 'elephant' | 'pajamas'
    V -> 'shot'
    P -> 'in'
'''
"""

DOGS = """
grammar = Grammar.fromstring('''
    S -> NP VP [1]
    NP -> 'the' N [3/4] | NP PP [1/4]
    VP -> V NP [1]
    PP -> 'in' NP [1]
    N -> 'dog' [1/2] | 'cat' [1/2]
    V -> 'saw' [1]
''')
"""

TASKS = {
    "sentences up to a depth": Task(
        DOGS + "list(tw.generate(grammar, depth=5, n=3))",
        hint="from nltk.parse.generate import generate; generate(grammar.to_nltk(), depth=5)",
        mended=DOGS
        + """from nltk.parse.generate import generate; made = generate(grammar.to_nltk(), depth=5)
assert "the dog saw the cat".split() in list(made)
assert len(tw.generate(grammar, length=(1, 8))) == 10
""",
    ),
    "a method that makes sentences": Task(
        DOGS + "grammar.generate(depth=5)",
        hint="generate(grammar, 5) of treewright draws sentences",
        mended=DOGS + "assert len(tw.generate(grammar, 5)) == 5",
    ),
    "arrays of torch": Task(
        DOGS + "grammar.to_torch()",
        hint="{name: torch.as_tensor(one) for name, one in grammar.compiled._asdict().items()}",
        mended=DOGS
        + """import torch
made = {name: torch.as_tensor(one) for name, one in grammar.compiled._asdict().items()}
assert made["log_weight"].exp().sum() == 6
""",
        needs=["torch"],
    ),
    "symbols and words in a grammar": Task(
        DOGS
        + """assert "NP" in grammar and "dog" in grammar and "fish" not in grammar
assert grammar.productions()[0] in grammar
assert grammar.productions(empty=True) == []
assert grammar.productions()[0].lhs().symbol() == "S"
""",
    ),
    "Chomsky normal form": Task(
        DOGS + "grammar.chomsky_normal_form()",
        hint="operations.cnf(grammar) of grammar",
        mended=DOGS
        + """from grammar import operations
assert all(len(p.rhs) <= 2 for p in operations.cnf(grammar))
""",
    ),
    "form of a grammar": Task(
        DOGS + "grammar.is_binarised()",
        hint="grammar.to_nltk().is_binarised",
        mended=DOGS + "assert grammar.to_nltk().is_binarised()",
    ),
    "words that a grammar lacks": Task(
        DOGS + "grammar.check_coverage(['the', 'fish'])",
        hint="grammar.to_nltk().check_coverage",
        mended=DOGS
        + """import pytest
with pytest.raises(ValueError, match="fish"):
    grammar.to_nltk().check_coverage(['the', 'fish'])
""",
    ),
    "left corners": Task(
        DOGS + "grammar.leftcorners('S')",
        hint="grammar.to_nltk().leftcorners(nltk.Nonterminal('S'))",
        mended=DOGS
        + """import nltk
assert nltk.Nonterminal("NP") in grammar.to_nltk().leftcorners(nltk.Nonterminal('S'))
""",
    ),
    "whether a grammar accepts a sentence": Task(
        DOGS + "grammar.accepts('the dog saw the cat')",
        hint="isinstance(grammar.parse_sentence(words), Tree)",
        mended=DOGS
        + """words = "the dog saw the cat"
assert isinstance(grammar.parse_sentence(words), Tree)
""",
    ),
    "the probability of a sentence": Task(
        DOGS + "grammar.log_prob('the dog saw the cat')",
        hint="Parser(grammar).inside(words)",
        mended=DOGS
        + """import math
words = "the dog saw the cat".split()
assert math.isclose(math.exp(Parser(grammar).inside(words)), 9 / 64)
""",
    ),
    "rules of a grammar on a screen": Task(
        DOGS + "grammar.pprint()",
        hint="print(grammar.to_text())",
        mended=DOGS + "print(grammar.to_text())",
    ),
    "symbols of a grammar": Task(
        DOGS + "grammar.nonterminals",
        hint="grammar.rules.nonterminals",
        mended=DOGS + "assert 'NP' in grammar.rules.nonterminals and 'dog' in grammar.rules.words",
    ),
    "a picture of a grammar": Task(
        DOGS + "grammar.draw()",
        hint="grammar.describe().draw('grammar.svg')",
        mended=DOGS + "grammar.describe().draw('grammar.svg')",
    ),
    "a grammar of a file": Task(
        """
open("a.txt", "w").write("S -> 'so' [1]")
tw.Grammar.from_file("a.txt")
""",
        hint="open_grammar(path) opens a grammar of any family",
        mended="""
open("a.txt", "w").write("S -> 'so' [1]")
assert len(tw.open_grammar("a.txt")) == 1
""",
    ),
    "a grammar of a text": Task(
        """
tw.Grammar.from_string("S -> 'so' [1]")
""",
        hint="Grammar.parse(text) reads rules",
        mended="""
assert len(tw.Grammar.parse("S -> 'so' [1]")) == 1
""",
    ),
    "tree from brackets": Task(
        """
tree = Tree.fromstring("(S (NP I) (VP (V saw) (NP him)))")
tree.pretty_print()
assert tree.leaves() == ("I", "saw", "him")
assert tree.height() == 4
""",
    ),
    "subtrees by label": Task(
        """
tree = Tree.fromstring("(S (NP I) (VP (V saw) (NP him)))")
found = [s.leaves() for s in tree.subtrees(lambda t: t.label() == "NP")]
assert found == [("I",), ("him",)]
""",
    ),
    "children by place": Task(
        """
tree = Tree.fromstring("(S (NP I) (VP (V saw) (NP him)))")
assert tree[0].label() == "NP"
assert tree[1][1][0] == tree[1, 1, 0] == "him"
assert len(tree) == 2
assert [child.label() for child in tree] == ["NP", "VP"]
""",
    ),
    "tree from parts": Task(
        """
tree = Tree("S", [Tree("NP", ["I"]), Tree("VP", ["saw"])])
assert str(tree) == "(S (NP I) (VP saw))"
assert [p.text for p in tree.productions()][0] == "S -> NP VP"
""",
    ),
    "tree in a window": Task(
        """
Tree.fromstring("(S a)").draw()
""",
        hint="draw_tree(tree, 'tree.svg')",
        mended="""
import grammar
tree = Tree.fromstring("(S a)")
grammar.draw_tree(tree, 'tree.svg')
""",
    ),
    "grammar from a string": Task(
        ELEPHANT
        + """grammar = tw.CFG.fromstring(GRAMMAR)
""",
        hint="CFG is called Grammar here",
        mended=ELEPHANT
        + """grammar = tw.Grammar.fromstring(GRAMMAR)
assert len(grammar.productions(lhs="NP")) == 3
assert [str(p.lhs) for p in grammar.productions(rhs="in")] == ["P"]
""",
    ),
    "parts of a grammar": Task(
        ELEPHANT
        + """import nltk
grammar = Grammar.fromstring(GRAMMAR)
assert grammar.start() == "S"
production = grammar.productions(lhs=nltk.Nonterminal("NP"))[0]
assert str(production.lhs()) == "NP"
assert len(production.rhs()) == 2
""",
    ),
    "probability of a production": Task(
        """
production = Grammar.fromstring("S -> 'a' S [0.4] | 'b' [0.6]").productions()[0]
production.prob()
""",
        hint="it is production.weight",
        mended="""
production = Grammar.fromstring("S -> 'a' S [0.4] | 'b' [0.6]").productions()[0]
assert production.weight == 0.6
""",
    ),
    "one parse": Task(
        """
Parser(Grammar.fromstring("S -> 'a' S | 'b'")).parse_one(["a", "b"])
""",
        hint="next(parser.parse(words), None)",
        mended="""
parser, words = Parser(Grammar.fromstring("S -> 'a' S | 'b'")), ["a", "b"]
assert str(next(parser.parse(words), None)) == "(S a (S b))"
""",
    ),
    "a grammar as it is printed": Task(
        """
import nltk
theirs = nltk.CFG.fromstring("S -> NP 'ran'\\nNP -> 'we'")
ours = Grammar.fromstring(str(theirs))
assert ours.start == "S" and len(ours.productions()) == 2
""",
    ),
    "tags of words": Task(
        """
tw.pos_tag("We slept .".split())
""",
        hint="parse('We slept.').pos()",
        mended="""
tags = parse('We slept.').pos()
assert [word for word, _ in tags] == ["We", "slept", "."]
""",
    ),
    "sentences": Task(
        """
tw.sent_tokenize("We ran. We slept.")
""",
        hint="[text[a:b] for a, b in sentence_spans(text)]",
        mended="""
text = "We ran. We slept."
assert [text[a:b] for a, b in sentence_spans(text)] == ["We ran.", "We slept."]
""",
    ),
    "probabilistic grammar": Task(
        """
grammar = tw.PCFG.fromstring("S -> 'a' S [0.4] | 'b' [0.6]")
""",
        hint="PCFG is called Grammar here",
        mended="""
grammar = tw.Grammar.fromstring("S -> 'a' S [0.4] | 'b' [0.6]")
""",
    ),
    "parse with a grammar": Task(
        ELEPHANT
        + """parser = Parser(Grammar.fromstring(GRAMMAR))
for tree in parser.parse("I shot an elephant in my pajamas".split()):
    print(tree)
assert len(parser.kbest("I shot an elephant in my pajamas", 5)) == 2
""",
    ),
    "parse a sentence with a grammar": Task(
        ELEPHANT
        + """tree = Grammar.fromstring(GRAMMAR).parse_sentence("I shot an elephant")
assert tree.leaves() == ("I", "shot", "an", "elephant")
""",
    ),
    "Viterbi parser": Task(
        """
parser = tw.ViterbiParser(tw.Grammar.fromstring("S -> 'a' S [0.4] | 'b' [0.6]"))
""",
        hint="ViterbiParser is called Parser here",
        mended="""
parser = tw.Parser(tw.Grammar.fromstring("S -> 'a' S [0.4] | 'b' [0.6]"))
assert [str(tree) for tree in parser.parse("a b".split())] == ["(S a (S b))"]
""",
    ),
    "generate sentences": Task(
        """
for sentence in tw.generate(Grammar.fromstring("S -> 'a' S [0.4] | 'b' [0.6]"), n=10):
    assert sentence.split()[-1] == "b"
""",
    ),
    "grammar of NLTK": Task(
        """
import nltk
theirs = nltk.CFG.fromstring("S -> NP 'ran' | 'x'\\nNP -> 'we' | ''")
grammar = Grammar.from_nltk(theirs)
assert grammar.parse_sentence("ran").leaves() == ("*", "ran")
assert len(tw.generate(theirs, n=3)) == 3
assert len(tw.sample_sentences(theirs, 3)) == 3
assert [str(tree) for tree in tw.Parser(theirs).parse(["x"])] == ["(S x)"]
""",
    ),
    "induce from parsed sentences": Task(
        """
import nltk
grammar = induce_pcfg(nltk.corpus.treebank.parsed_sents()[:20])
assert grammar.start == "TOP"
""",
        needs=["NLTK_DATA"],
    ),
    "induce from productions": Task(
        """
import nltk
tree = nltk.Tree.fromstring("(S (NP I) (VP saw))")
grammar = induce_pcfg(nltk.Nonterminal("S"), tree.productions())
""",
        hint="Grammar.from_productions(productions, start='S', normalise=True)",
        mended="""
import nltk
productions = nltk.Tree.fromstring("(S (NP I) (VP saw))").productions()
Grammar.from_productions(productions, start='S', normalise=True)
""",
    ),
    "sentences of a treebank": Task(
        """
treebank = Treebank.parse("(S (NP I) (VP saw))")
treebank.sents()
""",
        hint="treebank.sentences()",
        mended="""
treebank = Treebank.parse("(S (NP I) (VP saw))")
assert treebank.sentences() == [("I", "saw")]
""",
    ),
    "words of a sentence": Task(
        """
words = tw.word_tokenize("We did not go.")
""",
        hint="word_tokenize is called tokenise here",
        mended="""
assert tw.tokenise("We did not go.").words == ("We", "did", "not", "go", ".")
""",
    ),
    "words and tags of a tree": Task(
        """
tree = Tree.fromstring("(S (NP (PRP We)) (VP (VBD slept)))")
assert tree.pos() == tree.to_nltk().pos() == [("We", "PRP"), ("slept", "VBD")]
""",
    ),
    "square brackets": Task(
        """
tree = Tree.fromstring("[S [NP We] [VP slept]]")
""",
        hint="Tree.parse(text, brackets='[]')",
        mended="""
tree = Tree.parse("[S [NP We] [VP slept]]", brackets="[]")
assert str(tree) == "(S (NP We) (VP slept))"
""",
    ),
    "a grammar of NLTK": Task(
        """
import nltk
grammar = tw.open_grammar(nltk.CFG.fromstring("S -> 'we' VP\\nVP -> 'slept'"))
assert len(grammar) == 2
""",
        needs=("nltk",),
    ),
    "rules as text, wherever a grammar goes": Task(
        """
assert len(tw.open_grammar("S -> 'a' S | 'b'")) == len(tw.read_notation("S -> 'a' S | 'b'")) == 2
assert tw.sample_sentences("S -> 'a'", 1).column("text") == ["a"]
assert str(tw.Parser("S -> 'a' S | 'b'").viterbi(["a", "b"]).tree) == "(S a (S b))"
tw.Grammar.parse("S -> 'a'").save("g.json")
assert tw.sample_sentences("g.json", 1).column("text") == ["a"]
""",
    ),
    "a notation is written and read": Task(
        """
grammar = tw.read_notation("S -> 'a' S [0.25] | 'b' [0.75]")
assert tw.read_notation(tw.write_notation(grammar)).productions() == grammar.productions()
""",
    ),
    "a name of a file for rules": Task(
        """
tw.read_notation("g.cfg")
""",
        hint="open_grammar('g.cfg') reads it",
        mended="""
open("g.cfg", "w").write("S -> 'a'")
assert len(tw.open_grammar("g.cfg")) == 1
""",
    ),
    "a name of a file for trees": Task(
        """
tw.evalb("gold.mrg", "gold.mrg")
""",
        hint="read_treebank('gold.mrg')",
        mended="""
open("gold.mrg", "w").write("(S (A a))")
assert tw.evalb(read_treebank("gold.mrg"), read_treebank("gold.mrg")).all.recall == 100
""",
    ),
    "an expression for an automaton": Task(
        """
grammar = tw.Grammar.parse("S -> 'a' S [0.5] | 'b' [0.5]")
assert tw.intersect(grammar, "'a' 'b'").mass == 0.25
""",
    ),
    "words of one sentence for sentences": Task(
        """
tw.inside_outside(tw.Grammar.parse("S -> 'a' 'b'"), ["a", "b"])
""",
        hint="of one sentence, give a list with its list of words",
        mended="""
assert tw.inside_outside(tw.Grammar.parse("S -> 'a' 'b'"), [["a", "b"]])
""",
    ),
    "productions in place of trees": Task(
        """
import nltk
induce_pcfg(nltk.Tree.fromstring("(S (A a))").productions())
""",
        hint="Grammar.from_productions(productions, start='S', normalise=True)",
        mended="""
import nltk
productions = nltk.Tree.fromstring("(S (A a))").productions()
assert len(Grammar.from_productions(productions, start="S", normalise=True)) == 2
""",
        needs=("nltk",),
    ),
    "fragments and dependencies are looped over": Task(
        """
found = dict(tw.recurring_fragments(treebank_of(["(S (A a))", "(S (A a))"])))
assert sum(found.values()) >= 2
open("a.conllu", "w").write("1\\twe\\twe\\tPRON\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
sentences = list(tw.read_dependencies("a.conllu"))
assert [word["form"] for word in sentences[0]] == ["we"]
""",
    ),
    "patterns": Task(
        """
treebank = treebank_of(["(S (NP We) (VP slept))"])
hits = tw.tgrep_nodes("NP", treebank)
""",
        hint="tgrep_nodes is called Treebank.search here",
        mended="""
treebank = treebank_of(["(S (NP We) (VP slept))"])
assert len(Treebank.search(treebank, "NP")) == 1
""",
    ),
    "parser and text in the other order": Task(
        """
grammar = Grammar.parse("S -> 'we' VP [1]\\nVP -> 'slept' [1]")
tw.parse(grammar, "we slept")
""",
        hint="parse('We slept.', grammar)",
        mended="""
grammar = Grammar.parse("S -> 'we' VP [1]\\nVP -> 'slept' [1]")
assert str(tw.parse("we slept", grammar)) == "(S we (VP slept))"
""",
    ),
    "a child is set": Task(
        """
tree = tw.Tree.fromstring('(S (NP We) (VP slept))')
tree[0] = Tree('NP', ['They'])
""",
        hint="Tree(tree.label(), [Tree('NP', ['we']), *tree.children[1:]])",
        mended="""
tree = tw.Tree.fromstring('(S (NP We) (VP slept))')
made = Tree(tree.label(), [Tree('NP', ['we']), *tree.children[1:]])
assert made.leaves() == ('we', 'slept')
""",
    ),
    "a child is appended": Task(
        """
tree = tw.Tree.fromstring('(S (NP We))')
tree.append('word')
""",
        hint="Tree(tree.label(), [*tree.children, 'word'])",
        mended="""
tree = tw.Tree.fromstring('(S (NP We))')
assert str(Tree(tree.label(), [*tree.children, 'word'])) == '(S (NP We) word)'
""",
    ),
    "a tree of brackets as its first argument": Task(
        """
Tree('(S (NP We))')
""",
        hint="Tree.parse(text) reads brackets",
        mended="""
text = '(S (NP We))'
assert Tree.parse(text).label() == 'S'
""",
    ),
    "a tree of a list": Task(
        """
Tree.from_list(['S', ['NP', 'we']])
""",
        hint="Tree('S', [Tree('NP', ['we']), Tree('VP', ['slept'])])",
        mended="""
assert len(Tree('S', [Tree('NP', ['we']), Tree('VP', ['slept'])])) == 2
""",
    ),
    "treebanks are added": Task(
        """
a, b = treebank_of('(S a)'), treebank_of('(S b)')
assert (a + b).sentences() == [('a',), ('b',)]
assert (a + b)[[1]].sentences() == [('b',)]
""",
    ),
    "a pattern in one tree": Task(
        """
Tree.fromstring('(S (NP We))').search('NP')
""",
        hint="Treebank([tree]).search('NP')",
        mended="""
tree = Tree.fromstring('(S (NP We))')
assert len(Treebank([tree]).search('NP')) == 1
""",
    ),
    "a reader of a corpus": Task(
        """
open('a.mrg', 'w').write('(S (A a))')
reader = tw.BracketParseCorpusReader('.', 'a.mrg')
""",
        hint="read_treebank(path)",
        mended="""
open('a.mrg', 'w').write('(S (A a))')
path = 'a.mrg'
assert len(read_treebank(path)) == len(read_treebank([path])) == 1
""",
    ),
    "a reader of NLTK": Task(
        """
import nltk
class Reader:
    def parsed_sents(self):
        return [nltk.Tree.fromstring("(S (A a))"), nltk.Tree.fromstring("(S (A b))")]
Reader.__module__ = "nltk.corpus.reader.bracket_parse"
assert len(read_treebank(Reader())) == len(induce_pcfg(Reader()).productions("A")) == 2
""",
        needs=("nltk",),
    ),
    "a grammar of NLTK as a text": Task(
        """
import nltk
Grammar.fromstring(nltk.CFG.fromstring("S -> 'a'"))
""",
        hint="Grammar.from_nltk(grammar)",
        mended="""
import nltk
grammar = nltk.CFG.fromstring("S -> 'a'")
assert len(Grammar.from_nltk(grammar)) == 1
""",
        needs=("nltk",),
    ),
    "a trace": Task(
        """
Parser(Grammar.fromstring("S -> 'a'"), trace=1)
""",
        hint="leave it out",
        mended="""
Parser(Grammar.fromstring("S -> 'a'"))
""",
    ),
    "how many symbols rules remember": Task(
        """
induce_pcfg('(S (A a))', horzMarkov=1)
""",
        hint="it is called horizontal_markov here",
        mended="""
induce_pcfg('(S (A a))', horizontal_markov=1)
""",
    ),
    "the probability of a parse": Task(
        """
Parser(Grammar.parse("S -> 'a'")).viterbi('a').logprob()
""",
        hint="parse.log_probability",
        mended="""
parse = Parser(Grammar.parse("S -> 'a'")).viterbi('a')
assert parse.log_probability == 0
""",
    ),
    "a treebank is saved as text": Task(
        """
Treebank.parse('(S (A a))').save('out.mrg')
""",
        hint="write_corpus(corpus_of_trees(treebank), 'out.mrg')",
        mended="""
treebank = Treebank.parse('(S (A a))')
write_corpus(corpus_of_trees(treebank), 'out.mrg')
assert read_treebank('out.mrg').sentences() == [('a',)]
""",
    ),
    "a file of trees for trees": Task(
        """
open('a.mrg', 'w').write('(S (A a))')
assert len(tw.induce_pcfg('a.mrg')) == 3
""",
    ),
    "rules by an index": Task(
        """
Grammar.parse("S -> 'a'")['S']
""",
        hint="grammar.productions('S')",
        mended="""
grammar = Grammar.parse("S -> 'a'")
assert len(grammar.productions('S')) == 1 and 'S' in grammar and 'NP' not in grammar
""",
    ),
}


@each(TASKS)
def test_what_one_types_works(task, tmp_path, monkeypatch):
    carried_out(task, tmp_path, monkeypatch)
