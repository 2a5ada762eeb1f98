/**
 * One tree of a model in words: what every printer starts from.
 *
 * Thresholds have all their digits, so that who follows the words comes to the leaf that the model
 * comes to. Models that compare in float32 (`inspect` says which) round a value and the printed number
 * to float32 first. A missing value or unknown category that no branch names takes the branch of more
 * weight, the first of equals; where the model shares it out or stops at the node, no branch holds.
 *
 * @module
 */
import { ModelError, ParameterError } from "../errors.ts";
import type { Model } from "../model/model.ts";
import { numChildren } from "../model/children.ts";
import { treeDepth } from "../model/trees.ts";
import { type Ensemble, NodeKind, type Trees } from "../model/types.ts";
import { floor32, nextUp32 } from "../util/float.ts";
import { leastCost } from "../util/least_cost.ts";
import { isVisible, visible } from "../util/visible.ts";

/** A node in words. */
export interface TreeView {
  /** Number of the node within its tree. */
  readonly node: number;
  /** What the node asks: a feature, or the value of a leaf. */
  readonly title: string;
  /** Value of the node; empty where it is not known. */
  readonly value: string;
  /** Weight that reached the node. */
  readonly cover: number;
  readonly gain: number;
  readonly branches: readonly Branch[];
}

/** A way out of a node. */
export interface Branch {
  /** The whole condition: `age <= 30`; names that could be taken for more than a name are quoted. */
  readonly condition: string;
  /** Without the feature's name: `<= 30`. */
  readonly short: string;
  readonly child: TreeView;
}

/** A number with six significant digits, or more where there are more before its point. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const whole = Math.trunc(value).toString().length;
  return String(Number(value.toPrecision(whole < 16 ? Math.max(6, whole + 1) : 6)));
}

/** Deepest tree that is shown: printers call themselves for each level. */
const MAX_SHOWN_DEPTH = 1000;

/**
 * @throws {ParameterError} `E_PARAM_RANGE` when the model has no such tree.
 * @throws {ModelError} `E_MODEL_LIMIT` when it is deeper than a thousand levels.
 */
export function demandTree(model: Model, tree: number): void {
  if (!(Number.isInteger(tree) && tree >= 0 && tree < model.numTrees)) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot show tree ${tree}: ${
        model.numTrees > 0
          ? `expected a whole number from 0 to ${model.numTrees - 1}`
          : "the model has no trees"
      }`,
      { details: { param: "tree", value: tree } },
    );
  }
  const depth = treeDepth(model.ensemble.trees, tree);
  if (depth > MAX_SHOWN_DEPTH) {
    throw new ModelError(
      "E_MODEL_LIMIT",
      `Cannot show tree ${tree} of depth ${depth}: expected at most ${MAX_SHOWN_DEPTH}`,
      { details: { depth } },
    );
  }
}

/**
 * Describes a tree.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` when the model has no such tree.
 */
export function viewTree(model: Model, tree = 0): TreeView {
  demandTree(model, tree);
  const { ensemble } = model;
  const start = ensemble.trees.treeStart[tree];
  const describe = (node: number): TreeView => {
    const { trees } = ensemble;
    const value = valueText(model, ensemble, node);
    const base = {
      node: node - start,
      value,
      cover: trees.cover[node],
      gain: trees.gain[node],
    };
    if (trees.kind[node] === NodeKind.leaf) return { ...base, title: value, branches: [] };
    const { name } = model.schema.features[trees.feature[node]];
    const subject = quoteUnclear(name);
    const branches = branchTexts(model, ensemble, node).map((short, b) => ({
      condition: `${subject} ${short}`,
      short,
      child: describe(trees.firstChild[node] + b),
    }));
    return { ...base, title: quoteUnseen(name), branches };
  };
  return describe(start);
}

/** The value of a node: the class that it answers and its share, or numbers. */
function valueText(model: Model, { trees, leafWidth }: Ensemble, node: number): string {
  const values = trees.leaf.subarray(node * leafWidth, (node + 1) * leafWidth);
  if (values.some((x) => x !== x)) return "";
  const { classes } = model.schema;
  if (leafWidth === 1 || classes.length !== leafWidth) {
    return Array.from(values, shortNumber).join(", ");
  }
  let best = 0;
  let sum = 0;
  for (let k = 0; k < leafWidth; k++) {
    sum += values[k];
    if (values[k] > values[best]) best = k;
  }
  const { costs } = model.rules.postprocess;
  if (costs !== undefined) best = leastCost(costs, values, 0, leafWidth);
  const name = quoteUnseen(classes[best]);
  if (model.ensemble.postprocess.name !== "proportions" || !(sum > 0)) {
    return `${name} (${Array.from(values, shortNumber).join(", ")})`;
  }
  return `${name} (${shortNumber(Math.round(1000 * values[best] / sum) / 10)} %)`;
}

/** The test of a threshold or `equal` node in words: operators of its branches and the exact number. */
export function numberTest(
  { trees, profile }: Ensemble,
  node: number,
): { readonly operators: readonly [string, string]; readonly number: string } {
  const threshold = trees.threshold[node];
  const isFloat32 = profile.input === "f32";
  if (trees.kind[node] === NodeKind.equal) {
    return { operators: ["=", "!="], number: String(threshold) };
  }
  if (isFloat32 && profile.shownTest === "<" && threshold < Infinity) {
    return { operators: ["<", ">="], number: text32(nextUp32(floor32(threshold))) };
  }
  return {
    operators: ["<=", ">"],
    number: isFloat32 ? text32(floor32(threshold)) : String(threshold),
  };
}

/** The shortest decimal that names a float32. */
function text32(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const near = Number(value.toPrecision(digits));
    if (Math.fround(near) === value) return String(near);
  }
  return String(Number(value.toPrecision(9)));
}

