import { assertEquals } from "@std/assert";
import { createApp } from "../../../../src/server/app.ts";
import { withClock } from "../../../support/stand_ins/clock.ts";
import { numbersModel } from "../../../support/models/small.ts";
import { until } from "../../../support/until.ts";

type App = ReturnType<typeof createApp>;

const models = {
  m: { versions: { a: numbersModel(10), b: numbersModel(13) }, current: "a", shadow: "b" },
};

function ask(app: App, path: string, body: unknown): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return Promise.resolve(
    app.request(`/v1/models/${path}/predict`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    }),
  );
}

/** Rows that the shadow has scored, once there are some. */
async function shadowedRows(app: App): Promise<number> {
  const found = () => /^treeline_shadow_rows_total{.*} (.*)$/m.exec(app.metrics());
  await until(() => found() !== null);
  return Number(found()![1]);
}

/** Waits until the shadow has scored so many rows. */
function untilRows(app: App, count: number): Promise<void> {
  return until(async () => await shadowedRows(app) === count, app.metrics);
}

const MANY = 90_000;

Deno.test("a shadow lets a long answer go first, to its last piece", () =>
  withClock(async () => {
    const app = createApp({ models, maxRows: MANY });
    const long = await ask(app, "m", { a: new Array(MANY).fill(1) });
    assertEquals(long.status, 200);
    // Who is answered at once is scored sooner, although it came later.
    await (await ask(app, "m", { a: 1, b: 2 })).body!.cancel();
    assertEquals(await shadowedRows(app), 1);
    assertEquals((await long.json()).predictions.length, MANY);
    await untilRows(app, MANY + 1);
  }));

Deno.test("a shadow does not wait long for who reads slowly, or no more", () =>
  withClock(async (pass) => {
    const app = createApp({ models, maxRows: MANY });
    const slow = await ask(app, "m", { a: new Array(MANY).fill(1) });
    await (await ask(app, "m", { a: 1, b: 2 })).body!.cancel();
    assertEquals(await shadowedRows(app), 1);
    pass(1001);
    await untilRows(app, MANY + 1);
    const gone = await ask(app, "m", { a: new Array(MANY).fill(1) });
    await gone.body!.cancel();
    await untilRows(app, 2 * MANY + 1);
    await slow.body!.cancel();
  }));

Deno.test("a version that is asked for by its name is no shadow of itself", async () => {
  const app = createApp({ models });
  for (const path of ["m@b", "m@b", "m"]) {
    await (await ask(app, path, [{ a: 1 }, { a: 2 }])).body!.cancel();
  }
  await untilRows(app, 2);
  assertEquals(app.metrics().match(/^treeline_shadow_rows_total/gm)?.length, 1);
});

Deno.test("a body that does not declare its length waits for a shadow with the bytes it has", async () => {
  const shadow = Promise.withResolvers<ReturnType<typeof numbersModel>>();
  const versions = { a: numbersModel(10), b: () => shadow.promise };
  const app = createApp({ models: { m: { versions, current: "a", shadow: "b" } } });
  for (let i = 0; i < 5; i++) {
    const packed = new Blob(['[{"a": 1}]']).stream().pipeThrough(new CompressionStream("gzip"));
    const response = await app.request("/v1/models/m/predict", {
      method: "POST",
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body: packed,
    });
    assertEquals(response.status, 200);
    await response.body!.cancel();
  }
  shadow.resolve(numbersModel(13));
  await untilRows(app, 5);
});
