/** The WebAssembly scanner against its twin, and its rounding against `Number()`. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseTable } from "../../../src/data/csv/parse.ts";
import { CellKind, createScanner, type RowScanner } from "../../../src/data/csv/scan.ts";
import { createWasmScanner } from "../../../src/data/csv/wasm_scan.ts";

const encoder = new TextEncoder();

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(",", "\n", "\r", "\r\n", "1", "0", ".", "-", "7.25") },
  { weight: 2, arbitrary: fc.double({ noNaN: true }).map(String) },
  { weight: 2, arbitrary: fc.stringMatching(/^-?[0-9]{0,24}[.]?[0-9]{0,24}(e-?[0-9]{0,3})?$/) },
  fc.constantFrom(
    '"',
    '"a"',
    '"-12.5"',
    '"3e2"',
    '"1.5',
    '0"',
    '""',
    '"x,y"',
    " ",
    "é",
    "abc",
    "NA",
    "a long text cell, of 40 characters",
  ),
);

const line = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(""));

/** What a scan did, without what may differ: cells that only the twin leaves to the caller. */
function outcome(scanner: RowScanner, bytes: Uint8Array, kinds: number[], maxRows: number) {
  scanner.input.set(bytes);
  scanner.kinds.set(kinds);
  scanner.scan(0, bytes.length, maxRows);
  const [rows, position, numSlow, stop] = scanner.result;
  const cells: (string | number)[] = [];
  kinds.forEach((kind, column) => {
    for (let row = 0; row < rows; row++) {
      const at = column * scanner.rowCapacity + row;
      if (kind === CellKind.number) cells.push(scanner.values[at]);
      else if (kind === CellKind.text) {
        cells.push(`${scanner.spans[2 * at]}-${scanner.spans[2 * at + 1]}`);
      }
    }
  });
  const slow = new Map<string, string>();
  for (let i = 0; i < 4 * numSlow; i += 4) {
    const [row, column, start, end] = scanner.slow.subarray(i, i + 4);
    slow.set(`${row},${column}`, new TextDecoder().decode(scanner.input.slice(start, end)));
    const numbersBefore = kinds.slice(0, column).filter((kind) => kind !== CellKind.skip).length;
    cells[numbersBefore * rows + row] = "slow";
  }
  return { rows, position, stop, cells, slow };
}

/** Both scan a text alike, but for numbers that only the kernel reads itself. */
function assertAlike(
  text: string,
  kinds: number[],
  rows: number,
  empty: boolean,
  delimiter = ",",
) {
  const config = {
    numColumns: kinds.length,
    delimiter: delimiter.charCodeAt(0),
    decimal: 0x2e,
    emptyIsMissing: empty,
    inputBytes: 8192,
  };
  const bytes = encoder.encode(text);
  const twin = outcome(createScanner(config), bytes, kinds, rows);
  const wasm = outcome(createWasmScanner(config), bytes, kinds, rows);
  assertEquals([wasm.rows, wasm.position, wasm.stop], [twin.rows, twin.position, twin.stop]);
  wasm.cells.forEach((cell, i) => {
    if (twin.cells[i] !== "slow") assert(Object.is(cell, twin.cells[i]));
  });
  for (const [at, span] of wasm.slow) assertEquals(span, twin.slow.get(at));
  for (const [at, span] of twin.slow) {
    if (wasm.slow.has(at)) continue;
    // A number that the twin leaves to its caller, or nothing in quotes.
    assert(empty && span === "" || /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(span), span);
    const [row, column] = at.split(",").map(Number);
    const before = kinds.slice(0, column).filter((kind) => kind !== CellKind.skip).length;
    const value = wasm.cells[before * wasm.rows + row];
    assert(Object.is(value, span === "" ? NaN : Number(span)), `${span}: ${value}`);
  }
}

const columns = fc.array(fc.constantFrom(0, 0, 0, 1, 2), { minLength: 1, maxLength: 5 });

Deno.test("createWasmScanner() scans what its twin scans", () => {
  fc.assert(
    fc.property(
      line,
      columns,
      fc.integer({ min: 1, max: 20 }),
      fc.boolean(),
      (text, kinds, rows, empty) => assertAlike(text, kinds, rows, empty),
    ),
    { numRuns: 3000 },
  );
});

/** Cells that are nearly numbers. */
const nearly = fc.constantFrom(
  "-",
  ".",
  "-.",
  "-.5",
  "5.",
  "1-2",
  "--1",
  "1..2",
  "1.2.3",
  "1-",
  "+1",
);

