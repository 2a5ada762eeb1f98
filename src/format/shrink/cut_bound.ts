/**
 * The bound of a cut: no raw score changes by more than what trees do at worst, together, and what sums
 * round.
 *
 * @module
 */
import type { Ensemble } from "../../model/types.ts";
import { weightsOf } from "./tree_scales.ts";

/**
 * What a tree changed, for each entry of its leaves: the worst change, and the largest value either
 * way.
 */
export interface TreeChange {
  readonly worst: Float64Array;
  readonly largest: Float64Array;
}

/**
 * Adds up, for each output, the worst that trees do to it.
 *
 * @param ensemble The ensemble that is cut: the given one, or the sum that stands for its average.
 */
export function createBound(ensemble: Ensemble, given: Ensemble) {
  const { leafWidth, numOutputs, treeOutput, treeWeight, aggregate, baseScore, profile } = ensemble;
  const bounds = new Float64Array(numOutputs);
  const sizes = new Float64Array(numOutputs);
  const totals = weightsOf(ensemble);
  const undivided = weightsOf(given);
  const adds = aggregate === "sum" || aggregate === "average";
  return {
    add(tree: number, { worst, largest }: TreeChange): void {
      for (let k = 0; k < leafWidth; k++) {
        const output = leafWidth === 1 ? treeOutput[tree] : k;
        // Weights of a median count values; those of all else scale them.
        const weight = aggregate === "median" ? 1 : Math.abs(treeWeight[tree]);
        // A median, least or largest value moves no farther than what it is taken of.
        bounds[output] = adds
          ? bounds[output] + weight * worst[k]
          : Math.max(bounds[output], weight * worst[k]);
        sizes[output] = adds
          ? sizes[output] + weight * largest[k]
          : Math.max(sizes[output], weight * largest[k]);
      }
    },
    move(output: number, by: number): void {
      bounds[output] += Math.abs(by);
    },
    bound(): number {
      // Both sums round at every tree: by at most half a unit of the largest they can be.
      const [unit, most] = profile.sum === "f32" ? [2 ** -24, 2 ** 127] : [2 ** -53, 2 ** 1023];
      const steps = 4 * (given.treeWeight.length + 2);
      let bound = 0;
      for (let k = 0; k < numOutputs; k++) {
        const size = sizes[k] + Math.abs(baseScore[k]);
        // A sum that overflows, before or after, may change by any amount; that of an average is undivided.
        const whole = given.aggregate !== aggregate ? size * Math.max(1, undivided[k]) : size;
        if (!(whole < most)) return Infinity;
        const rounding = steps * unit * size;
        const divisor = aggregate === "average" && totals[k] > 0 ? totals[k] : 1;
        bound = Math.max(bound, (bounds[k] + rounding) / divisor);
      }
      return bound === bound ? bound : Infinity;
    },
  };
}
