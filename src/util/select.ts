/**
 * One number of those in order, by parting them around others instead of sorting: linear in the
 * numbers for all but contrived orders, which are sorted.
 *
 * Hoare, "Algorithm 65: find", CACM 4, 1961; pivots near the wanted place by Floyd and Rivest,
 * "Algorithm 489: SELECT", CACM 18, 1975.
 *
 * @module
 */

/** So few numbers are sorted at once. */
const FEW = 24;

/** Partings after which numbers are sorted: 2^22 of them take about ten. */
const MOST_PARTINGS = 64;

/**
 * What `values.sort()[index]` gives. Parts the numbers in their place: those before `index` are not
 * above it afterwards, those after it not below.
 *
 * @param values Overwritten; NaN comes last, -0 counts as 0.
 * @param index From 0, below the number of values.
 */
export function selectInPlace(values: Float64Array, index: number): number {
  const numKnown = moveNaNsBehind(values);
  if (index >= numKnown) return NaN;
  let from = 0;
  let to = numKnown - 1;
  for (let parting = 0; to - from >= FEW; parting++) {
    if (parting === MOST_PARTINGS) {
      values.subarray(from, to + 1).sort();
      return values[index] + 0;
    }
    const pivot = pivotNear(values, index, from, to);
    let i = from;
    let j = to;
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const value = values[i];
      values[i++] = values[j];
      values[j--] = value;
    }
    if (index <= j) to = j;
    else if (index >= i) from = i;
    else return values[index] + 0;
  }
  sortFew(values, from, to);
  return values[index] + 0;
}

/** A number that is likely to be close to the one wanted, on its far side. */
function pivotNear(values: Float64Array, index: number, from: number, to: number): number {
  const count = to - from + 1;
  const middle = from + (count >> 1);
  if (count < 600) return medianOfThree(values[from], values[middle], values[to]);
  // A sample that is spread evenly; its members near the wanted share are likely to enclose it.
  const size = 2 * Math.floor(Math.cbrt(count)) + 1;
  const sample = new Float64Array(size);
  const step = (count - 1) / (size - 1);
  for (let i = 0; i < size; i++) sample[i] = values[from + Math.floor(i * step)];
  sample.sort();
  const share = (index - from) / count;
  const away = share < 0.5 ? 1 : -1;
  const place = Math.round(share * (size - 1) + away * 0.5 * Math.sqrt(size * share * (1 - share)));
  return sample[Math.max(0, Math.min(size - 1, place))];
}

function medianOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

/** Sorts the numbers from one place to another by insertion. */
function sortFew(values: Float64Array, from: number, to: number): void {
  for (let i = from + 1; i <= to; i++) {
    const value = values[i];
    let at = i - 1;
    while (at >= from && values[at] > value) values[at + 1] = values[at--];
    values[at + 1] = value;
  }
}

/** Moves NaNs to the end; says how many numbers are before them. */
function moveNaNsBehind(values: Float64Array): number {
  let numKnown = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value !== value) continue;
    values[numKnown++] = value;
  }
  values.fill(NaN, numKnown);
  return numKnown;
}

/**
 * The least value that has a weight and with which the weights of all values up to it, the smaller
 * ones first, reach a target; the largest value where none does.
 *
 * @param values At least one; overwritten, as are the weights. None is NaN.
 * @param weights Same length, none negative.
 */
export function selectByWeight(
  values: Float64Array,
  weights: Float64Array,
  target: number,
): number {
  let from = 0;
  let to = values.length - 1;
  let before = 0; // weight of the values before `from`
  for (let parting = 0; to - from >= FEW && parting < MOST_PARTINGS; parting++) {
    const pivot = medianOfThree(values[from], values[(from + to) >> 1], values[to]);
    let i = from;
    let j = to;
    let below = 0;
    while (i <= j) {
      while (values[i] < pivot) below += weights[i++];
      while (values[j] > pivot) j--;
      if (i > j) break;
      const value = values[i];
      const weight = weights[j];
      values[i] = values[j];
      weights[j] = weights[i];
      values[j--] = value;
      weights[i++] = weight;
      below += weight;
    }
    // Neither side is all of them: the pivot lies between two of the three it was taken from.
    if (below > 0 && before + below >= target) {
      to = i - 1;
    } else {
      before += below;
      from = i;
    }
  }
  return walkWeights(values.subarray(from, to + 1), weights.subarray(from, to + 1), before, target);
}

/** Adds up weights in the order of the values until they reach the target. */
function walkWeights(
  values: Float64Array,
  weights: Float64Array,
  before: number,
  target: number,
): number {
  const order = Int32Array.from(values, (_, i) => i).sort((a, b) => values[a] - values[b]);
  let reached = before;
  for (const at of order) {
    reached += weights[at];
    if (weights[at] > 0 && reached >= target) return values[at];
  }
  return values[order[order.length - 1]];
}
