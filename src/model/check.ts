/**
 * Proves that an ensemble and a schema fit together, in time linear in their size: lengths that
 * add up, every index in range, every node reached exactly once, numbers finite where they must be.
 *
 * @module
 */
import type { Schema } from "../data/types.ts";
import { ModelError } from "../errors.ts";
import { numChildren } from "./children.ts";
import { type Ensemble, MissingBranch, NodeKind, type Trees } from "./types.ts";

/** Trees whose nodes an importer has proved, and how many features they test. */
const proven = new WeakMap<Trees, number>();

/**
 * Notes that trees need no second proof: every index of theirs is in range, every node is reached
 * once, all tests are of numbers and by thresholds, and each leaf holds one finite number.
 *
 * @param numFeatures 1 + the largest feature that is tested.
 */
export function markProven(trees: Trees, numFeatures: number): void {
  proven.set(trees, numFeatures);
}

function isProven({ trees, leafWidth }: Ensemble, { features }: Schema): boolean {
  const numFeatures = proven.get(trees);
  return numFeatures !== undefined && leafWidth === 1 && numFeatures <= features.length &&
    features.every((feature) => feature.kind === "numeric");
}

/** @throws {ModelError} `E_MODEL_CORRUPT`; `details` names tree and node. */
export function checkEnsemble(ensemble: Ensemble, schema: Schema): void {
  checkLengths(ensemble);
  checkClasses(ensemble, schema, refusal);
  checkSums(ensemble);
  proveEnsemble(ensemble, schema, isProven(ensemble, schema));
}

/** Arrays of whoever made them; those of a file are as long as they must be. */
function checkLengths(ensemble: Ensemble): void {
  const { trees, leafWidth, numOutputs, treeOutput, treeWeight, baseScore } = ensemble;
  const numTrees = trees.treeStart.length - 1;
  const numNodes = trees.kind.length;
  demand(numOutputs >= 1, `it has ${numOutputs} outputs`);
  demand(numTrees >= 0, "it has no treeStart");
  for (const name of ["feature", "threshold", "firstChild", "missing", "categoryAt"] as const) {
    demand(trees[name].length === numNodes, `${name} has ${trees[name].length} entries`);
  }
  demand(trees.leaf.length === numNodes * leafWidth, `leaf has ${trees.leaf.length} entries`);
  demand(trees.cover.length === numNodes, `cover has ${trees.cover.length} entries`);
  demand(trees.gain.length === numNodes, `gain has ${trees.gain.length} entries`);
  demand(treeOutput.length === numTrees, `treeOutput has ${treeOutput.length} entries`);
  demand(treeWeight.length === numTrees, `treeWeight has ${treeWeight.length} entries`);
  demand(baseScore.length === numOutputs, `baseScore has ${baseScore.length} entries`);
  const perRound = ensemble.treesPerRound;
  demand(Number.isInteger(perRound) && perRound >= 1, `treesPerRound is ${perRound}`);
  const { linear, surrogates } = ensemble;
  if (linear !== undefined) {
    demand(linear.constant.length === numNodes, "bad linear constants");
    demand(linear.termStart.length === numNodes + 1, "bad starts of linear terms");
    const count = linear.termFeature.length;
    demand(linear.termCoefficient.length === count, "linear terms lack a coefficient");
  }
  if (surrogates === undefined) return;
  demand(surrogates.start.length === numNodes + 1, "bad starts of surrogates");
  const { feature, threshold, below, categoryAt } = surrogates;
  for (const list of [threshold, below, categoryAt]) {
    demand(list.length === feature.length, "surrogates are left over");
  }
}

/** What trees add to, and with what weight; `readRules` of format/packed.ts checks that of files. */
function checkSums(ensemble: Ensemble): void {
  const { leafWidth, numOutputs, treeOutput, treeWeight, treesPerRound } = ensemble;
  const numTrees = treeOutput.length;
  demand(ensemble.baseScore.every(Number.isFinite), "a base score is not finite");
  demand(numTrees % treesPerRound === 0, `its ${numTrees} trees are no whole number of rounds`);
  const most = leafWidth === 1 ? numOutputs : 1; // wide leaves fill all outputs
  for (let t = 0; t < numTrees; t++) {
    if (!(treeOutput[t] >= 0 && treeOutput[t] < most)) throw refusal(`tree ${t} adds to no output`);
    if (!Number.isFinite(treeWeight[t])) throw refusal(`the weight of tree ${t} is not finite`);
  }
}

