/**
 * Hostile files must not ask for more work than their size: twice the file, about twice the steps.
 * Steps are reads of the arrays that a file was read into, counted, so that no clock is needed.
 */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { featureNames } from "../../../src/convert/common/imported.ts";
import { convertLightgbm } from "../../../src/convert/lightgbm/import.ts";
import type { LightgbmSource, LightgbmTree } from "../../../src/convert/lightgbm/text.ts";
import { fullLimits } from "../../../src/convert/common/limits.ts";
import { convertXgboost } from "../../../src/convert/xgboost/import.ts";
import type { XgboostSource } from "../../../src/convert/xgboost/source.ts";
import { TreelineError } from "../../../src/errors.ts";

const limits = fullLimits();

/** An array that counts its reads, by index or by method. */
function counted<T>(list: readonly T[], count: { steps: number }): readonly T[] {
  return new Proxy(list, {
    get(target, key) {
      if (key === "slice") {
        return (from: number, to: number) => {
          const part = target.slice(from, to);
          count.steps += part.length;
          return part;
        };
      }
      if (typeof key === "string" && /^\d+$/.test(key)) count.steps++;
      return Reflect.get(target, key);
    },
  });
}

/** Steps for a file of size n and of size 2n: the second may be little more than twice the first. */
function assertLinear(steps: (n: number) => number, n: number): void {
  const [once, twice] = [steps(n), steps(2 * n)];
  assert(once >= n, `${once} steps for ${n}: the counter counts nothing`);
  assert(twice <= 2.5 * once, `${once} steps for ${n}, ${twice} for ${2 * n}`);
}

Deno.test("featureNames() tells equal names apart in linear work", () => {
  assertEquals(featureNames(["x", "x", "x#2", "x"], 4), ["x", "x#2", "x#2#2", "x#3"]);
  assertLinear((n) => {
    // Every candidate name is looked up once: count them by the pieces of text that are made.
    const count = { steps: 0 };
    const has = Set.prototype.has;
    Set.prototype.has = function (value) {
      count.steps++;
      return has.call(this, value);
    };
    try {
      featureNames(new Array(n).fill("x"), n);
    } finally {
      Set.prototype.has = has;
    }
    return count.steps;
  }, 1000);
});

/** A chain of n categorical nodes that all name the same set of n words. */
function lightgbmChain(n: number, count: { steps: number }): LightgbmSource {
  const inner = Array.from({ length: n }, (_, i) => i);
  const words = new Array(n).fill(0);
  words[0] = 2;
  const tree: LightgbmTree = {
    numLeaves: n + 1,
    feature: new Array(n).fill(0),
    threshold: new Array(n).fill(0),
    decision: new Array(n).fill(1),
    left: inner.map((i) => i + 1 < n ? i + 1 : ~n),
    right: inner.map((i) => ~i),
    gain: [],
    leafValue: new Array(n + 1).fill(1),
    leafCount: [],
    innerCount: [],
    categoryBounds: [0, n],
    categoryWords: counted(words, count),
  };
  return {
    version: "v4",
    numClasses: 1,
    treesPerIteration: 1,
    maxFeature: 0,
    objective: "regression",
    averageOutput: false,
    featureNames: ["x"],
    featureInfos: ["0:1"],
    trees: [tree],
    parameters: new Map(),
    pandasCategorical: null,
  };
}

Deno.test("convertLightgbm() reads a set that many nodes share once, not once a node", () => {
  assertLinear((n) => {
    const count = { steps: 0 };
    convertLightgbm(lightgbmChain(n, count), limits);
    return count.steps;
  }, 500);
});

Deno.test("convertLightgbm() refuses categories beyond the limit before it names them", () => {
  const source = lightgbmChain(3, { steps: 0 });
  const error = assertThrows(
    () => convertLightgbm({ ...source, featureInfos: ["0:31999999"] }, limits),
    TreelineError,
  );
  assertEquals(error.code, "E_MODEL_LIMIT");
});

/** A chain of n categorical nodes; each lists all n categories, or its own one. */
function xgboostChain(n: number, shared: boolean, values: readonly number[]): XgboostSource {
  const nodes = Array.from({ length: n }, (_, i) => 2 * i);
  const size = 2 * n + 1;
  const left = new Array(size).fill(-1);
  const right = new Array(size).fill(-1);
  for (const node of nodes) [left[node], right[node]] = [node + 1, node + 2];
  const isSplit = left.map((child) => +(child !== -1));
  return {
    version: "3.2.0",
    format: "xgboost-ubj",
    objective: "reg:squarederror",
    numFeatures: 1,
    numClasses: 0,
    numTargets: 1,
    baseScore: [0],
    baseIsMargin: false,
    featureNames: ["x"],
    featureTypes: ["c"],
    levels: [],
    doubtfulLevels: [],
    attributes: new Map(),
    numParallelTree: 1,
    treeInfo: [0],
    trees: [{
      left,
      right,
      feature: new Array(size).fill(0),
      condition: new Array(size).fill(0.5),
      defaultLeft: new Array(size).fill(0),
      splitType: isSplit,
      categories: {
        nodes,
        segments: nodes.map((_, i) => shared ? 0 : i),
        sizes: nodes.map(() => shared ? n : 1),
        values,
      },
    }],
  };
}

Deno.test("convertXgboost() reads each listed category a fixed number of times", () => {
  assertLinear((n) => {
    const count = { steps: 0 };
    convertXgboost(xgboostChain(n, false, counted(new Array(n).fill(3), count)), limits);
    return count.steps;
  }, 500);
  const error = assertThrows(
    () => convertXgboost(xgboostChain(50, true, new Array(50).fill(3)), limits),
    TreelineError,
  );
  assertEquals(error.code, "E_CONVERT_SYNTAX");
});

Deno.test("convertXgboost() refuses categories beyond the limit before it names them", () => {
  const error = assertThrows(
    () => convertXgboost(xgboostChain(1, false, [2 ** 24 - 1]), limits),
    TreelineError,
  );
  assertEquals(error.code, "E_MODEL_LIMIT");
});
