/**
 * Every way into a model gives one score: rows, columns, CSV, JSON lines, positions, threads, each
 * kind of server body and the TypeScript export, against a walk of the trees written here.
 */
import { assertEquals } from "@std/assert";
import {
  createScorerPool,
  datasetFromRows,
  decodeModel,
  encodeModel,
  exportModel,
  type Model,
  parseCsv,
  parseJsonLines,
  type Row,
  train,
} from "../../../mod.ts";
import { createScanner } from "../../../src/data/csv/scan.ts";
import { parseCsvStream } from "../../../src/data/csv/parse.ts";
import { csvBatches } from "../../../src/data/csv/batches.ts";
import { createApp } from "../../../src/server/mod.ts";
import { createRng } from "../../../src/util/rng.ts";
import { forMany } from "../../../src/server/body/for_many.ts";

await forMany.load(); // what answers many rows is tested, too

type Cell = number | string | null;

/** Columns of a table: numbers of several kinds, and text of few and of many levels. */
function makeCells(seed: number, numRows: number): { [name: string]: Cell[] } {
  const rng = createRng(seed);
  const make = (cell: () => Cell, gaps = 0.1) =>
    Array.from({ length: numRows }, () => rng.nextFloat() < gaps ? null : cell());
  const word = (levels: number, text: (level: number) => string) => () => text(rng.nextInt(levels));
  return {
    whole: make(() => rng.nextInt(50) - 25),
    "a real": make(() => (rng.nextFloat() - 0.5) * 10 ** (rng.nextInt(9) - 4)),
    full: make(() => rng.nextFloat(), 0),
    'größe, "in" cm': make(() => Math.round(1000 * rng.nextFloat()) / 8),
    few: make(word(5, (level) => "vwxyz"[level]!)),
    many: make(word(300, (level) => `${"ab cd,ef".slice(0, level % 9)}|${level}`)),
    odd: make(
      word(90, (level) => `${level % 2 ? 'é"' : "日本"} ${level}${"-".repeat(level % 30)}`),
      0,
    ),
    digits: make(word(70, (level) => `0${level}`)),
  };
}

function rowsOf(cells: { [name: string]: Cell[] }): Row[] {
  const names = Object.keys(cells);
  return cells[names[0]!]!.map((_, r) => Object.fromEntries(names.map((n) => [n, cells[n]![r]])));
}

const quoted = (cell: Cell) =>
  cell === null ? "" : typeof cell === "string" ? `"${cell.replaceAll('"', '""')}"` : String(cell);

function csvOf(rows: readonly Row[]): string {
  const names = Object.keys(rows[0]!);
  const lines = rows.map((row) => names.map((name) => quoted(row[name] as Cell)).join(","));
  return `${names.map((name) => quoted(name)).join(",")}\n${lines.join("\n")}\n`;
}

/** Rows as numbers in the model's order: codes by looking categories up one by one. */
function positions({ schema }: Model, rows: readonly Row[]): Float64Array {
  return Float64Array.from(rows.flatMap((row) =>
    schema.features.map((feature) => {
      const cell = row[feature.name];
      if (cell === null || cell === undefined) return NaN;
      if (feature.kind === "numeric") return Number(cell);
      const code = feature.categories.indexOf(String(cell));
      return code >= 0 ? code : feature.categories.length;
    })
  ));
}

/** Raw scores by walking from node to node. */
function walk({ ensemble, schema, numOutputs }: Model, x: Float64Array): number[] {
  const { trees, treeOutput, treeWeight, baseScore, profile } = ensemble;
  const width = schema.features.length;
  const scores: number[] = [];
  for (let at = 0; at < x.length; at += width) {
    const first = profile.base === "first";
    const sums = first ? [...baseScore] : new Array(numOutputs).fill(0);
    for (let tree = 0; tree + 1 < trees.treeStart.length; tree++) {
      let node = trees.treeStart[tree]!;
      while (trees.kind[node] !== 0) {
        const value = x[at + trees.feature[node]!]!;
        let right: number;
        if (Number.isNaN(value)) right = trees.missing[node]!;
        else if (trees.kind[node] === 1) right = value <= trees.threshold[node]! ? 0 : 1;
        else {
          const word = trees.categoryPool[trees.categoryAt[node]! + Math.floor(value / 32)]!;
          right = (word & 2 ** (value % 32)) !== 0 ? 0 : 1;
        }
        node = trees.firstChild[node]! + right;
      }
      sums[treeOutput[tree]!]! += treeWeight[tree]! * trees.leaf[node]!;
    }
    sums.forEach((sum, k) => scores.push(first ? sum : baseScore[k]! + sum));
  }
  return scores;
}

