#!/usr/bin/env python3
"""Trains XGBoost and LightGBM on a local Dask cluster, imports both models, and proves every raw score.

    python examples/distributed/train_dask.py dist/treeline

Ran with dask and distributed 2026.8.0, xgboost 3.2.0 and lightgbm 4.7.0.
"""
import os
import subprocess
import sys
import tempfile

import dask.array as da
import lightgbm as lgb
import numpy as np
import xgboost as xgb
from dask.distributed import Client, LocalCluster
from xgboost import dask as dxgb


def prove(treeline, model, scores, digits):
    np.savetxt("scores.csv", scores, digits, header="raw", comments="")
    subprocess.run([treeline, "convert", model, "--feature-names", "a,b,c", "--out", f"{model}.tlm", "--quiet"], check=True)
    # Equal to the last bit, or exit code 7.
    subprocess.run([treeline, "verify", f"{model}.tlm", "--input", "rows.csv", "--expected", "scores.csv", "--kind", "raw"], check=True)


def main():
    treeline = os.path.abspath(sys.argv[1])
    os.chdir(tempfile.mkdtemp())
    rng = np.random.RandomState(3)
    X = rng.randn(400, 3)
    y = X[:, 0] + X[:, 1] * X[:, 2]
    np.savetxt("rows.csv", X, "%.17g", delimiter=",", header="a,b,c", comments="")
    rows, labels = da.from_array(X, chunks=(200, 3)), da.from_array(y, chunks=200)
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        data = dxgb.DaskDMatrix(client, rows, labels)
        booster = dxgb.train(client, {"objective": "reg:squarederror"}, data, num_boost_round=5)["booster"]
        booster.save_model("model.ubj")
        model = lgb.DaskLGBMRegressor(client=client, n_estimators=5, num_leaves=7).fit(rows, labels)
        model.booster_.save_model("model.txt")
    prove(treeline, "model.ubj", booster.predict(xgb.DMatrix(X), output_margin=True), "%.9g")
    prove(treeline, "model.txt", model.booster_.predict(X, raw_score=True), "%.17g")


if __name__ == "__main__":  # Dask's workers import this file
    main()
