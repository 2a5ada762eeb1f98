#!/usr/bin/env python3
"""Trains scikit-learn and CatBoost models of unusual parameter mixes and writes down what they say.

    python tools/parity/sklearn_models.py FOLDER [--count 150] [--seed 1]

`deno run -A tools/parity/compare.ts FOLDER` imports and compares: sums to the last bit. Needs
numpy, pandas, scikit-learn; catboost if there.
"""
import argparse
import json
import os
import sys
import warnings

import numpy as np
import pandas as pd
import sklearn
from sklearn import ensemble, tree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sklearn_export import export_model

warnings.filterwarnings("ignore")


def draw(rng, choices):
    return {name: values[rng.randint(len(values))] for name, values in choices.items()}


def write(folder, name, text, X, names, out, raw=None):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".json"), "w") as file:
        file.write(text)
    plain = lambda v: None if v is None or v != v else v if isinstance(v, str) else float(v)
    said = {"X": [[plain(v) for v in row] for row in X], "names": names, "out": np.asarray(out, dtype=float).reshape(len(X), -1).tolist()}
    if raw is not None:
        said["raw"] = np.asarray(raw, dtype=float).reshape(len(X), -1).tolist()
    with open(os.path.join(folder, name + ".exp.json"), "w") as file:
        json.dump(said, file)


def data(rng, missing):
    n, k = int(rng.choice([60, 300])), int(rng.choice([1, 4, 7]))
    X = np.round(rng.randn(n, k) * 10.0 ** rng.randint(-2, 3, k), int(rng.choice([1, 15])))
    score = X[:, 0] / (np.abs(X[:, 0]).max() + 1e-9) + np.sin(X.sum(axis=1))
    if missing:
        X[rng.rand(n, k) < 0.2] = np.nan
    return X, score + 0.2 * rng.randn(n)


def probes(rng, X, thresholds, single):
    """Rows of the table, and rows on thresholds and beside them in the precision of the library."""
    T = X[rng.randint(0, len(X), 40)].copy()
    step = (lambda t, to: float(np.nextafter(np.float32(t), np.float32(to)))) if single else (lambda t, to: float(np.nextafter(t, to)))
    for row in T[10:]:
        for f in range(X.shape[1]):
            if len(thresholds[f]) and rng.rand() < 0.6:
                t = thresholds[f][rng.randint(len(thresholds[f]))]
                if np.isfinite(t):
                    row[f] = [t, step(t, -np.inf), step(t, np.inf), 0.0][rng.randint(4)]
    return T


def labels(rng, score, several, strings):
    y = np.digitize(score, [-0.5, 0.6] if several else [0.1])
    return np.array(["z", "a", "m"])[y] if strings else y


TREE = {"max_depth": [2, 5, None], "min_samples_leaf": [1, 4], "max_features": [None, 0.7]}


