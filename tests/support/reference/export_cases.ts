// deno-lint-ignore-file camelcase -- names of XGBoost in a model file
/**
 * Models of every kind written in every format that holds them, with rows on their thresholds: what the
 * real XGBoost and ONNX Runtime are asked.
 *
 * @module
 */
import { type ExportFormat, exportModel } from "../../../src/convert/export_model.ts";
import { float32Model } from "../../../src/convert/common/export_rounding.ts";
import { importModel } from "../../../src/convert/import_model.ts";
import { probeRows } from "../../../src/convert/probe_rows.ts";
import { createModel, type Model } from "../../../src/model/model.ts";
import type { Ensemble, ModelParts, Postprocess } from "../../../src/model/types.ts";
import { sha256Hex } from "../../../src/util/sha256.ts";
import { VERSION } from "../../../src/util/version.ts";
import { type RandomModel, randomParts } from "../models/random.ts";

/** One written file. */
export interface ExportCase {
  readonly name: string;
  readonly format: ExportFormat;
  readonly model: Model;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Rows by position: values, codes, K for a value outside the vocabulary, NaN for missing. */
  readonly codes: readonly Float64Array[];
  readonly sha256: string;
}

const ROWS = 40;

function random(
  spec: RandomModel,
  change?: Partial<Ensemble>,
  classes?: readonly string[],
): Model {
  const parts: ModelParts = randomParts(spec);
  const schema = classes === undefined
    ? parts.schema
    : { ...parts.schema, task: "classification" as const, classes };
  return createModel({ ...parts, schema, ensemble: { ...parts.ensemble, ...change } });
}

const f32 = { input: "f32", sum: "f32", base: "first", shownTest: "<" } as const;
const link = (name: Postprocess["name"], more: Partial<Postprocess> = {}) => ({
  postprocess: { name, ...more },
});

const golden = (path: string) => (): Model =>
  importModel(Deno.readFileSync(new URL(`../../golden/${path}`, import.meta.url)));

/**
 * A base score and a chain of two sets whose members reach leaves of one weight, missing values by the
 * second: ONNX Runtime makes one test of the two where nothing stands between them.
 */
function setsAlike(): Model {
  const tree = {
    tree_param: { num_nodes: "5", size_leaf_vector: "1" },
    left_children: [1, 3, -1, -1, -1],
    right_children: [2, 4, -1, -1, -1],
    split_indices: [0, 0, 0, 0, 0],
    split_type: [1, 1, 0, 0, 0],
    split_conditions: [0, 0, 1, -2, 1],
    default_left: [1, 0, 0, 0, 0],
    categories: [1, 3],
    categories_nodes: [0, 1],
    categories_segments: [0, 1],
    categories_sizes: [1, 1],
  };
  return importModel(new TextEncoder().encode(JSON.stringify({
    version: [3, 2, 0],
    learner: {
      learner_model_param: { base_score: "[2.5E-1]", num_class: "0", num_feature: "1" },
      objective: { name: "reg:squarederror" },
      feature_names: ["c"],
      feature_types: ["c"],
      gradient_booster: {
        name: "gbtree",
        model: { gbtree_model_param: { num_trees: "1" }, tree_info: [0], trees: [tree] },
      },
    },
  })));
}

const BOTH = ["xgboost-json", "xgboost-ubj"] as const;
const ALL = [...BOTH, "onnx"] as const;

