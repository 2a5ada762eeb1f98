import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DataError, ParameterError } from "../../../src/errors.ts";
import { errorOf, failureOf } from "../../../src/parallel/failures.ts";
import { openTasks, runTasks, threadsOf } from "../../../src/parallel/tasks.ts";

const work = (setup: number) => (task: number) => {
  if (task === 3) throw new DataError("E_DATA_SHAPE", "Cannot take 3", { details: { row: 3 } });
  return setup * task;
};

/** A worker that serves `work` written out, without the library. */
const tiny = (body: string) => () =>
  new Worker(`data:application/javascript,${encodeURIComponent(body)}`, { type: "module" });
const serving = tiny(`
  let setup;
  self.onmessage = ({ data }) => {
    if ("setup" in data) { setup = data.setup; postMessage({ ready: true }); return; }
    const { id, task } = data;
    if (task === 3) {
      const failure = { name: "DataError", message: "Cannot take 3", code: "E_DATA_SHAPE", details: { row: 3 } };
      postMessage({ id, failure });
    } else setTimeout(() => postMessage({ id, answer: setup * task }), 20 - task);
  };`);
/** Answers the first task alone. */
const idle = tiny(`
  self.onmessage = ({ data: { setup, id, task } }) => {
    if (setup) postMessage({ ready: true });
    else if (task === 1) postMessage({ id, answer: 1 });
  };`);
const broken = tiny(`throw new Error("no such platform");`);

Deno.test("runTasks() answers in the order of the tasks on any number of threads", async () => {
  for (const threads of [1, 2, 3, 8]) {
    const heard: number[] = [];
    const tasks = [1, 2, 4, 5, 6, 7];
    const run = { onAnswer: (answer: number) => void heard.push(answer) };
    const answers = await runTasks(tasks, { threads, setup: 10, work, open: serving }, run);
    assertEquals(answers, [10, 20, 40, 50, 60, 70]);
    assertEquals(heard, answers);
  }
});

Deno.test("openTasks() works on the calling thread where threads do not start, and says so", async () => {
  const warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);
  const pool = openTasks({ threads: 2, setup: 10, work, open: broken, onWarning });
  assertEquals(await Promise.all([1, 2, 4].map((task) => pool.run(task))), [10, 20, 40]);
  assertEquals(warnings.length, 1);
  assert(warnings[0]!.includes("no such platform"), warnings[0]);
  pool.close();
});

Deno.test("A failed task keeps the class, code and details of its error", async () => {
  for (const threads of [1, 2]) {
    const job = { threads, setup: 1, work, open: serving };
    const error = await assertRejects(() => runTasks([1, 3], job), DataError, "Cannot take 3");
    assertEquals([error.code, error.details], ["E_DATA_SHAPE", { row: 3 }]);
  }
  assertEquals(errorOf(failureOf("text")).message, "text");
});

Deno.test("runTasks() hears a signal before and between tasks", async () => {
  for (const threads of [1, 2]) {
    const stop = new AbortController();
    const job = { threads, setup: 1, work, open: idle };
    const run = {
      signal: stop.signal,
      onAnswer: () => stop.abort(),
      aborted: () => new Error("stopped here"),
    };
    await assertRejects(() => runTasks([1, 2, 4, 5, 6, 7, 8, 9], job, run), Error, "stopped here");
    await assertRejects(() => runTasks([1], job, run), Error, "stopped here");
  }
});

Deno.test("threadsOf() gives at most 64 threads, or all cores where there are more", () => {
  const most = Math.max(64, navigator.hardwareConcurrency);
  assertEquals([threadsOf(63), threadsOf(most), threadsOf(most + 1)], [63, most, most]);
  assertEquals(threadsOf(1e9), most);
});

Deno.test("threadsOf() refuses what is no whole number from 1 on", () => {
  assertEquals([threadsOf(3), threadsOf(undefined, 5)], [3, 5]);
  for (const threads of [0, -1, 1.5, NaN]) {
    assertThrows(() => threadsOf(threads), ParameterError, "threads");
  }
});
