/**
 * A file of LIBSVM that several threads read is what one thread reads, wherever segments begin and
 * whoever is fast; whatever comes late or is wrong.
 */
import fc from "fast-check";
import { type LibsvmOptions, parseLibsvm } from "../../../src/data/libsvm/parse.ts";
import type { Schema } from "../../../src/data/types.ts";
import { readLibsvmOnThreads } from "../../../src/files/libsvm_threads.ts";
import { assertPartsLaw } from "../../support/laws/parts.ts";

const number = fc.oneof(
  fc.integer({ min: -99, max: 999 }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom("1", "1", "1", "-0", "0", "-999", "1e5", "nan", "inf"),
);

const WRONG = [
  "x",
  "1 0:a",
  "1 0:1 0:2",
  "1 0",
  "1 qid:0.5",
  "1 0:1e400",
  "\ufeff1",
  "nan",
  "1 9:1",
];

/** The text of a file. */
const file = fc.record({
  kind: fc.constantFrom("any", "any", "dense", "ones"),
  labels: fc.constantFrom(["0", "1"], ["-1", "+1"], ["1.5", "2", "1e400"], ["1", "nan"]),
  cells: fc.infiniteStream(number),
  dice: fc.infiniteStream(fc.integer({ min: 0, max: 19 })),
  numRows: fc.integer({ min: 1, max: 99 }),
  newline: fc.constantFrom("\n", "\n", "\r\n", "\r"),
  /** Rows from which there are more indices, weights and queries. */
  late: fc.tuple(
    fc.integer({ min: 0, max: 99 }),
    fc.integer({ min: 0, max: 500 }),
    fc.integer({ min: 0, max: 500 }),
  ),
  wrong: fc.option(fc.tuple(fc.constantFrom(...WRONG), fc.integer({ min: 0, max: 99 }))),
  mark: fc.boolean(),
  end: fc.boolean(),
  /** Plain rows before and behind, so that segments are long enough for the kernel. */
  plain: fc.constantFrom(0, 0, 600),
}).map(({ kind, labels, cells, dice, numRows, newline, late, wrong, mark, end, plain }) => {
  const lines = Array<string>(plain).fill("1 1:2");
  const die = () => dice.next().value!;
  for (let row = 0; row < numRows; row++) {
    if (die() === 0) lines.push(["", " \t", "# only this"][die() % 3]);
    if (wrong?.[1] === row) lines.push(wrong[0]);
    const parts: string[] = [labels[die() % labels.length]];
    if (row >= late[1] && die() < 15) parts[0] += `:${1 + die()}`;
    if (row >= late[2]) parts.push(`qid:${row >> 2}`);
    const entries: string[] = [];
    for (let index = 0; index < (row < late[0] ? 3 : 6); index++) {
      if (kind !== "dense" && die() < 10) continue;
      entries.push(`${index}:${kind === "ones" ? "1" : cells.next().value!}`);
    }
    if (die() === 0) entries.reverse();
    lines.push(
      [...parts, ...entries].join(die() === 0 ? " \t" : " ") + (die() === 0 ? " # so" : ""),
    );
  }
  for (let row = 0; row < plain; row++) lines.push("0 0:3");
  return (mark ? "\ufeff" : "") + lines.join(newline) + (end ? newline : "");
});

const reading = fc.record({
  threads: fc.constantFrom(2, 3, 8),
  segmentBytes: fc.oneof(
    fc.integer({ min: 1, max: 60 }),
    fc.integer({ min: 1, max: 400 }),
    fc.integer({ min: 4096, max: 6000 }),
  ),
});

const schema: Schema = {
  features: [
    { kind: "numeric", name: "f1", missing: "learnt" },
    { kind: "numeric", name: "other", missing: "learnt" },
  ],
  target: { name: "amount" },
  task: "regression",
  classes: [],
  extraColumns: "ignore",
  absentColumns: "missing",
};

const options = fc.record({
  absent: fc.constantFrom<LibsvmOptions["absent"][]>("zero", "missing"),
  badRows: fc.constantFrom<LibsvmOptions["badRows"][]>(undefined, "skip:1"),
  missing: fc.constantFrom(undefined, undefined, ["-999"]),
  featureMap: fc.constantFrom(undefined, new Map([[2, "age"], [8, "none"]])),
  numFeatures: fc.constantFrom(undefined, 5),
  schema: fc.constantFrom(undefined, undefined, schema),
  targetName: fc.constantFrom(undefined, "y"),
  dropMissingTarget: fc.constantFrom(undefined, true),
  limits: fc.constantFrom<LibsvmOptions["limits"][]>(
    undefined,
    undefined,
    undefined,
    { rows: 30 },
    { columns: 9 },
    { recordBytes: 80 },
  ),
});

Deno.test("threads that read LIBSVM give what one thread gives, or leave it to one", async () => {
  await assertPartsLaw({
    file,
    reading,
    options,
    parse: parseLibsvm,
    onThreads: readLibsvmOnThreads,
  });
});
