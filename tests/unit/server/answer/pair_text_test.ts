import { assertEquals } from "@std/assert";
import { classTexts, pairText } from "../../../../src/server/answer/json_text.ts";
import type { Scores } from "../../../../src/server/answer/scores.ts";

function scoresOf(p: number, label: number, more: Partial<Scores> = {}): Scores {
  return {
    rows: 1,
    numOutputs: 1,
    raw: new Float64Array(1),
    value: new Float64Array([p]),
    labels: new Int32Array([label]),
    isProbability: true,
    ...more,
  };
}

const HEAD = '{"model":"m","version":"0"';
const END = ',"missing":[],"unknown":[],"absent":[],"ignored":[]}';

Deno.test("pairText() writes the class and both probabilities, and null where there is no number", () => {
  const write = pairText(HEAD, classTexts(["no", 'a "b"']), scoresOf(0, 0))!;
  const answer = (label: string, no: string, yes: string) =>
    `${HEAD},"predictions":[{"class":${label},"probabilities":{"no":${no},"a \\"b\\"":${yes}}}]${END}`;
  assertEquals(write(scoresOf(0.25, 0)), answer('"no"', "0.75", "0.25"));
  assertEquals(write(scoresOf(0.625, 1)), answer('"a \\"b\\""', "0.375", "0.625"));
  assertEquals(write(scoresOf(1e-7, 0)), answer('"no"', "0.9999999", "1e-7"));
  assertEquals(write(scoresOf(-0, 0)), answer('"no"', "1", "0"));
  assertEquals(write(scoresOf(NaN, 0)), answer('"no"', "null", "null"));
  assertEquals(write(scoresOf(Infinity, 1)), answer('"a \\"b\\""', "null", "null"));
});

Deno.test("pairText() is for two classes with one probability only", () => {
  const two = classTexts(["no", "yes"]);
  assertEquals(pairText(HEAD, classTexts(["a", "b", "c"]), scoresOf(0, 0)), undefined);
  assertEquals(pairText(HEAD, classTexts([]), scoresOf(0, 0)), undefined);
  assertEquals(pairText(HEAD, two, scoresOf(0, 0, { numOutputs: 2 })), undefined);
  assertEquals(pairText(HEAD, two, scoresOf(0, 0, { isProbability: false })), undefined);
});
