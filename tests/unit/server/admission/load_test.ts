import { assertEquals, assertThrows } from "@std/assert";
import { RequestError } from "../../../../src/errors.ts";
import {
  checkWait,
  createLoad,
  noteArrival,
  noteEnd,
  takeTurn,
} from "../../../../src/server/admission/load.ts";

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

Deno.test("checkWait() forgets a long wait although a slow upload goes on and others keep coming", () => {
  const load = createLoad();
  // A burst: the second of two that came together waited for 50 ms; beside them a body that takes long.
  for (const end of [50, 60]) {
    noteArrival(load, 0);
    takeTurn(load, 0, 2, 60);
    noteEnd(load, end);
  }
  assertEquals(load.wait, 50);
  // Then one every 10 ms, answered or refused within one.
  const refused = [];
  for (let now = 70; now < 1000; now += 10) {
    noteArrival(load, now);
    try {
      checkWait(load, now, 1, 20);
      takeTurn(load, now, 1, 20);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      refused.push(now);
    }
    noteEnd(load, now + 1);
  }
  assertEquals(refused, [70, 80, 90, 100, 110, 120, 130, 140, 150]); // 100 ms from the answer on
});
