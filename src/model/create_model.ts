/**
 * `createModel` for callers, whose parts nobody has looked at.
 *
 * @module
 */
import { checkArgument, checkParts, tagOf } from "../door.ts";
import { ModelError } from "../errors.ts";
import { type Attachments, createModel as create, type Model } from "./model.ts";
import type { Ensemble, ModelParts, Trees } from "./types.ts";

/** Types of the arrays of trees. */
const ARRAYS: { readonly [Name in keyof Trees]: string } = {
  treeStart: "Int32Array",
  kind: "Uint8Array",
  feature: "Int32Array",
  threshold: "Float64Array",
  firstChild: "Int32Array",
  missing: "Uint8Array",
  categoryAt: "Int32Array",
  categoryPool: "Uint32Array",
  leaf: "Float64Array",
  cover: "Float64Array",
  gain: "Float64Array",
};

/** Types of the arrays of an ensemble. */
const WEIGHTS = {
  treeOutput: "Int32Array",
  treeWeight: "Float64Array",
  baseScore: "Float64Array",
} as const;

/**
 * Makes a model from its parts.
 *
 * @throws {ModelError} `E_MODEL_CORRUPT` if the parts contradict each other.
 * @throws {ParameterError} `E_PARAM_UNKNOWN` or `E_PARAM_RANGE` for an unknown part, or one of the
 * wrong type.
 */
export function createModel(
  parts: ModelParts & { readonly attachments?: Attachments | ((model: Model) => Attachments) },
): Model {
  checkArgument("createModel", "parts", parts, "object");
  checkParts<typeof parts>("createModel", "parts", parts, {
    schema: "object",
    ensemble: "object",
    info: "object",
    calibration: "list",
    attachments: "any",
  }, {
    rules:
      "they are part of the ensemble; of a model, pass { schema, ensemble, info, calibration }",
  });
  const { schema, ensemble, info, calibration } = parts;
  checkArgument("createModel", "schema", schema, "object");
  checkArgument("createModel", "schema.features", schema.features, "list");
  checkEach("schema.features", schema.features);
  checkArgument("createModel", "info", info, "object");
  checkEach("calibration", calibration ?? []);
  checkEnsembleShape(ensemble);
  checkMaps(calibration, ensemble.numOutputs);
  return create(parts);
}

/** An output without a map of its own would get that of another one. */
function checkMaps(calibration: ModelParts["calibration"], numOutputs: number): void {
  if (calibration === undefined || [1, numOutputs].includes(calibration.length)) return;
  throw new ModelError(
    "E_MODEL_CORRUPT",
    `Cannot make a model: calibration has ${calibration.length} maps, expected one for each of ` +
      `${numOutputs} outputs, or one for all`,
    { details: { param: "calibration" } },
  );
}

/** Holes count: `forEach` passes over them. */
function checkEach(at: string, list: readonly unknown[]): void {
  for (let i = 0; i < list.length; i++) {
    checkArgument("createModel", `${at}[${i}]`, list[i], "object");
  }
}

function checkEnsembleShape(ensemble: Ensemble): void {
  checkArgument("createModel", "ensemble", ensemble, "object");
  const { trees, postprocess, profile } = ensemble;
  checkArgument("createModel", "ensemble.trees", trees, "object");
  checkArgument("createModel", "ensemble.postprocess", postprocess, "object");
  checkArgument("createModel", "ensemble.profile", profile, "object");
  for (const [name, type] of Object.entries(ARRAYS)) {
    checkArray(`ensemble.trees.${name}`, trees[name as keyof Trees], type);
  }
  for (const [name, type] of Object.entries(WEIGHTS)) {
    checkArray(`ensemble.${name}`, ensemble[name as keyof typeof WEIGHTS], type);
  }
}

function checkArray(at: string, value: unknown, type: string): void {
  if (tagOf(value) === type) return;
  throw new ModelError("E_MODEL_CORRUPT", `Cannot make a model: ${at} is not of type ${type}`, {
    details: { param: at, expected: type },
  });
}
