import { assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { ParameterError } from "../../../../src/errors.ts";
import { createApp } from "../../../../src/server/app.ts";
import { createRegistry } from "../../../../src/server/models/registry.ts";
import { DEFAULT_LIMITS } from "../../../../src/server/admission/limits.ts";
import { versionOf } from "../../../../src/server/models/version.ts";
import { withClock } from "../../../support/stand_ins/clock.ts";
import { get, post } from "../../../support/processes/protocol_apps.ts";
import { createModel } from "../../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../../src/model/trees.ts";
import { numbersModel, smallEnsemble, smallModel } from "../../../support/models/small.ts";
import { until } from "../../../support/until.ts";

type App = ReturnType<typeof createApp>;

async function predict(app: App, path: string, a = 1): Promise<number> {
  const response = await app.request(`/v1/models/${path}/predict`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ a, b: 0 }),
  });
  const body = await response.json();
  return response.status === 200 ? body.predictions[0] : response.status;
}

Deno.test("versions are found by label, alias and hash; the current one answers by default", async () => {
  const app = createApp({
    models: {
      m: {
        versions: { "1": numbersModel(11), "2": numbersModel(12), "3": () => numbersModel(13) },
        aliases: { champion: "1" },
        current: "2",
      },
    },
  });
  assertEquals(await predict(app, "m"), 12);
  assertEquals(await predict(app, "m@1"), 11);
  assertEquals(await predict(app, "m@champion"), 11);
  assertEquals(await predict(app, "m@3"), 13);
  assertEquals(await predict(app, "m@4"), 404);
  const { version } = await (await app.request("/v1/models/m@3")).json();
  assertEquals(await predict(app, `m@${version}`), 13);
});

Deno.test("a version hash finds a version that is not loaded yet, and no damaged one at each request", () =>
  withClock(async (pass) => {
    const { version } = await createRegistry([["m", numbersModel(12)]], DEFAULT_LIMITS).get("m");
    let reads = 0;
    const damaged = () => {
      reads++;
      throw new Error("damaged");
    };
    const start = () =>
      createApp({
        models: {
          m: { versions: { "1": damaged, "2": () => numbersModel(12), "3": numbersModel(13) } },
        },
      });
    const app = start();
    assertEquals(await predict(app, `m@${version}`), 12);
    assertEquals(reads, 1);
    const other = "0123456789abcdef";
    for (let i = 0; i < 5; i++) assertEquals(await predict(app, `m@${other}`), 404);
    assertEquals(reads, 1);
    pass(5001);
    assertEquals(await predict(app, `m@${other}`), 404);
    assertEquals(reads, 2);
    // What is no hash makes nobody read anything.
    assertEquals(await predict(start(), "m@0123456789abcde"), 404);
    assertEquals(await predict(start(), "m@nightly"), 404);
    assertEquals(reads, 2);
  }));

Deno.test("hashes that no version has make each of them be read once, and none be kept", async () => {
  const reads = [0, 0, 0];
  const versions = new Map(reads.map((_, i) => [`${i}`, () => {
    reads[i]++;
    return numbersModel(i);
  }]));
  const registry = createRegistry([["m", { versions }]], DEFAULT_LIMITS);
  const random = (i: number) => `${i}`.padStart(16, "0");
  const all = await Promise.allSettled([1, 2, 3].map((i) => registry.get("m", random(i))));
  for (let i = 4; i < 9; i++) await assertRejects(() => registry.get("m", random(i)));
  assertEquals([all.map(({ status }) => status), reads], [Array(3).fill("rejected"), [1, 1, 1]]);
  assertEquals(registry.loaded(), []);
  // The one that is asked for is read again, and kept.
  const wanted = await versionOf(numbersModel(1));
  assertEquals((await registry.get("m", wanted)).label, "1");
  assertEquals((await registry.get("m", wanted)).label, "1");
  assertEquals([reads, registry.loaded().length], [[1, 2, 1], 1]);
  // Where it is the first that is asked for, what was read is served.
  const other = createRegistry([["m", { versions }]], DEFAULT_LIMITS);
  assertEquals((await other.get("m", wanted)).label, "1");
  assertEquals([reads, other.loaded().length], [[2, 3, 1], 1]);
});

