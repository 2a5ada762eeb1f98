"""SAMME and R2 of scikit-learn 1.9.1 on 5,000 rows, which Treeline sums in blocks -> many_rows.json.

The rows are made of whole numbers, so that the test makes the same ones. R2 fits weighted rows, as in
recipe.py.
"""
import inspect
import json
import pathlib
import textwrap

import numpy as np
import sklearn
import sklearn.ensemble._weight_boosting as module
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

source = textwrap.dedent(inspect.getsource(module.AdaBoostRegressor._boost))
drawn = source[source.index("    # Weighted sampling"):source.index("    y_predict = ")]
scope = dict(vars(module))
exec(source.replace(drawn, "    estimator.fit(X, y, sample_weight=sample_weight)\n"), scope)


class Weighted(module.AdaBoostRegressor):
    _boost = scope["_boost"]


here = pathlib.Path(__file__).parent

rows = np.arange(5000)
X = np.stack([rows * by % 9973 for by in (1213, 2741, 4441, 6007, 8123)], axis=1)
score = 2 * X[:, 0] + abs(X[:, 1] - 5000) + X[:, 2] * X[:, 3] // 9973 + rows * 7919 % 3001
weight = 1.0 + rows % 3
table = X.astype(np.float32)
runs = []
for rate, depth in [(1.0, 2), (0.5, 3)]:
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    model = module.AdaBoostClassifier(tree, n_estimators=8, learning_rate=rate, random_state=0)
    model.fit(table, np.digitize(score, [12000, 18000]), sample_weight=weight)
    runs.append(dict(variant="samme", rate=rate, depth=depth, model=model))
for rate, depth, loss in [(1.0, 3, "linear"), (0.5, 4, "square")]:
    tree = DecisionTreeRegressor(max_depth=depth, random_state=0)
    model = Weighted(tree, n_estimators=8, learning_rate=rate, loss=loss, random_state=0)
    model.fit(table, score.astype(float), sample_weight=weight)
    runs.append(dict(variant="r2", rate=rate, depth=depth, loss=loss, model=model))
for run in runs:
    model = run.pop("model")
    n = len(model.estimators_)
    run.update(errors=model.estimator_errors_[:n].tolist(), weights=model.estimator_weights_[:n].tolist(),
               first=model.predict(table[:20]).tolist())
(here / "many_rows.json").write_text(json.dumps(dict(origin=f"many_rows.py, scikit-learn {sklearn.__version__}", runs=runs)))
