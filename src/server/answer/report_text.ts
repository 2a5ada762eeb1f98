/**
 * What was noticed in a request, as JSON text.
 *
 * @module
 */
import type { InputReport } from "../../data/types.ts";
import { namesText } from "./json_text.ts";

/** The four lists of what was noticed, each after a comma. */
export function reportText(report: InputReport): string {
  if (report.missing.size + report.unknown.size + report.ignored.length === 0) {
    return ',"missing":[],"unknown":[],"absent":[],"ignored":[]';
  }
  return `,"missing":${namesText(report.missing.keys())},"unknown":${
    namesText(report.unknown.keys())
  },"absent":${namesText(report.absent)},"ignored":${namesText(report.ignored)}`;
}
