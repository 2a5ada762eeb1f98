"""Runs exported files in the real XGBoost and ONNX Runtime; called by `askLibraries` of the tests.

    python run.py FOLDER          # cases.json and one file a case; answers go to standard output
"""
import json
import os
import sys

import numpy as np
import onnxruntime as ort
import xgboost as xgb

folder = sys.argv[1]
cases = json.load(open(os.path.join(folder, "cases.json")))


def plain(values):
    """A list that JSON holds: float32 as the doubles they are, what is not finite as text."""
    return [v if isinstance(v, (str, int)) else float(v) if np.isfinite(v) else str(float(v)) for v in np.asarray(values).ravel().tolist()]


def run_xgboost(path, case, rows):
    booster = xgb.Booster(model_file=path)
    booster.set_param({"nthread": 1})
    data = xgb.DMatrix(rows.astype(np.float32), feature_names=booster.feature_names, feature_types=booster.feature_types or case["kinds"],
                       enable_categorical=True)
    return {"raw": plain(booster.predict(data, output_margin=True)), "value": plain(booster.predict(data))}


def run_onnx(path, case, rows):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    kind = np.float64 if "double" in session.get_inputs()[0].type else np.float32
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, map(plain, session.run(names, {"X": rows.astype(kind)}))))


said = []
for i, case in enumerate(cases):
    rows = np.array([[float(v) for v in row] for row in case["rows"]], dtype=np.float64)  # also "NaN" and "Infinity"
    ending = case["format"].split("-")[-1]
    path = os.path.join(folder, f"{i}.{ending}")
    try:
        outputs = (run_onnx if ending == "onnx" else run_xgboost)(path, case, rows)
    except Exception as error:
        print(f"{case['name']} as {case['format']}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    said.append({"name": case["name"], "format": case["format"], "sha256": case["sha256"], "outputs": outputs})
json.dump({"libraries": {"xgboost": xgb.__version__, "onnxruntime": ort.__version__}, "cases": said}, sys.stdout)
