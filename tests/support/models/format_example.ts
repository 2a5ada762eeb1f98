/**
 * The file that docs/format.md shows, byte by byte.
 *
 * @module
 */
import { encodeModel } from "../../../src/format/binary.ts";
import { readSections } from "../../../src/format/sections.ts";
import { createModel } from "../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../src/model/trees.ts";

/** The bytes of the example. */
export function exampleFile(): Uint8Array<ArrayBuffer> {
  const tree = createTreeBuilder();
  const first = tree.splitThreshold(0, 0, 0.5, 1);
  const second = tree.splitSubset(first + 1, 1, Uint32Array.of(0b001), 0);
  tree.setValue(first, [1]);
  tree.setValue(second, [2]);
  const third = tree.splitThreshold(second + 1, 0, 7, 1);
  tree.setValue(third, [3]);
  tree.setValue(third + 1, [4]);
  const model = createModel({
    schema: {
      features: [
        { kind: "numeric", name: "x", missing: "learnt" },
        {
          kind: "categorical",
          name: "c",
          missing: "learnt",
          unknown: "heavier",
          categories: ["a", "b"],
        },
      ],
      target: { name: "y" },
      task: "regression",
      classes: [],
      extraColumns: "ignore",
      absentColumns: "missing",
    },
    info: { version: "0.1.0", algorithm: "by-hand" },
    ensemble: {
      trees: packTrees([tree]),
      leafWidth: 1,
      numOutputs: 1,
      treeOutput: new Int32Array(1),
      treeWeight: Float64Array.of(1),
      treesPerRound: 1,
      aggregate: "sum",
      baseScore: Float64Array.of(0),
      postprocess: { name: "identity" },
      profile: { input: "f64", sum: "f64", base: "first", shownTest: "<=" },
    },
  });
  return encodeModel(model);
}

/** Names of the 8-byte lines of the tree section, from its head on. */
const TREE_LINES = [
  "layout Z, 1 tree",
  "3 inner nodes, 2 features",
  "2 thresholds, 1 word of sets",
  "4 leaf values, no flags",
  "widths: cuts and leaves 4 bytes, others 1; no levels",
  "zeros",
  "zeros",
  "zeros",
  "baseScore 0",
  "dictSize 2, 1",
  "cuts 0.5, 7",
  "sets {a}",
  "leaves 1, 2",
  "… 3, 4",
  "treeNodes 3",
  "feat2: x and c and x; missing right, left, right",
  "cut 0, 0, 1",
  "size: no inner node on the left, + 1, three times",
];

/** The example as lines of hex with notes. */
export function annotatedExample(): string {
  const bytes = exampleFile();
  const notes = new Map<number, string>([
    [0, "magic"],
    [8, "version 1.0, sections"],
    [16, "length of the file"],
    [24, "checksum"],
  ]);
  readSections(bytes, true, {}).forEach(({ id, offset }, i) => {
    const entry = 32 + 24 * i;
    notes.set(entry, `"${id}", flags`);
    notes.set(entry + 8, "its offset");
    notes.set(entry + 16, "its length");
    if (id === "TREE") TREE_LINES.forEach((line, k) => notes.set(offset! + 8 * k, line));
    else notes.set(offset!, `${id} begins`);
  });
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 8) {
    const hex = Array.from(bytes.subarray(at, at + 8), (b) => b.toString(16).padStart(2, "0"));
    const text = String.fromCharCode(...bytes.subarray(at, at + 8)).replace(/[^ -~]/g, ".");
    const place = at.toString(16).padStart(4, "0");
    lines.push(`${place}  ${hex.join(" ")}  ${text}  ${notes.get(at) ?? ""}`.trimEnd());
  }
  return "```text\n" + lines.join("\n") + "\n```\n";
}
