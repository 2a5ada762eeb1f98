/** What the scorer of few rows leaves to others: what its tables cannot name, and what they would be too large for. */
import { assertEquals } from "@std/assert";
import { createTreeBuilder, packTrees } from "../../../../../src/model/trees.ts";
import { createRng } from "../../../../../src/util/rng.ts";
import { type RandomModel, randomParts, spines } from "../../../../support/models/random.ts";
import { compareRows, encodedRows, packedOf, rowsOf } from "../../../../support/laws/row_scorer.ts";

Deno.test("createRows() leaves what its kernel has no place for to others", () => {
  const none: RandomModel[] = [
    { seed: 2, trees: 19, depth: 5, numeric: 40 },
    { seed: 3, trees: 60, depth: 6, numeric: 2, categorical: 2 }, // more than 32 slots of sets
    { seed: 4, trees: 9, depth: 5, outputs: 3, leafWidth: 3 },
  ];
  for (const spec of none) assertEquals(rowsOf(randomParts(spec)), undefined);
  // Sixteen trees that ask more than 254 cuts of a feature.
  const parts = randomParts({ seed: 5, trees: 16, depth: 8, numeric: 1 });
  parts.ensemble.trees.threshold.forEach((_, i, all) => all[i] = i);
  assertEquals(rowsOf(parts), undefined);
  // Deep trees that ask more cuts of a feature than two bytes number.
  const forest = randomParts({ seed: 21, trees: 37, depth: 10, numeric: 1 });
  let next = 0;
  forest.ensemble.trees.threshold.forEach((_, i, all) => all[i] = next++ % 600);
  assertEquals(rowsOf(forest), undefined);
  // Codes of all groups that are far more than the trees, though each group has few.
  const many = randomParts({ seed: 22, trees: 6400, depth: 4, numeric: 1 });
  many.ensemble.trees.threshold.forEach((_, i, all) => all[i] = i);
  assertEquals(rowsOf(many), undefined);
  // Trees that are laid out by more calls than a stack holds; stumps, of which heaps hold little.
  assertEquals(rowsOf(spines({ seed: 23, trees: 2 }, 10_000)), undefined);
  assertEquals(rowsOf(randomParts({ seed: 24, trees: 40_000, depth: 1 })), undefined);
  // More than 4 MiB of lines: a quarter of 320,000 tests, 64 bytes each.
  assertEquals(rowsOf(spines({ seed: 25, trees: 400 }, 1000)), undefined);
  // A start that float32 does not hold.
  const wide = randomParts({ seed: 6, trees: 5, depth: 4, profile: { sum: "f32" } });
  wide.ensemble.baseScore[0] = 0.1;
  assertEquals(rowsOf(wide), undefined);
});

Deno.test("createRows() takes 32 slots of a row, not 33", () => {
  const seen = new Set<number>();
  for (let seed = 40; seed < 90; seed++) {
    const parts = randomParts({ seed, trees: 12, depth: 3, numeric: 1, categorical: 2 });
    const { feat2, cut, dictSize, setWords } = packedOf(parts);
    // Numbers take four slots at once, each pair of a set and a missing side takes one.
    const pairs = new Set<string>();
    feat2.forEach((f2, j) => setWords[f2 >>> 1] > 0 && pairs.add(`${f2} ${cut[j]}`));
    const slots = pairs.size + (dictSize[0] > 0 ? 4 : 0);
    assertEquals(rowsOf(parts) !== undefined, slots <= 32, `${slots} slots`);
    if (slots > 29 && slots <= 32) compareRows(parts, encodedRows(parts, 40));
    seen.add(slots);
  }
  assertEquals([31, 32, 33].filter((slots) => !seen.has(slots)), []);
  const wide = randomParts({ seed: 90, trees: 40, depth: 5, numeric: 32 });
  assertEquals(packedOf(wide).dictSize.every((cuts) => cuts > 0), true);
  compareRows(wide, encodedRows(wide, 40));
});

