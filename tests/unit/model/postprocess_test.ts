import { assertAlmostEquals, assertEquals } from "@std/assert";
import { respondInto } from "../../../src/model/calibrate.ts";
import { postprocessInto } from "../../../src/model/postprocess.ts";
import type { Calibration, Postprocess } from "../../../src/model/types.ts";

function close(found: ArrayLike<number>, expected: readonly number[], what: string): void {
  assertEquals(found.length, expected.length, what);
  expected.forEach((value, i) =>
    Number.isNaN(value)
      ? assertEquals(found[i], NaN)
      : assertAlmostEquals(found[i], value, 1e-14 * Math.max(1, Math.abs(value)), `${what} ${i}`)
  );
}

function responses(post: Postprocess, values: readonly number[], cols = 1): Float64Array {
  const out = Float64Array.from(values);
  postprocessInto(post, out, cols);
  return out;
}

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
/** Of one row, by its definition. */
const softmax = (row: readonly number[]) => {
  const sum = row.reduce((total, x) => total + Math.exp(x), 0);
  return row.map((x) => Math.exp(x) / sum);
};

Deno.test("links of single scores are their formulas", () => {
  const x = [-3, -0.5, 0, 0.25, 2];
  const links: readonly (readonly [Postprocess, (x: number) => number])[] = [
    [{ name: "identity" }, (x) => x],
    [{ name: "probability" }, (x) => x],
    [{ name: "sigmoid" }, sigmoid],
    [{ name: "sigmoid", scale: 2 }, (x) => sigmoid(2 * x)],
    [{ name: "exp" }, Math.exp],
    [{ name: "hinge" }, (x) => x > 0 ? 1 : 0],
    [{ name: "signedSquare" }, (x) => Math.sign(x) * x * x],
    [{ name: "log1pExp" }, (x) => Math.log(1 + Math.exp(x))],
  ];
  for (const [post, formula] of links) close(responses(post, x), x.map(formula), post.name);
  // Winitzki's inverse erf with 0.147, worked through at p = 0.9: x = 0.8, ln(1 − x²) = −1.0216512475….
  const tail = Math.log(1 - 0.8 ** 2);
  const a = 2 / (Math.PI * 0.147) + tail / 2;
  const probit = Math.SQRT2 * Math.sqrt(Math.sqrt(a * a - tail / 0.147) - a);
  close(responses({ name: "probit" }, [0.9, 0.1, 0.5]), [probit, -probit, 0], "probit");
  assertAlmostEquals(probit, 1.2815515655446004, 3e-3); // the normal distribution's own quantile
});

Deno.test("links of several scores are taken row by row", () => {
  const rows = [[1, 2, 4], [-1, 0, 0.5]];
  const flat = rows.flat();
  close(responses({ name: "softmax" }, flat, 3), rows.flatMap(softmax), "softmax");
  // Scores of 0 stay 0; the others share the softmax among them.
  const [a, b] = softmax([-1, 0.5]);
  close(responses({ name: "softmaxZero" }, flat, 3), [...softmax(rows[0]), a, 0, b], "softmaxZero");
  close(responses({ name: "proportions" }, [1, 2, 5, 0, 0, 0], 3), [
    1 / 8,
    2 / 8,
    5 / 8,
    1 / 3,
    1 / 3,
    1 / 3,
  ], "proportions");
  const each = flat.map(sigmoid);
  close(responses({ name: "oneVsAll" }, flat, 3), each, "oneVsAll");
  const sums = [0, 3].map((at) => each[at] + each[at + 1] + each[at + 2]);
  close(
    responses({ name: "oneVsAll", normalise: true }, flat, 3),
    each.map((p, i) => p / sums[Math.floor(i / 3)]),
    "oneVsAll, divided",
  );
});

function calibrated(
  post: Postprocess,
  calibration: readonly Calibration[],
  values: readonly number[],
  cols = 1,
): Float64Array {
  const out = Float64Array.from(values);
  respondInto(post, calibration, out, cols);
  return out;
}

Deno.test("respondInto() calibrates raw scores by Platt and temperature, responses by isotonic maps", () => {
  const x = [-2, 0, 3];
  const platt: Calibration = { method: "platt", a: 0.5, b: -1 };
  close(
    calibrated({ name: "sigmoid" }, [platt], x),
    x.map((v) => sigmoid(0.5 * v - 1)),
    "platt",
  );
  const cool: Calibration = { method: "temperature", t: 4 };
  close(calibrated({ name: "sigmoid" }, [cool], x), x.map((v) => sigmoid(v / 4)), "temperature");
  close(calibrated({ name: "softmax" }, [cool], x, 3), softmax(x.map((v) => v / 4)), "several");
  close(calibrated({ name: "identity" }, [], x), x, "none");
  // Flat outside, linear between, the last of equal points; no number stays none.
  const map: Calibration = { method: "isotonic", x: [0, 1, 1, 3], y: [0, 0.25, 0.5, 1] };
  const at = [-1, 0, 0.5, 1, 2, 3, 9, NaN];
  close(
    calibrated({ name: "identity" }, [map], at),
    [0, 0, 0.125, 0.5, 0.75, 1, 1, NaN],
    "isotonic",
  );
});

Deno.test("respondInto() divides several calibrated probabilities of a row by their sum, other numbers not", () => {
  const maps: readonly Calibration[] = [
    { method: "platt", a: 1, b: 0 },
    { method: "platt", a: 2, b: 1 },
    { method: "platt", a: 0, b: 0 },
  ];
  const rows = [[1, 2, 3], [-1, 0, 1]];
  const each = rows.map(([a, b]) => [sigmoid(a), sigmoid(2 * b + 1), 0.5]);
  const divided = each.map((row) => row.map((p) => p / (row[0] + row[1] + row[2])));
  close(calibrated({ name: "softmax" }, maps, rows.flat(), 3), divided.flat(), "softmax");
  close(calibrated({ name: "identity" }, maps, rows.flat(), 3), each.flat(), "identity");
  // The last map is that of the outputs behind it.
  const same = each.map(([a], r) => [a, sigmoid(rows[r][1]), sigmoid(rows[r][2])]).flat();
  close(calibrated({ name: "identity" }, maps.slice(0, 1), rows.flat(), 3), same, "one map");
});
