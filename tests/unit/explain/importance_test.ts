import { assertEquals } from "@std/assert";
import { importModel } from "../../../src/convert/import_model.ts";
import { featureImportance } from "../../../src/explain/importance.ts";
import { hasShared, sharedPath } from "../../support/shared.ts";

Deno.test("featureImportance() counts splits and adds up gain and cover", () => {
  const bytes = Deno.readFileSync(
    new URL("../../golden/models/lightgbm-4.6.0/rf_multiclass_iris/model.txt", import.meta.url),
  );
  const model = importModel(bytes);
  const list = featureImportance(model);
  const inner = model.ensemble.trees.kind.filter((kind) => kind !== 0).length;
  assertEquals(list.reduce((sum, item) => sum + item.splits, 0), inner);
  assertEquals(list.map((item) => item.feature), model.schema.features.map((f) => f.name));
});

const absent = !hasShared("reference/xgboost/importance.json");
Deno.test({
  name: `featureImportance() equals get_score() of XGBoost and feature_importance() of LightGBM${
    absent ? " (skipped: ../shared is not here)" : ""
  }`,
  ignore: absent,
  fn() {
    const read = (path: string) => JSON.parse(Deno.readTextFileSync(sharedPath(path))).importance;
    const close = (a: number, b: number) => Math.abs(a - b) <= 1e-5 * Math.max(1, Math.abs(b));
    const problems: string[] = [];
    for (
      const [name, scores] of Object.entries<{ [kind: string]: { [f: string]: number } }>(
        read("reference/xgboost/importance.json"),
      )
    ) {
      const model = importModel(
        Deno.readFileSync(sharedPath(`models/xgboost-1.7.4/${name}/model.ubj`)),
      );
      for (const item of featureImportance(model)) {
        const get = (kind: string) => scores[kind]?.[item.feature] ?? 0;
        if (item.splits !== get("weight")) problems.push(`${name} ${item.feature} weight`);
        if (item.splits > 0 && !close(item.gain / item.splits, get("gain"))) {
          problems.push(`${name} ${item.feature} gain`);
        }
        if (item.splits > 0 && !close(item.cover / item.splits, get("cover"))) {
          problems.push(`${name} ${item.feature} cover`);
        }
      }
    }
    for (
      const [name, scores] of Object.entries<{ [kind: string]: { [f: string]: number } }>(
        read("reference/lightgbm/importance.json"),
      )
    ) {
      const model = importModel(
        Deno.readFileSync(sharedPath(`models/lightgbm-4.6.0/${name}/model.txt`)),
      );
      for (const item of featureImportance(model)) {
        if (item.splits !== (scores.split[item.feature] ?? 0)) {
          problems.push(`${name} ${item.feature} split`);
        }
        // The text file holds gains with six digits.
        if (!close(item.gain / 1, scores.gain[item.feature] ?? 0)) {
          problems.push(`${name} ${item.feature} gain`);
        }
      }
    }
    assertEquals(problems, []);
  },
});
