// deno-lint-ignore-file no-console
/**
 * Counts what `decodeModel` allocates, garbage included: run by tests/fuzz/load_memory_test.ts in a
 * process whose young generation is so large that nothing is collected meanwhile. Prints JSON lines.
 *
 * @module
 */
import { ModelError } from "../../../src/errors.ts";
import { decodeModel, encodeModel, modelSections } from "../../../src/format/binary.ts";
import { withSelfTest } from "../../../src/format/self_test.ts";
import { HEADER } from "../../../src/format/sections.ts";
import { sealSections, writeSections } from "../../../src/format/write_sections.ts";
import { createModel } from "../../../src/model/model.ts";
import { createRng } from "../../../src/util/rng.ts";
import { type RandomModel, randomParts, randomRows } from "../models/random.ts";
import { chainParts, openCutParts } from "../models/open_cuts.ts";
import { mutate } from "../../fuzz/mutate.ts";

/** Bytes of wasm memories: they are in none of the engine's counts. */
let wasmBytes = 0;
const { Memory } = WebAssembly;
WebAssembly.Memory = class extends Memory {
  constructor(descriptor: WebAssembly.MemoryDescriptor) {
    super(descriptor);
    wasmBytes += descriptor.initial * 65536;
  }
};

/** Bytes that a call allocates. */
function allocatedBy(run: () => unknown): number {
  const look = () => {
    const { heapUsed, external } = Deno.memoryUsage();
    return heapUsed + external + wasmBytes;
  };
  const before = look();
  run();
  return look() - before;
}

function allocated(bytes: Uint8Array<ArrayBuffer>): { total: number; refused: boolean } {
  let refused = false;
  const total = allocatedBy(() => {
    try {
      decodeModel(bytes);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      refused = true;
    }
  });
  return { total, refused };
}

/** A file whose metadata is given another member. */
function withMeta(spec: RandomModel, change: (meta: Record<string, unknown>) => void) {
  const sections = modelSections(createModel(randomParts(spec)), { explain: false });
  return writeSections(sections.map((section) => {
    if (section.id !== "META") return section;
    const meta = JSON.parse(new TextDecoder().decode(section.bytes));
    change(meta);
    return { ...section, bytes: new TextEncoder().encode(JSON.stringify(meta)) };
  }));
}

const plain: RandomModel = { seed: 1, trees: 1, depth: 1, numeric: 1 };
const numbers = Array.from({ length: 50_000 }, (_, i) => i);
const feature = (i: number) => ({ kind: "numeric", missing: "learnt", name: i.toString(36) });
const model = (spec: RandomModel) => createModel(randomParts(spec));
const tested = (spec: RandomModel, rows: number) =>
  encodeModel(withSelfTest(model(spec), randomRows(randomParts(spec).schema, rows, 2)));

/** A list in a list … */
function within(levels: number, list: unknown): unknown {
  return levels === 0 ? list : [within(levels - 1, list)];
}

/**
 * Stumps of two vectors for all, with a self-test: a faster scorer would lay the vectors out for each
 * stump, or for each of its leaves if stumps have weights.
 */
function sharedLeaves(rows: number, weights: boolean) {
  const spec: RandomModel = { seed: 6, trees: 3000, depth: 1, numeric: 1, outputs: 500, weights };
  const parts = randomParts({ ...spec, leafWidth: 500 });
  const { trees } = parts.ensemble;
  trees.leaf.forEach((value, i) => trees.leaf[i] = value === value ? i % 1000 : value);
  const tested = withSelfTest(createModel(parts), randomRows(parts.schema, rows, 2));
  return encodeModel(tested, { explain: false });
}

