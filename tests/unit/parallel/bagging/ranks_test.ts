import { assert, assertEquals } from "@std/assert";
import { train } from "../../../../src/algorithms/train.ts";
import type { Column, Dataset } from "../../../../src/data/types.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import { createFrame } from "../../../../src/grow/rows/frame.ts";
import { BAG_WORKER } from "../../../../src/parallel/bagging/protocol.ts";
import { rankForBag } from "../../../../src/parallel/bagging/pool.ts";
import type { RankedAnswer, RankOrder } from "../../../../src/parallel/splits/column_orders.ts";
import { createRng } from "../../../../src/util/rng.ts";
import { withWorkers } from "../../../support/stand_ins/workers.ts";

const ROWS = 12_500;

/** Enough cells to be ranked by threads: seven numbers that miss some values, and categories. */
function table(numClasses: number): Dataset {
  const rng = createRng(3);
  const numbers = Array.from({ length: 7 }, (_, f): Column => ({
    kind: "numeric",
    name: `x${f}`,
    values: Float64Array.from(
      { length: ROWS },
      () => rng.nextInt(20) ? Math.round(rng.nextFloat() * 10 ** (f + 1)) : NaN,
    ),
  }));
  const codes = Int32Array.from({ length: ROWS }, () => rng.nextInt(9) - 1);
  const categories = Array.from({ length: 8 }, (_, i) => `v${i}`);
  return {
    numRows: ROWS,
    features: [...numbers, { kind: "categorical", name: "c", codes, categories }],
    target: numClasses === 0
      ? {
        kind: "regression",
        name: "y",
        values: Float64Array.from(codes, (c) => c + rng.nextFloat()),
      }
      : {
        kind: "classification",
        name: "y",
        codes: codes.map((code) => (code + rng.nextInt(3) + 1) % numClasses),
        classes: Array.from({ length: numClasses }, (_, k) => `${k}`),
      },
  };
}

Deno.test("forests and bagging are the same bytes on any number of threads that rank and grow", async () => {
  const runs = [
    [table(2), { algorithm: "random-forest", trees: 8 }, [2, 3, 8]],
    [table(0), { algorithm: "extra-trees", trees: 4 }, [2]],
    [table(3), { algorithm: "bagging", trees: 3 }, [3]],
  ] as const;
  for (const [data, params, more] of runs) {
    const bytes = async (threads: number) =>
      encodeModel(await train(data, { ...params, maxDepth: 3 }, { threads }));
    const alone = await bytes(1);
    for (const threads of more) assertEquals(await bytes(threads), alone, params.algorithm);
  }
});

Deno.test("columns of a forest have the ranks that the workers of its trees found", async () => {
  const data = table(2);
  const alone = createFrame(data);
  const given: number[] = [];
  const names: string[] = [];
  let ended = 0;
  class Prompt {
    onmessage: (event: { data: RankedAnswer }) => void = () => {};
    constructor(_: URL, { name }: { readonly name: string }) {
      names.push(name);
    }
    postMessage({ rank: { feature } }: RankOrder) {
      given.push(feature);
      const found = { ...alone.features[feature]!, values: Float64Array.of(feature) };
      queueMicrotask(() => this.onmessage({ data: { feature, found } }));
    }
    terminate() {
      ended++;
    }
  }
  await withWorkers(Prompt, async () => {
    {
      using ranked = await rankForBag(data, 10, { threads: 2 });
      assertEquals(ranked.early.length, 2);
      const told = alone.features.map((one, feature) =>
        given.includes(feature) ? { ...one, values: Float64Array.of(feature) } : one
      );
      assertEquals(ranked.frame, { numRows: ROWS, features: told });
    }
    assertEquals(ended, 2);
    assertEquals(names, [BAG_WORKER, BAG_WORKER]);
    assert(given.length >= 4, `${given}`);
    // One thread, one tree and few cells start none.
    const few = { ...data, features: data.features.slice(0, 7) };
    assertEquals((await rankForBag(data, 10, { threads: 1 })).frame, alone);
    assertEquals((await rankForBag(data, 1, { threads: 2 })).early, []);
    assertEquals((await rankForBag(few, 10, { threads: 2 })).early, []);
  });
  assertEquals(names.length, 2);
});
