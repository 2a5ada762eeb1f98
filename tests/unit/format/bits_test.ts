import { assert, assertEquals, assertThrows } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { trainRandomForest } from "../../../src/algorithms/classic/random_forest.ts";
import { ModelError } from "../../../src/errors.ts";
import { decodeModel, encodeModel, modelSections } from "../../../src/format/binary.ts";
import { createBits, fromBits } from "../../../src/format/bits.ts";
import { HEADER, readSections } from "../../../src/format/sections.ts";
import { sealSections, writeSections } from "../../../src/format/write_sections.ts";
import { createBitWriter } from "../../../src/format/write_bits.ts";
import { createModel, type Model } from "../../../src/model/model.ts";
import { createTreeBuilder } from "../../../src/model/trees.ts";
import { createRng } from "../../../src/util/rng.ts";
import { randomParts, randomRows } from "../../support/models/random.ts";
import { chainParts, openCutParts, withTrees } from "../../support/models/open_cuts.ts";

const SPECS = [
  { seed: 1, trees: 30, depth: 9, numeric: 6 },
  { seed: 2, trees: 30, depth: 9, numeric: 4, categorical: 3, outputs: 2, leafWidth: 2 },
  { seed: 3, trees: 1, depth: 14, numeric: 3, categorical: 1 },
] as const;
/** Every sign, infinities, float32 numbers and those that need all 64 bits. */
const CUTS = Float64Array.from(
  [-Infinity, -1e300, -2.5, -1 / 3, -5e-324, 0, 1e-9, 0.1, 0.25, 1 / 3, 7, 8, 1e20, Infinity],
);

function partsOf(spec: typeof SPECS[number], distinct = 5) {
  const rng = createRng(spec.seed);
  const cuts = [...CUTS, ...Array.from({ length: 200 }, () => (rng.nextFloat() - 0.5) * 40)];
  return openCutParts(spec, cuts.sort((a, b) => a - b), distinct);
}

function inBits(model: Model): Uint8Array<ArrayBuffer> {
  const bytes = encodeModel(model, { inBits: true });
  assertEquals(readSections(bytes, true, {}).map(({ id }) => id).includes("BITS"), true);
  return bytes;
}

Deno.test("createBits() reads whole numbers below 5 in 2, 2, 2, 3 and 3 bits", () => {
  // ⌊log2 5⌋ = 2; the first 2³ − 5 = 3 numbers take 2 bits, 3 and 4 are (3 + n)'s upper two and last.
  const writer = createBitWriter();
  for (let n = 0; n < 5; n++) writer.below(n, 5);
  writer.put(0xdeadbeef, 32);
  writer.below(0, 1);
  const words = writer.words();
  // 00, 10, 01 from the lowest bit on are 0, 1, 2; 3 is (3 + 3 = 110): 11 then 0; 4 is 111: 11 then 1.
  const first = 0 | 1 << 2 | 2 << 4 | 3 << 6 | 0 << 8 | 3 << 9 | 1 << 11;
  assertEquals(words[0] & 0xfff, first);
  const { below, take, done } = createBits(words);
  assertEquals([0, 1, 2, 3, 4].map(() => below(5)), [0, 1, 2, 3, 4]);
  assertEquals(done(), false);
  assertEquals(take(32), 0xdeadbeef);
  assertEquals(below(1), 0);
  assert(done());
  // Past the end all bits are 0, and it is not the end.
  assertEquals(take(32), 0);
  assert(!done());
  const large = createBitWriter();
  for (const value of [0, 1, 2 ** 31, 2 ** 32 - 2]) large.below(value, 2 ** 32 - 1);
  const again = createBits(large.words());
  assertEquals([0, 1, 2, 3].map(() => again.below(2 ** 32 - 1)), [0, 1, 2 ** 31, 2 ** 32 - 2]);
});

Deno.test("encodeModel() writes x <= 0.5 → 1, else 2 as the bits that docs/format.md tells", () => {
  const tree = createTreeBuilder();
  const first = tree.splitThreshold(0, 0, 0.5, 1);
  tree.setValue(first, [1]);
  tree.setValue(first + 1, [2]);
  const model = createModel(
    withTrees(randomParts({ seed: 1, trees: 0, numeric: 1 }), [tree, tree, tree]),
  );
  const section = readSections(inBits(model), true, {}).find(({ id }) => id === "BITS")!;
  const view = new DataView(section.bytes.slice().buffer);
  const words = view.getUint32(40, true);
  const at = section.bytes.length - 8 * Math.ceil(words / 2);
  const bits = createBits(
    Uint32Array.from({ length: words }, (_, i) => view.getUint32(at + 4 * i, true)),
  );
  bits.take(5);
  // 0.5 is 0x3f000000 in float32; positive numbers have the highest bit set in their place.
  assertEquals(bits.below(2 ** 32 - 1), 0xbf000000);
  for (let t = 0; t < 3; t++) {
    // No bit for the size and the threshold, each the only one; one for the side of missing values.
    assertEquals(bits.take(1), 1);
  }
  // Leaves 1 and 2 in turn.
  assertEquals([0, 1, 2, 3, 4, 5].map(() => bits.take(1)), [0, 1, 0, 1, 0, 1]);
  assert(bits.done());
});

