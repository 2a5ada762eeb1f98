import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { Labels } from "../../../src/data/types.ts";
import { blocksOf, HERE } from "../../../src/metric/job.ts";
import { METRIC_NAMES, metricByName } from "../../../src/metric/metrics.ts";
import { rankByScore } from "../../../src/metric/order.ts";
import { predictionsOf } from "../../../src/metric/response.ts";
import type { Metric, Predictions } from "../../../src/metric/types.ts";
import type { Postprocess } from "../../../src/model/types.ts";
import { createMeasure, placeBytes, placeIn } from "../../../src/parallel/rows/measure.ts";
import { createRng } from "../../../src/util/rng.ts";

const ROWS = 20_000; // five blocks

type Kind = "number" | "two" | "classes" | "queries" | "levels" | "times";

const KINDS: { readonly [name: string]: Kind } = {
  quantile: "levels",
  expectile: "levels",
  coxNll: "times",
  ...Object.fromEntries(
    ["aucMu", "aucOvr", "macroF1", "balancedAccuracy", "mcc", "topAccuracy"]
      .map((name) => [name, "classes"] as const),
  ),
  ...Object.fromEntries(["ndcg", "map", "precisionAt", "mrr"].map((name) => [name, "queries"])),
  ...Object.fromEntries(
    [
      "logLoss",
      "accuracy",
      "error",
      "brier",
      "ece",
      "f1",
      "precision",
      "recall",
      "klDivergence",
      "crossEntropyLambda",
      "auc",
      "averagePrecision",
      "aucPr",
      "ams",
    ].map((name) => [name, "two"] as const),
  ),
};

const PARAMS = { quantiles: [0.2, 0.7], expectiles: [0.2, 0.7] };

/** Scores with many ties, one far off, and labels that they tell of; weights, some of them 0. */
function scored(
  kind: Kind,
  weighted: boolean,
): { labels: Labels; given: Predictions; link: Postprocess } {
  const rng = createRng(kind.length + (weighted ? 1 : 0));
  const numOutputs = kind === "classes" ? 3 : kind === "levels" ? 2 : 1;
  const raw = Float64Array.from({ length: ROWS * numOutputs }, (_, i) => {
    const x = rng.nextFloat() + rng.nextFloat() - 1;
    // Beside e^1e6 all other rows at risk are nothing.
    return i === 7 && kind !== "times" ? 1e6 : rng.nextInt(3) === 0 ? Math.round(4 * x) / 4 : x;
  });
  const values = Float64Array.from({ length: ROWS }, (_, row) => {
    const x = raw[row] + rng.nextFloat() - 0.5;
    if (kind === "two") return x > 0 ? 1 : 0;
    if (kind === "classes") return Math.max(0, Math.min(2, Math.floor(1.5 + x)));
    if (kind === "queries") return Math.max(0, Math.min(3, Math.floor(1 + 2 * x)));
    if (kind === "times") return (rng.nextInt(3) - 0.5) * (1 + rng.nextInt(5000));
    return 0.1 + rng.nextFloat();
  });
  const link: Postprocess = {
    name: kind === "two" ? "sigmoid" : kind === "classes" ? "softmax" : "identity",
  };
  return {
    labels: {
      values,
      ...(weighted && { weight: Float64Array.from({ length: ROWS }, () => rng.nextInt(4) / 7) }),
      ...(kind === "queries" &&
        { group: Int32Array.from(values, (_, row) => Math.floor(row / 13)) }),
    },
    given: predictionsOf(raw, ROWS, numOutputs, link),
    link,
  };
}

const MOST_ITEMS = 3000;

