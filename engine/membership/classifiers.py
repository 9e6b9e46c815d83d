"""The attack itself: a classifier that reads a whole day's matrix and says "in" or "out"."""

import warnings
from typing import Any, Literal

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ..arrays import Booleans, Integers

Classifier = Literal["logistic", "forest"]
CLASSIFIERS: tuple[Classifier, ...] = ("logistic", "forest")


def area(classifier: Classifier, counts: Integers, present: Booleans, seed: int) -> float:
    """Return the AUC on the second half of the days of a classifier trained on the first.

    As P2, days in order: in either half all days with the target, and as many without, drawn at
    random; the L1 penalty, or the depth of 100 trees, chosen by three-fold cross-validation.

    Parameters
    ----------
    counts : array, shape (days, cells)
    present : array, shape (days,)
        Whether the target has a trip that day.
    """
    rng = np.random.default_rng(seed)
    half = len(present) // 2
    training = _balanced(rng, present, slice(0, half))
    testing = _balanced(rng, present, slice(half, None))
    model = _model(classifier, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the least penalties may not converge; others win then
        model.fit(counts[training], present[training])
    likely = model.predict_proba(counts[testing])[:, 1]
    return float(roc_auc_score(present[testing], likely))


def _balanced(rng: np.random.Generator, present: Booleans, half: slice) -> Integers:
    days = np.arange(len(present))[half]
    inside, outside = days[present[half]], days[~present[half]]
    some = min(len(inside), len(outside))
    return np.r_[rng.permutation(inside)[:some], rng.permutation(outside)[:some]]


def _model(classifier: Classifier, seed: int) -> Any:
    if classifier == "logistic":
        logistic = LogisticRegression(l1_ratio=1.0, solver="liblinear", random_state=seed)
        pipeline = make_pipeline(StandardScaler(), logistic)
        penalties = {"logisticregression__C": [0.03, 0.1, 0.3, 1.0]}
        return GridSearchCV(pipeline, penalties, cv=3, scoring="roc_auc")
    forest = RandomForestClassifier(n_estimators=100, random_state=seed)
    return GridSearchCV(forest, {"max_depth": [2, 5]}, cv=3, scoring="roc_auc")