Deno.test("createRows() takes a forest's tree of 16,384 leaves, not one of 32,768 that asks 256 cuts", () => {
  const { ensemble, ...rest } = randomParts({ seed: 20, trees: 1, depth: 1, numeric: 1 });
  for (const levels of [14, 15]) {
    const tree = createTreeBuilder(1);
    let leaves = 0;
    let tests = 0;
    const grow = (at: number, below: number) => {
      tree.setValue(at, [leaves / 7]);
      if (below === 0) return void leaves++;
      // Two cuts are asked seldom: the second group of codes numbers those.
      const cut = ++tests % 500 === 0 ? 254 + tests / 500 % 2 : tests % 254;
      const left = tree.splitThreshold(at, 0, cut, at & 1);
      grow(left, below - 1);
      grow(left + 1, below - 1);
    };
    grow(0, levels);
    const parts = { ...rest, ensemble: { ...ensemble, trees: packTrees([tree], 1) } };
    const { dictSize, treeNodes } = packedOf(parts);
    assertEquals([dictSize[0], treeNodes[0], leaves], [256, 2 ** levels - 1, 2 ** levels]);
    assertEquals(rowsOf(parts) !== undefined, levels === 14);
    const x = Float64Array.from({ length: 300 }, (_, i) => i % 11 === 5 ? NaN : i - 20.5);
    if (levels === 14) compareRows(parts, x);
  }
});

for (const leaves of [28_640, 28_641]) {
  Deno.test(`createRows() tells a tree's leaves from lines: ${leaves} of them`, () => {
    // Numbers of exits up to 0x7000 are 32 sets of upper tests and so many leaves; beyond, it is a forest.
    const { ensemble, ...rest } = randomParts({ seed: 36, trees: 1, depth: 1, numeric: 1 });
    const tree = createTreeBuilder(1);
    const open = [0];
    tree.setValue(0, [0]);
    for (let tests = 0; tests < leaves - 1; tests++) {
      const left = tree.splitThreshold(open.shift()!, 0, tests % 254, tests & 1);
      for (const at of [left, left + 1]) tree.setValue(at, [at / 7]), open.push(at);
    }
    const parts = { ...rest, ensemble: { ...ensemble, trees: packTrees([tree], 1) } };
    assertEquals(packedOf(parts).treeNodes[0] + 1, leaves);
    compareRows(parts, Float64Array.from({ length: 300 }, (_, i) => i === 9 ? NaN : i - 20.5));
  });
}

Deno.test("createRows() numbers the lines of a piece by fifteen bits", () => {
  // Twelve full levels: some 1600 lines a tree, of which most have a single test.
  const { ensemble, ...rest } = randomParts({ seed: 37, trees: 32, depth: 1, numeric: 2 });
  let tests = 0;
  const trees = Array.from({ length: 32 }, () => {
    const tree = createTreeBuilder(1);
    const grow = (at: number, below: number) => {
      tree.setValue(at, [tests / 7]);
      if (below === 0) return;
      const left = tree.splitThreshold(at, ++tests % 2, (tests * 101) % 254, at & 1);
      grow(left, below - 1);
      grow(left + 1, below - 1);
    };
    grow(0, 12);
    return tree;
  });
  const parts = { ...rest, ensemble: { ...ensemble, trees: packTrees(trees, 1) } };
  compareRows(parts, Float64Array.from({ length: 400 }, (_, i) => (i * 7919) % 255 - 0.5));
});

Deno.test("createRows() numbers lines of the other codes by twelve bits", () => {
  const { ensemble, ...rest } = randomParts({ seed: 38, trees: 33, depth: 1, numeric: 3 });
  const trees = Array.from({ length: 33 }, (_, t) => {
    const tree = createTreeBuilder(1);
    let value = t;
    const split = (at: number, f: number, cut: number) => {
      const left = tree.splitThreshold(at, f, cut, at & 1);
      for (const child of [left, left + 1]) tree.setValue(child, [++value / 7]);
      return left;
    };
    // A long way that most rows go; the others, of whom one in 40,000 is taken to come so far, are
    // asked 256 tests of two cuts that a byte has no number for, below others of their lines.
    const start = split(0, 0, 0);
    const chain = Array.from({ length: 22 }, (_, i) => (8 * t + i) % 254).sort((a, b) => a - b);
    const last = chain.reduce((at, cut) => split(at, 2, cut) + 1, start + 1);
    // Right below the upper tests.
    if (t === 0) split(start + 2, 2, 254);
    for (let i = 1, at = last; i <= 16; i++) at = split(at, i % 2, 8 * t + i) + 1;
    const grow = (at: number, below: number) => {
      if (below === 0) return;
      const left = split(at, 2, below === 1 ? 254 + at % 2 : (7 * at + 3 * t) % 254);
      grow(left, below - 1);
      grow(left + 1, below - 1);
    };
    grow(split(start, 1, 0), 9);
    return tree;
  });
  const parts = { ...rest, ensemble: { ...ensemble, trees: packTrees(trees, 1) } };
  const x = new Float64Array(900).fill(-1);
  for (let r = 0; r < 300; r++) {
    if (r % 4 === 0) x[3 * r] = 50;
    x[3 * r + 2] = r % 11 === 5 ? NaN : r - 20.5;
  }
  assertEquals(packedOf(parts).dictSize[2], 256);
  compareRows(parts, x);
});

