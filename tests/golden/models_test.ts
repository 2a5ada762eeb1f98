/**
 * Reference models of other libraries: margins, predictions, leaves, prefixes and contributions.
 * The small set beside this file always runs; `../shared/models` runs where it exists.
 */
import { assertEquals } from "@std/assert";
import {
  type CaseResult,
  checkGenerated,
  checkOnnx,
  foldersIn,
  problemOf,
} from "../support/reference/model_cases.ts";
import { hasShared, sharedPath } from "../support/shared.ts";
import { checkThirdparty } from "../support/reference/thirdparty_cases.ts";

function assertAll(results: readonly CaseResult[]): void {
  const problems = results.flatMap((result) => {
    const problem = problemOf(result);
    return problem === undefined ? [] : [`${result.group}/${result.name} ${result.file}: ${problem}`];
  });
  assertEquals(problems, []);
}

function checkGroup(root: URL, group: string): CaseResult[] {
  const folder = new URL(`${group}/`, root);
  return foldersIn(folder).flatMap((name) => {
    const place = new URL(`${name}/`, folder);
    return group.startsWith("onnx") ? [checkOnnx(group, name, place)] : checkGenerated(group, name, place);
  });
}

const small = new URL("models/", import.meta.url);
for (const group of foldersIn(small)) {
  Deno.test(`golden/models/${group}: every case is as its library has it`, () => {
    const results = checkGroup(small, group);
    assertEquals(results.length > 0, true);
    assertAll(results);
  });
}

const absent = !hasShared("models/MANIFEST.md");
const why = absent ? " (skipped: ../shared/models is not here)" : "";
const groups = absent
  ? ["all groups"]
  : foldersIn(sharedPath("models/")).filter((name) => name !== "thirdparty");
for (const group of groups) {
  Deno.test({
    name: `shared/models/${group}: every case is as its library has it${why}`,
    ignore: absent,
    fn: () => assertAll(checkGroup(sharedPath("models/"), group)),
  });
}
Deno.test({
  name: `shared/models/thirdparty: every file is as its source has it${why}`,
  ignore: absent,
  fn: () => assertAll(checkThirdparty(sharedPath("models/thirdparty/"))),
});
