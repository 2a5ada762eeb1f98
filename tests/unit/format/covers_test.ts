import { assert, assertEquals, assertThrows } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { trainCart } from "../../../src/algorithms/classic/cart.ts";
import { trainRandomForest } from "../../../src/algorithms/classic/random_forest.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import { sealSections } from "../../../src/format/write_sections.ts";
import { ModelError } from "../../../src/errors.ts";
import type { Model } from "../../../src/model/model.ts";
import { bundle } from "../../../tools/build/bundle.ts";
import { createRng } from "../../../src/util/rng.ts";

/** Two classes over one number, all of the first class below `quiet`; weights where asked. */
function makeData(numRows: number, weight?: number, quiet = 0): Dataset {
  const rng = createRng(3);
  const values = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  return {
    numRows,
    features: [{ kind: "numeric", name: "x", values }],
    target: {
      kind: "classification",
      name: "y",
      classes: ["a", "b"],
      codes: Int32Array.from(values, (x) => x > quiet && x + rng.nextFloat() > 1 ? 1 : 0),
    },
    ...(weight !== undefined && { sampleWeight: new Float64Array(numRows).fill(weight) }),
  };
}

/** Where the section EXPL begins in the file. */
function explainAt(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer);
  for (let at = 32;; at += 24) {
    if (new TextDecoder().decode(bytes.subarray(at, at + 4)) !== "EXPL") continue;
    return Number(view.getBigUint64(at + 8, true));
  }
}

/** The two words at the head of the section EXPL: kinds of cover, gain and value, and their forms. */
function headIn(bytes: Uint8Array): { readonly kinds: readonly number[]; readonly forms: number } {
  const view = new DataView(bytes.buffer);
  const word = view.getUint32(explainAt(bytes), true);
  return {
    kinds: [word & 3, word >>> 2 & 3, word >>> 4 & 3],
    forms: view.getUint32(explainAt(bytes) + 4, true),
  };
}

Deno.test("encodeModel() keeps covers of leaves alone where the others are their sums", async () => {
  const cases: [Dataset, number, number][] = [
    [makeData(400), 30, 1],
    [makeData(3000), 600, 2],
    // Sums of tenths depend on their order: all covers are kept.
    [makeData(400, 0.1), 30, 0],
    // More rows than two bytes hold stand apart.
    [makeData(400, 70_000), 30, 3],
    // A few large leaves among small ones do too.
    [makeData(4000, undefined, 0.3), 1, 3],
  ];
  for (const [data, minRowsPerLeaf, width] of cases) {
    const model = await trainRandomForest(data, { trees: 5, seed: 2, minRowsPerLeaf });
    const bytes = encodeModel(model, { inBits: false });
    assertEquals(headIn(bytes).forms & 3, width);
    const again = decodeModel(bytes);
    assertEquals(again.ensemble.trees, model.ensemble.trees);
    assertEquals(encodeModel(again, { inBits: false }), bytes);
    assert(model.ensemble.trees.cover.some((cover) => cover > 0));
  }
});

Deno.test("encodeModel() keeps the leaves' covers of boosted trees as float32", async () => {
  const model = await trainBoost(makeData(500), { rounds: 8, committee: 1 });
  const { cover, gain, kind, firstChild } = model.ensemble.trees;
  const bytes = encodeModel(model);
  assertEquals(headIn(bytes), { kinds: [3, 1, 1], forms: 0 });
  const again = decodeModel(bytes);
  assertEquals(again.ensemble.trees, model.ensemble.trees);
  assertEquals(encodeModel(again), bytes);
  // The rules themselves, node by node.
  cover.forEach((value, node) => {
    const child = firstChild[node];
    assertEquals(value, kind[node] === 0 ? Math.fround(value) : cover[child] + cover[child + 1]);
    assertEquals(gain[node], Math.fround(gain[node]));
  });
  assert(cover.some((value) => value % 1 !== 0));
});

/** Three classes over a number and a category, a fifth of the numbers missing; weights where asked. */
function threeClasses(weight?: number): Dataset {
  const rng = createRng(9);
  const numRows = 300;
  const values = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const codes = Int32Array.from({ length: numRows }, () => rng.nextInt(5));
  return {
    numRows,
    features: [
      { kind: "numeric", name: "x", values: values.map((v) => rng.nextFloat() < 0.2 ? NaN : v) },
      { kind: "categorical", name: "c", codes, categories: ["p", "q", "r", "s", "t"] },
    ],
    target: {
      kind: "classification",
      name: "y",
      classes: ["a", "b", "c"],
      codes: Int32Array.from(values, (x, row) => Math.floor(x + codes[row] / 4 + rng.nextFloat())),
    },
    ...(weight !== undefined && { sampleWeight: new Float64Array(numRows).fill(weight) }),
  };
}