/** Several threads that take items in turn, over one memory. */
function onThreads(
  threads: number,
  metrics: readonly Metric[],
  labels: Labels,
  { raw, numRows, numOutputs }: Predictions,
  postprocess: Postprocess,
): readonly number[] {
  const recipes = metrics.map(({ recipe }) => JSON.parse(JSON.stringify(recipe)));
  const predictions = { raw, response: new Float64Array(raw.length), numRows, numOutputs };
  const set = { labels, predictions, postprocess, recipes };
  const memory = new SharedArrayBuffer(placeBytes(set));
  const teams = Array.from(
    { length: threads },
    () => createMeasure({ ...set, place: placeIn(memory, 0) }),
  );
  for (let step = 0; step < teams[0].numSteps; step++) {
    let next = 0;
    let taken = false;
    // One item for each call of `run`, so that the next thread has its turn.
    const takeOne = () => {
      if (taken) return Infinity;
      taken = true;
      return next++;
    };
    for (let turn = 0; turn < MOST_ITEMS; turn++) {
      taken = false;
      teams[turn % threads].run(step, takeOne);
    }
  }
  return teams[threads - 1].values();
}

Deno.test("metrics by several threads have the bits of one, whoever takes what", () => {
  for (const weighted of [false, true]) {
    for (const kind of ["number", "two", "classes", "queries", "levels", "times"] as const) {
      const { labels, given, link } = scored(kind, weighted);
      const metrics = METRIC_NAMES
        .filter((name) => (KINDS[name] ?? "number") === kind)
        .map((name) => metricByName(name, PARAMS));
      assert(metrics.length > 0 && metrics.every(({ job }) => job !== undefined), kind);
      const expected = metrics.map((metric) => metric.value(labels, given));
      assert(expected.every(Number.isFinite), `${kind} ${expected}`);
      for (const threads of [1, 2, 3]) {
        assertEquals(onThreads(threads, metrics, labels, given, link), expected, kind);
      }
    }
  }
});

Deno.test("metrics of many blocks equal sums made another way", () => {
  for (const weighted of [false, true]) {
    const { labels: { values, weight }, labels, given } = scored("two", weighted);
    const { raw, response } = given;
    const w = (row: number) => weight?.[row] ?? 1;
    const rows = Array.from(values, (_, row) => row);
    const total = (term: (row: number) => number) =>
      rows.reduce((sum, row) => sum + w(row) * term(row), 0);
    const all = total(() => 1);
    const value = (name: string) => metricByName(name).value(labels, given);
    // Plain sums of 20,000 terms: their own rounding is below 1e-11.
    const near = (name: string, expected: number) =>
      assertAlmostEquals(value(name), expected, 1e-11);
    near("brier", total((row) => (response[row] - values[row]) ** 2) / all);
    near(
      "logLoss",
      total((row) => {
        const p = Math.min(1 - 1e-15, response[row]);
        return -Math.log(values[row] === 1 ? p : 1 - p);
      }) / all,
    );
    near("accuracy", total((row) => (response[row] > 0.5 ? 1 : 0) === values[row] ? 1 : 0) / all);
    // AUC by midranks from the lowest: (Σ ranks of positives − P (P + 1) / 2) / (P N), with weights.
    const up = rows.toSorted((a, b) => raw[a] - raw[b]);
    let [below, area, positives] = [0, 0, 0];
    let [hits, precision] = [0, 0];
    for (let at = 0; at < ROWS;) {
      const tied = [];
      for (const score = raw[up[at]]; at < ROWS && raw[up[at]] === score; at++) tied.push(up[at]);
      const p = tied.reduce((sum, row) => sum + w(row) * values[row], 0);
      const n = tied.reduce((sum, row) => sum + w(row), 0) - p;
      area += p * (below + n / 2);
      below += n;
      positives += p;
    }
    near("auc", area / (positives * below));
    let seen = 0;
    const down = up.toReversed();
    for (let at = 0; at < ROWS;) {
      let step = 0;
      for (const score = raw[down[at]]; at < ROWS && raw[down[at]] === score; at++) {
        step += w(down[at]) * values[down[at]];
        seen += w(down[at]);
      }
      hits += step;
      if (seen > 0) precision += step * hits / seen;
    }
    near("averagePrecision", precision / positives);
  }
});

