/**
 * Every importer over mutated real files: the answer is a model that scores, or a typed error; never
 * a crash, a hang or a huge allocation. `TREELINE_FUZZ=1000000` asks for a longer run.
 */
import { assert } from "@std/assert";
import { importFiles } from "../../src/convert/directory.ts";
import { EXPORT_FORMATS, type ExportFormat, exportModel } from "../../src/convert/export_model.ts";
import { importModel } from "../../src/convert/import_model.ts";
import { TreelineError } from "../../src/errors.ts";
import type { Model } from "../../src/model/model.ts";
import { createRng, type Rng } from "../../src/util/rng.ts";

const golden = new URL("../golden/", import.meta.url);
const FILES = [
  "models/xgboost-1.7.4/stumps_only_leaf/model.deprecated",
  "models/xgboost-1.7.4/feature_names_unicode/model.json",
  "models/xgboost-1.7.4/feature_names_unicode/model.ubj",
  "models/xgboost-2.1.4/dart_reg_auto_mpg/model.ubj",
  "models/xgboost-3.4.1/categorical_strings_penguins/model.ubj",
  "models/xgboost-3.4.1/multi_softprob_vector_leaf_iris/model.ubj",
  "models/xgboost-3.4.1/categorical_strings_penguins/model.json",
  "models/lightgbm-4.6.0/linear_tree_auto_mpg_binary/model.txt",
  "models/lightgbm-4.6.0/rf_multiclass_iris/model.txt",
  "models/lightgbm-4.6.0/single_leaf_trees/model.txt",
  "models/onnx-handmade/regressor_gt_eq_neq_average/model.onnx",
  "models/onnx-handmade/classifier_softmax_zero/model.onnx",
  "models/lightgbm-4.7.0/zero_kinds_mixed_linear/model.txt",
  "models/xgboost-3.2.0/level_names_outside_ascii/model.ubj",
  "models/onnxruntime-1.32.0/ensemble_5_sum_none/model.onnx",
  "models/onnxruntime-1.32.0/regressor_shared_subtree/model.onnx",
  "models/onnx-sklearn-1.2.1/decision_tree_classifier_iris_strings_zipmap/model.onnx",
  "sklearn/cb_max.json",
  "sklearn/hgb_codes.json",
  "sklearn/dt_cls.json",
  "directories/synapseml_stage/complexParams/lightGBMBooster",
  "directories/xgboost4j_spark_1/data/XGBoostClassificationModel",
] as const;

/** Numbers that break index arithmetic, sizes and comparisons. */
const NASTY = [
  "-1",
  "0",
  "2147483647",
  "-2147483648",
  "4294967296",
  "1e308",
  "-1e309",
  "NaN",
  "Infinity",
  "0.5",
  "16777216",
  "99999999999999999999",
  "",
  "null",
  "[]",
  '"x"',
];

function mutate(bytes: Uint8Array, rng: Rng): Uint8Array {
  let out = bytes.slice();
  const times = 1 + rng.nextInt(4);
  for (let i = 0; i < times && out.length > 0; i++) {
    const at = rng.nextInt(out.length);
    switch (rng.nextInt(8)) {
      case 0:
        out[at] ^= 1 << rng.nextInt(8);
        break;
      case 1:
        out[at] = [0, 1, 127, 128, 255, 45, 48, 91, 123][rng.nextInt(9)];
        break;
      case 2:
        out = out.slice(0, at);
        break;
      case 3: {
        const end = Math.min(out.length, at + 1 + rng.nextInt(64));
        out = join(out.subarray(0, at), out.subarray(end));
        break;
      }
      case 4: {
        const end = Math.min(out.length, at + 1 + rng.nextInt(64));
        out = join(out.subarray(0, end), out.subarray(at, end), out.subarray(end));
        break;
      }
      case 5: {
        const from = rng.nextInt(out.length);
        const length = Math.min(8, out.length - Math.max(at, from));
        out.copyWithin(at, from, from + length);
        break;
      }
      case 6:
        for (let k = 0; k < 4 && at + k < out.length; k++) out[at + k] = rng.nextInt(2) * 255;
        break;
      default:
        out = replaceNumber(out, at, NASTY[rng.nextInt(NASTY.length)]);
    }
  }
  return out;
}

