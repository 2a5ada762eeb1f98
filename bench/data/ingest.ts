/**
 * Files that bench/ingest.ts reads: every one is made from a seed, a few thousand rows at a time.
 *
 * @module
 */
import { createRng, type Rng } from "../../src/util/rng.ts";

/** A file: its format, its first line if any, and its rows. */
export interface FileKind {
  readonly format: "csv" | "libsvm" | "jsonl";
  readonly header?: string;
  readonly row: (rng: Rng, at: number) => string;
  /** Rows as a share of those asked for: all files take about as long. */
  readonly share: number;
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `x${i}`).join(",");

function list(count: number, make: (at: number) => string, between = ","): string {
  return Array.from({ length: count }, (_, at) => make(at)).join(between);
}

/** Roughly normal: the sum of four uniform numbers. */
function normal(rng: Rng): number {
  return rng.nextFloat() + rng.nextFloat() + rng.nextFloat() + rng.nextFloat() - 2;
}

const pick = (rng: Rng, texts: readonly string[]) => texts[rng.nextInt(texts.length)];

const WORK = ["Private", "Self-emp-not-inc", "Local-gov", "?", "State-gov", "Federal-gov"];
const SCHOOL = [
  "HS-grad",
  "Some-college",
  "Bachelors",
  "Masters",
  "Assoc-voc",
  "11th",
  "Doctorate",
];
const MARRIED = ["Married-civ-spouse", "Never-married", "Divorced", "Separated", "Widowed"];
const JOBS = ["Prof-specialty", "Craft-repair", "Exec-managerial", "Adm-clerical", "Sales", "?"];
const KIN = ["Husband", "Not-in-family", "Own-child", "Unmarried", "Wife", "Other-relative"];
const RACE = ["White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"];
const LAND = ["United-States", "Mexico", "Philippines", "Germany", "?", "Puerto-Rico", "Canada"];

/** Columns as those of the census data that everybody calls Adult. */
function adult(rng: Rng): string {
  return [
    17 + rng.nextInt(70),
    pick(rng, WORK),
    10000 + rng.nextInt(400000),
    pick(rng, SCHOOL),
    1 + rng.nextInt(16),
    pick(rng, MARRIED),
    pick(rng, JOBS),
    pick(rng, KIN),
    pick(rng, RACE),
    pick(rng, ["Male", "Female"]),
    rng.nextInt(10) === 0 ? rng.nextInt(20000) : 0,
    rng.nextInt(20) === 0 ? rng.nextInt(3000) : 0,
    1 + rng.nextInt(98),
    pick(rng, LAND),
    pick(rng, ["<=50K", ">50K"]),
  ].join(",");
}

/** What the files hold. */
export const FILES: { readonly [name: string]: FileKind } = {
  "28 numbers, 6 decimals": {
    format: "csv",
    header: names(28),
    row: (rng) => list(28, () => normal(rng).toFixed(6)),
    share: 1,
  },
  "28 numbers, full precision": {
    format: "csv",
    header: names(28),
    row: (rng) => list(28, () => String(normal(rng))),
    share: 0.6,
  },
  "12 whole numbers": {
    format: "csv",
    header: names(12),
    row: (rng) => list(12, () => String(rng.nextInt(100000))),
    share: 1.5,
  },
  "20 numbers in quotes, CRLF": {
    format: "csv",
    header: names(20),
    row: (rng) => `${list(20, () => `"${normal(rng).toFixed(6)}"`)}\r`,
    share: 1,
  },
  "20 numbers with exponents, 17 digits": {
    format: "csv",
    header: names(20),
    row: (rng) => list(20, () => (normal(rng) * 10 ** (rng.nextInt(40) - 20)).toExponential(16)),
    share: 0.6,
  },
  "20 numbers, half of them empty": {
    format: "csv",
    header: names(20),
    row: (rng) => list(20, () => rng.nextInt(2) === 0 ? "" : normal(rng).toFixed(4)),
    share: 1.5,
  },
  "20 numbers, nine in ten 0": {
    format: "csv",
    header: names(20),
    row: (rng) => list(20, () => rng.nextInt(10) > 0 ? "0" : (100 * normal(rng)).toFixed(2)),
    share: 1.5,
  },
  "20 whole numbers below 1,000": {
    format: "csv",
    header: names(20),
    row: (rng) => list(20, () => String(rng.nextInt(1000))),
    share: 1.5,
  },
  "20 numbers of 1 to 3 digits": {
    format: "csv",
    header: names(20),
    row: (rng) => list(20, () => String(rng.nextInt(10 ** (1 + rng.nextInt(3))))),
    share: 1.5,
  },
  "17 numbers below 16": {
    format: "csv",
    header: names(17),
    row: (rng) => list(17, () => String(rng.nextInt(16))),
    share: 2,
  },
  "6 numbers, 8 texts": {
    format: "csv",
    header: names(14),
    row: (rng) =>
      list(6, () => String(rng.nextInt(1000))) + "," + list(8, () => `level ${rng.nextInt(20)}`),
    share: 1.5,
  },
  "Adult-like": { format: "csv", header: names(15), row: adult, share: 1.5 },
  "5 texts of 20,000 levels": {
    format: "csv",
    header: names(5),
    row: (rng) => list(5, () => `user-${rng.nextInt(20000)}`),
    share: 1,
  },
  "LIBSVM, 28 decimals": {
    format: "libsvm",
    row: (rng, at) => `${at % 2} ` + list(28, (i) => `${i}:${normal(rng).toFixed(6)}`, " "),
    share: 0.4,
  },
  "LIBSVM, 22 of 126 ones": {
    format: "libsvm",
    row: (rng, at) => `${at % 2} ` + list(22, (i) => `${6 * i - rng.nextInt(5) + 4}:1`, " "),
    share: 0.4,
  },
  "JSON lines, 14 numbers": {
    format: "jsonl",
    row: (rng) => `{${list(14, (i) => `"x${i}": ${normal(rng).toFixed(6)}`, ", ")}}`,
    share: 0.4,
  },
  "JSON lines, 6 numbers, 8 texts": {
    format: "jsonl",
    row: (rng) =>
      `{${list(6, (i) => `"n${i}": ${rng.nextInt(1000)}`, ", ")}, ${
        list(8, (i) => `"t${i}": "level ${rng.nextInt(20)}"`, ", ")
      }}`,
    share: 0.4,
  },
};

/** Writes a file. */
export async function writeRows(path: string, kind: FileKind, numRows: number): Promise<void> {
  const rng = createRng(1);
  const encoder = new TextEncoder();
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  const write = (text: string) => {
    const bytes = encoder.encode(text);
    for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
  };
  if (kind.header !== undefined) write(`${kind.header}\n`);
  for (let from = 0; from < numRows; from += 2000) {
    const count = Math.min(2000, numRows - from);
    write(Array.from({ length: count }, (_, i) => `${kind.row(rng, from + i)}\n`).join(""));
  }
}
