/**
 * Rows as lines, scored while they arrive: one line out for each line in, in constant memory.
 *
 * @module
 */
import { DataError, TreelineError } from "../../errors.ts";
import { declaredLength, notUtf8, readBytes, unpacked } from "../body/read.ts";
import { parseJson } from "../body/parse_json.ts";
import { quote } from "../body/encoder.ts";
import { arrivingLines, type TextLine, textLines } from "../body/text_lines.ts";
import type { Batch } from "../body/batch.ts";
import { endStream, shownError } from "../exchange/exchange.ts";
import type { Exchange, Server } from "../exchange/types.ts";
import { batchFromJson } from "../body/json_rows.ts";
import type { RowError } from "../body/partial.ts";
import { failureLine } from "../observe/log.ts";
import { countError } from "../observe/metrics.ts";
import type { PredictQuery } from "./query.ts";
import { problemOf } from "../answer/problem.ts";
import { checkExplained, explainBatch, reasonsText } from "../answer/explain.ts";
import { predictionTexts } from "../answer/predict.ts";
import type { Served } from "../models/types.ts";
import { modelHeaders } from "../models/version.ts";
import { scoreRequest } from "../exchange/scoring.ts";
import { reportText } from "../answer/json_text.ts";
import { nextTurn } from "../../util/turn.ts";

/** Lines that are scored together. */
const MAX_LINES = 512;

/** Milliseconds after which other requests are heard: a line with reasons may take as long as a second. */
const SLICE = 20;

/**
 * Bytes of a body that is read and answered as a whole, where its length is declared: who declares
 * it has all lines already. Streams leave 60 kB of garbage for each request, whose young part V8
 * keeps until the next full collection.
 */
const SHORT = 1 << 15;

/** Answers lines of rows with lines of predictions, while they arrive unless they are few. */
export function predictLines(
  server: Server,
  exchange: Exchange,
  served: Served,
  query: PredictQuery,
): Response | Promise<Response> {
  const length = declaredLength(exchange.request) ?? Infinity;
  return length > Math.min(SHORT, server.registry.limits.maxBytes)
    ? predictStream(server, exchange, served, query)
    : predictWhole(server, exchange, served, query);
}

async function predictWhole(
  server: Server,
  exchange: Exchange,
  served: Served,
  query: PredictQuery,
): Promise<Response> {
  // Not as text: Deno leaves the byte order mark of a body that was never bytes.
  const bytes = await readBytes(exchange.request, SHORT, server.arriving);
  const lines = textLines(bytes);
  let answer = "";
  for (let row = 0; row < lines.length;) {
    // 32 kB may be ten thousand lines of `{}`: other requests are heard in between.
    if (row > 0) await nextTurn();
    const group = lines.slice(row, row + MAX_LINES);
    const { text, failed, count } = scoreLines(server, exchange, served, query, group, row);
    answer += text;
    row += count;
    if (failed && query.onError === "fail") break;
  }
  return linesResponse(served, answer);
}

function predictStream(
  server: Server,
  exchange: Exchange,
  served: Served,
  query: PredictQuery,
): Response {
  exchange.streaming = true;
  const lines = linesOf(server, unpacked(exchange.request));
  let row = 0;
  let group: readonly TextLine[] = [];
  let isCancelled = false;
  const encoder = new TextEncoder();
  let readOn = () => {};
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      readOn();
      try {
        if (group.length > 0) await nextTurn();
        else {
          const { value, done } = await lines.next();
          if (done === true) return end(controller);
          group = value;
        }
        if (isCancelled) return;
        const { text, failed, count } = scoreLines(server, exchange, served, query, group, row);
        row += count;
        group = group.slice(count);
        controller.enqueue(encoder.encode(text));
        readOn = server.arriving.hold((error) => {
          isCancelled = true;
          controller.error(error);
          exchange.code = error.code;
          countError(server.metrics, error.code);
          endStream(exchange);
          lines.return(undefined).catch(() => {});
        });
        if (failed && query.onError === "fail") {
          await lines.return(undefined);
          end(controller);
        }
      } catch (error) {
        if (isCancelled) return;
        // The body broke off, or a line is too long: say so to who still listens.
        const shown = shownError(server, error);
        if (!(shown instanceof TreelineError)) server.log?.(failureLine(exchange, shown));
        controller.enqueue(encoder.encode(errorLine(server, exchange, row, shown)));
        end(controller);
      }
    },
    async cancel() {
      isCancelled = true;
      readOn();
      endStream(exchange);
      await lines.return(undefined);
    },
  });
  function end(controller: ReadableStreamDefaultController): void {
    readOn();
    controller.close();
    endStream(exchange);
  }
  return linesResponse(served, stream);
}

