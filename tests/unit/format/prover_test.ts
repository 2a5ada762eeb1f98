import { assert, assertEquals, assertThrows } from "@std/assert";
import type { InputFeature } from "../../../src/data/types.ts";
import { ModelError } from "../../../src/errors.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import { createReader } from "../../../src/format/bytes.ts";
import { LAYOUT_H } from "../../../src/format/heap.ts";
import { readMeta } from "../../../src/format/meta.ts";
import { HEAD_WORDS, LAYOUT_Z, readPacked } from "../../../src/format/packed.ts";
import { openProver, type Prover, roomFor } from "../../../src/format/prover.ts";
import { WASM_HEX } from "../../../src/format/prover_bytes.ts";
import { checksum, readSections } from "../../../src/format/sections.ts";
import { sealSections, writeSections } from "../../../src/format/write_sections.ts";
import { canonicalJson, hash64 } from "../../../src/model/hash.ts";
import { createModel } from "../../../src/model/model.ts";
import { firstRows } from "../../../src/model/score/tiers.ts";
import { createWalker } from "../../../src/model/score/walk.ts";
import { createTreeBuilder, packTrees } from "../../../src/model/trees.ts";
import type { ModelParts } from "../../../src/model/types.ts";
import { createRng } from "../../../src/util/rng.ts";
import { type RandomModel, randomParts } from "../../support/models/random.ts";

/** Entries of one, two and four bytes; thresholds in both precisions; sets; shared leaves. */
const SHAPES: readonly (RandomModel & { readonly layout: number })[] = [
  { seed: 1, trees: 4000, depth: 2, layout: LAYOUT_H },
  { seed: 2, trees: 1500, depth: 2, numeric: 150, f32: false, layout: LAYOUT_H },
  { seed: 8, trees: 3000, depth: 2, categorical: 3, layout: LAYOUT_H },
  { seed: 3, trees: 60, depth: 9, numeric: 8, layout: LAYOUT_Z },
  { seed: 4, trees: 90, depth: 8, categorical: 3, f32: false, layout: LAYOUT_Z },
  { seed: 5, trees: 2, depth: 17, numeric: 140, layout: LAYOUT_Z },
  { seed: 7, trees: 90, depth: 8, categorical: 4, categoricalFirst: true, layout: LAYOUT_Z },
  { seed: 6, trees: 300, depth: 5, outputs: 3, leafWidth: 3, layout: LAYOUT_Z },
];

/** What becomes of the trees of a file: their arrays, or what is said of them and where. */
function outcomeOf(bytes: Uint8Array, prover?: Prover): unknown {
  try {
    const sections = readSections(bytes, false, {});
    const find = (id: string) => sections.find((section) => section.id === id)!;
    const json = JSON.parse(new TextDecoder().decode(find("META").bytes));
    const meta = readMeta(json, (problem) => new Error(problem) as never);
    const { offset, bytes: trees } = find("TREE");
    const reader = createReader(bytes, offset!, trees.byteLength);
    const { packed } = readPacked(reader, reader.u32(HEAD_WORDS), meta, prover);
    reader.end();
    return packed;
  } catch (error) {
    const { code, message, details } = error as { code: string; message: string; details: unknown };
    return { code, message, details };
  }
}

function fileOf({ layout, ...shape }: typeof SHAPES[number]): { bytes: Uint8Array; at: number } {
  const bytes = encodeModel(createModel(randomParts(shape)), { inBits: false, explain: false });
  const { offset } = readSections(bytes, true, {}).find(({ id }) => id === "TREE")!;
  assertEquals(new Uint32Array(bytes.buffer, offset!, 1)[0], layout);
  return { bytes, at: offset! };
}

for (const shape of SHAPES) {
  Deno.test(`the kernel proves what its twin proves, and gives its arrays: model ${shape.seed}`, () => {
    const { bytes, at } = fileOf(shape);
    const prover = openProver(bytes);
    assert(prover !== undefined, "the file is large enough and there is wasm");
    // The kernel itself says yes: without that, all below would compare the twin with itself.
    let asked = 0;
    const heard = {
      ...prover,
      nodes: (...args: Parameters<Prover["nodes"]>) => (asked += +prover.nodes(...args)) > 0,
      heaps: (...args: Parameters<Prover["heaps"]>) => (asked += +prover.heaps(...args)) > 0,
    };
    assertEquals(outcomeOf(bytes, heard), outcomeOf(bytes));
    assertEquals(asked, 1);
    const rng = createRng(shape.seed);
    let refused = 0;
    for (let i = 0; i < 80; i++) {
      const damaged = bytes.slice();
      for (let k = rng.nextInt(3); k >= 0; k--) {
        const place = at + 64 + rng.nextInt(bytes.length - at - 64);
        damaged[place] = rng.nextInt(3) === 0 ? rng.nextInt(256) : damaged[place] + rng.nextInt(3);
      }
      const expected = outcomeOf(damaged);
      assertEquals(outcomeOf(damaged, openProver(damaged)), expected);
      if ((expected as { code?: string }).code !== undefined) refused++;
    }
    assert(refused > 5 && refused < 80, `${refused} of 80 were refused`);
  });
}

