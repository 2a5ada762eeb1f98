/**
 * Model files that other projects wrote, and what they expect (see the manifest beside them).
 *
 * @module
 */
import { createModel, type Model } from "../../../src/model/model.ts";
import type { PredictInput } from "../../../src/model/encode.ts";
import { explainShap } from "../../../src/explain/tree_shap.ts";
import { type CaseResult, type Check, compare, importOrRefuse } from "./model_cases.ts";
import { datasetOf } from "./parity.ts";
import { readLibsvm, readLines, readTable } from "./tables.ts";
import { sliceRounds } from "./slice_rounds.ts";

/** How an input file is read. */
type Reader = "csv" | "lines" | "lines-after-label" | "libsvm" | "libsvm-zero";

/** What an expectation file holds. */
type Kind = "raw" | "value" | "class" | "leaf" | "contribs";

interface Third {
  readonly file: string;
  readonly input?: readonly [string, Reader];
  readonly expect?: readonly (readonly [file: string, kind: Kind, tolerance: number])[];
  readonly mustRefuse?: boolean;
  /** Only the first rounds. */
  readonly rounds?: number;
}

const F32 = 1e-6; // expectations printed from float32
const F64 = 1e-12;

const LEAVES: readonly Third[] = [
  {
    file: "xgagaricus.model",
    input: ["agaricus_test.libsvm", "libsvm"],
    expect: [["xgagaricus_true_predictions.txt", "value", F32]],
  },
  {
    file: "xg_dart_agaricus.model",
    input: ["agaricus_test.libsvm", "libsvm"],
    expect: [["xg_dart_agaricus_true_predictions.txt", "raw", F32]],
    rounds: 10,
  },
  {
    file: "xgdermatology.model",
    input: ["dermatology_test.libsvm", "libsvm-zero"],
    expect: [["xgdermatology_true_predictions.txt", "raw", F32]],
  },
  { file: "xgblin_agaricus.model", mustRefuse: true },
  {
    file: "lgmulticlass.model",
    input: ["multiclass_test.tsv", "lines-after-label"],
    expect: [["lgmulticlass_true_predictions.txt", "value", F64], [
      "lgmulticlass_true_raw_predictions.txt",
      "raw",
      F64,
    ]],
  },
  {
    file: "lg_dart_breast_cancer.model",
    input: ["breast_cancer_test.tsv", "lines"],
    expect: [["lg_dart_breast_cancer_true_predictions.txt", "value", F64]],
  },
  {
    // The two releases of the library disagree on this file; ours is the newer one's reading.
    file: "lg_rf_iris.model",
    input: ["iris_test.libsvm", "libsvm-zero"],
    expect: [["lg_rf_iris_pred_lightgbm460.txt", "value", F64], [
      "lg_rf_iris_true_predictions.txt",
      "raw",
      F64,
    ]],
  },
  {
    file: "lg_breast_cancer.txt",
    input: ["lg_breast_cancer_data.txt", "lines"],
    expect: [["lg_breast_cancer_data_pred_leaves.txt", "leaf", 0]],
  },
  {
    // Named probabilities by its source, but these are the raw scores.
    file: "lg_kddcup99.model",
    input: ["kddcup99_test.tsv", "lines"],
    expect: [["lg_kddcup99_true_predictions.txt", "raw", F64]],
  },
  ...[
    "genlin_fmtp_poisson_Frequency",
    "genlin_fmtp_gamma_AvgClaimAmount",
    "genlin_fmtp_tweedie_PurePremium",
  ]
    .map((name): Third => ({
      file: `${name}.model`,
      input: [`${name}_features.tsv`, "lines"],
      expect: [[`${name}_true_predictions.txt`, "value", F64]],
    })),
  {
    file: "model_simple.txt",
    input: ["model_simple_input.csv", "csv"],
    expect: [["model_simple_raw.txt", "raw", F64]],
  },
  // Descriptions by dump_model(), not model files.
  { file: "lg_1tree.json", mustRefuse: true },
  { file: "lg_1tree_1leaf.json", mustRefuse: true },
  { file: "lg_dart_breast_cancer.json", mustRefuse: true },
];

const LLEAVES: readonly Third[] = [
  "airline",
  "NYC_taxi",
  "mixed_categorical",
  "pure_categorical",
  "multiclass",
  "leaf_scan",
  "single_tree",
  "tiniest_single_tree",
]
  .map((name) => ({
    file: `${name}.txt`,
    input: [`${name}_input.csv`, "csv"],
    expect: [
      [`${name}_pred.csv`, "value", F64],
      [`${name}_raw.csv`, "raw", F64],
      [`${name}_contribs.csv`, "contribs", 1e-7],
    ],
  }));

const TREELITE: readonly Third[] = [
  {
    file: "mushroom.model",
    input: ["../leaves/agaricus_test.libsvm", "libsvm"],
    expect: [["mushroom_pred.txt", "value", F32], ["mushroom_margin.txt", "raw", F32]],
  },
  {
    file: "toy_categorical_model.txt",
    input: ["toy_categorical.test", "libsvm-zero"],
    expect: [["toy_categorical.test.pred", "value", F64]],
  },
];

const JAVA: readonly Third[] = [
  ...["v40", "v47"].flatMap((version) =>
    [["binary-logistic", "value"], ["binary-logitraw", "value"], ["multi-softmax", "class"], [
      "multi-softprob",
      "value",
    ]]
      .map(([objective, kind]): Third => ({
        file: `gbtree_${version}_${objective}.model`,
        input: ["agaricus.txt.0.test", "libsvm"],
        expect: [[`gbtree_${version}_${objective}.predict`, kind as Kind, F32]],
      }))
  ),
  { file: "gblinear_v47_binary-logistic.model", mustRefuse: true },
  { file: "gblinear_v47_multi-softprob.model", mustRefuse: true },
];

