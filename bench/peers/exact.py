"""Trains XGBoost's exact method on the rows of bench/exact.ts; one line of JSON.

python exact.py <path of float64 rows, label last> <columns> <depth> <rounds> <threads>
"""

import json
import sys
import time

import numpy as np
import xgboost as xgb

path, columns, depth, rounds, threads = sys.argv[1], *map(int, sys.argv[2:6])
rows = np.fromfile(path).reshape(-1, columns + 1)
data = xgb.DMatrix(rows[:, :-1], rows[:, -1])
params = {
    "tree_method": "exact",
    "objective": "binary:logistic",
    "eval_metric": "logloss",
    "max_depth": depth,
    "nthread": threads,
}
start = time.perf_counter()
booster = xgb.Booster(params, [data])
seconds = []
for i in range(rounds):
    begin = time.perf_counter()
    booster.update(data, i)
    seconds.append(time.perf_counter() - begin)
total = time.perf_counter() - start
loss = float(booster.eval(data).split(":")[-1])
print(json.dumps({"version": xgb.__version__, "total": total, "seconds": seconds, "loss": loss}))
