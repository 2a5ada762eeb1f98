// deno-lint-ignore-file camelcase -- the attribute names are ONNX's
/** What the ONNX importer takes, refuses and says, beyond the files that ONNX Runtime ran. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { importModel } from "../../../src/convert/import_model.ts";
import { OnnxType } from "../../../src/convert/onnx/graph.ts";
import {
  attributeInt,
  attributeInts,
  attributeTensor,
  attributeTexts,
  node,
} from "../../../src/convert/onnx/writer.ts";
import { ConversionError, TreelineError } from "../../../src/errors.ts";
import { type Attributes, ensembleNode, onnxFile } from "../../support/models/onnx_file.ts";

/** A stump of two leaves whose targets are given. */
function stump(
  prefix: "target" | "class",
  targets: readonly (readonly [node: number, id: number, weight: number])[],
  more: Attributes,
): Attributes {
  return {
    nodes_treeids: [0, 0, 0],
    nodes_nodeids: [0, 1, 2],
    nodes_featureids: [0, 0, 0],
    nodes_modes: ["BRANCH_LEQ", "LEAF", "LEAF"],
    nodes_values: [0.5, 0, 0],
    nodes_truenodeids: [1, 0, 0],
    nodes_falsenodeids: [2, 0, 0],
    [`${prefix}_treeids`]: targets.map(() => 0),
    [`${prefix}_nodeids`]: targets.map(([at]) => at),
    [`${prefix}_ids`]: targets.map(([, id]) => id),
    [`${prefix}_weights`]: targets.map(([, , weight]) => weight),
    ...more,
  };
}

const importEnsemble = (op: string, attributes: Attributes, warnings: string[] = []) =>
  importModel(onnxFile([ensembleNode(op, attributes)], 1, op === "TreeEnsemble" ? 5 : 3), {
    onWarning: (warning) => warnings.push(warning),
  });

function assertRefused(op: string, attributes: Attributes, words: string): void {
  const error = assertThrows(() => importEnsemble(op, attributes), ConversionError, words);
  assert(["E_CONVERT_UNSUPPORTED", "E_CONVERT_SYNTAX"].includes(error.code));
}

Deno.test("importModel() refuses a base value that ONNX Runtime drops for some rows", () => {
  const some = [[1, 0, 1], [1, 1, 2], [2, 0, 3]] as const;
  const regressor = (base: readonly number[]) =>
    stump("target", some, { n_targets: 2, base_values: base });
  assertRefused("TreeEnsembleRegressor", regressor([0, 5]), "base value 5");
  const model = importEnsemble("TreeEnsembleRegressor", regressor([5, 0]));
  assertEquals(Array.from(model.predictRaw([{ f0: 1 }]).data), [8, 0]);
});

Deno.test("importModel() refuses leaves whose weights ONNX Runtime does not add up", () => {
  const twice = [[1, 0, 1], [1, 0, 2], [2, 0, 3]] as const;
  assertRefused(
    "TreeEnsembleRegressor",
    stump("target", twice, { n_targets: 1 }),
    "2 weights for one output",
  );
  // A leaf without a weight gives its `nodes_values`, here 7 instead of 0.
  const silent = stump("target", [[1, 0, 1]], { n_targets: 1, nodes_values: [0.5, 0, 7] });
  assertRefused("TreeEnsembleRegressor", silent, "0 weights for one output");
});

Deno.test("importModel() refuses two classes whose label ONNX Runtime takes from a sign", () => {
  const both = [[1, 0, 0.3], [1, 1, 0.7], [2, 0, 0.8], [2, 1, 0.2]] as const;
  const two = { classlabels_int64s: [0, 1] };
  // CatBoost 1.2.10 writes such files.
  assertRefused("TreeEnsembleClassifier", stump("class", both, two), "class 0 and class 1");
  assertRefused(
    "TreeEnsembleClassifier",
    stump("class", both, two),
    'save its model with format="json"',
  );
  const second = [[1, 1, 0.7], [2, 1, 0.2]] as const;
  assertRefused("TreeEnsembleClassifier", stump("class", second, two), "weights for class 1");
  const first = [[1, 0, 0.7], [2, 0, 0.2]] as const;
  const model = importEnsemble("TreeEnsembleClassifier", stump("class", first, two));
  assertEquals(model.predictClass([{ f0: 0 }, { f0: 1 }]), ["1", "0"]);
});

