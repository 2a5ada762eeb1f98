/**
 * A tree as a picture: SVG text, no DOM and no scripts.
 *
 * Leaves stand side by side and a parent over the middle of its children, after Reingold and
 * Tilford, "Tidier Drawings of Trees", IEEE TSE 7 (1981), without their compaction.
 *
 * @module
 */
import { checkModel, checkOptions } from "../door.ts";
import type { Model } from "../model/model.ts";
import { labelOf } from "./tree_graph.ts";
import { type TreeView, viewTree } from "./tree_view.ts";

/** Options of {@linkcode treeSvg}. */
export interface TreeSvgOptions {
  /** Levels to draw; deeper parts become `…`. @default 6 */
  readonly maxDepth?: number;
}

const CHAR = 6.6;
const LABEL_CHAR = 5.5;
const MOST = 48;
const LINE = 15;
const PAD = 8;
const GAP = 14;
const LEVEL = 96;

interface Box {
  readonly view: TreeView;
  readonly lines: readonly string[];
  readonly width: number;
  /** Width with what stands beside it. */
  readonly room: number;
  /** Of the edge from the parent. */
  readonly label: string;
  readonly depth: number;
  readonly children: readonly Box[];
  x: number;
}

/**
 * Draws a tree as SVG text.
 *
 * @param tree Number of the tree, counted from 0.
 * @throws {ParameterError} `E_PARAM_RANGE` if the model has no such tree.
 * @throws {ModelError} `E_MODEL_LIMIT` if the tree is deeper than a thousand levels.
 */
export function treeSvg(model: Model, tree = 0, options: TreeSvgOptions = {}): string {
  checkModel("treeSvg", model);
  checkOptions<TreeSvgOptions>("treeSvg", options, { maxDepth: "number" });
  const maxDepth = options.maxDepth ?? 6;
  const root = layOut(viewTree(model, tree), 0, maxDepth);
  let right = GAP;
  let deepest = 0;
  const place = (box: Box): void => {
    deepest = Math.max(deepest, box.depth);
    if (box.children.length === 0) {
      box.x = right + box.room / 2;
      right += box.room + GAP;
      return;
    }
    const before = right;
    box.children.forEach(place);
    box.x = (box.children[0].x + box.children[box.children.length - 1].x) / 2;
    // A parent wider than its children moves them, and what follows.
    const short = before + box.room / 2 - box.x;
    if (short > 0) {
      shift(box, short);
      right += short;
    }
    right = Math.max(right, box.x + box.room / 2 + GAP);
  };
  place(root);
  const width = Math.ceil(Math.max(right, root.x + root.width / 2 + GAP));
  const height = (deepest + 1) * LEVEL;
  const parts: string[] = [];
  draw(root, parts);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ` +
    `width="${width}" height="${height}" role="img" font-family="sans-serif" font-size="12" ` +
    `text-anchor="middle">\n<title>${escape(`Tree ${tree}`)}</title>\n${
      parts.join("\n")
    }\n</svg>\n`;
}

function layOut(view: TreeView, depth: number, maxDepth: number, label = ""): Box {
  const cut = view.branches.length > 0 && depth >= maxDepth;
  const lines = labelOf(view).map(trimTo);
  if (cut) lines[0] += " …";
  const longest = lines.reduce((most, line) => Math.max(most, line.length), 0);
  const children = cut
    ? []
    : view.branches.map(({ child, short }) => layOut(child, depth + 1, maxDepth, trimTo(short)));
  const width = longest * CHAR + 2 * PAD;
  // The label of the edge stands at two thirds of the way, where boxes are nearer to each other.
  return {
    view,
    label,
    lines,
    width,
    room: Math.max(width, 1.5 * label.length * LABEL_CHAR),
    depth,
    children,
    x: 0,
  };
}

function shift(box: Box, by: number): void {
  box.x += by;
  for (const child of box.children) shift(child, by);
}

function draw(box: Box, parts: string[]): void {
  const top = box.depth * LEVEL + GAP;
  const height = box.lines.length * LINE + PAD;
  box.children.forEach((child) => {
    const to = child.depth * LEVEL + GAP;
    parts.push(
      `<path d="M${round(box.x)} ${top + height}L${
        round(child.x)
      } ${to}" fill="none" stroke="#888"/>`,
    );
    const x = (box.x + 2 * child.x) / 3;
    parts.push(
      `<text x="${round(x)}" y="${to - 10}" fill="#444" font-size="10">${
        escape(child.label)
      }</text>`,
    );
    draw(child, parts);
  });
  const leaf = box.view.branches.length === 0;
  parts.push(
    `<rect x="${round(box.x - box.width / 2)}" y="${top}" width="${round(box.width)}" ` +
      `height="${height}" rx="${leaf ? 9 : 2}" fill="${
        leaf ? "#e8f3ea" : "#eef2fa"
      }" stroke="#667"/>`,
  );
  box.lines.forEach((line, i) => {
    parts.push(
      `<text x="${round(box.x)}" y="${top + LINE * (i + 1) - 1}">${escape(line)}</text>`,
    );
  });
}

function round(x: number): number {
  return Math.round(x * 10) / 10;
}

/** A label with an end; whole characters are left. */
function trimTo(text: string): string {
  const marks = Array.from(text);
  return marks.length > MOST ? `${marks.slice(0, MOST - 1).join("")}…` : text;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
