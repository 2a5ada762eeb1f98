import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import type { InputReport } from "../../../src/data/types.ts";
import { ModelError } from "../../../src/errors.ts";
import { decodeModel, encodeModel, modelSections } from "../../../src/format/binary.ts";
import { modelFromJson, modelToJson } from "../../../src/format/json.ts";
import { withSelfTest } from "../../../src/format/self_test.ts";
import { sealSections, writeSections } from "../../../src/format/write_sections.ts";
import { readSections } from "../../../src/format/sections.ts";
import { createModel, type Model } from "../../../src/model/model.ts";
import { type RandomModel, randomParts, randomRows } from "../../support/models/random.ts";

const SPECS = [
  { seed: 1 },
  { seed: 2, categorical: 2, f32: false },
  { seed: 3, outputs: 3, weights: true },
  { seed: 4, outputs: 3, leafWidth: 3, aggregate: "average" },
  { seed: 5, categorical: 2, exotic: 0.3, unknown: "node" },
  { seed: 6, trees: 0 },
] as const;

Deno.test("decodeModel() returns what encodeModel() was given, from binary and from JSON", () => {
  for (const spec of SPECS) {
    const model = createModel(randomParts(spec));
    const bytes = encodeModel(model);
    const rows = randomRows(model.schema, 50, 9);
    for (const again of [decodeModel(bytes), modelFromJson(modelToJson(model))]) {
      assertEquals(encodeModel(again), bytes);
      assertEquals(modelToJson(again), modelToJson(model));
      assertEquals(again.ensemble, model.ensemble);
      assertEquals(again.schemaHash, model.schemaHash);
      assertEquals(again.predictRaw(rows), model.predictRaw(rows));
    }
  }
});

Deno.test("a calibration has a map for each output or one for all, wherever it is written or read", () => {
  const parts = randomParts({ seed: 3, outputs: 3 });
  const mapped = (count: number) =>
    createModel({ ...parts, calibration: Array(count).fill({ method: "temperature", t: 2 }) });
  const bytesOf = (text: string) => new TextEncoder().encode(text);
  const good = modelToJson(mapped(1));
  const [map] = /\{"method":[^}]*\}/.exec(good)!;
  for (const count of [0, 1, 2, 3, 4]) {
    const CALB = `[${Array(count).fill(map)}]`;
    const file = writeSections([
      ...modelSections(createModel(parts)),
      { id: "CALB", required: true, bytes: bytesOf(CALB) },
    ]);
    const text = good.replace(`[${map}]`, () => CALB);
    for (
      const read of [
        () => decodeModel(file),
        () => modelFromJson(text),
        () => decodeModel(encodeModel(mapped(count))),
        () => modelFromJson(modelToJson(mapped(count))),
      ]
    ) {
      if (count === 1 || count === 3) assertEquals(read().calibration!.length, count);
      else assertEquals(assertThrows(read, ModelError, "does not fit").code, "E_MODEL_CORRUPT");
    }
  }
});

Deno.test("modelToJson() keeps thresholds that JSON has no number for", () => {
  const parts = randomParts({ seed: 1, trees: 2, depth: 2 });
  const inner = [...parts.ensemble.trees.kind.keys()].filter((node) =>
    parts.ensemble.trees.firstChild[node] >= 0
  );
  const values = [Infinity, -Infinity];
  assert(inner.length >= values.length);
  const threshold = parts.ensemble.trees.threshold.slice();
  values.forEach((value, i) => threshold[inner[i]] = value);
  const trees = { ...parts.ensemble.trees, threshold };
  const model = createModel({ ...parts, ensemble: { ...parts.ensemble, trees } });
  const again = modelFromJson(modelToJson(model)).ensemble.trees.threshold;
  assertEquals(values.map((_, i) => again[inner[i]]), values);
});

