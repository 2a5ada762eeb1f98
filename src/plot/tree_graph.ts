/**
 * A tree for Graphviz and for Mermaid.
 *
 * @module
 */
import { checkModel } from "../door.ts";
import type { Model } from "../model/model.ts";
import { shortNumber, type TreeView, viewTree } from "./tree_view.ts";

/**
 * A tree in the DOT language of Graphviz, for `dot -Tsvg`.
 *
 * @param tree Number of the tree, counted from 0.
 * @throws {ParameterError} `E_PARAM_RANGE` if the model has no such tree.
 * @throws {ModelError} `E_MODEL_LIMIT` if the tree is deeper than a thousand levels.
 */
export function treeDot(model: Model, tree = 0): string {
  checkModel("treeDot", model);
  const lines = ["digraph tree {", '  node [shape=box, fontname="sans-serif"];'];
  const visit = (view: TreeView): void => {
    const shape = view.branches.length === 0 ? ", style=rounded" : "";
    lines.push(`  n${view.node} [label=${quote(labelOf(view))}${shape}];`);
    for (const { short, child } of view.branches) {
      visit(child);
      lines.push(`  n${view.node} -> n${child.node} [label=${quote([short])}];`);
    }
  };
  visit(viewTree(model, tree));
  return `${lines.join("\n")}\n}\n`;
}

/** A label of lines in quotes; Graphviz reads the entities of HTML and its own escapes there. */
function quote(lines: readonly string[]): string {
  const text = lines.map((line) =>
    line.replaceAll("&", "&amp;").replaceAll("\\", "\\\\").replaceAll('"', '\\"')
  );
  return `"${text.join("\\n")}"`;
}

/**
 * A tree as a Mermaid flowchart, which many Markdown viewers draw.
 *
 * @param tree Number of the tree, counted from 0.
 * @throws {ParameterError} `E_PARAM_RANGE` if the model has no such tree.
 * @throws {ModelError} `E_MODEL_LIMIT` if the tree is deeper than a thousand levels.
 */
export function treeMermaid(model: Model, tree = 0): string {
  checkModel("treeMermaid", model);
  const lines = ["flowchart TD"];
  const visit = (view: TreeView): void => {
    const text = labelOf(view).map(entities).join("<br/>");
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

/**
 * Mermaid's way to write what would end a label or be read in it: HTML, Markdown between backticks,
 * `\n`, formulas between `$$`, directives between `%%`, icons `fa:…`, and the end of `style …:…;`.
 */
function entities(text: string): string {
  return text.replaceAll(
    /[#"<>&`\\:]|%(?=%)|\$(?=\$)/g,
    (mark) => ENTITIES[mark] ?? `#${mark.charCodeAt(0)};`,
  );
}

const ENTITIES: { readonly [mark: string]: string } = { '"': "#quot;", "<": "#lt;", ">": "#gt;" };

/** Lines of a node: title, value and weight. */
export function labelOf(view: TreeView): string[] {
  const lines = [view.title];
  if (view.branches.length > 0 && view.value !== "") lines.push(view.value);
  if (view.cover > 0) lines.push(`n = ${shortNumber(view.cover)}`);
  return lines;
}
