"""Scores of other libraries' defaults on the data sets of ../shared, for bench/rank.ts.

    python3 -m venv .cache/peers
    .cache/peers/bin/pip install numpy==2.4.6 pandas==3.1.1 scikit-learn==1.9.1 lightgbm==4.7.0 \
        xgboost==3.2.0 catboost==1.2.10
    .cache/peers/bin/python bench/peers/rank.py [--folds N] [--here] [dataset …]

Splits and dropped columns are those of ../shared/reference/scores.json. Text columns are categories
for every library; missing stays missing. One thread each, nothing but defaults. Every run is written
to bench/rank_peers.json as soon as it is done, and runs that are there are not made again; the cheap
ones come first. `--folds 1` leaves out all but the first fold of sets above 2000 rows; `--here` makes
runs again that another machine made, for their times.
"""


import json
import os
import sys
import time
import warnings

import catboost
import lightgbm
import numpy as np
import pandas as pd
import sklearn
import xgboost
from catboost import CatBoostClassifier, CatBoostRegressor
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import (accuracy_score, f1_score, mean_absolute_error, mean_squared_error,
                             r2_score, roc_auc_score)
from threadpoolctl import threadpool_limits
from xgboost import XGBClassifier, XGBRegressor

warnings.filterwarnings("ignore")
SHARED = "../shared/"
EPSILON = 1e-15  # as Treeline's log loss
FILE = os.path.join(os.path.dirname(__file__), "../rank_peers.json")
VERSIONS = {"xgboost": xgboost.__version__, "lightgbm": lightgbm.__version__,
            "sklearn": sklearn.__version__, "catboost": catboost.__version__}


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


def measure(kind, truth, model, present, x, classes):
    """Metrics of a model on held-out rows; `present` are the classes of its training part."""
    if kind == "reg":
        value = model.predict(x)
        return {"rmse": mean_squared_error(truth, value) ** 0.5,
                "mae": mean_absolute_error(truth, value), "r2": r2_score(truth, value)}
    proba = np.zeros((len(x), len(classes)))
    proba[:, present] = model.predict_proba(x)
    found = {"logLoss": log_loss_of(truth, proba)}
    if kind == "bin":
        found["auc"] = roc_auc_score(truth, proba[:, 1])
        found["accuracy"] = accuracy_score(truth, proba[:, 1] > 0.5)
    else:
        found["accuracy"] = accuracy_score(truth, proba.argmax(axis=1))
        found["macroF1"] = f1_score(truth, proba.argmax(axis=1), average="macro")
    return found


def log_loss_of(truth, proba):
    """Mean log loss; probabilities are held above EPSILON, as ours are."""
    return -np.mean(np.log(np.clip(proba[np.arange(len(truth)), truth], EPSILON, 1)))


def parts(name, entry):
    if entry["split"].startswith("train = "):
        x, y = read(entry, entry["file"])
        tx, ty = read(entry, "adult_test.csv")
        both = pd.concat([x, tx], ignore_index=True), pd.concat([y, ty], ignore_index=True)
        test = np.arange(len(both[0])) >= len(x)
        return *both, [test]
    x, y = read(entry, entry["file"])
    fold = pd.read_csv(SHARED + f"reference/splits/{name}.csv").iloc[:, -1].to_numpy()
    assert len(fold) == len(x)
    return x, y, [fold == k for k in range(5)]


def run(name, entry, learner, k):
    """Trains one learner on the rest of one fold and scores it there."""
    kind = entry["kind"]
    x, y, tests = parts(name, entry)
    test = tests[k]
    cats = [c for c in x.columns if not pd.api.types.is_numeric_dtype(x[c])]
    for column in cats:
        if learner == "catboost":
            x[column] = ["missing" if v != v or v is None else str(v) for v in x[column].astype(object)]
        else:
            x[column] = x[column].astype(object).astype("category")
    classes = sorted(y.unique(), key=str) if kind != "reg" else []
    if kind == "reg":
        truth, present = y.to_numpy(dtype=float), None
        labels = truth[~test]
    else:
        truth = y.map({c: i for i, c in enumerate(classes)}).to_numpy()
        present, labels = np.unique(truth[~test], return_inverse=True)
    with threadpool_limits(1):
        began, cpu = time.perf_counter(), time.process_time()
        model = learners(kind, cats)[learner]()
        model.fit(x[~test], labels)
        spent, cpu = time.perf_counter() - began, time.process_time() - cpu
        metrics = measure(kind, truth[test], model, present, x[test], classes)
    return {"metrics": {m: float(v) for m, v in metrics.items()}, "seconds": round(spent, 2),
            "cpu": round(cpu, 2), "machine": machine()}


def machine():
    with open("/proc/cpuinfo") as info:
        return next(line.split(":")[1].strip() for line in info if line.startswith("model name"))


def main():
    entries = json.load(open(SHARED + "reference/scores.json"))["datasets"]
    args = sys.argv[1:]
    most = int(args.pop(args.index("--folds") + 1)) if "--folds" in args else 5
    here = "--here" in args
    only = [a for a in args if not a.startswith("--")]
    stored = json.load(open(FILE)) if os.path.exists(FILE) else {}
    tasks = []
    for name, entry in entries.items():
        if entry["kind"] not in ("reg", "bin", "multi") or "rows" not in entry or (only and name not in only):
            continue
        large = entry["rows"] > 2000
        folds = 1 if entry["split"].startswith("train = ") else most if large else 5
        for learner in VERSIONS:
            for k in range(folds):
                slow = 50 if learner == "catboost" and large else 1
                tasks.append((k > 0 and large, slow * entry["rows"], name, learner, k))
    for _, _, name, learner, k in sorted(tasks):
        found = stored.setdefault(name, {}).setdefault(learner, {"version": VERSIONS[learner], "folds": {}})
        if found["version"] != VERSIONS[learner]:
            found.update(version=VERSIONS[learner], folds={})
        stored_run = found["folds"].get(str(k))
        if stored_run and ("refused" in stored_run or not here or stored_run.get("machine") == machine()):
            continue
        try:
            found["folds"][str(k)] = run(name, entries[name], learner, k)
        except ValueError as error:  # defaults that cannot train on this set: kept, and told
            found["folds"][str(k)] = {"refused": str(error), "metrics": {}, "seconds": 0, "cpu": 0}
        with open(FILE + ".new", "w") as out:
            json.dump(stored, out, indent=1, sort_keys=True)
        os.replace(FILE + ".new", FILE)
        print(name, learner, k, found["folds"][str(k)], file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
