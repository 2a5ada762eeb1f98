import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import type { Dataset } from "../../../src/data/types.ts";
import { boost } from "../../../src/ensemble/boosting/booster.ts";
import type { EngineOptions } from "../../../src/ensemble/engine/engine.ts";
import type { BoostPlan, CheckpointState } from "../../../src/ensemble/plan.ts";
import { TrainingError } from "../../../src/errors.ts";
import { createMemory } from "../../../src/kernels/memory.ts";
import { twinKernels } from "../../../src/kernels/twin/twin.ts";
import { wasmKernels } from "../../../src/kernels/wasm.ts";
import { logisticLoss } from "../../../src/loss/logistic.ts";
import { logLoss } from "../../../src/metric/classification.ts";
import { createRng } from "../../../src/util/rng.ts";

const [RAW, SIGNED, STATS, LEAVES, VALUES] = [8192, 32768, 65536, 66560, 131072];
const SPACE = 1 << 18;

Deno.test("wasm equals its twin: signed derivatives of logistic loss", () => {
  fc.assert(
    fc.property(fc.nat(700), fc.nat(), fc.constantFrom(0, 1, 4), (n, seed, size) => {
      const [twin, wasm] = [createMemory({ plain: true }), createMemory()].map((memory) => {
        memory.ensure(SPACE);
        const rng = createRng(seed);
        const f32 = new Float32Array(memory.u8.buffer);
        for (let i = 0; i < n + 5; i++) {
          const scale = [0, 1, 40, 400][rng.nextInt(4)];
          memory.f64[(RAW >>> 3) + i] = (rng.nextFloat() - 0.5) * scale;
          f32[(SIGNED >>> 2) + i] = rng.nextInt(2) === 0 ? 1 : -1e-30;
          if (size === 1) memory.u8[LEAVES + i] = rng.nextInt(64);
          else memory.u32[(LEAVES >>> 2) + i] = rng.nextInt(64);
        }
        for (let i = 0; i < 64; i++) memory.f64[(VALUES >>> 3) + i] = rng.nextFloat() - 0.5;
        const kernels = memory.wasm === undefined ? twinKernels(memory) : wasmKernels(memory);
        const leaves = size === 0 ? 0 : LEAVES;
        kernels.logisticSigned(RAW, SIGNED, n, STATS, leaves, size, VALUES);
        return memory.u8.slice(4096, SPACE);
      });
      const at = twin.findIndex((byte, i) => byte !== wasm[i]);
      if (at >= 0) throw new Error(`byte ${at + 4096} is ${twin[at]} by the twin, ${wasm[at]}`);
    }),
    { numRuns: 60 },
  );
});

Deno.test("signed derivatives are those of logistic loss to float32, however large the score", () => {
  const memory = createMemory();
  memory.ensure(SPACE);
  const f32 = new Float32Array(memory.u8.buffer);
  const scores = [0, -0, 1e-9, -1e-9, 0.3, -0.3, 2, -2, 15, -15, 40, -40, 79, -79, 0.7, 1.1, -1.9];
  const rows = scores.flatMap((x) => [[x, 0], [x, 1]]);
  rows.forEach(([x, y], i) => {
    memory.f64[(RAW >>> 3) + i] = x;
    f32[(SIGNED >>> 2) + i] = y === 1 ? -1 : 1;
  });
  wasmKernels(memory).logisticSigned(RAW, SIGNED, rows.length, STATS, 0, 1, 0);
  const want = [0, 0, 0, 0];
  rows.forEach(([x, y], i) => {
    // p of the other class, by the formula that keeps small ones exact.
    const rest = y === 1 ? 1 / (1 + Math.exp(x)) : 1 / (1 + Math.exp(-x));
    const found = f32[(SIGNED >>> 2) + i];
    const g = y === 1 ? -rest : rest;
    // Errors of e^x (1.2 units of 2⁻²⁴), of a sum and a quotient.
    if (!(Math.abs(found - g) <= 4e-7 * rest)) throw new Error(`${x}, ${y}: ${found}, ${g}`);
    const h = Math.max(rest * (1 - rest), 1e-16);
    want[0] = Math.max(want[0], rest);
    want[1] += rest;
    want[2] = Math.max(want[2], h);
    want[3] += h;
  });
  want.forEach((sum, i) => {
    // 2⁻¹⁹ of rounding by fours and the errors above; 1 − p of float32 where p is nearly 1.
    const found = memory.f64[(STATS >>> 3) + i];
    if (!(Math.abs(found - sum) <= 4e-6 * sum)) throw new Error(`${i}: ${found}, ${sum}`);
  });
});