/** Name → how the model is made, and what it is written as. */
const MODELS: { readonly [name: string]: readonly [() => Model, readonly ExportFormat[]] } = {
  dart: [golden("models/xgboost-2.1.4/dart_reg_auto_mpg/model.ubj"), ALL],
  strings: [golden("models/xgboost-3.4.1/categorical_strings_penguins/model.ubj"), ALL],
  vectorLeaves: [golden("models/xgboost-3.4.1/multi_softprob_vector_leaf_iris/model.json"), ALL],
  unicode: [golden("models/xgboost-1.7.4/feature_names_unicode/model.json"), ALL],
  zeroRounds: [golden("models/xgboost-1.7.4/zero_rounds/model.json"), BOTH],
  leafOnly: [golden("models/xgboost-1.7.4/stumps_only_leaf/model.json"), ALL],
  singleLeaves: [golden("models/lightgbm-4.6.0/single_leaf_trees/model.txt"), ["onnx"]],
  equalities: [golden("models/onnx-handmade/regressor_gt_eq_neq_average/model.onnx"), ["onnx"]],
  minimum: [golden("models/onnx-handmade/regressor_min_logistic/model.onnx"), ["onnx"]],
  forest: [golden("sklearn/rf_cls.json"), ["onnx"]],
  forestRegression: [golden("sklearn/rf_reg.json"), ["onnx"]],
  isolationForest: [golden("sklearn/iforest.json"), ["onnx"]],
  histogramNames: [golden("sklearn/hgb_cat.json"), ["onnx"]],
  histogramCodes: [golden("sklearn/hgb_codes.json"), ["onnx"]],
  histogramClasses: [golden("sklearn/hgb_cls.json"), ["onnx"]],
  oblivious: [golden("sklearn/cb_multi.json"), ["onnx"]],
  sets: [() => random({ seed: 1, categorical: 3, trees: 12, profile: f32 }), ALL],
  setsAndVectors: [
    () => random({ seed: 2, categorical: 2, outputs: 3, leafWidth: 3, profile: f32 }),
    ["onnx"],
  ],
  setsAlike: [setsAlike, ["onnx"]],
  noTrees: [
    () => {
      const { schema, info, ensemble } = randomParts({ seed: 23, trees: 0, f32: false });
      return createModel({
        schema,
        info,
        ensemble: { ...ensemble, baseScore: new Float64Array(1) },
      });
    },
    ["onnx"],
  ],
  setsDouble: [() => random({ seed: 3, categorical: 2, f32: false }), ["onnx"]],
  logistic: [
    () => random({ seed: 4, profile: f32 }, link("sigmoid"), ["no", "yes"]),
    ALL,
  ],
  poisson: [() => random({ seed: 5, profile: f32 }, link("exp")), ALL],
  hinge: [() => random({ seed: 6, profile: f32 }, link("hinge"), ["0", "1"]), ALL],
  scaled: [
    () => random({ seed: 7, f32: false }, link("sigmoid", { scale: 2.5 }), ["a", "b"]),
    ["onnx"],
  ],
  oneVsAll: [
    () => random({ seed: 8, outputs: 3 }, link("oneVsAll", { normalise: true })),
    ["onnx"],
  ],
  // Scores of ±60: float32 sigmoids are alike, and sums of what is left below −36 are 0 in ONNX Runtime's.
  oneVsAllFar: [
    () => {
      const parts = randomParts({ seed: 24, outputs: 3, profile: f32 });
      const { ensemble } = parts;
      const trees = {
        ...ensemble.trees,
        leaf: ensemble.trees.leaf.map((x) => Math.fround(16 * x - 4)),
      };
      const far = { ...ensemble, trees, ...link("oneVsAll", { normalise: true }) };
      return createModel({ ...parts, ensemble: far });
    },
    ["onnx"],
  ],
  // Classes that a sign or the largest raw score tells: no shares.
  sign: [() => random({ seed: 25, profile: f32 }, link("identity"), ["a", "b"]), ["onnx"]],
  signOfLog: [() => random({ seed: 26 }, link("log1pExp"), ["a", "b"]), ["onnx"]],
  largestSquare: [
    () => random({ seed: 27, outputs: 2 }, link("signedSquare"), ["a", "b"]),
    ["onnx"],
  ],
  // The only class has all, where the sigmoid of scikit-learn's score says 2e-15.
  oneClass: [() => random({ seed: 29 }, link("sigmoid"), ["only"]), ["onnx"]],
  // Labels that neither int64 nor float64 holds are text.
  longLabels: [
    () => random({ seed: 28 }, link("sigmoid"), ["100000000000000000000", "-1"]),
    ["onnx"],
  ],
  squareRoot: [() => random({ seed: 9 }, link("signedSquare")), ["onnx"]],
  softplusOfSets: [
    () => random({ seed: 17, categorical: 1, f32: false }, link("log1pExp")),
    ["onnx"],
  ],
  softplus: [() => random({ seed: 10 }, link("log1pExp")), ["onnx"]],
  largest: [() => random({ seed: 11, aggregate: "max", outputs: 2, leafWidth: 2 }), ["onnx"]],
  average: [() => random({ seed: 12, aggregate: "average", categorical: 1 }), ["onnx"]],
  averageOfVectors: [
    () => random({ seed: 18, aggregate: "average", categorical: 1, outputs: 3, leafWidth: 3 }),
    ["onnx"],
  ],
  averageOfOwnTrees: [
    () => random({ seed: 19, aggregate: "average", outputs: 2, profile: f32 }),
    ["onnx"],
  ],
  smallestOfSets: [
    () =>
      random({ seed: 20, aggregate: "min", categorical: 2, outputs: 2, leafWidth: 2, f32: false }),
    ["onnx"],
  ],
  // Float32 features and float64 sums, as in forests of scikit-learn, with thresholds between two float32.
  wideSums: [
    () => {
      const { schema, info, ensemble } = randomParts({
        seed: 21,
        trees: 12,
        outputs: 2,
        profile: { input: "f32" },
      });
      const threshold = ensemble.trees.threshold.map((t) => t + 1e-12);
      return createModel({
        schema,
        info,
        ensemble: { ...ensemble, trees: { ...ensemble.trees, threshold } },
      });
    },
    ["onnx"],
  ],
  softmax: [() => random({ seed: 13, outputs: 3, categorical: 1, profile: f32 }), ALL],
  // Doubles everywhere, rounded because the user asked for it.
  rounded: [
    () => float32Model(random({ seed: 15, categorical: 1, f32: false, weights: true })),
    ALL,
  ],
  // Double sums of sixteenths: float32 sums are the same numbers.
  sixteenths: [() => {
    const { schema, info, ensemble } = random({
      seed: 16,
      outputs: 3,
      trees: 40,
      profile: { input: "f32" },
    });
    const sixteenth = (x: number) => Math.round(x * 16) / 16;
    const trees = { ...ensemble.trees, leaf: ensemble.trees.leaf.map(sixteenth) };
    const baseScore = ensemble.baseScore.map(sixteenth);
    return createModel({ schema, info, ensemble: { ...ensemble, trees, baseScore } });
  }, BOTH],
  // An output without a tree keeps its base score.
  treelessOutput: [() => {
    const { schema, info, ensemble } = random({ seed: 14, outputs: 3, trees: 2 });
    return createModel({
      schema,
      info,
      ensemble: { ...ensemble, treeOutput: ensemble.treeOutput.map((k) => k % 2) },
    });
  }, ["onnx"]],
};

