"""What users of nlpaug, EDA and TextAttack type first: new texts of a text."""

from tests.compatibility.tasks import Task, carried_out, each

TASKS = {
    "one text": Task(
        """
made = tw.augment("The quick brown fox jumps over the lazy dog", "eda", n=3)
assert len(made) == 3 and all(isinstance(text, str) for text in made)
""",
    ),
    "many texts": Task(
        """
texts = ["The quick brown fox jumps", "The lazy dog sleeps in the sun"]
assert len(tw.augment(texts, "worddrop", n=4)) == 4
""",
    ),
    "texts in a series or an array": Task(
        """
import numpy
import pandas
texts = ["The quick brown fox jumps", "The lazy dog sleeps in the sun"]
made = tw.augment(texts, "worddrop", n=4)
for given in (tuple(texts), pandas.Series(texts), pandas.DataFrame({"a": texts})["a"],
              numpy.array(texts), iter(texts), (text for text in texts)):
    assert tw.augment(given, "worddrop", n=4) == made
""",
        needs=["pandas"],
    ),
    "texts in a series of polars": Task(
        """
import polars
texts = ["The quick brown fox jumps", "The lazy dog sleeps in the sun"]
assert len(tw.augment(polars.Series(texts), "worddrop", n=4)) == 4
made, labels = TextAugmenter("aeda", n=2).fit_resample(
    polars.Series(texts), polars.DataFrame({"fast": [1, 0], "slow": [1, 0]}))
assert isinstance(made, polars.Series) and labels.shape == (4, 2)
""",
        needs=["polars"],
    ),
    "a series with a missing text": Task(
        """
import pandas
assert len(tw.augment(pandas.Series(["a good film", None]), "worddrop", n=2, on_error="skip")) == 2
""",
        needs=["pandas"],
    ),
    "number of texts": Task(
        """
augment("a good film that ends well", "aeda", num_aug=2)
""",
        hint="it is called n here",
        mended="""
assert len(augment("a good film that ends well", "aeda", n=2)) == 2
""",
    ),
    "one word": Task(
        """
tw.augment("hello", "eda")
""",
        hint="['hello']",
        mended="""
import pytest
tw.augment(['hello'], "aeda", n=1)
""",
    ),
    "characters of a method": Task(
        """
sampler = EDA.induce(["The quick brown fox jumps over the lazy dog"])
assert len(sampler.sample(2)) == 2
""",
    ),
    "an unknown method": Task(
        """
tw.augment("The quick brown fox", "aedaa", n=1)
""",
        hint="aeda",
        mended="""
assert len(tw.augment("The quick brown fox", "aeda", n=1)) == 1
""",
    ),
    "an augmenter of options": Task(
        """
aug = EDA(aug_p=0.3)
""",
        hint="augment(texts, 'eda(alpha_sr=0.3)', n=10); or EDA.induce(texts, alpha_sr=0.3)",
        mended="""
texts = ["The quick brown fox jumps over the lazy dog"]
assert len(tw.augment(texts, 'eda(alpha_sr=0.3)', n=10)) == 10
assert len(EDA.induce(texts, alpha_sr=0.3).sample(10)) == 10
""",
    ),
    "an augmenter of a text": Task(
        """
AEDA("The quick brown fox jumps")
""",
        hint="AEDA.induce(texts)",
        mended="""
assert len(AEDA.induce(["The quick brown fox jumps"]).sample(2)) == 2
""",
    ),
    "a function of EDA": Task(
        """
tw.eda("The quick brown fox jumps over the lazy dog", num_aug=4)
""",
        hint="eda is called augment here",
        mended="""
assert len(tw.augment("The quick brown fox jumps over the lazy dog", "eda", n=4)) == 4
""",
    ),
    "a method with options": Task(
        """
assert len(tw.augment("The quick brown fox jumps over it", method="eda(alpha_sr=0.1)", n=2)) == 2
""",
    ),
    "options of a method by name": Task(
        """
assert len(augment('The quick brown fox jumps over it', 'eda', n=2, alpha_rs=0.4)) == 2
assert len(augment('The quick brown fox jumps over it', EDA, n=2)) == 2
""",
    ),
    "a share of words": Task(
        """
augment('The quick brown fox jumps over it', 'eda', n=2, aug_p=0.3)
""",
        hint="it is called alpha_sr here",
        mended="""
assert len(augment('The quick brown fox jumps over it', 'eda', n=2, alpha_sr=0.3)) == 2
""",
    ),
    "several methods": Task(
        """
augment('The quick brown fox jumps over it', ['aeda', 'worddrop'], n=2)
""",
        hint="method='aeda + worddrop'",
        mended="""
assert len(augment('The quick brown fox jumps over it', method='aeda + worddrop', n=2)) == 2
""",
    ),
    "synonyms": Task(
        """
augment('The quick brown fox jumps over it', 'random_swap', n=2)
""",
        hint="eda(alpha_sr=0, alpha_ri=0, alpha_rd=0)",
        mended="""
method = 'eda(alpha_sr=0, alpha_ri=0, alpha_rd=0)'
assert len(augment('The quick brown fox jumps over it', method, n=2)) == 2
""",
    ),
    "an augmenter of TextAttack": Task(
        """
tw.EasyDataAugmenter(transformations_per_example=4)
""",
        hint="augment(texts, 'eda', n=10)",
        mended="""
texts = ['The quick brown fox jumps over it']
assert len(augment(texts, 'eda', n=10)) == 10
""",
    ),
    "in place": Task(
        """
augment(['The quick brown fox'], 'aeda', n=2, inplace=True)
""",
        hint="leave it out",
        mended="""
augment(['The quick brown fox'], 'aeda', n=2)
""",
    ),
    "an augmenter of a sampler": Task(
        """
AEDA.fit(['The quick brown fox'])
""",
        hint="induce(texts) of the class",
        mended="""
texts = ['The quick brown fox']
assert len(AEDA.induce(texts).sample(2)) == 2
""",
    ),
    "a number behind the method": Task(
        """
augment(['The quick brown fox'], 'aeda', 2)
""",
        hint="n=2",
        mended="""
augment(['The quick brown fox'], 'aeda', n=2)
""",
    ),
}


@each(TASKS)
def test_what_one_types_works(task, tmp_path, monkeypatch):
    carried_out(task, tmp_path, monkeypatch)
