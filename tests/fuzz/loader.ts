/**
 * Throws damaged model files at the loader. Whatever the bytes are, `decodeModel` refuses them with
 * a typed error that names an offset, or gives a model that scores, unpacks and writes itself; it
 * never crashes, hangs or reads outside. With the checksum left as it was, a damaged file is refused or
 * scores exactly as before.
 *
 * @module
 */
import { ModelError } from "../../src/errors.ts";
import { decodeModel, encodeModel } from "../../src/format/binary.ts";
import { withSelfTest } from "../../src/format/self_test.ts";
import { HEADER } from "../../src/format/sections.ts";
import { sealSections } from "../../src/format/write_sections.ts";
import { createModel, type Model } from "../../src/model/model.ts";
import type { ModelParts } from "../../src/model/types.ts";
import { createRng } from "../../src/util/rng.ts";
import { type RandomModel, randomParts, randomRows } from "../support/models/random.ts";
import { openCutParts } from "../support/models/open_cuts.ts";
import { surrogateParts } from "../support/models/surrogate.ts";
import { mutate } from "./mutate.ts";

/** Ensembles whose files are damaged: every layout, small enough that a blow often hits a tree. */
const SPECS: readonly RandomModel[] = [
  { seed: 1, trees: 3, depth: 3, numeric: 2 },
  { seed: 2, trees: 2, depth: 5, numeric: 1, categorical: 2, f32: false },
  { seed: 3, trees: 2, depth: 3, outputs: 3, weights: true },
  { seed: 4, trees: 3, depth: 4, outputs: 3, leafWidth: 3, aggregate: "average" },
  { seed: 5, trees: 2, depth: 3, numeric: 1, categorical: 2, exotic: 0.5, unknown: "node" },
  { seed: 8, trees: 40, depth: 2, numeric: 1 },
];

/** Ensembles whose files are large enough for the kernel of the loader: in heaps, and not. */
const LARGE: readonly RandomModel[] = [
  { seed: 9, trees: 4000, depth: 2 },
  { seed: 10, trees: 40, depth: 9, categorical: 1 },
];

/** Ensembles whose trees are written in bits. */
const IN_BITS = [
  openCutParts({ seed: 6, trees: 3, depth: 5, numeric: 2 }, [-1, 0, 0.5, 1, 4, 7, 9], 3),
  openCutParts(
    { seed: 7, trees: 2, depth: 5, numeric: 2, categorical: 1 },
    [-1 / 3, 0.1, 2, 7, Infinity],
  ),
];

/** What a run found. */
export interface FuzzReport {
  readonly mutations: number;
  readonly refused: number;
  readonly accepted: number;
  /** Slowest file in milliseconds. */
  readonly slowest: number;
}

/** A failure and the bytes that caused it. */
export class FuzzFailure extends Error {
  /** The file, to be kept in tests/fuzz/corpus. */
  readonly bytes: Uint8Array<ArrayBuffer>;

  constructor(message: string, bytes: Uint8Array<ArrayBuffer>, cause?: unknown) {
    super(message, { cause });
    this.bytes = bytes;
  }
}

interface Seed {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly raw: Float64Array;
}

function rowsFor(model: Model): ReturnType<typeof randomRows> {
  return randomRows(model.schema, 3, 1);
}

function createSeeds(all: readonly ModelParts[]): readonly Seed[] {
  return all.map((parts) => {
    const model = createModel(parts);
    const tested = withSelfTest(model, randomRows(model.schema, 3, 2));
    const bytes = encodeModel(tested, { inBits: IN_BITS.includes(parts) });
    return { bytes, raw: model.predictRaw(rowsFor(model)).data };
  });
}

/** Uses a model in every way that reads its arrays. */
export function exercise(model: Model): Float64Array {
  const rows = rowsFor(model);
  const { data } = model.predictRaw(rows);
  model.predictLeaf(rows);
  const many = Array.from({ length: 70 }, (_, i) => rows[i % 3]);
  const batch = model.predictRaw(many).data;
  for (let i = 0; i < data.length; i++) {
    if (!Object.is(batch[i], data[i])) throw new Error(`row value ${i}: ${data[i]}, ${batch[i]}`);
  }
  const again = decodeModel(encodeModel(model, { explain: explains(model) }));
  if (again.numTrees !== model.numTrees) throw new Error("written and read again, it is another");
  return data;
}

/** Whether covers and gains can be read; they are proved when somebody asks for them. */
function explains(model: Model): boolean {
  try {
    return model.ensemble.trees.kind.length >= 0;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ModelError && typeof error.details.offset === "number";
}

/** Judges one file; throws {@linkcode FuzzFailure}. Returns whether it was accepted. */
export function judge(bytes: Uint8Array<ArrayBuffer>, seed: Seed, sealed: boolean): boolean {
  let model: Model;
  try {
    model = decodeModel(bytes);
  } catch (error) {
    if (isRefusal(error)) return false;
    throw new FuzzFailure("decodeModel threw something else", bytes, error);
  }
  try {
    const raw = exercise(model);
    if (!sealed && raw.some((value, i) => !Object.is(value, seed.raw[i]))) {
      throw new Error("a damaged file was accepted and scores differently");
    }
  } catch (error) {
    throw new FuzzFailure("a model that was accepted cannot be used", bytes, error);
  }
  return true;
}

/** Runs until `count` mutations are done or `milliseconds` are over. */
export function fuzzLoader(
  options: { readonly seed: number; readonly count?: number; readonly milliseconds?: number },
): FuzzReport {
  const { count = Infinity, milliseconds = Infinity } = options;
  const rng = createRng(options.seed);
  const small = createSeeds([...SPECS.map(randomParts), surrogateParts(), ...IN_BITS]);
  const large = createSeeds(LARGE.map(randomParts));
  const end = performance.now() + milliseconds;
  let mutations = 0;
  let accepted = 0;
  let slowest = 0;
  while (mutations < count && performance.now() < end) {
    for (let i = 0; i < 64 && mutations < count; i++) {
      const seeds = rng.nextInt(64) === 0 ? large : small; // a large one takes as long as twenty
      const seed = seeds[rng.nextInt(seeds.length)];
      const bytes = mutate(seed.bytes, rng);
      // Two of three get a checksum that fits, as an attacker's would.
      const sealed = rng.nextInt(3) > 0 && bytes.length >= HEADER;
      if (sealed) sealSections(bytes);
      const time = () => {
        const start = performance.now();
        const read = judge(bytes, seed, sealed);
        return { read, took: performance.now() - start };
      };
      const first = time();
      let { took } = first;
      // A busy machine is no hang: what was slow must be slow again.
      for (let again = 0; took > 1000 && again < 5; again++) took = Math.min(took, time().took);
      if (took > 1000) throw new FuzzFailure(`took ${took} ms`, bytes);
      if (took > slowest) slowest = took;
      if (first.read) accepted++;
      mutations++;
    }
  }
  return { mutations, refused: mutations - accepted, accepted, slowest };
}
