/**
 * Bins that several threads fill are those that one thread fills, whatever the table, its format and
 * its rows; errors and what is said too.
 */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Dataset } from "../../../src/data/types.ts";
import type { BinnedSplit } from "../../../src/files/counted_rows.ts";
import {
  type BinnedOptions,
  readBinnedOnThreads,
  readBinnedParts,
} from "../../../src/files/read_binned.ts";
import { createFakeBinner } from "../../support/stand_ins/binner.ts";
import { contents } from "../../support/stand_ins/reader.ts";
import { definedOf, outcome } from "../../support/laws/parts.ts";

const number = fc.oneof(
  fc.integer({ min: -9, max: 99 }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom("", "", "-999", "1", "2", "1e400"),
);

/** A table, column by column: text may come anywhere, also behind numbers. */
const table = fc.record({
  columns: fc.array(fc.constantFrom("number", "number", "number", "text", "late"), {
    minLength: 1,
    maxLength: 6,
  }),
  cells: fc.infiniteStream(number),
  dice: fc.infiniteStream(fc.integer({ min: 0, max: 19 })),
  numRows: fc.integer({ min: 2, max: 60 }),
  wrong: fc.option(fc.integer({ min: 0, max: 60 }), { freq: 5 }),
}).map(({ columns, cells, dice, numRows, wrong }) =>
  Array.from({ length: numRows }, (_, row) => {
    const die = () => dice.next().value!;
    const entries = columns.map((kind, at): [string, string] => {
      const isText = kind === "text" || (kind === "late" && row > 20 && die() === 0);
      return [`k${at}`, isText ? `t${die() % 3}` : cells.next().value!];
    });
    const label: [string, string] = ["y", die() === 0 ? "" : String(die() % 3)];
    const all = [...entries, ["w", String(1 + die())] as [string, string], label];
    return row === wrong ? [...all, ["", ""] as [string, string]] : all;
  })
);

/** The same table as a file of a format. */
const FORMATS = {
  csv: (rows: [string, string][][]) =>
    `${rows[0].map(([key]) => key || "v").join(",")}\n${
      rows.map((row) => row.map(([, cell]) => cell).join(",")).join("\n")
    }\n`,
  jsonl: (rows: [string, string][][]) =>
    rows.map((row) => {
      const cells = row.filter(([, cell]) => cell !== "");
      const written = cells.map(([key, cell]) =>
        `"${key}": ${/^t/.test(cell) ? `"${cell}"` : cell.replace("1e400", "2")}`
      );
      return row.at(-1)![0] === "" ? "{" : `{${written.join(", ")}}`;
    }).join("\n"),
  libsvm: (rows: [string, string][][]) =>
    rows.map((row) => {
      const entries = row.filter(([key, cell]) => key.startsWith("k") && /^[-\d]/.test(cell));
      const written = entries.map(([key, cell]) => `${key.slice(1)}:${cell}`).join(" ");
      return row.at(-1)![0] === "" ? "x" : `${row.at(-1)![1] || "1"} ${written}`;
    }).join("\n"),
};

const options = fc.record({
  target: fc.constant("y"),
  maxBins: fc.constantFrom(256, 5),
  dropMissingTarget: fc.constantFrom(true, true, undefined),
  badRows: fc.constantFrom<BinnedOptions["badRows"][]>(undefined, "skip:1"),
  missing: fc.constantFrom(undefined, ["", "-999"]),
});

const splits = fc.constantFrom<(BinnedSplit | undefined)[]>(
  undefined,
  undefined,
  { fractions: [0.7, 0.3], seed: 3 },
);

/** All that a dataset holds, its bins included. */
function allOf(data: Dataset): unknown {
  return data.features.map((column) => {
    if (column.kind !== "numeric" || column.binned === undefined) return contents({ ...data });
    const { binned } = column;
    const codes = new Uint16Array(binned.numRows);
    binned.writeCodes(codes);
    const exact = Array.from({ length: binned.numRows }, (_, row) => binned.exact(row));
    return [contents(data), [...codes], exact.map(String)];
  });
}

Deno.test("threads that fill bins give what one thread gives", async () => {
  const path = await Deno.makeTempFile();
  let numRead = 0;
  try {
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom<(keyof typeof FORMATS)[]>("csv", "csv", "jsonl", "libsvm"),
        options,
        splits,
        fc.boolean(),
        fc.constantFrom(2, 3, 8),
        async (rows, format, some, split, isWeighted, threads) => {
          await Deno.writeTextFile(path, FORMATS[format](rows));
          const given = definedOf<BinnedOptions>({
            ...some,
            format,
            ...(format === "libsvm" ? { absent: "zero" } : isWeighted && { weight: "w" }),
          });
          const show = (parts: Dataset[]) => parts.map(allOf);
          const expected = await outcome(given, show, (all) => readBinnedParts(path, all, split));
          const found = await outcome(given, show, async (all) => {
            const run = { threads, open: () => createFakeBinner() };
            const parts = await readBinnedOnThreads(path, all, run, split);
            assertEquals(parts === undefined, false);
            return parts!;
          });
          if ("data" in found) numRead++;
          assertEquals(found, expected);
        },
      ),
      { numRuns: 300, endOnFailure: true },
    );
  } finally {
    await Deno.remove(path);
  }
  assertEquals(numRead > 100, true, `${numRead} files were read by threads`);
});