Deno.test("a score that is not a number shows in the statistics of logistic loss", () => {
  for (const [row, label] of [[0, 1], [2, -1], [6, 1]]) {
    const memory = createMemory();
    memory.ensure(SPACE);
    memory.f64[(RAW >>> 3) + row] = NaN;
    new Float32Array(memory.u8.buffer)[(SIGNED >>> 2) + row] = label;
    wasmKernels(memory).logisticSigned(RAW, SIGNED, 7, STATS, 0, 1, 0);
    assertEquals(memory.f64[(STATS >>> 3) + 1], NaN);
  }
});

/** Numbers of which some are missing; the label follows two of them. */
function makeData(numRows: number): Dataset {
  const rng = createRng(5);
  const a = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const b = Float64Array.from({ length: numRows }, (_, i) => i % 9 === 0 ? NaN : rng.nextInt(50));
  const codes = Int32Array.from(
    a,
    (x, i) => 2 * x + (b[i] > 20 ? 1 : 0) + rng.nextFloat() > 2 ? 1 : 0,
  );
  return {
    numRows,
    features: [
      { kind: "numeric", name: "a", values: a },
      { kind: "numeric", name: "b", values: b },
    ],
    target: { kind: "classification", name: "y", codes, classes: ["no", "yes"] },
  };
}

const plan: BoostPlan = {
  loss: logisticLoss(),
  rounds: 4,
  learningRate: 0.5,
  seed: 8,
  maxDepth: 4,
};

async function train(
  data: Dataset,
  options: EngineOptions,
  other: Partial<BoostPlan> = {},
): Promise<unknown[]> {
  const { ensemble: { trees } } = await boost(data, { ...plan, ...other }, options);
  return [trees.feature, trees.threshold, trees.leaf, trees.cover, trees.gain];
}

Deno.test("two classes by one number a row give one model, whoever computes it and when", async () => {
  const data = makeData(66_003);
  const one = await train(data, { threads: 1 });
  for (const threads of [2, 3]) assertEquals(await train(data, { threads }), one);
  assertEquals(await train(data, { threads: 2, kernels: "twin" }), one);
  // Where scores are watched, leaves are added at once.
  const watching = { trainMetrics: true, metrics: [logLoss()] };
  assertEquals(await train(data, { threads: 2 }, watching), one);
  let state: CheckpointState | undefined;
  await train(data, { threads: 2 }, {
    rounds: 2,
    checkpoint: { every: 2, save: (saved) => (state = saved, Promise.resolve()) },
  });
  assertEquals(await train(data, { threads: 1 }, { resume: state! }), one);
});

Deno.test("two classes by one number a row give the leaves of derivatives in float64", async () => {
  const data = makeData(66_003);
  const exact = await train(data, { threads: 2, signed: false }, { rounds: 1 });
  const found = await train(data, { threads: 2 }, { rounds: 1 });
  // The same dither rounds nearly the same numbers: in the first round the splits are the same.
  assertEquals(found.slice(0, 2), exact.slice(0, 2));
  assertNearLeaves(found, exact);
});

// Dropped trees are taken out of the scores, which must have all leaves by then.
Deno.test("trees that drop others read the scores of derivatives in float64", async () => {
  const data = makeData(66_003);
  const dart = {
    dropRate: 0.5,
    skipDrop: 0,
    maxDrop: 0,
    oneDrop: true,
    dropBy: "uniform",
    dropScale: "tree",
  } as const;
  const exact = await train(data, { threads: 2, signed: false }, { dart, rounds: 3, maxDepth: 2 });
  const found = await train(data, { threads: 2 }, { dart, rounds: 3, maxDepth: 2 });
  assertEquals(found.slice(0, 2), exact.slice(0, 2));
  assertNearLeaves(found, exact);
});

