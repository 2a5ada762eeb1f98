"""AdaBoost.R2 of scikit-learn 1.9.1 on ../shared/datasets/diabetes.csv -> r2.json.

scikit-learn draws a bootstrap each round with numpy's generator, which nobody else can repeat. Here
the tree is fitted to all rows with their weights instead (Drucker's other way); everything else,
the losses, weights, stopping and the weighted median, is scikit-learn's own code.
"""
import inspect
import json
import pathlib
import textwrap

import numpy as np
import pandas as pd
import sklearn
import sklearn.ensemble._weight_boosting as module
from sklearn.tree import DecisionTreeRegressor

source = textwrap.dedent(inspect.getsource(module.AdaBoostRegressor._boost))
drawn = source[source.index("    # Weighted sampling"):source.index("    y_predict = ")]
source = source.replace(drawn, "    estimator.fit(X, y, sample_weight=sample_weight)\n")
scope = dict(vars(module))
exec(source, scope)


class Weighted(module.AdaBoostRegressor):
    _boost = scope["_boost"]


here = pathlib.Path(__file__).parent
table = pd.read_csv(here / "../../../../shared/datasets/diabetes.csv")
y = table.pop("progression").to_numpy(float)
X = table.to_numpy(np.float32)
runs = []
for loss, rate, depth in [("linear", 1.0, 3), ("square", 0.5, 3), ("exponential", 1.0, 2)]:
    model = Weighted(DecisionTreeRegressor(max_depth=depth, random_state=0), n_estimators=12,
                     learning_rate=rate, loss=loss, random_state=0).fit(X, y)
    n = len(model.estimators_)
    runs.append(dict(loss=loss, learning_rate=rate, max_depth=depth, fitted=n,
                     errors=model.estimator_errors_[:n].tolist(), weights=model.estimator_weights_[:n].tolist(),
                     staged_first_10_rows=[p[:10].tolist() for p in model.staged_predict(X)]))
(here / "r2.json").write_text(json.dumps(dict(origin=f"recipe.py, scikit-learn {sklearn.__version__}", runs=runs)))
