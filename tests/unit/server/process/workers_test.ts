import { assert, assertEquals, assertRejects } from "@std/assert";
import { SourceError } from "../../../../src/errors.ts";
import { listenHttp } from "../../../../src/runtime/listen.ts";
import { createRegistry } from "../../../../src/server/models/registry.ts";
import {
  type SharedModel,
  startWorkers,
  type WorkerOrder,
} from "../../../../src/server/process/workers.ts";
import { DEFAULT_LIMITS } from "../../../../src/server/admission/limits.ts";
import { withClock } from "../../../support/stand_ins/clock.ts";
import { numbersModel } from "../../../support/models/small.ts";
import { withWorkers } from "../../../support/stand_ins/workers.ts";

/** A thread that serves at once and obeys other orders when the test says so. */
class Obedient {
  static all: Obedient[] = [];
  onmessage: (event: { data: unknown }) => void = () => {};
  onerror: (event: { message: string }) => void = () => {};
  readonly orders: WorkerOrder[] = [];
  terminated = false;
  constructor() {
    Obedient.all.push(this);
  }
  postMessage(order: WorkerOrder): void {
    this.orders.push(order);
    if (order.kind === "serve") this.obey("serve", { port: 8000 });
  }
  terminate(): void {
    this.terminated = true;
  }
  obey(kind: WorkerOrder["kind"], answer: object = {}): void {
    const order = this.orders.find((order) => order.kind === kind)!;
    queueMicrotask(() => this.onmessage({ data: { id: order.id, ...answer } }));
  }
  /** Waits until every thread has been told so: models are read and hashed before. */
  static async told(kind: WorkerOrder["kind"]): Promise<void> {
    while (!Obedient.all.every(({ orders }) => orders.some((order) => order.kind === kind))) {
      await turn();
    }
  }
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

async function started() {
  Obedient.all = [];
  const registry = createRegistry([["m", numbersModel()]], DEFAULT_LIMITS);
  const address = { port: 0, hostname: "127.0.0.1" };
  const threads = await withWorkers(Obedient, () => startWorkers(registry, 2, address));
  return { threads, registry, all: Obedient.all };
}

Deno.test("threads are not ended while they stop, though they answer an older order meanwhile", async () => {
  const { threads, registry, all } = await started();
  const updating = threads.update(registry);
  await Obedient.told("models");
  let stopped = false;
  const stopping = threads.stop(600_000).then(() => stopped = true);
  await Obedient.told("stop");
  for (const one of all) one.obey("models");
  await updating; // it was answered, too
  await turn();
  assertEquals([stopped, ...all.map((one) => one.terminated)], [false, false, false]);
  all[0].obey("stop");
  await turn();
  assert(!stopped && !all[1].terminated);
  all[1].obey("stop");
  await stopping;
  assertEquals(all.map((one) => one.terminated), [true, true]);
});

Deno.test("a thread that is too busy to hear that it should stop is ended after the grace", async () => {
  const { threads, all } = await started();
  const stopping = threads.stop(1);
  await Obedient.told("stop");
  all[0].obey("stop");
  await stopping;
  assertEquals(all.map((one) => one.terminated), [true, true]);
});

Deno.test("a thread that fails while it stops does not keep the others from answering, nor from ending", async () => {
  const { threads, all } = await started();
  const stopping = threads.stop(600_000);
  await Obedient.told("stop");
  all[0].obey("stop", { error: "it fails" });
  await turn();
  assertEquals(all.map((one) => one.terminated), [false, false]);
  all[1].obey("stop");
  await stopping;
  assertEquals(all.map((one) => one.terminated), [true, true]);
});

Deno.test("threads share no port with another server that shares its own: each would answer some requests", async () => {
  const hostname = "127.0.0.1";
  const registry = createRegistry([["m", numbersModel()]], DEFAULT_LIMITS);
  const options = { port: 0, hostname, reusePort: Deno.build.os === "linux" };
  const other = await listenHttp(() => new Response("other"), options);
  Obedient.all = [];
  const { code, message } = await assertRejects(
    () => withWorkers(Obedient, () => startWorkers(registry, 2, { port: other.port, hostname })),
    SourceError,
  );
  await other.stop(0);
  assertEquals([code, Obedient.all.length], ["E_IO_READ", 0]);
  assertEquals(message, `Cannot listen on 127.0.0.1:${other.port}: another program listens there`);
});

Deno.test("an update that a thread cannot carry out is no end of its stop", async () => {
  const { threads, registry, all } = await started();
  const updating = assertRejects(() => threads.update(registry), Error, "damaged");
  await Obedient.told("models");
  const stopping = threads.stop(100);
  await turn();
  for (const one of all) one.obey("models", { error: "damaged" });
  await updating;
  for (const one of all) one.obey("stop");
  await stopping;
});

Deno.test("an error of a thread is told to who waits for it", async () => {
  const { threads, registry, all } = await started();
  const updating = assertRejects(() => threads.update(registry), Error, "out of memory");
  await Obedient.told("models");
  all[1].onerror({ message: "out of memory" });
  await updating;
});

Deno.test("threads are told why a version cannot be read, serve the others, and get it when it can be", () =>
  withClock(async (pass) => {
    Obedient.all = [];
    let isAway = true;
    const read = () =>
      isAway ? Promise.reject(new Error("away")) : Promise.resolve(numbersModel(2));
    const models = [["m", { versions: { "1": numbersModel(1), "2": read } }]] as const;
    const registry = createRegistry(models, DEFAULT_LIMITS);
    const address = { port: 0, hostname: "127.0.0.1" };
    const threads = await withWorkers(Obedient, () => startWorkers(registry, 2, address));
    const told = (kind: WorkerOrder["kind"]) =>
      Obedient.all.map(({ orders }) => {
        const order = orders.findLast((order) => order.kind === kind);
        const { models } = order as unknown as { readonly models: readonly SharedModel[] };
        return models[0].versions.map(([, file]) => typeof file === "string" ? file : "read");
      });
    assertEquals(told("serve"), [["read", "away"], ["read", "away"]]);
    assertEquals(threads.unread, ["m@2: away"]);
    isAway = false;
    pass(5001); // what failed is tried again after a while
    const updating = threads.update(registry);
    await Obedient.told("models");
    for (const one of Obedient.all) one.obey("models");
    await updating;
    assertEquals(told("models"), [["read", "read"], ["read", "read"]]);
    assertEquals(threads.unread, []);
  }));

Deno.test("a version that stays keeps what threads have counted when another one changes", async () => {
  const [one, two, three] = [1, 2, 3].map((base) => numbersModel(base));
  const registry = createRegistry([["m", { versions: { "1": one, "2": two } }]], DEFAULT_LIMITS);
  const threads = await startWorkers(registry, 2, { port: 0, hostname: "127.0.0.1" });
  const url = `http://127.0.0.1:${threads.port}`;
  const ask = async (label: string) => {
    const response = await fetch(`${url}/v1/models/m@${label}/predict`, {
      method: "POST",
      headers: { "content-type": "application/json", connection: "close" },
      body: '{"a": 1, "b": 0}',
    });
    return (await response.json()).predictions;
  };
  for (let i = 0; i < 9; i++) assertEquals([await ask("1"), await ask("2")], [[1], [2]]);
  await registry.replace("m", { versions: { "1": one, "2": three } });
  await threads.update(registry);
  for (let i = 0; i < 9; i++) assertEquals(await ask("2"), [3]);
  assertEquals(await ask("1"), [1]);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const { version } = await registry.get("m", "1");
  const rows = metrics.split("\n").find((line) =>
    line.startsWith("treeline_rows_total") && line.includes(version)
  );
  assertEquals(rows?.replace(/.* /, ""), "10");
  await threads.stop(600_000);
});