/** Files of every layout, and those whose bytes turn into most objects. */
const FILES: { readonly [name: string]: () => Uint8Array<ArrayBuffer> } = {
  "form Z": () => encodeModel(model({ seed: 1, trees: 60, depth: 9, numeric: 8 })),
  "bits": () =>
    encodeModel(
      createModel(
        openCutParts(
          { seed: 1, trees: 60, depth: 12, numeric: 1 },
          Array.from({ length: 40 }, (_, i) => i),
          2,
        ),
      ),
      { inBits: true },
    ),
  "chains in bits": () => encodeModel(createModel(chainParts(900, 20)), { inBits: true }),
  "heaps": () => encodeModel(model({ seed: 2, trees: 900, depth: 1, numeric: 2 })),
  "stumps without leaves of their own": () =>
    encodeModel(model({ seed: 2, trees: 9000, depth: 0 })),
  "general": () =>
    encodeModel(model({ seed: 3, trees: 50, depth: 6, categorical: 2, exotic: 0.5 })),
  "one row of a self-test over 3000 features": () => tested({ seed: 4, numeric: 3000 }, 1),
  "200 rows of a self-test over 3000 features": () => tested({ seed: 4, numeric: 3000 }, 200),
  "a batch of a self-test": () => tested({ seed: 5, trees: 60, depth: 6, numeric: 8 }, 256),
  "a batch of a self-test over shared leaves": () => sharedLeaves(64, false),
  "a self-test over shared leaves with weights": () => sharedLeaves(30, true),
  "empty objects": () => withMeta(plain, (meta) => meta.info = numbers.map(() => ({}))),
  "empty lists": () => withMeta(plain, (meta) => meta.info = { a: numbers.map(() => []) }),
  "members": () =>
    withMeta(
      plain,
      (meta) => meta.info = Object.fromEntries(numbers.map((i) => [i.toString(36), 0])),
    ),
  "small numbers": () => withMeta(plain, (meta) => meta.info = { a: numbers.map(() => 0) }),
  "text beyond Latin": () =>
    withMeta(plain, (meta) => meta.info = { a: "Ω" + "a".repeat(300_000) }),
  "features": () =>
    withMeta(plain, (meta) => {
      (meta.schema as { features: unknown }).features = numbers.map(feature);
    }),
  "categories": () =>
    withMeta(plain, (meta) => {
      const categories = numbers.map((i) => i.toString(36));
      (meta.schema as { features: unknown[] }).features.push({
        kind: "categorical",
        name: "c",
        missing: "learnt",
        unknown: "heavier",
        categories,
      });
    }),
  "classes": () =>
    withMeta(plain, (meta) => {
      (meta.schema as { classes: unknown }).classes = numbers.map((i) => i.toString(36));
    }),
  "lists within lists, and text beyond Latin": () =>
    withMeta(plain, (meta) => meta.info = { a: within(60, numbers.map(() => 1)), b: "Ω" }),
  "lists of lists of lists": () =>
    withMeta(plain, (meta) => meta.info = { a: numbers.map(() => within(3, [])), b: "Ω" }),
  "features that are none": () =>
    withMeta(plain, (meta) => {
      (meta.schema as { features: unknown }).features = numbers.map(() => 0);
    }),
  "calibrations": () =>
    writeSections([
      ...modelSections(model(plain), { explain: false }),
      {
        id: "CALB",
        required: true,
        bytes: new TextEncoder().encode(JSON.stringify(numbers.map(() => ({})))),
      },
    ]),
};

const report = (name: string, bytes: number, total: number, refused: boolean) =>
  console.log(JSON.stringify({ name, bytes, total, refused }));

// The counts see arrays, objects and memories of WebAssembly.
report("10 MB in an array", 0, allocatedBy(() => new Uint8Array(1e7)), false);
report(
  "a million objects",
  0,
  allocatedBy(() => Array.from({ length: 1e6 }, (_, i) => ({ i }))),
  false,
);
report("100 pages", 0, allocatedBy(() => new WebAssembly.Memory({ initial: 100 })), false);

const seeds = ["form Z", "bits", "heaps", "general", "a batch of a self-test"].map((name) =>
  FILES[name]()
);
// What is compiled at first use is no part of a file.
for (let i = 0; i < 3; i++) seeds.forEach(allocated);
for (const [name, make] of Object.entries(FILES)) {
  const bytes = make();
  const { total, refused } = allocated(bytes);
  report(name, bytes.length, total, refused);
}
const rng = createRng(7);
for (let i = 0; i < 600; i++) {
  const bytes = mutate(seeds[i % seeds.length], rng);
  if (bytes.length >= HEADER) sealSections(bytes);
  const { total, refused } = allocated(bytes);
  report(`mutation ${i}`, bytes.length, total, refused);
}
