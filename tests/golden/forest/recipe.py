# scikit-learn 1.2.1: trees fitted with given bag counts and all features, averaged.
import json, csv, numpy as np
from sklearn.tree import DecisionTreeRegressor

def table(path, target):
    rows = list(csv.DictReader(open(path)))
    names = [n for n in rows[0] if n != target]
    X = np.array([[float(r[n]) for n in names] for r in rows], dtype=np.float32)
    return X, [r[target] for r in rows]

def counts(n, t):
    i = np.arange(n)
    return ((i * 7919 + t * 104729) % 1009 % 4).astype(float) * ((i + t) % 3 > 0)

out = {}
X, y = table("../shared/datasets/diabetes.csv", "progression")
y = np.array(y, dtype=float)
for leaf in (8, 10, 15):  # below 8 rows a leaf, equal gains make the trees depend on random_state
    p = [DecisionTreeRegressor(random_state=0, min_samples_leaf=leaf).fit(X, y, sample_weight=counts(len(y), t)).predict(X) for t in range(8)]
    out[str(leaf)] = {"trees": 8, "prediction": np.mean(p, axis=0).tolist()}
json.dump(out, open("tests/golden/forest/sklearn.json", "w"))