Deno.test("importModel() refuses a class that may get no weight, which leaves it out of the label", () => {
  const three = { classlabels_int64s: [0, 1, 2] };
  const some = [[1, 0, -1], [1, 1, -2], [2, 0, -1], [2, 1, 1], [2, 2, 2]] as const;
  assertRefused("TreeEnsembleClassifier", stump("class", some, three), "no weight of some class");
  // 0 does not put a class in the running either.
  const none = [[1, 0, 0], [1, 1, 0], [2, 0, 1], [2, 1, 1], [2, 2, 2]] as const;
  assertRefused("TreeEnsembleClassifier", stump("class", none, three), "no weight of some class");
  const above = some.map(([at, id, weight]) => [at, id, Math.abs(weight)] as const);
  const model = importEnsemble("TreeEnsembleClassifier", stump("class", above, three));
  assertEquals(model.predictClass([{ f0: 0 }]), ["1"]);
});

Deno.test("importModel() refuses trees that ONNX Runtime would cut differently", () => {
  const leaves = [[1, 0, 1], [2, 0, 2]] as const;
  const plain = stump("target", leaves, { n_targets: 1 });
  const rootLast = {
    ...plain,
    nodes_nodeids: [1, 2, 0],
    nodes_modes: ["LEAF", "LEAF", "BRANCH_LEQ"],
    nodes_truenodeids: [0, 0, 1],
    nodes_falsenodeids: [0, 0, 2],
  };
  assertRefused("TreeEnsembleRegressor", rootLast, "not the root");
  const apart = {
    ...plain,
    nodes_treeids: [0, 1, 0, 0],
    nodes_nodeids: [0, 0, 1, 2],
    nodes_featureids: [0, 0, 0, 0],
    nodes_modes: ["BRANCH_LEQ", "LEAF", "LEAF", "LEAF"],
    nodes_values: [0.5, 0, 0, 0],
    nodes_truenodeids: [1, 0, 0, 0],
    nodes_falsenodeids: [2, 0, 0, 0],
  };
  assertRefused("TreeEnsembleRegressor", apart, "one stretch");
});

/** A chain of `n` nodes that test x against 0, 1, …; both branches of each lead to the next node. */
function ladder(n: number): Attributes {
  const inner = Array.from({ length: n }, (_, i) => i);
  return {
    nodes_treeids: new Array(n + 1).fill(0),
    nodes_nodeids: [...inner, n],
    nodes_featureids: new Array(n + 1).fill(0),
    nodes_modes: [...inner.map(() => "BRANCH_LEQ"), "LEAF"],
    nodes_values: [...inner, 0],
    nodes_truenodeids: [...inner.map((i) => i + 1), 0],
    nodes_falsenodeids: [...inner.map((i) => i + 1), 0],
    target_treeids: [0],
    target_nodeids: [n],
    target_ids: [0],
    target_weights: [1],
    n_targets: 1,
  };
}

Deno.test("importModel() repeats shared subtrees of ONNX, but not without bound", () => {
  assertEquals(importEnsemble("TreeEnsembleRegressor", ladder(5)).ensemble.trees.kind.length, 63);
  const error = assertThrows(
    () => importEnsemble("TreeEnsembleRegressor", ladder(60)),
    TreelineError,
    "unfolded nodes",
  );
  assertEquals(error.code, "E_MODEL_LIMIT");
});

/** Opset 5: the same ladder by indices. */
function ladder5(n: number): Attributes {
  const inner = Array.from({ length: n }, (_, i) => i);
  const last = (i: number) => i === n - 1;
  return {
    nodes_featureids: inner.map(() => 0),
    nodes_modes: inner.map(() => 0),
    nodes_splits: inner,
    nodes_truenodeids: inner.map((i) => last(i) ? 0 : i + 1),
    nodes_trueleafs: inner.map((i) => last(i) ? 1 : 0),
    nodes_falsenodeids: inner.map((i) => last(i) ? 0 : i + 1),
    nodes_falseleafs: inner.map((i) => last(i) ? 1 : 0),
    leaf_targetids: [0],
    leaf_weights: [1],
    tree_roots: [0],
    n_targets: 1,
  };
}

Deno.test("importModel() unfolds a TreeEnsemble of opset 5, but not without bound", () => {
  assertEquals(importEnsemble("TreeEnsemble", ladder5(5)).ensemble.trees.kind.length, 63);
  const error = assertThrows(
    () => importEnsemble("TreeEnsemble", ladder5(60)),
    TreelineError,
    "unfolded nodes",
  );
  assertEquals(error.code, "E_MODEL_LIMIT");
  // A node that is its own child.
  const loop = { ...ladder5(2), nodes_truenodeids: [0, 0], nodes_trueleafs: [0, 1] };
  assertRefused("TreeEnsemble", loop, "its own descendant");
});

