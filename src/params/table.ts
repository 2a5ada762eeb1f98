/**
 * Every hyperparameter of every algorithm, declared once. The table feeds validation, flags, help,
 * tuning and docs/parameters.md.
 *
 * @module
 */
import { BOOST_PARAMS } from "./boost_params.ts";
import { BAGGED_PARAMS, BAGGING_PARAMS, EXTRA_PARAMS, FOREST_PARAMS } from "./forest_params.ts";
import {
  ADABOOST_PARAMS,
  GBDT_PARAMS,
  LOGITBOOST_PARAMS,
  REWEIGHTED_PARAMS,
} from "./reweighted_params.ts";
import { C45_PARAMS, CART_PARAMS, ID3_PARAMS, TREE_PARAMS } from "./tree_params.ts";
import type { AlgorithmName, ParamSpec, ParamTable } from "./types.ts";

/**
 * Parameter tables of all families. A name may be in several with different defaults; each entry
 * says which algorithms it is for.
 */
export const PARAM_TABLES: readonly ParamTable[] = [
  BOOST_PARAMS,
  TREE_PARAMS,
  CART_PARAMS,
  C45_PARAMS,
  ID3_PARAMS,
  BAGGED_PARAMS,
  BAGGING_PARAMS,
  FOREST_PARAMS,
  EXTRA_PARAMS,
  REWEIGHTED_PARAMS,
  ADABOOST_PARAMS,
  GBDT_PARAMS,
  LOGITBOOST_PARAMS,
];

/** Parameters of one algorithm by canonical name. */
export function paramsOf(algorithm: AlgorithmName): ReadonlyMap<string, ParamSpec> {
  const found = new Map<string, ParamSpec>();
  for (const table of PARAM_TABLES) {
    for (const [name, spec] of Object.entries(table)) {
      if (spec.algorithms.includes(algorithm)) found.set(name, spec);
    }
  }
  return found;
}

/** Every parameter of every algorithm: name and specification, in order of declaration. */
export function allParams(): readonly (readonly [string, ParamSpec])[] {
  return PARAM_TABLES.flatMap((table) => Object.entries(table));
}

/** Words by which users may call each algorithm. */
const ALGORITHMS: { readonly [name in AlgorithmName]: readonly string[] } = {
  boost: ["xgb", "xgboost", "lightgbm", "lgbm", "gbm", "boosting", "treeline"],
  gbdt: ["gradient-boosting"],
  logitboost: [],
  adaboost: [],
  id3: [],
  c45: ["c4.5", "j48"],
  cart: ["tree", "decision-tree", "rpart"],
  bagging: [],
  "random-forest": ["rf", "forest", "randomforest", "ranger"],
  "extra-trees": ["et", "extratrees"],
};

/** Canonical algorithm names. */
export const ALGORITHM_NAMES: readonly AlgorithmName[] = Object.keys(
  ALGORITHMS,
) as AlgorithmName[];

/** All words for algorithms with their canonical names. */
export const ALGORITHM_WORDS: ReadonlyMap<string, AlgorithmName> = new Map(
  ALGORITHM_NAMES.flatMap((name) =>
    [name, ...ALGORITHMS[name]].map((word) => [word, name] as const)
  ),
);