Deno.test("decodeModel() reads bytes at any place of a buffer", () => {
  const model = createModel(randomParts({ seed: 1 }));
  const bytes = encodeModel(model);
  const shifted = new Uint8Array(bytes.length + 3);
  shifted.set(bytes, 3);
  assertEquals(decodeModel(shifted.subarray(3)).ensemble, model.ensemble);
});

Deno.test("encodeModel() differs where models differ", () => {
  const parts = randomParts({ seed: 1 });
  const other = { ...parts, info: { ...parts.info, seed: 2 } };
  assertNotEquals(encodeModel(createModel(parts)), encodeModel(createModel(other)));
});

Deno.test("CASES M4: decodeModel() refuses or scores the same when one byte is flipped", () => {
  const model = createModel(randomParts({ seed: 7, trees: 2, depth: 2, numeric: 2 }));
  const bytes = encodeModel(model);
  for (let i = 0; i < bytes.length; i++) {
    for (const flip of [1, 0x80, 0xff]) {
      const damaged = bytes.slice();
      damaged[i] ^= flip;
      const error = assertThrows(() => decodeModel(damaged), ModelError);
      assert(typeof error.details.offset === "number", error.message);
    }
  }
});

Deno.test("decodeModel() names the word of a head that cannot be, and its own place", () => {
  // docs/format.md: word 3 of layout Z counts features, word 7 has flags; of layout G word 4 has flags.
  const cases = [
    { spec: { seed: 1 }, word: 3, value: 99 },
    { spec: { seed: 1 }, word: 7, value: 8 },
    { spec: { seed: 1 }, word: 15, value: 1 },
    { spec: { seed: 5, categorical: 2, exotic: 0.3, unknown: "node" }, word: 4, value: 4 },
    { spec: { seed: 5, categorical: 2, exotic: 0.3, unknown: "node" }, word: 9, value: 1 },
  ] as const;
  for (const { spec, word, value } of cases) {
    const bytes = encodeModel(createModel(randomParts(spec)));
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    let entry = 32; // the table of sections: 24 bytes each, offset at 8
    while (view.getUint32(entry, true) !== 0x45455254) entry += 24; // "TREE"
    const offset = view.getUint32(entry + 8, true) + 4 * word;
    view.setUint32(offset, value, true);
    const error = assertThrows(() => decodeModel(bytes, { checksum: false }), ModelError);
    assertEquals(error.code, "E_MODEL_CORRUPT");
    assertEquals(error.details, { offset });
    assert(error.message.includes(`word ${word} of the head cannot be ${value}`), error.message);
  }
});

Deno.test("decodeModel() says what a foreign file is", () => {
  const text = (t: string) => new TextEncoder().encode(t);
  const cases: [Uint8Array, string][] = [
    [new Uint8Array(0), "empty"],
    [text("tree\nversion=v4\n"), "another library"],
    [text('{"learner":{}}'), "another library"],
    [Uint8Array.of(8, 7, 18, 4), "another library"], // the first field of an ONNX model
    [text("binf"), "another library"],
    [text("hello"), "no .tlm file"],
    [Uint8Array.of(0x1f, 0x8b, 8, 0), "gzip"],
  ];
  for (const [bytes, words] of cases) assertThrows(() => decodeModel(bytes), ModelError, words);
});

/** A file whose JSON is given another text. */
function withMetaText(model: Model, change: (text: string) => string): Uint8Array<ArrayBuffer> {
  return writeSections(
    modelSections(model).map((section) =>
      section.id === "META"
        ? {
          ...section,
          bytes: new TextEncoder().encode(change(new TextDecoder().decode(section.bytes))),
        }
        : section
    ),
  );
}

