"""Trains the five model shapes of bench/score.ts with XGBoost (and LightGBM and YDF twins), and writes rows and margins.
What a folder holds already is not trained again.

usage: python bench/peers/score_models.py FOLDER [SHAPE …]   (pip install -r bench/peers/requirements.txt)
"""
import json
import os
import sys
import tempfile
import zipfile

import lightgbm as lgb
import numpy as np
import xgboost as xgb

folder = sys.argv[1]
wanted = sys.argv[2:]
os.makedirs(folder, exist_ok=True)
rng = np.random.default_rng(7)
ROWS, FEATURES, TEST = 60_000, 28, 4096


def data(classes):
    x = rng.normal(size=(ROWS + TEST, FEATURES)).astype(np.float32)
    x[:, ::3] = np.exp(x[:, ::3])
    score = x[:, 0] + np.sin(2 * x[:, 1]) + x[:, 2] * x[:, 3] + 0.5 * np.abs(x[:, 4]) - (x[:, 5] > 0.3) * x[:, 6]
    noisy = score + rng.normal(size=len(x))
    y = np.digitize(noisy, np.quantile(noisy, np.arange(1, classes) / classes))
    x[rng.random(x.shape) < 0.05] = np.nan
    return x[:ROWS], y[:ROWS], x[ROWS:]


SHAPES = {
    "small": (2, 100, {"max_depth": 6}),
    "big": (2, 500, {"max_depth": 8}),
    "leaf": (2, 1000, {"max_depth": 20, "max_leaves": 63, "grow_policy": "lossguide"}),
    "rf": (2, 1, {"max_depth": 16, "num_parallel_tree": 200, "subsample": 0.63, "colsample_bynode": 0.3, "learning_rate": 1, "min_child_weight": 0.2, "lambda": 0.01}),
    "multi": (7, 30, {"max_depth": 6}),
}

for name, (classes, rounds, extra) in SHAPES.items():
    x, y, test = data(classes)
    if wanted and name not in wanted or os.path.exists(f"{folder}/{name}.lgb.txt"):
        continue
    objective = {"objective": "binary:logistic"} if classes == 2 else {"objective": "multi:softprob", "num_class": classes}
    params = {"tree_method": "hist", "learning_rate": 0.1, "nthread": 2, **objective, **extra}
    booster = xgb.train(params, xgb.DMatrix(x, y), rounds)
    booster.save_model(f"{folder}/{name}.json")
    booster.save_model(f"{folder}/{name}.ubj")
    margin = booster.predict(xgb.DMatrix(test), output_margin=True)
    test.tofile(f"{folder}/{name}.rows.f32")
    margin.astype(np.float32).tofile(f"{folder}/{name}.margin.f32")
    # LightGBM's twin of the shape, for its single-row fast path.
    lparams = {"verbose": -1, "num_threads": 2, "learning_rate": 0.1, "min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 1e-3}
    lparams |= {"objective": "binary"} if classes == 2 else {"objective": "multiclass", "num_class": classes}
    if name == "rf":
        lparams |= {"boosting": "rf", "bagging_fraction": 0.63, "bagging_freq": 1, "feature_fraction": 0.5, "max_depth": 16, "num_leaves": 3500}
        rounds = 200
    elif name == "leaf":
        lparams |= {"num_leaves": 63, "max_depth": 20}
    else:
        lparams |= {"num_leaves": 2 ** extra["max_depth"], "max_depth": extra["max_depth"]}
    lgb.train(lparams, lgb.Dataset(x, y), rounds).save_model(f"{folder}/{name}.lgb.txt")
    print(json.dumps({"name": name, "bytes": os.path.getsize(f"{folder}/{name}.ubj")}), flush=True)



def write_onnx(name):
    """The same booster as ONNX."""
    from onnxmltools.convert import convert_xgboost
    from onnxmltools.convert.common.data_types import FloatTensorType
    booster = xgb.Booster(model_file=f"{folder}/{name}.ubj")
    onx = convert_xgboost(booster, initial_types=[("x", FloatTensorType([None, FEATURES]))])
    with open(f"{folder}/{name}.onnx", "wb") as file:
        file.write(onx.SerializeToString())


def write_ydf(name, x, y, classes, rounds, extra):
    """YDF's twin of the shape, as the zip that ydf-inference reads: files without their folder."""
    import ydf
    data = {f"f{f}": x[:, f] for f in range(FEATURES)} | {"y": np.array([f"c{k}" for k in y])}
    # YDF counts the root as a level, but not where trees grow by leaves.
    common = {"label": "y", "task": ydf.Task.CLASSIFICATION, "pure_serving_model": True, "num_threads": 2,
              "min_examples": 1, "random_seed": 7}
    if name == "rf":
        # XGBoost's rows are drawn without replacement, too. Nine tenths make as many leaves as it has of 0.63: YDF's
        # trees end earlier.
        learner = ydf.RandomForestLearner(num_trees=200, max_depth=17, bootstrap_size_ratio=0.9, sampling_with_replacement=False,
                                          winner_take_all=False, num_candidate_attributes_ratio=0.3,
                                          compute_oob_performances=False, **common)
    else:
        common |= {"num_trees": rounds, "shrinkage": 0.1, "validation_ratio": 0.0, "early_stopping": "NONE", "use_hessian_gain": True}
        if name == "leaf":
            learner = ydf.GradientBoostedTreesLearner(growing_strategy="BEST_FIRST_GLOBAL", max_num_nodes=63, max_depth=20, **common)
        else:
            learner = ydf.GradientBoostedTreesLearner(max_depth=extra["max_depth"] + 1, **common)
    with tempfile.TemporaryDirectory() as where:
        learner.train(data).save(f"{where}/model")
        with zipfile.ZipFile(f"{folder}/{name}.ydf.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(os.listdir(f"{where}/model")):
                archive.write(f"{where}/model/{file}", file)


rng = np.random.default_rng(7)
for name, (classes, rounds, extra) in SHAPES.items():
    x, y, test = data(classes)
    if wanted and name not in wanted:
        continue
    for kind, write in [("ONNX", lambda: write_onnx(name)), ("YDF", lambda: write_ydf(name, x, y, classes, rounds, extra))]:
        try:
            write()
            print(name, kind, "written", flush=True)
        except Exception as error:  # not installed, or a shape that it refuses
            print(name, f"has no {kind}:", error, flush=True)
