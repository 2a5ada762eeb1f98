#!/usr/bin/env python3
"""Trains XGBoost with Ray Train, imports the checkpoint folder, and proves every margin.

    python examples/distributed/train_ray.py dist/treeline

Ran with ray 2.60.0 (it also wants pandas, pyarrow and pydantic) and xgboost 3.2.0.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
import ray
import xgboost as xgb
from ray.train import RunConfig, ScalingConfig
from ray.train.xgboost import RayTrainReportCallback, XGBoostTrainer

treeline = os.path.abspath(sys.argv[1])
folder = tempfile.mkdtemp()
rng = np.random.RandomState(3)
frame = pd.DataFrame(rng.randn(400, 3), columns=["a", "b", "c"])
frame["y"] = frame.a + frame.b * frame.c


def train_loop():
    rows = ray.train.get_dataset_shard("train").materialize().to_pandas()
    data = xgb.DMatrix(rows[["a", "b", "c"]], rows["y"])
    # The callback writes each checkpoint: a folder with model.ubj.
    xgb.train({"objective": "reg:squarederror"}, data, num_boost_round=5, callbacks=[RayTrainReportCallback()])


ray.init(num_cpus=2, include_dashboard=False)
result = XGBoostTrainer(
    train_loop,
    scaling_config=ScalingConfig(num_workers=1),
    run_config=RunConfig(storage_path=folder),
    datasets={"train": ray.data.from_pandas(frame)},
).fit()
os.chdir(folder)
result.checkpoint.to_directory("checkpoint")
booster = RayTrainReportCallback.get_model(result.checkpoint)
frame[["a", "b", "c"]].to_csv("rows.csv", index=False)
np.savetxt("margins.csv", booster.predict(xgb.DMatrix(frame[["a", "b", "c"]]), output_margin=True), "%.9g", header="raw", comments="")
subprocess.run([treeline, "convert", "checkpoint", "--out", "m.tlm"], check=True)
# Equal to the last bit, or exit code 7.
subprocess.run([treeline, "verify", "m.tlm", "--input", "rows.csv", "--expected", "margins.csv", "--kind", "raw"], check=True)
