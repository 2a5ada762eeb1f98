"""Trains scikit-learn's tree or forest on one set of bench/data/classic.ts; one line of JSON.

python classic.py <train path> <test path> <tree|forest> <threads> [trees]
"""
import json
import pickle
import resource
import sys
import time

import numpy as np
import sklearn
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

train, test, learner, threads, trees = (sys.argv[1:] + ["500"])[:5]


def read(path):
    y = np.fromfile(path + ".y", np.float32).astype(np.int64)
    return np.ascontiguousarray(np.fromfile(path + ".f32", np.float32).reshape(-1, len(y)).T), y


X, y = read(train)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
began, cpu_began = time.perf_counter(), time.process_time()
if learner == "tree":
    model = DecisionTreeClassifier(random_state=0)
else:
    model = RandomForestClassifier(n_estimators=int(trees), n_jobs=int(threads), random_state=0)
model.fit(X, y)
seconds, cpu = time.perf_counter() - began, time.process_time() - cpu_began
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
T, t = read(test)
single = [model] if learner == "tree" else model.estimators_
print(json.dumps(dict(
    learner=f"scikit-learn {sklearn.__version__}", seconds=round(seconds, 4), cpu=round(cpu, 2),
    peakMegabytes=round(peak), dataMegabytes=round(before),
    bytes=len(pickle.dumps(model, protocol=5)),
    nodes=sum(one.tree_.node_count for one in single), accuracy=round(float(model.score(T, t)), 4))))
