// deno-lint-ignore-file no-console
/**
 * Asks the real XGBoost and ONNX Runtime about every exported file and stores their answers with the
 * SHA-256 of the file. Run it again when an exporter changes what it writes, or the version does:
 *
 *     TREELINE_PYTHON=path/to/python deno run -A tests/golden/exports/make.ts
 *
 * The Python needs numpy, xgboost and onnxruntime.
 *
 * @module
 */
import { askLibraries, exportCases } from "../../support/reference/export_cases.ts";

const python = Deno.env.get("TREELINE_PYTHON");
if (python === undefined) {
  console.error("TREELINE_PYTHON is not set: expected a Python with numpy, xgboost and onnxruntime");
  Deno.exit(1);
}
const checked = await askLibraries(python, exportCases());
const lines = checked.cases.map((one) => JSON.stringify(one)).join(",\n");
await Deno.writeTextFile(
  new URL("checked.json", import.meta.url),
  `{"libraries":${JSON.stringify(checked.libraries)},"cases":[\n${lines}\n]}\n`,
);
console.log(`${checked.cases.length} files, ${JSON.stringify(checked.libraries)}`);
