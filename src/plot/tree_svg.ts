/**
 * A tree as a picture: SVG text, no DOM and no scripts.
 *
 * Leaves stand side by side and a parent over the middle of its children, after Reingold and
 * Tilford, "Tidier Drawings of Trees", IEEE TSE 7 (1981), without their compaction.
 *
 * @module
 */
import type { Model } from "../model/model.ts";
import { shortNumber, type TreeView, viewTree } from "./tree_view.ts";

/** How a tree is drawn. */
export interface TreeSvgOptions {
  /** Levels to draw; deeper parts become `…`. @default 6 */
  readonly maxDepth?: number;
}

const CHAR = 6.6;
const LINE = 15;
const PAD = 8;
const GAP = 14;
const LEVEL = 96;

interface Box {
  readonly view: TreeView;
  readonly lines: readonly string[];
  readonly width: number;
  readonly depth: number;
  readonly children: readonly Box[];
  x: number;
}

/** Draws a tree. */
export function treeSvg(model: Model, tree = 0, options: TreeSvgOptions = {}): string {
  const maxDepth = options.maxDepth ?? 6;
  const root = layOut(viewTree(model, tree), 0, maxDepth);
  let right = GAP;
  let deepest = 0;
  const place = (box: Box): void => {
    deepest = Math.max(deepest, box.depth);
    if (box.children.length === 0) {
      box.x = right + box.width / 2;
      right += box.width + GAP;
      return;
    }
    const before = right;
    box.children.forEach(place);
    box.x = (box.children[0].x + box.children[box.children.length - 1].x) / 2;
    // A parent wider than its children pushes what follows.
    right = Math.max(right, before + box.width + GAP, box.x + box.width / 2 + GAP);
    const short = before + box.width / 2 - box.x;
    if (short > 0) shift(box, short);
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

function layOut(view: TreeView, depth: number, maxDepth: number): Box {
  const cut = view.branches.length > 0 && depth >= maxDepth;
  const lines = [cut ? `${view.title} …` : view.title];
  if (view.branches.length > 0 && view.value !== "") lines.push(view.value);
  if (view.cover > 0) lines.push(`n = ${shortNumber(view.cover)}`);
  const longest = lines.reduce((most, line) => Math.max(most, line.length), 0);
  // Room for the label of the edge from the parent is taken beside the box.
  const children = cut ? [] : view.branches.map(({ child }) => layOut(child, depth + 1, maxDepth));
  return { view, lines, width: longest * CHAR + 2 * PAD, depth, children, x: 0 };
}

function shift(box: Box, by: number): void {
  box.x += by;
  for (const child of box.children) shift(child, by);
}

function draw(box: Box, parts: string[]): void {
  const top = box.depth * LEVEL + GAP;
  const height = box.lines.length * LINE + PAD;
  box.children.forEach((child, i) => {
    const to = child.depth * LEVEL + GAP;
    parts.push(
      `<path d="M${round(box.x)} ${top + height}L${
        round(child.x)
      } ${to}" fill="none" stroke="#888"/>`,
    );
    const x = (box.x + 2 * child.x) / 3;
    const label = trimTo(box.view.branches[i].short, 28);
    parts.push(
      `<text x="${round(x)}" y="${to - 10}" fill="#444" font-size="10">${escape(label)}</text>`,
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

function trimTo(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
