/**
 * scikit-learn → Treeline, through the JSON of `tools/sklearn_export.py` (pickles run code and are
 * not read). Tests are `<=`; trees, forests and gradient boosting cast features to float32,
 * histogram boosting does not. Sums are doubles in tree order.
 *
 * @module
 */
import { ConversionError } from "../errors.ts";
import type { InputFeature, Schema } from "../data/types.ts";
import { type Ensemble, NodeKind, type Postprocess } from "../model/types.ts";
import {
  asFields,
  fieldError,
  type Fields,
  integerAt,
  listAt,
  numberAt,
  optional,
  textAt,
  textsAt,
} from "./common/document.ts";
import {
  addCategories,
  createForest,
  finishForest,
  type Forest,
  placeTree,
  shapeError,
} from "./common/forest.ts";
import {
  checkLevel,
  featureNames,
  type Imported,
  importedCategory,
  importedSchema,
  writtenOtherwise,
} from "./common/imported.ts";
import { checkLimit, type FullLimits } from "./common/limits.ts";

const LINKS: readonly Postprocess["name"][] = [
  "identity",
  "exp",
  "sigmoid",
  "softmax",
  "probability",
];
const MAX_CATEGORY = 255; // histogram boosting holds categories in a byte

/** Converts a parsed document of the exporter. */
export function convertSklearn(document: unknown, limits: FullLimits): Imported {
  const root = asFields(document, "the document");
  const format = integerAt(root, "treeline_sklearn");
  if (format !== 1) {
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      `Cannot read an export of version ${format}: expected 1, written by this release's tools/sklearn_export.py`,
      { details: { version: format } },
    );
  }
  const width = checkLimit(
    "the number of values in a leaf",
    integerAt(root, "width"),
    limits.maxOutputs,
  );
  const numOutputs = checkLimit(
    "the number of outputs",
    integerAt(root, "outputs"),
    limits.maxOutputs,
  );
  const names = textsAt(root, "features");
  checkLimit("the number of features", names.length, limits.maxFeatures);
  const levels = optional(root, "levels") === undefined ? [] : listAt(root, "levels");
  const known = optional(root, "known_categories") === undefined
    ? []
    : listAt(root, "known_categories");
  const vocabulary = names.map((_, i) => vocabularyOf(known[i], levels[i], i));
  // scikit-learn scores no row with missing values where this is not "learnt".
  const missing = optional(root, "missing") ?? "learnt";
  if (missing !== "learnt" && missing !== "heavier") {
    throw fieldError("missing", missing, "learnt or heavier");
  }
  const list = listAt(root, "trees");
  const forest = createForest(width, limits);
  list.forEach((item, t) => addTree(forest, asFields(item, `trees[${t}]`), t, vocabulary, missing));

  const numTrees = list.length;
  const weight = numberAt(root, "weight", 1);
  const outputs = optional(root, "tree_output");
  const treeOutput = new Int32Array(numTrees);
  if (outputs !== null && outputs !== undefined) {
    numbers(outputs, "tree_output", numTrees).forEach((output, t) => {
      if (!(output >= 0 && output < numOutputs)) {
        throw fieldError(`tree_output[${t}]`, output, "an output");
      }
      treeOutput[t] = output;
    });
  }
  const classes = optional(root, "classes") === null ? [] : textsAt(root, "classes");
  const aggregate = textAt(root, "aggregate") as Ensemble["aggregate"];
  if (aggregate !== "sum" && aggregate !== "average") {
    throw fieldError("aggregate", aggregate, "sum or average");
  }
  const link = textAt(root, "link") as Postprocess["name"];
  if (!LINKS.includes(link)) throw fieldError("link", link, LINKS.join(", "));
  const scale = numberAt(root, "scale", 1);
  const base = numbers(optional(root, "base"), "base");
  const input = textAt(root, "input");
  if (input !== "f32" && input !== "f64") throw fieldError("input", input, "f32 or f64");
  const task: Schema["task"] = classes.length > 0 ? "classification" : "regression";
  return {
    schema: importedSchema(
      featureNames(names, names.length).map((name, i) =>
        inputFeature(name, vocabulary[i], missing)
      ),
      task,
      classes,
      optional(root, "named") === true,
    ),
    ensemble: {
      trees: finishForest(forest),
      leafWidth: width,
      numOutputs,
      treeOutput,
      treeWeight: new Float64Array(numTrees).fill(weight),
      treesPerRound: outputs === null || outputs === undefined ? 1 : numOutputs,
      aggregate,
      baseScore: Float64Array.from(
        { length: numOutputs },
        (_, k) => base[base.length === 1 ? 0 : k] ?? NaN,
      ),
      postprocess: { name: link, ...(link === "sigmoid" && scale !== 1 ? { scale } : {}) },
      profile: { input, sum: "f64", base: "first", shownTest: "<=" },
    },
    format: "sklearn-json",
    library: "scikit-learn",
    version: textAt(root, "version"),
    notes: { model: textAt(root, "model") },
    warnings: [
      ...(textAt(root, "model") === "GradientBoostingClassifier" && numOutputs === 1 &&
          base[0] === 0
        ? [TIES]
        : []),
      ...levelWarning(names, vocabulary),
      ...writtenOtherwise(
        names.filter((_, i) => vocabulary[i]?.hasFractions).map((name) => JSON.stringify(name)),
      ),
    ],
    sourceIds: forest.sourceId.slice(0, forest.numNodes),
  };
}

