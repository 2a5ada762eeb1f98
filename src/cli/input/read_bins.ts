/**
 * `--binned`: the training table straight into bins.
 *
 * @module
 */
import { boostSample } from "../../algorithms/boost/bin_sample.ts";
import type { Dataset } from "../../data/types.ts";
import { UsageError } from "../../errors.ts";
import type { BinnedSplit } from "../../files/counted_rows.ts";
import { readBinnedParts } from "../../files/read_binned.ts";
import { resolveParams } from "../../params/resolve.ts";
import type { Invocation } from "../common/command.ts";
import type { Given } from "../flags/params.ts";
import { namingTable, tableOptions } from "./read_options.ts";

/**
 * Reads the table as bins, divided where a split is given: bins are chosen from the first part.
 *
 * @throws {UsageError} where bins make no sense.
 */
export async function readBins(
  { args, out }: Invocation,
  given: Given,
  split: BinnedSplit | undefined,
): Promise<Dataset[]> {
  const { algorithm, flags, params } = given;
  const source = args[0]!;
  const problem = source === "-"
    ? "standard input: the data are read twice, once for the cuts and once for the bins; put them " +
      "in a file"
    : algorithm !== "boost"
    ? `--algorithm ${algorithm}, which needs values: only boost trains on bins`
    : undefined;
  if (problem !== undefined) {
    throw new UsageError("E_USAGE", `Cannot use --binned with ${problem}`);
  }
  const { maxBins } = resolveParams("boost", params);
  const options = {
    ...tableOptions(flags, out),
    maxBins,
    sample: boostSample(params, {
      valid: split !== undefined || flags.has("valid"),
      calibrated: flags.has("calibrate"),
    }),
  };
  return await namingTable(source, options, () => readBinnedParts(source, options, split));
}
