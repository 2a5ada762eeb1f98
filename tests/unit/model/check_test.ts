/** Proofs of a model's trees: what is no tree is refused by its place, before anything walks it. */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ModelError } from "../../../src/errors.ts";
import { createModel } from "../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../src/model/trees.ts";
import type { Ensemble, LinearLeaves, Trees } from "../../../src/model/types.ts";
import { randomParts } from "../../support/models/random.ts";
import { SMALL_SCHEMA, smallEnsemble } from "../../support/models/small.ts";

/** `smallEnsemble`, whose trees have nodes 0 to 2, 3 to 5 (by category) and 6 to 8; then five more nodes. */
function ensemble(): Ensemble {
  const small = smallEnsemble();
  const deep = createTreeBuilder(1);
  deep.splitThreshold(0, 0, 40, 0);
  deep.splitThreshold(1, 0, 20, 0);
  for (const leaf of [2, 3, 4]) deep.setValue(leaf, [leaf]);
  return {
    ...small,
    trees: packTrees([deep]),
    treeOutput: new Int32Array(1),
    treeWeight: Float64Array.of(1),
  };
}

function refusal(parts: Ensemble, edit: (trees: Trees) => void): string {
  edit(parts.trees);
  const error = assertThrows(
    () =>
      createModel({
        schema: SMALL_SCHEMA,
        ensemble: parts,
        info: { version: "0", algorithm: "x" },
      }),
    ModelError,
  );
  assertEquals(error.code, "E_MODEL_CORRUPT");
  return error.message;
}

Deno.test("createModel() refuses children that are no children, by tree and node", () => {
  for (const child of [0, -1, 2, 2147483647, -2147483648]) {
    const found = refusal(smallEnsemble(), ({ firstChild }) => firstChild[0] = child);
    assertStringIncludes(found, "node 0 of tree 0 has a child outside its tree", String(child));
  }
  // A node of another tree, before and behind.
  for (const child of [1, 7]) {
    const found = refusal(smallEnsemble(), ({ firstChild }) => firstChild[3] = child);
    assertStringIncludes(found, "node 0 of tree 1 has a child outside its tree", String(child));
  }
  // Root to 1 and 2, node 1 to 3 and 4; node 2 would hang on both.
  assertStringIncludes(
    refusal(ensemble(), ({ firstChild }) => firstChild[1] = 2),
    "node 2 of tree 0 has two parents",
  );
  assertStringIncludes(
    refusal(ensemble(), ({ kind, leaf }) => (kind[1] = 0, leaf[1] = 1)),
    "tree 0 has nodes that cannot be reached",
  );
});

Deno.test("createModel() refuses tests that a feature cannot have", () => {
  const edits: { readonly [message: string]: (trees: Trees) => void } = {
    "node 0 of tree 0 is of unknown kind 9": ({ kind }) => kind[0] = 9,
    "node 0 of tree 0 tests the numeric feature the wrong way": ({ kind }) => kind[0] = 2,
    "node 0 of tree 0 tests the categorical feature the wrong way": ({ feature }) => feature[0] = 1,
    "node 0 of tree 1 tests the numeric feature the wrong way": ({ feature }) => feature[3] = 0,
    "node 0 of tree 0 tests feature 3": ({ feature }) => feature[0] = 3,
    "node 0 of tree 0 tests feature -1": ({ feature }) => feature[0] = -1,
    "node 0 of tree 0 has the threshold NaN": ({ threshold }) => threshold[0] = NaN,
    "node 0 of tree 0 sends missing values to branch 2": ({ missing }) => missing[0] = 2,
    "node 0 of tree 1 has categories out of range": ({ categoryAt, categoryPool }) =>
      categoryAt[3] = categoryPool.length,
    "node 1 of tree 0 has the leaf value Infinity": ({ leaf }) => leaf[1] = Infinity,
  };
  for (const [message, edit] of Object.entries(edits)) {
    assertStringIncludes(refusal(smallEnsemble(), edit), message);
  }
  const before = refusal(smallEnsemble(), ({ categoryAt }) => categoryAt[3] = -1);
  assertStringIncludes(before, "has categories out of range");
});

Deno.test("createModel() refuses bounds of trees that are not those of its nodes", () => {
  assertStringIncludes(
    refusal(smallEnsemble(), ({ treeStart }) => treeStart[3] = 10),
    "its trees do not fill its nodes",
  );
  assertStringIncludes(
    refusal(smallEnsemble(), ({ treeStart }) => treeStart[1] = 12),
    "node 0 of tree 0 begins no tree",
  );
  assertStringIncludes(
    refusal(smallEnsemble(), ({ treeStart }) => treeStart[1] = 0),
    "node 0 of tree 0 begins no tree",
  );
});

/** `smallEnsemble` whose trees 0 and 2 have a linear leaf each on `age`, written by hand. */
function linearEnsemble(): Ensemble & { linear: LinearLeaves } {
  const small = smallEnsemble();
  const termStart = new Int32Array(10);
  // Node 1 has two terms, node 7 one.
  termStart.fill(2, 2, 8).fill(3, 8);
  return {
    ...small,
    linear: {
      constant: small.trees.leaf.map((value) => Number.isFinite(value) ? value : 0),
      termStart,
      termFeature: Int32Array.of(0, 2, 0),
      termCoefficient: Float64Array.of(1, 2, 3),
    },
  };
}

