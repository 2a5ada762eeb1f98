/** Every entry of the list of cases is named by the title of a test. */
import { assert, assertEquals } from "@std/assert";
import { hasShared, sharedPath } from "../support/shared.ts";

const tests = new URL("../", import.meta.url);
const isHere = hasShared("CASES.md");

/** Labels in the titles of tests below a folder: `CASES A1`, `CASES A1, A2`. */
function namedBelow(folder: URL): Set<string> {
  const names = new Set<string>();
  for (const entry of Deno.readDirSync(folder)) {
    const at = new URL(entry.isDirectory ? `${entry.name}/` : entry.name, folder);
    if (entry.isDirectory) {
      for (const name of namedBelow(at)) names.add(name);
    } else if (entry.name.endsWith("_test.ts")) {
      const titles = /Deno\.test\(\s*(?:\{\s*name:\s*)?["`]CASES ((?:[A-O]\d+(?:, )?)+):/g;
      for (const [, labels] of Deno.readTextFileSync(at).matchAll(titles)) {
        for (const label of labels.split(", ")) names.add(label);
      }
    }
  }
  return names;
}

Deno.test({
  name: `every entry of ../shared/CASES.md is named by a test${
    isHere ? "" : " (skipped: it is not here)"
  }`,
  ignore: !isHere,
  fn() {
    const text = Deno.readTextFileSync(sharedPath("CASES.md"));
    const entries = [...text.matchAll(/^### ([A-O]\d+) /gm)].map(([, label]) => label);
    assert(entries.length > 60, `${entries.length} entries`); // a list in another form is not read
    const named = namedBelow(tests);
    assertEquals(entries.filter((label) => !named.has(label)), []);
  },
});
