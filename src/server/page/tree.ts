/**
 * One tree as a list that folds.
 *
 * @module
 */
import { type Element, h, inWords } from "./element.ts";
import type { TreeView } from "./tree_view.ts";

/** The tree viewer. */
export function treePanel(
  { tree, number, count }: { tree: TreeView; number: number; count: number },
): Element {
  return h(
    "section",
    { "aria-labelledby": "tree" },
    h("h2", { id: "tree" }, "One tree"),
    h(
      "div",
      { class: "row" },
      h(
        "div",
        null,
        h("label", { for: "tree-number" }, `Tree, 1 to ${count}`),
        h("input", {
          id: "tree-number",
          name: "tree",
          form: "form",
          type: "number",
          min: "1",
          max: count,
          value: number,
        }),
      ),
      h("noscript", null, h("button", { type: "submit", form: "form" }, "Show")),
    ),
    h(
      "p",
      { class: "soft small" },
      "The way of the row above is shaded. Leaves add to the raw score.",
    ),
    h("div", { class: "tree" }, h("ul", null, treeNode({ node: tree, id: "t", depth: 0 }))),
  );
}

function treeNode({ node, id, depth }: { node: TreeView; id: string; depth: number }): Element {
  const rows = node.cover === undefined ? "" : ` · weight ${Number(node.cover.toPrecision(4))}`;
  const title = [
    node.when.length === 0 ? null : h("span", { class: "soft" }, inWords(node.when), ": "),
    node.isLeaf ? h("strong", null, inWords(node.text)) : inWords(node.text),
    h("small", { class: "soft" }, rows),
    node.onPath ? h("span", { class: "soft small" }, "\u00a0← this row") : null,
  ];
  return h(
    "li",
    { class: node.onPath ? "on-path" : undefined },
    node.children.length === 0
      ? h(
        "div",
        { class: "node" },
        title,
        node.hidden > 0 ? h("span", { class: "soft" }, "\u00a0…") : null,
      )
      : h(
        "details",
        { id, open: node.onPath || depth < 1 },
        h("summary", null, title),
        h(
          "ul",
          null,
          node.children.map((child, i) =>
            treeNode({ node: child, id: `${id}-${i}`, depth: depth + 1 })
          ),
        ),
      ),
  );
}
