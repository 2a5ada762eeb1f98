import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { createMemory } from "../../../src/kernels/memory.ts";
import { twinKernels } from "../../../src/kernels/twin/twin.ts";
import { wasmKernels } from "../../../src/kernels/wasm.ts";
import { logisticLoss } from "../../../src/loss/logistic.ts";
import { oneVsAllLoss, softmaxLoss } from "../../../src/loss/softmax.ts";
import { createRng } from "../../../src/util/rng.ts";
import { bothAgree } from "../../support/laws/kernels.ts";

const [LABELS, COUNTS, OUT] = [4096, 32768, 40960];
const ODD = [-0, -1, 0.5, NaN, Infinity, -Infinity, 2 ** 32, 2 ** 40, 1e-300, 7, 8];

Deno.test("wasm equals its twin: labels counted, and others than classes told", () => {
  fc.assert(
    fc.property(fc.nat(400), fc.constantFrom(2, 3, 7), fc.nat(), (n, most, seed) => {
      const rng = createRng(seed);
      const labels = Array.from({ length: n }, () => {
        return rng.nextInt(500) === 0 ? ODD[rng.nextInt(ODD.length)] : rng.nextInt(most);
      });
      const areClasses = labels.every((y) => Number.isInteger(y) && y >= 0 && y < most);
      bothAgree(seed, (memory) => memory.f64.set(labels, LABELS >>> 3), (kernels, memory) => {
        const told = kernels.countLabels(LABELS, n, most, COUNTS);
        assertEquals(told, areClasses ? 1 : 0);
        const counts = memory.u32.subarray(COUNTS >>> 2, (COUNTS >>> 2) + most);
        if (!areClasses) return counts.fill(0) && told; // not defined
        assertEquals(
          [...counts],
          Array.from({ length: most }, (_, k) => labels.filter((y) => y === k).length),
        );
        return told;
      });
    }),
    { numRuns: 150 },
  );
});

Deno.test("wasm equals its twin: labels as signs", () => {
  bothAgree(1, (memory) => memory.f64.set([0, 1, 1, 0, 1], LABELS >>> 3), (kernels, memory) => {
    kernels.labelSigns(LABELS, 5, OUT);
    assertEquals([...new Float32Array(memory.u8.buffer, OUT, 5)], [1, -1, -1, 1, -1]);
  });
});

Deno.test("labels that were counted give the start scores of labels that were not, bit for bit", () => {
  const rng = createRng(5);
  const values = Float64Array.from({ length: 1013 }, () => rng.nextInt(3));
  const two = values.map((label) => Math.min(label, 1));
  const counted = (labels: Float64Array, most: number) => ({
    values: labels,
    counts: Uint32Array.from({ length: most }, (_, k) => labels.filter((y) => y === k).length),
  });
  for (const loss of [softmaxLoss(3), oneVsAllLoss(3, true)]) {
    assertEquals(loss.baseScore(counted(values, 3)), loss.baseScore({ values }));
  }
  assertEquals(
    logisticLoss().baseScore(counted(two, 2)),
    logisticLoss().baseScore({ values: two }),
  );
  // Weights count rows differently.
  const weight = values.map((label) => 1 + label);
  assertEquals(
    softmaxLoss(3).baseScore({ ...counted(values, 3), weight }),
    softmaxLoss(3).baseScore({ values, weight }),
  );
});

Deno.test("lookWhile() looks as often as it may, or until another thread has written", () => {
  const shared = createMemory({ shared: true });
  for (const kernels of [wasmKernels(shared), twinKernels(shared)]) {
    shared.i32[1024] = -5;
    assertEquals(kernels.lookWhile(4096, -5, 100), -5);
    assertEquals(kernels.lookWhile(4096, 7, 1), -5);
    assertEquals(kernels.lookWhile(4096, 7, 0), 7); // nobody has looked
  }
});
