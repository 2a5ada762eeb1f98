/**
 * Boundary probes: at every threshold of a file the previous, equal and next value, zeros,
 * subnormals, infinities, NaN and an absent column; every category and what is no category. The
 * importer must agree to the last bit with slow evaluators written from the foreign files.
 */
import { assertEquals } from "@std/assert";
import { importModel } from "../../src/convert/import_model.ts";
import type { Row } from "../../src/data/types.ts";
import type { PredictInput } from "../../src/model/encode.ts";
import { createModel, type Model } from "../../src/model/model.ts";
import { nextDown32, nextDown64, nextUp32, nextUp64 } from "../../src/util/float.ts";
import { createRng } from "../../src/util/rng.ts";
import { foldersIn } from "../support/reference/model_cases.ts";
import { datasetOf } from "../support/reference/parity.ts";
import { casesIn } from "../support/reference/sklearn_cases.ts";
import { slowCatboost, slowSklearn } from "../support/slow/json.ts";
import { hasShared, sharedPath } from "../support/shared.ts";
import { slowLightgbm } from "../support/slow/lightgbm.ts";
import { slowOnnx } from "../support/slow/onnx.ts";
import { slowXgboost, type SlowXgboost } from "../support/slow/xgboost.ts";
import { slowXgboostBinary } from "../support/slow/xgboost_binary.ts";

// The smallest numbers of both kinds, and LightGBM's zero (1e-35 as a float32) with its neighbours.
const ZERO = Math.fround(1e-35);
const TINY = [5e-324, 1.401298464324817e-45, nextDown64(ZERO), ZERO, nextUp64(ZERO)];
const SPECIAL = [0, -0, ...TINY, ...TINY.map((x) => -x), Infinity, -Infinity, NaN];
const CODES = [-1e20, -1, -0.5, -0, 0.5, 2.7, 1e9, 1e20, 16777215, 16777216, Infinity, -Infinity, NaN];

/** Values to try for each feature. */
function probesOf(
  numFeatures: number,
  thresholds: (feature: number) => readonly number[],
  topCategory: (feature: number) => number,
  isDouble: boolean,
): number[][] {
  const [down, up] = isDouble ? [nextDown64, nextUp64] : [nextDown32, nextUp32];
  return Array.from({ length: numFeatures }, (_, feature) => {
    const top = topCategory(feature);
    if (top >= 0) return [...CODES, ...Array.from({ length: top + 3 }, (_, code) => code)];
    const beside = [...new Set(thresholds(feature))].flatMap((t) => [down(t), t, up(t)]);
    return [...new Set([...SPECIAL, ...beside])];
  });
}

/** Rows that try every probe of every feature once, the other cells random probes of theirs. */
function rowsOf(probes: readonly (readonly number[])[], seed: number): Float64Array[] {
  const rng = createRng(seed);
  const pick = (list: readonly number[]): number => list[rng.nextInt(list.length)];
  return probes.flatMap((list, feature) =>
    list.map((value) => Float64Array.from(probes, (other, f) => f === feature ? value : pick(other)))
  );
}

/** The model with its base score taken away, so that raw scores are sums of trees. */
function bare(model: Model): Model {
  const { schema, info, ensemble } = model;
  return createModel({
    schema,
    info,
    ensemble: {
      ...ensemble,
      baseScore: new Float64Array(ensemble.numOutputs),
      aggregate: ensemble.aggregate === "average" ? "sum" : ensemble.aggregate,
    },
  });
}

function assertSums(
  model: Model,
  rows: readonly Float64Array[],
  sums: (row: Float64Array) => number[],
  input: PredictInput = datasetOf(model, rows),
): void {
  const actual = model.predictRaw(input).data;
  const cols = model.numOutputs;
  rows.forEach((row, r) => {
    const expected = sums(row);
    for (let k = 0; k < cols; k++) {
      const have = actual[r * cols + k];
      if (have !== (expected[k] ?? 0)) {
        assertEquals({ row: Array.from(row), output: k, have }, { row: Array.from(row), output: k, have: expected[k] });
      }
    }
  });
}

function checkXgboost(bytes: Uint8Array, slow: SlowXgboost): number {
  const model = importModel(bytes);
  const probes = probesOf(slow.numFeatures, (f) => slow.thresholds[f], (f) => slow.topCategory[f], false);
  if (hasNames(model)) return checkNames(model, slow, probes);
  const rows = rowsOf(probes, 1);
  assertSums(bare(model), rows, slow.sums);
  return rows.length;
}

const hasNames = (model: Model): boolean =>
  model.schema.features.some((f) => f.kind === "categorical" && f.coded !== true);

/**
 * Rows of text where the file has names: every name, what nearly is one, nothing and an absent key.
 * What is no name has the code −1, which is in no set.
 */
