/**
 * One tree as a list that folds.
 *
 * @module
 */
import { html } from "hono/html";
import type { Element } from "./element.ts";
import type { TreeView } from "./tree_view.ts";

/** The tree viewer: tree `number` of `count`. */
export function treePanel(tree: TreeView, number: number, count: number): Element {
  return html`
    <section aria-labelledby="tree">
      <h2 id="tree">One tree</h2>
      <div class="row">
        <div>
          <label for="tree-number">Tree, 1 to ${count}</label>
          <input id="tree-number" name="tree" form="form" type="number" min="1" max="${count}"
            value="${number}">
        </div>
        <noscript><button type="submit" form="form">Show</button></noscript>
      </div>
      <p class="soft small">The way of the row above is shaded. Leaves add to the raw score.</p>
      <div class="tree">
        <ul>${branch(tree, "t", 0)}</ul>
      </div>
    </section>
  `;
}

function branch(node: TreeView, id: string, depth: number): Element {
  const { when, text, cover, children, onPath } = node;
  const rows = cover === undefined ? "" : ` · weight ${Number(cover.toPrecision(4))}`;
  const title = html`${when !== "" && html`<span class="soft">${when}: </span>`}${
    node.isLeaf ? html`<strong>${text}</strong>` : text
  }<small class="soft">${rows}</small>${
    onPath && html`<span class="soft small">\u00a0← this row</span>`
  }`;
  const more = node.hidden > 0 && html`<span class="soft">\u00a0…</span>`;
  return html`<li class="${onPath && "on-path"}">${
    children.length === 0 ? html`<div class="node">${title}${more}</div>` : html`
      <details id="${id}" ${(onPath || depth < 1) && "open"}>
        <summary>${title}</summary>
        <ul>${children.map((child, i) => branch(child, `${id}-${i}`, depth + 1))}</ul>
      </details>
    `
  }</li>`;
}
