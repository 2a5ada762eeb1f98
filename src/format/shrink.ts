/**
 * Makes a model's file fit a size by giving up exactness: leaves are rounded to few levels, then
 * subtrees whose leaves are nearly equal are pruned. What a raw score can change by at most is proved from
 * the leaves themselves, tree by tree; what it does change by is measured on rows.
 *
 * @module
 */
import { ModelError } from "../errors.ts";
import type { PredictInput } from "../model/encode.ts";
import { createModel, Model } from "../model/model.ts";
import { createTreeBuilder, packTrees, type TreeBuilder } from "../model/trees.ts";
import { type Ensemble, NodeKind } from "../model/types.ts";
import { encodeModel } from "./binary.ts";
import { contentsOf } from "./self_test.ts";

/** What was given up. */
export interface Shrunk {
  readonly model: Model;
  /** Bytes of its file, without covers, gains and attachments. */
  readonly bytes: number;
  /** Levels that leaves were rounded to; undefined when they are exact. */
  readonly levels?: number;
  /** Share of inner nodes that were pruned. */
  readonly pruned: number;
  /** No raw score changes by more than this. */
  readonly bound: number;
  /** Largest and mean change of the raw scores of the rows given. */
  readonly measured?: { readonly rows: number; readonly largest: number; readonly mean: number };
}

/** Levels to try, finest first: a leaf then takes two bytes, or one. */
const LEVELS = [65536, 16384, 4096, 1024, 256, 64, 16];

/** How one step changes leaves. */
interface Cut {
  readonly levels?: number;
  /** Subtrees whose leaf values span no more than this become one leaf. */
  readonly span: number;
}

/**
 * Shrinks a model until its file has at most `maxBytes`.
 *
 * @param options `rows`: measure the change on them.
 * @throws {ModelError} `E_MODEL_LIMIT` when even single leaves are too large, or the trees are not of
 * the kind that can be rounded (linear leaves, votes, medians).
 */
export function shrinkModel(
  model: Model,
  options: { readonly maxBytes: number; readonly rows?: PredictInput },
): Shrunk {
  const { maxBytes, rows } = options;
  const lean = new Model({ ...contentsOf(model), attachments: new Map() });
  const exact = sizeOf(lean);
  if (exact <= maxBytes) return report(model, lean, exact, { span: -1 }, 0, rows);
  const { aggregate } = model.rules;
  if (model.storage.layout !== "packed" || aggregate !== "sum" && aggregate !== "average") {
    throw tooLarge(exact, maxBytes, "it cannot be shrunk");
  }
  const { setWords } = model.storage.packed;
  const attempt = (cut: Cut) => {
    const { ensemble, bound } = cutEnsemble(model.ensemble, setWords, cut);
    const smaller = createModel({ ...contentsOf(lean), ensemble });
    return { smaller, bound, bytes: sizeOf(smaller), cut };
  };
  let best: ReturnType<typeof attempt> | undefined;
  for (const levels of LEVELS) {
    best = attempt({ levels, span: -1 });
    if (best.bytes <= maxBytes) break;
  }
  if (best!.bytes > maxBytes) {
    // The least span that fits, by halving; 256 levels leave pruning the finest choice.
    let low = 0;
    let high = leafSpan(model.ensemble);
    best = attempt({ levels: 256, span: high });
    if (best.bytes > maxBytes) throw tooLarge(best.bytes, maxBytes, "that is the smallest it gets");
    for (let i = 0; i < 12; i++) {
      const middle = (low + high) / 2;
      const next = attempt({ levels: 256, span: middle });
      if (next.bytes <= maxBytes) {
        best = next;
        high = middle;
      } else low = middle;
    }
  }
  return report(model, best!.smaller, best!.bytes, best!.cut, best!.bound, rows);
}

function sizeOf(model: Model): number {
  return encodeModel(model, { explain: false, attachments: false }).byteLength;
}

function report(
  before: Model,
  after: Model,
  bytes: number,
  cut: Cut,
  bound: number,
  rows: PredictInput | undefined,
): Shrunk {
  const inner = (model: Model) => (model.ensemble.trees.kind.length - model.numTrees) / 2;
  return {
    model: after,
    bytes,
    ...(cut.levels !== undefined && { levels: cut.levels }),
    pruned: inner(before) > 0 ? 1 - inner(after) / inner(before) : 0,
    bound,
    ...(rows !== undefined && { measured: measure(before, after, rows) }),
  };
}

function measure(before: Model, after: Model, rows: PredictInput): NonNullable<Shrunk["measured"]> {
  const old = before.predictRaw(rows);
  const now = after.predictRaw(rows).data;
  let largest = 0;
  let total = 0;
  for (let i = 0; i < now.length; i++) {
    const change = Math.abs(now[i] - old.data[i]);
    largest = Math.max(largest, change);
    total += change;
  }
  return { rows: old.rows, largest, mean: now.length > 0 ? total / now.length : 0 };
}

/** Largest difference of two leaf values of the ensemble. */
function leafSpan({ trees, leafWidth }: Ensemble): number {
  let least = Infinity;
  let most = -Infinity;
  for (let i = 0; i < trees.leaf.length; i++) {
    if (trees.kind[Math.floor(i / leafWidth)] !== NodeKind.leaf) continue;
    least = Math.min(least, trees.leaf[i]);
    most = Math.max(most, trees.leaf[i]);
  }
  return most - least;
}