function checkNames(
  model: Model,
  slow: Pick<SlowXgboost, "levels" | "sums">,
  numbers: readonly (readonly number[])[],
): number {
  const cells = slow.levels.map((names) =>
    names && [...names, ...names.flatMap((n) => [`${n} `, n + n, n.slice(1) + "?"]), "0", "1", null, undefined]
  );
  const probes = numbers.map((list, f) => cells[f]?.map((_, i) => i) ?? list);
  const picks = rowsOf(probes, 5);
  const { features } = model.schema;
  const codes = picks.map((row) =>
    row.map((x, f) => {
      const names = slow.levels[f];
      if (names === undefined) return x;
      const cell = cells[f]![x];
      return typeof cell === "string" ? names.indexOf(cell) : NaN;
    })
  );
  const rows = picks.map((row) => {
    const out: { [name: string]: Row[string] } = {};
    row.forEach((x, f) => {
      const cell = cells[f] === undefined ? (Number.isNaN(x) ? null : x) : cells[f][x];
      if (cell !== undefined) out[features[f].name] = cell;
    });
    return out;
  });
  assertSums(bare(model), codes, slow.sums, rows);
  return rows.length;
}

function checkLightgbm(text: string): number {
  const model = importModel(new TextEncoder().encode(text));
  const slow = slowLightgbm(text);
  const all = probesOf(slow.numFeatures, (f) => slow.thresholds[f], (f) => slow.topCategory[f], true);
  // Terms of linear leaves add up infinities to NaN, which is no number to compare.
  const isLinear = text.includes("is_linear=1");
  const probes = isLinear ? all.map((list) => list.filter((x) => Math.abs(x) !== Infinity)) : all;
  if (hasNames(model)) return checkNames(model, slow, probes);
  const rows = rowsOf(probes, 2);
  assertSums(bare(model), rows, slow.sums);
  return rows.length;
}

function checkOnnx(bytes: Uint8Array): number {
  const slow = slowOnnx(bytes);
  const model = importModel(bytes);
  const probes = probesOf(model.schema.features.length, (f) => slow.thresholds.get(f) ?? [], () => -1, slow.isDouble);
  const rows = rowsOf(probes, 3);
  assertSums(bare(model), rows, slow.sums);
  return rows.length;
}

/** Checks a case folder; returns the number of probe rows. */
function checkCase(folder: URL): number {
  const read = (name: string): Uint8Array | undefined => {
    try {
      return Deno.readFileSync(new URL(name, folder));
    } catch {
      return undefined;
    }
  };
  const decoder = new TextDecoder();
  const [json, text, onnx] = [read("model.json"), read("model.txt"), read("model.onnx")];
  const binary = read("model.deprecated");
  const legacy = binary === undefined ? 0 : checkXgboost(binary, slowXgboostBinary(binary));
  if (json !== undefined) return legacy + checkXgboost(json, slowXgboost(decoder.decode(json)));
  if (text !== undefined) return checkLightgbm(decoder.decode(text));
  return onnx === undefined ? 0 : checkOnnx(onnx);
}

/** Legacy binaries of XGBoost 0.40 to 1.0 from other projects; returns the number of probe rows. */
function checkLegacy(folder: URL): number {
  let rows = 0;
  for (const group of ["xgboost-compat", "xgboost-predictor-java"]) {
    const place = new URL(`${group}/`, folder);
    for (const { name } of Deno.readDirSync(place)) {
      if (!/\.bin$|^gbtree.*\.model$/.test(name)) continue;
      const bytes = Deno.readFileSync(new URL(name, place));
      rows += checkXgboost(bytes, slowXgboostBinary(bytes));
    }
  }
  return rows;
}

const SKIP = /must_reject|_graph$/;

const small = new URL("models/", import.meta.url);
for (const group of foldersIn(small)) {
  for (const name of foldersIn(new URL(`${group}/`, small))) {
    if (SKIP.test(name)) continue;
    Deno.test(`boundary probes of ${group}/${name} agree with a slow evaluator`, () => {
      checkCase(new URL(`${group}/${name}/`, small));
    });
  }
}

const exported = new URL("sklearn/", import.meta.url);
for (const name of casesIn(exported)) {
  Deno.test(`boundary probes of sklearn/${name} agree with a slow evaluator`, () => {
    const bytes = Deno.readFileSync(new URL(`${name}.json`, exported));
    const document = JSON.parse(new TextDecoder().decode(bytes));
    const slow = "treeline_sklearn" in document ? slowSklearn(document) : slowCatboost(document);
    const probes = probesOf(
      slow.numFeatures,
      (f) => slow.thresholds[f],
      (f) => slow.topCategory[f],
      !slow.isSingle,
    ).map((list, f) => slow.topCategory[f] < 0 ? list : list.filter((x) => Number.isNaN(x) || (x % 1 === 0 && x >= 0)));
    const model = importModel(bytes);
    if (hasNames(model)) {
      checkNames(model, slow, probes);
      return;
    }
    // Single features see a threshold that is no float32 from its float32 neighbours.
    assertSums(bare(model), rowsOf(probes, 4), slow.sums);
  });
}

const absent = !hasShared("models/MANIFEST.md");
Deno.test({
  name: `boundary probes of every shared model agree with slow evaluators${
    absent ? " (skipped: ../shared/models is not here)" : ""
  }`,
  ignore: absent,
  fn() {
    let rows = 0;
    for (const group of foldersIn(sharedPath("models/"))) {
      if (group === "thirdparty") {
        rows += checkLegacy(sharedPath("models/thirdparty/"));
        continue;
      }
      for (const name of foldersIn(sharedPath(`models/${group}/`))) {
        if (!SKIP.test(name)) rows += checkCase(sharedPath(`models/${group}/${name}/`));
      }
    }
    assertEquals(rows > 140_000, true); // 146 680 when this was written
  },
});
