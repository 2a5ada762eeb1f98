/**
 * What a first prediction does not need is loaded at first use, and that changes no score.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { createApp } from "../../../src/server/app.ts";
import { forMany, LARGE_BODY } from "../../../src/server/body/for_many.ts";
import { withClock } from "../../support/stand_ins/clock.ts";
import { runAtStart } from "../../support/processes/modules_at_start.ts";
import { smallModel, smallRaw } from "../../support/models/small.ts";

const src = new URL("../../../src/", import.meta.url);

Deno.test("a server that only scores JSON loads no other protocol, reader, writer or page", async () => {
  const modules = await runAtStart(new URL("server/app.ts", src));
  assert(modules.has(new URL("server/body/json_rows.ts", src).href));
  for (
    const lazy of [
      "server/protocols/oip.ts",
      "server/protocols/invocations.ts",
      "server/protocols/mlflow.ts",
      "server/protocols/sagemaker.ts",
      "server/protocols/tf_serving.ts",
      "server/native/ndjson.ts",
      "server/native/query.ts",
      "server/native/members.ts",
      "server/exchange/shadow.ts",
      "server/body/unpack.ts",
      "server/native/csv.ts",
      "server/native/floats.ts",
      "server/answer/explain.ts",
      "server/body/csv_rows.ts",
      "server/body/float_rows.ts",
      "server/models/card.ts",
      "server/openapi/document.ts",
      "server/openapi/route.ts",
      "server/page/route.ts",
      "data/options.ts",
      "door.ts",
      "explain/tree_shap.ts",
      "format/binary.ts",
      "format/explain.ts",
      "format/write_packed.ts",
      "format/write_sections.ts",
      "model/score/masks.ts",
      "model/score/rows/rows.ts",
      "server/answer/writer.ts",
      "server/body/row_reader.ts",
    ]
  ) assert(!modules.has(new URL(lazy, src).href), lazy);
});

Deno.test("a server of one thread loads nothing that starts threads or writes models", async () => {
  const modules = await runAtStart(new URL("../server.ts", src));
  assert(modules.has(new URL("server/process/start.ts", src).href));
  for (
    const lazy of ["server/process/workers.ts", "format/binary.ts", "model/score/rows/rows.ts"]
  ) {
    assert(!modules.has(new URL(lazy, src).href), lazy);
  }
});

Deno.test("what reads the head of a CSV body brings nothing that checks datasets", async () => {
  const modules = await runAtStart(new URL("server/body/csv_rows.ts", src));
  assert(modules.has(new URL("data/csv/dialect.ts", src).href));
  for (
    const part of ["data/dataset/check.ts", "data/reading/roles.ts", "data/dataset/queries.ts"]
  ) {
    assert(!modules.has(new URL(part, src).href), part);
  }
});

Deno.test("what explains a model brings what reads its covers", async () => {
  for (const part of ["server/answer/explain.ts", "server/page/route.ts", "format/binary.ts"]) {
    const modules = await runAtStart(new URL(part, src));
    assert(modules.has(new URL("format/explain.ts", src).href), part);
  }
});

// Before any other request: what reads many rows is then still to be loaded.
Deno.test("the first large body waits for what reads many rows, others do not", async () => {
  const app = createApp({ models: { small: smallModel() } });
  const ask = async (rows: number) => {
    const row = (_: unknown, i: number) => `{"age":${i % 60},"job":"b","__proto__":1}`;
    const body = `[${Array.from({ length: rows }, row)}]`;
    const answer = await app.fetch(
      new Request("http://localhost/v1/models/small/predict?kind=raw", {
        method: "POST",
        headers: { "content-type": "application/json", "content-length": `${body.length}` },
        body,
      }),
    );
    assertEquals(
      (await answer.json()).predictions,
      Array.from({ length: rows }, (_, i) => smallRaw(i % 60, "b", 1)),
    );
    return body.length;
  };
  assert(await ask(1) < LARGE_BODY);
  assert(await ask(3000) > LARGE_BODY);
  assert(forMany() !== undefined);
});

// Requests of one row share the numbers of a score: nothing may be loaded between score and answer.
// The clock stands still: none of them is refused for what the others take to load.
Deno.test("first requests that load modules at the same time get the scores of their own rows", () =>
  withClock(async () => {
    const app = createApp({ models: { small: smallModel() } });
    const ask = (path: string, age: number, accept: string) =>
      app.request(`/v1/models/small/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", accept },
        body: `{"age":${age},"job":"b","__proto__":1}`,
      });
    const ages = [20, 40, 25, 50];
    const all = (path: string, accept: string) =>
      Promise.all(ages.map((age) => ask(path, age, accept)));
    const [csv, floats, reasons, explained] = await Promise.all([
      all("predict?kind=raw", "text/csv"),
      all("predict?kind=raw", "application/octet-stream"),
      all("predict?kind=raw&reasons=3", "application/json"),
      all("explain", "application/json"),
    ]);
    for (const [i, age] of ages.entries()) {
      const raw = smallRaw(age, "b", 1);
      assertEquals(Number((await csv[i].text()).trim().split("\n").at(-1)), raw);
      assertEquals([...new Float32Array(await floats[i].arrayBuffer())], [raw]);
      assertEquals((await reasons[i].json()).predictions, [raw]);
      assertEquals((await explained[i].json()).raw, [raw]);
    }
  }));
