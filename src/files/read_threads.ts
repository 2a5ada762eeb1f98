/**
 * A large file of CSV read by several threads at once.
 *
 * @module
 */
import { createBody, type Table } from "../data/csv/body.ts";
import type { Head } from "../data/csv/dialect.ts";
import { type Begun, createHeadBuffer } from "../data/csv/head_buffer.ts";
import { joinBad, joinLines } from "../data/reading/join_parts.ts";
import type { PartJob, PartReport } from "../data/csv/part.ts";
import { CellKind } from "../data/csv/scan.ts";
import type { CsvOptions } from "../data/options.ts";
import { createControl, totalRows } from "../data/reading/segments.ts";
import type { Dataset } from "../data/types.ts";
import {
  datasetOnThreads,
  forThreads,
  joinColumns,
  linesPerByte,
  type Reading,
  readParts,
  shareColumns,
  type ThreadedReading,
} from "./part_threads.ts";

/**
 * Reads a file by several threads.
 *
 * @returns Undefined where one thread has to read it: it is packed or no file, it has one column, its
 * newlines mostly stand in quotes, something in it is wrong, it is replaced or written to meanwhile,
 * or threads have failed. Nothing has been said then.
 */
export async function readCsvOnThreads(
  source: string | URL,
  options: CsvOptions,
  reading: ThreadedReading,
): Promise<Dataset | undefined> {
  return await datasetOnThreads<PartReport, CsvOptions>(
    source,
    options,
    reading,
    async (all, heard) => {
      const start = begin(all.sample, heard);
      if (start === undefined || start.head.names.length < 2) return undefined;
      return await readAll(all, start, heard);
    },
  );
}

/** The head of a file, unless it is wrong or longer than its beginning. */
function begin(bytes: Uint8Array, options: CsvOptions): Begun | undefined {
  try {
    return createHeadBuffer(options).push(bytes);
  } catch {
    return undefined;
  }
}

/** Reads passes until no column turns out to be text. */
async function readAll(
  reading: Reading<PartReport>,
  { head, rest }: Begun,
  options: CsvOptions,
): Promise<Table | undefined> {
  const { file, segmentBytes, spare } = reading;
  const { plain, mostRows } = forThreads(options);
  const expected = Math.ceil(spare * linesPerByte(file, rest) * (file.size - head.start));
  let textColumns = readSample(head, plain, rest);
  if (textColumns === undefined) return undefined;
  for (;;) {
    const { kinds } = createBody(head, plain, { textColumns }, new Uint8Array(0));
    const widths = Array.from(
      kinds,
      (kind) => kind === CellKind.skip ? undefined : kind === CellKind.text ? 4 : 8,
    );
    const columns = shareColumns(widths, expected);
    if (columns === undefined) return undefined;
    const job: PartJob = {
      format: "csv",
      head,
      options: plain,
      textColumns,
      size: file.size,
      segmentBytes,
      control: createControl(head),
      columns,
    };
    const reports = await readParts(reading, job);
    if (reports === undefined) return undefined;
    const demoted = reports.flatMap((report) => report.demoted);
    if (demoted.length > 0) {
      textColumns = new Set([...textColumns, ...demoted]);
      continue;
    }
    const numRows = totalRows(job.control);
    if (numRows === 0 || numRows > mostRows) return undefined;
    const { roles, bad, sayAll } = createBody(head, options, { textColumns }, rest);
    try {
      joinBad(reports, bad);
    } catch {
      return undefined; // more than are allowed
    }
    sayAll();
    const whole = await joinColumns(reading, head.names, columns, reports, numRows)
      .catch(() => undefined);
    if (whole === undefined) return undefined; // a thread has failed
    const { lineOf } = joinLines(reports);
    return { names: head.names, columns: whole, roles, numRows, lineOf };
  }
}

/** Columns that the beginning of a file shows to be text; undefined where something is wrong. */
function readSample(
  head: Head,
  options: CsvOptions,
  rest: Uint8Array,
): ReadonlySet<number> | undefined {
  try {
    const { reader, kinds, demoted } = createBody(head, options, {}, new Uint8Array(0));
    reader.push(rest);
    reader.settle();
    reader.release();
    const text = new Set(demoted);
    kinds.forEach((kind, at) => kind === CellKind.text && text.add(at));
    return text;
  } catch {
    return undefined;
  }
}
