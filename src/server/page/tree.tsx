/**
 * One tree as a list that folds.
 *
 * @module
 */
import type { Element } from "./element.ts";
import type { TreeView } from "./tree_view.ts";

/** The tree viewer. */
export function TreePanel(
  { tree, number, count }: { tree: TreeView; number: number; count: number },
): Element {
  return (
    <section aria-labelledby="tree">
      <h2 id="tree">One tree</h2>
      <div class="row">
        <div>
          <label for="tree-number">{`Tree, 1 to ${count}`}</label>
          <input
            id="tree-number"
            name="tree"
            form="form"
            type="number"
            min="1"
            max={count}
            value={number}
          />
        </div>
        <noscript>
          <button type="submit" form="form">Show</button>
        </noscript>
      </div>
      <p class="soft small">The way of the row above is shaded. Leaves add to the raw score.</p>
      <div class="tree">
        <ul>
          <Node node={tree} id="t" depth={0} />
        </ul>
      </div>
    </section>
  );
}

function Node({ node, id, depth }: { node: TreeView; id: string; depth: number }): Element {
  const rows = node.cover === undefined ? "" : ` · weight ${Number(node.cover.toPrecision(4))}`;
  const title = (
    <>
      {node.when === "" ? null : <span class="soft">{`${node.when}: `}</span>}
      {node.isLeaf ? <strong>{node.text}</strong> : node.text}
      <small class="soft">{rows}</small>
      {node.onPath ? <span class="soft small">&nbsp;← this row</span> : null}
    </>
  );
  return (
    <li class={node.onPath ? "on-path" : undefined}>
      {node.children.length === 0
        ? (
          <div class="node">
            {title}
            {node.hidden > 0 ? <span class="soft">&nbsp;…</span> : null}
          </div>
        )
        : (
          <details id={id} open={node.onPath || depth < 1}>
            <summary>{title}</summary>
            <ul>
              {node.children.map((child, i) => (
                <Node node={child} id={`${id}-${i}`} depth={depth + 1} />
              ))}
            </ul>
          </details>
        )}
    </li>
  );
}