Deno.test("createWasmScanner() scans any cell among many of one kind", () => {
  const short = fc.stringMatching(/^-?[0-9]{0,9}[.]?[0-9]{0,9}$/);
  const whole = fc.stringMatching(/^-?[0-9]{1,4}$/);
  const cell = fc.oneof(
    { weight: 4, arbitrary: whole },
    { weight: 4, arbitrary: short },
    { weight: 2, arbitrary: piece },
    nearly,
  );
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2), { minLength: 1, maxLength: 20 }),
      fc.constantFrom("7", "42", "4321", "-2.75", "0.12345678901234567"),
      fc.array(fc.array(cell, { minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      fc.constantFrom(",", ",", "\t", ";"),
      fc.constantFrom("\n", "\n", "\r\n", "\r"),
      (kinds, most, rows, empty, delimiter, newline) => {
        // What most cells of the first two thousand bytes are chooses the loop that reads all.
        const plain = kinds.map(() => most).join(delimiter) + newline;
        const others = rows.map((cells) =>
          // Some rows have a cell less than there are columns.
          kinds.slice(cells.length % 5 === 4 ? 1 : 0)
            .map((_, at) => at < cells.length ? cells[at] : most).join(delimiter) + newline
        );
        const text = plain.repeat(Math.ceil(2400 / plain.length)) + others.join(plain);
        assertAlike(text, kinds, 4096, empty, delimiter);
      },
    ),
    { numRuns: 900 },
  );
});

Deno.test("createWasmScanner() never joins two short rows to one", () => {
  for (const cell of ["7", "42", "4321", "2.75"]) {
    for (let numColumns = 2; numColumns < 9; numColumns++) {
      for (let split = 1; split < numColumns; split++) {
        const row = new Array<string>(numColumns).fill(cell);
        const parts = `${row.slice(split).join(",")}\n${row.slice(0, split).join(",")}\n`;
        const kinds = row.map(() => CellKind.number);
        const whole = `${row.join(",")}\n`;
        assertAlike(whole.repeat(Math.ceil(2400 / whole.length)) + parts, kinds, 4096, true);
      }
    }
  }
});

Deno.test("createWasmScanner() scans short cells wherever they lie in 64 bytes, as its twin does", () => {
  const cell = fc.oneof(
    { weight: 8, arbitrary: fc.stringMatching(/^[0-9]{0,4}$/) },
    { weight: 4, arbitrary: fc.stringMatching(/^-?[0-9]{1,2}[.][0-9]{0,5}$/) },
    { weight: 1, arbitrary: nearly },
    fc.constantFrom('"a"', '"1,2"', "x"),
  );
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(0, 0, 0, 0, 1), { minLength: 1, maxLength: 9 }),
      fc.array(fc.array(cell, { minLength: 9, maxLength: 9 }), { minLength: 1, maxLength: 60 }),
      fc.constantFrom("\n", "\r\n"),
      (kinds, rows, newline) => {
        const lines = rows.map((cells) => cells.slice(0, kinds.length).join(","));
        assertAlike(lines.map((cells) => cells + newline).join(""), kinds, 4096, true);
      },
    ),
    { numRuns: 1500 },
  );
});

Deno.test("createWasmScanner() passes over runs of empty cells as its twin does", () => {
  const cell = fc.oneof(
    { weight: 5, arbitrary: fc.constant("") },
    fc.constantFrom("1", "-2.5", "x", '""', '"7"', "3e+2"),
  );
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2), { minLength: 1, maxLength: 24 }),
      fc.array(fc.array(cell, { minLength: 1, maxLength: 26 }), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (kinds, rows, empty) => {
        // Most rows have as many cells as there are columns, some have more or fewer.
        const bytes = encoder.encode(
          rows.map((cells, i) =>
            (i < 2 ? kinds.map((_, at) => cells[at % cells.length]) : cells).join(",") + "\n"
          ).join(""),
        );
        const config = {
          numColumns: kinds.length,
          delimiter: 0x2c,
          decimal: 0x2e,
          emptyIsMissing: empty,
          inputBytes: 1024,
        };
        const twin = outcome(createScanner(config), bytes, kinds, 9);
        const wasm = outcome(createWasmScanner(config), bytes, kinds, 9);
        assertEquals([wasm.rows, wasm.position, wasm.stop], [twin.rows, twin.position, twin.stop]);
        wasm.cells.forEach((value, i) => {
          // An empty cell in quotes is missing to the kernel and left to the caller by the twin.
          const expected = twin.cells[i] === "slow" && Number.isNaN(value) ? NaN : twin.cells[i];
          if (twin.cells[i] !== "slow" || value !== 7) assert(Object.is(value, expected));
        });
      },
    ),
    { numRuns: 2000 },
  );
});

