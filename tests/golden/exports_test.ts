/**
 * Exports in the real libraries: `exports/checked.json` holds what XGBoost and ONNX Runtime said of each
 * file, with the SHA-256 of the file they were given (but for Treeline's version). What is written today
 * has that hash, and the answers are the scores of the model. With TREELINE_PYTHON (numpy, xgboost, onnxruntime) the libraries
 * are asked anew.
 */
import { assert, assertEquals } from "@std/assert";
import { givesDouble } from "../../src/convert/onnx/export.ts";
import { rowOf } from "../../src/convert/probe_rows.ts";
import {
  askLibraries,
  type Checked,
  type ExportCase,
  exportCases,
  type Said,
} from "../support/reference/export_cases.ts";

const stored = JSON.parse(
  Deno.readTextFileSync(new URL("exports/checked.json", import.meta.url)),
) as Checked;

/** Entries that differ by more than the tolerance, in units of max(1, |expected|). */
function differing(
  actual: ArrayLike<number>,
  said: Said["outputs"][string],
  tolerance: number,
): number {
  assertEquals(actual.length, said.length);
  return said.filter((text, i) => {
    const want = Number(text);
    return actual[i] !== want && !Object.is(actual[i], want) &&
      !(Math.abs(actual[i] - want) <= tolerance * Math.max(1, Math.abs(want)));
  }).length;
}

function assertAnswers({ name, format, model, codes }: ExportCase, { outputs }: Said): void {
  const what = `of ${name} as ${format}`;
  const rows = codes.map((row) => rowOf(model.schema, row));
  // On one thread sums run in the model's own order and precision: the same number, to the last bit.
  assertEquals(differing(model.predictRaw(rows).data, outputs.raw, 0), 0, `raw scores ${what}`);
  // exp() is that of the library's platform: a few units in the last place of the type.
  const tolerance = format === "onnx" && givesDouble(model.ensemble) ? 2e-15 : 1e-6;
  assertEquals(differing(model.predictValue(rows), outputs.value, tolerance), 0, `values ${what}`);
  if (outputs.label !== undefined) {
    assertEquals(model.predictClass(rows), outputs.label.map(String), `labels ${what}`);
  }
  if (outputs.probabilities !== undefined && model.ensemble.postprocess.name !== "hinge") {
    const proba = model.predictProba(rows).data;
    const wrong = differing(proba, outputs.probabilities, tolerance);
    assertEquals(wrong, 0, `probabilities ${what}`);
  }
}

function answersFor(cases: readonly ExportCase[], checked: Checked) {
  assertEquals(cases.length, checked.cases.length);
  return cases.map((one, i) => {
    const said = checked.cases[i];
    assertEquals([said.name, said.format], [one.name, one.format]);
    return said;
  });
}

Deno.test("exports are the bytes that the real libraries were given", () => {
  const cases = exportCases();
  const changed = answersFor(cases, stored)
    .filter((said, i) => said.sha256 !== cases[i].sha256)
    .map((said) => `${said.name} as ${said.format}`);
  // Changed on purpose? Then run tests/golden/exports/make.ts, which asks the libraries again.
  assertEquals(changed, []);
  assert(cases.length > 50);
});

Deno.test("exported files score in the real XGBoost and ONNX Runtime as the model does", () => {
  const cases = exportCases();
  answersFor(cases, stored).forEach((said, i) => assertAnswers(cases[i], said));
});

const python = Deno.env.get("TREELINE_PYTHON");
Deno.test({
  name: `exported files score so in the libraries of this machine${
    python === undefined ? " (skipped: TREELINE_PYTHON is not set)" : ""
  }`,
  ignore: python === undefined,
  async fn() {
    const cases = exportCases();
    const fresh = await askLibraries(python!, cases);
    answersFor(cases, fresh).forEach((said, i) => assertAnswers(cases[i], said));
  },
});
