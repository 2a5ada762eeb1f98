/**
 * Monotone constraints on finished models: every pair of leaves is compared by the boxes of rows that
 * reach them, which is slow and shares no thought with `prove_monotone.ts`.
 *
 * @module
 */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { continueBoost } from "../../../src/algorithms/update/continue.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { proveMonotone } from "../../../src/ensemble/boosting/prove_monotone.ts";
import { ParameterError, TrainingError } from "../../../src/errors.ts";
import type { Model } from "../../../src/model/model.ts";
import { type Ensemble, NodeKind } from "../../../src/model/types.ts";
import { createRng } from "../../../src/util/rng.ts";

const UP = 0; // increasing
const DOWN = 1; // decreasing

/** Numbers with gaps, and a category; the target goes against the constraints in places. */
function table(numRows: number, seed: number, gaps = true): Dataset {
  const rng = createRng(seed);
  const number = (name: string) => ({
    kind: "numeric" as const,
    name,
    values: Float64Array.from(
      { length: numRows },
      () => gaps && rng.nextInt(8) === 0 ? NaN : rng.nextInt(30),
    ),
  });
  const up = number("up");
  const down = number("down");
  const free = number("free");
  const codes = Int32Array.from({ length: numRows }, () => rng.nextInt(7) - 1);
  const values = Float64Array.from(codes, (code, row) => {
    const [u, d, f] = [up, down, free].map(({ values }) => values[row] || 0);
    return 0.2 * u + 6 * Math.sin(u / 3) - 0.1 * d * (f > 12 ? 1 : -1) + code + 4 * rng.nextFloat();
  });
  return {
    numRows,
    features: [up, down, free, {
      kind: "categorical",
      name: "c",
      codes,
      categories: ["p", "q", "r", "s", "t", "u"],
    }],
    target: { kind: "regression", name: "y", values },
  };
}

const DATA = table(400, 3);

/** Rows that reach a leaf: of numbers an interval ]low, high] and whether missing; of codes a set. */
interface Box {
  readonly low: number[];
  readonly high: number[];
  readonly missing: boolean[];
  readonly codes: number;
  readonly value: number;
}

function boxesOf({ trees }: Ensemble, tree: number): Box[] {
  const boxes: Box[] = [];
  const walk = (node: number, box: Omit<Box, "value">): void => {
    const first = trees.firstChild[node];
    if (first < 0) {
      boxes.push({ ...box, value: trees.leaf[node] });
      return;
    }
    const f = trees.feature[node];
    for (const side of [0, 1]) {
      if (trees.kind[node] === NodeKind.threshold) {
        const t = trees.threshold[node];
        walk(first + side, {
          ...box,
          low: side === 0 ? box.low : box.low.with(f, Math.max(box.low[f], t)),
          high: side === 1 ? box.high : box.high.with(f, Math.min(box.high[f], t)),
          missing: box.missing.with(f, box.missing[f] && trees.missing[node] === side),
        });
      } else {
        const set = trees.categoryPool[trees.categoryAt[node]] & 127;
        walk(first + side, { ...box, codes: box.codes & (side === 0 ? set : ~set & 127) });
      }
    }
  };
  walk(trees.treeStart[tree], {
    low: [-Infinity, -Infinity, -Infinity],
    high: [Infinity, Infinity, Infinity],
    missing: [true, true, true],
    codes: 127,
  });
  return boxes;
}

/** Whether a row of the one and a row of the other may differ in feature `f` only, the first lower. */
function comparable(a: Box, b: Box, f: number): boolean {
  const meets = (g: number) =>
    Math.max(a.low[g], b.low[g]) < Math.min(a.high[g], b.high[g]) ||
    (a.missing[g] && b.missing[g]);
  const others = [0, 1, 2].every((g) => g === f || meets(g));
  const present = a.low[f] < a.high[f] && b.low[f] < b.high[f];
  return others && present && (a.codes & b.codes) !== 0 && a.low[f] < b.high[f];
}

/** Pairs that were compared, and how many of them are out of order. */
function compareLeaves({ ensemble }: Model): { pairs: number; wrong: number } {
  let pairs = 0;
  let wrong = 0;
  for (let t = 0; t < ensemble.treeWeight.length; t++) {
    const boxes = boxesOf(ensemble, t);
    for (const a of boxes) {
      for (const b of boxes) {
        for (const [feature, direction] of [[UP, 1], [DOWN, -1]]) {
          if (a === b || !comparable(a, b, feature) || a.low[feature] >= b.low[feature]) continue;
          pairs++;
          if (direction * (b.value - a.value) < 0) wrong++;
        }
      }
    }
  }
  return { pairs, wrong };
}

