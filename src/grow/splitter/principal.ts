/**
 * Places levels on a line: their class shares along the first principal component.
 *
 * @module
 */

/**
 * Score of each level.
 *
 * @param levels Channels of each level (`numClasses` weights and a count).
 */
export function principalScores(
  levels: Float64Array,
  count: number,
  numClasses: number,
): Float64Array {
  const channels = numClasses + 1;
  const shares = new Float64Array(count * numClasses);
  const weights = new Float64Array(count);
  const mean = new Float64Array(numClasses);
  let total = 0;
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < numClasses; k++) weights[i] += levels[i * channels + k];
    for (let k = 0; k < numClasses; k++) {
      const share = weights[i] > 0 ? levels[i * channels + k] / weights[i] : 0;
      shares[i * numClasses + k] = share;
      mean[k] += levels[i * channels + k];
    }
    total += weights[i];
  }
  for (let k = 0; k < numClasses; k++) mean[k] /= total;
  const covariance = new Float64Array(numClasses * numClasses);
  for (let i = 0; i < count; i++) {
    for (let a = 0; a < numClasses; a++) {
      const da = shares[i * numClasses + a] - mean[a];
      for (let b = 0; b < numClasses; b++) {
        covariance[a * numClasses + b] += weights[i] * da * (shares[i * numClasses + b] - mean[b]);
      }
    }
  }
  const axis = firstComponent(covariance, numClasses);
  const scores = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < numClasses; k++) scores[i] += shares[i * numClasses + k] * axis[k];
  }
  return scores;
}

/** Power iteration from the row of the largest variance; 100 steps decide any order that matters. */
function firstComponent(matrix: Float64Array, size: number): Float64Array {
  let start = 0;
  for (let k = 1; k < size; k++) {
    if (matrix[k * size + k] > matrix[start * size + start]) start = k;
  }
  let axis = matrix.slice(start * size, (start + 1) * size);
  for (let step = 0; step < 100; step++) {
    const next = new Float64Array(size);
    let norm = 0;
    for (let a = 0; a < size; a++) {
      for (let b = 0; b < size; b++) next[a] += matrix[a * size + b] * axis[b];
      norm += next[a] * next[a];
    }
    if (!(norm > 0)) return axis;
    norm = Math.sqrt(norm);
    for (let k = 0; k < size; k++) next[k] /= norm;
    axis = next;
  }
  return axis;
}