/** From a start at 0, rows may come to exactly 0. */
const TIES =
  "scikit-learn's GradientBoostingClassifier answers the second class where the score is exactly 0 " +
  "(probability 1/2), here the first class is the answer";

/**
 * The encoder keeps pandas categories False and True as 0 and 1, and nothing tells them from numbers. Columns of
 * bools have them as a CSV of pandas does.
 */
function levelWarning(
  names: readonly string[],
  vocabulary: readonly (Vocabulary | undefined)[],
): readonly string[] {
  const called = (...texts: readonly string[]): string =>
    names.filter((_, i) => {
      const levels = vocabulary[i]?.levels ?? [];
      return levels.length > 0 && levels.every((level) => texts.includes(level));
    }).map((name) => JSON.stringify(name)).join(", ");
  const [numbers, texts] = [called("0", "1"), called("False", "True")];
  return [
    ...(numbers === "" ? [] : [
      `Levels of ${numbers} are called 0 and 1. Where they were pandas categories False and True, rows have ` +
      "to say 0 and 1: true and false would be new levels",
    ]),
    ...(texts === "" ? [] : [
      `Levels of ${texts} are called False and True, as in a CSV of pandas: true and false of JSON and scripts ` +
      "would be new levels",
    ]),
  ];
}

/** Categories of a feature: how many codes, which of them training saw, and their names. */
interface Vocabulary {
  readonly known: ReadonlySet<number>;
  readonly size: number;
  readonly levels: readonly string[] | undefined;
  /** Some level is a number with a fraction. */
  readonly hasFractions: boolean;
}

function vocabularyOf(known: unknown, levels: unknown, feature: number): Vocabulary | undefined {
  if (known === undefined || known === null) return undefined;
  const codes = numbers(known, `known_categories[${feature}]`);
  for (const code of codes) {
    if (!(Number.isInteger(code) && code >= 0 && code <= MAX_CATEGORY)) {
      throw fieldError(`known_categories[${feature}]`, code, `a code from 0 to ${MAX_CATEGORY}`);
    }
  }
  const given: readonly unknown[] | undefined = Array.isArray(levels) ? levels : undefined;
  for (const level of given ?? []) checkLevel(level, `the levels of feature ${feature}`);
  return {
    known: new Set(codes),
    size: given?.length ?? Math.max(0, ...codes.map((code) => code + 1)),
    levels: given?.map(String),
    hasFractions: given?.some((level) => typeof level === "number" && level % 1 !== 0) === true,
  };
}

