/**
 * How a CART tree is cut back: by a given price of a leaf, by cross-validation, or on rows held out.
 *
 * @module
 */
import { alignDataset } from "../../data/dataset/align.ts";
import { kFold, splitRows } from "../../data/dataset/split.ts";
import type { Dataset } from "../../data/types.ts";
import type { TrainOptions } from "../../ensemble/types.ts";
import { ParameterError } from "../../errors.ts";
import { rankOf } from "../../binning/rank.ts";
import { shifted } from "../../grow/plan/centre.ts";
import { pruneCostComplexity } from "../../grow/prune/cost_complexity.ts";
import {
  chooseCpRow,
  cpOfRow,
  type CpRow,
  type CpRule,
  cpTable,
  pruneByComplexity,
  rpartComplexity,
  validateCpTable,
} from "../../grow/prune/cp_table.ts";
import {
  holdoutLosses,
  type NodeLoss,
  pruneByValidation,
  pruneReducedError,
} from "../../grow/prune/reduced_error.ts";
import { cheapestClass, nodeRisks, type RiskName, zeroOneLoss } from "../../grow/prune/risk.ts";
import { weightedRows } from "../../grow/rows/source.ts";
import type { StatSource } from "../../grow/rows/stats.ts";
import type { GrownTree } from "../../grow/tree/tree.ts";
import type { Json } from "../../model/types.ts";
import { nextTurn } from "../../util/turn.ts";
import type { Costs } from "./cart_costs.ts";
import { checkAborted } from "./common.ts";
import { namedSets } from "../common/validation.ts";

/** Pruning parameters after resolution. */
export interface CartPruning {
  readonly pruning: "auto" | "none" | "alpha" | "cp" | "cv" | "validation" | "reduced-error";
  readonly ccpAlpha: number | "cv";
  readonly cp?: number;
  readonly pruneRisk: "auto" | RiskName;
  readonly pruneRule: CpRule;
  readonly folds: number;
  readonly foldOfRow?: unknown;
  readonly validShare: number;
  readonly seed: number;
}

/** All that pruning looks at. */
export interface CartJob {
  readonly data: Dataset;
  /** What was subtracted from the labels of `data`. */
  readonly centre: number;
  /** Weights of the rows without priors, which `data` has in its own; absent: all 1. */
  readonly caseWeight?: Float64Array;
  readonly source: StatSource;
  readonly params: CartPruning;
  readonly costs: Costs;
  /** Grows a tree, critical-value pruning included. */
  readonly grow: (rows: Int32Array) => Promise<GrownTree>;
  readonly options: TrainOptions;
}

/** A pruned tree; `report` is for the model's story. */
interface Pruned {
  readonly tree: GrownTree;
  readonly report: { readonly [key: string]: Json };
}

/** Grows and prunes. */
export async function pruneCart(
  job: CartJob,
): Promise<Pruned> {
  const { data, params } = job;
  const rows = weightedRows(data.numRows, data.sampleWeight);
  const mode = pruningOf(params, job.options);
  if (mode === "validation" || mode === "reduced-error") {
    return await pruneOnHoldout(job, rows, mode);
  }
  const tree = await job.grow(rows);
  if (mode === "none") return { tree, report: {} };
  const risk = riskOf(job, tree, mode);
  if (mode === "alpha") {
    pruneCostComplexity(tree, risk, Number(params.ccpAlpha) * tree.cover[0]);
    return { tree, report: {} };
  }
  const cp = params.cp ?? 0;
  let table = cpTable(tree, risk, cp);
  await nextTurn(); // tables of large trees take a while
  checkAborted(job.options);
  if (mode === "cp") {
    pruneByComplexity(tree, rpartComplexity(tree, risk, cp * risk[0]), cp * risk[0]);
    return { tree, report: { cpTable: tableJson(table) } };
  }
  table = await crossValidate(job, table, risk[0]);
  const chosen = chooseCpRow(table, params.pruneRule);
  const chosenCp = chosen === table.length - 1 ? cp : cpOfRow(table, chosen);
  pruneByComplexity(tree, rpartComplexity(tree, risk, cp * risk[0]), chosenCp * risk[0]);
  return {
    tree,
    report: { cpTable: tableJson(table), chosenRow: chosen + 1, chosenCp },
  };
}