Deno.test("openProver().lanes() gives the checksum of its twin", () => {
  const rng = createRng(7);
  for (const length of [16384, 16392, 65536, 100_008]) {
    const bytes = Uint8Array.from({ length }, () => rng.nextInt(256));
    assertEquals(checksum(bytes, openProver(bytes)), checksum(bytes));
    bytes[length - 1] ^= 1;
    assertEquals(checksum(bytes, openProver(bytes)), checksum(bytes));
  }
});

Deno.test("openProver() has its kernel where the engine does not decode hex by itself", async () => {
  const engine = Uint8Array as { fromHex?: unknown };
  const { fromHex } = engine;
  delete engine.fromHex;
  try {
    const fresh = new URL("../../../src/format/prover.ts?fresh", import.meta.url).href;
    const prover = (await import(fresh)).openProver as typeof openProver;
    const bytes = Uint8Array.from({ length: 20_000 }, (_, i) => i * i);
    assert(prover(bytes) !== undefined);
    assertEquals(checksum(bytes, prover(bytes)), checksum(bytes));
  } finally {
    engine.fromHex = fromHex;
  }
});

Deno.test("openProver() leaves small files, and those above a limit, to the twin", () => {
  assertEquals(openProver(new Uint8Array(16376)), undefined);
  assert(openProver(new Uint8Array(20_000)) !== undefined);
  assertEquals(openProver(new Uint8Array(20_000), 19_999), undefined);
});

/** A schema with every member, and names that are not ASCII. */
function oddParts(trees: number): ModelParts {
  const parts = randomParts({ seed: 8, trees, depth: 5, numeric: 2, categorical: 2 });
  const features = parts.schema.features.map((feature, f): InputFeature => {
    const name = ["größe", 'ein "Wort"', "年齢", "\u{1f333}\u2028"][f];
    return feature.kind === "numeric"
      ? { ...feature, name, ...(f === 0 && { zeroIsMissing: true }) }
      : { ...feature, name, ...(f === 2 && { coded: true, float32Codes: true }) };
  });
  const more = { missingCells: ["-999", "n/a"], sparse: "zero" } as const;
  return { ...parts, schema: { ...parts.schema, ...more, features } };
}

for (const trees of [3, 900]) {
  Deno.test(`a model of ${trees} trees has the hash of its schema's canonical JSON, read or made`, () => {
    const model = createModel(oddParts(trees));
    const bytes = encodeModel(model);
    assertEquals(openProver(bytes) !== undefined, trees > 3);
    const read = decodeModel(bytes);
    assertEquals(read.schema, model.schema);
    assertEquals(read.schemaHash, hash64(canonicalJson(model.schema)));
    assertEquals(model.schemaHash, read.schemaHash);
  });
}

Deno.test("openProver().hash() gives what hash64() gives", () => {
  const file = new Uint8Array(16384);
  for (const text of ["", "a", "größe \u{1f333}", "x".repeat(16376)]) {
    const { written } = new TextEncoder().encodeInto(text, file.subarray(8));
    assertEquals(openProver(file)!.hash(8, written), hash64(text));
  }
  assertEquals(hash64("foobar"), "85944171f73967e8"); // FNV-1a's own test vector
});

Deno.test("a file whose metadata are in another order has the hash of the canonical ones", () => {
  const model = createModel(randomParts({ seed: 3, trees: 60, depth: 9, numeric: 8 }));
  const sections = readSections(encodeModel(model), true, {}).filter(({ id }) => id !== "SHA2");
  const texts = [(meta: unknown) => JSON.stringify(meta, null, 1), (meta: unknown) => {
    const { schema, ...rest } = meta as { schema: object };
    return JSON.stringify({
      schema: Object.fromEntries(Object.entries(schema).reverse()),
      ...rest,
    });
  }];
  for (const textOf of texts) {
    const file = writeSections(sections.map((section) => {
      if (section.id !== "META") return section;
      const meta = JSON.parse(new TextDecoder().decode(section.bytes));
      return { ...section, bytes: new TextEncoder().encode(textOf(meta)) };
    }));
    assert(openProver(file) !== undefined);
    assertEquals(decodeModel(file).schemaHash, hash64(canonicalJson(model.schema)));
  }
});

