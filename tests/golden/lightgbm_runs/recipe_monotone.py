"""Trees of LightGBM 4.7.0 with monotone constraints, and which of them break the order they promise.

    pip install lightgbm==4.7.0 numpy==2.4.6
    python3 tests/golden/lightgbm_runs/recipe_monotone.py > tests/golden/lightgbm_runs/monotone.json

The order is judged by LightGBM's own predictions, tree by tree: rows of the table with every value
of a constrained column in turn.
"""

import json
import sys

import lightgbm
import numpy as np

CASES = {
    "basic, three columns": {"method": "basic"},
    "basic, smoothed": {"method": "basic", "path_smooth": 3},
    "intermediate": {"method": "intermediate", "max_depth": 4},
    "intermediate, late splits": {"method": "intermediate", "monotone_penalty": 1.5},
    "advanced": {"method": "advanced"},
    "advanced, shallow": {"method": "advanced", "max_depth": 3, "monotone_penalty": 0.5},
    "advanced, two classes": {"method": "advanced", "objective": "binary", "lambda_l2": 1.5},
    "advanced, zero as missing": {"method": "advanced", "zero_as_missing": True},
    "advanced, nothing missing": {"method": "advanced", "table": "full"},
    "intermediate, nothing missing": {"method": "intermediate", "table": "full"},
}
DIRECTIONS = [1, -1, -1, 0, 0]


def table(name):
    draw = np.random.RandomState(12)
    rows = 220
    x = np.column_stack([draw.randint(0, 12, rows) for _ in range(4)]
                        + [draw.randint(0, 5, rows)]).astype(float)
    y = np.round(x[:, 0] + 9 * np.sin(x[:, 0]) - x[:, 1] * (x[:, 3] > 5) - 3 * np.cos(x[:, 2])
                 + 2 * x[:, 4] + draw.randint(0, 9, rows))
    if name == "missing":
        for column in (0, 1, 3):
            x[draw.randint(0, 5, rows) == 0, column] = np.nan
    return x, y


def broken(model, x):
    """Numbers, from 1, of the trees whose predictions go against the order."""
    found = []
    for tree in range(model.num_trees()):
        for column, direction in enumerate(DIRECTIONS):
            values = np.unique(x[~np.isnan(x[:, column]), column])
            if model.params.get("zero_as_missing"):
                values = values[values != 0]
            grid = np.repeat(x, len(values), axis=0)
            grid[:, column] = np.tile(values, len(x))
            raw = model.predict(grid, raw_score=True, start_iteration=tree, num_iteration=1)
            steps = np.diff(raw.reshape(len(x), len(values)), axis=1) * direction
            if (steps < 0).any():
                found.append(tree + 1)
                break
    return found


def run(name, given):
    params = {"objective": "regression", "num_leaves": 15, "learning_rate": 0.1,
              "min_data_in_leaf": 3, "min_data_per_group": 10, "cat_smooth": 2, **given}
    params["monotone_constraints_method"] = params.pop("method")
    kind = params.pop("table", "missing")
    x, y = table(kind)
    if params["objective"] == "binary":
        y = (y > np.median(y)).astype(float)
    train = lightgbm.Dataset(x, y, categorical_feature=[4])
    model = lightgbm.train(
        {**params, "monotone_constraints": DIRECTIONS, "verbose": -1, "num_threads": 2,
         "force_row_wise": True, "deterministic": True, "seed": 1}, train, 6)
    return {"name": name, "params": params, "table": kind, "labels": [int(v) for v in y],
            "broken": broken(model, x),
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


def columns(name):
    return [[None if v != v else int(v) for v in column] for column in table(name)[0].T.tolist()]


json.dump({"lightgbm": lightgbm.__version__, "directions": DIRECTIONS,
           "tables": {name: columns(name) for name in ("missing", "full")},
           "cases": [run(*case) for case in CASES.items()]}, sys.stdout)
