import { assertEquals } from "@std/assert";
import { SPLIT_BYTES, SplitField, SplitMode } from "../../../src/kernels/items/split.ts";
import { writePatterns } from "../../../src/kernels/patterns.ts";
import { A, B, bothAgree, C, D, E, law, PATTERNS } from "../../support/laws/kernels.ts";

const [ITEMS, SEGMENTS, WIDE, TABLES] = [D, D + 4096, B + 4096, C + 65536];
const BLOCKS = 3;

/** A split of a node, in plain words. */
interface Split {
  readonly node: number;
  readonly mode: keyof typeof SplitMode;
  readonly wide: boolean;
  /** Of each code. */
  readonly goesLeft: readonly boolean[];
}

/** A root split by all its rows, its children into nodes, their children into leaves or left alone. */
const NODES: readonly Omit<Split, "goesLeft">[] = [
  { node: 0, mode: "partitionAll", wide: false },
  { node: 1, mode: "partition", wide: true },
  { node: 2, mode: "partition", wide: false },
  { node: 3, mode: "splitLeaf", wide: false },
  { node: 4, mode: "splitLeaf", wide: true },
  { node: 5, mode: "fillLeaf", wide: false },
];

law("all splits of a tree in one block, which are those of rows sent one by one", (n, seed, k) => {
  const size = k % 2 === 0 ? 1 : 4;
  const block = k % BLOCKS;
  const from = 1000 * block;
  const codes8: number[] = [];
  const codes16: number[] = [];
  const splits: Split[] = [];
  bothAgree(seed, (memory, rng) => {
    const { u8, u16, u32 } = memory;
    writePatterns(memory, PATTERNS);
    for (const list of [codes8, codes16, splits]) list.length = 0;
    // Codes near each other, so that some are the last that go left, or the next.
    const least = rng.nextInt(216);
    const code8 = () => least + rng.nextInt(40);
    for (let row = 0; row < n; row++) {
      codes8.push(u8[B + from + row] = rng.nextInt(9) === 0 ? 255 : code8());
      codes16.push(u16[(WIDE >>> 1) + from + row] = rng.nextInt(700));
    }
    NODES.forEach((split, i) => {
      const table = TABLES + 1024 * i;
      const last = code8();
      const isNumeric = i === 0 || (!split.wide && n % 2 === 0);
      const goesLeft = Array.from(
        { length: 700 },
        (_, code) => isNumeric ? code <= last || code === 255 : rng.nextInt(k + 1) === 0,
      );
      goesLeft.forEach((left, code) => u8[table + code] = left ? 1 : 0);
      splits.push({ ...split, goesLeft });
      const item = (ITEMS + i * SPLIT_BYTES) >>> 2;
      u32[item + SplitField.entry] = split.node;
      u32[item + SplitField.rightEntry] = 2 * split.node + 2;
      u32[item + SplitField.buffer] = split.node === 0 ? 0 : split.node < 3 ? 1 : 0;
      u32[item + SplitField.column] = split.wide ? WIDE : B;
      u32[item + SplitField.wide] = split.wide ? 1 : 0;
      u32[item + SplitField.table] = table;
      u32[item + SplitField.mode] = SplitMode[split.mode];
      u32[item + SplitField.left] = 10 + i;
      u32[item + SplitField.right] = 20 + i;
      u32[item + SplitField.last] = isNumeric ? last : -1;
      u32[item + SplitField.other] = 255;
    });
    u32[(SEGMENTS >>> 2) + 2 * block] = 40; // where the block's rows begin in the lists
    u32[(SEGMENTS >>> 2) + 2 * block + 1] = n;
  }, (kernels, memory) => {
    // The left child of a node has the node's place: those of 1 and 2 are split again as 3 and 5.
    const { u32 } = memory;
    const segmentOf = (node: number) => (SEGMENTS >>> 2) + 2 * (node * BLOCKS + block);
    const run = (first: number, count: number) =>
      kernels.splitBlock(
        ITEMS + first * SPLIT_BYTES,
        count,
        SEGMENTS,
        BLOCKS,
        block,
        from,
        A,
        E,
        E + 131072,
        size,
        PATTERNS,
      );
    const move = (child: number, parent: number) => {
      for (const word of [0, 1]) u32[segmentOf(child) + word] = u32[segmentOf(parent) + word];
    };
    run(0, 1);
    move(1, 0);
    run(1, 2);
    move(3, 1);
    move(5, 2);
    run(3, 3);
    // Each row by itself.
    const { u8, i32 } = memory;
    const counts = new Map<number, number>();
    for (let row = 0; row < n; row++) {
      let node = 0;
      for (let i = splits.findIndex((one) => one.node === node); i >= 0;) {
        const { mode, wide, goesLeft } = splits[i];
        const left = goesLeft[wide ? codes16[row] : codes8[row]];
        counts.set(node, (counts.get(node) ?? 0) + 1);
        if (mode === "fillLeaf" || mode === "splitLeaf") {
          const leaf = mode === "fillLeaf" || left ? 10 + i : 20 + i;
          const at = E + 131072;
          assertEquals(size === 1 ? u8[at + row] : i32[(at >>> 2) + row], leaf);
          break;
        }
        node = 2 * node + (left ? 1 : 2);
        i = splits.findIndex((one) => one.node === node);
      }
    }
    for (const node of [3, 4, 5]) {
      assertEquals(u32[segmentOf(node) + 1], counts.get(node) ?? 0);
    }
  });
});
