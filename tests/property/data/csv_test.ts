/**
 * Laws of reading CSV: what `@std/csv` reads, what `Number()` reads, and no dependence on how the
 * bytes come in.
 */
import { assertEquals } from "@std/assert";
import { parse, stringify } from "@std/csv";
import fc from "fast-check";
import { parseTable } from "../../../src/data/csv/parse.ts";
import { createTablePass } from "../../../src/data/csv/table.ts";
import type { Column } from "../../../src/data/types.ts";

const encoder = new TextEncoder();

/** Cell text with everything that CSV has a rule for. */
const cell = fc.oneof(
  fc.string({
    unit: fc.constantFrom("a", "b", ",", ";", '"', "\n", " ", "é", "😀", "\t", "1", "|"),
  }),
  fc.string(),
  fc.constantFrom("", "NA", "1.5", '"', '""', "\n", "a\nb", " x "),
).filter((text) => !text.includes("\0") && !text.includes("\r"));

/** Rows of text cells under a header, two columns or more. */
const rows = fc.integer({ min: 2, max: 5 }).chain((width) =>
  fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 12 })
);

/** Every column as text, nothing missing. */
function textOf(csv: string, width: number): string[][] {
  const names = Array.from({ length: width }, (_, at) => `c${at}`);
  const types = Object.fromEntries(names.map((name) => [name, "categorical" as const]));
  const { columns, numRows } = parseTable(csv, {
    header: false,
    names,
    types,
    missing: [],
    delimiter: ",",
  });
  return Array.from({ length: numRows }, (_, row) =>
    columns.map((column) => {
      if (column?.kind !== "categorical") throw new Error("not text");
      return column.categories[column.codes[row]];
    }));
}

Deno.test("parseTable() reads what @std/csv wrote, cell by cell", () => {
  fc.assert(fc.property(rows, fc.boolean(), (table, crlf) => {
    const csv = stringify(table, { headers: false, crlf });
    assertEquals(textOf(csv, table[0].length), table);
  }));
});

Deno.test("parseTable() reads what @std/csv reads in text of any quoting", () => {
  // Quotes are put around cells at random, also where they are not needed.
  const quoted = (text: string, always: boolean) =>
    always || /[",\n\r]/.test(text) || text === "" ? `"${text.replaceAll('"', '""')}"` : text;
  fc.assert(fc.property(rows, fc.infiniteStream(fc.boolean()), (table, coin) => {
    const csv = table.map((row) =>
      row.map((text) => quoted(text, coin.next().value as boolean)).join(",")
    ).join("\n");
    assertEquals(textOf(csv, table[0].length), parse(csv));
  }));
});

Deno.test("parseTable() agrees with @std/csv on which text is malformed", () => {
  const soup = fc.array(fc.constantFrom('"', ",", "\n", "a", "b", '""', '",', ',"', "1"), {
    minLength: 1,
    maxLength: 14,
  }).map((parts) => `x,y\n${parts.join("")}`);
  const attempt = (run: () => string[][]) => {
    try {
      return run();
    } catch {
      return undefined;
    }
  };
  fc.assert(
    fc.property(soup, (csv) => {
      const theirs = attempt(() => parse(csv));
      const ragged = theirs?.some((row) => row.length !== 2);
      const ours = attempt(() => textOf(csv, 2));
      assertEquals(ours, ragged ? undefined : theirs);
    }),
    { numRuns: 2000 },
  );
});

/** Decimals as files write them, short and long. */
const decimal = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value.toExponential(18)),
  fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map((value) => value.toFixed(7)),
  fc.maxSafeInteger().map(String),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.tuple(
    fc.constantFrom("", "-", "+"),
    fc.stringMatching(/^[0-9]{0,22}$/),
    fc.stringMatching(/^[0-9]{1,30}$/),
    fc.constantFrom("", "e5", "E-7", "e+22", "e-22", "e23", "e308", "e-324", "e-400", "e400"),
  ).map(([sign, whole, fraction, power]) => `${sign}${whole}.${fraction}${power}`),
  fc.constantFrom("-0", "0.0", "5.", ".5", "9007199254740993", "1e22", "1e23", "4.35", "0.1e-20"),
);

function numbersOf(csv: string, decimalComma = false): Float64Array {
  const [column] = parseTable(csv, {
    header: false,
    names: ["x"],
    types: { x: "numeric" },
    missing: [],
    delimiter: ";",
    decimal: decimalComma ? "," : ".",
  }).columns;
  if (column?.kind !== "numeric") throw new Error("not numbers");
  return column.values as Float64Array;
}

Deno.test("parseTable() gives the float64 that Number() gives, for every decimal", () => {
  fc.assert(fc.property(fc.array(decimal, { minLength: 1, maxLength: 40 }), (texts) => {
    const expected = Float64Array.from(texts, Number);
    const bits = (values: Float64Array) => new BigUint64Array(values.buffer, 0, values.length);
    assertEquals(bits(numbersOf(texts.join("\n")).slice()), bits(expected));
    const commas = texts.map((text) => text.replace(".", ","));
    assertEquals(bits(numbersOf(commas.join("\n"), true).slice()), bits(expected));
    const spaced = texts.map((text) => ` ${text}\t`);
    assertEquals(bits(numbersOf(spaced.join("\n")).slice()), bits(expected));
  }));
});

Deno.test("parseTable() takes a column for numbers exactly when every cell is a decimal", () => {
  const token = fc.oneof(
    { weight: 3, arbitrary: decimal },
    fc.constantFrom(
      "inf",
      "-Infinity",
      "0x10",
      "1_0",
      "1e",
      "e5",
      ".",
      "-",
      "+",
      "1.2.3",
      "--1",
      "1-",
    ),
  );
  const isNumber = (text: string) =>
    /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) || /^[+-]?inf(inity)?$/i.test(text);
  fc.assert(fc.property(fc.array(token, { minLength: 1, maxLength: 8 }), (texts) => {
    const [column] = parseTable(texts.join("\n"), { header: false, delimiter: "," }).columns;
    assertEquals(column?.kind, texts.every(isNumber) ? "numeric" : "categorical");
  }));
});

Deno.test("a table pass gives the same columns however the bytes are cut", () => {
  const mixed = fc.array(
    fc.tuple(decimal, cell, fc.constantFrom("", "NA", "7", "x")).map(([number, text, either]) => [
      number,
      text,
      either,
    ]),
    { minLength: 1, maxLength: 30 },
  );
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });
  fc.assert(fc.property(mixed, cuts, fc.constantFrom("\n", "\r\n", "\r"), (table, sizes, end) => {
    const lines = [["n", "t", "e"], ...table].map((row) => stringify([row], { headers: false }));
    const csv = lines.map((line) => line.trimEnd()).join(end) + end;
    const options = { delimiter: "," };
    const bytes = encoder.encode(csv);
    let textColumns: ReadonlySet<number> = new Set<number>();
    for (;;) {
      const pass = createTablePass(options, { textColumns });
      let at = 0;
      for (let k = 0; at < bytes.length; k++) {
        const next = at + sizes[k % sizes.length];
        pass.push(bytes.subarray(at, next));
        at = next;
      }
      const result = pass.finish();
      if (result.done) {
        const whole: readonly (Column | undefined)[] = parseTable(csv, options).columns;
        assertEquals(result.table.columns, whole);
        return;
      }
      textColumns = result.textColumns;
    }
  }));
});
