import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import type { CategoricalInput } from "../../../src/data/types.ts";
import { ModelError, ParameterError } from "../../../src/errors.ts";
import { createModel } from "../../../src/model/model.ts";
import { createTreeBuilder, type TreeBuilder } from "../../../src/model/trees.ts";
import type { ModelParts } from "../../../src/model/types.ts";
import { code, modelOf, stump } from "../../support/models/stumps.ts";

/** A single leaf. */
function constant(value: number): TreeBuilder {
  const tree = createTreeBuilder();
  tree.setValue(0, [value]);
  return tree;
}

Deno.test("predictRaw() compares in float32 under the XGBoost profile", () => {
  // dmlc/xgboost#4060: the stored test x < 0.671000004 is x <= the next float32 below.
  const below = 0.6709999442100525;
  const xgboost = { input: "f32", sum: "f32", base: "first", shownTest: "<" } as const;
  const model = modelOf([stump(below, 1, 2)], {}, { profile: xgboost });
  assertEquals(model.predictRaw({ x: 0.671 }).data[0], 2);
  assertEquals(model.predictRaw({ x: 0.67099 }).data[0], 1);
  const exact = modelOf([stump(0.671000004, 1, 2)], {});
  assertEquals(exact.predictRaw({ x: 0.671 }).data[0], 1);
});

Deno.test("the rule for unknown categories is followed: heavier, missing, node, error", () => {
  const build = (unknown: CategoricalInput["unknown"]) => {
    const tree = createTreeBuilder();
    // lightgbm-org/LightGBM#6908: {a} → 10 (3 rows), {b} → 20 (1 row); node value 12.5
    const first = tree.splitSubset(0, 0, Uint32Array.of(0b101), 1); // unknown with {a}, the heavier
    tree.setValue(0, [12.5]);
    tree.setValue(first, [10]);
    tree.setValue(first + 1, [20]);
    return modelOf([tree], {
      features: [{
        kind: "categorical",
        name: "c",
        missing: "learnt",
        unknown,
        categories: ["a", "b"],
      }],
    });
  };
  assertEquals(build("heavier").predictRaw({ c: "z" }).data[0], 10);
  assertEquals(build("missing").predictRaw({ c: "z" }).data[0], 20);
  assertEquals(build("node").predictRaw({ c: "z" }).data[0], 12.5);
  assertEquals(code(assertThrows(() => build("error").predictRaw({ c: "z" }))), "E_DATA_TYPE");
});

Deno.test("coded features truncate; what is no code is unknown and never cast", () => {
  const tree = createTreeBuilder();
  const first = tree.splitSubset(0, 0, Uint32Array.of(0b0001), 1);
  tree.setValue(first, [10]);
  tree.setValue(first + 1, [0]);
  const model = modelOf([tree], {
    features: [{
      kind: "categorical",
      name: "c",
      missing: "learnt",
      unknown: "heavier",
      categories: ["0", "1", "2"],
      coded: true,
    }],
  });
  const rows = [NaN, 0, -1, 0.9, 2.7, 1e20, -0.5].map((c) => ({ c }));
  assertEquals([...model.predictRaw(rows).data], [0, 10, 0, 10, 0, 0, 10]);
});

Deno.test("fractional missing takes every branch by its share of cover", () => {
  const tree = stump(0, 10, 20, 255);
  tree.setStats(0, 4, 1);
  tree.setStats(1, 3, 0);
  tree.setStats(2, 1, 0);
  const model = modelOf([tree], {});
  assertEquals([...model.predictRaw([{ x: -1 }, { x: 1 }, { x: NaN }]).data], [10, 20, 12.5]);
});

Deno.test("predictLeaf() goes down the heaviest branch where scores take all", () => {
  const lean = stump(0, 10, 20, 255);
  [4, 1, 3].forEach((cover, node) => lean.setStats(node, cover, 0));
  const even = stump(0, 10, 20, 255);
  [4, 2, 2].forEach((cover, node) => even.setStats(node, cover, 0));
  assertEquals([...modelOf([lean, even], {}).predictLeaf({ x: NaN }).data], [2, 1]);
});

