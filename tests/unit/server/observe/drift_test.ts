import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { driftOf, withTrainingStats } from "../../../../src/format/training_stats.ts";
import { createApp } from "../../../../src/server/app.ts";
import { smallModel, smallRaw } from "../../../support/models/small.ts";

type Person = {
  readonly age: number | null;
  readonly job: string | null;
  readonly "__proto__": number | null;
};

/** `JSON.parse` and `Object.fromEntries` make a column of that name; a literal would not. */
function person(age: number | null, job: string | null, proto: number | null): Person {
  return Object.fromEntries([["age", age], ["job", job], [
    "__proto__",
    proto,
  ]]) as unknown as Person;
}

// 200 rows: all shares are whole thousandths, which the six digits of the file hold.
const training = Array.from(
  { length: 200 },
  (_, i) => person(i % 20 === 0 ? null : i, i % 4 === 0 ? "b" : "a", (i * 7) % 200 - 100),
);
const later = Array.from(
  { length: 150 },
  (_, i) => person(i % 10 === 0 ? null : 100 + i, ["a", "b", "new", null][i % 4], 3 * i - 100),
);

/** PSI from the rows alone, with deciles of its own: nothing of src is used. */
function expectedPsi<T>(
  before: readonly T[],
  after: readonly T[],
  placeOf: (v: T) => number,
  places: number,
) {
  const share = (values: readonly T[], place: number) =>
    (values.filter((value) => placeOf(value) === place).length + 0.5) /
    (values.length + 0.5 * places);
  let psi = 0;
  for (let place = 0; place < places; place++) {
    const [old, now] = [share(before, place), share(after, place)];
    psi += (now - old) * Math.log(now / old);
  }
  return psi;
}

function expectedNumberPsi(before: readonly (number | null)[], after: readonly (number | null)[]) {
  const known = before.filter((v) => v !== null).sort((a, b) => a - b);
  const limits = new Set<number>();
  for (let i = 1; i < 10; i++) limits.add(known[Math.floor(i * known.length / 10)]);
  const bins = [...limits];
  // Missing, the unknown of categories (here never), then bins that hold values up to their limit.
  const placeOf = (value: number | null) => {
    if (value === null) return 0;
    const bin = bins.findIndex((limit) => value <= limit);
    return 2 + (bin < 0 ? bins.length : bin);
  };
  return expectedPsi(before, after, placeOf, bins.length + 3);
}

const rawOf = (p: Person) => smallRaw(p.age, p.job, p["__proto__"]);

async function metricsAfter(
  model: ReturnType<typeof smallModel>,
  bodies: readonly unknown[],
): Promise<Map<string, number>> {
  const app = createApp({ models: { m: model } });
  for (const body of [later[0], ...bodies]) { // the first request is not counted
    const answer = await app.request("/v1/models/m/predict", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    assertEquals(answer.status, 200);
  }
  const text = await (await app.request("/metrics")).text();
  const found = new Map<string, number>();
  for (const line of text.split("\n")) {
    const match =
      /^(treeline_[a-z_]+)\{model="m",version="\w+"(?:,(?:feature|score)="(.*)")?\} (.*)$/
        .exec(line);
    if (match !== null) {
      found.set(match[1] + (match[2] === undefined ? "" : ` ${match[2]}`), Number(match[3]));
    }
  }
  return found;
}

Deno.test("PSI of /metrics is that of the rows against those of training, feature by feature", async () => {
  const model = withTrainingStats(smallModel(), training);
  const metrics = await metricsAfter(model, later);
  assertEquals(metrics.get("treeline_training_statistics"), 1);
  assertEquals(metrics.get("treeline_psi_rows_total"), 150);
  const jobs = (p: Person) => p.job === null ? 0 : p.job === "new" ? 1 : p.job === "a" ? 2 : 3;
  const expected = {
    "treeline_feature_psi age": expectedNumberPsi(
      training.map((p) => p.age),
      later.map((p) => p.age),
    ),
    "treeline_feature_psi job": expectedPsi(training, later, jobs, 4),
    "treeline_feature_psi __proto__": expectedNumberPsi(
      training.map((p) => p["__proto__"]),
      later.map((p) => p["__proto__"]),
    ),
    "treeline_psi raw": expectedNumberPsi(training.map(rawOf), later.map(rawOf)),
  };
  for (const [name, psi] of Object.entries(expected)) {
    assert(psi > 0.25, `${name} has drifted: ${psi}`);
    assertAlmostEquals(metrics.get(name)!, psi, 1e-12); // other order of the same few additions
  }
  // The library's own comparison of whole data sets agrees, but for the six digits of its shares.
  const drift = driftOf(model, later as unknown as Record<string, number | string | null>[]);
  for (const { name, psi } of drift) {
    const key = name === "raw" ? "treeline_psi raw" : `treeline_feature_psi ${name}`;
    assertAlmostEquals(metrics.get(key)!, psi, 1e-5);
  }
});

Deno.test("PSI of rows like those of training is small, also where batches are sampled", async () => {
  const model = withTrainingStats(smallModel(), training);
  const batch = Array.from({ length: 1000 }, (_, i) => training[i % 200]);
  const metrics = await metricsAfter(model, [batch, batch, batch]);
  assertEquals(metrics.get("treeline_psi_rows_total"), 3 * 64);
  for (const [name, value] of metrics) {
    if (name.includes("psi ")) assert(value < 0.25, `${name} ${value}`);
  }
});

Deno.test("there is no PSI before a hundred rows, nor of a model without statistics of training", async () => {
  const names = (metrics: Map<string, number>) =>
    [...metrics.keys()].filter((name) => name.includes("psi "));
  const few = await metricsAfter(withTrainingStats(smallModel(), training), later.slice(0, 99));
  assertEquals(names(few), []);
  const none = await metricsAfter(smallModel(), later);
  assertEquals([names(none), none.get("treeline_training_statistics")], [[], 0]);
});