/** The way of pruning that the parameters ask for. */
export function pruningOf(
  params: CartPruning,
  options: TrainOptions,
): Exclude<CartPruning["pruning"], "auto"> {
  if (params.pruning !== "auto") return params.pruning;
  if (params.ccpAlpha === "cv") return "cv";
  if (params.ccpAlpha > 0) return "alpha";
  if (params.cp !== undefined) return "cp";
  return options.valid === undefined ? "none" : "validation";
}

function riskOf(job: CartJob, tree: GrownTree, mode: string): Float64Array {
  const { pruneRisk } = job.params;
  const name = pruneRisk === "auto"
    ? mode === "alpha" ? "impurity" : "misclassification"
    : pruneRisk;
  return nodeRisks(tree, name, job.costs.loss);
}

/**
 * Loss of a row that stops at a node: misclassification loss, or the squared error. What a node answers
 * is found once: rows × depth times it was a sixth of a cross-validation.
 */
function lossesOf(job: CartJob, tree: GrownTree): NodeLoss {
  const { source, stats, channels, numNodes, criterion } = tree;
  const nodes = Array.from({ length: numNodes }, (_, node) => node);
  if (source.kind === "class") {
    const { codes, numClasses } = source;
    const loss = job.costs.loss ?? zeroOneLoss(numClasses);
    const labels = nodes.map((node) =>
      cheapestClass(stats, node * channels, numClasses, loss).label
    );
    return (node, row) => loss[codes[row] * numClasses + labels[node]];
  }
  const values = nodes.map((node) => {
    const value = new Float64Array(1);
    criterion.leafValue(stats, node * channels, value);
    return value[0];
  });
  const isAbsolute = criterion.name === "absolute";
  return (node, row) => {
    const error = source.values[row] - values[node];
    return isAbsolute ? Math.abs(error) : error * error;
  };
}

/** As rpart: rows count by their own weights, and priors are a part of a row's loss. */
function crossValidate(
  job: CartJob,
  table: readonly CpRow[],
  rootRisk: number,
): Promise<CpRow[]> {
  const { data, params, source } = job;
  const { foldOfRow, numFolds } = foldsOf(data, params);
  const factors = job.costs.priorFactors;
  const factorOf = (row: number) =>
    factors === undefined || source.kind !== "class" ? 1 : factors[source.codes[row]];
  return validateCpTable(table, rootRisk, {
    numRows: data.numRows,
    foldOfRow,
    numFolds,
    ...(job.caseWeight !== undefined && { weight: job.caseWeight }),
    grow: job.grow,
    riskOf: (tree) => riskOf(job, tree, "cv"),
    lossesOf: (tree) => {
      const lossOf = lossesOf(job, tree);
      return (node, row) => factorOf(row) * lossOf(node, row);
    },
  });
}

/**
 * The fold of each row, where it is given.
 *
 * @throws {ParameterError} `E_PARAM_RANGE`
 */