Deno.test("averages divide by the trees used; prefixes count rounds", () => {
  const trees = [1, 2, 3, 4].map(constant);
  const model = modelOf(trees, {}, { aggregate: "average" });
  assertEquals(model.predictRaw({ x: 0 }).data[0], 2.5);
  assertEquals(model.predictRaw({ x: 0 }, { rounds: 2 }).data[0], 1.5);
  assertEquals(
    code(assertThrows(() => model.predictRaw({ x: 0 }, { rounds: 5 }))),
    "E_PARAM_RANGE",
  );
  for (const rounds of [5, -1, 1.5, NaN]) {
    const error = assertThrows(() => model.predictRaw({ x: 0 }, { rounds }), ParameterError);
    assertEquals([error.code, error.details], ["E_PARAM_RANGE", {
      param: "rounds",
      value: rounds,
    }]);
  }
  const median = modelOf(trees, {}, {
    aggregate: "median",
    treeWeight: Float64Array.of(1, 1, 1, 5),
  });
  assertEquals(median.predictRaw({ x: 0 }).data[0], 4);
});

Deno.test("the smallest and the largest value are those of all trees, whatever they weigh", () => {
  const of = (aggregate: "min" | "max", ...treeWeight: number[]) =>
    modelOf([1, 2, 3].map(constant), {}, {
      aggregate,
      baseScore: Float64Array.of(10),
      treeWeight: Float64Array.from(treeWeight),
    }).predictRaw({ x: 0 }).data[0];
  // 1, −2 and 3; the weights of the first two trees add up to 0.
  assertEquals([of("min", 1, -1, 1), of("max", 1, -1, 1)], [8, 13]);
  assertEquals([of("min", 0, 1, 1), of("max", 0, -1, -1)], [10, 10]);
  assertEquals([of("min", -1, -1, -1), of("max", -1, -1, -1)], [7, 9]);
});

Deno.test("200 leaves of 1000.1 average to 1000.1", () => {
  const model = modelOf(Array.from({ length: 200 }, () => constant(1000.1)), {}, {
    aggregate: "average",
  });
  assertAlmostEquals(model.predictRaw({ x: 0 }).data[0], 1000.1, 1e-9);
});

Deno.test("predictProba() has a column a class and predictClass() agrees with it", () => {
  const model = modelOf([stump(0, -1, 1)], { task: "classification", classes: ["no", "yes"] }, {
    postprocess: { name: "sigmoid" },
  });
  const { data, rows, cols } = model.predictProba([{ x: -1 }, { x: 1 }]);
  assertEquals([rows, cols], [2, 2]);
  assertAlmostEquals(data[1], 1 / (1 + Math.exp(1)), 1e-15);
  assertEquals(data[0] + data[1], 1);
  assertEquals(model.predictClass([{ x: -1 }, { x: 1 }]), ["no", "yes"]);
  assert(Math.abs(model.predictValue({ x: 1 })[0] - data[3]) === 0);
});

Deno.test("margins are never called probabilities", () => {
  const model = modelOf([stump(0, -1, 1)], { task: "classification", classes: ["no", "yes"] });
  assertEquals(code(assertThrows(() => model.predictProba({ x: 1 }))), "E_PARAM_CONFLICT");
  assertEquals(model.predictClass([{ x: -1 }, { x: 1 }]), ["no", "yes"]);
  const regression = modelOf([stump(0, -1, 1)], {});
  assertEquals(code(assertThrows(() => regression.predictClass({ x: 1 }))), "E_PARAM_CONFLICT");
});

