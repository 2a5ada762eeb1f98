import { assert, assertEquals, assertThrows } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { continueBoost } from "../../../../src/algorithms/update/continue.ts";
import { keepRounds } from "../../../../src/algorithms/update/keep_rounds.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { ParameterError } from "../../../../src/errors.ts";
import { decodeModel, encodeModel } from "../../../../src/format/binary.ts";
import { shrinkModel } from "../../../../src/format/shrink/shrink.ts";
import { createModel, type Model } from "../../../../src/model/model.ts";
import { createRng } from "../../../../src/util/rng.ts";

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

Deno.test("keepRounds() keeps sets of categories that later rounds share", async () => {
  const rng = createRng(2);
  const codes = Int32Array.from({ length: 400 }, () => rng.nextInt(90));
  const data: Dataset = {
    numRows: 400,
    features: [{
      kind: "categorical",
      name: "c",
      codes,
      categories: Array.from({ length: 90 }, (_, i) => `level ${i}`),
    }],
    target: {
      kind: "regression",
      name: "y",
      values: Float64Array.from(codes, (code) => (code * 37) % 11 + rng.nextFloat()),
    },
  };
  const model = await trainBoost(data, { rounds: 8, committee: 3 }, { threads: 1 });
  const { categoryAt, treeStart } = model.ensemble.trees;
  const sets = (from: number, to: number) =>
    categoryAt.slice(treeStart[from], treeStart[to]).filter((at) => at >= 0);
  // A set of the first four rounds is used after them, too.
  assert(sets(0, 12).some((at) => sets(12, 24).includes(at)));
  assertEquals(keepRounds(model, 4).predictRaw(data), model.predictRaw(data, { rounds: 4 }));
});

Deno.test("predict() of a part of a DART model is refused and names keepRounds", async () => {
  const model = await trainBoost(DATA, { ...DART, rounds: 6 });
  const error = assertThrows(() => model.predictRaw(DATA, { rounds: 3 }), ParameterError);
  assertEquals(error.code, "E_PARAM_RANGE");
  assert(error.message.includes("keepRounds"));
});

Deno.test("predict() of rounds that were kept after the best is refused: they weigh nothing", async () => {
  const params = { rounds: 12, learningRate: 1, earlyStoppingRounds: 12, keepAll: true };
  const model = await trainBoost(DATA, params, { valid: table(60, 2) });
  const { round } = model.info.best!;
  assert(round < 12);
  assertEquals(model.predictRaw(DATA, { rounds: round }), model.predictRaw(DATA));
  const error = assertThrows(
    () => model.predictRaw(DATA, { rounds: round + 1 }),
    ParameterError,
    `from 0 to ${round}`,
  );
  assert(error.message.includes("keepRounds"));
  assertEquals(keepRounds(model, 12).predictRaw(DATA, { rounds: 12 }).rows, 150);
  assertEquals(model.predictLeaf(DATA, { rounds: 12 }).cols, 36); // leaves have no weights
});

Deno.test("shrinkModel() lets rounds go first that were kept after the best one", async () => {
  const params = { rounds: 12, learningRate: 1, earlyStoppingRounds: 12, keepAll: true };
  const model = await trainBoost(DATA, params, { valid: table(60, 2) });
  const best = model.info.best!.round;
  assert(best < 12 && keepRounds(model).numRounds === best);
  const options = { explain: false, attachments: false };
  const [all, kept] = [model, keepRounds(model)].map((one) => encodeModel(one, options).length);
  assertEquals(shrinkModel(model, { maxBytes: all }).model.info.kept, { rounds: best });
  const exact = shrinkModel(model, { maxBytes: kept, rows: DATA });
  assertEquals([exact.bound, exact.model.numRounds, exact.model.info.kept], [0, best, undefined]);
  assertEquals(exact.model.predictRaw(DATA), model.predictRaw(DATA));
  // Trees that went into the base score are no rounds that could be kept.
  for (let maxBytes = kept; maxBytes > 0.6 * kept; maxBytes -= 40) {
    const { model: less } = shrinkModel(model, { maxBytes, rows: DATA });
    assertEquals(keepRounds(less).predictRaw(DATA), less.predictRaw(DATA));
  }
});

Deno.test("keepRounds() keeps of the story of continuations what is left of them", async () => {
  const first = await trainBoost(DATA, { rounds: 3 });
  const second = await continueBoost(first, DATA, { rounds: 2, learningRate: 0.3 });
  const third = await continueBoost(second, DATA, { rounds: 4 });
  const roundsOf = ({ info }: Model) =>
    (info.continued as { rounds: number }[]).map(({ rounds }) => rounds);
  assertEquals(roundsOf(third), [2, 4]);
  assertEquals(roundsOf(keepRounds(third, 8)), [2, 3]);
  assertEquals(keepRounds(third, 5).info, second.info);
  assertEquals(roundsOf(keepRounds(third, 4)), [1]);
  assertEquals(keepRounds(third, 3).info, first.info);
});

Deno.test("keepRounds() of plain rounds refuses weights that later rounds cannot have given", async () => {
  const model = await trainBoost(DATA, { rounds: 3, committee: 1 });
  const { schema, info, ensemble } = model;
  const halved = createModel({
    schema,
    info,
    ensemble: { ...ensemble, treeWeight: ensemble.treeWeight.map((weight) => weight / 2) },
  });
  assertEquals(keepRounds(halved, 3).ensemble.treeWeight, halved.ensemble.treeWeight);
  const error = assertThrows(() => keepRounds(halved, 2), ParameterError);
  assertEquals(error.code, "E_PARAM_CONFLICT");
});