Deno.test("a version hash is not answered by what its loader gives later", async () => {
  let count = 0;
  const registry = createRegistry([["m", () => numbersModel(count++)]], DEFAULT_LIMITS);
  await assertRejects(() => registry.get("m", "0123456789abcdef"));
  const first = await versionOf(numbersModel(0));
  await assertRejects(() => registry.get("m", first));
  assertEquals(count, 2);
});

Deno.test("labels of one model are counted together: metrics have no series twice", async () => {
  const [first, second] = [numbersModel(1), numbersModel(1)];
  const app = createApp({
    models: { m: { versions: { "1": first, "2": numbersModel(2), "3": second } } },
  });
  for (const label of ["1", "2", "3", "3"]) await predict(app, `m@${label}`);
  const samples = app.metrics().split("\n").filter((line) => !line.startsWith("#"));
  const series = samples.map((line) => line.replace(/ [^ ]*$/, ""));
  assertEquals(series.length, new Set(series).size);
  const rows = samples.filter((line) => line.startsWith("treeline_rows_total"));
  assertEquals(rows.map((line) => line.replace(/.* /, "")), ["3", "1"]);
});

Deno.test("a model that stays under its label when others change goes on counting", async () => {
  const [stays, goes] = [numbersModel(1), numbersModel(2)];
  const registry = createRegistry([["m", { versions: { "1": stays, "2": goes } }]], DEFAULT_LIMITS);
  const app = createApp({ models: registry });
  const rows = () =>
    app.metrics().split("\n").filter((line) => line.startsWith("treeline_rows_total"))
      .map((line) => Number(line.replace(/.* /, "")));
  for (const label of ["1", "2", "1"]) await predict(app, `m@${label}`);
  assertEquals(rows(), [2, 1]);
  await registry.replace("m", { versions: { "1": stays, "2": numbersModel(3) } });
  assertEquals([await predict(app, "m@1"), await predict(app, "m@2")], [1, 3]);
  assertEquals(rows(), [3, 1]);
  registry.set("m", { versions: { "1": stays, "2": () => numbersModel(4) }, current: "1" });
  assertEquals([await predict(app, "m"), await predict(app, "m@2")], [1, 4]);
  assertEquals(rows(), [4, 1]);
  // Under another label its head and place are others.
  await registry.replace("m", { versions: { "9": stays } });
  assertEquals([await predict(app, "m@9"), rows()], [1, [1]]);
});

Deno.test("the last call that changes a name holds, however long each takes to load", async () => {
  const slow = () => {
    const gate = Promise.withResolvers<ReturnType<typeof numbersModel>>();
    return { gate, load: () => gate.promise };
  };
  const later: readonly [(registry: ReturnType<typeof createRegistry>) => unknown, number][] = [
    [(registry) => registry.replace("m", numbersModel(3)), 3],
    [(registry) => registry.set("m", numbersModel(3)), 3],
    [(registry) => registry.delete("m"), 404],
    [(registry) => registry.replace("m", () => Promise.reject(new Error("damaged"))), 2],
    [(registry) => registry.replace("n", numbersModel(3)), 2],
    [async (registry) => {
      registry.delete("m");
      await registry.replace("m", numbersModel(4));
    }, 4],
  ];
  for (const [change, expected] of later) {
    const registry = createRegistry([["m", numbersModel(1)]], DEFAULT_LIMITS);
    const app = createApp({ models: registry });
    const { gate, load } = slow();
    const replaced = registry.replace("m", load);
    try {
      await change(registry);
    } catch { /* nothing has changed */ }
    gate.resolve(numbersModel(2));
    assertEquals((await replaced).model.predictValue({ a: 1, b: 0 }), Float64Array.of(2));
    assertEquals(await predict(app, "m"), expected);
    await registry.replace("m", numbersModel(5));
    assertEquals(await predict(app, "m"), 5);
  }
});

