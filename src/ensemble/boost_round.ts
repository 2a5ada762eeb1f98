/**
 * One round of boosting: gradients, rows and features drawn, one tree for each output and parallel
 * tree.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { Op } from "../grow/histogram/op.ts";
import type { RoundTree } from "../grow/histogram/round_tree.ts";
import { bootstrapRows, gossRows, type RowSampler, subsampleRows } from "../grow/row_sampler.ts";
import { forkRng } from "../util/rng.ts";
import type { Committee } from "./committee.ts";
import type { Engine } from "./engine.ts";
import { type DueTree, growTrees } from "./grow_tree.ts";
import type { BoostPlan } from "./plan.ts";

/** Streams of random numbers: round, then what for. */
export const STREAM = { rows: 1, columns: 2, dither: 3, drop: 4 } as const;

/**
 * Grows one round's trees, member by member, and adds them to the scores of all sets.
 *
 * @param round From 1, those of an earlier run counted too.
 */
export function runRound(
  engine: Engine,
  plan: BoostPlan,
  labels: Labels,
  round: number,
  committee?: Committee,
): RoundTree[] {
  if (committee === undefined) return growMember(engine, plan, labels, round, 0);
  const grown: RoundTree[] = [];
  for (let member = 0; member < committee.members; member++) {
    committee.enter(member);
    grown.push(...growMember(engine, plan, labels, round, member));
    committee.leave(member);
  }
  return grown;
}

/** One member's trees of a round. */
function growMember(
  engine: Engine,
  plan: BoostPlan,
  labels: Labels,
  round: number,
  member: number,
): RoundTree[] {
  const grown: RoundTree[] = [];
  const { numOutputs } = plan.loss;
  const parallel = plan.parallelTrees ?? 1;
  const members = plan.committee?.members ?? 1;
  const shares = {
    perTree: plan.featuresPerTree ?? 1,
    perLevel: plan.featuresPerLevel ?? 1,
    perNode: plan.featuresPerNode ?? 1,
    ...(plan.featureWeights === undefined ? {} : { weights: Array.from(plan.featureWeights) }),
  };
  computeGradients(engine, plan, labels, (round - 1) * members + member + 1);
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
    sampleRows(engine, plan, round, p, member);
    const due = Array.from({ length: numOutputs }, (_, output): DueTree => {
      const tree = (member * parallel + p) * numOutputs + output;
      return {
        round,
        output,
        dither: forkRng(plan.seed, round, STREAM.dither, tree).nextUint32(),
        columns: {
          numFeatures: engine.bins.length,
          shares,
          ...(plan.interactions === undefined ? {} : { groups: plan.interactions }),
          stream: [plan.seed, round, STREAM.columns, tree],
        },
        rate: learningRateOf(plan, round) / (parallel * members),
        members,
      };
    });
    grown.push(...growTrees(engine, plan, labels, due));
  }
  return grown;
}

/** Rounds that keep the learning rate as it is given. */
const STEADY_ROUNDS = 50;

/** Learning rate of a round. */
function learningRateOf(
  { learningRate, learningRateGrowth = 1 }: BoostPlan,
  round: number,
): number {
  return learningRate * Math.max(1, Math.min(learningRateGrowth, round / STEADY_ROUNDS));
}

/** Gradients of all outputs, times the sample weights. */
function computeGradients(engine: Engine, plan: BoostPlan, labels: Labels, draw: number): void {
  const { team } = engine;
  if (plan.loss.kernel !== undefined) {
    team.run(Op.gradients);
    return;
  }
  const numRows = labels.values.length;
  const gradient = engine.gradient();
  const hessian = engine.hessian();
  plan.loss.gradients(labels, engine.raw(0), gradient, hessian, 0, numRows, draw);
  const weight = plan.loss.weighted === true ? undefined : labels.weight;
  if (weight === undefined) return;
  for (let k = 0; k < plan.loss.numOutputs; k++) {
    for (let row = 0; row < numRows; row++) {
      gradient[k * numRows + row] *= weight[row];
      hessian[k * numRows + row] *= weight[row];
    }
  }
}

/**
 * Draws the rows of a round, without those of the member's own part, and multiplies their gradients
 * by what the draw says.
 */
function sampleRows(
  engine: Engine,
  plan: BoostPlan,
  round: number,
  parallel: number,
  member: number,
): void {
  const { layout, memory } = engine.team.context;
  if (layout.factor === 0) return;
  const { numRows } = layout.sets[0].rows;
  const factor = memory.f64.subarray(layout.factor >>> 3, (layout.factor >>> 3) + numRows);
  const sampler = rowSampler(engine, plan, round);
  const draw = member * (plan.parallelTrees ?? 1) + parallel;
  if (sampler === undefined) factor.fill(1);
  else sampler(factor, forkRng(plan.seed, round, STREAM.rows, draw));
  const partOf = plan.committee?.partOf;
  const mask = memory.u8.subarray(layout.mask, layout.mask + numRows);
  if (partOf === undefined) {
    for (let row = 0; row < numRows; row++) mask[row] = factor[row] > 0 ? 1 : 0;
  } else {
    for (let row = 0; row < numRows; row++) {
      if (partOf[row] === member) factor[row] = 0;
      mask[row] = factor[row] > 0 ? 1 : 0;
    }
  }
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
