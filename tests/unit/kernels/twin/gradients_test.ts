import { assertEquals } from "@std/assert";
import { createMemory } from "../../../../src/kernels/memory.ts";
import { twinKernels } from "../../../../src/kernels/twin/twin.ts";
import { wasmKernels } from "../../../../src/kernels/wasm.ts";
import { logisticLoss } from "../../../../src/loss/logistic.ts";
import { softmaxLoss } from "../../../../src/loss/softmax.ts";
import { squaredLoss } from "../../../../src/loss/squared.ts";
import { createRng } from "../../../../src/util/rng.ts";

const N = 501;

for (const loss of [squaredLoss(), logisticLoss(), softmaxLoss(4), softmaxLoss(7, "lightgbm")]) {
  Deno.test(`kernel "${loss.kernel}" of ${loss.numOutputs} outputs gives the gradients of its loss bit for bit`, () => {
    const rng = createRng(3);
    const k = loss.numOutputs;
    const raw = Float64Array.from(
      { length: N * k },
      (_, i) => (rng.nextFloat() - 0.5) * (i % 9 === 0 ? 1600 : 12),
    );
    const values = Float64Array.from({ length: N }, () => rng.nextInt(Math.max(2, k)));
    const gradient = new Float64Array(N * k);
    const hessian = new Float64Array(N * k);
    loss.gradients({ values }, raw, gradient, hessian, 0, N);
    for (const plain of [true, false]) {
      const memory = createMemory({ plain });
      memory.ensure(1 << 20);
      const kernels = plain ? twinKernels(memory) : wasmKernels(memory);
      const [r, y, g, h] = [65536, 131072, 196608, 262144];
      memory.f64.set(raw, r >>> 3);
      memory.f64.set(values, y >>> 3);
      if (loss.kernel === "softmax") {
        kernels.softmax(r, y, g, h, N, k, 8 * N, loss.curvatureFactor!);
      } else kernels[loss.kernel!](r, y, g, h, N);
      assertEquals(memory.f64.slice(g >>> 3, (g >>> 3) + N * k), gradient);
      assertEquals(memory.f64.slice(h >>> 3, (h >>> 3) + N * k), hessian);
    }
  });
}