Deno.test("replacing a model drops no request and changes the version", () =>
  withClock(async () => {
    const registry = createRegistry([["m", numbersModel(1)]], DEFAULT_LIMITS);
    const app = createApp({ models: registry });
    const before = (await registry.get("m")).version;
    const answers: Promise<number>[] = [];
    for (let i = 0; i < 200; i++) {
      answers.push(predict(app, "m"));
      if (i === 100) await registry.replace("m", numbersModel(2));
    }
    const results = await Promise.all(answers);
    assertEquals(results.slice(101), new Array(99).fill(2));
    assertEquals(new Set(results), new Set([1, 2]));
    assertNotEquals((await registry.get("m")).version, before);
  }));

Deno.test("a shadow scores the same rows after the answer and is compared in /metrics", async () => {
  const app = createApp({
    models: {
      m: { versions: { a: numbersModel(10), b: numbersModel(13) }, current: "a", shadow: "b" },
    },
  });
  assertEquals(await predict(app, "m", 1), 10);
  assertEquals(await predict(app, "m", 9), 20);
  await shadowed(app, "rows", 2);
  const text = await (await app.request("/metrics")).text();
  const value = (name: string) => Number(new RegExp(`^${name}{.*} (.*)$`, "m").exec(text)![1]);
  assertEquals(value("treeline_shadow_rows_total"), 2);
  assertEquals(value("treeline_shadow_difference_sum"), 3);
});

Deno.test("a shadow of several outputs is compared by the last one of each row", async () => {
  const stump = (leaf: (k: number) => number) => {
    const tree = createTreeBuilder(3);
    tree.setValue(0, [0, 1, 2].map(leaf));
    return tree;
  };
  const classes = ["a", "b", "c"];
  // Shares of 1 : 1 : 2 and 1 : 1 : 6, whichever the row.
  const [model, shadow] = [2, 6].map((share) =>
    createModel({
      schema: { ...numbersModel().schema, task: "classification", classes },
      info: { version: "0", algorithm: "cart" },
      ensemble: {
        ...numbersModel().ensemble,
        trees: packTrees([stump((k) => k === 2 ? share : 1)], 3),
        leafWidth: 3,
        numOutputs: 3,
        baseScore: new Float64Array(3),
        postprocess: { name: "proportions" },
      },
    })
  );
  const versions = { a: model, b: shadow };
  const app = createApp({ models: { m: { versions, current: "a", shadow: "b" } } });
  await app.request("/v1/models/m/predict", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '[{"a":1,"b":0},{"a":2,"b":0},{"a":3,"b":0}]',
  });
  await shadowed(app, "rows", 3);
  await shadowed(app, "class_changes", 0);
  const sum = /^treeline_shadow_difference_sum{.*} (.*)$/m.exec(app.metrics())![1];
  assertEquals(Number(sum), 3 * (6 / 8 - 2 / 4));
});

Deno.test("a model whose rows start from several offsets is not served", async () => {
  const { schema, ensemble, info } = numbersModel();
  const model = createModel({
    schema,
    info: { ...info, offset: "years" },
    ensemble: { ...ensemble, numOutputs: 2, baseScore: new Float64Array(2) },
  });
  const registry = createRegistry([["m", model]], DEFAULT_LIMITS);
  await assertRejects(() => registry.get("m"), Error, "its rows start from 2 offsets each");
});

Deno.test("a shadow's classes are compared by their names", async () => {
  // Raw scores of the rows below: 0.25 − 1 and 0.25 + 1; the shadow's are 2 more.
  const { schema, info } = smallModel();
  const higher = { ...smallEnsemble(), baseScore: new Float64Array([2.25]) };
  const classes = ["yes", "no"];
  const shadows = {
    sooner: createModel({ schema, info, ensemble: higher }),
    renamed: createModel({ schema: { ...schema, classes }, info, ensemble: smallEnsemble() }),
  };
  for (const [shadow, changes] of [["sooner", 1], ["renamed", 2]] as const) {
    const versions = { a: smallModel(), ...shadows };
    const app = createApp({ models: { m: { versions, current: "a", shadow } } });
    await app.request("/v1/models/m/predict", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '[{"age":20,"job":"a","__proto__":0},{"age":40,"job":"a","__proto__":0}]',
    });
    await shadowed(app, "rows", 2);
    await shadowed(app, "class_changes", changes);
  }
});

