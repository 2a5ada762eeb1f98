/**
 * Gradient boosting on binned data: gradients, one tree for each output, scores, until the rounds
 * are done or early stopping finds no improvement. Friedman 2001; Chen & Guestrin, KDD 2016.
 *
 * @module
 */
import { labelsOf } from "../data/target.ts";
import type { Dataset, Labels } from "../data/types.ts";
import { ParameterError, TrainingError } from "../errors.ts";
import { createColumnSampler } from "../grow/column_sampler.ts";
import { interactionRule } from "../grow/constraints.ts";
import { Op } from "../grow/hist_ops.ts";
import { toBuilder } from "../grow/hist_tree.ts";
import { bootstrapRows, gossRows, type RowSampler, subsampleRows } from "../grow/row_sampler.ts";
import { predictionsOf } from "../metric/response.ts";
import { packTrees, type TreeBuilder } from "../model/trees.ts";
import type { Ensemble } from "../model/types.ts";
import { forkRng } from "../util/rng.ts";
import { createJudge } from "./early_stopping.ts";
import { type Engine, type EngineOptions, openEngine } from "./engine.ts";
import { growTree } from "./grow_tree.ts";
import type { BoostPlan, TrainedEnsemble } from "./plan.ts";
import type { RoundReport, TrainOptions } from "./types.ts";

/** A set of rows whose scores follow the trees. */
interface Watched {
  readonly name: string;
  readonly labels: Labels;
  /** Its number in the engine: 0 is the training set. */
  readonly set: number;
}

/** Streams of random numbers: round, then what for. */
const STREAM = { rows: 1, columns: 2, dither: 3 } as const;

/**
 * Boosts trees on binned features.
 *
 * @returns The best prefix where the plan stops early, else all rounds.
 * @throws {TrainingError} `E_TRAIN_NUMERIC` at a gradient that is not finite; `E_TRAIN_ABORTED`,
 * whose `details.best` is the {@linkcode TrainedEnsemble} so far.
 */
export async function boost(
  data: Dataset,
  plan: BoostPlan,
  options: EngineOptions = {},
): Promise<TrainedEnsemble> {
  checkPlan(plan);
  const { loss } = plan;
  const labels = labelsOf(data);
  const base = Float64Array.from(plan.baseScore ?? loss.baseScore(labels));
  const valid = Object.entries(validSets(options.valid));
  const watched: Watched[] = valid.map(([name, set], i) => ({
    name,
    labels: labelsOf(set),
    set: i + 1,
  }));
  if (plan.trainMetrics === true) watched.unshift({ name: "train", labels, set: 0 });
  const judge = createJudge(plan.earlyStopping, watched.map(({ name }) => name));
  const engine = await openEngine(data, labels, valid.map(([, set]) => set), plan, options);
  try {
    [data, ...valid.map(([, set]) => set)].forEach((set, i) => startScores(engine, i, set, base));
    const builders: TreeBuilder[] = [];
    const history: RoundReport[] = [];
    const began = performance.now();
    const pause = createPause();
    const trained = (): TrainedEnsemble => {
      const best = judge?.best;
      const keep = best === undefined || plan.earlyStopping?.keepAll === true
        ? builders
        : builders.slice(0, best.round * treesPerRound(plan));
      return {
        ensemble: joinTrees(keep, plan, base),
        missingLearnt: engine.bins.map(({ hasMissing }) => hasMissing),
        history,
        ...(best === undefined ? {} : { best }),
      };
    };
    for (let round = 1; round <= plan.rounds; round++) {
      await pause();
      if (options.signal?.aborted === true) {
        throw new TrainingError(
          "E_TRAIN_ABORTED",
          `Training stopped after ${round - 1} of ${plan.rounds} rounds`,
          { details: { rounds: round - 1, best: trained() }, cause: options.signal.reason },
        );
      }
      runRound(engine, plan, labels, round, builders);
      const report: RoundReport = {
        round,
        rounds: plan.rounds,
        metrics: measureSets(engine, plan, watched),
        seconds: (performance.now() - began) / 1000,
      };
      history.push(report);
      options.onRound?.(report);
      if (judge?.stopsAfter(report) === true) break;
    }
    return trained();
  } finally {
    engine.close();
  }
}

function checkPlan(plan: BoostPlan): void {
  if (plan.dart !== undefined || plan.init !== undefined || plan.resume !== undefined) {
    throw new ParameterError("E_PARAM_CONFLICT", "Cannot use dropRate or continuation yet");
  }
}

function validSets(valid: TrainOptions["valid"]): { readonly [name: string]: Dataset } {
  if (valid === undefined) return {};
  return typeof (valid as Dataset).numRows === "number" && Array.isArray(valid.features)
    ? { valid: valid as Dataset }
    : valid as { readonly [name: string]: Dataset };
}

function treesPerRound(plan: BoostPlan): number {
  return plan.loss.numOutputs * (plan.parallelTrees ?? 1);
}

/** Lets timers and signals be heard, at most every 50 ms. */
function createPause(): () => Promise<void> | void {
  let last = performance.now();
  return () => {
    if (performance.now() - last < 50) return;
    last = performance.now();
    return new Promise((resolve) => setTimeout(resolve, 0));
  };
}

/** Base score plus each row's offset. */
function startScores(engine: Engine, set: number, data: Dataset, base: Float64Array): void {
  const raw = engine.raw(set);
  const { numRows, offset } = data;
  const numOutputs = base.length;
  for (let k = 0; k < numOutputs; k++) {
    for (let row = 0; row < numRows; row++) {
      raw[k * numRows + row] = base[k] + (offset?.[row * numOutputs + k] ?? 0);
    }
  }
}