def sklearn_case(rng, root, number):
    kinds = ["tree", "extra tree", "forest", "extra trees", "gradient", "histogram", "isolation", "several targets"]
    kind = kinds[number % len(kinds)]
    classifier = rng.rand() < 0.5 and kind not in ("isolation", "several targets")
    missing = kind in ("tree", "forest", "histogram", "extra tree", "extra trees", "several targets") and rng.rand() < 0.5
    X, score = data(rng, missing)
    y = labels(rng, score, rng.rand() < 0.5, rng.rand() < 0.4) if classifier else score * 3 + 7
    weight = rng.rand(len(X)) + 0.1 if rng.rand() < 0.3 and kind != "several targets" else None
    seed = int(rng.randint(1000))
    trees = {"n_estimators": int(rng.choice([1, 5, 20])), "random_state": seed}
    p = draw(rng, TREE)
    names, frame = None, X
    if kind in ("tree", "extra tree"):
        name = ("DecisionTree" if kind == "tree" else "ExtraTree") + ("Classifier" if classifier else "Regressor")
        if classifier:
            p["class_weight"] = [None, "balanced"][rng.randint(2)]
            p["criterion"] = ["gini", "entropy"][rng.randint(2)]
        else:
            p["criterion"] = ["squared_error", "friedman_mse", "absolute_error"][rng.randint(3)]
        if missing and p.get("criterion") == "absolute_error":
            p["criterion"] = "squared_error"
        model = getattr(tree, name)(random_state=seed, ccp_alpha=float(rng.choice([0, 0.01])), **p)
    elif kind in ("forest", "extra trees", "several targets"):
        name = ("RandomForest" if kind != "extra trees" else "ExtraTrees") + ("Classifier" if classifier else "Regressor")
        if kind == "several targets":
            y = np.column_stack([y, -y ** 2])
        model = getattr(ensemble, name)(bootstrap=bool(rng.randint(2)), **trees, **p)
    elif kind == "gradient":
        p.update(draw(rng, {"learning_rate": [0.1, 1.0], "subsample": [1.0, 0.5], "init": [None, "zero"]}))
        if classifier:
            if len(set(y.tolist())) == 2:
                p["loss"] = ["log_loss", "exponential"][rng.randint(2)]
            model = ensemble.GradientBoostingClassifier(**trees, **p)
        else:
            p["loss"] = ["squared_error", "absolute_error", "huber", "quantile"][rng.randint(4)]
            model = ensemble.GradientBoostingRegressor(**trees, **p)
    elif kind == "histogram":
        q = draw(rng, {"learning_rate": [0.1, 1.0], "max_iter": [1, 8], "max_leaf_nodes": [5, 31], "l2_regularization": [0, 1.0],
                       "max_bins": [255, 8], "min_samples_leaf": [2, 20], "early_stopping": [False, True]})
        if rng.rand() < 0.5:
            # Level names, codes and a frame: the exporter follows scikit-learn's own encoder.
            sizes = [int(rng.choice([2, 6, 30])) for _ in range(2)]
            C = np.column_stack([rng.randint(0, s, len(X)) for s in sizes])
            frame = pd.DataFrame(X, columns=[f"n{i}" for i in range(X.shape[1])])
            frame.insert(0, "cat", pd.Categorical([f"v{c}" if rng.rand() > 0.1 else None for c in C[:, 0]]))
            frame["num cat"] = pd.Categorical([int(c) if rng.rand() > 0.1 else None for c in C[:, 1]])
            q["categorical_features"] = "from_dtype"
            y = y if classifier else y + 2.0 * (C[:, 0] % 2)
        if classifier:
            model = ensemble.HistGradientBoostingClassifier(random_state=seed, **q)
        else:
            q["loss"] = ["squared_error", "absolute_error", "poisson", "gamma", "quantile"][rng.randint(5)]
            if q["loss"] in ("poisson", "gamma"):
                y = np.exp(np.clip(score, -3, 3))
            if q["loss"] == "quantile":
                q["quantile"] = 0.7
            model = ensemble.HistGradientBoostingRegressor(random_state=seed, **q)
    else:
        model = ensemble.IsolationForest(max_samples=int(rng.choice([16, 50])), max_features=float(rng.choice([1.0, 0.6])), **trees)
    fit = {} if weight is None or kind == "isolation" else {"sample_weight": weight}
    model.fit(frame) if kind == "isolation" else model.fit(frame, y, **fit)
    text = export_model(model)
    document = json.loads(text)
    thresholds = [[] for _ in range(X.shape[1])]
    for t in document["trees"] if frame is X else []:
        for f, v, left in zip(t["feature"], t["threshold"], t["left"]):
            if left != -1 and isinstance(v, float):
                thresholds[f].append(v)
    if frame is X:
        T = probes(rng, X, thresholds, document["input"] == "f32")
        if not missing:
            T = np.nan_to_num(T)
        rows = T.tolist()
    else:
        T = frame.iloc[:40]
        names = list(frame.columns)
        rows = [[None if v is None or v != v else v if isinstance(v, str) else float(v) for v in row] for row in T.astype(object).values.tolist()]
        # A category of whole numbers is named as a CSV would.
        rows = [[str(int(v)) if i == len(row) - 1 and v is not None else v for i, v in enumerate(row)] for row in rows]
    said = -model.score_samples(T) if kind == "isolation" else model.predict_proba(T) if classifier else model.predict(T)
    write(os.path.join(root, f"scikit-learn-{sklearn.__version__}"), f"{number:04d}_{type(model).__name__}", text, rows, names, said)