Deno.test("a shadow scores what comes by a socket, when its request has long been answered", async () => {
  const versions = { a: numbersModel(10), b: numbersModel(13) };
  const app = createApp({ models: { m: { versions, current: "a", shadow: "b" } } });
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.fetch);
  const bodies = ['{"a":1,"b":0}', '{"a":1,"b":0,"zip":"\ufffd"}', '[{"a":1},{"a":2}]'];
  for (const body of bodies) {
    const response = await fetch(`http://127.0.0.1:${server.addr.port}/v1/models/m/predict`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    assertEquals((await response.json()).predictions[0], 10);
  }
  await shadowed(app, "rows", 4);
  await shadowed(app, "failures", 0);
});

/** Waits until the shadow has this count. */
async function shadowed(app: App, name: string, count: number): Promise<void> {
  const counted = new RegExp(`^treeline_shadow_${name}_total{.*} (.*)$`, "m");
  const found = () => Number(counted.exec(app.metrics())?.[1]);
  await until(() => found() === count, () => `${name}: ${found()}, not ${count}`);
}

/** Asks as clients do, with a length: the way without a router. */
async function predictShort(
  app: App,
  path: string,
  length = 13,
  query = "",
  text = '{"a":1,"b":0}',
): Promise<number> {
  const headers = { "content-type": "application/json", "content-length": `${length}` };
  const url = `http://localhost/v1/models/${path}/predict${query}`;
  const response = await app.fetch(new Request(url, { method: "POST", headers, body: text }));
  const body = await response.json();
  return response.status === 200 ? body.predictions[0] : response.status;
}

Deno.test("the short way sees every change of what a name stands for", async () => {
  const registry = createRegistry([["m", numbersModel(1)], ["n", numbersModel(5)]], DEFAULT_LIMITS);
  const app = createApp({ models: registry });
  // More than the reader of bodies is tried without its tables.
  for (let i = 0; i < 20; i++) assertEquals(await predictShort(app, "m"), 1);
  await registry.replace("m", numbersModel(2));
  assertEquals(await predictShort(app, "m"), 2);
  registry.set("m", numbersModel(3));
  assertEquals(await predictShort(app, "m"), 3);
  assertEquals(await predictShort(app, "n"), 5);
  assertEquals(await predictShort(app, "m"), 3);
  const versions = { a: numbersModel(4), b: numbersModel(7) };
  await registry.replace("m", { versions, current: "a", shadow: "b" });
  assertEquals(await predictShort(app, "m@b"), 7);
  for (let i = 0; i < 20; i++) assertEquals(await predictShort(app, "m"), 4);
  await shadowed(app, "rows", 20);
  assertEquals(await predictShort(app, "m"), 4);
  registry.delete("m");
  assertEquals(await predictShort(app, "m"), 404);
  assertEquals(await predictShort(app, "n"), 5);
});

Deno.test("a shadow that cannot be loaded is counted, disturbs nobody and is tried again after a while", () =>
  withClock(async (pass) => {
    let tries = 0;
    const versions = {
      a: numbersModel(4),
      b: () => {
        tries++;
        throw new Error("the disk is away");
      },
    };
    const app = createApp({ models: { m: { versions, current: "a", shadow: "b" } } });
    for (let i = 0; i < 20; i++) assertEquals(await predictShort(app, "m"), 4);
    await shadowed(app, "failures", 20);
    // A request that is refused asks for it, too, and leaves it at that: the rejection may not end the process.
    assertEquals(await predictShort(app, "m", 13, "?columns=strict", '{"c":1,"b":0}'), 422);
    assertEquals(tries, 1);
    pass(4999);
    assertEquals(await predictShort(app, "m"), 4);
    assertEquals(tries, 1);
    pass(2);
    assertEquals(await predictShort(app, "m"), 4);
    assertEquals(tries, 2);
    await shadowed(app, "failures", 22);
  }));

