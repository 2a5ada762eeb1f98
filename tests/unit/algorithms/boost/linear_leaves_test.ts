import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { continueBoost } from "../../../../src/algorithms/update/continue.ts";
import { keepRounds } from "../../../../src/algorithms/update/keep_rounds.ts";
import { refitBoost } from "../../../../src/algorithms/update/refit.ts";
import { createDataset } from "../../../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { ParameterError } from "../../../../src/errors.ts";
import { decodeModel, encodeModel } from "../../../../src/format/binary.ts";
import { explainShap } from "../../../../src/explain/tree_shap.ts";
import type { ParamInput } from "../../../../src/params/types.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** A plane with a kink, a category and some missing values; float32 holds the numbers. */
function plane(numRows = 400): Dataset {
  const rng = createRng(11);
  const draw = () => Float64Array.from({ length: numRows }, () => Math.fround(rng.nextFloat() * 8));
  const [a, b] = [draw(), draw()];
  const codes = Int32Array.from(a, () => Math.floor(rng.nextFloat() * 3));
  for (let i = 0; i < numRows; i += 9) b[i] = NaN;
  const y = a.map((x, i) => (x > 4 ? 3 * x : -x) + 2 * (b[i] || 0) + codes[i]);
  return createDataset([
    { kind: "numeric", name: "a", values: a },
    { kind: "numeric", name: "b", values: b },
    { kind: "categorical", name: "c", codes, categories: ["u", "v", "w"] },
  ], { kind: "regression", name: "y", values: y });
}

const METHODS = ["lightgbm", "hist"] as const;

const paramsOf = (treeMethod: "lightgbm" | "hist") => ({
  preset: treeMethod === "lightgbm" ? "lightgbm@4" : "treeline-lean@1",
  treeMethod,
  linearTree: true,
  linearLambda: 0.1,
  learningRate: 0.3,
  rounds: 12,
});

for (const method of METHODS) {
  const params = paramsOf(method);

  Deno.test(`linear leaves (${method}) learn a plane with fewer rounds than constants`, async () => {
    const data = plane();
    const error = async (given: object) => {
      let last = NaN;
      await trainBoost(data, { ...given, metrics: ["mse"], trainMetrics: true }, {
        onRound: ({ metrics }) => last = metrics.train.mse,
      });
      return last;
    };
    const { linearTree: _, linearLambda: __, ...constants } = params;
    assert(await error(params) < 0.8 * await error(constants));
  });

  Deno.test(`linear leaves (${method}): scores of training are those of the stored model`, async () => {
    const data = plane();
    const seen: number[] = [];
    const model = await trainBoost(data, { ...params, metrics: ["mse"] }, {
      valid: data,
      onRound: ({ metrics }) => seen.push(metrics.valid.mse),
    });
    const stored = decodeModel(encodeModel(model));
    assert(stored.ensemble.linear !== undefined);
    const target = data.target!;
    assert(target.kind === "regression");
    for (const rounds of [1, 5, 12]) {
      const raw = stored.predictRaw(data, { rounds }).data;
      const mse = raw.reduce((sum, f, i) => sum + (f - target.values[i]) ** 2, 0) / raw.length;
      assert(Math.abs(mse - seen[rounds - 1]) < 1e-12 * mse, `${mse} for ${seen[rounds - 1]}`);
      assertEquals(keepRounds(stored, rounds).predictRaw(data).data, raw);
    }
  });

  Deno.test(`linear leaves (${method}): an interrupted run ends in the same bytes`, async () => {
    const data = plane();
    const saved: Uint8Array[] = [];
    const whole = await trainBoost(data, params, {
      checkpoint: { every: 5, save: (bytes) => void saved.push(bytes) },
    });
    const again = await trainBoost(data, params, { resume: saved[1] });
    assertEquals(encodeModel(again), encodeModel(whole));
  });

  Deno.test(`linear leaves (${method}): continuation is one run of all rounds`, async () => {
    const data = plane();
    const whole = await trainBoost(data, params);
    const first = await trainBoost(data, { ...params, rounds: 5 });
    const { ensemble } = await continueBoost(first, data, { rounds: 7 });
    assertEquals(ensemble.linear, whole.ensemble.linear);
    assertEquals(ensemble.trees, whole.ensemble.trees);
    // Linear rounds are added to constant ones.
    const { linearTree: _, linearLambda: __, ...constants } = params;
    const mixed = await continueBoost(await trainBoost(data, constants), data, {
      rounds: 3,
      linearTree: true,
    });
    const at = mixed.ensemble.trees.treeStart[12];
    assertEquals(mixed.ensemble.linear!.termStart[at], 0);
    assert(mixed.ensemble.linear!.termFeature.length > 0);
    // The first run's parameters say nothing of linear leaves.
    assertThrows(() => refitBoost(mixed, data), ParameterError, "linearTree");
  });

  Deno.test(`linear leaves (${method}) refuse refit and SHAP values`, async () => {
    const data = plane();
    const model = await trainBoost(data, { ...params, rounds: 3 });
    const refused = assertThrows(() => refitBoost(model, data), ParameterError);
    assertEquals(refused.details.param, "linearTree");
    assertThrows(() => explainShap(model, data), Error, "linear models");
  });
}

