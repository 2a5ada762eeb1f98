"""Scores of other libraries' defaults on the data sets of ../shared, for bench/rank.ts.

    python3 -m venv .cache/peers
    .cache/peers/bin/pip install numpy==2.4.6 pandas==3.1.1 scikit-learn==1.9.1 lightgbm==4.7.0 \
        xgboost==3.2.0 catboost==1.2.10
    .cache/peers/bin/python bench/rank_peers.py > bench/rank_peers.json

Splits and dropped columns are those of ../shared/reference/scores.json; sets of more than 2000 rows
are scored on their first fold only. Text columns are categories for every library; missing stays
missing. One thread each, nothing but defaults.
"""

import json
import sys
import time
import warnings

import numpy as np
import pandas as pd
from catboost import CatBoostClassifier, CatBoostRegressor
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import (accuracy_score, f1_score, log_loss, mean_absolute_error,
                             mean_squared_error, r2_score, roc_auc_score)
from threadpoolctl import threadpool_limits
from xgboost import XGBClassifier, XGBRegressor

warnings.filterwarnings("ignore")
SHARED = "../shared/"


def learners(kind, cats):
    if kind == "reg":
        return {
            "xgboost": lambda: XGBRegressor(n_jobs=1, enable_categorical=True),
            "lightgbm": lambda: LGBMRegressor(n_jobs=1, verbose=-1),
            "sklearn": lambda: HistGradientBoostingRegressor(categorical_features="from_dtype"),
            "catboost": lambda: CatBoostRegressor(thread_count=1, verbose=0, cat_features=cats,
                                                  allow_writing_files=False),
        }
    return {
        "xgboost": lambda: XGBClassifier(n_jobs=1, enable_categorical=True),
        "lightgbm": lambda: LGBMClassifier(n_jobs=1, verbose=-1),
        "sklearn": lambda: HistGradientBoostingClassifier(categorical_features="from_dtype"),
        "catboost": lambda: CatBoostClassifier(thread_count=1, verbose=0, cat_features=cats,
                                               allow_writing_files=False),
    }


def read(entry, name):
    frame = pd.read_csv(SHARED + "datasets/" + name, na_values=["?"], keep_default_na=False,
                        true_values=[], false_values=[])
    frame = frame.replace("", np.nan)
    y = frame[entry["target"]]
    x = frame.drop(columns=[entry["target"], *entry["dropped"]])
    for column in x.columns:
        number = pd.to_numeric(x[column], errors="coerce")
        if number.isna().sum() == x[column].isna().sum():
            x[column] = number.astype(float)
    return x, y


def measure(kind, truth, model, x, classes):
    if kind == "reg":
        value = model.predict(x)
        return {"rmse": mean_squared_error(truth, value) ** 0.5,
                "mae": mean_absolute_error(truth, value), "r2": r2_score(truth, value)}
    proba = np.asarray(model.predict_proba(x), dtype=float)
    if proba.shape[1] < len(classes):  # a class that the training part lacks
        full = np.zeros((len(x), len(classes)))
        full[:, model.classes_] = proba
        proba = full
    proba = np.clip(proba, 1e-15, None)
    proba /= proba.sum(axis=1, keepdims=True)
    found = {"logLoss": log_loss(truth, proba, labels=range(len(classes)))}
    if kind == "bin":
        found["auc"] = roc_auc_score(truth, proba[:, 1])
        found["accuracy"] = accuracy_score(truth, proba[:, 1] > 0.5)
    else:
        found["accuracy"] = accuracy_score(truth, proba.argmax(axis=1))
        found["macroF1"] = f1_score(truth, proba.argmax(axis=1), average="macro")
    return found


def parts(entry):
    if entry["split"].startswith("train = "):
        x, y = read(entry, entry["file"])
        tx, ty = read(entry, "adult_test.csv")
        both = pd.concat([x, tx], ignore_index=True), pd.concat([y, ty], ignore_index=True)
        test = np.arange(len(both[0])) >= len(x)
        return *both, [test]
    x, y = read(entry, entry["file"])
    fold = pd.read_csv(SHARED + f"reference/splits/{entry['dataset']}.csv").iloc[:, -1].to_numpy()
    assert len(fold) == len(x)
    return x, y, [fold == k for k in range(5 if len(x) <= 2000 else 1)]


def main():
    entries = json.load(open(SHARED + "reference/scores.json"))["datasets"]
    only = sys.argv[1:]
    result = {}
    for name, entry in entries.items():
        kind = entry["kind"]
        if kind == "count" or (only and name not in only):
            continue
        x, y, tests = parts(entry)
        cats = [c for c in x.columns if not pd.api.types.is_numeric_dtype(x[c])]
        for column in cats:
            x[column] = x[column].astype(object).astype("category")
        classes = sorted(y.unique(), key=str) if kind != "reg" else []
        truth = y.astype(float) if kind == "reg" else y.map({c: i for i, c in enumerate(classes)})
        for learner, make in learners(kind, cats).items():
            xs = x
            if learner == "catboost" and cats:
                xs = x.copy()
                for column in cats:
                    xs[column] = ["missing" if v != v or v is None else str(v) for v in x[column].astype(object)]
            folds, seconds = [], 0.0
            for test in tests:
                began = time.perf_counter()
                with threadpool_limits(1):
                    model = make()
                    try:
                        model.fit(xs[~test], truth[~test])
                    except Exception as error:  # classes with gaps in the training part
                        print(name, learner, error, file=sys.stderr)
                        folds = None
                        break
                seconds += time.perf_counter() - began
                folds.append(measure(kind, truth[test], model, xs[test], classes))
            if folds is None:
                continue
            mean = {m: float(np.mean([f[m] for f in folds])) for m in folds[0]}
            result.setdefault(name, {})[learner] = {"metrics": mean, "seconds": round(seconds, 2),
                                                    "folds": len(folds)}
            print(name, learner, result[name][learner], file=sys.stderr, flush=True)
    json.dump(result, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
