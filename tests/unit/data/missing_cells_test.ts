/** Cells that mean missing: read alike in every format, kept in the model, applied by every scorer. */
import { assert, assertAlmostEquals, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  type Column,
  ConversionError,
  createDataset,
  DataError,
  datasetFromRows,
  decodeModel,
  encodeModel,
  exportModel,
  type InputReport,
  ModelError,
  type NumericColumn,
  parseCsv,
  parseJsonLines,
  parseLibsvm,
  type Row,
  trainBoost,
} from "../../../mod.ts";
import { csvBatches } from "../../../src/data/csv/batches.ts";
import { createApp } from "../../../src/server/mod.ts";

const MARKS = ["", "-999", "unknown"];

/** x and c are missing in every fourth row, and then y is high: what is missing is learnt. */
const TABLE = (() => {
  const lines = ["x,c,y"];
  for (let row = 0; row < 80; row++) {
    const gone = row % 4 === 0;
    lines.push(
      `${gone ? "-999" : row % 7},${gone ? "unknown" : "ab"[row % 2]},${gone ? 9 : row % 7}`,
    );
  }
  return lines.join("\n") + "\n";
})();

const data = parseCsv(TABLE, { target: "y", missing: MARKS, task: "regression" });
const model = decodeModel(encodeModel(await trainBoost(data, { rounds: 10, minRowsPerLeaf: 1 })));
const WANTED = [...model.predictValue([{ x: null, c: null }, { x: 3, c: "a" }])];

const numbers = (column: Column) => [...(column as NumericColumn).values];

Deno.test("a number that means missing is missing however it is written", () => {
  const text = 'x,y\n-999,1\n-999.0,2\n -9.99e2 ,3\n"-999",4\n-998,5\n';
  const options = { target: "y", missing: ["", "-999"], task: "regression" } as const;
  assertEquals(numbers(parseCsv(text, options).features[0]), [NaN, NaN, NaN, NaN, -998]);
  const comma = parseCsv("x;y\n-9,5;1\n-9,50;2\n1,5;3\n", { ...options, missing: ["-9,5"] });
  assertEquals(numbers(comma.features[0]), [NaN, NaN, 1.5]);
  assertEquals(comma.missingCells, ["-9,5", "-9.5"]);
  const lines = '{"x":-999,"y":1}\n{"x":2,"y":-1}\n{"x":"-999","y":3}\n';
  assertEquals(numbers(parseJsonLines(lines, options).features[0]), [NaN, 2, NaN]);
  const rows = [{ x: -999, y: 1 }, { x: 2, y: 3 }];
  assertEquals(numbers(datasetFromRows(rows, options).features[0]), [NaN, 2]);
  const { target: _, ...rest } = options;
  const sparse = parseLibsvm("1 0:-999 1:2\n0 1:-999\n", { ...rest, absent: "zero" });
  assertEquals(sparse.features.map(numbers), [[NaN, 0], [2, NaN]]);
});

Deno.test("a target that means missing is refused like an empty one", () => {
  assertThrows(() => parseCsv("x,y\n1,-999\n2,3\n", { target: "y", missing: ["-999"] }));
});

Deno.test("the usual cells are not stored, others are", () => {
  assertEquals(parseCsv("x,y\n1,2\n", { target: "y" }).missingCells, undefined);
  assertEquals(model.schema.missingCells, MARKS);
});

Deno.test("rows by name, columns and positions are scored as the model learnt", () => {
  const rows: Row[] = [{ x: -999, c: "unknown" }, { x: 3, c: "a" }, {
    x: "-999.0",
    c: " unknown ",
  }];
  let seen: InputReport | undefined;
  const scores = model.predictValue(rows, { onReport: (report) => seen = report });
  assertEquals([...scores], [WANTED[0], WANTED[1], WANTED[0]]);
  assertEquals([seen?.missing.get("x"), seen?.missing.get("c"), seen?.unknown.size], [2, 2, 0]);
  const plain = parseCsv("x,c\n-999,unknown\n3,a\n");
  assertEquals([...model.predictValue(plain)], WANTED);
  const out = new Float64Array(2);
  model.positional(model.schemaHash).rawRowsInto(Float64Array.of(-999, NaN, 3, 0), out);
  assertEquals([...out], WANTED);
});

