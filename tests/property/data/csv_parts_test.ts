/**
 * A file that several threads read is what one thread reads, wherever segments begin, whoever is
 * fast, and whatever stands in quotes.
 */
import fc from "fast-check";
import { parseCsv } from "../../../src/data/csv/parse.ts";
import type { CsvOptions } from "../../../src/data/options.ts";
import { readCsvOnThreads } from "../../../src/files/read_threads.ts";
import { assertPartsLaw } from "../../support/laws/parts.ts";

const plainText = fc.string({
  unit: fc.constantFrom("a", "b", "é", "😀", "x", " "),
  maxLength: 4,
});
const oddText = fc.oneof(
  plainText,
  fc.constantFrom(
    '"a,b"',
    '"a\nb"',
    '"a""b"',
    '"\r\n"',
    '"7"',
    '"\n,\n"',
    "NA",
    "",
    '"é\n1,2\n3,4"',
  ),
);
const number = fc.oneof(
  fc.integer({ min: -99, max: 999 }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom("", "NA", "-0", "007", "-999", '"1.5"', "1e5", "Infinity"),
  fc.constantFrom("1", "2", "10"),
);

/** The text of a file. */
const file = fc.record({
  columns: fc.array(fc.constantFrom("number", "number", "text", "late", "odd"), {
    minLength: 2,
    maxLength: 4,
  }),
  cells: fc.infiniteStream(fc.tuple(number, plainText, oddText)),
  numRows: fc.integer({ min: 1, max: 60 }),
  newline: fc.constantFrom("\n", "\n", "\r\n"),
  blank: fc.infiniteStream(fc.integer({ min: 0, max: 15 })),
  ragged: fc.option(fc.integer({ min: 0, max: 59 }), { freq: 4 }),
  mark: fc.boolean(),
  end: fc.boolean(),
  textRow: fc.integer({ min: 0, max: 59 }),
  wrong: fc.option(fc.constantFrom("1e400", "a\0b"), { freq: 3 }),
}).map(({ columns, cells, numRows, newline, blank, ragged, mark, end, textRow, wrong }) => {
  const lines = [columns.map((_, at) => `c${at}`).join(",")];
  for (let row = 0; row < numRows; row++) {
    if (blank.next().value === 0) lines.push("");
    const line = columns.map((kind) => {
      const [numeric, plain, odd] = cells.next().value!;
      return kind === "number" || (kind === "late" && row !== textRow)
        ? row === 2 * textRow && wrong === "1e400" ? wrong : numeric
        : kind === "text"
        ? row === textRow ? wrong ?? plain : plain
        : odd;
    }).join(",");
    lines.push(row === ragged ? `${line},1` : line);
  }
  const text = (mark ? "\ufeff" : "") + lines.join(newline) + (end ? newline : "");
  return text;
});

const reading = fc.record({
  threads: fc.constantFrom(2, 3, 8),
  segmentBytes: fc.integer({ min: 1, max: 300 }),
  spare: fc.constantFrom(0.2, 1.25),
  sampleBytes: fc.constantFrom(1 << 18, 120),
});

const options = fc.record({
  badRows: fc.constantFrom<CsvOptions["badRows"][]>(undefined, "skip:1"),
  missing: fc.constantFrom(undefined, ["-999", "a"]),
  trim: fc.boolean(),
  types: fc.constantFrom<CsvOptions["types"][]>(undefined, { c1: "categorical" }),
  target: fc.constantFrom(undefined, "c0"),
  limits: fc.constantFrom(undefined, { rows: 30 }),
});

Deno.test("threads that read a file give what one thread gives, or leave it to one", async () => {
  await assertPartsLaw({
    file,
    reading,
    options,
    parse: parseCsv,
    onThreads: readCsvOnThreads,
    // What is said of zeros in front depends on the first piece.
    isSaid: (message, { sampleBytes }) =>
      sampleBytes === 1 << 18 || !message.includes("read as numbers"),
    leastRead: 100,
  });
});
