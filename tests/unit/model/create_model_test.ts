import { assert, assertEquals, assertThrows } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { ModelError, ParameterError } from "../../../src/errors.ts";
import { calibrate } from "../../../src/evaluate/calibrate.ts";
import { createModel } from "../../../src/model/create_model.ts";
import type { ModelParts } from "../../../src/model/types.ts";
import { randomParts } from "../../support/models/random.ts";

Deno.test("createModel() takes the parts of a calibrated model and answers alike", async () => {
  const values = Float64Array.from({ length: 200 }, (_, row) => row % 50);
  const codes = Int32Array.from(values, (x, row) => Number(x + row % 7 > 28));
  const data: Dataset = {
    numRows: 200,
    features: [{ kind: "numeric", name: "x", values }],
    target: { kind: "classification", name: "y", codes, classes: ["no", "yes"] },
  };
  const model = await trainBoost(data, { rounds: 5 });
  const { schema, ensemble, info, calibration } = calibrate(model, data, "platt");
  assert(calibration !== undefined);
  const again = createModel({ schema, ensemble, info, calibration });
  assertEquals(
    again.predictProba(data).data,
    calibrate(model, data, "platt").predictProba(data).data,
  );
  const error = assertThrows(
    () => createModel({ schema, ensemble, info, calibration: [null!] }),
    ParameterError,
  );
  assertEquals(error.details.param, "calibration[0]");
});

Deno.test("createModel() refuses a calibration that has a map neither for each output nor for all", () => {
  const map = { method: "temperature", t: 2 } as const;
  for (const [outputs, counts] of [[1, [1]], [3, [1, 3]]] as const) {
    const parts = randomParts({ seed: 1, trees: 3, outputs });
    for (let count = 0; count < 5; count++) {
      const make = () => createModel({ ...parts, calibration: Array(count).fill(map) });
      if ((counts as readonly number[]).includes(count)) {
        assertEquals(make().calibration!.length, count);
        continue;
      }
      const error = assertThrows(make, ModelError, `has ${count} maps`);
      assertEquals([error.code, error.details.param], ["E_MODEL_CORRUPT", "calibration"]);
    }
  }
});

Deno.test("createModel() says what to pass instead of a model's own members", () => {
  const error = assertThrows(
    () => createModel({ schema: {}, info: {}, rules: {} } as unknown as ModelParts),
    ParameterError,
  );
  assertEquals(error.code, "E_PARAM_UNKNOWN");
  assertEquals(
    error.message,
    'Cannot use option "parts.rules" in createModel(): they are part of the ensemble; ' +
      "of a model, pass { schema, ensemble, info, calibration }",
  );
});
