/**
 * Decision-tree ensembles: read a table, train, measure, save, score, explain, convert.
 *
 * ```ts
 * import { parseCsv, train } from "@treeline/treeline";
 *
 * const data = parseCsv("x,y\n1,no\n2,no\n3,yes\n4,yes\n", { target: "y" });
 * const model = await train(data, { rounds: 5, minChildWeight: 0 });
 * console.log(model.predictClass([{ x: 3.5 }])); // [ "yes" ]
 * ```
 *
 * @module
 */

// Errors: every one has a code, a place and a hint.
export * from "./src/errors.ts";

// Tables: reading, roles, splits.
export {
  type CsvOptions,
  parseCsv,
  parseCsvStream,
  type ParseMeans,
  type StreamMeans,
} from "./src/data/csv/parse.ts";
export { type BatchOptions, type CsvBatch, csvBatches } from "./src/data/csv/batches.ts";
export {
  createDataset,
  type DatasetExtras,
  selectRows,
  withGroupSizes,
  withWeight,
} from "./src/data/dataset/dataset.ts";
export {
  type JsonLinesOptions,
  parseJsonLines,
  parseJsonLinesStream,
} from "./src/data/records/json_lines.ts";
export {
  type LibsvmOptions,
  parseFeatureMap,
  parseLibsvm,
  parseLibsvmStream,
  parseNumberList,
} from "./src/data/libsvm/parse.ts";
export type { ColumnRef, DataLimits, RoleOptions } from "./src/data/options.ts";
export { datasetFromRows } from "./src/data/records/rows.ts";
export { schemaFromDataset, type SchemaOptions } from "./src/data/dataset/schema.ts";
export {
  type Fold,
  type FoldOptions,
  kFold,
  splitDataset,
  type SplitOptions,
} from "./src/data/dataset/split.ts";
export {
  balancedWeights,
  encodeTarget,
  type TargetOptions,
  withTask,
} from "./src/data/dataset/target.ts";
export type * from "./src/data/types.ts";
export type { BinnedSample, BinnedSplit } from "./src/files/counted_rows.ts";
export {
  type BinnedOptions,
  readBinned,
  readBinnedParts,
  readCsvBinned,
} from "./src/files/read_binned.ts";
export { readCsv, type ReadRun } from "./src/files/read_csv.ts";
export {
  type DataFormat,
  type DataOptions,
  readData,
  readFeatureMap,
  readJsonLines,
  readLibsvm,
  readNumberList,
} from "./src/files/read_data.ts";
export type { ByteSource } from "./src/runtime/open.ts";
export type { WriteOptions } from "./src/runtime/write.ts";

// Training, an entry an algorithm, and what its parameters mean.
export { trainAdaBoost } from "./src/algorithms/classic/adaboost.ts";
export { trainBagging } from "./src/algorithms/classic/bagging.ts";
export { boostSample, type SampleMeans } from "./src/algorithms/boost/bin_sample.ts";
export { trainBoost } from "./src/algorithms/boost/boost.ts";
export { trainC45 } from "./src/algorithms/classic/c45.ts";
export { trainCart } from "./src/algorithms/classic/cart.ts";
export { continueBoost } from "./src/algorithms/update/continue.ts";
export { trainExtraTrees } from "./src/algorithms/classic/extra_trees.ts";
export { outOfBag } from "./src/algorithms/classic/forest.ts";
export { trainGbdt } from "./src/algorithms/classic/gbdt.ts";
export { trainId3 } from "./src/algorithms/classic/id3.ts";
export { keepRounds } from "./src/algorithms/update/keep_rounds.ts";
export { trainLogitBoost } from "./src/algorithms/classic/logitboost.ts";
export { trainRandomForest } from "./src/algorithms/classic/random_forest.ts";
export type { RefitOptions } from "./src/algorithms/update/fit_leaves.ts";
export { refitBoost, refitBoostOnThreads } from "./src/algorithms/update/refit.ts";
export { train, type TrainSpec } from "./src/algorithms/train.ts";
export type { OutOfBag } from "./src/ensemble/forest/oob.ts";
export type { CheckpointOptions, RoundReport, TrainOptions } from "./src/ensemble/types.ts";
export {
  type CustomLink,
  definePointwiseLoss,
  formulaLoss,
  type PointwiseLossSpec,
} from "./src/loss/custom.ts";
export type { Loss } from "./src/loss/types.ts";
export { explainParam, resolveParams } from "./src/params/resolve.ts";
export type * from "./src/params/typed.ts";
export type {
  AlgorithmName,
  ParamInput,
  ParamKind,
  ParamSpec,
  ParamValue,
  SearchRange,
} from "./src/params/types.ts";