export function givenFolds(
  { foldOfRow }: Pick<CartPruning, "foldOfRow">,
  numRows: number,
): Int32Array | undefined {
  if (foldOfRow === undefined) return undefined;
  const given = Int32Array.from(foldOfRow as ArrayLike<number>);
  if (given.length === numRows && given.every((fold) => fold >= 0)) return given;
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot use foldOfRow: expected ${numRows} whole numbers from 0`,
    { details: { param: "foldOfRow" } },
  );
}

function foldsOf(
  data: Dataset,
  params: CartPruning,
): { readonly foldOfRow: Int32Array; readonly numFolds: number } {
  const given = givenFolds(params, data.numRows);
  if (given !== undefined) {
    return { foldOfRow: given, numFolds: given.reduce((a, b) => Math.max(a, b), 0) + 1 };
  }
  const numFolds = Math.min(params.folds, data.numRows);
  const foldOfRow = new Int32Array(data.numRows);
  const stratify = data.target?.kind === "classification";
  kFold(data, { folds: numFolds, seed: params.seed, stratify }).forEach(({ test }, fold) => {
    for (const row of test) foldOfRow[row] = fold;
  });
  return { foldOfRow, numFolds };
}

/** Prunes on the validation set, or on a share of the rows. */
async function pruneOnHoldout(
  job: CartJob,
  rows: Int32Array,
  mode: "validation" | "reduced-error",
): Promise<Pruned> {
  const { data, params, options } = job;
  const sets = Object.entries(namedSets(options.valid));
  if (sets.length > 0) {
    const [name, set] = sets[0];
    const held = alignDataset(data, set, name);
    const tree = await job.grow(rows);
    return finish(job, tree, mode, foreignLosses(job, tree, held), name);
  }
  const stratify = data.target?.kind === "classification";
  const fractions = [1 - params.validShare, params.validShare];
  const [inside, outside] = splitRows(data, { fractions, seed: params.seed, stratify });
  const positive = (list: Int32Array) =>
    list.filter((row) => (data.sampleWeight?.[row] ?? 1) > 0).sort();
  options.onWarning?.(
    `No validation set: held out ${outside.length} of ${data.numRows} rows for pruning`,
  );
  const tree = await job.grow(positive(inside));
  const lossOf = lossesOf(job, tree);
  const losses = holdoutLosses(
    tree,
    positive(outside),
    (node, row) => lossOf(node, row) * (data.sampleWeight?.[row] ?? 1),
  );
  return finish(job, tree, mode, losses, "heldOut");
}

function finish(
  job: CartJob,
  tree: GrownTree,
  mode: "validation" | "reduced-error",
  losses: Float64Array,
  set: string,
): Pruned {
  if (mode === "reduced-error") {
    pruneReducedError(tree, losses);
    return { tree, report: { prunedOn: set } };
  }
  const alpha = pruneByValidation(tree, riskOf(job, tree, "cv"), losses);
  return { tree, report: { prunedOn: set, chosenAlpha: alpha / tree.cover[0] } };
}

/** Losses over a dataset that is not in the frame: rows are sent by value. */
function foreignLosses(job: CartJob, tree: GrownTree, held: Dataset): Float64Array {
  const frame = foreignFrame(tree, held);
  const target = held.target!;
  const source: StatSource = target.kind === "classification"
    ? { ...tree.source, codes: target.codes } as StatSource
    : { ...tree.source, values: shifted(target, -job.centre).values } as StatSource;
  const view: GrownTree = { ...tree, frame, source };
  const rows = weightedRows(held.numRows, held.sampleWeight);
  const lossOf = lossesOf(job, view);
  return holdoutLosses(
    view,
    rows,
    (node, row) => lossOf(node, row) * (held.sampleWeight?.[row] ?? 1),
  );
}

/** Codes of other rows on the training frame's ranks. */
function foreignFrame(tree: GrownTree, held: Dataset): GrownTree["frame"] {
  const features = tree.frame.features.map((feature, at) => {
    const column = held.features[at];
    const codes = new Int32Array(held.numRows);
    const toCode = column.kind === "numeric" ? coder(tree, at) : undefined;
    for (let row = 0; row < held.numRows; row++) {
      if (column.kind === "categorical") {
        const code = column.codes[row];
        codes[row] = code < 0 ? feature.numCodes : Math.min(code, feature.numCodes - 1);
      } else codes[row] = toCode!(column.values[row]);
    }
    return { ...feature, codes };
  });
  return { numRows: held.numRows, features };
}

/**
 * Codes that are on the right side of every threshold of the tree: thresholds lie between ranks, so
 * a value takes the rank after the last cut that it exceeds.
 */
function coder(tree: GrownTree, feature: number): (value: number) => number {
  const { numCodes } = tree.frame.features[feature];
  const cuts: [number, number][] = [];
  for (let node = 0; node < tree.numNodes; node++) {
    if (tree.feature[node] === feature) cuts.push([tree.threshold[node], tree.code[node] + 1]);
  }
  cuts.sort((a, b) => a[0] - b[0]);
  const thresholds = Float64Array.from(cuts, (cut) => cut[0]);
  return (value) => {
    if (value !== value) return numCodes;
    const below = rankOf(thresholds, value);
    return below === 0 ? 0 : Math.min(cuts[below - 1][1], numCodes - 1);
  };
}

function tableJson(table: readonly CpRow[]): Json {
  return table.map((row) => ({
    cp: row.cp,
    splits: row.splits,
    relativeError: row.relativeError,
    ...(row.xerror !== undefined && { xerror: row.xerror, xstd: row.xstd! }),
  }));
}
