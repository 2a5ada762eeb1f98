import { assertEquals } from "@std/assert";
import { blockSize } from "../../../../../src/grow/histogram/workspace/layout.ts";

Deno.test("blockSize() gives each thread as many blocks of rows", () => {
  // 325,610 rows of 16 bytes: five blocks of at most 65,536 would leave one of two threads waiting.
  const blocks = (threads: number) => Math.ceil(325_610 / blockSize(325_610, threads, 16));
  assertEquals([1, 2, 3, 5].map(blocks), [5, 6, 6, 10]);
});
