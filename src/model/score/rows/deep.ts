/**
 * Trees of any depth for rows.ts. Five tests of each tree that rows most likely come to are made at
 * once; those of sixteen trees together, a tree in each byte of a vector. What is below is cut into
 * chunks of four levels, each a line of the cache: the slots of its fifteen tests, their keys, its
 * sixteen exits. An exit is the number of a leaf or of another line.
 *
 * @module
 */
import { weighLeaf } from "../additive.ts";
import type { CutGroups } from "./cuts.ts";
import { createFrame } from "./frame.ts";
import { exitAt, KEYS, layEmpty, LEVELS, LINE, type Subtree } from "./lines.ts";
import { blocksOf, dealTrees, type Piece, putTrees } from "./pieces.ts";
import { isUneven, type Prepared, TREES } from "./shape.ts";
import { writeTables } from "./tables.ts";
import { SETS, TESTS, upperOf } from "./upper.ts";
import type { BatchScorer } from "../sliced.ts";

/**
 * Exits below this are numbers of a tree's values: those of the exits of its upper tests, then its
 * leaves. From here on they are lines of the other group of codes, and from `LINES` on those of the
 * same group.
 */
const OTHERS = 0x7000;
const LINES = 0x8000;
const MOST_LEAVES = OTHERS - SETS;
const MOST_OTHERS = LINES - OTHERS;
const MOST_LINES = 0x8000;
/** Most trees of a piece: the kernel numbers sixteens by seven bits. */
const MOST_TREES = 127 * TREES;
/** Inner nodes of a piece: their lines stay in the second cache while rows go through them. */
const MOST_NODES = 1 << 17;
/** Most bytes of lines: beyond the cache, walks read less. */
const MOST_BYTES = 1 << 22;
/** How many tests of the second group a row may be asked, by trees: each takes as long as some trees. */
const SELDOM = 1 / 512;
/** Words at the beginning of a block, in bytes. */
const HEAD = 32;
/** Where bits are behind the tests of sixteen trees: which sets of those that go right go on; bytes of both. */
const ONS = 2 * TREES * TESTS;
const BLOCK = ONS + TREES * SETS / 8;

/**
 * Makes the scorer; undefined for ensembles that it has no room for.
 *
 * @param shares How often rows come to inner nodes.
 * @param dealtCuts Undefined where two groups do not number all cuts.
 */
