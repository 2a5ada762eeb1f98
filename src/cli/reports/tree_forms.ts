/**
 * One tree of a model in every form that `inspect --tree` prints.
 *
 * @module
 */
import type { Model } from "../../model/model.ts";
import { nodeBoxes } from "../../plot/boxes.ts";
import { treeDot, treeMermaid } from "../../plot/tree_graph.ts";
import { treeSvg } from "../../plot/tree_svg.ts";
import { rulesText, treeText } from "../../plot/tree_text.ts";

const FORMS: { readonly [name: string]: (model: Model, tree: number) => string } = {
  text: treeText,
  rules: rulesText,
  dot: treeDot,
  mermaid: treeMermaid,
  svg: (model, tree) => treeSvg(model, tree),
  boxes: (model, tree) => `${boxRows(model, tree).map((row) => JSON.stringify(row)).join("\n")}\n`,
};

/** Names of the forms. */
export const TREE_FORMS: readonly string[] = Object.keys(FORMS);

/** A tree as text of a form. */
export function treeIn(form: string, model: Model, tree: number): string {
  return FORMS[form]!(model, tree);
}

/** A node's box as plain JSON: bounds that are there, and categories. */
function boxRows(model: Model, tree: number) {
  return nodeBoxes(model, tree).map(({ node, depth, isLeaf, intervals, categories }) => ({
    node,
    depth,
    isLeaf,
    box: Object.fromEntries([
      ...[...intervals].map(([name, { above, upTo }]) => [name, {
        ...(above > -Infinity && { above: jsonNumber(above) }),
        ...(upTo < Infinity && { upTo: jsonNumber(upTo) }),
      }]),
      ...categories,
    ]),
  }));
}

/** JSON has no infinities: only missing values lie above one. */
function jsonNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
