"""Reads a CSV with pandas' C parser when told to; prints wall and CPU seconds, one pair a line.

Started by bench/ingest.ts, which alternates it with Treeline's reader on the same file.
"""

import sys
import time

import pandas as pd

print(pd.__version__, flush=True)
options = {"sep": sys.argv[2]} if len(sys.argv) > 2 else {}
for _ in sys.stdin:
    wall, cpu = time.perf_counter(), time.process_time()
    frame = pd.read_csv(sys.argv[1], engine="c", **options)
    print(time.perf_counter() - wall, time.process_time() - cpu, len(frame), flush=True)
    del frame