function inputFeature(
  name: string,
  vocabulary: Vocabulary | undefined,
  missing: "learnt" | "heavier",
): InputFeature {
  if (vocabulary === undefined) return { kind: "numeric", name, missing };
  const { levels, size } = vocabulary;
  return importedCategory(name, levels, size);
}

/** A list of numbers where null is NaN and infinities are texts (JSON has neither). */
function numbers(value: unknown, path: string, length?: number): readonly number[] {
  if (!Array.isArray(value) || (length !== undefined && value.length !== length)) {
    throw fieldError(path, value, `a list of ${length ?? "numbers"}`);
  }
  return value.map((item, i) => {
    if (typeof item === "number") return item;
    if (item === null) return NaN;
    if (item === "inf") return Infinity;
    if (item === "-inf") return -Infinity;
    if (typeof item === "boolean") return item ? 1 : 0;
    throw fieldError(`${path}[${i}]`, item, "a number");
  });
}

function addTree(
  forest: Forest,
  tree: Fields,
  t: number,
  vocabulary: readonly (Vocabulary | undefined)[],
  missing: "learnt" | "heavier",
): void {
  const left = numbers(optional(tree, "left"), "left");
  const n = left.length;
  const list = (key: string): readonly number[] => numbers(optional(tree, key), key, n);
  const right = list("right");
  const feature = list("feature");
  const threshold = list("threshold");
  const missingLeft = list("missing_left");
  const cover = list("cover");
  const values = listAt(tree, "value");
  const sets = optional(tree, "categories");
  const { leafWidth } = forest;
  const start = placeTree(forest, left, right);
  for (let place = start; place < forest.numNodes; place++) {
    const node = forest.sourceId[place];
    forest.cover[place] = cover[node];
    if (forest.firstChild[place] < 0) {
      numbers(values[node], `trees[${t}].value[${node}]`, leafWidth).forEach((value, k) => {
        if (!Number.isFinite(value)) throw shapeError(t, node, `the leaf value is ${value}`);
        forest.leaf[place * leafWidth + k] = value;
      });
      continue;
    }
    const f = feature[node];
    if (!(Number.isInteger(f) && f >= 0 && f < vocabulary.length)) {
      throw shapeError(t, node, `feature ${f} is outside the ${vocabulary.length} features`);
    }
    forest.feature[place] = f;
    const isLeft = missing === "learnt"
      ? missingLeft[node] !== 0
      : cover[left[node]] >= cover[right[node]];
    forest.missing[place] = isLeft ? 0 : 1;
    const set = Array.isArray(sets) ? sets[node] : null;
    const words = vocabulary[f];
    if ((set === null || set === undefined) !== (words === undefined)) {
      throw shapeError(t, node, "a numeric feature has categories, or a categorical one has none");
    }
    if (words === undefined) {
      if (Number.isNaN(threshold[node])) throw shapeError(t, node, "the threshold is NaN");
      forest.kind[place] = NodeKind.threshold;
      forest.threshold[place] = threshold[node];
      continue;
    }
    forest.kind[place] = NodeKind.subset;
    const members = new Set(numbers(set, `trees[${t}].categories[${node}]`));
    forest.categoryAt[place] = addCategories(
      forest,
      leftSet(words, members, missingLeft[node] !== 0),
    );
  }
}

/** Members go left; codes that training never saw, like values outside, go where missing goes. */
function leftSet(
  words: Vocabulary,
  members: ReadonlySet<number>,
  missingLeft: boolean,
): Uint32Array {
  const bits = new Uint32Array((words.size >>> 5) + 1);
  for (let code = 0; code <= words.size; code++) {
    const isLeft = members.has(code) || (!words.known.has(code) && missingLeft);
    if (isLeft) bits[code >>> 5] |= 1 << (code & 31);
  }
  return bits;
}
