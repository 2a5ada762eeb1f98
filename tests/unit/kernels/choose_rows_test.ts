import { assert, assertEquals } from "@std/assert";
import { createMemory } from "../../../src/kernels/memory.ts";
import { twinKernels } from "../../../src/kernels/twin/twin.ts";
import { wasmKernels } from "../../../src/kernels/wasm.ts";
import { createRng } from "../../../src/util/rng.ts";

Deno.test("chooseRows() takes exactly its share, every row about as often", () => {
  const memory = createMemory();
  const kernels = wasmKernels(memory);
  const [factorAt, mask] = [8192, 16384];
  const factor = memory.f64.subarray(factorAt >>> 3, (factorAt >>> 3) + 50);
  const taken = new Float64Array(50);
  for (let seed = 0; seed < 2000; seed++) {
    kernels.chooseRows(50, 15, createRng(seed).nextUint32(), 0, 0, factorAt, mask);
    assertEquals(factor.reduce((a, b) => a + b), 15);
    factor.forEach((f, row) => taken[row] += f);
  }
  // 600 expected, standard deviation 20.
  taken.forEach((count, row) => assert(Math.abs(count - 600) < 100, `row ${row}: ${count}`));
});

Deno.test("chooseRows() of more rows than whole numbers are exact for is its twin", () => {
  const n = 2 ** 21 + 1000;
  const [part, factor, mask] = [65536, 65536 + 2 ** 22, 65536 + 2 ** 25];
  const [twin, wasm] = [true, false].map((plain) => {
    const memory = createMemory({ plain });
    memory.ensure(mask + n);
    for (let row = 0; row < n; row += 3) memory.u8[part + row] = 4;
    const kernels = plain ? twinKernels(memory) : wasmKernels(memory);
    kernels.chooseRows(n, 1_700_001, 0xdeadbeef, part, 4, factor, mask);
    return memory.u8.slice(mask, mask + n);
  });
  assert(twin.every((byte, row) => byte === wasm[row]));
  // A third of the rows is the member's own: two thirds of those chosen are left, give or take 600.
  const left = twin.reduce((sum, byte) => sum + byte, 0);
  assert(Math.abs(left - (1_700_001 * 2) / 3) < 3000, `${left}`);
});
