/**
 * Surrogate splits: for rows whose value is missing, the split of another feature that agrees best
 * with the chosen one.
 *
 * Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees", 1984, section 5.3;
 * T. Therneau and E. Atkinson, "An Introduction to Recursive Partitioning Using the RPART
 * Routines", section 5.2 (agreement over all rows that the primary split can send).
 *
 * @module
 */
import type { Frame } from "../rows/frame.ts";
import { cutCodes } from "./cut.ts";

/** A split of another feature that stands in. */
export interface Surrogate {
  readonly feature: number;
  /** Numeric: largest code of the lower side. */
  readonly code: number;
  readonly threshold: number;
  /** Numeric: branch of the lower side. */
  readonly below: number;
  /** Categorical: branch of each code, −1 where no row shows it. */
  readonly branches: Int8Array | undefined;
  /** Share of rows that it sends the same way. */
  readonly agreement: number;
  /** Agreement beyond the majority rule: (agreement − majority)/(1 − majority). */
  readonly adjusted: number;
}

/** Rows of a node and where the primary split sends them: 0, 1, or −1 for missing. */
export interface SentRows {
  readonly rows: Int32Array;
  readonly from: number;
  readonly to: number;
  /** By place from 0. */
  readonly branch: Int8Array;
  readonly weight: Float64Array | undefined;
}

/** Smallest adjusted agreement of a surrogate (rpart). */
const LEAST = 1e-10;

/** Best surrogates by agreement, on ties the lower feature. */
export function findSurrogates(
  frame: Frame,
  primary: number,
  sent: SentRows,
  most: number,
): Surrogate[] {
  const found: Surrogate[] = [];
  const totals = [0, 0];
  for (let i = sent.from; i < sent.to; i++) {
    const branch = sent.branch[i - sent.from];
    if (branch >= 0) totals[branch] += sent.weight?.[sent.rows[i]] ?? 1;
  }
  const total = totals[0] + totals[1];
  const majority = Math.max(totals[0], totals[1]) / total;
  for (let feature = 0; feature < frame.features.length; feature++) {
    if (feature === primary) continue;
    const column = frame.features[feature];
    const best = column.kind === "numeric"
      ? numericSurrogate(frame, feature, sent)
      : categoricalSurrogate(frame, feature, sent);
    if (best === undefined) continue;
    const agreement = best.agree / total;
    const adjusted = (agreement - majority) / (1 - majority);
    if (!(adjusted > LEAST)) continue;
    const { agree: _, ...rest } = best;
    found.push({ feature, ...rest, agreement, adjusted });
  }
  found.sort((a, b) => b.agreement - a.agreement || a.feature - b.feature);
  return found.slice(0, most);
}

type Candidate = Pick<Surrogate, "code" | "threshold" | "below" | "branches"> & {
  readonly agree: number;
};

/**
 * Best cut that leaves at least two rows on each side. Rows that the primary split cannot send count for
 * nothing, but a cut lies between neighbours of all rows, as rpart's do: of those that agree alike the
 * lowest.
 */
function numericSurrogate(frame: Frame, feature: number, sent: SentRows): Candidate | undefined {
  const column = frame.features[feature];
  const pairs: number[] = [];
  const weights = [0, 0];
  // Rows with a branch that are not yet, or already, on the lower side.
  let upper = 0;
  let lower = 0;
  for (let i = sent.from; i < sent.to; i++) {
    const row = sent.rows[i];
    const branch = sent.branch[i - sent.from];
    if (column.codes[row] === column.numCodes) continue;
    pairs.push(i - sent.from);
    if (branch < 0) continue;
    upper++;
    weights[branch] += sent.weight?.[row] ?? 1;
  }
  const codeOf = (place: number) => column.codes[sent.rows[sent.from + place]];
  pairs.sort((a, b) => codeOf(a) - codeOf(b) || a - b);
  // Agreement when the lower side goes left: lower rows sent left and upper rows sent right.
  let lowerLeft = 0;
  let lowerRight = 0;
  let agree = Math.max(weights[0], weights[1]);
  let best: Candidate | undefined;
  for (let i = 0; i < pairs.length; i++) {
    const code = codeOf(pairs[i]);
    const last = i > 0 ? codeOf(pairs[i - 1]) : code;
    if (upper < 2) break;
    if (lower >= 2 && code !== last) {
      const same = lowerLeft + weights[1] - lowerRight;
      const opposite = lowerRight + weights[0] - lowerLeft;
      if (opposite > agree || same > agree) {
        const below = opposite > agree ? 1 : 0;
        agree = below === 1 ? opposite : same;
        best = {
          agree,
          ...cutCodes(column.values, last, code, "below"),
          below,
          branches: undefined,
        };
      }
    }
    const branch = sent.branch[pairs[i]];
    if (branch < 0) continue;
    upper--;
    lower++;
    const weight = sent.weight?.[sent.rows[sent.from + pairs[i]]] ?? 1;
    if (branch === 0) lowerLeft += weight;
    else lowerRight += weight;
  }
  return best;
}

/** Each level goes the way most of its rows go; ties the way of the majority. */
function categoricalSurrogate(
  frame: Frame,
  feature: number,
  sent: SentRows,
): Candidate | undefined {
  const column = frame.features[feature];
  const sides = [new Float64Array(column.numCodes), new Float64Array(column.numCodes)];
  const seen = new Uint8Array(column.numCodes);
  const totals = [0, 0];
  for (let i = sent.from; i < sent.to; i++) {
    const row = sent.rows[i];
    const code = column.codes[row];
    const branch = sent.branch[i - sent.from];
    if (branch < 0 || code === column.numCodes) continue;
    const weight = sent.weight?.[row] ?? 1;
    sides[branch][code] += weight;
    totals[branch] += weight;
    seen[code] = 1;
  }
  const tie = totals[0] > totals[1] ? 0 : 1;
  const branches = new Int8Array(column.numCodes).fill(-1);
  let agree = 0;
  for (let code = 0; code < column.numCodes; code++) {
    if (!seen[code]) continue;
    const branch = sides[0][code] === sides[1][code]
      ? tie
      : sides[0][code] > sides[1][code]
      ? 0
      : 1;
    branches[code] = branch;
    agree += sides[branch][code];
  }
  return { agree, code: -1, threshold: 0, below: 0, branches };
}