// Models: scoring, files, signatures, smaller files.
export { loadModel, saveModel } from "./src/files/model_file.ts";
export { encodeModel, type EncodeOptions } from "./src/format/binary.ts";
export { decodeModel, type DecodeOptions } from "./src/format/decode_checked.ts";
export { modelFromJson, modelToJson } from "./src/format/json.ts";
export type { Limits } from "./src/format/sections.ts";
export { runSelfTest, withSelfTest } from "./src/format/self_test.ts";
export type { FeatureRange } from "./src/format/shrink/ranges.ts";
export type { Shrunk } from "./src/format/shrink/report.ts";
export { shrinkModel } from "./src/format/shrink/shrink.ts";
export {
  type Drift,
  driftOf,
  type Spread,
  type TrainingStats,
  trainingStatsOf,
  withTrainingStats,
} from "./src/format/training_stats.ts";
export {
  exportPublicKey,
  type SigningKeys,
  signModel,
  type Verification,
  verifyModel,
} from "./src/format/verify.ts";
export { createModel } from "./src/model/create_model.ts";
export { decideAbove, type Decisions } from "./src/model/decide.ts";
export type { ColumnOptions, EncodedInput, PredictInput } from "./src/model/encode.ts";
export type { Rules } from "./src/model/packed.ts";
export {
  type Attachments,
  type LeafMatrix,
  Model,
  type PredictOptions,
} from "./src/model/model.ts";
export type { PositionalScorer } from "./src/model/positional.ts";
export type * from "./src/model/types.ts";

// Scoring on threads.
export {
  createScorerPool,
  type ScorerPool,
  type ScorerPoolOptions,
  type TableOptions,
} from "./src/parallel/score/pool.ts";
export type { Scores, TableScore } from "./src/parallel/score/protocol.ts";

// Measuring, calibrating, searching.
export {
  calibrate,
  calibrateOnThreads,
  CALIBRATION_METHODS,
  type CalibrationMethod,
} from "./src/evaluate/calibrate.ts";
export { crossValidate } from "./src/evaluate/cross_validate.ts";
export type {
  CrossValidateOptions,
  CrossValidation,
  FoldResult,
} from "./src/evaluate/cross_validation.ts";
export { type PreparedFolds, prepareFolds } from "./src/evaluate/prepared_folds.ts";
export {
  evaluate,
  evaluateOnThreads,
  type EvaluateOptions,
  type Evaluation,
} from "./src/evaluate/evaluate.ts";
export type { BinShare } from "./src/binning/bin_share.ts";
export type { FoldData } from "./src/evaluate/fold.ts";
export type { ReliabilityBin } from "./src/metric/calibration.ts";
export type { QueryCounts } from "./src/metric/ranking.ts";
export { modelImportance, type ModelImportanceOptions } from "./src/evaluate/model_importance.ts";
export { trainCalibrated } from "./src/evaluate/train_calibrated.ts";
export { type SearchSpace, searchSpace, type SpaceInput } from "./src/tune/space.ts";
export { openTrialLog, type TrialLog } from "./src/tune/trial_log.ts";
export {
  type Trial,
  trialTable,
  tune,
  type TuneOptions,
  type TuneResult,
} from "./src/tune/tune.ts";

// Explaining and drawing.
export { type FeatureImportance, featureImportance } from "./src/explain/importance.ts";
export {
  type PartialDependence,
  partialDependence,
  type PartialDependenceOptions,
} from "./src/explain/partial_dependence.ts";
export {
  type PermutationImportance,
  permutationImportance,
  type PermutationOptions,
} from "./src/explain/permutation.ts";
export { createShapPool, type ShapPool, type ShapPoolOptions } from "./src/explain/shap_pool.ts";
export {
  createShapExplainer,
  explainShap,
  type ShapOptions,
  type ShapValues,
} from "./src/explain/tree_shap.ts";
export {
  type Interval,
  type NodeBox,
  nodeBoxes,
  rulesText,
  treeDot,
  treeMermaid,
  type TreeRule,
  treeRules,
  treeSvg,
  type TreeSvgOptions,
  treeText,
} from "./src/plot/mod.ts";

// Models of other libraries.
export type { ForeignFormat } from "./src/convert/detect.ts";
export { importFiles, type ModelFiles, pickModelFiles } from "./src/convert/directory.ts";
export {
  EXPORT_FORMATS,
  type Exported,
  type ExportFormat,
  exportModel,
  type ExportOptions,
} from "./src/convert/export_model.ts";
export { importModel, type ImportOptions } from "./src/convert/import_model.ts";
export type { ImportLimits } from "./src/convert/common/limits.ts";