/** Bits of a column of decimals as the scanner and its caller read it. */
function bitsOf(texts: readonly string[]): BigUint64Array {
  const [column] = parseTable(texts.join("\n"), {
    header: false,
    types: { f0: "numeric" },
    missing: [],
    delimiter: ",",
  }, { createScanner: createWasmScanner }).columns;
  if (column?.kind !== "numeric") throw new Error("not numbers");
  return new BigUint64Array((column.values as Float64Array).slice().buffer);
}

Deno.test("createWasmScanner() rounds every decimal as Number() does", () => {
  const buffer = new BigUint64Array(1);
  const float = new Float64Array(buffer.buffer);
  // Any finite bit pattern, its neighbourhood half way to the next float, and long digit strings.
  const bits = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => {
    buffer[0] = value;
    return Number.isFinite(float[0]) ? float[0] : 1.5;
  });
  const halves = fc.integer({ min: 2 ** 30, max: 2 ** 31 - 1 }).chain((high) =>
    fc.tuple(fc.constant(BigInt(high) * 2n ** 23n + 1n), fc.integer({ min: -60, max: 20 }))
  ).map(([odd, power]) => `${odd}e${power}`);
  const decimal = fc.oneof(
    bits.map(String),
    bits.map((value) => value.toExponential(17)),
    fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => value.toFixed(15)),
    fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 19n }), fc.integer({ min: -80, max: 60 }))
      .map(([digits, power]) => `${digits}e${power}`),
    fc.tuple(fc.stringMatching(/^[0-9]{1,22}$/), fc.stringMatching(/^[0-9]{1,25}$/))
      .map(([whole, fraction]) => `${whole}.${fraction}`),
    halves,
    fc.stringMatching(/^-?[0-9]{0,3}\.[0-9]{1,36}([eE][+-]?[0-9]{1,5})?$/),
    fc.stringMatching(/^-?[0-9]{1,20}[eE][+-]?0{0,3}[0-9]{1,3}$/),
  );
  fc.assert(
    fc.property(fc.array(decimal, { minLength: 20, maxLength: 20 }), (texts) => {
      const expected = new BigUint64Array(Float64Array.from(texts, Number).buffer);
      assertEquals(bitsOf(texts), expected);
    }),
    { numRuns: 500 },
  );
});

Deno.test("createWasmScanner() settles ties and near ties as Number() does", () => {
  const texts = [
    "9007199254740993",
    "9007199254740993.0",
    "9007199254740992.99999",
    "18014398509481986e-1",
    "1.00000000000000011102230246251565",
    "0.500000000000000166533453693773481063544750213623046875",
    "8.41e21",
    "9.007199254740993e15",
    "2.2250738585072011e-308",
    "4.9e-324",
    "1.7976931348623157e308",
    "1e-65",
    "9999999999999999999",
    "1e40",
    "12345678901234567890",
    "-0",
    "-0.0e99",
  ];
  assertEquals(bitsOf(texts), new BigUint64Array(Float64Array.from(texts, Number).buffer));
});

Deno.test("the kernel reads digits of any count, in each kind of cell, as Number() does", () => {
  // Sixteen digits at once, up to three in front of them, eight, fewer: each has its own way.
  const digits = "98765432109876543210123456789012345678901";
  const texts: string[] = [];
  for (const whole of ["", "0", "7", "12", "905", "1234567", "00000001", "12345678901234567890"]) {
    for (let count = 0; count <= 40; count++) {
      if (whole === "" && count === 0) continue;
      const text = count === 0 ? whole : `${whole}.${digits.slice(count % 2, count % 2 + count)}`;
      for (const exponent of ["", "e5", "E-7", "e+22", "e-31", "e300"]) texts.push(text + exponent);
    }
  }
  const cell = (text: string, row: number) => {
    const signed = row % 2 === 0 ? text : `-${text}`;
    return row % 5 === 0 ? `"${signed}"` : signed;
  };
  const cells = texts.map(cell);
  const csv = `x,y\n${cells.map((one, i) => `${one},${cells.at(-1 - i)}`).join("\n")}\n`;
  const { columns } = parseTable(csv, {}, { createScanner: createWasmScanner });
  const expected = cells.map((one) => Number(one.replaceAll('"', "")));
  for (const [at, numbers] of [expected, expected.toReversed()].entries()) {
    const column = columns[at];
    assert(column?.kind === "numeric");
    numbers.forEach((number, row) =>
      assert(Object.is(column.values[row], number), `${csv.split("\n")[row + 1]} at row ${row}`)
    );
  }
});
