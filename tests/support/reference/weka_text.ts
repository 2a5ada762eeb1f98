/**
 * A tree of classes as Weka's J48 and Id3 print theirs, so that whole trees can be compared.
 *
 * @module
 */
import type { Model } from "../../../src/model/model.ts";
import { NodeKind } from "../../../src/model/types.ts";

/** As `Utils.roundDouble(value, 2)` printed by Java: at least one decimal. */
function cases(value: number): string {
  const rounded = Math.round(value * 100) / 100;
  return Number.isInteger(rounded) ? rounded.toFixed(1) : String(rounded);
}

/** As `Utils.doubleToString(value, 6)`: at most six decimals. */
function threshold(value: number): string {
  return String(Number(value.toFixed(6)));
}

/**
 * Lines of J48's tree: `indent condition: class (weight/errors)`.
 *
 * @param weights Whether leaves show their weight and errors; Id3 prints the class alone.
 */
export function wekaTree(model: Model, weights = true): string[] {
  const { trees, leafWidth } = model.ensemble;
  const { features, classes } = model.schema;
  const lines: string[] = [];
  const answer = (node: number): string => {
    const shares = trees.leaf.subarray(node * leafWidth, (node + 1) * leafWidth);
    let best = 0;
    for (let k = 1; k < leafWidth; k++) if (shares[k] > shares[best]) best = k;
    const weight = trees.cover[node];
    const errors = weight * (1 - shares[best]);
    const wrong = errors > 1e-6 ? `/${cases(errors)}` : "";
    return `: ${classes[best]}${weights ? ` (${cases(weight)}${wrong})` : ""}`;
  };
  const print = (node: number, indent: string): void => {
    const input = features[trees.feature[node]];
    const conditions = trees.kind[node] === NodeKind.threshold
      ? [`<= ${threshold(trees.threshold[node])}`, `> ${threshold(trees.threshold[node])}`]
      : input.kind === "categorical"
      ? input.categories.map((category) => `= ${category}`)
      : [];
    conditions.forEach((condition, branch) => {
      const child = trees.firstChild[node] + branch;
      const leaf = trees.kind[child] === NodeKind.leaf;
      lines.push(`${indent}${input.name} ${condition}${leaf ? answer(child) : ""}`);
      if (!leaf) print(child, `${indent}|${weights ? "   " : "  "}`);
    });
  };
  if (trees.kind[0] === NodeKind.leaf) return [answer(0)];
  print(0, "");
  return lines;
}

/** The tree of a file that Weka wrote: lines between the title and the counts. */
export function wekaTreeOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trimEnd());
  const first = lines.findIndex((line) => /^-+$/.test(line) || line === "Id3") + 1;
  const last = lines.findIndex((line, i) =>
    i > first && (line.startsWith("Number of Leaves") || line.startsWith("Time taken"))
  );
  return lines.slice(first, last).filter((line) => line !== "");
}
