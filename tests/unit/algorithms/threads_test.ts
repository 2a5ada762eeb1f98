import { assertRejects } from "@std/assert";
import { train, type TrainSpec } from "../../../src/algorithms/train.ts";
import { continueBoost } from "../../../src/algorithms/update/continue.ts";
import { ParameterError } from "../../../src/errors.ts";

const data = {
  numRows: 6,
  features: [
    {
      kind: "categorical",
      name: "c",
      codes: new Int32Array([0, 1, 0, 1, 0, 1]),
      categories: ["a", "b"],
    },
  ],
  target: {
    kind: "classification",
    name: "y",
    codes: new Int32Array([0, 1, 0, 1, 1, 1]),
    classes: ["no", "yes"],
  },
} as const;

const x = { kind: "numeric", name: "x", values: Float64Array.of(1, 2, 3, 4, 5, 6) } as const;
const numbers = { ...data, features: [x] };

Deno.test("every trainer refuses a number of threads that is none, however small the data", async () => {
  const specs: TrainSpec[] = [
    {},
    { treeMethod: "exact", committee: 1 },
    { preset: "lightgbm@4" },
    ...["gbdt", "logitboost", "adaboost", "cart", "c45", "id3"].map((algorithm) => ({ algorithm })),
    ...["bagging", "random-forest", "extra-trees"].map((algorithm) => ({ algorithm })),
  ];
  const model = await train(data, { rounds: 1 });
  for (const threads of [0, -1, 1.5, NaN]) {
    const refused = (run: () => Promise<unknown>, what: string) =>
      assertRejects(run, ParameterError, `${threads} threads`, what);
    for (const spec of specs) {
      const rows = "treeMethod" in spec || "preset" in spec ? numbers : data;
      await refused(() => train(rows, spec, { threads }), JSON.stringify(spec));
    }
    await refused(() => continueBoost(model, data, { rounds: 1 }, { threads }), "continue");
  }
});
