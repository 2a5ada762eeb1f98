/**
 * What was noticed in a request, told in a header on request, for answers whose body has no place for it:
 * `Treeline-Report: true` asks, and `Treeline-Report: {"missing":[…],…}` answers. Callers of SageMaker
 * reach the model through its API only, which hands on one header of free text both ways.
 *
 * @module
 */
import type { InputReport } from "../../data/types.ts";
import { ParameterError } from "../../errors.ts";

/** The header that asks and answers. */
const REPORT_HEADER = "treeline-report";
const SAGEMAKER_HEADER = "x-amzn-sagemaker-custom-attributes";
/** Characters of a header's value: intermediaries refuse more than some thousands, SageMaker 1024. */
const MAX_LENGTH = 4096;
const SAGEMAKER_LENGTH = 1024;

/** Adds the headers that a request asks for. */
export function addReportHeaders(request: Request, report: InputReport, headers: Headers): void {
  if (request.headers.get(REPORT_HEADER) === "true") {
    headers.set(REPORT_HEADER, headerText(report, MAX_LENGTH));
  }
  const attributes = request.headers.get(SAGEMAKER_HEADER);
  if (attributes !== null && /(^|[,; ])treeline-report(=true)?($|[,; ])/.test(attributes)) {
    headers.set(SAGEMAKER_HEADER, headerText(report, SAGEMAKER_LENGTH));
  }
}

/**
 * The lists as JSON in ASCII. Names that make it too long are left out, from the longest list first, and
 * counted in `more`.
 */
export function headerText(report: InputReport, maxLength: number): string {
  const lists: Record<string, string[]> = {
    missing: [...report.missing.keys()],
    unknown: [...report.unknown.keys()],
    absent: [...report.absent],
    ignored: [...report.ignored],
  };
  let more = 0;
  for (;;) {
    const text = asciiJson(more === 0 ? lists : { ...lists, more });
    if (text.length <= maxLength) return text;
    const longest = Object.values(lists).reduce((a, b) => b.length > a.length ? b : a);
    // A quarter at a time: a body may ignore thousands of names.
    more += longest.splice(Math.floor(longest.length * 3 / 4)).length;
  }
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Whether the `params` or `parameters` of a body ask for the lists as members of the answer.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for another value than `true` or `false`.
 */
export function reportIn(params: unknown): boolean {
  const report = (params as { readonly report?: unknown } | null | undefined)?.report;
  if (report === undefined || report === false) return false;
  if (report === true) return true;
  throw new ParameterError("E_PARAM_RANGE", "Cannot use report: expected true or false", {
    details: { param: "report" },
  });
}