function join(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

const isNumeric = (byte: number): boolean =>
  (byte >= 48 && byte <= 57) || byte === 45 || byte === 46 || byte === 101;

/** Replaces the next number in a text. */
function replaceNumber(bytes: Uint8Array, from: number, text: string): Uint8Array<ArrayBuffer> {
  let start = from;
  while (start < bytes.length && !isNumeric(bytes[start])) start++;
  let end = start;
  while (end < bytes.length && isNumeric(bytes[end])) end++;
  return join(bytes.subarray(0, start), new TextEncoder().encode(text), bytes.subarray(end));
}

const LIMITS = {
  maxNodes: 1_000_000,
  maxCategoryWords: 1_000_000,
  maxFeatures: 10_000,
  maxLeafValues: 4_000_000,
};

/** Imports and now and then scores and exports; says what went wrong. Files of folders keep their path. */
function attempt(bytes: Uint8Array, score: boolean, path = ""): "model" | "refused" {
  try {
    const folder = /^directories\/[^/]*\/(.*)$/.exec(path)?.[1];
    const model = folder === undefined
      ? importModel(bytes, { limits: LIMITS })
      : importFiles(new Map([[folder, bytes]]), { limits: LIMITS });
    if (score) {
      model.predictRaw([{}, { f0: 1 }], { columns: "lenient" });
      model.predictLeaf([{}], { columns: "lenient" });
      if (bytes.length % 8 === 0) {
        for (const format of EXPORT_FORMATS) attemptExport(model, format);
      }
    }
    return "model";
  } catch (error) {
    if (error instanceof TreelineError) return "refused";
    throw error;
  }
}

/** A file that scores the same, or a typed refusal. */
function attemptExport(model: Model, format: ExportFormat): void {
  try {
    assert(exportModel(model, format, { probes: 10 }).difference === 0);
  } catch (error) {
    if (!(error instanceof TreelineError)) throw error;
  }
}

const total = Number(Deno.env.get("TREELINE_FUZZ") ?? 3200);
const seed = Number(Deno.env.get("TREELINE_FUZZ_SEED") ?? 1);

Deno.test(`importModel() is total over ${total} mutations of real files`, () => {
  const originals = FILES.map((file) => Deno.readFileSync(new URL(file, golden)));
  const rng = createRng(seed);
  let models = 0;
  // Seconds of this process, not of the clock: others may stop the machine.
  const { process } = globalThis as unknown as {
    process: { cpuUsage(): { readonly user: number; readonly system: number } };
  };
  const seconds = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  let slowest = 0;
  for (let i = 0; i < total; i++) {
    const which = i % FILES.length;
    const bytes = mutate(originals[which], rng);
    const start = seconds();
    try {
      if (attempt(bytes, i % 8 === 0, FILES[which]) === "model") models++;
    } catch (error) {
      const path = Deno.makeTempFileSync({ suffix: ".bin" });
      Deno.writeFileSync(path, bytes);
      throw new Error(
        `mutation ${i} of ${FILES[which]} (seed ${seed}, kept as ${path}): ${error}`,
        { cause: error },
      );
    }
    slowest = Math.max(slowest, seconds() - start);
  }
  // Some mutations do not matter (a name, a gain), and some must.
  assert(models > total / 100 && models < total, `${models} of ${total} were imported`);
  // About hangs, not about speed: the slowest of a million took a fraction of a second.
  assert(slowest < 20, `the slowest took ${slowest} s of processor time`);
});

Deno.test("importModel() refuses every prefix and every single flipped byte, or scores the same", () => {
  const file = Deno.readFileSync(new URL("models/xgboost-1.7.4/zero_rounds/model.ubj", golden));
  for (let length = 0; length < file.length; length++) attempt(file.subarray(0, length), false);
  for (let at = 0; at < file.length; at++) {
    const flipped = file.slice();
    flipped[at] ^= 0x5a;
    attempt(flipped, true);
  }
});
