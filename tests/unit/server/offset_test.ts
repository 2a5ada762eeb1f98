/**
 * The offset column over HTTP: every protocol, drift, the page.
 *
 * @module
 */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { datasetFromRows } from "../../../src/data/records/rows.ts";
import { explainShap } from "../../../src/explain/tree_shap.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import { createApp } from "../../../src/server/app.ts";
import { createRegistry } from "../../../src/server/models/registry.ts";
import { DEFAULT_LIMITS } from "../../../src/server/admission/limits.ts";
import { getServed } from "../../../src/server/exchange/scoring.ts";
import { viewOf } from "../../../src/server/page/view.ts";
import { openapi } from "../../../src/server/openapi/document.ts";
import { cli } from "../../support/cli.ts";
import { tempFolder } from "../../support/temp.ts";
import { assertScores, DATA, MODEL, ROWS, TEXT } from "../../support/models/offset.ts";

Deno.test("PSI of rows beside their offsets is that of their own columns, in batches too", async () => {
  const app = createApp({ models: { m: MODEL } });
  const [names, ...lines] = TEXT.trim().split("\n");
  // The rows of training, so nothing has changed; the first request is not counted.
  for (let at = 0; at < lines.length; at += 50) {
    for (let again = at === 0 ? 2 : 1; again > 0; again--) {
      await app.request("/v1/models/m/predict", {
        method: "POST",
        headers: { "content-type": "text/csv" },
        body: [names, ...lines.slice(at, at + 50)].join("\n"),
      });
    }
  }
  const metrics = app.metrics();
  assert(/^treeline_psi_rows_total{.*} 300$/m.test(metrics), metrics);
  const indices = [...metrics.matchAll(/^treeline_(?:feature_)?psi{.*} (.*)$/gm)].map((m) => +m[1]);
  assertEquals(indices.length, 3);
  for (const psi of indices) assert(psi < 1e-4, `${indices}`);
});

Deno.test("a model trained beside an offset column is served by every protocol", async () => {
  const app = createApp({ models: { m: MODEL } });
  const post = async (
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    type = "application/json",
  ) => {
    const response = await app.fetch(
      new Request(`http://localhost${path}`, {
        method: "POST",
        headers: { "content-type": type, "content-length": String(body.length) },
        body,
      }),
    );
    const text = await response.text();
    return { status: response.status, text };
  };
  const rows = await post("/v1/models/m/predict", JSON.stringify(ROWS));
  assertScores(JSON.parse(rows.text).predictions);
  // Small bodies take a shorter way from the ninth on.
  for (const [i, row] of [...ROWS, ...ROWS, ...ROWS, ...ROWS, ...ROWS].entries()) {
    const { text } = await post("/v1/models/m/predict", JSON.stringify(row));
    assertEquals(JSON.parse(text).predictions[0], JSON.parse(rows.text).predictions[i % 3]);
  }
  const part = await post("/v1/models/m/predict?rounds=20", JSON.stringify(ROWS));
  assertScores(JSON.parse(part.text).predictions);
  const table = `x,c,years\n${ROWS.map(({ x, c, years }) => `${x},${c},${years}`).join("\n")}\n`;
  const answer = await post("/v1/models/m/predict", table, "text/csv");
  assertScores(JSON.parse(answer.text).predictions);
  const columns = {
    inputs: [
      { name: "x", shape: [3], datatype: "FP64", data: ROWS.map(({ x }) => x) },
      { name: "c", shape: [3], datatype: "BYTES", data: ROWS.map(({ c }) => c) },
      { name: "years", shape: [3], datatype: "FP64", data: ROWS.map(({ years }) => years) },
    ],
  };
  const tensors = await post("/v2/models/m/infer", JSON.stringify(columns));
  assertScores(JSON.parse(tensors.text).outputs[0].data);
  const metadata = await (await app.request("/v2/models/m")).text();
  assert(metadata.includes("years"));
  // Many rows go another way than few.
  const many = Array.from({ length: 900 }, (_, i) => ROWS[i % 3]);
  const found =
    JSON.parse((await post("/v1/models/m/predict", JSON.stringify(many))).text).predictions;
  assertScores(found.slice(0, 3));
  found.forEach((score: number, i: number) => assertEquals(score, found[i % 3]));
  for (const lacking of [{ x: 3, c: "u" }, { x: 3, c: "u", years: null }]) {
    const { status, text } = await post("/v1/models/m/predict", JSON.stringify(lacking));
    assert(status === 400 || status === 422, text);
    assert(text.includes("years"));
  }
  const document = JSON.stringify(openapi([{ name: "m", model: MODEL }]));
  assert(document.includes(`"years"`));
});

