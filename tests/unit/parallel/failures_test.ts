import { assert, assertEquals, assertThrows } from "@std/assert";
import { DataError, TrainingError } from "../../../src/errors.ts";
import { failureSlot, noteFailure, throwNoted } from "../../../src/parallel/failures.ts";
import { isThreadFailed, threadFailed } from "../../../src/grow/thread_failed.ts";

const slot = (byteLength = 640) => failureSlot(new SharedArrayBuffer(byteLength), 0, byteLength);

Deno.test("throwNoted() throws the first reason that was noted, with class, code and details", () => {
  const place = slot();
  throwNoted(place); // nothing has failed
  noteFailure(place, threadFailed()); // a thread that was only left alone gives no reason
  const generic = assertThrows(
    () => throwNoted(place),
    TrainingError,
    "a training thread has failed",
  );
  assert(isThreadFailed(generic));
  noteFailure(place, new DataError("E_DATA_SHAPE", "Cannot take 3", { details: { row: 3 } }));
  noteFailure(place, new TrainingError("E_TRAIN_NUMERIC", "later"));
  const error = assertThrows(() => throwNoted(place), DataError, "Cannot take 3");
  assertEquals([error.code, error.details], ["E_DATA_SHAPE", { row: 3 }]);
});

Deno.test("noteFailure() keeps what fits: details go first, then the end of the message", () => {
  const told = (byteLength: number, message: string) => {
    const place = slot(byteLength);
    noteFailure(place, new TrainingError("E_TRAIN_NUMERIC", message, { details: { row: 7 } }));
    return assertThrows(() => throwNoted(place), TrainingError);
  };
  assertEquals(told(640, "é".repeat(200)).details, { row: 7 });
  const whole = told(490, "é".repeat(200)); // 16 are no text; 462 without the details, 482 with them
  assertEquals([whole.message, whole.details], ["é".repeat(200), {}]);
  assertEquals(told(640, "é".repeat(300)).message, `${"é".repeat(80)}…`);
  assertEquals(told(64, "é".repeat(300)).message, "Cannot continue: a training thread has failed");
});

Deno.test("noteFailure() says where an error comes from that is not the library's own", () => {
  const place = slot();
  noteFailure(place, new RangeError("out of bounds"));
  const error = assertThrows(() => throwNoted(place), TrainingError);
  assertEquals(error.message, "Cannot continue: a training thread has failed (out of bounds)");
});

Deno.test("noteFailure() notes what cannot be told, too", () => {
  const details: { own?: unknown } = {};
  details.own = details;
  for (
    const untold of [
      new TrainingError("E_TRAIN_NUMERIC", "a circle", { details }),
      new TrainingError("E_TRAIN_NUMERIC", "no JSON", { details: { value: 3n } }),
      Object.create(null), // has no text
    ]
  ) {
    const place = slot();
    noteFailure(place, untold);
    assert(isThreadFailed(assertThrows(() => throwNoted(place), TrainingError)));
  }
});
