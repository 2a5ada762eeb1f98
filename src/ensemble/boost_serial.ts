/**
 * Boosting rounds with trees that a method grows from float32 derivatives: the loop of
 * the two methods that repeat another library's arithmetic number by number.
 *
 * @module
 */
import { labelsOf } from "../data/target.ts";
import type { Dataset, Labels } from "../data/types.ts";
import { ParameterError, TrainingError } from "../errors.ts";
import { flatTree, walkRows } from "../grow/flat_tree.ts";
import { leafOutput, type LinearColumns } from "../grow/linear_leaves.ts";
import { predictionsOf } from "../metric/response.ts";
import { packTrees } from "../model/trees.ts";
import type { Ensemble } from "../model/types.ts";
import { nextTurn } from "../util/turn.ts";
import { createClock } from "./clock.ts";
import { createJudge } from "./early_stopping.ts";
import { packTerms, type SerialTree, treesOf, withConstants } from "./linear_leaves.ts";
import type { SharedGradients } from "../parallel/serial_loss.ts";
import { leafRows } from "../parallel/serial_leaves.ts";
import type { SharedSets } from "../parallel/serial_sets.ts";
import type { SerialWork } from "../parallel/serial_work.ts";
import type { BoostPlan, TrainedEnsemble } from "./plan.ts";
import { keepState } from "./run_state.ts";
import type { RoundReport, TrainOptions } from "./types.ts";

/** A tree with the node in which each row ended (−1: the row took no part). */
export interface GrownSerial extends SerialTree {
  readonly leafOf: Int32Array;
}

/** What a method does its own way. */
export interface SerialMethod {
  /** Rounds scores, leaf values and feature values to the library's precision: `Math.fround`, or not. */
  readonly round: (value: number) => number;
  /** A derivative times its row's weight; the result is stored as float32. */
  readonly weigh: (derivative: number, weight: number) => number;
  readonly missingLearnt: readonly boolean[];
  /** Values that linear leaves are fitted to, where there are such leaves. */
  readonly columns?: LinearColumns | undefined;
  readonly profile: Ensemble["profile"];
  /** Arrays and threads that share the gradients; absent: this thread computes them. */
  readonly gradients?: SharedGradients | undefined;
  /** Sets whose scores and metrics threads share; absent: this thread sees to them. */
  readonly sets?: SharedSets | undefined;
  /** A round without any split is dropped and ends training. */
  readonly endsWithoutSplit: boolean;
  /** `round` is from 1, those of an earlier run counted too. */
  readonly grow: (gradient: Float32Array, hessian: Float32Array, round: number) => GrownSerial;
}

/** A set whose scores follow the trees. */
interface Watched {
  readonly name: string;
  /** Its number among the shared sets. */
  readonly number: number;
  readonly data: Dataset;
  readonly labels: Labels;
  /** Output-major. */
  readonly raw: Float64Array;
  /** Values that linear leaves see. */
  readonly columns: LinearColumns;
}

/**
 * Boosts with a method's trees.
 *
 * @param labels Those of the training rows, as the method sees them.
 * @throws {TrainingError} `E_TRAIN_NUMERIC` at a gradient that is not finite, `E_TRAIN_ABORTED`.
 */
