import { assertEquals } from "@std/assert";
import type { CategoricalColumn, InputFeature } from "../../../../src/data/types.ts";
import { unknownLevels } from "../../../../src/data/warnings/unknown_levels.ts";

Deno.test("unknownLevels() counts rows by name of the feature, the data's first level among them", () => {
  const feature = (name: string, categories: string[]): InputFeature => ({
    kind: "categorical",
    name,
    missing: "learnt",
    unknown: "heavier",
    categories,
  });
  const column = (name: string, codes: number[], categories: string[]): CategoricalColumn => ({
    kind: "categorical",
    name,
    codes: Int32Array.from(codes),
    categories,
  });
  const features = [
    feature("c", ["a", "b"]),
    feature("known", ["x"]),
    feature("absent", ["x"]),
    { kind: "numeric", name: "n", missing: "learnt" } as const,
  ];
  const data = {
    numRows: 6,
    features: [
      { kind: "numeric", name: "n", values: new Float64Array(6) } as const,
      column("other", [0, 0, 0, 0, 0, 0], ["q"]),
      column("known", [0, -1, 0, 0, -1, 0], ["x"]),
      // "new" and "?" are not the model's; −1 is missing.
      column("c", [0, 1, 2, -1, 0, 3], ["new", "b", "a", "?"]),
    ],
  };
  assertEquals(unknownLevels(features, data), new Map([["c", 3]]));
});
