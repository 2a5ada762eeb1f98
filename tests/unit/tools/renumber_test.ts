import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { renumbered } from "../../../tools/renumber.ts";

/** `(x) => (x + 32) * 33` by two locals, and constants that look like instructions with locals. */
const CODE = [
  ...[0xfd, 12, ...new Array<number[]>(8).fill([0x20, 1]).flat(), 0x1a], // a vector, dropped
  ...[0x20, 0, 0x41, 32, 0x6a, 0x21, 1], // local 1 = x + 32
  ...[0x41, 33, 0x21, 2], // local 2 = 33
  ...[0x41, 0, 0x41, 1, 0x20, 1, 0xfc, 11, 0], // as many bytes of 1 from 0 on
  ...[0x20, 1, 0x20, 2, 0x6c, 0x0b], // their product
];

/** A module that exports it, with a memory of one page. */
function moduleOf(code: readonly number[]): Uint8Array<ArrayBuffer> {
  const body = [2, 2, 0x7f, 1, 0x7c, ...code]; // two locals i32, one f64
  return Uint8Array.of(
    ...[0, 97, 115, 109, 1, 0, 0, 0],
    ...[1, 6, 1, 0x60, 1, 0x7f, 1, 0x7f],
    ...[3, 2, 1, 0],
    ...[5, 3, 1, 0, 1],
    ...[7, 5, 1, 1, 97, 0, 0],
    ...[10, body.length + 2, 1, body.length, ...body],
  );
}

function run(wasm: Uint8Array<ArrayBuffer>, x: number): number {
  const { a } = new WebAssembly.Instance(new WebAssembly.Module(wasm)).exports;
  return (a as (x: number) => number)(x);
}

Deno.test("renumbered() swaps locals where that packs better, and nothing else changes", () => {
  const wasm = moduleOf(CODE);
  assertEquals(run(wasm, 5), 1221);
  const last = wasm.length - 3; // the number of the local that is read last
  const swapped = renumbered(
    wasm,
    (bytes) => bytes[last] === 1 ? "" : Array.from(bytes, (byte) => byte * 7919).join(),
  ) as Uint8Array<ArrayBuffer>;
  assertEquals([wasm[last], swapped[last]], [2, 1]);
  assertEquals(run(swapped, 5), 1221);
  const changed = [...wasm.keys()].filter((i) => wasm[i] !== swapped[i]);
  assertNotEquals(changed.length, 0);
  assertEquals(changed.filter((i) => wasm[i - 1] < 0x20 || wasm[i - 1] > 0x22), []);
});

Deno.test("renumbered() refuses instructions that it does not know", () => {
  assertThrows(() => renumbered(moduleOf([0x12, 0, 0x0b]), String), RangeError, "instruction 18");
});
