"""Talks to a Treeline server with KServe's own REST client, protocols v1 and v2; prints JSON."""
import asyncio
import json
import sys

import numpy as np
from kserve import InferenceRESTClient, InferInput, InferRequest, RESTConfig

url = f"http://{sys.argv[1]}"
rows = [{"age": 20, "job": "b", "__proto__": 1}, {"age": 40, "job": "z", "__proto__": 0}]


async def main():
    found = {}
    v1 = InferenceRESTClient(RESTConfig(protocol="v1"))
    found["v1_ready"] = await v1.is_model_ready(url, "small")
    found["v1_rows"] = await v1.infer(url, {"instances": rows}, model_name="small")
    found["v1_matrix"] = await v1.infer(url, {"instances": [[1, 5], [9, 7]]}, model_name="numbers")
    columns = {"a": [1, 9], "b": [5, 7]}
    found["v1_columns"] = await v1.infer(url, {"inputs": columns}, model_name="numbers")
    try:
        await v1.infer(url, {"instances": [[1, 2, 3]]}, model_name="numbers")
    except Exception as error:
        found["v1_refused"] = str(error)
    await v1.close()
    v2 = InferenceRESTClient(RESTConfig(protocol="v2"))
    found["v2_live"] = await v2.is_server_live(url)
    found["v2_ready"] = await v2.is_server_ready(url)
    found["v2_model"] = await v2.is_model_ready(url, "numbers")
    for binary in (True, False):
        x = InferInput("input", [2, 2], "FP32")
        x.set_data_from_numpy(np.array([[1, 5], [9, 7]], dtype=np.float32), binary_data=binary)
        request = InferRequest("numbers", [x], request_id="r2")
        answer = await v2.infer(url, request, model_name="numbers")
        found[f"v2_{binary}"] = [answer.id, answer.outputs[0].as_numpy().tolist()]
    await v2.close()
    print(json.dumps(found))


asyncio.run(main())