Deno.test("ams over many blocks is that of a plain sort, and NaN has none", () => {
  for (const weighted of [false, true]) {
    const { labels, given } = scored("two", weighted);
    const { values, weight } = labels;
    const { raw } = given;
    const down = Array.from(raw, (_, row) => row).sort((a, b) => raw[b] - raw[a] || a - b);
    const significance = (s: number, b: number) =>
      Math.sqrt(2 * ((s + b + 10) * Math.log(1 + s / (b + 10)) - s));
    for (const share of [0.0001, 0.15, 0.5]) {
      const selected = Math.max(1, Math.floor(share * ROWS));
      const cut = raw[down[selected - 1]];
      const [above, tied] = [down.filter((r) => raw[r] > cut), down.filter((r) => raw[r] === cut)];
      const of = (rows: readonly number[], label: number) =>
        rows.reduce((all, row) => all + (values[row] === label ? weight?.[row] ?? 1 : 0), 0);
      const part = (selected - above.length) / tied.length;
      const sum = (label: number) => of(above, label) + part * of(tied, label);
      const found = metricByName(`ams@${share}`).value(labels, given);
      // Plain sums of thousands of terms round by 1e-12 of them.
      assertAlmostEquals(found, significance(sum(1), sum(0)), 1e-10);
    }
    let [s, b, best] = [0, 0, 0];
    down.forEach((row, at) => {
      if (values[row] === 1) s += weight?.[row] ?? 1;
      else b += weight?.[row] ?? 1;
      if (raw[down[at + 1]!] !== raw[row]) best = Math.max(best, significance(s, b));
    });
    assertAlmostEquals(metricByName("ams@1").value(labels, given), best, 1e-10);
    for (const share of [0.15, 1]) {
      const some = { ...given, raw: raw.with(4000, NaN) };
      assertEquals(metricByName(`ams@${share}`).value(labels, some), NaN);
    }
  }
});

Deno.test("rows that tie at the cut of ams@share count in part, whatever their order", () => {
  // Two of four rows are selected: the first, and a third of each of the other three.
  const raw = Float64Array.of(2, 1, 1, 1);
  const weight = Float64Array.of(1, 6, 3, 3);
  const values = Float64Array.of(1, 1, 0, 0);
  const significance = Math.sqrt(2 * ((3 + 12) * Math.log(1 + 3 / 12) - 3)); // s = 1 + 2, b = 1 + 1
  for (const order of [[0, 1, 2, 3], [2, 0, 3, 1], [3, 2, 1, 0]]) {
    const take = (all: Float64Array) => Float64Array.from(order, (row) => all[row]);
    const given = { raw: take(raw), response: take(raw), numRows: 4, numOutputs: 1 };
    const found = metricByName("ams@0.5")
      .value({ values: take(values), weight: take(weight) }, given);
    assertAlmostEquals(found, significance, 1e-14);
  }
});

Deno.test("the best ams of all selections may lie behind the first blocks", () => {
  const raw = Float64Array.from({ length: ROWS }, (_, row) => -row);
  const values = raw.map((_, row) => row < 9000 ? 1 : 0);
  const given = { raw, response: raw, numRows: ROWS, numOutputs: 1 };
  // Nine thousand signals without background.
  const best = Math.sqrt(2 * (9010 * Math.log(1 + 9000 / 10) - 9000));
  assertAlmostEquals(metricByName("ams@1").value({ values }, given), best, 1e-10);
});

