/**
 * Tables to train on as bins and as values.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import { createRng } from "../../../src/util/rng.ts";

/** Numbers with many and with few values, holes, a text column, and one whose text comes late. */
export function table(rows: number): string {
  const rng = createRng(9);
  const lines = Array.from({ length: rows }, (_, i) => {
    const x = rng.nextFloat() * 100 - 50;
    const late = i === rows - 1 ? "x" : String(i % 5);
    const hole = rng.nextInt(10) === 0 ? "" : (rng.nextFloat() ** 4).toFixed(5);
    const y = (x > 3 ? 1 : 0) + (late === "2" ? 2 : 0) + rng.nextFloat();
    return [x, rng.nextInt(40), hole, `level ${rng.nextInt(6)}`, late, y].join(",");
  });
  return `x,few,hole,text,late,y\n${lines.join("\n")}\n`;
}

/** Trains on both and compares all bytes: trees, self-test and statistics. */
export async function assertSameModel(
  binned: Dataset,
  plain: Dataset,
  maxBins: number,
): Promise<void> {
  assertEquals(
    binned.features.some((column) => column.kind === "numeric" && column.binned !== undefined),
    true,
  );
  const params = { rounds: 4, maxBins, seed: 3 };
  const [a, b] = [
    await trainBoost(plain, params, { threads: 1 }),
    await trainBoost(binned, params, { threads: 1 }),
  ];
  assertEquals([...b.attachments.keys()], ["TEST", "STAT"]);
  assertEquals(encodeModel(b), encodeModel(a));
}
