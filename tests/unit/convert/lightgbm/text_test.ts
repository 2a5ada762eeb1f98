/**
 * What LightGBM 4.7.0 reads of texts that it did not write: `Booster(model_file=…)` and
 * `predict(raw_score=True)`. Nothing of it may be read otherwise here; refusing is always allowed.
 */
import { assertEquals, assertThrows } from "@std/assert";
import { importModel } from "../../../../src/convert/import_model.ts";
import { ConversionError } from "../../../../src/errors.ts";

const HEADER = `tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=regression
feature_names=a b
feature_infos=[0:9] [0:9]
`;
const tree = (t: number) =>
  `Tree=${t}
num_leaves=3
num_cat=0
split_feature=0 1
split_gain=1 1
threshold=1 2.5
decision_type=2 2
left_child=-1 -2
right_child=1 -3
leaf_value=${1 + t} 20 300
leaf_weight=1 1 1
leaf_count=1 1 1
internal_value=0 0
internal_weight=0 0
internal_count=3 2
is_linear=0
shrinkage=1


`;
const END = "end of trees\n\nfeature_importances:\na=1\n\npandas_categorical:null\n";
const sizes = `tree_sizes=${tree(0).length} ${tree(1).length}\n\n`;
const FILE = HEADER + sizes + tree(0) + tree(1) + END;

function scores(text: string): number[] {
  const model = importModel(new TextEncoder().encode(text));
  const rows = [{ a: 1, b: 0 }, { a: 1.5, b: 2.5 }, { a: 16, b: 3 }];
  return [...model.predictRaw(rows).data];
}

function refused(text: string | Uint8Array): ConversionError {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return assertThrows(() => importModel(bytes), ConversionError, "", String(text).slice(0, 2000));
}

const change = (from: string, to: string): string => {
  const text = FILE.replace(from, () => to);
  assertEquals(text === FILE, false, from);
  return text.replace(/tree_sizes=.*\n/, "");
};

Deno.test("importModel() reads a LightGBM text, also with other line ends and blanks", () => {
  const expected = [3, 40, 600];
  assertEquals(scores(FILE), expected);
  assertEquals(scores(FILE.replaceAll("\n", "\r\n")), expected);
  assertEquals(scores("\ufeff" + FILE), expected);
  assertEquals(scores(change("threshold=1 2.5", "threshold=  +1.0e0   2.5 ")), expected);
  assertEquals(scores(change("threshold=1 2.5", "threshold=1. 25e-1")), expected);
  assertEquals(scores(change("left_child=-1 -2", "left_child= -01 -2")), expected);
});

Deno.test("importModel() refuses numbers of a LightGBM text that the library reads up to some letter", () => {
  const cases: [string, string][] = [
    // The library has 0 for 0x10, and so another side for a = 16; "0b1" and "0o7" are 0 too.
    ["threshold=1 2.5", "threshold=0x10 2.5"],
    ["leaf_value=1 20 300", "leaf_value=0b1 20 300"],
    ["leaf_value=1 20 300", "leaf_value=1 0o7 300"],
    ["leaf_value=1 20 300", "leaf_value=1 \t20 300"],
    // Integers end at the point or the exponent, and all that follow are 0.
    ["split_feature=0 1", "split_feature=0 1e0"],
    ["left_child=-1 -2", "left_child=-1.0 -2"],
    ["decision_type=2 2", "decision_type=2e0 2"],
    ["decision_type=2 2", "decision_type=256 2"],
    ["num_class=1", "num_class=\t1"],
    ["max_feature_idx=1", "max_feature_idx=1.0"],
  ];
  for (const [from, to] of cases) assertEquals(refused(change(from, to)).code, "E_CONVERT_SYNTAX");
});

