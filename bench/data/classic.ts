/**
 * Data of the benchmark of classic trees, written as files that every contestant reads: numbers as
 * column-major float32, categories as their codes, labels as float32.
 *
 * @module
 */
import type { Dataset } from "../../src/data/types.ts";
import { parseCsv } from "../../src/data/csv/parse.ts";
import { selectRows } from "../../src/data/dataset/dataset.ts";
import { pathsOf, SHAPES, writeShape } from "./train.ts";

const CACHE = new URL("../../.cache/bench/", import.meta.url);
const SHARED = new URL("../../../shared/datasets/", import.meta.url);

/** Where a part of a set is, for contestants in other languages. */
export function partPath(set: string, part: "train" | "test"): string {
  return new URL(`classic-${set}.${part}`, CACHE).pathname;
}

/** Training and test rows of a set: `100k-30` (made by rule) or `adult`. */
export async function readSet(set: string): Promise<{ train: Dataset; test: Dataset }> {
  return set === "adult" ? await readAdult() : await readMade(set);
}

/** Both files at once, so that they share their categories. */
async function readAdult(): Promise<{ train: Dataset; test: Dataset }> {
  const read = (file: string) => Deno.readTextFile(new URL(file, SHARED));
  const [first, second] = [await read("adult_train.csv"), await read("adult_test.csv")];
  const text = first + second.slice(second.indexOf("\n") + 1);
  const all = parseCsv(text, { target: "income", missing: ["", "?"] });
  const rows = first.trim().split("\n").length - 1;
  const between = (from: number, to: number) =>
    selectRows(all, Int32Array.from({ length: to - from }, (_, i) => from + i));
  return { train: between(0, rows), test: between(rows, all.numRows) };
}

async function readMade(set: string): Promise<{ train: Dataset; test: Dataset }> {
  const shape = SHAPES.find(({ name }) => name === set)!;
  await writeShape(shape);
  const read = async (part: "train" | "test"): Promise<Dataset> => {
    const paths = pathsOf(shape, part);
    const x = new Float32Array((await Deno.readFile(paths.x)).buffer);
    const y = new Float32Array((await Deno.readFile(paths.y)).buffer);
    const features = Array.from({ length: shape.features }, (_, f) => ({
      kind: "numeric" as const,
      name: `x${f}`,
      values: Float32Array.from(y, (_, row) => x[row * shape.features + f]),
    }));
    const target = {
      kind: "classification" as const,
      name: "y",
      codes: Int32Array.from(y),
      classes: Array.from({ length: shape.classes }, (_, k) => `${k}`),
    };
    return { numRows: y.length, features, target };
  };
  return { train: await read("train"), test: await read("test") };
}

/** Writes a part: `.f32` features, `.y` labels, `.txt` one word a feature (`number` or `category`). */
export async function writePart(set: string, part: "train" | "test", data: Dataset): Promise<void> {
  const path = partPath(set, part);
  await Deno.mkdir(CACHE, { recursive: true });
  const columns = new Float32Array(data.numRows * data.features.length);
  data.features.forEach((feature, f) => {
    const values = feature.kind === "numeric"
      ? Float32Array.from(feature.values)
      : Float32Array.from(feature.codes, (code) => code < 0 ? NaN : code);
    columns.set(values, f * data.numRows);
  });
  const { target } = data;
  if (target?.kind !== "classification") throw new Error("the benchmark knows classes only");
  await Deno.writeFile(`${path}.f32`, new Uint8Array(columns.buffer));
  await Deno.writeFile(`${path}.y`, new Uint8Array(Float32Array.from(target.codes).buffer));
  const kinds = data.features.map(({ kind }) => kind === "numeric" ? "number" : "category");
  await Deno.writeTextFile(`${path}.txt`, kinds.join("\n") + "\n");
}
