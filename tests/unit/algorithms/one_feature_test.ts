import { assertEquals, assertStringIncludes } from "@std/assert";
import { train } from "../../../src/algorithms/train.ts";
import { createDataset } from "../../../src/data/dataset/dataset.ts";

const rows = Float64Array.from({ length: 12 }, (_, i) => i);
const dataOf = (features: number) =>
  createDataset(
    Array.from({ length: features }, (_, f) => ({
      kind: "numeric" as const,
      name: `x${f}`,
      values: rows.map((x) => (x * (f + 2)) % 7),
    })),
    { kind: "regression", name: "y", values: rows },
  );

Deno.test("forests and gbdt say that max_features 1 is one feature where all may be meant", async () => {
  for (const algorithm of ["random-forest", "extra-trees", "gbdt", "bagging"]) {
    const told = async (max_features: unknown, features: number) => {
      const messages: string[] = [];
      const size = algorithm === "gbdt" ? { rounds: 2 } : { trees: 2 };
      await train(dataOf(features), { algorithm, max_features, ...size }, {
        onWarning: (message) => messages.push(message),
      });
      return messages.filter((message) => message.includes("draws one of"));
    };
    const [message, ...more] = await told(1, 4);
    assertStringIncludes(message!, 'one of 4 features; scikit-learn\'s max_features=1.0 is "all"');
    assertEquals(more, []);
    // √3 is one, too; text tells a share from a number.
    assertEquals([await told(1, 3), await told("1.0", 4), await told(2, 4)], [[], [], []]);
  }
});