/** Conditions of the branches without the feature's name. */
function branchTexts(model: Model, ensemble: Ensemble, node: number): string[] {
  const { trees, surrogates } = ensemble;
  const input = model.schema.features[trees.feature[node]];
  const kind = trees.kind[node];
  const missing = trees.missing[node];
  const asks = surrogates !== undefined && surrogates.start[node] < surrogates.start[node + 1];
  if (kind === NodeKind.threshold && trees.threshold[node] === Infinity && missing === 1 && !asks) {
    return ["is present", "is absent"];
  }
  let texts: string[];
  let unknown = -1;
  if (kind === NodeKind.threshold || kind === NodeKind.equal) {
    const { operators, number } = numberTest(ensemble, node);
    texts = operators.map((operator) => `${operator} ${number}`);
  } else {
    const categories = input.kind === "categorical" ? input.categories : [];
    const { sets, branchOfUnknown } = categoryTest(ensemble, node, categories);
    texts = sets.map((set) => {
      const names = set.map(quoteUnclear);
      return names.length === 1 ? `= ${names[0]}` : `in {${names.join(", ")}}`;
    });
    if (input.kind === "categorical" && input.unknown === "heavier") unknown = branchOfUnknown;
  }
  const heavier = heaviest(trees, trees.firstChild[node], texts.length);
  const isTold = input.missing === "learnt" || input.missing === "heavier" && missing !== heavier;
  if (isTold && missing in texts) {
    texts[missing] += asks ? " or missing unless a surrogate tells" : " or missing";
  }
  if (unknown !== heavier && unknown in texts) texts[unknown] += " or unknown";
  if (input.kind === "numeric" && input.zeroIsMissing === true && missing in texts) {
    texts = texts.map((text, branch) => `${text} ${branch === missing ? "or" : "but not"} zero`);
  }
  return texts;
}

/** The child of most weight, the first of equals. */
function heaviest({ cover }: Trees, first: number, count: number): number {
  let most = 0;
  for (let branch = 1; branch < count; branch++) {
    if (cover[first + branch] > cover[first + most]) most = branch;
  }
  return most;
}

/** A name where it is no part of a condition: quoted where it cannot be seen as it is. */
function quoteUnseen(name: string): string {
  return name.trim() !== name || name === "" || !isVisible(name) ? quote(name) : name;
}

/**
 * A name as it stands in a condition: in quotes where it is empty or holds marks, words or invisible
 * characters that could be taken for more than a name.
 */
export function quoteUnclear(name: string): string {
  const isUnclear = /["\\<>=!{},|]|:( |$)| {2}|(^| )(AND|THEN|IF|in|is|or|but)( |$)/.test(name);
  return isUnclear ? quote(name) : quoteUnseen(name);
}

/** The text as JSON, in characters that can be seen. */
function quote(text: string): string {
  return visible(JSON.stringify(text));
}

/** Categories of every branch, and the branch of those that the model does not know (or none). */
export function categoryTest(
  { trees }: Ensemble,
  node: number,
  categories: readonly string[],
): { readonly sets: readonly (readonly string[])[]; readonly branchOfUnknown: number } {
  const at = trees.categoryAt[node];
  const sets: string[][] = Array.from(
    { length: numChildren(trees, node, categories.length) },
    () => [],
  );
  const branchOf = (code: number): number =>
    trees.kind[node] === NodeKind.multiway
      ? trees.categoryPool[at + code]
      : 1 - (trees.categoryPool[at + (code >>> 5)] >>> (code & 31) & 1);
  categories.forEach((category, code) => sets[branchOf(code)]?.push(category));
  return { sets, branchOfUnknown: branchOf(categories.length) };
}
