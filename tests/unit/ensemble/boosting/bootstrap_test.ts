import { assert, assertEquals } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";

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

Deno.test("a bootstrap of two rows has both of them every other time, the first like the last", async () => {
  const values = Float64Array.of(0, 1);
  const { ensemble: { trees } } = await trainBoost({
    numRows: 2,
    features: [{ kind: "numeric", name: "x", values }],
    target: { kind: "regression", name: "y", values },
  }, { rounds: 100, sampling: "bootstrap", subsample: 1, minRowsPerLeaf: 1, minChildWeight: 0 });
  const parted = [...trees.treeStart.subarray(1)].filter((end, t) =>
    end - trees.treeStart[t] === 3
  );
  // Half of 100 with a standard deviation of 5; four of them.
  assert(Math.abs(parted.length - 50) < 20, `${parted.length}`);
  // Second derivatives of squared loss are 1, so that covers count draws.
  for (let t = 0; t < 100; t++) assertEquals(trees.cover[trees.treeStart[t]], 2);
});