/** Sums and averages, in both precisions and layouts, with one output and more. */
const SCORED: readonly (RandomModel & { readonly layout: number })[] = [
  { seed: 1, trees: 4000, depth: 2, layout: LAYOUT_H },
  { seed: 2, trees: 1500, depth: 2, numeric: 150, f32: false, layout: LAYOUT_H },
  { seed: 3, trees: 60, depth: 9, numeric: 8, profile: { sum: "f32" }, layout: LAYOUT_Z },
  { seed: 4, trees: 90, depth: 8, f32: false, aggregate: "average", layout: LAYOUT_Z },
  { seed: 6, trees: 300, depth: 5, outputs: 3, profile: { base: "last" }, layout: LAYOUT_Z },
  { seed: 7, trees: 70, depth: 8, f32: false, profile: { sum: "f32" }, layout: LAYOUT_Z },
  { seed: 8, trees: 3000, depth: 2, categorical: 3, layout: LAYOUT_H },
  { seed: 9, trees: 90, depth: 8, numeric: 2, categorical: 4, f32: false, layout: LAYOUT_Z },
  { seed: 10, trees: 90, depth: 8, categorical: 3, categoricalFirst: true, layout: LAYOUT_Z },
  { seed: 11, trees: 90, depth: 8, numeric: 0, categorical: 3, layout: LAYOUT_Z },
];

for (const shape of SCORED) {
  Deno.test(`the first rows have the scores of tier 0, bit by bit: model ${shape.seed}`, () => {
    const { bytes } = fileOf(shape);
    const model = decodeModel(bytes);
    const { rules, storage, numTrees, numOutputs } = model;
    assert(storage.layout === "packed");
    const first = firstRows.get(storage.packed)?.deref();
    assert(first !== undefined, "the kernel scores the first rows of this model");
    const rng = createRng(shape.seed);
    const numFeatures = model.schema.features.length;
    const special = [NaN, Infinity, -Infinity, -0, 0];
    const { cuts } = storage.packed;
    const x = Float64Array.from({ length: 40 * numFeatures }, (_, i) => {
      const kind = rng.nextInt(4);
      const feature = model.schema.features[i % numFeatures];
      if (feature.kind === "categorical") {
        // One more code than categories: the unknown one.
        return kind === 0 ? NaN : rng.nextInt(feature.categories.length + 1);
      }
      if (kind === 0) return special[rng.nextInt(special.length)];
      return kind === 1 ? cuts[rng.nextInt(cuts.length)] : 4 * rng.nextFloat() - 2;
    });
    const walker = createWalker(storage.packed, rules);
    for (const trees of [numTrees, numTrees - numOutputs, numOutputs, 0]) {
      const [found, expected] = [first, walker.score].map((score) => {
        const out = new Float64Array(40 * numOutputs).fill(7);
        score(x, 40, trees, out);
        return new BigUint64Array(out.buffer);
      });
      assertEquals(found, expected);
    }
    const row = x.subarray(0, numFeatures);
    const [found, expected] = [new Float64Array(numOutputs), new Float64Array(numOutputs)];
    model.positional(model.schemaHash).rawInto(row, found);
    walker.score(row, 1, numTrees, expected);
    if (rules.profile.input === "f64") assertEquals(found, expected);
  });
}

Deno.test("first rows of trees with weights, shared or wide leaves are not for the kernel", () => {
  const shapes: RandomModel[] = [
    { seed: 5, trees: 90, depth: 8, weights: true },
    { seed: 6, trees: 300, depth: 5, outputs: 3, leafWidth: 3 },
  ];
  for (const shape of shapes) {
    const bytes = encodeModel(createModel(randomParts(shape)), { inBits: false });
    const { storage } = decodeModel(bytes);
    assert(storage.layout === "packed" && openProver(bytes) !== undefined);
    assertEquals(firstRows.get(storage.packed), undefined);
  }
});

