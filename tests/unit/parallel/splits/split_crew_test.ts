import { assert, assertEquals } from "@std/assert";
import { train } from "../../../../src/algorithms/train.ts";
import { createDataset } from "../../../../src/data/dataset/dataset.ts";
import type { Column, Dataset } from "../../../../src/data/types.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** Numbers with gaps and ties, and categories; several classes, two classes or numbers to learn. */
function table(classes: number, numeric = 6, rows = 2200): Dataset {
  const rng = createRng(classes + 11);
  const columns: Column[] = Array.from({ length: numeric }, (_, f) => ({
    kind: "numeric",
    name: `x${f}`,
    values: Float64Array.from(
      { length: rows },
      () => rng.nextInt(30) === 0 ? NaN : f % 2 === 0 ? rng.nextInt(40) : rng.nextFloat(),
    ),
  }));
  for (const size of [3, 9]) {
    columns.push({
      kind: "categorical",
      name: `c${size}`,
      codes: Int32Array.from(
        { length: rows },
        () => rng.nextInt(size + (numeric > 0 ? 1 : 0)) - (numeric > 0 ? 1 : 0),
      ),
      categories: Array.from({ length: size }, (_, k) => `k${k}`),
    });
  }
  const first = columns[0]!;
  const y = Float64Array.from({ length: rows }, (_, row) => {
    const known = first.kind === "numeric" ? first.values[row]! / 40 : first.codes[row]! / 3;
    return (known || 0.3) + rng.nextFloat();
  });
  return createDataset(
    columns,
    classes === 0 ? { kind: "regression", name: "y", values: y } : {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(y, (v) => Math.min(classes - 1, Math.floor(v * classes / 2))),
      classes: Array.from({ length: classes }, (_, k) => `class ${k}`),
    },
  );
}

const CASES: readonly (readonly [number, { readonly [name: string]: unknown }])[] = [
  [3, { algorithm: "gbdt", rounds: 3, subsample: 0.7, maxDepth: 3 }],
  [0, { algorithm: "gbdt", rounds: 5, loss: "huber", featuresPerSplit: 4 }],
  [3, { algorithm: "logitboost", rounds: 3, maxDepth: 3 }],
  [3, { algorithm: "adaboost", rounds: 6, maxDepth: 2 }],
  [2, { algorithm: "adaboost", rounds: 4, base: "c45", maxDepth: 3 }],
  [0, { algorithm: "adaboost", rounds: 4 }],
  [0, { algorithm: "cart", maxDepth: 8 }],
  [0, { algorithm: "cart", criterion: "absolute", maxDepth: 4 }],
  [0, { algorithm: "cart", criterion: "poisson", maxLeaves: 40 }],
  [4, { algorithm: "cart", missing: "surrogate", maxDepth: 6 }],
  [3, { algorithm: "c45" }],
];

Deno.test("trees whose splits are found on 1, 2, 3 and 8 threads have the same bytes", async () => {
  for (const [i, [classes, spec]] of CASES.entries()) {
    const counts = i === 0 ? [1, 2, 3, 8] : [1, 2 + i % 2];
    const data = table(classes);
    const said: string[] = [];
    const bytes: Uint8Array[] = [];
    for (const threads of counts) {
      const onDetail = (message: string) => void said.push(message);
      bytes.push(encodeModel(await train(data, spec, { threads, onDetail })));
    }
    assert(
      said.slice(1).every((line, i) => line.includes(`on ${counts[i + 1]} threads`)),
      said.join(),
    );
    for (const other of bytes.slice(1)) assertEquals(other, bytes[0], JSON.stringify(spec));
  }
});

Deno.test("id3 has the same bytes on two threads", async () => {
  const data = table(3, 0, 12_000);
  const one = await train(data, { algorithm: "id3" }, { threads: 1 });
  const two = await train(data, { algorithm: "id3" }, { threads: 2 });
  assertEquals(encodeModel(two), encodeModel(one));
});

Deno.test("one thread finds splits where more would not help, and says why", async () => {
  const data = table(2);
  const cases = [
    [{ algorithm: "cart" }, "one kernel"],
    [{ algorithm: "adaboost", base: "extra", rounds: 5 }, "random splits"],
    [{ algorithm: "gbdt", rounds: 1, maxDepth: 1 }, "too little work"],
  ] as const;
  for (const [spec, why] of cases) {
    const said: string[] = [];
    await train(data, spec, { threads: 2, onDetail: (message) => void said.push(message) });
    assert(said.length === 1 && said[0]!.includes(why), said.join());
  }
  const Held = globalThis.Worker;
  const warnings: string[] = [];
  try {
    // deno-lint-ignore no-explicit-any
    (globalThis as any).Worker = undefined;
    const options = { threads: 2, onWarning: (message: string) => void warnings.push(message) };
    await train(table(3), { algorithm: "gbdt", rounds: 3 }, options);
  } finally {
    globalThis.Worker = Held;
  }
  assertEquals(warnings, ["Workers are missing: training on one thread"]);
});
