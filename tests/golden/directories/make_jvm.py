"""Trains with xgboost4j-spark or SynapseML on a local Spark and leaves the folders of this directory.

    python make_jvm.py xgboost4j JARS OUT      # JARS: a folder with the engine's jars from Maven Central
    python make_jvm.py synapseml JARS OUT

Needs pyspark 3.5 and Java 17. OUT gets the folders, `input.csv` and the engine's own raw scores.
"""
import os
import sys

import numpy as np
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import DataFrame, SparkSession

engine, jars, out = sys.argv[1:]
# Spark brings these itself.
OWN = ("scala-library", "scala-reflect", "spark-", "breeze", "shapeless", "spire", "cats", "algebra", "slf4j", "testng", "bsh")
paths = [os.path.join(jars, name) for name in sorted(os.listdir(jars)) if not name.startswith(OWN)]
spark = (SparkSession.builder.master("local[1]").config("spark.jars", ",".join(paths))
         .config("spark.driver.extraClassPath", ":".join(paths)).config("spark.ui.enabled", "false").getOrCreate())
columns = ["age", "income", "height", "weight"]
rng = np.random.default_rng(7 if engine == "xgboost4j" else 11)
X = rng.normal(size=(200 if engine == "xgboost4j" else 400, 4)).round(3)
X[rng.random(X.shape) < 0.1] = np.nan
y = (np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) ** 2 > 0.7).astype(float)
frame = spark.createDataFrame([(*map(float, row), float(label)) for row, label in zip(X, y)], [*columns, "label"])
frame = VectorAssembler(inputCols=columns, outputCol="features", handleInvalid="keep").transform(frame.coalesce(1))


def write(name, values, header):
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, name), "w") as file:
        file.write(header + "\n" + "".join(repr(float(v)) + "\n" for v in values))


def scores(model, column):
    return DataFrame(model.transform(frame._jdf), spark).toPandas()[column]


if engine == "xgboost4j":
    package = spark._jvm.ml.dmlc.xgboost4j.scala.spark
    trainer = package.XGBoostClassifier()
    trainer.setFeaturesCol("features").setLabelCol("label").setNumRound(4).setMaxDepth(3)
    trainer.setNumWorkers(1).setMissing(float("nan"))
    model = trainer.fit(frame._jdf)
    for form in ["default", "json", "deprecated"]:
        writer = model.write()
        if form != "default":
            writer.option("format", form)  # 3.x leaves an empty file for "deprecated"
        writer.overwrite().save(os.path.join(out, form))
    write("margin.csv", [v[1] for v in scores(model, "rawPrediction")], "margin")
    trainer = package.XGBoostRegressor()
    trainer.setFeaturesCol("features").setLabelCol("label").setNumRound(3).setMaxDepth(2)
    trainer.setNumWorkers(1).setMissing(float("nan"))
    model = trainer.fit(frame._jdf)
    model.write().overwrite().save(os.path.join(out, "regressor"))
    write("regressor.margin.csv", scores(model, "prediction"), "margin")
else:
    trainer = spark._jvm.com.microsoft.azure.synapse.ml.lightgbm.LightGBMClassifier("lgbm")
    trainer.setNumIterations(5).setNumLeaves(6).setNumTasks(1).setMinDataInLeaf(5)
    model = trainer.fit(frame._jdf)
    model.saveNativeModel(os.path.join(out, "native"), True)
    model.write().overwrite().save(os.path.join(out, "stage"))
    write("raw.csv", [v[1] for v in scores(model, "rawPrediction")], "raw")
with open(os.path.join(out, "input.csv"), "w") as file:
    file.write(",".join(columns) + "\n")
    for row in X:
        file.write(",".join("" if np.isnan(v) else repr(float(v)) for v in row) + "\n")
spark.stop()
