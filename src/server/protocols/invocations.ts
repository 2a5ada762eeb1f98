/**
 * `POST /invocations`, which MLflow and SageMaker share, and AWS's `/endpoints/:name/invocations`.
 *
 * JSON is MLflow's. CSV has a header when the media type says `header=present`, has none when it
 * says `header=absent`, and otherwise when its first line holds a cell that is neither a number nor
 * a missing marker; models whose columns are all text leave that open and such a body is refused.
 *
 * @module
 */
import { RequestError } from "../../errors.ts";
import { headerParameter, mediaTypeOf, wrongType } from "../exchange/media_type.ts";
import { bodyText, readBytes } from "../body/read.ts";
import { batchFromCsv, type CsvTable, csvTable } from "../body/csv_rows.ts";
import type { Exchange, Server } from "../exchange/types.ts";
import { checkQueryMembers } from "../native/members.ts";
import type { Served } from "../models/types.ts";
import { defaultServed, runRequest } from "../exchange/scoring.ts";
import { invokeMlflow, plainKind, predictionsResponse } from "./mlflow.ts";
import { invokeCsv, invokeLibsvm } from "./sagemaker.ts";

const TYPES = ["application/json", "text/csv", "text/libsvm", "text/x-libsvm"];

/** Answers either protocol. */
export async function invoke(server: Server, exchange: Exchange): Promise<Response> {
  const { request } = exchange;
  checkQueryMembers(request);
  // A model that is asked for is the one that answers; the path's name is that of an endpoint.
  const target = request.headers.get("x-amzn-sagemaker-target-model");
  const served = target === null
    ? await defaultServed(server, exchange.param("name")?.replace(/\.tlm$/, ""))
    : await server.registry.get(target.replace(/\.tlm$/, ""));
  // SageMaker's default content type is CSV.
  const type = mediaTypeOf(request) || "text/csv";
  if (type === "application/json") return await invokeMlflow(server, exchange, served);
  if (!TYPES.includes(type)) throw wrongType(type, TYPES);
  const header = type === "text/csv" ? headerParameter(request) : undefined;
  const bytes = await readBytes(request, server.registry.limits.maxBytes, server.arriving);
  if (type !== "text/csv") {
    return invokeLibsvm(server, exchange, served, bodyText(bytes));
  }
  const { maxRows } = server.registry.limits;
  // One row more than the limit: the first may turn out to be the header.
  const table = csvTable(bytes, maxRows + 1, []);
  const named = header === undefined ? hasHeader(served, table) : header === "present";
  if (!named) {
    const names = table.records[0]?.map((_, at) => `f${at}`) ?? [];
    return invokeCsv(server, exchange, served, { ...table, names });
  }
  const withHeader = csvTable(bytes, maxRows);
  const scored = runRequest(
    server,
    exchange,
    served,
    (encoder) => batchFromCsv(encoder, withHeader),
  );
  return predictionsResponse(served, scored, plainKind(served, "default"), { report: false });
}

/**
 * Whether the first line of a table names its columns.
 *
 * @throws {RequestError} `E_HTTP_AMBIGUOUS` where it may be a row as well.
 */
function hasHeader(served: Served, { records }: CsvTable): boolean {
  const [first = []] = records;
  const { missing } = served.encoder;
  const { features } = served.encoder.schema;
  const names = new Set(features.map(({ name }) => name));
  const named = first.filter((cell) => names.has(cell.normalize()));
  const isNumbers = first.every((cell) => isNumber(cell) || missing.has(cell.trim()));
  // Programs that number columns write headers of numbers; one number of a row may be a name by chance.
  const allNamed = first.length > 0 && named.length === first.length;
  if (isNumbers && !(allNamed && new Set(named).size === named.length)) return false;
  // Cells that are numbers and known categories in their places are a row of values.
  const fits = first.length === features.length &&
    features.every((feature, at) =>
      missing.has(first[at].trim()) ||
      (feature.kind === "numeric" ? isNumber(first[at]) : feature.categories.includes(first[at]))
    );
  const texts = features.every((feature) => feature.kind === "categorical");
  if (named.length > 0 ? fits : !fits && texts) {
    throw new RequestError(
      "E_HTTP_AMBIGUOUS",
      "Cannot tell whether the first line is a header or a row: which is it? Send " +
        "Content-Type: text/csv; header=present or header=absent",
    );
  }
  return named.length > 0 || !fits;
}

function isNumber(cell: string): boolean {
  const text = cell.trim();
  return text !== "" && (!Number.isNaN(Number(text)) || /^[+-]?inf(inity)?$/i.test(text));
}
