/**
 * Draws features without replacement at every node, each draw independent of the nodes before.
 *
 * @module
 */
import type { Rng } from "../util/rng.ts";

/** A draw of features that can be undone. */
export interface FeatureDraw {
  readonly size: number;
  /** How many have been drawn. */
  drawn(): number;
  next(rng: Rng): number;
  /** Puts all back, so that the next node's draw does not depend on which nodes came before. */
  undo(): void;
}

/** Draws from a list of features. */
export function createFeatureDraw(features: Int32Array): FeatureDraw {
  const pool = Int32Array.from(features);
  const swaps = new Int32Array(pool.length);
  let drawn = 0;
  return {
    size: pool.length,
    drawn: () => drawn,
    next(rng) {
      const other = drawn + rng.nextInt(pool.length - drawn);
      const feature = pool[other];
      pool[other] = pool[drawn];
      pool[drawn] = feature;
      swaps[drawn++] = other;
      return feature;
    },
    undo() {
      while (drawn > 0) {
        drawn--;
        const other = swaps[drawn];
        const held = pool[other];
        pool[other] = pool[drawn];
        pool[drawn] = held;
      }
    },
  };
}