Deno.test("CSV of the command line and of evaluation is read as the model learnt", async () => {
  const text = "c,x\nunknown,-999\na,3\n";
  const schema = model.schema;
  for await (const batch of csvBatches(new Blob([text]).stream(), schema)) {
    assertEquals([...model.predictValue(batch.data)], WANTED);
    assertEquals(batch.report.missing, new Map([["x", 1], ["c", 1]]));
  }
  const read = parseCsv("c,x,y\nunknown,-999,1\na,3,2\n", { schema });
  assertEquals([...model.predictValue(read)], WANTED);
});

Deno.test("every body of the server is read as the model learnt", async () => {
  const app = createApp({ models: { m: model } });
  const ask = async (type: string, body: string) => {
    const headers = { "content-type": type };
    const answer = await app.request("/v1/models/m/predict", { method: "POST", headers, body });
    const { predictions } = await answer.json();
    return predictions.map((p: number | { value: number }) => typeof p === "number" ? p : p.value);
  };
  const json = "application/json";
  assertEquals(await ask(json, '[{"x":-999,"c":"unknown"},{"x":3,"c":"a"}]'), WANTED);
  assertEquals(await ask(json, '[{"x":-999.0,"c":null}]'), [WANTED[0]]);
  assertEquals(await ask(json, '{"columns":{"x":[-999,3],"c":["unknown","a"]}}'), WANTED);
  assertEquals(await ask("text/csv", "x,c\n-999,unknown\n3,a\n"), WANTED);
});

Deno.test("an export says what it cannot hold, and TypeScript holds it", async () => {
  for (const format of ["xgboost-json", "onnx"] as const) {
    const error = assertThrows(() => exportModel(model, format), ConversionError);
    assert(error.message.includes("numbers count as missing: -999"), error.message);
  }
  const source = new TextDecoder().decode(exportModel(model, "typescript").bytes);
  const module = await import(`data:application/typescript;base64,${btoa(source)}`);
  const scores = [{ x: -999, c: "unknown" }, { x: 3, c: "a" }].map((row) => module.predict(row));
  assertEquals(scores.flat(), WANTED);
});

Deno.test("other data altogether is refused, though every column may be missing", async () => {
  const text = "x,c,y\n,,9\n,,9\n1,a,1\n2,b,2\n3,a,1\n";
  const learnt = await trainBoost(parseCsv(text, { target: "y", task: "regression" }), {
    rounds: 3,
    minRowsPerLeaf: 1,
    minRowsPerCategory: 1,
  });
  assertEquals(learnt.schema.features.map(({ missing }) => missing), ["learnt", "learnt"]);
  assertEquals(learnt.predictValue([{}, { x: null }]).length, 2);
  assertThrows(() => learnt.predictValue([{ q: 1 }]), ModelError, "no column of the model");
  assertThrows(() => learnt.predictValue(parseCsv("1,2\n3,4\n")), ModelError, "no column");
  const batches = csvBatches(new Blob(["1,a\n3,b\n"]).stream(), learnt.schema);
  const error = await assertRejects(() => batches.next(), ModelError, 'first line says "1", "a"');
  assertEquals(error.code, "E_MODEL_SCHEMA");
});

Deno.test("a number that means missing is a level of a text column, however late the text comes", () => {
  for (const rows of [3, 63, 64, 65, 5000]) {
    const text = `c,x\n${"-999.0,1\n".repeat(rows)}-999,2\nword,3\n`;
    const [column] = parseCsv(text, { missing: ["-999"] }).features;
    assert(column.kind === "categorical");
    assertEquals(column.categories, ["-999.0", "word"]);
    const levels = Array.from(column.codes, (code) => column.categories[code]);
    assertEquals(levels, [...Array(rows).fill("-999.0"), undefined, "word"]);
  }
});

