export * from "./src/errors.ts";
export { createDataset, selectRows } from "./src/data/dataset.ts";
export { kFold, splitDataset } from "./src/data/split.ts";
export { balancedWeights, encodeTarget, withTask } from "./src/data/target.ts";
export { schemaFromDataset } from "./src/data/schema.ts";
export type * from "./src/data/types.ts";
