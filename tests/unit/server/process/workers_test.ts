import { assert, assertEquals, assertRejects } from "@std/assert";
import { createRegistry } from "../../../../src/server/models/registry.ts";
import { startWorkers, type WorkerOrder } from "../../../../src/server/process/workers.ts";
import { DEFAULT_LIMITS } from "../../../../src/server/types.ts";
import { numbersModel } from "../../../support/small_models.ts";
import { withWorkers } from "../../../support/workers.ts";

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
  await turn();
  let stopped = false;
  const stopping = threads.stop(100).then(() => stopped = true);
  await turn();
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

Deno.test("an update that a thread cannot carry out is no end of its stop", async () => {
  const { threads, registry, all } = await started();
  const updating = assertRejects(() => threads.update(registry), Error, "damaged");
  await turn();
  const stopping = threads.stop(100);
  await turn();
  for (const one of all) one.obey("models", { error: "damaged" });
  await updating;
  for (const one of all) one.obey("stop");
  await stopping;
});
