/** Models that cannot be loaded: tried again after a while, and told once an attempt. */
import { assertEquals, assertRejects } from "@std/assert";
import { createApp } from "../../../../src/server/app.ts";
import { createRegistry } from "../../../../src/server/models/registry.ts";
import { DEFAULT_LIMITS } from "../../../../src/server/admission/limits.ts";
import { withClock } from "../../../support/stand_ins/clock.ts";
import { post } from "../../../support/processes/protocol_apps.ts";
import { numbersModel } from "../../../support/models/small.ts";
import { until } from "../../../support/until.ts";

/** A prediction, or the status of a refusal. */
async function predict(app: ReturnType<typeof createApp>, path: string): Promise<number> {
  const { status, body } = await post(app, `/v1/models/${path}/predict`, { a: 1, b: 0 });
  return status === 200 ? body.predictions[0] : status;
}

Deno.test("a version that took long to fail is tried again after a longer while", () =>
  withClock(async (pass) => {
    let reads = 0;
    const damaged = () => {
      reads++;
      pass(3000);
      return Promise.reject(new Error("damaged"));
    };
    const registry = createRegistry([["m", damaged]], DEFAULT_LIMITS);
    const ask = () => assertRejects(() => registry.get("m", "0123456789abcdef"));
    await ask();
    pass(59_000);
    await ask();
    assertEquals(reads, 1);
    pass(1001);
    await ask();
    assertEquals(reads, 2);
  }));

Deno.test("a version that took minutes to fail is tried again after one: what was away may be back", () =>
  withClock(async (pass) => {
    let reads = 0;
    const away = () => {
      reads++;
      pass(120_000);
      return Promise.reject(new Error("no answer"));
    };
    const registry = createRegistry([["m", away]], DEFAULT_LIMITS);
    await assertRejects(() => registry.get("m"));
    pass(59_000);
    await assertRejects(() => registry.get("m"));
    assertEquals(reads, 1);
    pass(1001);
    await assertRejects(() => registry.get("m"));
    assertEquals(reads, 2);
  }));

Deno.test("a loader is called once, at first use, and again only some seconds after it failed", () =>
  withClock(async (pass) => {
    let calls = 0;
    const app = createApp({
      models: {
        lazy: () => {
          calls++;
          if (calls === 1) throw new Error("the disk is away");
          return Promise.resolve(numbersModel());
        },
      },
    });
    await app.request("/v1/models");
    assertEquals(calls, 0);
    // By its name or its label, a damaged file is not read for each request.
    const both = () => Promise.all([predict(app, "lazy"), predict(app, "lazy@1")]);
    assertEquals(await both(), [500, 500]);
    pass(4999);
    assertEquals([await both(), calls], [[500, 500], 1]);
    pass(2);
    assertEquals([await both(), calls], [[10, 10], 2]);
  }));

Deno.test("a model that takes the place of one that just failed to load answers at once", async () => {
  const damaged = () => Promise.reject(new Error("damaged"));
  const registry = createRegistry([["m", { versions: { a: damaged } }]], DEFAULT_LIMITS);
  const app = createApp({ models: registry });
  assertEquals(await predict(app, "m@a"), 500);
  await registry.replace("m", { versions: { a: numbersModel() } });
  assertEquals(await predict(app, "m@a"), 10);
});

Deno.test("why a shadow cannot be loaded is logged once an attempt, too", () =>
  withClock(async (pass) => {
    const failures: string[] = [];
    const versions = { a: numbersModel(), b: () => Promise.reject(new Error("damaged")) };
    const app = createApp({
      models: { m: { versions, current: "a", shadow: "b" } },
      log: (line) => line.includes('"failure"') && failures.push(line),
    });
    for (let i = 0; i < 3; i++) assertEquals(await predict(app, "m"), 10);
    assertEquals(failures.map((line) => line.includes("damaged")), [true]);
    pass(5001);
    assertEquals(await predict(app, "m"), 10);
    await until(() => failures.length === 2); // the answer does not wait for it
  }));

Deno.test("why a model cannot be loaded is logged once an attempt, not with each request", () =>
  withClock(async (pass) => {
    const failures: string[] = [];
    const damaged = () => Promise.reject(new Error("damaged"));
    const app = createApp({
      models: { m: damaged, numbers: numbersModel() },
      log: (line) => line.includes('"failure"') && failures.push(line),
    });
    const paths = ["/v1/models/m", "/v1/models/m@1", "/v2/models/m", "/openapi.json", "/"];
    const ask = () => Promise.all(paths.map(async (path) => (await app.request(path)).status));
    assertEquals(await ask(), [500, 500, 500, 200, 200]);
    assertEquals(await ask(), [500, 500, 500, 200, 200]);
    assertEquals(failures.map((line) => line.includes("damaged")), [true]);
    pass(5001);
    await ask();
    assertEquals(failures.length, 2);
  }));
