import { assertEquals, assertStrictEquals } from "@std/assert";
import { lazyModule } from "../../../src/util/wasm_module.ts";

Deno.test("lazyModule() compiles at the first call and answers the same module after it", () => {
  // The shortest module: the magic word and version 1 (WebAssembly Core Specification, 5.5.16).
  const get = lazyModule(btoa("\0asm\x01\0\0\0"));
  const module = get();
  assertEquals(module instanceof WebAssembly.Module, true);
  assertStrictEquals(get(), module);
});

Deno.test("lazyModule() answers null where the engine refuses the bytes", () => {
  const get = lazyModule(btoa("\0asm\x02\0\0\0"));
  assertEquals(get(), null);
  assertEquals(get(), null);
});
