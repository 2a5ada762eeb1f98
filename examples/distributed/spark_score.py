#!/usr/bin/env python3
"""Scores a Spark RDD with the single binary and proves that no score changed.

    python examples/distributed/spark_score.py dist/treeline

Trains a model with XGBoost, imports it, pipes partitions of a local Spark through
`treeline predict`, and compares every margin with the library's own. Needs pyspark, xgboost and
Java 17. One line in, one line out; order is kept; a failing partition fails the task.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import xgboost as xgb
from pyspark.sql import SparkSession

treeline = os.path.abspath(sys.argv[1])
folder = tempfile.mkdtemp()
os.chdir(folder)

# 1. Train anywhere (here: this process; see docs/distributed.md for Spark, Dask and Ray).
rng = np.random.RandomState(7)
X = rng.randn(20_000, 8).astype(np.float32)
X[rng.rand(*X.shape) < 0.1] = np.nan
y = (np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) * np.nan_to_num(X[:, 2]) > 0).astype(int)
booster = xgb.train({"objective": "binary:logistic", "max_depth": 5}, xgb.DMatrix(X, y), 50)
booster.save_model("model.ubj")

# 2. Import: the model file names its origin and the SHA-256 of model.ubj.
subprocess.run([treeline, "convert", "model.ubj", "--out", "model.tlm", "--quiet"], check=True)

# 3. Score with Spark. float32 values are written with 9 digits, which name them exactly.
def line(row):
    return ",".join("" if np.isnan(v) else f"{v:.9g}" for v in row)


spark = SparkSession.builder.master("local[2]").appName("treeline").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
rows = spark.sparkContext.parallelize([line(row) for row in X], 8)
command = f"{treeline} predict {folder}/model.tlm - --header none --kind raw"
scores = np.array(rows.pipe(command, checkCode=True).collect(), dtype=np.float32)

# 4. The same, in the same order.
expected = booster.predict(xgb.DMatrix(X), output_margin=True)
assert scores.shape == expected.shape, (scores.shape, expected.shape)
different = int((scores != expected).sum())
print(f"{len(scores)} scores from {rows.getNumPartitions()} partitions, {different} differ from XGBoost")

# 5. A line that cannot be read fails the task instead of shifting scores.
try:
    spark.sparkContext.parallelize(["1,2,three,4,5,6,7,8"], 1).pipe(command, checkCode=True).collect()
    failed = False
except Exception:
    failed = True
empty = spark.sparkContext.parallelize([], 2).pipe(command, checkCode=True).collect()
print(f"a bad line fails the task: {failed}; empty partitions give {len(empty)} lines")
spark.stop()
sys.exit(0 if different == 0 and failed and empty == [] else 1)
