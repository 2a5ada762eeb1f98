/**
 * Models of trees that were grown, imported or changed. Apart from the class (model_class.ts), so that
 * a server's first start, which reads its models from files, does not read this.
 *
 * @module
 */
import type { InputFeature, Schema } from "../data/types.ts";
import { checkEnsemble, checkSchema } from "./check.ts";
import { canonicalJson, hash64 } from "./hash.ts";
import { type Attachments, type Draft, Model } from "./model_class.ts";
import { canPack, pack } from "./pack.ts";
import type { Rules } from "./packed.ts";
import { isAdditive } from "./score/additive.ts";
import { createDraftScorer } from "./score/draft.ts";
import type { ModelParts } from "./types.ts";
import { unpack } from "./unpack.ts";

export { type Attachments, type LeafMatrix, Model, type PredictOptions } from "./model_class.ts";

/**
 * Makes a model of its parts.
 *
 * @throws {ModelError} `E_MODEL_CORRUPT` when the parts contradict each other.
 */
export function createModel(
  parts: ModelParts & { readonly attachments?: Attachments | ((model: Model) => Attachments) },
): Model {
  const { ensemble, info, calibration, attachments } = parts;
  const schema = normalSchema(parts.schema);
  checkSchema(schema);
  checkEnsemble(ensemble, schema);
  const { trees: _, linear: __, surrogates: ___, ...rules } = ensemble;
  const storage: Draft = {
    pack: () => {
      if (!canPack(ensemble, schema)) return { layout: "general", ensemble };
      const { packed, stats } = pack(ensemble, schema);
      const unscored = { stats, unpack: (rules: Rules) => unpack(packed, stats, rules) };
      return { layout: "packed", packed, unscored };
    },
    scorer: (settled) =>
      isAdditive(rules) ? createDraftScorer(ensemble, schema, settled) : undefined,
  };
  return new Model({
    schema,
    schemaHash: () => hash64(canonicalJson(schema)),
    info,
    rules,
    storage,
    ...(attachments && { attachments }),
    ...(calibration && { calibration }),
  });
}

/** Names in NFC and no flags that are merely false, so that equal contracts have equal hashes. */
export function normalSchema(schema: Schema): Schema {
  const features = schema.features.map((feature): InputFeature => {
    const name = feature.name.normalize();
    if (feature.kind === "numeric") {
      const { zeroIsMissing, ...rest } = feature;
      return { ...rest, name, ...(zeroIsMissing && { zeroIsMissing }) };
    }
    const { coded, float32Codes, ...rest } = feature;
    return { ...rest, name, ...(coded && { coded }), ...(float32Codes && { float32Codes }) };
  });
  const target = schema.target && { name: schema.target.name.normalize() };
  return { ...schema, features, ...(target && { target }) };
}
