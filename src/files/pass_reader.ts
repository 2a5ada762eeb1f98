/**
 * One pass over data of any format, which hands the numbers of features on instead of keeping them.
 *
 * @module
 */
import { assembleDataset } from "../data/reading/assemble.ts";
import { createTablePass, type PassMeans, type PassResult, type Table } from "../data/csv/table.ts";
import { createJsonLinesPass } from "../data/records/json_lines.ts";
import { createLibsvmPass, sparseRule } from "../data/libsvm/parse.ts";
import { missingCells, missingNumbers } from "../data/missing_cells.ts";
import { withSchema } from "../data/reading/roles.ts";
import type { Dataset } from "../data/types.ts";
import { type ByteSource, sizeOf } from "../runtime/open.ts";
import { eachPiece } from "../runtime/pieces.ts";
import { blankingSink } from "./binned_sinks.ts";
import { withExtension } from "./read_csv.ts";
import { type DataOptions, formatOf, libsvmOptions } from "./read_data.ts";

/** Reads a source as often as it is asked to. */
export interface PassReader {
  /** @throws {DataError} Naming line and column. */
  read(means: PassMeans): Promise<PassResult>;
  /** Gives the columns of a pass their roles. */
  assemble(table: Table): Dataset;
}

/** The reader of a source's format. */
export function passReader(source: ByteSource, options: DataOptions): PassReader {
  const format = options.format ?? formatOf(source);
  const all = format === "csv"
    ? withExtension(source, options)
    : format === "libsvm"
    ? libsvmOptions(options)
    : options;
  const createPass = {
    csv: (means: PassMeans) => createTablePass(all, means),
    jsonl: (means: PassMeans) => createJsonLinesPass(all, means),
    libsvm: (means: PassMeans) => createLibsvmPass(all, means),
  }[format];
  return {
    async read(given) {
      const sizeHint = sizeOf(source);
      // A pass over CSV does so itself, a block at a time.
      const means = format === "csv" ? given : withoutMissing(given, all);
      const pass = createPass(sizeHint === undefined ? means : { ...means, sizeHint });
      await eachPiece(source, pass.push, pass.direct);
      return pass.finish();
    },
    assemble({ columns, roles, names, lineOf }) {
      const data = assembleDataset(columns, roles, withSchema(all, names), lineOf);
      return format === "libsvm" ? { ...data, sparse: sparseRule(all) } : data;
    },
  };
}

/** Hands numbers that mean missing on as missing, where any do. */
function withoutMissing(means: PassMeans, options: DataOptions): PassMeans {
  const { createFeature } = means;
  const numbers = missingNumbers(missingCells(options));
  if (createFeature === undefined || numbers.length === 0) return means;
  return { ...means, createFeature: (at) => blankingSink(createFeature(at), numbers) };
}
