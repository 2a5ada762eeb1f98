/** `?rounds=`: the first rounds of a model over HTTP, which are those of the model cut off there. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { keepRounds } from "../../../src/algorithms/update/keep_rounds.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import type { Model } from "../../../src/model/model.ts";
import { createApp } from "../../../src/server/app.ts";
import { createClient } from "../../../src/server/client.ts";
import { post } from "../../support/processes/protocol_apps.ts";
import { until } from "../../support/until.ts";

const numRows = 200;
const x = Float64Array.from({ length: numRows }, (_, i) => i * 37 % 101);
const z = Float64Array.from({ length: numRows }, (_, i) => i * 11 % 17);
const data: Dataset = {
  numRows,
  features: [{ kind: "numeric", name: "x", values: x }, { kind: "numeric", name: "z", values: z }],
  target: {
    kind: "classification",
    name: "y",
    classes: ["a", "b", "c"],
    codes: Int32Array.from(
      x,
      (value, i) => (value > 50 ? 1 : 0) + (value + 4 * z[i] > 100 ? 1 : 0),
    ),
  },
};
const model = await trainBoost(data, { rounds: 6, maxDepth: 3 }, { threads: 1 });
/** The model of two rounds, as a file of its own. */
const cut = decodeModel(encodeModel(keepRounds(model, 2)));
const rows = [{ x: 3, z: 1 }, { x: 60, z: 2 }, { x: 99, z: 16 }, { x: null, z: 4 }];
const appOf = (served: Model) => createApp({ models: { m: served } });
const app = appOf(model);
const PREDICT = "/v1/models/m/predict";

Deno.test("?rounds= answers what the model of so many rounds answers, in every form", async () => {
  const other = appOf(cut);
  const csv = `x,z\n${rows.map(({ x, z }) => `${x ?? ""},${z}`).join("\n")}\n`;
  const lines = rows.map((row) => JSON.stringify(row)).join("\n");
  const floats = new Uint8Array(
    Float32Array.from(rows.flatMap(({ x, z }) => [x ?? NaN, z])).buffer,
  );
  const forms:
    readonly (readonly [query: string, body: unknown, type?: string, accept?: string])[] = [
      ["", rows],
      ["", rows[0]],
      ["", { columns: { x: rows.map(({ x }) => x), z: rows.map(({ z }) => z) } }],
      ["", Array(300).fill(rows).flat()], // blocks, and the kernel of many rows
      ["&kind=raw", rows],
      ["&kind=proba", rows],
      ["&kind=leaf", rows],
      ["&reasons=2", rows],
      ["&onError=partial", [...rows, { x: "no number" }]],
      ["", csv, "text/csv"],
      ["", rows, "application/json", "text/csv"],
      ["&kind=leaf", rows, "application/json", "text/csv"],
      ["&kind=proba", rows, "application/json", "text/csv"],
      [`&schema=${model.schemaHash}`, floats, "application/octet-stream"],
      ["&reasons=1", lines, "application/x-ndjson"],
      ["&kind=leaf", lines, "application/x-ndjson"],
    ];
  const told = (text: string) => text.replaceAll(/"version":"\w+",?/g, "");
  for (const [query, body, type = "application/json", accept = "*/*"] of forms) {
    const headers = { "content-type": type, accept };
    const found = await post(app, `${PREDICT}?rounds=2${query}`, body, headers);
    const wanted = await post(other, `${PREDICT}?${query.slice(1)}`, body, headers);
    assertEquals([found.status, told(found.text)], [200, told(wanted.text)], query + type + accept);
    const all = await post(app, `${PREDICT}?rounds=6${query}`, body, headers);
    const plain = await post(app, `${PREDICT}?${query.slice(1)}`, body, headers);
    assertEquals(all.text, plain.text);
    assert(all.text !== found.text, "six rounds are not two");
  }
});

Deno.test("?rounds= explains the score of so many rounds", async () => {
  const path = "/v1/models/m/explain";
  const { body } = await post(app, `${path}?rounds=2`, rows);
  const raw = cut.predictRaw(rows).data;
  body.explanations.forEach((
    outputs: { bias: number; contributions: { x: number; z: number } }[],
    row: number,
  ) =>
    outputs.forEach(({ bias, contributions: { x, z } }, k) =>
      assertAlmostEquals(bias + x + z, raw[3 * row + k], 1e-9)
    )
  );
  assertEquals(body.raw.flat(), [...raw]);
});

Deno.test("?rounds= has fewer leaves than the model, and answers those of more rows", async () => {
  const many = createApp({ models: { m: model }, maxRows: 120_000 });
  const columns = { x: Array(120_000).fill(3), z: Array(120_000).fill(1) };
  // Two million are allowed: of 18 trees there would be more.
  const asked = (rounds: number) =>
    post(many, `${PREDICT}?kind=leaf&rounds=${rounds}`, { columns });
  assertEquals((await asked(6)).body.code, "E_DATA_LIMIT");
  const { predictions } = (await asked(2)).body;
  assertEquals([predictions.length, predictions.at(-1)], [
    120_000,
    [...cut.predictLeaf([{ x: 3, z: 1 }]).data],
  ]);
});

