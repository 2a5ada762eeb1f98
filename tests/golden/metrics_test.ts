/**
 * Every metric of XGBoost, LightGBM and scikit-learn that has one of ours, beside their numbers:
 * ties, weights, one class, queries without a relevant item (`metrics/recipe.py`).
 *
 * @module
 */
import { assert } from "@std/assert";
import type { Labels } from "../../src/data/types.ts";
import { metricByName } from "../../src/metric/metrics.ts";
import { logFactorial } from "../../src/metric/regression.ts";
import type { Predictions } from "../../src/metric/types.ts";

interface Data {
  readonly y: number[];
  readonly response: number[];
  readonly raw?: number[];
  readonly weight: number[];
  readonly group?: number[];
  readonly outputs?: number;
}

interface Case {
  readonly data: string;
  readonly peer: string;
  readonly name: string;
  /** Our name, and what has to be done to our number where conventions differ. */
  readonly ours: string;
  readonly weighted: boolean;
  /** Null where the peer says NaN. */
  readonly value: number | null;
}

const { datasets, cases }: {
  readonly datasets: { readonly [name: string]: Data };
  readonly cases: readonly Case[];
} = JSON.parse(Deno.readTextFileSync(new URL("metrics/peers.json", import.meta.url)));

function labelsOf({ y, weight, group }: Data, weighted: boolean): Labels {
  return {
    values: Float64Array.from(y),
    ...(weighted ? { weight: Float64Array.from(weight) } : {}),
    ...(group === undefined ? {} : { group: Int32Array.from(group) }),
  };
}

function predictionsOf({ y, response, raw, outputs = 1 }: Data): Predictions {
  return {
    raw: Float64Array.from(raw ?? response),
    response: Float64Array.from(response),
    numRows: y.length,
    numOutputs: outputs,
  };
}

/** Our number in the peer's convention. */
function ourValue(ours: string, data: Data, weighted: boolean): number {
  const [, name, empty] = /^(\S+) empty (\S+)$/.exec(ours) ?? [];
  const labels = labelsOf(data, weighted);
  const value = (word: string, emptyGroup: "one" | "zero" | "skip" = "skip") =>
    metricByName(word, { emptyGroup }).value(labels, predictionsOf(data));
  if (name !== undefined) return value(name, empty as "one" | "zero");
  if (ours.startsWith("1 - ")) return 1 - value(ours.slice(4));
  if (ours === "aucMu of raw scores") {
    const raw = Float64Array.from(data.raw!);
    return metricByName("aucMu").value(labels, { ...predictionsOf(data), response: raw });
  }
  const [, mean, unweighted] = /^(\S+) (unweighted one)$/.exec(ours) ?? [];
  if (unweighted !== undefined) {
    const { empty, weights } = queriesOf(data, weighted);
    return value(mean, "zero") + empty / weights;
  }
  const total = weighted ? data.weight.reduce((a, b) => a + b) : data.y.length;
  if (ours === "gammaDeviance * rows") return value("gammaDeviance") * total;
  if (ours === "poissonNll less ln y!") {
    const constant = data.y.reduce(
      (sum, y, row) => sum + (weighted ? data.weight[row] : 1) * logFactorial(y),
      0,
    );
    return value("poissonNll") - constant / total;
  }
  return value(ours);
}

/** Queries without a relevant item, and the sum of the mean weights of all queries. */
function queriesOf({ group, y, weight }: Data, weighted: boolean) {
  let empty = 0;
  let weights = 0;
  for (const query of new Set(group)) {
    const rows = y.map((_, row) => row).filter((row) => group![row] === query);
    if (rows.every((row) => y[row] === 0)) empty++;
    weights += weighted ? rows.reduce((sum, row) => sum + weight[row], 0) / rows.length : 1;
  }
  return { empty, weights };
}

for (const data of Object.keys(datasets)) {
  const here = cases.filter((one) => one.data === data);
  if (here.length === 0) continue;
  Deno.test(`metrics of ${data} are those of ${[...new Set(here.map(({ peer }) => peer))].join(", ")}`, () => {
    for (const { peer, name, ours, weighted, value } of here) {
      const found = ourValue(ours, datasets[data], weighted);
      const where = `${ours}, ${peer} ${name}${weighted ? ", weighted" : ""}: ${found} for ${value}`;
      if (value === null) assert(Number.isNaN(found), where);
      // XGBoost holds labels, weights and scores in float32, and prints 17 digits of what it sums.
      else assert(Math.abs(found - value) <= (peer === "sklearn" ? 1e-12 : 2e-6) * Math.max(1, Math.abs(value)), where);
    }
  });
}