Deno.test("linearTree refuses by name what linear leaves would not keep", async () => {
  const data = plane(60);
  for (
    const [given, what] of [
      [{ monotone: { a: 1 } }, "monotone"],
      [{ maxDeltaStep: 1 }, "maxDeltaStep"],
      [{ loss: "absolute" }, "absolute"],
      [{ loss: "quantile" }, "quantile"],
      [{ treeMethod: "exact" }, "exact"],
    ] as const
  ) {
    for (const preset of ["lightgbm@4", "treeline-lean@1", "xgboost@2"]) {
      const error = await assertRejects(
        () => trainBoost(data, { preset, linear_tree: true, rounds: 2, ...given }),
        ParameterError,
        what,
      );
      assertEquals([error.code, error.details.param], ["E_PARAM_CONFLICT", "linearTree"], what);
    }
  }
  // A feature that may go either way is no constraint.
  await trainBoost(data, { preset: "lightgbm@4", linearTree: true, monotone: { a: 0 }, rounds: 2 });
  const idle = await assertRejects(
    () => trainBoost(data, { linear_lambda: 1 }),
    ParameterError,
    "linearTree",
  );
  assertEquals(idle.details.param, "linearLambda");
});

const RUNS: { readonly [name: string]: ParamInput } = {
  "a committee": { preset: "treeline@1", rounds: 8, committee: 3 },
  DART: { dropRate: 0.4, rounds: 10 },
  "drawn rows and columns": { subsample: 0.6, featuresPerTree: 0.7 },
  GOSS: { sampling: "goss", learningRate: 0.5 },
  bootstrap: { sampling: "bootstrap", subsample: 0.9 },
  "parallel trees": { parallelTrees: 2 },
  "leaf-wise, pruned": { growth: "leaf", postPrune: true, gamma: 30 },
  "weights": {},
  "preset xgboost@2": { preset: "xgboost@2" },
  "preset lightgbm@4, drawn rows": { preset: "lightgbm@4", subsample: 0.6, learningRate: 0.3 },
};