Deno.test("a number that means missing is no code of a category, on any way into a model", async () => {
  // Six categories of means 0, 10, … 50: c5, whose code is 5, is far from what is missing.
  const lines = Array.from({ length: 120 }, (_, i) => `c${i % 6},${i % 4},${10 * (i % 6)}.5`);
  const data = parseCsv(`c,x,y\n${lines.join("\n")}\n`, { target: "y", missing: ["5", "gone"] });
  const learnt = await trainBoost(data, { rounds: 60, learningRate: 0.3, minChildWeight: 0 }, {
    threads: 1,
  });
  const [byName] = learnt.predictValue({ c: "c5", x: 1 });
  assertAlmostEquals(byName, 50.5, 1); // shrunken leaves
  const out = new Float64Array(1);
  learnt.positional(learnt.schemaHash).valueInto(new Float64Array([5, 1]), out);
  assertEquals(out[0], byName);
  const app = createApp({ models: { m: learnt } });
  const ask = async (type: string, body: string) => {
    const headers = { "content-type": type };
    const answer = await app.request("/v1/models/m/predict", { method: "POST", headers, body });
    return (await answer.json()).predictions;
  };
  assertEquals(await ask("application/json", '{"c":"c5","x":1}'), [byName]);
  assertEquals(await ask("text/csv", "c,x\nc5,1\n"), [byName]);
});

Deno.test("spaces around a cell that means missing count in no body of CSV", async () => {
  const data = parseCsv(
    `c,x,y\n${
      Array.from({ length: 90 }, (_, i) => `${["a", "b", "NA"][i % 3]},1,${i % 3}.5\n`).join("")
    }`,
    { target: "y" },
  );
  const learnt = await trainBoost(data, { rounds: 20, minChildWeight: 0 }, { threads: 1 });
  const [gone] = learnt.predictValue({ c: null, x: 1 });
  const [other] = learnt.predictValue({ c: "new", x: 1 });
  assert(Math.abs(gone - other) > 0.1);
  const app = createApp({ models: { m: learnt } });
  for (const cell of ["NA", " NA", "N/A\t", '" ? "', " "]) {
    const csv = `c,x\n${cell},1\n`;
    const body = { method: "POST", headers: { "content-type": "text/csv" }, body: csv };
    const answer = await app.request("/v1/models/m/predict", body);
    assertEquals((await answer.json()).predictions, [gone]);
    for await (const batch of csvBatches(new Blob([csv]).stream(), learnt.schema)) {
      assertEquals([...learnt.predictValue(batch.data)], [gone]);
    }
  }
});

Deno.test("spaces around the cells that are said to mean missing count in no format", () => {
  const options = { missing: ["NA", " unknown\t"] };
  const rows = [{ c: "unknown", x: 1 }, { c: "a", x: 2 }, { c: " NA", x: 3 }];
  const datasets = [
    parseCsv(`c,x\n${rows.map(({ c, x }) => `${c},${x}\n`).join("")}`, options),
    parseJsonLines(rows.map((row) => `${JSON.stringify(row)}\n`).join(""), options),
    datasetFromRows(rows, options),
  ];
  for (const { features: [column] } of datasets) {
    assert(column.kind === "categorical");
    assertEquals(column.categories, ["a"]);
    assertEquals([...column.codes], [-1, 0, -1]);
  }
});

const learntUsual = await trainBoost(
  parseCsv(TABLE.replaceAll("-999", "NA").replaceAll("unknown", "?"), {
    target: "y",
    task: "regression",
  }),
  { rounds: 10, minRowsPerLeaf: 1 },
);

