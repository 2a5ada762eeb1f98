/**
 * Worker that grows trees of a bagged ensemble: the job first, then numbers of trees.
 *
 * @module
 */
import { type BagJob, growBagged } from "../grow/bagged_tree.ts";
import { BAG_WORKER } from "./bag_protocol.ts";
import { failureOnThread } from "./failures.ts";

/** What a worker global has that we use; workers have their own `self`. */
interface WorkerScope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown, transfer: Transferable[]): void;
  readonly name?: string;
}

const scope = globalThis as unknown as WorkerScope;
let job: BagJob | undefined;

// The module may be loaded outside a worker, where it must do nothing.
if (scope.name === BAG_WORKER) {
  scope.onmessage = ({ data }) => {
    if (typeof data !== "number") {
      job = data as BagJob;
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
