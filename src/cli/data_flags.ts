/**
 * Flags that say how a file is read, shared by the commands that read one.
 *
 * @module
 */
import type { FlagGroup } from "./command.ts";

/** How the text is cut into cells. */
export const READ_FLAGS: FlagGroup = {
  title: "Reading",
  flags: [
    {
      name: "format",
      kind: "text",
      value: "NAME",
      choices: ["csv", "tsv", "libsvm", "jsonl"],
      about: "What the input is, where its name does not say",
    },
    {
      name: "delimiter",
      kind: "text",
      value: "CHAR",
      about: "Between cells",
      default: "found in the header",
    },
    { name: "decimal", kind: "text", value: "CHAR", choices: [".", ","], about: "Decimal point" },
    {
      name: "missing",
      kind: "list",
      value: "A,B",
      about: "Texts that mean missing, besides the empty cell",
      default: "NA,NaN,nan,null,NULL,?",
    },
    { name: "no-header", kind: "switch", about: "The first line is data already" },
    {
      name: "bad-rows",
      kind: "text",
      value: "skip:N",
      about: "Leave out up to N rows that cannot be read",
    },
  ],
};
