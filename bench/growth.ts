// deno-lint-ignore-file no-console
/**
 * How time and memory of boosting grow with rows, features, bins, depth and classes: one quantity
 * is doubled (or more) at a time, everything else stays. Writes bench/growth.md and bench/growth.svg.
 *
 *     deno run -A --no-check bench/growth.ts [--most-rows=1000000]
 *
 * Each point is a process of its own on one thread; seconds are processor seconds from values in
 * memory to model, megabytes the most that the process held beyond what it held before training.
 *
 * @module
 */
import { trainBoost } from "../src/algorithms/boost/boost.ts";
import type { Dataset, Target } from "../src/data/types.ts";
import { createRng, type Rng } from "../src/util/rng.ts";
import { VERSION } from "../src/util/version.ts";

/** What a point is trained with. */
interface Point {
  readonly rows: number;
  readonly features: number;
  readonly bins: number;
  readonly depth: number;
  readonly classes: number;
  /** @default 10 */
  readonly rounds?: number;
  /** Down to one row a leaf. @default false */
  readonly whole?: boolean;
}

interface Cost {
  readonly seconds: number;
  readonly megabytes: number;
  /** Most that the whole process held. */
  readonly peak: number;
}

const BASE: Point = { rows: 100_000, features: 20, bins: 256, depth: 6, classes: 2 };
const ROUNDS = 10;

/** Points of each quantity, how the time should grow with it, and why it may not. */
const SERIES: {
  readonly [name in keyof Point]: {
    readonly at: number[];
    readonly law: string;
    readonly why: string;
  };
} = {
  rows: {
    at: [10_000, 30_000, 100_000, 300_000, 1_000_000, 10_000_000],
    law: "linear",
    why:
      "Few rows pay for what does not depend on them: compiling kernels, cuts, histograms that " +
      "are scanned for splits.",
  },
  features: {
    at: [10, 30, 100, 300, 1000, 2000],
    law: "linear",
    why: "A histogram of a node has 4 kB a feature; those of 1,000 features and more do not fit " +
      "in the second cache.",
  },
  bins: {
    at: [16, 64, 256, 1024, 4096],
    law: "flat, then linear in the bins of small nodes",
    why: "Rows cost the same whatever the bins, up to 256 in a byte, then in two; scanning a " +
      "histogram for splits costs each bin.",
  },
  depth: {
    at: [2, 4, 6, 8, 10, 12],
    law: "linear in the levels, then in the leaves",
    why: "A level costs its rows once; from a few hundred leaves on scanning 20 × 256 bins of " +
      "each leaf is more. Leaves that double with each level would be an exponent of 7 at depth 10.",
  },
  classes: {
    at: [3, 6, 12, 24, 48],
    law: "linear: a tree for each class",
    why: "Bins and what training begins with are shared.",
  },
};

/** Numbers, a tenth of them in the target; features of few rows where there are many features. */
function makeData({ rows, features, classes, whole }: Point): Dataset {
  const rng = createRng(1);
  const columns = Array.from(
    { length: features },
    () => Float32Array.from({ length: rows }, () => rng.nextUint32() / 2 ** 32),
  );
  const used = Math.max(2, Math.floor(features / 10));
  const codes = new Int32Array(rows);
  for (let row = 0; row < rows; row++) {
    let sum = 0;
    for (let f = 0; f < used; f++) sum += columns[f][row] / used;
    codes[row] = Math.floor(classes * ((2 * sum + rng.nextUint32() / 2 ** 32) / 3));
  }
  return {
    numRows: rows,
    features: columns.map((values, f) => ({ kind: "numeric", name: `x${f}`, values })),
    target: whole === true ? noise(rows, rng) : {
      kind: "classification",
      name: "y",
      codes,
      classes: Array.from({ length: classes }, (_, k) => `${k}`),
    },
  };
}

/** A number for each row that no feature tells of: leaves of one row. */
function noise(rows: number, rng: Rng): Target {
  const values = Float64Array.from({ length: rows }, () => rng.nextFloat());
  return { kind: "regression", name: "y", values };
}

