"""Trees of XGBoost 3.2.0 (the same of 2.1.4) where bounds act on leaves: monotone constraints and
max_delta_step beside the L1 penalty, by exact splits.

    pip install xgboost==3.2.0 numpy==2.4.6
    python3 tests/golden/monotone/recipe_xgboost.py > tests/golden/monotone/xgboost.json
"""

import json
import sys

import numpy as np
import xgboost

CASES = {
    "monotone": {"monotone_constraints": "(1,-1,1)"},
    "monotone, alpha": {"monotone_constraints": "(1,-1,0)", "reg_alpha": 1, "gamma": 0.5},
    "monotone, alpha, step": {"monotone_constraints": "(1,-1,1)", "reg_alpha": 1,
                              "max_delta_step": 0.7, "reg_lambda": 3},
    "alpha, step": {"reg_alpha": 1, "max_delta_step": 0.7},
    "two classes": {"monotone_constraints": "(1,-1,1)", "reg_alpha": 1,
                    "objective": "binary:logistic"},
    "counts, step of 0.7": {"objective": "count:poisson"},
    "counts, step of 0.3": {"objective": "count:poisson", "max_delta_step": 0.3},
    "counts, monotone": {"objective": "count:poisson", "monotone_constraints": "(1,-1,1)"},
}

draw = np.random.RandomState(7)
x = np.column_stack([draw.randint(0, 30, 200) for _ in range(3)]).astype(np.float32)
y = np.round(2 * x[:, 0] + 30 * np.sin(x[:, 0] / 3) - x[:, 1] * np.where(x[:, 2] > 12, 1, -1)
             + 3 * draw.randint(0, 9, 200)) / 10
x[draw.randint(0, 10, 200) == 0, 2] = np.nan


def run(name, given):
    params = {"objective": "reg:squarederror", "max_depth": 4, "eta": 0.3, "tree_method": "exact",
              "base_score": 0.5, "nthread": 1, **given}
    labels = {"binary:logistic": (y > np.median(y)).astype(float),
              "count:poisson": np.floor(np.abs(y))}.get(params["objective"], y)
    model = xgboost.train(params, xgboost.DMatrix(x, labels), 5)
    trees = json.loads(bytes(model.save_raw("json")))["learner"]["gradient_booster"]["model"]["trees"]
    keys = ["left_children", "right_children", "split_indices", "split_conditions"]
    return {"name": name, "params": params, "labels": labels.tolist(),
            "trees": [{key: tree[key] for key in keys} for tree in trees]}


json.dump({"xgboost": xgboost.__version__,
           "columns": [[None if v != v else int(v) for v in column] for column in x.T.tolist()],
           "cases": [run(*case) for case in CASES.items()]}, sys.stdout)
