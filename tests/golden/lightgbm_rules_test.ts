/**
 * `monotoneRules` against LightGBM 4.7.0 (lightgbm_runs/recipe_monotone.py): its trees, node by node,
 * and those of them that break the order by LightGBM's own predictions.
 *
 * @module
 */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../src/algorithms/boost/boost.ts";
import { continueBoost } from "../../src/algorithms/update/continue.ts";
import { ParameterError, TrainingError } from "../../src/errors.ts";
import { modelFromJson, modelToJson } from "../../src/format/json.ts";
import { compareRunTree, type RunColumns, runData, type RunNode } from "../support/reference/lightgbm_runs.ts";

interface Case {
  readonly name: string;
  readonly params: { readonly [name: string]: unknown };
  readonly table: string;
  readonly labels: readonly number[];
  readonly broken: readonly number[];
  readonly trees: readonly (readonly RunNode[])[];
}

interface Broken {
  readonly trees: readonly number[];
  readonly first: string;
}

const { directions, tables, cases }: {
  readonly directions: readonly number[];
  readonly tables: { readonly [name: string]: RunColumns };
  readonly cases: readonly Case[];
} = JSON.parse(
  await Deno.readTextFile(new URL("lightgbm_runs/monotone.json", import.meta.url)),
);

const monotone = Object.fromEntries(directions.map((direction, f) => [`x${f}`, direction]));

const dataOf = ({ params, table, labels }: Case) =>
  runData(tables[table], labels, { binary: params.objective === "binary", categories: [4] });

for (const given of cases) {
  const { name, params, broken, trees, table } = given;
  const data = dataOf(given);
  const all = { preset: "lightgbm@4", ...params, rounds: trees.length, monotone, metrics: [] };

  Deno.test(`monotoneRules "lightgbm-unproved" grows LightGBM's trees: ${name}`, async () => {
    const warnings: string[] = [];
    const model = await trainBoost(data, { ...all, monotoneRules: "lightgbm-unproved" }, {
      onWarning: (warning) => warnings.push(warning),
    });
    assertEquals(model.numTrees, trees.length);
    trees.forEach((tree, t) => compareRunTree(model, t, tree));
    const said = (model.info.monotoneBroken as Broken | undefined)?.trees ?? [];
    // The proof also sees rows that the table has not.
    assertEquals(broken.filter((tree) => !said.includes(tree)), []);
    if (table === "full") assertEquals(said, []);
    assertEquals(warnings.some((text) => text.includes("not monotone")), said.length > 0);
  });

  Deno.test(`monotoneRules "lightgbm", the preset's, refuses what breaks the order: ${name}`, async () => {
    if (broken.length > 0) {
      const error = await assertRejects(() => trainBoost(data, all), TrainingError, "sound");
      assertEquals(error.code, "E_TRAIN_NUMERIC");
      assert(Number(error.details.tree) < broken[0]);
      const { lowValue, highValue, feature } = error.details as { [name: string]: number };
      assert((highValue - lowValue) * directions[feature] < 0);
      return;
    }
    const model = await trainBoost(data, all).catch((error) => {
      assert(table === "missing" && error instanceof TrainingError);
    });
    if (model !== undefined) trees.forEach((tree, t) => compareRunTree(model, t, tree));
    else assert(table === "missing");
  });

  Deno.test(`monotoneRules "sound" keeps the order of every row: ${name}`, async () => {
    const model = await trainBoost(data, { ...all, monotoneRules: "sound" });
    assertEquals(model.info.monotoneBroken, undefined);
    directions.forEach((direction, f) => {
      if (direction === 0) return;
      const lowest = params.zero_as_missing === true ? 1 : 0;
      const steps = Array.from({ length: 12 - lowest }, (_, i) => {
        const features = data.features.map((column, at) =>
          at === f && column.kind === "numeric"
            ? { ...column, values: column.values.map(() => i + lowest) }
            : column
        );
        return model.predictRaw({ ...data, features }).data;
      });
      for (let i = 1; i < steps.length; i++) {
        // Sums of trees may differ in their last bit where each tree is level.
        assert(steps[i].every((value, row) => direction * (value - steps[i - 1][row]) >= -1e-12));
      }
    });
  });
}

Deno.test("a model that breaks the order says so in its file, and goes on saying so", async () => {
  const given = cases.find(({ name }) => name === "advanced")!;
  const data = dataOf(given);
  const params = {
    preset: "lightgbm@4",
    ...given.params,
    monotone,
    monotoneRules: "lightgbm-unproved",
    rounds: 3,
  } as const;
  const model = await trainBoost(data, params);
  const first = model.info.monotoneBroken as Broken;
  assert(first.trees.length > 0 && first.first.startsWith(`tree ${first.trees[0]} `));
  assertEquals(modelFromJson(modelToJson(model)).info.monotoneBroken, first);
  const longer = await continueBoost(model, data, { rounds: 3 });
  const whole = await trainBoost(data, { ...params, rounds: 6 });
  assertEquals(longer.info.monotoneBroken, whole.info.monotoneBroken);
  await assertRejects(
    () => continueBoost(model, data, { rounds: 3, monotoneRules: "lightgbm" }),
    ParameterError,
    "own trees do not keep it",
  );
});
