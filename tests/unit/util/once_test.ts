import { assertEquals, assertRejects } from "@std/assert";
import { once } from "../../../src/util/once.ts";

Deno.test("once() loads once, also for those who ask at the same time", async () => {
  let calls = 0;
  const load = once(() => Promise.resolve(++calls));
  assertEquals(await Promise.all([load(), load()]), [1, 1]);
  assertEquals(await load(), 1);
});

Deno.test("once() tries again after a failure", async () => {
  let calls = 0;
  const load = once(() => ++calls === 1 ? Promise.reject(new Error("gone")) : Promise.resolve(2));
  await assertRejects(load, Error, "gone");
  assertEquals(await load(), 2);
});
