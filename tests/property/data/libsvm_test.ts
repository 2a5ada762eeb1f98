/** LIBSVM in pieces of any size, by the kernel where lines are plain, against a reader by `split`. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { parseLibsvmPieces } from "../../../src/data/libsvm/parse.ts";
import type { Column } from "../../../src/data/types.ts";
import { DataError } from "../../../src/errors.ts";
import { createRng } from "../../../src/util/rng.ts";

const number = fc.oneof(
  fc.integer({ min: -9, max: 9 }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom("0.1", "1e-7", "-2.5E+3", "00012.50", "5.", ".5", "-0", "1e22", "1e400"),
  fc.bigInt({ min: 0n, max: 10n ** 25n }).map((n) => `0.${n}`),
  fc.bigInt({ min: 0n, max: 10n ** 25n }).map(String),
);
const gap = fc.constantFrom(" ", "  ", "\t", " \t ");
const entry = fc.tuple(fc.integer({ min: 0, max: 6 }), number, gap);

/** A line that is mostly plain, and its label and entries. */
const line = fc.record({
  label: fc.oneof(number, fc.constantFrom("+1", "-1")),
  entries: fc.uniqueArray(entry, { selector: ([index]) => index, maxLength: 7 }),
  sorted: fc.integer({ min: 0, max: 9 }),
  tail: fc.constantFrom("", "", "", "", " ", "\t", " # 3:4", "#"),
  ending: fc.constantFrom("\n", "\n", "\n", "\r\n", "\r", "\n\n", "\n# only this\n"),
}).map(({ label, entries, sorted, tail, ending }) => {
  if (sorted > 0) entries.sort(([a], [b]) => a - b);
  const text = entries.map(([index, value, between]) => `${between}${index}:${value}`).join("");
  return { label, entries, text: `${label}${text}${tail}${ending}` };
});

/** @param inPlace Whether pieces are written into the reader's own memory where it has some. */
async function read(text: string, sizes: readonly number[], mark: boolean, inPlace = false) {
  const bytes = new TextEncoder().encode((mark ? "\ufeff" : "") + text);
  return await parseLibsvmPieces((take, direct) => {
    let at = 0;
    for (let i = 0; at < bytes.length; i++) {
      const piece = bytes.slice(at, at + sizes[i % sizes.length]);
      const room = inPlace ? direct?.room()?.subarray(0, piece.length) : undefined;
      if (room === undefined) take(piece);
      else {
        room.set(piece.subarray(0, room.length));
        direct!.filled(room.length);
      }
      at += room?.length ?? piece.length;
    }
    return Promise.resolve();
  }, { absent: "missing", numFeatures: 7, task: "regression" });
}

