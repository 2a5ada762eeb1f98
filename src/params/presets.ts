/**
 * Named, versioned defaults. `treeline@1` is the table's own; the others behave like the libraries
 * they are named after, so that their users get the trees they know.
 *
 * @module
 */
import { ParameterError } from "../errors.ts";
import { nearest } from "../util/nearest.ts";
import type { ParamInput } from "./types.ts";

const PRESETS: { readonly [name: string]: ParamInput } = {
  "treeline@1": {},
  // One model instead of a committee: a fifth of the time to train and to score, and of the bytes.
  "treeline-lean@1": { committee: 1 },
  // XGBoost 2.x: doc/parameter.rst. Cuts are data values and gamma prunes after growth.
  "xgboost@2": {
    rounds: 100,
    committee: 1,
    learningRate: 0.3,
    growth: "depth",
    maxDepth: 6,
    maxLeaves: 0,
    maxBins: 256,
    lambda: 1,
    alpha: 0,
    gamma: 0,
    postPrune: true,
    minChildWeight: 1,
    minRowsPerLeaf: 1,
    subsample: 1,
    maxCategoriesOneHot: 4,
    catSmooth: 0,
    catL2: 0,
    minRowsPerCategory: 0,
    curvature: "xgboost",
  },
  // LightGBM 4.x: docs/Parameters.rst.
  "lightgbm@4": {
    rounds: 100,
    committee: 1,
    learningRate: 0.1,
    growth: "leaf",
    maxDepth: 0,
    maxLeaves: 31,
    maxBins: 255,
    lambda: 0,
    alpha: 0,
    gamma: 0,
    postPrune: false,
    minChildWeight: 1e-3,
    minRowsPerLeaf: 20,
    subsample: 1,
    maxCategoriesOneHot: 4,
    maxCategoriesPerSplit: 32,
    catSmooth: 10,
    catL2: 10,
    minRowsPerCategory: 100,
    monotoneRules: "lightgbm",
    huberDelta: 0.9,
    rankTruncation: 30,
    skipDrop: 0.5,
    maxDrop: 50,
    dropBy: "weighted",
    dropScale: "lightgbm",
    curvature: "lightgbm",
  },
};

/** Names of the presets. */
export const PRESET_NAMES: readonly string[] = Object.keys(PRESETS);

/**
 * Defaults of a preset.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for a name that is not a preset.
 */
export function presetParams(name: string): ParamInput {
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name];
  const right = nearest(name, PRESET_NAMES);
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot use preset ${JSON.stringify(name)}: ${
      right === undefined ? "known" : `did you mean "${right}"? Known`
    } presets are ${PRESET_NAMES.join(", ")}`,
    { details: { param: "preset", value: name, nearest: right } },
  );
}
