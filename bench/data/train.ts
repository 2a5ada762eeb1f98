/**
 * Data sets of the training benchmark, made by rule from a seed and written as float32 files that
 * every contestant reads.
 *
 * @module
 */
import { readCsv } from "../../src/files/read_csv.ts";
import type { Dataset } from "../../src/data/types.ts";
import { createRng } from "../../src/util/rng.ts";

/** Shape of one data set. */
export interface Shape {
  readonly name: string;
  readonly rows: number;
  readonly testRows: number;
  readonly features: number;
  /** 2 or more. */
  readonly classes: number;
  /** Sizes of groups of 0/1 features of which one is 1 in each row; they are the last features. */
  readonly oneHot?: readonly number[];
  /** The rows of Adult's training set, as many times; numbers are moved a little in each copy. */
  readonly adultCopies?: number;
}

/** Features of Adult that are categories, in files the numbers of their levels, NaN where missing. */
export const ADULT_CATEGORIES: readonly number[] = [1, 3, 5, 6, 7, 8, 9, 13];

/** The shapes that `deno task bench:train` knows. */
export const SHAPES: readonly Shape[] = [
  { name: "1m-28", rows: 1_000_000, testRows: 100_000, features: 28, classes: 2 },
  { name: "100k-100", rows: 100_000, testRows: 50_000, features: 100, classes: 2 },
  {
    name: "adult-10",
    rows: 325_610,
    testRows: 16_281,
    features: 14,
    classes: 2,
    adultCopies: 10,
  },
  // As in covertype: ten numbers, four areas, forty soils.
  {
    name: "cover-7",
    rows: 200_000,
    testRows: 50_000,
    features: 54,
    classes: 7,
    oneHot: [4, 40],
  },
  { name: "letter-7", rows: 200_000, testRows: 50_000, features: 16, classes: 7 },
  { name: "10m-28", rows: 10_000_000, testRows: 100_000, features: 28, classes: 2 },
  { name: "10k-28", rows: 10_000, testRows: 10_000, features: 28, classes: 2 },
  { name: "100k-28", rows: 100_000, testRows: 10_000, features: 28, classes: 2 },
  { name: "100k-30", rows: 100_000, testRows: 10_000, features: 30, classes: 2 },
  { name: "20k-1000", rows: 20_000, testRows: 10_000, features: 1000, classes: 2 },
];

/** Where the files of a shape are. */
export function pathsOf(shape: Shape, part: "train" | "test"): { x: string; y: string } {
  const base = new URL(`../../.cache/bench/${shape.name}.${part}`, import.meta.url).pathname;
  return { x: `${base}.x.f32`, y: `${base}.y.f32` };
}

/** Writes the files of a shape unless they are there. */
export async function writeShape(shape: Shape): Promise<void> {
  await Deno.mkdir(new URL("../../.cache/bench/", import.meta.url), { recursive: true });
  for (const part of ["train", "test"] as const) {
    const paths = pathsOf(shape, part);
    try {
      await Deno.stat(paths.y);
      continue;
    } catch {
      // not there yet
    }
    const rows = part === "train" ? shape.rows : shape.testRows;
    const { x, y } = shape.adultCopies !== undefined
      ? adultRows(await adult(), part, part === "train" ? shape.adultCopies : 1)
      : makeRows(shape, rows, part === "train" ? 1 : 2);
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
  const { features, classes, oneHot = [] } = shape;
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
    let group = features - oneHot.reduce((a, b) => a + b, 0);
    for (const size of oneHot) {
      // The first of a group are more frequent.
      const hot = Math.floor(size * rng.nextFloat() ** 2);
      for (let f = 0; f < size; f++) x[at + group + f] = f === hot ? 1 : 0;
      group += size;
    }
    for (let k = 0; k < classes; k++) {
      let s = 0;
      for (let f = 0; f < Math.min(features, 12); f++) {
        s += effects[(f + 3 * k) % features] * x[at + ((f + 5 * k) % features)];
      }
      s += 0.5 * x[at + (k % features)] * x[at + ((k + 1) % features)];
      s += x[at + ((k + 2) % features)] > 0.5 ? 0.7 : -0.2;
      for (let f = 0; oneHot.length > 0 && f < features; f++) {
        s += f < 12 ? 0 : 2 * effects[(f + 3 * k) % features] * x[at + f];
      }
      score[k] = classes === 2 ? s : 3 * s; // many classes with less noise
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

/** All rows of Adult: the training rows, then the test rows. */
function adult(): Promise<Dataset> {
  return readCsv(new URL("../../examples/data/adult.csv.gz", import.meta.url).pathname, {
    target: "income",
  });
}

const ADULT_TRAIN = 32_561;

function adultRows(
  { features, target, numRows }: Dataset,
  part: "train" | "test",
  copies: number,
): { x: Float32Array<ArrayBuffer>; y: Float32Array<ArrayBuffer> } {
  const from = part === "train" ? 0 : ADULT_TRAIN;
  const count = part === "train" ? ADULT_TRAIN : numRows - ADULT_TRAIN;
  const codes = (target as { codes: Int32Array }).codes;
  const rng = createRng(3);
  const width = features.length;
  const x = new Float32Array(copies * count * width);
  const y = new Float32Array(copies * count);
  for (let i = 0; i < copies * count; i++) {
    const row = from + (i % count);
    features.forEach((column, f) => {
      if (column.kind === "categorical") {
        x[i * width + f] = column.codes[row] < 0 ? NaN : column.codes[row];
        return;
      }
      const value = column.values[row];
      const moved = i < count ? value : value * (1 + 0.02 * (rng.nextFloat() - 0.5));
      x[i * width + f] = column.name === "fnlwgt" ? moved : Math.round(moved);
    });
    y[i] = codes[row];
  }
  return { x, y };
}
