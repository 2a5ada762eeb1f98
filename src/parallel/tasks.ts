/**
 * Tasks on worker threads: every worker gets the same setup and then one task after the other. What
 * a task gives depends on the setup and the task alone, so the number of threads changes nothing.
 * Where workers are missing or do not start, the calling thread does the work.
 *
 * @module
 */
import { shownValue } from "../door.ts";
import { ParameterError } from "../errors.ts";
import { numCores } from "../runtime/env.ts";
import { nextTurn } from "../util/turn.ts";
import { errorOf, type Failure, failureOf } from "./failures.ts";

/** Makes the function that carries out tasks from what all of them share. */
export type Work<Setup, Task, Answer> = (setup: Setup) => (task: Task) => Answer | Promise<Answer>;

/** What a pool does. */
export interface TaskJob<Setup, Task, Answer> {
  /** Worker threads; with one the calling thread works, unless it has work `beside`. */
  readonly threads: number;
  /** The calling thread has work of its own meanwhile: one worker is one more. @default false */
  readonly beside?: boolean;
  /** Sent to every worker, so it holds no functions. */
  readonly setup: Setup;
  /** The same function that the worker serves. */
  readonly work: Work<Setup, Task, Answer>;
  /** Starts a worker whose module calls {@linkcode serveTasks} with `work`. */
  readonly open: () => Worker;
  /** Told once where threads are wanted and not to be had. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** Carries out tasks. */
export interface TaskPool<Task, Answer> {
  /** Threads that work beside the calling one; 0 where it does the work itself. */
  readonly numThreads: number;
  /** Carries out a task, after those that were given before. */
  run(task: Task): Promise<Answer>;
  /**
   * Has every worker carry out a task, after what it was given before, whether it has started or not:
   * for work that the calling thread takes part in. Where there are no workers nothing happens.
   *
   * @returns Their answers.
   */
  all(task: Task): Promise<readonly Answer[]>;
  /** Ends the threads; what is not answered is refused with `reason`. */
  close(reason?: unknown): void;
}

/** What a worker is sent. */
type Order<Setup, Task> = { readonly setup: Setup } | { readonly id: number; readonly task: Task };

/** What a worker answers; the first of its messages says that it has started. */
type Reply<Answer> =
  | { readonly ready: true }
  | { readonly id: number; readonly answer: Answer }
  | { readonly id: number; readonly failure: Failure };

interface Waiting<Task, Answer> {
  readonly id: number;
  readonly task: Task;
  /** Every worker has it, busy or not. */
  readonly toAll?: boolean;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (error: unknown) => void;
}

/** Most threads of a pool where there are fewer cores: each takes a worker, which is megabytes. */
const MOST_THREADS = 64;

/**
 * Number of threads that an option asks for, at most 64 or all cores.
 *
 * @param cores What is used where the option is not given: all cores, or 1 where there is little to do.
 * @throws {ParameterError} `E_PARAM_RANGE` when it is no whole number from 1 on.
 */
export function threadsOf(threads: number | undefined, cores: number = numCores()): number {
  const wanted = threads === undefined ? cores : threads;
  if (Number.isInteger(wanted) && wanted >= 1) {
    return Math.min(wanted, Math.max(MOST_THREADS, numCores()));
  }
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot use ${shownValue(wanted)} threads: expected a whole number of at least 1`,
    { details: { param: "threads", value: wanted } },
  );
}

/** Opens a pool. */
export function openTasks<Setup, Task, Answer>(
  job: TaskJob<Setup, Task, Answer>,
): TaskPool<Task, Answer> {
  if (job.threads > 1 || job.beside === true) {
    if (typeof Worker !== "undefined") return poolOf(job);
    job.onWarning?.("Workers are missing: working on one thread");
  }
  const work = here(job);
  return poolOfNone(work);
}

function poolOfNone<Task, Answer>(
  run: (task: Task) => Promise<Answer>,
): TaskPool<Task, Answer> {
  return { numThreads: 0, run, all: () => Promise.resolve([]), close() {} };
}

/** The calling thread as the only one; it gives way to timers and signals between tasks. */
function here<Setup, Task, Answer>(
  { setup, work }: TaskJob<Setup, Task, Answer>,
): (task: Task) => Promise<Answer> {
  let carry: ((task: Task) => Answer | Promise<Answer>) | undefined;
  let before: Promise<unknown> = Promise.resolve();
  return (task) => {
    const answer = before.then(async () => {
      await nextTurn();
      return await (carry ??= work(setup))(task);
    });
    before = answer.catch(() => {});
    return answer;
  };
}

function poolOf<Setup, Task, Answer>(job: TaskJob<Setup, Task, Answer>): TaskPool<Task, Answer> {
  const queue: Waiting<Task, Answer>[] = [];
  const busy = new Map<number, Waiting<Task, Answer>>();
  const idle: Worker[] = [];
  const workers: Worker[] = [];
  let started = false;
  let next = 0;
  let local: ((task: Task) => Promise<Answer>) | undefined;
  let alone: ((task: Task) => Promise<Answer>) | undefined;
  let closed: { readonly reason: unknown } | undefined;

  function give(worker: Worker): void {
    const waiting = queue.shift();
    if (waiting === undefined) return void idle.push(worker);
    busy.set(waiting.id, waiting);
    const order: Order<Setup, Task> = { id: waiting.id, task: waiting.task };
    if (isSent(worker, order)) return;
    // What cannot be sent (functions) is done here.
    busy.delete(waiting.id);
    local ??= here(job);
    waiting.resolve(local(waiting.task));
    give(worker);
  }

  function end(): Waiting<Task, Answer>[] {
    for (const worker of workers) worker.terminate();
    const left = [...busy.values(), ...queue].sort((a, b) => a.id - b.id);
    busy.clear();
    queue.length = 0;
    return left;
  }

  function fail(message: string): void {
    if (closed !== undefined || alone !== undefined) return;
    if (started) {
      closed = { reason: new Error(`A worker thread has failed: ${message}`) };
      for (const { reject } of end()) reject(closed.reason);
      return;
    }
    // Before the first answer it is the platform that cannot.
    job.onWarning?.(notStarted(message));
    alone = here(job);
    for (const { task, resolve } of end()) resolve(alone(task));
  }

  function hear(worker: Worker, reply: Reply<Answer>): void {
    started = true;
    if (!("ready" in reply)) {
      const waiting = busy.get(reply.id);
      busy.delete(reply.id);
      if (waiting?.toAll === true) return settle(waiting, reply);
      settle(waiting, reply);
    }
    give(worker);
  }

  function settle(
    waiting: Waiting<Task, Answer> | undefined,
    reply: Exclude<Reply<Answer>, { readonly ready: true }>,
  ): void {
    if ("failure" in reply) waiting?.reject(errorOf(reply.failure));
    else waiting?.resolve(reply.answer);
  }

  for (let i = 0; i < job.threads; i++) {
    let worker: Worker;
    try {
      worker = job.open();
    } catch (error) {
      end();
      job.onWarning?.(notStarted(error instanceof Error ? error.message : String(error)));
      return poolOfNone(here(job));
    }
    worker.onerror = (event) => {
      event.preventDefault();
      fail(event.message);
    };
    worker.onmessage = ({ data }: MessageEvent<Reply<Answer>>) => hear(worker, data);
    workers.push(worker);
    if (!isSent(worker, { setup: job.setup })) {
      end();
      return poolOfNone(here(job));
    }
  }

  return {
    numThreads: job.threads,
    run(task) {
      if (closed !== undefined) return Promise.reject(closed.reason);
      if (alone !== undefined) return alone(task);
      return new Promise((resolve, reject) => {
        queue.push({ id: next++, task, resolve, reject });
        const worker = idle.shift();
        if (worker !== undefined) give(worker);
      });
    },
    all(task) {
      if (closed !== undefined) return Promise.reject(closed.reason);
      if (alone !== undefined) return Promise.resolve([]);
      return Promise.all(workers.map((worker) =>
        new Promise<Answer>((resolve, reject) => {
          const id = next++;
          busy.set(id, { id, task, toAll: true, resolve, reject });
          worker.postMessage({ id, task } satisfies Order<Setup, Task>);
        })
      ));
    },
    close(reason = new Error("The pool is closed")) {
      closed ??= { reason };
      for (const { reject } of end()) reject(closed.reason);
    },
  };
}

function notStarted(message: string): string {
  return `Threads do not start (${message}): working on one`;
}

/** Posts an order; false where it holds what no message can. */
function isSent(worker: Worker, order: unknown): boolean {
  try {
    worker.postMessage(order);
    return true;
  } catch (error) {
    if (error instanceof DOMException && error.name === "DataCloneError") return false;
    throw error;
  }
}

/**
 * Carries out all tasks and ends the pool. An abort refuses with `aborted()`.
 *
 * @param onAnswer Called in the order of the tasks, whatever order they end in.
 */
export async function runTasks<Setup, Task, Answer>(
  tasks: readonly Task[],
  job: TaskJob<Setup, Task, Answer>,
  run: {
    readonly signal?: AbortSignal | undefined;
    readonly onAnswer?: (answer: Answer, index: number) => void;
    readonly aborted?: () => unknown;
  } = {},
): Promise<Answer[]> {
  const { signal, onAnswer } = run;
  const reason = () => run.aborted?.() ?? signal!.reason;
  const answers: Answer[] = [];
  if (signal?.aborted) throw reason();
  const pool = openTasks(job);
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(reason());
  });
  stopped.catch(() => {}); // awaited below, where there is something to wait for
  signal?.addEventListener("abort", stop);
  try {
    // One thread takes them one by one, so that the rest is left undone after a failure.
    const ahead: Promise<Answer>[] = [];
    const most = pool.numThreads === 0 ? 1 : Infinity;
    for (let i = 0; i < tasks.length; i++) {
      while (ahead.length < tasks.length && ahead.length - i < most) {
        const answer = pool.run(tasks[ahead.length]!);
        answer.catch(() => {});
        ahead.push(answer);
      }
      const answer = await Promise.race([ahead[i]!, stopped]);
      answers.push(answer);
      onAnswer?.(answer, i);
    }
    return answers;
  } finally {
    signal?.removeEventListener("abort", stop);
    pool.close();
  }
}

/** What a worker global has that we use; workers have their own `self`. */
interface WorkerScope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown): void;
  readonly name?: string;
}

/**
 * Serves tasks in a worker of that name. The module may be loaded outside a worker, where this does
 * nothing.
 */
export function serveTasks<Setup, Task, Answer>(
  name: string,
  work: Work<Setup, Task, Answer>,
): void {
  const scope = globalThis as unknown as WorkerScope;
  if (scope.name !== name) return;
  const say = (reply: Reply<Answer>) => scope.postMessage(reply);
  let setup: Setup;
  let carry: ((task: Task) => Answer | Promise<Answer>) | undefined;
  scope.onmessage = async ({ data }: MessageEvent<Order<Setup, Task>>) => {
    if ("setup" in data) {
      setup = data.setup;
      return say({ ready: true });
    }
    const { id, task } = data;
    try {
      carry ??= work(setup);
      say({ id, answer: await carry(task) });
    } catch (error) {
      say({ id, failure: failureOf(error) });
    }
  };
}