Deno.test("predictLeaf() gives node numbers of ensemble.trees", () => {
  const model = modelOf([stump(0, 5, 6, 1), stump(1, 7, 8, 0)], {});
  const { data, cols } = model.predictLeaf([{ x: 0.5 }, { x: NaN }]);
  assertEquals(cols, 2);
  assertEquals([...data], [2, 1, 2, 1]);
  const { trees } = model.ensemble;
  assertEquals(trees.leaf[trees.treeStart[1] + data[1]], 7);
});

Deno.test("a dataset's offset is added to the raw score", () => {
  const model = modelOf([stump(0, 1, 2)], {}, { postprocess: { name: "exp" } });
  const data = {
    numRows: 2,
    features: [{ kind: "numeric", name: "x", values: Float64Array.of(-1, 1) }],
    offset: Float64Array.of(0.5, 1),
  } as const;
  assertEquals([...model.predictRaw(data).data], [1.5, 3]);
});

Deno.test("createModel() refuses parts that contradict each other", () => {
  const twice = [
    { kind: "numeric", name: "x", missing: "learnt" },
    { kind: "numeric", name: "x", missing: "learnt" },
  ] as const;
  assertThrows(() => modelOf([constant(1)], { features: twice }), ModelError, "both named");
  assertThrows(() => modelOf([constant(NaN)], {}), ModelError, "leaf value NaN");
  const tree = stump(0, 1, 2);
  tree.feature[0] = 7;
  assertThrows(() => modelOf([tree], {}), ModelError, "tests feature 7");
  assertThrows(() => modelOf([stump(NaN, 1, 2)], {}), ModelError, "has the threshold NaN");
});

Deno.test("calibration comes between link and user", () => {
  const base = modelOf([stump(0, -1, 1)], { task: "classification", classes: ["no", "yes"] }, {
    postprocess: { name: "sigmoid" },
  });
  const withCalibration = (calibration: ModelParts["calibration"]) =>
    createModel({
      schema: base.schema,
      info: base.info,
      ensemble: base.ensemble,
      calibration: calibration!,
    });
  const platt = withCalibration([{ method: "platt", a: 2, b: 0.5 }]);
  assertAlmostEquals(platt.predictValue({ x: 1 })[0], 1 / (1 + Math.exp(-2.5)), 1e-15);
  const cool = withCalibration([{ method: "temperature", t: 2 }]);
  assertAlmostEquals(cool.predictValue({ x: 1 })[0], 1 / (1 + Math.exp(-0.5)), 1e-15);
  const flat = withCalibration([{ method: "isotonic", x: [0, 1], y: [0.1, 0.2] }]);
  const p = 1 / (1 + Math.exp(-1));
  assertAlmostEquals(flat.predictValue({ x: 1 })[0], 0.1 + 0.1 * p, 1e-15);
});

Deno.test("a model scores its first rows before it is packed, and the same afterwards", () => {
  const trees = Array.from({ length: 5 }, (_, t) => {
    const tree = createTreeBuilder();
    tree.splitThreshold(0, 0, t / 5, t % 2);
    const child = tree.splitThreshold(1, 0, t / 10, 0);
    tree.setValue(child, [0.1 + t]);
    tree.setValue(child + 1, [0.7 * t]);
    tree.setValue(2, [-1 / (t + 3)]);
    return tree;
  });
  const profile = { input: "f32", sum: "f32", base: "first", shownTest: "<" } as const;
  const model = modelOf(trees, {}, { profile, baseScore: new Float64Array([0.5]) });
  const rows = Array.from({ length: 40 }, (_, i) => ({ x: i % 7 === 0 ? null : i / 40 - 0.1 }));
  const single = rows.map((row) => model.predictRaw([row]).data[0]);
  const packed = createModel({ schema: model.schema, ensemble: model.ensemble, info: model.info });
  assertEquals(packed.storage.layout, "packed");
  assertEquals([...packed.predictRaw(rows).data], single);
  assertEquals(model.predictLeaf(rows), packed.predictLeaf(rows));
});
