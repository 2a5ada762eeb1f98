// deno-lint-ignore-file no-console
/**
 * Scoring and file sizes on the five model shapes of `bench/peers/score_models.py`, beside the C APIs of
 * XGBoost and LightGBM (`bench/peers/score.c`), onnxruntime-node and ydf-inference, all on one thread;
 * then ours on several threads.
 *
 * `deno task bench:score [--models FOLDER] [--peers PROGRAM] [--python FOLDER] [--node FOLDER] [--shapes NAMES]`
 * measures what it is given: `--node` is where bench/peers/package.json is installed. See bench/score.md.
 *
 * @module
 */
import { importModel } from "../src/convert/import_model.ts";
import { decodeModel, encodeModel } from "../src/format/binary.ts";
import { decideAbove } from "../src/model/decide.ts";
import type { Model } from "../src/model/model.ts";
import { createScorerPool } from "../src/parallel/score/pool.ts";

const SHAPES = ["small", "big", "leaf", "rf", "multi"];
const FEATURES = 28;
/** Rows that are scored on several threads. */
const POOL_ROWS = 262_144;

function flag(name: string, standard?: string): string | undefined {
  const at = Deno.args.indexOf(`--${name}`);
  return at < 0 ? standard : Deno.args[at + 1];
}

const folder = flag("models", ".cache/score")!;
const peers = flag("peers");
const python = flag("python");
const node = flag("node");
const shapes = flag("shapes")?.split(",") ?? SHAPES;

/** The fastest of several short runs: the one that a shared machine disturbed least. */
function fastest(times: readonly number[]): number {
  return Math.min(...times);
}

interface Times {
  readonly loadMs: number;
  /** Nanoseconds of one row, scored alone. */
  readonly one: number;
  /** Nanoseconds a row in batches of 1000. */
  readonly batch: number;
}

function ours(file: Uint8Array<ArrayBuffer>, rows: Float32Array, expected: Float32Array): Times {
  const start = performance.now();
  const model = decodeModel(file);
  const loadMs = performance.now() - start;
  const scorer = model.positional(model.schemaHash);
  const count = rows.length / FEATURES;
  const x = Array.from(
    { length: count },
    (_, r) => rows.subarray(r * FEATURES, (r + 1) * FEATURES),
  );
  const out = new Float64Array(model.numOutputs);
  const ones: number[] = [];
  for (let i = 0; i < 30; i++) {
    const begin = performance.now();
    for (let r = 0; r < 500; r++) scorer.rawInto(x[r + 500 * (i % 8)], out);
    ones.push((performance.now() - begin) * 1e6 / 500);
  }
  for (let r = 0; r < count; r++) {
    scorer.rawInto(x[r], out);
    out.forEach((value, k) => {
      if (value !== expected[r * out.length + k]) throw new Error(`row ${r} is not XGBoost's`);
    });
  }
  const block = new Float64Array(1000 * model.numOutputs);
  const blocks = Math.floor(count / 1000);
  const batches: number[] = [];
  for (let i = 0; i < 25; i++) {
    const begin = performance.now();
    for (let b = 0; b < blocks; b++) {
      scorer.rawRowsInto(rows.subarray(b * 1000 * FEATURES, (b + 1) * 1000 * FEATURES), block);
    }
    batches.push((performance.now() - begin) * 1e6 / (blocks * 1000));
  }
  block.forEach((value, i) => {
    if (value !== expected[(blocks - 1) * block.length + i]) {
      throw new Error(`batch value ${i} is not XGBoost's`);
    }
  });
  return { loadMs, one: fastest(ones), batch: fastest(batches) };
}

async function native(
  library: "xgboost" | "lightgbm",
  model: string,
  rows: string,
): Promise<Times | undefined> {
  if (peers === undefined || python === undefined) return undefined;
  const lib = library === "xgboost"
    ? `${python}/xgboost/lib/libxgboost.so`
    : `${python}/lightgbm/lib/lib_lightgbm.so`;
  const { stdout, success } = await new Deno.Command(peers, {
    args: [library, lib, model, rows, String(FEATURES)],
    env: { OMP_NUM_THREADS: "1" },
    stderr: "null",
  }).output();
  return success ? JSON.parse(new TextDecoder().decode(stdout)) : undefined;
}

/** Loads a package of `--node` as Node does. */
function load<T>(name: string): T {
  const { createRequire } = (globalThis as unknown as {
    process: { getBuiltinModule(name: string): { createRequire(path: string): unknown } };
  }).process.getBuiltinModule("node:module");
  return (createRequire(`${node}/`) as (name: string) => T)(name);
}

