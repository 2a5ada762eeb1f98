/** What docs/format.md says of META, field by field: whatever is not of it is refused by its path. */
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ModelError } from "../../../src/errors.ts";
import { readCalibration, readMeta } from "../../../src/format/meta.ts";

/** Metadata with one feature of each kind; a copy of its own each time. */
function valid() {
  return {
    schema: {
      absentColumns: "missing",
      classes: ["no", "yes"],
      extraColumns: "ignore",
      features: [
        { kind: "numeric", missing: "learnt", name: "age" },
        { kind: "numeric", missing: "heavier", name: "gain", zeroIsMissing: true },
        {
          categories: ["a", "b"],
          coded: true,
          kind: "categorical",
          missing: "error",
          name: "job",
          unknown: "node",
        },
      ] as unknown[],
      missingCells: ["?"],
      sparse: "zero",
      target: { name: "y" },
      task: "classification",
    },
    info: { algorithm: "boost", params: {} } as { [key: string]: unknown },
    aggregate: "sum",
    leafWidth: 1,
    numOutputs: 1,
    treesPerRound: 1,
    postprocess: { name: "sigmoid", scale: 2 },
    profile: { input: "f64", sum: "f64", base: "first", shownTest: "<=" },
  };
}

const fail = (problem: string) => new ModelError("E_MODEL_CORRUPT", problem);
const read = (value: unknown) => readMeta(value, fail);

/** Objects inside of each other. */
function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { value };
  return value;
}

Deno.test("readMeta() takes every text that docs/format.md has", () => {
  const given = valid();
  const texts: readonly [object: object, member: string, ...texts: string[]][] = [
    [given.schema, "absentColumns", "missing", "error"],
    [given.schema, "extraColumns", "ignore", "error"],
    [given.schema, "sparse", "zero", "missing"],
    [given.schema, "task", "regression", "classification", "ranking"],
    [given, "aggregate", "sum", "average", "vote", "median", "min", "max"],
    [given.profile, "input", "f32", "f64"],
    [given.profile, "sum", "f32", "f64"],
    [given.profile, "base", "first", "last"],
    [given.profile, "shownTest", "<=", "<"],
  ];
  for (const [object, member, ...words] of texts) {
    for (const word of words) {
      Object.assign(object, { [member]: word });
      assertEquals(JSON.stringify(read(given)), JSON.stringify(given));
    }
  }
});

Deno.test("readCalibration() refuses temperatures that are not above 0 and curves that are none", () => {
  const cases: [unknown, string][] = [
    [{ method: "temperature", t: 0 }, "calibration[0].t is 0"],
    [{ method: "temperature", t: -1 }, "calibration[0].t is -1"],
    [{ method: "isotonic", x: [], y: [] }, "calibration[0] is no curve"],
    [{ method: "isotonic", x: [0, 1], y: [0] }, "calibration[0] is no curve"],
    [{ method: "isotonic", x: [0, 2, 1], y: [0, 0.5, 1] }, "calibration[0] is no curve"],
    [{ method: "platt", a: 1 }, "calibration[0].b is no finite number"],
  ];
  for (const [one, message] of cases) {
    assertThrows(() => readCalibration([one], fail, 1), ModelError, message);
  }
  const curve = { method: "isotonic", x: [0, 1, 1, 2], y: [0, 0.25, 0.5, 1] };
  const good = [curve, { method: "temperature", t: 0.5 }, { method: "platt", a: -1, b: 0 }];
  assertEquals(readCalibration(good, fail, 3) as unknown, good);
});

Deno.test("readCalibration() takes a map for each output, or one for all", () => {
  const maps = (count: number) => Array(count).fill({ method: "temperature", t: 2 });
  for (const [count, numOutputs] of [[1, 1], [1, 3], [3, 3]]) {
    assertEquals(readCalibration(maps(count), fail, numOutputs).length, count);
  }
  for (const [count, numOutputs] of [[0, 1], [2, 1], [0, 3], [2, 3], [4, 3]]) {
    assertThrows(() => readCalibration(maps(count), fail, numOutputs), ModelError, "does not fit");
  }
});

