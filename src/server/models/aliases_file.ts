/**
 * `aliases.json` in a folder of versions: other names of labels, and which version is current or a shadow.
 *
 * @module
 */
import { ModelError } from "../../errors.ts";
import { openBytes } from "../../runtime/open.ts";
import type { ModelVersions } from "./types.ts";

/**
 * Reads it.
 *
 * @param labels Those of the versions in the folder.
 * @throws {ModelError} `E_MODEL_CORRUPT` for what is not as docs/http.md says, and for a label that no version has.
 */
export async function readAliases(
  path: string,
  labels: ReadonlyMap<string, unknown>,
): Promise<Omit<ModelVersions, "versions">> {
  const fail = (problem: string, cause?: unknown): never => {
    throw new ModelError("E_MODEL_CORRUPT", `Cannot read "${path}": ${problem}`, { cause });
  };
  const bytes = await openBytes(path);
  let notes: unknown;
  try {
    notes = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    fail("it is not a JSON object", cause);
  }
  if (!isObject(notes)) return fail("it is not a JSON object");
  // A label that is passed over would leave requests to another version. Null says that there is none.
  for (const [key, value] of Object.entries(notes)) {
    if (key !== "aliases" && key !== "current" && key !== "shadow") {
      fail(`${JSON.stringify(key)} is not one of current, shadow and aliases`);
    }
    if (value === null) continue;
    if (key !== "aliases" && !isString(value)) fail(`${key} is not a label in quotes`);
    else if (key === "aliases" && !(isObject(value) && Object.values(value).every(isString))) {
      fail("aliases is not an object of labels in quotes");
    }
  }
  const given = Object.entries(notes).filter(([, value]) => value !== null);
  const said: Omit<ModelVersions, "versions"> = Object.fromEntries(given);
  const known = new Set([...labels.keys()].map(nfc));
  const aliases = new Map(Object.entries(said.aliases ?? {}).map(([a, b]) => [nfc(a), nfc(b)]));
  for (const [alias, label] of aliases) {
    if (alias === label || !known.has(alias)) continue;
    fail(`alias ${JSON.stringify(alias)} is the label of another version`);
  }
  for (const key of ["current", "shadow"] as const) {
    const label = said[key];
    if (label === undefined || known.has(aliases.get(nfc(label)) ?? nfc(label))) continue;
    fail(`${key} is ${JSON.stringify(label)}, which is not a version: found ${[...labels.keys()]}`);
  }
  return said;
}

const nfc = (name: string) => name.normalize();

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
