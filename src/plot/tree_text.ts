/**
 * A tree as indented text, and as rules.
 *
 * @module
 */
import { checkModel } from "../door.ts";
import type { Model } from "../model/model.ts";
import { shortNumber, type TreeView, viewTree } from "./tree_view.ts";

/**
 * A tree as text in the manner of C4.5, one condition in each line. A leaf follows its condition, with
 * the weight of the training rows that reached it.
 *
 * @param tree Number of the tree, counted from 0.
 * @throws {ParameterError} `E_PARAM_RANGE` if the model has no such tree.
 * @throws {ModelError} `E_MODEL_LIMIT` if the tree is deeper than a thousand levels.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { trainCart } from "../algorithms/classic/cart.ts";
 * const data = {
 *   numRows: 4,
 *   features: [{ kind: "numeric", name: "x", values: new Float64Array([1, 2, 3, 4]) }],
 *   target: { kind: "regression", name: "y", values: new Float64Array([0, 0, 5, 5]) },
 * } as const;
 * assertEquals(treeText(await trainCart(data)), "x <= 2.5: 0 (2)\nx > 2.5: 5 (2)\n");
 * ```
 */
export function treeText(model: Model, tree = 0): string {
  checkModel("treeText", model);
  const root = viewTree(model, tree);
  if (root.branches.length === 0) return `: ${root.value}${weightText(root)}\n`;
  const lines: string[] = [];
  const print = (view: TreeView, indent: string): void => {
    for (const { condition, child } of view.branches) {
      const leaf = child.branches.length === 0;
      lines.push(`${indent}${condition}${leaf ? `: ${child.value}${weightText(child)}` : ""}`);
      print(child, `${indent}|   `);
    }
  };
  print(root, "");
  return `${lines.join("\n")}\n`;
}

function weightText({ cover }: TreeView): string {
  return cover > 0 ? ` (${shortNumber(cover)})` : "";
}

/** The rule of a leaf. Conditions that test the same feature are joined. */
export interface TreeRule {
  /** Tests that a row must pass, as text: `age <= 30`. */
  readonly conditions: readonly string[];
  /** Value of the leaf, as text. */
  readonly value: string;
  /** Weight (or hessian) of the training rows that pass the tests. */
  readonly cover: number;
}

/**
 * The rules of a tree, one for each leaf, from its first branch to its last.
 *
 * @param tree Number of the tree, counted from 0.
 * @throws {ParameterError} `E_PARAM_RANGE` if the model has no such tree.
 * @throws {ModelError} `E_MODEL_LIMIT` if the tree is deeper than a thousand levels.
 */
export function treeRules(model: Model, tree = 0): TreeRule[] {
  checkModel("treeRules", model);
  const rules: TreeRule[] = [];
  const walk = (view: TreeView, path: readonly Step[]): void => {
    if (view.branches.length === 0) {
      rules.push({ conditions: simplify(path), value: view.value, cover: view.cover });
    }
    for (const { condition, short, child } of view.branches) {
      walk(child, [...path, { feature: view.title, condition, short }]);
    }
  };
  walk(viewTree(model, tree), []);
  return rules;
}

/**
 * The rules of a tree as text, one in each line, with the weight of the training rows:
 * `IF a <= 1 AND b = x THEN yes (93 %) (40)`.
 *
 * @param tree Number of the tree, counted from 0.
 * @throws {ParameterError} `E_PARAM_RANGE` if the model has no such tree.
 * @throws {ModelError} `E_MODEL_LIMIT` if the tree is deeper than a thousand levels.
 */
export function rulesText(model: Model, tree = 0): string {
  checkModel("rulesText", model);
  return treeRules(model, tree).map(({ conditions, value, cover }) => {
    const when = conditions.length === 0 ? "ALWAYS" : `IF ${conditions.join(" AND ")} THEN`;
    return `${when} ${value}${cover > 0 ? ` (${shortNumber(cover)})` : ""}\n`;
  }).join("");
}

/** A condition on the way to a leaf. */
interface Step {
  readonly feature: string;
  readonly condition: string;
  readonly short: string;
}

/** Leaves out bounds that a tighter one of the same feature, on the same side, implies. */
function simplify(path: readonly Step[]): string[] {
  const kept = new Map<string, { readonly condition: string; readonly bound: number }>();
  path.forEach(({ feature, condition, short }, i) => {
    // A bound that also takes missing values is not implied by a tighter one that does not.
    const [, operator, number] = /^([<>]=?) (\S+)$/.exec(short) ?? [];
    if (operator === undefined) {
      kept.set(`\u0000${i}`, { condition, bound: NaN });
      return;
    }
    const bound = Number(number);
    const place = `${operator}\u0000${feature}`;
    const held = kept.get(place)?.bound ?? NaN;
    // Trees of other libraries may ask again for less than is known.
    const isLooser = operator.startsWith("<") ? bound > held : bound < held;
    if (!isLooser) kept.set(place, { condition, bound });
  });
  return Array.from(kept.values(), ({ condition }) => condition);
}
