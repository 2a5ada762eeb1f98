/**
 * A large file of JSON lines read by several threads at once.
 *
 * @module
 */
import { createBadRows } from "../data/reading/bad_rows.ts";
import { joinBad, joinLines } from "../data/reading/join_parts.ts";
import type { Table } from "../data/csv/table.ts";
import type { JsonLinesOptions } from "../data/records/json_lines.ts";
import {
  type JsonJob,
  type JsonKey,
  type JsonReport,
  keysOfSample,
} from "../data/records/json_part.ts";
import { finishJoined } from "../data/records/row_columns.ts";
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

/** Most keys: each has shared memory of its own. */
const MOST_KEYS = 4096;

const LF = 0x0a;

/**
 * Reads a file by several threads.
 *
 * @returns Undefined where one thread has to read it: it is packed or no file, its first line is
 * long, something in it is wrong, it is replaced or written to meanwhile, or threads have failed.
 * Nothing has been said then.
 */
export async function readJsonOnThreads(
  source: string | URL,
  options: JsonLinesOptions,
  reading: ThreadedReading,
): Promise<Dataset | undefined> {
  return await datasetOnThreads(source, options, reading, readAll);
}

/** Reads passes until no key is new and no column turns out to be text. */
async function readAll(
  reading: Reading<JsonReport>,
  options: JsonLinesOptions,
): Promise<Table | undefined> {
  const { file, segmentBytes, spare } = reading;
  const { plain, mostRows } = forThreads(options);
  const sample = reading.sample.subarray(0, reading.sample.lastIndexOf(LF) + 1);
  const expected = Math.ceil(spare * linesPerByte(file, sample) * file.size);
  let keys = keysOfSample(sample, plain);
  for (;;) {
    if (keys === undefined || keys.length === 0 || keys.length > MOST_KEYS) return undefined;
    const columns = shareColumns(keys.map(({ isText }) => isText ? 4 : 8), expected);
    if (columns === undefined) return undefined;
    const job: JsonJob = {
      format: "jsonl",
      options: plain,
      keys,
      size: file.size,
      segmentBytes,
      control: createControl({ start: 0, line: 1 }),
      columns,
    };
    const reports = await readParts(reading, job);
    if (reports === undefined) return undefined;
    if (reports.some(({ found }) => found.length > 0)) {
      keys = withFound(keys, reports);
      continue;
    }
    const numRows = totalRows(job.control);
    if (numRows === 0 || numRows > mostRows) return undefined;
    const names = keys.map(({ key }) => key);
    const whole = await joinColumns(reading, names, columns, reports, numRows)
      .catch(() => undefined);
    if (whole === undefined) return undefined; // a thread has failed
    return finish(names, whole, reports, numRows, options);
  }
}

/** Keys of the passes before and of this one, in order of appearance. */
function withFound(keys: readonly JsonKey[], reports: readonly JsonReport[]): readonly JsonKey[] {
  const all = new Map(keys.map((one) => [one.key, one]));
  const found = reports.flatMap((report) => report.found)
    .sort((a, b) => a.row - b.row || a.at - b.at);
  for (const { key, isText } of found) {
    all.set(key, { key, isText: isText || all.get(key)?.isText === true });
  }
  return [...all.values()];
}

function finish(
  keys: readonly string[],
  whole: Awaited<ReturnType<typeof joinColumns>>,
  reports: readonly JsonReport[],
  numRows: number,
  options: JsonLinesOptions,
): Table | undefined {
  const bad = createBadRows(options);
  const { lineOf } = joinLines(reports);
  const joined = keys.map((key, at) => ({ key, column: whole[at]! }));
  let isBeyond = false;
  const beyond = { add: () => isBeyond = true, report() {} };
  try {
    joinBad(reports, bad);
    bad.report();
    const { names, columns, roles } = finishJoined(joined, numRows, options, beyond, lineOf);
    return isBeyond ? undefined : { names, columns, roles, numRows, lineOf };
  } catch {
    return undefined; // one thread says what is wrong
  }
}
