/**
 * Reading on threads without threads: workers that take turns with the test.
 *
 * @module
 */
import type { Dataset } from "../../src/data/types.ts";
import { failureOf } from "../../src/parallel/failures.ts";
import { joinPart, openPart, readAnyPart, type ReadTask } from "../../src/files/read_parts.ts";
import { nextTurn } from "../../src/util/turn.ts";

/**
 * A worker in this thread, which takes a step of its work now and then.
 *
 * @param patience Turns of the event loop before its next step.
 */
export function createFakeReader(patience: () => number): Worker {
  let ended = false;
  let before = Promise.resolve();
  const worker = {
    onmessage: null as ((event: { data: unknown }) => void) | null,
    onerror: null,
    terminate: () => ended = true,
    postMessage(order: { id: number; task: ReadTask }) {
      const sent = structuredClone(order);
      const say = (data: unknown) => ended || worker.onmessage?.({ data: structuredClone(data) });
      before = before.then(async () => {
        await nextTurn();
        if (ended) return;
        if (sent.task === undefined) return void say({ ready: true });
        if (!("job" in sent.task)) {
          joinPart(sent.task);
          return void say({ id: sent.id });
        }
        try {
          using file = openPart(sent.task);
          const steps = readAnyPart(sent.task.job, file);
          for (;;) {
            const { done, value } = steps.next();
            if (done) return void say({ id: sent.id, answer: value });
            for (let turns = patience(); turns >= 0 && !ended; turns--) await nextTurn();
            if (ended) return;
          }
        } catch (error) {
          say({ id: sent.id, failure: failureOf(error) });
        }
      });
    },
  };
  return worker as unknown as Worker;
}

/** Everything of a dataset but the memory it lies in. */
export function contents(data: Dataset): unknown {
  return JSON.parse(JSON.stringify(data, (_, value) => {
    if (!ArrayBuffer.isView(value)) return value;
    return Array.from(value as Float64Array, (one) => Object.is(one, -0) ? "-0" : String(one));
  }));
}