const MONOTONE = { up: "increasing", down: -1 } as const;
const CASES: { readonly [what: string]: { readonly [param: string]: unknown } } = {
  "level by level": {},
  "leaf by leaf": { growth: "leaf", maxLeaves: 20, maxDepth: 0 },
  "a committee": { committee: 3 },
  "DART": { dropRate: 0.4, oneDrop: true },
  "drawn rows and columns": { sampling: "bootstrap", subsample: 0.7, featuresPerNode: 0.6 },
  "parallel trees": { parallelTrees: 2, subsample: 0.6 },
  "leaves that the loss sets": { loss: "quantile", quantiles: [0.2, 0.8] },
  "smoothed leaves that the loss sets": { loss: "absolute", pathSmooth: 20 },
  "penalties, bounds, smoothing": { alpha: 1, maxDeltaStep: 0.5, pathSmooth: 5, lambda: 0.1 },
  "removed splits": { gamma: 2, postPrune: true },
};

for (const [what, params] of Object.entries(CASES)) {
  Deno.test(`monotone models keep the order of every pair of leaves: ${what}`, async () => {
    const given = { rounds: 8, minRowsPerLeaf: 3, lambda: 0.1, ...params };
    const model = await trainBoost(DATA, { ...given, monotone: MONOTONE }, { threads: 1 });
    const { pairs, wrong } = compareLeaves(model);
    assert(pairs > 100, `${pairs}`);
    assertEquals(wrong, 0);
    // Without constraints the same data go against the order, and the proof finds it.
    const free = await trainBoost(DATA, given, { threads: 1 });
    assert(compareLeaves(free).wrong > 0);
    assertThrows(() => proveMonotone(free.ensemble, [1, -1, 0, 0]), TrainingError, "out of order");
  });
}

for (const monotoneMethod of ["basic", "intermediate", "advanced"] as const) {
  Deno.test(`monotone models by LightGBM's ${monotoneMethod} bounds keep every order, gaps included`, async () => {
    // Of tables 6 and 8 leaves would be out of order that only missing values reach together.
    // Without gaps, the last bin bounds what lies above (tables 0 and 22).
    const tables = [[3, 2], [6, 0], [8, 0]].map(([seed, smooth]) =>
      [table(400, seed), smooth] as const
    );
    for (const seed of [0, 22]) tables.push([table(400, seed, false), 0]);
    for (const [data, pathSmooth] of tables) {
      const given = { preset: "lightgbm@4", rounds: 6, minRowsPerLeaf: 3, pathSmooth };
      const model = await trainBoost(data, {
        ...given,
        monotone: MONOTONE,
        monotoneRules: "sound",
        monotoneMethod,
      });
      const { pairs, wrong } = compareLeaves(model);
      assert(pairs > 100, `${pairs}`);
      assertEquals(wrong, 0);
      const free = await trainBoost(data, given);
      assert(compareLeaves(free).wrong > 0);
    }
  });
}

Deno.test("bounds by neighbours leave leaves apart that bounds by the middle keep in order", async () => {
  const given = { preset: "lightgbm@4", rounds: 1, minRowsPerLeaf: 3, monotone: MONOTONE };
  // Leaves that no two such rows reach may be in any order: the proof must compare boxes.
  const isOut = async (monotoneMethod: "basic" | "advanced") => {
    const { ensemble: { trees } } = await trainBoost(DATA, {
      ...given,
      monotoneRules: "sound",
      monotoneMethod,
    });
    const leavesOf = (node: number): number[] =>
      trees.firstChild[node] < 0
        ? [trees.leaf[node]]
        : [0, 1].flatMap((side) => leavesOf(trees.firstChild[node] + side));
    return trees.feature.some((feature, node) => {
      if (trees.firstChild[node] < 0 || feature !== UP) return false;
      const low = leavesOf(trees.firstChild[node]);
      return Math.max(...low) > Math.min(...leavesOf(trees.firstChild[node] + 1));
    });
  };
  assertEquals(await isOut("basic"), false);
  assertEquals(await isOut("advanced"), true);
});

Deno.test("monotone as a list is the same as by name, and is refused with another length", async () => {
  const given = { rounds: 2, minRowsPerLeaf: 3, committee: 1 };
  const byName = await trainBoost(DATA, { ...given, monotone: MONOTONE });
  for (const monotone of [[1, -1, 0, 0], "(1,-1,0,0)"]) {
    const listed = await trainBoost(DATA, { ...given, monotone_constraints: monotone });
    assertEquals(listed.ensemble, byName.ensemble);
    const longer = await continueBoost(listed, DATA, { rounds: 1 });
    assertEquals(compareLeaves(longer).wrong, 0);
  }
  const error = await assertRejects(
    () => trainBoost(DATA, { ...given, monotone: [1, -1, 0] }),
    ParameterError,
    "list of 3: expected one number for each of the 4 features (up, down, free, c)",
  );
  assertEquals(error.code, "E_PARAM_RANGE");
  await assertRejects(
    () => trainBoost(DATA, { ...given, monotone: [1, -1, 0, 1] }),
    ParameterError,
    "its categories have no order",
  );
});

