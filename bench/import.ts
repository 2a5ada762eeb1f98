// deno-lint-ignore-file no-console
/**
 * How long until a 1000-tree XGBoost model scores its first row, here and in XGBoost itself.
 *
 *     deno run -A bench/import.ts [--python PATH]
 *
 * The model (1000 trees of depth 6, binary, 20 features) is trained here, written as UBJSON and saved
 * anew by XGBoost, so that both read XGBoost's own file. The Python given needs xgboost; without it
 * only our side is measured, on our file. Each side reports the median of fifteen loads of the same
 * file in one warm process, and of seven loads in fresh processes; modules are loaded before the
 * clock starts. Also reported: what packing costs, which comes with the 17th row or the first batch.
 *
 * @module
 */
import { trainBoost } from "../src/algorithms/boost/boost.ts";
import { exportModel } from "../src/convert/export_model.ts";
import { importModel } from "../src/convert/import_model.ts";
import { createRng } from "../src/util/rng.ts";

const FOLDER = new URL("../.cache/bench_import/", import.meta.url).pathname;
const at = Deno.args.indexOf("--python");
const python = at < 0 ? "python3" : Deno.args[at + 1];

const LOAD = `
import sys, time, json, numpy as np, xgboost as xgb
X = np.zeros((1, 20), dtype=np.float32)
d = xgb.DMatrix(X, feature_names=[f"x{i}" for i in range(20)], feature_types=["float"] * 20)
times = []
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    b = xgb.Booster(); b.load_model(sys.argv[1]); p = b.predict(d, output_margin=True)
    times.append((time.perf_counter() - start) * 1000)
print(json.dumps({"version": xgb.__version__, "times": times, "margin": float(p[0])}))
`;

async function runPython(script: string, ...args: string[]): Promise<string | undefined> {
  const { success, stdout, stderr } = await new Deno.Command(python, {
    args: ["-c", script, ...args],
  }).output();
  if (success) return new TextDecoder().decode(stdout);
  console.error(new TextDecoder().decode(stderr).split("\n").at(-2));
  return undefined;
}

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[times.length >> 1];

function loadOnce(bytes: Uint8Array): { readonly ms: number; readonly margin: number } {
  const start = performance.now();
  const model = importModel(bytes);
  const row = Object.fromEntries(model.schema.features.map((feature) => [feature.name, 0]));
  const margin = model.predictRaw([row]).data[0];
  return { ms: performance.now() - start, margin };
}

/** Trains the model and writes it as XGBoost would. */
async function makeModel(): Promise<Uint8Array> {
  const rng = createRng(1);
  const numRows = 5000;
  const columns = Array.from(
    { length: 20 },
    () =>
      Float64Array.from(
        { length: numRows },
        () => rng.nextFloat() < 0.05 ? NaN : Math.fround(rng.nextFloat() * 2 - 1),
      ),
  );
  const codes = Int32Array.from(
    { length: numRows },
    (_, i) => (columns[0][i] || 0) * (columns[1][i] || 0) + (rng.nextFloat() - 0.5) / 2 > 0 ? 1 : 0,
  );
  const model = await trainBoost({
    numRows,
    features: columns.map((values, f) => ({ kind: "numeric", name: `x${f}`, values })),
    target: { kind: "classification", name: "y", codes, classes: ["0", "1"] },
  }, { rounds: 1000, maxDepth: 6, learningRate: 0.05, minChildWeight: 0 });
  return exportModel(model, "xgboost-ubj", { probes: 10, rounding: "float32" }).bytes;
}

const SAVE = `
import sys, xgboost as xgb
b = xgb.Booster(); b.load_model(sys.argv[1]); b.save_model(sys.argv[2])
`;

/** Packing, as the first batch or saving does it. */
function packOnce(bytes: Uint8Array): number {
  const model = importModel(bytes);
  const start = performance.now();
  void model.storage;
  return performance.now() - start;
}

const path = `${FOLDER}xgboost.ubj`;
await Deno.mkdir(FOLDER, { recursive: true });
try {
  await Deno.stat(path);
} catch {
  await Deno.writeFile(`${FOLDER}model.ubj`, await makeModel());
  if (await runPython(SAVE, `${FOLDER}model.ubj`, path) === undefined) {
    await Deno.copyFile(`${FOLDER}model.ubj`, path);
  }
}
const bytes = await Deno.readFile(path);
if (Deno.args.includes("--once")) {
  console.log(JSON.stringify(loadOnce(bytes)));
  Deno.exit(0);
}

/** Runs `load` in seven processes, one after the other; the median of what it says. */
async function fresh(load: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 7; i++) times.push(await load());
  return median(times);
}

const cold = await fresh(async () => {
  const args = ["run", "-A", "--no-check", import.meta.url, "--once"];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).ms;
});
const runs = Array.from({ length: 15 }, () => loadOnce(bytes));
const packing = median(Array.from({ length: 15 }, () => packOnce(bytes)));
const theirs = JSON.parse(await runPython(LOAD, path, "15") ?? "null");
const theirsCold = theirs === null
  ? NaN
  : await fresh(async () => JSON.parse((await runPython(LOAD, path, "1"))!).times[0]);
console.log(`model: 1000 trees, ${(bytes.length / 2 ** 20).toFixed(1)} MiB of UBJSON`);
console.log(
  `treeline: import + first row ${median(runs.map((r) => r.ms)).toFixed(1)} ms warm, ${
    cold.toFixed(1)
  } ms in a fresh process; packing ${packing.toFixed(1)} ms warm`,
);
console.log(
  `xgboost ${theirs?.version}: load_model + first predict ${
    median(theirs?.times ?? [NaN]).toFixed(1)
  } ms warm, ${theirsCold.toFixed(1)} ms in a fresh process`,
);
console.log(`margins: ${runs[0].margin} and ${theirs?.margin}`);
