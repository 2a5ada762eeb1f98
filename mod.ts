export * from "./src/errors.ts";
export { createDataset, selectRows } from "./src/data/dataset.ts";
export { kFold, splitDataset } from "./src/data/split.ts";
export { balancedWeights, encodeTarget, withTask } from "./src/data/target.ts";
export { schemaFromDataset } from "./src/data/schema.ts";
export type * from "./src/data/types.ts";
export { createModel, type LeafMatrix, Model, type PredictOptions } from "./src/model/model.ts";
export type { PredictInput } from "./src/model/encode.ts";
export type * from "./src/model/types.ts";
export {
  decodeModel,
  type DecodeOptions,
  encodeModel,
  type EncodeOptions,
} from "./src/format/binary.ts";
export type { Limits } from "./src/format/sections.ts";
export { runSelfTest, withSelfTest } from "./src/format/self_test.ts";
export {
  exportPublicKey,
  type SigningKeys,
  signModel,
  type Verification,
  verifyModel,
} from "./src/format/verify.ts";
export { modelFromJson, modelToJson } from "./src/format/json.ts";
export { loadModel, saveModel } from "./src/files/model_file.ts";
export { type CsvOptions, parseCsv, parseCsvStream } from "./src/data/csv.ts";
export { readCsv } from "./src/files/read_csv.ts";
export type { ColumnRef, DataLimits, RoleOptions } from "./src/data/options.ts";
export { trainBoost } from "./src/algorithms/boost.ts";
export { trainC45 } from "./src/algorithms/c45.ts";
export { trainCart } from "./src/algorithms/cart.ts";
export { trainId3 } from "./src/algorithms/id3.ts";
export { trainBagging } from "./src/algorithms/bagging.ts";
export { trainRandomForest } from "./src/algorithms/random_forest.ts";
export { trainExtraTrees } from "./src/algorithms/extra_trees.ts";
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
export { trainAdaBoost } from "./src/algorithms/adaboost.ts";
export { trainGbdt } from "./src/algorithms/gbdt.ts";
export { trainLogitBoost } from "./src/algorithms/logitboost.ts";
export { outOfBag } from "./src/algorithms/forest.ts";
export type { OutOfBag } from "./src/ensemble/oob.ts";
export { train, type TrainSpec } from "./src/algorithms/train.ts";
export {
  evaluate,
  evaluateOnThreads,
  type EvaluateOptions,
  type Evaluation,
} from "./src/evaluate/evaluate.ts";
export { modelImportance, type ModelImportanceOptions } from "./src/evaluate/model_importance.ts";
export type { RoundReport, TrainOptions } from "./src/ensemble/types.ts";
export type { BoostParams } from "./src/params/boost_types.ts";
export { explainParam, resolveParams } from "./src/params/resolve.ts";
export type { AlgorithmName, ParamInput, ParamSpec, SearchRange } from "./src/params/types.ts";
export { importModel, type ImportOptions } from "./src/convert/import_model.ts";
export type { ForeignFormat } from "./src/convert/detect.ts";
export type { ImportLimits } from "./src/convert/limits.ts";
export { type BatchOptions, type CsvBatch, csvBatches } from "./src/data/csv_batches.ts";
export { datasetFromRows } from "./src/data/rows.ts";
export { definePointwiseLoss, formulaLoss, type PointwiseLossSpec } from "./src/loss/custom.ts";
export type { PositionalScorer } from "./src/model/positional.ts";
export { explainShap, type ShapOptions, type ShapValues } from "./src/explain/tree_shap.ts";
export { createShapPool, type ShapPool, type ShapPoolOptions } from "./src/explain/shap_pool.ts";
export {
  EXPORT_FORMATS,
  type Exported,
  type ExportFormat,
  exportModel,
  type ExportOptions,
} from "./src/convert/export_model.ts";
export { importFiles, type ModelFiles, pickModelFiles } from "./src/convert/directory.ts";
export { continueBoost } from "./src/algorithms/continue.ts";
export { openTrialLog, type TrialLog } from "./src/tune/trial_log.ts";
export type { FoldData } from "./src/evaluate/fold.ts";
export { trainCalibrated } from "./src/evaluate/train_calibrated.ts";
export { keepRounds } from "./src/algorithms/keep_rounds.ts";
export { refitBoost, type RefitOptions } from "./src/algorithms/refit.ts";
export {
  crossValidate,
  type CrossValidateOptions,
  type CrossValidation,
  type FoldResult,
  type PreparedFolds,
  prepareFolds,
} from "./src/evaluate/cross_validate.ts";
export {
  calibrate,
  CALIBRATION_METHODS,
  type CalibrationMethod,
} from "./src/evaluate/calibrate.ts";
export { decideAbove, type Decisions } from "./src/model/decide.ts";
export {
  type Drift,
  driftOf,
  type Spread,
  type TrainingStats,
  trainingStatsOf,
  withTrainingStats,
} from "./src/format/training_stats.ts";
export { withGroupSizes, withWeight } from "./src/data/dataset.ts";
export { type JsonLinesOptions, parseJsonLines } from "./src/data/json_lines.ts";
export {
  type LibsvmOptions,
  parseFeatureMap,
  parseLibsvm,
  parseNumberList,
} from "./src/data/libsvm.ts";
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
export { type FeatureImportance, featureImportance } from "./src/explain/importance.ts";
export {
  type PermutationImportance,
  permutationImportance,
  type PermutationOptions,
} from "./src/explain/permutation.ts";
export {
  type PartialDependence,
  partialDependence,
  type PartialDependenceOptions,
} from "./src/explain/partial_dependence.ts";
export {
  type BinnedOptions,
  type BinnedSplit,
  readBinned,
  readBinnedParts,
  readCsvBinned,
} from "./src/files/read_binned.ts";
export { shrinkModel, type Shrunk } from "./src/format/shrink.ts";
export { type SearchSpace, searchSpace } from "./src/tune/space.ts";
export {
  type Trial,
  trialTable,
  tune,
  type TuneOptions,
  type TuneResult,
} from "./src/tune/tune.ts";
export {
  createScorerPool,
  type ScorerPool,
  type ScorerPoolOptions,
} from "./src/parallel/score_pool.ts";
export type { Scores, TableScore } from "./src/parallel/score_protocol.ts";