Deno.test("decodeModel() refuses names of features that are not in NFC, which no column would have", () => {
  const parts = randomParts({ seed: 1, numeric: 2, categorical: 1 });
  const model = createModel(parts);
  const named = (name: string) =>
    withMetaText(model, (text) => text.replace('"name":"x1"', `"name":"${name}"`));
  assertEquals(decodeModel(named("caf\u00e9")).schema.features[1].name, "caf\u00e9");
  // As it stands, and in JSON of ASCII alone.
  for (const name of ["cafe\u0301", "cafe\\u0301"]) {
    const error = assertThrows(() => decodeModel(named(name)), ModelError, "is not in NFC");
    assertEquals(error.code, "E_MODEL_CORRUPT");
    assertEquals(typeof error.details.offset, "number");
  }
  // Two that are one in NFC.
  const twice = withMetaText(
    model,
    (text) => text.replace('"x0"', '"caf\u00e9"').replace('"x1"', '"cafe\u0301"'),
  );
  assertThrows(() => decodeModel(twice), ModelError, "is not in NFC");
});

Deno.test("categories are compared as they are written: NFC and NFD are two of them", () => {
  const parts = randomParts({ seed: 2, numeric: 1, categorical: 1, trees: 20 });
  const text = modelToJson(createModel(parts)).replace('"k0","k1"', '"caf\u00e9","cafe\u0301"');
  const again = decodeModel(encodeModel(modelFromJson(text)));
  const unknown: string[] = [];
  const onReport = ({ unknown: counts }: InputReport) => void unknown.push(...counts.keys());
  const rows = ["caf\u00e9", "cafe\u0301"].map((c0) => ({ x0: 0, c0 }));
  again.predictRaw(rows, { onReport });
  assertEquals(unknown, []);
  const out = new Float64Array(2);
  again.positional(again.schemaHash).rawRowsInto(Float64Array.of(0, 0, 0, 1), out);
  assertEquals(again.predictRaw(rows).data, out);
});

Deno.test("covers of layout G are finite, and not below 0 where they are shares", () => {
  const parts = randomParts({ seed: 5, exotic: 0.5 });
  const { trees } = parts.ensemble;
  assert(trees.missing.includes(255));
  const mark = 12345.5;
  trees.cover[3] = mark;
  const bytes = encodeModel(createModel(parts));
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  let at = 0;
  while (view.getFloat64(at, true) !== mark) at += 8;
  for (const cover of [NaN, Infinity, -Infinity, -1]) {
    view.setFloat64(at, cover, true);
    sealSections(bytes);
    const error = assertThrows(() => decodeModel(bytes), ModelError, "covers are no weights");
    assertEquals(typeof error.details.offset, "number");
    trees.cover[3] = cover;
    assertThrows(() => createModel(parts), ModelError, "covers are no weights");
  }
});

Deno.test("a self-test is scored to its last row, unless its sums take more numbers than the file has bytes", () => {
  /** Whether a file is refused if the last raw score of its self-test is another. */
  const looksAtLast = (spec: RandomModel, rows: number, leaves?: number): boolean => {
    const parts = randomParts(spec);
    if (leaves) parts.ensemble.trees.leaf.forEach((_, i, leaf) => leaf[i] = i % leaves);
    const model = withSelfTest(createModel(parts), randomRows(parts.schema, rows, 2));
    const bytes = encodeModel(model, { explain: false });
    const test = readSections(bytes, true, {}).find(({ id }) => id === "TEST")!;
    bytes[test.offset! + test.bytes.length - 1] ^= 0x80; // its sign
    sealSections(bytes);
    try {
      decodeModel(bytes);
      return false;
    } catch (error) {
      assert(error instanceof ModelError && error.message.includes("self-test"), `${error}`);
      return true;
    }
  };
  const wide = { seed: 3, trees: 200, depth: 1, outputs: 50, leafWidth: 50 };
  assert(looksAtLast({ seed: 1, trees: 60, depth: 1 }, 256));
  assert(looksAtLast(wide, 4)); // 40,000 numbers: each of its leaves is in the file
  assert(!looksAtLast(wide, 20, 100)); // 200,000 numbers of two leaves
});
