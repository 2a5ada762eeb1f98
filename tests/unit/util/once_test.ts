import { assertEquals, assertRejects } from "@std/assert";
import { later, once } from "../../../src/util/once.ts";

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

Deno.test("a module is absent until it is there, and is loaded once", async () => {
  let loads = 0;
  const module = later(() => Promise.resolve(++loads));
  assertEquals(loads, 0);
  assertEquals(module(), undefined);
  assertEquals(await module.load(), 1);
  assertEquals([module(), module(), await module.load(), loads], [1, 1, 1, 1]);
});

Deno.test("who waits for a module need not have asked before", async () => {
  const module = later(() => Promise.resolve("there"));
  assertEquals(await module.load(), "there");
  assertEquals(module(), "there");
});

Deno.test("a module that cannot be loaded is asked for once, and stops nobody", async () => {
  let loads = 0;
  const module = later<string>(() => Promise.reject(new Error(`no ${++loads}`)));
  assertEquals(module(), undefined);
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(module(), undefined);
  assertEquals(loads, 1);
  await assertRejects(module.load, Error, "no 2");
});
