/**
 * Trees as text, rules, graphs and pictures.
 *
 * @module
 */
export { type Interval, type NodeBox, nodeBoxes } from "./boxes.ts";
export { treeDot, treeMermaid } from "./tree_graph.ts";
export { treeSvg, type TreeSvgOptions } from "./tree_svg.ts";
export { rulesText, type TreeRule, treeRules, treeText } from "./tree_text.ts";