/** Processor seconds of this process (Linux). */
function processorSeconds(): number {
  const fields = Deno.readTextFileSync("/proc/self/stat").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** A figure of this process in megabytes (Linux). */
function megabytes(name: "VmHWM" | "VmRSS"): number {
  const status = Deno.readTextFileSync("/proc/self/status");
  return Number(new RegExp(`${name}:\\s*(\\d+)`).exec(status)![1]) / 1024;
}

async function measure(point: Point): Promise<Cost> {
  const data = makeData(point);
  const held = megabytes("VmRSS");
  const began = processorSeconds();
  await trainBoost(data, {
    rounds: point.rounds ?? ROUNDS,
    ...(point.whole === true ? { minRowsPerLeaf: 1, minChildWeight: 0, lambda: 0 } : {}),
    maxBins: point.bins,
    maxDepth: point.depth,
    growth: "depth",
    maxLeaves: 0,
    subsample: 1,
  }, { threads: 1 });
  const seconds = processorSeconds() - began;
  const peak = megabytes("VmHWM");
  return { seconds, megabytes: peak - held, peak };
}

/** Runs a point in a process of its own. */
async function measureApart(point: Point): Promise<Cost> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", import.meta.filename!, `--point=${JSON.stringify(point)}`],
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** What the processor calls itself (Linux). */
function processorName(): string {
  const found = /model name\s*:\s*(.*)/.exec(Deno.readTextFileSync("/proc/cpuinfo"))?.[1] ?? "?";
  const model = /model\s*:\s*(\d+)/.exec(Deno.readTextFileSync("/proc/cpuinfo"))?.[1];
  return `${found} (model ${model})`;
}

/** Slope between two points of a log-log plot: 1 is linear, 2 quadratic, 0 flat. */
function exponent(from: number, to: number, a: number, b: number): string {
  return (Math.log(b / a) / Math.log(to / from)).toFixed(2);
}

/** Three digits at most, no exponent. */
function shortNumber(value: number): string {
  return value.toLocaleString("en", { maximumSignificantDigits: 3 });
}

const WIDTH = 230;
const HEIGHT = 170;

/** One panel: both figures over one quantity, all axes logarithmic. */
function panel(name: string, at: readonly number[], costs: readonly Cost[], left: number): string {
  const x = (value: number) =>
    left + 34 + (WIDTH - 60) * Math.log(value / at[0]) / Math.log(at.at(-1)! / at[0]);
  const lines = (["seconds", "megabytes"] as const).map((what) => {
    const values = costs.map((cost) => Math.max(cost[what], 0.01));
    const low = Math.min(...values);
    const range = Math.max(Math.log(Math.max(...values) / low), Math.log(10));
    const y = (value: number) => HEIGHT - 34 - (HEIGHT - 74) * Math.log(value / low) / range;
    const points = values.map((value, i) => `${x(at[i]).toFixed(1)},${y(value).toFixed(1)}`);
    const label = `${shortNumber(values[0])} → ${shortNumber(values.at(-1)!)}`;
    const top = what === "seconds" ? 30 : 44;
    return `<polyline class="${what}" points="${points.join(" ")}"/>` +
      `<text class="${what}" x="${left + 34}" y="${top}">${what} ${label}</text>`;
  });
  const ticks = [at[0], at.at(-1)!].map((value, i) =>
    `<text x="${x(value)}" y="${HEIGHT - 14}" text-anchor="${i === 0 ? "start" : "end"}">${
      value.toLocaleString("en")
    }</text>`
  );
  return `<text class="title" x="${left + 34}" y="15">${name}</text>${lines.join("")}` +
    `<path class="axis" d="M${left + 34} ${HEIGHT - 28}h${WIDTH - 60}"/>${ticks.join("")}`;
}

const flag = (name: string) =>
  Deno.args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
const point = flag("point");
if (point !== undefined) {
  console.log(JSON.stringify(await measure(JSON.parse(point))));
  Deno.exit(0);
}
const mostRows = Number(flag("most-rows") ?? 1_000_000);
const tables: string[] = [];
const panels: string[] = [];
for (const [name, { at: all, law, why }] of Object.entries(SERIES)) {
  const at = name === "rows" ? all.filter((rows) => rows <= mostRows) : all;
  const costs: Cost[] = [];
  for (const value of at) {
    const rows = name === "features" ? 20_000 : BASE.rows;
    costs.push(await measureApart({ ...BASE, rows, [name]: value }));
    console.log(name, value, JSON.stringify(costs.at(-1)));
  }
  const rows = at.map((value, i) => {
    const { seconds, megabytes } = costs[i];
    const slopes = i === 0 ? ["", ""] : [
      exponent(at[i - 1], value, costs[i - 1].seconds, seconds),
      exponent(
        at[i - 1],
        value,
        costs[i - 1].megabytes,
        megabytes,
      ),
    ];
    return `| ${value.toLocaleString("en")} | ${seconds.toFixed(2)} | ${slopes[0]} | ${
      megabytes.toFixed(0)
    } | ${slopes[1]} |`;
  });
  const [first, last] = [costs[0], costs.at(-1)!];
  const seen = exponent(at[0], at.at(-1)!, first.seconds, last.seconds);
  const end = exponent(at.at(-2)!, at.at(-1)!, costs.at(-2)!.seconds, last.seconds);
  tables.push(
    `## ${name}\n\nTime in theory: ${law}. Seen: exponent ${seen} from the first line to the last, ` +
      `${end} at the end. ${why}\n\n| ${name} | seconds | exponent | MB | exponent |\n` +
      `| ---: | ---: | ---: | ---: | ---: |\n${rows.join("\n")}\n`,
  );
  panels.push(panel(name, at, costs, panels.length * WIDTH));
}
const deep: string[] = [];
for (const rounds of [1, 3, 10]) {
  const point = { ...BASE, rows: 30_000, features: 10, depth: 30, rounds, whole: true };
  const { seconds, peak } = await measureApart(point);
  console.log("deep", rounds, seconds, peak);
  deep.push(`| ${rounds} | ${seconds.toFixed(2)} | ${peak.toFixed(0)} |`);
}
tables.push(
  "## Deep trees\n\nDepth 30, a target of noise, one row a leaf, 30,000 rows × 10; what the whole process held. The aim is " +
    "200 MB.\n\n| rounds | seconds | MB |\n| ---: | ---: | ---: |\n" + deep.join("\n") + "\n",
);
const style = "text{font:11px sans-serif;fill:#555}.title{font-weight:bold;font-size:13px}" +
  "polyline{fill:none;stroke-width:2}polyline.seconds{stroke:#0a7d5a}polyline.megabytes{stroke:#b35c00}" +
  "text.seconds{fill:#0a7d5a}text.megabytes{fill:#b35c00}.axis{stroke:#999}rect{fill:#fff}";
await Deno.writeTextFile(
  new URL("growth.svg", import.meta.url),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${panels.length * WIDTH} ${HEIGHT}" ` +
    `role="img"><title>Time and memory of boosting</title><style>${style}</style>` +
    `<rect width="100%" height="100%"/>${panels.join("")}</svg>\n`,
);
await Deno.writeTextFile(
  new URL("growth.md", import.meta.url),
  `# Growth of cost\n\n<!-- Written by bench/growth.ts -->\n\nTreeline ${VERSION}, Deno ${Deno.version.deno}, ${processorName()}, one thread, ${ROUNDS} rounds; ` +
    `where a quantity does not vary: ${
      BASE.rows.toLocaleString("en")
    } rows (20,000 for features), ` +
    `${BASE.features} features, ${BASE.bins} bins, depth ${BASE.depth}, ${BASE.classes} classes. ` +
    "Processor seconds, those of the engine's own threads included, from values in memory to model; megabytes beyond what the data took. The " +
    "exponent is the slope since the line above on logarithmic axes: 1 is linear.\n\n" +
    `![Time and memory over rows, features, bins, depth and classes](growth.svg)\n\n${
      tables.join("\n")
    }`,
);
