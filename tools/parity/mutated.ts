// deno-lint-ignore-file no-console
/**
 * Imports the damaged files that `mutated.py` wrote and compares raw scores with what the library said.
 *
 *     deno run -A tools/parity/mutated.ts FOLDER
 *
 * Prints what differs; exits with 1 when anything does, or ends in an error without a code.
 *
 * @module
 */
import { importModel } from "../../src/convert/import_model.ts";
import { TreelineError } from "../../src/errors.ts";
import type { Model } from "../../src/model/model.ts";

interface Said {
  readonly rows: readonly (readonly (number | null)[])[];
  /** Numbers as text, null for NaN; nothing where the library refused the file. */
  readonly scores: readonly (readonly (string | null)[])[] | null;
}

/** Numbers of CatBoost's JSON lose a last place when the library reads them. */
const TOLERANCE: { readonly [library: string]: number } = { catboost: 1e-12 };

function read(file: string): Model | undefined {
  try {
    return importModel(Deno.readFileSync(file));
  } catch (error) {
    if (error instanceof TreelineError) return undefined;
    throw error;
  }
}

/** What is wrong with a model, if anything. */
function problemOf(model: Model, said: Said, library: string): string | undefined {
  const { features } = model.schema;
  if (features.length !== said.rows[0].length) return `${features.length} features`;
  const rows = said.rows.map((row) => Object.fromEntries(row.map((v, i) => [features[i].name, v])));
  const actual = model.predictRaw(rows).data;
  const expected = said.scores!.flat().map((text) => text === null ? NaN : Number(text));
  if (actual.length !== expected.length) return `${actual.length} scores, not ${expected.length}`;
  for (let i = 0; i < expected.length; i++) {
    const value = library === "xgboost" ? Math.fround(actual[i]) : actual[i];
    const most = (TOLERANCE[library] ?? 0) * Math.max(1, Math.abs(expected[i]));
    if (Object.is(value, expected[i]) || Math.abs(value - expected[i]) <= most) continue;
    return `score ${i} is ${value}, not ${expected[i]}`;
  }
  return undefined;
}

let failures = 0;
for (const library of ["lightgbm", "xgboost", "catboost"]) {
  const folder = `${Deno.args[0]}/${library}`;
  let names: string[] = [];
  try {
    names = [...Deno.readDirSync(folder)].map((entry) => entry.name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  let equal = 0;
  let refused = 0;
  for (const name of names.filter((name) => !name.endsWith(".said")).sort()) {
    const said = JSON.parse(Deno.readTextFileSync(`${folder}/${name}.said`)) as Said;
    const model = read(`${folder}/${name}`);
    if (said.scores === null) continue;
    if (model === undefined) refused++;
    else {
      const problem = problemOf(model, said, library);
      if (problem === undefined) equal++;
      else console.log(`${folder}/${name}: ${problem}`), failures++;
    }
  }
  console.log(`${library}: ${equal} equal, ${refused} refused here only`);
}
Deno.exit(failures === 0 ? 0 : 1);
