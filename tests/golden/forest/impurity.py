"""Impurity importance of scikit-learn 1.9.1's trees on given bags, not normalised -> impurity.json.

Data is ../shared/datasets/diabetes.csv, as numbers and as the classes progression <= 140 and > 140.
The bags are those of recipe.py; with 15 rows a leaf and more no gains tie.
"""
import json
import pathlib

import numpy as np
import pandas as pd
import sklearn
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

here = pathlib.Path(__file__).parent
TREES = 8


def counts(n, t):
    i = np.arange(n)
    return ((i * 7919 + t * 104729) % 1009 % 4).astype(float) * ((i + t) % 3 > 0)


runs = []
table = pd.read_csv(here / "../../../../shared/datasets/diabetes.csv")
progression = table.pop("progression").to_numpy()
X = table.to_numpy(np.float32)
for learner, y in [(DecisionTreeRegressor, progression), (DecisionTreeClassifier, progression > 140)]:
    for leaf in (15, 20, 30):
        seeds = []
        for seed in range(5):
            trees = [
                learner(random_state=seed, min_samples_leaf=leaf).fit(X, y, sample_weight=counts(len(y), t))
                for t in range(TREES)
            ]
            seeds.append(np.mean([tree.tree_.compute_feature_importances(normalize=False) for tree in trees], axis=0))
        runs.append(dict(
            regression=learner is DecisionTreeRegressor, leaf=leaf, trees=TREES,
            importance=seeds[0].tolist(), difference_over_seeds=float(np.max(np.ptp(seeds, axis=0))),
        ))
(here / "impurity.json").write_text(json.dumps(dict(origin=f"impurity.py, scikit-learn {sklearn.__version__}", runs=runs)))
