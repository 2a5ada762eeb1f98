"""Trees, metric histories and scores of LightGBM 4.7.0 with zero_as_missing.

    pip install lightgbm==4.7.0 numpy==2.4.6 scipy
    python3 tests/golden/lightgbm_runs/recipe_zero.py > tests/golden/lightgbm_runs/zero.json

Columns: sparse, without zeros, negative only, two values, negative zeros and numbers too small to
be told from zero, NaN beside zeros, and one with most rows in its lowest bin, which LightGBM's scan
from the left leaves out. Two threads: sums of rows are made in two blocks.
"""

import json
import sys

import lightgbm
import numpy as np
import scipy.sparse

CASES = {
    "dense": {},
    "sparse rows": {"sparse": True},
    "two classes, smoothed": {"objective": "binary", "path_smooth": 3, "num_leaves": 12},
    "one row a leaf, smoothed": {"path_smooth": 2, "min_data_in_leaf": 1},
    "few bins": {"max_bin": 6, "lambda_l2": 1.5},
    "most rows in the lowest bin": {"lowest": True},
    "shallow": {"max_depth": 3, "min_data_in_leaf": 10},
}


def table(lowest):
    draw = np.random.RandomState(31)
    rows = 160
    x = np.column_stack([
        np.where(draw.rand(rows) < 0.2, draw.randint(-9, 10, rows), 0),
        draw.randint(1, 40, rows),
        -draw.randint(1, 40, rows),
        draw.randint(0, 2, rows),
        draw.randint(-4, 5, rows),
        draw.randint(0, 9, rows),
        draw.randint(0, 5, rows),
    ]).astype(float)
    if lowest:
        x[:, 4] = np.where(draw.rand(rows) < 0.75, -9, draw.randint(-4, 5, rows))
    zero = np.flatnonzero(x[:, 4] == 0)
    x[zero[::4], 4] = -0.0
    x[zero[1::4], 4] = 1e-36
    x[zero[2::4], 4] = -1e-40
    noise = draw.randint(0, 6, rows)
    y = 3 * x[:, 0] + np.where(x[:, 5] == 0, 25, x[:, 5]) + x[:, 1] * (x[:, 4] > 0)
    y = np.round(y + 6 * (x[:, 2] < -20) - 4 * x[:, 3] + 5 * (x[:, 6] == 2) + noise)
    x[draw.randint(0, 6, rows) == 0, 5] = np.nan
    x[draw.randint(0, 9, rows) == 0, 3] = np.nan
    return x, y


def run(name, given):
    params = {"objective": "regression", "num_leaves": 15, "learning_rate": 0.1,
              "min_data_in_leaf": 5, "zero_as_missing": True, "min_data_per_group": 10,
              "cat_smooth": 2, **given}
    lowest = params.pop("lowest", False)
    sparse = params.pop("sparse", False)
    x, y = table(lowest)
    if params["objective"] == "binary":
        y = (y > np.median(y)).astype(float)
    rows = scipy.sparse.csr_matrix(x) if sparse else x
    train = lightgbm.Dataset(rows, y, categorical_feature=[6])
    history = {}
    model = lightgbm.train(
        {**params, "verbose": -1, "num_threads": 2, "force_row_wise": True, "deterministic": True,
         "seed": 1},
        train, 8, valid_sets=[train], callbacks=[lightgbm.record_evaluation(history)])
    (metric, values), = history["training"].items()
    return {"name": name, "params": params, "table": "lowest" if lowest else "plain",
            "labels": [int(v) for v in y], "metric": metric, "history": values,
            "raw": model.predict(x, raw_score=True).tolist(),
            "trees": [nodes(tree["tree_structure"]) for tree in model.dump_model()["tree_info"]]}


def nodes(node):
    """Parents before children, left before right."""
    if "leaf_value" in node:
        return [[node["leaf_value"]]]
    categorical = node["decision_type"] == "=="
    cut = sorted(int(c) for c in node["threshold"].split("||")) if categorical else node["threshold"]
    # A missing type of None has no side of its own.
    side = None if node["missing_type"] == "None" else bool(node["default_left"])
    split = [node["split_feature"], cut, side]
    return [split, *nodes(node["left_child"]), *nodes(node["right_child"])]


def columns(lowest):
    return [[None if v != v else v for v in column] for column in table(lowest)[0].T.tolist()]


json.dump({"lightgbm": lightgbm.__version__,
           "tables": {"plain": columns(False), "lowest": columns(True)},
           "cases": [run(*case) for case in CASES.items()]}, sys.stdout)
