"""Trains one peer on one shape of bench/data/train.ts and prints one line of JSON.

python train.py <learner> <x.f32> <y.f32> <test x.f32> <test y.f32> <features> <classes> <threads> <rounds> [categories]

"categories" are the numbers of features that hold numbers of levels (NaN where missing), by commas.

Seconds run from float32 values in memory to a trained model; "rounds" is the part after binning where
the library lets the two be told apart.
"""
import json
import resource
import sys
import time

import numpy as np

learner, xp, yp, txp, typ, features, classes, threads, rounds = sys.argv[1:10]
categories = [int(f) for f in (sys.argv[10:] or [""])[0].split(",") if f]
features, classes, threads, rounds = int(features), int(classes), int(threads), int(rounds)
X = np.fromfile(xp, np.float32).reshape(-1, features)
y = np.fromfile(yp, np.float32)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
eta, depth, bins, lam, mcw = 0.3, 6, 255, 1.0, 1.0
multi = classes > 2
began, cpu_began = time.perf_counter(), time.process_time()

if learner == "xgboost":
    import xgboost as lib
    began, cpu_began = time.perf_counter(), time.process_time()
    kinds = dict(feature_types=["c" if f in categories else "q" for f in range(features)],
                 enable_categorical=True) if categories else {}
    data = lib.QuantileDMatrix(X, y, max_bin=bins, nthread=threads, **kinds)
    middle, cpu_middle = time.perf_counter(), time.process_time()
    params = dict(objective="multi:softprob" if multi else "binary:logistic", eta=eta, max_depth=depth,
                  reg_lambda=lam, min_child_weight=mcw, max_bin=bins, tree_method="hist", nthread=threads)
    if multi:
        params["num_class"] = classes
    model = lib.train(params, data, rounds)
    predict = lambda T: model.predict(lib.DMatrix(T, **kinds))
elif learner in ("lightgbm", "lightgbm-quantised"):
    import lightgbm as lib
    began, cpu_began = time.perf_counter(), time.process_time()
    params = dict(objective="multiclass" if multi else "binary", learning_rate=eta, num_leaves=63, max_depth=6,
                  lambda_l2=lam, min_sum_hessian_in_leaf=mcw, min_data_in_leaf=1, max_bin=bins,
                  num_threads=threads, verbose=-1, use_quantized_grad=learner.endswith("quantised"),
                  quant_train_renew_leaf=True)
    if multi:
        params["num_class"] = classes
    data = lib.Dataset(X, y, params=params, categorical_feature=categories).construct()
    middle, cpu_middle = time.perf_counter(), time.process_time()
    model = lib.train(params, data, rounds)
    predict = lambda T: model.predict(T, num_threads=threads)
elif learner == "catboost":
    import catboost as lib
    began, cpu_began = time.perf_counter(), time.process_time()
    def frame(values):
        # Categories must be whole numbers or text in a frame; missing is a level of its own.
        import pandas
        table = pandas.DataFrame(values)
        for f in categories:
            table[f] = table[f].fillna(-1).astype(int)
        return table
    data = lib.Pool(frame(X), y, cat_features=categories) if categories else lib.Pool(X, y)
    middle, cpu_middle = time.perf_counter(), time.process_time()
    model = lib.CatBoostClassifier(iterations=rounds, learning_rate=eta, depth=depth, l2_leaf_reg=lam,
                                   border_count=254, thread_count=threads, verbose=False,
                                   allow_writing_files=False)
    model.fit(data)
    predict = lambda T: model.predict_proba(frame(T) if categories else T)
elif learner == "sklearn":
    import os
    os.environ["OMP_NUM_THREADS"] = str(threads)
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits
    began, cpu_began = time.perf_counter(), time.process_time()
    middle, cpu_middle = began, cpu_began
    with threadpool_limits(threads):
        model = HistGradientBoostingClassifier(learning_rate=eta, max_iter=rounds, max_depth=depth,
                                               max_leaf_nodes=None, l2_regularization=lam,
                                               min_samples_leaf=1, max_bins=bins, early_stopping=False,
                                               categorical_features=categories or None)
        model.fit(X, y)
    predict = lambda T: model.predict_proba(T)
else:
    sys.exit(f"unknown learner {learner}")

end, cpu_end = time.perf_counter(), time.process_time()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
T = np.fromfile(txp, np.float32).reshape(-1, features)
t = np.fromfile(typ, np.float32).astype(int)
p = np.asarray(predict(T), dtype=np.float64)
if p.ndim == 1:
    p = np.stack([1 - p, p], 1)
loss = -np.log(np.clip(p[np.arange(len(t)), t], 1e-15, 1)).mean()
module = sys.modules["sklearn" if learner == "sklearn" else learner.split("-")[0]]
print(json.dumps(dict(learner=learner, version=module.__version__, threads=threads,
                      seconds=round(end - began, 3),
                      rounds=None if learner in ("sklearn", "catboost") else round(end - middle, 3),
                      cpu=round(cpu_end - cpu_began, 3),
                      cpuRounds=None if learner in ("sklearn", "catboost") else round(cpu_end - cpu_middle, 3),
                      peakMegabytes=round(peak), dataMegabytes=round(before), logLoss=round(float(loss), 5))))
