/**
 * What a row adds to a node. Every split rule here is a function of sums over rows, so all of them
 * share one set of channels: the weight of each class, or the moments of a number; the last channel
 * is always the number of rows.
 *
 * @module
 */

/** Class labels and row weights. Channels: weight of each class, count. */
export interface ClassSource {
  readonly kind: "class";
  /** Length `numRows`, each in `0 … numClasses − 1`. */
  readonly codes: Int32Array;
  readonly numClasses: number;
  readonly weight?: Float64Array;
}

/** Numbers and row weights. Channels: Σw, Σwy, Σw·second, count. */
export interface MomentSource {
  readonly kind: "moment";
  readonly values: Float64Array;
  /** What the third channel sums; y² when absent. */
  readonly second?: Float64Array;
  readonly weight?: Float64Array;
}

/** What a row adds to a node. */
export type StatSource = ClassSource | MomentSource;

/** Number of channels of a source. */
export function channelsOf(source: StatSource): number {
  return source.kind === "class" ? source.numClasses + 1 : 4;
}

/** A node while its split is looked for. */
export interface NodeView {
  /** Row numbers; the node's are `from … to − 1`. */
  readonly rows: Int32Array;
  readonly from: number;
  readonly to: number;
  /** Share of each row (same places as `rows`), for rows that are in several nodes at once. */
  readonly share: Float64Array | undefined;
  /** Channels of the whole node. */
  readonly total: Float64Array;
  /** Class of each of the node's rows, by place from 0; unused for moments. */
  readonly classes: Int32Array;
  /** Label of each of the node's rows; unused for classes. */
  readonly labels: Float64Array;
  /** Third-channel value of each of the node's rows. */
  readonly seconds: Float64Array;
  /** Weight of each of the node's rows. */
  readonly weights: Float64Array;
  readonly depth: number;
}

/** A view that is filled again for each node. */
export interface MutableNodeView extends NodeView {
  rows: Int32Array;
  from: number;
  to: number;
  share: Float64Array | undefined;
  total: Float64Array;
  depth: number;
}

/** Makes a view with room for `capacity` rows. */
export function createNodeView(source: StatSource, capacity: number): MutableNodeView {
  const isClass = source.kind === "class";
  return {
    rows: new Int32Array(0),
    from: 0,
    to: 0,
    share: undefined,
    total: new Float64Array(channelsOf(source)),
    classes: new Int32Array(isClass ? capacity : 0),
    labels: new Float64Array(isClass ? 0 : capacity),
    seconds: new Float64Array(isClass ? 0 : capacity),
    weights: new Float64Array(capacity),
    depth: 0,
  };
}

/**
 * Gathers labels and weights of a node's rows and sums its channels.
 *
 * @returns Whether the rows differ in label, so that a split could help.
 */
export function fillNodeView(view: MutableNodeView, source: StatSource): boolean {
  return source.kind === "class" ? fillClasses(view, source) : fillMoments(view, source);
}

function fillClasses(view: MutableNodeView, source: ClassSource): boolean {
  const { rows, from, to, share, classes, weights } = view;
  const total = new Float64Array(source.numClasses + 1);
  const { codes, weight } = source;
  let k = 0;
  for (let i = from; i < to; i++, k++) {
    const row = rows[i];
    const label = codes[row];
    let w = weight === undefined ? 1 : weight[row];
    if (share !== undefined) w *= share[i];
    classes[k] = label;
    weights[k] = w;
    total[label] += w;
  }
  total[source.numClasses] = to - from;
  view.total = total;
  let present = 0;
  for (let k = 0; k < source.numClasses; k++) if (total[k] > 0) present++;
  return present > 1;
}

function fillMoments(view: MutableNodeView, source: MomentSource): boolean {
  const { rows, from, to, share, labels, seconds, weights } = view;
  const total = new Float64Array(4);
  const { values, second, weight } = source;
  let low = Infinity;
  let high = -Infinity;
  let sumW = 0;
  let sumY = 0;
  let sumS = 0;
  let k = 0;
  for (let i = from; i < to; i++, k++) {
    const row = rows[i];
    const y = values[row];
    let w = weight === undefined ? 1 : weight[row];
    if (share !== undefined) w *= share[i];
    const s = second === undefined ? y * y : second[row];
    labels[k] = y;
    seconds[k] = s;
    weights[k] = w;
    sumW += w;
    sumY += w * y;
    sumS += w * s;
    if (y < low) low = y;
    if (y > high) high = y;
  }
  total[0] = sumW;
  total[1] = sumY;
  total[2] = sumS;
  total[3] = to - from;
  view.total = total;
  return low < high;
}

/** Weight of a node from its channels. */
export function weightOf(source: StatSource, stats: Float64Array, at = 0): number {
  if (source.kind === "moment") return stats[at];
  let weight = 0;
  for (let k = 0; k < source.numClasses; k++) weight += stats[at + k];
  return weight;
}