Deno.test("explain on the command line and by HTTP shows the offset", async () => {
  await using folder = await tempFolder();
  const model = await folder.write("m.tlm", encodeModel(MODEL));
  const data = await folder.write("d.csv", TEXT);
  const shap = explainShap(MODEL, DATA);
  const { stdout } = await cli(["explain", model, data]);
  const [head, ...lines] = stdout.trim().split("\n");
  assertEquals(head, "x,c,years,bias");
  assertEquals(
    lines.flatMap((line) => line.split(",").slice(0, 3).map(Number)),
    [...shap.values],
  );
  const importance = await cli(["explain", model, data, "--method", "importance", "--json"]);
  assertEquals(importance.code, 0, importance.stderr);
  const without = await folder.write("w.csv", "x,c\n3,u\n");
  const refused = await cli(["explain", model, without]);
  assert(refused.code !== 0 && refused.stderr.includes("years"), refused.stderr);

  const app = createApp({ models: { m: MODEL } });
  const response = await app.request("/v1/models/m/explain", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(ROWS),
  });
  const { explanations, raw } = await response.json();
  assertEquals(explanations.length, 3);
  ROWS.forEach(({ years }, row) => {
    const { bias, contributions: { x, c, years: own } } = explanations[row];
    assertEquals(own, years);
    assertAlmostEquals(bias + x + c + own, raw[row], 1e-12);
  });
});

Deno.test("the playground asks for the offset and scores with it", async () => {
  const registry = createRegistry([["m", MODEL]], DEFAULT_LIMITS);
  const app = createApp({ models: registry });
  const page = async (form: { readonly [name: string]: string }) => {
    const response = await app.request("/", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form).toString(),
    });
    assertEquals(response.status, 200);
    return await response.text();
  };
  const served = await getServed(registry, "m");
  const result = (years: string) =>
    viewOf(served, ["m"], new Map([["f0", "8"], ["f1", "c1"], ["f2", years]]));
  for (const years of [0, 0.5, -2]) {
    const { result: found } = result(String(years));
    const data = datasetFromRows([{ x: 8, c: "v", years }], { offset: "years" });
    const raw = MODEL.predictRaw(data).data[0];
    assertEquals(found!.raw, raw);
    assertEquals(
      found!.contributions.find(({ feature }) => feature === "years")!.contribution,
      years,
    );
    const sum = found!.contributions.reduce((total, { contribution }) => total + contribution, 0);
    assertAlmostEquals(found!.bias! + sum, raw, 1e-12);
  }
  const html = await page({ f0: "8", f1: "c1" });
  assert(html.includes("<bdi>years</bdi></label>"));
  assert(html.includes('name="f2" value="0"'));
  assert((await page({ f0: "8", f1: "c1", f2: "" })).includes("The model needs a number here"));
  // The curve over the offset goes through it.
  const { whatIf } = viewOf(served, ["m"], new Map([["f0", "8"], ["f2", "1"], ["vary", "2"]]));
  const points = whatIf!.points.map(({ x, score }) => Math.log(score) - x);
  points.forEach((rate) => assertAlmostEquals(rate, points[0], 1e-12));
});