Deno.test("coxNll over many blocks is the formula, row by row, with groups longer than a block", () => {
  const rng = createRng(4);
  for (const weighted of [false, true]) {
    // A third of the rows at one time: its group begins in one block and ends in another.
    const values = Float64Array.from({ length: ROWS }, () => {
      const time = rng.nextInt(3) === 0 ? 40 : 1 + rng.nextInt(60);
      return rng.nextInt(2) ? time : -time;
    });
    const raw = values.map((time) => rng.nextFloat() * 4 - Math.abs(time) / 20);
    const weight = weighted
      ? Float64Array.from({ length: ROWS }, () => rng.nextInt(4) / 7)
      : undefined;
    const w = (row: number) => weight?.[row] ?? 1;
    const atRisk = new Map<number, number>();
    for (let time = 1; time <= 60; time++) {
      let sum = 0;
      for (let row = 0; row < ROWS; row++) {
        if (Math.abs(values[row]!) >= time) sum += w(row) * Math.exp(raw[row]!);
      }
      atRisk.set(time, sum);
    }
    let [total, events] = [0, 0];
    for (let row = 0; row < ROWS; row++) {
      if (values[row]! < 0) continue;
      total += w(row) * (Math.log(atRisk.get(values[row]!)!) - raw[row]!);
      events += w(row);
    }
    const given = { raw, response: raw, numRows: ROWS, numOutputs: 1 };
    const labels = { values, ...(weight && { weight }) };
    // Plain sums of 20,000 terms: their own rounding is below 1e-11.
    assertAlmostEquals(metricByName("coxNll").value(labels, given), total / events, 1e-11);
  }
});

Deno.test("areas are those of a plain sort for scores that buckets part badly, and NaN has none", () => {
  const rng = createRng(2);
  const spreads: { readonly [name: string]: () => number } = {
    exponents: () => (rng.nextInt(2) ? 1 : -1) * 2 ** (rng.nextInt(600) - 300),
    infinite: () =>
      rng.nextInt(40) === 0 ? (rng.nextInt(2) ? Infinity : -Infinity) : rng.nextFloat(),
    tiny: () => 5e-324 * rng.nextInt(9000),
    huge: () => (rng.nextFloat() - 0.5) * Number.MAX_VALUE * 2,
    equal: () => 3,
    close: () => 1 + rng.nextInt(50) * Number.EPSILON,
    signedZero: () => rng.nextInt(2) ? 0 : -0,
  };
  for (const [name, draw] of Object.entries(spreads)) {
    const raw = Float64Array.from({ length: 9000 }, draw);
    const values = raw.map(() => rng.nextInt(2));
    const rows = Array.from(raw, (_, row) => row).sort((a, b) =>
      raw[a] === raw[b] ? 0 : raw[a] < raw[b] ? -1 : 1
    );
    const falling = Array.from(raw, (_, row) => row).sort((a, b) =>
      raw[a] === raw[b] ? a - b : raw[a] < raw[b] ? 1 : -1
    );
    const ranked = rankByScore(raw, raw.length, HERE);
    for (const { items, run } of ranked.steps) {
      for (let item = 0; item < items; item++) run(item);
    }
    assertEquals(Array.from(ranked.rows), falling, name);
    let [below, twice, positives] = [0, 0, 0];
    for (let at = 0; at < raw.length;) {
      let [p, n] = [0, 0];
      for (const score = raw[rows[at]]; at < raw.length && raw[rows[at]] === score; at++) {
        if (values[rows[at]] === 1) p++;
        else n++;
      }
      twice += p * (2 * below + n);
      below += n;
      positives += p;
    }
    const given = { raw, response: raw, numRows: raw.length, numOutputs: 1 };
    // Halves of whole numbers: exact.
    assertEquals(
      metricByName("auc").value({ values }, given),
      twice / 2 / (positives * below),
      name,
    );
    raw[4000] = NaN;
    assertEquals(metricByName("auc").value({ values }, given), NaN, name);
  }
});

Deno.test("blocksOf() covers the rows once, in at most 128 blocks", () => {
  for (const numRows of [0, 1, 4096, 4097, 524_288, 524_289, 1_000_000, 10_000_000]) {
    const { count, start } = blocksOf(numRows);
    assert(count >= 1 && count <= 128);
    assertEquals(start(0), 0);
    assertEquals(start(count), numRows);
    for (let b = 0; b < count; b++) assert(numRows === 0 || start(b + 1) > start(b));
  }
});