/** Prunes and rounds; the bound adds up, for each output, the worst that each tree does. */
function cutEnsemble(
  ensemble: Ensemble,
  setWords: Uint32Array,
  cut: Cut,
): { ensemble: Ensemble; bound: number } {
  const { trees, leafWidth, numOutputs, treeOutput, treeWeight, aggregate } = ensemble;
  const numTrees = treeWeight.length;
  const round = createRounding(ensemble, cut.levels);
  const { least, most } = spans(ensemble);
  const bounds = new Float64Array(numOutputs);
  const weights = new Float64Array(numOutputs);
  const sizes = new Float64Array(numOutputs);
  const worst = new Float64Array(leafWidth);
  const largest = new Float64Array(leafWidth);
  const builders: TreeBuilder[] = [];

  function copy(tree: TreeBuilder, to: number, node: number): void {
    const stack = [to, node];
    while (stack.length > 0) {
      const from = stack.pop()!;
      const place = stack.pop()!;
      let flat = true;
      for (let k = 0; k < leafWidth; k++) {
        const at = from * leafWidth + k;
        if (trees.kind[from] !== NodeKind.leaf && most[at] - least[at] > cut.span) flat = false;
      }
      if (flat) {
        const value = new Float64Array(leafWidth);
        for (let k = 0; k < leafWidth; k++) {
          const at = from * leafWidth + k;
          const exact = least[at] === most[at] ? least[at] : least[at] / 2 + most[at] / 2;
          value[k] = round(exact);
          worst[k] = Math.max(
            worst[k],
            Math.abs(value[k] - least[at]),
            Math.abs(value[k] - most[at]),
          );
          largest[k] = Math.max(
            largest[k],
            Math.abs(value[k]),
            Math.abs(least[at]),
            Math.abs(most[at]),
          );
        }
        tree.setValue(place, value);
        continue;
      }
      const at = trees.categoryAt[from];
      const first = trees.kind[from] === NodeKind.threshold
        ? tree.splitThreshold(
          place,
          trees.feature[from],
          trees.threshold[from],
          trees.missing[from],
        )
        : tree.splitSubset(
          place,
          trees.feature[from],
          trees.categoryPool.slice(at, at + setWords[trees.feature[from]]),
          trees.missing[from],
        );
      stack.push(first + 1, trees.firstChild[from] + 1, first, trees.firstChild[from]);
    }
  }

  for (let t = 0; t < numTrees; t++) {
    const tree = createTreeBuilder(leafWidth);
    worst.fill(0);
    largest.fill(0);
    copy(tree, 0, trees.treeStart[t]);
    builders.push(tree);
    for (let k = 0; k < leafWidth; k++) {
      const output = leafWidth === 1 ? treeOutput[t] : k;
      const weight = Math.abs(treeWeight[t]);
      bounds[output] += weight * worst[k];
      sizes[output] += weight * largest[k];
      weights[output] += treeWeight[t];
    }
  }
  // Both sums round at every tree: by at most half a unit of the largest they can be.
  const unit = ensemble.profile.sum === "f32" ? 2 ** -24 : 2 ** -53;
  let bound = 0;
  for (let k = 0; k < numOutputs; k++) {
    const rounding = 4 * (numTrees + 2) * unit * (sizes[k] + Math.abs(ensemble.baseScore[k]));
    const divisor = aggregate === "average" && weights[k] > 0 ? weights[k] : 1;
    bound = Math.max(bound, (bounds[k] + rounding) / divisor);
  }
  return { ensemble: { ...ensemble, trees: packTrees(builders, leafWidth) }, bound };
}

/** Least and largest leaf value of each subtree, `node × leafWidth`; children follow their parent. */
function spans({ trees, leafWidth }: Ensemble): { least: Float64Array; most: Float64Array } {
  const least = trees.leaf.slice();
  const most = trees.leaf.slice();
  for (let node = trees.kind.length - 1; node >= 0; node--) {
    if (trees.kind[node] === NodeKind.leaf) continue;
    const left = trees.firstChild[node] * leafWidth;
    for (let k = 0; k < leafWidth; k++) {
      const at = node * leafWidth + k;
      least[at] = Math.min(least[left + k], least[left + leafWidth + k]);
      most[at] = Math.max(most[left + k], most[left + leafWidth + k]);
    }
  }
  return { least, most };
}

/** Rounds to an even grid over all leaf values, in float32. */
function createRounding(ensemble: Ensemble, levels: number | undefined): (value: number) => number {
  if (levels === undefined) return (value) => value;
  const { trees, leafWidth } = ensemble;
  let low = Infinity;
  for (let i = 0; i < trees.leaf.length; i++) {
    if (trees.kind[Math.floor(i / leafWidth)] === NodeKind.leaf) low = Math.min(low, trees.leaf[i]);
  }
  const step = leafSpan(ensemble) / (levels - 1);
  if (!(step > 0)) return Math.fround;
  return (value) => Math.fround(low + Math.round((value - low) / step) * step);
}

function tooLarge(bytes: number, limit: number, why: string): ModelError {
  return new ModelError(
    "E_MODEL_LIMIT",
    `Cannot make this model fit ${limit} bytes: it has ${bytes}, and ${why}`,
    { details: { bytes, limit } },
  );
}