/**
 * Proves the nodes of an ensemble whose arrays have the right lengths.
 *
 * @param isProven Whether trees need no proof.
 */
export function proveEnsemble(ensemble: Ensemble, schema: Schema, isProven = false): void {
  const { trees, treeOutput } = ensemble;
  const numTrees = treeOutput.length;
  const filled = trees.treeStart[0] === 0 && trees.treeStart[numTrees] === trees.kind.length;
  demand(filled, "its trees do not fill its nodes");
  if (!isProven) {
    for (let t = 0; t < numTrees; t++) checkTree(ensemble, schema, t);
    // Where missing values take all branches, covers are shares.
    const least = trees.missing.includes(MissingBranch.fractional) ? 0 : -Infinity;
    demand(
      trees.cover.every((cover) => Number.isFinite(cover) && cover >= least),
      "its covers are no weights",
    );
  }
  checkLinear(ensemble, schema);
  checkSurrogates(ensemble, schema);
}

function checkSurrogates({ surrogates, trees }: Ensemble, schema: Schema): void {
  if (surrogates === undefined) return;
  const { start, feature, threshold, below, categoryAt, pool } = surrogates;
  const numNodes = trees.kind.length;
  for (let node = 0; node < numNodes; node++) {
    const count = start[node + 1] - start[node];
    const kind = trees.kind[node];
    const twoWay = kind !== NodeKind.leaf && kind !== NodeKind.multiway;
    demand(count === 0 || count > 0 && twoWay, `node ${node} cannot have ${count} surrogates`);
  }
  const whole = start[0] === 0 && start[numNodes] === feature.length;
  demand(
    whole && pool.every((branch) => branch <= 1 || branch === 255) &&
      feature.every((f, i) => {
        const input = schema.features[f];
        const at = categoryAt[i];
        return below[i] <= 1 && !Number.isNaN(threshold[i]) &&
          (input?.kind === "categorical"
            ? at >= 0 && at + input.categories.length < pool.length
            : input !== undefined && at < 0);
      }),
    "its surrogates are no splits",
  );
}

function checkLinear({ linear, trees, leafWidth }: Ensemble, schema: Schema): void {
  if (linear === undefined) return;
  const { constant, termStart, termFeature, termCoefficient } = linear;
  const numNodes = trees.kind.length;
  demand(
    leafWidth === 1 && constant.every(Number.isFinite) && termCoefficient.every(Number.isFinite) &&
      termFeature.every((f) => schema.features[f]?.kind === "numeric") &&
      termStart.every((at, i) => at >= (i > 0 ? termStart[i - 1] : 0)) &&
      termStart[0] === 0 && termStart[numNodes] === termFeature.length,
    "its leaves are no linear models",
  );
}

/** Names must be distinct, since input is matched by name. */
export function checkSchema({ features }: Schema): void {
  const at = new Map<string, number>();
  features.forEach(({ name }, i) => {
    const other = at.get(name);
    demand(
      other === undefined,
      `features ${other} and ${i} are both named ${JSON.stringify(name)}`,
      { column: name },
    );
    at.set(name, i);
  });
}

/**
 * Leaves fill the outputs, and outputs the classes.
 *
 * @param fail Makes the error of a problem.
 */
export function checkClasses(
  rules: Pick<Ensemble, "leafWidth" | "numOutputs" | "aggregate" | "postprocess">,
  { task, classes }: Schema,
  fail: (problem: string) => Error,
): void {
  const { leafWidth, numOutputs, aggregate } = rules;
  if (leafWidth !== 1 && leafWidth !== numOutputs) {
    throw fail(`its leaves hold ${leafWidth} numbers`);
  }
  const count = classes.length;
  const { costs } = rules.postprocess;
  if (costs !== undefined) {
    const square = numOutputs === count && costs.length === count * count;
    if (!square || !costs.every((cost) => Number.isFinite(cost) && cost >= 0)) {
      throw fail("its costs are no table");
    }
  }
  if (aggregate === "vote" && leafWidth === 1) throw fail("votes lack classes");
  const fits = task === "classification"
    ? count > 0 && (count === numOutputs || count <= 2 && numOutputs === 1)
    : count === 0;
  if (!fits) throw fail(`its ${task} has ${count} classes and ${numOutputs} outputs`);
}

