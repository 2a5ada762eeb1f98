/**
 * Training by name, for the command line, tuning and files of parameters.
 *
 * @module
 */
import { checkShape } from "../data/dataset/shape.ts";
import { TRAIN_OPTIONS, type TrainOptions, type TrialOptions } from "../ensemble/types.ts";
import { checkArgument, checkOptions } from "../door.ts";
import { requireValues } from "../data/dataset/check.ts";
import type { Dataset } from "../data/types.ts";
import { ParameterError } from "../errors.ts";
import type { Model } from "../model/model.ts";
import { ALGORITHM_NAMES } from "../params/table.ts";
import { resolveAlgorithm } from "../params/resolve.ts";
import type { ParamsFor } from "../params/typed.ts";
import type { AlgorithmName } from "../params/types.ts";
import { trainAdaBoost } from "./classic/adaboost.ts";
import { trainBagging } from "./classic/bagging.ts";
import { trainBoost } from "./boost/boost.ts";
import { trainC45 } from "./classic/c45.ts";
import { trainCart } from "./classic/cart.ts";
import { trainExtraTrees } from "./classic/extra_trees.ts";
import { trainGbdt } from "./classic/gbdt.ts";
import { trainId3 } from "./classic/id3.ts";
import { trainLogitBoost } from "./classic/logitboost.ts";
import { trainRandomForest } from "./classic/random_forest.ts";

/**
 * An algorithm, and its parameters beside it (docs/parameters.md). The type allows the parameters of
 * all algorithms; one that this algorithm does not have is refused when training begins.
 */
export type TrainSpec = ParamsFor[AlgorithmName] & {
  /** Any name of an algorithm: `boost`, `random-forest`, `xgb`, … @default "boost" */
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
 * Trains a model with the named algorithm. The data are not copied: do not change them until the
 * promise settles.
 *
 * @throws {ParameterError} `E_PARAM_UNKNOWN` for an algorithm or a parameter that does not exist,
 * with the nearest name; `E_PARAM_RANGE` or `E_PARAM_CONFLICT` for wrong values.
 * @throws {DataError} For data that do not fit together, or a target that the algorithm cannot learn.
 * @throws {TrainingError} `E_TRAIN_NUMERIC` if a number stops being finite, `E_TRAIN_ABORTED` if
 * `signal` aborts.
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