// V8 compiles a function anew once its loops have run some 13 MB of code, and that keeps the loader waiting: 0.5 ms
// for the checksum, 1.7 for the proof of 73,505 nodes as one loop. In functions of their own, two for their sizes, they
// stay below it.
Deno.test("the kernel is five functions: what goes through all words has its own, what goes through sizes two", () => {
  const wasm = Uint8Array.from(WASM_HEX.match(/../g)!, (pair) => parseInt(pair, 16));
  // Sections: id, length in LEB128, contents; number 3 begins with the count of functions.
  for (let at = 8; at < wasm.length;) {
    const id = wasm[at++];
    let length = 0;
    for (let shift = 0;; shift += 7) {
      length |= (wasm[at] & 127) << shift;
      if (wasm[at++] < 128) break;
    }
    if (id === 3) return assertEquals(wasm[at], 5);
    at += length;
  }
  throw new Error("there is no section of functions");
});

Deno.test("decodeModel() refuses metadata that is no UTF-8, long or short", () => {
  for (const levels of [3, 3000]) {
    const parts = randomParts({ seed: 9, trees: 2, depth: 2, categorical: 1 });
    const categories = Array.from({ length: levels }, (_, k) => `k${k}`);
    const features = parts.schema.features.map((f) =>
      f.kind === "numeric" ? f : { ...f, categories }
    );
    const stump = createTreeBuilder(1);
    stump.setValue(0, [1]);
    const trees = packTrees([stump, stump], 1);
    const ensemble = { ...parts.ensemble, trees };
    const good = encodeModel(
      createModel({ ...parts, ensemble, schema: { ...parts.schema, features } }),
    );
    const { offset } = readSections(good, true, {}).find(({ id }) => id === "META")!;
    for (const damage of [[0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xff]]) {
      const bytes = good.slice();
      bytes.set(damage, offset! + 14);
      sealSections(bytes);
      const error = assertThrows(() => decodeModel(bytes), ModelError);
      assertEquals([error.code, error.details.offset], ["E_MODEL_CORRUPT", offset]);
    }
  }
});

Deno.test("decodeModel() reads a file, and refuses a damaged one, where memory is not to be had", () => {
  const { Memory } = WebAssembly;
  for (const shape of [SCORED[0], SCORED[2]]) {
    const { bytes, at } = fileOf(shape);
    const damaged = bytes.slice();
    damaged.fill(255, at + 400, at + 1200);
    const x = Array.from(decodeModel(bytes).schema.features, ({ name }) => [name, 0.25]);
    const rows = [Object.fromEntries(x)];
    const expected = decodeModel(bytes).predictRaw(rows);
    let asked = 0;
    WebAssembly.Memory = function () {
      asked++;
      throw new RangeError("could not allocate memory");
    } as never;
    try {
      assertEquals(decodeModel(bytes).predictRaw(rows), expected);
      assertEquals(asked, 1);
      assertThrows(() => decodeModel(damaged, { checksum: false }), ModelError);
    } finally {
      WebAssembly.Memory = Memory;
    }
  }
});

// A feature has 4 bytes in the file and takes 16 of room; a slot of heaps has 2 and takes 16, as in SHAPES.
Deno.test("the kernel has room for the proof and the first rows of a file that is features above all", () => {
  const parts = randomParts({ seed: 12, trees: 1, depth: 1, numeric: 20_000 });
  const bytes = encodeModel(createModel(parts), { inBits: false, explain: false });
  const { storage } = decodeModel(bytes);
  assert(storage.layout === "packed" && firstRows.get(storage.packed) !== undefined);
});

Deno.test("openProver() takes a file where it was read to, once, and copies it from elsewhere", () => {
  const { bytes } = fileOf(SHAPES[0]);
  const room = roomFor(bytes.length)!;
  room.set(bytes);
  const prover = openProver(room)!;
  // What is changed in the room, the kernel sees; in what it has copied it does not.
  room[100] ^= 1;
  assertEquals(checksum(room, prover), checksum(room));
  const copied = openProver(room)!;
  room[100] ^= 1;
  assertEquals(checksum(bytes, prover), checksum(bytes));
  assertEquals(
    checksum(bytes, copied),
    checksum(Uint8Array.from(bytes, (b, i) => i === 100 ? b ^ 1 : b)),
  );
  // Two files whose rooms are made before either is opened.
  const rooms = [roomFor(bytes.length), roomFor(bytes.length)];
  for (const each of rooms) each!.set(bytes);
  for (const each of rooms) assertEquals(outcomeOf(each!, openProver(each!)), outcomeOf(bytes));
});