Deno.test("?rounds= refuses what the model does not have", async () => {
  for (const rounds of ["7", "-1", "1.5", "", "two", "1e1", "99999999999"]) {
    for (const path of [PREDICT, "/v1/models/m/explain"]) {
      // Before the body is read, which is none.
      const { status, body } = await post(app, `${path}?rounds=${rounds}`, "{");
      assertEquals([rounds, status, body.code, body.details.param], [
        rounds,
        400,
        "E_PARAM_RANGE",
        "rounds",
      ]);
    }
  }
  const twice = await post(app, `${PREDICT}?rounds=1&rounds=2`, rows);
  assertEquals([twice.status, twice.body.code], [400, "E_HTTP_AMBIGUOUS"]);
  const nearly = await post(app, `${PREDICT}?round=1`, rows);
  assertEquals([nearly.body.code, nearly.body.details.nearest], ["E_PARAM_UNKNOWN", "rounds"]);
  // The first rounds of DART weigh otherwise now than they did.
  const dart = await trainBoost(data, { rounds: 6, dropRate: 0.5 }, { threads: 1 });
  const { status, body } = await post(appOf(dart), `${PREDICT}?rounds=2`, rows);
  assertEquals([status, body.code], [400, "E_PARAM_RANGE"]);
});

Deno.test("scores of some rounds are not counted among the model's, nor compared with a shadow's", async () => {
  const countedAfter = async (...queries: readonly string[]) => {
    const shadowed = createApp({
      models: { m: { versions: { "1": model, "2": cut }, current: "1", shadow: "2" } },
    });
    // With a length, as a shadow keeps few bodies of unknown length at once.
    const ask = async (query: string, body: string) => {
      const headers = { "content-length": `${body.length}` };
      assertEquals((await post(shadowed, PREDICT + query, body, headers)).status, 200);
    };
    for (const query of queries) await ask(query, JSON.stringify(rows));
    await ask("", JSON.stringify(rows[0])); // the shadow scores in the order of the requests
    const rowsOfShadow = () =>
      Number(/^treeline_shadow_rows_total\S* (.*)$/m.exec(shadowed.metrics())?.[1]);
    await until(() => rowsOfShadow() % 4 === 1, shadowed.metrics);
    return shadowed.metrics().split("\n").filter((line) =>
      /^treeline_(score|psi|shadow)/.test(line)
    );
  };
  const twice = await countedAfter("", "");
  assert(twice.some((line) => /^treeline_shadow_rows_total\S* 9$/.test(line)), twice.join("\n"));
  assertEquals(await countedAfter("", "?rounds=2", ""), twice);
});

Deno.test("the client and the OpenAPI document know rounds", async () => {
  const client = createClient("http://localhost", { fetch: (request) => app.fetch(request) });
  const { predictions } = await client.predict("m", { x: 3, z: 1 }, { rounds: 2, kind: "raw" });
  assertEquals(predictions, [[...cut.predictRaw({ x: 3, z: 1 }).data]]);
  const document = await (await app.request("/openapi.json")).json();
  for (const verb of ["predict", "explain"]) {
    const { parameters } = document.paths[`/v1/models/m/${verb}`].post;
    const found = parameters.find(({ name }: { name?: string }) => name === "rounds");
    assertEquals(found.schema, { type: "integer", minimum: 0, maximum: 6 });
  }
});

Deno.test("the OpenAPI document names the rounds that a model takes, and no others", async () => {
  const dart = await trainBoost(data, { rounds: 6, dropRate: 0.5 }, { threads: 1 });
  const { target } = data;
  assert(target?.kind === "classification");
  // Labels in another order: the loss rises soon.
  const valid = { ...data, target: { ...target, codes: target.codes.toReversed() } };
  const kept = await trainBoost(
    data,
    { rounds: 60, learningRate: 0.3, earlyStoppingRounds: 3, keepAll: true },
    { threads: 1, valid },
  );
  const best = (kept.info as unknown as { kept: { rounds: number } }).kept.rounds;
  assert(best < kept.numRounds, "there are rounds after the best one");
  for (const [served, minimum, maximum] of [[dart, 6, 6], [kept, 0, best]] as const) {
    const app = appOf(served);
    const document = await (await app.request("/openapi.json")).json();
    const { parameters } = document.paths["/v1/models/m/predict"].post;
    const { schema, description } = parameters.find(({ name }: { name?: string }) =>
      name === "rounds"
    );
    assertEquals(schema, { type: "integer", minimum, maximum });
    // Their trees have leaves all the same.
    assert(description.endsWith(`Leaves alone are answered of 0 to ${served.numRounds}, too.`));
    const leaves = await post(app, `${PREDICT}?kind=leaf&rounds=${maximum - 1}`, rows);
    assertEquals(leaves.status, 200);
    for (const rounds of [minimum - 1, minimum, maximum, maximum + 1]) {
      const { status } = await post(app, `${PREDICT}?rounds=${rounds}`, rows);
      assertEquals(status, rounds < minimum || rounds > maximum ? 400 : 200, `${rounds}`);
    }
  }
});
