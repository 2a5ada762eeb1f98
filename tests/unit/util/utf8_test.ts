/** utf8Fault() against decoders that refuse what is not UTF-8. */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { utf8Fault } from "../../../src/util/utf8.ts";

const strict = new TextDecoder("utf-8", { fatal: true });

function isText(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Length of the longest beginning that is text. */
function textLength(bytes: Uint8Array): number {
  let length = bytes.length;
  while (!isText(bytes.subarray(0, length))) length--;
  return length;
}

Deno.test("utf8Fault() names the first byte that is not UTF-8, whatever is wrong with it", () => {
  const byte = fc.oneof(
    fc.constantFrom(0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0),
    fc.constantFrom(0xe1, 0xec, 0xed, 0xee, 0xef, 0xbb, 0xbd, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff),
    fc.nat(255),
  );
  const piece = fc.oneof(
    fc.array(byte, { maxLength: 4 }).map((bytes) => Uint8Array.from(bytes)),
    fc.string({ unit: "binary", maxLength: 4 }).map((text) => new TextEncoder().encode(text)),
    fc.constant(new TextEncoder().encode("\ufffd")),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const bytes = Uint8Array.from(pieces.flatMap((piece) => [...piece]));
      const text = new TextDecoder().decode(bytes);
      const length = textLength(bytes);
      assertEquals(utf8Fault(bytes, text), length === bytes.length ? -1 : length);
    }),
    { numRuns: 3000 },
  );
});

Deno.test("utf8Fault() knows every character there is", () => {
  for (let code = 0; code <= 0x10ffff; code += code < 0x900 ? 1 : 61) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const bytes = new TextEncoder().encode(String.fromCodePoint(code));
    assertEquals([code, utf8Fault(bytes, "\ufffd")], [code, -1]);
  }
});
