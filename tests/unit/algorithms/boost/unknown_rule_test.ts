/** Metrics told of rounds against those of the finished model, with values that training has not. */
import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { continueBoost } from "../../../../src/algorithms/update/continue.ts";
import type { Dataset, UnknownRule } from "../../../../src/data/types.ts";
import { DataError, ParameterError } from "../../../../src/errors.ts";
import type { Model } from "../../../../src/model/model.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** One column of the first letters or missing; missing has much larger labels. */
function table(numRows: number, letters: string): Dataset {
  const rng = createRng(letters.length);
  const codes = Int32Array.from({ length: numRows }, () => rng.nextInt(letters.length + 1) - 1);
  const values = Float64Array.from(codes, (code) => code < 0 ? 5 : code % 3 + rng.nextFloat() / 8);
  return {
    numRows,
    features: [{ kind: "categorical", name: "c", codes, categories: [...letters] }],
    target: { kind: "regression", name: "y", values },
  };
}

const TRAIN = table(300, "abcd");
/** Two letters more. */
const VALID = table(200, "abcdef");

/** Root of the mean squared error, by hand. */
function rmse(model: Model, { target, numRows }: Dataset): number {
  assert(target?.kind === "regression");
  const { values } = target;
  const scores = model.predictRaw(VALID).data;
  return Math.sqrt(scores.reduce((sum, v, row) => sum + (v - values[row]) ** 2, 0) / numRows);
}

const FORMS: { readonly [name: string]: { readonly [param: string]: unknown } } = {
  "one model": { committee: 1 },
  "a committee": { committee: 3 },
  "xgboost's way": { preset: "xgboost@2" },
  "lightgbm's way": { preset: "lightgbm@4", treeMethod: "lightgbm" },
};

for (const [name, form] of Object.entries(FORMS)) {
  Deno.test(`metrics of rounds follow the model's rule for unknown values: ${name}`, async () => {
    for (const unknown of ["heavier", "missing"] as const) {
      let told = NaN;
      const options = {
        valid: VALID,
        threads: 1,
        onRound: ({ metrics }: { metrics: { [set: string]: { [metric: string]: number } } }) => {
          told = metrics.valid.rmse;
        },
      };
      const params = { ...form, metrics: ["rmse"] };
      const model = await trainBoost(TRAIN, { ...params, rounds: 4, unknown }, options);
      // Both add up 200 squares in doubles, in other orders.
      assertAlmostEquals(told, rmse(model, VALID), 1e-12);
      const more = await continueBoost(model, TRAIN, { rounds: 3 }, options);
      assertEquals(more.numRounds, 7);
      assertAlmostEquals(told, rmse(more, VALID), 1e-12);
    }
  });
}

Deno.test("boosting refuses unknown values of validation sets whose rule no round can follow", async () => {
  assert(VALID.features[0].kind === "categorical");
  const row = VALID.features[0].codes.findIndex((code) => code >= 4) + 1;
  const run = (unknown: UnknownRule) => trainBoost(TRAIN, { unknown, rounds: 1 }, { valid: VALID });
  const error = await assertRejects(() => run("error"), DataError, 'of set "valid" at row');
  assertEquals([error.code, error.details], ["E_DATA_TYPE", { column: "c", row }]);
  const node = await assertRejects(() => run("node"), ParameterError, 'expected unknown "heavier"');
  assertEquals(node.code, "E_PARAM_CONFLICT");
  // Without a set that holds any, each rule trains.
  for (const unknown of ["node", "error"] as const) {
    const model = await trainBoost(TRAIN, { unknown, rounds: 1 }, { valid: TRAIN });
    assertEquals(model.numRounds, 1);
  }
});

Deno.test("continueBoost() refuses another rule for unknown values than the model's", async () => {
  const options = { threads: 1 };
  const model = await trainBoost(TRAIN, { rounds: 2, unknown: "missing" }, options);
  const same = await continueBoost(model, TRAIN, { rounds: 1, unknown: "missing" }, options);
  assertEquals(same.numRounds, 3);
  const error = await assertRejects(
    () => continueBoost(model, TRAIN, { rounds: 1, unknown: "heavier" }, options),
    ParameterError,
    'column "c"',
  );
  assertEquals(error.code, "E_PARAM_CONFLICT");
  assertEquals(error.details.model, "missing");
});
