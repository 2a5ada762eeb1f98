/**
 * Models whose rows start from an offset column (exposure), through everything that scores.
 *
 * @module
 */
import { assert, assertAlmostEquals, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost.ts";
import { continueBoost } from "../../../src/algorithms/continue.ts";
import { refitBoost } from "../../../src/algorithms/refit.ts";
import { trainRandomForest } from "../../../src/algorithms/random_forest.ts";
import { exportModel } from "../../../src/convert/export_model.ts";
import { importModel } from "../../../src/convert/import_model.ts";
import { parseCsv } from "../../../src/data/csv.ts";
import { datasetFromRows } from "../../../src/data/rows.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { ConversionError, DataError, ModelError, ParameterError } from "../../../src/errors.ts";
import { createShapPool } from "../../../src/explain/shap_pool.ts";
import { explainShap } from "../../../src/explain/tree_shap.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import { decideAbove } from "../../../src/model/decide.ts";
import type { Model } from "../../../src/model/model.ts";
import { rowSchema } from "../../../src/model/offset_column.ts";
import { createApp } from "../../../src/server/app.ts";
import { createRegistry } from "../../../src/server/models/registry.ts";
import { DEFAULT_LIMITS } from "../../../src/server/types.ts";
import { getServed } from "../../../src/server/scoring.ts";
import { viewOf } from "../../../src/server/page/view.ts";
import { openapi } from "../../../src/server/openapi/document.ts";
import { createRng } from "../../../src/util/rng.ts";
import { cli } from "../../support/cli.ts";
import { tempFolder } from "../../support/temp.ts";

/** Counts that grow with exposure; the column holds its logarithm. */
function csv(numRows: number): string {
  const rng = createRng(7);
  const lines = Array.from({ length: numRows }, () => {
    const [x, years] = [rng.nextInt(10), 1 + rng.nextInt(5)];
    const n = Array.from({ length: years * 4 }, () => rng.nextFloat() < 0.05 * x ? 1 : 0);
    return `${x},${rng.nextInt(2) === 0 ? "u" : "v"},${Math.log(years)},${
      n.reduce((a: number, b) => a + b, 0)
    }`;
  });
  return `x,c,years,n\n${lines.join("\n")}\n`;
}

const TEXT = csv(300);
const DATA = parseCsv(TEXT, { target: "n", offset: "years" });
const MODEL = decodeModel(
  encodeModel(await trainBoost(DATA, { loss: "poisson", rounds: 20 }, { threads: 1 })),
);
const ROWS = [
  { x: 3, c: "u", years: Math.log(2) },
  { x: 8, c: "v", years: 0 },
  { x: 8, c: "v", years: Math.log(5) },
];

/** What each row must score: the trees (a dataset with offsets of 0) times the exposure. */
function expected(model: Model): number[] {
  const { offset: _, ...plain } = datasetFromRows(ROWS, { offset: "years" });
  const rates = model.predictValue({ ...plain, offset: new Float64Array(ROWS.length) });
  return ROWS.map(({ years }, row) => rates[row] * Math.exp(years));
}

function assertScores(found: ArrayLike<number>, model = MODEL): void {
  const wanted = expected(model);
  assertEquals(found.length, wanted.length);
  // exp(a + b) and exp(a)·exp(b) part in the last places.
  wanted.forEach((value, i) => assertAlmostEquals(found[i], value, 1e-12 * value));
}

Deno.test("a model trained beside an offset column names it and asks for it", () => {
  assertEquals(MODEL.info.offset, "years");
  assertScores(MODEL.predictValue(datasetFromRows(ROWS, { offset: "years" })));
  for (const input of [ROWS, datasetFromRows(ROWS), ROWS[0]]) {
    const error = assertThrows(
      () => MODEL.predictValue(input),
      ModelError,
      "Cannot score with 0 offsets",
    );
    assertEquals(error.code, "E_MODEL_SCHEMA");
  }
});

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

Deno.test("a file whose offset column is no name of its own is refused", () => {
  for (const offset of [5, {}, "x"]) {
    const info = { ...MODEL.info, offset: offset as string };
    const error = assertThrows(() => rowSchema({ schema: MODEL.schema, info }), ModelError);
    assertEquals(error.code, "E_MODEL_CORRUPT");
  }
});

Deno.test("offsets that were handed over as numbers are asked for too, under a name of their own", async () => {
  const { offsetName: _, ...unnamed } = DATA;
  const taken = {
    ...unnamed,
    features: [{ ...DATA.features[0], name: "offset" }, ...DATA.features.slice(1)],
  };
  for (const [data, name] of [[unnamed, "offset"], [taken, "offset_"]] as const) {
    const model = await trainBoost(data, { loss: "poisson", rounds: 2 });
    assertEquals(model.info.offset, name);
    assertThrows(() => model.predictRaw(ROWS), ModelError);
    assertEquals(model.predictRaw(data).rows, 300);
  }
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

Deno.test("predict and evaluate on the command line read the offset column by themselves", async () => {
  await using folder = await tempFolder();
  const model = await folder.write("m.tlm", encodeModel(MODEL));
  const data = await folder.write("d.csv", TEXT);
  const scores = (await cli(["predict", model, data])).stdout.trim().split("\n").slice(1);
  assertEquals(scores.map(Number), [...MODEL.predictValue(DATA)]);
  const evaluated = JSON.parse((await cli(["evaluate", model, data, "--json"])).stdout);
  const deviance = DATA.target!.kind === "regression"
    ? DATA.target!.values.reduce((sum, n, row) => {
      const mean = Number(scores[row]);
      return sum + 2 * ((n > 0 ? n * Math.log(n / mean) : 0) - n + mean);
    }, 0) / 300
    : NaN;
  assertAlmostEquals(evaluated.metrics.poissonDeviance, deviance, 1e-12);
  const without = await folder.write("w.csv", "x,c\n3,u\n");
  for (const command of ["predict", "evaluate"]) {
    const run = await cli([command, model, without]);
    assert(
      run.code !== 0 && run.stderr.includes("years") || command === "evaluate" && run.code !== 0,
    );
  }
});

Deno.test("continuation and refit start rows from the offset and refuse data without", async () => {
  const { offset: _, ...plain } = DATA;
  const whole = await trainBoost(DATA, { loss: "poisson", rounds: 24 }, { threads: 1 });
  const more = await continueBoost(MODEL, DATA, { rounds: 4 }, { threads: 1 });
  assertEquals(more.predictRaw(DATA).data, whole.predictRaw(DATA).data);
  assertEquals(more.info.offset, "years");
  assertScores(
    refitBoost(MODEL, DATA).predictValue(datasetFromRows(ROWS, { offset: "years" })),
    refitBoost(MODEL, DATA),
  );
  await assertRejects(() => continueBoost(MODEL, plain, { rounds: 1 }), ModelError);
  assertThrows(() => refitBoost(MODEL, plain), ModelError, "years");
});

Deno.test("offsets of the wrong length, in one set only, or for other trainers are refused", async () => {
  const classes: Dataset = {
    ...DATA,
    target: {
      kind: "classification",
      name: "n",
      codes: Int32Array.from(DATA.offset!, (_, i) => i % 3),
      classes: ["a", "b", "c"],
    },
  };
  const error = await assertRejects(
    () => trainBoost(classes, { rounds: 1 }),
    DataError,
    "expected 900",
  );
  assertEquals(error.code, "E_DATA_SHAPE");
  const { offset: _, ...plain } = DATA;
  const params = { loss: "poisson", rounds: 3 };
  await assertRejects(() => trainBoost(DATA, params, { valid: plain }), DataError, `set "valid"`);
  await assertRejects(() => trainBoost(plain, params, { valid: DATA }), DataError, `set "valid"`);
  await assertRejects(() => trainRandomForest(DATA, { trees: 2 }), ParameterError, "offset");
});

Deno.test("decisions start from the offset; responses by position are refused", () => {
  const data = datasetFromRows(ROWS, { offset: "years" });
  const raw = MODEL.predictRaw(data).data;
  assertEquals(
    [...decideAbove(MODEL, data, raw[1]).above],
    Array.from(raw, (score) => Number(score > raw[1])),
  );
  assertThrows(() => decideAbove(MODEL, ROWS, 0), ModelError);
  const byPosition = MODEL.positional(MODEL.schemaHash);
  const out = new Float64Array(1);
  byPosition.rawInto(Float64Array.of(8, 1), out); // the trees alone, as it says
  assertAlmostEquals(out[0] + ROWS[2].years, raw[2], 1e-12);
  assertThrows(() => byPosition.valueInto(Float64Array.of(8, 1), out), ModelError);
});

Deno.test("the offset is a contribution of its own, and all add up to the raw score", async () => {
  const data = datasetFromRows(ROWS, { offset: "years" });
  const raw = MODEL.predictRaw(data).data;
  const shap = explainShap(MODEL, data);
  assertEquals(shap.features, ["x", "c", "years"]);
  const sums = raw.map((_, row) =>
    shap.bias[0] + shap.values.slice(3 * row, 3 * row + 3).reduce((a, b) => a + b, 0)
  );
  raw.forEach((score, row) => {
    assertEquals(shap.values[3 * row + 2], ROWS[row].years);
    assertAlmostEquals(sums[row], score, 1e-12); // sums of doubles in another order
  });
  using pool = createShapPool(MODEL, { threads: 2 });
  assertEquals(await pool.explain(data), shap);
  // The trees' own part is that of a row without exposure.
  const none = explainShap(MODEL, { ...data, offset: new Float64Array(3) });
  assertEquals(none.values.filter((_, i) => i % 3 < 2), shap.values.filter((_, i) => i % 3 < 2));
  const error = assertThrows(() => explainShap(MODEL, ROWS), ModelError, "years");
  assertEquals(error.code, "E_MODEL_SCHEMA");
  await assertRejects(() => pool.explain(ROWS), ModelError, "years");
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

Deno.test("TypeScript carries the offset; other exports refuse it or hold the trees alone", async () => {
  const data = datasetFromRows(ROWS, { offset: "years" });
  const raw = MODEL.predictRaw(data).data;
  const source = new TextDecoder().decode(exportModel(MODEL, "typescript").bytes);
  const module = await import(`data:application/typescript,${encodeURIComponent(source)}`);
  assertEquals(ROWS.map((row) => module.raw(row)[0]), [...raw]);
  assertScores(ROWS.map((row) => module.predict(row)[0]));
  assertThrows(() => module.raw({ x: 3, c: "u" }), TypeError, "years");
  for (const format of ["onnx", "xgboost-json", "xgboost-ubj"] as const) {
    const rounding = format === "onnx" ? {} : { rounding: "float32" as const };
    const error = assertThrows(
      () => exportModel(MODEL, format, rounding),
      ConversionError,
      "years",
    );
    assertEquals(error.code, "E_CONVERT_UNSUPPORTED");
    const { bytes } = exportModel(MODEL, format, { ...rounding, withoutOffset: true });
    const trees = importModel(bytes).predictRaw(
      ROWS.map(({ x, c }) => ({ x, c: format !== "onnx" ? c : c === "u" ? 0 : 1 })),
    ).data;
    const close = format === "onnx" ? 1e-12 : 1e-5; // float32 leaves and sums
    raw.forEach((score, i) => assertAlmostEquals(trees[i] + ROWS[i].years, score, close));
  }
  await using folder = await tempFolder();
  const model = await folder.write("m.tlm", encodeModel(MODEL));
  const convert = (...more: string[]) =>
    cli(["convert", model, "--out", `${folder.path}/m.onnx`, ...more]);
  const refused = await convert();
  assert(refused.code !== 0 && refused.stderr.includes("--without-offset"), refused.stderr);
  const written = await convert("--without-offset");
  assert(written.code === 0 && written.stderr.includes(`lack column "years"`), written.stderr);
  assert((await cli(["convert", model, "--to", "json", "--without-offset"])).code !== 0);
});

Deno.test("verify reads the offset column, and shrink keeps and measures without it", async () => {
  await using folder = await tempFolder();
  const model = await folder.write("m.tlm", encodeModel(MODEL));
  const data = await folder.write("d.csv", TEXT);
  const scores = await folder.write("s.csv", (await cli(["predict", model, data])).stdout);
  const equal = await cli(["verify", model, "--input", data, "--expected", scores]);
  assertEquals(equal.code, 0, equal.stderr);
  // The scores of rows without exposure are others.
  const none = await folder.write("n.csv", TEXT.replace(/^(\d+,[uv],)[^,]*/gm, "$10"));
  assertEquals((await cli(["verify", model, "--input", none, "--expected", scores])).code, 7);
  const size = encodeModel(MODEL, { explain: false, attachments: false }).length;
  const out = folder.file("s.tlm");
  for (const input of [[], ["--input", data]]) {
    const args = [
      "shrink",
      model,
      "--max-size",
      String(Math.ceil(0.8 * size)),
      "--out",
      out,
      "--force",
    ];
    const run = await cli([...args, ...input, "--json"]);
    assertEquals(run.code, 0, run.stderr);
    const { bound, measured } = JSON.parse(run.stdout);
    assert(measured.largest <= bound && measured.rows > 0);
    const small = decodeModel(await Deno.readFile(out));
    assertEquals(small.info.offset, "years");
  }
});
