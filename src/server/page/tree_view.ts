/**
 * One tree as nested nodes that a page can show, with the way one row takes through it.
 *
 * @module
 */
import { branchOf, childCount, Route } from "../../explain/branch.ts";
import type { Model } from "../../model/model.ts";
import { NodeKind } from "../../model/types.ts";
import type { Words } from "./element.ts";
import { numberTest, quoteUnclear } from "../../plot/tree_view.ts";

/** A node and what is below it. */
export interface TreeView {
  /** How one gets here from above; nothing at the root. */
  readonly when: Words;
  /** The test, or the leaf's value. */
  readonly text: Words;
  readonly isLeaf: boolean;
  /** Weight of training rows; undefined where it is not known. */
  readonly cover: number | undefined;
  /** Whether the row passes here. */
  readonly onPath: boolean;
  readonly children: readonly TreeView[];
  /** Nodes below that are left out. */
  readonly hidden: number;
}

/** Levels that are shown. */
const MAX_DEPTH = 8;

/** The tree as the row `x` (one number a feature) passes it. */
export function treeView(model: Model, tree: number, x: Float64Array): TreeView {
  const { trees } = model.ensemble;
  return nodeView(model, trees.treeStart[tree], [], pathOf(model, tree, x), 0);
}

/** Nodes the row passes; every branch where missing values are shared out. */
function pathOf(model: Model, tree: number, x: Float64Array): ReadonlySet<number> {
  const { ensemble, schema } = model;
  const { trees, profile } = ensemble;
  const row = profile.input === "f32" ? x.map(Math.fround) : x;
  const path = new Set<number>();
  const waiting = [trees.treeStart[tree]];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    path.add(node);
    const first = trees.firstChild[node];
    if (first < 0) continue;
    const route = branchOf(ensemble, schema, node, row, 0);
    if (route === Route.stop) continue;
    if (route !== Route.fractional) waiting.push(first + route);
    else for (let b = 0; b < childCount(trees, schema, node); b++) waiting.push(first + b);
  }
  return path;
}

function nodeView(
  model: Model,
  node: number,
  when: Words,
  path: ReadonlySet<number>,
  depth: number,
): TreeView {
  const { trees } = model.ensemble;
  const first = trees.firstChild[node];
  const cover = trees.cover[node] > 0 ? trees.cover[node] : undefined;
  const onPath = path.has(node);
  if (first < 0) {
    const { leafWidth } = model.ensemble;
    const values = trees.leaf.subarray(node * leafWidth, (node + 1) * leafWidth);
    const text = Array.from(values, (value) => String(Number(value.toPrecision(5)))).join(", ");
    return { when, text: [text], isLeaf: true, cover, onPath, children: [], hidden: 0 };
  }
  const { test, branches } = describe(model, node);
  const count = childCount(trees, model.schema, node);
  const deep = depth + 1 >= MAX_DEPTH;
  const children = deep ? [] : Array.from(
    { length: count },
    (_, b) => nodeView(model, first + b, branches[b] ?? [], path, depth + 1),
  );
  return { when, text: test, isLeaf: false, cover, onPath, children, hidden: deep ? count : 0 };
}

/** The test of a node, and what leads into each branch. */
function describe(
  model: Model,
  node: number,
): { readonly test: Words; readonly branches: readonly Words[] } {
  const { trees } = model.ensemble;
  const feature = model.schema.features[trees.feature[node]];
  const kind = trees.kind[node];
  const { surrogates } = model.ensemble;
  const asks = surrogates !== undefined && surrogates.start[node] < surrogates.start[node + 1];
  const isLast = kind === NodeKind.threshold && trees.threshold[node] === Infinity;
  if (isLast && trees.missing[node] === 1 && !asks) {
    return { test: [feature, " is present?"], branches: YES_NO };
  }
  if (kind === NodeKind.threshold || kind === NodeKind.equal) {
    const { operators: [operator], number } = numberTest(model.ensemble, node);
    return {
      test: [feature, ` ${operator.replace("<=", "≤")} ${number}?`],
      branches: YES_NO,
    };
  }
  const categories = feature.kind === "categorical" ? feature.categories : [];
  const row = new Float64Array(model.schema.features.length);
  const members = (branch: number) =>
    listed(categories.filter((_, code) => {
      row[trees.feature[node]] = code;
      return branchOf(model.ensemble, model.schema, node, row, 0) === branch;
    }));
  if (trees.kind[node] === NodeKind.subset) {
    return { test: [feature, " in {", ...members(0), "}?"], branches: YES_NO };
  }
  const count = childCount(trees, model.schema, node);
  return {
    test: [feature],
    branches: Array.from({ length: count }, (_, branch) => members(branch)),
  };
}

const YES_NO: readonly Words[] = [["yes"], ["no"]];

function listed(values: readonly string[]): Words {
  const shown = values.slice(0, 5).flatMap((value, i) => [
    ...(i === 0 ? [] : [", "]),
    { name: quoteUnclear(value) },
  ]);
  return values.length > 5 ? [...shown, ` and ${values.length - 5} more`] : shown;
}
