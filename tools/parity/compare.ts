// deno-lint-ignore-file no-console
/**
 * Imports every case that the scripts beside this file wrote and compares it with the library's own
 * numbers, as the golden test does with the stored ones.
 *
 *     deno run -A tools/parity/compare.ts FOLDER
 *
 * Prints what differs and how much was compared; exits with 1 when anything differs.
 *
 * @module
 */
import {
  type CaseResult,
  checkGenerated,
  checkOnnx,
  foldersIn,
  problemOf,
} from "../../tests/support/reference/model_cases.ts";

import { casesIn, problemOfCase } from "../../tests/support/reference/sklearn_cases.ts";

const root = new URL(`file://${Deno.realPathSync(Deno.args[0])}/`);
let failures = 0;
for (const group of foldersIn(root)) {
  const folder = new URL(`${group}/`, root);
  if (/^(scikit-learn|catboost)/.test(group)) {
    const names = casesIn(folder);
    for (const name of names) {
      let problem: string | undefined;
      try {
        problem = problemOfCase(folder, name);
      } catch (error) {
        problem = `it was refused: ${(error as Error).message}`;
      }
      if (problem === undefined) continue;
      failures++;
      console.log(`${group}/${name}: ${problem}`);
    }
    console.log(`${group}: ${names.length} files`);
    continue;
  }
  const results = foldersIn(folder).flatMap((name): CaseResult[] => {
    const place = new URL(`${name}/`, folder);
    return group.startsWith("onnx")
      ? [checkOnnx(group, name, place)]
      : checkGenerated(group, name, place);
  });
  const compared = new Map<string, number>();
  for (const result of results) {
    const problem = problemOf(result);
    if (problem !== undefined) {
      failures++;
      console.log(`${result.group}/${result.name} ${result.file}: ${problem}`);
    }
    for (const { what, total } of result.checks) {
      compared.set(what, (compared.get(what) ?? 0) + total);
    }
  }
  const counts = [...compared].map(([what, total]) => `${what} ${total}`).join(", ");
  console.log(`${group}: ${results.length} files; compared ${counts}`);
}
console.log(failures === 0 ? "nothing differs" : `${failures} files differ`);
Deno.exit(failures === 0 ? 0 : 1);