/** The part of onnxruntime-node that is used. */
interface Runtime {
  readonly Tensor: new (type: string, data: Float32Array, dims: readonly number[]) => unknown;
  readonly InferenceSession: {
    create(path: string, options: unknown): Promise<{
      readonly inputNames: readonly string[];
      run(feeds: { readonly [name: string]: unknown }): Promise<unknown>;
    }>;
  };
}

async function onnx(path: string, rows: Float32Array): Promise<Times | undefined> {
  if (node === undefined || await size(path) === undefined) return undefined;
  const { Tensor, InferenceSession } = load<Runtime>("onnxruntime-node");
  const start = performance.now();
  const session = await InferenceSession.create(path, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  const loadMs = performance.now() - start;
  const [name] = session.inputNames;
  const time = async (n: number, calls: number) => {
    const begin = performance.now();
    for (let i = 0; i < calls; i++) {
      const part = rows.subarray(i * n * FEATURES, (i + 1) * n * FEATURES);
      await session.run({ [name]: new Tensor("float32", part, [n, FEATURES]) });
    }
    return (performance.now() - begin) * 1e6 / (calls * n);
  };
  const ones: number[] = [];
  const batches: number[] = [];
  for (let i = 0; i < 10; i++) ones.push(await time(1, 200));
  for (let i = 0; i < 6; i++) batches.push(await time(1000, 2));
  return { loadMs, one: fastest(ones), batch: fastest(batches) };
}

/** The part of ydf-inference that is used: columns of numbers by name, null where missing. */
interface Ydf {
  loadModelFromZipBlob(zip: Uint8Array): Promise<{
    predict(columns: { readonly [name: string]: readonly (number | null)[] }): readonly number[];
  }>;
}

async function ydf(path: string, rows: Float32Array): Promise<Times | undefined> {
  if (node === undefined || await size(path) === undefined) return undefined;
  const library = await load<() => Promise<Ydf>>("ydf-inference")();
  const start = performance.now();
  const model = await library.loadModelFromZipBlob(await Deno.readFile(path));
  const loadMs = performance.now() - start;
  // Its input is made beforehand: only scoring is timed.
  const columns = (from: number, n: number) =>
    Object.fromEntries(Array.from({ length: FEATURES }, (_, f) => [
      `f${f}`,
      Array.from({ length: n }, (_, r) => {
        const value = rows[(from + r) * FEATURES + f];
        return Number.isNaN(value) ? null : value;
      }),
    ]));
  const single = Array.from({ length: 500 }, (_, r) => columns(r, 1));
  const block = columns(0, 1000);
  const time = (inputs: readonly ReturnType<typeof columns>[], n: number) => {
    const begin = performance.now();
    for (const input of inputs) model.predict(input);
    return (performance.now() - begin) * 1e6 / (inputs.length * n);
  };
  const ones = Array.from({ length: 10 }, () => time(single, 1));
  const batches = Array.from({ length: 8 }, () => time([block], 1000));
  return { loadMs, one: fastest(ones), batch: fastest(batches) };
}

/** Nanoseconds a row for many rows on so many threads. */
async function pooled(
  model: Model,
  rows: Float32Array,
  threads: number,
  expected: Float32Array,
): Promise<number> {
  const copies = Math.ceil(POOL_ROWS * FEATURES / rows.length);
  const all = new Float32Array(copies * rows.length);
  for (let i = 0; i < copies; i++) all.set(rows, i * rows.length);
  using pool = createScorerPool(model, { threads });
  const runs: number[] = [];
  for (let i = 0; i < 5; i++) {
    const begin = performance.now();
    const raw = await pool.rawRows(all, model.schemaHash);
    runs.push((performance.now() - begin) * 1e6 / (all.length / FEATURES));
    for (let at = 0; at < raw.length; at += 997) {
      if (raw[at] !== expected[at % expected.length]) {
        throw new Error(`${threads} threads: value ${at} is not XGBoost's`);
      }
    }
  }
  return fastest(runs);
}

/** Trees that exact early exit walks, of all; every decision is compared with the full sum. */
function early(model: Model, rows: Float32Array, expected: Float32Array): string | undefined {
  if (model.numOutputs > 1) return undefined;
  const numRows = rows.length / FEATURES;
  const features = model.schema.features.map(({ name }, f) => ({
    kind: "numeric" as const,
    name,
    values: Float64Array.from({ length: numRows }, (_, r) => rows[r * FEATURES + f]),
  }));
  const sorted = expected.toSorted();
  const cells = [0.5, 0.9, 0.99].map((share) => {
    const threshold = sorted[Math.floor(share * numRows)];
    const { above, treesWalked, treesTotal } = decideAbove(model, { features, numRows }, threshold);
    above.forEach((answer, r) => {
      if (answer !== +(expected[r] > threshold)) throw new Error(`row ${r} is decided wrongly`);
    });
    return `${number(100 * treesWalked / treesTotal)} %`;
  });
  return cells.join(" | ");
}

async function size(path: string): Promise<number | undefined> {
  return (await Deno.stat(path).catch(() => undefined))?.size;
}

async function gzipped(path: string): Promise<number | undefined> {
  if (await size(path) === undefined) return undefined;
  const stream = (await Deno.open(path)).readable.pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).arrayBuffer()).byteLength;
}

