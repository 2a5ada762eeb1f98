import { assertEquals } from "@std/assert";
import { doubtAboutSuccess, idleText } from "../../../../src/cli/reports/leak.ts";
import type { Dataset } from "../../../../src/data/types.ts";

const x = { kind: "numeric", name: "x", values: new Float64Array(4) } as const;

Deno.test("doubtAboutSuccess() compares the log loss with that of the classes' shares", () => {
  const classes = ["a", "b"];
  const codes = Int32Array.of(0, 1, 1, 1);
  const data = {
    numRows: 4,
    features: [x],
    target: { kind: "classification", name: "y", classes, codes },
  };
  const isDoubtful = (logLoss: number, more: Partial<Dataset> = {}) =>
    doubtAboutSuccess({ ...data, ...more } as Dataset, [{ logLoss, auc: 1 }]);
  // −¼ ln ¼ − ¾ ln ¾ = 0.56234
  assertEquals([isDoubtful(0.0056), isDoubtful(0.0057), isDoubtful(NaN)], [true, false, false]);
  // Weights make halves of it: ln 2 = 0.69315.
  const sampleWeight = Float64Array.of(3, 1, 1, 1);
  assertEquals([isDoubtful(0.0069, { sampleWeight }), isDoubtful(0.007, { sampleWeight })], [
    true,
    false,
  ]);
});

Deno.test("doubtAboutSuccess() compares the rmse with the deviation, and takes the worst figure", () => {
  const values = Float64Array.of(0, 0, 200, 200); // deviation 100
  const data: Dataset = {
    numRows: 4,
    features: [x],
    target: { kind: "regression", name: "y", values },
  };
  assertEquals(doubtAboutSuccess(data, [{ rmse: 0.99 }]), true);
  assertEquals(doubtAboutSuccess(data, [{ rmse: 1.01 }]), false);
  assertEquals(doubtAboutSuccess(data, [{ rmse: 0.1 }, { rmse: 50 }]), false);
  assertEquals(doubtAboutSuccess(data, [{ mae: 0 }]), false);
  assertEquals(doubtAboutSuccess(data, []), false);
});

Deno.test("idleText() names columns without a value or with one, and no others", () => {
  const numeric = (name: string, ...values: number[]) => ({
    kind: "numeric" as const,
    name,
    values: Float64Array.from(values),
  });
  const levels = (name: string, ...codes: number[]) => ({
    kind: "categorical" as const,
    name,
    categories: ["a", "b"],
    codes: Int32Array.from(codes),
  });
  const text = (...features: Dataset["features"]) => idleText({ numRows: 2, features });
  assertEquals(text(numeric("x", 1, 2), numeric("h", NaN, 1), levels("c", 0, -1)), undefined);
  assertEquals(
    text(numeric("e", NaN, NaN), levels("f", -1, -1), numeric("k", 3, 3), numeric("x", 1, 2)),
    '"e", "f" are missing in all rows; "k" is the same in all rows: nothing is learnt from that',
  );
  assertEquals(
    text(levels("k", 1, 1)),
    '"k" is the same in all rows: nothing is learnt from that',
  );
});
