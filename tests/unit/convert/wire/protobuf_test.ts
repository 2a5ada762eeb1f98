import { assertEquals, assertThrows } from "@std/assert";
import { eachField, pushIntegers } from "../../../../src/convert/wire/protobuf.ts";
import { ConversionError } from "../../../../src/errors.ts";

/** A varint by its definition: seven bits a byte, the lowest first, of 64 in two's complement. */
function varint(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

Deno.test("eachField() and pushIntegers() read integers of 64 bits, each sign and length", () => {
  const values = [0n, 127n, 128n, 300n, 2n ** 28n - 1n, 2n ** 28n, 2n ** 32n + 5n, 2n ** 56n];
  for (const value of [...values, 3n * 2n ** 50n, 2n ** 62n, 2n ** 63n - 2n ** 10n]) {
    for (const signed of [value, -value, -value - 1n]) {
      const found: number[] = [];
      const single = Uint8Array.from([8, ...varint(signed)]);
      eachField(single, "a test", (field) => pushIntegers(field, "a test", found));
      const packed = varint(signed);
      const list = Uint8Array.from([10, 2 * packed.length, ...packed, ...packed]);
      eachField(list, "a test", (field) => pushIntegers(field, "a test", found));
      const expected = Number(signed);
      assertEquals(found, [expected, expected, expected], `${signed}`);
    }
  }
});

Deno.test("eachField() refuses varints of more than ten bytes and those that do not end", () => {
  for (const length of [11, 3]) {
    const bytes = Uint8Array.from([8, ...new Array(length - 1).fill(0x80)]);
    assertThrows(() => eachField(bytes, "a test", () => {}), ConversionError);
  }
});
