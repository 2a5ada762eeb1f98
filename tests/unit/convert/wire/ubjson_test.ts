import { assertEquals, assertThrows } from "@std/assert";
import { readUbjson } from "../../../../src/convert/wire/ubjson.ts";
import { ConversionError } from "../../../../src/errors.ts";

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));

Deno.test("readUbjson() reads objects, counted arrays and every scalar", () => {
  const document = readUbjson(bytes("{U\x01aU\x07U\x01b[#U\x02TZU\x01cSU\x03abcU\x01dI\xff\xfe}"));
  assertEquals(
    document,
    Object.assign(Object.create(null), { a: 7, b: [true, null], c: "abc", d: -2 }),
  );
});

Deno.test("readUbjson() keeps typed arrays typed and reads them big-endian", () => {
  assertEquals(readUbjson(bytes("[$d#U\x02\x3f\x80\0\0\xc0\0\0\0")), new Float32Array([1, -2]));
  assertEquals(readUbjson(bytes("[$l#U\x02\0\0\x01\0\xff\xff\xff\xff")), new Int32Array([256, -1]));
  assertEquals(readUbjson(bytes("[$i#U\x01\xfe")), new Int8Array([-2]));
});

Deno.test("CASES M2: readUbjson() refuses an array of 2^31 items in a small file before allocating", () => {
  const error = assertThrows(
    () => readUbjson(bytes("{U\x01a[$d#L\0\0\0\0\x80\0\0\0....")),
    ConversionError,
  );
  assertEquals(error.code, "E_CONVERT_SYNTAX");
  assertEquals(typeof error.details.offset, "number");
});

Deno.test("readUbjson() refuses items that take no bytes, and endless nesting ends with the file", () => {
  assertThrows(() => readUbjson(bytes("[$Z#l\x7f\xff\xff\xff")), ConversionError);
  assertThrows(() => readUbjson(bytes("[".repeat(200_000))), ConversionError, "ends");
});

Deno.test("readUbjson() keeps __proto__ an ordinary key", () => {
  const document = readUbjson(bytes("{U\x09__proto__U\x07}")) as { [key: string]: unknown };
  assertEquals(Object.keys(document), ["__proto__"]);
  assertEquals(({} as { [key: string]: unknown }).polluted, undefined);
});
