import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { train } from "../../../../src/algorithms/train.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import type { RoundReport } from "../../../../src/ensemble/types.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import type { Model } from "../../../../src/model/model.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** Three numbers with ties, of which two tell of the target; weights, of which some are 0. */
function table(numRows: number, classes: number, seed: number): Dataset {
  const rng = createRng(seed);
  const columns = Array.from(
    { length: 3 },
    () => Float64Array.from({ length: numRows }, () => rng.nextInt(40) / 40),
  );
  const y = columns[0].map((a, row) => a + columns[1][row] / 2 + 0.5 * rng.nextFloat());
  return {
    numRows,
    features: columns.map((values, f) => ({ kind: "numeric", name: `x${f}`, values })),
    target: classes === 0 ? { kind: "regression", name: "y", values: y } : {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(y, (v) => Math.floor(v * classes / 2)),
      classes: Array.from({ length: classes }, (_, k) => `${k}`),
    },
    sampleWeight: Float64Array.from({ length: numRows }, () => rng.nextInt(4) / 3),
  };
}

/** Rows in three blocks, so that threads have something to share. */
const ROWS = 9000;

interface Case {
  readonly classes: number;
  readonly spec: { readonly [name: string]: unknown };
  readonly threads: readonly number[];
}

const CASES: readonly Case[] = [
  { classes: 2, spec: { algorithm: "logitboost" }, threads: [2, 3, 8] },
  { classes: 2, spec: { algorithm: "logitboost", weka: true, tolerance: 1e-9 }, threads: [2] },
  { classes: 3, spec: { algorithm: "logitboost" }, threads: [3] },
  { classes: 2, spec: { algorithm: "gbdt", subsample: 0.6 }, threads: [2, 3, 8] },
  { classes: 3, spec: { algorithm: "gbdt" }, threads: [3] },
  { classes: 3, spec: { algorithm: "gbdt", subsample: 0.5, maxLeaves: 5 }, threads: [2] },
  { classes: 0, spec: { algorithm: "gbdt", loss: "poisson" }, threads: [2] },
  { classes: 0, spec: { algorithm: "gbdt", loss: "huber" }, threads: [2, 3] },
  { classes: 0, spec: { algorithm: "gbdt", loss: "quantile", huberAlpha: 0.3 }, threads: [2] },
];

async function run(
  { classes, spec }: Case,
  threads: number,
): Promise<{ readonly model: Model; readonly told: readonly RoundReport["metrics"][] }> {
  const told: RoundReport["metrics"][] = [];
  const said: string[] = [];
  const model = await train(table(ROWS, classes, 1), { rounds: 3, maxDepth: 3, ...spec }, {
    threads,
    // The second set is too small to be shared.
    valid: { held: table(ROWS - 100, classes, 2), few: table(50, classes, 3) },
    onRound: ({ metrics }) => void told.push(metrics),
    onDetail: (message) => void said.push(message),
  });
  assert(threads === 1 || said[0].includes(`on ${Math.min(threads, 3)} threads`), said.join());
  return { model, told };
}

for (const one of CASES) {
  const name = `${JSON.stringify(one.spec)}, ${one.classes} classes`;
  Deno.test(`threads share rows and metrics, bit for bit: ${name}`, async () => {
    const alone = await run(one, 1);
    assertEquals(alone.told.length, 3);
    for (const threads of one.threads) {
      const { model, told } = await run(one, threads);
      assertEquals(told, alone.told, `${threads} threads`);
      assertEquals(encodeModel(model), encodeModel(alone.model), `${threads} threads`);
    }
    assert(alone.told[2].held !== undefined && alone.told[2].few !== undefined);
  });
}

Deno.test("metrics that threads share are those of the model's own answers", async () => {
  for (const spec of [{ algorithm: "logitboost" }, { algorithm: "gbdt" }]) {
    const { model, told } = await run({ classes: 3, spec, threads: [] }, 2);
    const held = table(ROWS - 100, 3, 2);
    const { codes } = held.target as { readonly codes: Int32Array };
    told.forEach((metrics, round) => {
      const { data } = model.predictProba(held, { rounds: round + 1 });
      let loss = 0;
      let right = 0;
      let total = 0;
      codes.forEach((code, row) => {
        const w = held.sampleWeight![row];
        const shares = [...data.subarray(3 * row, 3 * row + 3)];
        loss -= w * Math.log(shares[code]);
        right += shares.indexOf(Math.max(...shares)) === code ? w : 0;
        total += w;
      });
      // Plain sums of 8900 terms here, compensated ones there.
      assertAlmostEquals(metrics.held.logLoss, loss / total, 1e-12);
      assertAlmostEquals(metrics.held.accuracy, right / total, 1e-12);
    });
  }
});