Deno.test("a score that is not a number is told by its row, of float32 derivatives too", async () => {
  const data = makeData(66_003);
  const offset = new Float64Array(66_003);
  offset[41_000] = NaN;
  const error = await assertRejects(() => boost({ ...data, offset }, plan, { threads: 2 }));
  assert(error instanceof TrainingError && error.code === "E_TRAIN_NUMERIC", `${error}`);
  assertEquals(error.details, { round: 1, row: 41_001 });
});

const OTHERS: { readonly [what: string]: Partial<BoostPlan> } = {
  "some rows": { subsample: 0.7 },
  "rows by gradient": { sampling: "goss" },
  "parallel trees": { parallelTrees: 2 },
  "linear leaves": { linear: { lambda: 0.1 } },
};

for (const [what, other] of Object.entries(OTHERS)) {
  Deno.test(`two classes keep derivatives in float64 where trees read others: ${what}`, async () => {
    const data = makeData(66_003);
    const exact = await train(data, { threads: 1, signed: false }, { ...other, rounds: 2 });
    assertEquals(await train(data, { threads: 2 }, { ...other, rounds: 2 }), exact);
  });
}

Deno.test("leaves of two classes are Newton steps by the weights of more than 65,536 rows", async () => {
  const data = makeData(66_003);
  const { codes } = data.target as { codes: Int32Array };
  const sampleWeight = Float64Array.from(codes, (y, row) => y === 1 ? 5 : row % 3);
  const { ensemble: { trees } } = await boost({ ...data, sampleWeight }, {
    ...plan,
    rounds: 1,
    maxDepth: 1,
    baseScore: [0],
    lambda: 1,
  }, { threads: 2 });
  const { values } = data.features[trees.feature[0]] as { values: Float64Array };
  const sums = [[0, 0], [0, 0]];
  codes.forEach((y, row) => {
    const value = values[row];
    const side = value !== value ? trees.missing[0] : value <= trees.threshold[0] ? 0 : 1;
    sums[side][0] += sampleWeight[row] * (0.5 - y); // the probability of score 0 is one half
    sums[side][1] += sampleWeight[row] * 0.25;
  });
  sums.forEach(([g, h], side) => {
    // Sums are of whole quanta of 2⁻³¹; the leaf is float32.
    assertAlmostEquals(trees.leaf[trees.firstChild[0] + side], -0.5 * g / (h + 1), 1e-6);
  });
});

/** Compares leaves and covers. */
function assertNearLeaves(found: readonly unknown[], exact: readonly unknown[]): void {
  for (const field of [2, 3]) {
    (exact[field] as Float64Array).forEach((want, i) => {
      const x = (found[field] as Float64Array)[i];
      // Derivatives are within 4e-7; sums of both signs, of derivatives of at most 1.
      if (!(Math.abs(x - want) <= 1e-6 * (1 + Math.abs(want)))) throw new Error(`${x}, ${want}`);
    });
  }
}

Deno.test("labels between 0 and 1 keep float64, and count as they are", async () => {
  const data = makeData(66_003);
  const { codes } = data.target as { codes: Int32Array };
  const soft = (share: number): Dataset => ({
    ...data,
    target: { kind: "regression", name: "y", values: Float64Array.from(codes, (y) => share * y) },
  });
  const loss = logisticLoss({ soft: true });
  const half = await train(soft(0.5), { threads: 2 }, { loss, rounds: 2 });
  const exact = await train(soft(0.5), { threads: 2, signed: false }, { loss, rounds: 2 });
  assertEquals(half, exact);
  const whole = await train(soft(1), { threads: 1 }, { loss });
  assertEquals(whole, await train(data, { threads: 2 }));
});
