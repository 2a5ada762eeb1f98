import { assertAlmostEquals, assertEquals } from "@std/assert";
import type { Dataset } from "../../../../src/data/types.ts";
import { labelsOf } from "../../../../src/data/dataset/target.ts";
import { boost } from "../../../../src/ensemble/boosting/booster.ts";
import {
  type Engine,
  type EngineOptions,
  openEngine,
} from "../../../../src/ensemble/engine/engine.ts";
import { fitLinearLeaves } from "../../../../src/ensemble/boosting/fit_linear.ts";
import type { BoostPlan } from "../../../../src/ensemble/plan.ts";
import { Control } from "../../../../src/grow/histogram/workspace/control.ts";
import { addLinearLeaves } from "../../../../src/grow/histogram/linear.ts";
import { addNode, createNodes } from "../../../../src/grow/histogram/tree/nodes.ts";
import { Op } from "../../../../src/grow/histogram/workspace/op.ts";
import { type Quanta, SMALL_ROWS } from "../../../../src/grow/histogram/gradients/quanta.ts";
import type { Team } from "../../../../src/grow/histogram/workspace/team.ts";
import { lossByName } from "../../../../src/loss/losses.ts";
import { createRng } from "../../../../src/util/rng.ts";

const ROWS = 8300; // several blocks of rows

/** A plane with a kink; a column of float32, one that lacks values, a category. */
function makeTable(seed: number, numClasses = 0, numRows = ROWS): Dataset {
  const rng = createRng(seed);
  const floats = () => Float64Array.from({ length: numRows }, () => rng.nextFloat() * 8);
  const a = Float32Array.from(floats());
  const b = floats();
  for (let row = 0; row < numRows; row += 9) b[row] = NaN;
  const codes = Int32Array.from(a, () => rng.nextInt(3));
  const y = Float64Array.from(
    a,
    (x, row) => (x > 4 ? 3 * x : -x) + 2 * (b[row] || 0) + codes[row] + rng.nextFloat(),
  );
  const names = Array.from({ length: numClasses }, (_, k) => `${k}`);
  return {
    numRows,
    features: [
      { kind: "numeric", name: "a", values: a },
      { kind: "numeric", name: "b", values: b },
      { kind: "categorical", name: "c", codes, categories: ["u", "v", "w"] },
    ],
    target: numClasses === 0 ? { kind: "regression", name: "y", values: y } : {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(y, (v) => Math.max(0, Math.min(numClasses - 1, Math.floor(v / 8)))),
      classes: names,
    },
    sampleWeight: Float64Array.from({ length: numRows }, () => rng.nextInt(7) / 10),
  };
}

const PLAIN = makeTable(4);
const CLASSES = makeTable(5, 3);

function planOf(data: Dataset, plan: Partial<BoostPlan> = {}): BoostPlan {
  const loss = lossByName(data.target?.kind === "regression" ? "squared" : "softmax", data, {});
  return {
    loss,
    rounds: 3,
    learningRate: 0.4,
    seed: 1,
    maxDepth: 4,
    maxBins: 32,
    linear: { lambda: 0.1 },
    ...plan,
  };
}

/** Everything that a run makes, and the scores of a validation set as its metric tells them. */
async function runOf(data: Dataset, plan: BoostPlan, options: EngineOptions) {
  const warnings: string[] = [];
  const { ensemble } = await boost(data, plan, {
    ...options,
    onWarning: (message) => warnings.push(message),
  });
  assertEquals(warnings, []);
  const { trees, linear } = ensemble;
  return { trees, linear };
}

const committee = { members: 2, partOf: Uint8Array.from({ length: ROWS }, (_, row) => row % 2) };

const CASES: { readonly [name: string]: readonly [Dataset, BoostPlan] } = {
  "regression": [PLAIN, planOf(PLAIN)],
  "leaf-wise, rows drawn, pruned": [
    PLAIN,
    planOf(PLAIN, { growth: "leaf", maxLeaves: 20, subsample: 0.6, gamma: 30, postPrune: true }),
  ],
  "three classes, members of a committee": [CLASSES, planOf(CLASSES, { committee })],
  "rows kept by gradient": [PLAIN, planOf(PLAIN, { sampling: "goss", learningRate: 1 })],
};

for (const [name, [data, plan]] of Object.entries(CASES)) {
  Deno.test(`linear leaves are the same on any threads: ${name}`, async () => {
    const alone = await runOf(data, plan, { threads: 1 });
    assertEquals(alone.linear!.termFeature.length > 20, true);
    for (const threads of [2, 3, 8]) {
      assertEquals(await runOf(data, plan, { threads }), alone, `${threads} threads`);
    }
    assertEquals(await runOf(data, plan, { threads: 2, kernels: "twin" }), alone, "twin");
  });
}

