import { assertEquals } from "@std/assert";
import { createQueue } from "../../../../src/grow/plan/queue.ts";
import { createRng } from "../../../../src/util/rng.ts";

Deno.test("best-first growth takes the largest gain, of equal ones the earlier node", () => {
  const rng = createRng(3);
  const queue = createQueue("best-first");
  const waiting: (readonly [node: number, gain: number])[] = [];
  for (let node = 0; node < 300; node++) {
    const gain = rng.nextInt(40);
    queue.push(node, gain);
    waiting.push([node, gain]);
    // Two nodes come for each that goes, as when a tree grows; then all go.
    for (let i = node < 299 ? node % 2 : waiting.length; i > 0; i--) {
      waiting.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
      assertEquals(queue.pop(), waiting.shift()![0]);
    }
  }
  assertEquals(queue.pop(), undefined);
});