Deno.test("every way of reading a table gives one dataset", async () => {
  for (const numRows of [40, 700, 3000]) {
    const rows: Row[] = rowsOf(makeCells(numRows, numRows)).map((row, r) => ({
      ...row,
      y: r % 11,
    }));
    const options = { target: "y", task: "regression" } as const;
    const wanted = datasetFromRows(rows, options);
    // The codes themselves, by looking categories up.
    for (const column of wanted.features) {
      if (column.kind === "numeric") continue;
      const names = rows.map((row) => row[column.name] ?? undefined);
      assertEquals(Array.from(column.codes, (code) => column.categories[code]), names);
    }
    const text = csvOf(rows);
    const lines = rows.map((row) => JSON.stringify(row)).join("\n");
    const pieces = () => {
      const rng = createRng(numRows);
      let bytes = new TextEncoder().encode(text);
      return new ReadableStream<Uint8Array>({
        pull(controller) {
          if (bytes.length === 0) return controller.close();
          const size = 1 + rng.nextInt(5000);
          controller.enqueue(bytes.slice(0, size));
          bytes = bytes.slice(size);
        },
      });
    };
    const ways = {
      "CSV": parseCsv(text, options),
      "CSV without wasm": parseCsv(text, options, { createScanner }),
      "CSV in pieces": await parseCsvStream(pieces(), options),
      "JSON lines": parseJsonLines(lines, options),
    };
    for (const [way, data] of Object.entries(ways)) {
      assertEquals({ way, data }, { way, data: wanted });
    }
  }
});

const ALGORITHMS = [
  { algorithm: "boost", rounds: 12, minRowsPerCategory: 2 },
  { algorithm: "boost", rounds: 6, growth: "leaf", maxLeaves: 20, minRowsPerCategory: 2 },
  { algorithm: "gbdt", rounds: 5 },
] as const;

for (const [seed, params] of ALGORITHMS.entries()) {
  Deno.test(`every way into a model gives one score: ${JSON.stringify(params)}`, async () => {
    const cells = makeCells(seed + 1, 1500);
    const rows = rowsOf(cells);
    const y = rows.map((row, r) =>
      Number(row["whole"] ?? 40) + (row["few"] === "x" ? 30 : 0) +
      String(row["many"] ?? "").length * 3 + String(row["odd"]).length + (r % 7)
    );
    const table = csvOf(rows.map((row, r) => ({ ...row, y: y[r]! })));
    const data = parseCsv(table, { target: "y", task: "regression" });
    const trained = await train(data, { ...params, seed });
    const model = decodeModel(encodeModel(trained));

    const asked = [...rows.slice(0, 400), ...rowsOf(makeCells(seed + 100, 100))].map((row, r) =>
      r % 50 === 0 ? { ...row, few: "new", many: "also new" } : row
    );
    const x = positions(model, asked);
    const wanted = walk(model, x);
    const check = (way: string, scores: ArrayLike<number>) =>
      assertEquals({ way, scores: Array.from(scores) }, { way, scores: wanted });

    check("rows", model.predictRaw(asked).data);
    check("row by row", asked.map((row) => model.predictRaw(row).data[0]!));
    const text = csvOf(asked);
    check("table", model.predictRaw(parseCsv(text, { schema: model.schema })).data);
    check("another table", model.predictRaw(parseCsv(text, {}, { createScanner })).data);
    for (const means of [{}, { createScanner, batchRows: 33 }]) {
      const scores: number[] = [];
      for await (const batch of csvBatches(new Blob([text]).stream(), model.schema, means)) {
        scores.push(...model.predictRaw(batch.data).data);
      }
      check("batches", scores);
    }
    const lines = asked.map((row) => JSON.stringify(row)).join("\n");
    check("JSON lines", model.predictRaw(parseJsonLines(lines, { schema: model.schema })).data);
    const out = new Float64Array(wanted.length);
    model.positional(model.schemaHash).rawRowsInto(x, out);
    check("positions", out);
    {
      using pool = createScorerPool(model, { threads: 2 });
      check("threads", await pool.rawRows(x, model.schemaHash));
    }
    const source = new TextDecoder().decode(exportModel(model, "typescript").bytes);
    const bytes = new TextEncoder().encode(source);
    const module = await import(
      URL.createObjectURL(new Blob([bytes], { type: "text/typescript" }))
    );
    check("TypeScript", asked.map((row) => module.predict(row)[0]));

    const app = createApp({ models: { m: model } });
    const ask = async (type: string, body: string) => {
      const headers = { "content-type": type };
      const path = "/v1/models/m/predict?kind=raw";
      const answer = await app.request(path, { method: "POST", headers, body });
      return await answer.text();
    };
    const numbers = (answer: string) => JSON.parse(answer).predictions.flat();
    // Twice: the server scores its first rows in another way than those after them.
    for (let turn = 0; turn < 4; turn++) {
      check("JSON body", numbers(await ask("application/json", JSON.stringify(asked))));
      check("CSV body", numbers(await ask("text/csv", text)));
    }
    const single = [];
    for (const row of asked) {
      single.push(...numbers(await ask("application/json", JSON.stringify(row))));
    }
    check("one row a body", single);
    const columns = Object.fromEntries(
      Object.keys(cells).map((name) => [name, asked.map((row) => row[name])]),
    );
    check("columns", numbers(await ask("application/json", JSON.stringify({ columns }))));
    const stream = await ask("application/x-ndjson", lines);
    check(
      "NDJSON body",
      stream.trim().split("\n").map((line) => JSON.parse(line)).flatMap((answer) =>
        answer.prediction ?? answer.predictions
      ),
    );
  });
}
