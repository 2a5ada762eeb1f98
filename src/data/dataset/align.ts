/**
 * Brings one dataset into the shape of another: features by name, categories and classes by value.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import { checkDataset } from "./check.ts";
import { isNumberText } from "../labels.ts";
import { encodeByClasses, withTask } from "./target.ts";
import type { CategoricalColumn, Column, Dataset, Target } from "../types.ts";

/**
 * The rows of `other` with the features, vocabularies and classes of `reference`, in its order.
 * Columns that the reference lacks are left out.
 *
 * @throws {DataError} `E_DATA_SHAPE` for an absent column, `E_DATA_TYPE` for text where numbers are
 * expected, `E_DATA_TARGET` for an unknown class; as `createDataset` where parts do not fit.
 */
export function alignDataset(reference: Dataset, other: Dataset, name: string): Dataset {
  checkDataset(other, ` of set ${name}`);
  const byName = new Map(other.features.map((column) => [column.name.normalize(), column]));
  const features = reference.features.map((column) => {
    const found = byName.get(column.name.normalize());
    if (found === undefined) {
      throw new DataError(
        "E_DATA_SHAPE",
        `Cannot use set "${name}": it has no column ${JSON.stringify(column.name)}`,
        { details: { set: name, column: column.name } },
      );
    }
    return alignColumn(
      column,
      found.name === column.name ? found : { ...found, name: column.name },
      name,
    );
  });
  const { target } = reference;
  return {
    ...other,
    features,
    ...(target === undefined || other.target === undefined
      ? {}
      : { target: alignTarget(target, other) }),
  };
}

function alignTarget(reference: Target, other: Dataset): Target {
  const target = other.target!;
  if (reference.kind === "regression") return withTask(other, "regression").target!;
  return {
    kind: "classification",
    name: target.name,
    codes: encodeByClasses(target, reference.classes),
    classes: reference.classes,
  };
}

/** Code of each category of `found` in the vocabulary of `reference`; its length for unknown ones. */
function recode(reference: CategoricalColumn, found: CategoricalColumn): Int32Array {
  const codeOf = new Map(reference.categories.map((value, code) => [value, code]));
  const unknown = reference.categories.length;
  const map = found.categories.map((value) => codeOf.get(value) ?? unknown);
  return found.codes.map((code) => code < 0 ? -1 : map[code] ?? unknown);
}

function alignColumn(reference: Column, found: Column, set: string): Column {
  if (reference.kind === "numeric") {
    if (found.kind === "numeric") return found;
    // A column of nothing but missing values was read as text; anything else is a real difference.
    if (found.codes.every((code) => code < 0)) {
      return {
        kind: "numeric",
        name: found.name,
        values: new Float64Array(found.codes.length).fill(NaN),
      };
    }
    throw new DataError(
      "E_DATA_TYPE",
      `Cannot use set "${set}": column ${JSON.stringify(found.name)} is text, expected numbers`,
      { details: { set, column: found.name } },
    );
  }
  if (found.kind === "categorical") {
    return {
      kind: "categorical",
      name: found.name,
      codes: recode(reference, found),
      categories: reference.categories,
    };
  }
  // Numbers where text was learnt: their shortest decimal text is the category, unless categories
  // are numbers written otherwise, such as "007", which may have been the text of these.
  const padded = reference.categories.find((text) =>
    isNumberText(text) && String(Number(text)) !== text
  );
  if (padded !== undefined) {
    throw new DataError(
      "E_DATA_TYPE",
      `Cannot use set "${set}": column ${
        JSON.stringify(found.name)
      } was read as numbers, expected ` +
        `categories such as ${JSON.stringify(padded)}; read it with types or a schema`,
      { details: { set, column: found.name } },
    );
  }
  const texts = Array.from(found.values, (value) => Number.isNaN(value) ? "" : String(value));
  const categories = [...new Set(texts.filter((text) => text !== ""))];
  const at = new Map(categories.map((text, code) => [text, code]));
  const codes = Int32Array.from(texts, (text) => at.get(text) ?? -1);
  return alignColumn(
    reference,
    { kind: "categorical", name: found.name, codes, categories },
    set,
  );
}
