/**
 * Models of other libraries: XGBoost, LightGBM, CatBoost, ONNX, scikit-learn.
 *
 * @module
 */
import "../format/explain.ts"; // models that ./predict read can give their covers, too
export { importModel, type ImportOptions } from "./import_model.ts";
export { importFiles, type ModelFiles, pickModelFiles } from "./directory.ts";
export type { ForeignFormat } from "./detect.ts";
export type { ImportLimits } from "./common/limits.ts";
export {
  EXPORT_FORMATS,
  type Exported,
  type ExportFormat,
  exportModel,
  type ExportOptions,
} from "./export_model.ts";

// What its functions take and give.
export type * from "../model/public.ts";