Deno.test("parseLibsvmPieces() reads what split() and Number() read, cut anywhere", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 40 }),
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      async (lines, sizes, mark, many, inPlace) => {
        const finite = lines.filter(({ label }) => Number.isFinite(Number(label)));
        fc.pre(finite.length > 0);
        // Few lines are not worth the kernel; of many it reads all, these among them.
        const before = many ? 1500 : 0;
        const text = `0 1:2\n`.repeat(before) + finite.map(({ text }) => text).join("");
        const data = await read(
          text,
          many ? sizes.map((size) => 20 * size) : sizes,
          mark,
          inPlace,
        );
        assertEquals(
          data.target?.kind === "regression" && [...data.target.values.subarray(before)],
          finite.map(({ label }) => Number(label)),
        );
        const found = data.features.map((column) =>
          column.kind === "numeric" ? { ...column, values: column.values.slice(before) } : column
        );
        const dense = Array.from({ length: 7 }, (_, index): Column => ({
          kind: "numeric",
          name: `f${index}`,
          values: Float64Array.from(finite, ({ entries }) => {
            const found = entries.find(([at]) => at === index);
            return found === undefined ? NaN : Number(found[1]);
          }),
        }));
        assertEquals(found, dense);
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("parseLibsvmPieces() reads indicators of indices of any length among other values", async () => {
  const rng = createRng(3);
  for (let run = 0; run < 40; run++) {
    const numColumns = [9, 11, 120, 1100][run % 4];
    // Now and then all are ones, now and then few.
    const share = [0, 0.02, 0.3, 1][rng.nextInt(4)];
    const rows = Array.from({ length: 400 }, () => {
      const indices = new Set<number>([rng.nextInt(2)]);
      for (let i = rng.nextInt(12); i > 0; i--) indices.add(rng.nextInt(numColumns));
      return [...indices].sort((a, b) => a - b).map((index): [number, string] => {
        const other = rng.nextFloat() < share;
        return [index, other ? ["2", "1.0", "-1", "10", "1e0", "01", "0"][rng.nextInt(7)] : "1"];
      });
    });
    const text = rows.map((row) => {
      const gap = rng.nextInt(30) === 0 ? "\t" : " ";
      const ending = ["\n", "\n", "\n", "\r\n", "\r"][rng.nextInt(5)];
      return `0${row.map(([index, value]) => `${gap}${index}:${value}`).join("")}${ending}`;
    }).join("");
    const data = await read(text, [1 + rng.nextInt(9000), 77], false, run % 3 === 0);
    const width = Math.max(7, ...rows.map((row) => row.at(-1)![0] + 1));
    assertEquals(data.features.length, width);
    const expected = Array.from({ length: width }, () => new Float64Array(rows.length).fill(NaN));
    rows.forEach((row, at) => row.forEach(([index, text]) => expected[index][at] = Number(text)));
    data.features.forEach((column, index) => {
      const found = column.kind === "numeric" ? column.values : [];
      assert(expected[index].every((value, row) => Object.is(value, found[row])), `${index}`);
    });
  }
});

Deno.test("parseLibsvmPieces() names the line of what it refuses, behind plain lines and across pieces", async () => {
  // Decimals and indicators are read in loops of their own.
  const plains = ["1 0:2 3:4.5\n", "1 0:1 3:1\n"].map((line) => line.repeat(5000));
  const refused = [
    "1 0:2 0:3",
    "1 2",
    "x 0:1",
    "1 0:1x",
    "1 -1:2",
    "1 0:1 :2",
    "1 0:--1",
    "1 0:1,2",
    "1 0:1 0:1",
    // Another character where an index of one, two or three digits has its colon, or a colon too many.
    "1 3;5",
    "1 23;5",
    "1 123;5",
    "1 ::5",
    "1 3::5",
    "1 23::5",
    "1 123::5",
  ];
  const cases = refused.map((bad): [string, string] => [bad, "E_DATA_PARSE"]);
  cases.push(["1 0:1 99999999:1", "E_DATA_LIMIT"], ["1 0:2 99999999:3", "E_DATA_LIMIT"]);
  for (const [bad, code] of cases) {
    for (const plain of plains) {
      for (const size of [1000, 1 << 20]) {
        const error = await assertRejects(
          () => read(`${plain}${bad}\n1 0:1\n`, [size], false),
          DataError,
        );
        assertEquals([error.code, error.details?.line], [code, 5001], bad);
      }
    }
    const cut = await assertRejects(() => read(`${plains[0]}${bad}\n`, [7], false), DataError);
    assertEquals([cut.code, cut.details?.line], [code, 5001], bad);
  }
});

Deno.test("parseLibsvmPieces() reads a line longer than its room, and refuses one beyond the limit", async () => {
  const long = `1 ${Array.from({ length: 90_000 }, (_, i) => `${i}:${i % 7}`).join(" ")}\n`;
  const data = await read(`1 0:5\n${long}0 3:1\n`, [50_000], true);
  assertEquals([data.numRows, data.features.length], [3, 90_000]);
  const last = data.features[89_999];
  assertEquals(last.kind === "numeric" && [...last.values], [NaN, 89_999 % 7, NaN]);
  const endless = new Uint8Array(1 << 20).fill(0x31);
  await assertRejects(
    () =>
      parseLibsvmPieces((take) => {
        for (let i = 0; i < 40; i++) take(endless);
        return Promise.resolve();
      }, { absent: "zero" }),
    DataError,
    "line 1",
  );
});
