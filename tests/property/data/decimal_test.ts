/** Decimals in the middle of bytes against `Number()`, and plain lines of LIBSVM against others. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { createDecimalReader } from "../../../src/data/reading/decimal.ts";
import { type LibsvmOptions, parseLibsvm } from "../../../src/data/libsvm/parse.ts";
import { DataError } from "../../../src/errors.ts";

const encoder = new TextEncoder();
const reader = createDecimalReader();

/** Any float64, as shortest text and as more digits than it needs; digits without an order. */
const bits = new BigUint64Array(1);
const float = new Float64Array(bits.buffer);
const anyFloat = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => {
  bits[0] = value;
  return Number.isFinite(float[0]) ? float[0] : 2.5;
});
const decimal = fc.oneof(
  anyFloat.map(String),
  anyFloat.map((value) => value.toExponential(18)),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => value.toFixed(12)),
  fc.integer().map(String),
  fc.stringMatching(/^-?[0-9]{1,22}(\.[0-9]{0,25})?(e[+-]?[0-9]{1,3})?$/),
  fc.stringMatching(/^-?\.[0-9]{1,20}$/),
  fc.tuple(fc.integer({ min: 2 ** 30, max: 2 ** 31 - 1 }), fc.integer({ min: -60, max: 20 }))
    .map(([high, power]) => `${BigInt(high) * 2n ** 23n + 1n}e${power}`),
);

/** What JSON calls a number. */
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i;

Deno.test("createDecimalReader() gives what Number() gives, bit for bit", () => {
  fc.assert(
    fc.property(decimal, fc.constantFrom(",", "\n", " ", "}", "x"), (text, behind) => {
      const bytes = encoder.encode(`:${text}${behind}`);
      assertEquals(reader.read(bytes, 1, false), 1 + text.length);
      assert(Object.is(reader.value, Number(text)), `${text} gave ${reader.value}`);
      const strict = reader.read(bytes, 1, true);
      if (JSON_NUMBER.test(text)) {
        assertEquals(strict, 1 + text.length);
        assert(Object.is(reader.value, JSON.parse(text)));
      } else if (strict >= 0) assert(JSON_NUMBER.test(text.slice(0, strict - 1)), text);
    }),
    { numRuns: 20_000 },
  );
});

Deno.test("createDecimalReader() refuses what is no decimal", () => {
  for (const text of ["", "-", ".", "-.", "+1", "e5", "1e", "1e+", "inf", "NaN", "x1"]) {
    assertEquals(reader.read(encoder.encode(`${text}\n`), 0, false), -1, text);
  }
  for (const text of ["01", "-01", "1.", ".5", "-.5", "1.e5", "00"]) {
    assertEquals(reader.read(encoder.encode(`${text}\n`), 0, true), -1, text);
  }
});

/** The dataset, or what is wrong with it. */
function outcome(text: string, options: LibsvmOptions) {
  try {
    return parseLibsvm(text, options);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return [error.code, error.details, error.message];
  }
}

Deno.test("parseLibsvm() reads a plain line as it reads one with a comment behind it", () => {
  const entry = fc.tuple(
    fc.oneof(fc.nat({ max: 12 }).map(String), fc.constantFrom("007", "-1", "1.5", "", "qid")),
    fc.oneof({ weight: 8, arbitrary: decimal }, fc.constantFrom("nan", "-inf", "+2", "", "1x")),
  ).map((parts) => parts.join(":"));
  const space = fc.constantFrom(" ", " ", " ", "  ", "\t");
  const label = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom("0", "1", "+1", "-1", "2.5", "1e0") },
    fc.constantFrom("1:0.5", "x", "", "+-1", "1 qid:3", " 1", "nan", "# c"),
  );
  const rising = fc.uniqueArray(fc.nat({ max: 30 }), { maxLength: 8 }).chain((indices) =>
    fc.array(decimal, { minLength: indices.length, maxLength: indices.length }).map((values) =>
      indices.sort((a, b) => a - b).map((index, i) => `${index}:${values[i]}`)
    )
  );
  const line = fc.tuple(label, fc.oneof(rising, fc.array(entry, { maxLength: 4 })), space).map(
    ([first, entries, between]) => [first, ...entries].join(between),
  );
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 6 }),
      fc.boolean(),
      fc.constantFrom("\n", "\r\n", "\r"),
      (lines, skip, ending) => {
        const options: LibsvmOptions = {
          absent: "missing",
          task: "regression",
          ...(skip && { badRows: "skip:3" }),
        };
        const plain = outcome(lines.join(ending), options);
        assertEquals(plain, outcome(lines.map((text) => `${text} #`).join(ending), options));
      },
    ),
    { numRuns: 3000 },
  );
});