export async function boostSerial(
  data: Dataset,
  labels: Labels,
  plan: BoostPlan,
  options: TrainOptions,
  method: SerialMethod,
): Promise<TrainedEnsemble> {
  const { loss } = plan;
  const base = Float64Array.from(plan.baseScore ?? loss.baseScore(labels), method.round);
  const shared = method.gradients;
  const train = watch("train", 0, data, labels, base, method, method.columns, shared?.raw);
  const judged = { ...train, labels: plan.judged ?? labels };
  const valid = Object.entries(validSets(options.valid))
    .map(([name, set], i) =>
      watch(
        name,
        i + 1,
        set,
        labelsOf(set),
        base,
        method,
        undefined,
        method.sets?.raw(i + 1),
      )
    );
  const watched = plan.trainMetrics === true ? [judged, ...valid] : valid;
  const judge = createJudge(plan.earlyStopping, watched.map(({ name }) => name));
  const grown: SerialTree[] = [];
  const states = plan.states ?? {};
  const history: RoundReport[] = [...(states.resume?.history ?? [])];
  const gradient = shared?.gradient ?? new Float64Array(train.raw.length);
  const hessian = shared?.hessian ?? new Float64Array(train.raw.length);
  const clock = createClock(states.resume?.round);
  let paused = performance.now();
  const trained = (): TrainedEnsemble => {
    const best = judge?.best;
    const counted = best === undefined ? grown.length : best.round * loss.numOutputs;
    const keep = plan.keepAll === true ? grown : grown.slice(0, counted);
    return {
      ensemble: finish(keep, counted, plan, base, method),
      ...(keep.length > counted ? { kept: counted / loss.numOutputs } : {}),
      missingLearnt: method.missingLearnt,
      history,
      ...(best === undefined ? {} : { best }),
    };
  };
  let stopped = false;
  if (states.resume !== undefined) {
    const { arrays } = states.resume;
    grown.push(...treesOf(arrays, data));
    train.raw.set(arrays.raw);
    for (const set of valid) {
      grown.forEach((tree, t) => addTree(tree, set, t % loss.numOutputs, method));
    }
    for (const report of history) stopped = judge?.stopsAfter(report) === true;
  }
  for (let round = history.length + 1; round <= plan.rounds && !stopped; round++) {
    if (performance.now() - paused > 50) {
      await nextTurn(); // lets signals be heard
      paused = performance.now();
    }
    if (options.signal?.aborted === true) {
      throw new TrainingError(
        "E_TRAIN_ABORTED",
        `Training stopped after ${round - 1} of ${plan.rounds} rounds`,
        { details: { rounds: round - 1, best: trained() }, cause: options.signal.reason },
      );
    }
    const number = round + (plan.roundsBefore ?? 0);
    if (shared !== undefined) shared.run(number);
    else loss.gradients(labels, train.raw, gradient, hessian, 0, data.numRows, number);
    const trees: SerialTree[] = [];
    for (let k = 0; k < loss.numOutputs; k++) {
      trees.push(growOutput(k, gradient, hessian, train, plan, round, method));
    }
    const isOver = method.endsWithoutSplit &&
      trees.every(({ tree }) => tree.children[0].length === 0);
    if (isOver && grown.length > 0) break;
    grown.push(...trees);
    for (const set of valid) trees.forEach((tree, k) => addTree(tree, set, k, method));
    const report: RoundReport = {
      round,
      rounds: plan.rounds,
      metrics: Object.fromEntries(watched.map((set) => [set.name, measure(set, plan, method)])),
      ...clock(round, plan.rounds),
    };
    history.push(report);
    options.onRound?.(report);
    stopped = judge?.stopsAfter(report) === true || isOver;
    if (isOver) continue;
    await keepState(states, round, history, () => ({
      ...packTrees(grown.map(({ tree }) => tree), 1),
      ...(plan.linear && packTerms(grown)),
      raw: train.raw.slice(), // never shared with threads that go on
    }));
  }
  return trained();
}

/** Where the other settings stand that a method does; not all of `treeline@1` are. */
const PRESETS: { readonly [treeMethod: string]: string } = {
  exact: `, or the other settings of preset "xgboost@2"`,
  lightgbm: `, or the other settings of preset "lightgbm@4"`,
};

/** What the threads of a method are told of a run, but for its precision. */
export function serialWork(
  { numRows }: Dataset,
  labels: Labels,
  plan: BoostPlan,
  { threads, onWarning, onDetail, valid }: TrainOptions,
): Omit<SerialWork, "single"> {
  const { loss, rounds, linear, metrics = [], trainMetrics } = plan;
  return {
    numRows,
    trees: rounds * loss.numOutputs,
    loss,
    labels,
    valid: Object.values(validSets(valid)).map((set) => ({
      labels: labelsOf(set),
      data: set,
    })),
    linear: linear !== undefined,
    judged: trainMetrics === true ? plan.judged ?? labels : undefined,
    metrics,
    threads,
    onWarning,
    onDetail,
  };
}

