/**
 * Messages between the pool that grows a bagged ensemble and its workers.
 *
 * @module
 */
import type { BaggedTree } from "../../grow/bagged_tree.ts";
import type { Failure } from "../failures.ts";

/** Name of the workers, by which they know what they are. */
export const BAG_WORKER = "treeline-bag";

/** Answer of a worker. */
export interface BagAnswer {
  readonly index: number;
  readonly tree?: BaggedTree;
  readonly failure?: Failure;
}
