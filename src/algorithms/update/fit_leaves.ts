/**
 * Leaves of finished trees fitted to new rows, round by round and member by member.
 *
 * @module
 */
import type { Dataset, Labels } from "../../data/types.ts";
import { requireFiniteLeaves } from "../../ensemble/finite_values.ts";
import { trainingRecord } from "../../format/training_record.ts";
import type { Loss } from "../../loss/types.ts";
import { HERE } from "../../metric/job.ts";
import type { Place } from "../../metric/types.ts";
import { createModel, type Model } from "../../model/model.ts";
import { heldLeaves, type RefitRows, refitRows, RefitStep } from "../../parallel/rows/refit.ts";
import { leafRows } from "../../parallel/rows/serial_leaves.ts";
import type { SharedGradients } from "../../parallel/rows/serial_loss.ts";
import { floatsIn, intsIn, ownTasks } from "../../parallel/rows/team_tasks.ts";
import type { LossTeam } from "../../parallel/splits/loss_team.ts";
import { ownBuffer } from "../../util/buffers.ts";
import type { ResolvedBoost } from "../boost/plan.ts";
import { offsetName } from "../boost/start.ts";
import type { LeafSteps } from "./leaf_steps.ts";
import { storedShift } from "./model_params.ts";

/** How leaves are refitted. */
export interface RefitOptions {
  /** Share of the old leaf value that is kept, 0 to 1. @default 0.9 */
  readonly decay?: number;
  /** Called with warnings: a calibration that is removed, categories that the model does not know. */
  readonly onWarning?: (message: string) => void;
}

/** Some rounds, and the loss that they fell by. */
export interface LossSteps extends LeafSteps {
  readonly loss: Loss;
}

/** What is known before the leaves are. */
export interface Begun {
  /** As it was handed over, and with the rounds that count. */
  readonly given: Model;
  readonly model: Model;
  readonly steps: readonly LossSteps[];
  readonly labels: Labels;
  /** The rows as the model sees them. */
  readonly shaped: Dataset;
}

/** Where derivatives are that threads share. */
export type Derivatives = Pick<RefitRows, "gradient" | "hessian">;

/**
 * The rows of a refit, their scores at the start.
 *
 * @param leaves Of each row and tree, row-major.
 */
export function rowsOf(
  { model, labels, shaped: { numRows, offset } }: Begun,
  leaves: Int32Array,
  place: Place,
  derivatives?: Derivatives,
): RefitRows {
  const { ensemble: { trees: { treeStart }, treeOutput, treesPerRound, baseScore }, numTrees } =
    model;
  const { numOutputs } = model;
  const size = numRows * numOutputs;
  const members = Number(model.info.committee ?? 1);
  const shift = storedShift(model);
  const raw = place.floats(members * size);
  for (let member = 0; member < members; member++) {
    for (let k = 0; k < numOutputs; k++) {
      const at = member * size + k * numRows;
      const base = baseScore[k] - (shift?.[k] ?? 0);
      for (let row = 0; row < numRows; row++) {
        raw[at + row] = base + (offset?.[row * numOutputs + k] ?? 0);
      }
    }
  }
  let numNodes = 0;
  for (let t = 0; t < numTrees; t++) {
    numNodes = Math.max(numNodes, treeStart[t + 1] - treeStart[t]);
  }
  const isShared = place === HERE || !(leaves.buffer instanceof ArrayBuffer);
  return refitRows(place, {
    numRows,
    numTrees,
    leaves: isShared ? leaves : intsIn(place, leaves),
    weight: labels.weight && (place === HERE ? labels.weight : floatsIn(place, labels.weight)),
    gradient: derivatives?.gradient ?? place.floats(size),
    hessian: derivatives?.hessian ?? place.floats(size),
    raw,
    members,
    outputs: treeOutput,
    perTurn: treesPerRound / members,
    numNodes,
  });
}

/**
 * The model with new leaves, fitted round by round.
 *
 * @param team Threads that share gradients and sums.
 * @throws {TrainingError} `E_TRAIN_NUMERIC` for a leaf that is not finite.
 */
