import { assertEquals } from "@std/assert";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import { createModel } from "../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../src/model/trees.ts";
import { numbersModel } from "../../support/models/small.ts";

Deno.test("trees whose nodes, cuts and leaves are just more than 8 or 16 bits count keep every leaf", () => {
  for (const n of [255, 256, 257, 65_535, 65_536, 65_537]) {
    const tree = createTreeBuilder(1);
    // a <= 0 → leaf 0, else a <= 1 → leaf 1, …, and above n − 1 the leaf n.
    let node = 0;
    for (let i = 0; i < n; i++) {
      const left = tree.splitThreshold(node, 0, i, 1);
      tree.setValue(left, [i]);
      node = left + 1;
    }
    tree.setValue(node, [n]);
    const { schema, ensemble, info } = numbersModel();
    const made = createModel({
      schema,
      info,
      ensemble: { ...ensemble, trees: packTrees([tree]) },
    });
    const read = decodeModel(encodeModel(made));
    const at = [-1, 0, 1, 254, 255, 256, n - 2, n - 1, n, Infinity, NaN];
    const expected = at.map((a) => a !== a ? n : Math.max(0, Math.min(n, a)));
    const rows = at.map((a) => ({ a, b: 0 }));
    assertEquals([...read.predictRaw(rows).data], expected, `${n} nodes`);
    assertEquals(rows.map((row) => read.predictRaw(row).data[0]), expected, `${n} nodes, by row`);
    assertEquals(read.ensemble.trees.kind.length, 2 * n + 1);
  }
});

Deno.test("two-way trees by sets stop at the node where a value is unknown, if that is the rule", () => {
  const tree = createTreeBuilder(1);
  const left = tree.splitSubset(0, 0, new Uint32Array([0b001]), 1);
  [1.5, 1, 2].forEach((value, node) => tree.setValue(node === 0 ? 0 : left + node - 1, [value]));
  const { schema, ensemble, info } = numbersModel();
  const made = createModel({
    schema: {
      ...schema,
      features: [{
        kind: "categorical",
        name: "c",
        categories: ["a", "b"],
        missing: "learnt",
        unknown: "node",
      }],
    },
    info,
    ensemble: { ...ensemble, trees: packTrees([tree]) },
  });
  for (const model of [made, decodeModel(encodeModel(made))]) {
    const { data } = model.predictRaw([{ c: "a" }, { c: "b" }, { c: "z" }, { c: null }]);
    assertEquals([...data], [1, 2, 1.5, 2]);
  }
});
