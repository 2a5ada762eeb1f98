import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { trainCart } from "../../../src/algorithms/classic/cart.ts";
import { datasetFromRows } from "../../../src/data/records/rows.ts";
import { ModelError } from "../../../src/errors.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import { modelFromJson, modelToJson } from "../../../src/format/json.ts";
import { sealSections } from "../../../src/format/write_sections.ts";
import { createModel, type Model } from "../../../src/model/model.ts";
import { randomRows } from "../../support/models/random.ts";
import { surrogateParts } from "../../support/models/surrogate.ts";

/** Numbers and categories that follow each other, so that each stands in for the others. */
function trained(): Promise<Model> {
  const rows = Array.from({ length: 60 }, (_, i) => ({
    x: i % 7 === 0 ? null : i,
    y: i % 5 === 0 ? null : 100 - i + i % 3,
    c: i % 11 === 0 ? null : i < 20 ? "a" : i < 40 ? "b" : "d",
    label: i < 20 ? "low" : i < 41 ? "mid" : "high",
  }));
  const data = datasetFromRows(rows, { target: "label" });
  return trainCart(data, { missing: "surrogate", minRowsSplit: 6, minRowsPerLeaf: 2 });
}

Deno.test("surrogates stand in for missing values in order", () => {
  const model = createModel(surrogateParts());
  const cases = [
    [{ x: 0, y: 0, c: "b", z: 9 }, 1],
    [{ x: null, y: 2, c: "a", z: 9 }, 4],
    [{ x: null, y: 3, c: "b", z: 9 }, 1],
    [{ x: null, y: null, c: "a", z: 9 }, 1],
    [{ x: null, y: null, c: "b", z: 9 }, 4],
    [{ x: null, y: null, c: "d", z: 9 }, 4],
    [{ x: null, y: null, c: "never seen", z: 9 }, 4],
    [{ x: null, y: null, c: null, z: null }, 2],
  ] as const;
  for (const again of [model, decodeModel(encodeModel(model)), modelFromJson(modelToJson(model))]) {
    for (const [row, value] of cases) assertEquals([...again.predictValue(row)], [value]);
  }
});

Deno.test("surrogates come back from .tlm and JSON", async () => {
  for (const model of [createModel(surrogateParts()), await trained()]) {
    const { surrogates } = model.ensemble;
    assert(surrogates !== undefined);
    assert(surrogates.categoryAt.some((at) => at >= 0) && surrogates.categoryAt.includes(-1));
    const rows = randomRows(model.schema, 300, 4).map((row) => ({
      ...row,
      x: typeof row.x === "number" && row.x > 0 ? null : row.x,
    }));
    const raw = model.predictRaw(rows);
    const bytes = encodeModel(model);
    for (const again of [decodeModel(bytes), modelFromJson(modelToJson(model))]) {
      assertEquals(again.ensemble, model.ensemble);
      assertEquals(encodeModel(again), bytes);
      assertEquals(modelToJson(again), modelToJson(model));
      assertEquals(again.predictRaw(rows), raw);
    }
    const { surrogates: _, ...without } = model.ensemble;
    const bare = createModel({ schema: model.schema, info: model.info, ensemble: without });
    assertNotEquals(bare.predictRaw(rows), raw);
  }
});

Deno.test("decodeModel() refuses every damaged byte of a file with surrogates", () => {
  const bytes = encodeModel(createModel(surrogateParts()));
  for (let i = 0; i < bytes.length; i++) {
    for (const flip of [1, 0x80, 0xff]) {
      const damaged = bytes.slice();
      damaged[i] ^= flip;
      const error = assertThrows(() => decodeModel(damaged), ModelError);
      assert(typeof error.details.offset === "number", error.message);
    }
  }
});

Deno.test("decodeModel() proves surrogates also where the checksum fits", () => {
  const bytes = encodeModel(createModel(surrogateParts()), { sha256: false });
  const rows = randomRows(surrogateParts().schema, 30, 2);
  let refused = 0;
  let read = 0;
  for (let i = 32; i < bytes.length; i++) {
    for (const flip of [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0xff]) {
      const damaged = bytes.slice();
      damaged[i] ^= flip;
      sealSections(damaged);
      let model: Model;
      try {
        model = decodeModel(damaged);
      } catch (error) {
        assert(error instanceof ModelError, String(error));
        assert(typeof error.details.offset === "number", error.message);
        refused++;
        continue;
      }
      model.predictLeaf(rows);
      const { data } = model.predictRaw(rows);
      assert(data.every((value) => !Number.isNaN(value)), `byte ${i}`);
      // What was read is a model of its own, written as it was read.
      assertEquals(decodeModel(encodeModel(model)).predictRaw(rows).data, data);
      read++;
    }
  }
  assert(refused > 1000 && read > 100, `${refused} refused, ${read} read`);
});

Deno.test("decodeModel() refuses counts of surrogates without their flag", () => {
  const { surrogates: _, ...ensemble } = surrogateParts().ensemble;
  // A node that asks to stop keeps the model in layout G.
  const missing = ensemble.trees.missing.slice();
  missing[0] = 254;
  const leaf = ensemble.trees.leaf.slice();
  leaf[0] = 3;
  const trees = { ...ensemble.trees, missing, leaf };
  const model = createModel({ ...surrogateParts(), ensemble: { ...ensemble, trees } });
  const bytes = encodeModel(model, { sha256: false });
  const start = new DataView(bytes.buffer).getUint32(32 + 24 + 8, true);
  for (const word of [5, 6, 7]) {
    const damaged = bytes.slice();
    damaged[start + 4 * word] = 1;
    sealSections(damaged);
    assertThrows(() => decodeModel(damaged), ModelError, `word ${word}`);
  }
});

Deno.test("modelFromJson() proves surrogates", () => {
  const text = modelToJson(createModel(surrogateParts()));
  const cases: [string, string, string][] = [
    [`"start":[0,2,2,2,2,2]`, `"start":[0,2,2,2,2,3]`, "cannot have 1 surrogates"],
    [`"start":[0,2,2,2,2,2]`, `"start":[0,1,1,1,1,1]`, "no splits"],
    [`"start":[0,2,2,2,2,2]`, `"start":[0,2,2,2,2]`, "bad starts"],
    [`"feature":[1,2]`, `"feature":[1,4]`, "no splits"],
    [`"feature":[1,2]`, `"feature":[1,0]`, "no splits"],
    [`"threshold":[2,0]`, `"threshold":[null,0]`, "no splits"],
    [`"below":[1,0]`, `"below":[2,0]`, "no splits"],
    [`"categoryAt":[-1,0]`, `"categoryAt":[-1,1]`, "no splits"],
    [`"categoryAt":[-1,0]`, `"categoryAt":[0,0]`, "no splits"],
    [`"pool":[0,1,255,255]`, `"pool":[0,2,255,255]`, "no splits"],
  ];
  for (const [from, to, words] of cases) {
    const at = text.lastIndexOf(from);
    assert(at > 0, from);
    const damaged = text.slice(0, at) + to + text.slice(at + from.length);
    assertThrows(() => modelFromJson(damaged), ModelError, words);
  }
});
