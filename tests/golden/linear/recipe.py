"""Linear trees of LightGBM 4.7.0: structure, linear leaves, metric histories, scores.

    pip install lightgbm==4.7.0 numpy==2.4.6
    python3 tests/golden/linear/recipe.py > tests/golden/linear/lightgbm.json

The rows are whole numbers and halves drawn here, which float32 holds exactly. One thread, so that
rows are summed in their order.
"""

import json
import sys

import lightgbm
import numpy as np

CASES = {
    "regression": {},
    "regression, ridge": {"linear_lambda": 3.5},
    "regression, weights": {"weights": True, "linear_lambda": 0.5},
    "regression, missing values": {"missing": True},
    "regression, missing values, weights": {"missing": True, "weights": True, "num_leaves": 20,
                                            "min_data_in_leaf": 3},
    "two classes": {"objective": "binary", "linear_lambda": 0.1},
    "two classes, missing values": {"objective": "binary", "missing": True},
    "three classes": {"objective": "multiclass", "num_class": 3, "linear_lambda": 1},
    "poisson, smoothed": {"objective": "poisson", "path_smooth": 4, "lambda_l2": 2,
                          "linear_lambda": 1},
    "columns that determine each other": {"twin": True},
    "terms that cancel, missing values": {"missing": True, "num_leaves": 25, "min_data_in_leaf": 1,
                                          "linear_lambda": 0.01},
}
UNUSED = ("leaf_weight", "leaf_count", "internal_", "tree_sizes", "feature_infos")
METRICS = {"l2", "binary_logloss", "multi_logloss"}


def table(missing, twin):
    draw = np.random.RandomState(5)
    rows = 260
    x = np.column_stack([draw.randint(0, 40, rows) for _ in range(3)]
                        + [draw.randint(0, 9, rows) / 2, draw.randint(0, 6, rows)]).astype(float)
    if twin:
        x[:, 2] = 2 * x[:, 0] + 1
    y = np.round(x[:, 0] * np.where(x[:, 1] > 17, 2, -1) + 3 * x[:, 3] + 4 * (x[:, 4] % 3)
                 + draw.randint(0, 8, rows))
    if missing:
        x[draw.randint(0, 7, rows) == 0, 1] = np.nan
        x[draw.randint(0, 9, rows) == 0, 3] = np.nan
    return x, y, draw.randint(1, 5, rows).astype(float)


def plain(missing, twin):
    x, y, weight = table(missing, twin)
    return {"columns": [[None if v != v else v for v in column] for column in x.T.tolist()],
            "labels": y.tolist(), "weights": weight.tolist()}


def labels(y, objective):
    if objective == "binary":
        return (y > np.median(y)).astype(float)
    if objective == "multiclass":
        return np.digitize(y, np.quantile(y, [0.33, 0.66])).astype(float)
    return y - y.min() if objective == "poisson" else y


def run(name, given):
    params = {"objective": "regression", "linear_tree": True, "num_leaves": 8,
              "learning_rate": 0.2, "min_data_in_leaf": 8, "min_data_per_group": 10,
              "cat_smooth": 2, "max_cat_to_onehot": 2, **given}
    missing, twin, weighted = (params.pop(key, False) for key in ("missing", "twin", "weights"))
    x, y, weight = table(missing, twin)
    y = labels(y, params["objective"])
    train = lightgbm.Dataset(x[:200], y[:200], weight=weight[:200] if weighted else None,
                             categorical_feature=[4], params={"verbose": -1})
    valid = train.create_valid(x[200:], y[200:])
    history = {}
    model = lightgbm.train(
        {**params, "verbose": -1, "num_threads": 1, "force_row_wise": True, "deterministic": True,
         "seed": 1},
        train, 7, valid_sets=[valid], callbacks=[lightgbm.record_evaluation(history)])
    (metric, values), = history["valid_0"].items()
    return {"name": name, "params": params, "missing": missing, "twin": twin, "weighted": weighted,
            "labels": y.tolist(), "metric": metric if metric in METRICS else None,
            "history": values, "raw": model.predict(x[200:], raw_score=True).reshape(-1).tolist(),
            "text": "\n".join(line for line in model.model_to_string().split("\nend of trees")[0]
                              .split("\n") if not line.startswith(UNUSED))}


json.dump({"tables": {f"{missing} {twin}": plain(missing, twin)
                      for missing, twin in [(False, False), (True, False), (False, True)]},
           "cases": [run(name, params) for name, params in CASES.items()]}, sys.stdout)
