/**
 * `--binned`: the training table straight into bins.
 *
 * @module
 */
import type { Dataset } from "../data/types.ts";
import { UsageError } from "../errors.ts";
import { readCsvBinned } from "../files/read_binned.ts";
import { formatOf } from "../files/read_data.ts";
import { resolveParams } from "../params/resolve.ts";
import type { Invocation } from "./command.ts";
import type { Given } from "./param_flags.ts";
import { tableOptions } from "./read_options.ts";

/**
 * Reads the table as bins.
 *
 * @throws {UsageError} where bins make no sense, or would not be those of plain reading.
 */
export async function readBins({ args, out }: Invocation, given: Given): Promise<Dataset> {
  const { algorithm, flags, params } = given;
  const source = args[0]!;
  const options = tableOptions(flags, out);
  const problem = source === "-"
    ? "standard input, which cannot be read twice"
    : (options.format ?? formatOf(source)) !== "csv"
    ? "a format other than CSV"
    : flags.has("valid-fraction")
    ? "--valid-fraction, since bins are chosen from training rows alone: put the others in a file " +
      "and name it with --valid"
    : algorithm !== "boost"
    ? `--algorithm ${algorithm}, which needs values: only boost trains on bins`
    : undefined;
  if (problem !== undefined) {
    throw new UsageError("E_USAGE", `Cannot use --binned with ${problem}`);
  }
  const { maxBins } = resolveParams(algorithm, params);
  return await readCsvBinned(source, {
    ...options,
    ...(typeof maxBins === "number" && { maxBins }),
  });
}