const number = (value: number | undefined, digits = 0) =>
  value === undefined ? "–" : value.toFixed(digits);
const times = (peer: Times | undefined, mine: Times) =>
  peer === undefined ? "– | –" : `${number(peer.one)} (${number(peer.one / mine.one, 1)}×) | ` +
    `${number(peer.batch)} (${number(peer.batch / mine.batch, 1)}×)`;

console.log(
  "| model | one row ns | batch ns/row | XGBoost one | batch | LightGBM one | batch | ONNX Runtime one | batch | YDF one | batch | load ms |",
);
console.log(`|${" --- |".repeat(12)}`);
const sizes: string[] = [];
const scaling: string[] = [];
const exits: string[] = [];
for (const name of shapes) {
  const path = `${folder}/${name}`;
  if (await size(`${path}.ubj`) === undefined) continue;
  const rows = new Float32Array((await Deno.readFile(`${path}.rows.f32`)).buffer);
  const margin = new Float32Array((await Deno.readFile(`${path}.margin.f32`)).buffer);
  const ubj = await Deno.readFile(`${path}.ubj`);
  const model = importModel(ubj);
  const file = encodeModel(model, { explain: false });
  const first = ours(file, rows, margin);
  const others = [
    await native("xgboost", `${path}.ubj`, `${path}.rows.f32`),
    await native("lightgbm", `${path}.lgb.txt`, `${path}.rows.f32`),
    await onnx(`${path}.onnx`, rows),
    await ydf(`${path}.ydf.zip`, rows),
  ];
  // Before the peers and after them: the better run counts, as the fastest of theirs does.
  const second = ours(file, rows, margin);
  const mine = {
    loadMs: Math.min(first.loadMs, second.loadMs),
    one: Math.min(first.one, second.one),
    batch: Math.min(first.batch, second.batch),
  };
  console.log(
    `| ${name} | ${number(mine.one)} | ${number(mine.batch)} | ${
      others.map((peer) => times(peer, mine)).join(" | ")
    } | ${number(mine.loadMs, 1)} |`,
  );
  const threads = [];
  for (const count of [1, 2]) threads.push(await pooled(model, rows, count, margin));
  scaling.push(
    `| ${name} | ${threads.map((ns) => number(ns)).join(" | ")} | ${
      number(threads[0] / threads[1], 2)
    }× |`,
  );
  const walked = early(model, rows, margin);
  if (walked !== undefined) exits.push(`| ${name} | ${walked} |`);
  const zipped = await gzipped(`${path}.onnx`);
  sizes.push(
    `| ${name} | ${file.length} | ${number(100 * file.length / ubj.length, 1)} % | ` +
      `${zipped === undefined ? "–" : `${number(100 * file.length / zipped, 1)} %`} | ` +
      `${encodeModel(model).length} |`,
  );
}
console.log(`\n${POOL_ROWS} rows at once, ns a row:`);
console.log("| model | 1 thread | 2 threads | times faster |");
console.log("| --- | --- | --- | --- |");
for (const line of scaling) console.log(line);
console.log("\nTrees walked by exact early exit, at thresholds above so many of the rows' scores:");
console.log("| model | 50 % | 90 % | 99 % |");
console.log("| --- | --- | --- | --- |");
for (const line of exits) console.log(line);
console.log("\n| model | .tlm bytes | of UBJ | of gzipped ONNX | with covers and gains |");
console.log("| --- | --- | --- | --- | --- |");
for (const line of sizes) console.log(line);
