"""The weights of the language model's score: what readers said, on what the model tells.

    python -m benchmarks.fitting

``docs/results/reading/fitting.tsv`` has a row for each of 2,117 texts that Sub2 and TreeMix made of
sentences of SST-2, TREC and Subj of which nothing is reported: method and corpus, the sentence that
it was made from by its number, the features by SmolLM2-135M-Instruct, and whether a blind reader
said that it reads well. Some are draws of ``fluent`` (``random``), some were chosen by earlier
weights among few (``chosen``) or many proposals (``searched``, ``proposed``; there two readers had
to say so), the others are the best of a host. ``written.tsv`` has 360 texts of ALP in whose words
the model had a say, half of them the most probable of 32, the others random ones; and
``unfitted.tsv`` 75 of ALP without that, which no weights were fitted to. The texts must not be
copied, so they are not there. Printed are the areas under the curve, on sentences that the weights
have not seen, and the weights.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from grammar.arrays import FloatArray
from sampling.neural.causal.features import FEATURES
from sampling.neural.causal.fit import ODDS, Odds

TABLES = {"exchanged": "fitting.tsv", "written": "written.tsv"}
RESULTS = Path(__file__).parent.parent / "docs" / "results" / "reading"


def table(name: str) -> tuple[list[str], list[str], FloatArray, FloatArray]:
    """Return the cells, the sentences, the features and the verdicts."""
    head, *lines = (RESULTS / name).read_text("utf-8").splitlines()
    assert tuple(head.split("\t")[2:-1]) == FEATURES
    rows = [line.split("\t") for line in lines]
    numbers = np.array([row[2:] for row in rows], np.float64)
    return [row[0] for row in rows], [row[1] for row in rows], numbers[:, :-1], numbers[:, -1]


def regression() -> Pipeline:
    return make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=2000))


def fitted(kind: str) -> Odds:
    """Return the weights of the features that a kind of odds goes by, and the intercept."""
    names, features, verdicts = _features(kind)
    scale, model = regression().fit(features, verdicts).named_steps.values()
    weights = model.coef_[0] / scale.scale_
    intercept = float(model.intercept_[0] - scale.mean_ @ weights)
    rounded = {name: round(float(w), 2) for name, w in zip(names, weights, strict=True)}
    return Odds(rounded, round(intercept, 2))


def _features(kind: str) -> tuple[list[str], FloatArray, FloatArray]:
    _, _, features, verdicts = table(TABLES[kind])
    names = list(ODDS[kind].weights)
    return names, features[:, [FEATURES.index(name) for name in names]], verdicts


def main() -> None:
    for kind in ODDS:
        tell(kind)
    cells, _, features, verdicts = table("unfitted.tsv")
    weights, intercept = ODDS["exchanged"]
    odds = features @ np.array([weights[name] for name in FEATURES]) + intercept
    for cell in sorted(set(cells)):
        mine = np.array(cells) == cell
        told = f"{cell}: {mine.sum()} texts, {verdicts[mine].mean():.0%} read well"
        if 0 < verdicts[mine].mean() < 1:
            told += f"; AUC {roc_auc_score(verdicts[mine], odds[mine]):.2f}"
        print(told)


def tell(kind: str) -> None:
    cells, sentences, _, _ = table(TABLES[kind])
    _, features, verdicts = _features(kind)
    odds = cross_val_predict(
        regression(), features, verdicts, groups=sentences, cv=GroupKFold(10),
        method="decision_function",
    )  # fmt: skip
    for cell in sorted(set(cells)):
        mine = np.array(cells) == cell
        area = roc_auc_score(verdicts[mine], odds[mine])
        best = mine & (odds > np.log(0.65 / 0.35))
        told = f"{cell}: {mine.sum()} texts, {verdicts[mine].mean():.0%} read well; AUC {area:.2f}"
        if best.any():
            told += f"; of {best.sum()} with odds above 65 : 35, {verdicts[best].mean():.0%}"
        print(told)
    weights, intercept = fitted(kind)
    for name, weight in weights.items():
        print(f"{name:12s} {weight:6.2f}")
    print(f"{'intercept':12s} {intercept:6.2f}")


if __name__ == "__main__":
    main()