/** The compatibility files of XGBoost name their expectations after themselves. */
function compatCases(folder: URL): Third[] {
  return [...Deno.readDirSync(folder)].map((entry) => entry.name)
    .filter((name) => /\.(bin|json)$/.test(name) && name !== "index.json").sort()
    .map((name) => {
      const stem = name.replaceAll(".", "_").replace("0_0rc1", "0_0rc1");
      const kind = name.includes("cls") && !name.includes("scikit") ? "class" : "value";
      return {
        file: name,
        input: ["input_4.csv", "csv"],
        expect: [[`${stem}_pred.csv`, kind, F32], [`${stem}_margin.csv`, "raw", F32]],
      };
    });
}

const YGGDRASIL: readonly Third[] = [
  { file: "abalone_regression_gbdt/header.pb", mustRefuse: true },
  { file: "adult_binary_class_gbdt/header.pb", mustRefuse: true },
];

/** All third-party models under a folder. */
export function checkThirdparty(root: URL): CaseResult[] {
  const compat = new URL("xgboost-compat/", root);
  const projects: readonly (readonly [string, readonly Third[]])[] = [
    ["leaves", LEAVES],
    ["lleaves", LLEAVES],
    ["treelite", TREELITE],
    ["xgboost-compat", compatCases(compat)],
    ["xgboost-predictor-java", JAVA],
    ["yggdrasil", YGGDRASIL],
  ];
  return projects.flatMap(([project, models]) =>
    models.map((third) => checkOne(project, new URL(`${project}/`, root), third))
  );
}

function checkOne(project: string, folder: URL, third: Third): CaseResult {
  const base = {
    group: `thirdparty/${project}`,
    name: third.file,
    file: third.file,
    mustRefuse: third.mustRefuse === true,
  };
  const imported = importOrRefuse(Deno.readFileSync(new URL(third.file, folder)));
  if (typeof imported === "string") {
    return { ...base, format: "–", rows: 0, checks: [], refused: imported };
  }
  let model = createModel(imported.parts);
  if (third.mustRefuse) return { ...base, format: "–", rows: 0, checks: [] };
  if (third.rounds !== undefined) model = sliceRounds(model, 0, third.rounds);
  const input = datasetOf(model, readRows(folder, third.input!, model));
  const checks = third.expect!.map(([file, kind, tolerance]): Check => {
    const text = Deno.readTextFileSync(new URL(file, folder));
    const expected = file.endsWith(".csv") ? readTable(text).rows : readLines(text);
    const isXgboost = model.ensemble.profile.sum === "f32";
    if (kind === "contribs") return contributions(model, input, expected, tolerance);
    const actual = predict(model, input, kind, imported);
    const exact = kind === "leaf" || kind === "class" ||
      (kind === "raw" && model.ensemble.aggregate === "sum");
    return compare(kind, actual, expected, tolerance, isXgboost ? 32 : 64, exact);
  });
  return { ...base, format: model.info.origin!.format, rows: model.predictRaw(input).rows, checks };
}

function readRows(
  folder: URL,
  [file, reader]: readonly [string, Reader],
  model: Model,
): readonly Float64Array[] {
  const text = Deno.readTextFileSync(new URL(file, folder));
  const numFeatures = model.schema.features.length;
  switch (reader) {
    case "csv":
      return readTable(text).rows;
    case "lines":
      return readLines(text);
    case "lines-after-label":
      return readLines(text).map((row) => row.subarray(1));
    case "libsvm":
      return readLibsvm(text, numFeatures);
    case "libsvm-zero":
      return readLibsvm(text, numFeatures, 0);
  }
}

function predict(
  model: Model,
  input: PredictInput,
  kind: Kind,
  imported: Exclude<ReturnType<typeof importOrRefuse>, string>,
): ArrayLike<number> {
  if (kind === "raw") return model.predictRaw(input).data;
  if (kind === "class") return model.predictClass(input).map(Number);
  if (kind === "value") {
    // Softprob files of two classes have two columns; so have ours.
    return model.predictValue(input);
  }
  const { data, cols } = model.predictLeaf(input);
  const { treeStart } = imported.parts.ensemble.trees;
  return Float64Array.from(data, (node, i) => imported.sourceIds[treeStart[i % cols] + node]);
}

function contributions(
  model: Model,
  input: PredictInput,
  expected: readonly Float64Array[],
  tolerance: number,
): Check {
  const { numRows, features } = input as { numRows: number; features: [] };
  void numRows;
  const few = {
    numRows: expected.length,
    features: (features as readonly { values: Float64Array }[]).map((column) => ({
      ...column,
      values: column.values.slice(0, expected.length),
    })),
  } as unknown as PredictInput;
  const shap = explainShap(model, few);
  const width = shap.numFeatures + 1;
  const joined = new Float64Array(shap.rows * shap.numOutputs * width);
  for (let i = 0; i < shap.rows * shap.numOutputs; i++) {
    joined.set(shap.values.subarray(i * shap.numFeatures, (i + 1) * shap.numFeatures), i * width);
    joined[(i + 1) * width - 1] = shap.bias[i % shap.numOutputs];
  }
  return compare("contribs", joined, expected, tolerance, 64);
}
