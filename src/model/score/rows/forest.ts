/**
 * Large trees of even depth for rows.ts. Below their upper levels they are cut into chunks of four
 * levels, each a line of the cache: the slots of its fifteen tests, their keys, its sixteen exits. An
 * exit is a leaf, by a number that tells its value, or goes on to another line.
 *
 * @module
 */
import { weighLeaf } from "../additive.ts";
import type { CutGroups } from "./cuts.ts";
import { createFrame } from "./frame.ts";
import { exitAt, KEYS, layEmpty, LEVELS, LINE, type Subtree } from "./lines.ts";
import { isUneven, MOST_EVEN, type Prepared, TREES } from "./shape.ts";
import { exitPlace, writeTables } from "./tables.ts";
import type { BatchScorer } from "../sliced.ts";

/** Levels that are left at once by sixteen trees. */
const UPPER = 4;
/**
 * Exits below this are how many lines to go on. From here on they are numbers of leaves, and behind
 * those, numbers of lines of the other group of codes.
 */
const NUMBERS = 1 << 15;
/** Tests of a tree that ways go to one by one, at most: each takes as long as some trees. */
const MOST_OTHERS = 0.25;
/** Ways in step go on until no more than these have not ended: those are taken one by one. */
const LATE = 1 / 20;
/** Bytes of the tests of upper levels of sixteen trees, and of their exits. */
const TESTS = 32 * ((1 << UPPER) - 1);
const STARTS = 4 * TREES << UPPER;
/** Words at the beginning of a block, in bytes. */
const HEAD = 48;
/** Bytes of lines that the second cache keeps while rows go through them. */
const CACHE = 1 << 19;

/** What comes below a chunk: its place, in u16, and the subtree. */
type Exit = readonly [at: number, ...subtree: Subtree];

/** Makes the scorer; undefined for trees that are not such ones. */
export function createForest(prepared: Prepared, cuts: CutGroups): BatchScorer | undefined {
  const { packed, rules, f32, start, order, firstNode, end, deepest } = prepared;
  const { treeNodes, size, leaves, leafIndex } = packed;
  const numTrees = treeNodes.length;
  if (isUneven(prepared) || deepest <= MOST_EVEN) return undefined;
  const { first, second, isFirst, isSecond } = cuts;
  if (cuts.others > MOST_OTHERS) return undefined;
  const counts = countLines(prepared, cuts);
  const { rounds, others } = counts;
  if (counts.most >= NUMBERS) return undefined;

  // Trees share values, or each has its own ones.
  const shared = leafIndex !== undefined && leaves.length + others <= NUMBERS &&
    rules.treeWeight.every((weight) => weight === 1);
  const numLeaves = shared ? leaves.length : counts.mostLeaves;
  if (numLeaves + others > NUMBERS) return undefined;

  const valueBytes = f32 ? 4 : 8;
  const blocksOf = (output: number) => Math.ceil((start[output + 1] - start[output]) / TREES);
  const outputs = Array.from(start.keys()).slice(0, -1);
  const frame = createFrame(prepared, -1, second ? [first, second] : [first], outputs.length);
  if (frame === undefined) return undefined;
  const { places, groupsAt } = frame;
  const codesAt = places.take(64 * frame.mostRows);
  const takenAt = places.take(numTrees + TREES);
  const valuesAt = places.take(valueBytes * (shared ? numLeaves : size.length + numTrees));
  const valuesOfAt = places.take(4 * numTrees);
  const othersAt = places.take(4 * others);
  const laidAt = outputs.map((output) => ({
    block: places.take(HEAD),
    tests: places.take(TESTS * blocksOf(output)),
    starts: places.take(STARTS * blocksOf(output)),
  }));
  const linesAt = Math.ceil(places.take(LINE * (counts.all + 2)) / LINE) * LINE;
  const buffer = frame.open([groupsAt[0], groupsAt.at(-1)!, codesAt]);
  if (buffer === undefined) return undefined;
  const bytes = new Int8Array(buffer);
  const u16 = new Uint16Array(buffer);
  const u32 = new Uint32Array(buffer);
  writeTables(bytes, true, false);
  layValues();
  /** Where the next line is, and how many are of the other group. */
  let next = linesAt;
  let numOthers = 0;
  // Where ways without a tree are.
  const exitLine = layExitLine(NUMBERS);
  const turn = Math.max(1, Math.floor(CACHE / (LINE * TREES * counts.all / numTrees))) * TREES;
  outputs.forEach((output, i) => {
    const { block, tests, starts } = laidAt[i];
    const values = shared ? valuesAt - NUMBERS * valueBytes : valuesOfAt + 4 * start[output];
    u32.set(
      [tests, starts, takenAt, rounds - 1, values, +shared, numLeaves, othersAt, turn],
      block >> 2,
    );
    u32.fill(exitLine, starts >> 2, starts + STARTS * blocksOf(output) >> 2);
    for (let p = start[output]; p < start[output + 1]; p++) {
      layTree(p, tests, starts, p - start[output]);
    }
  });
  return frame.scorer((i, count) => {
    const output = outputs[i];
    return [laidAt[i].block, end(output, count) - start[output], 8 * output, 0];
  });

  /** Values of leaves; and where those of each tree are, as if its numbers began with 0. */
  function layValues(): void {
    const values = f32 ? new Float32Array(buffer!) : new Float64Array(buffer!);
    const to = valuesAt / valueBytes;
    for (let i = 0; shared && i < leaves.length; i++) values[to + i] = leaves[i];
    for (let p = 0; p < numTrees && !shared; p++) {
      const tree = order[p];
      const firstLeaf = firstNode[tree] + tree;
      u32[(valuesOfAt >> 2) + p] = valuesAt + valueBytes * (firstLeaf - NUMBERS);
      for (let b = firstLeaf; b <= firstLeaf + treeNodes[tree]; b++) {
        values[to + b] = weighLeaf(rules, tree, leaves[leafIndex === undefined ? b : leafIndex[b]]);
      }
    }
  }

  /** Lays out the `k`-th tree of an output, at position `p` of all. */
  function layTree(p: number, testsAt: number, startsAt: number, k: number): void {
    const tree = order[p];
    const firstLeaf = firstNode[tree] + tree;
    const tests = testsAt + TESTS * (k >> 4) + (k & 15);
    const starts = startsAt + STARTS * (k >> 4) + exitPlace(k & 15);
    layTop([firstNode[tree], treeNodes[tree], firstLeaf], 0, 0);

    /** @param set Levels at which the way went right, a bit each. */
    function layTop(subtree: Subtree, level: number, set: number): void {
      const [j, n, b] = subtree;
      if (n === 0 || level === UPPER || !isFirst(j)) {
        // Other exits than lines of the first group are those of a line without tests.
        const line = n > 0 && isFirst(j) ? layLine(subtree) : layExitLine(exitTo(subtree, 0));
        // What leaves the upper levels early has many exits.
        for (let e = set; e < 1 << UPPER; e += 1 << level) u32[starts + 16 * e >> 2] = line;
        return;
      }
      const { slot, key } = first.testOf(j);
      const all = 1 << level;
      const to = tests + 32 * (all - 1 + set);
      bytes[to] = slot;
      bytes[to + 16] = key;
      const s = size[j];
      layTop([j + 1, s - 1, b], level + 1, set);
      layTop([j + s, n - s, b + s], level + 1, set | all);
    }

    /** Lays out what is behind an exit of the line at `from`. */
    function exitTo(subtree: Subtree, from: number): number {
      const [j, n, b] = subtree;
      if (n === 0) return NUMBERS + (shared ? leafIndex![b] : b - firstLeaf);
      const line = layLine(subtree);
      if (isFirst(j)) return (line - from) / LINE;
      u32[(othersAt >> 2) + numOthers] = line;
      return NUMBERS + numLeaves + numOthers++;
    }

    /** Lays a subtree of at least one test out. Gives the place of its first line. */
    function layLine(subtree: Subtree): number {
      const line = layExitLine(0);
      const isOwn = isFirst(subtree[0]);
      const exits: Exit[] = [];
      layTests(...subtree, 1, 0);
      // Those of the largest subtrees, which rows most likely go to, are the next ones.
      exits.sort((a, b) => b[2] - a[2]);
      for (const [at, ...subtree] of exits) u16[at] = exitTo(subtree, line);
      return line;

      function layTests(j: number, n: number, b: number, i: number, level: number): void {
        const at = exitAt(line, i, level);
        if (n === 0) {
          u16[at] = exitTo([j, n, b], line);
          return;
        }
        if (level === LEVELS || !(isOwn ? isFirst(j) : isSecond(j))) {
          exits.push([at, j, n, b]);
          return;
        }
        const { slot, key } = (isOwn ? first : second!).testOf(j);
        bytes[line + i - 1] = slot;
        bytes[line + KEYS + i - 1] = key;
        const s = size[j];
        layTests(j + 1, s - 1, b, 2 * i, level + 1);
        layTests(j + s, n - s, b + s, 2 * i + 1, level + 1);
      }
    }
  }

  /** Lays a line without tests out, all of whose ways have one exit. Gives its place. */
  function layExitLine(exit: number): number {
    const line = next;
    next += LINE;
    layEmpty(bytes, u16, line, exit);
    return line;
  }
}

