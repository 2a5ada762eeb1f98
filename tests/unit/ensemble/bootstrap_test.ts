import { assertEquals } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost.ts";

/** Five hundred rows on each side of a perfect split. */
const NUM_ROWS = 1000;
const side = Float64Array.from({ length: NUM_ROWS }, (_, row) => row % 2);
const data = {
  numRows: NUM_ROWS,
  features: [{ kind: "numeric", name: "x", values: side }],
  target: { kind: "regression", name: "y", values: side },
} as const;

for (const threads of [1, 2]) {
  Deno.test(`minRowsPerLeaf counts rows of a bootstrap, each once: ${threads} threads`, async () => {
    // Of 500 rows some 316 are drawn, 1 - 1/e, with a standard deviation of 11.
    const numNodes = async (minRowsPerLeaf: number, sampling: "bootstrap" | "uniform") => {
      const params = { rounds: 1, sampling, subsample: 1, minRowsPerLeaf, minChildWeight: 0 };
      const model = await trainBoost(data, { ...params, seed: 3 }, { threads });
      return model.ensemble.trees.leaf.length;
    };
    assertEquals(await numNodes(400, "uniform"), 3);
    assertEquals(await numNodes(400, "bootstrap"), 1);
    assertEquals(await numNodes(250, "bootstrap"), 3);
  });
}