Deno.test("the usual markers are missing as text of rows and JSON, as they are in CSV", async () => {
  assertEquals(learntUsual.schema.missingCells, undefined);
  const [gone, other] = learntUsual.predictValue([{ x: null, c: null }, { x: 3, c: "zz" }]);
  assert(gone > 7 && other < 5, "missing and unknown are told apart");
  const app = createApp({ models: { m: learntUsual } });
  const post = async (path: string, body: unknown, type = "application/json") => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await app.request(path, {
      method: "POST",
      headers: { "content-type": type },
      body: text,
    });
    return await response.json();
  };
  const evaluator = await import(
    `data:text/typescript;base64,${
      btoa(new TextDecoder().decode(exportModel(learntUsual, "typescript").bytes))
    }`
  );
  for (const mark of ["", "NA", "NaN", "nan", "null", "?", "N/A", " NA", "\tnull ", " "]) {
    const row = { x: mark, c: mark };
    const seen = new Map<string, number>();
    const onReport = ({ missing, unknown }: InputReport) => {
      missing.forEach((count, name) => seen.set(`${name} missing`, count));
      unknown.forEach((count, name) => seen.set(`${name} unknown`, count));
    };
    assertEquals([...learntUsual.predictValue(row, { onReport })], [gone], mark);
    assertEquals([...seen], [["x missing", 1], ["c missing", 1]], mark);
    assertEquals(evaluator.predict(row), [gone], mark);
    const csv = parseCsv(`x,c\n"${mark}","${mark}"\n`, {
      schema: { ...learntUsual.schema, target: { name: "none" } },
    });
    assertEquals([...learntUsual.predictValue(csv)], [gone], mark);
    const native = "/v1/models/m/predict";
    assertEquals((await post(native, row)).predictions, [gone], mark);
    assertEquals((await post(native, [row, row])).predictions, [gone, gone], mark);
    assertEquals((await post(native, { x: [mark], c: [mark] })).predictions, [gone], mark);
    assertEquals((await post(native, `x,c\n"${mark}","${mark}"\n`, "text/csv")).predictions, [
      gone,
    ]);
    const lines = await post(native, JSON.stringify(row) + "\n", "application/x-ndjson");
    assertEquals(lines.prediction, gone, mark);
    assertEquals((await post("/invocations", { dataframe_records: [row] })).predictions, [gone]);
    const tensors = ["x", "c"].map((name) => ({
      name,
      shape: [1],
      datatype: "BYTES",
      data: [mark],
    }));
    const { outputs } = await post("/v2/models/m/infer", { inputs: tensors });
    assertEquals(outputs[0].data, [gone], mark);
  }
  // A list of the model's own counts instead, and a known category is never missing.
  assertEquals([...model.predictValue({ x: 3, c: "NA" })], [
    ...model.predictValue({ x: 3, c: "zz" }),
  ]);
  // Other spaces are text.
  assertEquals([...learntUsual.predictValue({ x: 3, c: "\u00a0" })], [other]);
});

Deno.test("data made by hand has NaN where its missingCells say so, or is refused", async () => {
  const made = (value: number, missingCells: readonly string[]) => ({
    numRows: 40,
    features: [{
      kind: "numeric",
      name: "x",
      values: Float64Array.from({ length: 40 }, (_, row) => row % 4 === 2 ? value : row % 4),
    }],
    target: {
      kind: "regression",
      name: "y",
      values: Float64Array.from({ length: 40 }, (_, row) => row % 4 === 2 ? 9 : 0),
    },
    missingCells,
  } as const);
  for (const cells of [["-999"], [" -999.0 "], ["none", "-9,99e2"]]) {
    const { features, target } = made(-999, cells);
    const create = () => createDataset(features, target, undefined, { missingCells: cells });
    const { code, details } = assertThrows(create, DataError);
    assertEquals([code, details.column, details.row], ["E_DATA_TYPE", "x", 3]);
    await assertRejects(async () => await trainBoost(made(-999, cells), { rounds: 2 }), DataError);
    // The marker is missing however a row writes it.
    const model = await trainBoost(made(NaN, cells), { rounds: 20, minRowsPerLeaf: 1 });
    const [missing, number] = model.predictValue([{ x: null }, { x: 3 }]);
    assert(missing > number + 1);
    for (const x of [-999, "-999"]) {
      assertEquals([...model.predictValue({ x })], [missing]);
    }
  }
});
