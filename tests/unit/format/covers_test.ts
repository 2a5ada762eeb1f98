import { assert, assertEquals, assertThrows } from "@std/assert";
import { trainRandomForest } from "../../../src/algorithms/random_forest.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import { sealSections } from "../../../src/format/sections.ts";
import { ModelError } from "../../../src/errors.ts";
import { bundle } from "../../../tools/bundle.ts";
import { createRng } from "../../../src/util/rng.ts";

/** Two classes over one number; weights where asked. */
function makeData(numRows: number, weight?: number): Dataset {
  const rng = createRng(3);
  const values = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  return {
    numRows,
    features: [{ kind: "numeric", name: "x", values }],
    target: {
      kind: "classification",
      name: "y",
      classes: ["a", "b"],
      codes: Int32Array.from(values, (x) => x + rng.nextFloat() > 1 ? 1 : 0),
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

/** Width of a leaf's cover in the file: second word of the section EXPL. */
function widthIn(bytes: Uint8Array): number {
  return new DataView(bytes.buffer).getUint32(explainAt(bytes) + 4, true);
}

Deno.test("encodeModel() keeps covers of leaves alone where the others are their sums", async () => {
  const cases: [Dataset, number, number][] = [
    [makeData(400), 30, 1],
    [makeData(3000), 600, 2],
    // Sums of tenths depend on their order: all covers are kept.
    [makeData(400, 0.1), 30, 0],
    // Too many rows for two bytes.
    [makeData(400, 70_000), 30, 0],
  ];
  for (const [data, minRowsPerLeaf, width] of cases) {
    const model = await trainRandomForest(data, { trees: 5, seed: 2, minRowsPerLeaf });
    const bytes = encodeModel(model);
    assertEquals(widthIn(bytes), width);
    const again = decodeModel(bytes);
    assertEquals(again.ensemble.trees, model.ensemble.trees);
    assertEquals(encodeModel(again), bytes);
    assert(model.ensemble.trees.cover.some((cover) => cover > 0));
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

Deno.test("the ./predict bundle alone scores a model with covers and refuses to show them", async () => {
  const model = await trainRandomForest(makeData(400), { trees: 3, seed: 2 });
  const url = URL.createObjectURL(
    new Blob([await bundle("src/predict.ts")], { type: "text/javascript" }),
  );
  const alone = await import(url);
  const lean = alone.decodeModel(encodeModel(model));
  assertEquals(lean.predictRaw([{ x: 0.7 }]), model.predictRaw([{ x: 0.7 }]));
  const error = assertThrows(() => lean.ensemble) as { code?: string };
  assertEquals(error.code, "E_MODEL_VERSION");
});