Deno.test("trees in bits are the trees: every array, score, leaf and statistic", () => {
  for (const spec of SPECS) {
    for (const distinct of [0, 2, 5, 300]) {
      const model = createModel(partsOf(spec, distinct));
      const bytes = inBits(model);
      const again = decodeModel(bytes);
      assertEquals(again.ensemble, model.ensemble);
      const plain = encodeModel(model, { inBits: false });
      assertEquals(encodeModel(again, { inBits: false }), plain);
      assertEquals(encodeModel(decodeModel(plain), { inBits: true }), bytes);
      const rows = randomRows(model.schema, 200, 5);
      assertEquals(again.predictRaw(rows), model.predictRaw(rows));
      assertEquals(again.predictRaw(rows[0]), model.predictRaw(rows[0]));
      assertEquals(again.predictLeaf(rows), model.predictLeaf(rows));
    }
  }
});

function forestData(rows: number) {
  const rng = createRng(4);
  const values = (gap: number) =>
    Float64Array.from({ length: rows }, () => rng.nextFloat() < gap ? NaN : rng.nextInt(500) / 500);
  const a = values(0);
  const b = values(0.1);
  const categories = ["p", "q", "r", "s", "t"];
  const codes = Int32Array.from({ length: rows }, () => rng.nextInt(6) - 1);
  const y = Int32Array.from(a, (v, i) => +(v + codes[i] / 5 + rng.nextFloat() > 1.2));
  return {
    numRows: rows,
    features: [
      { kind: "numeric" as const, name: "a", values: a },
      { kind: "numeric" as const, name: "b", values: b },
      { kind: "categorical" as const, name: "c", codes, categories },
    ],
    target: { kind: "classification" as const, name: "y", codes: y, classes: ["no", "yes"] },
  };
}

Deno.test("encodeModel() writes forests in bits by itself, where that saves a third, and boosted trees not", async () => {
  const data = forestData(4000);
  const forest = await trainRandomForest(data, { trees: 12, seed: 3 });
  const boosted = await trainBoost(data, { rounds: 60, seed: 3 });
  const ids = (model: Model) => modelSections(model).map(({ id }) => id);
  assert(ids(forest).includes("BITS") && !ids(forest).includes("TREE"));
  assert(ids(boosted).includes("TREE") && !ids(boosted).includes("BITS"));
  const trees = (model: Model, inBits?: boolean) =>
    modelSections(model, { ...(inBits !== undefined && { inBits }) })[1].bytes.length;
  assert(3 * trees(forest) <= 2 * trees(forest, false));
  assert(3 * trees(boosted, true) > 2 * trees(boosted));
  // Covers too are bits then, and come back.
  const bytes = encodeModel(forest);
  const again = decodeModel(bytes);
  assertEquals(again.ensemble.trees, forest.ensemble.trees);
  assertEquals(encodeModel(again), bytes);
});

Deno.test("encodeModel() writes trees as before where bits cannot hold them", () => {
  const ids = (model: Model) => modelSections(model, { inBits: true }).map(({ id }) => id);
  // x <= 1, and on its left x <= 2: nothing that is open.
  const settled = createTreeBuilder();
  const left = settled.splitThreshold(0, 0, 1, 0);
  settled.splitThreshold(left, 0, 2, 0);
  for (let node = 0; node < settled.numNodes; node++) settled.setValue(node, [node % 2]);
  // x <= 1, and on its left x <= 1 again, on its right x <= Infinity: two that part the missing values.
  const twice = createTreeBuilder();
  const first = twice.splitThreshold(0, 0, 1, 0);
  twice.splitThreshold(first, 0, 1, 1);
  twice.splitThreshold(first + 1, 0, Infinity, 1);
  for (let node = 0; node < twice.numNodes; node++) twice.setValue(node, [node]);
  const parts = randomParts({ seed: 1, trees: 0, numeric: 7 });
  const cases = [
    [withTrees(parts, [settled]), false],
    [withTrees(parts, [twice]), false],
    [chainParts(1001), false],
    [chainParts(1000), true],
  ] as const;
  for (const [made, fits] of cases) {
    const model = createModel(made);
    assertEquals(ids(model).includes("BITS"), fits);
    const rows = randomRows(model.schema, 30, 5);
    const again = decodeModel(encodeModel(model, { inBits: true }));
    assertEquals(again.predictRaw(rows), model.predictRaw(rows));
    assertEquals(again.ensemble.trees.threshold, model.ensemble.trees.threshold);
  }
});

