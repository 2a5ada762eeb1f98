#!/usr/bin/env python3
"""Trains with xgboost.spark on a local Spark, imports the folder as it lies, and proves every margin.

    python examples/distributed/train_spark.py dist/treeline

Ran with pyspark 4.3.0, xgboost 3.2.0 and Java 17. On a cluster only `master` and `num_workers` differ.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import xgboost as xgb
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import SparkSession
from xgboost.spark import SparkXGBClassifier

treeline = os.path.abspath(sys.argv[1])
os.chdir(tempfile.mkdtemp())
rng = np.random.RandomState(3)
X = rng.randn(400, 3).round(3)
y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
names = ["age", "income", "tenure"]

spark = SparkSession.builder.master("local[2]").appName("treeline").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
frame = spark.createDataFrame([(*map(float, row), int(label)) for row, label in zip(X, y)], [*names, "label"])
frame = VectorAssembler(inputCols=names, outputCol="features").transform(frame)
model = SparkXGBClassifier(features_col="features", label_col="label", num_workers=1, n_estimators=5).fit(frame)
model.save("churn")
margins = model.get_booster().predict(xgb.DMatrix(X.astype(np.float32)), output_margin=True)
spark.stop()

np.savetxt("rows.csv", X, "%.17g", delimiter=",", header=",".join(names), comments="")
np.savetxt("margins.csv", margins, "%.9g", header="raw", comments="")
subprocess.run([treeline, "convert", "churn", "--feature-names", ",".join(names), "--out", "churn.tlm"], check=True)
# Equal to the last bit, or exit code 7.
subprocess.run([treeline, "verify", "churn.tlm", "--input", "rows.csv", "--expected", "margins.csv", "--kind", "raw"], check=True)
