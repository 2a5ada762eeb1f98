import { assert, assertEquals } from "@std/assert";
import { nextTurn } from "../../../src/util/turn.ts";

/** Busy until something is heard; gives up after many turns. */
async function workUntil(heard: () => boolean): Promise<boolean> {
  for (let turn = 0; turn < 10_000 && !heard(); turn++) {
    const began = performance.now();
    while (performance.now() - began < 1);
    await nextTurn();
  }
  return heard();
}

Deno.test("nextTurn() lets an abort by a timer be heard", async () => {
  const signal = AbortSignal.timeout(5);
  assert(await workUntil(() => signal.aborted));
});

Deno.test("nextTurn() lets messages be heard", async () => {
  const { port1, port2 } = new MessageChannel();
  let heard = 0;
  port1.onmessage = ({ data }) => void (heard = data);
  port2.postMessage(7);
  await workUntil(() => heard > 0);
  port1.close();
  assertEquals(heard, 7);
});

Deno.test("nextTurn() works where there are no channels", async () => {
  const { MessageChannel } = globalThis;
  try {
    (globalThis as { MessageChannel: unknown }).MessageChannel = undefined;
    const signal = AbortSignal.timeout(5);
    assert(await workUntil(() => signal.aborted));
  } finally {
    globalThis.MessageChannel = MessageChannel;
  }
});

Deno.test("nextTurn() closes both ends of its channel", async () => {
  const { MessageChannel } = globalThis;
  const ports: MessagePort[] = [];
  const closed = new Set<MessagePort>();
  globalThis.MessageChannel = class extends MessageChannel {
    constructor() {
      super();
      for (const port of [this.port1, this.port2]) {
        const { close } = port;
        port.close = () => {
          closed.add(port);
          close.call(port);
        };
        ports.push(port);
      }
    }
  };
  try {
    await nextTurn();
  } finally {
    globalThis.MessageChannel = MessageChannel;
  }
  assertEquals([ports.length, ports.every((port) => closed.has(port))], [2, true]);
});
