import { assert, assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { exportModel } from "../../../src/convert/export_model.ts";
import { importModel } from "../../../src/convert/import_model.ts";
import { exportOnnx } from "../../../src/convert/onnx/export.ts";
import { textTensor } from "../../../src/convert/onnx/writer.ts";
import { exportXgboostUbj } from "../../../src/convert/xgboost/export.ts";
import { parseTolerantJson } from "../../../src/convert/wire/tolerant_json.ts";
import { probeRows } from "../../../src/convert/probe_rows.ts";
import type { CategoricalInput, InputFeature, Row } from "../../../src/data/types.ts";
import { ConversionError, TreelineError } from "../../../src/errors.ts";
import { withSelfTest } from "../../../src/format/self_test.ts";
import { createModel, type Model } from "../../../src/model/model.ts";
import type { NumericProfile } from "../../../src/model/types.ts";
import { createTreeBuilder, packTrees } from "../../../src/model/trees.ts";
import { randomParts, randomRows } from "../../support/models/random.ts";
import { textModel } from "../../support/models/small.ts";

const f32 = { input: "f32", sum: "f32", base: "first", shownTest: "<" } as const;
const golden = (path: string) =>
  importModel(Deno.readFileSync(new URL(`../../golden/models/${path}`, import.meta.url)));

Deno.test("exportModel() gives back XGBoost's own margins after a round trip", () => {
  for (
    const path of [
      "xgboost-2.1.4/dart_reg_auto_mpg/model.ubj",
      "xgboost-3.4.1/categorical_strings_penguins/model.ubj",
      "xgboost-3.4.1/multi_softprob_vector_leaf_iris/model.json",
      "xgboost-1.7.4/zero_rounds/model.json",
    ]
  ) {
    const model = golden(path);
    const { rows } = probeRows(model, 200);
    for (const format of ["xgboost-json", "xgboost-ubj"] as const) {
      const { bytes, checkedRows, difference } = exportModel(model, format);
      assertEquals([checkedRows, difference], [500, 0]);
      assertEquals(importModel(bytes).predictRaw(rows), model.predictRaw(rows));
      assertEquals(importModel(bytes).predictValue(rows), model.predictValue(rows));
    }
  }
});

Deno.test("exportModel() writes models with sets of categories as ONNX and TypeScript", () => {
  const model = createModel(
    randomParts({ seed: 5, categorical: 2, numeric: 2, trees: 8, f32: true }),
  );
  assertEquals(exportModel(model, "onnx").difference, 0);
  assertEquals(exportModel(model, "typescript").difference, 0);
});

Deno.test("exportModel() refuses with the list of features, and never approximates", () => {
  const linear = golden("lightgbm-4.6.0/linear_tree_auto_mpg_binary/model.txt");
  for (const format of ["xgboost-ubj", "onnx", "typescript"] as const) {
    const error = assertThrows(() => exportModel(linear, format), ConversionError, "linear models");
    assertEquals(error.code, "E_CONVERT_UNSUPPORTED");
  }
  // Thresholds such as 0.1 are no float32: XGBoost would move them.
  const error = assertThrows(() => exportModel(linear, "xgboost-json"), ConversionError);
  const features = error.details.features as readonly string[];
  assert(features.length > 0);
  for (const feature of features) assert(error.message.includes(JSON.stringify(feature)));
});

/** An ONNX file without the notes that Treeline leaves itself: as other runtimes read it. */
function foreign(bytes: Uint8Array): Model {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const other = text.replaceAll("treeline.", "elsewhere");
  return importModel(Uint8Array.from(other, (char) => char.charCodeAt(0)));
}

Deno.test("exportModel() writes ONNX whose sums need no notes: base scores, of which some are 0, and weights", () => {
  const sums = [f32, { ...f32, base: "last" }, { ...f32, sum: "f64" }] as const;
  const shapes = [{ outputs: 1 }, { outputs: 3 }, { outputs: 3, leafWidth: 3 }];
  for (const profile of sums) {
    for (const shape of shapes) {
      for (const base of [[0, 0, 0], [0.5, 0, -0.25], [0, 0.25, 1]]) {
        const parts = randomParts({
          seed: 6,
          trees: 4,
          f32: true,
          weights: true,
          ...shape,
          profile,
        });
        const baseScore = Float64Array.from(base.slice(0, shape.outputs));
        const model = createModel({
          ...parts,
          schema: { ...parts.schema, task: "regression", classes: [] },
          ensemble: { ...parts.ensemble, baseScore, postprocess: { name: "identity" } },
        });
        const back = foreign(exportModel(model, "onnx").bytes);
        const { rows } = probeRows(model, 20);
        const own = model.schema.features.map(({ name }) => name);
        const named = rows.map((row) =>
          Object.fromEntries(back.schema.features.map(({ name }, f) => [name, row[own[f]]]))
        );
        const said = JSON.stringify({ profile, shape, base });
        assertEquals(back.predictRaw(named).data, model.predictRaw(rows).data, said);
      }
    }
  }
});

Deno.test("exportModel() keeps exotic nodes out of formats without them", () => {
  const model = createModel(randomParts({ seed: 2, categorical: 2, trees: 6, exotic: 0.5 }));
  assertThrows(() => exportModel(model, "xgboost-json"), ConversionError);
});

Deno.test("exportModel() writes a base score that no logistic intercept gives exactly", () => {
  const parts = randomParts({ seed: 9, trees: 3, f32: true });
  const model = createModel({
    ...parts,
    schema: { ...parts.schema, task: "classification", classes: ["no", "yes"] },
    ensemble: {
      ...parts.ensemble,
      baseScore: new Float64Array([Math.fround(0.1234567)]),
      postprocess: { name: "sigmoid" },
      profile: { input: "f32", sum: "f32", base: "first", shownTest: "<" },
    },
  });
  const back = importModel(exportModel(model, "xgboost-ubj").bytes);
  const { rows } = probeRows(model, 100);
  assertEquals(back.predictRaw(rows), model.predictRaw(rows));
  // The intercept is a constant tree in front.
  assertEquals(back.numTrees, 4);
});

Deno.test("exportModel() writes TypeScript that scores by name", async () => {
  const model = golden("xgboost-3.4.1/categorical_strings_penguins/model.ubj");
  const { bytes } = exportModel(model, "typescript");
  const path = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeFile(path, bytes);
    const module = await import(`file://${path}`);
    const row = { island: "Dream", "bill_length_mm": 40, sex: null };
    assertEquals(module.raw(row), Array.from(model.predictRaw([row], { columns: "lenient" }).data));
    assertEquals(module.classes, ["0", "1", "2"]);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("exportModel() puts every right child after its left one, which XGBoost takes for granted", () => {
  const parts = randomParts({ seed: 11, categorical: 2, trees: 10, depth: 6, profile: f32 });
  // A split of missing against present is what exchanges children.
  const threshold = parts.ensemble.trees.threshold.map((t, i) =>
    i % 5 === 0 && t !== 0 ? Infinity : t
  );
  const model = createModel({
    ...parts,
    ensemble: { ...parts.ensemble, trees: { ...parts.ensemble.trees, threshold } },
  });
  const text = new TextDecoder().decode(exportModel(model, "xgboost-json").bytes);
  // deno-lint-ignore no-explicit-any
  const document = parseTolerantJson(text) as any;
  let splits = 0;
  let exchanged = 0;
  for (const tree of document.learner.gradient_booster.model.trees) {
    tree.left_children.forEach((left: number, node: number) => {
      if (left === -1) return;
      splits++;
      if (tree.split_conditions[node] === -Infinity) exchanged++;
      assertEquals(tree.right_children[node], left + 1);
      assertEquals([tree.parents[left], tree.parents[left + 1]], [node, node]);
    });
  }
  assert(splits > 50 && exchanged > 5);
});

Deno.test("exportModel() writes every sum of float64 as float64 in ONNX: nothing differs", () => {
  for (
    const spec of [
      { seed: 2, categorical: 2, outputs: 3, leafWidth: 3, aggregate: "average" },
      { seed: 3, outputs: 3, aggregate: "average" },
      { seed: 4, outputs: 2, leafWidth: 2, aggregate: "max", profile: { input: "f32" } },
      { seed: 5, outputs: 2, categorical: 1, profile: { input: "f32" } },
      { seed: 6, outputs: 2, profile: { base: "last" } },
    ] as const
  ) {
    const model = createModel(randomParts(spec));
    const { bytes, difference } = exportModel(model, "onnx");
    assertEquals(difference, 0);
    assertEquals(importModel(bytes).ensemble.profile.input, model.ensemble.profile.input);
  }
});

Deno.test("exportModel() refuses float32 sums that ONNX has no type for", () => {
  const refused = (profile: Partial<NumericProfile>, base: number, words: string) => {
    const parts = randomParts({ seed: 7, profile });
    const baseScore = Float64Array.of(base);
    const model = createModel({ ...parts, ensemble: { ...parts.ensemble, baseScore } });
    assertThrows(() => exportModel(model, "onnx"), ConversionError, words);
  };
  refused({ input: "f64", sum: "f32" }, 0, "compared as float64 while leaves are added in float32");
  refused({ input: "f32", sum: "f32" }, 0.1, "the base score needs more than float32");
});

Deno.test("exportModel() lists sets by their nodes, in order: XGBoost reads past them otherwise", () => {
  const model = createModel(randomParts({
    seed: 1,
    categorical: 3,
    trees: 12,
    profile: { input: "f32", sum: "f32", shownTest: "<" },
  }));
  const text = new TextDecoder().decode(exportModel(model, "xgboost-json").bytes);
  // deno-lint-ignore no-explicit-any
  const document = parseTolerantJson(text) as any;
  let several = 0;
  for (const tree of document.learner.gradient_booster.model.trees) {
    const nodes = tree.categories_nodes as number[];
    assertEquals(nodes, nodes.toSorted((a, b) => a - b));
    let at = 0;
    tree.categories_segments.forEach((segment: number, i: number) => {
      assertEquals(segment, at);
      at += tree.categories_sizes[i];
    });
    if (nodes.length > 2) several++;
  }
  assert(several > 5);
});

Deno.test("exportModel() sends levels that XGBoost does not know where a missing value goes, if they are one", () => {
  const { schema, ensemble, info } = textModel();
  const features = [{ ...schema.features[0] as CategoricalInput, unknown: "missing" as const }];
  // Level b goes left (1), a right (2); the bit behind them tells of unknown ones what does not hold.
  for (const [words, missing] of [[0b110, 1], [0b010, 0]]) {
    const tree = createTreeBuilder(1);
    const left = tree.splitSubset(0, 0, new Uint32Array([words]), missing);
    tree.setValue(left, [1]);
    tree.setValue(left + 1, [2]);
    const model = createModel({
      schema: { ...schema, features },
      ensemble: { ...ensemble, trees: packTrees([tree]), profile: { ...ensemble.profile, ...f32 } },
      info,
    });
    const text = new TextDecoder().decode(exportModel(model, "xgboost-json").bytes);
    // deno-lint-ignore no-explicit-any -- a file of another library
    const [file] = (parseTolerantJson(text) as any).learner.gradient_booster.model.trees;
    // XGBoost: right where the set holds the level, left where it does not, as of levels it has not met.
    const leafOf = (code: number) =>
      file
        .split_conditions[
          (file.categories.includes(code) ? file.right_children : file.left_children)[0]
        ];
    assertEquals([0, 1, 2].map(leafOf), [2, 1, missing === 0 ? 1 : 2]);
    assertEquals(file.default_left[0], 1);
  }
});

Deno.test("exportModel() also compares the rows that the model keeps, and the caller's", () => {
  const model = createModel(randomParts({ seed: 5, categorical: 2, profile: f32 }));
  const { rows } = probeRows(model, 7);
  const keeping = withSelfTest(model, rows);
  for (const format of ["onnx", "xgboost-ubj", "typescript"] as const) {
    assertEquals(exportModel(keeping, format, { probes: 10 }).checkedRows, 17);
    assertEquals(exportModel(keeping, format, { probes: 10, samples: rows }).checkedRows, 24);
  }
});

Deno.test("exportModel() takes a threshold beyond float32 where features are float32 anyway", () => {
  // 0.1 lies between two float32: the lower one takes the same side of every float32.
  const parts = randomParts({ seed: 3, trees: 4, profile: f32 });
  const threshold = parts.ensemble.trees.threshold.map((t) => t === 0 ? 0 : t + 1e-12);
  const trees = { ...parts.ensemble.trees, threshold };
  for (const input of ["f32", "f64"] as const) {
    const profile = { ...parts.ensemble.profile, input };
    const model = createModel({ ...parts, ensemble: { ...parts.ensemble, trees, profile } });
    if (input === "f64") {
      assertThrows(() => exportModel(model, "xgboost-json"), ConversionError, "as float64");
    } else {
      assert(exportModel(model, "xgboost-json").checkedRows > 0);
      assert(exportModel(model, "onnx").checkedRows > 0);
    }
  }
});

Deno.test("exportModel() names the features whose levels XGBoost would cut wrongly", () => {
  const parts = randomParts({ seed: 5, categorical: 2, profile: f32 });
  const withLevels = (levels: readonly string[]) =>
    createModel({
      ...parts,
      schema: {
        ...parts.schema,
        features: parts.schema.features.map((feature) =>
          feature.name === "c1" && feature.kind === "categorical"
            ? { ...feature, categories: feature.categories.map((_, i) => levels[i] ?? `k${i}`) }
            : feature
        ),
      },
    });
  const error = assertThrows(
    () => exportModel(withLevels(["é"]), "xgboost-ubj"),
    ConversionError,
    "outside ASCII",
  );
  assertEquals(error.details.features, ["c1"]);
  assertEquals(exportModel(withLevels(['e~ "\\']), "xgboost-ubj").difference, 0);
  assertEquals(exportModel(withLevels(["é"]), "onnx").difference, 0);
});

Deno.test("exported lists may be longer than a call takes arguments", () => {
  // More than 130,000 nodes, whose kinds are texts in ONNX.
  const deep = createModel(randomParts({ seed: 1, trees: 330, depth: 11, profile: f32 }));
  assert(deep.ensemble.trees.kind.length > 130_000);
  exportOnnx(deep);
  // A set of some 100,000 of 200,000 levels; and as many labels.
  const { schema, ensemble, info } = randomParts({ seed: 2, numeric: 0, categorical: 1, trees: 1 });
  const categories = Array.from({ length: 200_000 }, (_, k) => `k${k}`);
  const trees = {
    ...ensemble.trees,
    categoryAt: ensemble.trees.categoryAt.map((at) => at < 0 ? at : 0),
    categoryPool: new Uint32Array(200_000 / 32 + 1).fill(0x55555555),
  };
  const features = schema.features.map((feature) => ({ ...feature, categories }));
  const wide = createModel({
    schema: { ...schema, features },
    info,
    ensemble: { ...ensemble, trees, profile: f32 },
  });
  exportOnnx(wide);
  exportXgboostUbj(wide);
  assert(textTensor("classes", categories).length > 1_000_000);
});

Deno.test("exportModel() says so where a file is too large to be read back for the check", () => {
  // Nine levels of sets of up to 23 categories: each member of a set repeats what is below it.
  const model = createModel(randomParts({ seed: 3, numeric: 0, categorical: 2, depth: 9 }));
  const error = assertThrows(() => exportModel(model, "onnx"), ConversionError, "read back");
  assertEquals(error.code, "E_CONVERT_UNSUPPORTED");
});

Deno.test("exported TypeScript reads cells and finds columns as the model does, or refuses", async () => {
  const parts = randomParts({ seed: 4, categorical: 1, trees: 6, depth: 3 });
  const features = parts.schema.features.map((feature, f): InputFeature =>
    f === 0 ? { ...feature, name: "é", missing: "heavier" } : feature
  );
  const model = createModel({ ...parts, schema: { ...parts.schema, features } });
  const raw = await rawOfTypescript(model);
  const [full] = randomRows(model.schema, 1, 7);
  const name = features.find(({ kind }) => kind === "numeric")!.name;
  const text = features.find(({ kind }) => kind === "categorical")!.name;
  const both = (row: unknown) => {
    let expected: number[] | undefined;
    try {
      expected = Array.from(model.predictRaw(row as Row, { columns: "lenient" }).data);
    } catch (error) {
      assertInstanceOf(error, TreelineError);
    }
    if (expected === undefined) assertThrows(() => raw(row), TypeError, "Cannot");
    else assertEquals(raw(row), expected, String(Object.values(row as Row)));
  };
  for (const cell of ["  ", "\t", "inf", "-Infinity", "+1", "0x10", "0b1", "1_0", "true", " 1 "]) {
    both({ ...full, [name]: cell });
    both({ ...full, [text]: cell });
  }
  for (const cell of [[], [5], {}, true, 7n, -0, 1e400]) {
    both({ ...full, [name]: cell });
    both({ ...full, [text]: cell });
  }
  // Names in another Unicode form, a column that training never lacked, and other data altogether.
  const { é, ...rest } = full;
  both({ ["e\u0301"]: é, ...rest });
  both(rest);
  both({ other: 1 });
});

Deno.test("exported TypeScript looks through the names of a row once, however many columns are absent", async () => {
  const parts = randomParts({ seed: 4, trees: 6, depth: 3 });
  const features = Array.from({ length: 50 }, (_, f): InputFeature => ({
    kind: "numeric",
    name: `x${f}`,
    missing: "learnt",
  }));
  const model = createModel({ ...parts, schema: { ...parts.schema, features } });
  const raw = await rawOfTypescript(model);
  let looks = 0;
  const row = new Proxy({ x0: 1 }, { ownKeys: (target) => (looks++, Reflect.ownKeys(target)) });
  assertEquals(raw(row), Array.from(model.predictRaw([{ x0: 1 }]).data));
  assertEquals(looks, 2); // whether there are any, and those in other Unicode forms
});

/** The function of raw scores of the exported module. */
async function rawOfTypescript(model: Model): Promise<(row: unknown) => number[]> {
  const { bytes } = exportModel(model, "typescript");
  const { raw } = await import(
    `data:text/typescript;base64,${
      btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    }`
  );
  return raw;
}
