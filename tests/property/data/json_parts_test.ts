/**
 * A file of JSON lines that several threads read is what one thread reads, wherever segments begin
 * and whoever is fast; whatever comes late or is wrong.
 */
import fc from "fast-check";
import { type JsonLinesOptions, parseJsonLines } from "../../../src/data/records/json_lines.ts";
import { readJsonOnThreads } from "../../../src/files/json_threads.ts";
import { assertPartsLaw } from "../../support/laws/parts.ts";

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "é", "😀", "x", " ", '"', "\\", "\n"), maxLength: 4 })
    .map((value) => JSON.stringify(value)),
  fc.constantFrom('"NA"', '""', '"\\u00e9\\n"', '"\\ud83d\\ude00"', '"a"', '"b"', '"7"', '"1.5"'),
);
const number = fc.oneof(
  fc.integer({ min: -99, max: 999 }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom("null", "-0", "-999", "1", "2", "10", "1e5", '"NA"'),
);
const CELLS = {
  number,
  text,
  digits: fc.constantFrom('"1"', '"2.5"', '"007"', "3", "null", '"-1"'),
  boolean: fc.constantFrom("true", "false", "null"),
  mixed: fc.oneof(number, text, fc.constantFrom("true", "false")),
};

const WRONG = [
  '{"k0": 1',
  "[1]",
  '{"k0": [1]}',
  '{"k0": 1, "k0": 2}',
  '{"k0": 1e400}',
  '{"k0": "1e400"}',
  "\ufeff{}",
  '{"k0": 1} 2',
];

/** The text of a file. */
const file = fc.record({
  columns: fc.array(fc.constantFrom("number", "number", "text", "digits", "boolean", "mixed"), {
    minLength: 1,
    maxLength: 4,
  }),
  cells: fc.infiniteStream(fc.record(CELLS)),
  dice: fc.infiniteStream(fc.integer({ min: 0, max: 19 })),
  numRows: fc.integer({ min: 1, max: 99 }),
  newline: fc.constantFrom("\n", "\n", "\r\n", "\r"),
  /** Rows from which a key is there, and from which text comes among numbers. */
  late: fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 4, maxLength: 4 }),
  turn: fc.integer({ min: 0, max: 150 }),
  wrong: fc.option(fc.tuple(fc.constantFrom(...WRONG), fc.integer({ min: 0, max: 99 }))),
  mark: fc.boolean(),
  end: fc.boolean(),
}).map(({ columns, cells, dice, numRows, newline, late, turn, wrong, mark, end }) => {
  const lines: string[] = [];
  const die = () => dice.next().value!;
  for (let row = 0; row < numRows; row++) {
    if (die() === 0) lines.push(die() < 10 ? "" : " \t");
    if (wrong?.[1] === row) lines.push(wrong[0]);
    const entries = columns.flatMap((kind, at) => {
      const cell = cells.next().value!;
      if (die() === 0 || (die() < 10 && row < late[at])) return [];
      const key = at === 3 ? "7" : `k${at}`;
      return [`"${key}": ${kind === "number" && row > turn ? cell.text : cell[kind]}`];
    });
    if (die() === 0) entries.reverse();
    lines.push(`{${entries.join(die() < 10 ? ", " : ",")}}`);
  }
  return (mark ? "\ufeff" : "") + lines.join(newline) + (end ? newline : "");
});

const reading = fc.record({
  threads: fc.constantFrom(2, 3, 8),
  segmentBytes: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 400 })),
  spare: fc.constantFrom(0.2, 1.25),
  sampleBytes: fc.constantFrom(1 << 18, 200, 60),
});

const options = fc.record({
  badRows: fc.constantFrom<JsonLinesOptions["badRows"][]>(undefined, "skip:1"),
  missing: fc.constantFrom(undefined, ["-999", "a"]),
  types: fc.constantFrom<JsonLinesOptions["types"][]>(
    undefined,
    undefined,
    { k0: "categorical" },
    { k0: "numeric" },
  ),
  target: fc.constantFrom<JsonLinesOptions["target"][]>(undefined, "k0", 1),
  drop: fc.constantFrom<JsonLinesOptions["drop"][]>(undefined, undefined, [0]),
  limits: fc.constantFrom(undefined, undefined, { rows: 30 }, { recordBytes: 80 }),
});

Deno.test("threads that read JSON lines give what one thread gives, or leave it to one", async () => {
  await assertPartsLaw({
    file,
    reading,
    options,
    parse: parseJsonLines,
    onThreads: readJsonOnThreads,
  });
});
