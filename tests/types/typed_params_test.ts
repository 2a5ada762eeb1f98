/**
 * Compile-time proof that the types of parameters and the tables say the same.
 *
 * @module
 */
import type { BOOST_PARAMS } from "../../src/params/boost_params.ts";
import type {
  BAGGED_PARAMS,
  BAGGING_PARAMS,
  EXTRA_PARAMS,
  FOREST_PARAMS,
} from "../../src/params/forest_params.ts";
import type {
  ADABOOST_PARAMS,
  GBDT_PARAMS,
  LOGITBOOST_PARAMS,
  REWEIGHTED_PARAMS,
} from "../../src/params/reweighted_params.ts";
import type {
  C45_PARAMS,
  CART_PARAMS,
  ID3_PARAMS,
  TREE_PARAMS,
} from "../../src/params/tree_params.ts";
import type * as typed from "../../src/params/typed.ts";
import type { AlgorithmName } from "../../src/params/types.ts";

type Tables =
  | typeof BOOST_PARAMS
  | typeof TREE_PARAMS
  | typeof CART_PARAMS
  | typeof C45_PARAMS
  | typeof ID3_PARAMS
  | typeof BAGGED_PARAMS
  | typeof BAGGING_PARAMS
  | typeof FOREST_PARAMS
  | typeof EXTRA_PARAMS
  | typeof REWEIGHTED_PARAMS
  | typeof ADABOOST_PARAMS
  | typeof GBDT_PARAMS
  | typeof LOGITBOOST_PARAMS;

type Words<S, K extends string> = S extends { readonly [key in K]: readonly (infer W)[] } ? W
  : never;

/** Type of one parameter by its specification. */
type ValueOf<S extends { readonly kind: string }> = S["kind"] extends "number" | "integer"
  ? number | Words<S, "choices">
  : S["kind"] extends "boolean" ? boolean
  : S["kind"] extends "choice" ? Words<S, "choices">
  : S["kind"] extends "text" ? string
  : S["kind"] extends "numbers" ? readonly number[]
  : S["kind"] extends "texts" ? readonly string[]
  : S["kind"] extends "table" ?
      | { readonly [name: string]: number | Words<S, "entries"> }
      | Words<S, "choices">
      | (S extends { readonly byPosition: true } ? readonly (number | Words<S, "entries">)[]
        : never)
  : S["kind"] extends "groups" ? readonly (readonly string[])[]
  : unknown;

/** Parameters that a table has for an algorithm. */
type Share<T, A extends AlgorithmName> = T extends unknown ? {
    readonly [
      name in keyof T as T[name] extends { readonly algorithms: readonly (infer Of)[] }
        ? A extends Of ? name : never
        : never
    ]?: T[name] extends { readonly kind: string } ? ValueOf<T[name]> : never;
  }
  : never;

/** All of a union of types at once. */
type Joined<U> = (U extends unknown ? (all: U) => void : never) extends (all: infer I) => void ? I
  : never;

type FromTables<A extends AlgorithmName> = Joined<Share<Tables, A>>;

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true
  : false;

type Flat<T> = { [key in keyof T]: T[key] };

type Same<A extends AlgorithmName, Params> = Equal<Flat<FromTables<A>>, Flat<Params>>;

Deno.test("the types of parameters equal the tables", () => {
  const equal: {
    readonly boost: Same<"boost", typed.BoostParams>;
    readonly gbdt: Same<"gbdt", typed.GbdtParams>;
    readonly logitboost: Same<"logitboost", typed.LogitBoostParams>;
    readonly adaboost: Same<"adaboost", typed.AdaBoostParams>;
    readonly id3: Same<"id3", typed.Id3Params>;
    readonly c45: Same<"c45", typed.C45Params>;
    readonly cart: Same<"cart", typed.CartParams>;
    readonly bagging: Same<"bagging", typed.BaggingParams>;
    readonly "random-forest": Same<"random-forest", typed.RandomForestParams>;
    readonly "extra-trees": Same<"extra-trees", typed.ExtraTreesParams>;
  } = {
    boost: true,
    gbdt: true,
    logitboost: true,
    adaboost: true,
    id3: true,
    c45: true,
    cart: true,
    bagging: true,
    "random-forest": true,
    "extra-trees": true,
  };
  if (!Object.values(equal).every((same) => same)) throw new Error("the types above decide");
});
