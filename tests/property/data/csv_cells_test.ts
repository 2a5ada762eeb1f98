/** Codes of text cells by the table in WebAssembly against those without one. */
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { parseTable } from "../../../src/data/csv/parse.ts";
import { CellKind, createScanner } from "../../../src/data/csv/scan.ts";
import { createWasmScanner } from "../../../src/data/csv/wasm_scan.ts";
import { DataError } from "../../../src/errors.ts";

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
    const { input, spans } = scanner;
    cells.keep(0, input, spans[2 * row], spans[2 * row + 1], 7 * row - 1);
  }
  assertEquals(cells.find(0, 0, numRows), numRows);
  assertEquals(
    [...cells.codes.subarray(0, numRows)],
    Array.from({ length: numRows }, (_, row) => 7 * row - 1),
  );
  assertEquals(cells.find(1, 0, numRows), 0);
});

/** Text that a reader must judge: spaces, missing tokens, any script, long cells. */
const odd = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom(
    "a",
    " a",
    "a ",
    " ",
    "NA",
    " NA ",
    "",
    "\u{10ffff}",
    "\ud7ff",
    "\uffff",
    "\u{1f600}",
  ),
  fc.string({ unit: fc.constantFrom("a", "é", "語", "🙂"), minLength: 10, maxLength: 70 }),
).filter((text) => !/["\r\n,\0]/.test(text));

/** The vocabulary that the rules ask for, by strings: distinct, not missing, by code point. */
function plainVocabulary(texts: readonly string[], trim: boolean): string[] {
  const strip = (text: string) => text.replace(/^[ \t]+|[ \t]+$/g, "");
  const missing = new Set(["", "NA", "NaN", "nan", "null", "?", "N/A"]);
  const values = texts.map((text) => trim ? strip(text) : text)
    .filter((text) => !missing.has(strip(text)));
  const points = (text: string) => [...text].map((one) => one.codePointAt(0)!);
  return [...new Set(values)].sort((a, b) => {
    const [x, y] = [points(a), points(b)];
    const at = x.findIndex((point, i) => point !== y[i]);
    return at < 0 ? x.length - y.length : at >= y.length ? 1 : x[at] - y[at];
  });
}

Deno.test("a text column has the levels of its cells, sorted by code point, with and without a table", () => {
  fc.assert(
    fc.property(
      fc.array(odd, { minLength: 1, maxLength: 120 }),
      fc.boolean(),
      (texts, trim) => {
        // Never all numbers, which are sorted by value; and never blank, which is no row.
        const all = [...texts, "zz"];
        const bytes = new TextEncoder().encode(`p,q\n${all.map((text) => `${text},x\n`).join("")}`);
        const expected = plainVocabulary(all, trim);
        for (const create of [createScanner, createWasmScanner]) {
          const { columns } = parseTable(bytes, { trim, types: { p: "categorical" } }, {
            createScanner: create,
          });
          const column = columns[0];
          if (column?.kind !== "categorical") throw new Error("not text");
          assertEquals(column.categories, expected);
          all.forEach((text, row) => {
            const [level] = plainVocabulary([text], trim);
            assertEquals(column.categories[column.codes[row]], level);
          });
        }
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("levels of long common beginnings are sorted, however many they are", () => {
  const numRows = 3000;
  // A fixed shuffle of numbers behind 5, 40 and 100 letters.
  const texts = Array.from({ length: numRows }, (_, i) => {
    const at = (i * 1237) % numRows;
    return `${"k".repeat([5, 40, 100][at % 3])}${String(at).padStart(5, "0")}`;
  });
  const bytes = new TextEncoder().encode(`p\n${texts.join("\n")}\n`);
  const { columns } = parseTable(bytes, {}, { createScanner: createWasmScanner });
  const column = columns[0];
  if (column?.kind !== "categorical") throw new Error("not text");
  assertEquals(column.categories, [...texts].sort());
  assertEquals(Array.from(column.codes, (code) => column.categories[code]), texts);
});

Deno.test("among thousands of levels, cells with spaces around and missing ones are what they are", () => {
  // 1,800 levels come twice, the second time in any of these clothes.
  const clothes = [
    (text: string) => text,
    (text: string) => ` ${text}`,
    (text: string) => `${text}\t `,
  ];
  const texts = Array.from(
    { length: 1800 },
    (_, i) => `${i % 3 ? "é" : "a longer level, "}${7 * i}`,
  );
  const rows = [...texts, ...texts.map((text, i) => i % 11 ? clothes[i % 3](text) : " NA ")];
  const bytes = new TextEncoder().encode(`c\n${rows.map((text) => `"${text}"`).join("\n")}\n`);
  for (const trim of [true, false]) {
    const expected = rows.map((text) => text === " NA " ? undefined : trim ? text.trim() : text);
    const options = { trim, delimiter: ",", missing: ["NA"] };
    const { columns } = parseTable(bytes, options, { createScanner: createWasmScanner });
    const [column] = columns;
    if (column?.kind !== "categorical") throw new Error("not text");
    assertEquals(Array.from(column.codes, (code) => column.categories[code]), expected);
    assertEquals(column.categories.length, new Set(expected).size - 1);
  }
  // The 3,000th row holds a NUL.
  const bad = rows.map((text, i) => i === 2999 ? "x\0y" : text.trim());
  const error = assertThrows(
    () =>
      parseTable(new TextEncoder().encode(`c\n${bad.join("\n")}\n`), { delimiter: ";" }, {
        createScanner: createWasmScanner,
      }),
    DataError,
  );
  assertEquals(error.details?.line, 3001);
});

Deno.test("cells that are not UTF-8 or hold a NUL are refused by name, in a table too", () => {
  const refused = [[0xff], [0xc0, 0x80], [0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80], [
    0xf4,
    0x90,
    0x80,
    0x80,
  ]];
  refused.push([0x61, 0xe2, 0x82], [0x61, 0, 0x62], [0xf0, 0x8f, 0xbf, 0xbf], [0x80]);
  for (const cell of refused) {
    const head = new TextEncoder().encode("p\nx\n");
    const bytes = new Uint8Array([...head, ...cell, 0x0a, 0x78, 0x0a]);
    for (const create of [createScanner, createWasmScanner]) {
      const error = assertThrows(
        () => parseTable(bytes, {}, { createScanner: create }),
        DataError,
        `column "p" at line 3`,
      );
      assertEquals(error.details, { line: 3, position: 1, column: "p" });
      // And left out where that is allowed, without a trace in the vocabulary.
      const { columns } = parseTable(bytes, { badRows: "skip:1" }, { createScanner: create });
      assertEquals(columns[0], {
        kind: "categorical",
        name: "p",
        codes: new Int32Array([0, 0]),
        categories: ["x"],
      });
    }
  }
});

Deno.test("levels move along when a long record asks for a larger scanner, and stay when memory grows", () => {
  // 20 MB of levels; records of 300 kB with quotes in quotes among them.
  const count = 20;
  const size = 1 << 20;
  const parts = ["first,1\nNA,2\n"];
  for (let row = 0; row < count; row++) {
    parts.push(`${String.fromCharCode(98 + row)}${"a".repeat(size)},3\n`);
    if (row % 7 === 0) parts.push(`"${"q".repeat(3e5)} ""${row}""",4\n`);
    parts.push(`first,5\n${row % 2 === 0 ? "second" : "thïrd"},6\n`);
  }
  const bytes = new TextEncoder().encode(`p,q\n${parts.join("")}`);
  const wasm = parseTable(bytes, {}, { createScanner: createWasmScanner });
  const twin = parseTable(bytes, {}, { createScanner });
  const fast = parseTable(bytes);
  const [a, b, c] = [wasm, twin, fast].map(({ columns }) => {
    const column = columns[0];
    if (column?.kind !== "categorical") throw new Error("not text");
    return [[...column.codes], column.categories.map((text) => text.slice(0, 1) + text.length)];
  });
  assertEquals(a, b);
  assertEquals(c, b);
  assertEquals(b[1].length, count + 3 + 3);
});