Deno.test("linear leaves are the same on any threads: gradients that are no whole numbers", async () => {
  const data = makeTable(7, 0, SMALL_ROWS + 1);
  const plan = planOf(data, { rounds: 2, subsample: 0.8 });
  const alone = await runOf(data, plan, { threads: 1 });
  assertEquals(alone.linear!.termFeature.length > 10, true);
  for (const threads of [2, 3]) {
    assertEquals(await runOf(data, plan, { threads }), alone, `${threads} threads`);
  }
});

/** A team whose calling thread comes to an operation when another has done it. */
function lateTeam({ team: { context, run } }: Engine): Team {
  const { i32 } = context.memory;
  const at = Control.arrived >>> 2;
  const wait = () => assertEquals(Atomics.wait(i32, at, 0, 20_000) !== "timed-out", true);
  return { context, run: (op) => run(op, wait) };
}

Deno.test("threads add linear leaves to the scores of a set by themselves", async () => {
  const valid = makeTable(6, 0, 5000);
  const engine = await openEngine(
    PLAIN,
    labelsOf(PLAIN),
    [valid],
    planOf(PLAIN),
    { threads: 2 },
  );
  try {
    const { team: { context: { layout, memory } } } = engine;
    const { leafOf } = layout.sets[1];
    for (let row = 0; row < 5000; row++) memory.u8[leafOf + row] = row % 3;
    engine.raw(1).fill(1);
    // Leaf numbers 0 and 1 belong to node 4, which was pruned; node 2 has no model.
    addLinearLeaves(lateTeam(engine), { columns: [], tables: engine.tables }, {
      nodeOf: Int32Array.of(4, 4, 2),
      value: Float64Array.of(0, 0, 7, 0, -2),
      terms: [undefined, undefined, undefined, undefined, {
        constant: 0.5,
        features: [0, 1],
        coefficients: [3, -0.25],
      }],
    }, { set: 1, output: 0, factor: 2 });
    const [a, b] = valid.features.map((column) => column.kind === "numeric" ? column.values : []);
    const wanted = Float64Array.from({ length: 5000 }, (_, row) => {
      if (row % 3 === 2) return 1 + 2 * 7;
      if (Number.isNaN(b[row])) return 1 - 2 * 2;
      return 1 + 2 * (0.5 + a[row] * 3 + b[row] * -0.25);
    });
    assertEquals(Float64Array.from(engine.raw(1)), wanted);
  } finally {
    engine.close();
  }
});

Deno.test("threads fit leaves by themselves: the plane that two leaves lie on", async () => {
  // −gradient / second derivative is 1 + 2a − b in leaf 0 and 3 − a + b in leaf 1.
  const engine = await openEngine(PLAIN, labelsOf(PLAIN), [], planOf(PLAIN), { threads: 2 });
  try {
    const { team, tables } = engine;
    const { layout, memory } = team.context;
    const [a, b] = PLAIN.features.map((column) => column.kind === "numeric" ? column.values : []);
    for (let row = 0; row < ROWS; row++) {
      const leaf = row % 5 === 0 ? 1 : 0;
      memory.u8[layout.sets[0].leafOf + row] = leaf;
      const target = leaf === 0 ? 1 + 2 * a[row] - b[row] : 3 - a[row] + b[row];
      const h = 1 + row % 4;
      engine.hessian()[row] = h;
      engine.gradient()[row] = Number.isNaN(b[row]) ? 1000 : -h * target;
    }
    const nodes = createNodes(5);
    for (const parent of [-1, 0, 0, 1, 1]) addNode(nodes, parent, -Infinity, Infinity, 0);
    nodes.feature.set([0, 1]);
    nodes.left.set([1, 3]);
    nodes.leaf.set([2, 0, 1], 2);
    const late = lateTeam(engine);
    const fits: number[] = [];
    const heard: Team = {
      context: late.context,
      run(op) {
        fits.push(op);
        late.run(op);
      },
    };
    const tree = { nodes, numLeaves: 3 };
    const quanta = { wide: false } as Quanta;
    const step = { output: 0, lambda: 0, rate: 0.5, quanta };
    const terms = fitLinearLeaves({ ...engine, team: heard, tables }, tree, step);
    assertEquals(fits, [Op.fitLinear, Op.fitLinear, Op.fitLinear]);
    const wanted = [[0.5, 1, -0.5], [1.5, -0.5, 0.5]];
    // Float64 sums of 8,300 rows with numbers up to 64: far below 1e-9.
    [3, 4].forEach((node, leaf) => {
      const { constant, features, coefficients } = terms[node]!;
      assertEquals(features, [0, 1]);
      [constant, ...coefficients].forEach((found, i) => {
        assertAlmostEquals(found, wanted[leaf][i], 1e-9);
      });
    });
    // No row is in the third leaf.
    assertEquals(terms[2], undefined);
  } finally {
    engine.close();
  }
});
