/**
 * Worker that grows trees of a bagged ensemble: columns to rank first, then the job, then numbers of
 * trees.
 *
 * @module
 */
import { type BagJob, growBagged } from "../../grow/bagged_tree.ts";
import { BAG_WORKER } from "./protocol.ts";
import { failureOnThread } from "../failures.ts";
import type { RankOrder } from "../splits/column_orders.ts";

/** What a worker global has that we use; workers have their own `self`. */
interface WorkerScope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown, transfer: Transferable[]): void;
  readonly name?: string;
}

const scope = globalThis as unknown as WorkerScope;
let job: BagJob | undefined;
let endColumns = () => {};

// The module may be loaded outside a worker, where it must do nothing.
if (scope.name === BAG_WORKER) {
  scope.onmessage = async ({ data }: MessageEvent<number | BagJob | RankOrder>) => {
    if (typeof data !== "number") {
      if ("rank" in data) {
        const work = await import("../splits/bin_columns.ts");
        endColumns = work.endColumns;
        return scope.postMessage(work.rankColumns(data), []);
      }
      endColumns();
      job = data;
      return;
    }
    try {
      const tree = growBagged(job!, data);
      const { trees, impurity, oobRows, oobNodes, oobValues, permutation } = tree;
      const buffers = [...Object.values(trees), impurity, oobRows, oobNodes, oobValues, permutation]
        .flatMap((array) => array === undefined ? [] : [array.buffer as ArrayBuffer]);
      scope.postMessage({ index: data, tree }, [...new Set(buffers)]);
    } catch (error) {
      scope.postMessage({ index: data, failure: failureOnThread(error) }, []);
    }
  };
}
