import { assertEquals } from "@std/assert";
import { createApp } from "../../../../src/server/app.ts";
import { sigmoid } from "../../../../src/util/math.ts";
import { get, mixed, numbers, post } from "../../../support/processes/protocol_apps.ts";
import { numbersModel, smallRaw } from "../../../support/models/small.ts";

Deno.test("TF-Serving: instances by name, by position, columns, versions and errors", async () => {
  const rows = await post(
    mixed,
    "/v1/models/small:predict",
    '{"instances":[{"age":20,"job":"b","__proto__":1}],"parameters":{"kind":"proba"}}',
  );
  const p = sigmoid(smallRaw(20, "b", 1));
  assertEquals(rows.body, { predictions: [[1 - p, p]] });
  const lists = await post(numbers, "/v1/models/numbers/versions/1:predict", {
    instances: [[1, 2], [null, 3]],
  });
  assertEquals(lists.body, { predictions: [10, 20] });
  const columns = await post(numbers, "/v1/models/numbers:predict", {
    inputs: { a: [1, 9], b: [[1], [2]] },
  });
  assertEquals(columns.body, { outputs: [10, 20] });
  const both = await post(numbers, "/v1/models/numbers:predict", { inputs: {}, instances: [] });
  assertEquals([both.status, both.body.code], [400, "E_HTTP_AMBIGUOUS"]);
  assertEquals(typeof both.body.error, "string");
  assertEquals((await post(numbers, "/v1/models/none:predict", { instances: [] })).status, 404);
  const labelled = createApp({
    models: { m: { versions: { "1": numbersModel() }, aliases: { stable: "1" } } },
  });
  const label = await post(labelled, "/v1/models/m/labels/stable:predict", { instances: [[1, 2]] });
  assertEquals(label.body, { predictions: [10] });
  const status = (await get(numbers, "/v1/models/numbers")).body;
  assertEquals(status.model_version_status[0].state, "AVAILABLE");
});

Deno.test("Vertex AI: the platform chooses the paths", async () => {
  const app = createApp({
    models: { m: numbersModel() },
    routes: { health: "/vertex/health", predict: "/vertex/predict" },
  });
  assertEquals((await get(app, "/vertex/health")).status, 200);
  const answer = await post(app, "/vertex/predict", { instances: [{ a: 1, b: 2 }] });
  assertEquals(answer.body, { predictions: [10] });
});
