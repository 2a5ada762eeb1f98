import { assert, assertEquals, assertThrows } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { trainCart } from "../../../src/algorithms/classic/cart.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { ModelError } from "../../../src/errors.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import { modelFromJson, modelToJson } from "../../../src/format/json.ts";
import { readSections } from "../../../src/format/sections.ts";
import { sealSections } from "../../../src/format/write_sections.ts";
import { joinArrays } from "../../../src/format/bytes.ts";
import { contentsOf, runSelfTest } from "../../../src/format/self_test.ts";
import { Model } from "../../../src/model/model.ts";
import { driftOf, trainingStatsOf } from "../../../src/format/training_stats.ts";

/** Row r is (r, 10000 + r): a value tells its row. */
function makeData(numRows: number): Dataset {
  const first = Float64Array.from({ length: numRows }, (_, r) => r);
  return {
    numRows,
    features: [
      { kind: "numeric", name: "a", values: first },
      { kind: "numeric", name: "b", values: first.map((r) => 10000 + r) },
    ],
    target: { kind: "regression", name: "y", values: first.map((r) => Math.sin(r)) },
  };
}

Deno.test("trainers leave a self-test and statistics, which come back from .tlm and JSON", async () => {
  const data = makeData(5000);
  const models = [
    await trainBoost(data, { rounds: 3, committee: 1 }),
    await trainCart(data, { maxDepth: 4 }),
  ];
  for (const model of models) {
    const bytes = encodeModel(model);
    const copy = decodeModel(bytes);
    assertEquals(runSelfTest(copy), 4);
    const stats = trainingStatsOf(copy)!;
    assertEquals(stats.rows, 4096);
    assert(driftOf(copy, data).every(({ psi }) => psi < 0.01));
    assertEquals(encodeModel(modelFromJson(modelToJson(copy))), bytes);
  }
});

Deno.test("no row of the training data is in the self-test", async () => {
  const model = await trainBoost(makeData(50), { rounds: 3, committee: 1 });
  const bytes = model.attachments.get("TEST")!;
  const x = new Float64Array(bytes.slice(16, 16 + 4 * 2 * 8).buffer);
  for (let row = 0; row < 4; row++) {
    assert(x[2 * row] < 50 && x[2 * row + 1] >= 10000); // values of the data
    assert(x[2 * row] !== x[2 * row + 1] - 10000, `row ${x[2 * row]} is there`);
  }
});

Deno.test("decodeModel() names the place of a self-test with a value that the model refuses", async () => {
  const model = await trainBoost(makeData(50), { rounds: 3, committee: 1 });
  const strict = modelToJson(model).replace(/"missing":"heavier"/g, '"missing":"error"');
  const bytes = encodeModel(modelFromJson(strict));
  const test = readSections(bytes, true, {}).find(({ id }) => id === "TEST")!;
  new DataView(bytes.buffer).setFloat64(test.offset! + 16, NaN, true); // first value of the first row
  sealSections(bytes);
  const error = assertThrows(() => decodeModel(bytes), ModelError, "the value is missing");
  assertEquals([error.code, error.details.offset], ["E_MODEL_CORRUPT", test.offset]);
});

Deno.test("decodeModel() refuses a file whose scores are not those of its self-test", async () => {
  const bytes = encodeModel(await trainBoost(makeData(50), { rounds: 3, committee: 1 }));
  const test = readSections(bytes, true, {}).find(({ id }) => id === "TEST")!;
  bytes[test.offset! + test.bytes.length - 8] ^= 1; // last bit of the last score
  sealSections(bytes);
  const error = assertThrows(() => decodeModel(bytes), ModelError, "self-test");
  assertEquals(error.code, "E_MODEL_CORRUPT");
  assertEquals(error.details.offset, test.offset);
  assertEquals(decodeModel(bytes, { selfTest: false }).numRounds, 3);
  // Another shape than the model's.
  bytes[test.offset! + 4] = 3;
  sealSections(bytes);
  assertThrows(() => decodeModel(bytes), ModelError, "does not fit");
});

Deno.test("decodeModel() refuses a self-test of more rows than a file keeps", async () => {
  const model = await trainBoost(makeData(300), { rounds: 3, committee: 1 });
  // Rows of 1 and 10002 and their score, so many times.
  const tested = (rows: number) => {
    const x = Float64Array.from({ length: 2 * rows }, (_, i) => i % 2 === 0 ? 1 : 10002);
    const raw = new Float64Array(rows);
    model.positional(model.schemaHash).rawRowsInto(x, raw);
    const TEST = joinArrays([Uint32Array.of(rows, 2, 1, 0), x, raw]);
    return encodeModel(new Model({ ...contentsOf(model), attachments: new Map([["TEST", TEST]]) }));
  };
  assertEquals(decodeModel(tested(256)).numRounds, 3);
  assertThrows(() => decodeModel(tested(257)), ModelError, "does not fit");
});