Deno.test("while a shadow loads, some requests wait for it and the others are left out", async () => {
  const loading = Promise.withResolvers<ReturnType<typeof numbersModel>>();
  const versions = { a: numbersModel(4), b: () => loading.promise };
  const start = () => createApp({ models: { m: { versions, current: "a", shadow: "b" } } });
  // 256 bodies, or 16 MiB of them.
  const [short, long] = [start(), start()];
  for (let i = 0; i < 300; i++) assertEquals(await predictShort(short, "m"), 4);
  for (let i = 0; i < 6; i++) assertEquals(await predictShort(long, "m", 4 << 20), 4);
  await shadowed(short, "skipped", 44);
  await shadowed(long, "skipped", 2);
  loading.resolve(numbersModel(5));
  await shadowed(short, "rows", 256);
  await shadowed(long, "rows", 4);
  // Those that waited make room.
  assertEquals(await predictShort(long, "m", 8 << 20), 4);
  await shadowed(long, "rows", 5);
  await shadowed(long, "skipped", 2);
});

Deno.test("names, labels and aliases are found in either Unicode form of é", async () => {
  const [one, two] = ["caf\u00e9", "cafe\u0301"];
  for (const [given, asked] of [[one, two], [two, one], [two, two]]) {
    const app = createApp({
      models: {
        [given]: {
          versions: { [given]: numbersModel(11), b: numbersModel(12) },
          aliases: { [`@${given}`]: given },
        },
      },
    });
    const path = encodeURIComponent(asked);
    assertEquals(await predict(app, path), 12);
    assertEquals(await predict(app, `${path}@${path}`), 11);
    const paths = [`/versions/${path}`, `/labels/%40${path}`];
    for (const version of paths) {
      const { body } = await post(app, `/v1/models/${path}${version}:predict`, {
        instances: [{ a: 1, b: 0 }],
      });
      assertEquals(body.predictions, [11]);
    }
    const { models } = (await get(app, "/v1/models")).body;
    assertEquals([models[0].name, models[0].labels], [one, [one, "b"]]);
    const page = await app.request(`/?model=${path}`);
    assertEquals([page.status, (await page.text()).includes(one)], [200, true]);
    const several = createApp({ models: { [`${given}@x`]: numbersModel(11), b: numbersModel() } });
    assertEquals(await predict(several, `${path}@x`), 11);
    const sage = createApp({ models: { [given]: numbersModel(11), b: numbersModel(12) } });
    const invoked = await post(sage, `/endpoints/${path}/invocations`, { instances: [[1, 0]] });
    assertEquals(invoked.body, { predictions: [11] });
  }
});

Deno.test("a registry replaces, shadows and deletes in either Unicode form of é", async () => {
  const [one, two] = ["caf\u00e9", "cafe\u0301"];
  const versions = { [one]: numbersModel(11), b: numbersModel(12) };
  const registry = createRegistry([[one, { versions, shadow: two }]], DEFAULT_LIMITS);
  assertEquals([(await registry.shadow(two))?.label, registry.versions(two).shadow], [one, one]);
  await registry.replace(two, numbersModel(13));
  assertEquals(registry.names(), [one]);
  assertEquals(registry.delete(two), true);
  assertEquals(registry.names(), []);
});

Deno.test("two models, or versions, that differ in Unicode form alone are refused", () => {
  const [one, two] = ["caf\u00e9", "cafe\u0301"];
  const twice = { [one]: numbersModel(11), [two]: numbersModel(12) };
  for (const models of [twice, { m: { versions: twice } }]) {
    const { code } = assertThrows(() => createApp({ models }), ParameterError);
    assertEquals(code, "E_PARAM_CONFLICT");
  }
});

Deno.test("model names may be those of prototypes", async () => {
  const app = createApp({ models: new Map([["__proto__", numbersModel()]]) });
  assertEquals(await predict(app, "__proto__"), 10);
  assertEquals(await predict(app, "constructor"), 404);
});
