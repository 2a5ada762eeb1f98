/**
 * Filling bins on threads without threads: workers that take turns with the test.
 *
 * @module
 */
import { type BinSetup, type BinTask, binWork } from "../../src/files/bin_work.ts";
import { failureOf } from "../../src/parallel/failures.ts";
import { nextTurn } from "../../src/util/turn.ts";

/** What the calling thread sends. */
type Order = { readonly setup: BinSetup } | { readonly id: number; readonly task: BinTask };

/**
 * A worker in this thread.
 *
 * @param onTask Called before each task; what it throws is the answer.
 */
export function createFakeBinner(onTask: (task: BinTask) => void = () => {}): Worker {
  let ended = false;
  let before = Promise.resolve();
  let carry: ReturnType<typeof binWork>;
  const worker = {
    onmessage: null as ((event: { data: unknown }) => void) | null,
    onerror: null,
    terminate: () => ended = true,
    postMessage(order: Order) {
      const sent = structuredClone(order);
      const say = (data: unknown) => ended || worker.onmessage?.({ data: structuredClone(data) });
      before = before.then(async () => {
        await nextTurn();
        if (ended) return;
        if ("setup" in sent) {
          carry = binWork(sent.setup);
          return void say({ ready: true });
        }
        const { id, task } = sent;
        try {
          onTask(task);
          say({ id, answer: await carry(task) });
        } catch (error) {
          say({ id, failure: failureOf(error) });
        }
      });
    },
  };
  return worker as unknown as Worker;
}