Deno.test("createModel() refuses arrays of wrong lengths, by their names", () => {
  const trees = smallEnsemble().trees;
  type Named = { readonly [name: string]: Float64Array };
  for (const name of ["feature", "threshold", "firstChild", "missing", "categoryAt"] as const) {
    for (const by of [-1, 1]) {
      const longer = new (trees[name].constructor as typeof Int32Array)(9 + by);
      const parts = { ...smallEnsemble(), trees: { ...trees, [name]: longer } };
      assertStringIncludes(refusal(parts, () => {}), `${name} has ${9 + by} entries`);
    }
  }
  for (const name of ["leaf", "cover", "gain"] as const) {
    const parts = { ...smallEnsemble(), trees: { ...trees, [name]: new Float64Array(8) } };
    assertStringIncludes(refusal(parts, () => {}), `${name} has 8 entries`);
  }
  const lists: Named = { treeWeight: new Float64Array(2), baseScore: new Float64Array(2) };
  for (const [name, list] of Object.entries(lists)) {
    const parts = { ...smallEnsemble(), [name]: list };
    assertStringIncludes(refusal(parts, () => {}), `${name} has 2 entries`);
  }
  const outputs = { ...smallEnsemble(), treeOutput: new Int32Array(4) };
  assertStringIncludes(refusal(outputs, () => {}), "treeOutput has 4 entries");
});

Deno.test("createModel() refuses sums that are none", () => {
  const edits: readonly (readonly [Partial<Ensemble>, string])[] = [
    [{ numOutputs: 0, baseScore: new Float64Array(0) }, "0 outputs"],
    [{ treesPerRound: 0 }, "treesPerRound is 0"],
    [{ treesPerRound: 1.5 }, "treesPerRound is 1.5"],
    [{ treesPerRound: 2 }, "no whole number of rounds"],
    [{ baseScore: Float64Array.of(NaN) }, "base score"],
    [{ baseScore: Float64Array.of(Infinity) }, "base score"],
    [{ treeOutput: Int32Array.of(0, 1, 0) }, "tree 1 adds to no output"],
    [{ treeOutput: Int32Array.of(0, 0, -1) }, "tree 2 adds to no output"],
    [{ treeWeight: Float64Array.of(1, 1, NaN) }, "weight of tree 2"],
    [{ treeWeight: Float64Array.of(-Infinity, 1, 1) }, "weight of tree 0"],
    [{ aggregate: "vote" }, "votes lack classes"],
  ];
  for (const [edit, message] of edits) {
    assertStringIncludes(refusal({ ...smallEnsemble(), ...edit }, () => {}), message);
  }
});

Deno.test("createModel() refuses wide leaves that add to one output, and one base score of several that is no number", () => {
  const wide = randomParts({ seed: 1, outputs: 3, leafWidth: 3, trees: 2 }).ensemble;
  const { schema, ensemble: narrow } = randomParts({ seed: 1, outputs: 3, trees: 2 });
  const found = (ensemble: Ensemble) =>
    assertThrows(
      () => createModel({ schema, ensemble, info: { version: "0", algorithm: "x" } }),
      ModelError,
    ).message;
  assertStringIncludes(
    found({ ...wide, treeOutput: Int32Array.of(0, 1) }),
    "tree 1 adds to no output",
  );
  for (const ensemble of [wide, narrow]) {
    assertStringIncludes(
      found({ ...ensemble, baseScore: Float64Array.of(0, NaN, 1) }),
      "base score",
    );
  }
});

Deno.test("createModel() refuses linear leaves that are none", () => {
  const { linear } = linearEnsemble();
  const model = createModel({
    schema: SMALL_SCHEMA,
    ensemble: linearEnsemble(),
    info: { version: "0", algorithm: "x" },
  });
  // Tree 0: −1 + 1 · 20 + 2 · −3; tree 1: 0; tree 2: 0 + 3 · 20; the base score.
  const row = { age: 20, job: "a", ["__proto__"]: -3 };
  assertEquals(model.predictRaw(row).data[0], -1 + 20 - 6 + 60 + 0.25);
  const edit = <T extends Int32Array | Float64Array>(array: T, at: number, value: number): T => {
    const copy = array.slice() as T;
    copy[at] = value;
    return copy;
  };
  const wrong: readonly Partial<LinearLeaves>[] = [
    { constant: edit(linear.constant, 1, Infinity) },
    { constant: edit(linear.constant, 7, NaN) },
    { constant: linear.constant.slice(1) },
    { termCoefficient: edit(linear.termCoefficient, 2, -Infinity) },
    { termCoefficient: linear.termCoefficient.slice(1) },
    { termFeature: edit(linear.termFeature, 1, 1) }, // job is no number
    { termFeature: edit(linear.termFeature, 1, 3) },
    { termFeature: edit(linear.termFeature, 0, -1) },
    { termStart: edit(linear.termStart, 0, 1) },
    { termStart: edit(linear.termStart, 9, 2) },
    { termStart: edit(linear.termStart, 9, 4) },
    { termStart: edit(linear.termStart, 4, 3) }, // falls behind it
    { termStart: linear.termStart.slice(1) },
  ];
  for (const change of wrong) {
    const message = refusal({ ...linearEnsemble(), linear: { ...linear, ...change } }, () => {});
    assert(/linear/.test(message), `${Object.keys(change)}: ${message}`);
  }
});
