"""Talks to a Treeline server with MLflow's own scoring client; prints what it got as JSON."""
import json
import sys

import pandas as pd
from mlflow.pyfunc.scoring_server.client import ScoringServerClient

host, port = sys.argv[1].split(":")
client = ScoringServerClient(host, int(port))
client.wait_server_ready(timeout=10)
client.ping()
frame = pd.DataFrame({"job": ["b", None], "__proto__": [1, 0], "age": [20.0, 40.0], "zip": [1, 2]})
found = {
    "version": client.get_version(),
    "labels": client.invoke(frame).get_predictions().iloc[:, 0].tolist(),
    "raw": client.invoke(frame, params={"kind": "raw"}).get_predictions().iloc[:, 0].tolist(),
}
print(json.dumps(found))
