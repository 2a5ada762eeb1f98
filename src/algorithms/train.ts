/**
 * Training by name, for the command line, tuning and files of parameters.
 *
 * @module
 */
import { checkShape } from "../data/check_shape.ts";
import { TRAIN_OPTIONS, type TrainOptions, type TrialOptions } from "../ensemble/types.ts";
import { checkArgument, checkOptions } from "../door.ts";
import { requireValues } from "../data/check_dataset.ts";
import type { Dataset } from "../data/types.ts";
import { ParameterError } from "../errors.ts";
import type { Model } from "../model/model.ts";
import { ALGORITHM_NAMES } from "../params/table.ts";
import { resolveAlgorithm } from "../params/resolve.ts";
import type { ParamsFor } from "../params/typed.ts";
import type { AlgorithmName } from "../params/types.ts";
import { trainAdaBoost } from "./adaboost.ts";
import { trainBagging } from "./bagging.ts";
import { trainBoost } from "./boost.ts";
import { trainC45 } from "./c45.ts";
import { trainCart } from "./cart.ts";
import { trainExtraTrees } from "./extra_trees.ts";
import { trainGbdt } from "./gbdt.ts";
import { trainId3 } from "./id3.ts";
import { trainLogitBoost } from "./logitboost.ts";
import { trainRandomForest } from "./random_forest.ts";

/**
 * An algorithm by any of its names, and its parameters beside it (docs/parameters.md). The type knows
 * the parameters of all algorithms; that they are those of this one is seen when training begins.
 */
export type TrainSpec = ParamsFor[AlgorithmName] & {
  /** `boost`, `random-forest`, `xgb`, … @default "boost" */
  readonly algorithm?: string;
};

/** Each checks what it is given. */
type Trainer = (data: Dataset, params: object, options?: TrainOptions) => Promise<Model>;

/** Trainers by canonical name. */
const TRAINERS: { readonly [name in AlgorithmName]?: Trainer } = {
  boost: trainBoost,
  cart: trainCart,
  c45: trainC45,
  id3: trainId3,
  bagging: trainBagging,
  "random-forest": trainRandomForest,
  "extra-trees": trainExtraTrees,
  adaboost: trainAdaBoost,
  gbdt: trainGbdt,
  logitboost: trainLogitBoost,
};

/**
 * Trains a model with the named algorithm. The data are read until the promise settles, and are not
 * copied: leave them as they are until then.
 *
 * @throws {ParameterError} `E_PARAM_UNKNOWN` for a wrong algorithm or parameter, with the nearest
 * right one.
 */
export async function train(
  data: Dataset,
  spec: TrainSpec = {},
  options: TrainOptions = {},
): Promise<Model> {
  checkShape("train", data);
  checkArgument("train", "spec", spec, "object");
  checkOptions<TrialOptions>("train", options, TRAIN_OPTIONS);
  const { algorithm = "boost", ...params } = spec;
  const name = resolveAlgorithm(algorithm);
  const trainer = TRAINERS[name];
  if (trainer === undefined) {
    throw new ParameterError(
      "E_PARAM_UNKNOWN",
      `Cannot train algorithm "${name}": expected one of ${
        ALGORITHM_NAMES.filter((other) => TRAINERS[other] !== undefined).join(", ")
      }`,
      { details: { param: "algorithm", value: name } },
    );
  }
  if (name !== "boost") requireValues(data, `"${name}"`);
  return await trainer(data, params, options);
}
