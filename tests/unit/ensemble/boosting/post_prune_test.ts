import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { Dataset } from "../../../../src/data/types.ts";
import { boost } from "../../../../src/ensemble/boosting/booster.ts";
import type { BoostPlan } from "../../../../src/ensemble/plan.ts";
import { squaredLoss } from "../../../../src/loss/squared.ts";
import { metricByName } from "../../../../src/metric/metrics.ts";
import type { Trees } from "../../../../src/model/types.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** Two numbers; the first is split on below splits on either. */
function table(seed: number): Dataset {
  const rng = createRng(seed);
  const [x, z] = [0, 1].map(() => Float64Array.from({ length: 120 }, () => rng.nextInt(12)));
  return {
    numRows: 120,
    features: [{ kind: "numeric", name: "x", values: x }, {
      kind: "numeric",
      name: "z",
      values: z,
    }],
    target: {
      kind: "regression",
      name: "y",
      values: x.map((v, i) => 3 * +(v > 5) + (z[i] > 5 ? 1 : -1) * (v % 4) + 2 * rng.nextFloat()),
    },
  };
}

const PLAN: BoostPlan = { loss: squaredLoss(), rounds: 1, learningRate: 1, seed: 1, maxDepth: 4 };

/** A tree as text, split by split, without the splits that go when gains below gamma go from the bottom. */
function textOf(trees: Trees, gamma: number, node = 0): string {
  const first = trees.firstChild[node];
  if (first < 0) return ".";
  const [left, right] = [textOf(trees, gamma, first), textOf(trees, gamma, first + 1)];
  if (left === "." && right === "." && trees.gain[node] < gamma) return ".";
  return `(${left} ${trees.feature[node]}<${trees.threshold[node]} ${right})`;
}

Deno.test("postPrune removes splits below gamma from the bottom, those above others stay", async () => {
  let [removed, kept] = [0, 0];
  for (let seed = 0; seed < 30; seed++) {
    const whole = (await boost(table(seed), PLAN)).ensemble.trees;
    const plan = { ...PLAN, gamma: 12, postPrune: true };
    const { trees } = (await boost(table(seed), plan)).ensemble;
    assertEquals(textOf(trees, 0), textOf(whole, 12), `seed ${seed}`);
    const { trees: bare } = (await boost(table(seed), { ...plan, gamma: 1e9 })).ensemble;
    assertEquals(textOf(bare, 0), ".");
    if (trees.kind.length < whole.kind.length) removed++;
    // A split that gains less than gamma, above one that gains more.
    if (trees.firstChild.some((first, node) => first >= 0 && trees.gain[node] < 12)) kept++;
  }
  assert(removed > 10 && kept > 5, `${removed}, ${kept}`);
});

// The second tree has nothing left to learn.
Deno.test("a tree of one leaf adds nothing to the scores of other sets", async () => {
  const values = Float64Array.from({ length: 40 }, (_, row) => row % 2);
  const data: Dataset = {
    numRows: 40,
    features: [{ kind: "numeric", name: "x", values }],
    target: { kind: "regression", name: "y", values },
  };
  const metrics = [metricByName("rmse")];
  const plan = { ...PLAN, rounds: 3, lambda: 0, metrics, trainMetrics: true };
  for (const threads of [1, 2]) {
    const { ensemble, history } = await boost(data, plan, { valid: data, threads });
    assertEquals([...ensemble.trees.treeStart], [0, 3, 4, 5]);
    for (const { metrics: { train, valid } } of history) {
      assertAlmostEquals(train.rmse, 0, 1e-6);
      assertAlmostEquals(valid.rmse, 0, 1e-6);
    }
  }
});
