/**
 * One round of boosting: gradients, rows and features drawn, one tree for each output and parallel
 * tree.
 *
 * @module
 */
import type { Labels } from "../../data/types.ts";
import { Op } from "../../grow/histogram/workspace/op.ts";
import type { RoundTree } from "../../grow/histogram/round_tree.ts";
import { drawGoss } from "../../grow/histogram/gradients/goss.ts";
import { drawOf, drawRows } from "../../grow/histogram/gradients/row_draw.ts";
import { forkRng, type Rng } from "../../util/rng.ts";
import { membersAlone } from "../engine/alone_choice.ts";
import type { Committee } from "./committee.ts";
import type { Engine } from "../engine/engine.ts";
import { type DueTree, growMembers, growTrees } from "./grow_tree.ts";
import type { BoostPlan } from "../plan.ts";

/** Streams of random numbers: round, then what for. */
export const STREAM = { rows: 1, columns: 2, dither: 3, drop: 4 } as const;

/** Lets other threads begin a round's gradients where these depend on nothing but the scores. */
export function beginRound({ team }: Engine): void {
  const { factor, before } = team.context.layout;
  if (factor === 0 && before === 0) team.begin?.(Op.gradients);
}

/**
 * Grows one round's trees, member by member, and adds them to the scores of all sets.
 *
 * @param round From 1, those of an earlier run counted too.
 * @param meanwhile Called once, before any score of a validation set changes; by the time members'
 * scores may have changed.
 */
export function runRound(
  engine: Engine,
  plan: BoostPlan,
  labels: Labels,
  round: number,
  committee?: Committee,
  meanwhile: () => void = () => {},
): RoundTree[] {
  if (committee === undefined) return growMember(engine, plan, labels, round, 0, meanwhile);
  if (membersAlone(engine.team.context.layout, plan) === 0) meanwhile();
  const grown = growMembersAlone(engine, plan, round, meanwhile);
  const first = grown.length / plan.loss.numOutputs;
  for (let member = first; member < committee.members; member++) {
    const own = (of: Engine) => growMember(of, plan, labels, round, member);
    grown.push(...committee.withMember(member, own));
  }
  return grown;
}

/** Trees of the first members, each grown by a thread by itself; as many as keep all threads busy. */
function growMembersAlone(
  engine: Engine,
  plan: BoostPlan,
  round: number,
  meanwhile: () => void,
): RoundTree[] {
  const numAlone = membersAlone(engine.team.context.layout, plan);
  if (numAlone === 0) return [];
  const tasks = Array.from({ length: numAlone }, (_, member) => ({
    rows: drawOf(plan)!,
    member,
    stream: rowStream(plan, round, 0, member),
    due: dueTrees(engine, plan, round, 0, member),
  }));
  return growMembers(engine, plan, tasks, meanwhile);
}

/** One member's trees of a round. */
function growMember(
  engine: Engine,
  plan: BoostPlan,
  labels: Labels,
  round: number,
  member: number,
  meanwhile: () => void = () => {},
): RoundTree[] {
  const grown: RoundTree[] = [];
  const parallel = plan.parallelTrees ?? 1;
  const members = plan.committee?.members ?? 1;
  const { layout, memory } = engine.team.context;
  const { factor, weighsAtOnce, before } = layout;
  const draw = (p: number) => {
    if (factor === 0) return;
    const [seed, ...path] = rowStream(plan, round, p, member);
    drawFor(engine, plan, round, member, forkRng(seed, ...path));
  };
  if (weighsAtOnce) draw(0);
  if (before > 0) memory.f64.set(engine.raw(0), before >>> 3);
  let first: readonly DueTree[] = [];
  computeGradients(engine, plan, labels, (round - 1) * members + member + 1, () => {
    meanwhile();
    first = dueTrees(engine, plan, round, 0, member);
  });
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
    if (!weighsAtOnce) draw(p);
    const due = p === 0 ? first : dueTrees(engine, plan, round, p, member);
    grown.push(...growTrees(engine, plan, labels, due));
  }
  return grown;
}

/** A tree for each output. */
function dueTrees(
  engine: Engine,
  plan: BoostPlan,
  round: number,
  p: number,
  member: number,
): DueTree[] {
  const { numOutputs } = plan.loss;
  const parallel = plan.parallelTrees ?? 1;
  const members = plan.committee?.members ?? 1;
  const shares = {
    perTree: plan.featuresPerTree ?? 1,
    perLevel: plan.featuresPerLevel ?? 1,
    perNode: plan.featuresPerNode ?? 1,
    ...(plan.featureWeights === undefined ? {} : { weights: Array.from(plan.featureWeights) }),
  };
  return Array.from({ length: numOutputs }, (_, output): DueTree => {
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
}

/** Seed and names of the stream that rows are drawn by. */
function rowStream(
  plan: BoostPlan,
  round: number,
  p: number,
  member: number,
): readonly [seed: number, ...path: number[]] {
  const draw = member * (plan.parallelTrees ?? 1) + p;
  return [plan.seed, round, STREAM.rows, draw];
}

/** Rounds that keep the learning rate as it is given. */
const STEADY_ROUNDS = 50;

/** Learning rate of a round, those of an earlier run counted too. */
export function learningRateOf(
  { learningRate, learningRateGrowth = 1 }: Pick<
    BoostPlan,
    "learningRate" | "learningRateGrowth"
  >,
  round: number,
): number {
  return learningRate * Math.max(1, Math.min(learningRateGrowth, round / STEADY_ROUNDS));
}

/** Gradients of all outputs, times the sample weights. */
function computeGradients(
  engine: Engine,
  plan: BoostPlan,
  labels: Labels,
  draw: number,
  meanwhile: () => void,
): void {
  const { team } = engine;
  if (plan.loss.kernel !== undefined) {
    team.run(Op.gradients, meanwhile);
    return;
  }
  meanwhile();
  const { layout, memory } = team.context;
  if (layout.loss !== undefined && layout.numThreads > 1) {
    memory.f64[layout.args >>> 3] = draw;
    team.run(Op.lossGradients);
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

/** Draws the rows of a tree. */
function drawFor(
  { team }: Engine,
  plan: BoostPlan,
  round: number,
  member: number,
  rng: Rng,
): void {
  const { gossTop: top = 0.2, gossOther: other = 0.1 } = plan;
  const draw = drawOf(plan);
  // LightGBM: the first rounds, whose gradients say little yet, use all rows.
  const usesAll = round <= Math.floor(1 / plan.learningRate);
  if (draw === undefined && !usesAll) drawGoss(team, { top, other }, member, rng);
  else drawRows(team, draw, member, rng);
}