Deno.test("importModel() refuses lines that LightGBM would drop or join", () => {
  for (
    const [from, to, line] of [
      // The library's tree ends here, without decision types: NaN goes right instead of left.
      ["decision_type=2 2", "\ndecision_type=2 2", 18],
      // "foo" becomes a part of the next key, which is lost.
      ["decision_type=2 2", "foo\ndecision_type=2 2", 17],
      ["decision_type=2 2", "=x\ndecision_type=2 2", 17],
      ["shrinkage=1\n\n", "shrinkage=1", 28],
      ["objective=regression", "objective=regression\rx=", 7],
      ["objective=regression", "objective=regression\0", 7],
      ["objective=regression", "objective=poisson=x", 7],
      ["objective=regression", "feature importances:", 11],
      ["end of trees\n", "end of trees\n\nTree=2\n", 51],
    ] as const
  ) {
    const error = refused(change(from, to));
    assertEquals([to, error.code, error.details.line], [to, "E_CONVERT_SYNTAX", line]);
  }
  const many = Array.from({ length: 7 }, (_, i) => `x${i}=1\n`).join("");
  assertEquals(refused(change("is_linear=0", `${many}is_linear=0`)).details.line, 34);
});

Deno.test("importModel() takes is_linear of LightGBM for true where it is not 0", () => {
  const linear = "leaf_const=1 2 3\nnum_features=0 0 0\nleaf_features=\nleaf_coeff=\n";
  const text = change("is_linear=0\n", `is_linear=2\n${linear}`);
  assertEquals(scores(text), [1 + 2, 2 + 20 * 1, 3 + 300]);
});

Deno.test("importModel() refuses LightGBM trees that do not begin where tree_sizes says", () => {
  assertEquals(refused(FILE.replace("leaf_value=1 20", "leaf_value=1 2")).details.line, 31);
  assertEquals(refused(FILE.replace("tree_sizes=", "tree_sizes=0 ")).code, "E_CONVERT_SYNTAX");
  assertEquals(refused(FILE.replace("tree_sizes=", "tree_sizes=x")).code, "E_CONVERT_SYNTAX");
  assertEquals(refused(FILE.slice(0, FILE.indexOf("end of"))).code, "E_CONVERT_SYNTAX");
});

Deno.test("importModel() refuses a LightGBM text that was cut among its parameters", () => {
  const whole =
    `${FILE}\nparameters:\n[boosting: gbdt]\n[objective: regression]\n\nend of parameters\n`;
  assertEquals(scores(whole), scores(FILE));
  const [begin, end] = [whole.indexOf("parameters:\n["), whole.indexOf("end of parameters")];
  for (let at = begin + "parameters:".length; at < end + "end of parameters".length; at++) {
    assertEquals(refused(whole.slice(0, at)).code, "E_CONVERT_SYNTAX", whole.slice(0, at));
  }
});

Deno.test("importModel() refuses constants of LightGBM's linear leaves that are no numbers", () => {
  // LightGBM 4.7.0 writes "nan" where it was trained with infinities, and scores NaN.
  for (const constant of ["nan", "inf"]) {
    const linear = `leaf_const=1 ${constant} 3\nnum_features=0 0 0\nleaf_features=\nleaf_coeff=\n`;
    const error = refused(change("is_linear=0\n", `is_linear=1\n${linear}`));
    assertEquals([error.code, error.details.tree], ["E_CONVERT_SYNTAX", 0]);
  }
});

Deno.test("importModel() refuses outputs of LightGBM that its objective does not have", () => {
  for (
    const [from, to] of [
      ["num_class=1", "num_class=2"], // the library leaves the second score of each row unset
      ["objective=regression", "objective=multiclass num_class:2"],
      ["num_class=1\nnum_tree_per_iteration=1", "num_class=2\nnum_tree_per_iteration=2"],
      ["objective=regression", "objective=binary sigmoid:0x10"],
      ["objective=regression", "objective=binary sigmoid:1 sigmoid:2"],
      ["feature_names=a b", "feature_names=a b c"],
    ]
  ) refused(change(from, to));
});

Deno.test("importModel() refuses names of LightGBM that are not UTF-8: two would be one", () => {
  const bytes = new TextEncoder().encode(FILE);
  const at = FILE.indexOf("feature_names=") + "feature_names=".length;
  bytes[at] = 0xe9;
  const error = refused(bytes);
  assertEquals([error.code, error.details.offset], ["E_CONVERT_SYNTAX", at]);
});

Deno.test("importModel() refuses levels of pandas where LightGBM does not look for them", () => {
  refused(FILE.replace("categorical:null", 'categorical:[["x"]]\n\n'));
  refused(FILE.replace("categorical:null\n", 'categorical:[["x"]]\nmore\nmore\n'));
});
