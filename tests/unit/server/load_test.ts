import { assertEquals, assertThrows } from "@std/assert";
import { RequestError } from "../../../src/errors.ts";
import { createLoad, takeTurn } from "../../../src/server/load.ts";

Deno.test("takeTurn() tells how long who came last waited, and refuses who waited too long", () => {
  const load = { ...createLoad(), busySince: 100, lastEnd: 130 };
  takeTurn(load, 110, 3, 20);
  assertEquals(load.wait, 20);
  assertThrows(() => takeTurn(load, 90, 3, 20), RequestError); // since 100 there was no pause
  assertEquals([load.wait, load.shed], [30, 1]);
});

Deno.test("takeTurn() does not take who is answered as it comes for an end of the queue", () => {
  const load = { ...createLoad(), busySince: 100, lastEnd: 130, wait: 25 };
  takeTurn(load, 131, 2, 20); // beside two that still wait
  assertEquals(load.wait, 25);
  takeTurn(load, 131, 0, 20);
  assertEquals(load.wait, 0);
});
