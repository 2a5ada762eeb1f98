/** Codes of text cells by the table in WebAssembly against those without one. */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseTable } from "../../src/data/csv.ts";
import { CellKind, createScanner } from "../../src/data/csv/scan.ts";
import { createWasmScanner } from "../../src/data/csv/wasm_scan.ts";

/** Texts that differ in any place, at lengths around those of one, two and three vectors. */
const long = fc.tuple(
  fc.constantFrom(1, 14, 15, 16, 17, 18, 31, 32, 33, 47, 48, 49),
  fc.nat({ max: 50 }),
  fc.constantFrom("b", "é", "c"),
).map(([length, at, letter]) => {
  const letters = Array.from({ length }, () => "a");
  letters[at % length] = letter;
  return letters.join("");
});
const cell = fc.oneof(long, fc.nat({ max: 2000 }).map((i) => `v${i}`), fc.constantFrom("", "NA"));

Deno.test("createWasmScanner().cells gives the categories that cells have without a table", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 400 }),
      fc.boolean(),
      (rows, trim) => {
        const text = rows.map((row) => row.map((value) => trim ? ` ${value}` : value).join(","))
          .join("\n");
        // Two passes through the rows, so that the second finds what the first kept.
        const bytes = new TextEncoder().encode(`p,q,r\n${text}\n${text}\n`);
        const options = {
          trim,
          types: {
            p: "categorical" as const,
            q: "categorical" as const,
            r: "categorical" as const,
          },
        };
        const twin = parseTable(bytes, options, { createScanner });
        const wasm = parseTable(bytes, options, { createScanner: createWasmScanner });
        assertEquals(wasm.columns, twin.columns);
        assertEquals(wasm.numRows, 2 * rows.length);
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("createWasmScanner().cells finds what was kept, for each column, and nothing else", () => {
  const numRows = 1500;
  const texts = Array.from({ length: numRows }, (_, i) => `${"x".repeat(i % 40)}${i}`);
  const bytes = new TextEncoder().encode(texts.map((one) => `${one},${one}\n`).join(""));
  const scanner = createWasmScanner({
    numColumns: 2,
    delimiter: 0x2c,
    decimal: 0x2e,
    emptyIsMissing: true,
    inputBytes: bytes.length,
  });
  scanner.input.set(bytes);
  scanner.kinds.fill(CellKind.text);
  scanner.scan(0, bytes.length, numRows);
  assertEquals(scanner.result[0], numRows);
  const cells = scanner.cells!;
  for (let row = 0; row < numRows; row++) {
    assertEquals(cells.find(0, row, numRows), row);
    cells.keep(0, scanner.spans[2 * row], scanner.spans[2 * row + 1], 7 * row - 1);
  }
  assertEquals(cells.find(0, 0, numRows), numRows);
  assertEquals(
    [...cells.codes.subarray(0, numRows)],
    Array.from({ length: numRows }, (_, row) => 7 * row - 1),
  );
  assertEquals(cells.find(1, 0, numRows), 0);
});

Deno.test("createWasmScanner().cells keeps what fits and says no more when it is full", () => {
  // Twelve cells of 1 MB: more than the 8 MB that there are for tables.
  const count = 12;
  const size = 1 << 20;
  const bytes = new Uint8Array(count * size).fill(0x61);
  for (let row = 0; row < count; row++) {
    bytes[row * size] = 0x62 + row;
    bytes[row * size + size - 1] = 0x0a;
  }
  const scanner = createWasmScanner({
    numColumns: 1,
    delimiter: 0x2c,
    decimal: 0x2e,
    emptyIsMissing: true,
    inputBytes: bytes.length,
  });
  scanner.input.set(bytes);
  scanner.kinds.fill(CellKind.text);
  scanner.scan(0, bytes.length, count);
  const cells = scanner.cells!;
  const kept: number[] = [];
  for (let row = 0; row < count; row++) {
    cells.keep(0, scanner.spans[2 * row], scanner.spans[2 * row + 1], row);
    if (cells.find(0, row, row + 1) === row + 1) kept.push(cells.codes[row]);
  }
  assertEquals(kept, [0, 1, 2, 3, 4, 5, 6]);
  // The dictionary of the reader goes on where the table stops.
  const types = { f0: "categorical" as const };
  const { columns } = parseTable(bytes, { header: false, types }, {
    createScanner: createWasmScanner,
  });
  assertEquals(columns[0]?.kind === "categorical" && [...columns[0].codes], [
    ...Array(count).keys(),
  ]);
});