/** Adds one round's trees to the scores and to `builders`. */
function runRound(
  engine: Engine,
  plan: BoostPlan,
  labels: Labels,
  round: number,
  builders: TreeBuilder[],
): void {
  const { numOutputs } = plan.loss;
  const parallel = plan.parallelTrees ?? 1;
  computeGradients(engine, plan, labels);
  const kept = parallel > 1
    ? {
      gradient: engine.gradient().slice(),
      hessian: engine.hessian().slice(),
    }
    : undefined;
  for (let p = 0; p < parallel; p++) {
    if (p > 0) {
      engine.gradient().set(kept!.gradient);
      engine.hessian().set(kept!.hessian);
    }
    sampleRows(engine, plan, round, p);
    for (let output = 0; output < numOutputs; output++) {
      const tree = p * numOutputs + output;
      const rng = forkRng(plan.seed, round, STREAM.columns, tree);
      const { bins } = engine;
      const rule = plan.interactions;
      const features = createColumnSampler(
        bins.length,
        {
          perTree: plan.featuresPerTree ?? 1,
          perLevel: plan.featuresPerLevel ?? 1,
          perNode: plan.featuresPerNode ?? 1,
          ...(plan.featureWeights === undefined ? {} : { weights: plan.featureWeights }),
        },
        rule === undefined ? undefined : interactionRule(rule, bins.length),
        rng,
      );
      const { tree: grown, facts } = growTree(engine, plan, labels, {
        round,
        output,
        dither: forkRng(plan.seed, round, STREAM.dither, tree).nextUint32(),
        features,
        rate: plan.learningRate / parallel,
      });
      builders.push(toBuilder(grown, bins, facts));
    }
  }
}

/** Gradients of all outputs, times the sample weights. */
function computeGradients(engine: Engine, plan: BoostPlan, labels: Labels): void {
  const { team } = engine;
  if (plan.loss.kernel !== undefined) {
    team.run(Op.gradients);
    return;
  }
  const numRows = labels.values.length;
  const gradient = engine.gradient();
  const hessian = engine.hessian();
  plan.loss.gradients(labels, engine.raw(0), gradient, hessian, 0, numRows);
  const weight = plan.loss.weighted === true ? undefined : labels.weight;
  if (weight === undefined) return;
  for (let k = 0; k < plan.loss.numOutputs; k++) {
    for (let row = 0; row < numRows; row++) {
      gradient[k * numRows + row] *= weight[row];
      hessian[k * numRows + row] *= weight[row];
    }
  }
}

/** Draws the rows of a round, and multiplies their gradients by what the draw says. */
function sampleRows(engine: Engine, plan: BoostPlan, round: number, parallel: number): void {
  const { layout, memory } = engine.team.context;
  if (layout.factor === 0) return;
  const { numRows } = layout.sets[0].rows;
  const factor = memory.f64.subarray(layout.factor >>> 3, (layout.factor >>> 3) + numRows);
  const sampler = rowSampler(engine, plan, round);
  if (sampler === undefined) factor.fill(1);
  else sampler(factor, forkRng(plan.seed, round, STREAM.rows, parallel));
  for (let row = 0; row < numRows; row++) memory.u8[layout.mask + row] = factor[row] > 0 ? 1 : 0;
  engine.team.run(Op.sample);
}

function rowSampler(engine: Engine, plan: BoostPlan, round: number): RowSampler | undefined {
  const { sampling = "uniform", subsample = 1, gossTop = 0.2, gossOther = 0.1 } = plan;
  if (sampling === "bootstrap") return bootstrapRows(subsample);
  if (sampling === "uniform") return subsampleRows(subsample);
  // LightGBM: the first rounds, whose gradients say little yet, use all rows.
  if (round <= Math.floor(1 / plan.learningRate)) return undefined;
  return gossRows(gossTop, gossOther, () => {
    const g = engine.gradient();
    const h = engine.hessian();
    const numRows = g.length / plan.loss.numOutputs;
    const rank = new Float64Array(numRows);
    for (let i = 0; i < g.length; i++) rank[i % numRows] += Math.abs(g[i] * h[i]);
    return rank;
  });
}

/** Metrics of all watched sets. */
function measureSets(
  engine: Engine,
  plan: BoostPlan,
  watched: readonly Watched[],
): RoundReport["metrics"] {
  const { loss, metrics = [] } = plan;
  return Object.fromEntries(watched.map(({ name, labels, set }) => {
    if (metrics.length === 0) return [name, {}];
    const numRows = labels.values.length;
    const found = predictionsOf(engine.raw(set), numRows, loss.numOutputs, loss.postprocess);
    return [name, Object.fromEntries(metrics.map((m) => [m.name, m.value(labels, found)]))];
  }));
}

/** The trees as an ensemble. */
function joinTrees(
  builders: readonly TreeBuilder[],
  plan: BoostPlan,
  base: Float64Array,
): Ensemble {
  const { numOutputs, postprocess } = plan.loss;
  return {
    trees: packTrees(builders, 1),
    leafWidth: 1,
    numOutputs,
    treeOutput: Int32Array.from(builders, (_, t) => t % numOutputs),
    treeWeight: new Float64Array(builders.length).fill(1),
    treesPerRound: treesPerRound(plan),
    aggregate: "sum",
    baseScore: base,
    postprocess,
    profile: { input: "f64", sum: "f64", base: "first", shownTest: "<=" },
  };
}