for (const [name, params] of Object.entries(RUNS)) {
  Deno.test(`linear leaves: ${name}: threads, interruption and stored scores agree`, async () => {
    const plain = plane(300);
    const data = name === "weights"
      ? { ...plain, sampleWeight: Float64Array.from({ length: 300 }, (_, i) => 1 + i % 3) }
      : plain;
    const given = {
      preset: "treeline-lean@1",
      linearTree: true,
      linearLambda: 0.01,
      rounds: 8,
      metrics: ["mse"],
      seed: 5,
      ...params,
    };
    const saved: Uint8Array[] = [];
    const seen: number[] = [];
    const whole = await trainBoost(data, given, {
      valid: plain,
      threads: 1,
      checkpoint: { every: 3, save: (bytes) => void saved.push(bytes) },
      onRound: ({ metrics }) => seen.push(metrics.valid.mse),
    });
    assert(whole.ensemble.linear!.termFeature.length > 20);
    const wanted = encodeModel(whole);
    const two = await trainBoost(data, given, { valid: plain, threads: 2 });
    assertEquals(encodeModel(two), wanted);
    const again = await trainBoost(data, given, { valid: plain, threads: 1, resume: saved[0] });
    assertEquals(encodeModel(again), wanted);
    const { values } = plain.target as { readonly values: Float64Array };
    for (const rounds of [2, whole.numRounds]) {
      const prefix = keepRounds(whole, rounds);
      const raw = prefix.predictRaw(plain).data;
      const mse = raw.reduce((sum, f, i) => sum + (f - values[i]) ** 2, 0) / raw.length;
      const told = seen[rounds - 1];
      // The two add the same numbers up in another order.
      assert(Math.abs(mse - told) < 1e-11 * mse, `${rounds} rounds: ${mse} for ${told}`);
    }
  });
}

Deno.test("linear leaves on histograms: two classes and three", async () => {
  const data = plane(300);
  const { values } = data.target as { readonly values: Float64Array };
  for (const cuts of [[10], [6, 14]]) {
    const codes = Int32Array.from(values, (y) => cuts.filter((cut) => y > cut).length);
    const classes = ["a", "b", "c"].slice(0, cuts.length + 1);
    const set: Dataset = { ...data, target: { kind: "classification", name: "y", codes, classes } };
    const loss = async (params: object) => {
      let last = NaN;
      await trainBoost(set, {
        preset: "treeline-lean@1",
        rounds: 15,
        learningRate: 0.3,
        maxDepth: 2,
        subsample: 1,
        metrics: ["logLoss"],
        ...params,
      }, { valid: set, onRound: ({ metrics }) => last = metrics.valid.logLoss });
      return last;
    };
    const linear = await loss({ linearTree: true, linearLambda: 0.1 });
    const constant = await loss({});
    assert(linear < 0.9 * constant, `${linear} for ${constant}`);
  }
});

/** Solves A x = b by Gauss and Jordan, without choosing pivots: A is positive definite. */
function gauss(matrix: number[][], right: number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i]]);
  rows.forEach((pivot, k) => {
    const scale = pivot[k];
    pivot.forEach((value, j) => pivot[j] = value / scale);
    rows.forEach((row, i) => {
      if (i === k) return;
      const factor = row[k];
      row.forEach((value, j) => row[j] = value - factor * pivot[j]);
    });
  });
  return rows.map((row) => row.at(-1)!);
}

Deno.test("linear leaves on histograms are ridge regressions of what the rounds before leave", async () => {
  const data = plane(300);
  const lambda = 0.7;
  const rate = 0.3;
  const model = await trainBoost(data, {
    preset: "treeline-lean@1",
    linearTree: true,
    linearLambda: lambda,
    learningRate: rate,
    rounds: 4,
    maxDepth: 3,
    subsample: 1,
  });
  const { trees, linear } = model.ensemble;
  const { values: y } = data.target as { readonly values: Float64Array };
  const columns = data.features.map((one) => one.kind === "numeric" ? one.values : undefined);
  const leaves = model.predictLeaf(data);
  let compared = 0;
  for (let t = 1; t < 4; t++) {
    const before = model.predictRaw(data, { rounds: t }).data;
    const visit = (node: number, path: readonly number[]): void => {
      const child = trees.firstChild[node];
      if (child >= 0) {
        const next = [...new Set([...path, trees.feature[node]])];
        return [child, child + 1].forEach((one) => visit(one, next));
      }
      const features = path.filter((f) => columns[f] !== undefined).sort();
      const [from, to] = [linear!.termStart[node], linear!.termStart[node + 1]];
      if (features.length === 0) return assertEquals(from, to);
      assertEquals([...linear!.termFeature.slice(from, to)], features);
      const rows = Array.from(y, (_, row) => row).filter((row) =>
        trees.treeStart[t] + leaves.data[row * leaves.cols + t] === node &&
        features.every((f) => !Number.isNaN(columns[f]![row]))
      );
      const x = rows.map((row) => [...features.map((f) => columns[f]![row]), 1]);
      const size = features.length + 1;
      const sum = (of: (i: number) => number) => rows.reduce((total, _, i) => total + of(i), 0);
      const all = Array.from({ length: size }, (_, i) => i);
      const wanted = gauss(
        all.map((a) =>
          all.map((b) => sum((i) => x[i][a] * x[i][b]) + (a === b && a < size - 1 ? lambda : 0))
        ),
        all.map((a) => sum((i) => x[i][a] * (y[rows[i]] - before[rows[i]]))),
      );
      const found = [...linear!.termCoefficient.slice(from, to), linear!.constant[node]];
      found.forEach((value, i) => {
        const limit = 1e-9 * Math.max(1, Math.abs(wanted[i])); // conditions below 1e5
        assert(Math.abs(value - rate * wanted[i]) < limit, `${t} ${node} ${i}: ${value}`);
        compared++;
      });
    };
    visit(trees.treeStart[t], []);
  }
  assert(compared > 40);
});

