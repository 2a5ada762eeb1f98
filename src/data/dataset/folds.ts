/**
 * Folds that rows at random would spoil: whole groups (patients, shops), and time, where the future
 * never trains for the past.
 *
 * @module
 */
import { ParameterError } from "../../errors.ts";
import { createRng, shuffle } from "../../util/rng.ts";
import type { Fold } from "./split.ts";

function checkFolds(folds: number, units: number, what: string): void {
  if (Number.isInteger(folds) && folds >= 2 && folds <= units) return;
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot make ${folds} folds: expected a whole number from 2 to ${units} (${what})`,
    { details: { param: "folds", value: folds } },
  );
}

function foldOf(
  numRows: number,
  isTest: (row: number) => boolean,
  isTrain: (row: number) => boolean,
): Fold {
  const test: number[] = [];
  const train: number[] = [];
  for (let row = 0; row < numRows; row++) {
    if (isTest(row)) test.push(row);
    else if (isTrain(row)) train.push(row);
  }
  return { train: Int32Array.from(train), test: Int32Array.from(test) };
}

/**
 * Folds of whole groups: rows with the same key are on the same side of every fold. Groups are dealt
 * in random order, large ones first, each to the fold with the fewest rows.
 *
 * @param groups Key of each row.
 * @param counted Rows that weigh something, omitted where all do: others do not count, and groups of
 * nothing else are dealt in turn.
 */
export function groupFolds(
  groups: ArrayLike<string | number>,
  folds: number,
  seed: number,
  counted?: ArrayLike<number>,
): Fold[] {
  const sizes = new Map<string | number, number>();
  const keysCounted = counted === undefined ? groups : Array.from(counted, (row) => groups[row]);
  for (let i = 0; i < keysCounted.length; i++) {
    sizes.set(keysCounted[i], (sizes.get(keysCounted[i]) ?? 0) + 1);
  }
  const weigh = counted === undefined ? "" : " that weigh something";
  checkFolds(folds, sizes.size, `the number of groups${weigh}`);
  const keys = shuffle([...sizes.keys()], createRng(seed))
    .sort((a, b) => sizes.get(b)! - sizes.get(a)!);
  const rows = new Float64Array(folds);
  const home = new Map<string | number, number>();
  for (const key of keys) {
    const fold = rows.indexOf(Math.min(...rows));
    home.set(key, fold);
    rows[fold] += sizes.get(key)!;
  }
  for (let row = 0; row < groups.length; row++) {
    if (!home.has(groups[row])) home.set(groups[row], home.size % folds);
  }
  return Array.from(
    { length: folds },
    (_, k) => foldOf(groups.length, (row) => home.get(groups[row]) === k, () => true),
  );
}

/**
 * Folds in order of time: the rows are cut into `folds + 1` blocks, and fold k trains on blocks
 * 0 … k and tests on block k + 1. Rows of the same time stay in the same block.
 *
 * @param time Time of each row; omitted, the order of the rows.
 * @param counted Rows that weigh something, omitted where all do: blocks have as many of them, and
 * others are in the block of their time.
 * @throws {ParameterError} `E_PARAM_RANGE` for a time that is no number, which is neither past nor
 * future, or too many folds.
 */
export function timeFolds(
  numRows: number,
  folds: number,
  time?: ArrayLike<number>,
  counted?: ArrayLike<number>,
): Fold[] {
  for (let row = 0; time !== undefined && row < numRows; row++) {
    if (time[row] === time[row]) continue;
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot fold by time ${time[row]} at row ${row + 1}: expected a number`,
      { details: { param: "time", row: row + 1 } },
    );
  }
  const at = (row: number) => time?.[row] ?? row;
  const order = Int32Array.from({ length: numRows }, (_, row) => row)
    .sort((a, b) => at(a) - at(b) || a - b);
  const numCounted = counted?.length ?? numRows;
  const counts = new Uint8Array(numRows).fill(counted === undefined ? 1 : 0);
  for (let i = 0; counted !== undefined && i < counted.length; i++) counts[counted[i]] = 1;
  const distinct = new Set(Array.from(order.filter((row) => counts[row] === 1), at)).size;
  const weigh = numCounted < numRows ? " of rows that weigh something" : "";
  checkFolds(folds, distinct - 1, `one less than the number of different times${weigh}`);
  const block = new Int32Array(numRows);
  let current = 0;
  let before = 0;
  for (let i = 0; i < numRows; i++) {
    // Behind the last row that counts no block begins.
    if (i > 0 && at(order[i]) !== at(order[i - 1]) && before < numCounted) {
      current = Math.max(current, Math.floor(before * (folds + 1) / numCounted));
    }
    block[order[i]] = current;
    before += counts[order[i]];
  }
  return Array.from(
    { length: folds },
    (_, k) => foldOf(numRows, (row) => block[row] === k + 1, (row) => block[row] <= k),
  ).filter(({ test, train }) => test.length > 0 && train.length > 0);
}
