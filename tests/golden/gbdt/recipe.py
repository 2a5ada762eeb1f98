"""Losses after each round of scikit-learn 1.9.1 on ../shared/datasets/iris.csv -> iris.json.

Splits tie on iris; random_state decides which feature is taken. The shared reference has another
choice, made by version 1.2.1.
"""
import json
import pathlib

import numpy as np
import pandas as pd
import sklearn
from sklearn.ensemble import GradientBoostingClassifier

here = pathlib.Path(__file__).parent
table = pd.read_csv(here / "../../../../shared/datasets/iris.csv")
y = table.pop("species")
X = table.to_numpy(np.float32)
n = len(y)
test = np.random.RandomState(11).permutation(n)[: n // 4]
train = np.setdiff1d(np.arange(n), test)
runs = {}
for seed in range(4):
    model = GradientBoostingClassifier(n_estimators=50, learning_rate=0.1, max_depth=3, random_state=seed)
    runs[seed] = model.fit(X[train], y[train]).train_score_.tolist()
(here / "iris.json").write_text(json.dumps(dict(origin=f"recipe.py, scikit-learn {sklearn.__version__}", train_loss=runs)))