Deno.test("linear leaves by LightGBM's method tell columns that float32 holds coarsely", async () => {
  const data = plane(200);
  const moved = data.features.map((column) =>
    column.kind === "numeric" && column.name === "a"
      ? { ...column, values: column.values.map((value) => 1.6e9 + value) }
      : column
  );
  for (const [method, count] of [["lightgbm", 1], ["hist", 0]] as const) {
    const warnings: string[] = [];
    await trainBoost({ ...data, features: moved }, { ...paramsOf(method), rounds: 2 }, {
      onWarning: (message) => warnings.push(message),
    });
    const told = warnings.filter((message) => message.includes("float32"));
    assertEquals(told.length, count);
    assert(told.every((message) => message.includes('"a"') && !message.includes('"b"')));
  }
});

Deno.test("linear leaves of rounds after the best one weigh nothing where they are infinite", async () => {
  const x = Float64Array.from({ length: 60 }, (_, i) => i % 20);
  const table = (of: (x: number) => number) =>
    createDataset(
      [{ kind: "numeric", name: "x", values: x }],
      { kind: "regression", name: "y", values: x.map(of) },
    );
  const params = {
    linearTree: true,
    keepAll: true,
    rounds: 30,
    earlyStoppingRounds: 5,
    committee: 1,
  };
  // Rows to be judged by that the first round, which finds the level, suits best.
  const model = await trainBoost(table((v) => 2 * v), params, { valid: table(() => 19) });
  assertEquals([model.info.best!.round, model.numRounds], [1, 6]);
  for (const value of [Infinity, -Infinity, 1e308]) {
    const [found] = model.predictValue({ x: value });
    assertEquals([found], [...keepRounds(model).predictValue({ x: value })]);
    assert(Number.isFinite(found));
  }
});

Deno.test("linear leaves of a plane are not steep", async () => {
  const told: string[] = [];
  const onWarning = (message: string) => told.push(message);
  for (const method of METHODS) await trainBoost(plane(), paramsOf(method), { onWarning });
  assertEquals(told, []);
});

Deno.test("values of rows of weight 0 do not decide which terms linear leaves on histograms have", async () => {
  const { features: [a, ...others], target, numRows } = plane();
  const weight = Float64Array.from({ length: numRows }, (_, row) => row === 5 ? 0 : 1);
  const trained = async (value: number) => {
    const values = Float64Array.from((a as { values: Float64Array }).values).fill(value, 5, 6);
    const data = createDataset([{ ...a, values } as typeof a, ...others], target, weight);
    return (await trainBoost(data, paramsOf("hist"))).ensemble;
  };
  const { linear, trees } = await trained(3);
  assert(linear!.termFeature.includes(0));
  // Beside a range of 10¹² the numbers of the other rows would be alike.
  const far = await trained(1e12);
  assertEquals([far.linear, far.trees.leaf], [linear, trees.leaf]);
});