/**
 * Refuses what a method would ignore.
 *
 * @param problems What is wrong, each with its name; the first that is counts.
 */
export function refuseFirst(
  treeMethod: string,
  problems: readonly (readonly [boolean, string])[],
): void {
  const [, what] = problems.find(([bad]) => bad) ?? [];
  if (what === undefined) return;
  throw new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot use treeMethod "${treeMethod}" with ${what}: expected treeMethod "hist"${
      PRESETS[treeMethod] ?? ""
    }`,
    { details: { param: "treeMethod", with: what } },
  );
}

/** What no serial method does. */
export function serialProblems(plan: BoostPlan): readonly (readonly [boolean, string])[] {
  return [
    [plan.committee !== undefined, "committee"],
    [(plan.subsample ?? 1) < 1, "subsample"],
    [plan.sampling !== undefined && plan.sampling !== "uniform", `sampling "${plan.sampling}"`],
    [(plan.featuresPerTree ?? 1) < 1, "featuresPerTree"],
    [(plan.featuresPerLevel ?? 1) < 1, "featuresPerLevel"],
    [(plan.featuresPerNode ?? 1) < 1, "featuresPerNode"],
    [(plan.parallelTrees ?? 1) > 1, "parallelTrees"],
    [plan.dart !== undefined, "dropRate"],
    [(plan.learningRateGrowth ?? 1) > 1, "learningRateGrowth"],
    [plan.interactions !== undefined, "interactions"],
    [plan.init !== undefined, "continuation"],
  ];
}

function validSets(valid: TrainOptions["valid"]): { readonly [name: string]: Dataset } {
  if (valid === undefined) return {};
  return "numRows" in valid && typeof valid.numRows === "number"
    ? { valid: valid as Dataset }
    : valid as { readonly [name: string]: Dataset };
}

/** Starts a set at the base score plus its own offset. */
function watch(
  name: string,
  number: number,
  data: Dataset,
  labels: Labels,
  base: Float64Array,
  { round }: SerialMethod,
  columns: LinearColumns = [],
  raw: Float64Array = new Float64Array(data.numRows * base.length),
): Watched {
  const { numRows, offset } = data;
  for (let k = 0; k < base.length; k++) {
    for (let row = 0; row < numRows; row++) {
      raw[k * numRows + row] = round(base[k] + (offset?.[row * base.length + k] ?? 0));
    }
  }
  return { name, number, data, labels, raw, columns };
}

/** Grows the tree of one output, refits its leaves where the loss says so, moves the scores. */
function growOutput(
  output: number,
  gradient: Float64Array,
  hessian: Float64Array,
  train: Watched,
  plan: BoostPlan,
  round: number,
  method: SerialMethod,
): SerialTree {
  const { labels } = train;
  const { loss } = plan;
  const { numRows } = train.data;
  const at = output * numRows;
  const g = new Float32Array(numRows);
  const h = new Float32Array(numRows);
  const weight = loss.weighted === true ? undefined : labels.weight;
  for (let row = 0; row < numRows; row++) {
    const w = weight === undefined ? 1 : Math.fround(weight[row]);
    g[row] = method.weigh(gradient[at + row], w);
    h[row] = method.weigh(hessian[at + row], w);
    if (!Number.isFinite(g[row]) || !Number.isFinite(h[row])) {
      throw new TrainingError(
        "E_TRAIN_NUMERIC",
        `Cannot go on in round ${round}: the gradient of row ${row + 1} is ${g[row]}, expected a ` +
          `finite number (another baseScore, a smaller learningRate, a larger lambda, or maxDeltaStep)`,
        { details: { round, row: row + 1 } },
      );
    }
  }
  const grown = method.grow(g, h, round + (plan.roundsBefore ?? 0));
  const { tree, leafOf, terms } = grown;
  if (loss.refitLeaf !== undefined && !(method.endsWithoutSplit && tree.numNodes === 1)) {
    refit(grown, output, train, plan, method);
  }
  for (let row = 0; row < numRows; row++) {
    const leaf = leafOf[row];
    if (leaf < 0) continue;
    train.raw[at + row] = method.round(
      train.raw[at + row] + leafOutput(tree.value[leaf][0], terms?.[leaf], train.columns, row),
    );
  }
  return terms === undefined ? { tree } : { tree, terms };
}

/** Sets each leaf to the loss's own best constant, times the learning rate. */
function refit(
  { tree, leafOf }: GrownSerial,
  output: number,
  { labels, raw }: Watched,
  plan: BoostPlan,
  { round, gradients }: SerialMethod,
): void {
  const shared = gradients?.leaves;
  const { rows, parts, values } = shared ??
    leafRows(leafOf.length, tree.numNodes, (bytes) => new ArrayBuffer(bytes));
  const leaves = listByLeaf(leafOf, tree.numNodes, rows, parts);
  if (shared !== undefined) shared.fit(leaves.length, output);
  leaves.forEach((leaf, i) => {
    const value = shared === undefined
      ? plan.loss.refitLeaf!(labels, raw, rows.subarray(parts[2 * i], parts[2 * i + 1]), output)
      : values[i];
    tree.setValue(leaf, [round(value * plan.learningRate)]);
  });
}

/** Lists rows leaf by leaf; returns the leaves that have any. */
function listByLeaf(
  leafOf: Int32Array,
  numNodes: number,
  rows: Int32Array,
  parts: Int32Array,
): readonly number[] {
  const next = new Int32Array(numNodes);
  for (let row = 0; row < leafOf.length; row++) if (leafOf[row] >= 0) next[leafOf[row]]++;
  const leaves: number[] = [];
  let place = 0;
  for (let node = 0; node < numNodes; node++) {
    const count = next[node];
    next[node] = place;
    if (count === 0) continue;
    parts[2 * leaves.length] = place;
    place += count;
    parts[2 * leaves.length + 1] = place;
    leaves.push(node);
  }
  for (let row = 0; row < leafOf.length; row++) {
    if (leafOf[row] >= 0) rows[next[leafOf[row]]++] = row;
  }
  return leaves;
}

/** Adds a tree to the scores of a set. */
function addTree(
  grown: SerialTree,
  { number, data: { features, numRows }, raw }: Watched,
  output: number,
  { round, sets }: SerialMethod,
): void {
  if (sets?.raw(number) !== undefined && sets.walk(number, grown, output)) return;
  const rows = { columns: features, numRows, raw, single: round === Math.fround };
  walkRows(flatTree(grown.tree, grown.terms), rows, output, 0, numRows);
}

function measure(
  set: Watched,
  plan: BoostPlan,
  { sets }: SerialMethod,
): { readonly [metric: string]: number } {
  if (sets?.raw(set.number) !== undefined) return sets.measure(set.number);
  const { loss, metrics = [] } = plan;
  const found = predictionsOf(set.raw, set.data.numRows, loss.numOutputs, loss.postprocess);
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value(set.labels, found)]));
}

function finish(
  grown: readonly SerialTree[],
  counted: number,
  plan: BoostPlan,
  base: Float64Array,
  { profile }: SerialMethod,
): Ensemble {
  const { numOutputs, postprocess } = plan.loss;
  const trees = packTrees(grown.map(({ tree }) => tree), 1);
  const linear = plan.linear && packTerms(grown);
  return {
    trees: linear === undefined ? trees : withConstants(trees, linear),
    ...(linear && { linear }),
    leafWidth: 1,
    numOutputs,
    treeOutput: Int32Array.from(grown, (_, t) => t % numOutputs),
    treeWeight: Float64Array.from(grown, (_, t) => t < counted ? 1 : 0),
    treesPerRound: numOutputs,
    aggregate: "sum",
    baseScore: base,
    postprocess,
    profile,
  };
}