export function createDeep(
  prepared: Prepared,
  shares: Float64Array,
  dealtCuts: CutGroups | undefined,
): BatchScorer | undefined {
  const { packed, rules, f32, start, order, firstNode, end } = prepared;
  const { treeNodes, size, leaves, leafIndex } = packed;
  const numTrees = treeNodes.length;
  if (treeNodes.some((n) => n + 1 > MOST_LEAVES)) return undefined;
  // A line has fifteen tests at most: what is far too large is not looked at.
  if (LINE * (size.length - TESTS * numTrees) / 15 > MOST_BYTES) return undefined;
  const cuts = dealtCuts && dealtCuts.others <= SELDOM ? dealtCuts : undefined;
  // Large trees of even depth that ask too many cuts are a forest.
  if (cuts?.second !== undefined && !isUneven(prepared)) return undefined;
  const isFirst = cuts?.isFirst ?? (() => true);
  const uppers = Array.from(order, (tree) => upperOf(packed, shares, isFirst, rootOf(tree)));
  /** How many lines, lines of the other group and inner nodes are before each tree, once it is asked. */
  let counted: ReturnType<typeof countTrees> | undefined;
  const dealt = cuts === undefined ? dealTrees(prepared, fits) : dealCut(cuts);
  if (dealt === undefined || dealt.pieces.some(({ from, to }) => !fits(from, to))) return undefined;
  const { pieces, groups } = dealt;
  const before = counted ?? countTrees();
  if (LINE * before[numTrees].lines > MOST_BYTES) return undefined;

  const frame = createFrame(prepared, 0, groups, pieces.length);
  if (frame === undefined) return undefined;
  const { places, groupsAt } = frame;
  const valueBytes = f32 ? 4 : 8;
  const statesAt = places.take(2 * (numTrees + 2 * TREES));
  /** Bytes of a list of u16; of u32 there are two, and one of four words for each way to other codes. */
  const listBytes = 2 * (numTrees + 2 * TREES);
  const listAt = places.take(13 * listBytes);
  const laidAt = pieces.map((piece) => {
    const { from, to } = piece;
    const blocks = blocksOf(piece);
    const sum = (of: "lines" | "others" | "nodes") => before[to][of] - before[from][of];
    const numValues = sum("nodes") + (SETS + 1) * (to - from) + SETS;
    return {
      block: places.take(HEAD + BLOCK * blocks),
      exits: places.take(2 * SETS * TREES * blocks + 2),
      values: places.take(valueBytes * numValues),
      valuesOf: places.take(4 * TREES * blocks),
      others: places.take(4 + 4 * sum("others")),
      lines: Math.ceil(places.take(LINE * (sum("lines") + 2)) / LINE) * LINE,
    };
  });
  const buffer = frame.open();
  if (buffer === undefined) return undefined;
  const bytes = new Int8Array(buffer);
  const u16 = new Uint16Array(buffer);
  const u32 = new Uint32Array(buffer);
  const values = f32 ? new Float32Array(buffer) : new Float64Array(buffer);
  writeTables(bytes, true, true);
  pieces.forEach(layPiece);
  return frame.scorer((i, count) => {
    const { output, from, to, group } = pieces[i];
    const last = Math.min(to, end(output, count));
    // Places behind the last tree add nothing; less than 1, where all come too late, is no tree.
    const some = last === to ? TREES * blocksOf(pieces[i]) : last - from;
    return [laidAt[i].block, some, 8 * output, groupsAt[group]];
  });

  function rootOf(tree: number): Subtree {
    return [firstNode[tree], treeNodes[tree], firstNode[tree] + tree];
  }

  function countTrees() {
    let [lines, others, nodes] = [0, 0, 0];
    const before = [{ lines, others, nodes }];
    uppers.forEach(({ exits }, p) => {
      for (const { subtree: [j, n] } of exits) {
        if (n === 0) continue;
        if (!isFirst(j)) lines++;
        const [all, own] = countLines(size, isFirst, j, n);
        lines += all;
        others += all - own;
      }
      nodes += treeNodes[order[p]];
      before.push({ lines, others, nodes });
    });
    return before;
  }

  /** Whether trees can be one piece. Its first line is no tree's. */
  function fits(from: number, to: number): boolean {
    counted ??= countTrees();
    const [a, b] = [counted[from], counted[to]];
    return to - from <= MOST_TREES && b.lines - a.lines < MOST_LINES &&
      b.others - a.others <= MOST_OTHERS &&
      (to - from <= TREES || b.nodes - a.nodes <= MOST_NODES);
  }

  /** Deals trees to pieces where cuts, not trees, are dealt to groups. */
  function dealCut({ first, second }: CutGroups) {
    const pieces: Piece[] = [];
    for (let output = 0; output + 1 < start.length; output++) {
      for (let p = start[output]; p < start[output + 1]; p++) {
        putTrees(pieces, { output, from: p, to: p + 1, group: 0 }, fits);
      }
    }
    return { pieces, groups: second ? [first, second] : [first] };
  }

  function layPiece(piece: Piece, i: number): void {
    const { from, to, group } = piece;
    const at = laidAt[i];
    const blocks = blocksOf(piece);
    const own = groups[group];
    const others: number[] = [];
    let numLines = 0;
    let value = at.values / valueBytes;
    // Places without a tree add nothing, not even a sign.
    u32.fill(at.values, at.valuesOf >> 2, (at.valuesOf >> 2) + TREES * blocks);
    values.fill(-0, value, value += SETS);
    // Where what fills lists up goes.
    u16[(at.exits >> 1) + SETS * TREES * blocks] = layExitLine(0);
    for (let p = from; p < to; p++) layTree(p);
    u32.set(
      [at.exits, statesAt, at.lines, listAt, at.valuesOf, at.others, blocks << 9, listBytes],
      at.block >> 2,
    );
    u32.set([groupsAt.at(-1)!, ...others], at.others >> 2);

    function layTree(p: number): void {
      const tree = order[p];
      const [, n, firstLeaf] = rootOf(tree);
      const valueOf = (b: number) =>
        weighLeaf(rules, tree, leaves[leafIndex === undefined ? b : leafIndex[b]]);
      const k = p - from;
      const tests = at.block + HEAD + BLOCK * (k >> 4) + (k & 15);
      u32[(at.valuesOf >> 2) + k] = valueBytes * value;
      for (let i = 0; i <= n; i++) values[value + SETS + i] = valueOf(firstLeaf + i);
      uppers[p].tests.forEach((j, i) => {
        const { slot, key } = own.testOf(j);
        bytes[tests + 2 * TREES * i] = slot;
        bytes[tests + 2 * TREES * i + TREES] = key;
      });
      for (const { subtree, sets } of uppers[p].exits) {
        const isLeaf = subtree[1] === 0;
        const exit = isLeaf ? valueOf(subtree[2]) : lineTo(subtree, firstLeaf);
        for (let set = 0; set < SETS; set++) {
          if ((sets >>> set & 1) === 0) continue;
          if (isLeaf) values[value + set] = exit;
          else {
            u16[(at.exits >> 1) + TREES * (SETS * (k >> 4) + set) + (k & 15)] = exit;
            bytes[tests + ONS + TREES * (set >> 3)] |= 1 << (set & 7);
          }
        }
      }
      value += SETS + n + 1;
    }

    /** Lays out what is below the upper tests of a tree. Gives its exit, which is of the first group. */
    function lineTo(subtree: Subtree, firstLeaf: number): number {
      const exit = exitTo(subtree);
      return exit < LINES ? layExitLine(exit) : exit;

      function exitTo([j, n, b]: Subtree): number {
        if (n === 0) return SETS + b - firstLeaf;
        const isOwn = isFirst(j);
        const codes = isOwn ? own : cuts!.second!;
        const exit = layExitLine(0);
        const line = at.lines + LINE * (exit - LINES);
        layTests(j, n, b, 1, 0);
        return isOwn ? exit : OTHERS + others.push(line) - 1;

        function layTests(j: number, n: number, b: number, i: number, level: number): void {
          if (n === 0 || level === LEVELS || isFirst(j) !== isOwn) {
            u16[exitAt(line, i, level)] = exitTo([j, n, b]);
            return;
          }
          const { slot, key } = codes.testOf(j);
          bytes[line + i - 1] = slot;
          bytes[line + KEYS + i - 1] = key;
          const s = size[j];
          layTests(j + 1, s - 1, b, 2 * i, level + 1);
          layTests(j + s, n - s, b + s, 2 * i + 1, level + 1);
        }
      }
    }

    /** Lays a line out all of whose ways have one exit. Gives the exit to it. */
    function layExitLine(exit: number): number {
      layEmpty(bytes, u16, at.lines + LINE * numLines, exit);
      return LINES + numLines++;
    }
  }
}

/** Lines of a subtree with tests, and those of them that are of the first group. */
function countLines(
  size: Prepared["packed"]["size"],
  isFirst: CutGroups["isFirst"],
  j: number,
  n: number,
): [all: number, own: number] {
  let all = 0;
  let own = 0;
  count(j, n);
  return [all, own];

  function count(j: number, n: number): void {
    const isOwn = isFirst(j);
    all++;
    if (isOwn) own++;
    countBelow(j, n, 0);

    function countBelow(j: number, n: number, level: number): void {
      if (n === 0) return;
      if (level === LEVELS || isFirst(j) !== isOwn) return count(j, n);
      const s = size[j];
      countBelow(j + 1, s - 1, level + 1);
      countBelow(j + s, n - s, level + 1);
    }
  }
}