function linesResponse(served: Served, body: BodyInit): Response {
  return new Response(body, {
    headers: {
      "content-type": "application/x-ndjson",
      "cache-control": "no-store",
      ...modelHeaders(served),
    },
  });
}

/**
 * Scores the first of some lines, as many as there is time for; a bad one becomes an error line in
 * its place.
 */
function scoreLines(
  server: Server,
  exchange: Exchange,
  served: Served,
  query: PredictQuery,
  lines: readonly TextLine[],
  firstRow: number,
): { readonly text: string; readonly failed: boolean; readonly count: number } {
  const until = performance.now() + SLICE;
  const asked = { ...query, unscored: query.leavesOnly };
  let text = "";
  let failed = false;
  let i = 0;
  for (; i < lines.length; i++) {
    if (failed && query.onError === "fail") break;
    if (i > 0 && performance.now() > until) break;
    try {
      const batch = batchOfLine(served, lines[i], firstRow + i);
      if (query.reasons > 0) checkExplained(batch, served.model);
      const { scores, report } = scoreRequest(server, exchange, served, batch, asked);
      const [prediction] = predictionTexts(
        served.model,
        batch,
        scores,
        query.kind,
        query.rounds,
      );
      const noticed = report.missing.size + report.unknown.size + report.ignored.length > 0;
      const reasons = query.reasons === 0 ? "" : `,"reasons":${
        reasonsText(
          explainBatch(served.model, batch, server.maxMillis, query.rounds),
          scores,
          query.reasons,
        )[0]
      }`;
      text += `{"prediction":${prediction}${reasons}${noticed ? reportText(report) : ""}}\n`;
    } catch (error) {
      if (!(error instanceof TreelineError)) throw error;
      failed = true;
      text += errorLine(server, exchange, firstRow + i, error);
    }
  }
  server.metrics.load.lastEnd = performance.now();
  return { text, failed, count: i };
}

function batchOfLine(served: Served, line: TextLine, row: number): Batch {
  if (typeof line === "number") throw notUtf8(`line ${row + 1}`, line);
  const body = parseJson(line, served.encoder);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new DataError(
      "E_DATA_SHAPE",
      `Cannot read line ${row + 1}: ${quote(line)} is not accepted, expected an object`,
    );
  }
  return batchFromJson(served.encoder, [body]);
}

function errorLine(server: Server, exchange: Exchange, row: number, error: unknown): string {
  const { code, detail, details } = problemOf(error);
  countError(server.metrics, code);
  exchange.code = code;
  const column = details?.column;
  const rowError: RowError = {
    row: row + 1,
    code,
    // Each line is read by itself, as row 1.
    message: detail.replace(/\brow 1\b/, `row ${row + 1}`),
    ...(typeof column === "string" ? { column } : {}),
  };
  return JSON.stringify({ error: rowError }) + "\n";
}

/**
 * Groups of whole lines, as they arrive. What is unpacked is mostly there at once, be it a gigabyte of
 * blank lines: other requests are heard before each piece and each group.
 */
async function* linesOf(
  { registry, arriving }: Server,
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<TextLine[], void, undefined> {
  for await (const lines of arrivingLines(body, registry.limits.maxBytes, arriving)) {
    for (let at = 0; at === 0 || at < lines.length; at += MAX_LINES) {
      await nextTurn();
      if (at < lines.length) yield lines.slice(at, at + MAX_LINES);
    }
  }
}
