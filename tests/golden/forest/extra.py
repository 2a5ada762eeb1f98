"""scikit-learn's extra trees with bootstrap: mean and deviation of the out-of-bag score over 12 seeds, and
the mean number of leaves of a tree, -> extra.json. Forests of given bags on classes -> classes.json.

Run from the repository: python tests/golden/forest/extra.py
"""
import csv
import json

import numpy as np
import sklearn
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.tree import DecisionTreeClassifier

SETS = [("iris", "species", False), ("wine", "cultivar", False), ("breast_cancer", "diagnosis", False),
        ("diabetes", "progression", True)]
TREES = 100


def read(name, target):
    rows = list(csv.DictReader(open(f"../shared/datasets/{name}.csv")))
    columns = [c for c in rows[0] if c != target]
    X = np.array([[float(row[c]) for c in columns] for row in rows], np.float32)
    return X, [row[target] for row in rows]


out = []
for name, target, regression in SETS:
    X, y = read(name, target)
    y = np.array(y, float) if regression else np.array(y)
    learner = ExtraTreesRegressor if regression else ExtraTreesClassifier
    scores, leaves = [], []
    for seed in range(12):
        model = learner(n_estimators=TREES, bootstrap=True, oob_score=True, random_state=seed,
                        max_features=1 / 3 if regression else "sqrt").fit(X, y)
        scores.append(model.oob_score_)
        leaves.append(np.mean([tree.get_n_leaves() for tree in model.estimators_]))
    out.append(dict(dataset=name, regression=regression, trees=TREES, mean=float(np.mean(scores)),
                    sd=float(np.std(scores, ddof=1)), leaves=float(np.mean(leaves)),
                    leavesSd=float(np.std(leaves, ddof=1))))
json.dump(dict(origin=f"extra.py, scikit-learn {sklearn.__version__}", runs=out),
          open("tests/golden/forest/extra.json", "w"))


def counts(n, t):
    return np.array([(i * 7919 + t * 104729) % 1009 % 4 if (i + t) % 3 > 0 else 0 for i in range(n)])


# Trees on all features whose splits do not tie: the same for every seed.
runs = []
for name, target, _ in [("wine", "cultivar", False), ("breast_cancer", "diagnosis", False), ("iris", "species", False)]:
    X, y = read(name, target)
    classes = sorted(set(y))
    y = np.array([classes.index(one) for one in y])
    for leaf in (5, 10, 20):
        for depth in (2, 3):
            trees = []
            for t in range(60):
                weight = counts(len(y), t)
                shares = [DecisionTreeClassifier(min_samples_leaf=leaf, max_depth=depth, random_state=seed)
                          .fit(X[weight > 0], y[weight > 0], weight[weight > 0].astype(float)).predict_proba(X)
                          for seed in range(40)]
                if all(np.array_equal(shares[0], other) for other in shares):
                    trees.append((t, shares[0]))
                if len(trees) == 8:
                    break
            if len(trees) < 4:
                continue
            mean = np.mean([share for _, share in trees], axis=0)
            votes = np.mean([np.eye(len(classes))[share.argmax(1)] for _, share in trees], axis=0)
            runs.append(dict(dataset=name, classes=classes, minRowsPerLeaf=leaf, maxDepth=depth,
                             bags=[t for t, _ in trees], average=mean[::5].tolist(), vote=votes[::5].tolist()))
json.dump(dict(origin=f"extra.py, scikit-learn {sklearn.__version__}", rowStep=5, runs=runs),
          open("tests/golden/forest/classes.json", "w"))
print([(r["dataset"], r["minRowsPerLeaf"], r["maxDepth"], len(r["bags"])) for r in runs])
