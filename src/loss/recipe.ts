/**
 * How a loss is made again in another thread: its name and parameters, since functions cannot be sent.
 *
 * @module
 */
import type { LossParams } from "./params.ts";

/** Plain data that a loss of this library is made from. */
export interface LossRecipe {
  /** Canonical name, or a formula. */
  readonly name: string;
  /** Classes of the target; 0 where it is a number. */
  readonly numClasses: number;
  readonly params: LossParams;
}

/** The parameters that losses read; a plan of training has many more. */
export const LOSS_PARAMS = [
  "huberDelta",
  "quantiles",
  "expectiles",
  "fairC",
  "tweediePower",
  "sigmoidScale",
  "curvature",
  "maxDeltaStep",
  "rankTruncation",
  "rankGain",
  "rankNormalise",
  "seed",
] as const satisfies readonly (keyof LossParams)[];

/** A name is missing above when this is not `true`. */
const _complete: Exclude<keyof LossParams, (typeof LOSS_PARAMS)[number]> extends never ? true
  : never = true;

/** The recipe of a loss with these parameters; none where they are not what JSON can carry. */
export function lossRecipe(
  name: string,
  numClasses: number,
  params: LossParams,
): LossRecipe | undefined {
  const given = LOSS_PARAMS.filter((key) => params[key] !== undefined).map((key) => {
    const value = params[key];
    return [key, Array.isArray(value) ? [...value] : value] as const;
  });
  const isPlain = given.every(([, value]) =>
    [value].flat().every((one) => typeof one !== "number" || Number.isFinite(one))
  );
  return isPlain ? { name, numClasses, params: Object.fromEntries(given) } : undefined;
}
