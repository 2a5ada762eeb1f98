/**
 * Compile-time proof that `BoostParams` and the parameter table say the same.
 *
 * @module
 */
import type { BOOST_PARAMS } from "../../src/params/boost_params.ts";
import type { BoostParams } from "../../src/params/boost_types.ts";

type Table = typeof BOOST_PARAMS;

type Words<S, K extends string> = S extends { readonly [key in K]: readonly (infer W)[] } ? W
  : never;

/** Type of one parameter by its specification. */
type ValueOf<S extends { readonly kind: string }> = S["kind"] extends "number" | "integer" ? number
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

type FromTable = { readonly [name in keyof Table]?: ValueOf<Table[name]> };

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true
  : false;

type Flat<T> = { [key in keyof T]: T[key] };

Deno.test("BoostParams equals the parameter table", () => {
  const equal: Equal<Flat<FromTable>, Flat<BoostParams>> = true;
  if (!equal) throw new Error("unreachable: the type above decides");
});