/** Every model by name. */
export function exportModels(): ReadonlyMap<string, Model> {
  return new Map(Object.entries(MODELS).map(([name, [make]]) => [name, make()]));
}

/** SHA-256 of a file without Treeline's version, which an ONNX file names in its third field. */
export function hashOf(bytes: Uint8Array): string {
  const version = [0x1a, VERSION.length, ...new TextEncoder().encode(VERSION)];
  const at = 12; // after `ir_version` and `producer_name`
  if (!version.every((byte, i) => bytes[at + i] === byte)) return sha256Hex(bytes);
  const end = at + version.length;
  return sha256Hex(Uint8Array.of(...bytes.subarray(0, at), ...bytes.subarray(end)));
}

/** Writes all of them. */
export function exportCases(): readonly ExportCase[] {
  return Object.entries(MODELS).flatMap(([name, [make, formats]]) => {
    const model = make();
    const { codes } = probeRows(model, ROWS);
    return formats.map((format): ExportCase => {
      const { bytes } = exportModel(model, format, { probes: 100 });
      return { name, format, model, bytes, codes, sha256: hashOf(bytes) };
    });
  });
}

/** What a library said of a file: outputs by name, row-major; texts for labels. */
export interface Said {
  readonly name: string;
  readonly format: ExportFormat;
  readonly sha256: string;
  readonly outputs: { readonly [name: string]: readonly (number | string)[] };
}

/** The stored answers. */
export interface Checked {
  readonly libraries: { readonly [name: string]: string };
  readonly cases: readonly Said[];
}

/** Asks the real libraries by `tests/golden/exports/run.py`. */
export async function askLibraries(python: string, cases: readonly ExportCase[]): Promise<Checked> {
  const folder = await Deno.makeTempDir();
  try {
    const list = cases.map((one, i) => {
      const kinds = one.model.schema.features.map((f) => f.kind === "numeric" ? "float" : "c");
      Deno.writeFileSync(`${folder}/${i}.${one.format.split("-").at(-1)}`, one.bytes);
      // JSON has neither NaN nor infinities; as texts both sides read them.
      const rows = one.codes.map((row) =>
        Array.from(row, (x) => Number.isFinite(x) ? x : String(x))
      );
      return { name: one.name, format: one.format, sha256: one.sha256, kinds, rows };
    });
    await Deno.writeTextFile(`${folder}/cases.json`, JSON.stringify(list));
    const script = new URL("../../golden/exports/run.py", import.meta.url);
    const { code, stdout, stderr } = await new Deno.Command(python, {
      args: [script.pathname, folder],
    }).output();
    const decoder = new TextDecoder();
    if (code !== 0) throw new Error(decoder.decode(stderr));
    return JSON.parse(decoder.decode(stdout)) as Checked;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
