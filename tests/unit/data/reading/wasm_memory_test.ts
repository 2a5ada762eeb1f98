/** Memories that one reader leaves to the next. */
import { assert, assertEquals } from "@std/assert";
import { parseTable } from "../../../../src/data/csv/parse.ts";
import { createScanner } from "../../../../src/data/csv/scan.ts";
import { createTablePass } from "../../../../src/data/csv/table.ts";
import { lendKernel, returnKernel } from "../../../../src/data/reading/wasm_memory.ts";
import { FREE_AT, kernelModule } from "../../../../src/data/reading/wasm_module.ts";
import { createWasmScanner } from "../../../../src/data/csv/wasm_scan.ts";
import { createRng } from "../../../../src/util/rng.ts";

Deno.test("lendKernel() gives zeros where they were asked for, and no memory twice at once", () => {
  const module = kernelModule()!;
  const first = lendKernel(module, 1 << 20, FREE_AT);
  new Uint8Array(first.memory.buffer).fill(7, FREE_AT, 1 << 19);
  returnKernel(first, 1 << 19);
  const again = lendKernel(module, 1 << 25, 1 << 18);
  assert(again.memory === first.memory);
  assert(again.memory.buffer.byteLength >= 1 << 25);
  assert(new Uint8Array(again.memory.buffer, 1 << 18).every((byte) => byte === 0));
  assert(lendKernel(module, 1 << 20, FREE_AT).memory !== again.memory);
});

Deno.test("returnKernel() lets a memory go that much was written to", () => {
  const module = kernelModule()!;
  const large = lendKernel(module, 1 << 20, FREE_AT);
  returnKernel(large, 1 << 24);
  assert(lendKernel(module, 1 << 20, FREE_AT).memory !== large.memory);
});

Deno.test("returnKernel() takes a kernel back once, so that two readers never share a memory", () => {
  const module = kernelModule()!;
  const first = lendKernel(module, 1 << 20, FREE_AT);
  returnKernel(first, FREE_AT);
  const second = lendKernel(module, 1 << 20, FREE_AT);
  returnKernel(first, FREE_AT);
  assert(lendKernel(module, 1 << 20, FREE_AT).memory !== second.memory);
});

/** A table of numbers, texts and texts that are there in many spellings. */
function table(seed: number): Uint8Array {
  const rng = createRng(seed);
  const numColumns = 1 + rng.nextInt(9);
  const cell = (column: number) =>
    column % 3 === seed % 3
      ? (rng.nextFloat() * 100).toFixed(rng.nextInt(9))
      : `${"é ".repeat(rng.nextInt(2))}${column}${"x".repeat(rng.nextInt(40))}`;
  const row = () => Array.from({ length: numColumns }, (_, column) => cell(column)).join(",");
  const head = Array.from({ length: numColumns }, (_, column) => `c${column}`).join(",");
  return new TextEncoder().encode([head, ...Array.from({ length: 400 }, row)].join("\n"));
}

Deno.test("createTablePass() reads tables one after another and side by side as its twin does", () => {
  const means = { createScanner: createWasmScanner };
  for (let seed = 0; seed < 24; seed++) {
    const [a, b] = [table(seed), table(seed + 1)];
    const expected = [a, b].map((bytes) => parseTable(bytes, {}, { createScanner }).columns);
    assertEquals(parseTable(a, {}, means).columns, expected[0]);
    const passes = [a, b].map((bytes) => ({ bytes, pass: createTablePass({}, means) }));
    for (const { bytes, pass } of passes) pass.push(bytes.subarray(0, bytes.length >> 1));
    for (const { bytes, pass } of passes) pass.push(bytes.subarray(bytes.length >> 1));
    passes.forEach(({ pass }, at) => {
      const result = pass.finish();
      assert(result.done);
      assertEquals(result.table.columns, expected[at]);
    });
  }
});

Deno.test("levels that only rows left out have are left out, levels of all others are there", () => {
  const rows = Array.from({ length: 3000 }, (_, i) => `${i % 7},level ${i % 50}`);
  rows[1700] = "1,only here,too many";
  rows[2100] = "x,only here as well";
  const read = (lines: readonly string[], types: Record<string, "numeric">) => {
    const table = parseTable(`n,c\n${lines.join("\n")}\n`, { badRows: "skip:9", types }, {
      createScanner: createWasmScanner,
    });
    const [, column] = table.columns;
    assert(column?.kind === "categorical");
    return column.categories;
  };
  const expected = [...new Set(Array.from({ length: 50 }, (_, i) => `level ${i}`))].sort();
  assertEquals(read(rows, { n: "numeric" }), expected);
  assertEquals(read(rows.filter((_, i) => i !== 1700 && i !== 2100), {}), expected);
});
