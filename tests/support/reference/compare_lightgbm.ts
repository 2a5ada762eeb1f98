/**
 * Trees trained here against the text that LightGBM wrote of its own.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import type { Model } from "../../../src/model/model.ts";
import { NodeKind } from "../../../src/model/types.ts";
import type { LightgbmTree } from "./lightgbm_text.ts";

/** Walks both trees together: structure, cuts, sides of missing values, leaves within 1e-5. */
export function compareTree(model: Model, t: number, wanted: LightgbmTree, where: string): void {
  const { trees, baseScore, treeOutput, numOutputs } = model.ensemble;
  // LightGBM adds the start to the leaves of the first trees.
  const start = t < numOutputs ? baseScore[treeOutput[t]] : 0;
  const walk = (ours: number, theirs: number): void => {
    const at = `${where} node ${theirs}`;
    assertEquals(trees.firstChild[ours] < 0, theirs < 0, `${at}: leaf or not`);
    if (theirs < 0) {
      // What LightGBM answers from a leaf without terms is its model's constant.
      const isPlain = wanted.numTerms[~theirs] === 0;
      const value = isPlain ? wanted.leafConst[~theirs] : wanted.leafValue[~theirs];
      const found = trees.leaf[ours] + start;
      assert(
        Math.abs(found - value) <= 1e-5 * Math.max(1, Math.abs(value)),
        `${at}: ${found} for ${value}`,
      );
      if (model.ensemble.linear !== undefined) {
        compareTerms(model, ours, wanted, ~theirs, { at, start });
      }
      return;
    }
    const gain = wanted.splitGain[theirs];
    assertEquals(trees.feature[ours], wanted.splitFeature[theirs], `${at}: feature (gain ${gain})`);
    const type = wanted.decisionType[theirs];
    if ((type & 1) === 1) compareSets(model, ours, wanted, theirs, at);
    else {
      const threshold = wanted.threshold[theirs];
      assertEquals(trees.threshold[ours], threshold, `${at}: threshold (gain ${gain})`);
      // Missing type NaN or Zero: the side that missing values take.
      if ((type >> 2) > 0) assertEquals(trees.missing[ours], type & 2 ? 0 : 1, `${at}: missing`);
    }
    walk(trees.firstChild[ours], wanted.leftChild[theirs]);
    walk(trees.firstChild[ours] + 1, wanted.rightChild[theirs]);
  };
  walk(trees.treeStart[t], wanted.numLeaves === 1 ? -1 : 0);
}

/**
 * The linear model of a leaf: constant and coefficients within 1e-5 of their size. A column that is
 * constant in the leaf has a coefficient of rounding alone, which may be 0 and left out: then within
 * 1e-11 of the largest term.
 */
function compareTerms(
  model: Model,
  ours: number,
  wanted: LightgbmTree,
  leaf: number,
  { at, start }: { readonly at: string; readonly start: number },
): void {
  const { constant, termStart, termFeature, termCoefficient } = model.ensemble.linear!;
  const before = wanted.numTerms.slice(0, leaf).reduce((sum, count) => sum + count, 0);
  const expected = new Map([[-1, wanted.leafConst[leaf] - start]]);
  for (let i = before; i < before + wanted.numTerms[leaf]; i++) {
    expected.set(wanted.termFeature[i], wanted.termCoefficient[i]);
  }
  const found = new Map([[-1, constant[ours]]]);
  for (let i = termStart[ours]; i < termStart[ours + 1]; i++) {
    found.set(termFeature[i], termCoefficient[i]);
  }
  const largest = Math.max(...found.values().map(Math.abs));
  for (const feature of new Set([...expected.keys(), ...found.keys()])) {
    const value = expected.get(feature) ?? 0;
    const difference = Math.abs((found.get(feature) ?? 0) - value);
    assert(
      difference <= 1e-5 * Math.abs(value) + 1e-11 * largest,
      `${at}: coefficient of ${feature} ${found.get(feature)} for ${value}`,
    );
  }
}

/** The categories that go left. */
function compareSets(
  model: Model,
  ours: number,
  wanted: LightgbmTree,
  theirs: number,
  at: string,
): void {
  const { trees } = model.ensemble;
  assertEquals(trees.kind[ours], NodeKind.subset, `${at}: kind`);
  const feature = model.schema.features[trees.feature[ours]];
  assert(feature.kind === "categorical");
  const set = wanted.threshold[theirs];
  const from = wanted.catBoundaries[set];
  const words = wanted.catThreshold.slice(from, wanted.catBoundaries[set + 1]);
  feature.categories.forEach((category, code) => {
    const left = ((words[code >>> 5] ?? 0) >>> (code & 31)) & 1;
    const found = (trees.categoryPool[trees.categoryAt[ours] + (code >>> 5)] >>> (code & 31)) & 1;
    assertEquals(found, left, `${at}: category ${category}`);
  });
  assertEquals(trees.missing[ours], 1, `${at}: missing`);
}
