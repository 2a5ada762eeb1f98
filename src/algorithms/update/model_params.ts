/**
 * What a finished boosted model says of its training, for runs that go on from it.
 *
 * @module
 */
import { alignDataset } from "../../data/dataset/align.ts";
import { checkDataset } from "../../data/dataset/check.ts";
import type { Column, Dataset } from "../../data/types.ts";
import { unknownLevels, unknownSentence } from "../../data/warnings/unknown_levels.ts";
import { ModelError, ParameterError } from "../../errors.ts";
import { resolveLoss } from "../../loss/losses.ts";
import type { Loss } from "../../loss/types.ts";
import type { Model } from "../../model/model.ts";
import { canonicalParams } from "../../params/resolve.ts";
import type { ParamInput } from "../../params/types.ts";
import { resolveBoost } from "../boost/plan.ts";

/** The model's own parameters under those given now. */
export function mergedParams(model: Model, params: ParamInput): ParamInput {
  const { algorithm, params: stored, loss } = model.info;
  if (algorithm !== "boost" || typeof loss !== "string") {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      `Cannot continue this model: expected one trained by "boost", found "${algorithm}"`,
      { details: { algorithm } },
    );
  }
  const given = Object.fromEntries(canonicalParams("boost", params));
  if (given.loss !== undefined) {
    const name = typeof given.loss === "string" ? given.loss : (given.loss as Loss).name;
    if (name !== loss && name !== (stored?.loss ?? "auto")) {
      throw new ParameterError(
        "E_PARAM_CONFLICT",
        `Cannot continue with loss "${name}": the model was trained with "${loss}"`,
        { details: { param: "loss", value: name, model: loss } },
      );
    }
  }
  const zeros = (stored?.zeroAsMissing ?? false) === true;
  if (given.zeroAsMissing !== undefined && given.zeroAsMissing !== zeros) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot continue with zeroAsMissing ${given.zeroAsMissing}: the model reads zeros as ${
        zeros ? "missing values" : "numbers"
      }`,
      { details: { param: "zeroAsMissing", value: given.zeroAsMissing, model: zeros } },
    );
  }
  for (const name of ["positiveWeight", "classWeights", "priorCorrection"]) {
    const fixed = stored?.priorCorrection === true || name === "priorCorrection";
    if (!fixed || given[name] === undefined || alike(given[name], stored?.[name])) continue;
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot continue with another ${name}: the prior correction of the model's base score holds ` +
        `for the class weights that it was trained with`,
      { details: { param: name, value: given[name], model: stored?.[name] } },
    );
  }
  refuseOutputs(model, given);
  const { seed } = model.info;
  return { ...(seed === undefined ? {} : { seed }), ...stored, loss, ...given };
}

/** What outputs of a loss mean; with other losses, metrics alone read it. */
const MEANINGS: {
  readonly [loss: string]: "quantiles" | "expectiles" | "sigmoidScale" | undefined;
} = {
  quantile: "quantiles",
  expectile: "expectiles",
  logistic: "sigmoidScale",
  oneVsAll: "sigmoidScale",
};

/** Refuses what would make the outputs of the new rounds mean something else than the model's. */
function refuseOutputs({ info: { params, loss } }: Model, given: ParamInput): void {
  const name = MEANINGS[String(loss)];
  if (name === undefined || given[name] === undefined) return;
  const [before, after] = [{ ...params }, { ...params, ...given }].map(resolveBoost);
  if (alike(before[name], after[name])) return;
  const [was, is] = [before, after].map((params) => JSON.stringify(params[name]));
  throw new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot continue with ${name} ${is}: the model's scores are those of ${was}`,
    { details: { param: name, value: after[name], model: before[name] } },
  );
}

/** The data with the model's columns, vocabularies and classes, and the model's loss for it. */
export function inShapeOf(
  model: Model,
  data: Dataset,
  params: ParamInput,
): { readonly data: Dataset; readonly loss: { readonly loss: Loss; readonly given: unknown } } {
  const { schema } = model;
  checkDataset(data, " of set training");
  const names = new Set(data.features.map(({ name }) => name.normalize()));
  const absent = schema.features.filter(({ name }) => !names.has(name.normalize()));
  if (absent.length > 0) {
    const columns = absent.map(({ name }) => name);
    throw new ModelError(
      "E_MODEL_SCHEMA",
      `Cannot continue without column ${columns.map((name) => JSON.stringify(name)).join(", ")}: ` +
        "the model was trained on it",
      { details: { columns } },
    );
  }
  const reference: Dataset = {
    numRows: 0,
    features: schema.features.map((feature): Column =>
      feature.kind === "numeric"
        ? { kind: "numeric", name: feature.name, values: new Float64Array(0) }
        : {
          kind: "categorical",
          name: feature.name,
          codes: new Int32Array(0),
          categories: feature.categories,
        }
    ),
    target: schema.classes.length > 0
      ? {
        kind: "classification",
        name: schema.target?.name ?? "target",
        codes: new Int32Array(0),
        classes: schema.classes,
      }
      : {
        kind: "regression",
        name: schema.target?.name ?? "target",
        values: new Float64Array(0),
      },
  };
  const aligned = alignDataset(reference, data, "training");
  const resolved = resolveBoost(params);
  const { loss, data: shaped } = resolveLoss(params.loss, aligned, resolved);
  if (loss.name !== model.info.loss || loss.numOutputs !== model.numOutputs) {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      `Cannot continue: the loss "${loss.name}" gives ${loss.numOutputs} outputs, the model has ` +
        `${model.numOutputs} of "${String(model.info.loss)}"`,
    );
  }
  return { data: shaped, loss: { loss, given: params.loss } };
}

/** Says where the data hold categories that the model does not know. */
export function warnOfUnknown(
  { schema }: Model,
  data: Dataset,
  { onWarning }: { readonly onWarning?: (message: string) => void },
): void {
  if (onWarning === undefined) return;
  for (const [name, count] of unknownLevels(schema.features, data)) {
    onWarning(unknownSentence(name, count, data.numRows));
  }
}

/** Factors of the classes in training. */
export function storedFactors({ info }: Model): Float64Array | undefined {
  return numbersOf(info.classFactors);
}

/** What the prior correction added to the base score. */
export function storedShift({ info }: Model): Float64Array | undefined {
  return numbersOf(info.priorCorrection);
}

function numbersOf(stored: unknown): Float64Array | undefined {
  return Array.isArray(stored) ? Float64Array.from(stored as number[]) : undefined;
}

function alike(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