Deno.test("decodeModel() refuses trees in bits under the name of others, and beside others", () => {
  const model = createModel(partsOf(SPECS[0]));
  const bits = modelSections(model, { inBits: true });
  const plain = modelSections(model, { inBits: false });
  const refuse = (sections: typeof bits, code: string) =>
    assertEquals(
      assertThrows(() => decodeModel(writeSections(sections)), ModelError).code,
      code,
    );
  const renamed = (sections: typeof bits, from: string, to: string) =>
    sections.map((section) => section.id === from ? { ...section, id: to } : section);
  refuse(renamed(bits, "BITS", "TREE"), "E_MODEL_CORRUPT");
  refuse(renamed(plain, "TREE", "BITS"), "E_MODEL_CORRUPT");
  refuse([...bits, plain[1]], "E_MODEL_CORRUPT");
  // What a reader that does not know the section answers.
  refuse(renamed(bits, "BITS", "BITT"), "E_MODEL_VERSION");
});

Deno.test("decodeModel() refuses trees that ask for more memory than a byte a node before it takes any", () => {
  const bytes = inBits(createModel(partsOf(SPECS[2])));
  const { offset } = readSections(bytes, true, {}).find(({ id }) => id === "BITS")!;
  for (let word = 0; word < 16; word++) {
    for (const value of [0x7fffffff, 0xffffffff, 0x10000000, 0x100000]) {
      const damaged = bytes.slice();
      new DataView(damaged.buffer).setUint32(offset! + 4 * word, value, true);
      sealSections(damaged);
      const before = Deno.memoryUsage().external;
      const error = assertThrows(() => decodeModel(damaged), ModelError);
      assert(typeof error.details.offset === "number");
      assert(Deno.memoryUsage().external - before < 1 << 20);
    }
  }
});

Deno.test("decodeModel() refuses bits that are changed, or reads trees that are trees", () => {
  const model = createModel(partsOf(SPECS[1]));
  const bytes = inBits(model);
  const section = readSections(bytes, true, {}).find(({ id }) => id === "BITS")!;
  const rng = createRng(9);
  const rows = randomRows(model.schema, 3, 1);
  let read = 0;
  let refused = 0;
  for (let i = 0; i < 300; i++) {
    const damaged = bytes.slice();
    damaged[section.offset! + 64 + rng.nextInt(section.bytes.length - 64)] ^= 1 << rng.nextInt(8);
    const error = assertThrows(() => decodeModel(damaged), ModelError);
    assert(typeof error.details.offset === "number");
    sealSections(damaged);
    try {
      const other = decodeModel(damaged, { selfTest: false });
      other.predictRaw(rows);
      // What was read can be written: nothing is closed to it.
      assert(other.ensemble.trees.kind.length === model.ensemble.trees.kind.length);
      read++;
    } catch (error) {
      assert(error instanceof ModelError && typeof error.details.offset === "number", `${error}`);
      assert(error.details.offset >= HEADER);
      refused++;
    }
  }
  assert(read > 10 && refused > 10, `${read} read, ${refused} refused`);
});

Deno.test("fromBits() refuses a tree of 20,000 levels without calling itself so often", () => {
  // Sets close nothing: a chain to the right asks the only one again and again.
  const levels = 20_000;
  const writer = createBitWriter();
  for (let n = levels; n > 0; n--) {
    writer.below(0, n);
    writer.below(0, 2);
  }
  const one = Uint32Array.of(1);
  const packed = {
    treeNodes: Uint16Array.of(levels),
    feat2: new Uint8Array(levels),
    cut: new Uint8Array(levels),
    size: new Uint16Array(levels),
    dictSize: one,
    dictAt: Uint32Array.of(0),
    setWords: one,
    numCategories: one,
    cuts: new Float32Array(0),
    sets: one,
    leaves: Float32Array.of(0),
  };
  assertEquals(fromBits(writer.words(), packed, 1), false);
});

Deno.test("fromBits() refuses a node that cuts where the node above it left nothing open", () => {
  const stream = (left: boolean) => {
    const writer = createBitWriter();
    writer.put(0, 5);
    writer.below(0xbf000000, 2 ** 32 - 1); // 0.5
    // The root's left subtree has one inner node or none; both nodes ask the only feature.
    writer.below(left ? 1 : 0, 2);
    writer.below(0, 4);
    // The other feature, which has no threshold either, or the same once more.
    writer.below(0, 4);
    return writer.words();
  };
  const zeros = Uint32Array.of(0, 0);
  const packed = () => ({
    treeNodes: Uint8Array.of(2),
    feat2: new Uint8Array(2),
    cut: new Uint8Array(2),
    size: new Uint8Array(2),
    dictSize: Uint32Array.of(1, 0),
    dictAt: zeros,
    setWords: zeros,
    numCategories: zeros,
    cuts: new Float32Array(1),
    sets: zeros,
    leaves: Float32Array.of(0, 1, 2),
  });
  for (const left of [true, false]) assertEquals(fromBits(stream(left), packed(), 1), false);
});