def catboost_case(rng, root, number):
    import catboost
    losses = ["RMSE", "Logloss", "MultiClass", "MultiClassOneVsAll", "Poisson", "Quantile", "MAE", "MultiRMSE", "CrossEntropy", "Tweedie:variance_power=1.5", "Huber:delta=1.0", "Expectile:alpha=0.3"]
    loss = losses[number % len(losses)]
    X, score = data(rng, rng.rand() < 0.5)
    y = {"Logloss": labels(rng, score, False, rng.rand() < 0.4), "MultiClass": labels(rng, score, True, rng.rand() < 0.4),
         "MultiClassOneVsAll": labels(rng, score, True, False), "Poisson": rng.poisson(np.exp(np.clip(score, -2, 2))),
         "Tweedie:variance_power=1.5": rng.poisson(np.exp(np.clip(score, -2, 2))), "MultiRMSE": np.column_stack([score, -score]),
         "CrossEntropy": 1 / (1 + np.exp(-score))}.get(loss, score)
    p = draw(rng, {"depth": [1, 4, 7], "iterations": [1, 6, 15], "learning_rate": [0.1, 1.0], "nan_mode": ["Min", "Max"],
                   "bootstrap_type": ["No", "Bernoulli"], "boost_from_average": [True, False], "border_count": [254, 7], "l2_leaf_reg": [3, 0.1]})
    if loss not in ("RMSE", "Quantile", "MAE", "Logloss", "CrossEntropy", "MultiRMSE"):
        p.pop("boost_from_average")
    model = catboost.CatBoost({**p, "loss_function": loss, "random_seed": int(rng.randint(1000)), "thread_count": 1, "allow_writing_files": False, "verbose": False})
    model.fit(X, y)
    folder = os.path.join(root, f"catboost-{catboost.__version__}")
    os.makedirs(folder, exist_ok=True)
    name = f"{number:04d}_{loss.split(':')[0]}"
    path = os.path.join(folder, name + ".json")
    model.save_model(path, format="json")
    text = open(path).read()
    thresholds = [[] for _ in range(X.shape[1])]
    for t in json.loads(text)["oblivious_trees"]:
        for split in t["splits"] or []:
            thresholds[split["float_feature_index"]].append(split["border"])
    T = probes(rng, X, thresholds, True)
    if not np.isnan(X).any():
        T = np.nan_to_num(T)
    kind = {"Logloss": "Probability", "MultiClass": "Probability", "CrossEntropy": "Probability", "Poisson": "Exponent", "Tweedie": "Exponent",
            "MultiClassOneVsAll": "Probability"}.get(loss.split(":")[0], "RawFormulaVal")
    said = model.predict(T, prediction_type=kind)
    if loss == "CrossEntropy":
        said = said[:, 1]
    write(folder, name, text, T.tolist(), None, said, model.predict(T, prediction_type="RawFormulaVal"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--number", type=int)
    args = parser.parse_args()
    for library, make in (("scikit-learn", sklearn_case), ("catboost", catboost_case)):
        if args.only not in (None, library):
            continue
        refused = {}
        for number in range(args.count) if args.number is None else [args.number]:
            try:
                make(np.random.RandomState(args.seed * 100_000 + number), args.folder, number)
            except Exception as error:  # mixes that the library itself does not take
                refused.setdefault(f"{type(error).__name__} {str(error)[:150]}", []).append(number)
        print(f"{library}: {sum(map(len, refused.values()))} mixes that the library itself refuses")
        for reason, numbers in refused.items():
            print("  ", reason, numbers[:5])


if __name__ == "__main__":
    main()
