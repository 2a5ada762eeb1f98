import { assert, assertEquals, assertThrows } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { ParameterError } from "../../../src/errors.ts";
import { calibrate } from "../../../src/evaluate/calibrate.ts";
import { createModel } from "../../../src/model/create_model.ts";
import type { ModelParts } from "../../../src/model/types.ts";

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
