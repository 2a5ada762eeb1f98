import { assertEquals, assertRejects } from "@std/assert";
import { DataError } from "../../../../src/errors.ts";
import { createGather, readBytes } from "../../../../src/server/body/read.ts";
import { arrivingLines } from "../../../../src/server/body/text_lines.ts";

const encoder = new TextEncoder();

/** Bytes one at a time, each a view of the same large memory: who keeps views reads the last one only. */
function dribble(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  const memory = new Uint8Array(1 << 16);
  const bytes = encoder.encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at === bytes.length) return controller.close();
      memory[0] = bytes[at++];
      controller.enqueue(memory.subarray(0, 1));
    },
  }, { highWaterMark: 0 });
}

Deno.test("readBytes() keeps no piece of a body, which may be a byte of 64 kB", async () => {
  const request = new Request("http://localhost/", { method: "POST", body: dribble('{"a":12}') });
  assertEquals(await readBytes(request, 100), encoder.encode('{"a":12}'));
});

Deno.test("arrivingLines() keeps no piece of a line", async () => {
  const lines: unknown[] = [];
  for await (const group of arrivingLines(dribble('{"a":1}\n{"a":23}\n5'), 100)) {
    lines.push(...group);
  }
  assertEquals(lines, ['{"a":1}', '{"a":23}', "5"]);
});

Deno.test("arrivingLines() counts blank lines whole, in however many pieces they come", async () => {
  const read = async (text: string) => {
    const groups = await Array.fromAsync(arrivingLines(dribble(text), 100));
    return groups.flat();
  };
  const blank = " ".repeat(49) + "\n";
  assertEquals(await read(`1\n${blank}${blank}2\n${blank}3\n`), ["1", "2", "3"]);
  const error = await assertRejects(() => read(`1\n${blank}${blank}\n2\n`), DataError);
  assertEquals([error.code, error.details.value], ["E_DATA_LIMIT", 100]);
});

Deno.test("createGather() gives what came since it was asked last", () => {
  const gather = createGather();
  const whole = Uint8Array.from({ length: 10_000 }, (_, i) => i & 255);
  for (let at = 0; at < whole.length; at += 37) gather.add(whole.subarray(at, at + 37));
  assertEquals(gather.length, 10_000);
  assertEquals(gather.take(), whole);
  assertEquals(gather.length, 0);
  gather.add(whole.subarray(0, 3));
  assertEquals(gather.take(), whole.slice(0, 3));
});
