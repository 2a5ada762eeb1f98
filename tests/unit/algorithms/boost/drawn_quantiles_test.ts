import { assertAlmostEquals } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { createRng } from "../../../../src/util/rng.ts";

const ROWS = 4000;
const rng = createRng(3);
const X = Float64Array.from({ length: ROWS }, () => rng.nextInt(2));
const DATA: Dataset = {
  numRows: ROWS,
  features: [{ kind: "numeric", name: "x", values: X }],
  // Even on 1000 x … 1000 x + 1000.
  target: { kind: "regression", name: "y", values: X.map((x) => 1000 * (x + rng.nextFloat())) },
};

for (const [loss, level] of [["quantile", 0.9], ["absolute", 0.5], ["huber", 0.5]] as const) {
  for (const draw of [{ sampling: "goss" }, { sampling: "bootstrap", subsample: 0.5 }] as const) {
    Deno.test(`leaves of ${loss} count drawn rows as their gradients do (${draw.sampling})`, async () => {
      const model = await trainBoost(DATA, {
        ...{ loss, ...draw, rounds: 150, committee: 1, maxDepth: 2 },
        ...(loss === "quantile" && { quantiles: [level] }),
        ...(loss === "huber" && { huberDelta: 100 }),
      });
      // A quantile of 2000 rows is within 4 · 1000 · √(¼ / 2000) = 45 of the level; GOSS keeps the rows
      // with the largest gradients and draws a ninth of the others, which were the 97 % quantile.
      for (const x of [0, 1]) {
        assertAlmostEquals(model.predictValue({ x })[0], 1000 * (x + level), 45);
      }
    });
  }
}
