import { assert, assertEquals, assertThrows } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost.ts";
import { keepRounds } from "../../../src/algorithms/keep_rounds.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { ParameterError } from "../../../src/errors.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import { createModel, type Model } from "../../../src/model/model.ts";
import { createRng } from "../../../src/util/rng.ts";

function table(numRows: number, seed: number): Dataset {
  const rng = createRng(seed);
  const x = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  return {
    numRows,
    features: [{ kind: "numeric", name: "x", values: x }],
    target: {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(
        x,
        (v) => Math.floor(3 * Math.min(0.999, v * (0.7 + 0.5 * rng.nextFloat()))),
      ),
      classes: ["a", "b", "c"],
    },
  };
}

const DATA = table(150, 1);
const DART = { dropRate: 0.4, seed: 9, maxDepth: 2, learningRate: 0.3 };

/** What a model is, apart from the story of how many rounds were asked for. */
function treesOf({ ensemble }: Model) {
  return [ensemble.trees, ensemble.treeWeight, ensemble.baseScore];
}

const VARIANTS = [
  {},
  { oneDrop: true, skipDrop: 0.3 },
  { dropScale: "forest", dropBy: "weighted" },
  { dropScale: "lightgbm", maxDrop: 2, parallelTrees: 2 },
] as const;

for (const variant of VARIANTS) {
  Deno.test(`keepRounds() of DART is the run that ended there: ${JSON.stringify(variant)}`, async () => {
    const params = { ...DART, ...variant };
    const whole = decodeModel(encodeModel(await trainBoost(DATA, { ...params, rounds: 9 })));
    assert(whole.ensemble.treeWeight.some((weight) => weight < 1));
    for (const rounds of [0, 1, 4, 8, 9]) {
      const run = await trainBoost(DATA, { ...params, rounds });
      assertEquals(treesOf(keepRounds(whole, rounds)), treesOf(run), `${rounds}`);
    }
  });
}

Deno.test("keepRounds() of DART that kept all rounds after the best has those too", async () => {
  const params = { ...DART, learningRate: 1, maxDepth: 6, rounds: 12 }; // learns the noise
  const stop = { earlyStoppingRounds: 12, keepAll: true };
  const valid = table(60, 2);
  const all = decodeModel(encodeModel(await trainBoost(DATA, { ...params, ...stop }, { valid })));
  const { round } = all.info.best!;
  assert(round < 12 && all.numRounds === 12);
  for (const rounds of [round - 1, round, 12]) {
    const run = await trainBoost(DATA, { ...params, rounds });
    assertEquals(treesOf(keepRounds(all, rounds)), treesOf(run), `${rounds}`);
  }
  // As it is, it predicts with the best.
  const best = await trainBoost(DATA, { ...params, rounds: round });
  assertEquals(all.predictRaw(DATA).data, best.predictRaw(DATA).data);
});

Deno.test("keepRounds() refuses weights that no run of the model's parameters gives", async () => {
  const whole = await trainBoost(DATA, { ...DART, rounds: 6 });
  const { schema, info, ensemble } = whole;
  const treeWeight = ensemble.treeWeight.map((weight) => 0.5 * weight);
  const changed = createModel({ schema, info, ensemble: { ...ensemble, treeWeight } });
  const error = assertThrows(() => keepRounds(changed, 3), ParameterError);
  assertEquals(error.code, "E_PARAM_CONFLICT");
  assertEquals(treesOf(keepRounds(changed, 6)), treesOf(changed));
});

Deno.test("DART that always skips is plain boosting, bit for bit", async () => {
  const { dropRate: _, ...plain } = DART;
  const skipped = await trainBoost(DATA, { ...DART, skipDrop: 1, rounds: 6 });
  assertEquals(treesOf(skipped), treesOf(await trainBoost(DATA, { ...plain, rounds: 6 })));
});
