"""Trees and metric histories of LightGBM 4.7.0 with monotone constraints.

    pip install lightgbm==4.7.0 numpy==2.4.6
    python3 tests/golden/monotone/recipe.py > tests/golden/monotone/lightgbm.json

The rows are whole numbers drawn here; the target goes against the constraints in places. Two threads,
as in ../shared/models: sums of rows are made in two blocks.
"""

import json
import sys

import lightgbm
import numpy as np

DIRECTIONS = [1, -1, 1, 0, 0]
CASES = {
    "basic": {},
    "basic, late splits": {"monotone_penalty": 1.5},
    "intermediate": {"monotone_constraints_method": "intermediate"},
    "intermediate, smoothed": {"monotone_constraints_method": "intermediate", "path_smooth": 5,
                               "lambda_l1": 2, "monotone_penalty": 0.7},
    "advanced": {"monotone_constraints_method": "advanced"},
    "advanced, deep": {"monotone_constraints_method": "advanced", "num_leaves": 40,
                       "min_data_in_leaf": 3, "lambda_l2": 1.5},
    "advanced, two classes": {"monotone_constraints_method": "advanced", "objective": "binary",
                              "monotone_penalty": 1.0, "max_delta_step": 1},
    "advanced, missing values": {"monotone_constraints_method": "advanced", "missing": True},
    "intermediate, missing values": {"monotone_constraints_method": "intermediate",
                                     "missing": True},
}


def table(seed, missing):
    draw = np.random.RandomState(seed)
    rows = 300
    x = np.column_stack([draw.randint(0, 30, rows) for _ in range(4)]
                        + [draw.randint(0, 6, rows)]).astype(float)
    noise = draw.randint(0, 9, rows)
    y = np.round(2 * x[:, 0] + 30 * np.sin(x[:, 0] / 3) - x[:, 1] * np.where(x[:, 2] > 12, 1, -1)
                 + 5 * x[:, 4] + 3 * noise)
    if missing:
        x[draw.randint(0, 8, rows) == 0, 2] = np.nan
    return x, y


def plain(missing):
    x, y = table(7, missing)
    return {"columns": [[None if v != v else int(v) for v in column] for column in x.T.tolist()],
            "labels": [int(v) for v in y]}


def run(name, params):
    params = {"objective": "regression", "num_leaves": 15, "learning_rate": 0.1,
              "min_data_in_leaf": 5, "min_data_per_group": 10, "cat_smooth": 2, **params}
    missing = params.pop("missing", False)
    x, y = table(7, missing)
    if params["objective"] == "binary":
        y = (y > np.median(y)).astype(float)
    train = lightgbm.Dataset(x, y, categorical_feature=[4], params={"verbose": -1})
    history = {}
    model = lightgbm.train(
        {**params, "monotone_constraints": DIRECTIONS, "verbose": -1, "num_threads": 2,
         "force_row_wise": True, "deterministic": True, "seed": 1},
        train, 8, valid_sets=[train], callbacks=[lightgbm.record_evaluation(history)])
    (metric, values), = history["training"].items()
    return {"name": name, "params": params, "table": "missing" if missing else "full",
            "metric": metric, "history": values,
            "trees": [nodes(tree["tree_structure"]) for tree in model.dump_model()["tree_info"]]}


def nodes(node):
    """Parents before children, left before right."""
    if "leaf_value" in node:
        return [[node["leaf_value"]]]
    categorical = node["decision_type"] == "=="
    cut = sorted(int(c) for c in node["threshold"].split("||")) if categorical else node["threshold"]
    split = [node["split_feature"], cut, bool(node["default_left"])]
    return [split, *nodes(node["left_child"]), *nodes(node["right_child"])]


json.dump({"lightgbm": lightgbm.__version__, "directions": DIRECTIONS,
           "tables": {"full": plain(False), "missing": plain(True)},
           "cases": [run(*case) for case in CASES.items()]}, sys.stdout)
