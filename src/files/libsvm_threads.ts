/**
 * A large file of LIBSVM read by several threads at once.
 *
 * @module
 */
import { createBadRows } from "../data/reading/bad_rows.ts";
import { joinBad, joinLines } from "../data/reading/join_parts.ts";
import type { Table } from "../data/csv/table.ts";
import {
  absentValue,
  checkCells,
  finishLibsvm,
  type LibsvmOptions,
  sparseNames,
  sparseRule,
} from "../data/libsvm/parse.ts";
import { type LibsvmReport, writeSegments, type WriteTask } from "../data/libsvm/part.ts";
import { createControl, totalRows } from "../data/reading/segments.ts";
import type { Dataset } from "../data/types.ts";
import {
  datasetOnThreads,
  forThreads,
  type Reading,
  readParts,
  shareColumns,
  type ThreadedReading,
} from "./part_threads.ts";

/**
 * Reads a file by several threads.
 *
 * @returns Undefined where one thread has to read it: it is packed or no file, something in it is
 * wrong, it is replaced or written to meanwhile, or threads have failed. Nothing has been said then.
 * @throws {ParameterError} `E_PARAM_CONFLICT` without `absent`, or where the schema says otherwise.
 */
export async function readLibsvmOnThreads(
  source: string | URL,
  options: LibsvmOptions,
  reading: ThreadedReading,
): Promise<Dataset | undefined> {
  const sparse = sparseRule(options);
  const data = await datasetOnThreads(source, options, reading, readAll);
  return data && { ...data, sparse };
}

/** Reads all rows, and then writes them to their columns. */
async function readAll(
  reading: Reading<LibsvmReport>,
  options: LibsvmOptions,
): Promise<Table | undefined> {
  const { file, segmentBytes, pool } = reading;
  const { plain: { limits, badRows }, mostRows } = forThreads(options);
  const control = createControl({ start: 0, line: 1 });
  const reports = await readParts(reading, {
    format: "libsvm",
    options: { limits, ...(badRows !== undefined && { badRows }) },
    size: file.size,
    segmentBytes,
    control,
  });
  if (reports === undefined) return undefined;
  const numRows = totalRows(control);
  if (numRows === 0 || numRows > mostRows) return undefined;
  const names = sparseNames(options, Math.max(...reports.map((report) => report.numColumns)));
  if (!isAllowed(reports, options, numRows, names.length)) return undefined;

  const hasWeight = reports.some((report) => report.hasWeight);
  const hasQuery = reports.some((report) => report.hasQuery);
  const buffers = shareColumns(Array<8>(names.length + 3).fill(8), numRows);
  if (buffers === undefined) return undefined;
  const features = buffers.slice(3);
  const [labels] = buffers;
  const weights = hasWeight ? buffers[1] : undefined;
  const queries = hasQuery ? buffers[2] : undefined;
  const absent = absentValue(options);
  const [own, ...others] = reports.map(({ segments }): WriteTask => ({
    segments,
    absent,
    features,
    labels,
    weights,
    queries,
  }));
  try {
    const written = others.map((task) => pool.run(task));
    writeSegments(own);
    await Promise.all(written);
  } catch {
    return undefined; // a thread has failed
  }
  return finishLibsvm(options, {
    features: features.map((buffer, at) => ({
      kind: "numeric",
      name: names[at],
      values: new Float64Array(buffer),
    })),
    labels: new Float64Array(labels),
    ...(weights !== undefined && { weights: new Float64Array(weights) }),
    ...(queries !== undefined && { queries: new Float64Array(queries) }),
    lineOf: joinLines(reports).lineOf,
  });
}

/** Whether rows that were left out, and so many cells, are allowed; says what was left out. */
function isAllowed(
  reports: readonly LibsvmReport[],
  options: LibsvmOptions,
  numRows: number,
  numColumns: number,
): boolean {
  try {
    const bad = createBadRows(options);
    joinBad(reports, bad);
    bad.report();
    checkCells(numRows, numColumns);
    return true;
  } catch {
    return false; // one thread says what is wrong
  }
}