Deno.test("readMeta() gives what stands there, in the order that hashes are taken in", () => {
  assertEquals(JSON.stringify(read(valid())), JSON.stringify(valid()));
  const plain = valid();
  plain.schema.features = ["x", "y", "__proto__"].map((name) => ({
    kind: "numeric",
    missing: "learnt",
    name,
  }));
  assertEquals(JSON.stringify(read(plain)), JSON.stringify(plain));
  // Any order of the file's members, and false flags, are the same contract.
  const turned = valid();
  turned.schema.features = [
    { name: "x", coded: undefined, zeroIsMissing: false, missing: "learnt", kind: "numeric" },
  ];
  plain.schema.features = [{ kind: "numeric", missing: "learnt", name: "x" }];
  assertEquals(JSON.stringify(read(turned)), JSON.stringify(read(plain)));
});

Deno.test("readMeta() refuses a wrong field by its path", () => {
  type Valid = ReturnType<typeof valid>;
  const numeric = { kind: "numeric", missing: "learnt", name: "x" };
  const features = (...list: unknown[]) => (meta: Valid) => void (meta.schema.features = list);
  const cases: readonly (readonly [string, (meta: Valid) => void])[] = [
    ["schema.features[0].name is no text", features({ ...numeric, name: 5 })],
    ["schema.features[1].name is no text", features(numeric, { ...numeric, name: undefined })],
    ["schema.features[0].missing is none of", features({ ...numeric, missing: "guess" })],
    ["schema.features[1].kind is none of", features(numeric, { ...numeric, kind: "text" })],
    ["schema.features[0].zeroIsMissing is no boolean", features({ ...numeric, zeroIsMissing: 1 })],
    ["schema.features[1] is no object", features(numeric, null)],
    ["schema.features[0] is no object", features([])],
    ["schema.features has a name twice", features(numeric, numeric)],
    ["schema.features has a name twice", features({ ...numeric, zeroIsMissing: true }, numeric)],
    ["schema.features is no list", (meta) => void Object.assign(meta.schema, { features: {} })],
    ["schema.task is none of", (meta) => void (meta.schema.task = "guessing")],
    ["schema.classes has an entry twice", (meta) => void (meta.schema.classes = ["a", "a"])],
    ["schema.sparse is none of", (meta) => void (meta.schema.sparse = "one")],
    ["schema.target is no object", (meta) => void Object.assign(meta.schema, { target: "y" })],
    ["leafWidth is no positive whole number", (meta) => void (meta.leafWidth = 0)],
    ["numOutputs is no positive whole number", (meta) => void (meta.numOutputs = 1.5)],
    ["aggregate is none of", (meta) => void (meta.aggregate = "constructor")],
    ["postprocess.name is none of", (meta) => void (meta.postprocess.name = "toString")],
    ["postprocess.scale is no finite number", (meta) => void (meta.postprocess.scale = NaN)],
    ["profile.sum is none of", (meta) => void (meta.profile.sum = "f16")],
    ["info is no object", (meta) => void Object.assign(meta, { info: [] })],
    ["info has over 64 levels", (meta) => void (meta.info.deep = nested(64))],
    // More than the engine's stack holds.
    ["info has over 64 levels", (meta) => void (meta.info.deep = nested(100_000))],
  ];
  for (const [message, spoil] of cases) {
    const meta = valid();
    spoil(meta);
    assertStringIncludes(assertThrows(() => read(meta), ModelError).message, message);
  }
});

Deno.test("readMeta() finds a name that two of many features share without comparing each with each", () => {
  const meta = valid();
  // 2e10 comparisons otherwise.
  const names = [...Array(200_000).keys(), 199_999].map(String);
  meta.schema.features = names.map((name) => ({ kind: "numeric", missing: "learnt", name }));
  assertThrows(() => read(meta), ModelError, "schema.features has a name twice");
});

Deno.test("readMeta() takes info of 64 levels", () => {
  const meta = valid();
  meta.info.deep = nested(63);
  assertEquals(read(meta).info, meta.info as unknown as ReturnType<typeof read>["info"]);
});