Deno.test("encodeModel() leaves out gains and values that the counts of the leaves tell", async () => {
  const LEAVES = 3;
  const single = { criterion: "gini", pruning: "none" } as const;
  const cases: [string, Promise<Model>, readonly number[]][] = [
    ["a tree of two classes", trainCart(makeData(400), single), [LEAVES, LEAVES, LEAVES]],
    ["a tree of three", trainCart(threeClasses(), single), [LEAVES, LEAVES, LEAVES]],
    ["whole weights", trainCart(threeClasses(3), single), [LEAVES, LEAVES, LEAVES]],
    // Another rule: float64 gains of its own.
    ["entropy", trainCart(threeClasses(), { criterion: "entropy" }), [LEAVES, 2, LEAVES]],
    // Sums of tenths depend on their order.
    ["weights of 0.1", trainCart(threeClasses(0.1), single), [2, 2, 2]],
    ["a forest", trainRandomForest(threeClasses(), { trees: 4, seed: 1 }), [LEAVES, LEAVES, 0]],
  ];
  for (const [name, training, kinds] of cases) {
    const model = await training;
    const bytes = encodeModel(model);
    assertEquals(headIn(bytes).kinds, kinds, name);
    const again = decodeModel(bytes);
    assertEquals(again.ensemble.trees, model.ensemble.trees, name);
    assertEquals(encodeModel(again), bytes, name);
  }
});

Deno.test("readStats() refuses forms that do not fit what they are of", async () => {
  const bytes = encodeModel(await trainCart(makeData(400), { criterion: "gini" }));
  const at = explainAt(bytes);
  const view = new DataView(bytes.buffer);
  assertEquals([view.getUint32(at, true), view.getUint32(at + 4, true) & 4], [63, 4]);
  // Gain by leaves with a cover of its own; a width without covers; a bit beyond; none at all.
  for (const [kinds, forms] of [[61, 4], [0, 1], [63, 13], [63, 0], [3, 5]]) {
    const damaged = bytes.slice();
    new DataView(damaged.buffer).setUint32(at, kinds, true);
    new DataView(damaged.buffer).setUint32(at + 4, forms, true);
    sealSections(damaged);
    const error = assertThrows(() => decodeModel(damaged).ensemble, ModelError);
    assertEquals(error.code, "E_MODEL_CORRUPT", `${kinds} ${forms}`);
  }
});

Deno.test("decodeModel() rebuilds the cover of a tree that is one leaf", async () => {
  const model = await trainRandomForest(makeData(20), { trees: 2, seed: 2, minRowsPerLeaf: 20 });
  const again = decodeModel(encodeModel(model));
  assertEquals([...again.ensemble.trees.cover], [20, 20]);
});

Deno.test("a damaged section EXPL is refused when an explanation asks for it, and scores the same", async () => {
  const model = await trainRandomForest(makeData(400), { trees: 3, seed: 2 });
  const bytes = encodeModel(model);
  const at = explainAt(bytes);
  bytes[at] = 0xff;
  sealSections(bytes);
  const damaged = decodeModel(bytes);
  const rows = [{ x: 0.2 }, { x: 0.7 }];
  assertEquals(damaged.predictRaw(rows), model.predictRaw(rows));
  const error = assertThrows(() => damaged.ensemble, ModelError);
  assertEquals(error.code, "E_MODEL_CORRUPT");
  assertEquals(error.details.offset, at);
});

Deno.test("the ./predict bundle alone scores a model and refuses to show its nodes", async () => {
  const model = await trainRandomForest(makeData(400), { trees: 3, seed: 2 });
  const url = URL.createObjectURL(
    new Blob([await bundle("src/predict.ts")], { type: "text/javascript" }),
  );
  const alone = await import(url);
  for (const explain of [true, false]) {
    const lean = alone.decodeModel(encodeModel(model, { explain }));
    assertEquals(lean.predictRaw([{ x: 0.7 }]), model.predictRaw([{ x: 0.7 }]));
    const error = assertThrows(() => lean.ensemble) as { code?: string };
    assertEquals(error.code, "E_MODEL_VERSION");
  }
});

Deno.test("a damaged section EXPL is refused as such, or read as numbers that explain", async () => {
  const models = [
    await trainCart(threeClasses(), { criterion: "gini", pruning: "none" }),
    await trainRandomForest(makeData(700, undefined, 0.4), { trees: 3, seed: 2 }),
    await trainCart(threeClasses(), { criterion: "entropy" }),
  ];
  const rng = createRng(12);
  let refused = 0;
  let read = 0;
  const files = models.flatMap((model) => [[model, false], [model, true]] as const);
  for (const [model, inBits] of files) {
    const bytes = encodeModel(model, { inBits });
    const from = explainAt(bytes);
    const length = encodeModel(model, { inBits, sha256: false }).length - from;
    for (let i = 0; i < 300; i++) {
      const damaged = bytes.slice();
      for (let k = rng.nextInt(3); k >= 0; k--) {
        // Heads are short: half of the damage goes there.
        const at = from + rng.nextInt(rng.nextInt(2) === 0 ? 8 : length);
        damaged[at] ^= 1 << rng.nextInt(8);
      }
      sealSections(damaged);
      try {
        const { trees } = decodeModel(damaged).ensemble;
        assert(trees.cover.every(Number.isFinite) && trees.gain.every(Number.isFinite));
        read++;
      } catch (error) {
        assert(error instanceof ModelError, String(error));
        assert(["E_MODEL_CORRUPT", "E_MODEL_LIMIT"].includes(error.code), error.code);
        refused++;
      }
    }
  }
  assert(refused > 100 && read > 100, `${refused} refused, ${read} read`);
});
