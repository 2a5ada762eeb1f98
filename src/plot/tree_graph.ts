/**
 * A tree for Graphviz and for Mermaid.
 *
 * @module
 */
import type { Model } from "../model/model.ts";
import { shortNumber, type TreeView, viewTree } from "./tree_view.ts";

/** A tree in the DOT language: `dot -Tsvg`. */
export function treeDot(model: Model, tree = 0): string {
  const lines = ["digraph tree {", '  node [shape=box, fontname="sans-serif"];'];
  const visit = (view: TreeView): void => {
    const shape = view.branches.length === 0 ? ", style=rounded" : "";
    lines.push(`  n${view.node} [label=${quote(labelOf(view, "\n"))}${shape}];`);
    for (const { short, child } of view.branches) {
      visit(child);
      lines.push(`  n${view.node} -> n${child.node} [label=${quote(short)}];`);
    }
  };
  visit(viewTree(model, tree));
  return `${lines.join("\n")}\n}\n`;
}

function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}

/** A tree as a Mermaid flowchart, as Markdown viewers draw it. */
export function treeMermaid(model: Model, tree = 0): string {
  const lines = ["flowchart TD"];
  const visit = (view: TreeView): void => {
    const text = entities(labelOf(view, "<br/>"));
    lines.push(
      view.branches.length === 0 ? `  n${view.node}(["${text}"])` : `  n${view.node}["${text}"]`,
    );
    for (const { short, child } of view.branches) {
      visit(child);
      lines.push(`  n${view.node} -->|"${entities(short)}"| n${child.node}`);
    }
  };
  visit(viewTree(model, tree));
  return `${lines.join("\n")}\n`;
}

/** Mermaid's way to write what would end a label. */
function entities(text: string): string {
  return text.split("<br/>").map((part) =>
    part.replaceAll("#", "#35;").replaceAll('"', "#quot;").replaceAll("<", "#lt;")
      .replaceAll(">", "#gt;").replaceAll("\n", " ")
  ).join("<br/>");
}

/** Title, value and weight of a node. */
export function labelOf(view: TreeView, newline: string): string {
  const lines = [view.title];
  if (view.branches.length > 0 && view.value !== "") lines.push(view.value);
  if (view.cover > 0) lines.push(`n = ${shortNumber(view.cover)}`);
  return lines.join(newline);
}
