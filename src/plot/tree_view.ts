/**
 * One tree of a model in words: what every printer starts from.
 *
 * @module
 */
import { ParameterError } from "../errors.ts";
import type { Model } from "../model/model.ts";
import { numChildren } from "../model/trees.ts";
import { type Ensemble, NodeKind } from "../model/types.ts";
import { nextUp32 } from "../util/float.ts";
import { leastCost } from "../util/least_cost.ts";

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
  /** The whole condition: `age <= 30`. */
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

/** @throws {ParameterError} `E_PARAM_RANGE` when the model has no such tree. */
export function demandTree(model: Model, tree: number): void {
  if (!(Number.isInteger(tree) && tree >= 0 && tree < model.numTrees)) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot show tree ${tree}: expected a whole number from 0 to ${model.numTrees - 1}`,
      { details: { param: "tree", value: tree } },
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
    const branches = branchTexts(model, ensemble, node).map((short, b) => ({
      condition: `${name} ${short}`,
      short,
      child: describe(trees.firstChild[node] + b),
    }));
    return { ...base, title: name, branches };
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
  if (model.ensemble.postprocess.name !== "proportions" || !(sum > 0)) {
    return `${classes[best]} (${Array.from(values, shortNumber).join(", ")})`;
  }
  return `${classes[best]} (${shortNumber(Math.round(1000 * values[best] / sum) / 10)} %)`;
}

/** Conditions of the branches without the feature's name. */
function branchTexts(model: Model, ensemble: Ensemble, node: number): string[] {
  const { trees, profile } = ensemble;
  const input = model.schema.features[trees.feature[node]];
  const texts: string[] = [];
  const threshold = trees.threshold[node];
  switch (trees.kind[node]) {
    case NodeKind.threshold:
      if (threshold === Infinity) texts.push("is present", "is absent");
      else if (profile.shownTest === "<") {
        const shown = shortNumber(nextUp32(threshold));
        texts.push(`< ${shown}`, `>= ${shown}`);
      } else texts.push(`<= ${shortNumber(threshold)}`, `> ${shortNumber(threshold)}`);
      break;
    case NodeKind.equal:
      texts.push(`= ${shortNumber(threshold)}`, `!= ${shortNumber(threshold)}`);
      break;
    default: {
      const categories = input.kind === "categorical" ? input.categories : [];
      const sets = categorySets(ensemble, node, categories);
      for (const set of sets) {
        texts.push(set.length === 1 ? `= ${set[0]}` : `in {${set.join(", ")}}`);
      }
    }
  }
  const missing = trees.missing[node];
  if (input.missing === "learnt" && missing < texts.length && threshold !== Infinity) {
    texts[missing] += " or missing";
  }
  return texts;
}

/** Categories of every branch. */
export function categorySets(
  { trees }: Ensemble,
  node: number,
  categories: readonly string[],
): string[][] {
  const at = trees.categoryAt[node];
  const sets: string[][] = Array.from(
    { length: numChildren(trees, node, categories.length) },
    () => [],
  );
  categories.forEach((category, code) => {
    const branch = trees.kind[node] === NodeKind.multiway
      ? trees.categoryPool[at + code]
      : 1 - (trees.categoryPool[at + (code >>> 5)] >>> (code & 31) & 1);
    sets[branch]?.push(category);
  });
  return sets;
}
