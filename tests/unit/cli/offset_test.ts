/**
 * The offset column on the command line, and in what it writes.
 *
 * @module
 */
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { exportModel } from "../../../src/convert/export_model.ts";
import { importModel } from "../../../src/convert/import_model.ts";
import { datasetFromRows } from "../../../src/data/records/rows.ts";
import { ConversionError } from "../../../src/errors.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import { cli } from "../../support/cli.ts";
import { tempFolder } from "../../support/temp.ts";
import { assertScores, DATA, MODEL, ROWS, TEXT } from "../../support/models/offset.ts";

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
