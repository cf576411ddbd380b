"""What users of disco-dop and of treebank tools type first: treebanks, DOP, evaluation."""

from tests.compatibility.tasks import Task, carried_out, each

TASKS = {
    "treebank of trees": Task(
        """
trees = [Tree.parse("(S (NP I) (VP saw))"), Tree.parse("(S (NP we) (VP ran))")]
assert len(Treebank(trees)) == 2
""",
    ),
    "DOP reduction": Task(
        """
tw.dopreduction(["(S (NP I) (VP saw))"])
""",
        hint="dopreduction is called dop_reduction here",
        mended="""
grammar = tw.dop_reduction(["(S (NP I) (VP saw))", "(S (NP we) (VP ran))"])
assert grammar.parse_sentence("we saw").leaves() == ("we", "saw")
""",
    ),
    "Double-DOP": Task(
        """
trees = ["(S (NP I) (VP saw))", "(S (NP we) (VP saw))"]
assert len(induce_double_dop(trees))
""",
    ),
    "recurring fragments": Task(
        """
trees = ["(S (NP I) (VP saw))", "(S (NP we) (VP saw))"]
assert len(recurring_fragments(trees))
""",
    ),
    "binarise a tree": Task(
        """
assert str(binarise("(S (A a) (B b) (C c))")[0]) == "(S (A a) (S|<B-C> (B b) (C c)))"
""",
    ),
    "evaluate trees": Task(
        """
gold = Tree.parse("(S (NP (D the) (N dog)) (VP (V ran)))")
assert evalb([gold], [gold]).all.f1 == evalb(gold, gold).all.f1 == 100.0
""",
    ),
    "k best parses of a text": Task(
        """
[found] = open_parser().kbest_each("The dog saw the man with a telescope.", 3)
scores = [parse.log_probability for parse in found]
assert scores == sorted(scores, reverse=True)
""",
    ),
    "a treebank in export": Task(
        """
with open("a.export", "w") as out:
    out.write("#BOS 1\\nWe PRP -- SB 500\\nslept VBD -- HD 500\\n#500 S -- -- 0\\n#EOS 1\\n")
assert str(next(iter(read_treebank("a.export")))) == "(S (PRP We) (VBD slept))"
""",
    ),
    "binarize a tree": Task(
        """
tw.binarize(Tree.parse("(S (A a) (B b) (C c))"))
""",
        hint="binarize is called binarise here",
        mended="""
(tree,) = tw.binarise(Tree.parse("(S (A a) (B b) (C c))"))
assert len(tree.children) == 2
""",
    ),
    "a treebank grammar": Task(
        """
tw.treebankgrammar(['(S (NP I) (VP saw))'])
""",
        hint="induce_pcfg(trees)",
        mended="""
trees = ['(S (NP I) (VP saw))']
induce_pcfg(trees)
""",
    ),
    "trees that print themselves": Task(
        """
class Stanzas:
    label, children = 'S', ()
    def __str__(self):
        return '(S (NP I) (VP saw))'
assert treebank_of([Stanzas()]).sentences() == [('I', 'saw')]
""",
    ),
    "the F1 of an evaluation": Task(
        """
tree = Tree.parse('(S (NP I) (VP saw))')
evalb(tree, tree).f1
""",
        hint="evaluation.all.f1",
        mended="""
tree = Tree.parse('(S (NP I) (VP saw))')
evaluation = evalb(tree, tree)
assert evaluation.all.f1 == 100
""",
    ),
}


@each(TASKS)
def test_what_one_types_works(task, tmp_path, monkeypatch):
    carried_out(task, tmp_path, monkeypatch)
