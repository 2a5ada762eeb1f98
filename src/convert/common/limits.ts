/**
 * What an importer will hold in memory at most. Checked before allocation.
 *
 * @module
 */
import { ModelError } from "../../errors.ts";

/** Largest sizes that an importer accepts; a larger model is refused with `E_MODEL_LIMIT`. */
export interface ImportLimits {
  /** Size of the file in bytes. @default 2 GiB */
  readonly maxBytes?: number;
  /** Nodes of all trees. @default 100 million */
  readonly maxNodes?: number;
  /** Number of trees. @default 1 million */
  readonly maxTrees?: number;
  /** Number of input features. @default 1 million */
  readonly maxFeatures?: number;
  /** Number of outputs (classes or targets). @default 65536 */
  readonly maxOutputs?: number;
  /** 32-bit words of all category sets. @default 32 million */
  readonly maxCategoryWords?: number;
  /** Categories of all features whose categories have codes but no names. @default 2 million */
  readonly maxCategories?: number;
  /** Numbers in all leaves. @default 200 million */
  readonly maxLeafValues?: number;
}

/** Limits with every field set. */
export type FullLimits = Required<ImportLimits>;

/** Fills in the defaults. */
export function fullLimits(limits: ImportLimits = {}): FullLimits {
  return {
    maxBytes: 2 ** 31,
    maxNodes: 100_000_000,
    maxTrees: 1_000_000,
    maxFeatures: 1_000_000,
    maxOutputs: 65_536,
    maxCategoryWords: 32_000_000,
    maxCategories: 2_000_000,
    maxLeafValues: 200_000_000,
    ...limits,
  };
}

/** Refuses a count above its limit, or one that is not a count. */
export function checkLimit(what: string, value: number, limit: number): number {
  if (!(Number.isInteger(value) && value >= 0 && value <= limit)) {
    throw new ModelError(
      "E_MODEL_LIMIT",
      `Cannot import the model: ${what} is ${value}, expected an integer from 0 to ${limit}`,
      { details: { what, value, limit } },
    );
  }
  return value;
}
