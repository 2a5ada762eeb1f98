import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import type { Labels } from "../../../src/data/types.ts";
import { ParameterError } from "../../../src/errors.ts";
import { metricByName } from "../../../src/metric/metrics.ts";
import { countQueries } from "../../../src/metric/ranking.ts";
import { labels, one, value } from "../../support/data/metric_values.ts";

Deno.test("ranking metrics and the calibration error of scores that are no numbers are NaN", () => {
  const group = Int32Array.of(0, 0, 0);
  for (const name of ["ndcg", "map", "precisionAt@1", "mrr"]) {
    assertEquals(value(name, { ...labels([0, 1, 1]), group }, one([0.3, NaN, 0.1])), NaN, name);
    assertEquals(value(name, { ...labels([0, 0, 1]), group }, one([0.2, 0.3, 0.4])), 1, name);
  }
  assertEquals(value("ece", labels([1, 0]), one([NaN, 0.5])), NaN);
  // Rows without weight count for nothing, whatever their score.
  assertEquals(value("ece", labels([1, 0], [0, 1]), one([NaN, 0.25])), 0.25);
});

Deno.test("ranking metrics leave out queries without weight, whatever their scores", () => {
  const group = Int32Array.of(0, 0, 1, 1);
  const weighed = { ...labels([0, 1, 0, 1], [0, 0, 1, 1]), group };
  for (const name of ["ndcg", "map", "precisionAt@1", "mrr"]) {
    assertEquals(value(name, weighed, one([NaN, 0.1, 0.2, 0.3])), 1, name);
    const reversed = { ...labels([0, 1, 0, 1], [1, 1, 0, 0]), group };
    assertEquals(value(name, reversed, one([0.2, 0.3, NaN, 0.1])), 1, name);
  }
});

// Queries are dealt with by blocks: none is lost at the end.
Deno.test("ranking metrics of many queries are the means of the queries", () => {
  for (const numQueries of [1, 15, 17, 40, 127, 130, 300]) {
    const queries = Array.from({ length: numQueries }, (_, q) => ({
      truth: [q % 2, 1 - q % 2, +(q % 3 === 0)],
      guess: [q % 5, q % 7, 3.5],
    }));
    const group = Int32Array.from({ length: 3 * numQueries }, (_, row) => Math.floor(row / 3));
    const truth = labels(queries.flatMap((query) => query.truth));
    const guess = one(queries.flatMap((query) => query.guess));
    for (const name of ["ndcg", "map", "precisionAt@1", "mrr"]) {
      const alone = queries.map((query) =>
        value(name, { ...labels(query.truth), group: Int32Array.of(0, 0, 0) }, one(query.guess))
      );
      const mean = alone.reduce((sum, x) => sum + x) / numQueries;
      assertAlmostEquals(value(name, { ...truth, group }, guess), mean, 1e-12, name);
    }
  }
});

Deno.test("queries without weight are not counted", () => {
  const group = Int32Array.of(0, 0, 1, 1, 2, 2);
  const raw = new Float64Array(6); // all tied
  const counted = (weight: number[]) =>
    countQueries({ ...labels([0, 0, 0, 1, 0, 0], weight), group }, raw);
  assertEquals(counted([1, 1, 1, 1, 1, 1]), { count: 3, withoutRelevant: 2, tied: 1 });
  assertEquals(counted([0, 0, 0, 0, 1, 0]), { count: 1, withoutRelevant: 1, tied: 0 });
});

Deno.test("ndcg refuses relevance below 0, of which there is no gain", () => {
  const negative = { ...labels([0, -1, 2]), group: Int32Array.of(0, 0, 0) };
  for (const name of ["ndcg", "ndcg@2"]) {
    assertThrows(() => value(name, negative, one([1, 2, 3])), ParameterError, "row 2 is -1");
  }
  assertEquals(value("map", negative, one([1, 2, 3])), 1);
});

Deno.test("queries without a relevant row count what emptyGroup says in precisionAt and mrr", () => {
  const data: Labels = { ...labels([0, 1, 0, 0]), group: Int32Array.of(0, 0, 1, 1) };
  const guess = one([2, 1, 2, 1]); // the relevant row is second of two
  for (const name of ["precisionAt", "mrr"]) {
    for (const [emptyGroup, expected] of [["skip", 0.5], ["one", 0.75], ["zero", 0.25]] as const) {
      assertEquals(metricByName(name, { emptyGroup }).value(data, guess), expected);
    }
  }
  // Not among the first of each query.
  assertEquals(value("mrr@1", data, guess), 0);
  assertEquals(metricByName("mrr@2-").name, "mrr@2-");
});
