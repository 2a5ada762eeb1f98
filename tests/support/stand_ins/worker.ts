/**
 * Workers without threads: they take turns with the test.
 *
 * @module
 */
import { failureOf } from "../../../src/parallel/failures.ts";
import { nextTurn } from "../../../src/util/turn.ts";

/** What is called before a task and after it; what it throws is the answer. */
export interface FakeOptions<Task, Answer> {
  readonly onTask?: (task: Task) => void;
  readonly onAnswer?: (answer: Answer) => void;
}

/** What the calling thread sends. */
type Order<Setup, Task> = { readonly setup: Setup } | { readonly id: number; readonly task: Task };

/**
 * A worker in this thread.
 *
 * @param work What it does, as `serveTasks` is told; a long task asks whether the worker has ended.
 */
export function createFakeWorker<Setup, Task, Answer>(
  work: (setup: Setup, hasEnded: () => boolean) => (task: Task) => Answer | Promise<Answer>,
  { onTask, onAnswer }: FakeOptions<Task, Answer> = {},
): Worker {
  let ended = false;
  let before = Promise.resolve();
  let setup: Setup;
  let carry: ReturnType<typeof work> | undefined;
  const worker = {
    onmessage: null as ((event: { data: unknown }) => void) | null,
    onerror: null,
    terminate: () => ended = true,
    postMessage(order: Order<Setup, Task>) {
      const sent = structuredClone(order);
      const say = (data: unknown) => ended || worker.onmessage?.({ data: structuredClone(data) });
      before = before.then(async () => {
        await nextTurn();
        if (ended) return;
        if ("setup" in sent) {
          setup = sent.setup;
          return void say({ ready: true });
        }
        const { id, task } = sent;
        try {
          onTask?.(task);
          carry ??= work(setup, () => ended);
          const answer = await carry(task);
          if (ended) return;
          onAnswer?.(answer);
          say({ id, answer });
        } catch (error) {
          say({ id, failure: failureOf(error) });
        }
      });
    },
  };
  return worker as unknown as Worker;
}
