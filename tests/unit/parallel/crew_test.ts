import { assertEquals, assertMatch } from "@std/assert";
import { openCrew } from "../../../src/parallel/crew.ts";

/** Runs with a global missing. */
async function without<T>(
  name: "Worker" | "SharedArrayBuffer",
  work: () => Promise<T>,
): Promise<T> {
  const held = globalThis[name];
  Reflect.deleteProperty(globalThis, name);
  try {
    return await work();
  } finally {
    Object.defineProperty(globalThis, name, { value: held, configurable: true, writable: true });
  }
}

for (const name of ["Worker", "SharedArrayBuffer"] as const) {
  Deno.test(`openCrew() says so and goes on alone without ${name}`, async () => {
    const warnings: string[] = [];
    const crew = await without(
      name,
      () => openCrew({ threads: 4, onWarning: (message) => warnings.push(message) }),
    );
    assertEquals(crew.numThreads, 1);
    assertEquals(warnings.length, 1);
    assertMatch(warnings[0], /one thread/);
    crew.close();
  });
}

Deno.test("openCrew() starts the threads asked for, and close() may be called twice", async () => {
  const crew = await openCrew({ threads: 3 });
  assertEquals(crew.numThreads, 3);
  assertEquals(crew.memory.shared, true);
  crew.close();
  crew.close();
});