Deno.test("importModel() follows the input back once for each time it is named, not for ever", () => {
  const trees = ensembleNode(
    "TreeEnsembleRegressor",
    stump("target", [[1, 0, 1], [2, 0, 2]], { n_targets: 1 }),
    "joined",
  );
  // `joined` is made of itself.
  const circle = node("Concat", "", ["joined", "joined"], ["joined"], []);
  assertThrows(() => importModel(onnxFile([circle, trees])), ConversionError, "without cycles");
  // 40 doublings: 2^40 columns are asked for by 41 short nodes.
  const doublings = Array.from(
    { length: 40 },
    (_, i) => node("Concat", "", new Array(2).fill(i === 0 ? "X" : `t${i}`), [`t${i + 1}`], []),
  );
  const last = node("Identity", "", ["t40"], ["joined"], []);
  const error = assertThrows(
    () => importModel(onnxFile([...doublings, last, trees])),
    ConversionError,
  );
  assertEquals(error.code, "E_CONVERT_SYNTAX");
});

Deno.test("importModel() says where ONNX Runtime and the standard part", () => {
  const warnings: string[] = [];
  const ensemble = {
    ...ladder5(1),
    leaf_targetids: [0, 1],
    leaf_weights: [1, -1],
    nodes_falsenodeids: [1],
    n_targets: 2,
  };
  importEnsemble("TreeEnsemble", { ...ensemble, post_transform: 0 }, warnings);
  assertEquals(warnings, []);
  const model = importEnsemble("TreeEnsemble", { ...ensemble, post_transform: 1 }, warnings);
  assertEquals(model.ensemble.postprocess.name, "sigmoid");
  assert(warnings[0].includes("LOGISTIC"));
  const member = { ...ensemble, nodes_modes: [6], membership_values: [3, 40, NaN] };
  importEnsemble("TreeEnsemble", member, warnings);
  assert(warnings[1].includes("above 30"));
});

/** A stump `x <= 0.1` (as float or double) behind the casts named; `X` is of type `from`. */
function castStump(from: number, casts: readonly number[], isDouble: boolean): Uint8Array {
  const values = (list: readonly number[]) => Float64Array.from(list);
  const names = ["X", ...casts.map((_, i) => `c${i}`)];
  const nodes = casts.map((to, i) =>
    node("Cast", "", [names[i]], [names[i + 1]], [attributeInt("to", to)])
  );
  const floats = (name: string, list: readonly number[]) =>
    attributeTensor(
      isDouble ? `${name}_as_tensor` : name,
      values(list),
      isDouble ? OnnxType.double : OnnxType.float,
      !isDouble,
    );
  nodes.push(
    node("TreeEnsembleRegressor", "ai.onnx.ml", [names.at(-1)!], ["Y"], [
      attributeInt("n_targets", 1),
      attributeInts("nodes_treeids", [0, 0, 0]),
      attributeInts("nodes_nodeids", [0, 1, 2]),
      attributeInts("nodes_featureids", [0, 0, 0]),
      attributeTexts("nodes_modes", ["BRANCH_LEQ", "LEAF", "LEAF"]),
      floats("nodes_values", [0.1, 0, 0]),
      attributeInts("nodes_truenodeids", [1, 0, 0]),
      attributeInts("nodes_falsenodeids", [2, 0, 0]),
      attributeInts("target_treeids", [0, 0]),
      attributeInts("target_nodeids", [1, 2]),
      attributeInts("target_ids", [0, 0]),
      floats("target_weights", [1 / 3, 2]),
    ]),
  );
  return onnxFile(nodes, 1, 3, from);
}

Deno.test("importModel() tells rounded features from the precision of the trees", () => {
  const profile = (from: number, casts: readonly number[], isDouble: boolean) => {
    const { input, sum } = importModel(castStump(from, casts, isDouble)).ensemble.profile;
    return `${input} ${sum}`;
  };
  const { float, double, int64 } = OnnxType;
  assertEquals(profile(float, [], false), "f32 f32");
  assertEquals(profile(double, [], true), "f64 f64");
  assertEquals(profile(double, [float], false), "f32 f32");
  // Rounded on the way, added in float64 all the same.
  assertEquals(profile(float, [double], true), "f32 f64");
  assertEquals(profile(double, [float, double], true), "f32 f64");
  assertEquals(profile(int64, [double], true), "f64 f64");
  assertEquals(profile(int64, [float], false), "f32 f32");
  const wide = importModel(castStump(float, [double], true));
  // float32 0.1 is above the double 0.1, and 1/3 is not rounded.
  const rows = [{ f0: 0.1 }, { f0: 0.09 }];
  assertEquals(Array.from(wide.predictRaw(rows).data), [2, 1 / 3]);
});

