#!/usr/bin/env python3
"""Stages of xgboost.spark that score with a part of their rounds, and what they score.

    python tests/golden/directories/make_pyspark.py

Ran with pyspark 4.3.0, xgboost 3.2.0 and Java 17.
"""
import os
import shutil
import sys

import numpy as np
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import SparkSession
from xgboost.spark import SparkXGBClassifier, SparkXGBRegressor

os.environ["PYSPARK_PYTHON"] = sys.executable
os.chdir(os.path.dirname(os.path.abspath(__file__)))
names = ["age", "income", "tenure"]
rng = np.random.RandomState(5)
X = rng.randn(60, 3).round(2)
noise = rng.randn(60)
y = (X[:, 0] + X[:, 1] + noise > 0).astype(int)

spark = SparkSession.builder.master("local[1]").appName("treeline").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
rows = [(*map(float, row), int(y[i]), float(X[i, 0] + noise[i]), i % 3 == 0) for i, row in enumerate(X)]
frame = spark.createDataFrame(rows, [*names, "label", "amount", "held"])
frame = VectorAssembler(inputCols=names, outputCol="features").transform(frame)
common = {"features_col": "features", "num_workers": 1, "max_depth": 2, "learning_rate": 1.0}
early = {**common, "early_stopping_rounds": 2, "validation_indicator_col": "held"}
stages = {
    "early": (SparkXGBClassifier(label_col="label", n_estimators=20, num_parallel_tree=2, subsample=0.7, **early), "rawPrediction"),
    "range": (SparkXGBRegressor(label_col="amount", n_estimators=6, iteration_range=[0, 4], **common), "prediction"),
}
for name, (stage, column) in stages.items():
    folder = f"xgboost_spark_{name}"
    model = stage.fit(frame)
    shutil.rmtree(folder, ignore_errors=True)
    model.save(folder)
    scores = [row[0] if column == "prediction" else row[0][1] for row in model.transform(frame).select(column).collect()]
    np.savetxt(f"{folder}.input.csv", X, "%.17g", delimiter=",", header=",".join(names), comments="")
    np.savetxt(f"{folder}.margin.csv", scores, "%.9g", header="raw", comments="")
    for base, _, files in os.walk(folder):
        for file in files:
            if file.endswith(".crc") or file.startswith("_"):
                os.remove(os.path.join(base, file))
spark.stop()
