"""Talks to a Treeline server with tritonclient; prints what it got as JSON."""
import json
import sys

import numpy as np
import tritonclient.http as http

client = http.InferenceServerClient(sys.argv[1])
found = {
    "live": client.is_server_live(),
    "ready": client.is_server_ready(),
    "model_ready": client.is_model_ready("numbers"),
    "absent_ready": client.is_model_ready("absent"),
    "metadata": client.get_model_metadata("small"),
    "server": client.get_server_metadata(),
}


def tensor(name, array, datatype, binary=True):
    value = http.InferInput(name, list(array.shape), datatype)
    value.set_data_from_numpy(array, binary_data=binary)
    return value


for binary in (True, False):
    x = np.array([[1, 5], [np.nan if binary else 9, 7]], dtype=np.float32)
    answer = client.infer("numbers", [tensor("input", x, "FP32", binary)], request_id="r1")
    found[f"matrix_{binary}"] = answer.as_numpy("predict").tolist()
    found[f"id_{binary}"] = answer.get_response()["id"]

columns = [
    tensor("age", np.array([[20.0], [40.0]]), "FP64"),
    tensor("job", np.array([["b"], ["z"]], dtype=object), "BYTES"),
    tensor("__proto__", np.array([[1], [0]], dtype=np.int64), "INT64"),
]
answer = client.infer(
    "small",
    columns,
    outputs=[
        http.InferRequestedOutput("predict", binary_data=True),
        http.InferRequestedOutput("raw", binary_data=True),
        http.InferRequestedOutput("predict_proba", binary_data=False),
    ],
)
found["labels"] = [text.decode() for text in answer.as_numpy("predict").ravel()]
found["raw"] = answer.as_numpy("raw").ravel().tolist()
found["proba"] = answer.as_numpy("predict_proba").tolist()
zipped = client.infer("small", columns, request_compression_algorithm="gzip")
found["zipped"] = [text.decode() for text in zipped.as_numpy("predict").ravel()]
try:
    client.infer("small", [tensor("age", np.array([[1.0, 2.0]]), "FP64")])
except Exception as error:
    found["refused"] = str(error)
print(json.dumps(found))