Deno.test("importModel() refuses casts that change numbers in another way", () => {
  const int32 = 6;
  const cut = castStump(OnnxType.float, [int32, OnnxType.float], false);
  assertThrows(() => importModel(cut), ConversionError, "a feature is cast to element type 6");
  const ensemble = ensembleNode(
    "TreeEnsembleRegressor",
    stump("target", [[1, 0, 1], [2, 0, 3]], { n_targets: 1 }),
  );
  const after = (to: number) =>
    onnxFile([ensemble, node("Cast", "", ["Y"], ["Z"], [attributeInt("to", to)])]);
  assertThrows(() => importModel(after(7)), ConversionError, "the score is cast to element type 7");
  importModel(after(OnnxType.double));
});

Deno.test("importModel() refuses class labels of ONNX that run together", () => {
  // 2^53 + 1 reads as 2^53.
  const classes = { classlabels_int64s: [0, 2 ** 53] };
  const first = [[1, 0, 0.7], [2, 0, 0.2]] as const;
  assertRefused("TreeEnsembleClassifier", stump("class", first, classes), "beyond 2^53");
});

Deno.test("importModel() refuses inputs that round numbers in another way: float16, bfloat16, text", () => {
  for (const type of [8, 10, 16]) {
    const error = assertThrows(
      () => importModel(castStump(type, [OnnxType.float], false)),
      ConversionError,
      `element type ${type}`,
    );
    assertEquals(error.code, "E_CONVERT_UNSUPPORTED");
  }
});

Deno.test("importModel() refuses branches of opset 5 that are neither nodes nor leaves", () => {
  // ONNX Runtime 1.32 takes all but 0 for a leaf.
  for (const key of ["nodes_trueleafs", "nodes_falseleafs"]) {
    assertRefused("TreeEnsemble", { ...ladder5(2), [key]: [0, 255] }, key);
  }
});

Deno.test("importModel() takes MIN and MAX over trees of single outputs, leaf by leaf", () => {
  const two = { n_targets: 2, aggregate_function: "MIN" };
  const own = [[1, 1, 3], [2, 1, 4]] as const;
  const model = importEnsemble("TreeEnsembleRegressor", stump("target", own, two));
  assertEquals(Array.from(model.predictRaw([{ f0: 0 }]).data), [0, 3]);
  const twice = [[1, 0, 3], [1, 0, 1], [2, 0, 4], [2, 1, 4]] as const;
  assertRefused("TreeEnsembleRegressor", stump("target", twice, two), "one weight for each output");
  const silent = [[1, 1, 3]] as const;
  assertRefused("TreeEnsembleRegressor", stump("target", silent, two), "one weight for each");
});

Deno.test("importModel() refuses an ONNX file that was cut before its opsets, as ONNX Runtime does", () => {
  const first = [[1, 0, 0.7], [2, 0, 0.2]] as const;
  const file = onnxFile([ensembleNode("TreeEnsembleRegressor", stump("target", first, {}))], 1, 3);
  assertEquals(importModel(file).predictValue([{ f0: 0 }]).length, 1);
  const domain = new TextEncoder().encode("ai.onnx.ml");
  const cuts = Array.from(file, (_, at) => at).filter((at) =>
    domain.every((byte, i) => file[at + i] === byte)
  );
  // A field of the opset, then one of its domain: a byte for each key and length.
  const at = cuts.at(-1)! - 4;
  const error = assertThrows(() => importModel(file.slice(0, at)), ConversionError, "no opset");
  assertEquals([error.code, error.details.offset], ["E_CONVERT_SYNTAX", at]);
});

Deno.test("importModel() refuses more targets of ONNX than the limit before it makes room for them", () => {
  const first = [[1, 0, 0.7], [2, 0, 0.2]] as const;
  for (const n_targets of [65537, 2 ** 33]) {
    const error = assertThrows(
      () => importEnsemble("TreeEnsembleRegressor", stump("target", first, { n_targets })),
      TreelineError,
    );
    assertEquals([error.code, error.details.value], ["E_MODEL_LIMIT", n_targets]);
  }
});
