/**
 * Values outside the vocabulary in rows that boosting counts by their bins. While trees grow, such
 * values have a bin of their own, which is what the rule `heavier` says; the model may have another.
 *
 * @module
 */
import type { Dataset, UnknownRule } from "../../data/types.ts";
import { DataError, ParameterError } from "../../errors.ts";

/** The rule of a column, by name. */
export type RuleOf = (column: string) => UnknownRule;

/**
 * The data with such values as the model's rule takes them: metrics of the rounds, and with them
 * early stopping, are then those of the model.
 *
 * @param where What the data are, for errors: `training data`.
 * @throws {ParameterError} `E_PARAM_CONFLICT` for `node`, where no tree in growth answers.
 * @throws {DataError} `E_DATA_TYPE` for `error`.
 */
export function followUnknownRule(data: Dataset, ruleOf: RuleOf, where: string): Dataset {
  let changed = false;
  const features = data.features.map((column) => {
    const rule = ruleOf(column.name);
    if (column.kind !== "categorical" || rule === "heavier") return column;
    const size = column.categories.length;
    const row = column.codes.findIndex((code) => code >= size);
    if (row < 0) return column;
    if (rule !== "missing") throw refusal(rule, where, column.name, row);
    changed = true;
    return { ...column, codes: column.codes.map((code) => code >= size ? -1 : code) };
  });
  return changed ? { ...data, features } : data;
}

function refusal(rule: "node" | "error", where: string, column: string, row: number) {
  const details = { column, row: row + 1 };
  const place = `column ${JSON.stringify(column)} of ${where} at row ${row + 1}`;
  if (rule === "error") {
    return new DataError(
      "E_DATA_TYPE",
      `Cannot read ${place}: its value is not among the categories of training, and unknown is ` +
        `"error"`,
      { details },
    );
  }
  return new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot use unknown "node" with ${place}, whose value is not among the categories of ` +
      `training: trees in growth have no answers of inner nodes; expected unknown "heavier" or ` +
      `"missing", or rows without such values`,
    { details: { ...details, param: "unknown", value: rule } },
  );
}