Deno.test("createRows() takes forests whose upper levels ask cuts of the second group of codes", () => {
  const { ensemble, ...rest } = randomParts({ seed: 32, trees: 40, depth: 1, numeric: 1 });
  let tests = 0;
  const trees = Array.from({ length: 40 }, (_, t) => {
    const tree = createTreeBuilder(1);
    const grow = (at: number, level: number, lower: number) => {
      tree.setValue(at, [++tests / 7]);
      if (level === 9) return;
      // All others are asked by lower levels of each tree, which rows are asked more often in all.
      const seldom = level === 1 && lower === 1 && t % 20 === 7;
      const left = tree.splitThreshold(at, 0, seldom ? 100.5 + t : tests % 254, at & 1);
      grow(left, level + 1, 0);
      grow(left + 1, level + 1, 1);
    };
    grow(0, 0, 0);
    return tree;
  });
  const parts = { ...rest, ensemble: { ...ensemble, trees: packTrees(trees, 1) } };
  assertEquals(packedOf(parts).dictSize[0], 256);
  compareRows(parts, Float64Array.from({ length: 600 }, (_, i) => i === 9 ? NaN : i / 2 - 10.5));
});

Deno.test("createRows() takes forests that ask sets of categories", () => {
  for (const outputs of [1, 3]) {
    const parts = randomParts({
      seed: 31,
      trees: 50,
      depth: 13,
      numeric: 1,
      categorical: 1,
      outputs,
    });
    const { kind, feature, threshold } = parts.ensemble.trees;
    let sets = 0;
    let next = 0;
    kind.forEach((of, i) => {
      // A few sets, each of which is a slot with either side of missing values; 256 cuts, too many for heaps.
      if (of === 2 && sets++ > 4) [kind[i], feature[i]] = [1, 0];
      if (kind[i] === 1) threshold[i] = next++ % 256;
    });
    const { setWords, dictSize } = packedOf(parts);
    assertEquals([setWords[0], setWords[1] > 0, dictSize[0]], [0, true, 256]);
    const x = encodedRows(parts, 300);
    for (let i = 0; i < x.length; i += 2) x[i] = i % 7 === 3 ? NaN : i % 257 - 0.5;
    compareRows(parts, x);
  }
});

Deno.test("createRows() names leaves that trees share; of many, each tree has its own", () => {
  // 256 cuts of the only feature: more than heaps name. As i / 7, no float32 holds most leaves.
  const parts = randomParts({ seed: 34, trees: 420, depth: 11, numeric: 1 });
  const { leaf, threshold, kind } = parts.ensemble.trees;
  let next = 0;
  threshold.forEach((_, i) => threshold[i] = kind[i] === 0 ? 0 : next++ % 256);
  const x = Float64Array.from({ length: 40 }, (_, i) => i % 11 === 5 ? NaN : 13 * (i % 20) - 0.5);
  for (const distinct of [65_536, 65_537]) {
    let given = 0;
    kind.forEach((of, i) => of === 0 && (leaf[i] = given++ % distinct / 7));
    const { leafIndex, leaves } = packedOf(parts);
    const shared = distinct === 65_536;
    assertEquals([leafIndex !== undefined, leaves.length], [shared, shared ? distinct : given]);
    compareRows(parts, x);
  }
});

Deno.test("createRows() has room for a list of all trees where none ends above its heaps", () => {
  for (const numTrees of [33, 40, 41, 48]) {
    const spec = {
      seed: 5,
      trees: numTrees,
      depth: 1,
      numeric: 6,
      profile: { sum: "f32" },
    } as const;
    const { ensemble, ...rest } = randomParts(spec);
    const rng = createRng(numTrees);
    const builders = Array.from({ length: numTrees }, () => {
      const tree = createTreeBuilder(1);
      const grow = (at: number, levels: number) => {
        tree.setValue(at, [Math.fround(rng.nextFloat() - 0.5)]);
        if (levels === 0) return;
        const cut = Math.round(rng.nextFloat() * 100) / 30 - 1.5;
        const left = tree.splitThreshold(at, rng.nextInt(6), cut, rng.nextInt(2));
        grow(left, levels - 1);
        grow(left + 1, levels - 1);
      };
      grow(0, 9);
      return tree;
    });
    const parts = { ...rest, ensemble: { ...ensemble, trees: packTrees(builders, 1) } };
    compareRows(parts, encodedRows(parts, 50));
  }
});
