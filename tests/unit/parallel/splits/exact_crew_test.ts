import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { train } from "../../../../src/algorithms/train.ts";
import { createDataset } from "../../../../src/data/dataset/dataset.ts";
import type { Dataset, NumericColumn } from "../../../../src/data/types.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** Numbers with gaps and ties; every column is there twice, so that each split has an equal. */
function table(classes: number, rows = 2000): Dataset {
  const rng = createRng(classes + 3);
  const half = Array.from(
    { length: 5 },
    (_, f) =>
      Float64Array.from(
        { length: rows },
        () => f < 2 && rng.nextInt(9) === 0 ? NaN : f % 2 === 0 ? rng.nextInt(30) : rng.nextFloat(),
      ),
  );
  const columns = [...half, ...half].map((values, f): NumericColumn => ({
    kind: "numeric",
    name: `x${f}`,
    values,
  }));
  const y = Float64Array.from(
    { length: rows },
    (_, row) => (half[0]![row]! / 30 || 0.4) + half[3]![row]! + 0.5 * rng.nextFloat(),
  );
  return createDataset(
    columns,
    classes === 0 ? { kind: "regression", name: "y", values: y } : {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(y, (v) => Math.min(classes - 1, Math.floor(v * classes / 2.5))),
      classes: Array.from({ length: classes }, (_, k) => `class ${k}`),
    },
  );
}

const EXACT = { treeMethod: "exact", committee: 1 } as const;

const CASES: readonly (readonly [number, { readonly [name: string]: unknown }])[] = [
  [0, { rounds: 3, maxDepth: 0, minChildWeight: 0, lambda: 0 }],
  [2, { rounds: 4, monotone: { x3: 1, x8: -1 }, minRowsPerLeaf: 5 }],
  [3, { rounds: 2, gamma: 0.5, maxDeltaStep: 0.7 }],
];

Deno.test("trees of the exact method on 1, 2, 3 and 8 threads have the same bytes", async () => {
  for (const [classes, params] of CASES) {
    const data = table(classes);
    const told: string[] = [];
    const onDetail = (message: string) => void told.push(message);
    const bytesOn = async (threads: number) =>
      encodeModel(await train(data, { ...EXACT, ...params }, { threads, onDetail }));
    const alone = await bytesOn(1);
    for (const threads of [2, 3, 8]) assertEquals(await bytesOn(threads), alone);
    const shared = (threads: number) => `Finding splits on ${threads} threads, shared memory`;
    assertEquals(told, ["Finding splits on one thread", shared(2), shared(3), shared(8)]);
  }
});

Deno.test("the exact method on threads splits on the first of two equal columns", async () => {
  const { ensemble } = await train(table(0), { ...EXACT, rounds: 3 }, { threads: 2 });
  const used = [...ensemble.trees.feature].filter((feature) => feature >= 0);
  assert(used.length > 30);
  assert(used.every((feature) => feature < 5), `${used}`);
});

Deno.test("the exact method stays on one thread where there is little to share", async () => {
  const told: string[] = [];
  const onDetail = (message: string) => void told.push(message);
  await train(table(0, 60), { ...EXACT, rounds: 2 }, { threads: 2, onDetail });
  assertStringIncludes(told.join(), "there is too little work to share");
});
