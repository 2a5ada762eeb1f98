"""Reads a file with a reader of Python when told to; prints wall and CPU seconds, a pair a line.

Started by bench/ingest.ts, which alternates it with Treeline's reader on the same file.
"""

import sys
import time

name, path = sys.argv[1], sys.argv[2]
if name.startswith("pandas"):
    import pandas as peer

    if name == "pandas":
        read = lambda: peer.read_csv(path, engine="c")
    else:
        read = lambda: peer.read_json(path, lines=True)
elif name == "sklearn":
    import sklearn as peer
    from sklearn.datasets import load_svmlight_file

    read = lambda: load_svmlight_file(path)
else:
    import xgboost as peer

    read = lambda: peer.DMatrix(path + "?format=libsvm")

print(peer.__version__, flush=True)
for _ in sys.stdin:
    wall, cpu = time.perf_counter(), time.process_time()
    held = read()
    print(time.perf_counter() - wall, time.process_time() - cpu, flush=True)
    del held