function checkTree(ensemble: Ensemble, schema: Schema, tree: number): void {
  const { trees, leafWidth } = ensemble;
  const start = trees.treeStart[tree];
  const end = trees.treeStart[tree + 1];
  // The message is made where it is needed: this runs several times a node.
  const at = (node: number, ok: boolean, problem: string) => {
    if (ok) return;
    const place = { tree, node: node - start };
    throw refusal(`node ${place.node} of tree ${tree} ${problem}`, place);
  };
  // Before anything is allocated or looped over by its size.
  at(start, end > start && end <= trees.kind.length, "begins no tree");
  // With children after their parent, "referenced once each" makes it a tree.
  const seen = new Uint8Array(end - start);
  seen[0] = 1;
  for (let node = start; node < end; node++) {
    const kind = trees.kind[node];
    if (kind > NodeKind.equal) at(node, false, `is of unknown kind ${kind}`);
    if (kind === NodeKind.leaf) {
      for (let k = 0; k < leafWidth; k++) {
        const value = trees.leaf[node * leafWidth + k];
        if (!Number.isFinite(value)) at(node, false, `has the leaf value ${value}`);
      }
      continue;
    }
    const children = checkTest(ensemble, schema, node, at);
    const first = trees.firstChild[node];
    at(node, first > node && first + children <= end, `has a child outside its tree`);
    for (let child = first; child < first + children; child++) {
      at(child, seen[child - start] === 0, "has two parents");
      seen[child - start] = 1;
    }
  }
  demand(!seen.includes(0), `tree ${tree} has nodes that cannot be reached`, { tree });
}

/** Checks what an inner node tests; returns the number of its children. */
function checkTest(
  ensemble: Ensemble,
  schema: Schema,
  node: number,
  at: (node: number, ok: boolean, problem: string) => void,
): number {
  const { trees, leafWidth } = ensemble;
  const { kind, feature, threshold, missing, categoryAt, categoryPool } = trees;
  const input = schema.features[feature[node]];
  if (input === undefined) at(node, false, `tests feature ${feature[node]}`);
  const categories = input.kind === "categorical" ? input.categories.length : -1;
  const byNumber = kind[node] === NodeKind.threshold || kind[node] === NodeKind.equal;
  if (byNumber !== categories < 0) {
    at(node, false, `tests the ${input.kind} feature the wrong way`);
  }
  if (byNumber) at(node, !Number.isNaN(threshold[node]), "has the threshold NaN");
  else {
    const multiway = kind[node] === NodeKind.multiway;
    const length = multiway ? categories + 1 : (categories >>> 5) + 1;
    const from = categoryAt[node];
    at(node, from >= 0 && from + length <= categoryPool.length, "has categories out of range");
  }
  const children = numChildren(trees, node, categories);
  at(node, children >= 1, "has no children");
  const branch = missing[node];
  const special = branch === MissingBranch.stop || branch === MissingBranch.fractional;
  if (!special && branch >= children) {
    at(node, false, `sends missing values to branch ${branch}`);
  }
  const stops = branch === MissingBranch.stop ||
    input.kind === "categorical" && input.unknown === "node";
  if (stops) {
    for (let k = 0; k < leafWidth; k++) {
      at(
        node,
        Number.isFinite(trees.leaf[node * leafWidth + k]),
        "has no value",
      );
    }
  }
  return children;
}

function demand(ok: boolean, problem: string, details: { [key: string]: unknown } = {}): void {
  if (!ok) throw refusal(problem, details);
}

function refusal(problem: string, details: { [key: string]: unknown } = {}): ModelError {
  return new ModelError("E_MODEL_CORRUPT", `Cannot use this model: ${problem}`, { details });
}