/** Lines of an ensemble. */
interface Counts {
  readonly all: number;
  /** Those of the other group of codes. */
  readonly others: number;
  /** Of one tree, and its leaves. */
  readonly most: number;
  readonly mostLeaves: number;
  /** How many of them nearly all ways go through at most, if either side of each test is as likely. */
  readonly rounds: number;
}

function countLines({ packed, firstNode }: Prepared, { isFirst, isSecond }: CutGroups): Counts {
  const { size, treeNodes } = packed;
  const reached: number[] = [];
  let all = 0;
  let others = 0;
  let most = 0;
  let mostLeaves = 0;
  treeNodes.forEach((n, t) => {
    const before = all;
    countTop(firstNode[t], n, 0, 1);
    most = Math.max(most, all - before);
    mostLeaves = Math.max(mostLeaves, n + 1);
  });
  let rounds = 1;
  while (reached[rounds] > LATE * treeNodes.length) rounds++;
  return { all, others, most, mostLeaves, rounds };

  function countTop(j: number, n: number, level: number, share: number): void {
    if (n === 0 || !isFirst(j)) all++;
    if (n === 0) return;
    if (level === UPPER || !isFirst(j)) return count(j, n, 0, share);
    const s = size[j];
    countTop(j + 1, s - 1, level + 1, share / 2);
    countTop(j + s, n - s, level + 1, share / 2);
  }

  function count(j: number, n: number, round: number, share: number): void {
    const isOwn = isFirst(j);
    all++;
    if (!isOwn) others++;
    reached[round] = (reached[round] ?? 0) + share;
    countBelow(j, n, 0, share);

    function countBelow(j: number, n: number, level: number, share: number): void {
      if (n === 0) return;
      if (level === LEVELS || !(isOwn ? isFirst(j) : isSecond(j))) {
        return count(j, n, round + 1, share);
      }
      const s = size[j];
      countBelow(j + 1, s - 1, level + 1, share / 2);
      countBelow(j + s, n - s, level + 1, share / 2);
    }
  }
}
