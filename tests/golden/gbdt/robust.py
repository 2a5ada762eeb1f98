"""Robust losses of scikit-learn 1.9.1's GradientBoostingRegressor on ../shared/datasets/diabetes.csv -> robust.json.

Weights are given, so every percentile is the lower weighted one. A row whose residual is 0 has the
response sign(0) = 0, as in Friedman's paper; scikit-learn says +1 since 1.4 and said -1 before, so its
gradients are wrapped here. One column at a time: signs of residuals make many splits tie, and
scikit-learn breaks ties between columns at random, but never within a column. `tied` is the first
round where the mirrored column (cuts scanned from the other end) has another loss: two cuts tie
there up to rounding. Of all columns the losses of ten seeds are written.
"""
import json
import pathlib

import numpy as np
import pandas as pd
import sklearn
from sklearn._loss.loss import AbsoluteError, PinballLoss
from sklearn.ensemble import GradientBoostingRegressor

for kind in (AbsoluteError, PinballLoss):
    def gradient(self, y_true, raw_prediction, *args, _own=kind.gradient, **kwargs):
        g = _own(self, y_true, raw_prediction, *args, **kwargs)
        g[np.asarray(y_true) == np.asarray(raw_prediction).squeeze()] = 0
        return g
    kind.gradient = gradient

here = pathlib.Path(__file__).parent
table = pd.read_csv(here / "../../../../shared/datasets/diabetes.csv")
y = table.pop("progression").to_numpy(float)
n = len(y)
weights = {"ones": np.ones(n), "one to three": 1.0 + np.arange(n) % 3}
LOSSES = [("absolute_error", 0.9), ("huber", 0.9), ("huber", 0.6), ("quantile", 0.9), ("quantile", 0.25)]
runs = []
for column in ["bmi", "s5", "age"]:
    X = table[[column]].to_numpy(np.float32)
    for loss, alpha in LOSSES:
        for name, weight in weights.items():
            model = GradientBoostingRegressor(
                loss=loss, alpha=alpha, n_estimators=60, learning_rate=0.1, max_depth=3, random_state=0
            ).fit(X, y, sample_weight=weight)
            mirror = GradientBoostingRegressor(
                loss=loss, alpha=alpha, n_estimators=60, learning_rate=0.1, max_depth=3, random_state=0
            ).fit(-X, y, sample_weight=weight)
            apart = np.abs(mirror.train_score_ / model.train_score_ - 1) > 1e-12
            staged = list(model.staged_predict(X))
            runs.append(dict(
                column=column, loss=loss, alpha=alpha, weight=name, train_loss=model.train_score_.tolist(),
                tied=int(np.argmax(apart)) + 1 if apart.any() else None,
                predictions={r: staged[r - 1][::29].tolist() for r in (1, 10, 60)},
            ))
seeds = []
X = table.to_numpy(np.float32)
for loss, alpha in LOSSES:
    scores = []
    for seed in range(10):
        model = GradientBoostingRegressor(
            loss=loss, alpha=alpha, n_estimators=60, learning_rate=0.1, max_depth=3, random_state=seed
        ).fit(X, y, sample_weight=weights["ones"])
        scores.append(model.train_score_)
    seeds.append(dict(loss=loss, alpha=alpha, least=np.min(scores, 0).tolist(), most=np.max(scores, 0).tolist()))
(here / "robust.json").write_text(json.dumps(dict(
    origin=f"robust.py, scikit-learn {sklearn.__version__}", runs=runs, seeds=seeds)))
