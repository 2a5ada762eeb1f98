/**
 * One pass over data of any format, which hands the numbers of features on instead of keeping them.
 *
 * @module
 */
import { assembleDataset } from "../data/assemble.ts";
import { createTablePass, type PassMeans, type PassResult, type Table } from "../data/csv/table.ts";
import { createJsonLinesPass } from "../data/json_lines.ts";
import { createLibsvmPass, sparseRule } from "../data/libsvm.ts";
import { withSchema } from "../data/roles.ts";
import type { Dataset } from "../data/types.ts";
import { type ByteSource, sizeOf } from "../runtime/open.ts";
import { eachPiece } from "../runtime/pieces.ts";
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
    async read(means) {
      const sizeHint = sizeOf(source);
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
