/**
 * Data sets of the training benchmark, made by rule from a seed and written as float32 files that
 * every contestant reads.
 *
 * @module
 */
import { createRng } from "../src/util/rng.ts";

/** Shape of one data set. */
export interface Shape {
  readonly name: string;
  readonly rows: number;
  readonly testRows: number;
  readonly features: number;
  /** 2 or more. */
  readonly classes: number;
}

/** The shapes that `deno task bench:train` knows. */
export const SHAPES: readonly Shape[] = [
  { name: "1m-28", rows: 1_000_000, testRows: 100_000, features: 28, classes: 2 },
  { name: "100k-100", rows: 100_000, testRows: 50_000, features: 100, classes: 2 },
  { name: "cover-7", rows: 200_000, testRows: 50_000, features: 54, classes: 7 },
  { name: "10m-28", rows: 10_000_000, testRows: 100_000, features: 28, classes: 2 },
  { name: "10k-28", rows: 10_000, testRows: 10_000, features: 28, classes: 2 },
  { name: "100k-28", rows: 100_000, testRows: 10_000, features: 28, classes: 2 },
  { name: "100k-30", rows: 100_000, testRows: 10_000, features: 30, classes: 2 },
  { name: "20k-1000", rows: 20_000, testRows: 10_000, features: 1000, classes: 2 },
];

/** Where the files of a shape are. */
export function pathsOf(shape: Shape, part: "train" | "test"): { x: string; y: string } {
  const base = new URL(`../.cache/bench/${shape.name}.${part}`, import.meta.url).pathname;
  return { x: `${base}.x.f32`, y: `${base}.y.f32` };
}

/** Writes the files of a shape unless they are there. */
export async function writeShape(shape: Shape): Promise<void> {
  await Deno.mkdir(new URL("../.cache/bench/", import.meta.url), { recursive: true });
  for (const part of ["train", "test"] as const) {
    const paths = pathsOf(shape, part);
    try {
      await Deno.stat(paths.y);
      continue;
    } catch {
      // not there yet
    }
    const rows = part === "train" ? shape.rows : shape.testRows;
    const { x, y } = makeRows(shape, rows, part === "train" ? 1 : 2);
    await Deno.writeFile(paths.x, new Uint8Array(x.buffer));
    await Deno.writeFile(paths.y, new Uint8Array(y.buffer));
  }
}

/** Row-major features and labels: a few strong effects, interactions, and noise. */
function makeRows(
  shape: Shape,
  rows: number,
  seed: number,
): { x: Float32Array<ArrayBuffer>; y: Float32Array<ArrayBuffer> } {
  const { features, classes } = shape;
  const rng = createRng(seed);
  const rule = createRng(99);
  const effects = Float64Array.from({ length: features }, () => rule.nextFloat() - 0.5);
  const x = new Float32Array(rows * features);
  const y = new Float32Array(rows);
  const score = new Float64Array(classes);
  for (let row = 0; row < rows; row++) {
    const at = row * features;
    for (let f = 0; f < features; f++) {
      // Sums of four uniforms are near enough to normal, and cheap.
      const u = rng.nextUint32();
      const v = rng.nextUint32();
      x[at + f] = ((u >>> 16) + (u & 0xffff) + (v >>> 16) + (v & 0xffff)) / 37837 - 3.464;
      if (f % 7 === 6) x[at + f] = Math.round(4 * x[at + f]) / 4; // some features have few values
    }
    for (let k = 0; k < classes; k++) {
      let s = 0;
      for (let f = 0; f < Math.min(features, 12); f++) {
        s += effects[(f + 3 * k) % features] * x[at + ((f + 5 * k) % features)];
      }
      s += 0.5 * x[at + (k % features)] * x[at + ((k + 1) % features)];
      s += x[at + ((k + 2) % features)] > 0.5 ? 0.7 : -0.2;
      score[k] = s;
    }
    if (classes === 2) {
      const p = 1 / (1 + Math.exp(-score[0]));
      y[row] = rng.nextFloat() < p ? 1 : 0;
    } else {
      let best = 0;
      for (let k = 0; k < classes; k++) {
        score[k] -= Math.log(-Math.log(rng.nextFloat() + 1e-300)); // Gumbel noise: softmax draws
        if (score[k] > score[best]) best = k;
      }
      y[row] = best;
    }
  }
  return { x, y };
}