export function fitLeaves(
  { given, model, steps, labels, shaped }: Begun,
  rows: RefitRows,
  options: RefitOptions,
  team?: LossTeam,
): Model {
  const { decay = 0.9 } = options;
  const { ensemble } = model;
  const { numRows, offset } = shaped;
  const { numOutputs } = model;
  const { members, perTurn, numNodes, gradient, hessian } = rows;
  const tasks = team?.tasks ?? ownTasks([{ kind: "refit", rows }]);
  const leaf = ensemble.trees.leaf.slice();
  // Leaves that were float32 stay so.
  const isNarrow = leaf.every((value) => Number.isNaN(value) || Math.fround(value) === value);
  const narrow = isNarrow ? Math.fround : (value: number) => value;
  const cover = ensemble.trees.cover.slice();
  for (let first = 0; first < model.numTrees; first += perTurn) {
    const member = Math.floor(first / perTurn) % members;
    const raw = rows.raw.subarray(member * gradient.length, (member + 1) * gradient.length);
    const round = Math.floor(first / ensemble.treesPerRound) + 1;
    const { params, rate, loss } = steps.find(({ last }) => round <= last)!;
    // Parallel trees of a round see the same scores.
    const share = rate(round) * numOutputs / ensemble.treesPerRound;
    const turn = Math.floor(first / perTurn) + 1;
    if (team === undefined) loss.gradients(labels, raw, gradient, hessian, 0, numRows, turn);
    else {
      team.raw.set(raw);
      team.run(turn);
    }
    tasks.run(0, RefitStep.hold, first);
    tasks.run(0, loss.weighted === true ? RefitStep.sumWeighted : RefitStep.sum, first);
    for (let t = first; t < first + perTurn; t++) {
      const output = ensemble.treeOutput[t];
      const treeStart = ensemble.trees.treeStart[t];
      const scale = ensemble.treeWeight[t];
      const count = ensemble.trees.treeStart[t + 1] - treeStart;
      const at = (t - first) * numNodes;
      const G = rows.G.subarray(at, at + count);
      const H = rows.H.subarray(at, at + count);
      const counts = rows.counts.subarray(at, at + count);
      const constantOf = loss.refitLeaf &&
        constants(loss, heldLeaves(rows, t), counts, { labels, raw, output, team });
      // What the new rows alone ask for: of inner nodes their own step, or the mean of what is below.
      const fresh = new Float64Array(count);
      for (let local = count - 1; local >= 0; local--) {
        const node = treeStart + local;
        const child = ensemble.trees.firstChild[node] - treeStart;
        const isLeaf = child < 0;
        if (!isLeaf) {
          // Rows with unknown values may have ended here.
          for (const sums of [G, H, counts]) sums[local] += sums[child] + sums[child + 1];
          cover[node] = cover[treeStart + child] + cover[treeStart + child + 1];
        }
        if (counts[local] === 0) continue;
        if (isLeaf) cover[node] = H[local];
        if (isLeaf || constantOf === undefined) {
          const step = constantOf ? constantOf[local] : newtonStep(G[local], H[local], params);
          fresh[local] = share * bounded(step, params) / scale;
        } else {
          const [left, right] = [H[child] * fresh[child], H[child + 1] * fresh[child + 1]];
          const below = H[child] + H[child + 1];
          if (!(below > 0)) continue;
          fresh[local] = (left + right) / below;
        }
        if (Number.isNaN(leaf[node])) continue;
        const value = narrow(decay * leaf[node] + (1 - decay) * fresh[local]);
        requireFiniteLeaves([value], round);
        leaf[node] = value;
      }
      for (let local = 0; local < count; local++) {
        rows.steps[at + local] = members * scale * leaf[treeStart + local];
      }
    }
    tasks.run(0, RefitStep.add, first);
  }
  if (model.calibration !== undefined) {
    options.onWarning?.(
      "The calibration belongs to the old scores and is left out: calibrate again",
    );
  }
  const { calibration: _, ...info } = model.info;
  return createModel({
    schema: model.schema,
    ensemble: { ...ensemble, trees: { ...ensemble.trees, leaf, cover } },
    info: {
      ...info,
      ...(offset === undefined ? {} : { offset: model.info.offset ?? offsetName(shaped) }),
      refitted: { numRows, decay },
    },
    attachments: trainingRecord(shaped, given),
  });
}

/** Leaf step with both penalties, before bound and rate. */
function newtonStep(g: number, h: number, { lambda, alpha }: ResolvedBoost): number {
  if (!(h + lambda > 0)) return 0;
  return -Math.sign(g) * Math.max(0, Math.abs(g) - alpha) / (h + lambda);
}

function bounded(step: number, { maxDeltaStep }: ResolvedBoost): number {
  return maxDeltaStep > 0 ? Math.max(-maxDeltaStep, Math.min(maxDeltaStep, step)) : step;
}

/** What leaves that a loss sets depend on besides it. */
interface LeafScene {
  readonly labels: Labels;
  readonly raw: Float64Array;
  readonly output: number;
  readonly team: SharedGradients | undefined;
}

/** The loss's own constant of each node of one tree that rows with a weight end in; 0 of others. */
function constants(
  loss: Loss,
  leafOf: Int32Array,
  counts: Int32Array,
  { labels, raw, output, team }: LeafScene,
): Float64Array {
  const found = new Float64Array(counts.length);
  const used = Array.from(counts.keys()).filter((node) => counts[node] > 0);
  const { rows, parts, values } = team?.leaves ??
    leafRows(leafOf.length, used.length, ownBuffer);
  const next = new Int32Array(counts.length);
  let place = 0;
  used.forEach((node, i) => {
    next[node] = parts[2 * i] = place;
    place = parts[2 * i + 1] = place + counts[node];
  });
  for (let row = 0; row < leafOf.length; row++) {
    if (labels.weight?.[row] !== 0) rows[next[leafOf[row]]++] = row;
  }
  if (team !== undefined) team.leaves!.fit(used.length, output);
  used.forEach((node, i) => {
    found[node] = team === undefined
      ? loss.refitLeaf!(labels, raw, rows.subarray(parts[2 * i], parts[2 * i + 1]), output)
      : values[i];
  });
  return found;
}
