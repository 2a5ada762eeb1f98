/** Proofs of a model's trees: what is no tree is refused by its place, before anything walks it. */
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ModelError } from "../../../src/errors.ts";
import { createModel } from "../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../src/model/trees.ts";
import type { Ensemble, Trees } from "../../../src/model/types.ts";
import { SMALL_SCHEMA, smallEnsemble } from "../../support/small_models.ts";

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
    "node 0 of tree 0 has a threshold that is no number": ({ threshold }) => threshold[0] = NaN,
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
    "tree 0 ends behind the last node",
  );
  assertStringIncludes(
    refusal(smallEnsemble(), ({ treeStart }) => treeStart[1] = 0),
    "node 0 of tree 0 is missing",
  );
});
