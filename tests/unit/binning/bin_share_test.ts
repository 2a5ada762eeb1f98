import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { createBinShare, type SharedBins } from "../../../src/binning/bin_share.ts";
import type { Dataset } from "../../../src/data/types.ts";

function data(numRows = 4): Dataset {
  const values = Float64Array.from({ length: numRows }, (_, i) => i);
  return { numRows, features: [{ kind: "numeric", name: "x", values }] };
}

const NOTHING: SharedBins = { bins: [], codes: [], bundles: [], joints: [] };

Deno.test("createBinShare() finds bins of the same columns, weights and setting only", () => {
  const share = createBinShare();
  const one = data();
  share.own(one);
  const sampleWeight = Float64Array.of(1, 2, 1, 1);
  share.keep("hist", { ...one, sampleWeight }, "a", NOTHING, 10);
  const find = (rows: Dataset, setting: string) => share.find("hist", rows, setting);
  assertStrictEquals(find({ ...one, sampleWeight: sampleWeight.slice() }, "a"), NOTHING);
  assertEquals(find({ ...one, sampleWeight: Float64Array.of(1, 2, 1, 2) }, "a"), undefined);
  assertEquals(find(one, "a"), undefined);
  assertEquals(find({ ...one, sampleWeight }, "b"), undefined);
  assertEquals(find({ ...data(), sampleWeight }, "a"), undefined); // equal numbers, other array
  assertEquals(share.find("lightgbm", { ...one, sampleWeight }, "a"), undefined);
  assertEquals(share.hits, 1);
});

Deno.test("createBinShare() keeps nothing of columns that their owner may change", () => {
  const share = createBinShare();
  const one = data();
  share.keep("hist", one, "a", NOTHING, 10);
  assertEquals([share.find("hist", one, "a"), share.byteLength], [undefined, 0]);
  share.select(one, Int32Array.of(0, 1));
  assertEquals(share.byteLength, 0);
});

Deno.test("createBinShare() stays below its limit: older settings make place, the one in use stays", () => {
  const share = createBinShare(100);
  const folds = [data(), data(), data(), data()];
  folds.forEach(share.own);
  const found = (setting: string) =>
    folds.map((fold) => share.find("hist", fold, setting) !== undefined);
  for (const fold of folds) {
    share.keep("hist", fold, "a", NOTHING, 30);
    assert(share.byteLength <= 100);
  }
  // The fourth did not fit, and the first three serve every further trial.
  assertEquals(found("a"), [true, true, true, false]);
  share.keep("hist", folds[0], "b", NOTHING, 50);
  assertEquals([found("a"), share.byteLength], [[false, false, true, false], 80]);
  share.keep("hist", folds[1], "b", NOTHING, 101);
  assertEquals([found("b"), share.byteLength], [[true, false, false, false], 80]);
});

Deno.test("createBinShare() selects the same rows as the same arrays, and is content with half", () => {
  const share = createBinShare(2 * (16 + 8));
  const one = { ...data(), sampleWeight: Float64Array.of(1, 2, 3, 4) };
  share.own(one);
  const first = share.select(one, Int32Array.of(1, 3));
  const again = share.select(
    { ...one, sampleWeight: Float64Array.of(4, 3, 2, 1) },
    Int32Array.of(1, 3),
  );
  assertStrictEquals(first.features, again.features);
  assertEquals(first.features[0], { kind: "numeric", name: "x", values: Float64Array.of(1, 3) });
  assertEquals([...first.sampleWeight!, ...again.sampleWeight!, again.numRows], [2, 4, 3, 1, 2]);
  const other = share.select(one, Int32Array.of(0, 2)); // no room
  assertEquals(other.features[0], { kind: "numeric", name: "x", values: Float64Array.of(0, 2) });
  assert(share.select(one, Int32Array.of(0, 2)).features !== other.features);
  assertEquals(share.byteLength, 24);
});
