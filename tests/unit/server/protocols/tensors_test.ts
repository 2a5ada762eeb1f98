import { assert, assertEquals, assertThrows } from "@std/assert";
import { DataError } from "../../../../src/errors.ts";
import {
  tensorFromBytes,
  tensorFromJson,
  tensorHead,
} from "../../../../src/server/protocols/tensors.ts";

/** Values of a tensor of numbers given as little-endian words of 16 bits. */
function words(datatype: string, bits: readonly number[]): unknown[] {
  const bytes = Uint8Array.from(bits.flatMap((word) => [word & 255, word >> 8]));
  const { at } = tensorFromBytes(
    tensorHead({ name: "x", shape: [bits.length], datatype }, 0),
    bytes,
  );
  return bits.map((_, i) => at(i));
}

Deno.test("FP16 is IEEE 754 binary16", () => {
  // Sign, 5 bits of exponent less 15, 10 bits of fraction: the examples of the standard's tables.
  const halves: readonly (readonly [number, number])[] = [
    [0x0000, 0],
    [0x0001, 2 ** -24],
    [0x03ff, 1023 * 2 ** -24],
    [0x0400, 2 ** -14],
    [0x3555, 0.333251953125],
    [0x3bff, 1 - 2 ** -11],
    [0x3c00, 1],
    [0x3c01, 1 + 2 ** -10],
    [0x4248, 3.140625],
    [0x7bff, 65504],
    [0x7c00, Infinity],
  ];
  assertEquals(words("FP16", halves.map(([bits]) => bits)), halves.map(([, value]) => value));
  const negative = words("FP16", halves.map(([bits]) => bits | 0x8000));
  halves.forEach(([, value], i) => assert(Object.is(negative[i], -value), `${value}`));
  assertEquals(words("FP16", [0x7c01, 0x7e00, 0xffff]), [NaN, NaN, NaN]);
});

Deno.test("BF16 is the upper half of a float32", () => {
  assertEquals(words("BF16", [0x3f80, 0xc000, 0x4049, 0x0080, 0x7f80, 0xff80, 0x7fc0]), [
    1,
    -2,
    3.140625,
    2 ** -126,
    Infinity,
    -Infinity,
    NaN,
  ]);
});

Deno.test("tensorFromJson() refuses a tensor without data, though it has one value", () => {
  const head = tensorHead({ name: "x", shape: [1], datatype: "FP64" }, 0);
  const { code } = assertThrows(() => tensorFromJson(head, undefined), DataError);
  assertEquals(code, "E_DATA_SHAPE");
  assertEquals(tensorFromJson(head, null).at(0), null);
});

Deno.test("tensorFromJson() refuses lists deeper or wider than the shape without unfolding them", () => {
  const head = tensorHead({ name: "x", shape: [2, 2], datatype: "FP64" }, 0);
  assertEquals([0, 1, 2, 3].map(tensorFromJson(head, [[1, 2], [3, 4]]).at), [1, 2, 3, 4]);
  for (
    const data of [[[1, 2], [3]], [[1], [2], [3], [4]], [[1, 2, 3, 4]], [[1, 2], [3, 4], [5, 6]], [
      1,
      2,
      3,
    ], 1]
  ) {
    const error = assertThrows(() => tensorFromJson(head, data), DataError);
    assertEquals(error.code, "E_DATA_SHAPE", JSON.stringify(data));
  }
});
