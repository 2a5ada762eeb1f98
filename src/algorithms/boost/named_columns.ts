/**
 * Parameters that name columns, by the number of each feature.
 *
 * @module
 */
import type { InputFeature } from "../../data/types.ts";
import { ParameterError } from "../../errors.ts";
import type { BoostParams } from "../../params/typed.ts";
import { nearest } from "../../util/nearest.ts";

/** Names and kinds of features, of a table or of a model. */
interface Columns {
  readonly features: readonly Pick<InputFeature, "name" | "kind">[];
}

const DIRECTIONS: { readonly [word: string]: number } = { increasing: 1, decreasing: -1, none: 0 };

/**
 * Finds the feature of a name that a parameter holds.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for a column that is not there.
 */
export function columnFinder(data: Columns): (param: string, name: string) => number {
  const featureAt = new Map(data.features.map(({ name }, index) => [name, index]));
  return (param, name) => {
    const index = featureAt.get(name);
    if (index !== undefined) return index;
    const right = nearest(name, featureAt.keys());
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use column ${JSON.stringify(name)} in ${param}: ${
        right === undefined ? "there is no such feature" : `did you mean ${JSON.stringify(right)}?`
      }`,
      { details: { param, column: name, nearest: right } },
    );
  };
}

/**
 * Chance of each feature to be drawn; 1 where none is given.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for a column that is not there, for weights that are no
 * chances, and where no feature has one.
 */
export function featureWeightsOf(
  data: Columns,
  given: BoostParams["featureWeights"],
): Float64Array | undefined {
  if (given === undefined) return undefined;
  const find = columnFinder(data);
  const weights = new Float64Array(data.features.length).fill(1);
  const refuse = (name: string, value: number, expected: string) => {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use featureWeights ${value} for ${JSON.stringify(name)}: expected ${expected}`,
      { details: { param: "featureWeights", column: name, value } },
    );
  };
  for (const [name, weight] of Object.entries(given)) {
    weights[find("featureWeights", name)] = weight;
    if (!(weight >= 0 && weight < Infinity)) refuse(name, weight, "a finite number of 0 or more");
  }
  if (weights.every((weight) => weight === 0)) {
    refuse(data.features[0].name, 0, "a feature with more, or none could be drawn");
  }
  return weights;
}

/**
 * Direction of each feature.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for a column that is not there or has no order, and for a
 * list of another length than the features.
 */
export function monotoneOf(
  data: Columns,
  monotone: BoostParams["monotone"],
): Int8Array | undefined {
  if (monotone === undefined) return undefined;
  const find = columnFinder(data);
  const found = new Int8Array(data.features.length);
  for (const [name, word] of directionsByName(data, monotone)) {
    const feature = find("monotone", name);
    const direction = typeof word === "string" ? DIRECTIONS[word] : word;
    const categorical = data.features[feature].kind === "categorical";
    if (![-1, 0, 1].includes(direction) || (categorical && direction !== 0)) {
      throw new ParameterError(
        "E_PARAM_RANGE",
        categorical
          ? `Cannot use monotone for ${JSON.stringify(name)}: its categories have no order`
          : `Cannot use monotone ${direction} for ${JSON.stringify(name)}: expected -1, 0 or 1`,
        { details: { param: "monotone", column: name, value: direction } },
      );
    }
    found[feature] = direction;
  }
  return found;
}

/** Names and directions; a list has one for each feature, in order. */
function directionsByName(
  { features }: Columns,
  monotone: NonNullable<BoostParams["monotone"]>,
): [name: string, word: number | string][] {
  if (!Array.isArray(monotone)) return Object.entries(monotone);
  if (monotone.length !== features.length) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use a monotone list of ${monotone.length}: expected one number for each of the ` +
        `${features.length} features (${features.slice(0, 5).map(({ name }) => name).join(", ")}${
          features.length > 5 ? ", …" : ""
        }), or numbers by name`,
      { details: { param: "monotone", found: monotone.length, expected: features.length } },
    );
  }
  return features.map(({ name }, f) => [name, monotone[f]]);
}