Deno.test("a method of bounds that the loop does not have is refused, with what stands in the way", async () => {
  for (
    const [params, param, what] of [
      [{ monotoneMethod: "advanced" }, "monotoneMethod", `preset "lightgbm@4"`],
      [{ monotonePenalty: 1 }, "monotonePenalty", `treeMethod "hist"`],
      [
        { preset: "lightgbm@4", monotoneMethod: "intermediate", subsample: 0.5 },
        "monotoneMethod",
        "does not do subsample",
      ],
    ] as const
  ) {
    const error = await assertRejects(
      () => trainBoost(DATA, { rounds: 1, monotone: MONOTONE, ...params }),
      ParameterError,
      what,
    );
    assertEquals([error.code, error.details.param], ["E_PARAM_CONFLICT", param]);
  }
  const alone = await assertRejects(
    () => trainBoost(DATA, { preset: "lightgbm@4", monotoneMethod: "advanced" }),
    ParameterError,
  );
  assertEquals(alone.code, "E_PARAM_CONFLICT");
});

Deno.test("monotone models of the exact method keep the order of every pair of leaves", async () => {
  const data = { ...DATA, features: DATA.features.slice(0, 3) };
  const given = {
    preset: "xgboost@2",
    treeMethod: "exact",
    rounds: 8,
    monotone: MONOTONE,
  } as const;
  const { pairs, wrong } = compareLeaves(await trainBoost(data, given));
  assert(pairs > 100);
  assertEquals(wrong, 0);
  const error = await assertRejects(
    () => trainBoost(data, { ...given, loss: "absolute" }),
    ParameterError,
  );
  assertEquals(error.code, "E_PARAM_CONFLICT");
});

Deno.test("continueBoost() keeps the order, and refuses one that the model's trees do not have", async () => {
  const params = { rounds: 4, minRowsPerLeaf: 3 };
  const free = await trainBoost(DATA, params);
  const error = await assertRejects(
    () => continueBoost(free, DATA, { rounds: 2, monotone: MONOTONE }),
    ParameterError,
    "do not keep it",
  );
  assertEquals([error.code, error.details.param], ["E_PARAM_CONFLICT", "monotone"]);
  const model = await trainBoost(DATA, { ...params, monotone: MONOTONE });
  const more = await continueBoost(model, DATA, { rounds: 4 });
  assertEquals([more.numRounds, compareLeaves(more).wrong], [8, 0]);
});

Deno.test("missing values may lie on the wrong side of all numbers, which XGBoost allows too", async () => {
  // Six rows each of missing, 0, 1 and 2; their labels one by one, with the order turned about.
  const x = Float64Array.from({ length: 24 }, (_, row) => row % 4 === 0 ? NaN : row % 4 - 1);
  for (const way of [1, -1]) {
    for (const beyond of [-9, 0.5, 9]) {
      const labelOf = (value: number) => Number.isNaN(value) ? beyond : way * value;
      const model = await trainBoost({
        numRows: 24,
        features: [{ kind: "numeric", name: "x", values: x }],
        target: { kind: "regression", name: "y", values: x.map(labelOf) },
      }, {
        preset: "treeline-lean@1",
        rounds: 1,
        learningRate: 1,
        lambda: 0,
        maxDepth: 3,
        monotone: { x: way },
      });
      const rows = [NaN, 0, 1, 2].map((value) => ({ x: value }));
      assertEquals([...model.predictValue(rows)], rows.map((row) => labelOf(row.x)));
      // Numbers that no row has had follow their neighbours, not the missing ones.
      assertEquals([...model.predictValue([{ x: -1e9 }, { x: 1e9 }])], [0, 2 * way]);
    }
  }
});

Deno.test("monotone of three classes is told to be one of raw scores, not of probabilities", async () => {
  const { target, ...rest } = DATA;
  assert(target?.kind === "regression");
  for (const numClasses of [2, 3]) {
    const codes = Int32Array.from(
      target.values,
      (y) => Math.min(numClasses - 1, y < 4 ? 0 : y < 9 ? 1 : 2),
    );
    const classes = ["low", "middle", "high"].slice(0, numClasses);
    const data = {
      ...rest,
      target: { kind: "classification" as const, name: "y", codes, classes },
    };
    const warnings: string[] = [];
    const given = { rounds: 8, committee: 1, monotone: { up: 1 } };
    const model = await trainBoost(data, given, { threads: 1, onWarning: (w) => warnings.push(w) });
    assertEquals(
      warnings.map((text) => text.slice(0, 33)),
      numClasses === 2 ? [] : [
        "monotone orders the raw score of ",
      ],
    );
    const rows = Array.from({ length: 30 }, (_, up) => ({ up, down: 3, free: 4, c: "q" }));
    const falls = (scores: ArrayLike<number>, cols: number) =>
      Array.from(scores).some((score, i) => i >= cols && score < scores[i - cols]);
    assertEquals(falls(model.predictRaw(rows).data, model.numOutputs), false);
    // One class rises only where another one falls.
    assertEquals(falls(model.predictValue(rows), model.numOutputs), numClasses > 2);
    const free = await trainBoost(data, { ...given, monotone: { up: 0 } }, {
      threads: 1,
      onWarning: (text) => warnings.push(text),
    });
    assertEquals([free.numOutputs, warnings.length], [model.numOutputs, numClasses - 2]);
  }
});
