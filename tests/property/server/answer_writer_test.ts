/**
 * The kernel that writes answers against JavaScript, its specification: numbers against `String()`, whole
 * answers against json_text.ts.
 */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { lazyWriter } from "../../../src/server/answer/lazy_writer.ts";
import { forMany } from "../../../src/server/body/for_many.ts";
import {
  classesText,
  classTexts,
  numbersText,
  numberText,
} from "../../../src/server/answer/json_text.ts";
import type { Scores } from "../../../src/server/answer/scores.ts";
import { createRng } from "../../../src/util/rng.ts";

/** Scores as a regression with some outputs has them. */
function numbers(value: Float64Array, numOutputs = 1): Scores {
  return {
    rows: value.length / numOutputs,
    numOutputs,
    raw: value,
    value,
    labels: new Int32Array(0),
    isProbability: false,
  };
}

await forMany.load();
const plain = lazyWriter(classTexts([]));

/** The numbers as the kernel writes them, or undefined where it gives up. */
function written(value: Float64Array): string[] | undefined {
  return plain.write("", numbers(value), "")?.slice(',"predictions":['.length, -1).split(",");
}

const word = new Uint32Array(2);
const float = new Float64Array(word.buffer);
const rng = createRng(20261128);
const below = (n: number) => Math.floor(rng.nextFloat() * n);

/** Numbers of every kind within the reach of the kernel, 10^-40 to 10^70. */
const KINDS: readonly (() => number)[] = [
  () => rng.nextFloat(), // what scores mostly are
  () => 1 - rng.nextFloat(),
  () => {
    word[0] = below(2 ** 32);
    word[1] = (1023 - 130 + below(360)) * 2 ** 20 + below(2 ** 20);
    return float[0];
  },
  () => below(10 ** (1 + below(16))) / 10 ** below(23), // few digits
  () => (1 + below(16) / 16) * 2 ** (below(280) - 130), // the gap below a power of two is smaller
  () => below(2 ** 53) / 2 ** below(60), // half way between two decimals
  () => Math.fround(rng.nextFloat() * 10 ** (below(20) - 10)),
  () => below(2 ** 53) * 2 ** (below(25) - 3), // whole numbers up to and beyond 2^53 and 10^21
];

Deno.test("numbers are written as String() writes them", () => {
  const value = new Float64Array(4096);
  for (let round = 0; round < 80; round++) {
    const kind = KINDS[round % KINDS.length];
    for (let i = 0; i < value.length; i++) value[i] = rng.nextFloat() < 0.1 ? -kind() : kind();
    const texts = written(value);
    assert(texts !== undefined, "the kernel gave up");
    for (let i = 0; i < value.length; i++) {
      if (texts[i] !== String(value[i])) {
        assertEquals([value[i], texts[i]], [value[i], `${value[i]}`]);
      }
    }
  }
});

Deno.test("numbers at the edges are written as String() writes them, or not at all", () => {
  const edges = [
    0,
    -0,
    1,
    -1,
    1e21,
    1e-6,
    1e-7,
    -1e-7,
    1.5e-7,
    123456789012345680000,
    2 ** 50 + 0.25,
  ]
    .concat([
      2 ** 50 + 0.75,
      2 ** 53 - 1,
      2 ** 53,
      2 ** 53 + 2,
      0.1 + 0.2,
      9.5367431640625e-7,
      99.5,
    ]);
  for (let e = -1074; e < 1024; e++) edges.push(2 ** e, 2 ** e * (1 + 2 ** -52), 2 ** e * 1.5);
  for (let e = -323; e < 309; e++) edges.push(Number(`1e${e}`), -Number(`9.5e${e}`));
  let given = 0;
  for (const edge of edges) {
    const texts = written(Float64Array.of(edge));
    if (texts === undefined) continue;
    given++;
    assertEquals(texts, [numberText(edge)]);
  }
  assert(given > 1000, `${given} of ${edges.length}`);
  const [least, most] = [Float64Array.of(1e-40, 0.5), Float64Array.of(1e70, 0.5)];
  assert(written(least) !== undefined && written(most) !== undefined);
  assertEquals(written(Float64Array.of(0.5, 5e-324)), undefined);
  assertEquals(written(Float64Array.of(NaN, Infinity, -Infinity)), ["null", "null", "null"]);
});

const label = fc.constantFrom(
  "no",
  "yes",
  "<=50K",
  "é",
  'quo"te',
  "日本",
  "a label of many bytes, so to say",
);
const value = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 2 ** 31 }).map((n) => Math.sqrt(n / 2 ** 31)) },
  fc.constantFrom(0, 1, NaN, Infinity, -0, 1e-9),
);
const answer = fc.record({
  classes: fc.uniqueArray(label, { maxLength: 4 }),
  isProbability: fc.boolean(),
  isPair: fc.boolean(),
  rows: fc.integer({ min: 1, max: 40 }),
  head: fc.constantFrom('{"model":"m"', '{"model":"日本 ✓"'),
  rest: fc.constantFrom("}", ',"ignored":["ñ"]}'),
  seed: fc.array(fc.tuple(value, fc.nat()), { minLength: 1, maxLength: 50 }),
});

Deno.test("whole answers are those that are put together as text", () => {
  let given = 0;
  fc.assert(
    fc.property(answer, ({ classes, isProbability, isPair, rows, head, rest, seed }) => {
      const numClasses = classes.length;
      const numOutputs = numClasses === 2 && isPair ? 1 : Math.max(1, numClasses);
      const at = (i: number) => seed[i % seed.length];
      const scores: Scores = {
        rows,
        numOutputs,
        raw: new Float64Array(rows * numOutputs),
        value: Float64Array.from({ length: rows * numOutputs }, (_, i) => at(i)[0]),
        labels: Int32Array.from({ length: numClasses && rows }, (_, i) => at(i)[1] % numClasses),
        isProbability: isProbability && numClasses > 0,
      };
      const pieces = classTexts(classes);
      const text = lazyWriter(pieces).write(head, scores, rest);
      if (numClasses === 1 && isProbability) return assertEquals(text, undefined);
      if (text === undefined) {
        // Subnormal numbers are beyond the kernel.
        assert(scores.value.some((v) => v !== 0 && Math.abs(v) < 1e-40));
        return;
      }
      given++;
      const texts = numClasses > 0
        ? classesText(scores, pieces)
        : Array.from(scores.value, numberText).join();
      assertEquals(text, `${head},"predictions":[${texts}]${rest}`);
    }),
    { numRuns: 2000 },
  );
  assert(given > 1000, `${given}`);
});

Deno.test("rows of several numbers are arrays, and memory grows where an answer needs it", () => {
  const writer = lazyWriter(classTexts([]));
  const few = Float64Array.of(1, 2.5, -3);
  const textOf = (value: Float64Array) =>
    writer.write("{", numbers(value, 3), "}")!.slice('{,"predictions":'.length);
  assertEquals(textOf(few), "[[1,2.5,-3]]}");
  const many = Float64Array.from({ length: 30_000 }, () => rng.nextFloat());
  const expected = Array.from({ length: 10_000 }, (_, row) => numbersText(many, 3 * row, 3));
  assertEquals(textOf(many), `[${expected}]}`);
  assertEquals(textOf(few), "[[1,2.5,-3]]}");
});
