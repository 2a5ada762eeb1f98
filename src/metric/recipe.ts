/**
 * How a metric is made again in another thread: its name and parameters, since functions cannot be
 * sent.
 *
 * @module
 */
import type { MetricParams, MetricRecipe } from "./types.ts";

/** The parameters that metrics read; a plan of training has many more. */
const NAMES = [
  "huberDelta",
  "fairC",
  "tweediePower",
  "rankGain",
  "emptyGroup",
  "quantiles",
  "expectiles",
] as const satisfies readonly (keyof MetricParams)[];

/** A name is missing above when this is not `true`. */
const _complete: Exclude<keyof MetricParams, (typeof NAMES)[number]> extends never ? true : never =
  true;

/** The recipe of a metric; none where its parameters are not what JSON can carry. */
export function metricRecipe(name: string, params: MetricParams): MetricRecipe | undefined {
  const given = NAMES.filter((key) => params[key] !== undefined).map((key) => {
    const value = params[key];
    return [key, Array.isArray(value) ? [...value] : value] as const;
  });
  const isPlain = given.every(([, value]) =>
    [value].flat().every((one) => typeof one !== "number" || Number.isFinite(one))
  );
  return isPlain ? { name, params: Object.fromEntries(given) } : undefined;
}
